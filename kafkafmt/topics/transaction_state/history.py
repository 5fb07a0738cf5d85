"""Transaction history: the life of transactional ids, the table `history` of `transactions`.

Records of `__transaction_state` are read by partition in log order. Markers of the data partitions that they name are
merged by time, with each log in its own order. Memory grows with ids and markers, not with records.
"""

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterator
from heapq import merge
from itertools import groupby
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Final, NamedTuple

from kafkafmt.answer_columns import TableColumns, columns_of
from kafkafmt.columnar.headers import ABORT, COMMIT
from kafkafmt.errors import DataError, SourceError
from kafkafmt.files.damage import Absence
from kafkafmt.findings import finding_of
from kafkafmt.internal_topics import TRANSACTION_STATE
from kafkafmt.logdir.producer_batches import BatchWalk
from kafkafmt.topics.answers import AsOf, absent_names, order_finding
from kafkafmt.topics.consumer_groups.replay import of_record
from kafkafmt.topics.decoding import RECORD
from kafkafmt.topics.history import History, OffsetGaps
from kafkafmt.topics.internal_log import InternalLog
from kafkafmt.topics.internal_record import InternalRecord
from kafkafmt.topics.log_notes import UnknownRecords
from kafkafmt.topics.producer_state.choice import PartitionChoice
from kafkafmt.topics.transaction_state.id_events import IdEvents, IdRecord, Partition, TransactionEvent, decoded

if TYPE_CHECKING:
    from kafkafmt.logdir.found import Found

MOST_MARKERS: Final = 1_000_000
"""Limit of markers of data partitions that are held, at 48 bytes each; a note reports further ones."""

TRANSACTION_HISTORY = TableColumns(*columns_of(TransactionEvent))
"""Columns of the table `history`, from `TransactionEvent`."""

_FIELDS: Final = 6

Order = tuple[int, int]
"""Time in ms and rank, by which logs are merged; never decreasing within a log."""


class _Ids(NamedTuple):
    """Facts about the wanted ids, from a first pass over `__transaction_state`."""

    names: set[str]
    of_producer: dict[int, tuple[str, int]]
    partitions: set[Partition]


class TransactionHistory(History[TransactionEvent]):
    """The history of transactional ids; each pass reads the logs again.

    Args:
        choice: options for reading logs, the partitions of wanted markers, and the producers of wanted ids. A record
            that cannot be decoded counts as damage.
        takes_name: tests whether an id is wanted by its name; None for all.
    """

    COLUMNS = TRANSACTION_HISTORY

    def __init__(self, choice: PartitionChoice, takes_name: Callable[[str], bool] | None) -> None:
        super().__init__()
        self._unknown = UnknownRecords()
        self._choice = choice
        self._takes_name = takes_name

    def size_in_bytes(self) -> int:
        """Size of the log files of `__transaction_state`, which is read twice."""
        return 2 * self._log().size_in_bytes()

    def _log(self) -> InternalLog:
        choice = self._choice
        return InternalLog(
            choice.searched,
            TRANSACTION_STATE,
            at_offset=choice.as_of.at_offset,
            at_time=choice.as_of.time,
            on_damage=choice.on_damage,
            limits=choice.limits,
        )

    def _events(self) -> Iterator[TransactionEvent]:
        log = self._log().required()
        ids = self._ids(log)
        self._unknown = UnknownRecords()  # only of the second pass
        markers = self._markers(ids)
        events = IdEvents()
        memory = log.memory(events.memory)
        try:
            for number, records in groupby(log.records(self._advance), attrgetter("partition")):
                gaps = OffsetGaps()

                def of_coordinator(records: Iterator[InternalRecord], gaps: OffsetGaps) -> Iterator[TransactionEvent]:
                    for record in self._of_ids(records, ids.names, gaps):
                        memory.add(RECORD, record.record.file, record.record.position)
                        yield events.take(record)

                streams = [_ordered(of_coordinator(records, gaps))]
                streams += [_ordered(markers.of(each, number, ids)) for each in markers.partitions]
                yield from map(itemgetter(1), merge(*streams, key=itemgetter(0)))
                note = gaps.note(f"{TRANSACTION_STATE}-{number}")
                self.notes += [note] if note is not None else []
        finally:
            self.notes = [*log.notes, *self.notes, *self._unknown.notes(TRANSACTION_STATE)]
            self.damage += log.damage
            self.skipped_replicas = list(log.skipped_replicas)

    def _ids(self, log: InternalLog) -> _Ids:
        """The wanted ids, their producers, and the partitions of their transactions."""
        names: set[str] = set()
        of_producer: dict[int, tuple[str, int]] = {}
        partitions: dict[str, set[Partition]] = defaultdict(set)
        memory = log.memory(lambda: RECORD * (len(of_producer) + sum(map(len, partitions.values()))))
        for record in self._of_ids(log.records(self._advance), None, None):
            if record.value is None:
                continue
            name, at = record.transactional_id, record.record
            producers = [
                record.value[field]
                for field in ("producerId", "previousProducerId", "nextProducerId")
                if record.value.get(field, -1) >= 0
            ]
            new = [each for each in producers if each not in of_producer]
            added = record.partitions - partitions[name]
            of_producer.update(dict.fromkeys(new, (name, at.partition)))
            partitions[name] |= added
            memory.add(RECORD * (len(new) + len(added)), at.file, at.position)
            if self._choice.producer_ids is None or self._choice.producer_ids.intersection(producers):
                names.add(name)
        is_whole = log.is_whole and all(each.is_open_end for each in log.damage)
        if is_whole and self._takes_name is None and self._choice.as_of == AsOf():
            self.notes += map(Absence, absent_names("producer", self._choice.producer_ids, of_producer))
        return _Ids(
            names,
            {producer: of for producer, of in of_producer.items() if of[0] in names},
            {place for name in names for place in partitions[name]},
        )

    def _of_ids(
        self, records: Iterator[InternalRecord], names: set[str] | None, gaps: OffsetGaps | None
    ) -> Iterator[IdRecord]:
        """Decode the records of some ids; None for all that are wanted by name."""
        for record in records:
            if gaps is not None:
                gaps.see(record.offset)
            if record.control_type is not None or self._unknown.takes(TRANSACTION_STATE, record):
                continue
            try:
                found = decoded(record)
            except DataError as error:
                placed = of_record(error, TRANSACTION_STATE, record.partition, record)
                if self._choice.on_damage == "raise":
                    raise placed from error
                if gaps is not None:  # reported once, by the second pass
                    self.findings.append(finding_of(placed, topic=TRANSACTION_STATE, partition=record.partition))
                continue
            name = found.transactional_id
            if (self._takes_name is None or self._takes_name(name)) and (names is None or name in names):
                yield found

    def _markers(self, ids: _Ids) -> "_Markers":
        """Markers of the wanted ids in the data partitions of their transactions."""
        markers = _Markers()
        if self._choice.as_of.at_offset is not None:
            self.notes.append("the markers as of an offset of __transaction_state are unknown")
            return markers
        for found in self._choice.choose()[0]:
            partition = found.partition
            place = (partition.topic or "", -1 if partition.partition is None else partition.partition)
            if place not in ids.partitions:
                continue
            try:
                self._read(found, place, ids, markers)
            except SourceError as error:
                self._choice.searched.report(error)
        if markers.dropped:
            self.notes.append(
                f"{markers.dropped:,} markers beyond {MOST_MARKERS:,} are left out: name an id or a topic"
            )
        absent = sorted(ids.partitions - set(markers.by_partition))
        if absent:
            shown = ", ".join(f"{topic}-{number}" for topic, number in absent[:_MOST_NAMES])
            more = f" and {len(absent) - _MOST_NAMES} more" if len(absent) > _MOST_NAMES else ""
            self.notes.append(f"markers are unknown in partitions that are not on these disks: {shown}{more}")
        return markers

    def _read(self, found: "Found", place: Partition, ids: _Ids, markers: "_Markers") -> None:
        choice = self._choice
        end = choice.as_of.end_of(found, choice.on_damage, self.damage, found.partition.partition)
        kept = markers.by_partition.setdefault(place, array("q"))
        walk = BatchWalk(found.segments, choice.on_damage, choice.limits, self.damage.append)
        walk.note = lambda *fault: self.findings.append(order_finding(found.partition, *fault))
        for runs in walk.runs(end=end):
            for run in runs:
                if run.kind in (ABORT, COMMIT) and run.producer_id in ids.of_producer:
                    if markers.count >= MOST_MARKERS:
                        markers.dropped += 1
                        continue
                    markers.count += 1
                    fields = (run.timestamp, run.producer_id, run.producer_epoch, run.kind, run.first_offset)
                    kept.extend((*fields, run.coordinator_epoch))


_MOST_NAMES: Final = 10


class _Markers:
    """Markers by partition, six numbers each: time, producer id and epoch, kind, offset, coordinator epoch."""

    def __init__(self) -> None:
        self.by_partition: dict[Partition, array[int]] = {}
        self.count = 0
        self.dropped = 0

    @property
    def partitions(self) -> list[Partition]:
        """The partitions, sorted."""
        return sorted(self.by_partition)

    def of(self, place: Partition, number: int, ids: _Ids) -> Iterator[TransactionEvent]:
        """The markers in a data partition for the ids in one partition of `__transaction_state`."""
        kept = self.by_partition[place]
        for begin in range(0, len(kept), _FIELDS):
            time, producer_id, epoch, kind, offset, coordinator_epoch = kept[begin : begin + _FIELDS]
            name, home = ids.of_producer[producer_id]
            if home == number:
                yield TransactionEvent(
                    timestamp=time if time >= 0 else None,
                    transactional_id=name,
                    event="commit marker" if kind == COMMIT else "abort marker",
                    producer_id=producer_id,
                    producer_epoch=epoch,
                    state=None,
                    topic=place[0],
                    partition=place[1],
                    offset=offset,
                    topic_partitions=None,
                    coordinator_partition=number,
                    coordinator_epoch=coordinator_epoch,
                    detail=None,
                )


def _ordered(events: Iterator[TransactionEvent]) -> "Iterator[tuple[Order, TransactionEvent]]":
    """Events of one log with their merge keys; at equal times, markers come between prepare and complete records."""
    last: Order = (-1, 0)
    for event in events:
        rank = 1 if event.event.endswith("marker") else 2 if event.event.startswith("complete") else 0
        last = max(last, (-1 if event.timestamp is None else event.timestamp, rank))
        yield last, event
