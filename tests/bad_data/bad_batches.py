"""Bad logs: sizes, magics, CRCs and attributes of entries."""

import struct

from kafkafmt.codec.checksum import crc32
from tests.bad_data import pieces
from tests.bad_data.case import (
    CHECKSUM,
    CORRUPT,
    NOT_WALKED,
    TRUNCATED,
    UNSUPPORTED,
    LogCase,
    ending,
    middle,
)
from tests.bad_data.pieces import NONE, ZSTD, batch, message, record

NO_SEGMENT = b"# Licensed under any licence\nlog.dirs=/var/lib/kafka/data\n"
BEHIND = "Kafka takes any size beyond the end for an unfinished write and stops there without a word"


def bad_entries() -> list[LogCase]:
    sizes = [
        middle(
            f"size-{name}",
            f"an entry that declares a size of {size}: Kafka throws CorruptRecordException",
            struct.pack(">qiIb", 5, size, 0, 2) + bytes(30) + b"\1",
            CORRUPT,
            differs=NOT_WALKED,
        )
        for name, size in (("1", 1), ("13", 13), ("minus-1", -1), ("smallest-int", -(2**31)))
    ]
    long_batch = batch(5, record(value=bytes(40)))
    of_batches = record(value=batch(70) + batch(71))
    return [
        *sizes,
        ending("tail-1-byte", "a crash after one byte of the next entry", b"\0", "zero_tail"),
        ending("tail-12-bytes", "a crash after offset and size", struct.pack(">qi", 1, 60), "incomplete_tail"),
        ending("tail-in-records", "a crash inside the records", batch(1)[:-3], "incomplete_tail"),
        ending("tail-v0", "a crash inside a v0 message", message(1, magic=0)[:-1], "incomplete_tail", magic=0),
        ending("tail-v1", "a crash inside a v1 message", message(1, magic=1)[:-1], "incomplete_tail", magic=1),
        ending("tail-16-zeros", "preallocated space shorter than a header", bytes(16), "zero_tail"),
        ending(
            "tail-200-zeros", "preallocated space", bytes(200), "zero_tail", differs="Kafka throws at the size of 0"
        ),
        ending(
            "tail-size-beyond-end",
            "a size beyond the end of the file with nothing whole behind it is an unfinished write",
            batch(1, size=5000),
            "incomplete_tail",
        ),
        ending(
            "tail-zeros-and-a-byte",
            "zeros that do not reach the end of the file are no preallocated space",
            bytes(100) + b"\1",
            "garbage_tail",
            CORRUPT,
            differs="Kafka's iterator throws there as well, instead of calling it a bad batch",
        ),
        ending(
            "garbage-of-negative-size",
            "bytes after the last batch that claim a negative size",
            b"\xfe" * 50,
            "garbage_tail",
            CORRUPT,
            differs="Kafka's iterator throws there as well, instead of calling it a bad batch",
        ),
        middle("zero-hole", "a block that was never written to disk", bytes(100), CORRUPT, differs=NOT_WALKED),
        middle(
            "size-beyond-end",
            "a size beyond the end, yet whole entries follow",
            batch(5, size=5000),
            CORRUPT,
            differs=BEHIND,
        ),
        middle("size-huge", "the largest size", batch(5, size=2**31 - 1), CORRUPT, differs=BEHIND),
        middle(
            "size-below-v2-header",
            "large enough for a v0 message, too small for a batch: Kafka finds it corrupt on loading it",
            struct.pack(">qiib", 5, 48, 0, 2) + bytes(43),
            CORRUPT,
        ),
        middle(
            "size-one-too-small",
            "the next entry does not begin where this one says: it is found by its CRC",
            batch(5, size=len(batch(5)) - 13),
            CHECKSUM,
            differs="Kafka walks on into the middle of the file",
        ),
        middle(
            "cut-in-the-middle",
            "bytes are missing: the entry's declared end lies inside the next one",
            long_batch[:-20],
            CHECKSUM,
            differs="Kafka walks on into the middle of the file",
        ),
        middle("garbage", "bytes that are no entry", b"\x7f" * 50, CORRUPT, differs=BEHIND),
        LogCase("empty", "a new segment", b"", None, []),
        LogCase(
            "no-segment-at-all",
            "a file of text read as a log passed for an unfinished write without a record",
            NO_SEGMENT,
            (CORRUPT, 0),
            [],
            [(0, len(NO_SEGMENT), "corrupt")],
            differs=BEHIND,
        ),
        LogCase(
            "two-bad-ones",
            "bad entries in a row are one damage: the resume point is the next sound entry",
            batch(0) + batch(5, wrong_crc=1) + batch(6, wrong_crc=1) + batch(9),
            (CHECKSUM, len(batch(0))),
            [0, 9],
            [(len(batch(0)), 2 * len(batch(5)), "checksum")],
        ),
        LogCase(
            "two-bad-ones-of-batches",
            "batches in the values of two bad ones passed for the log's own: each ends where the next one follows it",
            batch(0) + batch(1, of_batches, wrong_crc=1) + batch(2, of_batches, wrong_crc=1) + batch(3),
            (CHECKSUM, len(batch(0))),
            [0, 3],
            [(len(batch(0)), 2 * len(batch(1, of_batches)), "checksum")],
        ),
        LogCase(
            "wrong-size-before-a-bad-one",
            "where the size is wrong the CRC tells where the batch ends, though a bad one follows",
            batch(0) + batch(1, of_batches, size=-5) + batch(2, of_batches, wrong_crc=1) + batch(3),
            (CORRUPT, len(batch(0))),
            [0, 3],
            [(len(batch(0)), 2 * len(batch(1, of_batches)), "corrupt")],
            differs=NOT_WALKED,
        ),
        LogCase(
            "bad-last-of-batches",
            "nothing follows the last one, and its header is plausible: so is its size, which ends with the file",
            batch(0) + batch(1, of_batches, wrong_crc=1),
            (CHECKSUM, len(batch(0))),
            [0],
            [(len(batch(0)), len(batch(1, of_batches)), "checksum")],
        ),
        LogCase(
            "two-damages",
            "a sound entry between two bad ones is delivered",
            batch(0) + batch(5, wrong_crc=1) + batch(6) + batch(7, wrong_crc=1) + batch(9),
            (CHECKSUM, len(batch(0))),
            [0, 6, 9],
            [(len(batch(0)), len(batch(5)), "checksum"), (3 * len(batch(0)), len(batch(7)), "checksum")],
        ),
        middle(
            "header-cut",
            "bytes are missing from the header: the size that it claims hides the next entry",
            batch(5)[:20],
            CHECKSUM,
            differs="Kafka walks on into the middle of the file",
        ),
        middle(
            "base-offset-wraps",
            "a base offset so high that the next record's exceeds an int64: no CRC covers it",
            batch(2**63 - 1, record() + record(1), count=2),
            None,
            delivered=[2**63 - 1, -(2**63)],
        ),
        *(
            middle(
                f"message-in-bad-wrapper-v{magic}",
                "what a codec leaves as it is: a message with a right CRC inside a wrapper is not the log's own",
                message(5, b"snappy" + message(0x726D_0009_01F0_5C14, b"inner", magic=magic), magic=magic, wrong_crc=1),
                CHECKSUM,
                magic=magic,
            )
            for magic in (0, 1)
        ),
        middle(
            "embedded-entry",
            "a value that is itself a batch: the declared end is tried before the bytes inside",
            batch(5, record(value=batch(77)), wrong_crc=1),
            CHECKSUM,
        ),
    ]


def bad_formats() -> list[LogCase]:
    return [
        middle("crc-v0", "a wrong CRC-32", message(5, magic=0, wrong_crc=1), CHECKSUM, magic=0),
        middle("crc-v1", "a wrong CRC-32", message(5, magic=1, wrong_crc=1), CHECKSUM, magic=1),
        middle("crc-v2", "a wrong CRC-32C", batch(5, wrong_crc=1 << 31), CHECKSUM),
        ending("crc-of-last", "the file ends where the bad entry does", batch(5, wrong_crc=1), "checksum", CHECKSUM),
        *(
            middle(
                f"magic-{magic}",
                "a newer format with the right CRC of format 2: kept by Kafka's broker, refused by its consumer",
                batch(5, magic=magic),
                UNSUPPORTED,
                differs="Kafka's FileRecords reads it as format 2; DESIGN: UnsupportedError, as for its consumer",
            )
            for magic in (3, 9, 127)
        ),
        middle(
            "magic-minus-1",
            "a negative magic is read as v1 by Kafka",
            message(5, magic=-1),
            None,
            magic=1,
            delivered=[5],
        ),
        middle("v1-as-small-as-v0", "a v1 message too small for its timestamp", _small_v1(), TRUNCATED, magic=1),
        *(
            middle(
                f"codec-{codec}-v2",
                "a compression id that Kafka does not know",
                batch(5, attributes=codec),
                UNSUPPORTED,
            )
            for codec in (5, 6, 7)
        ),
        middle(
            "zstd-v1",
            "zstd came with format 2",
            message(5, pieces.zstd(message(0, magic=1)), magic=1, codec=ZSTD),
            CORRUPT,
            magic=1,
        ),
        middle(
            "codec-7-v0", "a compression id that Kafka does not know", message(5, magic=0, codec=7), CORRUPT, magic=0
        ),
    ]


def _small_v1() -> bytes:
    body = struct.pack(">bbii", 1, NONE, -1, -1)
    return struct.pack(">qiI", 5, 14, crc32(body)) + body
