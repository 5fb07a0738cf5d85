"""Random calls to a builder and random appends to a log, and the lines that WritingJudge.java reads."""

import base64
import random
from dataclasses import dataclass
from pathlib import Path

from kafkafmt.codec.compression import LABELS
from kafkafmt.writing import BatchBuilder

TOPIC_ID = "x8vK1pq5SWeBkqHXFyy4Kw"

NOW = 1_795_000_000_000
_NULL = "-"
_LETTERS = "aé€\U0001f600 k"
Headers = list[tuple[str, bytes | None]]


@dataclass(frozen=True)
class Record:
    """One call of `append`: the record, and its offset unless it is the next one."""

    timestamp: int
    key: bytes | None
    value: bytes | None
    headers: Headers
    offset: int | None

    def word(self) -> str:
        """The call in the format of WritingJudge.java."""
        headers = ",".join(f"{_base64(name.encode())}:{_base64(value)}" for name, value in self.headers)
        offset = _NULL if self.offset is None else self.offset
        return f"{self.timestamp} {_base64(self.key)} {_base64(self.value)} {headers} {offset}"

    def append_to(self, builder: BatchBuilder) -> None:
        """Make the call."""
        builder.append(self.timestamp, self.key, self.value, self.headers, offset=self.offset)


@dataclass(frozen=True)
class Marker:
    """One call of `append_control`: the end of a transaction."""

    timestamp: int
    type: str
    coordinator_epoch: int

    def word(self) -> str:
        """The call in the format of WritingJudge.java."""
        return f"{self.timestamp} {self.type} {self.coordinator_epoch}"

    def append_to(self, builder: BatchBuilder) -> None:
        """Make the call."""
        builder.append_control(self.timestamp, self.type, coordinator_epoch=self.coordinator_epoch)


@dataclass(frozen=True)
class Batch:
    """Arguments of a BatchBuilder, and calls to it."""

    message_format: int
    compression: str
    timestamp_type: str
    log_append_time: int
    base_offset: int
    producer: tuple[int, int, int]
    is_transactional: bool
    is_control: bool
    leader_epoch: int
    size_limit: int
    ratio: float
    calls: list[Record | Marker]

    def builder(self) -> BatchBuilder:
        """Make kafkafmt's builder.

        Raises:
            ValueError: the arguments contradict each other.
        """
        producer_id, producer_epoch, base_sequence = self.producer
        return BatchBuilder(
            message_format=self.message_format,
            compression=self.compression,
            timestamp_type=self.timestamp_type,
            log_append_time=self.log_append_time,
            base_offset=self.base_offset,
            producer_id=producer_id,
            producer_epoch=producer_epoch,
            base_sequence=base_sequence,
            is_transactional=self.is_transactional,
            is_control=self.is_control,
            partition_leader_epoch=self.leader_epoch,
            size_limit=self.size_limit,
            compression_ratio=self.ratio,
        )

    def build(self) -> bytes:
        """Make all calls on kafkafmt's builder.

        Raises:
            ValueError: the calls are ones that Kafka refuses, too.
        """
        builder = self.builder()
        for call in self.calls:
            call.append_to(builder)
        return builder.build()

    def line(self, built: bytes) -> str:
        """The batch in the format of WritingJudge.java, with the bytes that kafkafmt built."""
        words = (
            *(self.message_format, self.compression, self.timestamp_type, self.log_append_time, self.base_offset),
            *(*self.producer, self.is_transactional, self.is_control, self.leader_epoch, self.size_limit, self.ratio),
        )
        calls = ";".join(call.word() for call in self.calls)
        return "\t".join(("batch", " ".join(map(str, words)), calls, _base64(built)))


@dataclass(frozen=True)
class Log:
    """A log's configs and operations: the time and the batches of an append, or only the time for a roll."""

    segment_bytes: int
    segment_ms: int
    index_interval_bytes: int
    index_max_bytes: int
    start_offset: int
    operations: list[tuple[int, bytes | None]]

    def line(self, directory: Path) -> str:
        """The log in the format of WritingJudge.java, with the directory that kafkafmt wrote."""
        configs = {
            "internal.segment.bytes": self.segment_bytes,
            "segment.ms": self.segment_ms,
            "index.interval.bytes": self.index_interval_bytes,
            "segment.index.bytes": self.index_max_bytes,
            "retention.ms": -1,
            "file.delete.delay.ms": 0,
        }
        operations = ";".join(str(now) if data is None else f"{now} {_base64(data)}" for now, data in self.operations)
        given = ",".join(f"{name}={value}" for name, value in configs.items())
        return "\t".join(("log", given, str(self.start_offset), str(NOW), TOPIC_ID, operations, str(directory)))


def batch(chosen: random.Random) -> Batch:
    """Choose random calls to a builder, some of them invalid."""
    magic = chosen.choice((0, 1, 2, 2, 2, 2))
    is_append_time = chosen.random() < 0.2
    is_control = magic == 2 and chosen.random() < 0.1
    has_producer = is_control or (magic == 2 and chosen.random() < 0.3) or chosen.random() < 0.01
    producer = (chosen.choice((0, 7, 2**40)), chosen.choice((0, 3)), chosen.choice((0, 5, 2**31 - 2)))
    names = [name for name in LABELS.values() if name != "zstd" or magic == 2 or chosen.random() < 0.05]
    start = chosen.choice((0, 1, 2**31 - 1, 2**40))
    types = "LogAppendTime" if is_append_time else "CreateTime"
    calls: list[Record | Marker]
    if is_control:
        calls = [Marker(_timestamp(chosen), chosen.choice(("COMMIT", "ABORT")), chosen.choice((0, 9)))]
    else:
        calls = list(_records(chosen, magic, start, chosen.choice((0, 1, 5, 30))))
    return Batch(
        magic,
        "none" if is_control else chosen.choice(names),
        "NoTimestampType" if magic == 0 and not is_append_time else types,
        NOW if is_append_time else -1,
        start,
        producer if has_producer else (-1, -1, -1),
        has_producer and (is_control or chosen.random() < 0.5),
        is_control,
        chosen.choice((-1, 0, 12)),
        chosen.choice((1, 61, 100, 300, 1000, 16384)),
        chosen.choice((1.0, 1.0, 0.47, 1.31)),
        calls,
    )


def _records(chosen: random.Random, magic: int, start: int, count: int) -> list[Record]:
    found = []
    offset = start
    for _ in range(count):
        given = None
        if chosen.random() < 0.1:
            # Kafka accepts a first record below the base offset, and makes an unreadable batch; kafkafmt refuses the
            # record.
            given = offset = max(
                start, offset + chosen.choice((0, 0, 1, 100, 2**31 - 1 if chosen.random() < 0.05 else 7, -1))
            )
        headers = _headers(chosen) if magic == 2 or chosen.random() < 0.01 else []
        found.append(Record(_timestamp(chosen), _bytes(chosen), _bytes(chosen), headers, given))
        offset += 1
    return found


def _timestamp(chosen: random.Random) -> int:
    if chosen.random() < 0.9:
        return NOW + chosen.randrange(-1000, 1000)
    return chosen.choice((-1, 0, 2**62, 2**63 - 1, -2 if chosen.random() < 0.1 else 1))


def _bytes(chosen: random.Random) -> bytes | None:
    size = chosen.choice((None, 0, 1, 63, 64, 8191, *range(5, 40)))
    return None if size is None else chosen.randbytes(1 + size // 50) * 50 if size > 100 else chosen.randbytes(size)


def _headers(chosen: random.Random) -> Headers:
    if chosen.random() < 0.7:
        return []
    return [
        ("".join(chosen.choices(_LETTERS, k=chosen.randrange(4))), chosen.choice((None, b"", chosen.randbytes(9))))
        for _ in range(chosen.randrange(1, 4))
    ]


class _Producers:
    """Producers that write to the same log."""

    def __init__(self, chosen: random.Random) -> None:
        self._chosen = chosen
        self._sequences: dict[int, int] = {}
        self._open: set[int] = set()

    def data(self, count: int) -> tuple[tuple[int, int, int], bool]:
        """Producer fields of a batch, and whether it belongs to a transaction."""
        kind = self._chosen.random()
        if kind < 0.5:
            return (-1, -1, -1), False
        is_transactional = kind > 0.75
        producer = self._chosen.randrange(4) + (10 if is_transactional else 0)
        sequence = self._sequences.get(producer, 0)
        self._sequences[producer] = sequence + count
        if is_transactional:
            self._open.add(producer)
        return (producer, 0, sequence), is_transactional

    def ended(self) -> int | None:
        """A producer whose transaction ends; None if none is open."""
        if not self._open or self._chosen.random() < 0.5:
            return None
        producer = self._chosen.choice(sorted(self._open))
        self._open.remove(producer)
        return producer


def log(chosen: random.Random) -> Log:
    """Choose random appends to a log; some of them are refused."""
    is_small = chosen.random() < 0.3
    # Kafka writes several batches of one append that fill an index, and then fails.
    formats = (2,) if is_small else chosen.choice(((2,), (2,), (0, 1, 2)))
    start = chosen.choice((0, 0, 5, 2**33))
    now, offset, epoch = NOW, start, 0
    producers = _Producers(chosen)
    operations: list[tuple[int, bytes | None]] = []
    for _ in range(chosen.randrange(1, 25)):
        now += chosen.choice((0, 1, 1000, 90_000))
        if chosen.random() < 0.05:
            operations.append((now, None))
            continue
        data = b""
        for _ in range(1 if is_small else chosen.choice((1, 1, 2, 3))):
            epoch += chosen.random() < 0.1
            # Within an append, or with older formats, such a step leaves Kafka's log in a state in which it cannot be
            # closed.
            far = 2**31 if not data and len(formats) == 1 and chosen.random() < 0.05 else 50
            offset += chosen.choice((0, 0, 0, 0, 3, far))
            made, offset = _appended(chosen, producers, chosen.choice(formats), offset, epoch, now)
            data += made
        operations.append((now, data))
    return Log(
        chosen.choice((600, 2000, 10_000, 2**30)),
        chosen.choice((1000, 60_000, 604_800_000)),
        chosen.choice((0, 200, 4096)),
        60 if is_small else 1 << 20,
        start,
        operations,
    )


def _appended(
    chosen: random.Random, producers: _Producers, magic: int, offset: int, epoch: int, now: int
) -> tuple[bytes, int]:
    """Make a batch; returns the batch and the offset after it."""
    if chosen.random() < 0.01:
        offset = max(offset - 1, 0)  # refused unless the log is empty
    ended = producers.ended()
    if ended is not None:
        marker = BatchBuilder(
            producer_id=ended,
            producer_epoch=0,
            is_transactional=True,
            is_control=True,
            base_offset=offset,
            partition_leader_epoch=epoch,
        )
        marker.append_control(now, chosen.choice(("COMMIT", "ABORT")), coordinator_epoch=chosen.randrange(3))
        return marker.build(), offset + 1
    count = chosen.choice((1, 1, 2, 7))
    producer, is_transactional = producers.data(count) if magic == 2 else ((-1, -1, -1), False)
    codecs = ("none", "none", "gzip", "lz4", *(("zstd",) if magic == 2 else ()))
    builder = BatchBuilder(
        message_format=magic,
        compression=chosen.choice(codecs),
        timestamp_type="CreateTime" if magic else "NoTimestampType",
        base_offset=offset,
        producer_id=producer[0],
        producer_epoch=producer[1],
        base_sequence=producer[2],
        is_transactional=is_transactional,
        partition_leader_epoch=epoch,
    )
    for _ in range(count):
        timestamp = now + chosen.choice((0, 1, -5000, 70_000)) if chosen.random() < 0.95 else -1
        builder.append(timestamp, chosen.choice((None, b"key")), chosen.randbytes(chosen.choice((0, 20, 200))))
    return builder.build(), offset + count


def _base64(content: bytes | None) -> str:
    return _NULL if content is None else base64.b64encode(content).decode()
