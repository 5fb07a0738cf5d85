"""Output that is complete or absent: a directory that gets its name when all of it is written."""

import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex

from kafkafmt.errors import SourceError
from kafkafmt.io.source import locate
from kafkafmt.io.uri import scheme_of
from kafkafmt.logdir.tier_search import enclosing_tier


@contextmanager
def new_directory(target: str | os.PathLike[str], sources: Iterable[str | os.PathLike[str]] = ()) -> Iterator[Path]:
    """Make a directory that appears under its name when the block ends, or not at all.

    Work goes on beside the target, in a directory whose name begins with a dot and is never used again. After an error
    or Ctrl-C it is removed; what a kill leaves does not stand in the way of the next run.

    Args:
        target: the directory; it must not exist, and its parent must.
        sources: local directories and files that are read; the target must not lie in one of them.

    Raises:
        SourceError: the target exists, lies in a source, or cannot be written.
    """
    path = local_path(target)
    check_target(path, sources)
    work = work_directory(path)
    try:
        yield work
        _sync(work)
        check_target(path, ())
        work.rename(path)
        _sync_directory(path.parent)
    except OSError as error:
        shutil.rmtree(work, ignore_errors=True)
        raise SourceError(f"cannot be written: {error.strerror}", file=str(path)) from error
    except BaseException as error:
        shutil.rmtree(work, ignore_errors=True)
        if isinstance(error, SourceError) and error.file is not None:
            # The temporary name means nothing to whoever reads the error.
            error.file = error.file.replace(str(work), str(path))
        raise


def work_directory(target: Path) -> Path:
    """Make a directory beside the target, whose name begins with a dot and is never used again.

    Raises:
        SourceError: it cannot be made.
    """
    work = target.parent / f".{target.name}.{token_hex(4)}.writing"
    try:
        work.mkdir()
    except OSError as error:
        raise SourceError(f"cannot be made: {error.strerror}", file=str(target)) from error
    except BaseException:  # Ctrl-C may come when it is made, but mkdir has not returned
        shutil.rmtree(work, ignore_errors=True)
        raise
    return work


def local_path(target: str | os.PathLike[str]) -> Path:
    """The path of a target: a path or a `file://` URI.

    Raises:
        SourceError: it is a URI of another file system.
    """
    name = os.fspath(target)
    scheme = scheme_of(name)
    if scheme not in (None, "file"):
        raise SourceError("only a local path can be written", file=name)
    return Path(os.path.abspath(name if scheme is None else str(locate(name))))


def check_target(target: Path, sources: Iterable[str | os.PathLike[str]]) -> None:
    """Check that a target may be written.

    Raises:
        SourceError: it exists, or lies in a source, in another log directory or in remote storage (KIP-405).
    """
    if os.path.lexists(target):
        raise SourceError("exists already; nothing is written over", file=str(target))
    real = Path(os.path.realpath(target))
    for source in sources:
        held = Path(os.path.realpath(source))
        if real == held or held in real.parents:
            raise SourceError(f"lies in a source, {source}", file=str(target))
    if (real.parent / "meta.properties").exists():
        # A broker does not start where a directory is that is no partition.
        raise SourceError(f"lies in a log directory, {real.parent}", file=str(target))
    tier = enclosing_tier(str(real))
    if tier is not None:
        raise SourceError(f"lies in remote storage, {tier}", file=str(target))


def _sync(directory: Path) -> None:
    """Bring all files and directories to the disk, so that a power failure after the rename leaves a whole output."""
    for parent, _, names in os.walk(directory):
        for name in names:
            file = os.open(os.path.join(parent, name), os.O_RDONLY | os.O_CLOEXEC)
            try:
                os.fsync(file)
            finally:
                os.close(file)
        _sync_directory(Path(parent))


def _sync_directory(directory: Path) -> None:
    file = os.open(directory, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(file)
    finally:
        os.close(file)
