"""Notes on an internal log: the replica that was read, absent partitions, and what an earlier answer may lack."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kafkafmt.errors import KafkafmtError
from kafkafmt.files.damage import Note
from kafkafmt.logdir import replicas as logdir_replicas
from kafkafmt.logdir.checkpoints import CLEANER_CHECKPOINT, Checkpoints
from kafkafmt.logdir.log_dir import properties_of
from kafkafmt.phrases import are, listed
from kafkafmt.reference.messages import coordinator_records

if TYPE_CHECKING:
    from kafkafmt.logdir.found import Found
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.topics.internal_record import InternalRecord

Broken = Callable[[KafkafmtError], None]

_MOST_NAMES = 10


def absent(
    topic: str, found: "Sequence[Found]", taken: Collection[int], wanted: Collection[int] | None
) -> Iterator[str]:
    """Yield notes on absent partitions.

    Args:
        topic: name of the topic to read.
        found: everything in the sources.
        taken: numbers of the partitions to read.
        wanted: numbers of the requested partitions, or None for all.
    """
    of_topic = sorted({each.partition.partition or 0 for each in found if each.partition.topic == topic})
    if not taken and not of_topic:
        others = sorted({each.partition.topic for each in found if each.partition.topic is not None})
        yield f"no partition of {topic} here; there are: {listed(others) or 'none with a Kafka name'}"
    elif wanted is not None:
        missing = sorted(set(wanted).difference(taken))
        if missing:
            yield (
                f"{topic} has no partition {listed([*map(str, missing)])} here; "
                f"there are: {listed([*map(str, of_topic)])}"
            )
    named = [each.path for each in found if each.file is not None and each.partition.topic != topic]
    if of_topic and named:
        yield f"not read as {topic}, because a directory with the topic's own name exists: {listed(named)}"


def ends_elsewhere(topic: str, ends: Collection[int], taken: Collection[int]) -> Iterator[str]:
    """Yield a note on partitions that have an end offset but are not read.

    Args:
        topic: name of the topic to read.
        ends: numbers of the partitions that have an end offset.
        taken: numbers of the partitions to read.
    """
    missing = sorted(set(ends).difference(taken))
    if missing:
        names = listed([f"{topic}-{number}" for number in missing])
        yield f"an end offset was given for {names}, which {are(len(missing))} not read"


def clusters(directories: "Iterable[Partition]") -> Iterator[str]:
    """Yield a note if copies of a topic belong to several clusters, by the meta.properties of their log directories.

    Args:
        directories: all partition directories of the topic, including skipped replicas.
    """
    paths: dict[str, str] = {}
    for log_dir in {str(each.location.parent): each.location.parent for each in directories}.values():
        try:
            properties = properties_of(log_dir)
        except KafkafmtError:
            continue  # no answer depends on meta.properties, so a broken file is ignored
        if properties is not None and properties.cluster_id is not None:
            paths.setdefault(properties.cluster_id, str(log_dir))
    if len(paths) > 1:
        yield f"these disks belong to {len(paths)} clusters, read as one; name those of one cluster ({named(paths)})"


def named(clusters: Mapping[str, str]) -> str:
    """Cluster ids, each with a path."""
    return "; ".join(f"{cluster_id}: {path}" for cluster_id, path in sorted(clusters.items()))


def replicas(read: "Sequence[Partition]", skipped: "Sequence[Partition]", broken: Broken) -> Iterator[str]:
    """Yield notes on which replica of each partition was read, and why; one for many partitions of a log directory.

    Args:
        read: partition directories that are read.
        skipped: partition directories that were skipped in favour of one of these.
        broken: as for `kafkafmt.logdir.replicas.best`.
    """
    losers: dict[tuple[str | None, int | None], list[Partition]] = defaultdict(list)
    for each in skipped:
        losers[each.topic, each.partition].append(each)
    equal: dict[str, list[str]] = defaultdict(list)
    better: dict[str, list[str]] = defaultdict(list)
    reasons = []
    for winner in read:
        others = losers.get((winner.topic, winner.partition), [])
        if not others:
            continue
        best = logdir_replicas.standing(winner, broken)
        standings = [logdir_replicas.standing(other, broken) for other in others]
        log_dir = str(winner.location.parent)
        if all(other == best for other in standings):
            equal[log_dir].append(winner.name)
            continue
        against = ", ".join(f"{other.path} ({standing(at)})" for other, at in zip(others, standings, strict=True))
        reasons.append(f"{winner.name}: read from {winner.path} ({standing(best)}), not from {against}")
        better[log_dir].append(f"{winner.name} ({standing(best)})")
    if len(reasons) <= _MOST_NAMES:
        yield from reasons
    else:
        for log_dir, names in better.items():
            yield f"read from {log_dir}, where the leader epoch is newer or the log longer: {listed(names)}"
    for log_dir, names in equal.items():
        yield f"copies are equal; read from {log_dir}: {listed(names)}"


@dataclass(slots=True)
class UnknownRecords:
    """Records of types or versions that this release does not know, as a newer Kafka or a fork writes them.

    Attributes:
        counts: numbers of records, by the unknown type or version: "type 24".
        first: offset, file and position in bytes of the first record; None if there is none.
    """

    counts: Counter[str] = field(default_factory=Counter)
    first: tuple[int, str, int] | None = None

    def add(self, what: str, offset: int, file: str, position: int) -> None:
        """Count a record."""
        self.counts[what] += 1
        if self.first is None or offset < self.first[0]:
            self.first = (offset, file, position)

    def takes(self, topic: str, record: "InternalRecord") -> bool:
        """Whether a coordinator of this release would skip a record, which is then counted."""
        what = coordinator_records.unknown(topic, record.key or b"", record.value)
        if what is not None:
            self.add(what, record.offset, record.file, record.position)
        return what is not None

    def notes(self, topic: str, counted: str = "records") -> Iterator[Note]:
        """Yield one note on all these records, or none.

        Args:
            topic: name of the topic.
            counted: noun for what was counted.
        """
        if self.first is not None:
            offset, file, position = self.first
            each = listed([f"{count} of {what}" for what, count in sorted(self.counts.items())])
            text = f"left out {counted} of {topic} that this release does not know (from a newer Kafka or a fork)"
            first = f"the first is at offset {offset}, position {position} of {file}"
            yield Note(f"{text}: {each} ({first})", is_finding=False, path=file, topic=topic)


@dataclass
class Holes:
    """Detects whether offsets are missing between records that are read in order, as after log compaction.

    Attributes:
        first_offset: offset of the first record; None before it.
        next_offset: offset after the last record; None before the first.
        missing: whether offsets are missing between them.
    """

    first_offset: int | None = None
    next_offset: int | None = None
    missing: bool = False

    def see(self, first: int, last: int, *, is_dense: bool = True) -> None:
        """Add records by their first and last offset; `is_dense` if each offset is one more than the previous one."""
        if self.first_offset is None:
            self.first_offset = self.next_offset = first
        self.missing |= not is_dense or first != self.next_offset
        self.next_offset = last + 1


def cleaned(directories: "Sequence[Partition]", end: int, holes: Holes, broken: Broken) -> str | None:
    """A note that a partition may lack records as of an earlier offset; None if it does not.

    The log cleaner removes a record once a later one of its key is below the cleaner's offset. So nothing is missing if
    no offset is, or if the cleaner stopped at or before the end offset.

    Args:
        directories: directories of the partition.
        end: end offset of the answer.
        holes: gaps in the records that were read.
        broken: called with the fault of a checkpoint; if it returns, the checkpoint is ignored.
    """
    try:
        log_start = min(each.log_start_offset or 0 for each in directories)
        log_end = max(each.log_end_offset or 0 for each in directories)
        first_dirty = max(_first_dirty_offset(each) for each in directories)
    except KafkafmtError as error:
        broken(error)
        log_start, log_end, first_dirty = 0, end, 0
    begun = end if holes.first_offset is None else holes.first_offset
    ended = begun if holes.next_offset is None else holes.next_offset
    whole = not holes.missing and begun <= log_start and ended >= min(end, log_end)
    if whole or 0 < first_dirty <= end:
        return None
    known = f" (it was cleaned up to offset {first_dirty})" if first_dirty else ""
    return (
        f"{directories[0].name}: as of offset {end} the answer may be incomplete, since the log is compacted{known}: "
        "keys that were overwritten or deleted after that moment can be missing"
    )


def _first_dirty_offset(partition: "Partition") -> int:
    """Offset up to which this broker cleaned the log; 0 if it never did, or if unknown."""
    if partition.topic is None or partition.partition is None:
        return 0
    checkpoints = Checkpoints(partition.location.parent)
    return checkpoints.offset(CLEANER_CHECKPOINT, partition.topic, partition.partition) or 0


def standing(of_replica: tuple[int, int]) -> str:
    """Leader epoch and log end of a replica, as returned by `kafkafmt.logdir.replicas.standing`, in words."""
    if of_replica == logdir_replicas.UNREADABLE:
        return "cannot be read"
    epoch, end = of_replica
    return f"leader epoch {epoch}, log end {end}" if end >= 0 else "no log"
