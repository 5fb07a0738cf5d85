"""Destination: the target of an output's bytes, which is never among Kafka's files.

A file is written next to its name, as `FILE.<8 hex digits>.part`, and renamed when it is complete and on the disk: the
name always leads to a whole file, or to the previous one. A replaced file keeps its mode; a new one is readable by its
owner alone if others may not read its sources.
"""

import os
import secrets
import signal
import stat
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import IO

import click

from kafkafmt.cli.messages import say
from kafkafmt.cli.printable import escape
from kafkafmt.errors import SourceError
from kafkafmt.files.names import is_kafka_file
from kafkafmt.io.access import access_of
from kafkafmt.io.local import LocalLocation
from kafkafmt.io.source import locate
from kafkafmt.io.uri import misspelt_scheme, scheme_of, shown

_BUFFER_BYTES = 1024 * 1024
_PRIVATE = stat.S_IRUSR | stat.S_IWUSR


class Destination:
    """A stream of bytes to a file, a terminal or a pipe.

    Attributes:
        is_terminal: whether it is a terminal.
        is_file: whether it is a file, named or redirected by the shell, rather than a pipe.
        closed: always False; pyarrow requires the attribute.
    """

    closed = False

    def __init__(self, stream: IO[bytes], *, is_terminal: bool, is_file: bool) -> None:
        self._stream = stream
        self._written = 0
        self._abandoned = False
        self.is_terminal = is_terminal
        self.is_file = is_file

    def write(self, data: bytes) -> int:
        """Write bytes; without effect once the output has been abandoned."""
        # When a Parquet writer is freed it completes its file, which would make an unfinished file look whole.
        if not self._abandoned:
            self._stream.write(data)
            self._written += len(data)
        return len(data)

    def tell(self) -> int:
        """Number of bytes written so far, which a pipe does not know."""
        return self._written

    def flush(self) -> None:
        """Pass on the buffer."""
        if not self._abandoned:
            self._stream.flush()

    def close(self) -> None:
        """Keep the stream open, as it has another owner; pyarrow's writers would close it."""

    def abandon(self) -> None:
        """Ignore all further writes."""
        self._abandoned = True


@contextmanager
def open_destination(
    out: str | None, kind: str, sources: Sequence[str], *, option: str = "--out"
) -> Iterator[Destination]:
    """Open stdout, or a file that appears when the context ends without an exception.

    Args:
        out: a local path, or None for stdout.
        kind: form of the rows; "arrow" and "parquet" are binary.
        sources: the paths that are read.
        option: the option that has the file, for errors.

    Raises:
        click.UsageError: the file would be among Kafka's files or cannot be created; a binary form and a terminal.
        OSError: writing failed.
    """
    if out is None:
        opened = _stdout(kind)
    else:
        refuse_unfit(out, sources, option)
        is_private = access_of(sources).is_private
        opened = _device(out, option) if is_device(out) else _renamed_file(out, option, is_private=is_private)
    with opened as destination:
        try:
            yield destination
        except BaseException:
            destination.abandon()
            raise
        destination.flush()


def check_destination(out: str | None, kind: str, sources: Sequence[str]) -> None:
    """Check that `open_destination` will succeed, before there is anything to write.

    Args:
        out: a local path, or None for stdout.
        kind: form of the rows.
        sources: the paths that are read.

    Raises:
        click.UsageError: as in `open_destination`.
    """
    if out is not None:
        require_writable(out, sources, option="--out")
    elif kind in ("arrow", "parquet") and sys.stdout.isatty():
        raise click.UsageError(
            f"{kind} cannot be shown on a terminal. Name a file (--out rows.{kind}), or pipe it to a program."
        )


@contextmanager
def _stdout(kind: str) -> Iterator[Destination]:
    check_destination(None, kind, ())
    is_terminal = sys.stdout.isatty()
    try:
        is_file = stat.S_ISREG(os.fstat(sys.stdout.fileno()).st_mode)
    except OSError:  # includes io.UnsupportedOperation: a stream in memory
        is_file = False
    sys.stdout.flush()
    yield Destination(sys.stdout.buffer, is_terminal=is_terminal, is_file=is_file)


@contextmanager
def _device(out: str, option: str) -> Iterator[Destination]:
    """A path that exists and is not a file, such as /dev/stdout, /dev/null or a named pipe: written, never replaced."""
    try:
        stream = open(out, "wb")  # noqa: SIM115 - closed below
    except OSError as error:
        raise _cannot_create(out, option, error) from error
    with stream:
        yield Destination(stream, is_terminal=stream.isatty(), is_file=False)


@contextmanager
def _renamed_file(out: str, option: str, *, is_private: bool) -> Iterator[Destination]:
    from kafkafmt.writing.target import left_of  # only needed for --out

    target = os.path.realpath(out)
    for note in left_of(target):
        say(f"note: {note}")
    part = f"{target}.{secrets.token_hex(4)}.part"
    with _never_left(part):
        try:
            with open(part, "xb") as usual:
                mode = _mode(target, os.fstat(usual.fileno()).st_mode, is_private=is_private)
            os.unlink(part)
            # Nobody else can open it before it is complete: the file that it replaces may be private.
            stream = open(part, "xb", buffering=_BUFFER_BYTES, opener=_private)  # noqa: SIM115 - closed below
        except OSError as error:
            raise _cannot_create(out, option, error) from error
        try:
            with stream:
                yield Destination(stream, is_terminal=False, is_file=True)
                stream.flush()
                _change_mode(stream, mode)
                os.fsync(stream.fileno())  # or a power failure could leave an empty file instead of the previous one
            os.replace(part, target)
        except BaseException:
            say(f"{out} was not written:")
            raise


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, _PRIVATE)


def _mode(target: str, created: int, *, is_private: bool) -> int:
    """Mode of the complete file: that of the replaced file; for a new file the umask's, or private."""
    try:
        return stat.S_IMODE(os.stat(target).st_mode)
    except OSError:
        return _PRIVATE if is_private else stat.S_IMODE(created)


def _change_mode(stream: IO[bytes], mode: int) -> None:
    with suppress(OSError):  # some file systems have no modes
        os.fchmod(stream.fileno(), mode)


@contextmanager
def _never_left(part: str) -> Iterator[None]:
    """Remove a file when the block ends in any way; once renamed it no longer exists.

    A signal may arrive at any moment, even after the file is created but before the creating call has returned.
    """

    def remove(number: int, _: object) -> None:
        with suppress(OSError):
            os.unlink(part)
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    caught = []
    if threading.current_thread() is threading.main_thread():
        # Only signals that are not ignored, as with nohup.
        caught = [number for number in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(number) == signal.SIG_DFL]
    try:
        for number in caught:
            signal.signal(number, remove)
        yield
    finally:
        with suppress(OSError):
            os.unlink(part)
        for number in caught:
            signal.signal(number, signal.SIG_DFL)


def require_writable(out: str, sources: Sequence[str], *, option: str) -> None:
    """Check that a file can be written at the end, before there is anything to write.

    Args:
        out: a local path.
        sources: the paths that are read.
        option: the option that has the file.

    Raises:
        click.BadParameter: the file would be among Kafka's files, or cannot be created.
    """
    refuse_unfit(out, sources, option)
    if is_device(out):
        return
    part = f"{os.path.realpath(out)}.{secrets.token_hex(4)}.part"
    with _never_left(part):
        try:
            open(part, "xb").close()
        except OSError as error:
            raise _cannot_create(out, option, error) from error


def sync_name(path: str) -> None:
    """Sync the directory entry of a written or removed file to the disk."""
    from kafkafmt.writing.durable import sync  # only needed for --state

    sync(os.path.dirname(os.path.realpath(path)))


def _cannot_create(out: str, option: str, error: OSError) -> click.UsageError:
    return click.BadParameter(f"{escape(out)} cannot be written: {error.strerror}.", param_hint=f"'{option}'")


def is_device(out: str) -> bool:
    """Whether a path exists and is not a file, such as a named pipe."""
    try:
        return not stat.S_ISREG(os.stat(out).st_mode)
    except OSError:
        return False


def refuse_unfit(out: str, sources: Sequence[str], option: str = "--out") -> None:
    """Refuse to write output among the sources or in a log directory.

    Args:
        out: a local path.
        sources: the paths that are read.
        option: the option that has the path.

    Raises:
        click.BadParameter: a file or directory with this name would be there.
    """
    hint = f"'{option}'"
    if scheme_of(out) is not None or misspelt_scheme(out) is not None:
        raise click.BadParameter(
            f"{escape(shown(out))} is not a local file. Write to stdout, and pipe that to a program that uploads it.",
            param_hint=hint,
        )
    if not os.path.basename(out):
        raise click.BadParameter(f"{escape(out)!r} is not the name of a file.", param_hint=hint)
    target = os.path.realpath(out)
    if any(_is_same_file(out, source) for source in sources):
        raise click.BadParameter(
            f"{escape(out)} is one of the files that are read. Choose another name.", param_hint=hint
        )
    if any(is_kafka_file(os.path.basename(name)) for name in (out, target)):
        raise click.BadParameter(f"{escape(out)} is named like a Kafka file. Choose another name.", param_hint=hint)
    from kafkafmt.writing.target import kafkas_place  # only needed for --out

    found = kafkas_place(target)
    if found is not None:
        directory, what = found
        raise click.BadParameter(
            f"refusing to write {escape(out)} into {escape(directory)}, which has {what}. Choose another directory.",
            param_hint=hint,
        )


def _is_same_file(out: str, source: str) -> bool:
    """Whether a source, however it is named, is the file that would be replaced."""
    try:
        place = locate(source)
        return isinstance(place, LocalLocation) and (
            os.path.realpath(str(place)) == os.path.realpath(out) or os.path.samefile(str(place), out)
        )
    except (OSError, ValueError, SourceError):
        return False  # one of them does not exist
