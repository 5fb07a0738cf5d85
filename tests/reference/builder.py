"""Packs messages, wrappers and record batches with any field right or wrong: for inputs without a golden file."""

import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from kafkafmt.codec.checksum import crc32, crc32c
from kafkafmt.codec.compression import Compression
from tests.codec.compression.compressors import compress
from tests.varints import write_varint, write_varlong

CONTROL, TRANSACTIONAL, DELETE_HORIZON, LOG_APPEND_TIME = 0x20, 0x10, 0x40, 0x08
BATCH_OVERHEAD = 61


@dataclass(frozen=True)
class R:
    """One record of a batch, as in its encoding."""

    offset_delta: int = 0
    timestamp_delta: int = 0
    key: bytes | None = None
    value: bytes | None = b"v"
    headers: Sequence[tuple[bytes | None, bytes | None]] = ()
    attributes: int = 0

    def __bytes__(self) -> bytes:
        body = bytes([self.attributes]) + write_varlong(self.timestamp_delta) + write_varint(self.offset_delta)
        body += sized(self.key) + sized(self.value) + write_varint(len(self.headers))
        body += b"".join(sized(key) + sized(value) for key, value in self.headers)
        return write_varint(len(body)) + body


def sized(data: bytes | None) -> bytes:
    return write_varint(-1) if data is None else write_varint(len(data)) + data


def batch(
    records: Iterable[R | bytes] = (R(),),
    *,
    base_offset: int = 0,
    leader_epoch: int = 0,
    magic: int = 2,
    attributes: int = 0,
    last_offset_delta: int | None = None,
    base_timestamp: int = 1000,
    max_timestamp: int = 2000,
    producer_id: int = -1,
    producer_epoch: int = -1,
    base_sequence: int = -1,
    count: int | None = None,
    payload: bytes | None = None,
    crc: int | None = None,
) -> bytes:
    """Pack a v2 batch; `payload` replaces the records as stored, and the codec is that of `attributes`."""
    packed = [bytes(record) for record in records]
    if payload is None:
        codec = attributes & 7
        payload = b"".join(packed)
        if codec in list(Compression):
            payload = compress(Compression(codec), payload)
    covered = struct.pack(
        ">hiqqqhii",
        attributes,
        len(packed) - 1 if last_offset_delta is None else last_offset_delta,
        base_timestamp,
        max_timestamp,
        producer_id,
        producer_epoch,
        base_sequence,
        len(packed) if count is None else count,
    )
    covered += payload
    head = struct.pack(">ibI", leader_epoch, magic, crc32c(covered) if crc is None else crc)
    return framed(base_offset, head + covered)


def message(
    offset: int = 0,
    value: bytes | None = b"v",
    key: bytes | None = None,
    *,
    magic: int = 1,
    attributes: int = 0,
    timestamp: int = 1000,
    trailing: bytes = b"",
    crc: int | None = None,
) -> bytes:
    """Pack a v0 or v1 message with its offset and size; any magic but 0 gets the layout of v1."""
    covered = struct.pack(">bB", magic, attributes) + (struct.pack(">q", timestamp) if magic != 0 else b"")
    for field in (key, value):
        covered += struct.pack(">i", -1) if field is None else struct.pack(">i", len(field)) + field
    covered += trailing
    return framed(offset, struct.pack(">I", crc32(covered) if crc is None else crc) + covered)


def wrapper(offset: int, inner: bytes, *, codec: int = Compression.GZIP, **fields: Any) -> bytes:
    """Pack a compressed message around the bytes of others."""
    attributes = fields.pop("attributes", 0) | codec
    return message(offset, compress(Compression(codec), inner), attributes=attributes, **fields)


def framed(offset: int, body: bytes) -> bytes:
    return struct.pack(">qi", offset, len(body)) + body


def with_size(entry: bytes, size: int) -> bytes:
    """Change the declared size of an entry, which no CRC covers."""
    return entry[:8] + struct.pack(">i", size) + entry[12:]
