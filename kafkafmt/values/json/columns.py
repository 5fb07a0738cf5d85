"""Columns of JSON values: many values of one type at once."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from kafkafmt.cached import cached_property
from kafkafmt.columnar.figures import Int64s
from kafkafmt.columnar.headers import UInt8s
from kafkafmt.columnar.outcomes import REFUSED, WITH_MORE
from kafkafmt.errors import DataError
from kafkafmt.values.decoded import NOTHING, Decoded, DecodedColumn, Gathered, in_bounds, joined, many_rows, replaced
from kafkafmt.values.formats import SHOWN_AS_WRITTEN, ReadColumn, Remark, with_remark
from kafkafmt.values.json.bulk import CELL_BYTES, MOST_NODES, BulkJson
from kafkafmt.values.json.reading import MOST_FIELDS, Doubts, JsonReader
from kafkafmt.values.json.types import JsonType, arrow_type, count

_WORTH_IT: Final = 1 << 18
"""Bytes from which kernels are faster, even though they have to be loaded."""

_NAMED: Final = 20
"""Most values whose unknown names a note lists."""

UNKNOWN: Final = f"properties that the schema does not name{SHOWN_AS_WRITTEN}"
ROUNDED: Final = "integers that no double holds, rounded"
"""Remarks about values that are not errors."""


class JsonColumns:
    """Reads many values of one type.

    Args:
        json_type: the type.
        most_fields: most fields and items of a value.

    Attributes:
        kind: the Arrow type.
        most_rows: most values to read at once.
    """

    def __init__(self, json_type: JsonType, most_fields: int = MOST_FIELDS) -> None:
        self.kind = arrow_type(json_type)
        self._most_fields = most_fields
        self._type = json_type
        self.most_rows = many_rows(CELL_BYTES * count(json_type))
        self._bytes_met = 0
        self._reader = JsonReader(json_type)

    def one(self, data: bytes) -> tuple[Decoded, list[Remark]]:
        """Read a value; returns it with the remarks about it.

        Raises:
            DataError: as for `JsonReader.read`.
        """
        doubts = Doubts(most_fields=self._most_fields)
        value = Decoded(self._reader.read(data, doubts), fields=1 + doubts.fields)
        remarks = [Remark(UNKNOWN, 1, doubts.unknown)] if doubts.has_unknown else []
        return value, [*remarks, Remark(ROUNDED, 1)] if doubts.rounded else remarks

    def read(self, stored: pa.Array, skip: int = 0) -> ReadColumn:
        """Read values; a bad value does not affect the others.

        Args:
            stored: the values, of type binary or text.
            skip: number of bytes before each value.

        Raises:
            TooManyTogetherError: the values take too much memory; `read_all` reads them in parts.
        """
        self._bytes_met += stored.nbytes
        if self._bytes_met >= _WORTH_IT and (kernels := self._kernels) is not None:
            with suppress(ImportError):
                return self._read_by_kernels(kernels, stored, skip)
        return self._read_each(stored, range(len(stored)), skip)

    def read_all(self, stored: pa.Array) -> ReadColumn:
        """Read any number of values."""
        batch = pa.RecordBatch.from_arrays([stored], ["value"])
        parts = [*in_bounds(lambda part: self.read(part.column(0)), batch)]
        return ReadColumn(joined([each.column for each in parts]), [said for each in parts for said in each.remarks])

    def refused(self, stored: pa.Array) -> npt.NDArray[np.int64] | None:
        """Numbers of the values that kernels leave to the reference reader; None if they leave all values."""
        self._bytes_met += stored.nbytes
        if self._bytes_met >= _WORTH_IT and (kernels := self._kernels) is not None:
            with suppress(ImportError):
                return np.flatnonzero(kernels.read(*_places(stored, 0))[1] == REFUSED)
        return None

    def _read_by_kernels(self, kernels: BulkJson, stored: pa.Array, skip: int) -> ReadColumn:
        """Read values by kernels, and those that kernels refuse one by one."""
        values, outcomes = kernels.read(*_places(stored, skip))
        remarks = []
        unknown = np.flatnonzero(outcomes == WITH_MORE)
        if len(unknown):
            named = self._read_each(stored, unknown[:_NAMED].tolist(), skip).remarks
            remarks = [Remark(UNKNOWN, len(unknown), named[0].names)]
        refused = np.flatnonzero(outcomes == REFUSED)
        column = DecodedColumn(values, pa.nulls(len(values), pa.int32()), {})
        if not len(refused):
            return ReadColumn(column, remarks)
        rest = self._read_each(stored, refused.tolist(), skip)
        return ReadColumn(replaced(column, refused, rest.column), remarks + rest.remarks)

    def _read_each(self, stored: pa.Array, rows: Sequence[int], skip: int) -> ReadColumn:
        """Read some values one by one; errors are numbered among these values."""
        gathered = Gathered(self.kind)
        remarks: dict[str, Remark] = {}
        some = stored if len(rows) == len(stored) else stored.take(pa.array(rows, pa.int64()))
        for data in some.cast(pa.binary()).to_pylist():
            value, error = NOTHING, None
            said: list[Remark] = []
            if data is not None:
                try:
                    value, said = self.one(data[skip:])
                except DataError as fault:
                    error = fault
            gathered.add(value, error)
            for remark in said:
                with_remark(remarks, remark)
        return ReadColumn(gathered.column(), list(remarks.values()))

    @cached_property
    def _kernels(self) -> BulkJson | None:
        return None if count(self._type) > MOST_NODES else BulkJson(self._type)


def _places(stored: pa.Array, skip: int) -> tuple[UInt8s, Int64s, Int64s]:
    """The bytes of values, and the start (-1 for a null) after the skipped bytes and end of each value."""
    _, offsets, data = stored.buffers()
    bounds = np.frombuffer(offsets, np.int32)[stored.offset : stored.offset + len(stored) + 1].astype(np.int64)
    ends = bounds[1:]
    starts = np.minimum(bounds[:-1] + skip, ends)
    if stored.null_count:
        starts[stored.is_null().to_numpy(zero_copy_only=False)] = -1
    return np.frombuffer(data or b"", np.uint8), starts, ends
