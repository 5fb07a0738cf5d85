"""Time indexes."""

import struct
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kafkafmt_specs.kafka_time_index import KafkaTimeIndex

from kafkafmt.errors import LimitExceededError, SourceError
from kafkafmt.files import time_index
from tests.effort import calls
from tests.golden_cases import Case, cases

INT32 = st.integers(-(1 << 31), (1 << 31) - 1)
INT64 = st.integers(-(1 << 63), (1 << 63) - 1)


def golden_entries(case: Case) -> dict[str, list[list[int]]]:
    if case.family == "modern":
        return {
            each["file"]: each["entries"] for each in case.jsonl("index_entries.jsonl") if is_time_index(each["file"])
        }
    # That list counts entries by file size, padding included, and omits files without entries.
    found: dict[str, list[list[int]]] = {
        each["file"]: [] for each in case.jsonl("files.jsonl") if is_time_index(each["file"])
    }
    for each in case.jsonl("index.jsonl"):
        if is_time_index(each["file"]):
            found[each["file"]].append([each["timestamp"], each["offset"]])
    return found


def is_time_index(name: str) -> bool:
    return name.rpartition("/")[2][20:].startswith(".timeindex")


@pytest.mark.parametrize("case", cases(), ids=str)
def test_entries_are_those_that_kafka_reads(case: Case) -> None:
    expected = golden_entries(case)
    assert {path.relative_to(case.log_dir).as_posix() for path in case.files("*.timeindex")} <= set(expected)
    for name, pairs in expected.items():
        index = time_index.read(case.log_dir / name)
        found = [[entry.timestamp, entry.offset] for entry in index.entries]
        if case.family == "modern":
            assert found == pairs, name
        else:
            assert found == pairs[: index.zero_padded_from], name
            assert all(pair == [0, index.base_offset] for pair in pairs[len(found) :]), name
        table = index.to_table()
        assert table["timestamp"].cast(pa.int64()).to_pylist() == [entry.timestamp for entry in index.entries]
        assert table["offset"].to_pylist() == [entry.offset for entry in index.entries]
        assert table["relativeOffset"].to_pylist() == [entry.relative_offset for entry in index.entries]


@pytest.mark.parametrize("case", cases("modern"), ids=str)
def test_padding_and_sanity_are_as_kafka_sees_them(case: Case) -> None:
    listed = [each for each in case.jsonl("index_entries.jsonl") if is_time_index(each["file"])]
    for each in listed:
        index = time_index.read(case.log_dir / each["file"])
        assert index.zero_padded_from == each.get("zeroPaddedFrom"), each["file"]
        assert index.entry_count == each.get("entryCount", 0), each["file"]
        assert (index.sanity_error is None) == (each.get("sanityCheck", "ok") == "ok"), each["file"]


@pytest.mark.parametrize("case", cases("legacy"), ids=str)
def test_sanity_is_as_kafka_sees_it(case: Case) -> None:
    for each in case.jsonl("files.jsonl"):
        if is_time_index(each["file"]) and "sane" in each:
            index = time_index.read(case.log_dir / each["file"])
            assert index.entry_count == each["entries"], each["file"]
            assert (index.sanity_error is None) == each["sane"], each["file"]


def test_golden_cases_have_padded_and_insane_indexes() -> None:
    paths = [path for case in cases() for path in case.files("*.timeindex")]
    indexes = [time_index.read(path) for path in paths]
    assert sum(index.zero_padded_from is not None for index in indexes) > 100
    assert sum(index.sanity_error is not None for index in indexes) > 50


@given(st.lists(st.tuples(INT64, INT32), max_size=20), st.binary(max_size=11))
def test_entries_are_those_of_the_generated_parser(pairs: list[tuple[int, int]], trailing: bytes) -> None:
    data = b"".join(struct.pack(">qi", *pair) for pair in pairs) + trailing
    index = time_index.parse(data)
    parsed = KafkaTimeIndex.from_bytes(data)
    whole = [(entry.timestamp, entry.relative_offset) for entry in parsed.entries]
    assert [(entry.timestamp, entry.relative_offset) for entry in index.entries] == whole[: index.zero_padded_from]
    assert all(pair == (0, 0) for pair in whole[len(index.entries) :])
    assert (index.entry_count, index.trailing_bytes) == (len(whole), len(parsed.truncated))
    table = index.to_table()
    assert table["timestamp"].cast(pa.int64()).to_pylist() == [entry.timestamp for entry in index.entries]
    assert table["relativeOffset"].to_pylist() == [entry.relative_offset for entry in index.entries]


def test_a_record_of_timestamp_0_at_the_base_offset_is_an_entry() -> None:
    index = time_index.parse(struct.pack(">qiqi", 0, 0, 5, 1) + bytes(24), base_offset=7)
    assert list(index.entries) == [(0, 0, 7), (5, 1, 8)]
    assert (index.zero_padded_from, index.entry_count) == (2, 4)
    assert list(time_index.parse(bytes(24), base_offset=7).entries) == [(0, 0, 7)]


def test_an_empty_index_is_sane_and_has_no_entries() -> None:
    index = time_index.parse(b"")
    assert (len(index.entries), index.entry_count, index.zero_padded_from) == (0, 0, None)
    assert index.sanity_error is None
    assert index.to_table().num_rows == 0


def test_the_table_has_utc_milliseconds_as_they_are() -> None:
    table = time_index.parse(struct.pack(">qiqi", -1, 2, 1466000000010, 5), base_offset=1 << 40).to_table()
    assert table.schema == pa.schema(
        [("timestamp", pa.timestamp("ms", "UTC")), ("offset", pa.int64()), ("relativeOffset", pa.int32())]
    )
    assert table["timestamp"].cast(pa.int64()).to_pylist() == [-1, 1466000000010]
    assert table["offset"].to_pylist() == [(1 << 40) + 2, (1 << 40) + 5]
    assert time_index.parse(bytes(12)).to_table()["offset"].to_pylist() == [None]


def test_timestamps_that_go_back_are_insane() -> None:
    error = time_index.parse(struct.pack(">qiqi", 9, 0, 8, 1), file="f").sanity_error
    assert error is not None
    assert (error.file, error.position, error.expected, error.found) == ("f", 12, "9 or more", 8)


@pytest.mark.parametrize("base_offset", [None, 0, 100])
def test_a_last_offset_below_the_base_is_insane(base_offset: int | None) -> None:
    error = time_index.parse(struct.pack(">qiqi", 9, 0, 9, -1), base_offset=base_offset).sanity_error
    assert error is not None
    assert (error.position, error.found) == (12, -1)


def test_an_odd_size_is_insane_but_whole_entries_are_read() -> None:
    index = time_index.parse(struct.pack(">qi", 1, 2) + b"abc")
    assert (list(index.entries), index.trailing_bytes) == ([(1, 2, None)], 3)
    assert index.sanity_error is not None
    assert (index.sanity_error.position, index.sanity_error.found) == (12, "15 bytes")


def test_an_index_of_10_mib_is_opened_and_tabled_without_a_million_objects() -> None:
    count = 10 * 1024 * 1024 // 12
    data = b"".join(struct.pack(">qi", number << 30, number) for number in range(1, count + 1))
    index = time_index.parse(b"")
    table = index.to_table()

    def read() -> None:
        nonlocal index, table
        index = time_index.parse(data, base_offset=0)
        table = index.to_table()

    assert calls(read) < 1000
    assert index.entries[-1] == (count << 30, count, count)
    assert table["timestamp"].cast(pa.int64())[-1].as_py() == count << 30


def test_read_takes_the_base_offset_from_the_name(tmp_path: Path) -> None:
    for name, offset in (("00000000000000000042.timeindex", 45), ("copy.timeindex", None)):
        (tmp_path / name).write_bytes(struct.pack(">qi", 1000, 3))
        index = time_index.read(tmp_path / name)
        assert (list(index.entries), index.file) == ([(1000, 3, offset)], str(tmp_path / name))


def test_read_refuses_what_is_too_large_or_missing(tmp_path: Path) -> None:
    with (tmp_path / "x.timeindex").open("wb") as file:
        file.truncate(1 << 30)
    with pytest.raises(LimitExceededError):
        time_index.read(tmp_path / "x.timeindex")
    with pytest.raises(SourceError):
        time_index.read(tmp_path / "y.timeindex")
