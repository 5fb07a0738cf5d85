"""The columnar engine in unusual conditions: without numba, or in a forked child."""

import gc
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pyarrow as pa
import pytest

import kafkafmt
from kafkafmt.columnar import kernels
from kafkafmt.columnar.code_cache import CodeCache
from kafkafmt.columnar.decoder import Decoder
from kafkafmt.columnar.payloads import PayloadReader
from kafkafmt.files.read_window import ReadWindow
from kafkafmt.reference import record_batch
from kafkafmt.reference.record import Record
from kafkafmt.scanning import decoders, scan_bytes
from kafkafmt.scanning.batch_filter import BatchFilter, BatchMasks
from kafkafmt.scanning.decoders import Decoders
from tests.engines import load_kernels, shown
from tests.reference.builder import R, batch, message

LITTLE = batch() + message()


@pytest.fixture
def no_numba(monkeypatch: pytest.MonkeyPatch) -> None:
    """Simulate the first process on a machine with a broken numba, before much was read."""
    load_kernels()
    monkeypatch.setattr(Decoders, "met", 0)
    monkeypatch.setattr(decoders, "_KERNELS", "not loaded")
    monkeypatch.delitem(sys.modules, "kafkafmt.columnar.header_walk")
    for kernel in (getattr(kernels, name) for names in kernels._MODULES.values() for name in names):
        monkeypatch.setattr(kernel, "_code", {})
    monkeypatch.setattr(CodeCache, "load", lambda *_: None)
    monkeypatch.delitem(sys.modules, "kafkafmt.columnar.kernels.compiling", raising=False)
    # Python raises ImportError for it.
    monkeypatch.setitem(sys.modules, "numba", None)


@pytest.mark.usefixtures("no_numba")
def test_little_is_decoded_without_kernels() -> None:
    assert scan_bytes(LITTLE, file="a.log").num_rows == 2


@pytest.mark.usefixtures("no_numba")
@pytest.mark.parametrize("on_damage", ["raise", "skip"])
def test_a_numba_that_does_not_load_is_named_and_is_no_damage(
    on_damage: kafkafmt.errors.OnDamage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Decoders, "met", 1 << 30)
    with pytest.raises(ImportError, match=r"cannot be compiled here: .+numba.+\. .* numba .* engine='reference'"):
        scan_bytes(LITTLE, file="a.log", on_damage=on_damage)
    assert scan_bytes(LITTLE, file="a.log", on_damage=on_damage, engine="reference").num_rows == 2


@pytest.mark.slow
@pytest.mark.parametrize("worth_loading", [True, False])
def test_the_reference_engine_begins_at_the_first_record_that_is_broken(
    worth_loading: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A few hundred bytes that decompress to many headers: thousands of these took the reference engine minutes.
    load_kernels()
    many = R(headers=[(b"", b"")] * 5000)
    data = batch([many] * 40, count=41, attributes=4)
    with pytest.raises(kafkafmt.TruncatedError) as expected:
        scan_bytes(data, file="a.log", engine="reference")
    monkeypatch.setattr(Decoders, "are_worth_it", lambda *_: worth_loading)
    begun = []
    decode = record_batch._decode

    def noted(source: Any, parser: Any, header: Any, count: int, first: int = 0, **how: bool) -> Iterator[Record]:
        begun.append(first)
        return decode(source, parser, header, count, first, **how)

    monkeypatch.setattr(record_batch, "_decode", noted)
    with pytest.raises(kafkafmt.TruncatedError) as caught:
        scan_bytes(data, file="a.log")
    assert shown(caught.value) == shown(expected.value)
    assert begun == [40]


FORKED = """
import os, sys, warnings
import kafkafmt
from tests.engines import load_kernels, shown

warnings.simplefilter("ignore", DeprecationWarning)  # of forks where there are threads
load_kernels()
scan = kafkafmt.scan(sys.argv[1], threads=2)
reader = scan.to_reader()
first = reader.read_next_batch()
child = os.fork()
rest = reader.read_all()
assert first.num_rows + rest.num_rows == scan.count(), (first.num_rows, rest.num_rows)
assert rest["value"].to_pylist()[-1] == b"the last one"
assert scan.to_table().num_rows == scan.count()
if child == 0:
    os._exit(17)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.slow
@pytest.mark.parametrize("codec", [0, 4])
def test_a_forked_child_goes_on_with_a_scan_of_several_threads(codec: int, tmp_path: Path) -> None:
    # More than is decoded or read ahead at once, so that threads are active at the fork and needed after it.
    many = batch([R(number, value=b"v" * 5000) for number in range(60)], attributes=codec)
    last = batch([R(0, value=b"the last one")], attributes=4)
    log = tmp_path / "a.log"
    log.write_bytes(many * 200 + last)
    done = subprocess.run(
        [sys.executable, "-c", FORKED, str(log)],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    assert (done.returncode, done.stdout.strip()) == (0, "17"), done.stderr


@pytest.mark.usefixtures("no_numba")
def test_what_a_file_holds_in_all_tells_whether_kernels_are_worth_loading(tmp_path: Path) -> None:
    # A part of it alone would not be.
    log = tmp_path / "a.log"
    log.write_bytes(batch([R(value=b"v" * 10_000)] * 100) * 2)
    assert kafkafmt.scan(log).to_table().num_rows == 200
    with log.open("ab") as file:
        file.write(batch([R(value=b"v" * 10_000)] * 100) * 7)
    Decoders.met = 0
    reader = kafkafmt.scan(log).head(10)
    assert reader.read_all().num_rows == 10
    with pytest.raises(ImportError):
        kafkafmt.scan(log).to_table()


def test_batches_at_the_end_of_a_file_are_not_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load_kernels()
    log = tmp_path / "a.log"
    log.write_bytes(batch([R(n, value=b"v" * 500) for n in range(30)]) * 20 + batch()[:40])

    def copied(*_: object) -> None:
        raise AssertionError("copied")

    monkeypatch.setattr(PayloadReader, "_copied", copied)
    scan = kafkafmt.scan(log)
    assert scan.to_table().num_rows == 600
    assert [damage.position for damage in scan.damage] == [log.stat().st_size - 40]


@pytest.mark.parametrize("end", [b"", batch()[:40], batch()[:10]], ids=["whole", "cut off", "cut off early"])
def test_each_window_is_classified_once(end: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load_kernels()
    log = tmp_path / "a.log"
    log.write_bytes(batch([R(n, value=b"v" * 500) for n in range(30)]) * 700 + end)
    classified = []
    classify = BatchFilter.classify

    def noted(self: BatchFilter, window: ReadWindow) -> BatchMasks | None:
        classified.append(window.position)
        return classify(self, window)

    monkeypatch.setattr(BatchFilter, "classify", noted)
    assert kafkafmt.scan(log).to_table().num_rows == 21_000
    assert len(classified) == len(set(classified)) == 3


def test_seven_frames_lie_between_the_reader_and_the_decoder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # docs/architecture.md names them: each hands every record batch on, and is to be read by whoever follows the path.
    load_kernels()
    log = tmp_path / "a.log"
    log.write_bytes(batch([R(n, value=b"v" * 500) for n in range(30)]) * 20)
    frames: list[str] = []
    decode = Decoder.batches

    def noted(self: Decoder, *arguments: Any, **others: Any) -> Any:
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and not frames.count("Reader.__next__"):
            frames.append(frame.f_code.co_qualname)
            frame = frame.f_back
        return decode(self, *arguments, **others)

    monkeypatch.setattr(Decoder, "batches", noted)
    for _ in kafkafmt.scan(log).to_reader():
        pass
    assert frames == [
        "_decode",
        "TaskDecoder.decode",
        "OpenTask.decode",
        "Pass._parts",
        "record_batches",
        "ScanPasses._batches",
        "Reader.__next__",
    ]


def test_many_small_batches_give_the_garbage_collector_nothing_to_do(tmp_path: Path) -> None:
    load_kernels()
    log = tmp_path / "a.log"
    log.write_bytes(batch() * 40_000)
    collected = []

    def noted(phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            collected.append(info["generation"])

    kafkafmt.scan(log).to_table()
    gc.callbacks.append(noted)
    try:
        assert kafkafmt.scan(log).to_table().num_rows == 40_000
    finally:
        gc.callbacks.remove(noted)
    assert len(collected) <= 2


COUNTED_BY_KEY = """
import sys
import kafkafmt
from kafkafmt.reference.entry import Entry

seen, records = [], Entry.records

def spied(self, *arguments, **named):
    seen.append(self.position)
    return records(self, *arguments, **named)

Entry.records = spied
print(kafkafmt.scan(sys.argv[1], key=b"key 7").count(), len(seen))
"""


@pytest.mark.slow
def test_a_count_by_key_loads_kernels_after_a_few_batches(tmp_path: Path) -> None:
    numbers = range(60_000)
    rows = {
        "key": [b"key %d" % (number % 1000) for number in numbers],
        "value": [b"%0200d" % number for number in numbers],
        "timestamp": [1_795_234_680_000 + number for number in numbers],
    }
    kafkafmt.write(pa.table(rows), tmp_path / "new", topic="orders", partitions=1)
    done = subprocess.run(
        [sys.executable, "-c", COUNTED_BY_KEY, str(tmp_path / "new")], capture_output=True, text=True, check=True
    )
    counted, by_reference = map(int, done.stdout.split())
    assert counted == 60
    assert by_reference < 200  # of about 800 batches
