"""Tables for people: cells of record batches in the columns that `aligned` lays out."""

import os
from collections.abc import Collection
from dataclasses import dataclass

import pyarrow as pa

from kafkafmt.cached import cached_property
from kafkafmt.cli import human
from kafkafmt.cli.messages import say
from kafkafmt.cli.output import Form, TableShape, cells
from kafkafmt.cli.output.aligned import ELLIPSIS, NARROWEST, NOTHING, Aligned, Column, columns_of_terminal, say_left_out
from kafkafmt.cli.output.destination import Destination
from kafkafmt.cli.printable import is_dumb

# Off a terminal, wider cells of bytes and of names do not widen the column for all following rows.
_MOST_PADDING = 40
_MOST_PADDING_OF_NAMES = 120
# File names differ at their ends, and in the directory before; the end identifies a copy.
_FILES = ("file", "path", "first", "second")
_NARROWEST_NAME = 16
_ENDS_MATTER = (*_FILES, "leader", "follower")
# A shorter part of a sentence says nothing.
_SENTENCES = ("reason", "message", "error", "advice", "detail", "explanation")
_NARROWEST_SENTENCE = 24
_WANTED_SENTENCE = 36
# Sizes that a table shows in units; beside a position in a file, and in a config, bytes are needed for calculations.
_SIZE_ENDINGS = ("Bytes", "sizeOnDisk", "BytesError")
_CONFIGS = ("retentionBytes",)


@dataclass(frozen=True)
class Spread:
    """Replaces the structs of record batches by their fields.

    Attributes:
        schema: schema of the batches.
        taken: names that fields may not have on their own: such a field keeps its struct's name, as in `value.offset`.
    """

    schema: pa.Schema
    taken: Collection[str]

    @cached_property
    def spread_schema(self) -> pa.Schema:
        """Schema of the result."""
        fields: list[pa.Field] = []
        for column in self.schema:
            fields += [pa.field(self._name(column, field), field.type) for field in _fields(column)] or [column]
        return pa.schema(fields)

    def names_in(self, column: str) -> list[str]:
        """Names of the columns that replace one struct."""
        struct = self.schema.field(column)
        return [self._name(struct, field) for field in _fields(struct)]

    def spread(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The same rows with a column for each field of a struct; null if the struct is null."""
        arrays: list[pa.Array] = []
        for column in batch.columns:
            arrays += column.flatten() if pa.types.is_struct(column.type) else [column]
        return pa.RecordBatch.from_arrays(arrays, schema=self.spread_schema)

    def _name(self, column: pa.Field, field: pa.Field) -> str:
        others = [each.name for other in self.schema if other.name != column.name for each in _fields(other) or [other]]
        return f"{column.name}.{field.name}" if field.name in self.taken or field.name in others else str(field.name)


def _fields(column: pa.Field) -> list[pa.Field]:
    kind = column.type
    return [kind.field(number) for number in range(kind.num_fields)] if pa.types.is_struct(kind) else []


class TableWriter:
    """Aligned columns below a line with their names; numbers to the right. Bytes above 1 MiB are cut.

    Args:
        destination: target of the lines.
        schema: schema of the rows.
        form: how bytes are written, and whether there is a line of names.
        shape: the columns that are hidden until a value appears that is not an empty list, those that answer the
            question, and the painter of cells that differ from their values.
    """

    def __init__(self, destination: Destination, schema: pa.Schema, form: Form, shape: TableShape) -> None:
        optional, first = shape.optional, shape.first
        self._painter = shape.painter
        self._is_coloured = destination.is_terminal and not os.environ.get("NO_COLOR") and not is_dumb()
        self._destination = destination
        self._bytes_as = form.bytes_as
        self._left_out: dict[str, None] = {}
        self._has_cut = False
        self._sizes = set() if "position" in schema.names else {field.name for field in schema if _is_size(field)}
        self._lines: list[str] = []
        others = [name for name in schema.names if name not in first]
        order = [*first, *sorted(others, key=lambda name: name in optional)]
        self._table = Aligned(
            [_column(field, order.index(field.name)) for field in schema],
            columns_of_terminal() if destination.is_terminal else None,
            self._lines.append,
            header=form.header,
            left_out=self._left_out,
        )
        self._table.hidden = {number for number, name in enumerate(schema.names) if name in optional}

    def write(self, batch: pa.RecordBatch) -> None:
        """Write a line for each row, after the names if the shown columns have changed."""
        if not batch.num_rows:
            return
        hidden = self._table.hidden
        hidden -= {number for number in hidden if _has_values(batch.column(number))}
        self._table.write_columns([self._shown(*each) for each in zip(batch.schema.names, batch.columns, strict=True)])
        self._flush()

    def flush(self) -> None:
        """Do nothing: lines are passed on as they are written."""

    def finish(self) -> None:
        """Write the names if there was no row, and report dropped columns on stderr."""
        self._table.write_names()
        self._flush()
        say_left_out(self._left_out, other_forms=True)
        if self._has_cut:
            say("note: cells above 1 MiB end in an ellipsis here; --output jsonl and csv write them whole")

    def _shown(self, name: str, column: pa.Array) -> list[str]:
        """Cells of a column, which a painter may replace."""
        if name in self._sizes:
            return [NOTHING if value is None else human.size(value) for value in column.to_pylist()]
        painter = None if self._bytes_as else self._painter
        painted = None if painter is None else painter.cells(name, column, is_coloured=self._is_coloured)
        return self._cells(column) if painted is None else painted

    def _cells(self, column: pa.Array) -> list[str]:
        """Cells of a column; only the beginning of large ones."""
        rows = cells.large_rows(column)
        if not rows:
            return cells.to_table(column, self._bytes_as)
        self._has_cut = True
        texts = []
        for row in range(len(column)):
            if row in rows:
                first = cells.first_of(cells.view_of(column, row), self._bytes_as)
                texts += [text + ELLIPSIS for text in cells.to_table(pa.array([first]), self._bytes_as)]
            else:
                texts += cells.to_table(column.slice(row, 1), self._bytes_as)
        return texts

    def _flush(self) -> None:
        lines = self._lines if self._painter is None else map(self._painter.paint, self._lines)
        self._destination.write("".join([f"{line}\n" for line in lines]).encode("utf-8"))
        self._destination.flush()
        self._lines.clear()


def _has_values(column: pa.Array) -> bool:
    """Whether a value is neither null nor an empty list."""
    if pa.types.is_list(column.type):
        offsets = column.offsets  # flattening a list loads pyarrow.compute, which takes as long as all the rest
        return bool(offsets[-1].as_py() > offsets[0].as_py())
    return bool(column.null_count < len(column))


def _column(field: pa.Field, rank: int) -> Column:
    kind = field.type
    is_number = _is_number(kind)
    are_numbers = pa.types.is_list(kind) and _is_number(kind.value_type)
    is_text = not (is_number or are_numbers or pa.types.is_timestamp(kind) or pa.types.is_boolean(kind))
    narrowest = NARROWEST
    if field.name in _SENTENCES:
        narrowest = _NARROWEST_SENTENCE
    elif field.name in _FILES:
        narrowest = _NARROWEST_NAME
    return Column(
        field.name,
        right=is_number,
        rank=rank,
        least=narrowest if is_text else None,
        loses="beginning" if field.name in _ENDS_MATTER else "end",
        most=_MOST_PADDING if (is_text or are_numbers) and not pa.types.is_string(kind) else _MOST_PADDING_OF_NAMES,
        wanted=_WANTED_SENTENCE if field.name in _SENTENCES else None,
    )


def _is_size(field: pa.Field) -> bool:
    is_named_so = field.name.endswith(_SIZE_ENDINGS) and field.name not in _CONFIGS
    return is_named_so and bool(pa.types.is_integer(field.type))


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))
