"""Figures: sums over records and batches, one row of int64 per group. No numba."""

from typing import Final

import numpy as np
import numpy.typing as npt

from kafkafmt.reference.header import INT64_MAX, INT64_MIN

Int64s = npt.NDArray[np.int64]

# Columns of a row: four sums, then lowest and highest numbers.
RECORDS, BATCHES, RECORD_BYTES, STORED_BYTES, MIN_OFFSET, MAX_OFFSET, MIN_TIMESTAMP, MAX_TIMESTAMP = range(8)
FIGURES: Final = 8

NO_FIGURES: Final = (0, 0, 0, 0, INT64_MAX, INT64_MIN, INT64_MAX, INT64_MIN)
"""A row for no records, neutral for `merge`."""

_SUMS = slice(RECORDS, STORED_BYTES + 1)
_LOWEST = [MIN_OFFSET, MIN_TIMESTAMP]
_HIGHEST = [MAX_OFFSET, MAX_TIMESTAMP]


def new_figures(rows: int) -> Int64s:
    """Rows for no records, to be added to."""
    return np.tile(np.array(NO_FIGURES, np.int64), (rows, 1))


def summed(figures: Int64s) -> Int64s:
    """Sum up rows into one row."""
    total = np.array(NO_FIGURES, np.int64)
    if len(figures):
        total[_SUMS] = figures[:, _SUMS].sum(axis=0)
        total[_LOWEST] = figures[:, _LOWEST].min(axis=0)
        total[_HIGHEST] = figures[:, _HIGHEST].max(axis=0)
    return total


def merge(row: Int64s, other: Int64s) -> None:
    """Add a row to another."""
    row[_SUMS] += other[_SUMS]
    row[_LOWEST] = np.minimum(row[_LOWEST], other[_LOWEST])
    row[_HIGHEST] = np.maximum(row[_HIGHEST], other[_HIGHEST])
