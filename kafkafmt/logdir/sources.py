"""Sources: the content of a caller's paths, as partitions and segments."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, Self, TypeAlias, TypeVar

from kafkafmt.cached import cached_property
from kafkafmt.errors import Missing, NotFoundError, SourceError
from kafkafmt.files.damage import Absence, Note
from kafkafmt.files.names import PartitionName, parse_partition_name
from kafkafmt.files.wrapped import nothing_found
from kafkafmt.findings import finding_of
from kafkafmt.io.base import Location
from kafkafmt.io.keys import DecryptionKeys
from kafkafmt.io.source import Source, locate
from kafkafmt.io.uri import shown
from kafkafmt.logdir.checkpoints import Checkpoints
from kafkafmt.logdir.found import Found
from kafkafmt.logdir.log_dir import LogDir, find_log_dirs, list_directory
from kafkafmt.logdir.partition import Partition
from kafkafmt.logdir.readable import OPENED, Readable, matching
from kafkafmt.logdir.remote_log import LazyRemoteLog
from kafkafmt.logdir.segment import Segment
from kafkafmt.logdir.source_links import link_notes
from kafkafmt.logdir.tier import TierDir
from kafkafmt.logdir.tier_search import in_tier
from kafkafmt.logdir.tiered_partition import with_tiers
from kafkafmt.phrases import listed

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


class Sources:
    """A caller's paths and their content, each directory listed once. Iterates over the locations.

    Directories below them that cannot be listed do not raise: their errors are in `unreadable`.

    Args:
        source: a segment file, a partition directory, a log directory, any directory above, or a list of these: paths
            or URIs, or objects that are already open (which are not listed again).
        filesystem: the pyarrow file system of the sources, unless they are local paths or URIs.
        skip_unreadable: whether the error of an unreadable source or requested file is also put into `unreadable`, and
            the rest is read; otherwise it is raised.
        decryption_keys: paths of private keys by name, for encrypted tiers; None for those of the environment.

    Attributes:
        unreadable: errors of unreadable paths, once each, in the order in which they were found.
        was_read: whether any requested file could be read.
        was_missed: whether anything requested could not be read.
        missing: with `skip_unreadable`, sources that do not exist.

    Raises:
        SourceError: a source is missing or unreadable; with `skip_unreadable` all are.
        TypeError: a source is not a path.
    """

    def __init__(
        self,
        source: "Readable | Iterable[Readable | Sources]",
        filesystem: "FileSystem | None" = None,
        *,
        skip_unreadable: bool = False,
        decryption_keys: "Mapping[str, Source] | None" = None,
    ) -> None:
        keys = DecryptionKeys.of(decryption_keys)
        sources = list(_each(source) if filesystem is None else _named(source))
        self.unreadable: list[SourceError] = []
        self.was_read = self.was_missed = False
        self._skip_unreadable = skip_unreadable
        self.missing: list[Location] = []
        self._unlisted: list[SourceError] = []
        self._places: list[tuple[str | None, Location, int | None]] = []
        self._log_dirs: dict[str, LogDir] = {}
        self._tier_notes: list[Note] = []
        for each in sources:
            try:
                place = each.location if isinstance(each, OPENED) else locate(each, filesystem)
                size = each.size if isinstance(each, Segment) else None
                is_directory = place.is_directory()
                place = place.searched(is_directory=is_directory, keys=keys)
                if not is_directory:
                    place = in_tier(place, keys)
                if is_directory:
                    place.list()
                elif skip_unreadable:
                    place.open().close()
            except SourceError as error:
                self.report(error)
                if isinstance(error.__cause__, FileNotFoundError):
                    self.missing.append(locate(str(each), filesystem))
                continue
            name = str(place) if isinstance(each, (Location, *OPENED)) else shown(os.fspath(each))
            self._places.append((name if len(sources) > 1 else None, place, size))
        self._require_one_of(self._places)

    def __iter__(self) -> "Iterator[Location]":
        return (place for _, place, _ in self._places)

    def required(self) -> Self:
        """Return these sources.

        Raises:
            SourceError: the list of sources is empty.
        """
        if not self._places and not self.unreadable:
            raise SourceError("there is nothing to read: the list of sources is empty")
        return self

    @cached_property
    def found(self) -> list[Found]:
        """Partition directories, and files given alone, each once.

        Raises:
            SourceError: a source has no files of Kafka's; with `skip_unreadable`, no source has any.
        """
        checkpoints: dict[str, Checkpoints] = {}
        found: dict[str, Found] = {}
        searched = []
        for given, place, size in self._places:
            try:
                for one in self._below(place, given, size, checkpoints):
                    found.setdefault(one.location.identity, one)
                searched.append(place)
            except SourceError as error:
                self.report(error)
        self._require_one_of(searched)
        names: dict[str, set[str]] = {}
        kept = [one for identity, one in found.items() if one.file is None or not _is_log_of(found, identity, names)]
        return self._with_tiers(kept)

    def searched_again(self) -> "Sources":
        """The same locations on this machine with their present content; `unreadable` has the unreadable paths."""
        again = Sources((), skip_unreadable=True)
        for name, place, size in self._places:
            keys = place.decryption_keys
            fresh = locate(str(place)).searched(is_directory=place.is_directory(), keys=keys)
            again._places.append((name, fresh, size))
        return again

    def _with_tiers(self, found: list[Found]) -> list[Found]:
        """Join a partition's parts in log directories and remote storage."""
        dirs = [each.location for each in self._log_dirs.values() if isinstance(each.location, TierDir)]
        self._tier_notes = [Note(note, is_finding=False) for each in dirs for note in each.notes]
        if not dirs:
            return found
        partitions = [one.partition for one in found if one.file is None]
        joined, notes = with_tiers(partitions, dirs, LazyRemoteLog(partitions, self._tier_notes))
        self._tier_notes += notes
        return [*(one for one in found if one.file is not None), *map(Found, joined)]

    @property
    def log_dirs(self) -> list[LogDir]:
        """Log directories, in the order in which they were found, as `open_log_dirs` has them.

        Raises:
            SourceError: as for `found`.
        """
        self.found  # noqa: B018 - the search fills `_log_dirs`
        return list(self._log_dirs.values())

    @property
    def notes(self) -> tuple[Note, ...]:
        """Notes for the user: directories that were not listed, links that were not followed.

        Without the former if `skip_unreadable`: the caller then reports `unreadable` and `link_notes`.
        """
        if self._skip_unreadable:
            return tuple(self._tier_notes)
        return (*map(Note.of, map(finding_of, self.unreadable)), *self.link_notes, *self._tier_notes)

    @property
    def findings(self) -> Iterator[Note]:
        """Those of the notes that are findings."""
        yield from map(Note.of, map(finding_of, self.unreadable))
        yield from (note for note in self._tier_notes if note.is_finding)

    @property
    def are_reported(self) -> bool:
        """Whether the caller reports all notes and damage, as with `skip_unreadable`, so no warnings are needed."""
        return self._skip_unreadable

    @property
    def link_notes(self) -> tuple[Note, ...]:
        """Notes on links: links to directories are followed, links to files outside the source are not."""
        return link_notes(self)

    def report(self, error: SourceError) -> None:
        """Raise the error of a requested path; with `skip_unreadable` keep it once instead.

        Raises:
            SourceError: without `skip_unreadable`.
        """
        if not self._skip_unreadable:
            raise error
        self.was_missed = True
        self.note(error)

    def read_each(self, items: "Iterable[_Item]", read: "Callable[[_Item], _Result]") -> "Iterator[_Result]":
        """Yield the result of `read` for each item, such as a partition; an unreadable one is reported, as by `report`.

        Raises:
            SourceError: as for `report`.
        """
        for item in items:
            try:
                result = read(item)
            except SourceError as error:
                self.report(error)
                continue
            self.was_read = True
            yield result

    def unlisted(self, takes: Callable[[str | None, int | None], bool]) -> list[SourceError]:
        """Errors of directories that cannot be listed and are, by their names, wanted live partitions.

        Args:
            takes: whether a partition of this topic and number is wanted.
        """
        self.found  # noqa: B018 - the search fills `_unlisted`
        names = ((_partition_of(error), error) for error in self._unlisted)
        return [error for name, error in names if name is not None and takes(name.topic, name.partition)]

    def missed(self, takes: Callable[[str | None, int | None], bool]) -> list[SourceError]:
        """Errors in `unreadable` that may concern wanted records: all but those of live partitions with unwanted names.

        Args:
            takes: as for `unlisted`.
        """
        unwanted = {error.file for error in self.unlisted(lambda topic, number: not takes(topic, number))}
        return [error for error in self.unreadable if error.file not in unwanted]

    @property
    def unlisted_names(self) -> list[tuple[str | None, int | None]]:
        """Topic and number, by directory names, of live partitions that cannot be listed."""
        self.found  # noqa: B018 - the search fills `_unlisted`
        return [(name.topic, name.partition) for name in map(_partition_of, self._unlisted) if name is not None]

    def require_found(self, absent: Iterable[str], missing: Missing = "raise") -> tuple[Absence, ...]:
        """Raise if requested names do not exist; or return notes, also with `skip_unreadable`.

        Args:
            absent: a sentence for each kind of missing names, with the existing names.
            missing: "raise" or "note".

        Raises:
            NotFoundError: there is one, unless it is noted.
        """
        texts = list(absent)
        if texts and missing == "raise" and not self._skip_unreadable:
            raise NotFoundError(" ".join(texts))
        return tuple(map(Absence, texts))

    @property
    def names(self) -> list[tuple[str | None, int | None]]:
        """Topic and number of the partitions found, and of live partition directories that cannot be listed."""
        return [*((one.partition.topic, one.partition.partition) for one in self.found), *self.unlisted_names]

    def note(self, error: SourceError) -> None:
        """Keep the error of a path that was not requested."""
        if all((known.file, known.message) != (error.file, error.message) for known in self.unreadable):
            self.unreadable.append(error.with_traceback(None))

    def _require_one_of(self, places: "Sequence[object]") -> None:
        if places or not self.unreadable:
            return
        first, *others = self.unreadable
        if not others:
            raise first
        message = listed([first.message, *map(str, others)], separator="; ")
        raise SourceError(message, file=first.file, position=first.position)

    def _below(
        self, location: "Location", given: str | None, size: int | None, checkpoints: dict[str, Checkpoints]
    ) -> list[Found]:
        """The content of one source.

        Args:
            location: location of the source.
            given: prefix of the names of its files, if there are several sources.
            size: size of a file that was opened already, else None.
            checkpoints: checkpoints known so far, by the identity of their log directory.
        """
        if not location.is_directory():
            segment = Segment(location, file=given or location.name, size=size)
            segment.open().close()
            directory = location.parent
            return [Found(Partition(directory, checkpoints=_beside(directory, checkpoints)), segment)]
        top = list_directory(location, f"{given.rstrip('/')}/" if given else "")
        found = []
        if top.holds_log_files:
            beside = _beside(location, checkpoints)
            found.append(Found(Partition(location, prefix=top.prefix, listing=top.listing, checkpoints=beside)))
        log_dirs = list(find_log_dirs(top))
        for log_dir in log_dirs:
            self._log_dirs.setdefault(log_dir.location.identity, log_dir)
        unlisted = [error for log_dir in log_dirs for error in log_dir.unreadable]
        found += [Found(partition) for log_dir in log_dirs for partition in log_dir.partitions]
        for error in unlisted if found else unlisted[1:]:
            self._unlisted.append(error)
            self.note(error)
        if not found and unlisted:
            raise unlisted[0]
        if not found and not log_dirs:
            raise nothing_found(
                "no Kafka log here or below: no directory has a file named like 00000000000000000000.log", location
            )
        return found


KEYS_TOO_LATE: Final = "decryption_keys must be given to kafkafmt.open: the source was opened without them"

Searchable: TypeAlias = Readable | Iterable[Readable | Sources] | Sources
"""A searchable source: one readable source, several, or the result of an earlier search."""


def search(
    source: Searchable,
    filesystem: "FileSystem | None" = None,
    decryption_keys: "Mapping[str, Source] | None" = None,
) -> Sources:
    """Search one or several sources; an earlier search is returned unchanged.

    Args:
        source: as for `Sources`, or an earlier `Sources`.
        filesystem: as for `Sources`.
        decryption_keys: as for `Sources`; not for an earlier search, which has its keys.

    Raises:
        SourceError: as for `Sources` and its `found`.
        TypeError: a source is not a path, or keys are given for an earlier search.
    """
    if isinstance(source, Sources):
        if decryption_keys:
            raise TypeError(KEYS_TOO_LATE)
        sources = source
    else:
        sources = Sources(source, filesystem, decryption_keys=decryption_keys).required()
    sources.found  # noqa: B018 - faults of a source are raised here, not by the first pass
    return sources


def _each(source: "Readable | Iterable[Readable | Sources]") -> "Iterator[Readable]":
    """All sources of a caller, with wildcards expanded."""
    for each in _named(source):
        yield from matching(each)


def _named(source: "Readable | Iterable[Readable | Sources]") -> "Iterator[Readable]":
    """All sources of a caller; the locations of an earlier search."""
    if isinstance(source, (str, bytes, os.PathLike, Location, *OPENED)):
        yield source
        return
    if not isinstance(source, Iterable):
        raise TypeError(f"a source must be a path, a URI, an opened source, or a list of those, not {source!r}")
    for each in source:
        if isinstance(each, Sources):
            yield from each
        else:
            yield each


def _partition_of(unlisted: SourceError) -> PartitionName | None:
    """The live partition that a directory's name denotes, or None."""
    name = parse_partition_name((unlisted.file or "").rpartition("/")[2])
    return name if name.topic is not None and name.state == "live" else None


def _is_log_of(found: dict[str, Found], file: str, names: dict[str, set[str]]) -> bool:
    """Whether a file given alone is also read as part of a directory that was found."""
    parent, _, name = file.rpartition("/")
    directory = found.get(parent or "/")
    if directory is None:
        return False
    if parent not in names:
        try:
            names[parent] = {segment.name for segment in directory.partition.segments}
        except SourceError:
            # The pass reports the error; the file can be read all the same.
            names[parent] = set()
    return name in names[parent]


def _beside(partition: "Location", known: dict[str, Checkpoints]) -> Checkpoints:
    # Shared: a caller may name thousands of partition directories of one log directory.
    parent = partition.parent
    return known.setdefault(parent.identity, Checkpoints(parent))
