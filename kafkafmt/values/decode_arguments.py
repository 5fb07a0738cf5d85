"""The arguments of decoding as one record, and their user-facing names for advice in errors."""

from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, get_args

from kafkafmt.choices import check_choice
from kafkafmt.errors import OnDamage

if TYPE_CHECKING:
    from kafkafmt.values.registry import Schemas
    from kafkafmt.values.stored_schema import StoredSchema

FormatName = Literal[
    "auto", "bytes", "string", "json", "avro", "protobuf", "short", "int", "long", "float", "double", "boolean", "uuid"
]


class AdvisedArguments(NamedTuple):
    """Names of the arguments that errors advise to give; None for an argument that the caller does not have.

    Attributes:
        schemas: the source of schemas.
        schema: the schema of the values.
        record: the record type of the values.
        written: the argument to decode values by their own schemas.
    """

    schemas: str = "schemas="
    schema: str | None = "schema="
    record: str = "record="
    written: str | None = "resolve=False"


IN_PYTHON: Final = AdvisedArguments()
"""The arguments of `Scan.decode`."""

OF_COMMANDS: Final = AdvisedArguments("--schemas", "--schema", "--record", "--written")


class DecodeArguments(NamedTuple):
    """The arguments of `Scan.decode`, except for `columns`.

    Attributes:
        value: format of the values.
        key: format of the keys.
        schemas: the schemas; None for those beside the records.
        schema: the schema to which values are resolved.
        record: the only record type of values to decode.
        resolve: whether values are resolved to one schema.
        unwrap: "debezium" for the rows of change events.
        on_damage: the action at a key or value that cannot be decoded.
        advised: the names of these arguments in errors.
    """

    value: str = "auto"
    key: str = "auto"
    schemas: "Schemas | None" = None
    schema: "StoredSchema | str | None" = None
    record: str | None = None
    resolve: bool = True
    unwrap: Literal["debezium"] | None = None
    on_damage: OnDamage = "skip"
    advised: AdvisedArguments = IN_PYTHON

    @classmethod
    def taken_from(cls, keywords: dict[str, Any]) -> "DecodeArguments":
        """Take `kafkafmt.keywords.DecodeKeywords` out of all arguments of a function.

        Raises:
            TypeError, ValueError: as for `check`.
        """
        names = {"value": "value_format", "key": "key_format"}
        given = {name: names.get(name, name) for name in cls._fields if name not in ("on_damage", "advised")}
        taken = cls(**{name: keywords.pop(keyword) for name, keyword in given.items() if keyword in keywords})
        taken.check(**names)
        return taken

    def check(self, value: str = "value", key: str = "key") -> None:
        """Check the arguments that can be checked without records.

        Args:
            value: the name of the argument for the format of the values.
            key: the name of the argument for the format of the keys.

        Raises:
            TypeError: `schemas` is not an answer of `kafkafmt.values.schemas`.
            ValueError: a format, `unwrap` or `on_damage` is unknown.
        """
        from kafkafmt.values.registry import Schemas  # noqa: PLC0415 - it imports this module

        check_choice("on_damage", self.on_damage, get_args(OnDamage))
        if self.unwrap is not None:
            check_choice("unwrap", self.unwrap, ("debezium",))
        if self.schemas is not None and not isinstance(self.schemas, Schemas):
            raise TypeError(f"schemas must be the answer of kafkafmt.values.schemas, not {type(self.schemas).__name__}")
        for name, given in ((key, self.key), (value, self.value)):
            check_choice(name, given, get_args(FormatName))
