"""The first bytes of compressed formats, so that an error can name the format that the data really have."""

from kafkafmt.errors import CorruptError

_ZLIB_METHOD, _ZLIB_CHECK = 0x08, 31
# Skippable frames of zstd and LZ4 begin with a byte from 0x50 to 0x5F, followed by these.
_SKIPPABLE_END = b"\x2a\x4d\x18"
_BEGINNINGS = (
    (b"\x1f\x8b", "a gzip stream"),
    (b"\x04\x22\x4d\x18", "an lz4 frame"),
    (b"\x02\x21\x4c\x18", "a legacy lz4 frame"),
    (b"\x28\xb5\x2f\xfd", "a zstd frame"),
    (b"\x82SNAPPY\x00", "snappy-java's chunks"),
    (b"\xff\x06\x00\x00sNaPpY", "snappy's framing format"),
    (b"\xfd7zXZ\x00", "an xz stream"),
    (b"BZh", "a bzip2 stream"),
)


def format_of(data: bytes | memoryview) -> str | None:
    """Name of the compressed format whose first bytes the data have ("a zlib stream"), or None."""
    head = bytes(data[:16])
    for beginning, name in _BEGINNINGS:
        if head.startswith(beginning):
            return name
    if head[1:4] == _SKIPPABLE_END and head[0] & 0xF0 == 0x50:
        return "a skippable frame"
    if len(head) > 1 and head[0] & 0x8F == _ZLIB_METHOD and int.from_bytes(head[:2], "big") % _ZLIB_CHECK == 0:
        return "a zlib stream"
    return None


def wrong_beginning(wanted: str, expected: bytes, found: bytes | memoryview) -> CorruptError:
    """Make the error for data that do not begin as their codec requires.

    Args:
        wanted: the expected format ("an lz4 frame").
        expected: the bytes that begin such data.
        found: the data.
    """
    other = format_of(found)
    message = f"not {wanted}" if other in (None, wanted) else f"not {wanted}: these bytes are {other}"
    return CorruptError(message, expected=f"0x{expected.hex()}", found=f"0x{bytes(found[: len(expected)]).hex()}")
