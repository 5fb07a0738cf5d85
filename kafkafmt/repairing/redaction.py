"""Redaction: bytes of records replaced by others of the same length, equal bytes by equal ones."""

import hashlib
import secrets
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Final, Literal, get_args

from kafkafmt.errors import DataError, KafkafmtError, UnsupportedError
from kafkafmt.reference.record import Header
from kafkafmt.repairing.field_redaction import FieldMask
from kafkafmt.repairing.schema_redaction import SchemaRedaction
from kafkafmt.values.framing import framing_of
from kafkafmt.values.registry import Schemas

if TYPE_CHECKING:
    from kafkafmt.values.framing import Framing

Part = Literal["keys", "values", "headers"]
"""The parts to redact: keys, values, or the values of headers."""

PARTS: Final[tuple[Part, ...]] = get_args(Part)
_ALSO: Final = {"key": "keys", "value": "values"}
_OF_FIELDS: Final[dict[str, Literal["key", "value"]]] = {"keys": "key", "values": "value"}
DISTINCT_FROM: Final = 8
"""Size from which distinct bytes stay distinct (with odds of one in 2^64); shorter ones may become equal."""

_SALT_BYTES: Final = 32


class Redaction:
    """Replaces bytes by a keyed hash (SHAKE-256); null and empty values stay.

    Args:
        parts: the parts to redact; or fields of JSON, as in "value:customer.email".
        salt: the key; None for a random one, which is not stored.

    Attributes:
        topic: topic of the next records.

    Raises:
        ValueError: a part does not exist.
    """

    def __init__(self, parts: Collection[str], salt: str | bytes | None = None) -> None:
        self._parts, fields = parsed(parts)
        key = secrets.token_bytes(_SALT_BYTES) if salt is None else salt.encode() if isinstance(salt, str) else salt
        # The salt is hashed to a fixed length first, so that no other pair of salt and data gives the same input.
        self._key = hashlib.sha256(key).digest()
        self.topic: str | None = None
        self._by_schema = SchemaRedaction(Schemas((), {}, {}))
        self._met_short = False
        self._masks = {part: FieldMask(paths, self._digest, DISTINCT_FROM) for part, paths in fields.items()}

    def __bool__(self) -> bool:
        """Whether anything is replaced."""
        return bool(self._parts or self._masks)

    @property
    def reads_fields(self) -> bool:
        """Whether fields are replaced."""
        return bool(self._masks)

    def read_by(self, schemas: Schemas) -> None:
        """Read Avro and Protobuf values by the schemas of a registry."""
        self._by_schema = SchemaRedaction(schemas)

    @property
    def met_short(self) -> bool:
        """Whether a value shorter than `DISTINCT_FROM` bytes was replaced."""
        return self._met_short or any(mask.met_short for mask in self._masks.values())

    @property
    def unmet(self) -> list[str]:
        """Fields that no record has had so far: they may be misspelt."""
        return [
            f"{_OF_FIELDS[part]}:{path}"
            for part, mask in self._masks.items()
            for path in sorted(mask.paths - mask.found)
        ]

    @property
    def without(self) -> list[tuple[str, int]]:
        """Fields that some keys or values lacked, and how many."""
        return [
            (f"{_OF_FIELDS[part]}:{path}", count)
            for part, mask in self._masks.items()
            for path, count in sorted(mask.without.items())
            if path in mask.found
        ]

    def key(self, data: bytes | None, headers: Sequence[Header] = ()) -> bytes | None:
        """The new key of a record.

        Raises:
            KafkafmtError: fields of the key are to be redacted, but it is neither JSON nor of a known schema.
        """
        return self._part("keys", data, headers)

    def value(self, data: bytes | None, headers: Sequence[Header] = ()) -> bytes | None:
        """The new value of a record.

        Raises:
            KafkafmtError: fields of the value are to be redacted, but it is neither JSON nor of a known schema.
        """
        return self._part("values", data, headers)

    def _part(self, part: str, data: bytes | None, headers: Sequence[Header]) -> bytes | None:
        if part in self._parts:
            return self._replaced(data)
        if part not in self._masks or data is None:
            return data
        name = _OF_FIELDS[part]
        try:
            framing = framing_of(data, headers, name)
            if not data.endswith(framing.payload):
                raise UnsupportedError("the payload is compressed")
            return data[: len(data) - len(framing.payload)] + self._masked(self._masks[part], framing, name)
        except DataError as error:
            raise KafkafmtError(
                f"fields of this {name} cannot be redacted ({error}): only those of JSON, and those of Avro and "
                f"Protobuf with the schema in _schemas beside it. Redact {part} as a whole, or leave the record out"
            ) from error

    def _masked(self, mask: FieldMask, framing: "Framing", part: Literal["key", "value"]) -> bytes:
        """The payload of a framing with its fields replaced.

        Raises:
            DataError: the payload is neither JSON nor of a known schema.
        """
        try:
            return self._by_schema.masked(mask, framing, f"{self.topic}-{part}")
        finally:
            mask.end_value()

    def headers(self, headers: Sequence[Header]) -> Sequence[Header]:
        """The new headers of a record: names stay."""
        if "headers" not in self._parts:
            return headers
        return [(name, self._replaced(data)) for name, data in headers]

    def _replaced(self, data: bytes | None) -> bytes | None:
        if not data:
            return data
        self._met_short = self._met_short or len(data) < DISTINCT_FROM
        return self._digest(data, len(data))

    def _digest(self, data: bytes, size: int) -> bytes:
        return hashlib.shake_256(self._key + data).digest(size)


def parsed(parts: Collection[str]) -> tuple[frozenset[str], dict[str, list[str]]]:
    """The parts to redact as a whole, and the fields to redact in other parts.

    Args:
        parts: some of `PARTS`, "key", "value", "key:FIELD" and "value:FIELD".

    Raises:
        ValueError: an unknown part.
    """
    whole: set[str] = set()
    fields: dict[str, list[str]] = {}
    for each in parts:
        name, colon, path = each.partition(":")
        part = _ALSO.get(name, name)
        if part not in PARTS or (colon and (part == "headers" or not all(path.split(".")))):
            raise ValueError(f"redact must be some of {', '.join(PARTS)}, value:FIELD or key:FIELD, not {each!r}")
        if colon:
            fields.setdefault(part, []).append(path)
        else:
            whole.add(part)
    return frozenset(whole), {part: paths for part, paths in fields.items() if part not in whole}
