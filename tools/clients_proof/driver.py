"""Shared by the Python clients of the matrix: runs the tasks of a file one after the other.

A task is a line of tab-separated fields; its second field is the file for its result:

    read       OUT BOOTSTRAP ISOLATION TOPICS COUNT
    subscribe  OUT BOOTSTRAP PROTOCOL GROUP TOPICS COUNT commit|leave
    committed  OUT BOOTSTRAP GROUP TOPICS
    produce    OUT BOOTSTRAP TOPIC
    create     OUT BOOTSTRAP TOPIC

TOPICS are names separated by commas, PROTOCOL is classic or consumer (KIP-848). A driver reads until it has COUNT
records, or gets none for `IDLE_SECONDS`, and then polls once more for unexpected records. A result has a line for each
record, made by `record_line`, or for each committed partition, or "#error" and the client's error.

The environment variable `SETTINGS` may name a file with further settings of the client, as `name=value` in its words.
"""

import base64
import os
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

IDLE_SECONDS = 30

SETTINGS = "CLIENTS_PROOF_SETTINGS"
"""The environment variable with the name of the settings file."""

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
    """A record as a line; bytes are in base64, null is "-"."""
    named = ",".join(f"{_text(name.encode())}:{_text(content)}" for name, content in headers)
    return "\t".join((topic, str(partition), str(offset), str(timestamp), _text(key), _text(value), named))


def committed_line(topic: str, partition: int, offset: int) -> str:
    """A committed offset as a line."""
    return f"{topic}\t{partition}\t{offset}"


def error_line(error: object) -> str:
    """An error of the client as a line."""
    return f"#error\t{type(error).__name__}: {' '.join(str(error).split())}"


def settings() -> dict[str, str]:
    """The further settings of the client."""
    path = os.environ.get(SETTINGS)
    lines = [] if path is None else Path(path).read_text("utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines)


class Goal:
    """Decides when a driver has read enough.

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
    """Run the tasks of the file that is the last argument of the command line.

    Args:
        actions: for each kind of task the function that runs it, with the fields after the result's.
        failures: exceptions that the client raises.
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
