"""The producers of one partition: from its newest sound snapshot and the log behind it, or from the log alone."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from kafkafmt.errors import DataError, KafkafmtError, LimitExceededError, SourceError
from kafkafmt.files import producer_snapshot
from kafkafmt.files.segment_reader import OnDamage
from kafkafmt.limits import Limits
from kafkafmt.logdir import lookup
from kafkafmt.reference.entry import without_traceback
from kafkafmt.topics.producer_state.batches import BatchWalk, Rows
from kafkafmt.topics.producer_state.comparison import MOST_DIFFERENCES, compare
from kafkafmt.topics.producer_state.states import ProducerStates

if TYPE_CHECKING:
    from kafkafmt.files.damage import Damage
    from kafkafmt.files.producer_snapshot import ProducerSnapshot, ProducerState
    from kafkafmt.logdir.segment import Segment
    from kafkafmt.logdir.sources import Found

StateFrom = Literal["both", "snapshot", "log"]


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is not as Kafka leaves it.

    Attributes:
        topic: of the partition, or None.
        partition: its number, or None.
        file: the file that it is about, or the partition directory.
        producer_id: whose state, or None.
        message: what is wrong.
    """

    topic: str | None
    partition: int | None
    file: str
    producer_id: int | None
    message: str

    def __str__(self) -> str:
        """The file, the producer and what is wrong."""
        whose = "" if self.producer_id is None else f"producer {self.producer_id}: "
        return f"{self.file}: {whose}{self.message}"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The snapshot that an answer begins with.

    Attributes:
        offset: it tells of the log up to there.
        file: its path.
        entries: its producers.
    """

    offset: int
    file: str
    entries: "tuple[ProducerState, ...]"


@dataclass(slots=True)
class PartitionReading:
    """What was found in one partition.

    Attributes:
        found: the partition directory, or a file of it.
        states: the producers at the end.
        snapshot: what they begin with; None for the log alone.
        first_offset: base offset of the first batch on disk that was read, or None.
        newest_timestamp: largest timestamp that was met, in ms since the epoch; -1 for none.
        forgotten: how many producers of the log the snapshot leaves out, as a broker forgets those that are idle.
        from_snapshot_alone: how many producers nothing is left of in the log, as its beginning is gone.
        findings: what is wrong.
        damage: stretches of the log that were passed over.
    """

    found: "Found"
    states: ProducerStates = field(default_factory=ProducerStates)
    snapshot: Snapshot | None = None
    first_offset: int | None = None
    newest_timestamp: int = -1
    forgotten: int = 0
    from_snapshot_alone: int = 0
    findings: list[Finding] = field(default_factory=list)
    damage: "list[Damage]" = field(default_factory=list)

    def find(self, file: str, message: str, producer_id: int | None = None) -> None:
        """Add a finding."""
        partition = self.found.partition
        self.findings.append(Finding(partition.topic, partition.partition, file, producer_id, message))


def _raise(error: SourceError) -> None:
    raise error


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads partitions.

    Attributes:
        state_from: "snapshot": the newest snapshot and the log behind it; "log": the log alone; "both": as "snapshot",
            and the log in front of it is read too and held against it.
        producer_ids: only these; None for all.
        on_damage: "raise" at the first damage of a log, or "skip" it.
        limits: bounds of memory.
        with_open: whether, with "snapshot", the log is read from the earliest transaction on that the snapshot
            says is open, so that `see` is told all of it.
        see: is told all that is read, in the log's order: batches with the number of their segment.
        see_damage: is told damage between them.
        unreadable: called with a snapshot or checkpoint that cannot be read; if it returns, that is ignored.
    """

    state_from: StateFrom = "both"
    producer_ids: frozenset[int] | None = None
    on_damage: OnDamage = "raise"
    limits: Limits = field(default_factory=Limits)
    with_open: bool = False
    see: Callable[[int, Rows], None] = lambda _, __: None
    see_damage: "Callable[[Damage], None]" = lambda _: None
    unreadable: Callable[[SourceError], None] = _raise

    def read(self, found: "Found", end: int | None = None) -> PartitionReading:
        """Read one partition.

        Args:
            found: the partition directory, or a file of it; beside a file that is named by itself snapshots are not
                looked for.
            end: the state before this offset is wanted; None for the end of the log.

        Raises:
            KafkafmtError: damage of the log, with `on_damage="raise"`.
            SourceError: a file cannot be read.
        """
        reading = PartitionReading(found)
        segments = found.segments
        if self.state_from != "log" and found.file is None:
            reading.snapshot = self._newest_snapshot(reading, end)
        snapshot = reading.snapshot
        walk = BatchWalk(segments, self.on_damage, self.limits)

        def report(damage: "Damage") -> None:
            reading.damage.append(damage)
            self.see_damage(damage)

        walk.report = report
        before = ProducerStates(producer_ids=self.producer_ids)
        if snapshot is None:
            reading.states = before
            for number, rows in walk.rows(end=end):
                before.add(rows)
                self.see(number, rows)
        else:
            reading.states = ProducerStates(snapshot.entries, self.producer_ids)
            place = (0, 0) if self.state_from == "both" else _place_of(segments, self._begin(snapshot))
            for number, rows in walk.rows(*place, end=end):
                behind = rows["base_offset"] >= snapshot.offset
                if self.state_from == "both":
                    before.add(rows[~behind])
                reading.states.add(rows[behind])
                self.see(number, rows)
            if self.state_from == "both":
                self._compare(reading, snapshot, before, walk)
        reading.first_offset = walk.first_offset
        reading.newest_timestamp = walk.newest_timestamp
        return reading

    def _begin(self, snapshot: Snapshot) -> int:
        """Offset from which on the log is read."""
        opened = [entry.current_txn_first_offset for entry in snapshot.entries] if self.with_open else []
        return min([snapshot.offset, *(offset for offset in opened if offset is not None)])

    def _newest_snapshot(self, reading: PartitionReading, end: int | None) -> Snapshot | None:
        """The newest sound one within the log; what is wrong with newer ones is found."""
        partition = reading.found.partition
        files = [(offset, place) for offset, place in partition.producer_snapshot_files if end is None or offset <= end]
        log_end = self._log_end_offset(reading) if files else None
        for offset, place in reversed(files):
            try:
                snapshot: ProducerSnapshot = producer_snapshot.read(place)
            except SourceError as unreadable:
                self.unreadable(unreadable)
                continue
            except KafkafmtError as error:
                without_traceback(error).at(str(place))
                told = type(error)(error.message, position=error.position, expected=error.expected, found=error.found)
                kafka = "" if isinstance(error, LimitExceededError) else ", as Kafka does, which deletes it"
                reading.find(str(place), f"{told}; the snapshot before this one is taken{kafka}")
                continue
            if log_end is not None and offset > log_end:
                reading.find(
                    str(place),
                    f"the log ends at offset {log_end}, but when this snapshot was written it reached up to {offset}:"
                    " its end was lost, or it was copied earlier; Kafka deletes such a snapshot",
                )
                continue
            return Snapshot(offset, str(place), snapshot.entries)
        return None

    def _log_end_offset(self, reading: PartitionReading) -> int | None:
        """Where the log ends; of a log-start-offset-checkpoint that cannot be used only the fault is noted."""
        partition = reading.found.partition
        try:
            return partition.log_end_offset
        except SourceError as error:
            end = partition.segments[-1].next_offset()
            self.unreadable(error)
            return end
        except KafkafmtError as error:
            reading.find(error.file or partition.path, error.message)
            return partition.segments[-1].next_offset()

    def _compare(self, reading: PartitionReading, snapshot: Snapshot, before: ProducerStates, walk: BatchWalk) -> None:
        entries = tuple(
            entry for entry in snapshot.entries if self.producer_ids is None or entry.producer_id in self.producer_ids
        )
        # Of an empty log at offset 0 nothing is missing either.
        first = walk.first_offset
        if first is None and snapshot.offset == 0:
            first = 0
        gone = first is None or first > 0
        differences, reading.forgotten = compare(
            entries, before, snapshot.offset, first, has_holes=walk.has_holes or first is None
        )
        for each in differences[:MOST_DIFFERENCES]:
            reading.find(snapshot.file, each.text, each.producer_id)
        if len(differences) > MOST_DIFFERENCES:
            reading.find(snapshot.file, f"{len(differences) - MOST_DIFFERENCES} more producers differ")
        if gone:
            reading.from_snapshot_alone = sum(before.get(entry.producer_id) is None for entry in entries)


def _place_of(segments: "list[Segment]", offset: int) -> tuple[int, int]:
    """Number of a segment, and a position in it, from where on all from this offset on is found."""
    number = lookup.floor(segments, offset)
    if number < 0:
        return 0, 0
    try:
        place = lookup.find_offset(segments, offset)
    except DataError:
        return number, 0
    if place is None:
        return len(segments), 0
    return next(which for which, segment in enumerate(segments) if segment.file == place.file), place.position
