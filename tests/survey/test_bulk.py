"""A survey in bulk and one entry by entry give the same facts and findings, whatever the bytes are."""

import random
import struct
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import kafkafmt.columnar.decoder  # noqa: F401 - with kernels loaded records are decoded in bulk, however few
from kafkafmt import Segment
from kafkafmt.codec.compression import Compression
from kafkafmt.columnar.headers import Batches
from kafkafmt.files.read_window import ReadWindow
from kafkafmt.files.segment_reader import SegmentReader
from kafkafmt.logdir.epoch_check import EpochCheck
from kafkafmt.logdir.leader_epochs import EpochHistory
from kafkafmt.logdir.partition import Partition
from kafkafmt.survey import index_order, indexes, segment_walk
from kafkafmt.survey.segment_findings import Place
from kafkafmt.survey.segment_walk import Depth
from kafkafmt.survey.segments import survey_segment
from kafkafmt.survey.side_files import EpochFindings
from tests.golden_cases import GOLDEN
from tests.reference.builder import R, batch, message

DEPTHS: tuple[Depth, ...] = ("headers", "checksums", "records")
BAD_DATA = Path(__file__).parents[1] / "bad_data"
NOW = 1_700_000_000_000
BATCHES = 60


def answers(path: Path, depth: Depth, next_base_offset: int | None) -> tuple[Any, ...]:
    """The full survey of one log file, with errors as text."""
    partition = Partition(Segment(path).location.parent)
    epochs = EpochFindings(partition, EpochCheck(EpochHistory(())))
    place = Place("t", 0, may_end_open=next_base_offset is None, next_base_offset=next_base_offset)
    facts = survey_segment(Segment(path), place, depth=depth, epochs=epochs)
    problems = [(replace(each, problem=None, sanity_error=None), str(each.problem)) for each in facts.indexes]
    return replace(facts, indexes=()), problems, epochs.end()


def assert_equal_by_entry(path: Path, monkeypatch: pytest.MonkeyPatch, next_base_offset: int | None = None) -> None:
    for depth in DEPTHS:
        found = answers(path, depth, next_base_offset)
        with monkeypatch.context() as patch:
            patch.setattr(segment_walk, "_FEW_BYTES", 0)
            for module in (indexes, index_order):
                patch.setattr(module, "FEW", -1)
            assert found == answers(path, depth, next_base_offset), f"{depth}, all in bulk"
        with monkeypatch.context() as patch:
            patch.setattr(SegmentReader, "bulk_walk", lambda self, visit, **_: self.walk(visit))
            for module in (indexes, index_order):
                patch.setattr(module, "FEW", 10**9)
            assert found == answers(path, depth, next_base_offset), f"{depth}, all one by one"


def logs() -> list[Path]:
    """Log files, of golden cases those of different bytes."""
    found = {path.read_bytes(): path for root in (GOLDEN, BAD_DATA) for path in sorted(root.rglob("*.log"))}
    return list(found.values())


@pytest.mark.volume
def test_golden_and_bad_segments(monkeypatch: pytest.MonkeyPatch) -> None:
    for path in logs():
        assert_equal_by_entry(path, monkeypatch)


def test_some_golden_segments(monkeypatch: pytest.MonkeyPatch) -> None:
    for path in random.Random(7).sample(sorted(GOLDEN.rglob("*.log")), 40):
        assert_equal_by_entry(path, monkeypatch)


def segment_of(rnd: random.Random) -> bytes:
    """Batches as brokers, producers and the cleaner leave them, and some that they would not."""
    parts = []
    offset, epoch, time = 0, 3, NOW
    odd = rnd.choice((0, 0, 0.02, 0.2))
    for _ in range(BATCHES):
        count = rnd.choice((1, 1, 2, 5))
        fields: dict[str, Any] = {"attributes": rnd.choice((0, 0, 0, 8, 0x40, Compression.GZIP))}
        if rnd.random() < odd:
            offset += rnd.choice((-3, -40, 1, 7, 1000))
        if rnd.random() < odd:
            epoch = max(-1, epoch + rnd.choice((-1, 1, 1)))
        if rnd.random() < odd:
            fields["last_offset_delta"] = count + rnd.randrange(4)
        time += rnd.choice((0, 1, 1000, -1000))
        maximum = rnd.choice((0, -1, 5, NOW * 1000)) if rnd.random() < odd else time
        fields |= {"base_timestamp": maximum - rnd.choice((0, 5)), "max_timestamp": maximum, "leader_epoch": epoch}
        if rnd.random() < odd / 2:
            parts.append(message(max(offset, 0), b"k", b"v", magic=1))
            offset += 1
        values = [R(number, value=bytes(rnd.randrange(300))) for number in range(count)]
        parts.append(batch(values, base_offset=max(offset, 0), **fields))
        offset += fields.get("last_offset_delta", count - 1) + 1
    return b"".join(parts)


def indexes_of(data: bytes, rnd: random.Random) -> tuple[bytes, bytes]:
    """An offset and a time index of these batches, with a few wrong numbers in some."""
    odd = rnd.choice((0, 0, 0.02, 0.3))
    by_offset, by_time = b"", b""
    position, latest = 0, -1
    while position + 61 <= len(data):
        first, size = struct.unpack_from(">qi", data, position)
        if data[position + 16] == 2:
            (delta,) = struct.unpack_from(">i", data, position + 23)
            (maximum,) = struct.unpack_from(">q", data, position + 35)
            wrong = rnd.choice((-1, 1, 40)) if rnd.random() < odd else 0
            latest = max(latest, maximum)
            if rnd.random() < 0.4:
                by_offset += struct.pack(">ii", first + delta + wrong, position + wrong * rnd.choice((0, 1)))
                by_time += struct.pack(">qi", latest - wrong, first + delta - wrong)
        position += 12 + size
    if rnd.random() < odd:
        by_offset += struct.pack(">ii", 2**20, len(data) + 7)
        by_time += struct.pack(">qi", 0, 2**20)
    zeros = bytes(rnd.choice((0, 0, 24)))
    return by_offset + zeros, by_time + zeros


def mutated(data: bytes, rnd: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(rnd.choice((0, 0, 1, 3))):
        at = rnd.randrange(len(changed))
        changed[at] ^= 1 << rnd.randrange(8)
    return bytes(changed[: rnd.randrange(len(changed))] if rnd.random() < 0.2 else changed)


@pytest.mark.parametrize("seed", range(60))
def test_made_and_mutated_segments(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rnd = random.Random(seed)
    monkeypatch.setattr(indexes, "_CHUNK", rnd.choice((2, 5, 4096)))
    path = tmp_path / f"{0:020}.log"
    data = segment_of(rnd)
    by_offset, by_time = indexes_of(data, rnd)
    path.write_bytes(mutated(data, rnd))
    path.with_suffix(".index").write_bytes(by_offset)
    path.with_suffix(".timeindex").write_bytes(by_time)
    assert_equal_by_entry(path, monkeypatch, rnd.choice((None, 200, 10_000)))


@pytest.mark.parametrize("depth", DEPTHS)
def test_ordinary_batches_are_taken_in_bulk(depth: Depth, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / f"{0:020}.log"
    batches = (batch(base_offset=number, leader_epoch=1, max_timestamp=1000) for number in range(BATCHES))
    path.write_bytes(b"".join(batches))
    taken: list[int] = []
    take = ReadWindow.take

    def counted(window: ReadWindow, batches: Batches) -> None:
        taken.append(len(batches))
        take(window, batches)

    monkeypatch.setattr(ReadWindow, "take", counted)
    facts = survey_segment(Segment(path), Place(), depth=depth)
    assert (sum(taken), facts.batches, facts.records, facts.next_offset) == (BATCHES, BATCHES, BATCHES, BATCHES)
