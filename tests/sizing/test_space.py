"""`space`: selection, damage, the bytes that are read, and too many groups."""

import os
import struct
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from crc32c import crc32c

import kafkafmt
from kafkafmt.writing import BatchBuilder
from tests import reads
from tests.golden_cases import Case, cases
from tests.logdir import builders
from tests.sizing.golden_space import grouped, knows_sizes, records_of

MUTATIONS = int(os.environ.get("KAFKAFMT_MUTATIONS", "40"))
HOUR = 3_600_000


def case(name: str) -> Case:
    return next(each for each in cases() if each.name == name)


CODECS = case("01-codecs-4.3.1")


def rows(source: Any, by: Any = "topic", **arguments: Any) -> list[dict[str, Any]]:
    """Rows with times as ms."""
    table = kafkafmt.open(source).space(by, **arguments).to_table()
    for number, field in enumerate(table.schema):
        if pa.types.is_timestamp(field.type):
            table = table.set_column(number, field.name, table.column(number).cast(pa.int64()))
    found: list[dict[str, Any]] = table.to_pylist()
    return found


def test_the_largest_come_first() -> None:
    stored = [row["storedBytes"] for row in rows(CODECS.log_dir, ["topic", "key"])]
    assert len(stored) > 100
    assert stored == sorted(stored, reverse=True)
    assert [row["storedBytes"] for row in rows(CODECS.log_dir, ["topic", "key"], top=7)] == stored[:7]
    topics = [row["storedBytes"] for row in rows(CODECS.log_dir)]
    assert topics == sorted(topics, reverse=True)
    assert [row["storedBytes"] for row in rows(CODECS.log_dir, top=2)] == topics[:2]


@pytest.mark.parametrize(
    ("selection", "takes"),
    [
        ({"start_offset": 5}, lambda record: record.offset >= 5),
        ({"end_offset": 7}, lambda record: record.offset < 7),
        ({"topics": {"shapes": 0}, "start_offset": 3, "end_offset": 60}, lambda record: 3 <= record.offset < 60),
        ({"start_timestamp": 1_795_234_584_060}, lambda record: record.timestamp >= 1_795_234_584_060),
        ({"end_timestamp": 1_795_234_584_060}, lambda record: record.timestamp < 1_795_234_584_060),
        ({"key": b"big-gzip"}, lambda record: record.key == b"big-gzip"),
    ],
)
@pytest.mark.parametrize("by", ["topic", "key", "hour,producer"])
def test_only_selected_records_count(selection: dict[str, Any], takes: Callable[[Any], bool], by: str) -> None:
    """A batch that is selected in part counts with the share of its selected records."""
    keys: dict[str, Callable[[Any], tuple[Any, ...]]] = {
        "topic": lambda record: (record.topic,),
        "key": lambda record: (record.key,),
        "hour,producer": lambda record: (record.hour, record.batch["producerId"]),
    }
    files = {row["file"] for row in CODECS.jsonl("records.jsonl") if row["file"].endswith(".log")}
    golden = [
        record
        for record in records_of(CODECS, files)
        if takes(record) and record.topic in selection.get("topics", [record.topic])
    ]
    assert golden
    found = rows(CODECS.log_dir, by, **selection)
    names = list(found[0])
    count = names.index("records")
    assert {tuple(row.values())[:count]: dict(list(row.items())[count:]) for row in found} == grouped(golden, keys[by])


@pytest.mark.parametrize("name", ["m0-codecs-0.9.0.1", "m1-codecs-0.10.2.2"])
def test_old_formats_are_selected_message_by_message(name: str) -> None:
    old = case(name)
    files = {row["file"] for row in old.jsonl("records.jsonl") if row["file"].endswith(".log")}
    times = sorted(record.timestamp for record in records_of(old, files))
    middle = times[len(times) // 2]
    key = next(record.key for record in records_of(old, files) if record.key)
    selections: list[tuple[dict[str, Any], Callable[[Any], bool]]] = [
        ({"start_offset": 7, "end_offset": 11}, lambda record: 7 <= record.offset < 11),
        ({"start_timestamp": middle}, lambda record: record.timestamp >= middle),
        ({"key": key}, lambda record: record.key == key),
    ]
    for selection, takes in selections:
        expected = grouped([record for record in records_of(old, files) if takes(record)], lambda one: (one.key,))
        found = rows([old.log_dir / file for file in files], "key", replica="all", **selection)
        assert {(row.pop("key"),): row for row in found} == expected
        assert expected


def test_cheap_columns_are_those_of_all_columns() -> None:
    cheap = ["records", "batches", "storedBytes", "minOffset", "maxOffset", "maxTimestamp"]
    for name in ("01-codecs-4.3.1", "02-timestamps-4.3.1", "05-compacted-4.3.1", "mixed-magic-2.8.2"):
        for by in (["topic", "codec", "format"], ["producer"], ["segment"]):
            whole = kafkafmt.open(case(name).log_dir).space(by).to_table()
            some = kafkafmt.open(case(name).log_dir).space(by, columns=cheap).to_table()
            assert some == whole.select(some.column_names)


def test_headers_alone_are_read_where_they_suffice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    large = builders.batch(0, value=b"x" * 300_000), builders.batch(1, value=b"y" * 300_000)
    path = builders.segment(tmp_path / "orders-0", 0, *large)
    seen = reads.record(monkeypatch)
    (row,) = rows(tmp_path, columns=["records", "storedBytes", "batches", "maxTimestamp"])
    assert row == {
        "topic": "orders",
        "records": 2,
        "batches": 2,
        "storedBytes": path.stat().st_size,
        "maxTimestamp": 1000,
    }
    assert 0 < reads.total(seen) < 100_000


def test_shares_of_a_batch_add_up(tmp_path: Path) -> None:
    """Whatever the sizes are; and they are as the sizes of the records."""
    random = np.random.default_rng(3)
    expected: dict[bytes, int] = defaultdict(int)
    builder = BatchBuilder(compression="zstd", size_limit=1 << 20)
    for number in range(997):
        key = b"key-%d" % (number % 10)
        value = random.bytes(int(random.integers(0, 300)))
        builder.append(HOUR, key, value)
        expected[key] += len(value) + len(key)
    path = builders.segment(tmp_path / "orders-0", 0, builder.build())
    found = {row["key"]: row["storedBytes"] for row in rows(tmp_path, "key")}
    assert sum(found.values()) == path.stat().st_size
    whole = sum(expected.values())
    for key, size in expected.items():
        assert found[key] / path.stat().st_size == pytest.approx(size / whole, rel=0.05)


@pytest.mark.parametrize("timestamp_type", ["CreateTime", "LogAppendTime"])
@pytest.mark.parametrize("compression", ["none", "gzip"])
def test_records_of_megabytes_are_measured(tmp_path: Path, compression: str, timestamp_type: Any) -> None:
    """They are too large for kernels."""
    builder = BatchBuilder(
        compression=compression, size_limit=1 << 30, timestamp_type=timestamp_type, log_append_time=5 * HOUR
    )
    values = [bytes([65 + number]) * 3_000_000 for number in range(3)]
    for number, value in enumerate(values):
        builder.append(HOUR + number, b"k%d" % number, value, [("h", b"%d" % number)])
    data = builder.build()
    builders.segment(tmp_path / "orders-0", 0, data)
    found = rows(tmp_path, ["key", "header:h"])
    assert sorted((row["key"], row["headerValue"]) for row in found) == [(b"k0", b"0"), (b"k1", b"1"), (b"k2", b"2")]
    assert sum(row["storedBytes"] for row in found) == len(data)
    assert all(3_000_000 < row["recordBytes"] < 3_000_040 for row in found)
    uncompressed = sum(row["recordBytes"] for row in found)
    assert compression != "none" or uncompressed == len(data) - 61
    (whole,) = rows(tmp_path)
    assert whole["recordBytes"] == uncompressed
    assert whole["minTimestamp"] == (HOUR if timestamp_type == "CreateTime" else 5 * HOUR)
    assert (whole["minOffset"], whole["maxOffset"], whole["batches"]) == (0, 2, 1)


def test_periods_and_headers(tmp_path: Path) -> None:
    builders.segment(
        tmp_path / "orders-0",
        0,
        builders.batch(0, timestamp=25 * HOUR + 1, header=b"a"),
        builders.batch(1, timestamp=25 * HOUR - 1, header=b"b"),
        builders.batch(2, timestamp=-1),
        builders.batch(3, timestamp=-HOUR - 7, header=b"a"),
    )
    counted = Counter((row["hour"], row["day"]) for row in rows(tmp_path, ["hour", "day"]))
    assert counted == Counter([(25 * HOUR, 24 * HOUR), (24 * HOUR, 24 * HOUR), (None, None), (-2 * HOUR, -24 * HOUR)])
    assert {row["headerValue"]: row["records"] for row in rows(tmp_path, "header:h")} == {b"a": 2, b"b": 1, None: 1}
    assert {row["headerValue"]: row["records"] for row in rows(tmp_path, "header:other")} == {None: 4}


def test_an_empty_batch_belongs_to_no_key(tmp_path: Path) -> None:
    """Compaction keeps an empty batch for the producer's state."""
    covered = struct.pack(">hiqqqhii", 0, 4, 30 * HOUR, 30 * HOUR, 77, 0, 0, 0)
    empty = struct.pack(">qiibI", 0, 9 + len(covered), 0, 2, crc32c(covered)) + covered
    path = builders.segment(tmp_path / "orders-0", 0, empty, builders.batch(5, key=b"k", timestamp=30 * HOUR))
    found = {row["key"]: row for row in rows(tmp_path, ["key"])}
    assert found[None]["storedBytes"] == len(empty) == 61
    assert (found[None]["records"], found[None]["batches"], found[None]["minOffset"]) == (0, 1, None)
    assert found[b"k"]["records"] == 1
    assert {row["hour"]: row["storedBytes"] for row in rows(tmp_path, "hour")} == {30 * HOUR: path.stat().st_size}
    assert {row["producerId"]: row["batches"] for row in rows(tmp_path, "producer")} == {77: 1, -1: 1}


def test_more_groups_than_fit_have_errors(tmp_path: Path) -> None:
    random = np.random.default_rng(2)
    numbers = np.concatenate([np.arange(3000), random.zipf(1.5, 3000) % 3000])
    batches, true = [], Counter[bytes]()
    for begin in range(0, len(numbers), 100):
        builder = BatchBuilder(base_offset=begin, size_limit=1 << 20)
        for number in numbers[begin : begin + 100].tolist():
            builder.append(HOUR, b"k%d" % number, b"v")
            true[b"k%d" % number] += 1
        batches.append(builder.build())
    path = builders.segment(tmp_path / "orders-0", 0, *batches)
    disks = kafkafmt.open(tmp_path)
    answer = disks.space("key", limits=kafkafmt.Limits(max_state_bytes=100_000))
    found = answer.to_table().to_pylist()
    assert answer.is_estimate
    assert len(found) < len(true)
    assert any("max_state_bytes" in note for note in answer.notes)
    assert all(row["records"] <= true[row["key"]] <= row["records"] + row["recordsError"] for row in found)
    assert any(row["recordsError"] for row in found)
    assert answer.totals == (len(found), len(numbers), path.stat().st_size)
    exact = disks.space("key")
    assert not exact.is_estimate
    assert {row["key"]: row["records"] for row in exact.to_table().to_pylist()} == true


def test_damage_is_raised_or_skipped(tmp_path: Path) -> None:
    whole = [builders.batch(offset, 10, key=b"k%d" % offset) for offset in (0, 10, 20)]
    bad = bytearray(whole[1])
    bad[-3] ^= 1
    builders.segment(tmp_path / "orders-0", 0, whole[0], bytes(bad), whole[2])
    disks = kafkafmt.open(tmp_path)
    with pytest.raises(kafkafmt.ChecksumError):
        disks.space("key", on_damage="raise")
    answer = disks.space("key")
    assert {row["key"]: row["records"] for row in answer.to_table().to_pylist()} == {b"k0": 10, b"k20": 10}
    assert [(damage.position, damage.length) for damage in answer.damage] == [(len(whole[0]), len(whole[1]))]


@pytest.mark.parametrize("columns", [["records", "storedBytes"], None])
def test_what_is_skipped_does_not_count(columns: list[str] | None, tmp_path: Path) -> None:
    """By headers, too: a length that swallows the next batch, or is one too long, and the batch with it."""
    whole = [builders.batch(offset, 10, key=b"k%d" % offset) for offset in (10, 20, 30, 40)]
    size = len(whole[0])
    for length in (2 * size, size + 1):
        bad = bytearray(whole[1])
        struct.pack_into(">i", bad, 8, length - 12)
        path = builders.segment(tmp_path / f"t{length}-0", 10, whole[0], bytes(bad), *whole[2:])
        assert path.stat().st_size == 4 * size
        answer = kafkafmt.open(path).space(columns=columns)
        (row,) = answer.to_table().to_pylist()
        assert (row["records"], row["storedBytes"]) == (30, 3 * size)
        assert [(each.position, each.length, each.records) for each in answer.damage] == [(size, size, 10)]


def test_whether_crcs_were_checked_is_known(tmp_path: Path) -> None:
    bad = bytearray(builders.batch(10, 10, key=b"k"))
    bad[-3] ^= 1
    path = builders.segment(tmp_path / "orders-0", 0, builders.batch(0, 10, key=b"k"), bytes(bad))
    by_headers = kafkafmt.open(path).space(columns=["records"])
    assert (by_headers.verified, by_headers.to_table()["records"].to_pylist(), by_headers.damage) == (False, [20], [])
    by_records = kafkafmt.open(path).space("key", columns=["records"])
    assert (by_records.verified, by_records.to_table()["records"].to_pylist()) == (True, [10])
    assert [damage.reason for damage in by_records.damage] == ["checksum"]
    assert not kafkafmt.open(path).space("key", verify_checksums=False).verified


def test_offsets_that_wrap_are_measured(tmp_path: Path) -> None:
    last = bytearray(builders.batch(0, 10, key=b"k"))
    struct.pack_into(">q", last, 0, 2**63 - 2)
    builders.segment(tmp_path / "orders-0", 0, builders.batch(0, 1, key=b"k"), bytes(last))
    assert [(row["key"], row["records"]) for row in rows(tmp_path, "key")] == [(b"k", 11)]


@pytest.mark.dosed
@pytest.mark.parametrize("name", ["01-codecs-4.3.1", "m1-codecs-0.10.2.2"])
def test_changed_bytes_give_what_a_scan_gives(tmp_path: Path, name: str) -> None:
    """Any bytes give figures of the records that a scan delivers, and the same damage."""
    random = np.random.default_rng(11)
    files = [path for path in case(name).files("*.log") if 500 < path.stat().st_size < 40_000]
    for number in range(max(6, MUTATIONS // 4)):
        source = files[number % len(files)]
        data = bytearray(source.read_bytes())
        for _ in range(int(random.integers(1, 4))):
            data[int(random.integers(len(data)))] ^= 1 << int(random.integers(8))
        path = tmp_path / "t-0" / f"{source.stem}.log"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
        disks = kafkafmt.open(path)
        scan = disks.scan(columns=["key", "offset"], on_damage="skip", control_records=True)
        expected = Counter(scan.to_table().column("key").to_pylist())
        for by in ("key", "topic"):
            answer = disks.space(by, on_damage="skip")
            table = answer.to_table()
            assert sum(table.column("records").to_pylist()) == expected.total()
            assert [damage.position for damage in answer.damage] == [damage.position for damage in scan.damage]
            if by == "key":
                records = dict(zip(table["key"].to_pylist(), table["records"].to_pylist(), strict=True))
                assert {key: count for key, count in records.items() if count} == expected


def test_what_cannot_be_grouped_by() -> None:
    for by in ("nothing", "", "key-prefix", "key-prefix:0", "key-prefix:x", "header:", "topic,topic", "codec:zstd"):
        with pytest.raises(ValueError, match=r"cannot group|twice|N of key-prefix|needs the name"):
            kafkafmt.open(CODECS.log_dir).space(by)
    with pytest.raises(ValueError, match="empty"):
        kafkafmt.open(CODECS.log_dir).space([])
    with pytest.raises(TypeError):
        kafkafmt.open(CODECS.log_dir).space([3])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="unknown columns"):
        kafkafmt.open(CODECS.log_dir).space(columns=["size"])
    with pytest.raises(ValueError, match="top"):
        kafkafmt.open(CODECS.log_dir).space(top=-1)
    with pytest.raises(
        ValueError, match=r"filter= cannot be used here.* Choose them by topics, .*, or add up .* in SQL"
    ):
        kafkafmt.open(CODECS.log_dir).space(filter=pc.field("partition") == 0)
    with pytest.raises(ValueError, match="no table"):
        kafkafmt.open(CODECS.log_dir).space().to_table("other")


def test_golden_sizes_are_known() -> None:
    """Or the comparison with golden records would compare less than it says."""
    batches = CODECS.jsonl("batches.jsonl")
    assert all(map(knows_sizes, batches))


@pytest.mark.parametrize("by", ["format", ["format", "key"]])
def test_a_negative_magic_is_a_format_of_its_own(by: str | list[str]) -> None:
    """Kafka reads such a message in the layout of format 1."""
    log_dir = Path(__file__).parents[1] / "golden/legacy/crafted-odd-wrappers/log-dir"
    found = rows(log_dir / "m1.magic-negative-0", by)
    sizes = Counter[int]()
    for row in found:
        sizes[row["magic"]] += row["storedBytes"]
    assert sizes == {1: 47 + 46, -128: 36}
