"""The data's view of transactions: which are open, committed and aborted in each data partition, and which hang.

A hanging transaction never ends, and read_committed consumers stop before it. As in `kafka-transactions.sh
find-hanging`, a transaction hangs if the coordinator has no ongoing one for that producer and partition. Only without
the coordinator's log its age decides: it hangs if it is open for longer than `transaction.max.timeout.ms`.
"""

import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, Literal

from kafkafmt.errors import DataError, SourceError
from kafkafmt.files import producer_snapshot
from kafkafmt.limits import Limits
from kafkafmt.logdir.producer_batches import BatchWalk
from kafkafmt.topics.answers import StateFinding, counted, unless_unset
from kafkafmt.topics.internal_log import each_once, end_at
from kafkafmt.topics.producer_state.reading import PartitionReading, ProducerStateReader
from kafkafmt.topics.transaction_state.data import DataTransaction, DataTransactions, State, Transaction, of_snapshot

if TYPE_CHECKING:
    from collections.abc import Callable

    from kafkafmt.files.damage import Damage
    from kafkafmt.files.segment_reader import OnDamage
    from kafkafmt.logdir.sources import Found
    from kafkafmt.topics.transaction_state.coordinator import Coordinator, TransactionalId

Data = Literal["all", "open", "hanging"]

MAX_TRANSACTION_TIMEOUT_MS: Final = 15 * 60 * 1000
"""Default of the broker's `transaction.max.timeout.ms`."""

_BROKEN = "the checksum of its first batch is wrong: its producer id may be, and it no transaction at all"


@dataclass(frozen=True, slots=True)
class HangingVerdict:
    """Whether an open transaction hangs.

    Attributes:
        is_hanging: whether it hangs.
        reason: why, or what happens to it.
        transactional_id: its transactional id, or None if unknown.
        coordinator_state: state of that transactional id, or None.
        is_undecided: whether it may hang, but the disks do not decide it.
    """

    is_hanging: bool
    reason: str
    transactional_id: str | None = None
    coordinator_state: str | None = None
    is_undecided: bool = False


@dataclass(frozen=True, slots=True)
class HangingCheck:
    """Decides which open transactions hang.

    Attributes:
        coordinator: state of `__transaction_state`.
        as_of: newest time on the disks, in ms since the epoch; -1 if unknown.
        max_timeout_ms: longest transaction that does not hang, if the coordinator's log does not decide.
    """

    coordinator: "Coordinator"
    as_of: int
    max_timeout_ms: int = MAX_TRANSACTION_TIMEOUT_MS

    def verdict(self, transaction: DataTransaction, topic: str | None, partition: int | None) -> HangingVerdict:
        """Whether an open transaction in a partition hangs."""
        known = self.coordinator
        name = known.id_of_producer.get(transaction.producer_id)
        described = None if name is None else known.ids.get(name)
        state = None if described is None else described.state
        if transaction.is_doubtful:
            reason = "damage follows its first batch, in which its marker may be lost"
            return HangingVerdict(is_hanging=False, reason=reason, transactional_id=name, coordinator_state=state)
        if name is None:
            return self._of_unknown(transaction)
        if described is None:
            reason = f"__transaction_state no longer has transactional id {name}: it has expired"
            return HangingVerdict(is_hanging=True, reason=reason, transactional_id=name)
        return self._of_known(transaction, described, (topic, partition))

    def duration_ms(self, transaction: DataTransaction) -> int | None:
        """How long it has been open, or None if its times are unknown."""
        begun = transaction.start_timestamp if transaction.start_timestamp >= 0 else transaction.last_timestamp
        until = max(self.as_of, transaction.last_timestamp)
        return until - begun if begun >= 0 and until >= 0 else None

    def _of_unknown(self, transaction: DataTransaction) -> HangingVerdict:
        if self.coordinator.is_complete:
            return HangingVerdict(is_hanging=True, reason="the coordinator knows no transactional id of this producer")
        missing = "is missing" if not self.coordinator.partitions else "is incomplete"
        duration = self.duration_ms(transaction)
        if duration is not None and duration > self.max_timeout_ms:
            reason = f"open for longer than {self.max_timeout_ms} ms, and __transaction_state {missing}"
            return HangingVerdict(is_hanging=True, reason=reason)
        reason = f"__transaction_state {missing}"
        return HangingVerdict(is_hanging=False, reason=reason, is_undecided=True)

    def _of_known(
        self, transaction: DataTransaction, described: "TransactionalId", where: tuple[str | None, int | None]
    ) -> HangingVerdict:
        name, state = described.transactional_id, described.state
        same = described.producer_id == transaction.producer_id
        if not (same and described.is_unfinished and where in described.topic_partitions):
            if not same:
                has = f"has producer {described.producer_id} now"
            elif described.is_unfinished:
                has = f"is {state}, but not in this partition"
            else:
                has = f"is {state}: it has no ongoing transaction"
            reason = f"transactional id {name} {has}"
            return HangingVerdict(is_hanging=True, reason=reason, transactional_id=name, coordinator_state=state)
        if described.is_overdue:
            reason = (
                f"overdue: its transaction.timeout.ms of {described.transaction_timeout_ms} has passed;"
                " the coordinator aborts it when it runs"
            )
        elif state == "Ongoing":
            reason = "ongoing"
        else:
            reason = f"the coordinator is about to write its marker ({state})"
        return HangingVerdict(is_hanging=False, reason=reason, transactional_id=name, coordinator_state=state)


@dataclass(slots=True)
class _Partition:
    """Producers and transactions of one data partition."""

    reading: PartitionReading
    transactions: DataTransactions


@dataclass(slots=True)
class DataView:
    """Reads data partitions and makes rows of their transactions.

    Attributes:
        coordinator: state of `__transaction_state`.
        producer_ids: only these producers; None for all.
        data: which transactions are wanted; None for none.
        most_ended: number of ended transactions that are still kept.
        on_damage: as for `kafkafmt.topics.transactions`.
        limits: likewise.
        unreadable: called with a file other than the log that cannot be read; if it returns, the file is ignored.
        findings: what is wrong with producer snapshots, and with transactions that seem to hang.
        damage: stretches of logs that were skipped.
        dropped: number of ended transactions that are not kept, as there are more.
    """

    coordinator: "Coordinator"
    producer_ids: frozenset[int] | None
    data: Data | None
    most_ended: int
    on_damage: "OnDamage"
    limits: Limits
    unreadable: "Callable[[SourceError], None]"
    findings: list[StateFinding] = field(default_factory=list)
    damage: "list[Damage]" = field(default_factory=list)
    dropped: int = 0
    _undecided: int = 0
    _read: list[_Partition] = field(default_factory=list)

    @property
    def as_of(self) -> int:
        """The newest time that brokers wrote, in the coordinator's log or in markers; else the newest of any batch."""
        known = max([self.coordinator.as_of, *(each.transactions.newest_marker for each in self._read)])
        return known if known >= 0 else max([-1, *(each.reading.newest_timestamp for each in self._read)])

    def read(self, found: "Found", last_time: int | None) -> None:
        """Read one partition.

        Raises:
            KafkafmtError: damage, with `on_damage="raise"`.
            SourceError: a file cannot be read.
        """
        keeps_ended = self.data == "all"
        gathered = DataTransactions(self.most_ended if keeps_ended else 0, self.producer_ids)

        def see_damage(damage: "Damage") -> None:
            if not damage.is_open_end:
                gathered.see_damage()

        damage: list[Damage] = []
        end = None if last_time is None else end_at(found, last_time, self.on_damage, damage)
        # Ended transactions are before open ones, and are not read unless all are wanted.
        reader = ProducerStateReader(
            "both" if keeps_ended else "snapshot",
            self.producer_ids,
            self.on_damage,
            self.limits,
            with_open=True,
            see=gathered.see,
            see_damage=see_damage,
            unreadable=self.unreadable,
        )
        if keeps_ended:
            self._begin(found, gathered)
        reading = reader.read(found, end)
        self.damage += each_once(damage, reading.damage)
        self.findings += reading.findings
        self.most_ended = max(self.most_ended - gathered.ended_count, 0)
        self.dropped += gathered.dropped if keeps_ended else 0
        self._read.append(_Partition(reading, gathered))

    @property
    def asks_for_unknown_producers(self) -> bool:
        """Whether a transaction is open whose producer is not in the coordinator's log."""
        known = self.coordinator.id_of_producer
        return any(each.producer_id not in known for partition in self._read for each in _open_of(partition))

    def open_rows(self, check: HangingCheck, bootstrap_server: str) -> list[Transaction]:
        """The wanted open transactions, hanging ones first; then by topic, partition and first offset.

        Raises:
            ChecksumError: of the first batch of one that would hang, with `on_damage="raise"`.
            SourceError: that batch cannot be read.
        """
        rows = []
        for each in self._read:
            for transaction in _open_of(each):
                partition = each.reading.found.partition
                verdict = check.verdict(transaction, partition.topic, partition.partition)
                self._undecided += verdict.is_undecided
                row = _row_of_open(each, transaction, verdict, check.duration_ms(transaction), bootstrap_server)
                if row.state == "hanging" and not self._is_sound(each, transaction):
                    row = replace(row, state="open", reason=_BROKEN, abort_command=None, abort_command_before_3_0=None)
                if self.data != "hanging" or row.state == "hanging":
                    rows.append(row)
        return sorted(rows, key=_order)

    def ended_rows(self) -> Iterator[Transaction]:
        """The ended transactions that are kept."""
        names = self.coordinator.id_of_producer
        for each in self._read:
            for transaction in each.transactions.ended():
                yield _row_of_ended(each, transaction, names.get(transaction.producer_id))

    def notes(self) -> Iterator[str]:
        """Sentences for the user, after `open_rows`."""
        if self._undecided:
            are = counted(self._undecided, "transaction") + (" is" if self._undecided == 1 else " are")
            missing = "__transaction_state is missing or incomplete; name the disks that hold it too"
            yield f"{are} open and may hang: {missing}"
        if self.dropped:
            yield (
                f"{self.dropped} committed and aborted transactions are left out, the oldest of their partitions, as"
                " there are too many: name topics or partitions, or ask for open ones"
            )

    def _is_sound(self, each: _Partition, transaction: DataTransaction) -> bool:
        """Whether the CRC of its first batch is right: a flipped bit in a producer id looks like a transaction."""
        if transaction.segment < 0:
            return True
        found = each.reading.found
        wrong: list[Damage] = []
        try:
            walk = BatchWalk(found.segments, self.on_damage, self.limits)
            wrong = walk.wrong_checksums(transaction.segment, transaction.position)
        except SourceError as error:
            self.unreadable(error)
        for damage in wrong:
            text = f"position {damage.position}: {damage.error.message}, so its header is ignored"
            self.findings.append(_finding(found, found.segments[transaction.segment].path, text))
        return not wrong

    def _begin(self, found: "Found", gathered: DataTransactions) -> None:
        """Add the transactions that are open in a snapshot at the beginning of the log."""
        segments = found.segments
        if found.file is not None or not segments or not segments[0].base_offset:
            return
        for offset, place in found.partition.producer_snapshot_files:
            if offset != segments[0].base_offset:
                continue
            try:
                gathered.begin(producer_snapshot.read(place).entries)
            except SourceError as error:
                self.unreadable(error)
            except DataError as error:
                self.findings.append(_finding(found, str(place), error.message))


def _finding(found: "Found", file: str, message: str) -> StateFinding:
    return StateFinding(found.partition.topic, found.partition.partition, file, None, message)


def _open_of(each: _Partition) -> Iterator[DataTransaction]:
    """The open transactions of a partition: those of its batches, and those that only its snapshot has."""
    met = set()
    for transaction in each.transactions.open():
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
    each: _Partition, transaction: DataTransaction, verdict: HangingVerdict, duration_ms: int | None, server: str
) -> Transaction:
    partition = each.reading.found.partition
    row = _row(each, transaction, "hanging" if verdict.is_hanging else "open", verdict.transactional_id, duration_ms)
    command = older = None
    if verdict.is_hanging and partition.topic is not None and partition.partition is not None:
        abort = (
            f"kafka-transactions.sh --bootstrap-server {shlex.quote(server)} abort"
            f" --topic {shlex.quote(partition.topic)} --partition {partition.partition}"
        )
        command = f"{abort} --start-offset {transaction.first_offset}"
        # Brokers before 3.0 do not list open transactions; an unknown coordinator epoch is 0 there.
        older = (
            f"{abort} --producer-id {transaction.producer_id} --producer-epoch {transaction.producer_epoch}"
            f" --coordinator-epoch {max(transaction.coordinator_epoch, 0)}"
        )
    return replace(
        row,
        coordinator_state=verdict.coordinator_state,
        reason=verdict.reason,
        abort_command=command,
        abort_command_before_3_0=older,
    )


def _row_of_ended(each: _Partition, transaction: DataTransaction, name: str | None) -> Transaction:
    begun, ended = transaction.start_timestamp, transaction.last_timestamp
    duration_ms = ended - begun if begun >= 0 and ended >= 0 else None
    return _row(each, transaction, transaction.outcome, name, duration_ms)


def _row(
    each: _Partition, transaction: DataTransaction, state: State, transactional_id: str | None, duration_ms: int | None
) -> Transaction:
    found = each.reading.found
    on_disk = transaction.segment >= 0
    return Transaction(
        topic=found.partition.topic,
        partition=found.partition.partition,
        state=state,
        transactional_id=transactional_id,
        producer_id=transaction.producer_id,
        producer_epoch=transaction.producer_epoch,
        coordinator_epoch=unless_unset(transaction.coordinator_epoch),
        first_offset=transaction.first_offset,
        last_offset=unless_unset(transaction.last_offset),
        marker_offset=unless_unset(transaction.marker_offset),
        start_timestamp=unless_unset(transaction.start_timestamp),
        last_timestamp=unless_unset(transaction.last_timestamp),
        duration_ms=duration_ms,
        records=transaction.records if on_disk else None,
        bytes=transaction.bytes if on_disk else None,
        told_by="log" if not transaction.is_partial else "both" if on_disk else "snapshot",
        file=found.segments[transaction.segment].path if on_disk else None,
        position=transaction.position if on_disk else None,
    )


def _order(row: Transaction) -> tuple[bool, bool, str, int, int]:
    return row.state != "hanging", row.topic is None, row.topic or "", row.partition or 0, row.first_offset
