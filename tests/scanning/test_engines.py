"""Both engines give the same rows, errors and damage of any bytes, whatever a scan asks for."""

import random
import struct
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import count as counter
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kafkafmt
from kafkafmt import Limits
from kafkafmt.columnar import payloads
from kafkafmt.columns import SCHEMA
from kafkafmt.files import read_ahead
from kafkafmt.io.base import File
from kafkafmt.scanning import batching, decoders, open_task
from kafkafmt.scanning.decoders import Decoders
from tests.engines import ENGINES, Engine, Outcome, counted, described, load_kernels, outcome
from tests.golden_cases import Case, cases
from tests.hostile.corpus import Sample
from tests.hostile.mutations import mutate
from tests.reference import builder, strategies
from tests.scanning import logs
from tests.scanning.logs import in_order

BASES = (0, 0, 10_000, 2**62)
BATCHES = st.lists(st.just("batch"), min_size=1, max_size=12)
LEGACY = st.lists(st.sampled_from(["message", "message", "wrapper"]), min_size=1, max_size=12)
MIXED = st.lists(st.sampled_from(sorted(logs.KINDS)), min_size=1, max_size=12)


@dataclass(frozen=True)
class Log:
    """The content of a partition directory."""

    base_offset: int
    segments: list[tuple[int, bytes]]
    directory: str
    with_index: bool


@st.composite
def whole_logs(draw: st.DrawFn, *odd: float) -> Log:
    """Entries in one or two segments; `odd` holds probabilities of a wrong field."""
    base = draw(st.sampled_from(BASES))
    kinds = draw(BATCHES | LEGACY | MIXED)
    content = list(logs.entries(kinds, draw(st.integers(0, 2**32)), draw(st.sampled_from(odd)), base))
    content += [each.data for each in draw(st.lists(strategies.ENTRIES, max_size=2))] if draw(st.booleans()) else []
    cut = draw(st.just(len(content)) | st.integers(1, len(content)))
    segments = [(base, b"".join(content[:cut]))]
    if cut < len(content):
        first = struct.unpack_from(">q", content[cut])[0]
        segments.append((max(first, base + 1), b"".join(content[cut:])))
    directory = draw(st.sampled_from(("t-0", "t-0", "nameless")))
    return Log(base, segments, directory, draw(st.booleans()))


@st.composite
def broken_logs(draw: st.DrawFn) -> Log:
    """Such entries with damaged bytes; CRCs may be recomputed."""
    log = draw(whole_logs(0.0, 0.02))
    rnd = random.Random(draw(st.integers(0, 2**32)))
    segments = [
        (base, mutate(rnd, Sample("log generated", Path("a.log"), data), right_crc=rnd.random() < 0.6))
        for base, data in log.segments
    ]
    return Log(log.base_offset, segments, log.directory, log.with_index)


@st.composite
def arguments(draw: st.DrawFn, base: int) -> dict[str, Any]:
    """Arguments of a scan; offsets and times are mostly in the range of the records."""
    near = st.integers(-2, 100).map(lambda offset: base + offset)
    far = st.sampled_from((-1, 0, 2**63 - 1, 2**63, -(2**63), 2**70))
    offsets = st.none() | near | near | far
    times = st.none() | st.none() | st.integers(995, 1210) | far
    found: dict[str, Any] = {
        "on_damage": draw(st.sampled_from(("raise", "skip", "skip"))),
        "verify_checksums": draw(st.sampled_from((True, True, False))),
        "control_records": draw(st.booleans()),
        "isolation_level": draw(st.sampled_from(("read_uncommitted", "read_uncommitted", "read_committed"))),
        "columns": draw(st.none() | st.permutations(SCHEMA.names).flatmap(_part_of)),
    }
    if draw(st.booleans()):
        found |= {"start_offset": draw(offsets), "end_offset": draw(offsets)}
        found |= {"start_timestamp": draw(times), "end_timestamp": draw(times)}
    if draw(st.sampled_from((False, False, True))):
        found["key"] = draw(st.sampled_from((b"k-1", b"", b"no such key")))
    if draw(st.sampled_from((False, False, False, True))):
        found["limits"] = Limits(
            max_batch_bytes=draw(st.sampled_from((100, 300, 2**27))),
            max_decompressed_bytes=draw(st.sampled_from((50, 500, 2**20))),
            max_records_per_batch=draw(st.sampled_from((1, 4, 10**6))),
            max_headers_per_record=draw(st.sampled_from((1, 2, 10**5))),
        )
    return in_order(found)


def _part_of(names: list[str]) -> st.SearchStrategy[list[str]]:
    return st.integers(1, len(names)).map(lambda count: names[:count])


@st.composite
def sizes(draw: st.DrawFn) -> list[tuple[Any, str, int]]:
    """Chunk sizes of the engines, sometimes so small that small logs need many chunks."""
    bounds = (
        (File, "worth_skipping", (16, 200)),
        (open_task, "_WINDOW_BYTES", (100, 700)),
        (read_ahead, "_ROOM", (0, 50)),
        (decoders, "_LEAST_OF_A_PART", (1, 100)),
        (decoders, "_MOST_OF_A_PART", (1, 300)),
        (payloads, "_TARGET", (1, 300)),
        (payloads, "_CHECKED_AT_ONCE", (1, 200)),
        (payloads, "_MOST_RECORDS", (2,)),
        (batching, "_FEW_ROWS", (2, 7)),
        (batching, "_ROWS", (3,)),
    )
    if draw(st.booleans()):
        return []
    return [(owner, name, draw(st.sampled_from(small))) for owner, name, small in bounds if draw(st.booleans())]


@pytest.fixture(scope="module")
def directory() -> Iterator[Path]:
    load_kernels()
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def write(directory: Path, log: Log) -> Path:
    partition = directory / log.directory
    for stale in directory.glob("*/*"):
        stale.unlink()
    partition.mkdir(exist_ok=True)
    for base, data in log.segments:
        path = partition / f"{base:020d}.log"
        path.write_bytes(data)
        if log.with_index:
            path.with_suffix(".index").write_bytes(_index(base, data))
    return partition


def _index(base: int, data: bytes) -> bytes:
    """An index entry for each batch but the first whose base offset fits."""
    entries = b""
    position = 0
    while position + 17 <= len(data):
        offset, size = struct.unpack_from(">qi", data, position)
        if position and 0 <= offset - base < 2**31:
            entries += struct.pack(">ii", offset - base, position)
        if size < 14:
            break
        position += 12 + size
    return entries


def compare(source: Path, asked: dict[str, Any], threads: int, count: int) -> None:
    """Run every kind of scan on both engines and compare."""

    def scan(engine: Engine) -> kafkafmt.Scan:
        return kafkafmt.scan(source, engine=engine, threads=threads if engine == "columnar" else 1, **asked)

    columnar, reference = map(scan, ENGINES)
    assert outcome(columnar) == outcome(reference)
    assert outcome(columnar, lambda each: each.head(count)) == outcome(reference, lambda each: each.head(count))
    assert outcome(columnar, lambda each: each.tail(count)) == outcome(reference, lambda each: each.tail(count))
    for verify in (False, True):
        assert counted(columnar, verify=verify) == counted(reference, verify=verify)
        for deep in (False, True):
            found = described(columnar, deep=deep, verify=verify)
            assert found == described(reference, deep=deep, verify=verify)


def check(directory: Path, log: Log, data: st.DataObject) -> None:
    partition = write(directory, log)
    asked = data.draw(arguments(log.base_offset))
    source = data.draw(st.sampled_from((partition, partition / f"{log.segments[0][0]:020d}.log")))
    with ExitStack() as stack:
        for owner, name, size in data.draw(sizes()):
            stack.enter_context(patch.object(owner, name, size))
        # As in a process that loads the kernels in the middle of a pass.
        first = data.draw(st.sampled_from((0, 0, 1, 3, 10, 1000)))
        if first:
            asks = counter()
            stack.enter_context(patch.object(Decoders, "are_worth_it", lambda *_: next(asks) >= first))
        compare(source, asked, data.draw(st.sampled_from((1, 2, 3))), data.draw(st.sampled_from((0, 1, 4, 20, 1000))))


@pytest.mark.slow
@given(log=whole_logs(0.0), data=st.data())
def test_of_sound_logs(directory: Path, log: Log, data: st.DataObject) -> None:
    check(directory, log, data)


@pytest.mark.slow
@given(log=whole_logs(0.005, 0.02, 0.08), data=st.data())
def test_of_odd_logs_with_right_checksums(directory: Path, log: Log, data: st.DataObject) -> None:
    check(directory, log, data)


@pytest.mark.slow
@given(log=broken_logs(), data=st.data())
def test_of_broken_logs(directory: Path, log: Log, data: st.DataObject) -> None:
    check(directory, log, data)


# Damaged files

LOGS = sorted((Path(__file__).parents[1] / "bad_data" / "files").glob("*.log"))


@pytest.mark.parametrize("key", [b"k", b"no such key"])
@pytest.mark.parametrize("path", LOGS, ids=lambda path: str(path.stem))
def test_a_key_is_sought_in_damaged_batches_by_both_engines(path: Path, key: bytes) -> None:
    """A batch whose bytes do not contain the key is not decoded, so errors in its records are not reported."""
    load_kernels()
    columnar, reference = (kafkafmt.scan(path, key=key, engine=each) for each in ENGINES)
    assert outcome(columnar) == outcome(reference)
    assert counted(columnar, verify=True) == counted(reference, verify=True)


# Golden files


WAYS: list[dict[str, Any]] = [
    {"control_records": True, "below_log_start": True, "replica": "all"},
    {"start_offset": 7, "end_offset": 60, "threads": 3},
    {"key": b"k-1", "start_timestamp": 0, "columns": ["value", "headers", "position", "timestamp"]},
]


@pytest.mark.volume
@pytest.mark.parametrize("case", cases(), ids=str)
def test_of_golden_files(case: Case) -> None:
    load_kernels()
    for way in WAYS:
        columnar, reference = (kafkafmt.scan(case.log_dir, on_damage="skip", engine=each, **way) for each in ENGINES)
        assert outcome(columnar) == outcome(reference)
        for verify in (False, True):
            assert counted(columnar, verify=verify) == counted(reference, verify=verify)
            found = described(columnar, deep=False, verify=verify)
            assert found == described(reference, deep=False, verify=verify)


# Large files


def large_log() -> bytes:
    """A log larger than one read, with broken and odd entries among sound ones."""
    rnd = random.Random(7)
    text = rnd.randbytes(30_000).hex().encode()
    found: list[bytes] = []
    offset = 0
    while sum(len(each) for each in found) < 11 << 20:
        count = rnd.choice((1, 4, 30, 200))
        start = rnd.randrange(50_000)
        if rnd.random() < 0.2:
            inner = b"".join(builder.message(n, text[start : start + 2000], magic=1) for n in range(count))
            entry = builder.wrapper(offset + count - 1, inner, codec=rnd.choice((1, 2, 3)))
        else:
            records = [
                builder.R(n, n, key=b"k-%d" % n, value=text[start + n : start + n + rnd.choice((10, 1000, 4000))])
                for n in range(count)
            ]
            codec = rnd.choice((0, 0, 1, 2, 3, 4))
            entry = builder.batch(records, base_offset=offset, attributes=codec, max_timestamp=1000 + count)
        match rnd.randrange(40):
            case 0:
                entry = entry[:-1] + bytes([entry[-1] ^ 1])
            case 1:
                entry = builder.batch(base_offset=offset, attributes=0x80)
            case 2:
                entry = builder.batch(base_offset=offset, payload=bytes(50_000), attributes=4)
        found.append(entry)
        offset += count
    return b"".join(found)


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Outcome]:
    load_kernels()
    path = tmp_path_factory.mktemp("large") / "t-0" / f"{0:020d}.log"
    path.parent.mkdir()
    path.write_bytes(large_log())
    return path, outcome(kafkafmt.scan(path, on_damage="skip", engine="reference"))


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_of_more_than_is_read_at_once(large: tuple[Path, Outcome], threads: int) -> None:
    path, expected = large
    scan = kafkafmt.scan(path, on_damage="skip", threads=threads)
    found = outcome(scan)
    assert len(found.damage) > 5
    assert found == expected
    names = ["value", "offset", "key"]
    assert outcome(kafkafmt.scan(path, on_damage="skip", threads=threads, columns=names)).table.equals(
        expected.table.select(names)
    )
    assert scan.count(verify_checksums=True) >= expected.table.num_rows
    head = outcome(scan, lambda each: each.head(3000)).table
    assert head.equals(expected.table.slice(0, 3000))


@pytest.mark.slow
def test_of_a_range_of_more_than_is_read_at_once(large: tuple[Path, Outcome]) -> None:
    path, everything = large
    offsets = everything.table.column("offset").to_pylist()
    asked = {"start_offset": offsets[len(offsets) // 3], "end_offset": offsets[-len(offsets) // 4]}
    columnar, reference = (kafkafmt.scan(path, on_damage="skip", engine=each, **asked) for each in ENGINES)
    assert outcome(columnar) == outcome(reference)
