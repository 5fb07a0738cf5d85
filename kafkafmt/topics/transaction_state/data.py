"""The data's view of transactions: the open, committed and aborted ones of each data partition."""

from array import array
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from kafkafmt.columnar.headers import ABORT, COMMIT
from kafkafmt.errors import DataError, SourceError
from kafkafmt.files import producer_snapshot
from kafkafmt.findings import Finding
from kafkafmt.limits import Limits
from kafkafmt.logdir.producer_batches import BatchWalk
from kafkafmt.logdir.producer_runs import LogTransaction, OngoingTransactions, ProducerRun
from kafkafmt.phrases import counted_are
from kafkafmt.topics.answers import finding_in
from kafkafmt.topics.producer_state.reading import PartitionReading, ProducerStateReader
from kafkafmt.topics.transaction_state.data_rows import Transaction, row_of_ended, row_of_open
from kafkafmt.topics.transaction_state.hanging import HangingCheck

if TYPE_CHECKING:
    from kafkafmt.errors import OnDamage
    from kafkafmt.files.damage import Damage
    from kafkafmt.files.producer_snapshot import ProducerState
    from kafkafmt.logdir.found import Found
    from kafkafmt.topics.answers import AsOf
    from kafkafmt.topics.transaction_state.coordinator import Coordinator

Data = Literal["all", "open", "hanging"]

_BROKEN: Final = "the checksum of its first batch is wrong: its producer id may be too, or it may not be a transaction"
_A_BLOCK: Final = 4096
_MOST_PRODUCERS: Final = 10_000
_FIELDS: Final = tuple(field.name for field in fields(LogTransaction))
_VALUES: Final = attrgetter(*_FIELDS)


class DataTransactions:
    """Collects the transactions of a partition from its batches, in log order.

    Args:
        most_ended: limit of committed and aborted transactions that are kept, the newest or a few thousand more; each
            takes an eighth of a kilobyte. 0 for none.
        producer_ids: only these producers; None for all.

    Attributes:
        ended_count: number of ended transactions that are kept.
        dropped: number of ended transactions that are not kept because of the limit.
        newest_marker: largest timestamp of a marker, by a broker's clock, in ms since the epoch; -1 for none.
    """

    def __init__(self, most_ended: int, producer_ids: frozenset[int] | None = None) -> None:
        self.ended_count = 0
        self.dropped = 0
        self.newest_marker = -1
        self._wanted = producer_ids
        self._most_ended = most_ended
        self._open = OngoingTransactions()
        self._ended: deque[array[int]] = deque()

    def begin(self, entries: "Iterable[ProducerState]") -> None:
        """Add transactions that are open in a snapshot at the start of the log."""
        for entry in entries:
            if entry.current_txn_first_offset is not None and self._takes(entry.producer_id):
                self._open[entry.producer_id] = LogTransaction.of_snapshot(entry)

    def see(self, runs: Iterable[ProducerRun]) -> None:
        """Add the next batches.

        Raises:
            LimitExceededError: too many transactions are open at once.
        """
        for run in runs:
            if self._takes(run.producer_id):
                if run.kind in (ABORT, COMMIT):
                    self.newest_marker = max(self.newest_marker, run.timestamp)
                ended = self._open.add(run)
                if ended is not None:
                    self._keep(ended)

    def see_damage(self) -> None:
        """Note damage after the batches so far, in which markers may be lost."""
        for known in self._open.values():
            known.is_doubtful = True

    def open(self) -> Iterator[LogTransaction]:
        """Transactions that are open at the end."""
        return iter(self._open.values())

    def ended(self) -> Iterator[LogTransaction]:
        """Ended transactions that are kept, by first offset."""
        if not self._ended:
            return
        rows = np.concatenate([np.frombuffer(block, np.int64) for block in self._ended]).reshape(-1, len(_FIELDS))
        order = np.argsort(rows[:, _FIELDS.index("first_offset")], kind="stable")
        for begin in range(0, len(order), _A_BLOCK):
            yield from (LogTransaction(*row) for row in rows[order[begin : begin + _A_BLOCK]].tolist())

    def _takes(self, producer_id: int) -> bool:
        return self._wanted is None or producer_id in self._wanted

    def _keep(self, ended: LogTransaction) -> None:
        if not self._most_ended:
            self.dropped += 1
            return
        if not self._ended or len(self._ended[-1]) >= _A_BLOCK * len(_FIELDS):
            self._ended.append(array("q"))
        self._ended[-1].extend(_VALUES(ended))
        self.ended_count += 1
        if self.ended_count - len(self._ended[0]) // len(_FIELDS) >= self._most_ended:
            gone = len(self._ended.popleft()) // len(_FIELDS)
            self.ended_count -= gone
            self.dropped += gone


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
        data: wanted transactions; None for none.
        most_ended: number of ended transactions that may still be kept.
        on_damage: as for `kafkafmt.topics.transactions`.
        limits: as for `kafkafmt.topics.transactions`.
        unreadable: called with the error of an unreadable file other than the log; if it returns, the file is ignored.
        findings: faults of producer snapshots, and of transactions that seem to hang.
        damage: ranges of logs that were skipped.
        dropped: number of ended transactions that are not kept because of the limit.
        producers: ids of producers in the logs and snapshots: all of the requested ones, some of the others.
        is_whole: whether all batches of the partitions were read, without damage.
    """

    coordinator: "Coordinator"
    producer_ids: frozenset[int] | None
    data: Data | None
    most_ended: int
    on_damage: "OnDamage"
    limits: Limits
    unreadable: "Callable[[SourceError], None]"
    findings: list[Finding] = field(default_factory=list)
    damage: "list[Damage]" = field(default_factory=list)
    dropped: int = 0
    producers: set[int] = field(default_factory=set)
    is_whole: bool = True
    _undecided: int = 0
    _read: list[_Partition] = field(default_factory=list)

    @property
    def as_of(self) -> int:
        """The newest time that brokers wrote, in the coordinator's log or in markers; else the newest of any batch."""
        known = max([self.coordinator.as_of, *(each.transactions.newest_marker for each in self._read)])
        return known if known >= 0 else max([-1, *(each.reading.newest_timestamp for each in self._read)])

    def read(self, found: "Found", as_of: "AsOf") -> None:
        """Read one partition, as of a moment.

        Raises:
            KafkafmtError: damage, with `on_damage="raise"`.
            SourceError: a file cannot be read.
        """
        keeps_ended = self.data == "all"
        gathered = DataTransactions(self.most_ended if keeps_ended else 0, self.producer_ids)

        # Unless ended transactions are wanted, only the newest snapshot is read, and the log from the earliest
        # transaction on that is open in the snapshot.
        reader = ProducerStateReader(
            "both" if keeps_ended else "snapshot",
            self.producer_ids,
            self.on_damage,
            self.limits,
            with_open=True,
            see=partial(self._see, gathered),
            see_damage=gathered.see_damage,
            unreadable=self.unreadable,
        )
        if keeps_ended:
            self._begin(found, gathered)
        reading = reader.read(found, as_of)
        self.damage += reading.damage
        self.findings += reading.findings
        self.most_ended = max(self.most_ended - gathered.ended_count, 0)
        self.dropped += gathered.dropped if keeps_ended else 0
        self._read.append(_Partition(reading, gathered))
        self.producers.update(producer_id for producer_id, _ in reading.states.items())
        is_shortened = reading.snapshot is not None and not keeps_ended
        self.is_whole &= not is_shortened and all(each.is_open_end for each in reading.damage)

    def _see(self, gathered: DataTransactions, runs: "Sequence[ProducerRun]") -> None:
        """Add the next batches of a partition."""
        gathered.see(runs)
        if self.producer_ids is not None:
            ids = {run.producer_id for run in runs}
            self.producers |= ids if len(self.producers) < _MOST_PRODUCERS else ids & self.producer_ids

    @property
    def asks_for_unknown_producers(self) -> bool:
        """Whether a transaction is open whose producer is not in the coordinator's log."""
        known = self.coordinator.id_of_producer
        return any(each.producer_id not in known for partition in self._read for each in _open_of(partition))

    def open_rows(self, check: HangingCheck, bootstrap_server: str) -> list[Transaction]:
        """The wanted open transactions, hanging ones first; then by topic, partition and first offset.

        Raises:
            ChecksumError: the first batch of a transaction that would hang has a wrong CRC, with `on_damage="raise"`.
            SourceError: that batch cannot be read.
        """
        rows = []
        for each in self._read:
            for transaction in _open_of(each):
                found = each.reading.found
                verdict = check.verdict(transaction, found.partition.topic, found.partition.partition)
                self._undecided += verdict.is_undecided
                row = row_of_open(found, transaction, verdict, check.duration_ms(transaction), bootstrap_server)
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
                yield row_of_ended(each.reading.found, transaction, names.get(transaction.producer_id))

    def notes(self) -> Iterator[str]:
        """Notes for the user, once `open_rows` has been called."""
        if self._undecided:
            missing = "__transaction_state is missing or incomplete; name the disks that hold it too"
            yield f"{counted_are(self._undecided, 'transaction')} open and may hang: {missing}"
        if self.dropped:
            yield (
                f"{self.dropped} committed and aborted transactions are left out, the oldest of their partitions, as"
                " there are too many: name topics or partitions, or ask for open ones"
            )

    def _is_sound(self, each: _Partition, transaction: LogTransaction) -> bool:
        """Whether the CRC of the first batch is right: a flipped bit in a producer id looks like a transaction."""
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
            text = f"{damage.error.message}, so its header is ignored"
            path = found.segments[transaction.segment].path
            self.findings.append(finding_in(found.partition, path, text, position=damage.position))
        return not wrong

    def _begin(self, found: "Found", gathered: DataTransactions) -> None:
        """Add the transactions that are open in a snapshot at the start of the log."""
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
                self.findings.append(finding_in(found.partition, str(place), error.message))


def _open_of(each: _Partition) -> Iterator[LogTransaction]:
    """The open transactions of a partition, from its batches, and those that only its snapshot has."""
    met = set()
    for transaction in each.transactions.open():
        met.add(transaction.producer_id)
        known = each.reading.states.get(transaction.producer_id)
        start = None if known is None else known.current_txn_first_offset
        partial = start is not None and start < transaction.first_offset
        yield replace(
            transaction,
            coordinator_epoch=-1 if known is None else known.coordinator_epoch,
            first_offset=start if partial and start is not None else transaction.first_offset,
            start_timestamp=-1 if partial else transaction.start_timestamp,
            is_partial=transaction.is_partial or partial,
        )
    for producer_id, known in each.reading.states.items():
        if known.current_txn_first_offset is not None and producer_id not in met:
            transaction = LogTransaction.of_snapshot(known.state(producer_id))
            yield replace(transaction, coordinator_epoch=known.coordinator_epoch)


def _order(row: Transaction) -> tuple[bool, bool, str, int, int]:
    return row.state != "hanging", row.topic is None, row.topic or "", row.partition or 0, row.first_offset
