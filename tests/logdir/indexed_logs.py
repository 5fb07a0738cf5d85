"""Logs of several segments with the indexes that a broker would write, and the correct answers of look-ups.

The answers come from a walk over all records by the reference engine, without any index.
"""

import random
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import kafkafmt
from kafkafmt.files import segment as segments
from kafkafmt.io.base import MemoryFile
from kafkafmt.logdir.lookup import EntryPlace, RecordTime
from kafkafmt.reference.header import INT64_MAX, BatchHeader
from tests.logdir.builders import CONTROL, LOG_APPEND_TIME, batch, file_name
from tests.reference import builder

FLAVOURS = ("ascending", "disorderly", "append time", "compacted", "messages", "no times")
INTERVAL = 200


def entries(flavour: str, first: int, number: int, seed: int) -> Iterator[bytes]:
    """Entries from an offset on; their times ascend, or jump up and down."""
    rnd = random.Random(seed)
    offset = first
    for step in range(number):
        size = rnd.randint(1, 4)
        time = 10_000 * seed + 10 * step
        if flavour == "compacted":
            offset += rnd.choice((0, 0, 1, 7))
        if flavour == "messages":
            inner = [builder.message(at, timestamp=time + at, magic=1) for at in range(size)]
            if size == 1 or step % 5 == 0:
                yield builder.message(offset, timestamp=time, magic=step % 2)
                size = 1
            else:
                yield builder.wrapper(offset + size - 1, b"".join(inner), timestamp=time + size - 1)
        elif flavour == "compacted" and step % 7 == 3:
            yield builder.batch(
                [], base_offset=offset, last_offset_delta=size - 1, base_timestamp=-1, max_timestamp=time
            )
        elif flavour == "disorderly":
            yield batch(offset, size, timestamp=10_000 * seed + rnd.randrange(400))
        elif flavour == "no times" and step % 3:
            yield batch(offset, timestamp=-1)
            size = 1
        else:
            attributes = LOG_APPEND_TIME if flavour == "append time" else CONTROL if step % 6 == 5 else 0
            yield batch(offset, size, timestamp=time, attributes=attributes, key=b"\0\0\0\0")
        offset += size


@dataclass(frozen=True)
class Log:
    """A partition directory and its records, in order."""

    path: Path
    batches: Sequence[tuple[Path, BatchHeader]]
    records: Sequence[tuple[Path, RecordTime]]

    @property
    def partition(self) -> kafkafmt.Partition:
        return kafkafmt.Partition(str(self.path))

    @property
    def offsets(self) -> range:
        return range(-2, max(header.last_offset or 0 for _, header in self.batches) + 3)

    @property
    def times(self) -> list[int]:
        found = {record.timestamp + by for _, record in self.records for by in (-1, 0, 1)}
        return sorted(found | {-1, 0, 2**62})

    def indexes(self, kind: str) -> list[Path]:
        return sorted(self.path.glob(f"*.{kind}"))

    def place(self, offset: int) -> EntryPlace | None:
        bases = [path for path, _ in self.batches if int(path.stem) <= offset]
        for path, header in self.batches:
            if bases and path >= bases[-1] and (header.last_offset or 0) >= offset:
                stated = header.last_offset if header.base_offset is None else header.base_offset
                return EntryPlace(path.name, header.position, stated or 0, header.size_in_bytes)
        return None

    def first_at(self, time: int, start: int = 0) -> RecordTime | None:
        late = (each for _, each in self.records if each.timestamp >= time and each.offset >= start)
        return next(late, None)

    def largest(self, end: int = INT64_MAX) -> RecordTime | None:
        timed = [each for _, each in self.records if each.timestamp >= 0 and each.offset < end]
        return max(timed, key=lambda each: (each.timestamp, -each.offset), default=None)


def kafka_log(path: Path, flavour: str = "ascending", *, each: int = 20, segments_: int = 3) -> Log:
    """Segments of given entry counts, with the indexes of rolled segments and, for the last, of an active one."""
    path.mkdir(parents=True, exist_ok=True)
    first = 5
    for number in range(segments_):
        data = b"".join(entries(flavour, first, each, number + 1))
        log = path / file_name(first)
        log.write_bytes(data)
        write_indexes(log, is_active=number == segments_ - 1)
        last = [header.last_offset for header in headers(data)][-1]
        assert last is not None
        first = last + (20 if flavour == "compacted" else 1)
    return read_log(path)


def headers(data: bytes) -> list[BatchHeader]:
    return list(segments.batches(MemoryFile("x", data)))


def read_log(path: Path) -> Log:
    logs = sorted(path.glob("*.log"))
    batches = [(log, header) for log in logs for header in headers(log.read_bytes())]
    records = [
        (log, RecordTime(record.offset, record.timestamp, record.batch.partition_leader_epoch))
        for log in logs
        for record in kafkafmt.Segment(log).records()
    ]
    return Log(path, batches, records)


def write_indexes(log: Path, *, is_active: bool = False, interval: int = INTERVAL) -> None:
    """Write a log file's indexes as a broker does: an entry whenever enough bytes follow the previous one."""
    base = int(log.stem)
    latest, at_offset = -1, 0
    offsets: list[tuple[int, int]] = []
    times: list[tuple[int, int]] = []
    since = 0
    for header in headers(log.read_bytes()):
        last = (header.last_offset or 0) - base
        if (header.max_timestamp or 0) > latest:
            latest, at_offset = header.max_timestamp or 0, last
        if since > interval:
            offsets.append((last, header.position))
            if latest > (times[-1][0] if times else -1):
                times.append((latest, at_offset))
            since = 0
        since += header.size_in_bytes
    if latest > (times[-1][0] if times else -1) and not is_active:
        times.append((latest, at_offset))
    padding = 100 if is_active else 0
    write_offset_index(log, offsets, padding)
    write_time_index(log, times, padding)


def write_offset_index(log: Path, slots: Sequence[tuple[int, int]], padding: int = 0) -> None:
    data = b"".join(struct.pack(">ii", *slot) for slot in slots)
    log.with_suffix(".index").write_bytes(data + bytes(8 * padding))


def write_time_index(log: Path, slots: Sequence[tuple[int, int]], padding: int = 0) -> None:
    data = b"".join(struct.pack(">qi", *slot) for slot in slots)
    log.with_suffix(".timeindex").write_bytes(data + bytes(12 * padding))
