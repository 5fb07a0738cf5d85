"""`--value-format` and its kin: records with typed keys and values."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from kafkafmt.cli.command import RowOptions, give, option
from kafkafmt.cli.options import HOW
from kafkafmt.cli.output import TableShape
from kafkafmt.cli.records.request import ShownRecords

if TYPE_CHECKING:
    from kafkafmt.scanning import Scan

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
_TAKEN = ("topic", "partition", "offset", "timestamp", "keyError", "valueError")
_ERRORS = ("keyError", "valueError")
_IN_TABLE = ("topic", "partition", "offset", "timestamp", "key", "value", *_ERRORS)

typed_options = give(
    option(
        "--value-format",
        type=click.Choice(_FORMATS),
        group=HOW,
        help="Decode values. auto: by the schema ids of the first records, else JSON, text or bytes. Values have the "
        "type of the latest schema of the topic.",
    ),
    option("--key-format", type=click.Choice(_FORMATS), group=HOW, help="Decode keys in the same way."),
    option(
        "--schemas",
        type=click.Path(readable=False),
        metavar="PATH",
        group=HOW,
        help="A log directory with the registry's topic _schemas, if no PATH has it.",
    ),
    option(
        "--written",
        is_flag=True,
        group=HOW,
        help="Show each value as its own schema has it, as JSON text, and not as the latest schema has it.",
    ),
)
"""`--value-format`, `--key-format`, `--schemas` and `--written`."""


@dataclass(frozen=True)
class TypedOptions:
    """Values of `typed_options`.

    Attributes:
        value_format: of the values; None for bytes.
        key_format: of the keys; None for bytes.
        schemas: a source of `_schemas`, or None.
        written: whether values are shown by their own schemas.
    """

    value_format: Any
    key_format: Any
    schemas: str | None
    written: bool

    @classmethod
    def taken_from(cls, options: dict[str, Any]) -> "TypedOptions":
        """Take these options out of all of a command.

        Raises:
            click.UsageError: an option goes only with a format.
        """
        taken = cls(**{name: options.pop(name) for name in cls.__dataclass_fields__})
        if not taken.is_given and (taken.schemas is not None or taken.written):
            raise click.UsageError("--schemas and --written go with --value-format or --key-format.")
        return taken

    @property
    def is_given(self) -> bool:
        """Whether anything is to be decoded."""
        return self.value_format is not None or self.key_format is not None

    def show(self, scan: "Scan", rows: RowOptions, *, on_damage: Any, is_one_topic: bool) -> ShownRecords:  # noqa: ANN401
        """The decoded records; a table has a column for each field of a record.

        Raises:
            click.UsageError: an unknown column, or topics with values of different types.
        """
        from kafkafmt.cli.output.table import Spread
        from kafkafmt.values.registry import schemas
        from kafkafmt.values.typed import decode

        try:
            decoded = decode(
                scan,
                value=self.value_format or "bytes",
                key=self.key_format or "bytes",
                schemas=None if self.schemas is None else schemas(self.schemas),
                resolve=not self.written,
                on_damage=on_damage,
            )
        except ValueError as error:
            raise click.UsageError(f"{error}, or with --written.") from error
        rows.check(decoded.schema.names)
        if rows.columns is not None or not rows.is_table:
            decoded = decoded.select(rows.select(decoded.schema.names, TableShape()))
            return ShownRecords(decoded, decoded.schema, TableShape(), lambda batch: batch)
        decoded = decoded.select([name for name in _IN_TABLE if name != "topic" or not is_one_topic])
        spread = Spread(decoded.schema, _TAKEN)
        shape = TableShape(optional=_ERRORS, first=("offset", *spread.names_in("key"), *spread.names_in("value")))
        return ShownRecords(decoded, spread.spread_schema, shape, spread.spread)
