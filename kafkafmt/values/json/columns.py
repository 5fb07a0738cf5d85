"""Columns of JSON values: many values of one type at once."""

from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from kafkafmt.columnar.figures import Int64s
from kafkafmt.columnar.headers import UInt8s
from kafkafmt.columnar.json_program import REFUSED, WITH_UNKNOWN
from kafkafmt.errors import DataError
from kafkafmt.values.formats import Remark, with_remark
from kafkafmt.values.json.kernel_reading import MOST_NODES, KernelReader
from kafkafmt.values.json.reading import Doubts, JsonReader
from kafkafmt.values.json.types import JsonType, arrow_type, count

_WORTH_IT: Final = 1 << 18
"""Bytes from which on kernels are sooner done, although they have to be loaded."""

_NAMED: Final = 20
"""Values of which the unknown names are told."""

UNKNOWN: Final = "properties that the schema does not name (--written shows them)"
ROUNDED: Final = "integers that no double holds, rounded"
"""What may be said of values beside their errors."""


class JsonColumn(NamedTuple):
    """Values that were read.

    Attributes:
        values: of the Arrow type; null where nothing is stored, and where it does not fit.
        errors: why a row does not fit, by its number, in rising order.
        remarks: what is to be said of the others.
    """

    values: pa.Array
    errors: dict[int, DataError]
    remarks: list[Remark]


class JsonColumns:
    """Reads many values of one type.

    Args:
        json_type: the type.

    Attributes:
        kind: the Arrow type.
    """

    def __init__(self, json_type: JsonType) -> None:
        self.kind = arrow_type(json_type)
        self._type = json_type
        self._bytes_met = 0
        self._reader = JsonReader(json_type)

    def one(self, data: bytes) -> tuple[object, list[Remark]]:
        """Read a value: what `pyarrow.array` takes, and what is to be said of it.

        Raises:
            DataError: as for `JsonReader.read`.
        """
        doubts = Doubts()
        value = self._reader.read(data, doubts)
        remarks = [Remark(UNKNOWN, 1, doubts.unknown)] if doubts.has_unknown else []
        return value, [*remarks, Remark(ROUNDED, 1)] if doubts.rounded else remarks

    def read(self, stored: pa.Array, skip: int = 0) -> JsonColumn:
        """Read values; a bad one costs no other one.

        Args:
            stored: binary or text.
            skip: bytes before each value.
        """
        self._bytes_met += stored.nbytes
        if self._bytes_met >= _WORTH_IT and (kernels := self._kernels) is not None:
            with suppress(ImportError):
                return self._read_by_kernels(kernels, stored, skip)
        return self._read_each(stored, range(len(stored)), skip)

    def refused(self, stored: pa.Array) -> npt.NDArray[np.int64] | None:
        """Numbers of the values that kernels leave to the reference reader; None if all are left to it."""
        self._bytes_met += stored.nbytes
        if self._bytes_met >= _WORTH_IT and (kernels := self._kernels) is not None:
            with suppress(ImportError):
                return np.flatnonzero(kernels.read(*_places(stored, 0))[1] == REFUSED)
        return None

    def _read_by_kernels(self, kernels: KernelReader, stored: pa.Array, skip: int) -> JsonColumn:
        """Read values by kernels, and those that they refuse one by one."""
        values, rows = kernels.read(*_places(stored, skip))
        remarks = []
        unknown = np.flatnonzero(rows == WITH_UNKNOWN)
        if len(unknown):
            named = self._read_each(stored, unknown[:_NAMED].tolist(), skip).remarks
            remarks = [Remark(UNKNOWN, len(unknown), named[0].names)]
        refused = np.flatnonzero(rows == REFUSED)
        if not len(refused):
            return JsonColumn(values, {}, remarks)
        rest = self._read_each(stored, refused.tolist(), skip)
        if len(rest.errors) < len(refused):
            numbers = np.arange(len(stored))
            numbers[refused] = len(stored) + np.arange(len(refused))
            values = pa.concat_arrays([values, rest.values]).take(pa.array(numbers))
        return JsonColumn(
            values, {int(refused[row]): error for row, error in rest.errors.items()}, remarks + rest.remarks
        )

    def _read_each(self, stored: pa.Array, rows: Sequence[int], skip: int) -> JsonColumn:
        """Read some values one by one; the errors have their numbers among these."""
        values: list[object] = []
        errors: dict[int, DataError] = {}
        remarks: dict[str, Remark] = {}
        some = stored if len(rows) == len(stored) else stored.take(pa.array(rows, pa.int64()))
        for number, data in enumerate(some.cast(pa.binary()).to_pylist()):
            value = None
            if data is not None:
                try:
                    value, said = self.one(data[skip:])
                    for remark in said:
                        with_remark(remarks, remark)
                except DataError as error:
                    errors[number] = error
            values.append(value)
        return JsonColumn(pa.array(values, self.kind), errors, list(remarks.values()))

    @cached_property
    def _kernels(self) -> KernelReader | None:
        return None if count(self._type) > MOST_NODES else KernelReader(self._type)


def _places(stored: pa.Array, skip: int) -> tuple[UInt8s, Int64s, Int64s]:
    """The bytes of values, where each begins (-1 for a null) after what is skipped, and where it ends."""
    _, offsets, data = stored.buffers()
    bounds = np.frombuffer(offsets, np.int32)[stored.offset : stored.offset + len(stored) + 1].astype(np.int64)
    ends = bounds[1:]
    starts = np.minimum(bounds[:-1] + skip, ends)
    if stored.null_count:
        starts[stored.is_null().to_numpy(zero_copy_only=False)] = -1
    return np.frombuffer(data or b"", np.uint8), starts, ends
