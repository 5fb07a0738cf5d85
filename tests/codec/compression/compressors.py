"""Compressed streams as Kafka's clients write them, made with the original libraries."""

import gzip
import struct

import lz4.frame
import snappy
import zstandard

from kafkafmt.codec.compression import Compression

XERIAL_HEADER = b"\x82SNAPPY\x00\x00\x00\x00\x01\x00\x00\x00\x01"


def xerial(content: bytes, block_size: int = 32 * 1024) -> bytes:
    framed = bytearray(XERIAL_HEADER)
    for start in range(0, len(content), block_size):
        block = snappy.compress(content[start : start + block_size])
        framed += struct.pack(">i", len(block)) + block
    return bytes(framed)


def lz4_frame(content: bytes, *, block_size: int = lz4.frame.BLOCKSIZE_MAX64KB, block_checksum: bool = False) -> bytes:
    framed: bytes = lz4.frame.compress(
        content, block_linked=False, block_size=block_size, block_checksum=block_checksum, store_size=False
    )
    return framed


def zstd_frame(content: bytes, *, content_size: bool = False, checksum: bool = False, level: int = 3) -> bytes:
    compressor = zstandard.ZstdCompressor(level, write_content_size=content_size, write_checksum=checksum)
    if content_size:
        return compressor.compress(content)
    stream = compressor.compressobj()
    return stream.compress(content) + stream.flush()


def compress(codec: Compression, content: bytes) -> bytes:
    """Compress as Kafka's own producer does."""
    if codec is Compression.GZIP:
        return gzip.compress(content, mtime=0)
    if codec is Compression.SNAPPY:
        return xerial(content)
    if codec is Compression.LZ4:
        return lz4_frame(content)
    if codec is Compression.ZSTD:
        return zstd_frame(content)
    if codec is Compression.NONE:
        return content
    raise NotImplementedError(f"add a stream of {codec.label} here, made by its library as Kafka's producer does")
