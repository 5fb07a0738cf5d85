"""A scan with several threads equals one with a single thread, also if files are damaged, shrink, or cannot be read."""

import errno
import os
import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import kafkafmt
from kafkafmt import SourceError
from kafkafmt.scanning import batching, decoders, open_task
from tests.engines import Outcome, load_kernels, outcome
from tests.golden_cases import Case, cases
from tests.reference.builder import R, batch, message, wrapper

WINDOW = 2000


@pytest.fixture(autouse=True)
def little_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make windows and parts so small that files have many."""
    load_kernels()
    monkeypatch.setattr(open_task, "_WINDOW_BYTES", WINDOW)
    monkeypatch.setattr(decoders, "_LEAST_OF_A_PART", 100)
    monkeypatch.setattr(decoders, "_MOST_OF_A_PART", 1000)
    monkeypatch.setattr(batching, "_FEW_ROWS", 1)


def found(source: Path, threads: int, **asked: Any) -> tuple[Outcome, object]:
    """The rows and the reported damage of a pass."""
    scan = kafkafmt.scan(source, threads=threads, **asked)
    return outcome(scan), scan.notes


def log(count: int = 120) -> bytes:
    """Batches interspersed with wrappers, in all codecs, each of a few hundred bytes."""
    rnd = random.Random(5)
    entries = []
    for number in range(count):
        offset = 5 * number
        if number // 10 % 2:
            inner = b"".join(message(offset + n, value=rnd.randbytes(60), magic=0) for n in range(5))
            entries.append(wrapper(offset + 4, inner, codec=rnd.choice((1, 2, 3)), magic=0))
        else:
            records = [R(n, n, b"k", rnd.randbytes(60)) for n in range(5)]
            entries.append(batch(records, base_offset=offset, attributes=rnd.choice((0, 1, 2, 3, 4))))
    return b"".join(entries)


@pytest.mark.slow
@pytest.mark.parametrize("threads", [2, 4])
def test_sound_and_damaged_logs(threads: int, tmp_path: Path) -> None:
    data = log()
    path = tmp_path / f"{0:020d}.log"
    path.write_bytes(data)
    whole, _ = found(path, threads)
    assert (whole, ()) == found(path, 1, engine="reference")
    assert whole.table.num_rows == 600
    rnd = random.Random(threads)
    for _ in range(40):
        damaged = bytearray(data)
        for position in rnd.sample(range(len(data)), rnd.choice((1, 1, 3, 20))):
            damaged[position] ^= 1 << rnd.randrange(8)
        path.write_bytes(damaged[: len(data) - rnd.choice((0, 0, 1, 5000))])
        for on_damage in ("raise", "skip"):
            assert found(path, threads, on_damage=on_damage) == found(path, 1, on_damage=on_damage)


@pytest.mark.parametrize("case", cases(), ids=str)
def test_golden_cases(case: Case) -> None:
    asked: dict[str, Any] = {"on_damage": "skip", "control_records": True, "replica": "all"}
    assert found(case.log_dir, 2, **asked) == found(case.log_dir, 1, **asked)


def check_what_came_before(given: list[pa.RecordBatch], whole: pa.Table, end: int, threads: int) -> None:
    """Check that all rows before the failed read were given, apart from at most a few windows before `end`."""
    table = pa.Table.from_batches(given, whole.schema)
    assert table.equals(whole.slice(0, table.num_rows))
    assert end - 3 * threads * WINDOW < whole["position"][table.num_rows].as_py() < end


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_a_file_that_shrinks(threads: int, tmp_path: Path) -> None:
    path = tmp_path / f"{0:020d}.log"
    path.write_bytes(log())
    whole = kafkafmt.scan(path).to_table()
    reader = kafkafmt.scan(path, threads=threads).to_reader()
    given = [reader.read_next_batch()]
    left = path.stat().st_size * 3 // 4
    os.truncate(path, left)
    with pytest.raises(SourceError, match="shrank") as caught:
        given.extend(reader)
    assert caught.value.position == left
    check_what_came_before(given, whole, left, threads)
    assert reader.damage == []


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_a_place_that_cannot_be_read(threads: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / f"{0:020d}.log"
    path.write_bytes(log())
    broken = path.stat().st_size * 3 // 4
    whole = kafkafmt.scan(path).to_table()
    preadv = os.preadv

    def failing(descriptor: int, buffers: list[memoryview], position: int) -> int:
        if position <= broken < position + len(buffers[0]):
            raise OSError(errno.EIO, "Input/output error")
        return preadv(descriptor, buffers, position)

    monkeypatch.setattr(os, "preadv", failing)
    reader = kafkafmt.scan(path, threads=threads, on_damage="skip").to_reader()
    given: list[pa.RecordBatch] = []
    with pytest.raises(SourceError, match="Input/output error") as caught:
        given.extend(reader)
    assert caught.value.position is not None
    assert broken - threads * WINDOW < caught.value.position <= broken
    check_what_came_before(given, whole, broken, threads)
    assert reader.damage == []
