"""Offset indexes."""

import struct
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kafkafmt_specs.kafka_offset_index import KafkaOffsetIndex

from kafkafmt.errors import LimitExceededError, SourceError
from kafkafmt.files import offset_index
from tests.effort import calls
from tests.golden_cases import Case, cases

INT32 = st.integers(-(1 << 31), (1 << 31) - 1)


def golden_entries(case: Case) -> dict[str, list[list[int]]]:
    if case.family == "modern":
        return {
            each["file"]: each["entries"] for each in case.jsonl("index_entries.jsonl") if is_offset_index(each["file"])
        }
    # That list counts entries by file size, padding included, and omits files without entries.
    found: dict[str, list[list[int]]] = {
        each["file"]: [] for each in case.jsonl("files.jsonl") if is_offset_index(each["file"])
    }
    for each in case.jsonl("index.jsonl"):
        if is_offset_index(each["file"]):
            found[each["file"]].append([each["offset"], each["position"]])
    return found


def is_offset_index(name: str) -> bool:
    return name.rpartition("/")[2][20:].startswith(".index")


@pytest.mark.parametrize("case", cases(), ids=str)
def test_entries_are_those_that_kafka_reads(case: Case) -> None:
    expected = golden_entries(case)
    # The list omits one kind of file: in older cases, those with a further suffix.
    assert {path.relative_to(case.log_dir).as_posix() for path in case.files("*.index")} <= set(expected)
    for name, pairs in expected.items():
        index = offset_index.read(case.log_dir / name)
        found = [[entry.offset, entry.position] for entry in index.entries]
        if case.family == "modern":
            assert found == pairs, name
        else:
            assert found == pairs[: index.zero_padded_from], name
            assert all(pair == [index.base_offset, 0] for pair in pairs[len(found) :]), name
        table = index.to_table()
        assert [
            list(pair) for pair in zip(*table.select(["offset", "position"]).to_pydict().values(), strict=True)
        ] == found
        assert table["relativeOffset"].to_pylist() == [entry.relative_offset for entry in index.entries]


@pytest.mark.parametrize("case", cases("modern"), ids=str)
def test_padding_and_sanity_are_as_kafka_sees_them(case: Case) -> None:
    listed = [each for each in case.jsonl("index_entries.jsonl") if is_offset_index(each["file"])]
    for each in listed:
        index = offset_index.read(case.log_dir / each["file"])
        assert index.zero_padded_from == each.get("zeroPaddedFrom"), each["file"]
        assert index.entry_count == each.get("entryCount", 0), each["file"]
        assert (index.sanity_error is None) == (each.get("sanityCheck", "ok") == "ok"), each["file"]


@pytest.mark.parametrize("case", cases("legacy"), ids=str)
def test_sanity_is_as_kafka_sees_it(case: Case) -> None:
    for each in case.jsonl("files.jsonl"):
        if is_offset_index(each["file"]) and "sane" in each:
            index = offset_index.read(case.log_dir / each["file"])
            assert index.entry_count == each["entries"], each["file"]
            assert (index.sanity_error is None) == each["sane"], each["file"]


def test_golden_cases_have_padded_and_insane_indexes() -> None:
    paths = [path for case in cases() for path in case.files("*.index")]
    indexes = [offset_index.read(path) for path in paths]
    assert sum(index.zero_padded_from is not None for index in indexes) > 100
    assert sum(index.sanity_error is not None for index in indexes) == 8


@given(st.lists(st.tuples(INT32, INT32), max_size=20), st.binary(max_size=7))
def test_entries_are_those_of_the_generated_parser(pairs: list[tuple[int, int]], trailing: bytes) -> None:
    data = b"".join(struct.pack(">ii", *pair) for pair in pairs) + trailing
    index = offset_index.parse(data)
    parsed = KafkaOffsetIndex.from_bytes(data)
    whole = [(entry.relative_offset, entry.ofs_entry) for entry in parsed.entries]
    assert [(entry.relative_offset, entry.position) for entry in index.entries] == whole[: index.zero_padded_from]
    assert all(pair == (0, 0) for pair in whole[len(index.entries) :])
    assert (index.entry_count, index.trailing_bytes) == (len(whole), len(parsed.truncated))


def test_a_zero_entry_at_the_start_is_an_entry_and_the_next_ones_are_padding() -> None:
    assert offset_index.parse(bytes(8)).zero_padded_from is None
    assert list(offset_index.parse(bytes(8), base_offset=7).entries) == [(0, 7, 0)]
    index = offset_index.parse(bytes(80), base_offset=7)
    assert (list(index.entries), index.zero_padded_from, index.entry_count) == ([(0, 7, 0)], 1, 10)


def test_an_empty_index_is_sane_and_has_no_entries() -> None:
    index = offset_index.parse(b"")
    assert (len(index.entries), index.entry_count, index.zero_padded_from) == (0, 0, None)
    assert index.sanity_error is None
    assert index.to_table().num_rows == 0


def test_without_a_base_offset_only_relative_offsets_are_known() -> None:
    index = offset_index.parse(struct.pack(">iiii", 3, 0, 5, 90))
    assert list(index.entries) == [(3, None, 0), (5, None, 90)]
    assert index.to_table().to_pydict() == {"offset": [None, None], "relativeOffset": [3, 5], "position": [0, 90]}
    assert index.to_table().schema == pa.schema(
        [("offset", pa.int64()), ("relativeOffset", pa.int32()), ("position", pa.int64())]
    )


@pytest.mark.parametrize("base_offset", [None, 0, 100, (1 << 63) - 1])
def test_a_last_offset_below_the_base_is_insane(base_offset: int | None) -> None:
    index = offset_index.parse(struct.pack(">iiii", 3, 0, -5, 90), base_offset=base_offset, file="f")
    error = index.sanity_error
    assert error is not None
    assert (error.file, error.position, error.found) == ("f", 8, -5)


def test_an_offset_beyond_64_bits_wraps_as_in_java_and_is_insane() -> None:
    index = offset_index.parse(struct.pack(">ii", 1, 0), base_offset=(1 << 63) - 1)
    assert index.entries[0].offset == -(1 << 63)
    assert index.sanity_error is not None
    assert index.to_table()["offset"].to_pylist() == [-(1 << 63)]


def test_an_odd_size_is_insane_but_whole_entries_are_read() -> None:
    index = offset_index.parse(struct.pack(">ii", 1, 2) + b"abc")
    assert (list(index.entries), index.trailing_bytes) == ([(1, None, 2)], 3)
    assert index.sanity_error is not None
    assert (index.sanity_error.position, index.sanity_error.found) == (8, "11 bytes")


def test_an_index_of_10_mib_is_opened_and_tabled_without_a_million_objects() -> None:
    count = 10 * 1024 * 1024 // 8
    data = b"".join(struct.pack(">ii", number, number * 3) for number in range(1, count + 1))
    index = offset_index.parse(b"")
    table = index.to_table()

    def read() -> None:
        nonlocal index, table
        index = offset_index.parse(data, base_offset=1 << 40)
        table = index.to_table()

    assert calls(read) < 1000
    assert index.entries[count - 1] == (count, (1 << 40) + count, 3 * count)
    assert table["offset"][-1].as_py() == (1 << 40) + count
    assert table["position"][-1].as_py() == 3 * count


def test_read_takes_the_base_offset_from_the_name(tmp_path: Path) -> None:
    for name, offset in (("00000000000000000042.index.deleted", 45), ("copy.index", None)):
        (tmp_path / name).write_bytes(struct.pack(">ii", 3, 9))
        index = offset_index.read(tmp_path / name)
        assert (list(index.entries), index.file) == ([(3, offset, 9)], str(tmp_path / name))


def test_read_refuses_what_is_too_large_or_missing(tmp_path: Path) -> None:
    with (tmp_path / "x.index").open("wb") as file:
        file.truncate(1 << 30)
    with pytest.raises(LimitExceededError):
        offset_index.read(tmp_path / "x.index")
    with pytest.raises(SourceError):
        offset_index.read(tmp_path / "y.index")
