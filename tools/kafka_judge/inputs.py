"""Files for the judges: golden ones, bad ones, and seeded mutations of entries with a correct CRC."""

import gzip
import random
import re
import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import lz4.frame
import snappy
import zstandard

from kafkafmt.codec.checksum import crc32, crc32c
from kafkafmt.codec.compression import Compression
from kafkafmt.files.segment_reader import SegmentReader
from kafkafmt.io.source import open_file
from kafkafmt.logdir.tier_names import parse_object_name
from kafkafmt.reference.entry import Entry
from kafkafmt.reference.layout import (
    CURRENT_MAGIC,
    LOG_OVERHEAD,
    RECORD_BATCH_OVERHEAD,
    crc_span,
    read_frame,
    smallest_size,
)

_SEGMENT = re.compile(r".+\.log(\..+)?|\d{20}-\d{10}\.checkpoint")
_LARGEST_ENTRY = 3000
_ODD_NUMBERS = (0, 1, -1, -2, 0x7F, 0x80, 0x7FFF, 2**31 - 1, -(2**31), 2**63 - 1, -(2**63))

_COMPRESSORS: dict[Compression, Callable[[bytes], bytes]] = {
    Compression.GZIP: gzip.compress,
    Compression.SNAPPY: snappy.compress,
    Compression.LZ4: lz4.frame.compress,
    Compression.ZSTD: zstandard.ZstdCompressor().compress,
}


def segments(directory: Path) -> list[Path]:
    """List the segments below a directory: `.log` with or without a suffix, and Raft snapshots.

    Objects in tiers are left out: they may be encrypted or compressed, which Kafka's classes cannot read.
    """
    found = (path for path in directory.rglob("*") if path.is_file() and _SEGMENT.fullmatch(path.name))
    return sorted(path for path in found if parse_object_name(path.name) is None)


def mutations(sources: list[Path], directory: Path, count: int, seed: int) -> list[Path]:
    """Write files that hold a mutated entry with a correct CRC, followed by the original entry.

    Args:
        sources: segments that supply small entries.
        directory: directory of the new files.
        count: number of files.
        seed: the same seed gives the same files from the same sources.
    """
    chosen = random.Random(seed)
    pools = _entries(sources)
    paths = []
    for number in range(count):
        # Equally many of each format and codec, although most golden entries are plain v2.
        entry = chosen.choice(chosen.choice(pools))
        path = directory / f"mutation-{seed}-{number}.log"
        path.write_bytes(_mutated(entry, chosen) + entry)
        paths.append(path)
    return paths


def special_files(directory: Path) -> list[Path]:
    """Write files of kinds that golden and bad files lack, and that mutations rarely produce."""
    files = {}
    for codec in _COMPRESSORS:
        # No records, and bytes that the codec cannot read.
        attributes_and_delta = struct.pack(">hi", codec, 0)
        times_and_producer = struct.pack(">qqqhii", 0, 0, -1, -1, -1, 0)
        head = struct.pack(">qiib", 0, 0, 0, CURRENT_MAGIC) + bytes(4)
        files[f"empty-{codec.label}"] = sealed(head + attributes_and_delta + times_and_producer + b"no such codec")
    message = _with_crc(struct.pack(">qi4xbbqii", 0, 22, 1, 0, 0, -1, -1))
    for magic in (-128, -1, 2, 116):
        foreign = _with_crc(message[:16] + struct.pack(">b", magic) + message[17:])
        files[f"inner-magic-{magic}"] = _wrapper(message + foreign, 1, Compression.GZIP, 1)
    endless = struct.pack(">qi", 1, 2**31 - 1) + message[12:]
    files["inner-size-largest"] = _wrapper(message + endless, 1, Compression.GZIP, 1)
    for name, data in files.items():
        (directory / f"{name}.log").write_bytes(data)
    return [directory / f"{name}.log" for name in files]


def _with_crc(message: bytes) -> bytes:
    return message[:12] + struct.pack(">I", zlib.crc32(message[16:])) + message[16:]


def _entries(sources: list[Path]) -> list[list[bytes]]:
    """Distinct small entries, grouped by format and attributes."""
    groups: dict[tuple[int, int], dict[bytes, None]] = {}
    for path in sources:
        with open_file(path) as file:
            for entry in SegmentReader(file, on_damage="skip").walk(_sound_bytes):
                if len(entry) <= _LARGEST_ENTRY:
                    attributes = entry[crc_span(entry[16])[1] + (entry[16] < CURRENT_MAGIC) :][: 1 + entry[16] // 2]
                    key = (entry[16], int.from_bytes(attributes, "big"))
                    groups.setdefault(key, {})[entry] = None
    return [list(groups[key]) for key in sorted(groups)]


def _sound_bytes(entry: Entry) -> bytes:
    entry.verify_checksum()
    entry.header()
    return bytes(entry.data)


def _mutated(entry: bytes, chosen: random.Random) -> bytes:
    magic = entry[16]
    if magic == CURRENT_MAGIC:
        begin = RECORD_BATCH_OVERHEAD if chosen.random() < 0.7 else crc_span(magic)[1]
        head, body = entry[:begin], entry[begin:]
        compressible = begin == RECORD_BATCH_OVERHEAD and entry[22] & 7 == Compression.NONE
        body = damaged(body, chosen)
        if compressible and chosen.random() < 0.5:
            codec = chosen.choice(list(_COMPRESSORS))
            body = _COMPRESSORS[codec](body)
            head = head[:22] + bytes([head[22] | codec]) + head[23:]
        return sealed(head + body)
    if entry[17] & 7 == Compression.NONE and chosen.random() < 0.6:
        inner = damaged(entry * chosen.choice((1, 2)), chosen)
        codec = chosen.choice((Compression.GZIP, Compression.SNAPPY))
        return _wrapper(inner, magic, codec, chosen.choice((0, *struct.unpack_from(">q", entry), 2**40)))
    begin = crc_span(magic)[1] + 1
    return sealed(entry[:begin] + damaged(entry[begin:], chosen))


def _wrapper(inner: bytes, magic: int, codec: Compression, offset: int) -> bytes:
    value = _COMPRESSORS[codec](inner)
    timestamp = struct.pack(">q", 1_700_000_000_000) if magic else b""
    body = bytes([magic, codec]) + timestamp + struct.pack(">ii", -1, len(value)) + value
    return sealed(struct.pack(">qi", offset, 0) + bytes(4) + body)


def damaged(data: bytes, chosen: random.Random) -> bytes:
    """Change a few bytes, most of them near the beginning; the length may change."""
    changed = bytearray(data)
    for _ in range(chosen.choice((1, 1, 1, 2, 3))):
        # The important lengths and counts are near the beginning.
        reach = chosen.choice((12, 48, len(changed) + 1))
        at = chosen.randrange(min(reach, len(changed) + 1))
        kind = chosen.randrange(6)
        if kind == 0 and changed:
            changed[at % len(changed)] ^= 1 << chosen.randrange(8)
        elif kind == 1:
            width = chosen.choice((1, 2, 4, 8))
            number = chosen.choice(_ODD_NUMBERS) % 2 ** (8 * width)
            changed[at : at + width] = number.to_bytes(width, "big")[: len(changed) - at]
        elif kind == 2:
            changed[at:at] = chosen.randbytes(chosen.choice((1, 2, 9)))
        elif kind == 3:
            del changed[at : at + chosen.choice((1, 2, 9))]
        elif kind == 4:
            del changed[len(changed) - chosen.choice((1, 2, 9)) :]
        elif changed:
            changed[at % len(changed)] = chosen.randrange(256)
    return bytes(changed)


def sealed(entry: bytes) -> bytes:
    """Give an entry the correct size and CRC; an entry that is too short for its format is padded with zeros."""
    magic = read_frame(entry).magic
    missing = LOG_OVERHEAD + smallest_size(magic) - len(entry)
    entry += bytes(max(missing, 0))
    entry = entry[:8] + struct.pack(">i", len(entry) - LOG_OVERHEAD) + entry[12:]
    at, covered = crc_span(magic)
    crc = (crc32c if magic >= CURRENT_MAGIC else crc32)(entry[covered:])
    return entry[:at] + struct.pack(">I", crc) + entry[at + 4 :]
