"""Many Avro values at once: a kernel fills Arrow columns by the programs of the writers' schemas."""

import json
from collections.abc import Hashable
from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from kafkafmt.columnar.avro_program import DONE, NEEDED, WANTED, WHICH
from kafkafmt.columnar.kernels import read_avro
from kafkafmt.columnar.outcomes import REFUSED
from kafkafmt.columnar.value_columns import ColumnLayout, Used, ValueColumns
from kafkafmt.errors import DataError
from kafkafmt.topics.record_rows import MOST_BYTES as FEW_BYTES
from kafkafmt.topics.record_rows import MOST_ROWS as FEW_ROWS
from kafkafmt.values.avro.arrow import arrow_type, is_json
from kafkafmt.values.avro.datum import MOST_FIELDS
from kafkafmt.values.avro.program import MOST_CONSTANT, NoProgram, Programs
from kafkafmt.values.avro.schema import MISSING, Node
from kafkafmt.values.decoded import MANY_BYTES, MOST_TOGETHER, TooManyTogetherError, check_together, many_rows

if TYPE_CHECKING:
    from kafkafmt.values.avro.resolution import ResolvedType

Int64s = npt.NDArray[np.int64]

NULL: Final = -1
"""The program number of a value that is null, or is left to another reader."""


class BulkAvro:
    """Reads values of any of several writers' schemas into one Arrow array; for one thread.

    Args:
        reader: the schema to which values are resolved.
        most_fields: most fields and items of a value.

    Attributes:
        is_loaded: whether the kernel has been loaded by any instance.
        kind: Arrow type of the values.
        most_rows: most values to read at once, as a row of a wide schema takes much memory.
        most_bytes: most bytes of these values.

    Raises:
        LimitExceededError: the type has too many columns.
    """

    is_loaded: ClassVar[bool] = False

    def __init__(self, reader: Node, most_fields: int = MOST_FIELDS) -> None:
        self._most_fields = most_fields
        self.kind = arrow_type(reader)
        self._layout = ColumnLayout(self.kind)
        self._programs = Programs(self._layout)
        self._of_schemas: dict[Hashable, int | None] = {}
        self._used = Used(0, {}, {})
        is_large = _may_become_large(reader)
        many = many_rows(self._layout.row_bytes)
        self.most_rows = min(FEW_ROWS, many) if is_large else many
        self.most_bytes = FEW_BYTES if is_large else MANY_BYTES

    def program(self, schema: Hashable, resolved: "ResolvedType") -> int | None:
        """The program of a writer's schema; None if its values need the other reader.

        Args:
            schema: key of the schema.
            resolved: the resolution of the schema to the reader's.
        """
        if schema not in self._of_schemas:
            try:
                self._of_schemas[schema] = self._programs.add(resolved)
            except NoProgram:
                self._of_schemas[schema] = None
        return self._of_schemas[schema]

    def read(
        self, stored: pa.Array, skipped: npt.NDArray[np.int32], programs: Int64s
    ) -> tuple[pa.Array, npt.NDArray[np.uint8]]:
        """Read values; the result for a refused value is meaningless.

        Args:
            stored: the values, of type binary.
            skipped: number of bytes before each value.
            programs: the program of each value, or `NULL`.

        Returns:
            The values, and the outcome of each (`columnar.outcomes`).

        Raises:
            TooManyTogetherError: the values take too much memory.
        """
        rows = len(stored)
        _, offsets, data = stored.buffers()
        bounds = np.frombuffer(offsets, np.int32)[stored.offset : stored.offset + rows + 1].astype(np.int64)
        source = np.frombuffer(data, np.uint8) if data is not None and data.size else np.zeros(0, np.uint8)
        source.flags.writeable = False
        state, outcomes = np.zeros(4, np.int64), np.zeros(rows, np.uint8)
        try:
            columns = ValueColumns(self._layout, rows, self._used.of(rows, int(bounds[-1] - bounds[0])), MOST_TOGETHER)
            while True:
                read_avro(
                    source,
                    bounds[:-1] + skipped,
                    bounds[1:].copy(),
                    programs,
                    *self._programs.arrays(),
                    columns.columns,
                    columns.groups,
                    columns.counts,
                    np.zeros(self._programs.slots, np.int64),
                    np.zeros(len(columns.counts), np.int64),
                    columns.memory,
                    state,
                    outcomes,
                    self._most_fields,
                )
                if state[DONE] == rows:
                    break
                columns.grow(int(state[WANTED]), int(state[WHICH]), int(state[NEEDED]))
        except MemoryError:
            if rows > 1:
                raise TooManyTogetherError from None
            return pa.nulls(rows, self.kind), np.full(rows, REFUSED, np.uint8)
        self._used = columns.used()
        BulkAvro.is_loaded = True
        return columns.array(self._texts(columns, programs, outcomes)), outcomes

    def _texts(self, columns: ValueColumns, programs: Int64s, outcomes: npt.NDArray[np.uint8]) -> dict[int, pa.Array]:
        """JSON text of the columns that have bytes of values; values that cannot be read get the outcome `REFUSED`."""
        made: dict[int, pa.Array] = {}
        for column in {column for _, column in self._programs.texts}:
            stored, values_of = columns.stored(column)
            texts: list[str | None] = []
            size = 0
            for data, row, program in zip(stored.to_pylist(), values_of, programs[values_of], strict=True):
                text = None
                if data is not None:
                    try:
                        text = self._programs.texts[program, column](data)
                        size += len(text or "")
                        check_together(size, len(outcomes))
                    except DataError:
                        outcomes[row] = REFUSED
                texts.append(text)
            made[column] = pa.array(texts, pa.string())
        return made


def _may_become_large(node: Node, path: tuple[Node, ...] = ()) -> bool:
    """Whether few bytes of a value may become many by the reader's type: JSON text, long symbols or defaults."""
    if is_json(node, path) or sum(map(len, node.symbols)) > MOST_CONSTANT:
        return True
    inside = (*path, node) if node.type in ("array", "map", "record") else path
    defaults = sum(len(json.dumps(each.default)) for each in node.fields if each.default is not MISSING)
    inner = [*node.inner, *(each.type for each in node.fields)]
    return defaults > MOST_CONSTANT or any(_may_become_large(each, inside) for each in inner)


def load_kernels() -> None:
    """Load the kernel, or compile it, before there is anything to read."""
    BulkAvro(Node("null")).read(pa.nulls(1, pa.binary()), np.zeros(1, np.int32), np.full(1, NULL))
