"""Entries of golden files: rows tile the entry, agree with the reference engine, and report the same faults."""

from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from kafkafmt.cli.inspect.choosing import RecordChoice
from kafkafmt.cli.inspect.rows import Row, fields_of
from kafkafmt.cli.inspect.small_files import parser_of, rows_of_index_entry, rows_of_snapshot
from kafkafmt.codec.java_text import decode_utf8
from kafkafmt.errors import KafkafmtError
from kafkafmt.files import offset_index, producer_snapshot, time_index, transaction_index
from kafkafmt.files.kinds import KINDS, LAYOUTS
from kafkafmt.io.base import MemoryFile
from kafkafmt.reference.entry import Entry
from kafkafmt.reference.record import Record
from tests.cli.inspect.tiling import ALL, assert_tiled, entries, golden_files, row_of

LOGS = golden_files("kafka_log_segment", 12)
BAD = sorted((Path(__file__).parents[2] / "bad_data" / "files").glob("*.log"))


@lru_cache(8)  # a bad entry can take seconds, and is examined in several ways
def verdicts(data: bytes) -> list[KafkafmtError]:
    """Faults that the reference engine finds in an entry."""
    found = []
    entry = Entry(data)
    for look in (entry.verify_checksum, entry.records):
        try:
            look()
        except KafkafmtError as error:
            found.append(error)
    return found


def is_whole(data: bytes) -> bool:
    return len(data) > 17 and Entry(data).frame.size_in_bytes == len(data) >= 26


def of_record(rows: list[Row]) -> list[list[Row]]:
    """The rows of each record or message."""
    marked = [(row.field.partition("records[")[2] or row.field.partition("entries[")[2], row) for row in rows]
    inner = [(name.partition("]")[0], row) for name, row in marked if name]
    return [[row for _, row in some] for _, some in groupby(inner, key=lambda pair: pair[0])]


def value(rows: list[Row], name: str) -> Any:
    """The bytes of a field, reassembled if they were split; None if it is null."""
    found = [row for row in rows if row.field.endswith(f"].body.{name}")]
    return bytes(found[0].data) if found else None


def same_records(rows: list[Row], records: list[Record]) -> int:
    found = of_record(rows)
    assert len(found) == len(records)
    for some, record in zip(found, records, strict=True):
        assert (value(some, "key"), value(some, "value")) == (record.key, record.value)
        by_name = {row.field.rpartition("].")[2]: row for row in some}
        offset = by_name.get("body.offset_delta") or by_name["base_offset"]
        assert offset.note.split(";")[0].split(",")[0] == f"offset {record.offset}"
        if "body.timestamp_delta" in by_name and "not used" not in by_name["body.timestamp_delta"].note:
            assert by_name["body.timestamp_delta"].note.startswith(f"timestamp {record.timestamp}")
        keys = [row for row in some if "headers[" in row.field and row.field.endswith("].key")]
        assert [decode_utf8(bytes(row.data)) for row in keys] == [key for key, _ in record.headers]
        for number, (_, header) in enumerate(record.headers):
            stored = [bytes(row.data) for row in some if row.field.endswith(f"headers[{number}].value")]
            assert stored == ([] if header is None else [header])
    return len(records)


def same_header(rows: list[Row], entry: Entry) -> None:
    header = entry.header()
    assert row_of(rows, "body.crc").value == header.crc
    assert row_of(rows, "body.magic").value == header.magic
    assert row_of(rows, "base_offset").value == entry.frame.offset
    if header.magic == 2:
        for name in ("partition_leader_epoch", "base_timestamp", "max_timestamp", "producer_id", "producer_epoch"):
            assert row_of(rows, f"body.{name}").value == getattr(header, name)
        assert row_of(rows, "body.base_sequence").value == header.base_sequence
        assert row_of(rows, "body.num_records").value == header.count
        assert row_of(rows, "body.last_offset_delta").note == f"last offset {header.last_offset}"
        assert row_of(rows, "body.attributes.is_control").value == header.is_control_batch
        assert row_of(rows, "body.attributes.is_transactional").value == header.is_transactional
    compression: Any = row_of(rows, "body.attributes.compression").value
    assert getattr(compression, "name", None) == header.compression


@pytest.mark.slow
def test_entries_of_logs_are_tiled_and_say_what_the_reference_engine_says() -> None:
    records = 0
    for path in LOGS:
        for chosen, rows in entries(MemoryFile(path.name, path.read_bytes())):
            assert_tiled(rows)
            if is_whole(chosen.data) and not verdicts(chosen.data):
                entry = Entry(chosen.data)
                same_header(rows, entry)
                if entry.header().magic == 2 or entry.header().compression != "none":
                    records += same_records(rows, list(entry.records()))
    assert records > 3000


@pytest.mark.parametrize("path", BAD, ids=lambda path: path.name)
def test_what_is_wrong_with_a_bad_file_is_found_and_nothing_else_raised(path: Path) -> None:
    for wanted in (ALL, RecordChoice(records=0), RecordChoice(records=2, offset=5)):
        for chosen, rows in entries(MemoryFile(path.name, path.read_bytes()), wanted):
            assert_tiled(rows)
            found = [row.error for row in rows if row.error is not None]
            if is_whole(chosen.data):
                # A control record's key of one byte is an error only once its type is needed, as it is here.
                assert bool(found) == bool(verdicts(chosen.data)) or path.name == "control-key-short.log"
            else:
                assert found


@pytest.mark.slow
def test_what_is_wrong_with_a_golden_entry_is_found() -> None:
    found = 0
    for path in golden_files("kafka_log_segment", 3):
        if "damaged" in path.as_posix() or "crafted" in path.as_posix() or "12-crash" in path.as_posix():
            for chosen, rows in entries(MemoryFile(path.name, path.read_bytes()), RecordChoice(records=1)):
                assert_tiled(rows)
                wrong = any(row.error for row in rows)
                assert wrong == (not is_whole(chosen.data) or bool(verdicts(chosen.data)))
                found += wrong
    assert found > 30


@pytest.mark.parametrize("kind", LAYOUTS)
def test_entries_of_indexes_are_tiled_and_say_what_our_readers_say(kind: str) -> None:
    size = LAYOUTS[kind].size
    read: Any = {
        "index": lambda data: offset_index.parse(data, base_offset=7),
        "timeindex": lambda data: time_index.parse(data, base_offset=7),
        "txnindex": transaction_index.parse,
    }[kind]
    names = {"ofs_entry": "position"}
    seen = 0
    for path in golden_files(KINDS[kind].spec or "", 40 if kind != "txnindex" else 1):
        data = path.read_bytes()
        for number, entry in enumerate(read(data)):
            rows = rows_of_index_entry(KINDS[kind], data[number * size : (number + 1) * size], "f", number * size, 7)
            assert_tiled(rows)
            assert [row.field for row in rows] == list(fields_of(parser_of(KINDS[kind]).Entry))
            for row in rows:
                assert row.value == getattr(entry, names.get(row.field, row.field))
                assert row.meaning
                if row.field == "relative_offset":
                    assert row.note == f"offset {entry.offset}"
            seen += 1
    assert seen > 50


def test_producer_snapshots_are_tiled_and_say_what_our_reader_says() -> None:
    seen = 0
    for path in golden_files("kafka_producer_snapshot", 4):
        data = path.read_bytes()
        rows, found = rows_of_snapshot(data, path.name, ALL)
        assert_tiled(rows)
        assert found
        parsed = producer_snapshot.parse(data)
        assert row_of(rows, "crc").value == parsed.crc
        assert "matches" in row_of(rows, "crc").note
        for number, producer in enumerate(parsed.entries):
            path_of = f"producers[{number}]"
            assert row_of(rows, f"{path_of}.producer_id").value == producer.producer_id
            assert row_of(rows, f"{path_of}.last_offset").value == producer.last_offset
            note = f"first offset {producer.first_offset}" if producer.has_batch else ""
            assert row_of(rows, f"{path_of}.offset_delta").note == note
            seen += 1
    assert seen > 50
