"""The specs accept and refuse the same bytes as Kafka; the bytes are made by hand."""

import struct
from typing import Any

import pytest
from kafkafmt_specs.kafka_control_record_key import KafkaControlRecordKey
from kafkafmt_specs.kafka_end_transaction_marker import KafkaEndTransactionMarker
from kafkafmt_specs.kafka_header import KafkaHeader
from kafkafmt_specs.kafka_log_segment import KafkaLogSegment
from kafkafmt_specs.kafka_offset_index import KafkaOffsetIndex
from kafkafmt_specs.kafka_producer_snapshot import KafkaProducerSnapshot
from kafkafmt_specs.kafka_record import KafkaRecord
from kafkafmt_specs.kafka_record_batch import KafkaRecordBatch
from kafkafmt_specs.kafka_records import KafkaRecords
from kafkafmt_specs.kafka_time_index import KafkaTimeIndex
from kafkafmt_specs.kafka_transaction_index import KafkaTransactionIndex
from kaitaistruct import (
    BytesIO,
    EndOfStreamError,
    InvalidArgumentError,
    KaitaiStream,
    ValidationGreaterThanError,
    ValidationLessThanError,
    ValidationNotEqualError,
)


def entry(body: bytes, offset: int = 7, size: int | None = None) -> bytes:
    return struct.pack(">qi", offset, len(body) if size is None else size) + body


def message(magic: int = 0, key: bytes | int = b"k", value: bytes | int = b"v", attributes: int = 0) -> bytes:
    """A message; an integer is a length with nothing after it."""
    fields = [len(x).to_bytes(4) + x if isinstance(x, bytes) else x.to_bytes(4, signed=True) for x in (key, value)]
    timestamp = b"" if magic == 0 else (1234).to_bytes(8)
    return struct.pack(">IbB", 99, magic, attributes) + timestamp + b"".join(fields)


def batch(records: bytes = b"", count: int = 0, attributes: int = 0) -> bytes:
    return struct.pack(">ibIhiqqqhii", 5, 2, 99, attributes, max(count - 1, 0), 1000, 2000, -1, -1, -1, count) + records


def zigzag(number: int) -> bytes:
    assert -64 <= number < 64
    return bytes([2 * number if number >= 0 else -2 * number - 1])


def record(body: bytes | None = None, size: int | None = None) -> bytes:
    body = RECORD_BODY if body is None else body
    return zigzag(len(body) if size is None else size) + body


RECORD_BODY = b"\0" + zigzag(3) + zigzag(0) + zigzag(1) + b"k" + zigzag(1) + b"v" + zigzag(0)


def entries(data: bytes) -> list[Any]:
    return list(KafkaLogSegment.from_bytes(data).entries)


def body_of(data: bytes) -> Any:
    (only,) = entries(entry(data))
    return only.body


class TestEntries:
    def test_an_entry_alone_in_its_stream_is_read_at_position_0(self) -> None:
        alone = KafkaLogSegment.Entry(0, KaitaiStream(BytesIO(entry(message(1)))))
        assert (alone.ofs_entry, alone.base_offset, alone.len_body, alone.magic) == (0, 7, len(message(1)), 1)

    def test_each_entry_of_a_mixed_segment_knows_its_position(self) -> None:
        parts = [entry(message(0)), entry(batch(record(), 1)), entry(message(1)), entry(batch())]
        found = entries(b"".join(parts))
        assert [one.ofs_entry for one in found] == [sum(map(len, parts[:i])) for i in range(4)]
        assert [one.magic for one in found] == [0, 2, 1, 2]

    def test_an_empty_segment_has_no_entries(self) -> None:
        assert entries(b"") == []

    @pytest.mark.parametrize("length", range(1, len(entry(message()))))
    def test_an_entry_without_its_end_is_kept_as_truncated(self, length: int) -> None:
        whole, cut = entries(entry(message()) + entry(message())[:length])
        assert not hasattr(whole, "truncated")
        assert not hasattr(cut, "body")
        assert cut.truncated == entry(message())[12 if length >= 12 else 0 : length]
        assert hasattr(cut, "base_offset") == hasattr(cut, "len_body") == (length >= 12)

    @pytest.mark.parametrize("size", [13, 0, -1, -(2**31)])
    def test_a_size_below_14_is_refused(self, size: int) -> None:
        with pytest.raises(ValidationLessThanError):
            entries(entry(message(), size=size))

    @pytest.mark.parametrize("left", [12, 17])
    def test_kafka_looks_at_no_size_with_17_bytes_or_fewer_left(self, left: int) -> None:
        (cut,) = entries(bytes(left))
        assert (cut.len_body, cut.truncated) == (0, bytes(left - 12))

    def test_18_zeros_are_no_entry(self) -> None:
        with pytest.raises(ValidationLessThanError):
            entries(bytes(18))

    @pytest.mark.parametrize("magic", [3, 9, 127])
    def test_magic_above_2_is_refused(self, magic: int) -> None:
        with pytest.raises(ValidationGreaterThanError):
            entries(entry(message()[:4] + bytes([magic]) + bytes(60)))


class TestMessages:
    @pytest.mark.parametrize("magic", [1, -1, -128])
    def test_any_magic_below_2_but_0_has_a_timestamp(self, magic: int) -> None:
        body = body_of(message(magic))
        assert (body.magic, body.timestamp, body.key, body.value) == (magic, 1234, b"k", b"v")

    def test_magic_0_has_no_timestamp(self) -> None:
        assert not hasattr(body_of(message(0)), "timestamp")

    @pytest.mark.parametrize("magic", [0, 1])
    @pytest.mark.parametrize("length", [-1, -2, -(2**31)])
    def test_any_negative_length_is_null(self, magic: int, length: int) -> None:
        body = body_of(message(magic, key=length, value=length))
        assert not hasattr(body, "key")
        assert not hasattr(body, "value")

    def test_empty_is_not_null(self) -> None:
        body = body_of(message(key=b"", value=b""))
        assert (body.key, body.value) == (b"", b"")

    def test_bytes_after_the_value_are_kept_and_covered_by_the_crc(self) -> None:
        body = body_of(message() + b"more")
        assert body.trailing == b"more"
        assert body.crc_input == message()[4:] + b"more"

    @pytest.mark.parametrize("bits", range(8))
    def test_all_codec_bits_are_read_and_the_upper_bits_do_not_matter(self, bits: int) -> None:
        body = body_of(message(attributes=0xF0 | bits))
        assert (body.attributes.compression, body.attributes.reserved) == (bits, 0xF)

    def test_the_timestamp_type_is_bit_3(self) -> None:
        assert body_of(message(1, attributes=8)).attributes.timestamp_type.name == "log_append_time"

    @pytest.mark.parametrize("part", ["key", "value"])
    def test_a_length_beyond_the_message_is_refused(self, part: str) -> None:
        lengths: dict[str, bytes | int] = {part: 100}
        with pytest.raises(EndOfStreamError):
            entries(entry(message(**lengths)))  # type: ignore[arg-type]


class TestBatches:
    def test_49_bytes_are_an_empty_batch(self) -> None:
        body = body_of(batch())
        assert (body.num_records, body.records, body.compressed_records) == (0, [], None)

    def test_fewer_bytes_are_refused(self) -> None:
        with pytest.raises(EndOfStreamError):
            entries(entry(batch()[:48]))

    def test_a_negative_count_is_refused(self) -> None:
        with pytest.raises(ValidationLessThanError):
            entries(entry(batch(count=-1)))

    @pytest.mark.parametrize("bits", range(8))
    def test_records_are_there_either_as_such_or_compressed(self, bits: int) -> None:
        body = body_of(batch(record(), 1, attributes=bits))
        assert (body.records is None, body.compressed_records) == ((True, record()) if bits else (False, None))
        assert body.attributes.compression == bits

    def test_header_is_read_without_the_records(self) -> None:
        body = body_of(batch(b"no records", 1000))
        assert body.num_records == 1000
        with pytest.raises(EndOfStreamError):
            _ = body.records

    def test_crc_leaves_out_epoch_magic_and_itself(self) -> None:
        assert body_of(batch(record(), 1)).crc_input == batch(record(), 1)[9:]

    @pytest.mark.parametrize(
        ("bit", "name"), [(4, "is_transactional"), (5, "is_control"), (6, "has_delete_horizon"), (3, "timestamp_type")]
    )
    def test_each_attribute_is_one_bit(self, bit: int, name: str) -> None:
        names = ("is_transactional", "is_control", "has_delete_horizon", "timestamp_type")
        attributes = body_of(batch(attributes=1 << bit)).attributes
        assert [each for each in names if getattr(attributes, each)] == [name]

    def test_magic_of_a_batch_is_2(self) -> None:
        with pytest.raises(ValidationNotEqualError):
            KafkaRecordBatch.from_bytes(batch()[:4] + b"\1" + batch()[5:])


class TestRecords:
    def test_a_record_is_read(self) -> None:
        body = KafkaRecord.from_bytes(record()).body
        assert (body.timestamp_delta.value, body.offset_delta.value, body.key, body.value) == (3, 0, b"k", b"v")

    @pytest.mark.parametrize("length", [-1, -2, -64])
    def test_any_negative_length_of_key_or_value_is_null(self, length: int) -> None:
        body = KafkaRecord.from_bytes(record(b"\0\0\0" + zigzag(length) * 2 + b"\0")).body
        assert not hasattr(body, "key")
        assert not hasattr(body, "value")

    @pytest.mark.parametrize("count", [-1, -2, -64])
    @pytest.mark.parametrize("rest", [b"", b"\0\0", b"\0" * 40])
    def test_a_negative_number_of_headers_is_refused(self, count: int, rest: bytes) -> None:
        with pytest.raises(EndOfStreamError):
            KafkaRecord.from_bytes(record(RECORD_BODY[:-1] + zigzag(count) + rest))

    def test_a_record_longer_than_its_fields_is_refused(self) -> None:
        with pytest.raises(ValidationNotEqualError):
            KafkaRecord.from_bytes(record(RECORD_BODY + b"\0"))

    def test_a_record_shorter_than_its_fields_is_refused(self) -> None:
        with pytest.raises(EndOfStreamError):
            KafkaRecord.from_bytes(record(RECORD_BODY, size=len(RECORD_BODY) - 1))

    def test_a_negative_size_is_refused(self) -> None:
        with pytest.raises(InvalidArgumentError):
            KafkaRecord.from_bytes(record(size=-1))

    def test_records_go_to_the_end_of_the_stream(self) -> None:
        assert len(KafkaRecords.from_bytes(record() * 3).records) == 3

    def test_a_header_may_have_an_empty_key_and_a_null_value(self) -> None:
        header = KafkaHeader.from_bytes(zigzag(0) + zigzag(-2))
        assert header.key == b""
        assert not hasattr(header, "value")

    def test_a_header_key_need_not_be_utf_8(self) -> None:
        assert KafkaHeader.from_bytes(zigzag(1) + b"\xff" + zigzag(0)).key == b"\xff"

    def test_a_header_without_key_is_refused(self) -> None:
        with pytest.raises(InvalidArgumentError):
            KafkaHeader.from_bytes(zigzag(-1) + zigzag(0))


class TestControlRecords:
    def test_an_unknown_type_stays_a_number(self) -> None:
        key = KafkaControlRecordKey.from_bytes(struct.pack(">hh", 3, 77) + b"later")
        assert (key.version, key.type, key.trailing) == (3, 77, b"later")

    @pytest.mark.parametrize("cls", [KafkaControlRecordKey, KafkaEndTransactionMarker])
    def test_a_negative_version_is_refused(self, cls: Any) -> None:
        with pytest.raises(ValidationLessThanError):
            cls.from_bytes(struct.pack(">hi", -1, 0))


class TestFiles:
    @pytest.mark.parametrize(
        ("cls", "size"), [(KafkaOffsetIndex, 8), (KafkaTimeIndex, 12), (KafkaTransactionIndex, 34)]
    )
    def test_an_incomplete_last_entry_is_kept_apart(self, cls: Any, size: int) -> None:
        for odd in range(size):
            index = cls.from_bytes(bytes(3 * size) + b"x" * odd)
            assert (len(index.entries), index.truncated) == (3, b"x" * odd)

    def test_a_later_version_of_the_transaction_index_is_refused(self) -> None:
        with pytest.raises(ValidationGreaterThanError):
            KafkaTransactionIndex.from_bytes(struct.pack(">hqqqq", 1, 0, 0, 0, 0))

    def test_a_snapshot_of_another_version_is_refused(self) -> None:
        for version in (0, 2):
            with pytest.raises(ValidationNotEqualError):
                KafkaProducerSnapshot.from_bytes(struct.pack(">hIi", version, 0, 0))

    def test_a_snapshot_has_room_for_its_producers(self) -> None:
        with pytest.raises(EndOfStreamError):
            KafkaProducerSnapshot.from_bytes(struct.pack(">hIi", 1, 0, 2**31 - 1) + bytes(46))
        with pytest.raises(ValidationLessThanError):
            KafkaProducerSnapshot.from_bytes(struct.pack(">hIi", 1, 0, -1))
