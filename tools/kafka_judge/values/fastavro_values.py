"""Compares Avro values that fastavro reads with Java's, and names the known differences."""

import json
import struct
from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Iterator
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final

import fastavro
from fastavro.schema import SchemaParseException

if TYPE_CHECKING:
    from fastavro.types import Schema

Json = Any

_MADE_FOR_LOGICAL: Final = ("logicalType", "precision", "scale")
_NOT_UTF8: Final = "bytes that become a string are not UTF-8: Java has U+FFFD, fastavro refuses them"
_DEFINED_TWICE: Final = "the same type is defined twice: Java takes it, fastavro refuses the schema"
_NAMESPACE: Final = "a record of another namespace in a union: Java compares full names, fastavro the last part"
_OLD_FIELD: Final = "a new field has the old name of a renamed one: Java reads the alias, fastavro the name"
_OLD_RECORD: Final = "a new record has the old name of a renamed one: Java takes the first, fastavro the name"
_STRUCTURE: Final = "a record in a union has another name: Java takes a branch of its structure, fastavro refuses it"
_KNOWN: Final = (_NOT_UTF8, _DEFINED_TWICE, _STRUCTURE, _NAMESPACE, _OLD_FIELD, _OLD_RECORD)
_BRANCHES: Final = ((str, "string"), (bool, "boolean"), (int, "long"), (float, "double"))


class FastavroDifferences:
    """Compares fastavro with Java.

    Attributes:
        compared: number of values compared.
        known: number of values for each known difference, zeros included.
    """

    def __init__(self) -> None:
        self.compared = 0
        self.known = Counter(dict.fromkeys(_KNOWN, 0))

    def of_pair(self, written: Json, grown: Json, rows: list[list[str]]) -> Iterator[str]:
        """The unknown differences for a pair of schemas.

        Args:
            written: the writer's schema.
            grown: the reader's schema.
            rows: for each value its bytes and what Java reads, as in the output of ValueJudge.java.
        """
        if len(rows[0]) == 1:
            return
        for to, column in ((written, 1), (grown, 2)):
            pair = FastavroPair(written, to)
            names = [name for name, is_found in _names_taken(to).items() if is_found]
            for row in rows:
                said = (
                    row[column] if row[column].startswith("!") else json.dumps(json.loads(row[column]), sort_keys=True)
                )
                found = pair.value(b64decode(row[0]))
                self.compared += 1
                if found == said or found[0] == said[0] == "!":
                    continue
                if name := _name_of(said, found, names):
                    self.known[name] += 1
                else:
                    yield f"{row[0]}: {found} by fastavro, expecting {said}"

    def unneeded(self) -> list[str]:
        """A finding for each known difference that no value showed."""
        return [f"fastavro: {name}: no value has this difference" for name, count in self.known.items() if not count]


class FastavroPair:
    """A pair of schemas in fastavro.

    Args:
        written: the writer's schema.
        read: the reader's schema.
    """

    def __init__(self, written: Json, read: Json) -> None:
        self._reader = _without_logical(read)
        self._parsed: tuple[Schema, Schema] | None = None
        self._refused = ""
        try:
            schemas = _without_logical(written), self._reader
            self._parsed = fastavro.parse_schema(schemas[0]), fastavro.parse_schema(schemas[1])
        except SchemaParseException as error:
            self._refused = f"! SchemaParseException: {error}"

    def value(self, data: bytes) -> str:
        """A resolved value in the JSON of ValueJudge.java, with sorted names; or "! " and the error."""
        if self._parsed is None:
            return self._refused
        try:
            value = fastavro.schemaless_reader(BytesIO(data), *self._parsed, return_record_name=True)
        except Exception as error:  # noqa: BLE001 - its errors have no common base class
            return f"! {type(error).__name__}: {error}"
        return json.dumps(_shown(self._reader, value), sort_keys=True)


def _name_of(said: str, found: str, taken: list[str]) -> str | None:
    """The name of a known difference; None for an unknown one.

    Args:
        said: the answer of Java.
        found: the answer of fastavro.
        taken: those of `_OLD_FIELD` and `_OLD_RECORD` that the reader's schema may cause.
    """
    if not found.startswith("!"):
        if '"other.' in found and ("expecting union" in said or not said.startswith("!")):
            return _NAMESPACE
        return _OLD_RECORD if _OLD_RECORD in taken and not said.startswith("!") else None
    if said.startswith("!"):
        return None
    if found.startswith("! UnicodeDecodeError"):
        return _NOT_UTF8 if json.dumps("\ufffd")[1:-1] in said else None
    if found.startswith("! SchemaParseException: redefined named type"):
        return _DEFINED_TWICE
    if found.startswith("! SchemaResolutionError: schema mismatch: [") and " not found in [" in found:
        return _STRUCTURE
    return _OLD_FIELD if found.startswith("! SchemaResolutionError") and _OLD_FIELD in taken else None


def _names_taken(schema: Json) -> dict[str, bool]:
    """Whether a field or a branch of a union has a name that is also an alias of another one, for each difference."""
    taken = {_OLD_FIELD: False, _OLD_RECORD: False}
    inside = [schema]
    while inside:
        each = inside.pop()
        if isinstance(each, dict):
            taken[_OLD_FIELD] |= _has_taken(each.get("fields", []))
            inside += [each.get("type"), each.get("items"), each.get("values"), *each.get("fields", [])]
        elif isinstance(each, list):
            taken[_OLD_RECORD] |= _has_taken([branch for branch in each if isinstance(branch, dict)])
            inside += each
    return taken


def _has_taken(named: list[Json]) -> bool:
    return not {each.get("name") for each in named}.isdisjoint(old for each in named for old in each.get("aliases", ()))


def _without_logical(schema: Json) -> Json:
    if isinstance(schema, dict):
        return {name: _without_logical(each) for name, each in schema.items() if name not in _MADE_FOR_LOGICAL}
    return [*map(_without_logical, schema)] if isinstance(schema, list) else schema


def _shown(schema: Json, value: Any) -> Json:  # noqa: ANN401 - JSON
    if isinstance(schema, list):
        return _shown_branch(schema, value)
    match schema if isinstance(schema, str) else schema["type"]:
        case "record":
            value = value[1] if isinstance(value, tuple) else value
            return {each["name"]: _shown(each["type"], value[each["name"]]) for each in schema["fields"]}
        case "array":
            return [_shown(schema["items"], each) for each in value]
        case "map":
            return {name: _shown(schema["values"], each) for name, each in value.items()}
        case "bytes" | "fixed":
            return {"bytes": b64encode(value.encode("latin-1") if isinstance(value, str) else value).decode()}
        case "float" | "double" as kind:
            value = struct.unpack("<f", struct.pack("<f", float(value)))[0] if kind == "float" else float(value)
            return {"bits": struct.unpack(">q", struct.pack(">d", value))[0]}
        case inner if not isinstance(inner, str):
            return _shown(inner, value)
    return value


def _shown_branch(union: list[Json], value: Any) -> Json:  # noqa: ANN401 - JSON
    inner = [each for each in union if each != "null"]
    if value is None or len(inner) < 2:
        return None if value is None else _shown(inner[0], value)
    if isinstance(value, tuple):
        (branch,) = [each for each in inner if isinstance(each, dict) and _full_name(each) == value[0]]
        return {value[0]: _shown(branch, value)}
    name = next(name for kind, name in _BRANCHES if isinstance(value, kind))
    return {name: _shown(name, value)}


def _full_name(schema: Json) -> str:
    return ".".join(schema[each] for each in ("namespace", "name") if each in schema)
