"""Destination: where the bytes of an output go, and that they never go where Kafka's files are.

A file is written beside its name, as `FILE.<8 hex digits>.part`, and renamed when it is complete: what stands under the
name is whole, or what stood there before.
"""

import os
import secrets
import stat
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import IO

import click

from kafkafmt.cli.printable import escape
from kafkafmt.files.names import is_log_file, parse_partition_name

_BUFFER_BYTES = 1024 * 1024


class Destination:
    """A stream of bytes to a file, a terminal or a pipe.

    Attributes:
        is_terminal: whether people look at it.
        is_file: whether it is a file, named or by the shell's redirection; a pipe is none.
        closed: False, as pyarrow asks a file object.
    """

    closed = False

    def __init__(self, stream: IO[bytes], *, is_terminal: bool, is_file: bool) -> None:
        self._stream = stream
        self._written = 0
        self._abandoned = False
        self.is_terminal = is_terminal
        self.is_file = is_file

    def write(self, data: bytes) -> int:
        """Write bytes; without effect once the output was abandoned."""
        # A Parquet writer would end its file properly when it is freed, and so make half of it look complete.
        if not self._abandoned:
            self._stream.write(data)
            self._written += len(data)
        return len(data)

    def tell(self) -> int:
        """Bytes written so far: a pipe does not know."""
        return self._written

    def flush(self) -> None:
        """Hand over what is buffered."""
        if not self._abandoned:
            self._stream.flush()

    def close(self) -> None:
        """Leave the stream open: it is not ours to close, and pyarrow's writers would."""

    def abandon(self) -> None:
        """Let nothing more through."""
        self._abandoned = True


@contextmanager
def open_destination(out: str | None, kind: str, sources: Sequence[str]) -> Iterator[Destination]:
    """Open stdout, or a file that appears when the context ends without an exception.

    Args:
        out: a local path, or None for stdout.
        kind: form of the rows; "arrow" and "parquet" are no text.
        sources: paths that are read.

    Raises:
        click.UsageError: the file would lie among Kafka's files or cannot be created; a binary form and a terminal.
        OSError: writing failed.
    """
    if out is None:
        opened = _stdout(kind)
    else:
        _refuse_unfit(out, sources)
        opened = _device(out) if _is_device(out) else _renamed_file(out)
    with opened as destination:
        try:
            yield destination
        except BaseException:
            destination.abandon()
            raise
        destination.flush()


@contextmanager
def _stdout(kind: str) -> Iterator[Destination]:
    is_terminal = sys.stdout.isatty()
    if is_terminal and kind in ("arrow", "parquet"):
        raise click.UsageError(
            f"{kind} is no text for a terminal. Name a file (--out rows.{kind}), or pipe it to a program."
        )
    try:
        is_file = stat.S_ISREG(os.fstat(sys.stdout.fileno()).st_mode)
    except OSError:  # io.UnsupportedOperation is one: a stream in memory
        is_file = False
    sys.stdout.flush()
    yield Destination(sys.stdout.buffer, is_terminal=is_terminal, is_file=is_file)


@contextmanager
def _device(out: str) -> Iterator[Destination]:
    """What is there and no file, such as /dev/stdout, /dev/null or a named pipe: written to, never replaced."""
    try:
        stream = open(out, "wb")  # noqa: SIM115 - closed below
    except OSError as error:
        raise _cannot_create(out, error) from error
    with stream:
        yield Destination(stream, is_terminal=stream.isatty(), is_file=False)


@contextmanager
def _renamed_file(out: str) -> Iterator[Destination]:
    target = os.path.realpath(out)
    part = f"{target}.{secrets.token_hex(4)}.part"
    try:
        stream = open(part, "xb", buffering=_BUFFER_BYTES)  # noqa: SIM115 - closed below
    except OSError as error:
        raise _cannot_create(out, error) from error
    try:
        with stream:
            yield Destination(stream, is_terminal=False, is_file=True)
        os.replace(part, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(part)
        click.echo(f"kafkafmt: {escape(out)} was not written: the run did not end well.", err=True)
        raise


def _cannot_create(out: str, error: OSError) -> click.UsageError:
    return click.BadParameter(f"{escape(out)} cannot be written: {error.strerror}.", param_hint="'--out'")


def _is_device(out: str) -> bool:
    try:
        return not stat.S_ISREG(os.stat(out).st_mode)
    except OSError:
        return False


def _refuse_unfit(out: str, sources: Sequence[str]) -> None:
    """Reading never writes among what is read, nor in any log directory."""
    if "://" in out:
        raise click.BadParameter(
            f"{escape(out)} is no local file. Write to stdout, and pipe it to what uploads it.", param_hint="'--out'"
        )
    if not os.path.basename(out):
        raise click.BadParameter(f"{escape(out)!r} names no file.", param_hint="'--out'")
    target = os.path.realpath(out)
    if any(target == os.path.realpath(source) for source in sources):
        raise click.BadParameter(f"{escape(out)} is what is read. Choose another name.", param_hint="'--out'")
    directory = os.path.dirname(target)
    while True:
        if _holds_kafkas_files(directory):
            raise click.BadParameter(
                f"{escape(out)} lies in {escape(directory)}, where Kafka's files are, and nothing is written there. "
                "Choose a place outside.",
                param_hint="'--out'",
            )
        parent = os.path.dirname(directory)
        if parent == directory:
            return
        directory = parent


def _holds_kafkas_files(directory: str) -> bool:
    """Whether a directory holds segments, or directories called like partitions that do."""
    return _holds_segments(directory) or any(
        entry.is_dir() and parse_partition_name(entry.name).topic is not None and _holds_segments(entry.path)
        for entry in _entries(directory)
    )


def _holds_segments(directory: str) -> bool:
    return any(is_log_file(entry.name) for entry in _entries(directory))


def _entries(directory: str) -> "Iterator[os.DirEntry[str]]":
    """Entries one by one: the first of tens of thousands may tell. A directory that cannot be listed has none."""
    with suppress(OSError), os.scandir(directory) as entries:
        yield from entries
