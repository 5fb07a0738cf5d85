"""The output of a dump: text to stdout, faults to stderr, and the exit code.

Text is UTF-8 regardless of the locale. Bytes of a file name that are not UTF-8 are written back unchanged. On a
terminal stdout is escaped; otherwise it is byte for byte the output of Kafka's tool.
"""

from collections.abc import Iterable, Iterator
from typing import BinaryIO

from kafkafmt.cli.command import CLEAN, FINDINGS, UNREADABLE
from kafkafmt.cli.printable import escape
from kafkafmt.errors import KafkafmtError, SourceError

Line = str | Iterator[str]
"""A line of text, or the pieces of a very long line, which can be iterated once."""

_BUFFERED = 256 * 1024


class Console:
    """Writes text in large pieces, and keeps stdout and stderr in order for readers of both.

    Args:
        stdout: stream for the dump.
        stderr: stream for faults.
        is_terminal: whether stdout is a terminal, for which control characters are escaped.
        hints: whether to suggest other commands, because a person reads the output.

    Attributes:
        status: the exit code so far.
    """

    def __init__(self, stdout: BinaryIO, stderr: BinaryIO, *, is_terminal: bool = False, hints: bool = False) -> None:
        self._stdout = stdout
        self._is_terminal = is_terminal
        self._stderr = stderr
        self._parts: list[str] = []
        self._length = 0
        self._hints: dict[str, None] | None = {} if hints else None
        self.status = CLEAN

    def line(self, text: Line) -> None:
        """Print a line on stdout."""
        if not isinstance(text, str):
            self._write()
            for piece in text:
                self._stdout.write(_encoded(escape(piece) if self._is_terminal else piece))
            text = ""
        if self._is_terminal:
            text = escape(text)
        self._parts.append(text)
        self._length += len(text)
        if self._length >= _BUFFERED:
            self._write()

    def hint(self, text: str) -> None:
        """Suggest other commands on stderr, once and after the dump, if a person reads the output."""
        if self._hints is not None:
            self._hints[text] = None

    def print_hints(self) -> None:
        """Print the held hints."""
        for text in self._hints or ():
            self.note(text)

    def flush(self) -> None:
        """Write the held text."""
        self._write()
        self._stdout.flush()

    def error_line(self, text: Line) -> None:
        """Print a line on stderr, with control characters escaped; it does not change the exit code."""
        self.error_lines([text if isinstance(text, str) else "".join(text)])

    def error_lines(self, lines: Iterable[str]) -> None:
        """Print lines on stderr, as `error_line` does."""
        self.flush()
        for text in lines:
            self._stderr.write(_encoded(escape(text) + "\n"))
        self._stderr.flush()

    def note(self, text: str) -> None:
        """Print a note in kafkafmt's own words on stderr."""
        self.error_line(f"kafkafmt: {text}")

    def finding(self, error: KafkafmtError | str) -> None:
        """Print a fault on stderr; the exit code becomes that of findings, or of unreadable files."""
        self.note(str(error))
        self.status = max(self.status, UNREADABLE if isinstance(error, SourceError) else FINDINGS)

    def _write(self) -> None:
        if self._parts:
            text = "\n".join(self._parts)
            self._parts.clear()
            self._length = 0
            self._stdout.write(_encoded(text + "\n"))


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
