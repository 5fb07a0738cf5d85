"""Shared by the Python clients of the matrix: runs the tasks of a file one after the other.

A task is a line of fields with tabs between them; its second field is the file for its result:

    read       OUT BOOTSTRAP ISOLATION TOPICS COUNT
    subscribe  OUT BOOTSTRAP PROTOCOL GROUP TOPICS COUNT commit|leave
    committed  OUT BOOTSTRAP GROUP TOPICS
    produce    OUT BOOTSTRAP TOPIC
    create     OUT BOOTSTRAP TOPIC

TOPICS are names with commas between them, PROTOCOL is classic or consumer (KIP-848). A driver reads until it has COUNT
records, or none for `IDLE_SECONDS`, and then polls once more, for what there should not be. A result is a line for each
record, as `record_line` makes it, or for each committed partition, or "#error" and what the client says.

The environment variable `SETTINGS` may name a file of further settings of the client, `name=value` in its own words.
"""

import base64
import os
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

IDLE_SECONDS = 30

SETTINGS = "CLIENTS_PROOF_SETTINGS"
"""The environment variable that names a file of settings."""

Header = tuple[str, bytes | None]
Action = Callable[..., Iterable[str]]


def record_line(
    topic: str,
    partition: int,
    offset: int,
    timestamp: int,
    key: bytes | None,
    value: bytes | None,
    headers: Iterable[Header],
) -> str:
    """Write a record as a line; bytes in base64, null as "-"."""
    named = ",".join(f"{_text(name.encode())}:{_text(content)}" for name, content in headers)
    return "\t".join((topic, str(partition), str(offset), str(timestamp), _text(key), _text(value), named))


def committed_line(topic: str, partition: int, offset: int) -> str:
    """Write a committed offset as a line."""
    return f"{topic}\t{partition}\t{offset}"


def error_line(error: object) -> str:
    """The line for an error of the client."""
    return f"#error\t{type(error).__name__}: {' '.join(str(error).split())}"


def settings() -> dict[str, str]:
    """Read the further settings of the client."""
    path = os.environ.get(SETTINGS)
    lines = [] if path is None else Path(path).read_text("utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines)


class Goal:
    """When a driver has read enough.

    Attributes:
        lines: the records so far.
    """

    def __init__(self, count: int) -> None:
        self.lines: list[str] = []
        self._count = count
        self._last = time.monotonic()
        self._polls_left = 1

    def is_reached(self, found: Sequence[str], *, is_assigned: bool = True) -> bool:
        """Add the records of a poll; returns whether no more polls are needed."""
        self.lines += found
        if found:
            self._last = time.monotonic()
        if len(self.lines) >= self._count and is_assigned:
            self._polls_left -= 1
        return self._polls_left < 0 or time.monotonic() - self._last > IDLE_SECONDS


def main(actions: Mapping[str, Action], failures: type[Exception] | tuple[type[Exception], ...]) -> None:
    """Do the tasks of the file that the command line names last.

    Args:
        actions: for each kind of task what does it, with its fields after the result's.
        failures: what the client raises.
    """
    for line in Path(sys.argv[-1]).read_text("utf-8").splitlines():
        kind, out, *fields = line.split("\t")
        try:
            lines = list(actions[kind](*fields))
        except failures as error:
            lines = [error_line(error)]
        Path(out).write_text("".join(f"{each}\n" for each in lines), "utf-8")


def _text(content: bytes | None) -> str:
    return "-" if content is None else base64.b64encode(content).decode()
