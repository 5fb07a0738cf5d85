"""The data's view of transactions: which are open, committed and aborted in each data partition, and which hang."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from kafkafmt.errors import KafkafmtError, SourceError
from kafkafmt.files import producer_snapshot
from kafkafmt.files.segment_reader import SegmentReader
from kafkafmt.limits import Limits
from kafkafmt.reference.entry import Entry, without_traceback
from kafkafmt.topics.producer_state.answer import each_once, end_at
from kafkafmt.topics.producer_state.reading import Finding, PartitionReading, Reader
from kafkafmt.topics.transaction_state.data import DataTransaction, DataTransactions, of_snapshot
from kafkafmt.topics.transaction_state.hanging import Judge, Verdict, abort_command, abort_command_before_3_0
from kafkafmt.topics.transaction_state.rows import Transaction

if TYPE_CHECKING:
    from collections.abc import Callable

    from kafkafmt.files.damage import Damage
    from kafkafmt.files.segment_reader import OnDamage
    from kafkafmt.logdir.sources import Found
    from kafkafmt.topics.producer_state.batches import Rows
    from kafkafmt.topics.transaction_state.coordinator import Coordinator

Data = Literal["all", "open", "hanging"]

_BROKEN = "the checksum of its first batch is wrong: its producer id may be, and it no transaction at all"


@dataclass(slots=True)
class _Partition:
    """What was found in one data partition."""

    reading: PartitionReading
    found: DataTransactions


class DataView:
    """Reads data partitions and makes rows of their transactions.

    Args:
        coordinator: what is known of `__transaction_state`.
        producer_ids: only these producers; None for all.
        data: which transactions are wanted; None for none.
        most_ended: how many that ended are kept.
        on_damage: as for `kafkafmt.topics.transactions`.
        limits: likewise.
        unreadable: called with a file that cannot be read and is not the log; if it returns, it is ignored.

    Attributes:
        findings: what is wrong with producer snapshots, and with what looks as if it hung.
        damage: stretches of logs that were passed over.
        dropped: how many transactions that ended are not kept, as there were more.
    """

    def __init__(
        self,
        coordinator: "Coordinator",
        producer_ids: frozenset[int] | None,
        data: Data | None,
        most_ended: int,
        on_damage: "OnDamage",
        limits: Limits,
        unreadable: "Callable[[SourceError], None]",
    ) -> None:
        self.findings: list[Finding] = []
        self.damage: list[Damage] = []
        self.dropped = 0
        self._open_questions = 0
        self._coordinator = coordinator
        self._wanted = producer_ids
        self._data = data
        self._left = most_ended if data == "all" else 0
        self._on_damage = on_damage
        self._limits = limits
        self._unreadable = unreadable
        self._read: list[_Partition] = []

    @property
    def as_of(self) -> int:
        """The newest time that brokers wrote, in the coordinator's log or in markers; else the newest of any batch."""
        known = max([self._coordinator.as_of, *(each.found.newest_marker for each in self._read)])
        return known if known >= 0 else max([-1, *(each.reading.newest_timestamp for each in self._read)])

    def read(self, found: "Found", last_time: int | None) -> None:
        """Read one partition.

        Raises:
            KafkafmtError: damage, with `on_damage="raise"`.
            SourceError: a file cannot be read.
        """
        gathered = DataTransactions(self._left, self._wanted)

        def see(number: int, rows: "Rows") -> None:
            gathered.see(number, rows)

        def see_damage(damage: "Damage") -> None:
            if not damage.is_open_end:
                gathered.see_damage()

        passed_over: list[Damage] = []
        end = None if last_time is None else end_at(found, last_time, self._on_damage, passed_over)
        # What has ended lies in front of what is open, and need not be read.
        reader = Reader(
            "both" if self._data == "all" else "snapshot",
            self._wanted,
            self._on_damage,
            self._limits,
            with_open=True,
            see=see,
            see_damage=see_damage,
            unreadable=self._unreadable,
        )
        if self._data == "all":
            self._begin(found, gathered)
        reading = reader.read(found, end)
        self.damage += each_once(passed_over, reading.damage)
        self.findings += reading.findings
        self._left = max(self._left - gathered.ended_count, 0)
        self.dropped += gathered.dropped if self._data == "all" else 0
        self._read.append(_Partition(reading, gathered))

    @property
    def asks_for_unknown_producers(self) -> bool:
        """Whether something is open of a producer that the coordinator's log does not know."""
        known = self._coordinator.id_of_producer
        return any(each.producer_id not in known for partition in self._read for each in _open_of(partition))

    def open_rows(self, judge: Judge, bootstrap_server: str) -> list[Transaction]:
        """The open transactions that are wanted, hanging ones first; by topic, partition and first offset.

        Raises:
            ChecksumError: of the first batch of one that would hang, with `on_damage="raise"`.
            SourceError: that batch cannot be read.
        """
        rows = []
        for each in self._read:
            for transaction in _open_of(each):
                partition = each.reading.found.partition
                verdict = judge.judge(transaction, partition.topic, partition.partition)
                self._open_questions += verdict.is_open_question
                row = _row_of_open(each, transaction, verdict, judge.duration_ms(transaction), bootstrap_server)
                if row.state == "hanging" and not self._is_sound(each, transaction):
                    row = replace(row, state="open", reason=_BROKEN, abort_command=None, abort_command_before_3_0=None)
                if self._data != "hanging" or row.state == "hanging":
                    rows.append(row)
        return sorted(rows, key=_order)

    def ended_rows(self) -> Iterator[Transaction]:
        """The transactions that ended, as far as they are kept."""
        names = self._coordinator.id_of_producer
        for each in self._read:
            for transaction in each.found.ended():
                yield _row_of_ended(each, transaction, names.get(transaction.producer_id))

    def notes(self) -> Iterator[str]:
        """What the user should know, once the open transactions were told."""
        if self._open_questions:
            number = self._open_questions
            are = (
                "1 transaction is open and may hang" if number == 1 else f"{number} transactions are open and may hang"
            )
            yield f"{are}: __transaction_state is missing or incomplete; name the disks that hold it too"
        if self.dropped:
            yield (
                f"{self.dropped} committed and aborted transactions are left out, the oldest of their partitions, as"
                " there are too many: name topics or partitions, or ask for open ones"
            )

    def _is_sound(self, each: _Partition, transaction: DataTransaction) -> bool:
        """Whether the CRC of its first batch is right: one flipped bit of a producer id looks like a transaction."""
        if transaction.segment < 0:
            return True
        found = each.reading.found
        segment = found.segments[transaction.segment]
        wrong: list[Damage] = []
        try:
            with segment.open() as file:
                reader = SegmentReader(
                    file, name=segment.file, limits=self._limits, on_damage=self._on_damage, report=wrong.append
                )
                position = transaction.position
                for _ in reader.walk(Entry.verify_checksum, position, position + 1):
                    pass
        except SourceError as error:
            self._unreadable(error)
        for damage in wrong:
            partition = found.partition
            text = f"position {damage.position}: {damage.error.message}, so its header cannot be believed"
            self.findings.append(Finding(partition.topic, partition.partition, segment.path, None, text))
        return not wrong

    def _begin(self, found: "Found", gathered: DataTransactions) -> None:
        """Let a snapshot at the beginning of the log tell what was open there."""
        segments = found.segments
        if found.file is not None or not segments or not segments[0].base_offset:
            return
        for offset, place in found.partition.producer_snapshot_files:
            if offset != segments[0].base_offset:
                continue
            try:
                gathered.begin(producer_snapshot.read(place).entries)
            except SourceError as error:
                self._unreadable(error)
            except KafkafmtError as error:
                partition = found.partition
                text = without_traceback(error).message
                self.findings.append(Finding(partition.topic, partition.partition, str(place), None, text))


def _open_of(each: _Partition) -> Iterator[DataTransaction]:
    """The open transactions of a partition: what its batches tell, and what only its snapshot still does."""
    met = set()
    for transaction in each.found.open():
        met.add(transaction.producer_id)
        known = each.reading.states.get(transaction.producer_id)
        start = None if known is None else known.current_txn_first_offset
        partial = start is not None and start < transaction.first_offset
        yield transaction._replace(
            coordinator_epoch=-1 if known is None else known.coordinator_epoch,
            first_offset=start if partial and start is not None else transaction.first_offset,
            start_timestamp=-1 if partial else transaction.start_timestamp,
            is_partial=transaction.is_partial or partial,
        )
    for producer_id, known in each.reading.states.items():
        if known.current_txn_first_offset is not None and producer_id not in met:
            yield of_snapshot(known.state(producer_id))


def _row_of_open(
    each: _Partition, transaction: DataTransaction, verdict: Verdict, duration_ms: int | None, server: str
) -> Transaction:
    partition = each.reading.found.partition
    commands: tuple[str | None, str | None] = (None, None)
    if verdict.is_hanging and partition.topic is not None and partition.partition is not None:
        where = (server, partition.topic, partition.partition)
        commands = (
            abort_command(*where, transaction.first_offset),
            abort_command_before_3_0(*where, transaction, transaction.coordinator_epoch),
        )
    return _row(
        each,
        transaction,
        state="hanging" if verdict.is_hanging else "open",
        transactional_id=verdict.transactional_id,
        duration_ms=duration_ms,
        verdict=(verdict.coordinator_state, verdict.reason, *commands),
    )


def _row_of_ended(each: _Partition, transaction: DataTransaction, name: str | None) -> Transaction:
    begun, ended = transaction.start_timestamp, transaction.last_timestamp
    duration = ended - begun if begun >= 0 and ended >= 0 else None
    state: Literal["committed", "aborted"] = "aborted" if transaction.outcome == "aborted" else "committed"
    return _row(each, transaction, state=state, transactional_id=name, duration_ms=duration)


def _row(
    each: _Partition,
    transaction: DataTransaction,
    *,
    state: Literal["hanging", "open", "committed", "aborted"],
    transactional_id: str | None,
    duration_ms: int | None,
    verdict: tuple[str | None, str | None, str | None, str | None] = (None, None, None, None),
) -> Transaction:
    found = each.reading.found
    is_there = transaction.segment >= 0
    coordinator_state, reason, command, older = verdict
    return Transaction(
        topic=found.partition.topic,
        partition=found.partition.partition,
        state=state,
        transactional_id=transactional_id,
        producer_id=transaction.producer_id,
        producer_epoch=transaction.producer_epoch,
        coordinator_epoch=_or_none(transaction.coordinator_epoch),
        first_offset=transaction.first_offset,
        last_offset=_or_none(transaction.last_offset),
        marker_offset=_or_none(transaction.marker_offset),
        start_timestamp=_or_none(transaction.start_timestamp),
        last_timestamp=_or_none(transaction.last_timestamp),
        duration_ms=duration_ms,
        records=transaction.records if is_there else None,
        bytes=transaction.bytes if is_there else None,
        told_by="log" if not transaction.is_partial else "both" if is_there else "snapshot",
        coordinator_state=coordinator_state,
        reason=reason,
        abort_command=command,
        abort_command_before_3_0=older,
        file=found.segments[transaction.segment].path if is_there else None,
        position=transaction.position if is_there else None,
    )


def _order(row: Transaction) -> tuple[bool, bool, str, int, int]:
    return row.state != "hanging", row.topic is None, row.topic or "", row.partition or 0, row.first_offset


def _or_none(number: int) -> int | None:
    return None if number == -1 else number
