"""CRCs of a range derived from those of two prefixes, compared with directly computed ones."""

import random
import zlib
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkafmt.codec.checksum import CRC32, CRC32C, CrcShift, crc32, crc32c

BOTH = pytest.mark.parametrize(("crc", "shift"), [(crc32, CRC32), (crc32c, CRC32C)], ids=["crc32", "crc32c"])
NOISE = random.Random(1).randbytes(300_000)  # above 64 KiB several times


@BOTH
@given(ends=st.tuples(st.integers(0, len(NOISE)), st.integers(0, len(NOISE))))
def test_the_crc_of_any_range_follows_from_two_beginnings(
    crc: Callable[[bytes], int], shift: CrcShift, ends: tuple[int, int]
) -> None:
    begin, end = sorted(ends)
    assert shift.of_rest(crc(NOISE[:end]), crc(NOISE[:begin]), end - begin) == crc(NOISE[begin:end])


@BOTH
@given(beginning=st.binary(max_size=300), rest=st.binary(max_size=300))
def test_the_crc_of_short_ranges_follows_too(
    crc: Callable[[bytes], int], shift: CrcShift, beginning: bytes, rest: bytes
) -> None:
    assert shift.of_rest(crc(beginning + rest), crc(beginning), len(rest)) == crc(rest)


@pytest.mark.parametrize("length", [0, 1, 7, 8, 1 << 20, (1 << 20) + 12345])
def test_shift_is_linear_in_what_precedes(length: int) -> None:
    zeros = bytes(length)
    assert CRC32.shift(zlib.crc32(b"abc"), length) ^ zlib.crc32(zeros) == zlib.crc32(b"abc" + zeros)


def test_a_fresh_shift_learns_large_powers_when_they_are_asked_for() -> None:
    fresh = CrcShift(0xEDB88320)
    huge = (1 << 40) + 5
    in_two_steps = fresh.shift(fresh.shift(0x12345678, 1 << 40), 5)
    assert fresh.shift(0x12345678, huge) == in_two_steps == CRC32.shift(0x12345678, huge)
    assert fresh.shift(0xFFFFFFFF, 0) == 0xFFFFFFFF
    assert fresh.shift(0, huge) == 0
