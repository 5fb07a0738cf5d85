"""Record batches of format v2 that no broker was caught writing: what Kafka's `DefaultRecordBatch` makes of them."""

import struct
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkafmt.codec.compression import Compression
from kafkafmt.errors import CorruptError, KafkafmtError, LimitExceededError, TruncatedError, UnsupportedError
from kafkafmt.limits import Limits
from kafkafmt.reference import record_batch
from kafkafmt.reference.entry import Entry
from kafkafmt.reference.record import BYTES_HELD, Record
from tests.reference.builder import (
    CONTROL,
    DELETE_HORIZON,
    LOG_APPEND_TIME,
    TRANSACTIONAL,
    R,
    batch,
    sized,
)
from tests.reference.strategies import INT32, INT64, Built, Expected, batches
from tests.varints import write_varint

INT_MAX = 2**31 - 1
LONG_MAX = 2**63 - 1
CODECS = pytest.mark.parametrize("codec", list(Compression), ids=lambda codec: codec.label)


def read(data: bytes, limits: Limits | None = None) -> list[Record]:
    entry = Entry(data, "a.log", 77)
    entry.verify_checksum()
    return list(entry.records(limits))


def refused(data: bytes, kind: type[KafkafmtError] = CorruptError, limits: Limits | None = None) -> KafkafmtError:
    """The error of `records`, raised before there is an iterator at all; it knows its place."""
    entry = Entry(data, "a.log", 77)
    with pytest.raises(kind) as caught:
        entry.records(limits)
    assert (caught.value.file, caught.value.position) == ("a.log", 77)
    return caught.value


@given(built=batches())
def test_what_is_built_is_read(built: Built) -> None:
    found = read(built.data)
    assert [
        Expected(r.offset, r.timestamp, r.timestamp_type, r.sequence, r.key, r.value, r.headers) for r in found
    ] == built.records
    header = Entry(built.data).header()
    fields = built.fields
    assert (header.base_offset, header.count) == (fields["base_offset"], len(built.records))
    assert header.last_offset == fields["base_offset"] + fields["last_offset_delta"]
    assert header.compression == Compression(fields["attributes"] & 7).label
    assert header.partition_leader_epoch == fields["leader_epoch"]
    assert (header.producer_id, header.producer_epoch) == (fields["producer_id"], fields["producer_epoch"])
    assert (header.base_timestamp, header.max_timestamp) == (fields["base_timestamp"], fields["max_timestamp"])
    assert header.is_transactional == bool(fields["attributes"] & TRANSACTIONAL)
    assert not header.is_control_batch
    assert header.delete_horizon_ms is None
    assert {(r.file, r.position, r.batch.size_in_bytes) for r in found} == {("a.log", 77, len(built.data))}


@given(built=batches(), data=st.data())
def test_a_cut_or_a_flip_gives_records_or_an_error_of_ours(built: Built, data: st.DataObject) -> None:
    raw = bytearray(built.data)
    for _ in range(data.draw(st.integers(1, 3))):
        raw[data.draw(st.integers(17, len(raw) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    raw = raw[: data.draw(st.just(len(raw)) | st.integers(61, len(raw)))]
    raw[8:12] = struct.pack(">i", len(raw) - 12)
    with suppress(KafkafmtError):
        found = list(Entry(bytes(raw)).records(Limits(max_decompressed_bytes=1 << 20)))
        assert len(found) == Entry(bytes(raw)).header().count


@CODECS
def test_with_log_append_time_every_record_has_the_largest_timestamp_of_the_batch(codec: Compression) -> None:
    data = batch([R(0, 5), R(1, -7)], attributes=LOG_APPEND_TIME | codec, base_timestamp=1000, max_timestamp=-1)
    assert [(r.timestamp, r.timestamp_type) for r in read(data)] == [(-1, "LogAppendTime")] * 2


def test_timestamps_of_minus_1_stay_minus_1() -> None:
    data = batch([R(0, 0), R(1, 43)], base_timestamp=-1, max_timestamp=-1)
    assert [(r.timestamp, r.timestamp_type) for r in read(data)] == [(-1, "CreateTime"), (42, "CreateTime")]


@given(base=INT64, delta=INT64)
def test_timestamp_deltas_wrap_at_64_bits(base: int, delta: int) -> None:
    (record,) = read(batch([R(0, delta)], base_timestamp=base))
    assert record.timestamp == int.from_bytes(((base + delta) % 2**64).to_bytes(8, "big"), "big", signed=True)


@given(base=INT64, delta=INT32)
def test_offset_deltas_wrap_at_64_bits_and_may_be_negative(base: int, delta: int) -> None:
    data = batch([R(delta)], base_offset=base, last_offset_delta=delta)
    wrapped = int.from_bytes(((base + delta) % 2**64).to_bytes(8, "big"), "big", signed=True)
    assert [record.offset for record in read(data)] == [wrapped]
    assert Entry(data).header().last_offset == wrapped


def test_a_delete_horizon_takes_the_place_of_the_base_timestamp_and_deltas_are_relative_to_it() -> None:
    data = batch([R(0, -500)], attributes=DELETE_HORIZON, base_timestamp=9000)
    header = Entry(data).header()
    assert (header.delete_horizon_ms, header.base_timestamp) == (9000, 9000)
    assert [record.timestamp for record in read(data)] == [8500]


@pytest.mark.parametrize("payload", [b"", b"\x00", b"left over, of whatever form"])
@pytest.mark.parametrize("attributes", [0, 1, 4, 7], ids=["none", "gzip", "zstd", "unknown codec"])
def test_of_an_empty_batch_nothing_is_read_whatever_bytes_it_has(payload: bytes, attributes: int) -> None:
    data = batch([], attributes=attributes, payload=payload, last_offset_delta=4, base_timestamp=-1, base_sequence=3)
    assert read(data) == []
    header = Entry(data).header()
    assert (header.count, header.last_offset, header.last_sequence) == (0, 4, 7)


@pytest.mark.parametrize(
    ("base", "deltas", "sequences"),
    [
        (INT_MAX - 2, [0, 2, 3, 4], [INT_MAX - 2, INT_MAX, 0, 1]),
        (0, [0, 5], [0, 5]),
        (0, [-1], [INT_MAX]),
        (-1, [0, 5], [-1, -1]),
        (-7, [0, 5], [-1, -1]),  # Kafka gives none where the base is negative, of whatever number
    ],
)
def test_sequences_of_records(base: int, deltas: list[int], sequences: list[int]) -> None:
    data = batch([R(delta) for delta in deltas], base_sequence=base)
    assert [record.sequence for record in read(data)] == sequences


@pytest.mark.parametrize(
    ("base", "delta", "last"),
    [(-1, 5, -1), (-7, 5, -2), (-7, 0, -7), (INT_MAX - 2, 4, 1), (0, INT_MAX, INT_MAX), (1, INT_MAX, 0)],
)
def test_the_last_sequence_is_counted_from_any_base_but_minus_1(base: int, delta: int, last: int) -> None:
    assert Entry(batch(base_sequence=base, last_offset_delta=delta)).header().last_sequence == last


def test_several_control_records_of_one_batch_have_types_of_their_own() -> None:
    keys = [struct.pack(">hh", 0, kind) for kind in (2, 5, 6, 7, -1)]
    data = batch([R(i, key=key) for i, key in enumerate(keys)], attributes=CONTROL)
    records = read(data)
    assert [r.control_type for r in records] == ["LEADER_CHANGE", "KRAFT_VERSION", "KRAFT_VOTERS", "UNKNOWN", "UNKNOWN"]
    assert Entry(data).header().is_control_batch


@CODECS
@pytest.mark.parametrize("count", [3, 100, INT_MAX])
def test_a_count_too_large_is_corrupt_before_anything_is_allocated(codec: Compression, count: int) -> None:
    data = batch([R(0), R(1)], attributes=codec, count=count)
    error = refused(data, limits=Limits(max_records_per_batch=INT_MAX))
    if count == 3:
        assert isinstance(error, TruncatedError) or "does not fit" in error.message
    else:
        assert error.found == count
        assert error.expected == "at most 2"


def test_a_count_that_could_fit_but_does_not_names_the_record_that_is_missing() -> None:
    error = refused(batch([R(0, value=b"x" * 50), R(1)], count=3), TruncatedError)
    assert error.message.startswith("record 2 of 3: ")


def test_a_negative_count_is_corrupt() -> None:
    assert refused(batch(count=-1)).found == -1


@CODECS
def test_a_count_too_small_leaves_bytes_over(codec: Compression) -> None:
    error = refused(batch([R(0), R(1)], attributes=codec, count=1))
    assert "left over" in error.message
    assert (error.expected, error.found) == ("0 bytes", f"{len(bytes(R(1)))} bytes")


@pytest.mark.parametrize("codec", [5, 6, 7])
def test_an_unknown_codec_is_unsupported_for_records_and_none_in_the_header(codec: int) -> None:
    data = batch(attributes=codec, payload=b"whatever, longer than a record")
    assert refused(data, UnsupportedError).found == codec
    header = Entry(data).header()
    assert (header.compression, header.count) == (None, 1)


def test_attribute_bits_without_meaning_are_ignored() -> None:
    data = batch([R(0, attributes=0xFF)], attributes=-0x80)  # all upper bits of the batch, all bits of the record
    header = Entry(data).header()
    assert (header.compression, header.timestamp_type) == ("none", "CreateTime")
    assert [r.value for r in read(data)] == [b"v"]


@CODECS
def test_more_records_than_allowed_exceed_the_limit_before_decompression(
    codec: Compression, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = batch([R(0), R(1), R(2)], attributes=codec)
    assert len(read(data, Limits(max_records_per_batch=3))) == 3
    monkeypatch.setattr(record_batch, "decompress", None)
    error = refused(data, LimitExceededError, Limits(max_records_per_batch=2))
    assert (error.expected, error.found) == (2, 3)


@pytest.mark.parametrize("codec", list(Compression)[1:], ids=lambda codec: codec.label)
def test_more_decompressed_bytes_than_allowed_exceed_the_limit(codec: Compression) -> None:
    records = [R(0, value=b"x" * 1000)]
    size = len(bytes(records[0]))
    data = batch(records, attributes=codec)
    assert len(read(data, Limits(max_decompressed_bytes=size))) == 1
    refused(data, LimitExceededError, Limits(max_decompressed_bytes=size - 1))


@pytest.mark.parametrize("held", [0, 26, 27, 28])  # the payload has 27 bytes
@CODECS
def test_records_are_the_same_whether_held_or_decoded_twice(
    codec: Compression, held: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record_batch, "BYTES_HELD", held)
    data = batch([R(i, key=b"%d" % i) for i in range(3)], attributes=codec)
    assert sum(len(bytes(R(i, key=b"0"))) for i in range(3)) == 3 * 9
    assert [(r.offset, r.key) for r in read(data)] == [(0, b"0"), (1, b"1"), (2, b"2")]


@pytest.mark.parametrize("held", [0, 100], ids=["decoded twice", "held"])
@pytest.mark.parametrize("broken", [0, 2])
def test_no_record_is_delivered_when_one_is_broken_and_the_error_says_which(
    held: int, broken: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record_batch, "BYTES_HELD", held)
    records: list[R | bytes] = [R(0), R(1), R(2)]
    records[broken] = b"\x0e" + b"\x00\x00\x00\x01\x7e\x00\x00"  # its value is longer than the record
    error = refused(batch(records), TruncatedError)
    assert error.message.startswith(f"record {broken} of 3: ")


def test_a_batch_above_what_is_held_is_read_whole() -> None:
    one = bytes(R(0, value=bytes(1000)))
    count = BYTES_HELD // len(one) + 1
    assert sum(record.offset == 0 for record in Entry(batch(payload=one * count, count=count)).records()) == count
    error = refused(batch(payload=one * (count - 1) + one[:-1] + b"\x03", count=count))
    assert error.message.startswith(f"record {count - 1} of {count}: ")


def test_more_headers_than_allowed_exceed_the_limit() -> None:
    data = batch([R(0), R(1, headers=[(b"", None)] * 3)])
    assert [len(r.headers) for r in read(data, Limits(max_headers_per_record=3))] == [0, 3]
    error = refused(data, LimitExceededError, Limits(max_headers_per_record=2))
    assert (error.expected, error.found) == (2, 3)
    assert error.message.startswith("record 1 of 2: ")


@pytest.mark.parametrize("count", [-1, -(2**31), 1, 2**31 - 1])
def test_a_header_count_without_room_is_corrupt_whatever_the_limit(count: int) -> None:
    body = b"\0\0\0\1\1" + write_varint(count) + b"\0"
    data = batch([write_varint(len(body)) + body])
    for limits in (Limits(), Limits(max_headers_per_record=1), Limits(max_headers_per_record=2**31 - 1)):
        assert not isinstance(refused(data, limits=limits), LimitExceededError)
    if count < 0:
        assert refused(data).found == count


BROKEN_RECORDS: dict[str, bytes] = {
    "negative length": b"\x01" + b"\x00" * 6,
    "length beyond the batch": b"\x7e" + b"\x00" * 6,
    "length of too many bytes": b"\xff" * 6 + b"\x00",
    "length below its fields": b"\x02" + b"\x00" * 6,
    "length above its fields": b"\x0e" + b"\x00\x00\x00\x01\x01\x00\x00",
    "key beyond the record": b"\x0c" + b"\x00\x00\x00\x7e\x01\x00",
    "negative number of headers": b"\x0c" + b"\x00\x00\x00\x01\x01\x01",
    "more headers than bytes": b"\x14" + b"\x00\x00\x00\x01\x01\xfe\xff\xff\xff\x0f",
    "header key is null": b"\x10" + b"\x00\x00\x00\x01\x01\x02\x01\x01",
    "header without value": b"\x10" + b"\x00\x00\x00\x01\x01\x02\x02k",
}


@CODECS
@pytest.mark.parametrize("broken", BROKEN_RECORDS.values(), ids=BROKEN_RECORDS)
def test_a_broken_record_is_corrupt_wherever_kafka_calls_it_invalid(broken: bytes, codec: Compression) -> None:
    error = refused(batch([R(0), broken], attributes=codec))
    assert error.message.startswith("record 1 of 2: ")


def test_lengths_below_minus_1_are_null_and_an_empty_key_is_not() -> None:
    minus_3 = b"\x05"
    record = b"\x00\x00\x00" + minus_3 + minus_3 + b"\x04" + b"\x02a" + minus_3 + b"\x02a" + b"\x00"
    (found,) = read(batch([bytes([2 * len(record)]) + record]))
    assert (found.key, found.value, found.headers) == (None, None, [("a", None), ("a", b"")])
    (found,) = read(batch([R(key=b"", value=b"", headers=[(b"", None)])]))
    assert (found.key, found.value, found.headers) == (b"", b"", [("", None)])


def test_numbers_of_more_bytes_than_needed_are_read() -> None:
    record = b"\x80\x00" + b"\x82\x80\x00"  # of the deltas: 0 in two bytes, 1 in three
    body = b"\x00" + record + b"\x01\x01\x00"
    (found,) = read(batch([b"\x92\x00" + body]))
    assert (found.timestamp, found.offset) == (1000, 1)


@pytest.mark.parametrize(
    ("stored", "text"),
    [
        ("schön €".encode(), "schön €"),
        (b"\xff", "\ufffd"),
        (b"a\xe2\x82", "a\ufffd"),
        (b"\xed\xa0\x80", "\ufffd"),
        (b"\xf0\x9f\x98\x80", "\U0001f600"),
        (b"\x00", "\x00"),
    ],
)
def test_header_keys_of_malformed_utf8_are_replaced_as_java_does(stored: bytes, text: str) -> None:
    (record,) = read(batch([R(headers=[(stored, b"1"), (b"k", None)])]))
    assert record.headers == [(text, b"1"), ("k", None)]


def test_the_builder_packs_null_as_kafka_does() -> None:
    assert sized(None) == b"\x01"
    assert bytes(R(key=None, value=None)) == b"\x0c\x00\x00\x00\x01\x01\x00"
    assert len(bytes(R(key=None, value=None))) == record_batch.SMALLEST_RECORD


@pytest.mark.parametrize("size", range(14, 49))
def test_a_batch_shorter_than_its_header_is_corrupt(size: int) -> None:
    data: Any = batch()[: 12 + size]
    data = data[:8] + struct.pack(">i", size) + data[12:]
    assert isinstance(refused(data), TruncatedError)
    entry = Entry(data)
    with pytest.raises(CorruptError, match="too small") as caught:
        entry.verify_checksum()
    assert (caught.value.expected, caught.value.found) == ("at least 49", size)


def test_offsets_near_the_largest_one_are_exact() -> None:
    assert [r.offset for r in read(batch([R(0), R(1)], base_offset=LONG_MAX - 1))] == [LONG_MAX - 1, LONG_MAX]


def test_records_known_to_be_sound_are_delivered_all_the_same() -> None:
    records = [R(number, value=b"%d" % number) for number in range(3)]
    first = len(bytes(records[0]))
    found = Entry(batch(records)).records(sound=record_batch.SoundStart(1, first))
    assert [record.value for record in found] == [b"0", b"1", b"2"]
