"""One zstd frame of known content, as chunks of tiered segments are."""

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from kafkafmt import ChecksumError, CorruptError, LimitExceededError
from kafkafmt.codec.compression.zstd import decompress_frame

CONTENT = bytes(range(256)) * 50


def decompressed(frame: bytes, room: int) -> bytes:
    target = bytearray(room)
    return bytes(target[: decompress_frame(frame, memoryview(target))])


@given(content=st.binary(max_size=2000), declares=st.booleans())
def test_the_content_comes_out(content: bytes, *, declares: bool) -> None:
    frame = zstandard.ZstdCompressor(write_content_size=declares).compress(content)
    assert decompressed(frame, len(content)) == content


def test_another_size_than_the_room_is_refused() -> None:
    with pytest.raises(CorruptError, match="size mismatch"):
        decompressed(zstandard.compress(CONTENT), len(CONTENT) + 1)


def test_a_frame_without_a_size_may_hold_less_and_not_more() -> None:
    frame = zstandard.ZstdCompressor(write_content_size=False).compress(CONTENT)
    assert decompressed(frame, len(CONTENT) + 1) == CONTENT
    with pytest.raises(CorruptError, match="decompresses to more bytes than it should"):
        decompressed(frame, len(CONTENT) - 1)


def test_a_window_far_beyond_the_content_is_refused() -> None:
    header = b"\x28\xb5\x2f\xfd" + bytes([0, (28 - 10) << 3])
    with pytest.raises(LimitExceededError, match="window of a zstd frame"):
        decompressed(header + b"\x01\0\0", 100)


def test_broken_frames_are_refused() -> None:
    frame = bytearray(zstandard.ZstdCompressor(write_checksum=True).compress(CONTENT))
    with pytest.raises(CorruptError, match="does not decompress"):
        decompressed(b"no frame at all", 100)
    frame[-1] ^= 1
    with pytest.raises(ChecksumError, match="checksum"):
        decompressed(bytes(frame), len(CONTENT))
