"""Both CRCs: known values, every kind of buffer, and continuing from an earlier value."""

import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkafmt.codec import checksum
from kafkafmt.codec.checksum import CRC32, CRC32C

CHECK = b"123456789"


def slow_crc32c(data: bytes) -> int:
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


@pytest.mark.parametrize("buffer", [bytes, bytearray, memoryview])
def test_check_values_from_any_buffer(buffer: type) -> None:
    assert checksum.crc32c(buffer(CHECK)) == 0xE3069283
    assert checksum.crc32(buffer(CHECK)) == 0xCBF43926
    assert checksum.crc32c(memoryview(buffer(b"x" + CHECK))[1:]) == 0xE3069283
    assert checksum.crc32(memoryview(buffer(b"x" + CHECK))[1:]) == 0xCBF43926
    assert checksum.crc32c(buffer(b"")) == checksum.crc32(buffer(b"")) == 0


def test_a_package_of_another_layout_is_asked_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.machinery.PathFinder.find_spec", lambda *_: None)
    assert checksum._extension().crc32c(CHECK) == 0xE3069283


@given(st.binary(max_size=300))
def test_equal_to_independent_implementations(data: bytes) -> None:
    assert checksum.crc32(data) == zlib.crc32(data)
    assert checksum.crc32c(data) == slow_crc32c(data)


@given(st.binary(max_size=300), st.binary(max_size=300))
def test_goes_on_from_an_earlier_value(first: bytes, second: bytes) -> None:
    assert checksum.crc32(second, checksum.crc32(first)) == checksum.crc32(first + second)
    assert checksum.crc32c(second, checksum.crc32c(first)) == checksum.crc32c(first + second)


@given(st.binary(max_size=300), st.binary(max_size=3000))
def test_crc_of_the_rest_follows_from_those_of_beginning_and_whole(beginning: bytes, rest: bytes) -> None:
    whole = beginning + rest
    for crc, shift in ((checksum.crc32, CRC32), (checksum.crc32c, CRC32C)):
        assert shift.of_rest(crc(whole), crc(beginning), len(rest)) == crc(rest)
