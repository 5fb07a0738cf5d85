"""Record sizes: measures records in a walk over batches of format v2, and distributes stored bytes among them.

A batch is measured only if all its records are sound according to the kernels of `records`.
"""

from typing import Any

from kafkafmt.codec.compression.buffer import SLACK
from kafkafmt.columnar.figures import (
    BATCHES,
    MAX_OFFSET,
    MAX_TIMESTAMP,
    MIN_OFFSET,
    MIN_TIMESTAMP,
    RECORD_BYTES,
    RECORDS,
    STORED_BYTES,
    Int64s,
)
from kafkafmt.columnar.headers import Headers, UInt8s
from kafkafmt.columnar.kernels.access import length, varint, varlong
from kafkafmt.columnar.kernels.compiling import kernel, part
from kafkafmt.columnar.kernels.needles import is_kept
from kafkafmt.columnar.row_filter import Kept
from kafkafmt.reference.header import INT64_MAX, INT64_MIN
from kafkafmt.reference.layout import LOG_APPEND_TIME
from kafkafmt.reference.parsers import SMALLEST_HEADER
from kafkafmt.reference.record_batch import SMALLEST_RECORD


@kernel
def weigh(
    source: UInt8s,
    starts: Int64s,
    ends: Int64s,
    headers: Headers,
    kept: Kept,
    max_headers: int,
    stored: Int64s,
    figures: Int64s,
) -> int:
    """Measure the wanted records of each batch.

    Args:
        source: bytes of the records of all batches, decompressed.
        starts: start of each batch's records in `source`.
        ends: end of each batch's records; `SLACK` bytes of any content must follow.
        headers: headers of these batches.
        kept: selects the records that count.
        max_headers: maximal number of headers of a record.
        stored: size of each batch in its file, in bytes.
        figures: a row per batch, in the order of `NO_FIGURES`; is written. A batch counts if one of its records does.

    Returns:
        Number of sound batches before the first unsound one.
    """
    for index in range(starts.size):
        header = headers[index]
        at, end = starts[index], ends[index]
        count: int = header.num_records
        if at < 0 or at > end or end + SLACK > source.size or count < 0 or count > (end - at) // SMALLEST_RECORD:
            return index
        base_offset: int = header.base_offset
        base_timestamp, delta_mask = timestamp_base(header)
        total, carried = end - at, 0
        records, record_bytes, share = 0, 0, 0
        lowest, highest, earliest, latest = INT64_MAX, INT64_MIN, INT64_MAX, INT64_MIN
        for _ in range(count):
            begin = at
            at, timestamp_delta, offset_delta, key_at, key_size, _headers_at, num_headers = record_fields(
                source, begin, end, max_headers
            )
            if at < 0 or num_headers < 0:
                return index
            offset = base_offset + offset_delta
            timestamp = base_timestamp + (timestamp_delta & delta_mask)
            size = at - begin
            part_of_batch, carried = share_of(stored[index], size, total, carried)
            if not kept.all and not is_kept(source, kept, offset, timestamp, key_at, key_size, at):
                continue
            records += 1
            record_bytes += size
            share += part_of_batch
            lowest, highest = min(lowest, offset), max(highest, offset)
            earliest, latest = min(earliest, timestamp), max(latest, timestamp)
        if at != end:
            return index
        figures[index, RECORDS] = records
        figures[index, BATCHES] = 1 if records else 0
        figures[index, RECORD_BYTES] = record_bytes
        figures[index, STORED_BYTES] = share
        figures[index, MIN_OFFSET] = lowest
        figures[index, MAX_OFFSET] = highest
        figures[index, MIN_TIMESTAMP] = earliest
        figures[index, MAX_TIMESTAMP] = latest
    return starts.size


@part
def timestamp_base(header: Any) -> tuple[int, int]:
    """The timestamp to which deltas are added, and the mask of the deltas: 0 with LogAppendTime, else all bits."""
    if header.attributes & LOG_APPEND_TIME != 0:
        return header.max_timestamp, 0
    return header.base_timestamp, -1


@part
def share_of(stored: int, size: int, total: int, carried: int) -> tuple[int, int]:
    """A record's share of the stored bytes of its batch; the shares of a batch add up to its size.

    Args:
        stored: size of the batch in its file, in bytes.
        size: size of the record, uncompressed, in bytes.
        total: sum of the sizes of all records in the batch.
        carried: rounding remainder of the previous record; 0 for the first.

    Returns:
        The share, and the rounding remainder for the next record.
    """
    product = stored * size + carried
    share = product // total
    return share, product - share * total


@part
def record_fields(source: UInt8s, at: int, end: int, max_headers: int) -> tuple[int, int, int, int, int, int, int]:
    """Find the fields of a record (`formats/kafka_record.ksy`).

    Returns:
        End of the record; deltas of timestamp and offset; position of the key, and its size, -1 for null; position of
        the headers, and their number. The end is -1 if the record is not sound.
    """
    size, at = length(source, at)
    if size < SMALLEST_RECORD - 1 or size > end - at:
        return -1, 0, 0, 0, 0, 0, 0
    record_end = at + size
    timestamp_delta, at = varlong(source, at + 1)
    offset_delta, at = varint(source, at)
    key_size, at = length(source, at)
    key_at = at
    if key_size >= 0:
        if key_size > record_end - at:
            return -1, 0, 0, 0, 0, 0, 0
        at += key_size
    value_size, at = length(source, at)
    if value_size >= 0:
        if value_size > record_end - at:
            return -1, 0, 0, 0, 0, 0, 0
        at += value_size
    num_headers, at = length(source, at)
    headers_at = at
    if num_headers != 0:
        if num_headers < 0 or num_headers > max_headers or num_headers > (record_end - at) // SMALLEST_HEADER:
            return -1, 0, 0, 0, 0, 0, 0
        for _ in range(num_headers):
            size, at = length(source, at)
            if size < 0 or size > record_end - at:
                return -1, 0, 0, 0, 0, 0, 0
            size, at = length(source, at + size)
            if size > record_end - at:
                return -1, 0, 0, 0, 0, 0, 0
            if size >= 0:
                at += size
    if at != record_end:
        return -1, 0, 0, 0, 0, 0, 0
    return record_end, timestamp_delta, offset_delta, key_at, key_size, headers_at, num_headers
