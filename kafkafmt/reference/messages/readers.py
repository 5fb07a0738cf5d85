"""Readers of messages: the code of the generated parsers, run with faster primitives, and plain dictionaries of it."""

import importlib
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from sys import getsizeof
from types import SimpleNamespace
from typing import Any

from kafkafmt.codec.java_text import format_uuid
from kafkafmt.errors import CorruptError
from kafkafmt.reference.messages.primitives import ELEMENT_MEMORY, STAND_INS, MessageStream
from kafkafmt.reference.messages.schema import Field, message
from kafkafmt.reference.parsers import with_globals

Read = Callable[[MessageStream, Any, Any], dict[str, Any]]
"""Reads a structure; called as a generated class is, with stream, parent and root."""

Convert = Callable[[dict[str, Any], Any, str], Any]
"""Makes data of a field: of all that was read of its structure, of what was read of it, and its name in the spec."""

_VERSION = "message_version"  # name of the parameter of specs that do not begin with the version


class _Parsed:
    """What a generated `_read` fills: its stream, its root, and the fields."""

    def __init__(self, stream: MessageStream, root: Any) -> None:
        self._io = stream
        self._root = root or self


@cache
def reader(name: str, version: int) -> Read:
    """Make what reads a message of one version, which must be known.

    What it reads of begins with the version if the message's spec does. It raises CorruptError and LimitExceededError.
    """
    kind = message(name)
    module = importlib.import_module(f"kafkafmt_specs.{kind.spec}")
    root = getattr(module, _class_name(kind.spec))
    inner = SimpleNamespace()
    globals_ = {**STAND_INS, root.__name__: inner}
    for structure, fields in _structures("", kind.fields):
        if structure:
            cls = _class_name(structure)
            setattr(inner, cls, _structure(getattr(root, cls), fields, version, globals_))
        tagged = {field.tag: field for field in fields if field.tag is not None}
        if tagged:
            readers = {}
            for tag, field in tagged.items():
                if field.first_version <= version <= field.last_version:
                    cls = _class_name(f"{structure}_{field.id}_tag")
                    readers[tag] = _structure(getattr(root, cls), (replace(field, tag=None),), version, globals_)
            setattr(inner, _class_name(f"{structure}_tagged_fields"), _tagged_fields(readers, frozenset(tagged)))
    return _structure(root, kind.fields, version, globals_)


def _class_name(identifier: str) -> str:
    return "".join(word.capitalize() for word in identifier.split("_"))


def _structures(name: str, fields: tuple[Field, ...]) -> list[tuple[str, tuple[Field, ...]]]:
    """List a structure and all inside it, by their names in the spec; the message itself has none."""
    found = [(name, fields)]
    for field in fields:
        if field.structure is not None:
            found += _structures(field.structure, field.fields)
    return found


def _structure(cls: Any, fields: tuple[Field, ...], version: int, globals_: dict[str, Any]) -> Read:
    """Make what reads a structure: the generated code, and after it the choice of what is data."""
    read = with_globals(cls._read, **globals_)
    there = [field for field in fields if field.first_version <= version <= field.last_version]
    plain = tuple((field.name, field.id) for field in there if field.tag is None)
    conversions = ((field.name, field.id, _conversion(field)) for field in there if field.tag is None)
    converted = tuple((name, identifier, convert) for name, identifier, convert in conversions if convert is not None)
    order = tuple(field.name for field in there)
    is_tagged = [field.tag is not None for field in there]
    keeps_order = is_tagged == sorted(is_tagged)
    # A list is what a field takes at most, beside what it holds.
    memory = getsizeof(dict.fromkeys(order)) + sum(
        getsizeof([]) if field.is_array else ELEMENT_MEMORY for field in there
    )

    def make(stream: MessageStream, _parent: Any, root: Any) -> dict[str, Any]:
        stream.take_memory(memory)
        parsed = _Parsed(stream, root)
        values = parsed.__dict__
        if root is None:
            values[_VERSION] = version
        read(parsed)
        # A structure that is null is not there.
        data = {name: values.get(identifier) for name, identifier in plain}
        for name, identifier, convert in converted:
            data[name] = convert(values, data[name], identifier)
        tagged = values.get("tagged_fields")
        if tagged:
            data |= tagged
            if len(tagged) > 1 or not keeps_order:
                data = {name: data[name] for name in order if name in data}
        return data

    return make


def _conversion(field: Field) -> Convert | None:
    if field.is_array:
        return _uuids if field.type == "uuid" else _array if field.is_nullable else None
    return _uuid if field.type == "uuid" else None


def _uuid(_: dict[str, Any], value: bytes, __: str) -> str:
    return format_uuid(value)


def _array(values: dict[str, Any], elements: list[Any], identifier: str) -> list[Any] | None:
    return None if values[f"num_{identifier}"].value < 0 else elements


def _uuids(values: dict[str, Any], elements: list[bytes], identifier: str) -> list[str] | None:
    return None if values[f"num_{identifier}"].value < 0 else [format_uuid(element) for element in elements]


def _tagged_fields(readers: dict[int, Read], known: frozenset[int]) -> Read:
    """Make what reads the tagged fields of a structure.

    It stands in for two generated classes, that of the fields and that of one of them, and passes over what it does not
    know without making anything of it.

    Args:
        readers: of the fields that a version has, by tag.
        known: all tags of the structure, in any version.
    """

    def read(stream: MessageStream, _parent: Any, root: Any) -> dict[str, Any]:
        data: dict[str, Any] = {}
        for _ in range(stream.read_tag_count()):
            tag = stream.read_unsigned_varint()
            value = stream.read_bytes(stream.read_unsigned_varint())
            if tag in readers:
                data |= readers[tag](stream.part(value), None, root)
            elif tag in known:
                raise CorruptError("a tagged field that this version of the message does not have", found=f"tag {tag}")
        return data

    return read
