"""Arithmetic of offsets and sequence numbers as Java does it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkafmt.reference.header import TIMESTAMP_TYPE_IDS, increment_sequence, to_int32, to_int64

INT_MAX = 2**31 - 1


def java_increment_sequence(sequence: int, increment: int) -> int:
    """Kafka's formula, every single operation cut to 32 bits as in Java."""

    def int32(number: int) -> int:
        return int.from_bytes((number & 0xFFFFFFFF).to_bytes(4, "big"), "big", signed=True)

    if sequence > int32(INT_MAX - increment):
        return int32(int32(increment - int32(INT_MAX - sequence)) - 1)
    return int32(sequence + increment)


@given(sequence=st.integers(-(2**31), INT_MAX), increment=st.integers(-(2**31), INT_MAX))
def test_increment_sequence_is_kafkas_formula_in_java_arithmetic(sequence: int, increment: int) -> None:
    assert increment_sequence(sequence, increment) == java_increment_sequence(sequence, increment)


@pytest.mark.parametrize(
    ("sequence", "increment", "sum_"),
    [
        (0, 0, 0),
        (INT_MAX, 0, INT_MAX),
        (INT_MAX, 1, 0),
        (INT_MAX - 2, 4, 1),
        (INT_MAX, INT_MAX, INT_MAX - 1),
        (-5, 2, -3),
        (-5, INT_MAX, INT_MAX - 5),
        (5, -6, INT_MAX),  # Java overflows twice
    ],
)
def test_sequences_wrap_from_the_largest_to_0(sequence: int, increment: int, sum_: int) -> None:
    assert increment_sequence(sequence, increment) == java_increment_sequence(sequence, increment) == sum_


@given(st.integers(-(2**70), 2**70))
def test_java_cuts_keep_the_low_bits_and_the_sign_bit(number: int) -> None:
    assert -(2**31) <= to_int32(number) < 2**31
    assert to_int32(number) & 0xFFFFFFFF == number & 0xFFFFFFFF
    assert -(2**63) <= to_int64(number) < 2**63
    assert to_int64(number) & (2**64 - 1) == number & (2**64 - 1)


def test_timestamp_types_have_the_numbers_of_kafka() -> None:
    assert TIMESTAMP_TYPE_IDS == {"NoTimestampType": -1, "CreateTime": 0, "LogAppendTime": 1}
