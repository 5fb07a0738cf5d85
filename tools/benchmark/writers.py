"""The measured Python programs that write, each in a process of its own: `python -m benchmark.writers PROGRAM`.

Each line of standard input is "write VALUE_BYTES RECORDS"; each line of standard output is the number of bytes in the
batches, or "! " and an error, as in java/BatchWriter.java. Records are made before the first answer with their sizes;
batches are of format 2, uncompressed, full at 16 KB, and dropped. `copy FROM TO` copies a file as a program
that only checks CRCs must: it reads, checks each batch, writes, and syncs the bytes to the disk.
"""

import os
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

from benchmark import segments
from benchmark.readers import answer

BATCH_BYTES = 16384
KEY_BYTES = 16
TIMESTAMP = 1_795_000_000_000

_PIECE_ROWS = 64 * 1024
_CRC_AT, _CHECKED_FROM = 17, 21

Batches = Iterator[bytes | bytearray | memoryview]
Writer = Callable[[int, int], Batches]


def main(arguments: list[str]) -> None:
    """Answer each line of standard input until it ends; or copy a file."""
    if arguments[0] == "copy":
        copy(Path(arguments[1]), Path(arguments[2]))
        return
    # The output of a library must not be mistaken for an answer.
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as answers:
        os.dup2(2, 1)
        write = writer(arguments[0])

        def size(question: str) -> int:
            value_bytes, records = map(int, question.split())
            return sum(map(len, write(value_bytes, records)))

        for line in sys.stdin:
            answers.write(answer(size, line.rstrip("\n").partition(" ")[2]) + "\n")
            answers.flush()


@cache
def rows(value_bytes: int, records: int) -> list[tuple[bytes, bytes]]:
    """Keys and values; all values are distinct texts."""
    filler = b"abcdefghijklmnopqrstuvwxyz0123456789 " * (value_bytes // 37 + 1)
    return [(b"key-%012d" % number, (b"%012d" % number + filler)[:value_bytes]) for number in range(records)]


def writer(program: str) -> Writer:
    """Make the writer of one of `writes.PROGRAMS`."""
    if program == "kafkafmt":
        return _kafkafmt()
    if program == "aiokafka":
        from aiokafka.record.default_records import DefaultRecordBatchBuilder
    else:
        from kafka.record.default_records import DefaultRecordBatchBuilder

    def builder() -> DefaultRecordBatchBuilder:
        return DefaultRecordBatchBuilder(
            magic=2,
            compression_type=0,
            is_transactional=0,
            producer_id=-1,
            producer_epoch=-1,
            base_sequence=-1,
            batch_size=BATCH_BYTES,
        )

    def write(value_bytes: int, records: int) -> Batches:
        batch, offset = builder(), 0
        for key, value in rows(value_bytes, records):
            if batch.append(offset, TIMESTAMP, key, value, []) is None:
                yield batch.build()
                batch, offset = builder(), 0
                batch.append(offset, TIMESTAMP, key, value, [])
            offset += 1
        yield batch.build()

    return write


def _kafkafmt() -> Writer:
    import numpy as np
    import pyarrow as pa

    from kafkafmt.writing.row_encoder import HEADERS, PartitionRows, RowEncoder

    @cache
    def arrays(value_bytes: int, records: int) -> PartitionRows:
        keys, values = zip(*rows(value_bytes, records), strict=True)
        return PartitionRows(
            np.arange(records, dtype=np.int64),
            np.full(records, TIMESTAMP, np.int64),
            pa.array(keys, pa.binary()),
            pa.array(values, pa.binary()),
            pa.nulls(records, HEADERS),
            None,
        )

    def write(value_bytes: int, records: int) -> Batches:
        made = arrays(value_bytes, records)
        encoder = RowEncoder(
            message_format=2,
            compression="none",
            compression_level=None,
            batch_bytes=BATCH_BYTES,
            timestamp_type="CreateTime",
            leader_epoch=0,
        )
        for begin in range(0, records, _PIECE_ROWS):
            yield from encoder.add(made.part(begin, min(begin + _PIECE_ROWS, records)))
        yield from encoder.finish()

    return write


def copy(source: Path, target: Path) -> None:
    """Copy a segment, and check its CRCs.

    Raises:
        ValueError: a CRC is wrong.
    """
    from crc32c import crc32c

    with target.open("xb") as out:
        for batch in segments.batches(source):
            if crc32c(memoryview(batch)[_CHECKED_FROM:]) != int.from_bytes(batch[_CRC_AT:_CHECKED_FROM], "big"):
                raise ValueError(f"a CRC of {source.name} is wrong")
            out.write(batch)
        out.flush()
        os.fsync(out.fileno())


if __name__ == "__main__":
    main(sys.argv[1:])
