"""Varints: Kafka's ByteUtils in both directions, and what it does with bits that do not fit."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkafmt.codec import varint
from kafkafmt.errors import CorruptError, TruncatedError

INTS = st.integers(-(2**31), 2**31 - 1)
LONGS = st.integers(-(2**63), 2**63 - 1)
Read = Callable[[bytes], tuple[int, int]]


def reference(data: bytes, bits: int) -> int:
    """What Java's shifts make of it: everything beyond the type's bits falls off."""
    raw = 0
    for index, byte in enumerate(data):
        raw |= (byte & 0x7F) << (7 * index)
    raw &= (1 << bits) - 1
    return (raw >> 1) ^ -(raw & 1)


@given(INTS, st.binary(max_size=3), st.binary(max_size=3))
def test_varint_round_trip_at_any_position(value: int, before: bytes, after: bytes) -> None:
    written = varint.write_varint(value)
    assert varint.read_varint(before + written + after, len(before)) == (value, len(before) + len(written))
    assert varint.read_varint(memoryview(written), 0) == (value, len(written))
    assert varint.size_of_varint(value) == len(written)


@given(LONGS, st.binary(max_size=3), st.binary(max_size=3))
def test_varlong_round_trip_at_any_position(value: int, before: bytes, after: bytes) -> None:
    written = varint.write_varlong(value)
    assert varint.read_varlong(before + written + after, len(before)) == (value, len(before) + len(written))
    assert varint.read_varlong(memoryview(written), 0) == (value, len(written))
    assert varint.size_of_varlong(value) == len(written)


@pytest.mark.parametrize("shift", range(64))
def test_sizes_change_exactly_where_seven_more_bits_are_needed(shift: int) -> None:
    for value in (1 << shift >> 1, (1 << shift >> 1) - 1, -(1 << shift >> 1), -(1 << shift >> 1) - 1):
        zigzag = value * 2 if value >= 0 else -value * 2 - 1
        size = 1 + sum(zigzag >= 1 << 7 * index for index in range(1, 10))
        assert varint.size_of_varlong(value) == len(varint.write_varlong(value)) == size
        if -(2**31) <= value < 2**31:
            assert varint.write_varint(value) == varint.write_varlong(value)


@pytest.mark.parametrize(
    ("value", "written"),
    [(0, "00"), (-1, "01"), (1, "02"), (63, "7e"), (-64, "7f"), (64, "8001"), (-8192, "ff7f"), (8192, "808001")],
)
def test_known_values(value: int, written: str) -> None:
    assert varint.write_varint(value).hex() == varint.write_varlong(value).hex() == written


@pytest.mark.parametrize(
    ("value", "written"), [(2**31 - 1, "feffffff0f"), (-(2**31), "ffffffff0f"), (-(2**31) + 1, "fdffffff0f")]
)
def test_known_varints_at_the_edges(value: int, written: str) -> None:
    assert varint.write_varint(value).hex() == written


@pytest.mark.parametrize(("value", "last"), [(2**63 - 1, "fe"), (-(2**63), "ff")])
def test_known_varlongs_at_the_edges(value: int, last: str) -> None:
    assert varint.write_varlong(value).hex() == last + "ff" * 8 + "01"


@given(st.binary(min_size=0, max_size=4), st.integers(0, 127))
def test_bits_beyond_a_varint_are_dropped(front: bytes, last: int) -> None:
    data = bytes(byte | 0x80 for byte in front) + bytes((last,))
    assert varint.read_varint(data, 0) == (reference(data, 32), len(data))


@given(st.binary(min_size=0, max_size=9), st.integers(0, 127))
def test_bits_beyond_a_varlong_are_dropped(front: bytes, last: int) -> None:
    data = bytes(byte | 0x80 for byte in front) + bytes((last,))
    assert varint.read_varlong(data, 0) == (reference(data, 64), len(data))


@pytest.mark.parametrize(("read", "size"), [(varint.read_varint, 5), (varint.read_varlong, 10)])
def test_a_continuation_bit_in_the_last_byte_is_corrupt(
    read: Callable[[bytes, int], tuple[int, int]], size: int
) -> None:
    for data in (b"\x80" * size, b"\xff" * size, b"\x80" * (size + 5) + b"\0"):
        with pytest.raises(CorruptError) as caught:
            read(data, 0)
        assert not isinstance(caught.value, TruncatedError)


@pytest.mark.parametrize(("read", "size"), [(varint.read_varint, 5), (varint.read_varlong, 10)])
def test_every_cut_number_is_truncated(read: Callable[[bytes, int], tuple[int, int]], size: int) -> None:
    for length in range(size):
        with pytest.raises(TruncatedError):
            read(b"\0" * 3 + b"\x80" * length, 3)


@pytest.mark.parametrize(
    ("function", "bits"),
    [
        (varint.write_varint, 31),
        (varint.size_of_varint, 31),
        (varint.write_varlong, 63),
        (varint.size_of_varlong, 63),
    ],
)
def test_numbers_outside_the_signed_range_are_refused(function: Callable[[int], object], bits: int) -> None:
    for value in (1 << bits, -(1 << bits) - 1):
        with pytest.raises(ValueError, match=str(value)):
            function(value)
