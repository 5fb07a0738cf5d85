"""Columns of one value in all rows of a record batch, or in each of a few runs of them, such as those of a batch."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from kafkafmt.arrays import array
from kafkafmt.codec.compression import LABELS

Counts = npt.NDArray[np.int64]


class Constants:
    """Arrow arrays of one value each, made once and sliced for every record batch; of one thread."""

    __slots__ = ("_longest",)

    def __init__(self) -> None:
        self._longest: dict[str, tuple[Any, pa.Array]] = {}

    @property
    def kept(self) -> int:
        """How many bytes of memory the arrays take."""
        return sum(array.nbytes for _, array in self._longest.values())

    def clear(self) -> None:
        """Drop all arrays."""
        self._longest.clear()

    def column(self, field: pa.Field, value: object, rows: int) -> pa.Array:
        """Give an array of `rows` times the value; of each column, the value asked for last is kept."""
        known = self._longest.get(field.name)
        if known is None or known[0] != value or len(known[1]) < rows:
            known = value, pa.repeat(array([value], field.type)[0], rows + rows // 4)
            self._longest[field.name] = known
        return known[1].slice(0, rows)

    def runs(self, field: pa.Field, values: npt.NDArray[Any], counts: Counts, rows: int) -> pa.Array:
        """Give an array of each value as often as its count says.

        Args:
            field: the column; `values` of "compression" are ids.
            values: one a run, at least one; just one if it is that of all runs.
            counts: rows of each run.
            rows: their sum.
        """
        if len(values) == 1 or (values == values[0]).all():
            value = values[0].item()
            return self.column(field, LABELS[value] if pa.types.is_string(field.type) else value, rows)
        repeated = np.repeat(values, counts)
        if pa.types.is_string(field.type):
            labels = array([LABELS[index] for index in range(len(LABELS))], field.type)
            return labels.take(_numbers(repeated))
        return _numbers(repeated).cast(field.type)


def _numbers(values: npt.NDArray[Any]) -> pa.Array:
    """The same numbers as an array of Arrow's; `pyarrow.array` would import pandas first."""
    stored = np.packbits(values, bitorder="little") if values.dtype == np.bool_ else np.ascontiguousarray(values)
    return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), [None, pa.py_buffer(stored)])
