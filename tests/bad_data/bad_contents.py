"""Bad logs: the content of sound entries: records, and messages in wrappers."""

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
from tests.bad_data.pieces import GZIP, ZSTD, batch, fields, message, record, sized
from tests.varints import write_varint


def bad_wrappers() -> list[LogCase]:
    inner = {magic: message(0, magic=magic) + message(1, b"w", magic=magic) for magic in (0, 1)}
    nested = {magic: message(5, pieces.gzip(inner[magic]), magic=magic, codec=GZIP) for magic in (0, 1)}
    cases = []
    for magic in (0, 1):
        cases += [
            middle(
                f"nested-wrapper-v{magic}",
                "a wrapper in a wrapper",
                message(5, pieces.gzip(nested[magic]), magic=magic, codec=GZIP),
                CORRUPT,
                magic=magic,
            ),
            middle(
                f"empty-wrapper-v{magic}",
                "a wrapper without messages",
                message(5, pieces.gzip(b""), magic=magic, codec=GZIP),
                CORRUPT,
                magic=magic,
            ),
            middle(
                f"null-wrapper-v{magic}",
                "a wrapper whose value is null",
                message(5, None, magic=magic, codec=GZIP),
                CORRUPT,
                magic=magic,
            ),
            middle(
                f"inner-size-13-v{magic}",
                "an inner message too small for any format",
                message(5, pieces.gzip(struct.pack(">qi", 0, 13) + bytes(13)), magic=magic, codec=GZIP),
                CORRUPT,
                magic=magic,
            ),
            middle(
                f"inner-size-largest-v{magic}",
                "an inner message larger than Java can allocate, which Kafka refuses since 4.4",
                message(
                    5, pieces.gzip(message(5, magic=magic) + struct.pack(">qi", 6, 2**31 - 1)), magic=magic, codec=GZIP
                ),
                CORRUPT,
                magic=magic,
            ),
            middle(
                f"inner-value-too-long-v{magic}",
                "an inner value longer than its message",
                message(5, pieces.gzip(message(5, magic=magic, value_size=9)), magic=magic, codec=GZIP),
                TRUNCATED,
                magic=magic,
            ),
            middle(
                f"value-too-long-v{magic}",
                "a value longer than the message, under the right CRC",
                message(5, magic=magic, value_size=9),
                TRUNCATED,
                magic=magic,
            ),
            middle(
                f"key-too-long-v{magic}",
                "a key longer than the message, under the right CRC",
                message(5, magic=magic, key_size=99),
                TRUNCATED,
                magic=magic,
            ),
        ]
    return [
        *cases,
        middle(
            "wrapper-offset-too-low",
            "relative inner offsets 0 and 3 under a wrapper of offset 2",
            message(2, pieces.gzip(message(0, magic=1) + message(3, magic=1)), magic=1, codec=GZIP),
            CORRUPT,
            magic=1,
        ),
        middle(
            "wrapper-offset-0",
            "a wrapper offset of 0 makes Kafka take inner offsets as absolute",
            message(0, pieces.gzip(message(3, magic=1) + message(4, magic=1)), magic=1, codec=GZIP),
            None,
            magic=1,
            delivered=[3, 4],
        ),
        middle(
            "inner-offset-smallest",
            "inner offsets so far apart that their number overflowed where a plan divides by records",
            message(3, pieces.gzip(message(-(2**63), magic=0) + message(3, magic=0)), magic=0, codec=GZIP),
            None,
            magic=0,
            delivered=[-(2**63), 3],
        ),
        middle(
            "inner-set-cut",
            "an inner set that ends inside a message is shortened without a word",
            message(5, pieces.gzip(inner[0][:-1]), magic=0, codec=GZIP),
            None,
            magic=0,
            delivered=[0],
        ),
        middle(
            "inner-crc-wrong",
            "a message inside a sound wrapper with a wrong CRC: brokers keep it, consumers refuse it",
            message(5, pieces.gzip(message(5, magic=1, wrong_crc=1)), magic=1, codec=GZIP),
            CHECKSUM,
            magic=1,
            differs="FileRecords leaves a record's own CRC to Record.ensureValid, which the consumer calls",
        ),
    ]


def bad_records() -> list[LogCase]:
    one = record()
    overrun = batch(5, _many_headers(4, 90_000), count=102_863, attributes=ZSTD)
    return [
        middle("count-too-big", "one record declared as three", batch(5, one, count=3), CORRUPT),
        middle(
            "count-too-big-for-long-records",
            "the bytes would do for three records, but hold one",
            batch(5, record(value=bytes(30)), count=3),
            TRUNCATED,
        ),
        middle("count-too-small", "two records declared as one", batch(5, one + record(1), count=1), CORRUPT),
        middle("count-negative", "a negative number of records", batch(5, one, count=-1), CORRUPT),
        middle("count-0-with-bytes", "Kafka looks at no bytes of an empty batch", batch(5, one, count=0), None),
        middle("record-length-short", "a record longer than it says", batch(5, sized(fields(), -1)), TRUNCATED),
        middle("record-length-long", "a record shorter than it says", batch(5, sized(fields(), 1) + b"\0"), CORRUPT),
        middle("record-length-beyond", "a record that ends behind its batch", batch(5, sized(fields(), 9)), TRUNCATED),
        middle("record-length-negative", "a record of -1 bytes", batch(5, b"\1" + fields()), CORRUPT),
        middle("record-length-0", "a record of 0 bytes", batch(5, b"\0" + fields()), TRUNCATED),
        middle("key-length-beyond", "a key longer than its record", batch(5, sized(b"\0\0\0\x7e\2v\0")), TRUNCATED),
        middle(
            "key-length-minus-2",
            "any negative length is null to Kafka",
            batch(5, sized(b"\0\0\0\3\2v\0")),
            None,
            delivered=[5],
        ),
        middle(
            "header-count-negative", "a negative number of headers", batch(5, sized(fields(headers=b"\1"))), CORRUPT
        ),
        middle(
            "header-count-beyond",
            "more headers than there are bytes",
            batch(5, sized(fields(headers=b"\x7e"))),
            TRUNCATED,
        ),
        LogCase(
            "header-arrays-overrun",
            "arrays sized by the declared record count were too small for so many headers, and memory was overwritten",
            batch(0) + overrun + batch(200_000),
            (TRUNCATED, len(batch(0))),
            [0, 200_000],
            [(len(batch(0)), len(overrun), "truncated")],
        ),
        middle("header-key-null", "a header key must not be null", batch(5, sized(fields(headers=b"\2\1\0"))), CORRUPT),
        middle(
            "header-value-minus-2",
            "any negative length is null to Kafka",
            batch(5, sized(fields(headers=b"\2\2k\3"))),
            None,
            delivered=[5],
        ),
        middle(
            "header-key-not-utf8",
            "malformed UTF-8 in a header key is replaced, not refused",
            batch(5, sized(fields(headers=b"\2\4\xed\xa0\2x"))),
            None,
            delivered=[5],
        ),
        middle(
            "varint-too-long",
            "a continuation bit in the fifth byte",
            batch(5, b"\x8e\x80\x80\x80\x80\0" + fields()),
            CORRUPT,
        ),
        middle(
            "varlong-too-long",
            "a continuation bit in the tenth byte",
            batch(5, sized(b"\0" + b"\x80" * 10 + b"\0\0\1\2v\0")),
            CORRUPT,
        ),
        middle(
            "varint-not-shortest",
            "a number in more bytes than it takes is none the worse",
            batch(5, _padded()),
            None,
            delivered=[5],
        ),
        middle("bytes-after-last-record", "bytes between the last record and the end", batch(5, one + b"\0"), CORRUPT),
        middle(
            "bytes-after-last-record-gzip",
            "the same inside compressed data",
            batch(5, pieces.gzip(one + b"\0"), attributes=GZIP),
            CORRUPT,
        ),
        middle(
            "control-key-short",
            "a control record of unknown type, to which Kafka cannot put a name",
            batch(5, sized(fields(key=b"\0")), attributes=pieces.CONTROL),
            None,
            delivered=[5],
        ),
        middle(
            "batch-too-large",
            "an entry above max_batch_bytes is not even read",
            batch(5, record(value=bytes(200))),
            LIMIT,
            limits={"max_batch_bytes": 150},
            differs="a limit of ours",
        ),
        middle(
            "records-too-many",
            "more records than max_records_per_batch",
            batch(5, one + record(1) + record(2), count=3),
            LIMIT,
            limits={"max_records_per_batch": 2},
            differs="a limit of ours",
        ),
        middle(
            "inner-messages-too-many",
            "more messages than max_records_per_batch",
            message(7, pieces.gzip(b"".join(message(each, magic=1) for each in range(3))), magic=1, codec=GZIP),
            LIMIT,
            magic=1,
            limits={"max_records_per_batch": 2},
            differs="a limit of ours",
        ),
    ]


def _many_headers(records: int, headers: int) -> bytes:
    """Records of so many empty headers each, two zero bytes a header, compressed to next to nothing."""
    size = 2 * headers
    front = fields(headers=write_varint(headers))
    blocks: list[bytes | int] = []
    for _ in range(records):
        blocks += [write_varint(len(front) + size) + front, *[1 << 17] * (size >> 17), size & 0x1FFFF]
    return pieces.zstd_with_zeros(*blocks)


def _padded() -> bytes:
    content = fields()
    return bytes((2 * len(content) | 0x80, 0)) + content
