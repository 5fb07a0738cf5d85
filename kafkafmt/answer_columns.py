"""Columns of answers, declared once: by the fields of the class whose objects are the rows.

A field's annotation has the Arrow type of its column, and `Attributes:` of the docstring describes the column. Schemas,
values of rows and the tables of docs/ (`python -m tests.column_tables`) derive from them:

    offset: Annotated[int, "int64"]
    is_simple: Annotated[bool, Named("isSimpleConsumerGroup", "bool")]
    members: Annotated[tuple[Member, ...], "int32", len]

    @property
    def lag(self) -> Annotated[int | None, "int64"]: ..

Types are given by name, as `kafkafmt.arrays.arrow_type` takes them, so that a class needs no Arrow until its table is
asked for. A column has its field's name in camel case, unless it is `Named`. A function after the type converts the
field's value to the column's value, unless the value is None. Fields without an Arrow type are not columns. The
docstring of a property describes its column.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from operator import attrgetter
from typing import Any, Final, NamedTuple

from kafkafmt.arrays import TIME, arrow_type, as_text
from kafkafmt.cached import cached_property
from kafkafmt.libraries import pa

__all__ = ["TIME", "AnswerColumn", "Named", "TableColumns", "columns_of", "declared", "record_batches", "unless_empty"]

_ROWS_A_BATCH: Final = 16 * 1024


class Named(NamedTuple):
    """Name and type of a column whose name differs from its field's."""

    name: str
    kind: "str | pa.DataType"


class AnswerColumn(NamedTuple):
    """A column of a table.

    Attributes:
        name: name of the column.
        kind: its Arrow type, or the name of the type.
        value: an attribute of the row's object ("topic", "each.topic"), or a function of the object. The docstring and
            the return type of a function document the column.
        declared: the class and the name of the field or property that documents the column; None for a function.
        is_optional: whether the column may be null although its declaration does not say so.
    """

    name: str
    kind: "str | pa.DataType"
    value: str | Callable[[Any], Any]
    declared: tuple[type, str] | None = None
    is_optional: bool = False

    @property
    def data_type(self) -> "pa.DataType":
        """The Arrow type."""
        return arrow_type(self.kind) if isinstance(self.kind, str) else self.kind


def columns_of(
    row: type,
    at: str = "",
    *,
    after: str | None = None,
    to: str | None = None,
    only: Sequence[str] | None = None,
    optional: bool = False,
) -> Iterator[AnswerColumn]:
    """The columns that the fields and properties of a class declare: fields first, in the order of the class.

    Args:
        row: the class.
        at: attribute of the row's object that holds an object of the class; "" if the row's object is one.
        after: name of a field; only fields after it are taken.
        to: name of a field; only fields up to it are taken.
        only: names of fields; only these are taken, in this order.
        optional: whether the attribute `at` may be None, so that these columns are null.
    """
    annotations = declared(row)
    names = list(annotations)
    start = 0 if after is None else names.index(after) + 1
    end = len(names) if to is None else names.index(to) + 1
    for name in only or names[start:end]:
        kind, *convert = getattr(annotations[name], "__metadata__", (None,))
        if kind is not None:
            column = kind if isinstance(kind, Named) else Named(_camel_case(name), kind)
            attribute = f"{at}.{name}" if at and not optional else name
            value = _converted(attribute, convert[0]) if convert else attribute
            if at and optional:
                value = _converted(at, attrgetter(value) if isinstance(value, str) else value)
            yield AnswerColumn(column.name, column.kind, value, (row, name), optional)


def declared(row: type) -> dict[str, Any]:
    """Annotations of the fields of a class, followed by the return annotations of its properties."""
    properties = {name: value for name, value in vars(row).items() if isinstance(value, property)}
    return {
        **row.__annotations__,
        **{name: value.fget.__annotations__["return"] for name, value in properties.items() if value.fget},
    }


class TableColumns:
    """The columns of a table, and how to get their values from the object of a row.

    Args:
        columns: the columns, or tuples of their fields.

    Attributes:
        columns: the columns, as `AnswerColumn`.
    """

    def __init__(self, *columns: tuple[Any, ...]) -> None:
        self.columns = [AnswerColumn(*column) for column in columns]
        values = [column.value for column in self.columns]
        self._values = [attrgetter(value) if isinstance(value, str) else value for value in values]

    @cached_property
    def schema(self) -> "pa.Schema":
        """The columns as an Arrow schema."""
        return pa.schema([(column.name, column.data_type) for column in self.columns])

    def row(self, of: object) -> tuple[Any, ...]:
        """The values of an object, in the order of the columns."""
        return tuple([value(of) for value in self._values])

    def to_table(self, objects: Iterable[object]) -> "pa.Table":
        """A table with one row for each object."""
        return pa.Table.from_batches(record_batches(map(self.row, objects), self.schema), schema=self.schema)


def record_batches(rows: Iterable[Sequence[Any]], schema: "pa.Schema") -> "Iterator[pa.RecordBatch]":
    """Rows as record batches of at most 16,384 rows.

    Args:
        rows: values in the order of the columns; bytes of a path that are not valid text become U+FFFD.
        schema: the columns.
    """
    rest = iter(rows)
    while chunk := list(islice(rest, _ROWS_A_BATCH)):
        columns = zip(*chunk, strict=True)
        arrays = [_array(values, field.type) for values, field in zip(columns, schema, strict=True)]
        yield pa.RecordBatch.from_arrays(arrays, schema=schema)


def unless_empty(text: str) -> str | None:
    """A text as a column stores it: "" becomes null."""
    return text or None


def _array(values: Sequence[Any], kind: "pa.DataType") -> "pa.Array":
    try:
        return pa.array(values, kind)
    except UnicodeEncodeError:
        return pa.array(_texts(values), kind)


def _texts(values: Sequence[Any]) -> tuple[Any, ...]:
    """The same values with each text as `as_text` returns it, inside lists too."""
    return tuple(
        [
            as_text(each) if isinstance(each, str) else _texts(each) if isinstance(each, (list, tuple)) else each
            for each in values
        ]
    )


def _converted(attribute: str, convert: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A function that gets an attribute of the row's object, and converts it unless it is None."""
    get = attrgetter(attribute)

    def value(of: object) -> Any:  # noqa: ANN401 - any value of a column
        found = get(of)
        return None if found is None else convert(found)

    return value


def _camel_case(name: str) -> str:
    return re.sub(r"_(\w)", lambda found: found[1].upper(), name)
