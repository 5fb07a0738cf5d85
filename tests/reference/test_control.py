"""Control records, against Kafka's own JSON of golden ones and of messages that Kafka's classes wrote."""

import itertools
import json
import struct
import tracemalloc
from collections import Counter
from contextlib import suppress
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkafmt.errors import CorruptError, KafkafmtError, LimitExceededError, TruncatedError, UnsupportedError
from kafkafmt.reference import control
from kafkafmt.reference.entry import Entry
from kafkafmt.reference.record import Record
from tests.golden_cases import Case, cases
from tests.reference.builder import CONTROL, R, batch

IDS = {name: number for number, name in control.CONTROL_TYPES.items()}
NEWEST = {"LEADER_CHANGE": 1, "SNAPSHOT_HEADER": 0, "SNAPSHOT_FOOTER": 0, "KRAFT_VERSION": 0, "KRAFT_VOTERS": 0}
GOLDEN_ROWS = {
    "SNAPSHOT_HEADER": 104,
    "SNAPSHOT_FOOTER": 104,
    "KRAFT_VERSION": 29,
    "KRAFT_VOTERS": 29,
    "LEADER_CHANGE": 7,
}

# Random messages, some with tagged fields that no schema knows, as the classes of kafka-clients 4.3.1 wrote them, and
# what its JsonConverter said of them; but the field `version`, random as well, is set to the version of the layout.
# No golden directory has version 1 of LEADER_CHANGE, as no broker writes it so far.
BY_KAFKAS_CLASSES = [
    (
        "LEADER_CHANGE",
        (
            "000119b89cd802684df99273b39edcea384f948b23fb2585c1e2b70003f7bed9d5d2be454889a34e5384dec25218948eaa00"
            "2719b8125f4251fb61aa485fa0bf1c1e4e8f0bf101a2010301020300"
        ),
        (
            '{"version":1,"leaderId":431529176,"voters":[{"voterId":1749940626,"voterDirectoryId":"c7Oe3Oo4T5SLI_'
            'slhcHitw"}],"grantingVoters":[{"voterId":-138487339,"voterDirectoryId":"0r5FSImjTlOE3sJSGJSOqg"},{"v'
            'oterId":655996946,"voterDirectoryId":"X0JR-2GqSF-gvxweTo8L8Q"}]}'
        ),
    ),
    (
        "LEADER_CHANGE",
        "00007c7cd7180299d2c49c0195010301020302bf1a1c4801ab010301020301a50103010203",
        (
            '{"version":0,"leaderId":2088556312,"voters":[{"voterId":-1714240356}],"grantingVoters":[{"voterId":-'
            "1088807864}]}"
        ),
    ),
    (
        "KRAFT_VOTERS",
        (
            "000002648f7cb0bbb1202327ce4ba896579431b5406795040573313439057339373122b00172030102030573393530057336"
            "32379ed40005733139310573373735b35a00bc71c60b000001c60103010203"
        ),
        (
            '{"version":0,"voters":[{"voterId":1687125168,"voterDirectoryId":"u7EgIyfOS6iWV5QxtUBnlQ","endpoints"'
            ':[{"name":"s149","host":"s971","port":8880},{"name":"s950","host":"s627","port":40660},{"name":"s191'
            '","host":"s775","port":45914}],"kRaftVersionFeature":{"minSupportedVersion":-17295,"maxSupportedVers'
            'ion":-14837}}]}'
        ),
    ),
]


@cache
def golden() -> list[tuple[Record, dict[str, Any]]]:
    """Every control record of the modern cases, as the reference engine reads it from its file, and Kafka's row."""
    return [pair for case in cases("modern") for pair in control_records(case)]


def control_records(case: Case) -> list[tuple[Record, dict[str, Any]]]:
    rows = [row for row in case.jsonl("records.jsonl") if "controlType" in row]
    found = []
    for (file, position), group in itertools.groupby(rows, key=lambda row: (row["file"], row["position"])):
        data = (case.log_dir / file).read_bytes()
        end = position + 12 + int.from_bytes(data[position + 8 : position + 12])
        records = {record.offset: record for record in Entry(data[position:end], file, position).records()}
        found += [(records[row["offset"]], row) for row in group]
    return found


@cache
def values() -> dict[str, set[bytes]]:
    """All different values of each type: golden ones, and those of `BY_KAFKAS_CLASSES`."""
    found: dict[str, set[bytes]] = {}
    for record, row in golden():
        if "controlValue" in row:
            found.setdefault(row["controlType"], set()).add(record.value or b"")
    for name, encoded, _ in BY_KAFKAS_CLASSES:
        found[name].add(bytes.fromhex(encoded))
    return found


def obeys_the_law(name: str, value: bytes) -> None:
    """Any bytes give JSON values or a KafkafmtError; other exceptions propagate."""
    with suppress(CorruptError, UnsupportedError):
        json.dumps(control.value_of(name, value))


def unsigned_varint(number: int) -> bytes:
    encoded = bytearray()
    while number >= 0x80:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*encoded, number])


def record_of(name: str, value: bytes | None) -> Record:
    key = struct.pack(">hh", 0, IDS[name])
    (record,) = Entry(batch([R(key=key, value=value)], attributes=CONTROL), "a.log", 77).records()
    return record


def test_every_golden_control_record_says_what_kafka_says() -> None:
    rows: Counter[str] = Counter()
    for record, row in golden():
        assert record.control_type_id == row["controlTypeId"]
        assert record.control_type == row["controlType"]
        assert record.coordinator_epoch == row.get("coordinatorEpoch")
        assert record.control_value == row.get("controlValue")
        rows[row["controlType"]] += "controlValue" in row
    assert +rows == GOLDEN_ROWS


@pytest.mark.parametrize(("name", "encoded", "expected"), BY_KAFKAS_CLASSES)
def test_messages_of_kafkas_classes_are_read_as_its_json_has_them(name: str, encoded: str, expected: str) -> None:
    found = control.value_of(name, bytes.fromhex(encoded))
    assert json.dumps(found, separators=(",", ":")) == expected
    assert record_of(name, bytes.fromhex(encoded)).control_value == found


def test_control_types_are_those_of_the_spec() -> None:
    assert [control.type_name(number) for number in (*range(8), -1, None)] == [
        *("ABORT", "COMMIT", "LEADER_CHANGE", "SNAPSHOT_HEADER", "SNAPSHOT_FOOTER", "KRAFT_VERSION", "KRAFT_VOTERS"),
        *["UNKNOWN"] * 3,
    ]


@pytest.mark.parametrize("key", [None, b"", b"\0\0\0", b"\xff\xff\0\2"])
def test_a_key_that_is_none_has_no_type(key: bytes | None) -> None:
    assert control.type_id_of(key) is None


@pytest.mark.parametrize("name", ["ABORT", "COMMIT", "UNKNOWN"])
def test_markers_and_unknown_types_have_no_value(name: str) -> None:
    assert control.value_of(name, b"\xff" * 9) is None


def test_data_has_no_control_value() -> None:
    (record,) = Entry(batch([R(key=struct.pack(">hh", 0, 4), value=bytes(3))])).records()
    assert (record.control_value, record.control_type, record.coordinator_epoch) == (None, None, None)


@pytest.mark.parametrize("name", NEWEST)
def test_bytes_after_the_message_are_passed_over(name: str) -> None:
    for value in values()[name]:
        assert control.value_of(name, value + b"\xff\xff") == control.value_of(name, value)


@pytest.mark.parametrize("name", NEWEST)
def test_every_prefix_of_a_value_is_refused_as_truncated(name: str) -> None:
    for value in values()[name]:
        for end in range(len(value)):
            with pytest.raises(TruncatedError):
                control.value_of(name, value[:end])
    with pytest.raises(TruncatedError):
        control.value_of(name, None)


@pytest.mark.parametrize("name", NEWEST)
def test_every_flipped_bit_obeys_the_law(name: str) -> None:
    for value in values()[name]:
        for bit in range(8 * len(value)):
            flipped = bytearray(value)
            flipped[bit // 8] ^= 1 << bit % 8
            obeys_the_law(name, bytes(flipped))


@pytest.mark.parametrize("name", NEWEST)
@given(data=st.binary(max_size=200), version=st.sampled_from([b"", b"\0\0", b"\0\1"]))
def test_any_bytes_obey_the_law(name: str, data: bytes, version: bytes) -> None:
    obeys_the_law(name, version + data)


@pytest.mark.parametrize("name", NEWEST)
@given(data=st.data())
def test_values_with_bytes_replaced_obey_the_law(name: str, data: st.DataObject) -> None:
    value = data.draw(st.sampled_from(sorted(values()[name])))
    start = data.draw(st.integers(0, len(value)))
    end = data.draw(st.integers(start, len(value)))
    obeys_the_law(name, value[:start] + data.draw(st.binary(max_size=20)) + value[end:])


@pytest.mark.parametrize(("name", "newest"), NEWEST.items())
def test_a_later_version_is_unsupported_and_a_negative_one_corrupt(name: str, newest: int) -> None:
    rest = min(values()[name])[2:]
    for version in (newest + 1, 2**15 - 1):
        with pytest.raises(UnsupportedError) as caught:
            control.value_of(name, struct.pack(">h", version) + rest)
        assert (caught.value.expected, caught.value.found) == (f"version 0{f' to {newest}' if newest else ''}", version)
    with pytest.raises(CorruptError) as refused:
        control.value_of(name, struct.pack(">h", -1) + rest)
    assert (refused.value.expected, refused.value.found) == ("at least 0", -1)


@pytest.mark.parametrize(
    ("value", "error"),
    [
        (b"\0", TruncatedError),
        (b"\0\0\0\0\0\0", TruncatedError),
        (b"\xff\xff" + bytes(9), CorruptError),
        (b"\0\2" + bytes(9), UnsupportedError),
        (bytes(control.MAX_VALUE_BYTES + 1), LimitExceededError),
    ],
)
def test_errors_of_a_record_tell_file_and_position(value: bytes, error: type[KafkafmtError]) -> None:
    with pytest.raises(error) as caught:
        _ = record_of("LEADER_CHANGE", value).control_value
    assert (type(caught.value), caught.value.file, caught.value.position) == (error, "a.log", 77)


@pytest.mark.parametrize("value", [None, b"\0\0\0\0\0", b"\xff\xff\0\0\0\0"])
def test_errors_of_a_marker_tell_file_and_position(value: bytes | None) -> None:
    with pytest.raises(CorruptError) as caught:
        _ = record_of("COMMIT", value).coordinator_epoch
    assert (caught.value.file, caught.value.position) == ("a.log", 77)


class TestPrimitives:
    """Rules that Kafka enforces in messages, on the bytes of a KRAFT_VOTERS record with one voter and one endpoint."""

    @staticmethod
    def voters(
        num_voters: bytes = b"\2", name: bytes = b"\2n", host: bytes = b"\2h", tagged_fields: bytes = b"\0"
    ) -> dict[str, Any] | None:
        endpoint = name + host + struct.pack(">H", 65535) + tagged_fields
        voter = struct.pack(">i", 7) + bytes(16) + b"\2" + endpoint + struct.pack(">hh", 0, 1) + tagged_fields * 2
        return control.value_of("KRAFT_VOTERS", b"\0\0" + num_voters + voter + tagged_fields)

    def test_a_voter_is_read(self) -> None:
        assert self.voters() == {
            "version": 0,
            "voters": [
                {
                    "voterId": 7,
                    "voterDirectoryId": "AAAAAAAAAAAAAAAAAAAAAA",
                    "endpoints": [{"name": "n", "host": "h", "port": 65535}],
                    "kRaftVersionFeature": {"minSupportedVersion": 0, "maxSupportedVersion": 1},
                }
            ],
        }

    @pytest.mark.parametrize("two", [b"\2", b"\x82\0", b"\x82\x80\x80\x80\0", b"\x82\x80\x80\x80\x70"])
    def test_a_number_may_take_more_bytes_than_it_needs_and_bits_beyond_32_are_dropped(self, two: bytes) -> None:
        assert self.voters(num_voters=two) == self.voters()

    def test_a_sixth_byte_of_a_number_is_refused(self) -> None:
        with pytest.raises(CorruptError, match="varint of more than 5 bytes"):
            self.voters(num_voters=b"\x82\x80\x80\x80\x80\0")

    @pytest.mark.parametrize("count", [0, 2**14, 2**31 - 1, 2**31, 2**32 - 1])
    def test_a_null_array_and_more_elements_than_there_are_bytes_for_are_refused(self, count: int) -> None:
        tracemalloc.start()
        try:
            with pytest.raises(CorruptError):
                self.voters(num_voters=unsigned_varint(count))
            assert tracemalloc.get_traced_memory()[1] < 200_000
        finally:
            tracemalloc.stop()

    @pytest.mark.parametrize("size", [0, 32769, 2**31 - 1, 2**31, 2**32 - 1])
    def test_a_null_string_and_one_that_is_too_long_are_refused(self, size: int) -> None:
        with pytest.raises(CorruptError):
            self.voters(host=unsigned_varint(size) + b"h" * 40_000)

    @pytest.mark.parametrize("size", [0, 1, 127, 32767])
    def test_other_strings_are_read(self, size: int) -> None:
        value = self.voters(name=unsigned_varint(size + 1) + b"n" * size)
        assert value is not None
        assert value["voters"][0]["endpoints"][0]["name"] == "n" * size

    def test_malformed_utf_8_is_decoded_as_java_does(self) -> None:
        value = self.voters(host=b"\4\xed\xa0\x80")
        assert value is not None
        assert value["voters"][0]["endpoints"][0]["host"] == "\ufffd"

    @pytest.mark.parametrize("tagged_fields", [b"\1\5\0", b"\2\5\3abc\x80\1\0"])
    def test_unknown_tagged_fields_are_skipped(self, tagged_fields: bytes) -> None:
        assert self.voters(tagged_fields=tagged_fields) == self.voters()

    def test_a_negative_number_of_tagged_fields_is_corrupt(self) -> None:
        with pytest.raises(CorruptError, match="negative number of tagged fields"):
            self.voters(tagged_fields=unsigned_varint(2**32 - 1))

    @pytest.mark.parametrize("size", [2**31 - 1, 2**31, 2**32 - 1])
    def test_a_tagged_field_has_room_for_its_size(self, size: int) -> None:
        with pytest.raises(CorruptError):
            self.voters(tagged_fields=b"\1\5" + unsigned_varint(size))


MARKER_KEY, MARKER_VALUE = b"\0\0\0\1", b"\0\0\0\0\0\7"


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        (None, MARKER_VALUE, "the key of the transaction marker is null: java.lang.NullPointerException"),
        (b"\0\0\0", MARKER_VALUE, "Invalid value size found for control record key"),
        (b"\xff\xff\0\1", MARKER_VALUE, "Invalid version found for control record: -1"),
        (b"\0\0\0\x02", MARKER_VALUE, "Invalid control record type for end transaction marker LEADER_CHANGE"),
        (b"\0\0\0\x63", MARKER_VALUE, "Invalid control record type for end transaction marker UNKNOWN"),
        (MARKER_KEY, None, "the value of the transaction marker is null"),
        (MARKER_KEY, b"\xff\xff\0\0\0\7", "Invalid version found for end transaction marker: -1"),
        (MARKER_KEY, b"\0\0\0", "has 3 of 6 bytes: java.nio.BufferUnderflowException"),
    ],
)
def test_what_end_transaction_marker_refuses(key: bytes | None, value: bytes | None, message: str) -> None:
    with pytest.raises(CorruptError, match=message):
        control.end_transaction_marker(key, value)


def test_an_end_transaction_marker() -> None:
    assert control.end_transaction_marker(MARKER_KEY, MARKER_VALUE) == ("COMMIT", 7)
