"""What the headers of many batches say, as the `BatchHeader` objects that the reference engine makes of each."""

from collections.abc import Iterator

from kafkafmt.codec.compression import LABELS
from kafkafmt.columnar.headers import COMPRESSION, CONTROL, DELETE_HORIZON, LOG_APPEND_TIME, TRANSACTIONAL, Batches
from kafkafmt.reference import header
from kafkafmt.reference.header import CREATE_TIME, INT32_MAX, BatchHeader, increment_sequence
from kafkafmt.reference.layout import LOG_OVERHEAD


def descriptions(batches: Batches, file: str | None, *, is_valid: bool | None = None) -> Iterator[BatchHeader]:
    """Describe batches by their headers alone.

    Args:
        batches: the batches, in order.
        file: name of their file.
        is_valid: what is known of their CRCs: True if they are right, None if nobody looked.
    """
    position = batches.position
    for start, fields in zip(batches.starts.tolist(), batches.headers.tolist(), strict=True):
        (
            base_offset,
            size,
            partition_leader_epoch,
            magic,
            crc,
            attributes,
            last_offset_delta,
            base_timestamp,
            max_timestamp,
            producer_id,
            producer_epoch,
            base_sequence,
            num_records,
        ) = fields
        if base_sequence == -1:
            last_sequence = -1
        elif 0 <= base_sequence <= INT32_MAX - last_offset_delta:
            last_sequence = base_sequence + last_offset_delta
        else:
            last_sequence = increment_sequence(base_sequence, last_offset_delta)
        yield BatchHeader(
            file,
            position + start,
            LOG_OVERHEAD + size,
            base_offset,
            magic,
            base_offset + last_offset_delta,
            crc,
            is_valid,
            LABELS[attributes & COMPRESSION],
            header.LOG_APPEND_TIME if attributes & LOG_APPEND_TIME else CREATE_TIME,
            max_timestamp,
            base_timestamp,
            partition_leader_epoch,
            producer_id,
            producer_epoch,
            base_sequence,
            last_sequence,
            attributes & TRANSACTIONAL != 0,
            attributes & CONTROL != 0,
            base_timestamp if attributes & DELETE_HORIZON else None,
            num_records,
        )
