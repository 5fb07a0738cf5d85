"""kafka_varint and kafka_varlong against an independent formula for Kafka's ByteUtils."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kafkafmt_specs.kafka_varint import KafkaVarint
from kafkafmt_specs.kafka_varlong import KafkaVarlong
from kaitaistruct import BytesIO, EndOfStreamError, KaitaiStream, ValidationGreaterThanError

KINDS = [(KafkaVarint, 32, 5), (KafkaVarlong, 64, 10)]


def encode(number: int, bits: int) -> bytes:
    """Write zigzag and 7-bit groups as strings of binary digits, unlike any reader."""
    zigzag = 2 * number if number >= 0 else -2 * number - 1
    digits = f"{zigzag:b}"
    digits = digits.zfill(-(-len(digits) // 7) * 7)
    groups = [digits[i : i + 7] for i in range(0, len(digits), 7)][::-1]
    assert len(digits) <= bits + 6
    return bytes(int(("0" if i == len(groups) - 1 else "1") + group, 2) for i, group in enumerate(groups))


def kafkas_value(encoded: bytes, bits: int) -> int:
    """The groups as one binary number, cut to the width, then taken apart as Java's `(n >>> 1) ^ -(n & 1)` does."""
    zigzag = int("".join(f"{byte & 127:07b}" for byte in reversed(encoded)), 2) % 2**bits
    value: int = (zigzag >> 1) ^ ((2**bits - 1) * (zigzag & 1))
    return value - 2**bits if value >= 2 ** (bits - 1) else value


@pytest.mark.parametrize(("kind", "bits", "size"), KINDS)
@given(data=st.data())
def test_every_number_comes_back(kind: type, bits: int, size: int, data: st.DataObject) -> None:
    number = data.draw(st.integers(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1))
    io = KaitaiStream(BytesIO(encode(number, bits) + b"\xff"))
    assert kind(io).value == number
    assert io.pos() == len(encode(number, bits)) <= size


@pytest.mark.parametrize(("kind", "bits", "size"), KINDS)
def test_limits_and_edges(kind: type, bits: int, size: int) -> None:
    powers = [2 ** (7 * i) for i in range(1, size) if 7 * i < bits - 1]
    edges = {0, 1, -1, 63, -64, 64, -65, 2 ** (bits - 1) - 1, -(2 ** (bits - 1))}
    edges |= {sign * power + step for power in powers for sign in (1, -1) for step in (-1, 0, 1)}
    for number in edges:
        assert kind(KaitaiStream(BytesIO(encode(number, bits)))).value == number


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "bits", "size"), KINDS)
@given(data=st.data())
def test_any_bytes_are_read_as_kafka_reads_them(kind: type, bits: int, size: int, data: st.DataObject) -> None:
    length = data.draw(st.integers(1, size))
    groups = data.draw(st.lists(st.integers(0, 127), min_size=length, max_size=length))
    encoded = bytes([*(group | 128 for group in groups[:-1]), groups[-1]])
    assert kind(KaitaiStream(BytesIO(encoded))).value == kafkas_value(encoded, bits)


@pytest.mark.parametrize(("kind", "bits", "size"), KINDS)
def test_bits_beyond_the_width_are_dropped(kind: type, bits: int, size: int) -> None:
    kept = bits - 7 * (size - 1)
    for last in range(128):
        with_excess = kind(KaitaiStream(BytesIO(b"\x81" * (size - 1) + bytes([last])))).value
        without = kind(KaitaiStream(BytesIO(b"\x81" * (size - 1) + bytes([last % 2**kept])))).value
        assert with_excess == without


@pytest.mark.parametrize(("kind", "bits", "size"), KINDS)
@pytest.mark.parametrize("last", [0x80, 0x81, 0xFF])
def test_a_continuation_bit_in_the_last_possible_byte_is_an_error(kind: type, bits: int, size: int, last: int) -> None:
    with pytest.raises(ValidationGreaterThanError):
        kind(KaitaiStream(BytesIO(b"\x80" * (size - 1) + bytes([last, 0]))))


@pytest.mark.parametrize(("kind", "bits", "size"), KINDS)
def test_an_end_inside_of_a_number_is_an_error(kind: type, bits: int, size: int) -> None:
    for length in range(size):
        with pytest.raises(EndOfStreamError):
            kind(KaitaiStream(BytesIO(b"\xff" * length)))
