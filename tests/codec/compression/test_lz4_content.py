"""The content size and checksum in an lz4 frame, which Kafka does not check (KAFKA-20528)."""

import lz4.frame
import pytest

from kafkafmt.codec.compression.lz4 import _header_checksum, content_fault
from kafkafmt.limits import Limits

TEXT = b"a text that is compressed" * 40


def fault(data: bytes) -> str | None:
    return content_fault(data, Limits())


def test_sound_frames_have_no_fault() -> None:
    assert fault(lz4.frame.compress(TEXT)) is None
    assert fault(lz4.frame.compress(TEXT, content_checksum=True)) is None
    assert fault(lz4.frame.compress(TEXT, store_size=False)) is None
    assert fault(b"\x04\x22") is None


def test_a_wrong_content_checksum_is_named() -> None:
    data = bytearray(lz4.frame.compress(TEXT, content_checksum=True))
    data[-1] ^= 1
    assert fault(bytes(data)) == "the content checksum of the lz4 frame does not match its content"


def test_a_wrong_content_size_is_named() -> None:
    data = bytearray(lz4.frame.compress(TEXT, store_size=True))
    data[6] ^= 1
    data[14] = _header_checksum(bytes(data[4:14]))
    assert fault(bytes(data)) == "the content size of the lz4 frame does not match its content"


@pytest.mark.parametrize("end", [15, 20, -4, -1])
def test_what_ends_within_the_frame_is_for_the_decoder_to_say(end: int) -> None:
    assert fault(lz4.frame.compress(TEXT, content_checksum=True)[:end]) is None


def test_a_broken_block_is_for_the_decoder_to_say() -> None:
    data = bytearray(lz4.frame.compress(TEXT, content_checksum=True))
    data[19:30] = b"\xff" * 11
    assert fault(bytes(data)) is None
