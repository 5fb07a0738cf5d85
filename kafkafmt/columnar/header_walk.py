"""The walk over headers of record batches (format v2) by a kernel, if kernels are loaded: the same as in `headers`.

For thousands of small batches in a stretch Python's steps from one to the next take as long as all the rest.
"""

import numpy as np

from kafkafmt.columnar.access import UInt8s, byte_at, int16_at, int32_at, int64_at, uint16_at, uint32_at
from kafkafmt.columnar.compiling import kernel
from kafkafmt.columnar.headers import COMPRESSION, HEADER, KNOWN_BITS, LAST_CODEC, Headers, Positions
from kafkafmt.limits import Limits
from kafkafmt.reference.header import INT64_MAX
from kafkafmt.reference.layout import CURRENT_MAGIC, LOG_OVERHEAD, MAGIC_OFFSET, RECORD_BATCH_OVERHEAD
from kafkafmt.reference.record_batch import SMALLEST_RECORD

_SMALLEST_SIZE = RECORD_BATCH_OVERHEAD - LOG_OVERHEAD
# Batches are a few kilobytes or more; where they are smaller, arrays are taken twice as large each time.
_USUAL_SIZE = 4096
_FEWEST = 64


def walk_headers(data: memoryview, begin: int, end: int, limits: Limits) -> tuple[Positions, Headers]:
    """Find the batches in order that stand side by side; returns where each begins, and its header.

    Args:
        data: bytes of a file.
        begin: where the first one begins in `data`.
        end: no batch is taken that ends beyond.
        limits: `max_batch_bytes` and `max_records_per_batch` count.
    """
    source = np.frombuffer(data.toreadonly(), np.uint8)[:end]
    room = max(_FEWEST, (end - begin) // _USUAL_SIZE)
    parts = []
    count = room
    while count == room:
        room *= 2
        starts, headers = np.empty(room, np.int64), np.empty(room, HEADER)
        count = find_batches(source, begin, limits.max_batch_bytes, limits.max_records_per_batch, starts, headers)
        parts.append((starts[:count], headers[:count]))
        if count:
            begin = int(starts[count - 1]) + LOG_OVERHEAD + int(headers[count - 1]["size"])
    if len(parts) == 1:
        return parts[0]
    return np.concatenate([starts for starts, _ in parts]), np.concatenate([headers for _, headers in parts])


@kernel
def find_batches(
    source: UInt8s, begin: int, max_size: int, max_records: int, starts: Positions, headers: Headers
) -> int:
    """Read the headers of batches in order, up to what is anything else, or as many as there is room for.

    Args:
        source: bytes of a file; no batch is taken that ends beyond.
        begin: where in `source` the first one begins.
        max_size: most bytes of a batch.
        max_records: most records of a batch.
        starts: where each begins; is written.
        headers: the header of each; is written.

    Returns:
        How many there are.
    """
    start = begin
    for number in range(starts.size):
        if source.size - start < RECORD_BATCH_OVERHEAD or byte_at(source, start + MAGIC_OFFSET) != CURRENT_MAGIC:
            return number
        size = int32_at(source, start + 8)
        if size < _SMALLEST_SIZE or size > max_size - LOG_OVERHEAD or size > source.size - start - LOG_OVERHEAD:
            return number
        header = headers[number]
        base_offset = int64_at(source, start)
        attributes = uint16_at(source, start + 21)
        delta = int32_at(source, start + 23)
        count = int32_at(source, start + 57)
        codec = attributes & COMPRESSION
        if attributes > KNOWN_BITS or codec > LAST_CODEC or delta < 0 or base_offset < 0:
            return number
        if base_offset > INT64_MAX - delta or count < 0 or count > max_records:
            return number
        if codec == 0 and count > (size - _SMALLEST_SIZE) // SMALLEST_RECORD:
            return number
        header.base_offset = base_offset
        header.size = size
        header.partition_leader_epoch = int32_at(source, start + 12)
        header.magic = CURRENT_MAGIC
        header.crc = uint32_at(source, start + 17)
        header.attributes = attributes
        header.last_offset_delta = delta
        header.base_timestamp = int64_at(source, start + 27)
        header.max_timestamp = int64_at(source, start + 35)
        header.producer_id = int64_at(source, start + 43)
        header.producer_epoch = int16_at(source, start + 51)
        header.base_sequence = int32_at(source, start + 53)
        header.num_records = count
        starts[number] = start
        start += LOG_OVERHEAD + size
    return starts.size
