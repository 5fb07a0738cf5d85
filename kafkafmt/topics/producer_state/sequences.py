"""Sequence check: finds batches of a producer that Kafka would refuse if a client sent them now.

An idempotent producer (KIP-98) numbers its records in each partition from 0 on in each epoch. The leader compares each
batch with the producer's last batches, at most five (`ProducerStateManager`, `ProducerAppendInfo`). Followers do not,
nor does a starting broker, so a log can hold batches that a leader refuses.

Each fault is reported once: after a gap the check continues from the new batch, after a repeated or outdated batch from
the earlier batches.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from kafkafmt.errors import LimitExceededError
from kafkafmt.libraries import np
from kafkafmt.logdir.producer_runs import DATA, EMPTY_MARKER, Int64s, Rows
from kafkafmt.logdir.producer_states import MOST_PRODUCERS
from kafkafmt.phrases import counted

if TYPE_CHECKING:
    from kafkafmt.files.producer_snapshot import ProducerState

REPEAT: Final = "repeat"
REPEAT_BEYOND_FIVE: Final = "repeat beyond five"
SEQUENCE_GAP: Final = "sequence gap"
EPOCH_NOT_FROM_0: Final = "epoch not from 0"
EPOCH_BACK: Final = "epoch back"
INVALID_SEQUENCE: Final = "invalid sequence"

REMEMBERED_BATCHES: Final = 5
"""Batches of a producer that a broker remembers (`ProducerStateEntry.NUM_BATCHES_TO_RETAIN`)."""

EXPIRATION_MS: Final = 86_400_000
"""Time after which a broker forgets an idle producer, in ms: the default of `producer.id.expiration.ms`."""

_SEQUENCES: Final = 2**31
"""Number of sequence numbers; after the last one comes 0."""


class SequencedBatch(NamedTuple):
    """A batch of a producer, or a marker.

    Attributes:
        producer_id: id of the producer.
        producer_epoch: producer epoch.
        base_offset: offset of the first record.
        last_offset: offset of the last record.
        base_sequence: sequence number of the first record; -1 for none.
        last_sequence: sequence number of the last record; -1 for none. A batch can begin with a negative number and end
            with another.
        timestamp: largest timestamp of the batch, or timestamp of the marker, in ms since the epoch.
        first_timestamp: timestamp of the first record, in ms since the epoch.
        position: position of the batch in its file, in bytes.
        kind: kind, as in `kafkafmt.logdir.producer_runs.BATCH`.
    """

    producer_id: int
    producer_epoch: int
    base_offset: int
    last_offset: int
    base_sequence: int
    last_sequence: int
    timestamp: int
    first_timestamp: int
    position: int
    kind: int


class SequenceFault(NamedTuple):
    """A batch that Kafka would refuse.

    Attributes:
        finding: "repeat", "repeat beyond five", "sequence gap", "epoch not from 0", "epoch back" or "invalid sequence".
        batch: the batch.
        detail: what Kafka expected, in words.
        may_be_removed: whether the log lacks as many offsets since the producer's last batch as sequence numbers are
            missing.
    """

    finding: str
    batch: SequencedBatch
    detail: str
    may_be_removed: bool = False


class _Remembered(NamedTuple):
    base_sequence: int
    last_sequence: int
    base_offset: int


@dataclass(slots=True)
class _Producer:
    """The remembered state of a producer.

    Attributes:
        epoch: latest producer epoch.
        timestamp: timestamp of its last batch or marker.
        missing: number of offsets that the log lacks before its last batch.
        batches: last batches of this epoch with a sequence number.
    """

    epoch: int
    timestamp: int
    missing: int
    batches: deque[_Remembered] = field(default_factory=lambda: deque(maxlen=REMEMBERED_BATCHES))

    @property
    def expected(self) -> int:
        """The sequence number with which its next batch must begin."""
        return (self.batches[-1].last_sequence + 1) % _SEQUENCES if self.batches else 0


class SequenceCheck:
    """Checks the batches of one partition.

    Args:
        snapshot: the producers at the start of the log, if known.
        missing: number of offsets before the log.
        producer_ids: only these producers; None for all.
        of_coordinator: whether a coordinator wrote the log, whose sequence numbers Kafka does not check
            (`AppendOrigin.COORDINATOR`).
    """

    def __init__(
        self,
        snapshot: "Iterable[ProducerState]" = (),
        missing: int = 0,
        producer_ids: frozenset[int] | None = None,
        *,
        of_coordinator: bool = False,
    ) -> None:
        self._wanted = producer_ids
        self._of_coordinator = of_coordinator
        self._start = missing
        self._producers: dict[int, _Producer] = {}
        for entry in snapshot:
            known = self._producers[entry.producer_id] = _Producer(entry.producer_epoch, entry.timestamp, missing)
            if entry.has_batch and entry.last_sequence >= 0:
                base = (entry.last_sequence - entry.offset_delta) % _SEQUENCES
                known.batches.append(_Remembered(base, entry.last_sequence, entry.last_offset - entry.offset_delta))

    def check(self, rows: Rows, missing: Int64s) -> Iterator[SequenceFault]:
        """Find the faults among adjacent batches, in log order.

        Args:
            rows: the next batches of the log, of type `kafkafmt.logdir.producer_runs.BATCH`.
            missing: number of offsets that the log lacks before each batch.

        Raises:
            LimitExceededError: there are more than `MOST_PRODUCERS` producers.
        """
        if self._wanted is not None:
            chosen = np.isin(rows["producer_id"], list(self._wanted))
            rows, missing = rows[chosen], missing[chosen]
        if not len(rows):
            return
        order = np.argsort(rows["producer_id"], kind="stable")
        ordered, missing = rows[order], missing[order]
        base, last = (ordered[name].astype(np.int64) for name in ("base_sequence", "last_sequence"))
        begins = np.ones(len(ordered), np.bool_)
        begins[1:] = (ordered["kind"][1:] != DATA) | (ordered["kind"][:-1] != DATA)
        for name in ("producer_id", "producer_epoch"):
            begins[1:] |= ordered[name][1:] != ordered[name][:-1]
        begins[1:] |= (last[:-1] < 0) | (base[1:] != (last[:-1] + 1) % _SEQUENCES)
        begins[1:] |= ordered["first_timestamp"][1:] - ordered["timestamp"][:-1] >= EXPIRATION_MS
        firsts = np.flatnonzero(begins).tolist()
        names = ("producer_id", "producer_epoch", "base_offset", "last_offset")
        others = ("timestamp", "first_timestamp", "position", "kind")
        columns = [ordered[name] for name in names] + [base, last] + [ordered[name] for name in others]
        run = _Run(columns, missing)
        faults: list[tuple[int, SequenceFault]] = []
        for begin, end in zip(firsts, [*firsts[1:], len(ordered)], strict=True):
            faults += ((int(order[number]), fault) for number, fault in self._check_run(run, begin, end))
        yield from (fault for _, fault in sorted(faults, key=lambda found: found[0]))

    def _check_run(self, run: "_Run", begin: int, end: int) -> Iterator[tuple[int, SequenceFault]]:
        """Check consecutive batches of a producer: a batch after an accepted one is accepted, too."""
        for number in range(begin, end):
            batch, missing = run.batch(number), run.missing_before(number)
            known = self._producers.get(batch.producer_id)
            # A marker has the broker's time, while timestamps of a batch may come from the client.
            if known is not None and batch.kind == DATA and batch.first_timestamp - known.timestamp >= EXPIRATION_MS:
                known = None
            fault = self._fault(batch, known, missing)
            if fault is not None:
                yield number, fault
            if self._apply(batch, known, missing) and number + 1 < end:
                self._follow(run, number + 1, end)
                return

    def _fault(self, batch: SequencedBatch, known: _Producer | None, missing: int) -> SequenceFault | None:
        if batch.kind == DATA and batch.base_sequence < 0 and not self._of_coordinator:
            detail = f"sequence {batch.base_sequence}, expected {0 if known is None else known.expected}"
            return SequenceFault(INVALID_SEQUENCE, batch, detail)
        if known is None or batch.kind == EMPTY_MARKER:
            return None
        if batch.producer_epoch < known.epoch:
            return SequenceFault(EPOCH_BACK, batch, f"epoch {known.epoch} -> {batch.producer_epoch}")
        if batch.base_sequence < 0 or self._of_coordinator:
            return None
        lacking, gone = missing - known.missing, self._start - known.missing
        if batch.producer_epoch > known.epoch or not known.batches:
            if batch.base_sequence <= max(gone, 0):
                return None
            detail = f"epoch {known.epoch} -> {batch.producer_epoch}, " if batch.producer_epoch > known.epoch else ""
            return SequenceFault(
                EPOCH_NOT_FROM_0, batch, f"{detail}expected sequence 0", lacking >= batch.base_sequence
            )
        if batch.base_sequence == known.expected:
            return None
        for other in known.batches:
            if (other.base_sequence, other.last_sequence) == (batch.base_sequence, batch.last_sequence):
                return SequenceFault(REPEAT, batch, f"the batch at offset {other.base_offset}")
        detail = f"expected sequence {known.expected}"
        skipped = (batch.base_sequence - known.expected) % _SEQUENCES
        if skipped >= _SEQUENCES // 2:
            return SequenceFault(REPEAT_BEYOND_FIVE, batch, detail)
        if skipped <= gone:
            return None
        return SequenceFault(SEQUENCE_GAP, batch, f"{detail}, {counted(skipped, 'record')} missing", lacking >= skipped)

    def _apply(self, batch: SequencedBatch, known: _Producer | None, missing: int) -> bool:
        """Remember a batch; return whether its last record is now the producer's last."""
        if batch.kind == EMPTY_MARKER or (known is not None and batch.producer_epoch < known.epoch):
            return False
        is_marker = batch.kind != DATA
        if known is None:
            if len(self._producers) >= MOST_PRODUCERS:
                raise LimitExceededError(
                    "too many producers wrote to this partition; name some by their ids",
                    expected=f"at most {MOST_PRODUCERS}",
                )
            # A producer whose first batch on disk is a marker has lost earlier batches, to which any offset missing
            # from 0 on may belong.
            known = _Producer(batch.producer_epoch, batch.timestamp, 0 if is_marker else missing)
            self._producers[batch.producer_id] = known
        elif batch.producer_epoch > known.epoch:
            known.epoch, known.missing = batch.producer_epoch, missing
            known.batches.clear()
        if batch.base_sequence >= 0 and not is_marker:
            ahead = (batch.last_sequence + 1 - known.expected) % _SEQUENCES
            if known.batches and not 0 < ahead < _SEQUENCES // 2:
                return known.batches[-1].last_sequence == batch.last_sequence
            known.batches.append(_Remembered(batch.base_sequence, batch.last_sequence, batch.base_offset))
            known.missing = missing
        known.timestamp = batch.timestamp
        return not is_marker and batch.base_sequence >= 0

    def _follow(self, run: "_Run", begin: int, end: int) -> None:
        """Remember batches that follow the producer's last one."""
        known = self._producers[run.batch(begin).producer_id]
        for number in range(max(begin, end - REMEMBERED_BATCHES), end):
            batch = run.batch(number)
            known.batches.append(_Remembered(batch.base_sequence, batch.last_sequence, batch.base_offset))
            known.timestamp, known.missing = batch.timestamp, run.missing_before(number)


@dataclass(frozen=True, slots=True)
class _Run:
    """Batches sorted by producer, as columns in the order of `SequencedBatch`."""

    columns: "list[Int64s]"
    missing: Int64s

    def batch(self, number: int) -> SequencedBatch:
        return SequencedBatch(*(int(column[number]) for column in self.columns))

    def missing_before(self, number: int) -> int:
        return int(self.missing[number])
