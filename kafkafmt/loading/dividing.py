"""Directories in the layout of Hive, Spark and `pyarrow.dataset`: `topic=orders/day=2026-11-21`."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias
from urllib.parse import quote

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from kafkafmt.loading.parquet_files import Values

DERIVED: Final = ("day", "hour")
"""Keys of a directory that are not columns of records: date and hour of `timestamp`."""

DIVIDERS: Final = (
    *("topic", "partition", *DERIVED, "timestampType", "partitionLeaderEpoch", "producerId", "isTransactional"),
    *("isControl", "controlType", "magic", "compression"),
)
"""Columns that directories can be named after."""

NULL: Final = "__HIVE_DEFAULT_PARTITION__"
"""Name of the directory for rows without a value."""

_DAY_MS = 24 * 60 * 60 * 1000
_HOUR_MS = 60 * 60 * 1000
_NO_TIMESTAMP = -1

Codes: TypeAlias = np.ndarray[tuple[int], np.dtype[np.int64]]
"""A number for each row; rows that belong together have the same number."""


@dataclass(frozen=True)
class HiveDivision:
    """Directories named after columns; a `Division`.

    Attributes:
        dividers: columns, out of `DIVIDERS`; none for a single directory.
    """

    dividers: tuple[str, ...]

    @property
    def label(self) -> str:
        """The option that divides the rows."""
        return f"--partition-by {','.join(self.dividers)}"

    def divided(self, batch: pa.RecordBatch) -> "Iterator[tuple[Values, pa.RecordBatch]]":
        """The rows, grouped by the names of their directories after the equals signs."""
        for row, rows in together(batch, [_codes(batch, name) for name in self.dividers]):
            yield tuple(_name_of(batch, name, row) for name in self.dividers), rows

    def folder(self, values: "Values") -> str:
        """The directory of rows, with slashes; "" without dividers."""
        return "/".join(f"{name}={value}" for name, value in zip(self.dividers, values, strict=True))


def columns_of(dividers: Sequence[str]) -> list[str]:
    """The columns of records that name the directories."""
    return list(dict.fromkeys("timestamp" if name in DERIVED else name for name in dividers))


def together(batch: pa.RecordBatch, codes: Sequence[Codes]) -> Iterator[tuple[int, pa.RecordBatch]]:
    """The rows of a batch grouped by all their codes, in their order, each group with the number of one of its rows."""
    joined = np.zeros(batch.num_rows, np.int64)
    for each in codes:
        _, column = np.unique(each, return_inverse=True)
        joined = joined * (int(column.max(initial=0)) + 1) + column
    order = np.argsort(joined, kind="stable")
    ends = [*(np.flatnonzero(np.diff(joined[order])) + 1).tolist(), batch.num_rows]
    begin = 0
    for end in ends if batch.num_rows else ():
        yield int(order[begin]), batch if len(ends) == 1 else batch.take(pa.array(order[begin:end]))
        begin = end


def codes_of(column: pa.Array) -> Codes:
    """A code for each value of a column."""
    codes: Codes = column.dictionary_encode().indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    return codes


def _codes(batch: pa.RecordBatch, name: str) -> Codes:
    if name not in DERIVED:
        return codes_of(batch.column(name))
    moments = _milliseconds(batch.column("timestamp"))
    parts = moments // _DAY_MS if name == "day" else (moments // _HOUR_MS) % 24
    known: Codes = np.where(moments == _NO_TIMESTAMP, np.iinfo(np.int64).min, parts)
    return known


def _milliseconds(timestamps: pa.Array) -> Codes:
    """Timestamps in ms as numbers; -1 for null."""
    numbers = timestamps.view(pa.int64()).to_numpy(zero_copy_only=False)
    if timestamps.null_count:
        numbers = timestamps.view(pa.int64()).fill_null(_NO_TIMESTAMP).to_numpy(zero_copy_only=False)
    milliseconds: Codes = numbers // 1000 if timestamps.type.unit == "us" else numbers
    return milliseconds


def _name_of(batch: pa.RecordBatch, name: str, row: int) -> str:
    """Name of a row's directory after the equals sign, as Hive writes it."""
    if name in DERIVED:
        moment = int(_milliseconds(batch.column("timestamp").slice(row, 1))[0])
        if moment == _NO_TIMESTAMP:
            return NULL
        return str(np.datetime64(moment // _DAY_MS, "D")) if name == "day" else str(moment // _HOUR_MS % 24)
    value = batch.column(name)[row].as_py()
    if value is None:
        return NULL
    return str(value).lower() if isinstance(value, bool) else quote(str(value), safe="")
