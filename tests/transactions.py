"""Logs with transactions, built batch by batch as brokers append them, and a model of Kafka's consumer reading them."""

import struct
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from tests.logdir.builders import file_name
from tests.reference import builder
from tests.reference.builder import CONTROL, TRANSACTIONAL, R

ABORT, COMMIT = 0, 1


def marker(
    offset: int,
    producer_id: int,
    kind: int,
    *,
    epoch: int = 1,
    attributes: int = TRANSACTIONAL | CONTROL,
    key: bytes | None = None,
    value: bytes | None = None,
    timestamp_delta: int = 0,
) -> bytes:
    """Pack a control batch with one marker, as written for a transaction coordinator."""
    key = struct.pack(">hh", 0, kind) if key is None else key
    value = struct.pack(">hi", 0, 7) if value is None else value
    return builder.batch(
        [R(key=key, value=value, timestamp_delta=timestamp_delta)],
        base_offset=offset,
        attributes=attributes,
        producer_id=producer_id,
        producer_epoch=epoch,
    )


def data(offset: int, producer_id: int = -1, count: int = 1, *, attributes: int = 0, value: bytes = b"v") -> bytes:
    """Pack a batch of `count` records, transactional if it has a producer id."""
    return builder.batch(
        [R(offset_delta=delta, value=value) for delta in range(count)],
        base_offset=offset,
        attributes=attributes | (TRANSACTIONAL if producer_id >= 0 else 0),
        producer_id=producer_id,
        producer_epoch=0 if producer_id >= 0 else -1,
        base_sequence=0 if producer_id >= 0 else -1,
    )


@dataclass(frozen=True)
class Appended:
    """One batch of a log, and its kind."""

    content: bytes
    first: int
    last: int
    producer_id: int
    kind: int | None = None
    is_transactional: bool = True

    @property
    def offsets(self) -> range:
        return range(self.first, self.last + 1)


@dataclass
class Log:
    """A log that is appended to."""

    base_offset: int = 0
    batches: list[Appended] = field(default_factory=list)

    @property
    def end(self) -> int:
        return self.batches[-1].last + 1 if self.batches else self.base_offset

    def data(self, producer_id: int = -1, count: int = 1, **options: int) -> range:
        """Append records and return their offsets."""
        content = data(self.end, producer_id, count, **options)  # type: ignore[arg-type]
        self.batches.append(Appended(content, self.end, self.end + count - 1, producer_id, None, producer_id >= 0))
        return self.batches[-1].offsets

    def idempotent(self, producer_id: int) -> range:
        """Append a record of a producer outside its transactions."""
        content = builder.batch(base_offset=self.end, producer_id=producer_id, producer_epoch=0, base_sequence=0)
        self.batches.append(Appended(content, self.end, self.end, producer_id, None, is_transactional=False))
        return self.batches[-1].offsets

    def end_of(self, producer_id: int, kind: int, *, epoch: int = 1) -> int:
        """Append a marker and return its offset."""
        self.batches.append(
            Appended(marker(self.end, producer_id, kind, epoch=epoch), self.end, self.end, producer_id, kind)
        )
        return self.end - 1

    def commit(self, producer_id: int) -> int:
        return self.end_of(producer_id, COMMIT)

    def abort(self, producer_id: int) -> int:
        return self.end_of(producer_id, ABORT)

    def write(self, directory: Path, *rolled_at: int) -> Path:
        """Write the segments into a partition directory; each of these batches starts a new one."""
        directory.mkdir(parents=True, exist_ok=True)
        bounds = [0, *rolled_at, len(self.batches)]
        for begin, end in pairwise(bounds):
            part = self.batches[begin:end]
            first = part[0].first if part else self.end
            path = directory / file_name(first if begin else self.base_offset)
            path.write_bytes(b"".join(each.content for each in part))
        return directory


def consumed(log: list[Appended], log_end: int | None = None) -> tuple[list[int], int | None]:
    """Offsets that a read_committed consumer gets, and the last stable offset if a transaction is open.

    The broker records aborted transactions (`ProducerStateManager`, `TransactionIndex`); the consumer gets them with
    each fetch and skips their records (`CompletedFetch`).
    """
    known = [each for each in log if log_end is None or each.first < log_end]
    ongoing: dict[int, int] = {}
    aborted: list[tuple[int, int]] = []
    for each in known:
        if each.kind is not None:
            first = ongoing.pop(each.producer_id, None)
            if first is not None and each.kind == ABORT:
                aborted.append((first, each.producer_id))
        elif each.is_transactional:
            ongoing.setdefault(each.producer_id, each.first)
    stable = min(ongoing.values(), default=None)
    aborted.sort()
    skipped: set[int] = set()
    delivered: list[int] = []
    for each in known:
        if stable is not None and each.first >= stable:
            break
        while aborted and aborted[0][0] <= each.last:
            skipped.add(aborted.pop(0)[1])
        if each.kind is not None:
            if each.kind == ABORT:
                skipped.discard(each.producer_id)
        elif not (each.is_transactional and each.producer_id in skipped):
            delivered += each.offsets
    return delivered, stable
