"""Transaction indexes."""

import struct
import tracemalloc
from pathlib import Path

import pyarrow as pa
import pytest

from kafkafmt.errors import LimitExceededError, UnsupportedError
from kafkafmt.files import transaction_index
from kafkafmt.files.transaction_index import AbortedTransaction
from tests.golden_cases import Case, cases

ENTRY = struct.Struct(">hqqqq")


def is_transaction_index(name: str) -> bool:
    return name.rpartition("/")[2][20:].startswith(".txnindex")


def golden_entries(case: Case) -> dict[str, list[dict[str, int]]]:
    if case.family == "modern":
        return {
            each["file"]: each["entries"]
            for each in case.jsonl("index_entries.jsonl")
            if is_transaction_index(each["file"])
        }
    found: dict[str, list[dict[str, int]]] = {
        each["file"]: [] for each in case.jsonl("files.jsonl") if is_transaction_index(each["file"])
    }
    for each in case.jsonl("index.jsonl"):
        if is_transaction_index(each["file"]):
            found[each["file"]].append({key: value for key, value in each.items() if key not in {"file", "n"}})
    return found


@pytest.mark.parametrize("case", [case for case in cases() if case.files("*.txnindex*")], ids=str)
def test_entries_are_those_that_kafka_reads(case: Case) -> None:
    expected = golden_entries(case)
    assert {path.relative_to(case.log_dir).as_posix() for path in case.files("*.txnindex")} <= set(expected)
    for name, entries in expected.items():
        index = transaction_index.read(case.log_dir / name)
        assert index.to_table().to_pylist() == entries, name
        assert index.trailing_bytes == 0
        assert index.sanity_error is None


def test_golden_cases_have_aborted_transactions() -> None:
    paths = [path for case in cases() for path in case.files("*.txnindex")]
    assert sum(len(transaction_index.read(path).entries) for path in paths) > 100
    assert any(path.stat().st_size == 0 for path in paths)


def test_entries_and_columns() -> None:
    index = transaction_index.parse(ENTRY.pack(0, 1, 2, 3, 4) + ENTRY.pack(0, -1, (1 << 63) - 1, 7, 8))
    assert index.entries == (AbortedTransaction(0, 1, 2, 3, 4), AbortedTransaction(0, -1, (1 << 63) - 1, 7, 8))
    assert index.to_table().schema == pa.schema(
        [("version", pa.int16())]
        + [(name, pa.int64()) for name in ("producerId", "firstOffset", "lastOffset", "lastStableOffset")]
    )
    assert transaction_index.parse(b"").to_table().num_rows == 0


@pytest.mark.parametrize("length", range(34))
def test_a_partial_last_entry_is_ignored_as_kafka_does(length: int) -> None:
    whole = ENTRY.pack(0, 1, 2, 3, 4)
    index = transaction_index.parse(whole + (b"\x7f" * length))
    assert (len(index.entries), index.trailing_bytes) == (1, length)


def test_a_later_version_is_unsupported_with_its_place() -> None:
    with pytest.raises(UnsupportedError) as caught:
        transaction_index.parse(ENTRY.pack(0, 1, 2, 3, 4) + ENTRY.pack(1, 1, 2, 3, 4), file="f")
    error = caught.value
    assert (error.file, error.position, error.found) == ("f", 34, 1)


def test_a_negative_version_is_read_as_kafka_does() -> None:
    assert transaction_index.parse(ENTRY.pack(-1, 1, 2, 3, 4)).entries[0].version == -1


def test_a_marker_below_the_base_offset_is_insane() -> None:
    data = ENTRY.pack(0, 1, 2, 30, 4) + ENTRY.pack(0, 1, 2, 29, 4)
    assert transaction_index.parse(data).sanity_error is None
    assert transaction_index.parse(data, base_offset=29).sanity_error is None
    error = transaction_index.parse(data, base_offset=30, file="f").sanity_error
    assert error is not None
    assert (error.file, error.position, error.found) == ("f", 34, 29)


def test_read_takes_the_base_offset_from_the_name_and_refuses_what_is_too_large(tmp_path: Path) -> None:
    path = tmp_path / "00000000000000000030.txnindex"
    path.write_bytes(ENTRY.pack(0, 1, 2, 29, 4))
    index = transaction_index.read(path)
    assert (index.base_offset, index.file) == (30, str(path))
    assert index.sanity_error is not None
    with path.open("wb") as file:
        file.truncate(1 << 30)
    with pytest.raises(LimitExceededError):
        transaction_index.read(path)


def test_entries_are_decoded_when_they_are_asked_for() -> None:
    data = ENTRY.pack(0, 1, 2, 3, 4) * 20_000
    tracemalloc.start()
    try:
        index = transaction_index.parse(data)
        assert tracemalloc.get_traced_memory()[0] < len(data) // 10
    finally:
        tracemalloc.stop()
    assert index.to_table().num_rows == len(index.entries) == 20_000
