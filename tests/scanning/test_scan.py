"""`scan` as a stream: fresh passes, bounded memory, damage in both modes, files that change, order of rows."""

import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa
import pytest

import kafkafmt
from kafkafmt import (
    ChecksumError,
    CorruptError,
    Damage,
    KafkafmtError,
    LimitExceededError,
    Limits,
    SourceError,
    TruncatedError,
)
from kafkafmt.scanning import scan_bytes
from tests.engines import Engine
from tests.golden_cases import GOLDEN, Case, cases
from tests.logdir.builders import CONTROL, batch, column, file_name, offsets, segment

pytestmark = pytest.mark.usefixtures("engine")

CRASHED = [case for case in cases("modern") if case.name.startswith("12-")]
LARGE = GOLDEN / "modern" / "15-large-4.3.1" / "log-dir"


def in_duckdb(scan: kafkafmt.Scan, query: str) -> list[Any]:
    """The answer of DuckDB, which resolves `scan` in the query to the argument."""
    relation = duckdb.sql(query)
    assert relation is not None
    return relation.fetchall()


def broken(data: bytes) -> bytes:
    """The same with its last bit flipped."""
    return data[:-1] + bytes([data[-1] ^ 1])


# Passes


@pytest.fixture
def two_topics(tmp_path: Path) -> Path:
    """More rows than fit into one record batch."""
    segment(tmp_path / "t-0", 0, batch(0, 9000))
    segment(tmp_path / "u-0", 0, batch(0, 500))
    return tmp_path


@pytest.mark.slow
def test_each_consumer_gets_a_fresh_pass(two_topics: Path) -> None:
    scan = kafkafmt.scan(two_topics, columns=["topic", "offset", "value"])
    table = scan.to_table()
    assert table.num_rows == scan.count() == 9500
    first, second = scan.to_reader(), scan.to_reader()
    batch = first.read_next_batch()
    assert batch == second.read_next_batch()
    assert first.read_all().num_rows == 9500 - batch.num_rows
    assert scan.to_reader().read_all() == table
    assert pa.table(scan) == table
    assert pa.RecordBatchReader.from_stream(scan).read_all() == table


def test_duckdb_and_polars_read_a_scan_as_it_is(two_topics: Path) -> None:
    scan = kafkafmt.scan(two_topics, columns=["topic", "partition", "offset", "timestamp"])
    for _ in range(2):
        assert sorted(in_duckdb(scan, "select topic, count(*) from scan group by topic")) == [("t", 9000), ("u", 500)]
        frame = pl.DataFrame(scan)
        assert frame.get_column("offset").to_list() == [*range(9000), *range(500)]
    assert frame.schema["timestamp"] == pl.Datetime("ms", "UTC")


def test_all_columns_pass_the_c_interface() -> None:
    case = next(case for case in cases("modern") if case.name == "01-codecs-4.3.1")
    scan = kafkafmt.scan(case.log_dir)
    assert pl.DataFrame(scan).to_arrow().num_rows == scan.count()
    assert in_duckdb(scan, "select count(*), count(headers) from scan")[0] == (
        scan.count(),
        sum(headers is not None for headers in column(case.log_dir, "headers")),
    )


def test_errors_come_as_they_are_and_with_our_text_through_the_c_interface(tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 0, batch(0), broken(batch(1)))
    scan = kafkafmt.scan(tmp_path)
    text = rf"t-0/{file_name(0)}: position {len(batch(0))}: CRC mismatch"
    for read in (scan.to_table, lambda: scan.to_reader().read_all()):
        with pytest.raises(ChecksumError, match=text):
            read()
    with pytest.raises(Exception, match=text) as through_c:
        pa.RecordBatchReader.from_stream(scan).read_all()
    assert not isinstance(through_c.value, KafkafmtError)
    with pytest.raises(Exception, match=text):
        in_duckdb(scan, "select count(*) from scan")
    with pytest.raises(BaseException, match=text):
        pl.DataFrame(scan)


def test_rows_before_damage_come_before_the_error() -> None:
    case = next(case for case in CRASHED if case.name == "12-crash-4.3.1")
    file = case.log_dir / "damaged" / "crash-flip-record-0" / f"{0:020d}.log"
    offsets = []
    with pytest.raises(ChecksumError) as caught:  # noqa: PT012 (what came before the error counts)
        for batch in kafkafmt.scan(file).to_reader():
            offsets += batch.column("offset").to_pylist()
    whole = kafkafmt.scan(file, on_damage="skip").to_table()
    before = [row["offset"] for row in whole.to_pylist() if row["position"] < (caught.value.position or 0)]
    assert offsets == before != []


def test_a_pass_starts_when_its_first_batch_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    segment(tmp_path, 0)
    scan = kafkafmt.scan(tmp_path)
    opened: list[Any] = []
    open_ = os.open

    def counting(name: Any, *args: Any, **more: Any) -> int:
        opened.append(name)
        return open_(name, *args, **more)

    monkeypatch.setattr(os, "open", counting)
    reader = scan.to_reader()
    assert reader.schema == scan.schema
    assert opened == []
    reader.read_all()
    assert len(opened) == 1


def test_a_reader_that_is_dropped_closes_its_file(tmp_path: Path) -> None:
    segment(tmp_path, 0, *(batch(n * 5000, 5000) for n in range(4)))
    before = sorted(os.listdir("/proc/self/fd"))
    reader = kafkafmt.scan(tmp_path).to_reader()
    reader.read_next_batch()
    assert len(os.listdir("/proc/self/fd")) == len(before) + 1
    del reader
    assert sorted(os.listdir("/proc/self/fd")) == before


READ_IN_A_PROCESS = """
import sys
import kafkafmt
from tests.peak_memory import peak
scan = kafkafmt.scan(sys.argv[1], engine=sys.argv[3])
if sys.argv[3] == "columnar":
    import kafkafmt.columnar.decoder
list(kafkafmt.scan(sys.argv[2], engine=sys.argv[3]).to_reader())
before = peak()
rows = largest = 0
for batch in scan.to_reader():
    rows += batch.num_rows
    largest = max(largest, batch.nbytes)
counted = scan.count()
print(rows, counted, largest, peak() - before)
"""


@pytest.mark.slow
def test_a_large_segment_is_read_in_bounded_memory(tmp_path: Path, engine: Engine) -> None:
    one = batch(0, 16, value=os.urandom(64 * 1024))
    large, small = tmp_path / "large-0" / file_name(0), segment(tmp_path / "small-0", 0, one)
    large.parent.mkdir()
    with large.open("wb") as file:
        for number in range(224):
            # No CRC covers the base offset.
            file.write((16 * number).to_bytes(8, "big") + one[8:])
    assert large.stat().st_size > 200 << 20
    command = [sys.executable, "-c", READ_IN_A_PROCESS, str(large), str(small), engine]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    )
    rows, counted, largest, more = map(int, done.stdout.split())
    assert rows == counted == 224 * 16
    assert largest < 20 << 20
    assert more < 150 << 20
    large.unlink()


# Damage


def golden_damage(row: dict[str, Any]) -> list[tuple[int, int, str | None]]:
    """(position, length, reason) that damage.jsonl of the crash cases says a reader must find."""
    begin, size = row["batchPosition"], row["batchSize"]
    damaged = row["segmentBytesDamaged"][row["file"].rpartition("/")[2]]
    by_kind: dict[str, list[tuple[int, int, str | None]]] = {
        "trunc-header": [(begin, damaged - begin, "incomplete_tail")],
        "trunc-records": [(begin, damaged - begin, "incomplete_tail")],
        "flip-record": [(begin, size, "checksum")],
        "flip-length": [(begin, size, "checksum")],
        "flip-crc": [(begin, size, "checksum")],
        "zero-hole": [(begin, size, "checksum")],
        "bad-magic": [(begin, size, "unsupported")],
        "zero-tail": [(damaged - row.get("appendedZeros", 0), row.get("appendedZeros", 0), "zero_tail")],
        "garbage-tail": [(damaged - row.get("appendedGarbage", 0), row.get("appendedGarbage", 0), "garbage_tail")],
    }
    return by_kind.get(row["kind"], [])


@pytest.mark.slow
@pytest.mark.parametrize("case", CRASHED, ids=str)
def test_damage_done_on_purpose_is_found_to_the_byte_and_all_else_delivered(case: Case) -> None:
    for row in case.jsonl("damage.jsonl"):
        directory = case.log_dir / "damaged" / row["file"].partition("/")[0]
        name = row["file"].partition("/")[2]
        expected = golden_damage(row)
        scan = kafkafmt.scan(directory, on_damage="skip", control_records=True)
        found = scan.to_table()
        assert [(each.file, each.position, each.length) for each in scan.damage] == [
            (name, position, length) for position, length, _ in expected
        ]
        for each, (*_, reason) in zip(scan.damage, expected, strict=True):
            assert reason in (each.reason, None)
            assert (each.error.file, each.error.position) == (name, each.position)
        if row["kind"] not in ("flip-offset", "flip-epoch"):
            lost = {row["batchBaseOffset"]} if any(size == row["batchSize"] for _, size, _ in expected) else set()
            original = kafkafmt.scan(
                case.log_dir / "original" / directory.name, control_records=True, on_damage="skip"
            ).to_table()
            wanted = [
                (r["file"], r["offset"], r["value"])
                for r in original.to_pylist()
                if r["baseOffset"] not in lost
                and not (
                    row["kind"].startswith("trunc") and r["file"] == name and r["position"] >= row["batchPosition"]
                )
            ]
            assert [(r["file"], r["offset"], r["value"]) for r in found.to_pylist()] == wanted, row["kind"]
        is_tail = row["kind"] in ("trunc-records", "zero-tail", "garbage-tail") or not expected
        assert [each.is_open_end for each in scan.damage] == [row["kind"] in ("trunc-records", "zero-tail")] * len(
            expected
        )
        raising = kafkafmt.scan(directory, control_records=True)
        if is_tail:
            assert raising.to_table() == found
            assert [d.reason for d in raising.damage] == [d.reason for d in scan.damage]
        else:
            with pytest.raises(KafkafmtError) as error:
                raising.to_table()
            assert (error.value.file, error.value.position) == (name, expected[0][0])
            assert type(error.value) is type(scan.damage[0].error)


@pytest.mark.parametrize(
    ("tail", "reason", "error"),
    [
        (b"\0" * 4096, "zero_tail", CorruptError),
        (b"\0" * 5, "zero_tail", CorruptError),
        (batch(10, 3)[:-1], "incomplete_tail", TruncatedError),
        (batch(10, 3)[:9], "incomplete_tail", TruncatedError),
    ],
)
def test_tails_are_no_damage_in_the_last_or_a_lone_file_and_damage_in_earlier_ones(
    tmp_path: Path, tail: bytes, reason: str, error: type[KafkafmtError]
) -> None:
    good = batch(0, 3)
    first = segment(tmp_path / "t-0", 0, good, tail)
    expected = [(file_name(0), len(good), len(tail), reason)]

    def listed(damage: list[Damage]) -> list[tuple[Any, ...]]:
        return [(each.file, each.position, each.length, each.reason) for each in damage]

    for source in (tmp_path / "t-0", first):
        for on_damage in ("raise", "skip"):
            scan = kafkafmt.scan(source, on_damage=on_damage)
            assert scan.to_table().num_rows == scan.count() == 3
            assert listed(scan.damage) == expected
            assert type(scan.damage[0].error) is error
            assert scan.damage[0].is_open_end
    segment(tmp_path / "t-0", 20)
    assert len(offsets(first)) == 3
    with pytest.raises(error) as raised:
        offsets(tmp_path / "t-0")
    assert (raised.value.file, raised.value.position) == (file_name(0), len(good))
    scan = kafkafmt.scan(tmp_path / "t-0", on_damage="skip")
    assert scan.to_table().num_rows == 13
    assert listed(scan.damage) == expected
    assert offsets(tmp_path / "t-0", start_offset=20) == list(range(20, 30))


def test_damage_is_that_of_the_last_pass(tmp_path: Path) -> None:
    path = segment(tmp_path / "t-0", 0, batch(0), broken(batch(1)), batch(2), b"\0" * 20)
    scan = kafkafmt.scan(tmp_path, on_damage="skip")
    assert scan.damage == []
    scan.to_table()
    kept = scan.damage
    assert [each.reason for each in kept] == ["checksum", "zero_tail"]
    scan.count()
    assert [each.reason for each in scan.damage] == ["zero_tail"]
    scan.count(verify_checksums=True)
    assert [each.reason for each in scan.damage] == ["checksum", "zero_tail"]
    assert [each.reason for each in kept] == ["checksum", "zero_tail"]
    path.write_bytes(batch(0) + broken(batch(1)) + batch(2) + batch(3)[:20])
    scan.to_table()
    assert [each.reason for each in scan.damage] == ["checksum", "incomplete_tail"]
    assert all(pickle.loads(pickle.dumps(each)).reason == each.reason for each in scan.damage)


def test_checksums_are_checked_unless_they_are_not_wanted(tmp_path: Path) -> None:
    path = segment(tmp_path, 0, batch(0), broken(batch(1, header=b"x")), batch(2))
    with pytest.raises(ChecksumError):
        offsets(path)
    assert offsets(path, verify_checksums=False) == [0, 1, 2]
    assert kafkafmt.scan(path).count() == 3
    with pytest.raises(ChecksumError):
        kafkafmt.scan(path).count(verify_checksums=True)


def test_limits_hold_and_what_is_beyond_can_be_skipped(tmp_path: Path) -> None:
    path = segment(tmp_path, 0, batch(0), batch(1, 50), batch(51))
    limits = Limits(max_batch_bytes=len(batch(0)))
    with pytest.raises(LimitExceededError):
        offsets(path, limits=limits)
    scan = kafkafmt.scan(path, limits=limits, on_damage="skip")
    assert (scan.count(), scan.to_table().num_rows) == (2, 2)
    assert [each.reason for each in scan.damage] == ["limit_exceeded"]
    with pytest.raises(LimitExceededError):
        offsets(path, limits=Limits(max_records_per_batch=49))


# Files that change


def test_a_growing_file_is_read_to_the_size_it_had_when_listed(tmp_path: Path) -> None:
    path = segment(tmp_path / "t-0", 0, batch(0, 3))
    scans = [kafkafmt.scan(source) for source in (path, tmp_path)]
    with path.open("ab") as file:
        file.write(batch(3))
    segment(tmp_path / "t-0", 10)
    segment(tmp_path / "u-0", 0)
    for scan in scans:
        assert scan.to_table().num_rows == scan.count() == 3
    assert len(offsets(tmp_path)) == 24


@pytest.mark.parametrize("on_damage", ["raise", "skip"])
def test_a_file_that_shrinks_or_vanishes_is_a_source_error(tmp_path: Path, on_damage: Any) -> None:
    path = segment(tmp_path, 0, batch(0), batch(1))
    scan = kafkafmt.scan(tmp_path, on_damage=on_damage)
    path.write_bytes(batch(0))
    for read in (scan.to_table, scan.count):
        with pytest.raises(SourceError, match="shrank") as error:
            read()
        assert error.value.file == str(path)
    path.unlink()
    with pytest.raises(SourceError) as error:
        scan.to_table()
    assert error.value.file == str(path)


@pytest.mark.parametrize("on_damage", ["raise", "skip"])
def test_a_file_that_shrinks_in_the_middle_of_a_pass_is_a_source_error(tmp_path: Path, on_damage: Any) -> None:
    value = os.urandom(1 << 20)
    path = segment(tmp_path, 0, *(batch(n, value=value) for n in range(40)))
    reader = kafkafmt.scan(tmp_path, on_damage=on_damage).to_reader()
    reader.read_next_batch()
    os.truncate(path, 20 << 20)
    with pytest.raises(SourceError, match="shrank"):
        reader.read_all()


# Order


@pytest.mark.slow
def test_rows_come_by_topic_partition_replica_segment_and_position() -> None:
    for case in cases("modern"):
        names = ["topic", "partition", "file", "position"]
        table = kafkafmt.scan(case.log_dir, columns=names, replica="all", on_damage="skip").to_table()
        keys = [
            (row["topic"], row["partition"], os.path.dirname(row["file"]), row["file"][-24:], row["position"])
            for row in table.to_pylist()
        ]
        if case.name.startswith("05c"):
            keys = [(*key[:3], key[3].removesuffix(".swap"), key[4]) for key in keys if "swap" not in key[3]]
        assert keys == sorted(keys), case


def test_partitions_come_by_number_and_nameless_directories_last(tmp_path: Path) -> None:
    for name in ("b-0", "a-10", "a-9", "zzz", "A-0"):
        segment(tmp_path / name, 0, batch(0))
    assert [name.split("/")[0] for name in column(tmp_path, "file")] == ["A-0", "a-9", "a-10", "b-0", "zzz"]
    given = [tmp_path / "zzz", tmp_path / "b-0" / file_name(0), tmp_path / "a-10", tmp_path / "a-9"]
    assert column(given, "topic") == ["a", "a", "b", None]


def test_a_file_named_beside_its_directory_takes_its_place_by_base_offset(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for base in (0, 20):
        segment(tmp_path / "t-0", base, batch(base))
    aside = segment(tmp_path / "t-0", 10, batch(10), suffix=".deleted")
    monkeypatch.chdir(tmp_path)
    assert offsets(["t-0", aside]) == offsets([aside, "t-0"]) == [0, 10, 20]


def test_records_of_a_batch_stay_as_stored_even_if_offsets_go_back(tmp_path: Path) -> None:
    path = segment(tmp_path, 0, batch(5, 2), batch(0, 2), batch(5, 1))
    assert offsets(path) == [5, 6, 0, 1, 5]


# Other arguments of a scan, and bytes in memory


@pytest.mark.parametrize("arguments", [{"engine": "rust"}, {"engine": None}, {"isolation_level": "serializable"}])
def test_other_engines_and_isolation_levels_are_refused(arguments: dict[str, Any]) -> None:
    ((name, wrong),) = arguments.items()
    with pytest.raises(ValueError, match=f"{name} must be one of .*, not {wrong!r}"):
        kafkafmt.scan(LARGE, **arguments)
    assert kafkafmt.scan(LARGE, engine="reference", isolation_level="read_uncommitted").count() > 0


def test_bytes_in_memory_are_read_as_the_file_is() -> None:
    for case in CRASHED[:1]:
        for path in case.files("damaged/*/*.log"):
            scan = kafkafmt.scan(path, on_damage="skip", below_log_start=True, control_records=True)
            found = scan_bytes(path.read_bytes(), file=str(path), on_damage="skip", control_records=True)
            assert found.drop_columns("file") == scan.to_table().drop_columns("file")
            assert set(found.column("file").to_pylist()) <= {str(path)}


def test_bytes_in_memory_take_the_options_of_a_scan(tmp_path: Path) -> None:
    content = batch(0) + batch(1, attributes=CONTROL) + broken(batch(2))
    name = "s3://bucket/t-4/00000000000000000000.log"
    table = scan_bytes(content, file=name, on_damage="skip", columns=["partition", "file", "offset"])
    assert table.to_pylist() == [{"partition": 4, "file": name, "offset": 0}]
    assert scan_bytes(content, file="x", on_damage="skip", control_records=True).num_rows == 2
    assert scan_bytes(b"", file="x").num_rows == 0
    with pytest.raises(ChecksumError) as error:
        scan_bytes(content, file=name)
    assert error.value.file == name
    with pytest.raises(LimitExceededError):
        scan_bytes(content, file=name, limits=Limits(max_batch_bytes=20))
    with pytest.raises(ValueError, match="on_damage"):
        scan_bytes(content, file=name, on_damage="ignore")  # type: ignore[arg-type]
