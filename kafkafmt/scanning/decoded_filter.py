"""Decoders that keep only some of the decoded records. Conditions on stored columns are applied before decoding."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import pyarrow as pa
from pyarrow.compute import field, scalar

from kafkafmt.columns import SCHEMA
from kafkafmt.scanning.row_expression import RowExpression

if TYPE_CHECKING:
    from pyarrow.compute import Expression

    from kafkafmt.scanning.decoded_scan import RecordDecoder
    from kafkafmt.scanning.stream import Scan


@dataclass(frozen=True)
class SelectingDecoder(ABC):
    """Decodes records, and keeps some of them; can be pickled.

    Attributes:
        decoder: the decoder.
        schema: columns to build.
    """

    decoder: "RecordDecoder"
    schema: pa.Schema

    on_request: ClassVar[pa.Schema] = pa.schema([])
    """Columns that are built only when they are selected."""

    keeps_rows: ClassVar[bool] = False
    """Whether each record becomes a row."""

    @property
    def topic(self) -> str:
        """Name of the topic, or names of several."""
        return self.decoder.topic

    @property
    @abstractmethod
    def label(self) -> str:
        """Name of the decoded records."""

    @property
    def scanned(self) -> list[str]:
        """Columns of `kafkafmt.scan` that it needs."""
        return self.decoder.scanned

    @property
    def stored(self) -> pa.Schema:
        """Columns that are taken from the scan unchanged."""
        return self.decoder.stored

    def with_schema(self, schema: pa.Schema) -> Self:
        """The same decoder for some of its columns."""
        return replace(self, schema=schema)

    def new_account(self) -> Any:  # noqa: ANN401 - as of the decoder
        """Make an empty account."""
        return self.decoder.new_account()

    def decode(self, batch: pa.RecordBatch, account: Any) -> Iterator[pa.RecordBatch]:  # noqa: ANN401
        """Decode rows, and keep some.

        Raises:
            DataError: as raised by the decoder.
        """
        for rows in self.decoder.decode(batch, account):
            yield from self._kept(rows)

    @abstractmethod
    def _kept(self, rows: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """The rows to keep, with the columns of the schema."""


@dataclass(frozen=True)
class FilteringDecoder(SelectingDecoder):
    """Keeps the rows for which an expression is true.

    Attributes:
        expression: the expression, over columns of the decoder.
    """

    expression: "Expression"

    @classmethod
    def of(cls, decoder: "RecordDecoder", expression: "Expression", available: pa.Schema) -> Self:
        """Make a decoder with the same columns.

        Args:
            decoder: decodes records.
            expression: the expression, over available columns.
            available: columns of the decoder, and others that it can build.
        """
        schema = decoder.schema
        needed = {*schema.names, *mentioned(expression, available.names)}
        whole = decoder.with_schema(pa.schema([each for each in available if each.name in needed]))
        return cls(whole, schema, expression)

    @property
    def label(self) -> str:
        """Name of the decoded records."""
        return f"{self.decoder.label}, filtered"

    def with_schema(self, schema: pa.Schema) -> Self:
        """The same decoder for some of its columns."""
        available = self.decoder.schema
        needed = {*schema.names, *mentioned(self.expression, available.names)}
        added = [each for each in schema if each.name not in available.names]
        fields = [*(each for each in available if each.name in needed), *added]
        return replace(self, decoder=self.decoder.with_schema(pa.schema(fields)), schema=schema)

    def _kept(self, rows: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        for kept in pa.Table.from_batches([rows]).filter(self.expression).to_batches():
            yield kept.select(self.schema.names)


def mentioned(expression: "Expression | None", names: Sequence[str]) -> Sequence[str]:
    """The columns that an expression uses, perhaps with others: pyarrow reveals them only in its text."""
    try:
        text = "" if expression is None else str(expression)
    except UnicodeDecodeError:  # the text has bytes of a comparison unescaped
        return names
    return names if "FieldPath(" in text else [name for name in names if name in text]


def fits(expression: "Expression", schema: pa.Schema) -> bool:
    """Whether an expression uses only columns of a schema."""
    try:
        schema.empty_table().filter(expression)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError):
        return False
    return True


def bounded(scan: "Scan", expression: "Expression", schema: pa.Schema) -> "Scan":
    """Narrow a scan to offsets, times and partitions where an expression can be true; other records may remain.

    Args:
        scan: the records.
        expression: the expression; columns of a scan have their usual meaning in it.
        schema: the columns.
    """
    rows = RowExpression(expression, schema)
    bounds = rows.bounds
    conditions = [
        field(name) >= scalar(pa.scalar(least, SCHEMA.field(name).type))
        for name, least in (("offset", bounds.start_offset), ("timestamp", bounds.start_timestamp))
        if least is not None
    ] + [
        field(name) < scalar(pa.scalar(end, SCHEMA.field(name).type))
        for name, end in (("offset", bounds.end_offset), ("timestamp", bounds.end_timestamp))
        if end is not None
    ]
    numbers = {each.partition for each in scan.partitions}
    left = [number for number in numbers if not rows.rules_out({"partition": number})]
    if len(left) < len(numbers):
        conditions.append(field("partition").isin(pa.array(left, pa.int32())))
    for condition in conditions:
        scan = scan.filter(condition)
    return scan
