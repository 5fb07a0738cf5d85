"""Messages and wrappers of formats v0 and v1: unusual ones, as read by Kafka's `AbstractLegacyRecordBatch`."""

import struct
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkafmt.codec.compression import Compression, decompress
from kafkafmt.errors import ChecksumError, CorruptError, KafkafmtError, LimitExceededError, TruncatedError
from kafkafmt.limits import Limits
from kafkafmt.reference import message as message_module
from kafkafmt.reference.entry import Entry
from kafkafmt.reference.record import BYTES_HELD, Record
from tests.reference.builder import LOG_APPEND_TIME, framed, message, with_size, wrapper
from tests.reference.strategies import Built, Expected, wrappers

LEGACY_CODECS = pytest.mark.parametrize(
    "codec", [Compression.GZIP, Compression.SNAPPY, Compression.LZ4], ids=lambda codec: codec.label
)
MAGICS = pytest.mark.parametrize("magic", [0, 1])
NESTED = wrapper(0, message(0), codec=Compression.SNAPPY)


def read(data: bytes, limits: Limits | None = None) -> list[Record]:
    entry = Entry(data, "a.log", 77)
    entry.verify_checksum()
    return list(entry.records(limits))


def offsets(data: bytes) -> list[int]:
    return [record.offset for record in read(data)]


def times(data: bytes) -> list[tuple[int, str]]:
    return [(record.timestamp, record.timestamp_type) for record in read(data)]


def refused(data: bytes, kind: type[KafkafmtError] = CorruptError, limits: Limits | None = None) -> KafkafmtError:
    """The error of `records`, raised before there is an iterator at all; it knows its place."""
    entry = Entry(data, "a.log", 77)
    with pytest.raises(kind) as caught:
        entry.records(limits)
    assert (caught.value.file, caught.value.position) == ("a.log", 77)
    return caught.value


@given(built=wrappers())
def test_what_is_built_is_read(built: Built) -> None:
    found = read(built.data)
    assert [
        Expected(r.offset, r.timestamp, r.timestamp_type, r.sequence, r.key, r.value, r.headers) for r in found
    ] == built.records
    header = found[0].batch
    assert (header.count, header.base_offset) == (len(found), found[0].offset)
    assert header.last_offset == found[-1].offset
    assert header.max_timestamp == (-1 if built.fields["magic"] == 0 else built.fields["timestamp"])
    assert header.compression in ("gzip", "snappy", "lz4")


@given(built=wrappers(), data=st.data())
def test_a_cut_or_a_flip_gives_records_or_an_error_of_ours(built: Built, data: st.DataObject) -> None:
    raw = bytearray(built.data)
    for _ in range(data.draw(st.integers(1, 3))):
        raw[data.draw(st.integers(17, len(raw) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    raw = raw[: data.draw(st.just(len(raw)) | st.integers(26, len(raw)))]
    raw[8:12] = struct.pack(">i", len(raw) - 12)
    with suppress(KafkafmtError):
        assert list(Entry(bytes(raw)).records(Limits(max_decompressed_bytes=1 << 20)))


# A message by itself


@MAGICS
@pytest.mark.parametrize("key", [None, b"", b"k"])
@pytest.mark.parametrize("value", [None, b"", b"v"])
def test_null_and_empty_keys_and_values_are_told_apart(magic: int, key: bytes | None, value: bytes | None) -> None:
    data = message(9, value, key, magic=magic)
    (record,) = read(data)
    assert (record.key, record.value, record.offset, record.sequence, record.headers) == (key, value, 9, -1, [])
    assert record.control_type is None
    inner = read(wrapper(9, data, magic=magic))
    assert [(r.key, r.value) for r in inner] == [(key, value)]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (message(magic=0, attributes=LOG_APPEND_TIME), (-1, "NoTimestampType")),
        (message(timestamp=5), (5, "CreateTime")),
        (message(timestamp=-1), (-1, "CreateTime")),
        (message(timestamp=5, attributes=LOG_APPEND_TIME), (5, "LogAppendTime")),
        (message(timestamp=5, attributes=0xF0), (5, "CreateTime")),
        (message(timestamp=5, magic=-128), (5, "CreateTime")),
    ],
)
def test_the_timestamp_of_a_message_and_its_type(data: bytes, expected: tuple[int, str]) -> None:
    assert times(data) == [expected]
    header = Entry(data).header()
    assert (header.max_timestamp, header.timestamp_type) == expected
    assert (header.base_timestamp, header.producer_id, header.base_sequence) == (None, -1, -1)


def test_bytes_after_the_value_are_ignored_but_covered_by_the_crc() -> None:
    data = message(trailing=b"more")
    assert [record.value for record in read(data)] == [b"v"]
    with pytest.raises(CorruptError, match="CRC"):
        Entry(data[:-1] + b"!").verify_checksum()


@MAGICS
@pytest.mark.parametrize("size", [-2, -(2**31)])
def test_sizes_below_minus_1_are_null(magic: int, size: int) -> None:
    data = bytearray(message(value=b"v", key=None, magic=magic))
    at = 18 if magic == 0 else 26
    data[at : at + 4] = struct.pack(">i", size)
    (record,) = Entry(bytes(data)).records()
    assert (record.key, record.value) == (None, b"v")


@MAGICS
@pytest.mark.parametrize("size", [2, 2**31 - 1])
def test_a_key_or_value_beyond_the_message_is_truncated(magic: int, size: int) -> None:
    data = bytearray(message(value=b"v", key=None, magic=magic))
    at = 22 if magic == 0 else 30
    data[at : at + 4] = struct.pack(">i", size)
    assert refused(bytes(data), TruncatedError).expected == f"{size} bytes"


def test_a_message_of_v1_too_short_for_its_fields_is_truncated_although_v0_would_fit() -> None:
    refused(framed(0, b"\0\0\0\0\1\0" + b"\xff" * 8), TruncatedError)


# Offsets of a wrapper


@LEGACY_CODECS
def test_inner_offsets_of_v0_are_absolute_whatever_the_wrappers_offset(codec: Compression) -> None:
    inner = message(100, magic=0) + message(107, magic=0)
    for offset in (107, 0, 5, 1000):
        assert offsets(wrapper(offset, inner, codec=codec, magic=0)) == [100, 107]


@LEGACY_CODECS
def test_inner_offsets_of_v1_are_relative_to_the_last_one_with_gaps(codec: Compression) -> None:
    inner = message(0) + message(2) + message(15)
    assert offsets(wrapper(1015, inner, codec=codec)) == [1000, 1002, 1015]
    inner = message(3) + message(15)  # the first ones were compacted away
    assert offsets(wrapper(1015, inner, codec=codec)) == [1003, 1015]


def test_a_v1_wrapper_with_offset_0_leaves_inner_offsets_as_they_are() -> None:
    assert offsets(wrapper(0, message(0) + message(1) + message(2))) == [0, 1, 2]


def test_inner_offsets_of_0_all_get_the_wrappers_offset() -> None:
    assert offsets(wrapper(12, message(0) * 3)) == [12, 12, 12]


@pytest.mark.parametrize("offset", [1, 4, -1])
def test_a_v1_wrapper_below_its_last_inner_offset_is_corrupt(offset: int) -> None:
    error = refused(wrapper(offset, message(0) + message(5)))
    assert (error.expected, error.found) == ("at least 5", offset)


def test_offset_arithmetic_of_v1_wraps_at_64_bits() -> None:
    inner = message(2**63 - 1) + message(-(2**63))
    assert offsets(wrapper(2**63 - 1, inner)) == [2**63 - 2, 2**63 - 1]


def test_negative_inner_offsets_are_delivered() -> None:
    assert offsets(wrapper(-5, message(-7) + message(-5))) == [-7, -5]
    assert offsets(wrapper(0, message(-7, magic=0), magic=0)) == [-7]


# Timestamps of a wrapper


def test_log_append_time_of_the_wrapper_wins_over_inner_times_and_types() -> None:
    inner = message(0, timestamp=1) + message(1, timestamp=2, attributes=LOG_APPEND_TIME)
    data = wrapper(1, inner, timestamp=99, attributes=LOG_APPEND_TIME)
    assert times(data) == [(99, "LogAppendTime")] * 2


def test_create_time_of_the_wrapper_leaves_inner_times_but_not_inner_types() -> None:
    inner = message(0, timestamp=1) + message(1, timestamp=2, attributes=LOG_APPEND_TIME)
    assert times(wrapper(1, inner, timestamp=99)) == [(1, "CreateTime"), (2, "CreateTime")]


def test_inner_messages_are_read_by_their_own_magic_and_only_v1_obeys_the_wrapper() -> None:
    inner = (
        message(0, magic=0, timestamp=1)
        + message(1, magic=1, timestamp=2)
        + message(2, magic=-1, timestamp=3, attributes=LOG_APPEND_TIME)
    )
    appended = wrapper(2, inner, magic=1, timestamp=99, attributes=LOG_APPEND_TIME)
    assert times(appended) == [(-1, "NoTimestampType"), (99, "LogAppendTime"), (3, "LogAppendTime")]
    created = wrapper(2, inner, magic=1, timestamp=99)
    assert times(created) == [(-1, "NoTimestampType"), (2, "CreateTime"), (3, "LogAppendTime")]


def test_v1_inside_v0_gets_the_type_of_v0_which_is_none() -> None:
    data = wrapper(0, message(0, timestamp=5, attributes=LOG_APPEND_TIME), magic=0, attributes=LOG_APPEND_TIME)
    assert times(data) == [(5, "NoTimestampType")]


# Inner sets that are not whole


@pytest.mark.parametrize("cut", range(1, 35))
@MAGICS
def test_an_inner_set_that_ends_within_a_message_is_cut_there(magic: int, cut: int) -> None:
    first, second = message(3, magic=magic), message(4, magic=magic)
    data = wrapper(50, first + second[: min(cut, len(second) - 1)], magic=magic)
    assert offsets(data) == ([3] if magic == 0 else [50])


@pytest.mark.parametrize("length", [12, 16, 17, 40])
@pytest.mark.parametrize("size", [-1, 0, 13])
def test_an_inner_size_too_small_is_corrupt_as_soon_as_it_is_there(length: int, size: int) -> None:
    tail = with_size(bytes(length), size)
    error = refused(wrapper(50, message(0) + tail))
    assert (error.expected, error.found) == ("at least 14", size)
    assert offsets(wrapper(50, message(0) + tail[:11])) == [50]


def test_an_inner_size_beyond_the_set_ends_it_up_to_what_java_allocates() -> None:
    assert offsets(wrapper(50, message(0) + with_size(message(1), 2**31 - 9))) == [50]
    error = refused(wrapper(50, message(0) + with_size(message(1), 2**31 - 8)))
    assert (error.expected, error.found) == ("at most 2147483639", 2**31 - 8)


@MAGICS
@pytest.mark.parametrize("inner", [b"", b"\0" * 11, message()[:-1]])
def test_a_wrapper_without_a_whole_inner_message_is_corrupt(magic: int, inner: bytes) -> None:
    assert "without inner messages" in refused(wrapper(5, inner, magic=magic)).message


@MAGICS
def test_a_wrong_crc_of_an_inner_message_is_named_by_its_offset(magic: int) -> None:
    shift = 4 if magic else 7
    inner = message(shift - 1, magic=magic) + message(shift, magic=magic, crc=1)
    error = refused(wrapper(7, inner, magic=magic), ChecksumError)
    assert error.message == "inner message 1, offset 7: CRC mismatch"
    entry = Entry(wrapper(7, inner, magic=magic))
    assert [record.offset for record in entry.records(verify_inner=False)] == [6, 7]


@pytest.mark.parametrize("held", [0, 100], ids=["decoded twice", "held"])
@pytest.mark.parametrize(
    ("broken", "kind", "text"),
    [
        (NESTED, CorruptError, "an inner message is compressed"),
        (message(attributes=7), CorruptError, "an inner message is compressed"),
        (message(magic=2), CorruptError, "is out of range"),
        (framed(0, b"\0\0\0\0\1\0" + b"\xff" * 8), TruncatedError, "ends before"),
    ],
    ids=["nested", "unknown codec", "magic 2", "too short"],
)
def test_a_broken_inner_message_is_corrupt_by_its_number_and_nothing_is_delivered(
    broken: bytes, kind: type[KafkafmtError], text: str, held: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(message_module, "BYTES_HELD", held)
    error = refused(wrapper(9, message(0) + broken + message(2)), kind)
    assert error.message.startswith("inner message 1, offset ")
    assert text in error.message


def test_a_wrapper_inside_a_wrapper_is_not_decompressed(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    real = decompress

    def count(*args: object, **kwargs: object) -> bytes:
        calls.append(args[0])
        return real(*args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(message_module, "decompress", count)
    refused(wrapper(9, NESTED))
    assert calls == [Compression.GZIP]


# What a wrapper may not be


@MAGICS
@pytest.mark.parametrize("codec", [4, 5, 6, 7])
def test_codecs_that_came_later_or_never_are_corrupt_in_v0_and_v1(magic: int, codec: int) -> None:
    data = message(attributes=codec, magic=magic)
    assert refused(data).found == codec
    assert Entry(data).header().compression == ("zstd" if codec == 4 else None)


@MAGICS
@LEGACY_CODECS
def test_a_wrapper_with_a_null_value_is_corrupt(magic: int, codec: Compression) -> None:
    assert "null value" in refused(message(value=None, attributes=codec, magic=magic)).message


def test_a_wrapper_of_negative_magic_is_corrupt_while_a_message_is_delivered() -> None:
    assert refused(wrapper(5, message(0), magic=-1)).found == -1
    assert [record.value for record in read(message(magic=-1))] == [b"v"]


def test_a_value_that_does_not_decompress_is_corrupt() -> None:
    refused(message(value=b"no gzip", attributes=Compression.GZIP))


def test_the_key_of_a_wrapper_is_not_used() -> None:
    assert [record.key for record in read(wrapper(0, message(key=b"inner"), key=b"outer"))] == [b"inner"]


# Limits and large wrappers


def test_more_inner_messages_than_allowed_exceed_the_limit() -> None:
    data = wrapper(2, message(0) + message(1) + message(2))
    assert len(read(data, Limits(max_records_per_batch=3))) == 3
    assert refused(data, LimitExceededError, Limits(max_records_per_batch=2)).expected == 2


@LEGACY_CODECS
def test_more_decompressed_bytes_than_allowed_exceed_the_limit(codec: Compression) -> None:
    inner = message(0, b"x" * 1000)
    data = wrapper(0, inner, codec=codec)
    assert len(read(data, Limits(max_decompressed_bytes=len(inner)))) == 1
    refused(data, LimitExceededError, Limits(max_decompressed_bytes=len(inner) - 1))


def test_a_wrapper_above_what_is_held_is_read_whole() -> None:
    one = message(0, bytes(1000), magic=0)
    count = BYTES_HELD // len(one) + 1
    entry = Entry(wrapper(10, one * count, magic=0))
    header = entry.header()
    assert sum(record.offset == 0 for record in entry.records(header=header)) == count
    assert (header.count, header.base_offset) == (count, 0)
