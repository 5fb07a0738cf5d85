"""Pairs of numbers that a check collects, to be printed under one title when a file is done, as Kafka's tool does."""

from array import array

from kafkafmt.cli.dump.console import Console

MAX_KEPT = 1_000_000
"""Of more pairs than this only the number is told: a compacted log may have a gap behind every record."""


class Pairs:
    """Pairs of 64-bit numbers, held in 16 bytes each."""

    def __init__(self) -> None:
        self._numbers = array("q")
        self._dropped = 0

    def add(self, first: int, second: int) -> None:
        """Remember a pair."""
        if len(self._numbers) < 2 * MAX_KEPT:
            self._numbers.append(first)
            self._numbers.append(second)
        else:
            self._dropped += 1

    def __len__(self) -> int:
        return len(self._numbers) // 2 + self._dropped

    def print(self, console: Console, title: str, wording: str, *, descending: bool = False) -> None:
        """Print on stderr a title and a line for each pair; nothing without pairs.

        Args:
            console: has the stderr.
            title: the first line.
            wording: with two `{}`.
            descending: the last pair first.
        """
        if not self._numbers:
            return
        numbers = self._numbers
        places = range(0, len(numbers), 2)
        lines = [title]
        lines += [
            wording.format(numbers[place], numbers[place + 1]) for place in (reversed(places) if descending else places)
        ]
        if self._dropped:
            lines.append(f"  ... and {self._dropped} more")
        console.error_lines(lines)
