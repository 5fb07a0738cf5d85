"""What a reader of an internal topic must be told: which replica was read, and what an earlier answer may miss."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kafkafmt.errors import KafkafmtError
from kafkafmt.files import meta_properties
from kafkafmt.logdir import replicas as logdir_replicas
from kafkafmt.logdir.checkpoints import CLEANER_CHECKPOINT, Checkpoints

if TYPE_CHECKING:
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.logdir.sources import Found

Broken = Callable[[KafkafmtError], None]

_MOST_NAMES = 10
_META_PROPERTIES = "meta.properties"


def absent(
    topic: str, found: "Sequence[Found]", taken: Collection[int], wanted: Collection[int] | None
) -> Iterator[str]:
    """What is not there.

    Args:
        topic: name of the topic that is read.
        found: all that the sources hold.
        taken: numbers of the partitions that are read.
        wanted: numbers of those that were asked for, or None.
    """
    of_topic = sorted({each.partition.partition or 0 for each in found if each.partition.topic == topic})
    if not taken and not of_topic:
        others = sorted({each.partition.topic for each in found if each.partition.topic is not None})
        yield f"no partition of {topic} is there; there are: {_listed(others) or 'none with a name of Kafka'}"
    elif wanted is not None:
        missing = sorted(set(wanted).difference(taken))
        if missing:
            yield (
                f"{topic} has no partition {_listed([*map(str, missing)])} there; "
                f"there are: {_listed([*map(str, of_topic)])}"
            )
    named = [each.path for each in found if each.file is not None and each.partition.topic != topic]
    if of_topic and named:
        yield f"not read as {topic}, for it is there by its name: {_listed(named)}"


def ends_elsewhere(topic: str, ends: Collection[int], taken: Collection[int]) -> Iterator[str]:
    """Of which partitions an end was given, and nothing is read.

    Args:
        topic: name of the topic that is read.
        ends: numbers of the partitions of which an end was given.
        taken: numbers of those that are read.
    """
    missing = sorted(set(ends).difference(taken))
    if missing:
        names = _listed([f"{topic}-{number}" for number in missing])
        yield f"an offset to end at was given for {names}, which {'is' if len(missing) == 1 else 'are'} not read"


def clusters(directories: "Iterable[Partition]") -> Iterator[str]:
    """Whether copies of several clusters were taken for one: by the meta.properties of their log directories.

    Args:
        directories: all partition directories of the topic, read or left to a better replica.
    """
    paths: dict[str, str] = {}
    for log_dir in {str(each.location.parent): each.location.parent for each in directories}.values():
        place = log_dir.child(_META_PROPERTIES)
        try:
            properties = meta_properties.read(place) if place.is_file() else None
        except KafkafmtError:
            continue  # it tells nothing, and nothing of the log depends on it
        if properties is not None and properties.cluster_id is not None:
            paths.setdefault(properties.cluster_id, str(log_dir))
    if len(paths) > 1:
        known = "; ".join(f"{cluster_id}: {path}" for cluster_id, path in sorted(paths.items()))
        yield f"these are disks of {len(paths)} clusters, taken for one; name those of one cluster only ({known})"


def replicas(read: "Sequence[Partition]", skipped: "Sequence[Partition]", broken: Broken) -> Iterator[str]:
    """Which replica of which partition was read, and why; in one sentence for many partitions of one directory.

    Args:
        read: the partition directories that are read.
        skipped: those that were left to one of them.
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
        if all(standing == best for standing in standings):
            equal[log_dir].append(winner.name)
            continue
        against = ", ".join(f"{other.path} ({_standing(at)})" for other, at in zip(others, standings, strict=True))
        reasons.append(f"{winner.name}: read from {winner.path} ({_standing(best)}), not from {against}")
        better[log_dir].append(f"{winner.name} ({_standing(best)})")
    if len(reasons) <= _MOST_NAMES:
        yield from reasons
    else:
        for log_dir, names in better.items():
            yield f"read from {log_dir}, where the leader epoch is newer or the log longer: {_listed(names)}"
    for log_dir, names in equal.items():
        yield f"read from {log_dir}, whose copies are as good as the others: {_listed(names)}"


@dataclass
class Holes:
    """Whether offsets are missing between records that are read in order, as the log cleaner leaves it.

    Attributes:
        first_offset: of the first record seen; None before it.
        next_offset: the offset after the last one seen; None before the first.
        missing: whether any was missing between those.
    """

    first_offset: int | None = None
    next_offset: int | None = None
    missing: bool = False

    def see(self, first: int, last: int, count: int) -> None:
        """Take in some records.

        Args:
            first: offset of the first one.
            last: offset of the last one.
            count: how many there are.
        """
        if self.first_offset is None:
            self.first_offset = self.next_offset = first
        self.missing |= last - first + 1 != count or first != self.next_offset
        self.next_offset = last + 1


def cleaned(directories: "Sequence[Partition]", end: int, holes: Holes, broken: Broken) -> str | None:
    """What may be missing of a partition as it was at an earlier offset; None if all of it is there.

    The log cleaner removes a record once a later one of its key lies below the cleaner's offset. So nothing is missing
    where no offset is, and nothing that counts as of that offset or a later one.

    Args:
        directories: of the partition.
        end: offset where reading ended.
        holes: of what was read.
        broken: called with what is wrong with a checkpoint, or cannot be read; if it returns, that is ignored.
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
        f"{directories[0].name}: as of offset {end} the answer may be incomplete, for the log is compacted{known}: "
        "what was overwritten or deleted after that moment can be missing"
    )


def _first_dirty_offset(partition: "Partition") -> int:
    """Offset up to which this broker cleaned the log; 0 where it never did, or nothing tells."""
    if partition.topic is None or partition.partition is None:
        return 0
    checkpoints = Checkpoints(partition.location.parent)
    return checkpoints.offset(CLEANER_CHECKPOINT, partition.topic, partition.partition) or 0


def _standing(standing: tuple[int, int]) -> str:
    if standing == logdir_replicas.UNREADABLE:
        return "cannot be read"
    epoch, end = standing
    return f"leader epoch {epoch}, log end {end}"


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _MOST_NAMES
    return ", ".join(names[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
