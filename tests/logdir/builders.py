"""Small log directories made for one test: batches of format 2, segments, checkpoint files."""

import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from crc32c import crc32c

import kafkafmt

LOG_APPEND_TIME = 8
TRANSACTIONAL = 16
CONTROL = 32
ABORT_KEY = struct.pack(">hh", 0, 0)


def varint(number: int) -> bytes:
    """A zigzag varint, as records of format 2 store their lengths."""
    rest = number << 1 ^ number >> 63
    out = bytearray()
    while rest > 0x7F:
        out.append(rest & 0x7F | 0x80)
        rest >>= 7
    return bytes([*out, rest])


def sized(data: bytes | None) -> bytes:
    return varint(-1) if data is None else varint(len(data)) + data


def batch(
    offset: int,
    count: int = 1,
    *,
    key: bytes | None = None,
    value: bytes | None = b"v",
    header: bytes | None = None,
    timestamp: int = 1000,
    epoch: int = 0,
    attributes: int = 0,
    producer: int = -1,
) -> bytes:
    """A batch of `count` equal records at consecutive offsets, with timestamps 1 ms apart."""
    records = bytearray()
    for delta in range(count):
        headers = varint(0) if header is None else varint(1) + sized(b"h") + sized(header)
        record = b"\0" + varint(delta) + varint(delta) + sized(key) + sized(value) + headers
        records += sized(record)
    last = timestamp + max(count - 1, 0)
    covered = (
        struct.pack(">hiqqqhii", attributes, max(count - 1, 0), timestamp, last, producer, -1, -1, count) + records
    )
    return struct.pack(">qiibI", offset, 9 + len(covered), epoch, 2, crc32c(covered)) + covered


def file_name(base_offset: int, suffix: str = "") -> str:
    return f"{base_offset:020d}.log{suffix}"


def segment(partition: Path, base_offset: int, *content: bytes, suffix: str = "") -> Path:
    """Write a log file of the given batches, by default one batch of ten records."""
    partition.mkdir(parents=True, exist_ok=True)
    path = partition / file_name(base_offset, suffix)
    path.write_bytes(b"".join(content or [batch(base_offset, 10)]))
    return path


def checkpoint(log_dir: Path, name: str, offsets: Mapping[tuple[str, int], int]) -> Path:
    lines = ["0", str(len(offsets)), *(f"{topic} {number} {offset}" for (topic, number), offset in offsets.items())]
    path = log_dir / name
    path.write_text("\n".join(lines) + "\n")
    return path


def column(source: Any, name: str, **scan: Any) -> list[Any]:
    """One column of a scan."""
    values: list[Any] = kafkafmt.scan(source, columns=[name], **scan).to_table().column(name).to_pylist()
    return values


def offsets(source: Any, **scan: Any) -> list[int]:
    return column(source, "offset", **scan)
