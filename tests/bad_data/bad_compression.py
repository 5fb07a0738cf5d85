"""Bad logs: bytes that a codec rejects, or that decompress to too much."""

import struct

from tests.bad_data import pieces
from tests.bad_data.case import (
    CHECKSUM,
    CORRUPT,
    LIMIT,
    TRUNCATED,
    LogCase,
    middle,
)
from tests.bad_data.pieces import GZIP, LZ4, PACK, SNAPPY, XERIAL, ZSTD, batch, record


def bad_codecs() -> list[LogCase]:
    one = record()
    names = {GZIP: "gzip", SNAPPY: "snappy", LZ4: "lz4", ZSTD: "zstd"}
    cases = []
    for codec, name in names.items():
        packed = PACK[codec](one)
        cases += [
            middle(
                f"{name}-cut", "compressed data that end too early", batch(5, packed[:-5], attributes=codec), TRUNCATED
            ),
            middle(
                f"{name}-too-large",
                "more than max_decompressed_bytes",
                batch(5, PACK[codec](record(value=bytes(50))), attributes=codec),
                LIMIT,
                limits={"max_decompressed_bytes": 40},
                differs="a limit of ours",
            ),
        ]
    for codec in (GZIP, LZ4, ZSTD):
        cases.append(
            middle(f"{names[codec]}-not-at-all", "no such stream", batch(5, one + bytes(20), attributes=codec), CORRUPT)
        )
    return [
        *cases,
        middle(
            "gzip-trailer",
            "a wrong CRC-32 in a gzip trailer",
            batch(5, pieces.gzip(one, wrong_crc=1), attributes=GZIP),
            CHECKSUM,
        ),
        middle(
            "lz4-header-checksum",
            "the header checksum of KAFKA-3160 in format 2",
            batch(5, pieces.lz4(one, header_checksum=0x1A), attributes=LZ4),
            CHECKSUM,
        ),
        middle(
            "lz4-after-end",
            "Kafka does not look behind the end mark of an lz4 frame",
            batch(5, pieces.lz4(one) + b"more", attributes=LZ4),
            None,
            delivered=[5],
        ),
        middle(
            "lz4-without-end",
            "an lz4 frame without its end mark",
            batch(5, pieces.lz4(one, end=b""), attributes=LZ4),
            TRUNCATED,
        ),
        middle(
            "zstd-window",
            "a window of 256 MiB, twice the limit",
            batch(5, pieces.zstd(one, window=0x90), attributes=ZSTD),
            LIMIT,
        ),
        middle(
            "zstd-after-frame",
            "bytes after a zstd frame that are no frame",
            batch(5, pieces.zstd(one) + b"more", attributes=ZSTD),
            CORRUPT,
        ),
        middle(
            "snappy-preamble", "a snappy length that does not end", batch(5, b"\xff" * 8, attributes=SNAPPY), CORRUPT
        ),
        middle(
            "snappy-wrong-size",
            "a snappy block that holds less than it says",
            batch(5, pieces.snappy_block(one, declared=len(one) + 1), attributes=SNAPPY),
            CORRUPT,
        ),
        middle(
            "xerial-negative",
            "a negative chunk size in xerial's framing",
            batch(5, XERIAL + struct.pack(">i", -1), attributes=SNAPPY),
            CORRUPT,
        ),
        middle(
            "xerial-beyond",
            "a chunk that is longer than the data",
            batch(5, XERIAL + struct.pack(">i", 99) + pieces.snappy_block(one), attributes=SNAPPY),
            TRUNCATED,
        ),
        middle(
            "xerial-no-chunk",
            "xerial's header alone: no record where one is declared",
            batch(5, XERIAL, attributes=SNAPPY),
            CORRUPT,
        ),
    ]
