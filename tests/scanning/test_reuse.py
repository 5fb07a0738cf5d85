"""Memory reuse between scans: never memory still referenced, and bounded."""

import functools
import gc
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import kafkafmt
from kafkafmt.columnar.decoder import Decoder
from kafkafmt.io.local_file import LocalFile
from kafkafmt.scanning import decoders, open_task
from kafkafmt.scanning.decoders import Idle
from tests.engines import load_kernels
from tests.reference.builder import R, batch

KINDS = "abc"


def log_of(kind: str, *, batches: int = 400, codec: int = 0) -> bytes:
    """A log of some megabytes whose columns differ in every byte from those of another `kind`."""
    text = kind.encode()
    records = [R(n, n, text * 40, text * 400, [(text * 3, text * 70)]) for n in range(30)]
    step = ord(kind)
    return b"".join(
        batch(records, base_offset=step * number * 30, base_timestamp=step, attributes=codec, producer_id=step)
        for number in range(batches)
    )


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    load_kernels()
    directory = tmp_path_factory.mktemp("logs")
    paths = {}
    for kind in KINDS:
        for name, codec in (("none", 0), ("lz4", 3)):
            paths[f"{kind}-{name}"] = directory / f"{kind}-{name}.log"
            # Compressed batches are shared among threads after the first record batch of some megabytes.
            paths[f"{kind}-{name}"].write_bytes(log_of(kind, batches=1000 if codec else 400, codec=codec))
    return paths


@pytest.fixture(autouse=True)
def no_idle_decoders(monkeypatch: pytest.MonkeyPatch) -> "Idle[Decoder]":
    idle: Idle[Decoder] = Idle(decoders._IDLE._most)
    monkeypatch.setattr(decoders, "_IDLE", idle)
    monkeypatch.setattr(decoders, "_IDLE_OF_THREADS", Idle(decoders._IDLE_OF_THREADS._most))
    return idle


@functools.cache
def expected(path: Path) -> pa.Table:
    return kafkafmt.scan(path, engine="reference").to_table()


def copied(batch: pa.RecordBatch) -> pa.RecordBatch:
    """The same table in memory outside the pool."""
    return pa.ipc.read_record_batch(pa.py_buffer(batch.serialize().to_pybytes()), batch.schema)


@pytest.mark.slow
def test_what_earlier_scans_gave_stays_as_it_was(logs: dict[str, Path]) -> None:
    held: list[tuple[Any, Any]] = []
    for _ in range(2):
        for path in logs.values():
            held += [(batch, copied(batch)) for batch in kafkafmt.scan(path).to_reader()]
            part = kafkafmt.scan(path, columns=["key", "headers", "offset"]).to_reader().read_next_batch().slice(7, 90)
            held.append((part, copied(part)))
            held.append((part["key"], copied(part)["key"]))
    for given, kept in held:
        given.validate(full=True)
        assert given.equals(kept)


@pytest.mark.slow
def test_a_second_scan_takes_the_memory_of_the_first(logs: dict[str, Path], no_idle_decoders: "Idle[Decoder]") -> None:
    where: list[set[int]] = []
    for _ in range(3):
        where.append({each["value"].buffers()[2].address for each in kafkafmt.scan(logs["a-none"]).to_reader()})
        assert len(no_idle_decoders._kept) == 1
    assert where[1] == where[2]


@pytest.mark.slow
def test_scans_that_take_turns_have_memory_of_their_own(logs: dict[str, Path]) -> None:
    for _ in range(2):
        readers = {name: kafkafmt.scan(path).to_reader() for name, path in logs.items()}
        found: dict[str, list[pa.RecordBatch]] = {name: [] for name in logs}
        left = dict(readers)
        while left:
            for name, reader in list(left.items()):
                try:
                    found[name].append(reader.read_next_batch())
                except StopIteration:
                    del left[name]
        for name, path in logs.items():
            assert pa.Table.from_batches(found[name]).equals(expected(path))


@pytest.mark.slow
def test_scans_of_many_threads_have_memory_of_their_own(logs: dict[str, Path]) -> None:
    tables = {path: expected(path) for path in logs.values()}
    with ThreadPoolExecutor(6) as pool:
        for path, table in pool.map(lambda path: (path, kafkafmt.scan(path).to_table()), [*logs.values()] * 4):
            assert table.equals(tables[path])


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2])
def test_an_abandoned_reader_gives_back_what_nobody_holds(
    threads: int, logs: dict[str, Path], no_idle_decoders: "Idle[Decoder]"
) -> None:
    held = []
    for name in ("a-none", "a-lz4", "b-none"):
        reader = kafkafmt.scan(logs[name], threads=threads).to_reader()
        held += [(batch, copied(batch)) for batch in (reader.read_next_batch(), reader.read_next_batch())]
        del reader
        gc.collect()
        assert threads > 1 or len(no_idle_decoders._kept) == 1
        assert kafkafmt.scan(logs["c-none"]).to_table().equals(expected(logs["c-none"]))
    for given, kept in held:
        assert given.equals(kept)


@pytest.mark.slow
def test_damage_in_the_middle(tmp_path: Path, logs: dict[str, Path], no_idle_decoders: "Idle[Decoder]") -> None:
    data = bytearray(log_of("a"))
    data[len(data) * 2 // 3 - 500] ^= 1  # near the end of a record batch
    log = tmp_path / "a.log"
    log.write_bytes(data)
    held: list[tuple[Any, Any]] = []
    for _ in range(3):
        with pytest.raises(kafkafmt.ChecksumError):
            held.extend((given, copied(given)) for given in kafkafmt.scan(log).to_reader())
        assert [each.sound_start for _, each, _ in no_idle_decoders._kept.values()] == [None]
        assert kafkafmt.scan(logs["b-lz4"]).to_table().equals(expected(logs["b-lz4"]))
    assert len(held) >= 3
    for given, kept in held:
        assert given.equals(kept)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a-none", "a-lz4"])
def test_a_scan_of_threads_leaves_none_wherever_it_ends(
    name: str, logs: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_task, "_WINDOW_BYTES", logs[name].stat().st_size // 12)
    monkeypatch.setattr(decoders, "_LEAST_OF_A_PART", 1 << 16)
    reading: list[LocalFile] = []
    readinto_at, close = LocalFile.readinto_at, LocalFile.close

    def read(file: LocalFile, position: int, buffer: memoryview) -> int:
        reading.append(file)
        time.sleep(0.001)
        count = readinto_at(file, position, buffer)
        reading.remove(file)
        return count

    def closed(file: LocalFile) -> None:
        assert file not in reading
        close(file)

    monkeypatch.setattr(LocalFile, "readinto_at", read)
    monkeypatch.setattr(LocalFile, "close", closed)
    for count in range(12):
        reader = kafkafmt.scan(logs[name], threads=2).to_reader()
        given = pa.Table.from_batches([batch for batch, _ in zip(reader, range(count), strict=False)], reader.schema)
        assert given.equals(expected(logs[name]).slice(0, given.num_rows))
        reader.close()
        assert not [thread for thread in threading.enumerate() if thread.name.startswith("kafkafmt")]


def idle_of_threads() -> dict[int, Decoder]:
    kept: dict[Any, Any] = decoders._IDLE_OF_THREADS._kept
    return {key[-1]: decoder for key, (_, decoder, _) in kept.items()}


@pytest.mark.slow
def test_threads_take_the_decoders_of_an_earlier_scan(logs: dict[str, Path]) -> None:
    kept = []
    for _ in range(2):
        for kind in KINDS:
            assert kafkafmt.scan(logs[f"{kind}-lz4"], threads=3).to_table().equals(expected(logs[f"{kind}-lz4"]))
            kept.append(idle_of_threads())
    assert [sorted(decoders) for decoders in kept] == [[0, 1]] * 6
    assert len({id(decoder) for decoders in kept for decoder in decoders.values()}) == 2


@pytest.mark.slow
def test_a_thread_that_fails_leaves_no_decoder(logs: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    decode = Decoder._decode
    failed = threading.Event()

    def failing(decoder: Decoder, *arguments: Any) -> Any:
        if threading.current_thread() is not threading.main_thread():
            failed.set()
            raise MemoryError
        return decode(decoder, *arguments)

    kafkafmt.scan(logs["a-lz4"], threads=2).to_table()
    before = idle_of_threads()
    with monkeypatch.context() as patched:
        patched.setattr(Decoder, "_decode", failing)
        reader = kafkafmt.scan(logs["a-lz4"], threads=2).to_reader()
        reader.read_next_batch()
        reader.read_next_batch()  # of the first part, which the calling thread decodes
        assert failed.wait(60)
        reader.close()
    after = idle_of_threads()
    assert [*before] == [*after] == [0]
    assert before[0] is not after[0]
    with monkeypatch.context() as patched:
        patched.setattr(Decoder, "_decode", failing)
        with pytest.raises(MemoryError):
            kafkafmt.scan(logs["a-lz4"], threads=2).to_table()
    assert not idle_of_threads()


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, RuntimeError])
def test_whatever_stops_a_decoder_in_the_middle_ends_its_use(
    error: type[BaseException],
    logs: dict[str, Path],
    no_idle_decoders: "Idle[Decoder]",
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def failing(*_: object) -> None:
        raise error

    kafkafmt.scan(logs["a-none"]).to_table()
    assert len(no_idle_decoders._kept) == 1
    with monkeypatch.context() as patched:
        patched.setattr(Decoder, "_decode", failing)
        with pytest.raises(error):
            kafkafmt.scan(logs["a-none"]).to_table()
    assert not no_idle_decoders._kept


@pytest.mark.slow
def test_a_decoder_is_of_its_columns_limits_and_checks(logs: dict[str, Path]) -> None:
    path = logs["a-lz4"]
    for _ in range(2):
        assert kafkafmt.scan(path, columns=["value"]).to_table().schema.names == ["value"]
        assert kafkafmt.scan(path, columns=["key"]).to_table().schema.names == ["key"]
        assert kafkafmt.scan(path).to_table().equals(expected(path))
        with pytest.raises(kafkafmt.LimitExceededError):
            kafkafmt.scan(path, limits=kafkafmt.Limits(max_decompressed_bytes=1000)).to_table()


FORKED = """
import os, sys, warnings
import kafkafmt
from kafkafmt.scanning.decoders import _IDLE
from tests.engines import load_kernels

warnings.simplefilter("ignore", DeprecationWarning)
load_kernels()
path, other = sys.argv[1:]
expected = {each: kafkafmt.scan(each, engine="reference").to_table() for each in (path, other)}
held = list(kafkafmt.scan(path).to_reader())
reader = kafkafmt.scan(path).to_reader()
first = reader.read_next_batch()
kafkafmt.scan(other).to_table()
child = os.fork()
if child == 0:
    kept = dict(_IDLE._kept)
    assert all(_IDLE.take(key) is None for key in kept) and kept
for _ in range(3):
    assert kafkafmt.scan(other).to_table().equals(expected[other])
rest = reader.read_all()
table = kafkafmt.scan(path).to_table()
import pyarrow as pa
assert table.equals(expected[path])
assert pa.Table.from_batches(held).equals(expected[path])
assert pa.concat_tables([pa.Table.from_batches([first]), rest]).equals(expected[path])
if child == 0:
    os._exit(17)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.slow
def test_a_forked_child_and_its_parent(logs: dict[str, Path]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FORKED, str(logs["a-none"]), str(logs["b-none"])],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    assert (done.returncode, done.stdout.strip()) == (0, "17"), done.stderr


FAULTS = """
import resource, sys
import kafkafmt
from tests.engines import load_kernels

def faults(path):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in kafkafmt.scan(path).to_reader():
        pass
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

load_kernels()
print([faults(sys.argv[1]) for _ in range(3)])
"""


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="counts page faults as Linux does")
@pytest.mark.parametrize("name", ["a-none", "a-lz4"])
def test_a_second_scan_asks_the_system_for_no_memory(name: str, logs: dict[str, Path]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FAULTS, str(logs[name])],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    assert done.returncode == 0, done.stderr
    first, *later = [int(each) for each in done.stdout.strip(" []\n").split(",")]
    assert min(later) <= 100 < first


def test_idle_objects_are_bounded_one_a_key() -> None:
    idle: Idle[str] = Idle(10)
    idle.give("a", "first", 4)
    idle.give("a", "second", 4)
    idle.give("b", "other", 4)
    assert idle.take("a") == "second"
    assert idle.take("a") is None
    idle.give("c", "third", 4)
    idle.give("d", "fourth", 4)
    assert [idle.take(key) for key in "bcd"] == [None, "third", "fourth"]
    idle.give("b", "other", 4)
    idle.give("e", "too large", 11)
    assert [idle.take(key) for key in "be"] == ["other", None]


@pytest.mark.parametrize("size", [1 << 25, pytest.param(1 << 27, marks=pytest.mark.slow)])
def test_what_was_large_is_not_kept(size: int, no_idle_decoders: "Idle[Decoder]", tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_bytes(batch([R(0, value=bytes(size // 8))] * 8, attributes=4))
    scan = kafkafmt.scan(log, limits=kafkafmt.Limits(max_decompressed_bytes=1 << 29))
    assert scan.to_table().num_rows == 8
    for _, decoder, _ in no_idle_decoders._kept.values():
        arrays = decoder._buffers._arrays.values()
        held = sum(array.nbytes for column in arrays for array in column)
        assert held + len(decoder._payloads._scratch.buffer) < 1 << 22
