"""RowExpression: a filter given as an Arrow expression; it selects rows, and excludes files and batches unread.

Arrow can prove that no row in a fragment of a dataset fulfils a filter, if it knows what all rows of the fragment have
in common (`partition_expression`). Its proofs are used here for a file, a batch, and offsets and times beyond a bound.
Row by row evaluation decides the rest.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from kafkafmt import columns
from kafkafmt.cached import cached_property
from kafkafmt.codec.compression import LABELS
from kafkafmt.columnar.headers import Batches, Mask
from kafkafmt.libraries import np, pa
from kafkafmt.record_columns import COLUMNS, RecordColumn
from kafkafmt.scanning.batching import Part, record_batches

if TYPE_CHECKING:
    from pyarrow.compute import Expression

_HIGHEST = 1 << 62
# How pyarrow shows a column given by number, as in `pyarrow.compute.field(4)`.
_BY_NUMBER = "FieldPath("
_NAIVE = re.compile(r"timestamp\[\w+\]|date32|date64")
# A proof takes as long as decoding some batches.
_MOST_DISTINCT, _MOST_KEPT = 16, 1 << 16
# Columns whose values all records of a batch share, and those that all records of a file share.
_OF_BATCH = frozenset(name for name, column in COLUMNS.items() if column.of_batch and column.field)
_OF_FILE = frozenset(name for name, column in COLUMNS.items() if column.of_origin)


class RowBounds(NamedTuple):
    """Bounds outside of which an expression is true of no record; None for no bound.

    Attributes:
        start_offset: the lowest offset.
        end_offset: the first offset after the range.
        start_timestamp: the lowest timestamp, in ms.
        end_timestamp: the first timestamp after the range, in ms.
        key: the only possible key.
        value: the only possible value.
    """

    start_offset: int | None = None
    end_offset: int | None = None
    start_timestamp: int | None = None
    end_timestamp: int | None = None
    key: bytes | None = None
    value: bytes | None = None


@dataclass(frozen=True, eq=False)
class RowExpression:
    """Keeps the records for which an expression is true; false and null drop them, as in `pyarrow.dataset`.

    Attributes:
        expression: an expression of type bool, over the columns of a scan.
        schema: the columns that it may use: those of a scan, and others derived from them.
    """

    expression: "Expression"
    schema: "pa.Schema" = field(default_factory=lambda: columns.SCHEMA)
    _ruled_out: dict[Any, bool] = field(default_factory=dict, init=False, repr=False)

    def __and__(self, other: "RowExpression") -> "RowExpression":
        return RowExpression(self.expression & other.expression)

    def keep(self, parts: "Iterable[Part]", schema: "pa.Schema") -> "Iterator[pa.RecordBatch]":
        """The records for which the expression is true.

        Args:
            parts: records with the columns of `reads(schema)`.
            schema: columns to give.

        Raises:
            KafkafmtError: as reading the parts does; earlier records are given first.
            pyarrow.ArrowException: the expression fails on a record, such as a cast of text that is not a number.
        """
        for batch in record_batches(parts, self.reads(schema)):
            for kept in _filtered(batch, self.expression):
                yield kept.select(schema.names)

    def reads(self, schema: "pa.Schema") -> "pa.Schema":
        """Columns to decode: those of the schema, and those that the expression uses."""
        more = [columns.SCHEMA.field(name) for name in self._names if name not in schema.names]
        if not more:
            return schema
        return columns.SCHEMA if len(self._names) == len(columns.SCHEMA) else pa.schema([*schema, *more])

    @cached_property
    def bounds(self) -> RowBounds:
        """Offsets and times outside of which it is false for every record, and the key and value that it requires."""
        from pyarrow.dataset import get_partition_keys  # noqa: PLC0415 - most scans need only Arrow's arrays

        found: dict[str, Any] = {}
        for column in ("offset", "timestamp"):
            if column in self._names:
                at_least, below = _in_range(column)
                found[f"start_{column}"] = self._bound(below, 1, _HIGHEST)
                found[f"end_{column}"] = self._bound(at_least, _HIGHEST, 0)
        if not {"key", "value"}.isdisjoint(self._names) and self.schema.equals(columns.SCHEMA):
            with suppress(pa.ArrowInvalid):  # the expression requires two values of a column
                only = get_partition_keys(self.expression)
                found |= {name: only[name] for name in ("key", "value") if isinstance(only.get(name), bytes)}
        return RowBounds(**found)

    @cached_property
    def is_of_files(self) -> bool:
        """Whether it uses columns whose values all records of a file share, perhaps among others."""
        return not _OF_FILE.isdisjoint(self._names)

    @cached_property
    def names_of_batches(self) -> tuple[str, ...]:
        """Columns that it uses and whose values all records of a batch share, in format 2."""
        return tuple(name for name in self._names if name in _OF_BATCH)

    def rules_out(self, common: Mapping[str, object], offsets: tuple[int | None, int | None] = (None, None)) -> bool:
        """Whether it is false for every record with certain values.

        Args:
            common: the values, by column.
            offsets: lowest offset, and the end (exclusive).
        """
        asked = (*common.items(), offsets)
        if asked not in self._ruled_out:
            if len(self._ruled_out) > _MOST_KEPT:
                self._ruled_out.clear()
            self._ruled_out[asked] = _excludes(self.expression, _all_have(common, offsets), self.schema)
        return self._ruled_out[asked]

    def rules_out_batches(self, batches: Batches) -> Mask:
        """The batches for whose values `rules_out` is true, as a mask; none if values differ too much to test them all.

        Args:
            batches: batches of format 2.
        """
        columns = [COLUMNS[name] for name in self.names_of_batches]
        fields = [batches.headers[column.field] for column in columns]
        values = [
            column.of_field(field) if column.of_field else field for column, field in zip(columns, fields, strict=True)
        ]
        distinct, which = np.unique(np.stack(values).astype(np.int64), axis=1, return_inverse=True)
        if distinct.shape[1] > _MOST_DISTINCT:
            return np.zeros(len(batches), np.bool_)
        common = (
            {column.name: _value(column, number) for column, number in zip(columns, numbers, strict=True)}
            for numbers in distinct.T.tolist()
        )
        ruled_out: Mask = np.array([*map(self.rules_out, common)], np.bool_)[which.reshape(-1)]
        return ruled_out

    def is_certain(self, common: Mapping[str, object], bounds: RowBounds) -> bool:
        """Whether it is true of every record with certain values and within bounds.

        Args:
            common: the values, by column.
            bounds: bounds that are applied in any case.
        """
        if bounds.key is not None:
            common = {**common, "key": bounds.key}
        offsets, timestamps = (bounds.start_offset, bounds.end_offset), (bounds.start_timestamp, bounds.end_timestamp)
        known = _all_have(common, offsets, timestamps)
        return _excludes(~self.expression, known) and _excludes(self.expression.is_null(), known)

    def _bound(self, side: Callable[[int], "Expression"], first: int, last: int) -> int | None:
        """The bound nearest to `last`, counted from `first`, beyond which it is false for every record, or None."""
        if not _excludes(self.expression, side(first), self.schema):
            return None
        while abs(last - first) > 1:
            middle = (first + last) // 2
            first, last = (middle, last) if _excludes(self.expression, side(middle), self.schema) else (first, middle)
        return first

    @cached_property
    def _names(self) -> list[str]:
        """Columns that the expression uses, perhaps with others: pyarrow reveals them only in its text."""
        try:
            text = str(self.expression)
        except UnicodeDecodeError:  # the text has bytes of a comparison unescaped
            return [*columns.SCHEMA.names]
        if _BY_NUMBER in text:
            return [*columns.SCHEMA.names]
        return [name for name in columns.SCHEMA.names if name in text]


def row_expression(expression: "Expression", schema: "pa.Schema | None" = None) -> RowExpression:
    """Check an expression.

    Args:
        expression: an expression of `pyarrow.compute`.
        schema: the columns that it may use; None for those of a scan.

    Raises:
        TypeError: it is not an expression of pyarrow, or not of type bool.
        ValueError: it names an unknown column, or compares types that cannot be compared.
    """
    from pyarrow.compute import Expression  # noqa: PLC0415 - as above

    schema = columns.SCHEMA if schema is None else schema

    if not isinstance(expression, Expression):
        raise TypeError(f"a filter must be an expression of pyarrow.compute over columns, not {expression!r}")
    try:
        _filtered(pa.RecordBatch.from_pylist([], schema), expression)
    except pa.ArrowTypeError as error:
        raise TypeError(f"the filter {expression} cannot be used: {error}") from None
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        if "timestamp[ms, tz=UTC]" in str(error) and _NAIVE.search(str(error)):
            raise ValueError(
                f"the filter {expression} compares timestamp, which is UTC, with a time without a zone: "
                "give a datetime with one, such as datetime(2026, 11, 21, tzinfo=UTC)"
            ) from None
        reason = str(error).partition(" in key: ")[0]  # the rest shows the schema
        raise ValueError(f"the filter {expression} does not fit the columns {schema.names}: {reason}") from None
    return RowExpression(expression, schema)


def with_one_of(keys: Sequence[bytes], expression: RowExpression | None) -> RowExpression:
    """An expression that is true if a record has one of some keys and another expression is true.

    Args:
        keys: the keys; without any the result is false for every record.
        expression: the other expression, or None.
    """
    from pyarrow.compute import field  # noqa: PLC0415 - as above

    has_one = RowExpression(field("key").isin(pa.array(keys, pa.binary())))
    return has_one if expression is None else expression & has_one


def _filtered(batch: "pa.RecordBatch", expression: "Expression") -> "list[pa.RecordBatch]":
    # Not Table.filter, which runs in Arrow's pool with all its threads, whatever `threads` allows.
    from pyarrow.acero import Declaration, FilterNodeOptions, TableSourceNodeOptions  # noqa: PLC0415

    source = Declaration("table_source", TableSourceNodeOptions(pa.Table.from_batches([batch])))
    kept = Declaration("filter", FilterNodeOptions(expression), [source])
    batches: list[pa.RecordBatch] = kept.to_table(use_threads=False).to_batches()
    return batches


def _all_have(
    common: Mapping[str, object],
    offsets: tuple[int | None, int | None] = (None, None),
    timestamps: tuple[int | None, int | None] = (None, None),
) -> "Expression":
    """Known facts as an expression: shared values, and lowest and end (exclusive) offsets and timestamps."""
    from pyarrow import compute  # noqa: PLC0415 - as above

    known = compute.scalar(True)  # noqa: FBT003 - a value
    for name, value in common.items():
        column = compute.field(name)
        known &= column.is_null() if value is None else column == pa.scalar(value, columns.SCHEMA.field(name).type)
    for column, (start, end) in (("offset", offsets), ("timestamp", timestamps)):
        at_least, below = _in_range(column)
        known = known if start is None or abs(start) > _HIGHEST else known & at_least(start)
        known = known if end is None or abs(end) > _HIGHEST else known & below(end)
    return known


def _in_range(column: str) -> tuple[Callable[[int], "Expression"], Callable[[int], "Expression"]]:
    """Make expressions that a column is at least a bound, and that it is less than a bound."""
    from pyarrow import compute  # noqa: PLC0415 - as above

    values, kind = compute.field(column), columns.SCHEMA.field(column).type
    # Arrow does not know that these are whole numbers, so that 5.5 might be less than 6; hence "at most 5".
    return lambda bound: values >= pa.scalar(bound, kind), lambda bound: values <= pa.scalar(bound - 1, kind)


def _value(column: RecordColumn, number: int) -> object:
    """A column's value, from the number that encodes it in an array."""
    return LABELS[number] if column.type == "string" else bool(number) if column.type == "bool" else number


def _excludes(expression: "Expression", known: "Expression", schema: "pa.Schema | None" = None) -> bool:
    """Whether Arrow can prove that an expression over columns of a schema is false wherever another is true."""
    from pyarrow.dataset import FileSystemDataset, IpcFileFormat  # noqa: PLC0415 - as above
    from pyarrow.fs import LocalFileSystem  # noqa: PLC0415 - as above

    form = IpcFileFormat()
    fragment = form.make_fragment("", LocalFileSystem(), partition_expression=known)  # it is never opened
    try:
        schema = columns.SCHEMA if schema is None else schema
        return not any(FileSystemDataset([fragment], schema, form).get_fragments(filter=expression))
    except pa.ArrowException:  # such as a bound that is a float, where offsets are compared with one
        return False
