"""`--value-format` and related options: records with typed keys and values."""

from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from kafkafmt.cli.command import UNREADABLE, RowOptions, give, option
from kafkafmt.cli.messages import say
from kafkafmt.cli.output import BINARY, TableShape
from kafkafmt.cli.records.request import ShownRecords

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa

    from kafkafmt.scanning import Scan
    from kafkafmt.scanning.decoded_scan import DecodedScan
    from kafkafmt.searching import RecordSearch
    from kafkafmt.values.decode_arguments import DecodeArguments

_option = partial(option, group="Typed keys and values")

_FORMATS = (
    "auto",
    "avro",
    "protobuf",
    "json",
    "string",
    "short",
    "int",
    "long",
    "float",
    "double",
    "boolean",
    "uuid",
    "bytes",
)
_TAKEN = ("topic", "partition", "offset", "timestamp", "op", "matchedIn", "keyError", "valueError")
_ERRORS = ("keyError", "valueError")
_STORED = {"keyBytes", "valueBytes"}
_IN_TABLE = ("topic", "partition", "offset", "timestamp", "matchedIn", "op", "key", "value", *_ERRORS)

schema_options = give(
    _option(
        "--schemas",
        type=click.Path(readable=False),
        metavar="PATH|URL",
        help="Where schemas come from, if no PATH has the topic _schemas: a log directory that has it, a folder of "
        ".avsc, .proto and .json files, one such file, or the URL of a registry.",
    ),
    _option(
        "--schema",
        metavar="SUBJECT[:VERSION]|FILE",
        help="Resolve values to this schema: of a subject, or of a file. Values without a schema id, or with one of "
        "another registry (Apicurio, Glue), are read as written with it.",
    ),
    _option(
        "--record",
        metavar="NAME",
        help="Read only values of this type of a topic that has several, as in com.example.Order. A note counts the "
        "others.",
    ),
    _option(
        "--written",
        is_flag=True,
        help="Show each value as its own schema has it, as JSON text, and not as the latest schema has it.",
    ),
    _option(
        "--unwrap",
        type=click.Choice(("debezium",)),
        help="Show the rows of Debezium's change events: after, or before of a delete; op, ts_ms and source are "
        "columns. With --compacted, where there is one: the table at the end of the log, or at --at-time.",
    ),
)
"""`--schemas`, `--schema`, `--record`, `--written` and `--unwrap`: for commands that always decode."""

typed_options = give(
    _option(
        "--value-format",
        type=click.Choice(_FORMATS),
        metavar="FORMAT",
        help="Decode values. auto: by the schema ids of the first records, else JSON, text or bytes. Values have the "
        f"type of the latest schema of the topic. Other formats: {', '.join(_FORMATS[1:-1])} or {_FORMATS[-1]}.",
    ),
    _option("--key-format", type=click.Choice(_FORMATS), metavar="FORMAT", help="Decode keys in the same way."),
    schema_options,
)
"""`--value-format`, `--key-format` and `schema_options`."""


@dataclass(frozen=True)
class TypedOptions:
    """Values of `typed_options`, or of `schema_options` alone.

    Attributes:
        value_format: format of the values; None for bytes.
        key_format: format of the keys; None for bytes.
        schemas: a source of schemas, or None.
        schema: the values' schema, or None.
        record: the values' record type, or None.
        written: whether values are shown by their own schemas.
        unwrap: "debezium" for the rows in change events; None to show values as they are.
    """

    value_format: Any
    key_format: Any
    schemas: str | None
    schema: str | None
    record: str | None
    written: bool
    unwrap: Any

    @classmethod
    def taken_from(cls, options: dict[str, Any], *, default: str | None = None) -> "TypedOptions":
        """Take these options out of all options of a command.

        Args:
            options: all options of the command.
            default: format of keys and values if none is given, for a command that always decodes.

        Raises:
            click.UsageError: an option requires a format.
        """
        given = {name: options.pop(name, None) for name in cls.__dataclass_fields__}
        taken = cls(**given | {name: given[name] or default for name in ("value_format", "key_format")})
        if not taken.is_given and (taken.schemas is not None or taken.written):
            raise click.UsageError("--schemas and --written go with --value-format or --key-format.")
        if taken.value_format is None and (taken.schema is not None or taken.record is not None):
            raise click.UsageError("--schema and --record go with --value-format.")
        return taken

    @property
    def is_given(self) -> bool:
        """Whether anything is decoded."""
        return self.value_format is not None or self.key_format is not None or self.unwrap is not None

    def arguments(self, on_damage: Any = "skip") -> "DecodeArguments":  # noqa: ANN401
        """The arguments of `Scan.decode`; reads the schemas.

        Raises:
            KafkafmtError: `kafkafmt.values.schemas` raises it.
        """
        from kafkafmt.values.decode_arguments import OF_COMMANDS, DecodeArguments
        from kafkafmt.values.schema_sources import schemas

        default = "bytes" if self.unwrap is None else "auto"
        return DecodeArguments(
            self.value_format or default,
            self.key_format or default,
            None if self.schemas is None else schemas(self.schemas),
            self.schema,
            self.record,
            not self.written,
            self.unwrap,
            on_damage,
            OF_COMMANDS,
        )

    def decoded(self, scan: "Scan", on_damage: Any) -> "DecodedScan[Any]":  # noqa: ANN401
        """The decoded records.

        Raises:
            click.exceptions.Exit: the --schema does not exist, which stderr says.
            click.UsageError: topics have values of different types.
        """
        from kafkafmt.errors import NotFoundError
        from kafkafmt.values.typed import decode

        try:
            return decode(scan, self.arguments(on_damage))
        except NotFoundError as error:
            say(error)
            raise click.exceptions.Exit(UNREADABLE) from error
        except ValueError as error:
            advice = ""
            if "decode one topic" in str(error):
                advice = (
                    " (--topic)"
                    if self.written or self.unwrap is not None
                    else " (--topic), or all as text (--written)"
                )
            raise click.UsageError(f"{error}{advice}.") from error

    def show(
        self,
        scan: "Scan",
        rows: RowOptions,
        *,
        on_damage: Any,  # noqa: ANN401
        is_one_topic: bool,
        search: "RecordSearch | None" = None,
    ) -> ShownRecords:
        """The decoded records, those that match if there is a search; a table has a column for each field of a record.

        Raises:
            click.exceptions.Exit: the --schema does not exist, which stderr says.
            click.UsageError: a column is unknown, or topics have values of different types.
        """
        from kafkafmt.cli.output.table import Spread

        decoded = self.decoded(scan, on_damage)
        if rows.columns is not None and not _STORED.isdisjoint(rows.columns):
            decoded = replace(decoded, decoder=decoded.decoder.with_columns((*decoded.schema.names, *sorted(_STORED))))
        painter = None
        if search is not None:
            from kafkafmt.cli.records.matches import DecodedPainter
            from kafkafmt.searching.decoded_matches import matching

            decoded = matching(decoded, search)
            painter = None if search.shown is None or not rows.is_table else DecodedPainter(search.shown)
        rows.check(decoded.schema.names)
        if rows.columns is not None or not rows.is_table:
            decoded = decoded.select(rows.select(decoded.schema.names, TableShape()))
            return _with_texts(ShownRecords(decoded, decoded.schema, TableShape(), lambda batch: batch), rows.kind)
        left_out = {"topic"} if is_one_topic else set()
        decoded = decoded.select([name for name in _IN_TABLE if name in decoded.schema.names and name not in left_out])
        spread = Spread(decoded.schema, _TAKEN)
        first = ("offset", *spread.names_in("key"), *spread.names_in("value"))
        shape = TableShape(optional=_ERRORS, first=first, painter=painter)
        return _with_texts(ShownRecords(decoded, spread.spread_schema, shape, spread.spread), rows.kind)


def _with_texts(shown: ShownRecords, kind: str) -> ShownRecords:
    """The rows with keys, values and fields that are times or decimals as text, as inside structs."""
    schema, convert = texts_of(shown.schema, kind)
    return (
        shown
        if schema is shown.schema
        else replace(shown, schema=schema, show=lambda batch: convert(shown.show(batch)))
    )


def texts_of(
    schema: "pa.Schema", kind: str | None, *, is_of_sql: bool = False
) -> "tuple[pa.Schema, Callable[[pa.RecordBatch], pa.RecordBatch]]":
    """Write columns of times or decimals as text, as inside structs, except the records' `timestamp`.

    Args:
        schema: the columns.
        kind: form of the output; binary forms keep the columns, a table keeps decimals. None to keep all columns.
        is_of_sql: whether whole decimals of 38 digits are sums of DuckDB, which stay numbers.

    Returns:
        The new columns, or the same object if none changes; and the function that converts rows.
    """
    import pyarrow as pa

    from kafkafmt.plain_values import plain_values

    def is_text(field: "pa.Field") -> bool:
        is_sum = is_of_sql and field.type == pa.decimal128(38)
        is_number = kind != "table" and pa.types.is_decimal(field.type) and not is_sum
        return bool(field.name != "timestamp" and (is_number or pa.types.is_timestamp(field.type)))

    if kind is None or kind in BINARY or not any(map(is_text, schema)):
        return schema, lambda rows: rows
    texts = pa.schema([field.with_type(pa.string()) if is_text(field) else field for field in schema])

    def text(column: "pa.Array") -> "pa.Array":
        values = plain_values(column)
        return pa.array(
            [None if each is None else format(each, "f" if isinstance(each, Decimal) else "") for each in values],
            pa.string(),
        )

    def convert(rows: "pa.RecordBatch") -> "pa.RecordBatch":
        columns = [text(each) if is_text(field) else each for field, each in zip(schema, rows.columns, strict=True)]
        return pa.RecordBatch.from_arrays(columns, schema=texts)

    return texts, convert
