"""Places: each file below the sources, with its role: part of a log, left out of a log, or neither."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace

from kafkafmt.errors import DataError, SourceError
from kafkafmt.files.kinds import kind_of
from kafkafmt.files.names import is_log_file, parse_partition_name
from kafkafmt.io.base import DirectoryEntry, Location, each_directory
from kafkafmt.logdir import tier_log
from kafkafmt.logdir.partition import Partition
from kafkafmt.logdir.segment import Segment
from kafkafmt.logdir.sources import Sources
from kafkafmt.logdir.tier import INCOMPLETE, OVERLAPPED, TierDir, TierPartition
from kafkafmt.logdir.tier_names import INDEXES, MANIFEST
from kafkafmt.logdir.tier_segment import TierFile, Upload
from kafkafmt.survey.left_out import state_of

LOG = "log"
"""Part of a log, as a broker would load it."""


@dataclass(frozen=True)
class FilePlace:
    """A file with its role.

    Attributes:
        location: the file's location.
        size: size in bytes, or None if unknown.
        part_of: `LOG`; for a file left out of a log the reason, by the names of `kafkafmt ls --rows left-out`:
            "deleted", "cleaned", "swap", "replaced", "delete", "stray", "future", "incomplete", "overlapped", ..; for
            other files their kind ("index", "snapshot", ..), or "other".
        partition: the partition directory of a log; None for other files.
        log: the segment by which a log is read; None for other files.
        indexes: the upload whose encrypted index files this file contains; None for other files.
    """

    location: Location
    size: int | None
    part_of: str
    partition: Partition | None = None
    log: Segment | None = None
    indexes: Upload | None = None

    @property
    def path(self) -> str:
        """Path or URI."""
        return str(self.location)

    @property
    def topic_partition(self) -> tuple[str | None, int | None]:
        """Topic and number of the file's partition, by names."""
        if self.partition is not None:
            return self.partition.topic, self.partition.partition
        name = parse_partition_name(self.location.parent.name)
        return name.topic, name.partition


def places(sources: Sources) -> Iterator[FilePlace | SourceError]:
    """Each file below the sources once, or the error of a directory or file that cannot be read.

    Raises:
        SourceError: the sources have no Kafka files.
    """
    known = _logs(sources)
    seen = set()
    for entry in _files(sources):
        if isinstance(entry, SourceError):
            yield entry
            continue
        identity = entry.location.identity
        if identity in seen:
            continue
        seen.add(identity)
        if identity in known:
            yield replace(known[identity], location=entry.location, size=entry.size)
        elif is_log_file(entry.name):
            parent = Partition(entry.location.parent)
            part_of = parent.state if parent.state != "live" else "other"
            yield FilePlace(entry.location, entry.size, part_of, parent, Segment(entry.location, size=entry.size))
        else:
            kind = kind_of(entry.name)
            yield FilePlace(entry.location, entry.size, "other" if kind is None else kind.id)
    yield from sources.unreadable


def _logs(sources: Sources) -> dict[str, FilePlace]:
    """Logs, and objects that only their upload can read, by the identities of their files."""
    known: dict[str, FilePlace] = {}

    def add(segment: Segment, partition: Partition, part_of: str) -> None:
        place = FilePlace(segment.location, segment.size, part_of, partition, segment)
        known.setdefault(segment.location.identity, place)

    for found in sources.found:
        if found.file is not None:
            add(found.file, found.partition, state_of(found.file) if found.file.suffix else LOG)
            continue
        with suppress(SourceError):  # met again when all files are listed
            for segment in found.partition.segments:
                add(segment, found.partition, LOG)
            for segment in found.partition.other_segments:
                add(segment, found.partition, state_of(segment))
    for log_dir in sources.log_dirs:
        for partition in (*log_dir.other_partitions, *log_dir.partitions):
            if not isinstance(partition.location, TierPartition):
                with suppress(SourceError):
                    for segment in (*partition.segments, *partition.other_segments):
                        state = partition.state if partition.state != "live" else state_of(segment)
                        add(segment, partition, state)
    for tier in _tiers(sources):
        for upload in tier.uploads:
            _add_upload(upload, tier, known)
    return known


def _add_upload(upload: Upload, tier: TierPartition, known: dict[str, FilePlace]) -> None:
    """Add the log of an upload as a whole, and its other objects if they are encrypted."""
    log = upload.objects.get("log")
    if log is None:
        return
    if MANIFEST in upload.objects:
        with suppress(SourceError):
            (upload,) = tier_log.describe([upload])
    segment = Segment(
        upload.file("log"), size=max(upload.whole_size, 1) if upload.error is not None else upload.whole_size
    )
    before = known.get(log.location.identity)
    part_of = INCOMPLETE if not upload.is_complete else OVERLAPPED
    if tier.partition_name.state != "live":
        part_of = tier.partition_name.state
    if before is None:
        known[log.location.identity] = FilePlace(log.location, log.size, part_of, Partition(tier), segment)
    else:
        known[log.location.identity] = replace(before, log=segment)
    if upload.manifest is not None and upload.manifest.encryption is not None and INDEXES in upload.objects:
        indexes = upload.objects[INDEXES]
        known[indexes.location.identity] = FilePlace(indexes.location, indexes.size, INDEXES, indexes=upload)


def _tiers(sources: Sources) -> Iterator[TierPartition]:
    for place in sources:
        if isinstance(place, TierPartition):
            yield place
        elif isinstance(place, TierFile) and isinstance(place.upload.directory, TierPartition):
            yield place.upload.directory
    for log_dir in sources.log_dirs:
        if isinstance(log_dir.location, TierDir):
            yield from log_dir.location.partitions


def _files(sources: Sources) -> Iterator[DirectoryEntry | SourceError]:
    """Each file that actually exists, also below directories without logs."""
    for place in sources:
        if isinstance(place, TierFile):
            yield from place.upload.objects.values()
        elif isinstance(place, TierPartition):
            yield from (entry for upload in place.uploads for entry in upload.objects.values())
        elif place.is_directory():
            yield from _below(place)
        else:
            with suppress(DataError):
                size = None
                with place.open() as file:
                    size = file.size
                yield DirectoryEntry(place.name, place, is_directory=False, size=size)


def _below(top: Location) -> Iterator[DirectoryEntry | SourceError]:
    for _, listing in each_directory(top):
        if isinstance(listing, SourceError):
            yield listing
        else:
            yield from (entry for entry in listing if entry.is_file)
