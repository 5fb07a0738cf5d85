"""Rows of hand-made entries: notes, control records, limits, and the message for each kind of damage."""

import random
import struct
from typing import Any

import pytest
from kafkafmt_specs_with_positions.kafka_record import KafkaRecord

from kafkafmt.cli.inspect import choosing
from kafkafmt.cli.inspect.choosing import RecordChoice
from kafkafmt.cli.inspect.log_entry import headline, rows_of_entry
from kafkafmt.cli.inspect.meaning import EntryNotes
from kafkafmt.cli.inspect.rows import Row
from kafkafmt.codec.compression import Compression
from kafkafmt.errors import CorruptError, LimitExceededError, TruncatedError, UnsupportedError
from kafkafmt.io.base import MemoryFile
from kafkafmt.limits import Limits
from kafkafmt.reference import control
from tests.cli.inspect.tiling import ALL, assert_tiled, entries, errors_of, row_of
from tests.hostile.corpus import samples
from tests.hostile.mutations import mutate
from tests.reference.builder import CONTROL, DELETE_HORIZON, LOG_APPEND_TIME, TRANSACTIONAL, R, batch, message, wrapper
from tests.varints import write_varint


def rows_of(data: bytes, wanted: RecordChoice = ALL, position: int = 0, **limits: int) -> list[Row]:
    rows = rows_of_entry(data, "f", position, wanted=wanted, limits=Limits(**limits))
    assert_tiled(rows)
    return rows


def fields(rows: list[Row]) -> list[str]:
    return [row.field for row in rows]


def note(rows: list[Row], field: str) -> str:
    return row_of(rows, field).note


class TestNotesOfABatch:
    def test_absolute_offsets_times_and_sequences(self) -> None:
        records = [R(0, 0), R(2, 34)]
        rows = rows_of(batch(records, base_offset=40, last_offset_delta=2, producer_id=7, base_sequence=2**31 - 2))
        assert note(rows, "body.last_offset_delta") == "last offset 42"
        assert note(rows, "body.base_sequence") == "last sequence 0"
        assert note(rows, "body.num_records") == "of 3 as produced"
        assert note(rows, "body.base_timestamp") == "1970-01-01T00:00:01.000Z"
        assert note(rows, "body.records[1]") == "offset 42"
        assert note(rows, "body.records[1].body.offset_delta") == "offset 42, sequence 0; zigzag 4"
        assert note(rows, "body.records[1].body.timestamp_delta") == (
            "timestamp 1034, 1970-01-01T00:00:01.034Z; zigzag 68"
        )

    def test_the_crc_names_the_bytes_it_covers(self) -> None:
        good = batch()
        rows = rows_of(good, position=100)
        assert note(rows, "body.crc") == f"matches bytes 121 to {100 + len(good) - 1}"
        assert row_of(rows, "len_body").note.endswith(f"the entry ends before {100 + len(good)}")
        bad = rows_of(good[:-1] + b"\1", position=100)
        assert note(bad, "body.crc").startswith("WRONG: bytes 121 to")
        assert errors_of(bad)[0] == ("body.crc", "CRC mismatch")

    def test_attributes_are_spelled_out_and_each_bit_has_its_place(self) -> None:
        data = batch(attributes=CONTROL | TRANSACTIONAL | DELETE_HORIZON | LOG_APPEND_TIME | 1, records=())
        rows = rows_of(data)
        assert note(rows, "body.attributes") == "gzip, log_append_time, transactional, control, delete horizon"
        assert [row.bits for row in rows if row.bits] == [(15, 7), (6, 6), (5, 5), (4, 4), (3, 3), (2, 0)]
        assert row_of(rows, "body.attributes.is_control").position == 22
        assert note(rows, "body.attributes.compression") == "The gzip format"
        assert note(rows, "body.base_timestamp") == "delete horizon 1970-01-01T00:00:01.000Z"

    def test_a_compression_that_is_not_known_is_a_number(self) -> None:
        rows = rows_of(batch(attributes=6, payload=b"?"))
        assert note(rows, "body.attributes") == "compression 6, create_time"
        assert errors_of(rows) == [("body.compressed_records", "unknown compression of a record batch")]

    def test_deltas_of_time_do_not_count_with_log_append_time(self) -> None:
        rows = rows_of(batch(attributes=LOG_APPEND_TIME))
        assert note(rows, "body.records[0].body.timestamp_delta").startswith("not used: the batch has LogAppendTime")

    def test_times_that_have_no_date_stay_numbers(self) -> None:
        rows = rows_of(batch(base_timestamp=-1, max_timestamp=2**63 - 1))
        assert note(rows, "body.base_timestamp") == note(rows, "body.max_timestamp") == ""
        assert note(rows, "body.records[0].body.timestamp_delta") == "timestamp -1; zigzag 0"

    def test_null_is_said_to_be_null(self) -> None:
        rows = rows_of(batch([R(key=None, value=None, headers=[(b"h", None)])]))
        for field in ("len_key", "len_value", "headers[0].len_value"):
            assert note(rows, f"body.records[0].body.{field}") == "null: no bytes follow; zigzag 1"
        assert "body.records[0].body.key" not in fields(rows)

    def test_numbers_of_several_bytes_show_what_their_groups_make(self) -> None:
        rows = rows_of(batch([R(value=b"x" * 100)]))
        row = row_of(rows, "body.records[0].body.len_value")
        assert (bytes(row.data), row.value, row.note) == (write_varint(100), 100, "zigzag 200")

    def test_bytes_of_a_batch_without_records_are_not_looked_at(self) -> None:
        rows = rows_of(batch((), payload=b"what is this"))
        assert row_of(rows, "body.records").note.startswith("not parsed: Kafka ignores")
        assert errors_of(rows) == []

    def test_without_header_nothing_follows_from_deltas(self) -> None:
        body = KafkaRecord.Body(None)
        assert EntryNotes(0)(body, "timestamp_delta", 5) == EntryNotes(0)(body, "offset_delta", 5) == ""


class TestDecompressed:
    @pytest.mark.parametrize("codec", [Compression.GZIP, Compression.SNAPPY, Compression.LZ4, Compression.ZSTD])
    def test_records_have_positions_of_their_own(self, codec: Compression) -> None:
        rows = rows_of(batch([R(value=b"a" * 50), R(1)], attributes=codec), position=1000)
        place = row_of(rows, "body.compressed_records")
        assert (place.position, place.value) == (1061, None)
        assert place.note.startswith(f"{len(place.data)} bytes of {codec.label}, 65 bytes decompressed")
        first = row_of(rows, "body.compressed_records.records[0].len_body")
        assert (first.position, first.space.name) == (0, "body.compressed_records")

    def test_what_does_not_decompress_stays_as_it_is(self) -> None:
        rows = rows_of(batch(payload=b"no gzip", attributes=1))
        assert rows[-1].note == "not decompressed"
        assert isinstance(rows[-1].error, CorruptError)

    def test_no_more_is_decompressed_than_the_limit_allows(self) -> None:
        data = batch([R(value=bytes(10_000))], attributes=Compression.GZIP)
        assert isinstance(rows_of(data, max_decompressed_bytes=5000)[-1].error, LimitExceededError)


class TestWhichRecordsAreShown:
    DATA = batch([R(delta, value=b"%d" % delta) for delta in (0, 1, 5, 6, 7)], base_offset=10)

    @staticmethod
    def shown(rows: list[Row]) -> list[str]:
        return [row.field.removeprefix("body.records") for row in rows if row.type.startswith("kafka_record")][1:]

    @pytest.mark.parametrize(
        ("wanted", "expected"),
        [
            (ALL, ["[0]", "[1]", "[2]", "[3]", "[4]"]),
            (RecordChoice(records=2), ["[0]", "[1]", "[2 to 4]"]),
            (RecordChoice(records=0), ["[0 to 4]"]),
            (RecordChoice(records=4), ["[0]", "[1]", "[2]", "[3]", "[4]"]),
            (RecordChoice(records=1, offset=11), ["[0]", "[1]", "[2 to 4]"]),
            (RecordChoice(records=2, offset=13), ["[0 to 1]", "[2]", "[3]", "[4]"]),
            (RecordChoice(records=1, offset=99), ["[0 to 4]"]),
            (RecordChoice(records=1, position=61), ["[0]", "[1 to 4]"]),
            (RecordChoice(records=1, position=30), ["[0]", "[1 to 4]"]),
            (RecordChoice(records=1, position=62 + 3 * 8), ["[0 to 2]", "[3]", "[4]"]),
        ],
        ids=str,
    )
    def test_the_first_or_those_from_the_one_asked_for(self, wanted: RecordChoice, expected: list[str]) -> None:
        rows = rows_of(self.DATA, wanted)
        assert self.shown(rows) == expected
        assert all("not shown: --records all" in row.note for row in rows if row.type == "kafka_record[]")

    def test_a_position_in_the_file_is_none_of_what_was_decompressed(self) -> None:
        rows = rows_of(batch([R(0), R(1)], attributes=Compression.GZIP), RecordChoice(records=1, position=70))
        assert "body.compressed_records.records[0].len_body" in fields(rows)

    def test_the_record_at_fault_is_shown_whatever_is_wanted(self) -> None:
        rows = rows_of(batch([R(0), R(1), R(2), b"\x0e" + bytes(R(3))[1:-2]]), RecordChoice(records=1))
        assert fields(rows)[-3:-1] == ["body.records[3]", "body.records[3].len_body"]
        assert "body.records[1 to 2]" in fields(rows)

    def test_rows_do_not_grow_without_bound(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(choosing, "MOST_ROWS", 40)
        rows = rows_of(self.DATA)
        assert len(rows) < 60
        assert "as there are too many" in rows[-1].note


class TestBrokenRecords:
    @pytest.mark.parametrize(
        ("records", "field", "words"),
        [
            ([bytes(R())[:-1]], "body.records[0].body", "the data ends before its declared size"),
            ([b"\x01\0" * 4], "body.records[0].body", "a size below 0"),
            ([bytes([255] * 7)], "body.records[0].len_body", "the format rules this value out"),
            ([R(headers=[(None, b"")])], "body.records[0].body.headers[0].key", "a size below 0"),
            ([b"\x10" + bytes(R())[1:] + b"\0"], "body.records[0].body.rest", "the format rules this value out"),
            ([b"\x0e\0\0\0\1\1\1\0"], "body.records[0].body.num_headers", "the header count does not fit the record"),
            ([R(), b"more"], "body.records(rest)", "bytes are left over after the last record of the batch"),
        ],
        ids=["cut", "negative", "varint", "null header key", "rest", "header count", "left over"],
    )
    def test_the_error_stands_at_the_field_where_parsing_stops(
        self, records: list[Any], field: str, words: str
    ) -> None:
        rows = rows_of(batch(records, count=1))
        found = errors_of(rows)
        assert found == [(field, words)]

    def test_a_count_that_cannot_be_is_said_at_the_count(self) -> None:
        rows = rows_of(batch(count=100))
        assert [field for field, _ in errors_of(rows)] == ["body.num_records", "body.records[1].len_body"]

    def test_no_more_records_are_walked_over_than_the_limit_allows(self) -> None:
        rows = rows_of(batch([R(0), R(1), R(2)]), max_records_per_batch=2)
        assert isinstance(row_of(rows, "body.num_records").error, LimitExceededError)
        assert fields(rows)[-1] == "body.records(rest)"

    def test_no_more_headers_are_made_than_the_limit_allows(self) -> None:
        rows = rows_of(batch([R(headers=[(b"", None)] * 30)]), max_headers_per_record=20)
        assert isinstance(row_of(rows, "body.records[0].body.num_headers").error, LimitExceededError)
        assert not [field for field in fields(rows) if "headers[" in field]

    def test_a_header_that_is_cut_is_shown_as_far_as_it_goes(self) -> None:
        data = batch(())
        rows = rows_of(data[:8] + struct.pack(">i", 40) + data[12:52])
        assert errors_of(rows) == [("body.producer_epoch", "the data ends before its declared size")]
        assert (rows[-1].begin, rows[-1].end) == (51, 52)

    def test_a_later_magic_is_not_parsed(self) -> None:
        rows = rows_of(batch(magic=3))
        assert isinstance(row_of(rows, "body").error, UnsupportedError)
        assert headline(batch(magic=3), 0) == "an entry of magic 3"


class TestPieces:
    def test_an_incomplete_entry_is_truncated(self) -> None:
        data = batch()
        for length in (5, 12, 17, 40):
            rows = rows_of(data[:length])
            assert isinstance(rows[-1].error, TruncatedError)
            assert headline(data[:length], 0) == "no whole entry"

    def test_a_size_that_makes_no_sense_ends_the_parsing(self) -> None:
        rows = rows_of(bytes(30))
        assert errors_of(rows) == [("len_body", "the format rules this value out")]
        assert fields(rows) == ["base_offset", "len_body", "(rest)"]
        assert note(rows, "len_body") == ""


class TestControlRecords:
    @staticmethod
    def rows(control_type: int, value: bytes, key: bytes | None = None) -> list[Row]:
        key = struct.pack(">hh", 0, control_type) if key is None else key
        return rows_of(batch([R(key=key, value=value)], attributes=CONTROL))

    def test_a_marker_is_taken_apart(self) -> None:
        rows = self.rows(1, struct.pack(">hi", 0, 9))
        assert row_of(rows, "body.records[0].body.key").type == "kafka_control_record_key"
        kind: Any = row_of(rows, "body.records[0].body.key.type").value
        assert kind.name == "commit"
        assert note(rows, "body.records[0].body.key.type").startswith(
            "A transaction of the batch's producer was commit"
        )
        assert row_of(rows, "body.records[0].body.value.coordinator_epoch").value == 9

    def test_a_leader_change_has_uuids_and_voters(self) -> None:
        voter = struct.pack(">i", 3) + bytes(15) + b"\1" + b"\0"
        rows = self.rows(2, struct.pack(">hi", 1, 3) + b"\2" + voter + b"\1" + b"\0" + b"after")
        path = "body.records[0].body.value"
        assert row_of(rows, f"{path}.num_voters").value == 1
        assert note(rows, f"{path}.voters[0].voter_directory_id") == "AAAAAAAAAAAAAAAAAAAAAQ"
        assert note(rows, f"{path}.(rest)").endswith("Kafka skips it")
        assert errors_of(rows) == []

    def test_a_later_version_is_not_supported(self) -> None:
        rows = self.rows(5, struct.pack(">hh", 7, 1) + b"\0")
        assert errors_of(rows) == [("body.records[0].body.value.version", "KRaftVersionRecord of an unknown version")]

    def test_values_of_types_that_are_not_known_stay_bytes(self) -> None:
        rows = self.rows(77, b"what")
        assert row_of(rows, "body.records[0].body.value").value == b"what"
        assert row_of(rows, "body.records[0].body.key.type").value == 77

    def test_a_value_that_is_too_large_is_not_parsed(self) -> None:
        rows = self.rows(2, bytes(control.MAX_VALUE_BYTES + 1))
        assert isinstance(row_of(rows, "body.records[0].body.value").error, LimitExceededError)

    def test_a_value_that_is_cut_is_shown_as_far_as_it_goes(self) -> None:
        rows = self.rows(0, b"\0\0\0")
        assert errors_of(rows) == [
            ("body.records[0].body.value.coordinator_epoch", "the data ends before its declared size")
        ]

    def test_a_null_key_is_that_of_no_type(self) -> None:
        rows = rows_of(batch([R(key=None, value=b"v")], attributes=CONTROL))
        assert row_of(rows, "body.records[0].body.value").value == b"v"


class TestMessages:
    def test_a_message_is_its_fields(self) -> None:
        rows = rows_of(message(5, b"value", b"key", trailing=b"more"))
        assert [row.field for row in rows if not row.is_group and row.bits is None] == [
            "base_offset",
            "len_body",
            *(f"body.{name}" for name in ("crc", "magic", "timestamp", "len_key", "key", "len_value", "value")),
            "body.trailing",
        ]
        assert note(rows, "body.timestamp") == "1970-01-01T00:00:01.000Z"
        assert headline(message(5), 0) == "message, format 1, offset 5"

    def test_inner_messages_of_a_wrapper_get_their_absolute_offsets(self) -> None:
        inner = message(0, b"a") + message(3, b"b")
        rows = rows_of(wrapper(103, inner), position=500)
        assert note(rows, "base_offset") == "of the last message in this wrapper"
        assert note(rows, "body.value.entries[0].base_offset") == "offset 100"
        assert note(rows, "body.value.entries[1].base_offset") == "offset 103"
        assert row_of(rows, "body.value.entries[1].body.value").value == b"b"
        assert note(rows, "body.value.entries[1].body.crc").startswith("matches bytes")
        assert headline(wrapper(103, inner), 0) == "wrapper of messages, format 1, offset 103, gzip"

    def test_the_one_asked_for_is_shown(self) -> None:
        inner = b"".join(message(number, b"v") for number in range(4))
        rows = rows_of(wrapper(13, inner), RecordChoice(records=1, offset=12))
        shown = [row.field for row in rows if row.type in ("entry", "entry[]")]
        assert shown == [f"body.value.entries[{which}]" for which in ("0 to 1", "2", "3")]

    def test_times_of_inner_messages_do_not_count_with_log_append_time(self) -> None:
        rows = rows_of(wrapper(0, message(0), attributes=LOG_APPEND_TIME))
        assert note(rows, "body.value.entries[0].body.timestamp") == (
            "1970-01-01T00:00:01.000Z not used: the wrapper has LogAppendTime"
        )

    def test_an_inner_message_without_its_end_is_dropped_as_kafka_does(self) -> None:
        for cut in (5, 20):
            rows = rows_of(wrapper(1, message(0) + message(1)[:cut]))
            assert errors_of(rows) == []
            assert rows[-1].note.endswith("which Kafka drops silently")
            assert fields(rows)[-1] == "body.value.entries(rest)"

    @pytest.mark.parametrize("second", [wrapper(1, message(1)), message(1)[:8] + b"\0\0\0\1" + message(1)[12:]])
    def test_a_broken_inner_message_ends_the_row(self, second: bytes) -> None:
        rows = rows_of(wrapper(2, message(0) + second + message(2)), RecordChoice(records=1))
        (field, _), *_ = errors_of(rows)
        assert field.startswith("body.value.entries[1]")
        assert "body.value.entries[0].body.value" in fields(rows)

    @pytest.mark.parametrize(
        ("data", "field"),
        [
            (wrapper(0, b""), "body.value"),
            (wrapper(1, message(5)), "body.value"),
            (message(0, None, attributes=1), "body.len_value"),
            (message(0, b"?", attributes=4), "body.value"),
            (message(0, b"?", attributes=1), "body.value"),
        ],
        ids=["empty", "offset", "null", "codec", "no gzip"],
    )
    def test_a_wrapper_that_holds_nothing_is_at_fault_itself(self, data: bytes, field: str) -> None:
        assert [each for each, _ in errors_of(rows_of(data))] == [field]

    def test_no_more_messages_are_walked_over_than_the_limit_allows(self) -> None:
        inner = b"".join(message(number) for number in range(4))
        rows = rows_of(wrapper(3, inner), max_records_per_batch=2)
        assert any(isinstance(row.error, LimitExceededError) for row in rows)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_mutated_logs_never_raise_and_are_always_tiled(seed: int) -> None:
    rnd = random.Random(seed)
    logs = [sample for sample in samples() if sample.is_log]
    for number in range(60):
        sample = rnd.choice(logs)
        data = mutate(rnd, sample, right_crc=number % 2 == 0)
        wanted = RecordChoice(rnd.choice((None, 0, 2)), rnd.choice((None, 5)), rnd.choice((None, 100)))
        for count, (_, rows) in enumerate(entries(MemoryFile("f", data), wanted, Limits(max_decompressed_bytes=2**20))):
            assert_tiled(rows)
            if count > 5:
                break
