"""Lines in columns, written as they come: widths grow with what is seen."""

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size

_GAP = "  "
_AT_A_TIME = 200
_END = 10


@dataclass(frozen=True, slots=True)
class Column:
    """A column.

    Attributes:
        title: what stands above it.
        right: whether its cells stand to the right, as numbers do.
        rank: where there is no room for all columns, those of the highest rank go first; 0 always stays.
        least: how far the first column is shortened, in characters, before another one goes.
    """

    title: str
    right: bool = False
    rank: int = 0
    least: int = 20


def wrapped(text: str, width: int | None, indent: int = 0) -> list[str]:
    """Lines of a paragraph, the later ones further in; one line where there is no limit of width."""
    margin = " " * indent
    if width is None:
        return [margin + text]
    return textwrap.wrap(
        text,
        max(width, 40),
        initial_indent=margin,
        subsequent_indent=margin + "  ",
        break_long_words=False,
        break_on_hyphens=False,
    )


class Aligned:
    """A table of text.

    Args:
        columns: the cells of the first one lose their middle where it must be.
        width: of the terminal in characters, or None for no limit.
        write: takes each line.
        indent: spaces in front of each line.
    """

    def __init__(
        self, columns: Sequence[Column], width: int | None, write: Callable[[str], None], indent: int = 0
    ) -> None:
        self._columns = columns
        self._room = None if width is None else width - indent
        self._write = write
        self._indent = " " * indent
        self._waiting: list[Sequence[str]] = []
        self._widths = [cell_len(column.title) for column in columns]
        self._shown: list[int] = []

    def add(self, cells: Sequence[str]) -> None:
        """Take a line; it is written with those that follow."""
        self._waiting.append(cells)
        if len(self._waiting) >= _AT_A_TIME:
            self.flush()

    def flush(self) -> None:
        """Write what waits, below the titles if the columns are others than before."""
        if not self._waiting:
            return
        for number in range(len(self._columns)):
            longest = max(cell_len(cells[number]) for cells in self._waiting)
            self._widths[number] = max(self._widths[number], longest)
        shown, first = self._fit()
        if shown != self._shown:
            self._shown = shown
            self._line([column.title for column in self._columns], first)
        for cells in self._waiting:
            self._line(cells, first)
        self._waiting.clear()

    def _fit(self) -> tuple[list[int], int]:
        """Which columns there is room for, those of low rank first, and the width of the first one."""
        first = self._widths[0]
        if self._room is None:
            return list(range(len(self._columns))), first
        least = min(first, self._columns[0].least)
        room = self._room + first - least
        shown: list[int] = []
        for number in sorted(range(len(self._columns)), key=lambda number: self._columns[number].rank):
            if not self._columns[number].rank or self._width([*shown, number]) <= room:
                shown.append(number)
        rest = self._width(shown) - first
        return sorted(shown), max(least, min(first, self._room - rest))

    def _width(self, shown: Sequence[int]) -> int:
        return sum(self._widths[number] for number in shown) + len(_GAP) * (len(shown) - 1)

    def _line(self, cells: Sequence[str], first: int) -> None:
        parts = []
        for number in self._shown:
            text = cells[number]
            width = self._widths[number] if number else first
            if cell_len(text) > width:
                text = _without_middle(text, width)
            padding = " " * (width - cell_len(text))
            parts.append(padding + text if self._columns[number].right else text + padding)
        self._write((self._indent + _GAP.join(parts)).rstrip(" "))


def _without_middle(text: str, width: int) -> str:
    """A text cut to a width; its end stays, for partitions of a topic differ only there."""
    end = text[-_END:]
    while cell_len(end) > width // 2:
        end = end[1:]
    return set_cell_size(text, width - 1 - cell_len(end)) + "…" + end
