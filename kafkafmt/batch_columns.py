"""Batch headers as columns: the fields of `BatchHeader` in Kafka's camelCase."""

from collections.abc import Iterable, Sequence

import pyarrow as pa

from kafkafmt.arrays import array, as_text
from kafkafmt.reference.header import BatchHeader

_TIME = pa.timestamp("ms", tz="UTC")

BATCH_SCHEMA = pa.schema(
    [
        pa.field("file", pa.string()),
        pa.field("position", pa.int64(), nullable=False),
        pa.field("sizeInBytes", pa.int64(), nullable=False),
        pa.field("baseOffset", pa.int64()),
        pa.field("magic", pa.int8(), nullable=False),
        pa.field("lastOffset", pa.int64()),
        pa.field("crc", pa.int64()),
        pa.field("isValid", pa.bool_()),
        pa.field("compression", pa.string()),
        pa.field("timestampType", pa.string()),
        pa.field("maxTimestamp", _TIME),
        pa.field("baseTimestamp", _TIME),
        pa.field("partitionLeaderEpoch", pa.int32(), nullable=False),
        pa.field("producerId", pa.int64(), nullable=False),
        pa.field("producerEpoch", pa.int16(), nullable=False),
        pa.field("baseSequence", pa.int32(), nullable=False),
        pa.field("lastSequence", pa.int32(), nullable=False),
        pa.field("isTransactional", pa.bool_(), nullable=False),
        pa.field("isControlBatch", pa.bool_(), nullable=False),
        pa.field("deleteHorizonMs", pa.int64()),
        pa.field("count", pa.int32()),
    ]
)
"""Columns of batch headers, in the order of `BatchHeader`'s fields."""

_ATTRIBUTES = [
    "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name) for name in BATCH_SCHEMA.names
]


def to_table(headers: Iterable[BatchHeader]) -> pa.Table:
    """Build a table of headers; None in `BatchHeader` becomes null."""
    return pa.Table.from_batches([to_record_batch(list(headers))])


def to_record_batch(headers: Sequence[BatchHeader]) -> pa.RecordBatch:
    """Build a record batch of headers; None in `BatchHeader` becomes null."""
    files = {header.file: as_text(header.file) for header in headers}
    columns = [array([files[header.file] for header in headers], pa.string())]
    columns += [
        array([getattr(header, attribute) for header in headers], column.type)
        for attribute, column in zip(_ATTRIBUTES[1:], list(BATCH_SCHEMA)[1:], strict=True)
    ]
    return pa.RecordBatch.from_arrays(columns, schema=BATCH_SCHEMA)
