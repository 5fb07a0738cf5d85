"""The schemas that a registry stores in `_schemas`, read from the disks of its cluster."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from kafkafmt.errors import KafkafmtError, SourceError
from kafkafmt.files import meta_properties
from kafkafmt.findings import FINDING, STATE, Finding
from kafkafmt.limits import Limits
from kafkafmt.logdir.found import Found
from kafkafmt.logdir.partition import Partition
from kafkafmt.phrases import counted
from kafkafmt.topics.internal_log import InternalLog
from kafkafmt.topics.internal_record import InternalRecord
from kafkafmt.topics.record_rows import records_of, scan_of, slices
from kafkafmt.values.registry import Schemas
from kafkafmt.values.registry_log import SCHEMAS_TOPIC, RegistryLog
from kafkafmt.values.stored_schema import StoredSchema

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

    from kafkafmt.errors import OnDamage
    from kafkafmt.files.damage import Damage, Note
    from kafkafmt.io.base import Location
    from kafkafmt.logdir.sources import Searchable
    from kafkafmt.scanning.arguments import Time
    from kafkafmt.topics.answers import AtOffset

_DELETED_FILE: Final = ".deleted"

NO_SCHEMAS: Final = Schemas((), {}, {})


def topic_log(
    source: "Searchable",
    *,
    filesystem: "FileSystem | None" = None,
    at_offset: "AtOffset | None" = None,
    at_time: "Time | None" = None,
    on_damage: "OnDamage" = "skip",
    limits: "Limits | None" = None,
) -> InternalLog:
    """The log of `_schemas` of a source, perhaps without a partition; arguments and errors as for `schemas`."""
    return InternalLog(
        source,
        SCHEMAS_TOPIC,
        filesystem=filesystem,
        at_offset=at_offset,
        at_time=at_time,
        on_damage=on_damage,
        limits=limits,
    )


class SeveralClustersError(SourceError):
    """Raised for log directories of several clusters, whose registries may give the same id to different schemas."""


def schemas_beside(
    partitions: Iterable[Partition], *, at_offset: "AtOffset | None" = None, at_time: "Time | None" = None
) -> Schemas:
    """The schemas of `_schemas` among partitions, or in their log directories; none if the topic is absent.

    A topic that cannot be read has none either: `unreadable` gives the reason.

    Args:
        partitions: as for `topic_of`.
        at_offset: as for `schemas`.
        at_time: as for `schemas`.

    Raises:
        SeveralClustersError: as for `topic_of`.
        LimitExceededError: the schemas take too much memory.
    """
    try:
        found, left_out = topic_of(partitions)
        if not found:
            return NO_SCHEMAS
        log = topic_log(found, at_offset=at_offset, at_time=at_time)
        return replace(read_topic(log.required(), "skip", None), left_out=left_out)
    except SeveralClustersError:
        raise
    except SourceError as error:
        return replace(NO_SCHEMAS, unreadable=str(error))


def topic_of(partitions: Iterable[Partition]) -> tuple[list[Partition], tuple[str, ...]]:
    """The copies of the partition of `_schemas` among partitions, or else in their log directories.

    Args:
        partitions: directories of partitions, or of segment files.

    Returns:
        The copies that have files, and the reason why each other copy was left out.

    Raises:
        SeveralClustersError: the log directories belong to several clusters.
        SourceError: none of the copies can be read or has a file, or there is no copy and a log directory cannot be
            read.
    """
    there = list(partitions)
    log_dirs = {each.location.parent.identity: each.location.parent for each in there}
    found: list[Partition] = []
    errors: list[SourceError] = []
    among = [each for each in there if each.topic == SCHEMAS_TOPIC]
    for copy in among or (Partition(each.child(f"{SCHEMAS_TOPIC}-0")) for each in log_dirs.values()):
        try:
            if among or copy.location.is_directory():
                found.append(_with_files(copy))
        except SourceError as error:
            errors.append(error)
    if errors and not found:
        raise errors[0]
    clusters = {name: log_dir for log_dir in log_dirs.values() if found and (name := _cluster_id(log_dir))}
    if len(clusters) > 1:
        raise SeveralClustersError(
            f"the log directories are of several clusters ({', '.join(sorted(clusters))}), whose schemas have the same "
            "ids: decode one cluster at a time, or name its schemas",
            file=str([*clusters.values()][1]),
        )
    return found, tuple(map(str, errors))


def _with_files(partition: Partition) -> Partition:
    if not (partition.segments or partition.other_segments):
        raise SourceError("the directory has no log file", file=str(partition.location))
    return partition


def _cluster_id(log_dir: "Location") -> str | None:
    """The `cluster.id` of a log directory; None if its meta.properties lacks it."""
    with suppress(KafkafmtError):
        return meta_properties.read(log_dir.child("meta.properties")).cluster_id
    return None


def read_topic(log: InternalLog, on_damage: "OnDamage", limits: "Limits | None") -> Schemas:
    """Replay the log of `_schemas`.

    Args:
        log: the log.
        on_damage: as for `schemas`.
        limits: as for `schemas`.

    Raises:
        KafkafmtError: the log is damaged, with `on_damage="raise"`.
        LimitExceededError: the schemas take too much memory.
    """
    errors: list[KafkafmtError] = []

    def report(error: KafkafmtError) -> None:
        if on_damage == "raise":
            raise error
        errors.append(error)

    damage: list[Damage] = [*log.damage]
    state = RegistryLog(report)
    notes: list[Note] = []
    state.see_all(_records(log, on_damage, limits, damage, notes), log.memory(state.memory))
    found = tuple(state.schemas())
    return Schemas(
        found,
        state.configs,
        state.modes,
        tuple(
            Finding(FINDING, STATE, each.file or "", each.message, position=each.position, topic=SCHEMAS_TOPIC)
            for each in errors
        ),
        (*log.notes, *notes, *_counts(found)),
        tuple(damage),
        tuple(log.skipped_replicas),
    )


def _records(
    log: InternalLog, on_damage: "OnDamage", limits: "Limits | None", damage: "list[Damage]", notes: "list[Note]"
) -> Iterator[InternalRecord]:
    """All records of any file of the log, in offset order; of one offset, the record of the current segment."""
    for number in log.numbers:
        by_offset: dict[int, InternalRecord] = {}
        # They are held until the last file is read: the state's own bound would come too late.
        held = log.memory(partial(_memory, by_offset))
        for found in _files(log, number):
            scan = scan_of(
                [found], on_damage, limits or Limits(), end_offset=log.end_offsets.get(number), below_log_start=True
            ).without_warnings()
            with scan.to_reader() as reader:
                for batch in reader:
                    for part in slices(batch):
                        for each in records_of(part, number):
                            by_offset[each.offset] = each
                            held.add(each.memory, each.file, each.position)
            damage += scan.damage
            notes += [note for note in scan.notes if note.is_finding]
        yield from (by_offset.pop(offset) for offset in sorted(by_offset))


def _memory(by_offset: dict[int, InternalRecord]) -> int:
    return sum(each.memory for each in by_offset.values())


def _files(log: InternalLog, number: int) -> Iterator[Found]:
    """The log files of a partition; first those replaced by the cleaner or retention that still exist."""
    for found in log.found(number):
        if found.file is None:
            for segment in found.partition.other_segments:
                if segment.suffix == _DELETED_FILE:
                    yield Found(found.partition, segment)
        for segment in found.segments:
            yield Found(found.partition, segment)


def _counts(found: Sequence[StoredSchema]) -> Iterator[str]:
    """Notes on schemas that only the disk shows."""
    hard = sum(each.state == "hard-deleted" for each in found)
    if hard:
        yield f"{counted(hard, 'schema')} that the registry has deleted for good can still be read from the disk"
