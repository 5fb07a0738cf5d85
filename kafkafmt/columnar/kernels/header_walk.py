"""The walk over headers of record batches (format v2) as a kernel; the same as in `columnar.headers`."""

from kafkafmt.columnar.headers import KNOWN_BITS, LAST_CODEC, Headers, Positions, UInt8s
from kafkafmt.columnar.kernels.access import byte_at, int16_at, int32_at, int64_at, uint16_at, uint32_at
from kafkafmt.columnar.kernels.compiling import kernel
from kafkafmt.reference.header import INT64_MAX
from kafkafmt.reference.layout import COMPRESSION, CURRENT_MAGIC, LOG_OVERHEAD, MAGIC_OFFSET, RECORD_BATCH_OVERHEAD
from kafkafmt.reference.record_batch import SMALLEST_RECORD

_SMALLEST_SIZE = RECORD_BATCH_OVERHEAD - LOG_OVERHEAD


@kernel
def find_batches(
    source: UInt8s, begin: int, max_size: int, max_records: int, starts: Positions, headers: Headers
) -> int:
    """Read the headers of adjacent batches, up to the first other bytes, or until the arrays are full.

    Args:
        source: bytes of a file; batches that end after them are not taken.
        begin: position of the first batch in `source`.
        max_size: maximal size of a batch in bytes.
        max_records: maximal number of records in a batch.
        starts: start of each batch; is written.
        headers: header of each batch; is written.

    Returns:
        Number of batches.
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
