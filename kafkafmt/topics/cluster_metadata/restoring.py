"""Restoring: the state as of an offset or a time from one copy of the metadata log: a snapshot, then the log."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kafkafmt.errors import KafkafmtError, SourceError
from kafkafmt.files.damage import Damage, reason_of
from kafkafmt.logdir.segment import Segment
from kafkafmt.logdir.sources import Found
from kafkafmt.reference.entry import without_traceback
from kafkafmt.topics.cluster_metadata import loading, snapshots
from kafkafmt.topics.cluster_metadata.reading import entries
from kafkafmt.topics.cluster_metadata.replay import Replay
from kafkafmt.topics.decoding import StateTooLargeError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kafkafmt.files.segment_reader import OnDamage
    from kafkafmt.limits import Limits
    from kafkafmt.topics.cluster_metadata.copies import Copy
    from kafkafmt.topics.cluster_metadata.snapshots import Snapshot


class NotOnDiskError(SourceError):
    """The state that is asked for is older than all that a copy still has."""


@dataclass(frozen=True, slots=True)
class AsOf:
    """The moment that is asked for; the end of the log where both are None.

    Attributes:
        offset: what stands below it.
        time: what stands before the first record that is later, ms.
    """

    offset: int | None = None
    time: int | None = None

    def __str__(self) -> str:
        """What it is called in messages."""
        return f"offset {self.offset}" if self.offset is not None else f"time {self.time} (ms)"


@dataclass(slots=True)
class Restored:
    """What a copy gave.

    Attributes:
        replay: the image, and how far it goes.
        snapshot: path of the snapshot that it begins with, or None.
        leader_id: node id of the leader in the epoch that it ends in, or None where that is unknown.
        damage: what was not read, damaged snapshots among it.
        notes: sentences for the user.
    """

    replay: Replay
    snapshot: str | None = None
    leader_id: int | None = None
    damage: list[Damage] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def restore(copy: "Copy", as_of: AsOf, on_damage: "OnDamage", limits: "Limits") -> Restored:
    """Restore the state.

    Raises:
        NotOnDiskError: it is older than all that the copy has.
        StateTooLargeError: it takes too much memory.
        KafkafmtError: damage of the log (`on_damage="raise"`), or a file that cannot be read.
    """
    if copy.only is not None:
        return _restore_file(copy, as_of, on_damage, limits)
    if not copy.is_log:
        return _restore_bootstrap(copy, limits)
    restored = Restored(Replay(limits, copy.size))
    end = _end(copy, as_of, on_damage, restored)
    log_start = copy.partition.log_start_offset if copy.has_log else None
    for replay, snapshot in _usable(copy, as_of, end, limits, restored):
        if log_start is not None and log_start > snapshot.end_offset and (end is None or end > snapshot.end_offset):
            # Kafka deletes no segment above its newest snapshot: this one's successor is damaged or gone.
            break
        restored.replay, restored.snapshot = replay, str(snapshot.location)
        break
    begin = restored.replay.end_offset
    if restored.snapshot is None and log_start != 0:
        raise _not_on_disk(copy, as_of, restored)
    if log_start is not None:
        found = Found(copy.partition)
        log = entries(
            found, start_offset=begin, end_offset=end, on_damage=on_damage, limits=limits, damage=restored.damage
        )
        for entry in log:
            restored.replay.take(entry)
        _find_leader(copy, restored, log_start, limits)
    if as_of.offset is not None and restored.replay.end_offset < as_of.offset:
        restored.notes.append(f"the log ends at offset {restored.replay.end_offset}, below {as_of}")
    return restored


def _end(copy: "Copy", as_of: AsOf, on_damage: "OnDamage", restored: Restored) -> int | None:
    """Offset where reading ends; None for the end of the log."""
    if as_of.time is None or not copy.has_log:
        return as_of.offset
    passed_over = restored.damage.append if on_damage == "skip" else None
    later = copy.partition.find_timestamp(as_of.time + 1, passed_over=passed_over)
    return None if later is None else later.offset


def _find_leader(copy: "Copy", restored: Restored, log_start: int, limits: "Limits") -> None:
    """Tell who led in the epoch that a replay ends in: an epoch begins with the record that tells it, and the voters.

    Raises:
        SourceError: a file cannot be read.
    """
    replay = restored.replay
    if replay.image.leader is not None and replay.image.leader[1] == replay.epoch:
        restored.leader_id = replay.image.leader[0]
        return
    try:
        starts = [entry.start_offset for entry in copy.partition.leader_epochs if entry.epoch == replay.epoch]
    except KafkafmtError as error:
        copy.broken(error)
        return
    if not starts or not log_start <= starts[0] < replay.end_offset:
        return
    first = Replay(limits, 0)
    for entry in entries(
        Found(copy.partition),
        start_offset=starts[0],
        end_offset=starts[0] + 1,
        on_damage="skip",
        limits=limits,
        damage=[],
    ):
        first.take(entry)
    if first.image.leader is not None:
        restored.leader_id = first.image.leader[0]
        if not replay.image.voters:
            replay.image.voters = first.image.voters


def _usable(
    copy: "Copy", as_of: AsOf, end: int | None, limits: "Limits", restored: Restored
) -> "Iterator[tuple[Replay, Snapshot]]":
    """Snapshots of that moment or earlier, the newest first, read to their ends; others are kept as damage or noted."""
    for snapshot in copy.snapshots:
        if snapshot.is_partial:
            restored.notes.append(f"passed over, for it was not written to its end: {snapshot.location}")
            continue
        if end is not None and snapshot.end_offset > end:
            continue
        try:
            replay = loading.load(snapshot, copy.partition, limits, copy.size)
        except StateTooLargeError:
            raise
        except KafkafmtError as error:
            restored.damage.append(_damaged(snapshot, error))
            restored.notes.append(f"passed over, for it is damaged or unfinished: {snapshot.location}")
            continue
        if as_of.time is None or replay.timestamp <= as_of.time:
            yield replay, snapshot


def _damaged(snapshot: "Snapshot", error: KafkafmtError) -> Damage:
    position = error.position or 0
    length = max(0, (snapshot.size or 0) - position)
    return Damage(error.file or str(snapshot.location), position, length, reason_of(error), without_traceback(error))


def _not_on_disk(copy: "Copy", as_of: AsOf, restored: Restored) -> KafkafmtError:
    if restored.damage:
        return restored.damage[0].error
    known = [snapshot.end_offset for snapshot in copy.snapshots if not snapshot.is_partial]
    oldest = f": the oldest snapshot is of offset {min(known)}" if known else ", which begins with no snapshot"
    if as_of.offset is None and as_of.time is None:
        return NotOnDiskError(f"the beginning of the metadata log is missing{oldest}", file=copy.path)
    return NotOnDiskError(f"the state as of {as_of} is no longer in this metadata log{oldest}", file=copy.path)


def _restore_file(copy: "Copy", as_of: AsOf, on_damage: "OnDamage", limits: "Limits") -> Restored:
    """Restore from one file that was named itself: a snapshot, a bootstrap.checkpoint, or the first log file.

    Raises:
        SourceError: a snapshot is of another moment, or a log file not the first one.
        KafkafmtError: damage.
    """
    place = copy.only
    if place is None or place.name == snapshots.BOOTSTRAP:
        return _restore_bootstrap(copy, limits)
    snapshot = snapshots.snapshot_of(place)
    if snapshot is not None:
        replay = loading.load(snapshot, copy.partition, limits, snapshot.size or copy.size)
        too_new = as_of.offset is not None and snapshot.end_offset > as_of.offset
        if too_new or (as_of.time is not None and replay.timestamp > as_of.time):
            raise NotOnDiskError(f"this snapshot is of offset {snapshot.end_offset}, not {as_of}", file=str(place))
        return Restored(replay, str(place))
    segment = Segment(place)
    if segment.base_offset != 0:
        raise NotOnDiskError(
            "a metadata log is read from its beginning or from a snapshot: name its directory", file=str(place)
        )
    restored = Restored(Replay(limits, segment.size))
    found = Found(copy.partition, segment)
    for entry in entries(found, end_offset=as_of.offset, on_damage=on_damage, limits=limits, damage=restored.damage):
        if as_of.time is not None and entry.timestamp > as_of.time:
            break
        restored.replay.take(entry)
    restored.notes.append("only one log file of the metadata log was read; later ones are ignored")
    return restored


def _restore_bootstrap(copy: "Copy", limits: "Limits") -> Restored:
    """Restore what `kafka-storage format` wrote for a cluster that has never run.

    Raises:
        KafkafmtError: damage.
    """
    place = copy.only or copy.bootstrap
    if place is None:
        raise NotOnDiskError("there is neither a metadata log nor a snapshot", file=copy.path)
    restored = Restored(Replay(limits, 0))
    for entry in loading.read(place, copy.partition, limits):
        restored.replay.take_of_snapshot(entry)
    restored.replay.timestamp = -1
    restored.notes.append(
        f"no metadata log is there, so this is what the cluster began with, by {place}: it never ran, or its log lies "
        "elsewhere (metadata.log.dir, the controllers' disks)"
    )
    return restored
