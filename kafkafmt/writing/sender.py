"""Simulates a producer's sender: drains batches from the accumulator after each record, or at regular intervals."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TypedDict, Unpack

from kafkafmt.reference.record import Header
from kafkafmt.writing.accumulator import Accumulator, ProducerBatch

Arrival = tuple[int, int, bytes | None, bytes | None, Sequence[Header], int | None]
"""Time when a record is given to the producer (ms), timestamp (ms), key, value, headers, and partition or None."""


class AccumulatorOptions(TypedDict, total=False):
    """Arguments of `Accumulator`."""

    partitions: int
    batch_size: int
    linger_ms: int
    compression: str
    compression_level: int | None
    max_request_size: int
    leaders: Sequence[int | None] | None
    adaptive_partitioning: bool
    random: Iterator[int] | None
    compression_ratio: float


def accumulate(
    records: Iterable[Arrival],
    *,
    sender_interval_ms: int | None = None,
    flush: bool = False,
    **options: Unpack[AccumulatorOptions],
) -> Iterator[ProducerBatch]:
    """Give the batches that a producer would have sent, as they are drained.

    Args:
        records: records in order of arrival.
        sender_interval_ms: None for a sender that is always free: it runs after every record, and at each moment that
            `Accumulator.ready` announced, before a record of that moment. Otherwise it runs at multiples of this time,
            with one `ready` and one `drain` each.
        flush: whether the producer is flushed after the last record.
        options: arguments of `Accumulator`.

    Raises:
        ValueError: an argument or record is invalid.
    """
    if sender_interval_ms is not None and sender_interval_ms < 1:
        raise ValueError(f"sender_interval_ms must be 1 or more, not {sender_interval_ms}")
    accumulator = Accumulator(**options)
    sender = _FreeSender(accumulator) if sender_interval_ms is None else _TimedSender(accumulator, sender_interval_ms)
    now = None
    for now, timestamp, key, value, headers, partition in records:
        yield from sender.run_until(now)
        accumulator.append(now, timestamp, key, value, headers, partition)
        yield from sender.after_append(now)
    if now is None:
        return
    if flush:
        accumulator.flush()
        yield from sender.after_append(now)
    yield from sender.finish()


class _FreeSender:
    def __init__(self, accumulator: Accumulator) -> None:
        self._accumulator = accumulator
        self._next: int | None = None

    def run_until(self, now: int) -> Iterator[ProducerBatch]:
        """Run at the announced moments, up to a record's arrival."""
        while self._next is not None and self._next <= now:
            yield from self.after_append(self._next)

    def after_append(self, now: int) -> Iterator[ProducerBatch]:
        """Run until no node is ready."""
        while True:
            ready = self._accumulator.ready(now)
            if not ready.nodes:
                break
            yield from self._accumulator.drain(now, sorted(ready.nodes))
        delay = ready.next_check_delay_ms
        self._next = None if delay is None else now + delay

    def finish(self) -> Iterator[ProducerBatch]:
        """Run at the announced moments until nothing waits."""
        while self._next is not None:
            yield from self.after_append(self._next)


class _TimedSender:
    def __init__(self, accumulator: Accumulator, interval_ms: int) -> None:
        self._accumulator = accumulator
        self._interval = interval_ms
        self._next: int | None = None

    def run_until(self, now: int) -> Iterator[ProducerBatch]:
        """Run at each multiple up to a record's arrival."""
        if self._next is None:
            self._next = -(-now // self._interval) * self._interval
        while self._next <= now:
            if not self._accumulator.waits():
                # Skips the multiples before the record: with nothing to send, they change nothing.
                self._next = max(self._next, now // self._interval * self._interval)
            yield from self._run(self._next)

    def after_append(self, _now: int) -> Collection[ProducerBatch]:
        """Wait for the next multiple."""
        return ()

    def finish(self) -> Iterator[ProducerBatch]:
        """Run at the following multiples until nothing waits."""
        while self._next is not None and self._accumulator.waits():
            yield from self._run(self._next)

    def _run(self, now: int) -> Iterator[ProducerBatch]:
        ready = self._accumulator.ready(now)
        yield from self._accumulator.drain(now, sorted(ready.nodes))
        self._next = now + self._interval
