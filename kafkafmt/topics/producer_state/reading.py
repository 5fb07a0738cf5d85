"""Reads the producers of one partition, from its newest sound snapshot and the log after it, or from the log alone."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Final, Literal

from kafkafmt.errors import KafkafmtError, LimitExceededError, OnDamage, SourceError
from kafkafmt.findings import Finding, finding_of
from kafkafmt.limits import Limits
from kafkafmt.logdir import lookup, sound_snapshots
from kafkafmt.logdir.producer_batches import BatchWalk
from kafkafmt.logdir.producer_states import ProducerStates
from kafkafmt.logdir.sound_snapshots import LoadedSnapshot
from kafkafmt.topics.answers import AsOf, each_once, finding_in, order_finding
from kafkafmt.topics.producer_state.states import compare

if TYPE_CHECKING:
    from kafkafmt.files.damage import Damage
    from kafkafmt.files.offset_order import OffsetFault
    from kafkafmt.io.base import Location
    from kafkafmt.logdir.found import Found
    from kafkafmt.logdir.producer_runs import ProducerRun
    from kafkafmt.logdir.segment import Segment

StateFrom = Literal["both", "snapshot", "log"]

MOST_DIFFERENCES: Final = 100
"""Limit of the differences of one partition that become separate findings."""


@dataclass(slots=True)
class PartitionReading:
    """The producers of one partition, and the faults of their state.

    Attributes:
        found: the partition directory, or a file in it.
        states: producers at the end.
        snapshot: the snapshot from which they are rebuilt; None for the log alone.
        newest_timestamp: largest timestamp of the batches read, in ms since the epoch; -1 for none.
        expired: number of producers in the log that are not in the snapshot, as a broker expires idle ones.
        from_snapshot_alone: number of producers without a batch in the log, because its beginning is gone.
        findings: the faults.
        damage: ranges of the log that were skipped.
    """

    found: "Found"
    states: ProducerStates = field(default_factory=ProducerStates)
    snapshot: LoadedSnapshot | None = None
    newest_timestamp: int = -1
    expired: int = 0
    from_snapshot_alone: int = 0
    findings: list[Finding] = field(default_factory=list)
    damage: "list[Damage]" = field(default_factory=list)

    def find(self, file: str, message: str, producer_id: int | None = None) -> None:
        """Add a finding."""
        self.findings.append(finding_in(self.found.partition, file, message, producer_id=producer_id))


_AT_THE_END: Final = AsOf()


def _raise(error: SourceError) -> None:
    raise error


@dataclass(frozen=True, slots=True)
class ProducerStateReader:
    """Reads the producers of partitions.

    Attributes:
        state_from: "snapshot" for the newest snapshot and the log after it; "log" for the log alone; "both" for the
            state of "snapshot", compared with the earlier log, which is read too.
        producer_ids: only these producers; None for all.
        on_damage: "raise" at the first damage of a log, or "skip" it.
        limits: bounds of memory.
        with_open: with "snapshot", whether to read the log from the earliest transaction on that is open in the
            snapshot, so that `see` gets all its batches.
        see: called with all batches read, in log order.
        see_damage: called for each damaged range; an incomplete tail does not count.
        unreadable: called with the error of a snapshot or checkpoint that cannot be read; if it returns, the file is
            ignored.
    """

    state_from: StateFrom = "both"
    producer_ids: frozenset[int] | None = None
    on_damage: OnDamage = "raise"
    limits: Limits = field(default_factory=Limits)
    with_open: bool = False
    see: "Callable[[Sequence[ProducerRun]], None]" = lambda _: None
    see_damage: Callable[[], None] = lambda: None
    unreadable: Callable[[SourceError], None] = _raise

    def read(self, found: "Found", as_of: AsOf = _AT_THE_END) -> PartitionReading:
        """Read one partition.

        Args:
            found: the partition directory, or a file in it, which is read without snapshots.
            as_of: the moment of the state.

        Raises:
            KafkafmtError: damage of the log, with `on_damage="raise"`.
            SourceError: a file cannot be read.
        """
        reading = PartitionReading(found)
        segments = found.segments
        searched: list[Damage] = []
        end = as_of.end_of(found, self.on_damage, searched, found.partition.partition)
        if self.state_from != "log" and found.file is None:
            reading.snapshot = self._newest_snapshot(reading, end)
        snapshot = reading.snapshot

        def report(damage: "Damage") -> None:
            reading.damage.append(damage)
            if not damage.is_open_end:
                self.see_damage()

        def note(segment: "Segment", fault: "OffsetFault") -> None:
            reading.findings.append(order_finding(found.partition, segment, fault))

        walk = BatchWalk(segments, self.on_damage, self.limits, report, note=note)
        before = ProducerStates(producer_ids=self.producer_ids)
        if snapshot is None:
            reading.states = before
            for runs in walk.runs(end=end):
                before.add(runs)
                self.see(runs)
        else:
            walk.split_offset = snapshot.offset
            reading.states = ProducerStates(snapshot.entries, self.producer_ids)
            place = (0, 0) if self.state_from == "both" else lookup.place_from(segments, self._begin(snapshot))
            for runs in walk.runs(*place, end=end):
                if self.state_from == "both":
                    before.add(run for run in runs if run.first_offset < snapshot.offset)
                reading.states.add(run for run in runs if run.first_offset >= snapshot.offset)
                self.see(runs)
            if self.state_from == "both":
                self._compare(reading, snapshot, before, walk)
        reading.newest_timestamp = walk.newest_timestamp
        reading.damage = each_once(searched, reading.damage)
        return reading

    def _begin(self, snapshot: LoadedSnapshot) -> int:
        """Offset from which to read the log."""
        opened = [entry.current_txn_first_offset for entry in snapshot.entries] if self.with_open else []
        return min([snapshot.offset, *(offset for offset in opened if offset is not None)])

    def _newest_snapshot(self, reading: PartitionReading, end: int | None) -> LoadedSnapshot | None:
        """The newest sound snapshot within the log; faults of newer ones are findings."""
        partition = reading.found.partition
        files = [(offset, place) for offset, place in partition.producer_snapshot_files if end is None or offset <= end]
        log_end = self._log_end_offset(reading) if files else None

        def refused(place: "Location", error: KafkafmtError) -> None:
            if isinstance(error, SourceError):
                self.unreadable(error)
                return
            what = str(finding_of(error, ""))
            kafka = "" if isinstance(error, LimitExceededError) else ", as Kafka does, which deletes it"
            reading.find(str(place), f"{what}; the previous snapshot is used{kafka}")

        for snapshot in sound_snapshots.newest_first(files, refused):
            if log_end is None or snapshot.offset <= log_end:
                return snapshot
            reading.find(
                snapshot.file,
                f"the log ends at offset {log_end}, but it reached offset {snapshot.offset} when this snapshot was"
                " written: its end was lost, or it was copied earlier; Kafka deletes such a snapshot",
            )
        return None

    def _log_end_offset(self, reading: PartitionReading) -> int | None:
        """The log end; a log-start-offset-checkpoint that cannot be used is reported and ignored."""
        partition = reading.found.partition
        try:
            return partition.log_end_offset
        except SourceError as error:
            end = partition.next_offset()
            self.unreadable(error)
            return end
        except KafkafmtError as error:
            reading.find(error.file or partition.path, error.message)
            return partition.next_offset()

    def _compare(
        self, reading: PartitionReading, snapshot: LoadedSnapshot, before: ProducerStates, walk: BatchWalk
    ) -> None:
        entries = tuple(
            entry for entry in snapshot.entries if self.producer_ids is None or entry.producer_id in self.producer_ids
        )
        # An empty log at offset 0 is complete.
        first = walk.first_offset
        if first is None and snapshot.offset == 0:
            first = 0
        gone = first is None or first > 0
        differences, reading.expired = compare(
            entries, before, snapshot.offset, first, has_holes=walk.has_holes or first is None
        )
        for producer_id, text in islice(differences.items(), MOST_DIFFERENCES):
            reading.find(snapshot.file, text, producer_id)
        if len(differences) > MOST_DIFFERENCES:
            reading.find(snapshot.file, f"{len(differences) - MOST_DIFFERENCES} more producers differ")
        if gone:
            reading.from_snapshot_alone = sum(before.get(entry.producer_id) is None for entry in entries)
