"""Output that is complete or absent: a directory that gets its name when all of it is written.

While it is written only its owner has access. At the end each part gets the permissions of its source, within the mask
of new files (`share`); the rest stays closed. Nothing is written where a broker would find it (`kafkas_place`); files
of rows follow the same rule.
"""

import os
import pwd
import re
import shutil
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex

from kafkafmt.errors import SourceError
from kafkafmt.files.damage import Note
from kafkafmt.files.names import is_kafka_file, parse_partition_name, parse_segment_file_name
from kafkafmt.io.access import Access, access_of, local_path_of
from kafkafmt.io.base import Location
from kafkafmt.io.source import Source, locate
from kafkafmt.io.uri import misspelt_scheme, scheme_of, shown
from kafkafmt.logdir.tier_search import enclosing_tier
from kafkafmt.writing.durable import Tree, sync

PRIVATE_DIRECTORY = 0o700
PRIVATE_FILE = 0o600
_GROUP_AND_OTHERS = 0o077
_READ_AND_WRITE = 0o066
_OTHERS = 0o007

TIERED = "tiered segments"


@contextmanager
def new_directory(target: Source, sources: Iterable[Source | Location] = ()) -> Iterator[Path]:
    """Create a directory that appears under its name when the block ends, or not at all.

    Files are written beside the target, in a directory whose name begins with a dot and is never used again. Only its
    owner can access it, and this stays so for all parts that are not opened by `share`. After an error or Ctrl-C it is
    removed; after a kill it does not affect the next run, which names it (`left_of`).

    Args:
        target: the directory, which must not exist. Missing directories above it are created, and removed after an
            error.
        sources: the sources as they were named; the target must lie outside them.

    Raises:
        SourceError: the target exists, is inside a source or among Kafka's files, or cannot be written.
    """
    path = local_path(target)
    check_target(path, sources)
    with _parents(path) as made:
        work = work_directory(path)
        try:
            with Tree(work) as tree:
                yield work
                _open_folders(work)
                tree.sync()
            check_target(path, ())
            work.rename(path)
            for each in (path, *made):
                sync(each.parent)
        except OSError as error:
            shutil.rmtree(work, ignore_errors=True)
            raise SourceError(f"cannot be written: {error.strerror}", file=str(path)) from error
        except BaseException as error:
            shutil.rmtree(work, ignore_errors=True)
            if isinstance(error, SourceError) and error.file is not None:
                # Errors name the target, not the temporary directory, which the user does not know.
                error.file = error.file.replace(str(work), str(path))
            raise


@contextmanager
def _parents(target: Path) -> Iterator[list[Path]]:
    """Create the missing directories above a target; after an exception they are removed."""
    made = make_parents(target)
    try:
        yield made
    except BaseException:
        remove_empty(made)
        raise


def make_parents(target: Path) -> list[Path]:
    """Create the missing directories above a target; return them, the nearest first.

    Raises:
        SourceError: they cannot be created.
    """
    missing = [each for each in target.parents if not os.path.lexists(each)]
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except BaseException as error:
        remove_empty(missing)
        if isinstance(error, OSError):
            raise SourceError(f"cannot be created: {error.strerror}", file=str(target)) from error
        raise
    return missing


def remove_empty(directories: Iterable[Path]) -> None:
    """Remove directories that hold nothing, in the order given."""
    for each in directories:
        with suppress(OSError):
            each.rmdir()


def work_directory(target: Path) -> Path:
    """Create a directory beside the target, for its owner alone; its name begins with a dot and is never used again.

    Raises:
        SourceError: the directory cannot be created.
    """
    work = target.parent / f".{target.name}.{token_hex(4)}.writing"
    try:
        work.mkdir(PRIVATE_DIRECTORY)
    except OSError as error:
        raise SourceError(f"cannot be created: {error.strerror}", file=str(target)) from error
    except BaseException:  # Ctrl-C may come after the directory exists, but before mkdir has returned
        shutil.rmtree(work, ignore_errors=True)
        raise
    return work


def local_path(target: str | os.PathLike[str]) -> Path:
    """The path of a target: a path or a `file://` URI.

    Raises:
        SourceError: the target is a URI of another file system.
    """
    name = os.fspath(target)
    scheme = scheme_of(name)
    if scheme not in (None, "file") or misspelt_scheme(name) is not None:
        raise SourceError("only a local path can be written", file=shown(name))
    return Path(os.path.abspath(name if scheme is None else str(locate(name))))


def check_target(target: Path, sources: Iterable[Source | Location]) -> None:
    """Check that a directory may be created.

    Raises:
        SourceError: it exists; or as for `check_place`.
    """
    if os.path.lexists(target):
        raise SourceError("exists already; choose another name", file=str(target))
    check_place(target, sources)


def check_place(target: Path, sources: Iterable[Source | Location]) -> None:
    """Check that a directory may be written.

    Raises:
        SourceError: it is inside a source, among Kafka's files or in remote storage (KIP-405), or would be a partition
            of the log directory whose partitions are its neighbours.
    """
    real = Path(os.path.realpath(target))
    for source in sources:
        held = _real_path(source)
        if held is not None and (real == held or held in real.parents):
            name = str(source) if isinstance(source, Location) else shown(os.fspath(source))
            raise SourceError(f"is inside a source, {name}", file=str(target))
    if is_kafka_file(real.name):
        raise SourceError("is named like a Kafka file; choose another name", file=str(target))
    found = kafkas_place(str(real))
    if found is not None:
        directory, what = found
        where = f"remote storage, {directory}" if what == TIERED else f"{directory}, which has {what}"
        raise SourceError(f"lies in {where}; choose another directory", file=str(target))
    if parse_partition_name(real.name).topic is not None and _holds_partitions(str(real.parent)):
        text = f"would be a partition beside those in {real.parent}; choose a name that does not end in a number"
        raise SourceError(text, file=str(target))


def kafkas_place(target: str) -> tuple[str, str] | None:
    """The directory above a target in which a broker would find it, and the reason; None if it does no harm.

    That is a partition directory, a directory that a broker uses (it has meta.properties or checkpoints), or remote
    storage. A folder into which partition directories were copied is a place like any other.

    Args:
        target: absolute path without links; it need not exist.
    """
    tier = enclosing_tier(target)
    if tier is not None:
        return tier, TIERED
    directory = os.path.dirname(target)
    while True:
        if any(is_kafka_file(entry.name) for entry in _entries(directory)):
            return directory, "Kafka files"
        above = os.path.dirname(directory)
        if above == directory:
            return None
        directory = above


def _holds_partitions(directory: str) -> bool:
    """Whether a directory has partition directories with segments."""
    return any(
        entry.is_dir()
        and parse_partition_name(entry.name).topic is not None
        and any(parse_segment_file_name(each.name) is not None for each in _entries(entry.path))
        for entry in _entries(directory)
    )


def _entries(directory: str) -> "Iterator[os.DirEntry[str]]":
    """Entries one by one: the first of tens of thousands may decide. A directory that cannot be listed has none."""
    with suppress(OSError), os.scandir(directory) as entries:
        yield from entries


def _real_path(source: Source | Location) -> Path | None:
    """The path of a source without links; None if it is not on this machine."""
    with suppress(SourceError):
        return Path(os.path.realpath(local_path_of(source)))
    return None


def left_of(target: Source) -> list[Note]:
    """Notes on the remains of interrupted runs beside a target, which are not removed."""
    path = local_path(target)
    name = re.escape(path.name)
    ours = re.compile(rf"\.{name}\.[0-9a-f]{{8}}\.(?:writing|gone)|{name}\.[0-9a-f]{{8}}\.part")
    left = sorted(entry.name for entry in _entries(str(path.parent)) if ours.fullmatch(entry.name))
    text = "was left by an interrupted run: delete it, unless that run is still going"
    return [Note(f"{path.parent / each} {text}", is_finding=False, path=str(path.parent / each)) for each in left]


def share(directory: Path, places: Iterable[Source | Location], *, below: bool = False) -> list[Note]:
    """Open a written directory, and the files in it, if its sources are open.

    A copy of Kafka's files gets their owner and group, if the system allows that.

    Args:
        directory: the complete directory.
        places: its sources; without any, the mask of new files decides alone.
        below: whether the directory, with all directories in it, is not a copy but was made from all files below the
            places.

    Returns:
        A note if a copy belongs to root and its sources do not.

    Raises:
        OSError: the file system refuses.
    """
    access = access_of(places, below=below)
    new = _new_file(directory)
    group = _group(directory, access, new.st_gid, is_copy=not below)
    if group is None:
        access, group = access.without_group(), -1
    owner, notes = (-1, []) if below else _owner(directory, access)
    for path, _, names in os.walk(directory):
        for name in names:
            bits = new.st_mode & access.files & _READ_AND_WRITE
            _set(os.path.join(path, name), PRIVATE_FILE | bits, owner, group)
        _set(path, PRIVATE_DIRECTORY | new.st_mode & access.directories & _GROUP_AND_OTHERS, owner, group)
        if not below:
            break
    return notes


def _new_file(directory: Path) -> os.stat_result:
    """The permissions that mask and directory give to a new file with all permissions."""
    path = directory / f".{token_hex(4)}"
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o777)
    try:
        return os.fstat(file)
    finally:
        os.close(file)
        os.unlink(path)


def _group(directory: Path, access: Access, own: int, *, is_copy: bool) -> int | None:
    """The group to set, -1 to leave it unchanged; None if it cannot be that of all sources."""
    if not access.groups or access.groups == {own}:
        return -1
    if is_copy and len(access.groups) == 1:
        [group] = access.groups
        with suppress(OSError):
            os.chown(directory, -1, group)
            return group
    return None


def _owner(directory: Path, access: Access) -> tuple[int, list[Note]]:
    """The user to set, -1 to leave it unchanged; and a note if it should be set but cannot be."""
    if os.geteuid() != 0 or access.owners <= {0}:
        return -1, []
    if len(access.owners) == 1:
        [owner] = access.owners
        with suppress(OSError):
            os.chown(directory, owner, -1)
            return owner, []
    users = " and ".join(map(_user, sorted(access.owners)))
    text = f"the copy belongs to root, its source to {users}: give it to the broker's user (chown -R)"
    return -1, [Note(text, is_finding=False, path=str(directory))]


def _user(number: int) -> str:
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return f"user {number}"


def _set(path: str, mode: int, owner: int, group: int) -> None:
    if (owner, group) != (-1, -1):
        os.chown(path, owner, group, follow_symlinks=False)
    os.chmod(path, mode | os.stat(path).st_mode & stat.S_ISGID)


def _open_folders(work: Path) -> None:
    """Open folders that contain only directories, if one of these is open."""
    for path, folders, names in os.walk(work, topdown=False):
        if names or not folders or os.stat(path).st_mode & _GROUP_AND_OTHERS:
            continue
        held = [os.stat(os.path.join(path, folder)) for folder in folders]
        bits = 0
        for each in held:
            bits |= each.st_mode & _GROUP_AND_OTHERS
        owner, group = held[0].st_uid, held[0].st_gid
        if any((each.st_uid, each.st_gid) != (owner, group) for each in held):
            owner = group = -1
            bits = (bits & _OTHERS) * 0o11
        _set(path, PRIVATE_DIRECTORY | bits, owner, group)
