"""Rows of any Arrow stream as columns of records: types, times, and defaults."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from kafkafmt.phrases import counted
from kafkafmt.writing.row_encoder import HEADERS, RowProducers

NAMES = ("value", "key", "headers", "timestamp", "topic", "partition", "offset")
"""Columns of a stream that belong to records; others are left out."""

_IS_CONTROL = "isControl"
PRODUCER_NAMES = ("producerId", "producerEpoch", "sequence", "isTransactional", _IS_CONTROL)
"""Columns that tell which producer wrote a record."""

_NO_TIMESTAMP = -1
Int64s = npt.NDArray[np.int64]


class Records(NamedTuple):
    """Rows of a stream.

    Attributes:
        keys: binary array.
        values: binary array.
        headers: array of type `HEADERS`.
        timestamps: ms since the epoch; shape (n,).
        topics: string array without nulls, or None if the column is missing.
        partitions: int32 array, with null where the partition is to be chosen; None if the column is missing.
        offsets: shape (n,), or None if the column is missing.
        producers: producer fields; None unless they are kept.
    """

    keys: pa.Array
    values: pa.Array
    headers: pa.Array
    timestamps: Int64s
    topics: pa.Array | None
    partitions: pa.Array | None
    offsets: Int64s | None
    producers: RowProducers | None


def records_of(batch: pa.RecordBatch, message_format: int, *, keeps_producers: bool) -> Records:
    """Take the columns of a batch of rows.

    Args:
        batch: rows, with at least a column `value`.
        message_format: 0 has no timestamps, so nulls become -1.
        keeps_producers: whether the columns of producers are used.

    Raises:
        ValueError: a column is missing, of another type, or has nulls where there must be a value; or there are control
            records without their producers.
    """
    names = set(batch.schema.names)
    if "value" not in names:
        raise ValueError(f"the rows have no column 'value', only {', '.join(map(repr, batch.schema.names))}")

    def column(name: str) -> pa.Array | None:
        if batch.schema.names.count(name) > 1:
            raise ValueError(f"the rows have the column {name!r} {batch.schema.names.count(name)} times")
        return batch.column(name) if name in names else None

    count = batch.num_rows
    producers = None
    if keeps_producers:
        kinds = (pa.int64(), pa.int64(), pa.int64(), pa.bool_(), pa.bool_())
        producers = RowProducers._make(
            _cast(name, _required(name, column(name)), kind).to_numpy(zero_copy_only=False)
            for name, kind in zip(PRODUCER_NAMES, kinds, strict=True)
        )
    elif _IS_CONTROL in names and pc.any(batch.column(_IS_CONTROL)).as_py():
        raise ValueError("the rows have control records: write a scan with control_records=True, or a table of one")
    offsets = column("offset")
    topics = column("topic")
    return Records(
        _binary("key", column("key"), count),
        _binary("value", column("value"), count),
        _headers(column("headers"), count, message_format),
        _timestamps(column("timestamp"), count, message_format),
        None if topics is None else _cast("topic", _required("topic", topics), pa.string()),
        _integers("partition", column("partition"), pa.int32()),
        None if offsets is None else _cast("offset", _required("offset", offsets), pa.int64()).to_numpy(),
        producers,
    )


def _required(name: str, array: pa.Array | None) -> pa.Array:
    if array is None:
        raise ValueError(f"the rows have no column {name!r}")
    if array.null_count:
        raise ValueError(f"column {name!r} has {counted(array.null_count, 'null')}")
    return array


def _cast(name: str, array: pa.Array, kind: pa.DataType) -> pa.Array:
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    try:
        return array.cast(kind)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise ValueError(f"column {name!r} cannot be {kind}: {error}") from error


def _integers(name: str, array: pa.Array | None, kind: pa.DataType) -> pa.Array | None:
    if array is None or pa.types.is_null(array.type):
        return None
    if not pa.types.is_integer(array.type):
        raise ValueError(f"column {name!r} must be of integers, not {array.type}")
    return _cast(name, array, kind)


def _binary(name: str, array: pa.Array | None, count: int) -> pa.Array:
    if array is None:
        return pa.nulls(count, pa.binary())
    kind = array.type.value_type if pa.types.is_dictionary(array.type) else array.type
    is_bytes = (
        pa.types.is_binary(kind)
        or pa.types.is_large_binary(kind)
        or pa.types.is_fixed_size_binary(kind)
        or pa.types.is_binary_view(kind)
    )
    is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    if not (is_bytes or is_text or pa.types.is_null(kind)):
        raise ValueError(f"column {name!r} must be of bytes or text, not {kind}: convert it first")
    return _cast(name, array, pa.binary())


def _headers(array: pa.Array | None, count: int, message_format: int) -> pa.Array:
    if array is None or array.null_count == count:
        return pa.nulls(count, HEADERS)
    kind = array.type
    if pa.types.is_map(kind):
        array = pa.ListArray.from_arrays(
            array.offsets, pa.StructArray.from_arrays([array.keys, array.items], ["key", "value"]), mask=array.is_null()
        )
    elif not (pa.types.is_list(kind) or pa.types.is_large_list(kind)) or {field.name for field in kind.value_type} != {
        "key",
        "value",
    }:
        raise ValueError(f"column 'headers' must be a list of structs of key and value, or a map, not {kind}")
    array = _cast("headers", array, HEADERS)
    if message_format < 2 and pc.sum(pc.list_value_length(array)).as_py():
        raise ValueError(f"message format {message_format} has no record headers")
    if array.values.field(0).null_count:
        raise ValueError("column 'headers' has a header without a key")
    return array


def _timestamps(array: pa.Array | None, count: int, message_format: int) -> Int64s:
    if array is None and count and message_format:
        raise ValueError(f"the rows have no column 'timestamp', which message format {message_format} needs")
    if array is None or pa.types.is_null(array.type):
        array = pa.nulls(count, pa.int64())
    elif pa.types.is_timestamp(array.type):
        # Finer units are cut to ms, as Kafka has them.
        kind = pa.timestamp("ms", array.type.tz)
        array = _cast("timestamp", array, kind) if array.type.unit == "s" else array.cast(kind, safe=False)
        array = array.cast(pa.int64())
    elif not pa.types.is_integer(array.type):
        raise ValueError(f"column 'timestamp' must be a timestamp or of integers (ms), not {array.type}")
    if array.null_count:
        if message_format:
            raise ValueError(
                f"column 'timestamp' has {counted(array.null_count, 'null')}: message format {message_format} needs it"
            )
        array = array.fill_null(_NO_TIMESTAMP)
    timestamps: Int64s = _cast("timestamp", array, pa.int64()).to_numpy()
    if count and int(timestamps.min()) < _NO_TIMESTAMP:
        raise ValueError(
            f"column 'timestamp' has {int(timestamps.min())}: Kafka takes 0 or more (ms since 1970), or -1 for none"
        )
    return timestamps
