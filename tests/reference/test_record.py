"""What a record says of itself: its batch, and the type and epoch of a control record."""

import struct

import pytest

from kafkafmt.errors import CorruptError, KafkafmtError, UnsupportedError
from kafkafmt.reference.entry import Entry
from kafkafmt.reference.record import Record
from tests.reference.builder import CONTROL, R, batch

# Ids of Kafka's `ControlRecordType`.
CONTROL_TYPES = [
    "ABORT",
    "COMMIT",
    "LEADER_CHANGE",
    "SNAPSHOT_HEADER",
    "SNAPSHOT_FOOTER",
    "KRAFT_VERSION",
    "KRAFT_VOTERS",
]


def control(key: bytes | None, value: bytes | None = None) -> Record:
    (record,) = Entry(batch([R(key=key, value=value)], attributes=CONTROL), "a.log", 77).records()
    return record


@pytest.mark.parametrize(("number", "name"), list(enumerate(CONTROL_TYPES)))
def test_control_types_have_kafkas_names(number: int, name: str) -> None:
    record = control(struct.pack(">hh", 0, number))
    assert (record.control_type, record.control_type_id) == (name, number)


@pytest.mark.parametrize(
    ("key", "number"),
    [
        (struct.pack(">hh", 0, 7), 7),
        (struct.pack(">hh", 0, -1), -1),
        (struct.pack(">hh", -1, 1), None),
        (b"\0\0\0", None),
        (b"", None),
        (None, None),
    ],
    ids=["type 7", "type -1", "version -1", "too short", "empty", "null"],
)
def test_control_keys_that_kafka_does_not_know_are_unknown(key: bytes | None, number: int | None) -> None:
    record = control(key, b"")
    assert (record.control_type, record.control_type_id) == ("UNKNOWN", number)
    assert record.coordinator_epoch is None


def test_later_versions_of_a_control_key_and_more_bytes_are_read_as_version_0() -> None:
    assert control(struct.pack(">hh", 3, 1) + b"more").control_type == "COMMIT"


@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize("epoch", [-1, 0, 2**31 - 1])
def test_markers_know_the_coordinators_epoch(number: int, epoch: int) -> None:
    assert control(struct.pack(">hh", 0, number), struct.pack(">hi", 0, epoch)).coordinator_epoch == epoch
    assert control(struct.pack(">hh", 0, number), struct.pack(">hi", 9, epoch) + b"!").coordinator_epoch == epoch


@pytest.mark.parametrize("value", [None, b"", b"\0\0\0\0\0", struct.pack(">hi", -1, 5)])
def test_a_marker_with_a_broken_value_is_corrupt_at_its_place(value: bytes | None) -> None:
    with pytest.raises(CorruptError) as caught:
        _ = control(struct.pack(">hh", 0, 1), value).coordinator_epoch
    assert (caught.value.file, caught.value.position) == ("a.log", 77)


def test_other_control_records_have_no_coordinator_epoch() -> None:
    assert control(struct.pack(">hh", 0, 2), struct.pack(">hi", 0, 5)).coordinator_epoch is None


def test_a_record_of_data_is_no_control_record_whatever_its_key() -> None:
    (record,) = Entry(batch([R(key=struct.pack(">hh", 0, 1), value=b"123456")])).records()
    assert (record.control_type, record.control_type_id, record.coordinator_epoch) == (None, None, None)


def test_a_record_shows_what_it_is_and_where_it_comes_from() -> None:
    (record,) = Entry(batch([R(3, 5, b"k", None)], base_offset=4), "a.log", 77).records()
    assert (record.file, record.position, record.batch.base_offset) == ("a.log", 77, 4)
    assert repr(record) == "Record(offset=7, timestamp=1005, key=b'k', value=None)"


def test_a_control_record_of_the_metadata_log_gives_its_value() -> None:
    value = struct.pack(">hhB", 0, 1, 0)
    assert control(struct.pack(">hh", 0, 5), value).control_value == {"version": 0, "kRaftVersion": 1}


@pytest.mark.parametrize("number", [0, 1, 7])
def test_markers_and_unknown_types_have_no_control_value(number: int) -> None:
    assert control(struct.pack(">hh", 0, number), b"no value of any type").control_value is None


def test_a_record_of_data_has_no_control_value() -> None:
    (record,) = Entry(batch([R(key=struct.pack(">hh", 0, 5), value=b"no value")])).records()
    assert record.control_value is None


@pytest.mark.parametrize(
    ("value", "kind"), [(None, CorruptError), (b"\0", CorruptError), (b"\x7f\xff\0\0\0", UnsupportedError)]
)
def test_a_broken_control_value_is_an_error_at_its_place(value: bytes | None, kind: type[KafkafmtError]) -> None:
    record = control(struct.pack(">hh", 0, 5), value)
    with pytest.raises(kind) as caught:
        _ = record.control_value
    assert (caught.value.file, caught.value.position) == ("a.log", 77)
