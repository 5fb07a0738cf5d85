"""Rows of Arrow as records of format 2: where a producer would cut them into batches, and their bytes, by kernels.

The bytes are the same as those that `writing.BatchBuilder` makes row by row. One kernel measures and cuts, another
writes into an array of exactly the right size. Kernels do not compress: compression happens between two of them.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from kafkafmt.columnar.figures import Int64s
from kafkafmt.columnar.headers import STORED, Headers, UInt8s
from kafkafmt.columnar.kernels import close_batches, cut_rows, encode_rows, partition_keys
from kafkafmt.columnar.offset_map import Int32s
from kafkafmt.reference.layout import LOG_OVERHEAD, RECORD_BATCH_OVERHEAD


class Texts(NamedTuple):
    """A binary or string array: text `i` is `data[offsets[i]:offsets[i + 1]]`, or null where `is_null[i]` is 1."""

    offsets: Int32s
    data: UInt8s
    is_null: UInt8s


class Rows(NamedTuple):
    """Records of one partition, in order.

    Attributes:
        offsets: shape (n,), rising.
        timestamps: shape (n,), ms since the epoch, -1 for none.
        keys: n texts.
        values: n texts.
        header_begins: shape (n + 1,): row `i` has the headers `header_begins[i]` up to `header_begins[i + 1]`.
        header_keys: texts of all headers.
        header_values: values of all headers.
    """

    offsets: Int64s
    timestamps: Int64s
    keys: Texts
    values: Texts
    header_begins: Int32s
    header_keys: Texts
    header_values: Texts


def rows_of(
    offsets: Int64s, timestamps: Int64s, keys: pa.BinaryArray, values: pa.BinaryArray, headers: pa.ListArray
) -> Rows:
    """Take the buffers of Arrow arrays of types binary, binary, and list of structs of string and binary."""
    if headers.null_count == len(headers):
        none = Texts(*(_read_only(np.zeros(1, kind)) for kind in (np.int32, np.uint8, np.uint8)))
        begins = _read_only(np.zeros(len(offsets) + 1, np.int32))
        return Rows(_int64s(offsets), _int64s(timestamps), _texts(keys), _texts(values), begins, none, none)
    structs = headers.values
    begins = _numbers(headers.buffers()[1], np.int32)[headers.offset : headers.offset + len(headers) + 1]
    if headers.null_count:
        # A null list may still span elements.
        sizes = np.where(headers.is_null().to_numpy(zero_copy_only=False), 0, np.diff(begins))
        if int(sizes.sum()) != int(begins[-1] - begins[0]):
            headers = headers.fill_null([])
            return rows_of(offsets, timestamps, keys, values, headers)
    names, contents = (structs.field(number) for number in range(2))
    return Rows(
        _int64s(offsets),
        _int64s(timestamps),
        _texts(keys),
        _texts(values),
        begins,
        _texts(names),
        _texts(contents),
    )


def cut(
    rows: Rows, breaks: npt.NDArray[np.bool_], size_limit: int, header_size: int, ratio: float | None
) -> tuple[Int64s, Int64s]:
    """Measure records and find where batches begin, cut as a producer would (`MemoryRecordsBuilder.hasRoomFor`).

    Args:
        rows: the records.
        breaks: shape (n,): where a batch must begin.
        size_limit: upper bound of a batch's estimated size in bytes, except that one record always fits.
        header_size: size of a batch header in bytes.
        ratio: estimated compression ratio; None for no compression.

    Returns:
        The first row of each batch; and the size of each record, shape (n,).
    """
    count = len(rows.offsets)
    begins, sizes = np.empty(count, np.int64), np.empty(count, np.int64)
    scale = np.float32(1.0 if ratio is None else ratio)
    forced = _read_only(np.ascontiguousarray(breaks, np.uint8))
    found = cut_rows(rows, forced, size_limit, header_size, scale, ratio is not None, begins, sizes)
    return begins[:found], sizes


def encode(rows: Rows, begins: Int64s, sizes: Int64s, headers: Headers) -> UInt8s:
    """Write whole batches without compression.

    Args:
        rows: the records.
        begins: first row of each batch; earlier rows are left out.
        sizes: size of each record.
        headers: headers of type `STORED`, shape (batches,); sizes and CRCs are filled in.
    """
    lengths = np.add.reduceat(sizes, begins)
    headers["size"] = lengths + (RECORD_BATCH_OVERHEAD - LOG_OVERHEAD)
    target, starts = _room(lengths + RECORD_BATCH_OVERHEAD)
    encode_rows(rows, begins, sizes, starts, _bytes(headers), target)
    return target


def encode_records(rows: Rows, begins: Int64s, sizes: Int64s) -> tuple[UInt8s, Int64s]:
    """Write the records of batches, without headers.

    Args:
        rows: the records.
        begins: first row of each batch.
        sizes: size of each record.

    Returns:
        The bytes, and the start of each batch, followed by the end of the last: shape (batches + 1,).
    """
    target, starts = _room(np.add.reduceat(sizes, begins))
    encode_rows(rows, begins, sizes, starts, _bytes(np.empty(0, STORED)), target)
    return target, starts


def _room(lengths: Int64s) -> tuple[UInt8s, Int64s]:
    starts = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=starts[1:])
    return np.empty(int(starts[-1]), np.uint8), starts


def close(stored: Sequence[bytes], headers: Headers) -> UInt8s:
    """Put headers before the compressed records of batches.

    Args:
        stored: records of each batch, as stored.
        headers: as for `encode`.
    """
    lengths = np.fromiter(map(len, stored), np.int64, len(stored))
    headers["size"] = lengths + (RECORD_BATCH_OVERHEAD - LOG_OVERHEAD)
    gap = bytes(RECORD_BATCH_OVERHEAD)
    target = np.frombuffer(bytearray().join(part for each in stored for part in (gap, each)), np.uint8)
    starts = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths + RECORD_BATCH_OVERHEAD, out=starts[1:])
    close_batches(target, starts, _bytes(headers))
    return target


def _bytes(headers: Headers) -> UInt8s:
    return _read_only(headers.view(np.uint8))


def partitions_of_keys(keys: pa.BinaryArray, partitions: int) -> npt.NDArray[np.int32]:
    """Compute the partition of each key as `writing.partitioner.partition_for_key` does; 0 for a null."""
    found = np.empty(len(keys), np.int32)
    partition_keys(_texts(keys), partitions, found)
    return found


def _int64s(array: Int64s) -> Int64s:
    return _read_only(np.ascontiguousarray(array, np.int64))


def _texts(array: pa.Array) -> Texts:
    _, offsets, data = array.buffers()
    nulls = array.is_null().cast(pa.uint8()).to_numpy() if array.null_count else np.zeros(len(array), np.uint8)
    return Texts(
        _numbers(offsets, np.int32)[array.offset : array.offset + len(array) + 1],
        _numbers(data, np.uint8),
        _read_only(nulls),
    )


def _numbers(buffer: pa.Buffer | None, kind: type) -> npt.NDArray:  # type: ignore[type-arg]
    if buffer is None or not buffer.size:
        return _read_only(np.zeros(1, kind))
    return _read_only(np.frombuffer(buffer, kind, buffer.size // np.dtype(kind).itemsize))


def _read_only(array: npt.NDArray) -> npt.NDArray:  # type: ignore[type-arg]
    view = array.view()
    view.flags.writeable = False
    return view
