"""The measured Python programs, each in a process of its own: `python -m benchmark.readers PROGRAM`.

Each line of standard input is "read PATH"; each line of standard output is the number of records in that file, or "! "
and why it could not be read, as in java/SegmentReader.java. All programs check every CRC and touch every record; each
library is imported by its own reader only, so that no program pays for another.
"""

import mmap
import os
import sys
from collections.abc import Callable, Iterator

Reader = Callable[[str], int]

_FETCH_BYTES = 1 << 22
_SCRATCH_BYTES = 1 << 24

# formats/kafka_log_segment.ksy and formats/kafka_record_batch.ksy
_OVERHEAD, _CRC_AT, _ATTRIBUTES_AT, _COUNT_AT, _RECORDS_AT = 12, 17, 21, 57, 61
_CODEC_BITS = 7
_GZIP = 31
"""Window bits with which zlib reads a gzip frame."""
_SNAPPY_MAGIC, _SNAPPY_HEADER = b"\x82SNAPPY\0", 16


def main(arguments: list[str]) -> None:
    """Answer each line of standard input until it ends."""
    # The output of a library must not be mistaken for an answer.
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as answers:
        os.dup2(2, 1)
        read = reader(arguments[0])
        for line in sys.stdin:
            answers.write(answer(read, line.rstrip("\n").partition(" ")[2]) + "\n")
            answers.flush()


def answer(read: Reader, path: str) -> str:
    """Read a file; returns the line for standard output: the number of records, or the error."""
    try:
        return str(read(path))
    except Exception as error:  # noqa: BLE001 - any error of a library is a result
        name, text = type(error).__name__, " ".join(str(error).split())
        return f"! {text}" if text.startswith(name) else f"! {name}: {text}"


def reader(program: str) -> Reader:
    """Make the reader of one of `programs.PROGRAMS`."""
    if program == "floor":
        return floor()
    if program in {"aiokafka", "kafka-python"}:
        return _consumer(program)
    import kafkafmt

    if program == "count":
        return lambda path: kafkafmt.scan(path).count()
    if program == "batches":
        return lambda path: sum(batch.count or 0 for batch in kafkafmt.Segment(path).batches())
    threads = 2 if program == "kafkafmt-2" else 1
    columns = ("offset", "key", "value") if program == "kafkafmt-key-value-offset" else None

    def read(path: str) -> int:
        scan = kafkafmt.scan(path, engine="columnar", threads=threads, columns=columns)
        return sum(batch.num_rows for batch in scan.to_reader())

    return read


def _consumer(library: str) -> Reader:
    # Both libraries have the same interface here.
    if library == "aiokafka":
        from aiokafka.record import MemoryRecords
    else:
        from kafka.record import MemoryRecords

    def read(path: str) -> int:
        records = 0
        for data in _fetches(path):
            fetched = MemoryRecords(data)
            while fetched.has_next():
                batch = fetched.next_batch()
                if not batch.validate_crc():
                    raise ValueError("wrong CRC")
                for record in batch:
                    record.offset, record.timestamp, record.key, record.value, record.headers  # noqa: B018
                    records += 1
        return records

    return read


def _fetches(path: str) -> Iterator[bytes]:
    """Cut a segment into what a consumer would fetch: whole batches, a few MB at a time."""
    with open(path, "rb", buffering=0) as file:
        rest = b""
        while data := file.read(_FETCH_BYTES):
            data = rest + data if rest else data
            end = whole_batches(data)
            if end:
                yield data[:end]
            rest = data[end:]


def whole_batches(data: bytes) -> int:
    """End of the last whole batch in data that begins with a batch."""
    end = 0
    while end + _OVERHEAD <= len(data):
        following = end + _OVERHEAD + int.from_bytes(data[end + 8 : end + _OVERHEAD], "big")
        if following > len(data):
            break
        end = following
    return end


def floor() -> Reader:
    """The least work of any reader: check a batch's CRC, decompress it, and copy it once. Format 2 only.

    It uses the fastest decompressors on PyPI, each in its fastest mode.
    """
    import cramjam
    import lz4.frame
    import zstandard
    from crc32c import crc32c
    from isal import isal_zlib

    scratch = memoryview(bytearray(_SCRATCH_BYTES))
    lz4_context, zstd = lz4.frame.create_decompression_context(), zstandard.ZstdDecompressor()

    def copy(data: bytes | memoryview) -> None:
        scratch[: len(data)] = data

    def snappy(payload: memoryview) -> None:
        # Kafka's clients frame snappy as snappy-java does: blocks, each preceded by its size.
        if payload[: len(_SNAPPY_MAGIC)] != _SNAPPY_MAGIC:
            cramjam.snappy.decompress_raw_into(payload, scratch)
            return
        size, at = 0, _SNAPPY_HEADER
        while at < len(payload):
            end = at + 4 + int.from_bytes(payload[at : at + 4], "big")
            size += cramjam.snappy.decompress_raw_into(payload[at + 4 : end], scratch[size:])
            at = end

    decompress: dict[int, Callable[[memoryview], None]] = {
        0: copy,
        1: lambda payload: copy(isal_zlib.decompress(payload, _GZIP)),
        2: snappy,
        3: lambda payload: copy(lz4.frame.decompress_chunk(lz4_context, payload)[0]),
        4: lambda payload: copy(zstd.decompressobj().decompress(payload)),
    }

    def read(path: str) -> int:
        integer = int.from_bytes
        records = at = 0
        with (
            open(path, "rb") as file,
            mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapping,
            memoryview(mapping) as data,
        ):
            while at + _RECORDS_AT <= len(data):
                end = at + _OVERHEAD + integer(data[at + 8 : at + _OVERHEAD], "big")
                if end > len(data):
                    break
                if crc32c(data[at + _ATTRIBUTES_AT : end]) != integer(data[at + _CRC_AT : at + _ATTRIBUTES_AT], "big"):
                    raise ValueError(f"wrong CRC at position {at}")
                decompress[data[at + _ATTRIBUTES_AT + 1] & _CODEC_BITS](data[at + _RECORDS_AT : end])
                records += integer(data[at + _COUNT_AT : at + _RECORDS_AT], "big")
                at = end
        return records

    return read


if __name__ == "__main__":
    main(sys.argv[1:])
