"""Restoring: reads the state as of an offset or a time from one copy of the metadata log: a snapshot, then the log."""

from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from kafkafmt.errors import KafkafmtError, SourceError, TruncatedError
from kafkafmt.files.damage import Damage
from kafkafmt.findings import reason_of
from kafkafmt.logdir.found import Found
from kafkafmt.logdir.segment import Segment
from kafkafmt.reference.entry import without_traceback
from kafkafmt.topics.answers import each_once
from kafkafmt.topics.cluster_metadata.copies import BOOTSTRAP, snapshot_of
from kafkafmt.topics.cluster_metadata.replay import Replay
from kafkafmt.topics.decoding import StateTooLargeError
from kafkafmt.topics.internal_record import InternalRecord
from kafkafmt.topics.small_log import LogReport, is_small, records_by_entry

if TYPE_CHECKING:
    from kafkafmt.errors import OnDamage
    from kafkafmt.io.base import Location
    from kafkafmt.limits import Limits
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.topics.answers import AsOf
    from kafkafmt.topics.cluster_metadata.copies import Copy, RaftSnapshot

# The reference engine reads fewer uncompressed bytes than this in less time than loading numba's kernels takes.
_SMALL = 512 * 1024


class NotOnDiskError(SourceError):
    """The requested state is older than everything that the copy still has."""


class Met(Protocol):
    """Collects damage and notes.

    Attributes:
        damage: ranges that were not read, including damaged snapshots.
        notes: notes for the user.
    """

    damage: list[Damage]
    notes: list[str]


@dataclass(slots=True)
class _Apart:
    """Damage and notes that are not reported immediately."""

    damage: list[Damage] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Restored:
    """The state restored from a copy.

    Attributes:
        replay: the image, and its end offset.
        snapshot: path of the snapshot from which it starts, or None.
        leader_id: node id of the leader in the last epoch, or None if unknown.
        damage: as in `Met`.
        notes: as in `Met`.
    """

    replay: Replay
    snapshot: str | None = None
    leader_id: int | None = None
    damage: list[Damage] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def restore(copy: "Copy", as_of: "AsOf", on_damage: "OnDamage", limits: "Limits") -> Restored:
    """Restore the state as of a moment.

    Raises:
        NotOnDiskError: the state is older than everything that the copy has.
        StateTooLargeError: the state takes too much memory.
        KafkafmtError: damage of the log (`on_damage="raise"`), or a file cannot be read.
    """
    if copy.only is not None:
        return _restore_file(copy, as_of, on_damage, limits)
    if not copy.is_log:
        return _restore_bootstrap(copy, limits)
    restored = Restored(Replay(limits, copy.size))
    end = end_offset_of(copy, as_of, on_damage, restored.damage)
    log_start = copy.partition.log_start_offset if copy.has_log else None
    for replay, snapshot in _usable(copy, as_of, end, limits, restored):
        if log_start is not None and log_start > snapshot.end_offset and (end is None or end > snapshot.end_offset):
            # Kafka keeps all segments after its newest snapshot, so the snapshot after this one is damaged or gone.
            break
        restored.replay, restored.snapshot = replay, str(snapshot.location)
        break
    begin = restored.replay.end_offset
    if restored.snapshot is None and log_start != 0:
        raise _not_on_disk(copy, as_of, restored)
    if log_start is not None:
        found = Found(copy.partition)
        log = log_records(found, start_offset=begin, end_offset=end, on_damage=on_damage, limits=limits, met=restored)
        for record in log:
            restored.replay.take(record)
        _find_leader(copy, restored, log_start, limits)
    if as_of.offset is not None and restored.replay.end_offset < as_of.offset:
        restored.notes.append(f"the log ends at offset {restored.replay.end_offset}, below {as_of}")
    return restored


def end_offset_of(copy: "Copy", as_of: "AsOf", on_damage: "OnDamage", damage: list[Damage]) -> int | None:
    """End offset up to which to read; None for the log end.

    Args:
        copy: the copy to read.
        as_of: the moment.
        on_damage: "raise", or "skip".
        damage: list to extend by damage skipped in the search for a time.

    Raises:
        KafkafmtError: damage on the way (`on_damage="raise"`), or a file cannot be read.
    """
    if as_of.time is None or not copy.has_log:
        return as_of.offset
    report = None if on_damage == "raise" else damage.append
    later = copy.partition.first_at(as_of.time + 1, report=report)
    return None if later is None else later.offset


def _find_leader(copy: "Copy", restored: Restored, log_start: int, limits: "Limits") -> None:
    """Find the leader of the last epoch: an epoch starts with a record that has the leader and the voters.

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
    met = _Apart()
    for record in log_records(
        Found(copy.partition),
        start_offset=starts[0],
        end_offset=starts[0] + 1,
        on_damage="skip",
        limits=limits,
        met=met,
    ):
        first.take(record)
    restored.damage[:] = each_once(restored.damage, met.damage)
    restored.notes += [note for note in met.notes if note not in restored.notes]
    if first.image.leader is not None:
        restored.leader_id = first.image.leader[0]
        if not replay.image.voters:
            replay.image.voters = first.image.voters


def _usable(
    copy: "Copy", as_of: "AsOf", end: int | None, limits: "Limits", restored: Restored
) -> "Iterator[tuple[Replay, RaftSnapshot]]":
    """Yield complete snapshots at or before the moment, the newest first; others become damage or a note."""
    for snapshot in copy.snapshots:
        if snapshot.is_partial:
            restored.notes.append(f"ignored, since the broker did not finish it: {snapshot.location}")
            continue
        if end is not None and snapshot.end_offset > end:
            continue
        try:
            replay = load_snapshot(snapshot, copy.partition, limits, copy.size, restored.notes)
        except StateTooLargeError:
            raise
        except KafkafmtError as error:
            restored.damage.append(damaged_snapshot(snapshot, error))
            restored.notes.append(f"ignored, since it is damaged or incomplete: {snapshot.location}")
            continue
        if as_of.time is None or replay.timestamp <= as_of.time:
            yield replay, snapshot


def damaged_snapshot(snapshot: "RaftSnapshot", error: KafkafmtError) -> Damage:
    """The damage of a snapshot that cannot be used: everything after the error."""
    position = error.position or 0
    length = max(0, (snapshot.size or 0) - position)
    return Damage(error.file or str(snapshot.location), position, length, reason_of(error), without_traceback(error))


def _not_on_disk(copy: "Copy", as_of: "AsOf", restored: Restored) -> KafkafmtError:
    if restored.damage:
        return restored.damage[0].error
    known = [snapshot.end_offset for snapshot in copy.snapshots if not snapshot.is_partial]
    oldest = f": the oldest snapshot is of offset {min(known)}" if known else ", which begins with no snapshot"
    if as_of.offset is None and as_of.time is None:
        return NotOnDiskError(f"the beginning of the metadata log is missing{oldest}", file=copy.path)
    return NotOnDiskError(f"the state as of {as_of} is no longer in this metadata log{oldest}", file=copy.path)


def _restore_file(copy: "Copy", as_of: "AsOf", on_damage: "OnDamage", limits: "Limits") -> Restored:
    """Restore from one file given as source: a snapshot, a bootstrap.checkpoint, or the first log file.

    Raises:
        SourceError: the file is a snapshot of another moment, or a log file other than the first.
        KafkafmtError: damage.
    """
    place = copy.only
    if place is None or place.name == BOOTSTRAP:
        return _restore_bootstrap(copy, limits)
    snapshot = snapshot_of(place)
    if snapshot is not None:
        notes: list[str] = []
        replay = load_snapshot(snapshot, copy.partition, limits, snapshot.size or copy.size, notes)
        too_new = as_of.offset is not None and snapshot.end_offset > as_of.offset
        if too_new or (as_of.time is not None and replay.timestamp > as_of.time):
            raise NotOnDiskError(f"this snapshot is of offset {snapshot.end_offset}, not {as_of}", file=str(place))
        return Restored(replay, str(place), notes=notes)
    segment = Segment(place)
    if segment.base_offset != 0:
        raise NotOnDiskError(
            "a metadata log is read from its beginning or from a snapshot: name its directory", file=str(place)
        )
    restored = Restored(Replay(limits, segment.size))
    found = Found(copy.partition, segment)
    for record in log_records(found, end_offset=as_of.offset, on_damage=on_damage, limits=limits, met=restored):
        if as_of.time is not None and record.timestamp > as_of.time:
            break
        restored.replay.take(record)
    restored.notes.append("only one log file of the metadata log was read; later ones are ignored")
    return restored


def _restore_bootstrap(copy: "Copy", limits: "Limits") -> Restored:
    """Restore the initial state that `kafka-storage format` wrote, for a cluster that never ran.

    Raises:
        KafkafmtError: damage.
    """
    place = copy.only or copy.bootstrap
    if place is None:
        raise NotOnDiskError("there is neither a metadata log nor a snapshot", file=copy.path)
    restored = Restored(Replay(limits, 0))
    for record in _read(place, copy.partition, limits, restored.notes):
        restored.replay.take_of_snapshot(record)
    restored.replay.timestamp = -1
    restored.notes.append(
        f"there is no metadata log; this is the initial state of the cluster, from {place}: it never ran, or its log "
        "is elsewhere (metadata.log.dir, the controllers' disks)"
    )
    return restored


def load_snapshot(
    snapshot: "RaftSnapshot", partition: "Partition", limits: "Limits", stored_bytes: int, notes: list[str]
) -> Replay:
    """Read a snapshot to its end, as only a complete one is used.

    Args:
        snapshot: the snapshot.
        partition: its directory.
        limits: bounds of memory.
        stored_bytes: size of all files with the state.
        notes: list to extend by notes on the snapshot.

    Raises:
        TruncatedError: it does not begin with a header, or does not end with a footer.
        StateTooLargeError: its state takes too much memory.
        KafkafmtError: it is damaged, or cannot be read.
    """
    replay = Replay(limits, stored_bytes, snapshot.end_offset, snapshot.epoch)
    first = last = None
    for record in _read(snapshot.location, partition, limits, notes, snapshot.size):
        first = first or record
        last = record
        replay.take_of_snapshot(record)
    if first is None or last is None or first.control_type != "SNAPSHOT_HEADER":
        raise TruncatedError("the snapshot has no header", file=str(snapshot.location))
    if last.control_type != "SNAPSHOT_FOOTER":
        raise TruncatedError(
            "the snapshot has no footer: it is incomplete",
            file=str(snapshot.location),
            position=last.position,
        )
    return replay


def _read(
    location: "Location", partition: "Partition", limits: "Limits", notes: list[str], size: int | None = None
) -> Iterator[InternalRecord]:
    """Read the records of a snapshot, or of a bootstrap.checkpoint.

    Raises:
        KafkafmtError: it is damaged, or cannot be read.
    """
    met = _Apart(notes=notes)
    found = Found(partition, Segment(location, size=size))
    yield from log_records(found, on_damage="raise", limits=limits, met=met)
    if met.damage:
        # An incomplete last batch is normal at the end of a log, but not at the end of a snapshot.
        raise met.damage[0].error


def log_records(
    found: Found,
    *,
    start_offset: int | None = None,
    end_offset: int | None = None,
    on_damage: "OnDamage",
    limits: "Limits",
    met: Met,
    advance: "Callable[[int], None] | None" = None,
) -> Iterator[InternalRecord]:
    """Read records in order, including control records.

    Args:
        found: a metadata partition, or one snapshot in it.
        start_offset: first offset to read, or None.
        end_offset: end offset (exclusive), or None.
        on_damage: "raise", or "skip".
        limits: bounds of memory.
        met: collects damage, and notes such as offsets or leader epochs that go back.
        advance: called with numbers of bytes as they are passed; None for no calls.

    Raises:
        KafkafmtError: at damage (`on_damage="raise"`), or if a file cannot be read.
    """
    read = records_by_entry if is_small(found.segments, _SMALL) else _records_of_scan
    report = LogReport()
    is_empty = True
    try:
        with closing(read([found], start_offset, end_offset, on_damage, limits, report, advance)) as records:
            for record in records:
                is_empty = False
                yield record
    finally:
        met.damage += report.damage
        # At an earlier moment the log after a snapshot may have been empty, which needs no note.
        notes = [each for each in report.notes_by_place() if each not in met.notes]
        met.notes += [each for each in notes if each.is_finding or not is_empty]


def _records_of_scan(
    found: list[Found],
    start_offset: int | None,
    end_offset: int | None,
    on_damage: "OnDamage",
    limits: "Limits",
    report: LogReport,
    advance: "Callable[[int], None] | None",
) -> Generator[InternalRecord, None, None]:
    """Do the same as `records_by_entry`, with kernels."""
    from kafkafmt.topics.record_rows import records_of, scan_of, slices  # noqa: PLC0415 - it loads Arrow

    scan = scan_of(found, on_damage, limits, start_offset=start_offset, end_offset=end_offset)
    if advance is not None:
        scan.watch(advance)
    try:
        with scan.to_reader() as reader:
            for batch in reader:
                for part in slices(batch):
                    yield from records_of(part, 0)
    finally:
        report.damage += scan.damage
        report.notes |= dict.fromkeys(scan.notes)
