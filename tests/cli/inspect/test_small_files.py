"""Rows of damaged index entries and producer snapshots."""

import struct

import pytest

from kafkafmt.cli.inspect.choosing import RecordChoice
from kafkafmt.cli.inspect.rows import Row
from kafkafmt.cli.inspect.small_files import rows_of_index_entry, rows_of_snapshot
from kafkafmt.files.kinds import KINDS
from tests.bad_data.pieces import snapshot
from tests.cli.inspect.tiling import ALL, assert_tiled, errors_of, row_of


def rows_of(data: bytes, wanted: RecordChoice = ALL) -> list[Row]:
    rows, _ = rows_of_snapshot(data, "f", wanted)
    assert_tiled(rows)
    return rows


class TestSnapshots:
    def test_a_sound_one(self) -> None:
        rows = rows_of(snapshot(producers=3, count=3))
        assert errors_of(rows) == []
        assert row_of(rows, "num_producers").value == 3
        assert row_of(rows, "producers[2]").type == "producer"

    def test_bytes_behind_the_producers_are_kept(self) -> None:
        row = row_of(rows_of(snapshot(more=b"more")), "trailing")
        assert (bytes(row.data), row.type) == (b"more", "bytes to the end")
        assert row.meaning.startswith("Bytes after the last producer")

    @pytest.mark.parametrize(
        ("data", "field", "words"),
        [
            (snapshot(wrong_crc=1), "crc", "checksum mismatch in the producer snapshot"),
            (snapshot(version=2), "version", "unknown version of a producer snapshot"),
            (snapshot(count=-1), "num_producers", "the format rules this value out"),
            (snapshot(count=2), "producers[0].current_txn_first_offset", "the data ends before its declared size"),
            (snapshot()[:-3], "producers[0].current_txn_first_offset", "the data ends before its declared size"),
            (snapshot()[:7], "num_producers", "the data ends before its declared size"),
            (b"", "version", "the data ends before its declared size"),
        ],
        ids=["crc", "version", "negative", "count", "cut", "cut header", "empty"],
    )
    def test_what_is_wrong_stands_at_its_field(self, data: bytes, field: str, words: str) -> None:
        found = errors_of(rows_of(data))
        assert [each for each, _ in found] == [field]
        assert words in found[0][1] or field.startswith("producers")

    def test_a_crc_is_compared(self) -> None:
        assert row_of(rows_of(snapshot(wrong_crc=1)), "crc").note.startswith("WRONG: bytes 6 to 55 give 0x")

    def test_a_cut_producer_is_shown_whatever_is_wanted(self) -> None:
        rows = rows_of(snapshot(count=2, producers=2)[:-3], RecordChoice(records=0))
        assert [row.field for row in rows if row.field.startswith("producers")][:3] == [
            "producers[0]",
            "producers[1]",
            "producers[1].producer_id",
        ]


def test_an_index_entry_without_its_end_is_truncated() -> None:
    for kind, size in (("index", 8), ("timeindex", 12), ("txnindex", 34)):
        (row,) = rows_of_index_entry(KINDS[kind], bytes(size - 1), "f", 0, None)
        assert row.field == "truncated"
        assert row.error is not None


def test_without_base_offset_there_is_no_absolute_one() -> None:
    rows = rows_of_index_entry(KINDS["index"], struct.pack(">ii", 1, 2), "f", 0, None)
    assert [row.note for row in rows] == ["", ""]
