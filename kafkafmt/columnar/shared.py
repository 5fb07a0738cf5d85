"""Columns that all records of a batch share: what its header says, and where it was read."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from kafkafmt.columnar.constants import Constants, Counts
from kafkafmt.columnar.headers import COMPRESSION, CONTROL, LOG_APPEND_TIME, TRANSACTIONAL, Headers
from kafkafmt.columns import Origin, as_text

Values = npt.NDArray[Any]

_OF_ORIGIN: dict[str, Callable[[Origin], str | int | None]] = {
    "topic": lambda origin: as_text(origin.topic),
    "partition": lambda origin: origin.partition,
    "file": lambda origin: as_text(origin.file),
}

# Of each column, the field of the header that tells it, and how.
_OF_HEADER: dict[str, tuple[str, Callable[[Values], Values]]] = {
    "timestampType": ("attributes", lambda attributes: (attributes & LOG_APPEND_TIME != 0).astype(np.int32)),
    "isTransactional": ("attributes", lambda attributes: attributes & TRANSACTIONAL != 0),
    "isControl": ("attributes", lambda attributes: attributes & CONTROL != 0),
    "compression": ("attributes", lambda attributes: attributes & COMPRESSION),
    "magic": ("magic", lambda magic: magic),
    "partitionLeaderEpoch": ("partition_leader_epoch", lambda epoch: epoch),
    "producerId": ("producer_id", lambda producer_id: producer_id),
    "producerEpoch": ("producer_epoch", lambda epoch: epoch),
}

# What columns of records hold where no record has anything to say.
_EMPTY: dict[str, int | None] = {"key": None, "headers": None, "controlType": None, "sequence": -1}

_SOURCES = sorted({source for source, _ in _OF_HEADER.values()} - {"magic"})


class SharedColumns:
    """Makes those columns of a schema that are the same for all records of a batch; of one thread.

    Most record batches come from batches of one producer, and then all these columns are slices of those before.

    Args:
        schema: the columns, among others.
        constants: makes columns of one value.
    """

    __slots__ = ("_constants", "_fields", "_known", "_long")

    def __init__(self, schema: pa.Schema, constants: Constants) -> None:
        self._fields = [field for field in schema if field.name in {**_OF_ORIGIN, **_OF_HEADER, **_EMPTY}]
        self._constants = constants
        self._known: tuple[object, ...] | None = None
        self._long = pa.RecordBatch.from_arrays([], [])

    def columns(self, origin: Origin, headers: Headers, counts: Counts, rows: int) -> dict[str, pa.Array]:
        """Make the columns, and those of nulls or of -1 for when no record has a key, a header or a sequence number.

        Args:
            origin: where the batches were read.
            headers: their headers, one at least.
            counts: how many rows each has.
            rows: how many rows there are.
        """
        known: tuple[object, ...] = (origin, *(headers[source][0] for source in _SOURCES))
        if not all((headers[source] == value).all() for source, value in zip(_SOURCES, known[1:], strict=True)):
            return {field.name: self._column(field, origin, headers, counts, rows) for field in self._fields}
        if known != self._known or rows > self._long.num_rows:
            most = rows + rows // 4
            arrays = [self._column(field, origin, headers[:1], counts[:1], most) for field in self._fields]
            self._long = pa.RecordBatch.from_arrays(arrays, schema=pa.schema(self._fields))
            self._known = known
        return {field.name: array for field, array in zip(self._fields, self._long.slice(0, rows).columns, strict=True)}

    def _column(self, field: pa.Field, origin: Origin, headers: Headers, counts: Counts, rows: int) -> pa.Array:
        if field.name in _EMPTY:
            return self._constants.column(field, _EMPTY[field.name], rows)
        of_origin = _OF_ORIGIN.get(field.name)
        if of_origin is not None:
            return self._constants.column(field, of_origin(origin), rows)
        source, meaning = _OF_HEADER[field.name]
        return self._constants.runs(field, meaning(headers[source]), counts, rows)
