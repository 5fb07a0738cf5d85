"""Parts of Kafka's files, packed by hand so that they do not depend on library versions."""

import struct
import zlib

from kafkafmt.codec.checksum import crc32, crc32c
from tests.varints import write_varint, write_varlong

NONE, GZIP, SNAPPY, LZ4, ZSTD = range(5)
XERIAL = b"\x82SNAPPY\0" + struct.pack(">ii", 1, 1)
CONTROL = 0x20


def field(content: bytes | None) -> bytes:
    """A key or value of a v2 record: its length as a varint, -1 for null, and the bytes."""
    return write_varint(-1) if content is None else write_varint(len(content)) + content


def fields(
    delta: int = 0, *, key: bytes | None = None, value: bytes | None = b"v", headers: bytes = b"\0", time: int = 0
) -> bytes:
    """A v2 record without its length; `headers` with their count first."""
    return b"\0" + write_varlong(time) + write_varint(delta) + field(key) + field(value) + headers


def sized(content: bytes, more: int = 0) -> bytes:
    """A v2 record whose declared length is off by `more`."""
    return write_varint(len(content) + more) + content


def record(delta: int = 0, value: bytes = b"v") -> bytes:
    """A sound v2 record."""
    return sized(fields(delta, value=value))


def batch(
    offset: int,
    records: bytes | None = None,
    *,
    count: int = 1,
    attributes: int = NONE,
    magic: int = 2,
    wrong_crc: int = 0,
    size: int | None = None,
) -> bytes:
    """A v2 batch with a correct CRC, unless `wrong_crc` is set."""
    content = record() if records is None else records
    body = struct.pack(">hiqqqhii", attributes, max(0, count - 1), 1000, 1000, -1, -1, -1, count) + content
    declared = len(body) + 9 if size is None else size
    return struct.pack(">qiibI", offset, declared, 0, magic, crc32c(body) ^ wrong_crc) + body


def message(
    offset: int,
    value: bytes | None = b"v",
    *,
    magic: int,
    codec: int = NONE,
    wrong_crc: int = 0,
    size: int | None = None,
    key_size: int = -1,
    value_size: int | None = None,
) -> bytes:
    """A v0 or v1 message or wrapper with the right CRC; any other magic is laid out as v1."""
    time = b"" if magic == 0 else struct.pack(">q", 1000)
    declared_value = (-1 if value is None else len(value)) if value_size is None else value_size
    body = struct.pack(">bb", magic, codec) + time + struct.pack(">ii", key_size, declared_value) + (value or b"")
    declared = len(body) + 4 if size is None else size
    return struct.pack(">qiI", offset, declared, crc32(body) ^ wrong_crc) + body


def gzip(content: bytes, *, wrong_crc: int = 0) -> bytes:
    """One gzip member of one stored block."""
    header = bytes((0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF))
    block = b"\1" + struct.pack("<HH", len(content), len(content) ^ 0xFFFF) + content
    return header + block + struct.pack("<II", zlib.crc32(content) ^ wrong_crc, len(content))


def snappy_block(content: bytes, *, declared: int | None = None) -> bytes:
    """One raw snappy block of one literal of up to 60 bytes."""
    size = len(content) if declared is None else declared
    return bytes((size, (len(content) - 1) << 2)) + content


def xerial(content: bytes) -> bytes:
    """Xerial's framing around one block."""
    block = snappy_block(content)
    return XERIAL + struct.pack(">i", len(block)) + block


def lz4(content: bytes, *, end: bytes = bytes(4), header_checksum: int = 0x82) -> bytes:
    """One lz4 frame of one uncompressed block."""
    header = bytes.fromhex("04224d186040") + bytes((header_checksum,))
    return header + struct.pack("<I", 0x80000000 | len(content)) + content + end


def zstd(content: bytes, *, window: int = 0x50) -> bytes:
    """One zstd frame of one raw block, with a window of 1 MiB, without content size."""
    return b"\x28\xb5\x2f\xfd\x00" + bytes((window,)) + struct.pack("<I", len(content) << 3 | 1)[:3] + content


def zstd_with_zeros(*blocks: bytes | int) -> bytes:
    """One zstd frame: bytes become a raw block; a number (up to 128 Ki) becomes a block of so many zeros."""
    last = len(blocks) - 1
    frame = b"\x28\xb5\x2f\xfd\x00\x50"
    for number, block in enumerate(blocks):
        size, kind, stored = (block, 1, b"\0") if isinstance(block, int) else (len(block), 0, block)
        frame += struct.pack("<I", size << 3 | kind << 1 | (number == last))[:3] + stored
    return frame


PACK = {GZIP: gzip, SNAPPY: xerial, LZ4: lz4, ZSTD: zstd}


def snapshot(*, version: int = 1, count: int = 1, producers: int = 1, wrong_crc: int = 0, more: bytes = b"") -> bytes:
    """A producer snapshot with the right CRC-32C."""
    rows = b"".join(struct.pack(">qhiqiqiq", 4000 + each, 0, 4, 9, 1, 1000, -1, -1) for each in range(producers))
    covered = struct.pack(">i", count) + rows + more
    return struct.pack(">hI", version, crc32c(covered) ^ wrong_crc) + covered
