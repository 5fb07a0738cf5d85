"""Codec of one message of Kafka's protocol in one version: from bytes to a dictionary, and back.

A dictionary has the fields by the names of Kafka's schemas: `{"ErrorCode": 0, "Topics": [..]}`. When encoding, a
missing field gets the schema's default, and a field that the version does not have is left out. Integers, booleans and
floats are Python's, a uuid is a `UUID`, an array a list, a structure a dictionary. Bytes and records are decoded as
memoryviews of the data, and encoded from one buffer or a sequence of buffers. `message` composes the functions of a
message from its schema once; a run of fields of fixed size is one call of `struct`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from struct import Struct, pack
from typing import Any
from uuid import UUID

from kafkafmt.errors import CorruptError
from kafkafmt.protocol.message_bytes import Buffer, MessageReader, MessageWriter, Part
from kafkafmt.protocol.schemas import Schema, messages, versions

Value = dict[str, Any]
"""The fields of a message or structure, by name."""

_CODES = {
    "int8": "b",
    "int16": "h",
    "uint16": "H",
    "int32": "i",
    "uint32": "I",
    "int64": "q",
    "float64": "d",
    "bool": "?",
}
_MOST_UUIDS = 1024
"""Topic ids kept as objects: finding an object is faster than making it, and each Fetch has topic ids."""
_INT16, _INT32 = Struct(">h"), Struct(">i")

Decode = Callable[[MessageReader], Any]
Encode = Callable[[MessageWriter, Any], None]


@dataclass(frozen=True, slots=True)
class MessageCodec:
    """The functions of one message in one version.

    Attributes:
        decode: decodes the message at a reader's position. Raises `CorruptError` for bytes that are not such a message.
        encode: appends the message to a writer.
    """

    decode: Callable[[MessageReader], Value]
    encode: Callable[[MessageWriter, Value], None]


@dataclass(frozen=True, slots=True)
class Encoded:
    """An element of an array of structures that is already encoded, in place of the structure.

    Attributes:
        data: the element's bytes.
    """

    data: bytes


@cache
def message(name: str, version: int) -> MessageCodec:
    """The functions of a message in a version, such as "MetadataResponse" in version 12.

    Raises:
        KeyError: Kafka has no such message.
    """
    schema = messages()[name]
    return MessageCodec(*_Composer(schema, version).structure(schema["fields"]))


@cache
def element_encoder(name: str, version: int, array: str) -> Callable[[Value], Encoded]:
    """The function that encodes an element of an array of structures in a message: "Topics" of "MetadataResponse".

    Raises:
        KeyError: Kafka has no such message.
    """
    schema = messages()[name]
    (field,) = (field for field in schema["fields"] if field["name"] == array)
    _, write = _Composer(schema, version).element(field)

    def encode(value: Value) -> Encoded:
        out = MessageWriter()
        write(out, value)
        return Encoded(out.joined())

    return encode


class _Composer:
    """Composes the functions of one message in one version."""

    def __init__(self, schema: Schema, version: int) -> None:
        self._structures = {each["name"]: each["fields"] for each in schema.get("commonStructs", ())}
        self._version = version
        self._is_flexible = version in versions(schema["flexibleVersions"])

    def structure(
        self, fields: Sequence[Schema]
    ) -> tuple[Callable[[MessageReader], Value], Callable[[MessageWriter, Value], None]]:
        present = [field for field in fields if self._version in versions(field.get("versions"))]
        tagged = [field for field in present if self._version in versions(field.get("taggedVersions"))]
        steps = [self._step(run) for run in _runs([field for field in present if field not in tagged])]
        reads = [read for read, _ in steps]
        writes = [write for _, write in steps]
        if self._is_flexible:
            read_tags, write_tags = self._tags(tagged, {field["tag"] for field in fields if "tag" in field})
            reads.append(read_tags)
            writes.append(write_tags)

        def decode(source: MessageReader) -> Value:
            value: Value = {}
            for read in reads:
                read(source, value)
            return value

        def encode(out: MessageWriter, value: Value) -> None:
            for write in writes:
                write(out, value)

        return decode, encode

    def _step(
        self, run: Sequence[Schema]
    ) -> tuple[Callable[[MessageReader, Value], None], Callable[[MessageWriter, Value], None]]:
        """The functions of one field, or of a run of fields of fixed size."""
        names = [str(field["name"]) for field in run]
        defaults = [(str(field["name"]), self._default(field)) for field in run]
        if run[0]["type"] in _CODES:
            layout = Struct(">" + "".join(_CODES[field["type"]] for field in run))

            def read_all(source: MessageReader, value: Value) -> None:
                value.update(zip(names, source.unpack(layout), strict=True))

            def write_all(out: MessageWriter, value: Value) -> None:
                get = value.get
                out.buffer += layout.pack(*[get(name, default) for name, default in defaults])

            return read_all, write_all
        read, write = self._field(run[0])
        ((name, default),) = defaults

        def read_one(source: MessageReader, value: Value) -> None:
            value[name] = read(source)

        def write_one(out: MessageWriter, value: Value) -> None:
            write(out, value.get(name, default))

        return read_one, write_one

    def _tags(
        self, fields: Sequence[Schema], tags: set[int]
    ) -> tuple[Callable[[MessageReader, Value], None], Callable[[MessageWriter, Value], None]]:
        """The functions of tagged fields (KIP-482); fields with their default are not written, unknown ones skipped.

        Args:
            fields: tagged fields of this version.
            tags: tags of all versions. Kafka refuses a tag that this version does not have.
        """
        known = {
            field["tag"]: (str(field["name"]), *self._field(field, is_tagged=True), self._default(field))
            for field in sorted(fields, key=lambda field: int(field["tag"]))
        }

        defaults = {name: default for name, _, _, default in known.values()}
        written = [(tag, name, write_one, default) for tag, (name, _, write_one, default) in known.items()]

        def read(source: MessageReader, value: Value) -> None:
            value.update(defaults)
            for _ in range(source.varint()):
                tag, size = source.varint(), source.varint()
                begin = source.position
                if tag not in known:
                    if tag in tags:
                        raise CorruptError(f"this version has no tagged field {tag}", position=begin)
                    source.take(size)
                    continue
                name, read_one, _, _ = known[tag]
                value[name] = read_one(source)
                if source.position != begin + size:
                    raise CorruptError(
                        f"tagged field {name} has another length",
                        position=begin,
                        expected=size,
                        found=source.position - begin,
                    )

        def write(out: MessageWriter, value: Value) -> None:
            given = [
                (tag, write_one, value[name])
                for tag, name, write_one, default in written
                if name in value and value[name] != default
            ]
            out.varint(len(given))
            for tag, write_one, what in given:
                inner = MessageWriter()
                write_one(inner, what)
                out.varint(tag)
                out.varint(inner.size)
                for part in inner.parts:
                    out.add(part)

        return read, write

    def _field(self, field: Schema, *, is_tagged: bool = False) -> tuple[Decode, Encode]:
        kind: str = field["type"]
        is_compact = self._is_flexible and field.get("flexibleVersions") != "none"
        is_nullable = self._version in versions(field.get("nullableVersions"))
        if kind.startswith("[]"):
            return self._array(kind[2:], field, is_compact=is_compact, is_nullable=is_nullable)
        if kind in _CODES:
            return _fixed(_CODES[kind])
        if kind == "uuid":
            return _uuid, lambda out, value: out.buffer.extend(value.bytes)
        if kind in ("string", "bytes", "records"):
            return _sized(kind, is_compact=is_compact, is_nullable=is_nullable)
        functions = self.structure(field.get("fields") or self._structures[kind])
        return _nullable(*functions, is_tagged=is_tagged) if is_nullable else functions

    def element(self, field: Schema) -> tuple[Decode, Encode]:
        """The functions of an array's element."""
        kind = field["type"].removeprefix("[]")
        return self._field({**field, "type": kind, "nullableVersions": "none", "taggedVersions": "none"})

    def _array(self, kind: str, field: Schema, *, is_compact: bool, is_nullable: bool) -> tuple[Decode, Encode]:
        read, write = self.element(field)
        code, name = _CODES.get(kind), field["name"]
        least = Struct(f">{code}").size if code else 1

        def decode(source: MessageReader) -> list[Any] | None:
            number = source.count(least, is_compact=is_compact)
            if number is None and not is_nullable:
                raise CorruptError(f"{name} is null", position=source.position)
            return None if number is None else [read(source) for _ in range(number)]

        def encode(out: MessageWriter, value: Sequence[Any] | None) -> None:
            number = -1 if value is None else len(value)
            if is_compact:
                out.varint(number + 1)
            else:
                out.buffer += _INT32.pack(number)
            if not value:
                return
            if code:
                out.buffer += pack(f">{number}{code}", *value)
                return
            for each in value:
                if type(each) is Encoded:
                    out.add(each.data)
                else:
                    write(out, each)

        return decode, encode

    def _default(self, field: Schema) -> Any:  # noqa: ANN401 - of any type
        """The value of a missing field."""
        kind, default = field["type"], field.get("default")
        if default == "null":
            return None
        if kind.startswith("[]"):
            return []
        if kind == "uuid":
            return UUID(int=0)
        if kind == "bool":
            return str(default).lower() == "true"
        if kind == "float64":
            return float(default or 0)
        if kind in _CODES:
            return int(str(default or 0), 0)
        if kind == "string":
            return default or ""
        if kind == "records" and field.get("nullableVersions"):
            return None
        if kind in ("bytes", "records"):
            return b""
        fields = field.get("fields") or self._structures[kind]
        return {each["name"]: self._default(each) for each in fields if self._version in versions(each["versions"])}


def _runs(fields: Sequence[Schema]) -> list[list[Schema]]:
    """Runs of adjacent fields of fixed size, and each other field alone."""
    runs: list[list[Schema]] = []
    for field in fields:
        if runs and field["type"] in _CODES and runs[-1][0]["type"] in _CODES:
            runs[-1].append(field)
        else:
            runs.append([field])
    return runs


def _fixed(code: str) -> tuple[Decode, Encode]:
    layout = Struct(f">{code}")
    return lambda source: source.unpack(layout)[0], lambda out, value: out.buffer.extend(layout.pack(value))


def _uuid(source: MessageReader) -> UUID:
    return _uuid_of(bytes(source.take(16)))


@lru_cache(_MOST_UUIDS)
def _uuid_of(data: bytes) -> UUID:
    return UUID(bytes=data)


def _nullable(
    decode: Callable[[MessageReader], Value], encode: Callable[[MessageWriter, Value], None], *, is_tagged: bool
) -> tuple[Decode, Encode]:
    """The functions of a nullable structure: a tagged one begins with an unsigned varint, any other with an int8."""

    def decode_present(source: MessageReader) -> Value | None:
        is_present = source.varint() > 0 if is_tagged else source.take(1)[0] < 0x80  # an int8 below zero means null
        return decode(source) if is_present else None

    def encode_present(out: MessageWriter, value: Value | None) -> None:
        if value is None:
            out.buffer.append(0 if is_tagged else 0xFF)
            return
        out.buffer.append(1)
        encode(out, value)

    return decode_present, encode_present


def _sized(kind: str, *, is_compact: bool, is_nullable: bool) -> tuple[Decode, Encode]:
    """The functions of a string, of bytes or of records."""
    length = _INT16 if kind == "string" else _INT32

    def decode(source: MessageReader) -> str | memoryview | None:
        size: int = source.varint() - 1 if is_compact else source.unpack(length)[0]
        if size < 0:
            if is_nullable:
                return None
            raise CorruptError(f"{kind} is null where it must not be", position=source.position)
        begin = source.position
        data = source.take(size)
        if kind != "string":
            return data
        try:
            return str(data, "utf-8")
        except UnicodeDecodeError as error:
            raise CorruptError("a string is not UTF-8", position=begin) from error

    def encode(out: MessageWriter, value: str | Buffer | Sequence[Part] | None) -> None:
        if value is None:
            parts: Sequence[Part] = ()
            size = -1
        else:
            if isinstance(value, str):
                parts = (value.encode("utf-8", "replace"),)
            else:
                parts = (value,) if isinstance(value, (bytes, bytearray, memoryview)) else value
            size = sum(map(len, parts))
        if is_compact:
            out.varint(size + 1)
        else:
            out.buffer += length.pack(size)
        for part in parts:
            out.add(part)

    return decode, encode
