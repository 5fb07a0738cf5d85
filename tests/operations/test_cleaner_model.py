"""One pass of the cleaner, compared with a record-by-record model over the reference engine's records."""

import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kafkafmt.files import offset_checkpoint
from kafkafmt.files.offset_checkpoint import PartitionOffset
from kafkafmt.logdir.partition import Partition
from kafkafmt.operations import compaction
from kafkafmt.reference.header import BatchHeader
from kafkafmt.reference.record import Record
from kafkafmt.writing import BatchBuilder, LogWriter

NOW, RETENTION = 1_700_000_000_000, 3_600_000
KEYS = (None, b"", b"a", b"b", b"c", b"a key of more than eight bytes")

Stored = tuple[BatchHeader, list[Record], int]
Left = tuple[int, int, tuple[tuple[int, int, bytes | None, bytes | None], ...], int | None, bool]


@dataclass
class Written:
    """Randomly drawn batches of a log, with the state of its producers."""

    offset: int = 0
    sequences: dict[int, int] = field(default_factory=dict)
    open: set[int] = field(default_factory=set)


@st.composite
def batches(draw: st.DrawFn, log: Written) -> bytes:
    """The next batch of a log: plain, of a producer, of a transaction, or a marker."""
    kind = draw(st.sampled_from(["plain", "plain", "plain", "idempotent", "transactional", "marker"]))
    producer = {"plain": -1, "idempotent": 1, "transactional": 2, "marker": 2}[kind] + draw(st.booleans()) * 2
    if kind == "plain":
        producer = -1
    log.offset += draw(st.sampled_from([0, 0, 0, 2]))
    common: dict[str, Any] = {"base_offset": log.offset, "partition_leader_epoch": 0, "producer_id": producer}
    horizon = draw(st.sampled_from([None, None, None, NOW - 1, NOW, NOW + 1]))
    if kind == "marker":
        builder = BatchBuilder(
            **common, producer_epoch=0, is_transactional=True, is_control=True, delete_horizon_ms=horizon
        )
        builder.append_control(NOW - 10, draw(st.sampled_from(["COMMIT", "ABORT"])), coordinator_epoch=0)
        log.open.discard(producer)
        log.offset += 1
        return builder.build()
    if producer >= 0:
        common |= {"producer_epoch": 0, "base_sequence": log.sequences.get(producer, 0)}
    if kind == "transactional":
        log.open.add(producer)
    builder = BatchBuilder(
        **common,
        is_transactional=kind == "transactional",
        compression=draw(st.sampled_from(["none", "none", "gzip", "zstd", "snappy", "lz4"])),
        timestamp_type=draw(st.sampled_from(["CreateTime", "CreateTime", "LogAppendTime"])),
        log_append_time=NOW - 7,
        delete_horizon_ms=horizon,
    )
    offsets = sorted(draw(st.sets(st.integers(log.offset, log.offset + 5), min_size=1, max_size=4)))
    for offset in offsets:
        value = draw(st.sampled_from([None, b"v", b"value " * 5]))
        headers = draw(st.sampled_from([(), (("h", b"1"), ("n", None))]))
        builder.append(NOW - draw(st.integers(0, 100_000)), draw(st.sampled_from(KEYS)), value, headers, offset=offset)
    last = offsets[-1] + draw(st.sampled_from([0, 0, 1]))
    log.sequences[producer] = log.sequences.get(producer, 0) + last - log.offset + 1
    log.offset = last + 1
    return builder.build(last)


@st.composite
def logs(draw: st.DrawFn) -> list[list[bytes]]:
    """Segments of a log with some batches each; no transaction stays open."""
    log = Written()
    segments = [[draw(batches(log)) for _ in range(draw(st.integers(1, 4)))] for _ in range(draw(st.integers(2, 5)))]
    for producer in sorted(log.open):
        marker = BatchBuilder(
            base_offset=log.offset,
            partition_leader_epoch=0,
            producer_id=producer,
            producer_epoch=0,
            is_transactional=True,
            is_control=True,
        )
        marker.append_control(NOW, "COMMIT", coordinator_epoch=0)
        segments[-1].append(marker.build())
        log.offset += 1
    return segments


@pytest.mark.slow
@settings(deadline=None, max_examples=100)
@given(logs(), st.integers(0, 12), st.integers(2, 8), st.booleans())
def test_a_pass_leaves_what_the_model_says(
    segments: list[list[bytes]], first_dirty: int, capacity: int, is_old: bool
) -> None:
    with tempfile.TemporaryDirectory() as place:
        log_dir = Path(place) / "log-dir"
        partition, end = write(log_dir, segments, first_dirty)
        stored = read(partition)
        active = partition.segments[-1].base_offset or 0
        first_dirty = min(first_dirty, end)
        expiration = 50 if is_old else 10**9
        expected, up_to = model(stored, first_dirty, active, capacity, expiration)
        answer = compaction(
            log_dir,
            at=NOW,
            out=Path(place) / "out",
            config=config(expiration, capacity),
        )
        (row,) = answer.partitions
        if first_dirty >= active:
            assert row.stats is None
            return
        assert row.stats is not None
        assert row.cleaned_up_to == up_to
        after = read(Partition(Path(place) / "out" / "t-0"))
        assert [left(header, records) for header, records, _ in after] == expected
        below = [(header, records) for header, records, base in after if base < active]
        deletes = [each for _, records in below for each in records if each.value is None and each.key is not None]
        assert row.stats.tombstones == len(deletes)
        horizons = [header.delete_horizon_ms for header, _ in below if header.delete_horizon_ms is not None]
        assert row.stats.delete_horizon == min(horizons, default=None)
        size = sum(segment.size for segment in partition.segments)
        assert row.removable_bytes == size - sum(header.size_in_bytes for header, _, _ in after)
        preview = compaction(log_dir, at=NOW, config=config(expiration, capacity))
        assert preview.to_table().drop(["path"]) == answer.to_table().drop(["path"])


def config(expiration: int, capacity: int) -> dict[str, object]:
    return {
        "cleanup.policy": "compact",
        "delete.retention.ms": RETENTION,
        "producer.id.expiration.ms": expiration,
        # 24 bytes per slot, nine of ten slots used.
        "log.cleaner.dedupe.buffer.size": 24 * -(-capacity * 10 // 9),
    }


def write(log_dir: Path, segments: list[list[bytes]], first_dirty: int) -> tuple[Partition, int]:
    """Write a log with its high watermark at the end; return it and its log end offset."""
    log_dir.mkdir()
    writer = LogWriter(log_dir / "t-0", created_ms=NOW, topic_id="AAAAAAAAAAAAAAAAAAAAAQ")
    for number, segment in enumerate(segments):
        if number:
            writer.roll(NOW)
        writer.append(b"".join(segment), NOW)
    writer.close()
    partition = Partition(log_dir / "t-0")
    end = partition.log_end_offset or 0
    for name, offset in (("replication", end), ("cleaner", min(first_dirty, end)), ("recovery-point", end)):
        content = offset_checkpoint.encode([PartitionOffset("t", 0, offset)])
        (log_dir / f"{name}-offset-checkpoint").write_bytes(content)
    (log_dir / ".kafka_cleanshutdown").write_bytes(b"")
    return Partition(log_dir / "t-0"), end


def read(partition: Partition) -> list[Stored]:
    """Batches and their records, one by one."""
    found: list[Stored] = []
    for segment in partition.segments:
        records = list(segment.records())
        at = 0
        for header in segment.batches():
            found.append((header, records[at : at + (header.count or 0)], segment.base_offset or 0))
            at += header.count or 0
    return found


def left(header: BatchHeader, records: list[Record]) -> Left:
    rows = tuple((each.offset, each.timestamp, each.key, each.value) for each in records)
    is_control = header.is_control_batch
    return header.base_offset or 0, header.last_offset or 0, rows, header.delete_horizon_ms, is_control


def model(stored: list[Stored], first_dirty: int, end: int, capacity: int, expiration: int) -> tuple[list[Left], int]:
    """The batches that a pass leaves, and the offset it reaches."""
    aborted = aborted_batches(stored)
    latest: dict[bytes, int] = {}
    up_to = 0
    for header, records, base in stored:
        if base >= end:
            up_to = end
            break
        for record in records:
            if record.key is None or record.offset < first_dirty or header.is_control_batch or id(header) in aborted:
                continue
            if len(latest) == capacity:
                break
            latest[record.key] = record.offset
            up_to = record.offset + 1
        else:
            up_to = max(up_to, (header.last_offset or 0) + 1) if (header.last_offset or 0) >= first_dirty else up_to
            continue
        break
    last_of = {header.producer_id: header for header, _, _ in stored if header.producer_id >= 0 and is_data(header)}
    newest = {header.producer_id: header.max_timestamp or 0 for header, _, _ in stored}
    expected: list[Left] = []
    with_data: set[int] = set()
    for header, records, base in stored:
        if base >= up_to:
            expected.append(left(header, records))
            continue
        stays = (header.last_offset or 0) + 1 == end
        last = last_of.get(header.producer_id)
        if last is not None and NOW - newest[header.producer_id] < expiration:
            stays |= header.last_offset == last.last_offset
        elif last is None and header.producer_id >= 0:
            stays |= NOW - newest[header.producer_id] < expiration
        horizon = header.delete_horizon_ms
        marks_nothing = False
        if header.is_control_batch:
            marks_nothing = header.producer_id not in with_data
            with_data.discard(header.producer_id)
            kept = [] if marks_nothing and horizon is not None and horizon <= NOW else records
        else:
            if header.is_transactional:
                with_data.add(header.producer_id)
            kept = [] if id(header) in aborted else [each for each in records if stays_on(header, each, latest, up_to)]
        if not kept and not stays:
            continue
        if horizon is None and kept and (marks_nothing or any(each.value is None for each in kept)):
            horizon = NOW + RETENTION
        expected.append((*left(header, kept)[:3], horizon if kept else None, header.is_control_batch))
    return expected, up_to


def is_data(header: BatchHeader) -> bool:
    return not header.is_control_batch


def stays_on(header: BatchHeader, record: Record, latest: dict[bytes, int], up_to: int) -> bool:
    if record.offset >= up_to:
        return True
    if record.key is None:
        return False
    is_due = header.delete_horizon_ms is not None and header.delete_horizon_ms <= NOW
    return record.offset >= latest.get(record.key, -1) and (record.value is not None or not is_due)


def aborted_batches(stored: list[Stored]) -> set[int]:
    """Batches of transactions that end with an abort."""
    of_producer: dict[int, list[int]] = {}
    aborted: set[int] = set()
    for header, records, _ in stored:
        if header.is_control_batch:
            batches = of_producer.pop(header.producer_id, [])
            if records[0].control_type == "ABORT":
                aborted.update(batches)
        elif header.is_transactional:
            of_producer.setdefault(header.producer_id, []).append(id(header))
    return aborted
