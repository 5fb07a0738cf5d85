"""The bad files: what is in each, why, and what must come of it; by reasoning from the format and from Kafka's code.

Positions and lengths are bytes. Most logs are a good entry, the bad one, and a good one: offsets 0, the bad, 9.
It is long because it is a table: a file that must stand beside its reason and its outcome, some 150 times.
"""

import struct
from collections.abc import Callable
from dataclasses import dataclass, field

from kafkafmt.codec.checksum import crc32
from tests.bad_data import pieces
from tests.bad_data.pieces import GZIP, LZ4, NONE, PACK, SNAPPY, XERIAL, ZSTD, batch, fields, message, record, sized
from tests.varints import write_varint

Damage = tuple[int, int, str]

CORRUPT, CHECKSUM, TRUNCATED = "CorruptError", "ChecksumError", "TruncatedError"
UNSUPPORTED, LIMIT = "UnsupportedError", "LimitExceededError"
REASON = {
    CORRUPT: "corrupt",
    CHECKSUM: "checksum",
    TRUNCATED: "truncated",
    UNSUPPORTED: "unsupported",
    LIMIT: "limit_exceeded",
}


NO_SEGMENT = b"# Licensed under any licence\nlog.dirs=/var/lib/kafka/data\n"


@dataclass(frozen=True)
class LogCase:
    """A bad log file.

    Attributes:
        error: class and position of the error with `on_damage="raise"`, or None.
        offsets: of the records with `on_damage="skip"`.
        damage: with `on_damage="skip"`: position, length and reason.
        limits: other than the default ones.
        differs: why Kafka's own answer is another one, where it is.
    """

    name: str
    why: str
    data: bytes
    error: tuple[str, int] | None
    offsets: list[int]
    damage: list[Damage] = field(default_factory=list)
    limits: dict[str, int] = field(default_factory=dict)
    differs: str = ""


@dataclass(frozen=True)
class SmallCase:
    """A bad file of another kind.

    Attributes:
        kind: the module of `kafkafmt.files` that reads it.
        error: class and position (None where no place is known) of what reading raises, or None.
        entries: number of entries read.
        sanity: class and position of `sanity_error`, of kinds that have one.
    """

    name: str
    kind: str
    why: str
    data: bytes
    error: tuple[str, int | None] | None = None
    entries: int | None = None
    sanity: tuple[str, int] | None = None


GOOD: dict[int, Callable[[int], bytes]] = {
    0: lambda offset: message(offset, magic=0),
    1: lambda offset: message(offset, magic=1),
    2: batch,
}


def middle(
    name: str,
    why: str,
    bad: bytes,
    error: str | None,
    *,
    magic: int = 2,
    delivered: list[int] | None = None,
    length: int | None = None,
    limits: dict[str, int] | None = None,
    differs: str = "",
) -> LogCase:
    before = GOOD[magic](0)
    begin = len(before)
    damage = [] if error is None else [(begin, len(bad) if length is None else length, REASON[error])]
    return LogCase(
        name=name,
        why=why,
        data=before + bad + GOOD[magic](9),
        error=None if error is None else (error, begin),
        offsets=[0, *(delivered or []), 9],
        damage=damage,
        limits=limits or {},
        differs=differs,
    )


def ending(
    name: str, why: str, end: bytes, reason: str, error: str | None = None, *, magic: int = 2, differs: str = ""
) -> LogCase:
    before = GOOD[magic](0)
    return LogCase(
        name=name,
        why=why,
        data=before + end,
        error=None if error is None else (error, len(before)),
        offsets=[0],
        damage=[(len(before), len(end), reason)],
        differs=differs,
    )


BEHIND = "Kafka takes any size beyond the end for an unfinished write and stops there without a word"
NOT_WALKED = "Kafka's iterator throws there and ends; whole entries behind are found by us alone"


def _frames() -> list[LogCase]:
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
            "corrupt",
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
            "two-damages",
            "a sound entry between two bad ones is delivered",
            batch(0) + batch(5, wrong_crc=1) + batch(6) + batch(7, wrong_crc=1) + batch(9),
            (CHECKSUM, len(batch(0))),
            [0, 6, 9],
            [(len(batch(0)), len(batch(5)), "checksum"), (3 * len(batch(0)), len(batch(7)), "checksum")],
        ),
        middle(
            "embedded-entry",
            "a value that is itself a batch: the declared end is tried before the bytes inside",
            batch(5, record(value=batch(77)), wrong_crc=1),
            CHECKSUM,
        ),
    ]


def _checksums_and_formats() -> list[LogCase]:
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


def _wrappers() -> list[LogCase]:
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
            "the wrapper's CRC covers inner messages; their own are not looked at",
            message(5, pieces.gzip(message(5, magic=1, wrong_crc=1)), magic=1, codec=GZIP),
            None,
            magic=1,
            delivered=[5],
        ),
    ]


def _records() -> list[LogCase]:
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


def _codecs() -> list[LogCase]:
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


def _small() -> list[SmallCase]:
    index = struct.pack(">iiii", 1, 0, 5, 4096)
    times = struct.pack(">qiqi", 1000, 1, 2000, 5)
    aborted = struct.pack(">hqqqq", 0, 4000, 1, 5, 6)
    snapshot = pieces.snapshot()
    meta = b"#\n#Thu Jan 01 00:00:00 UTC 2026\ncluster.id=abc\nversion=1\nnode.id=1\n"
    v1 = b"version=1\nnode.id=1\n"
    quorum = b'{"leaderId":1,"leaderEpoch":2,"votedId":-1,"votedDirectoryId":"AAAAAAAAAAAAAAAAAAAAAA","data_version":1}'
    return [
        SmallCase(
            "odd-size.index",
            "offset_index",
            "a copy cut inside an entry: Kafka complains, and reads what is whole",
            index + b"\0\0\0",
            entries=2,
            sanity=(CORRUPT, 16),
        ),
        SmallCase(
            "goes-below-base.index",
            "offset_index",
            "the last entry lies below the base offset",
            index + struct.pack(">ii", -1, 9),
            entries=3,
            sanity=(CORRUPT, 16),
        ),
        SmallCase("padded.index", "offset_index", "preallocated zeros are no entries", index + bytes(80), entries=2),
        SmallCase(
            "odd-size.timeindex",
            "time_index",
            "a copy cut inside an entry",
            times + bytes(5),
            entries=2,
            sanity=(CORRUPT, 24),
        ),
        SmallCase(
            "goes-back.timeindex",
            "time_index",
            "the last timestamp lies below the first",
            times + struct.pack(">qi", 500, 9),
            entries=3,
            sanity=(CORRUPT, 24),
        ),
        SmallCase(
            "cut.txnindex", "transaction_index", "a last entry cut short is ignored", aborted + aborted[:20], entries=1
        ),
        SmallCase(
            "version-1.txnindex",
            "transaction_index",
            "a newer version in the second entry",
            aborted + b"\0\1" + aborted[2:],
            (UNSUPPORTED, 34),
        ),
        SmallCase("crc.snapshot", "producer_snapshot", "a wrong CRC-32C", pieces.snapshot(wrong_crc=1), (CHECKSUM, 2)),
        SmallCase(
            "version-2.snapshot", "producer_snapshot", "a newer version", pieces.snapshot(version=2), (UNSUPPORTED, 0)
        ),
        SmallCase(
            "cut.snapshot",
            "producer_snapshot",
            "a snapshot cut inside an entry",
            snapshot[:-1],
            (TRUNCATED, len(snapshot) - 1),
        ),
        SmallCase(
            "cut-in-header.snapshot",
            "producer_snapshot",
            "a snapshot cut inside its header",
            snapshot[:5],
            (TRUNCATED, 5),
        ),
        SmallCase("empty.snapshot", "producer_snapshot", "a snapshot that was never written", b"", (TRUNCATED, 0)),
        SmallCase(
            "count-too-big.snapshot",
            "producer_snapshot",
            "more producers than bytes, under the right CRC",
            pieces.snapshot(count=2**31 - 1),
            (TRUNCATED, len(snapshot)),
        ),
        SmallCase(
            "count-negative.snapshot",
            "producer_snapshot",
            "a negative count, under the right CRC",
            pieces.snapshot(count=-1),
            (CORRUPT, 6),
        ),
        SmallCase(
            "version-1.leader-epoch-checkpoint",
            "leader_epoch_checkpoint",
            "a newer version",
            b"1\n1\n0 0\n",
            (UNSUPPORTED, 0),
        ),
        SmallCase(
            "too-few.leader-epoch-checkpoint",
            "leader_epoch_checkpoint",
            "fewer lines than declared",
            b"0\n2\n0 0\n",
            (TRUNCATED, 8),
        ),
        SmallCase(
            "too-many.leader-epoch-checkpoint",
            "leader_epoch_checkpoint",
            "more lines than declared",
            b"0\n1\n0 0\n1 5\n",
            (CORRUPT, 8),
        ),
        SmallCase(
            "three-fields.leader-epoch-checkpoint",
            "leader_epoch_checkpoint",
            "a line of three fields",
            b"0\n1\n0 0 0\n",
            (CORRUPT, 4),
        ),
        SmallCase(
            "no-number.leader-epoch-checkpoint",
            "leader_epoch_checkpoint",
            "an epoch that is no number",
            b"0\n1\nx 0\n",
            (CORRUPT, 4),
        ),
        SmallCase("empty.leader-epoch-checkpoint", "leader_epoch_checkpoint", "0 bytes are normal", b"", entries=0),
        SmallCase(
            "zeros.replication-offset-checkpoint",
            "offset_checkpoint",
            "a file of zeros, after a power failure",
            bytes(20),
            (CORRUPT, 0),
        ),
        SmallCase(
            "count-huge.replication-offset-checkpoint",
            "offset_checkpoint",
            "a count far beyond the file",
            b"0\n2147483647\na 0 1\n",
            (TRUNCATED, 19),
        ),
        SmallCase(
            "count-negative.replication-offset-checkpoint",
            "offset_checkpoint",
            "a negative count",
            b"0\n-1\n",
            (CORRUPT, 2),
        ),
        SmallCase(
            "overflow.replication-offset-checkpoint",
            "offset_checkpoint",
            "an offset of more than 64 bits",
            b"0\n1\na 0 9223372036854775808\n",
            (CORRUPT, 4),
        ),
        SmallCase(
            "not-utf8.replication-offset-checkpoint",
            "offset_checkpoint",
            "bytes that are no text",
            b"0\n1\n\xff 0 1\n",
            (CORRUPT, 4),
        ),
        SmallCase("ok.meta.properties", "meta_properties", "what the others are made from", meta, entries=3),
        SmallCase("version-3.meta.properties", "meta_properties", "a newer version", b"version=3\n", (UNSUPPORTED, 0)),
        SmallCase(
            "no-cluster-id.meta.properties", "meta_properties", "version 1 demands a cluster.id", v1, (CORRUPT, len(v1))
        ),
        SmallCase(
            "bad-node-id.meta.properties",
            "meta_properties",
            "a node.id that is no number",
            b"cluster.id=a\nversion=1\nnode.id=x\n",
            (CORRUPT, 23),
        ),
        SmallCase(
            "bad-escape.meta.properties",
            "meta_properties",
            "a malformed escape",
            b"version=1\ncluster.id=\\u00g0\n",
            (CORRUPT, 10),
        ),
        SmallCase(
            "no-topic-id.partition.metadata",
            "partition_metadata",
            "a file cut after its version",
            b"version: 0\n",
            (TRUNCATED, 11),
        ),
        SmallCase(
            "zero-topic-id.partition.metadata",
            "partition_metadata",
            "the topic id that stands for none",
            b"version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAAAAA",
            (CORRUPT, 21),
        ),
        SmallCase(
            "bad-topic-id.partition.metadata",
            "partition_metadata",
            "a topic id cut short",
            b"version: 0\ntopic_id: AAAA",
            (CORRUPT, 21),
        ),
        SmallCase(
            "no-colon.partition.metadata",
            "partition_metadata",
            "a line without its separator",
            b"version 0\n",
            (CORRUPT, 0),
        ),
        SmallCase(
            "negative.partition.metadata",
            "partition_metadata",
            "a negative version",
            b"version: -1\ntopic_id: abc",
            (UNSUPPORTED, 9),
        ),
        SmallCase("cut.quorum-state", "quorum_state", "JSON cut short", quorum[:-1], (CORRUPT, len(quorum) - 1)),
        SmallCase("array.quorum-state", "quorum_state", "JSON, but no object", b"[]", (CORRUPT, 0)),
        SmallCase(
            "version-2.quorum-state", "quorum_state", "a newer version", quorum[:-2] + b"2}", (UNSUPPORTED, None)
        ),
        SmallCase(
            "no-leader.quorum-state",
            "quorum_state",
            "a field is missing",
            quorum.replace(b"leaderId", b"leaderIt"),
            (CORRUPT, None),
        ),
        SmallCase(
            "text-for-number.quorum-state",
            "quorum_state",
            "a text for a number",
            quorum.replace(b"-1", b'"-1"'),
            (CORRUPT, None),
        ),
        SmallCase("brackets.quorum-state", "quorum_state", "brackets without end", b"[" * 5000, (CORRUPT, 0)),
        SmallCase("not-json.kafka_cleanshutdown", "clean_shutdown", "bytes that are no JSON", b"\0\0\0", (CORRUPT, 0)),
        SmallCase(
            "too-large.kafka_cleanshutdown",
            "clean_shutdown",
            "an epoch of more than 64 bits",
            b'{"version":0,"brokerEpoch":9223372036854775808}',
            (CORRUPT, None),
        ),
    ]


LOGS = [*_frames(), *_checksums_and_formats(), *_wrappers(), *_records(), *_codecs()]
SMALL = _small()
