"""Hand-made entries with a sound frame and CRC, hostile in what they declare or contain."""

import struct

import lz4.frame
import snappy
import zstandard
from isal import isal_zlib

from kafkafmt.codec.checksum import crc32, crc32c
from kafkafmt.codec.compression import Compression
from tests.codec.compression.compressors import XERIAL_HEADER
from tests.varints import write_varint

MIB = 1024 * 1024
INT32_MAX = 2**31 - 1


def batch(records: bytes, *, count: int = 1, codec: Compression = Compression.NONE, size: int | None = None) -> bytes:
    """A v2 batch with a correct CRC."""
    body = struct.pack(">hiqqqhii", codec, count - 1 if count > 0 else 0, 0, 0, -1, -1, -1, count) + records
    declared = len(body) + 9 if size is None else size
    return struct.pack(">qiibI", 0, declared, 0, 2, crc32c(body)) + body


def wrapper(value: bytes, *, magic: int, codec: Compression, declared: int | None = None) -> bytes:
    """A v0 or v1 message with a correct CRC."""
    time = struct.pack(">q", 0) if magic else b""
    length = len(value) if declared is None else declared
    body = struct.pack(">bb", magic, codec) + time + struct.pack(">ii", -1, length) + value
    return struct.pack(">qiI", 0, len(body) + 4, crc32(body)) + body


def record(fields: bytes) -> bytes:
    """A v2 record: its length, then the fields after it."""
    return write_varint(len(fields)) + fields


def of_zeros(codec: Compression, size: int) -> bytes:
    """Compressed zeros, never all of them in memory."""
    piece = bytes(MIB)
    if codec is Compression.GZIP:
        deflate = isal_zlib.compressobj(1, isal_zlib.DEFLATED, 31)
        return b"".join(deflate.compress(piece) for _ in range(size // MIB)) + deflate.flush()
    if codec is Compression.ZSTD:
        stream = zstandard.ZstdCompressor(1).compressobj()
        packed: bytes = b"".join(stream.compress(piece) for _ in range(size // MIB)) + stream.flush()
        return packed
    if codec is Compression.LZ4:
        frame = lz4.frame.LZ4FrameCompressor(block_size=lz4.frame.BLOCKSIZE_MAX64KB, block_linked=False)
        framed: bytes = frame.begin() + b"".join(frame.compress(piece) for _ in range(size // MIB)) + frame.flush()
        return framed
    block: bytes = snappy.compress(piece)
    return XERIAL_HEADER + (struct.pack(">i", len(block)) + block) * (size // MIB)


def headers_bomb(headers: int) -> bytes:
    """One record of many empty headers, two bytes each, which compresses to almost nothing."""
    fields = bytes(3) + b"\1\1" + write_varint(headers) + b"\0\1" * headers
    return batch(zstandard.ZstdCompressor(1).compress(record(fields)), codec=Compression.ZSTD)


def declaring() -> dict[str, bytes]:
    """Small files that declare enormous counts and sizes."""
    most = write_varint(INT32_MAX)
    null_record = b"\0\0\0\1\1\0"
    files = {
        "count 2^31-1": batch(record(null_record), count=INT32_MAX),
        "count of the limit": batch(record(null_record), count=10_000_000),
        "record length 2^31-1": batch(most + null_record),
        "key length 2^31-1": batch(record(b"\0\0\0" + most + b"\1\0")),
        "value length 2^31-1": batch(record(b"\0\0\0\1" + most + b"\0")),
        "header count 2^31-1": batch(record(b"\0\0\0\1\1" + most)),
        "header key length 2^31-1": batch(record(b"\0\0\0\1\1\2" + most)),
        "header value length 2^31-1": batch(record(b"\0\0\0\1\1\2\0" + most)),
        "size 2^31-1": batch(record(null_record), size=INT32_MAX),
        "size of the limit": batch(record(null_record), size=128 * MIB - 12),
        "snappy size 2^32-1": batch(b"\xff\xff\xff\xff\x0f\0", codec=Compression.SNAPPY),
        "xerial chunk 2^31-1": batch(XERIAL_HEADER + struct.pack(">i", INT32_MAX), codec=Compression.SNAPPY),
        "zstd window 2^41": batch(b"\x28\xb5\x2f\xfd\x00\xf8\x01\0\0", codec=Compression.ZSTD),
        "zstd content size 2^63": batch(
            b"\x28\xb5\x2f\xfd\xe0" + struct.pack("<Q", 2**63) + b"\x01\0\0", codec=Compression.ZSTD
        ),
        "lz4 block 2^31-1": batch(
            lz4.frame.compress(b"a", block_linked=False)[:15] + b"\xff\xff\xff\x7f", codec=Compression.LZ4
        ),
    }
    for magic in (0, 1):
        files[f"v{magic} value 2^31-1"] = wrapper(b"", magic=magic, codec=Compression.NONE, declared=INT32_MAX)
        inner = struct.pack(">qiIbb", 0, INT32_MAX, 0, magic, 0)
        packed = zstandard.ZstdCompressor().compress(inner)  # no codec of this format: refused before it is read
        files[f"v{magic} zstd"] = wrapper(packed, magic=magic, codec=Compression.ZSTD)
        files[f"v{magic} inner size 2^31-1"] = wrapper(
            XERIAL_HEADER + struct.pack(">i", len(snappy.compress(inner))) + snappy.compress(inner),
            magic=magic,
            codec=Compression.SNAPPY,
        )
    return files
