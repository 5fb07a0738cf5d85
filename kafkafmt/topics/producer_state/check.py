"""Idempotence check: lost and repeated records of partitions, the table `check` of `producers`.

The records of a partition are numbered twice: by the producer, in each epoch from 0 on, and by the broker, by offsets.
Kafka's leader would refuse a batch whose sequence number does not follow the previous one (`sequences`); missing
offsets belong to removed records (`missing_offsets`). Batch headers show both.

Repeated content is searched in the records: a producer without idempotence writes a batch again if the response is
lost, and an application that sends a message again gives it a new sequence number. Only the records show that.
"""

from collections import Counter
from collections.abc import Generator, Iterator
from functools import partial
from hashlib import blake2b
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple, Unpack

from kafkafmt.answer_columns import TIME, TableColumns, columns_of
from kafkafmt.errors import DataError, SourceError
from kafkafmt.findings import finding_of
from kafkafmt.internal_topics import INTERNAL_TOPICS
from kafkafmt.logdir.producer_runs import DATA
from kafkafmt.phrases import counted, listed
from kafkafmt.scanning.selection import Selection
from kafkafmt.topics.answers import each_once, finding_in, order_finding
from kafkafmt.topics.history import History
from kafkafmt.topics.producer_state.choice import ChoiceArguments, PartitionChoice
from kafkafmt.topics.producer_state.log_check import LogCheck
from kafkafmt.topics.producer_state.missing_offsets import HARMLESS, LEFT_OUT, LOST_END, OffsetGap
from kafkafmt.topics.producer_state.sequences import SequencedBatch, SequenceFault
from kafkafmt.topics.record_rows import exact_scan, slices, values_of

if TYPE_CHECKING:
    from kafkafmt.files.damage import Damage
    from kafkafmt.files.offset_order import OffsetFault
    from kafkafmt.logdir.found import Found
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.logdir.segment import Segment
    from kafkafmt.logdir.sources import Searchable

CHECK: Final = "check"
"""Name of the table."""

OFFSET_GAP: Final = "offset gap"
REPEATED_CONTENT: Final = "repeated content"

REMEMBERED_RECORDS: Final = 500_000
"""Records of a partition that each later one is compared with; at most twice as many are held, in 260 MB."""

_DIGEST: Final = 16
_COLUMNS = ("offset", "timestamp", "key", "value", "producerId", "producerEpoch", "sequence")


class CheckFinding(NamedTuple):
    """A finding about wrong or missing batches of a partition, with the columns of the table `check`.

    Attributes:
        topic: name of the topic, or None for a directory without a Kafka name.
        partition: number of the partition, or None for a directory without a Kafka name.
        finding: "repeat", "repeat beyond five", "sequence gap", "epoch not from 0", "epoch back",
            "invalid sequence", "offset gap" or "repeated content".
        cause: of an offset gap: "compaction", "control records", "aborted and cleaned", "below log start",
            "left out of this copy", "damage", "lost end" or "unexplained".
        producer_id: the producer of a batch or record; None for none.
        producer_epoch: its epoch; None for none.
        first_offset: first missing offset of an offset gap; None otherwise.
        base_offset: base offset of a batch, or offset of a record; None for an offset gap.
        last_offset: last offset of a batch or record; of an offset gap, the last missing offset.
        base_sequence: sequence number of the first record; -1 for a marker; None for none.
        last_sequence: sequence number of the last record; -1 for a marker; None for none.
        timestamp: largest timestamp of the batch, or timestamp of the record, in ms since the epoch; None for none.
        detail: what Kafka expected, which batch or record is repeated, or how many offsets are missing, in words.
        path: the partition directory, or the file that is a source itself.
    """

    topic: Annotated[str | None, "string"]
    partition: Annotated[int | None, "int32"]
    finding: Annotated[str, "string"]
    cause: Annotated[str | None, "string"]
    producer_id: Annotated[int | None, "int64"]
    producer_epoch: Annotated[int | None, "int16"]
    first_offset: Annotated[int | None, "int64"]
    base_offset: Annotated[int | None, "int64"]
    last_offset: Annotated[int, "int64"]
    base_sequence: Annotated[int | None, "int32"]
    last_sequence: Annotated[int | None, "int32"]
    timestamp: Annotated[int | None, TIME]
    detail: Annotated[str | None, "string"]
    path: Annotated[str, "string"]

    @property
    def is_harmless(self) -> bool:
        """Whether the finding means that nothing was lost or repeated."""
        return self.cause in HARMLESS


PRODUCER_CHECK = TableColumns(*columns_of(CheckFinding))
"""Columns of the table `check`."""


class RepeatedRecord(NamedTuple):
    """A record with the key and value of an earlier one.

    Attributes:
        batch: the record, as a batch of its own.
        earlier: offset of the earlier record.
    """

    batch: SequencedBatch
    earlier: int


class SeenRecords:
    """Remembers the last records of a partition by their keys and values.

    Args:
        window: largest difference between timestamps of equal records, in ms.
        most: lower bound of the number of remembered records.
    """

    def __init__(self, window: int, most: int = REMEMBERED_RECORDS) -> None:
        self._window = window
        self._most = max(most, 1)
        self._newer: dict[bytes, tuple[int, int]] = {}
        self._older: dict[bytes, tuple[int, int]] = {}

    def see(self, offset: int, timestamp: int, key: bytes | None, value: bytes | None) -> int | None:
        """Add the next record.

        Returns:
            The offset of the last equal record before it, if that is within the window.
        """
        start = b"\0" if key is None else b"\1" + len(key).to_bytes(4) + key
        digest = blake2b(start + (b"\0" if value is None else b"\1" + value), digest_size=_DIGEST).digest()
        earlier = self._newer.get(digest) or self._older.get(digest)
        if len(self._newer) >= self._most:
            self._older, self._newer = self._newer, {}
        self._newer[digest] = timestamp, offset
        return earlier[1] if earlier is not None and abs(timestamp - earlier[0]) <= self._window else None


def repeated_records(
    found: "Found", window: int, end: int | None, choice: "PartitionChoice", damage: "list[Damage]"
) -> Iterator[RepeatedRecord]:
    """Find the records of a partition that repeat an earlier one, as a read_committed consumer sees them.

    Args:
        found: the partition directory, or a file in it.
        window: as for `SeenRecords`.
        end: end offset (exclusive); None for the log end.
        choice: options for reading.
        damage: list to extend by skipped damage.

    Raises:
        KafkafmtError: damage, with `on_damage="raise"`.
        SourceError: a file cannot be read.
    """
    wanted = Selection(end_offset=end, isolation_level="read_committed")
    scan = exact_scan([found], wanted, _COLUMNS, choice.on_damage, choice.limits, choice.searched)
    seen = SeenRecords(window)
    try:
        with scan.to_reader() as reader:
            for part in chain.from_iterable(map(slices, reader)):
                rows = zip(*map(values_of, part.columns), strict=False)
                for offset, timestamp, key, value, producer_id, epoch, sequence in rows:
                    earlier = seen.see(offset, timestamp, key, value)
                    if earlier is not None:
                        place = (offset, offset, sequence, sequence, timestamp, timestamp, 0, DATA)
                        yield RepeatedRecord(SequencedBatch(producer_id, epoch, *place), earlier)
    finally:
        damage += scan.damage


class ProducerCheck(History[CheckFinding]):
    """Lost and repeated records; each pass reads the batch headers again.

    Args:
        choice: selects what is read; with producer ids no offset gaps are listed.
        content_window: also list records with the key and value of an earlier one whose timestamp is at most this many
            ms away; None to list none.

    Attributes:
        seen: ids of producers whose batches were read: all of the wanted ones, else one if there is any.
        is_open: whether a note says that a log may have lost records, which the log itself does not show.
    """

    COLUMNS = PRODUCER_CHECK
    TABLE = CHECK

    def __init__(self, choice: PartitionChoice, content_window: int | None = None) -> None:
        super().__init__()
        self._choice = choice
        self._content_window = content_window
        self.seen: set[int] = set()
        self.is_open = False

    def size_in_bytes(self) -> int:
        """Size of the log files that a pass reads; for repeated content, records are read once more."""
        return self._choice.size_in_bytes()

    def _events(self) -> Iterator[CheckFinding]:
        chosen, self.skipped_replicas, self.findings = self._choice.choose()
        late: list[str] = []
        self._left_out: list[str] = []
        self.is_open = False
        for found in chosen:
            try:
                start = yield from self._of_partition(found)
            except SourceError as error:
                self._choice.searched.report(error)
                continue
            self._choice.searched.was_read = True
            self._advance(sum(segment.size for segment in found.segments))
            if start:
                late.append(f"{found.partition.name} ({start:,})")
        if self._left_out:
            self.is_open = True
            self.notes.append(
                "kafkafmt made these copies without some offsets; check the source to see whether records were lost:"
                f" {listed(self._left_out)}"
            )
        if late:
            self.notes.append(
                f"the beginning of {counted(len(late), 'log')} is gone (retention, DeleteRecords or a lost segment);"
                f" nothing is known about earlier offsets: {listed(late)}"
            )

    def _of_partition(self, found: "Found") -> Generator[CheckFinding, None, int]:
        """Yield the rows of a partition; return the first offset of its log."""
        partition, path = found.partition, found.path
        problems: Counter[str] = Counter()
        damage: list[Damage] = []

        def note(segment: "Segment", fault: "OffsetFault") -> None:
            self.findings.append(order_finding(partition, segment, fault))

        try:
            end = self._choice.as_of.end_of(found, self._choice.on_damage, damage, partition.partition)
            log = LogCheck(found, end, self._choice, partial(self._say, partition), note)
            rows: Iterator[OffsetGap | SequenceFault | RepeatedRecord] = log.rows(damage)
            if self._content_window is not None and partition.topic not in INTERNAL_TOPICS:
                rows = chain(rows, self._repeated(found, self._content_window, end, damage))
            for row in rows:
                shown = _row(row, partition.topic, partition.partition, path)
                if shown.cause == LOST_END:
                    shown = shown._replace(detail=f"{shown.detail}: {log.lost_end}")
                elif shown.cause == LEFT_OUT and path not in self._left_out[-1:]:
                    self._left_out.append(path)
                if not shown.is_harmless:
                    problems[shown.finding if shown.cause is None else f"{shown.finding} ({shown.cause})"] += 1
                yield shown
            self.seen |= log.seen
            if log.lost_end is not None and not log.lost_end.is_certain:
                self.is_open = True
                self.notes.append(f"{path}: {log.lost_end.meaning}")
        finally:
            self.damage += each_once(damage)
            if problems:
                what = ", ".join(f"{finding}: {count:,}" for finding, count in problems.items())
                self.findings.append(finding_in(partition, path, what))
        return log.start

    def _repeated(
        self, found: "Found", window: int, end: int | None, damage: "list[Damage]"
    ) -> Iterator[RepeatedRecord]:
        producer_ids = self._choice.producer_ids
        for record in repeated_records(found, window, end, self._choice, damage):
            if producer_ids is None or record.batch.producer_id in producer_ids:
                yield record

    def _say(self, partition: "Partition", error: DataError) -> None:
        """Report a checkpoint, snapshot or index that is broken, and therefore not used."""
        if self._choice.on_damage == "raise":
            raise error
        self.findings.append(finding_of(error, topic=partition.topic, partition=partition.partition))


def producer_check(
    source: "Searchable", *, content_window: int | None = None, **wanted: "Unpack[ChoiceArguments]"
) -> ProducerCheck:
    """List lost and repeated records of each partition, like `producers(..).check`, without producers' state.

    Args:
        source: as for `kafkafmt.topics.producers`.
        content_window: also find records that have the key and value of an earlier one, with a timestamp at most this
            many ms away; 0 for equal timestamps. This reads all records.
        **wanted: as for `producers`; with producer_ids no offset gaps are listed.

    Raises:
        SourceError: a source is missing or unreadable, or has no files of Kafka's.
        TypeError, ValueError: an invalid argument.
    """
    require_window(content_window)
    return ProducerCheck(PartitionChoice.of(source, **wanted), content_window)


def require_window(window: int | None) -> None:
    """Check `content_window`.

    Raises:
        TypeError: it is not an int.
        ValueError: it is negative.
    """
    if window is not None and (not isinstance(window, int) or isinstance(window, bool)):
        raise TypeError(f"content_window must be an int of ms, not {window!r}")
    if window is not None and window < 0:
        raise ValueError(f"content_window must not be negative: {window}")


def _row(
    found: OffsetGap | SequenceFault | RepeatedRecord, topic: str | None, partition: int | None, path: str
) -> CheckFinding:
    if isinstance(found, OffsetGap):
        where = (None, None, found.first, None, found.last, None, None, None)
        detail = counted(found.last - found.first + 1, "offset")
        return CheckFinding(topic, partition, OFFSET_GAP, found.cause, *where, detail, path)
    if isinstance(found, RepeatedRecord):
        batch, finding, detail = found.batch, REPEATED_CONTENT, f"the record at offset {found.earlier}"
    else:
        batch, finding, detail = found.batch, found.finding, found.detail
    producer: tuple[int | None, int | None] = (batch.producer_id, batch.producer_epoch)
    sequences: tuple[int | None, int | None] = (batch.base_sequence, batch.last_sequence)
    if batch.producer_id < 0:
        producer, sequences = (None, None), (None, None)
    return CheckFinding(
        *(topic, partition, finding, None, *producer, None, batch.base_offset, batch.last_offset, *sequences),
        *(batch.timestamp if batch.timestamp >= 0 else None, detail, path),
    )
