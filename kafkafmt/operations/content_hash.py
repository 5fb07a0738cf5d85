"""ContentHash: a hash over records that is the same however they are batched, compressed, or handed over."""

from hashlib import blake2b
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

HASHED: Final = ("offset", "timestamp", "isControl", "key", "value", "headers")
"""Columns of a scan that the hash covers, in the order in which their hashes are put together."""

_DIGEST_BYTES: Final = 16


class ContentHash:
    """A hash over records: offset, timestamp, key, value, headers, and whether it is a control record.

    Each column is hashed by itself (BLAKE2b, 16 bytes): numbers as little-endian int64, flags as bytes; of texts their
    lengths as int32, -1 for null, and their bytes in another hash; of headers how many each record has, then names and
    values likewise. The result is the hash over those of the columns.

    Attributes:
        records: how many records it covers.
    """

    def __init__(self) -> None:
        self.records = 0
        self._columns = [blake2b(digest_size=_DIGEST_BYTES) for _ in range(12)]

    def update(self, records: pa.RecordBatch) -> None:
        """Take the next records, with the columns `HASHED` at least."""
        if not records.num_rows:
            return
        self.records += records.num_rows
        offset, timestamp, is_control, key, value, headers = (records.column(name) for name in HASHED)
        counts = pc.fill_null(pc.list_value_length(headers), 0)
        items = headers.flatten()
        names, values = items.flatten() if len(items) else (pa.array([], pa.string()), pa.array([], pa.binary()))
        parts = [
            _numbers(offset),
            _numbers(timestamp.cast(pa.int64())),
            _contiguous(is_control.cast(pa.int8()).to_numpy()),
            *_texts(key),
            *_texts(value),
            _contiguous(counts.to_numpy(), "<i4"),
            *_texts(names),
            *_texts(values),
        ]
        for column, part in zip(self._columns, parts, strict=True):
            column.update(part)

    def copy(self) -> "ContentHash":
        """A hash of the same records, to go on from with others."""
        other = ContentHash()
        other.records = self.records
        other._columns = [column.copy() for column in self._columns]
        return other

    def hexdigest(self) -> str:
        """The hash as 32 hexadecimal digits."""
        return blake2b(b"".join(column.digest() for column in self._columns), digest_size=_DIGEST_BYTES).hexdigest()


def _numbers(column: pa.Array) -> Any:  # noqa: ANN401 - a buffer
    return _contiguous(column.to_numpy(), "<i8")


def _contiguous(values: npt.NDArray[Any], kind: str | None = None) -> Any:  # noqa: ANN401 - likewise
    return np.ascontiguousarray(values, kind).data


def _texts(column: pa.Array) -> tuple[Any, Any]:
    """Lengths and bytes of texts."""
    lengths = pc.fill_null(pc.binary_length(column), -1)
    present = column.drop_null() if column.null_count else column
    _, offsets, data = present.buffers()
    if data is None or not len(present):
        return _contiguous(lengths.to_numpy(), "<i4"), b""
    ends = np.frombuffer(offsets, np.int32)
    begin, end = ends[present.offset], ends[present.offset + len(present)]
    return _contiguous(lengths.to_numpy(), "<i4"), memoryview(data)[begin:end]
