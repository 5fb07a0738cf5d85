"""The format of JSON without a schema."""

from kafkafmt.libraries import np, pa
from kafkafmt.values.decoded import DecodedColumn, Rows, together
from kafkafmt.values.formats import Primitive
from kafkafmt.values.json.columns import JsonColumns
from kafkafmt.values.json.types import ANY


class PlainJson(Primitive):
    """JSON text as it is stored."""

    def __init__(self) -> None:
        super().__init__("json")
        self._arguments = ()
        self._columns = JsonColumns(ANY)

    def decode_all(self, stored: "pa.Array", headers: "pa.Array") -> DecodedColumn:
        """Check many values by a kernel, and those that the kernel refuses one by one; see `ValueFormat`."""
        refused = self._columns.refused(stored)
        if refused is None or len(refused) == len(stored):
            return super().decode_all(stored, headers)
        sound = np.setdiff1d(np.arange(len(stored)), refused)
        parts: list[tuple[Rows, DecodedColumn]] = [
            (sound, _as_text(stored.take(pa.array(sound)) if len(refused) else stored))
        ]
        if len(refused):
            rows = pa.array(refused)
            parts.append((refused, super().decode_all(stored.take(rows), headers.take(rows))))
        return together(parts)


def _as_text(stored: "pa.Array") -> DecodedColumn:
    return DecodedColumn(stored.cast(pa.string()), pa.nulls(len(stored), pa.int32()), {})
