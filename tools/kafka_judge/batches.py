"""Record batches of format 2 with one record or one transaction marker, for the logs that judges write."""

import struct

from kafka_judge.inputs import sealed

ABORT, COMMIT = 0, 1
"""Types of a transaction marker."""

_MAGIC = b"\2"
_TRANSACTIONAL = 0x10
_CONTROL = 0x20


def record_batch(offset: int, key: bytes | None, value: bytes | None, producer_id: int | None = None) -> bytes:
    """Write a batch of one record, in a transaction if it has a producer."""
    return _batch(offset, key, value, producer_id, 0 if producer_id is None else _TRANSACTIONAL)


def control_batch(offset: int, producer_id: int, kind: int) -> bytes:
    """Write the marker that ends a producer's transaction: `COMMIT` or `ABORT`."""
    return _batch(offset, struct.pack(">hh", 0, kind), bytes(6), producer_id, _TRANSACTIONAL | _CONTROL)


def _batch(offset: int, key: bytes | None, value: bytes | None, producer_id: int | None, attributes: int) -> bytes:
    producer = (-1, -1, -1) if producer_id is None else (producer_id, 0, 0)
    record = bytes(3) + _sized(key) + _sized(value) + bytes(1)
    head = struct.pack(">qii", offset, 0, 0) + _MAGIC + bytes(4)
    fields = struct.pack(">hiqqqhii", attributes, 0, 0, 0, *producer, 1)
    return sealed(head + fields + _varint(len(record)) + record)


def _sized(data: bytes | None) -> bytes:
    return _varint(-1) if data is None else _varint(len(data)) + data


def _varint(number: int) -> bytes:
    """Write a zigzag varint, as in records."""
    rest = (number << 1) ^ (number >> 31)
    written = bytearray()
    while rest > 0x7F:
        written.append(rest & 0x7F | 0x80)
        rest >>= 7
    return bytes([*written, rest])
