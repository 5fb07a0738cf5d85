"""Trees of the values that the Python parsers read, in the format that all programs print; compares trees."""

import importlib
from collections.abc import Iterator
from pathlib import Path

from kaitaistruct import BytesIO, KaitaiStream, KaitaiStruct, KaitaiStructError

from kafka_judge.languages.programs import class_name
from web_ide.trees import Tree, error_name, same_number

WITHOUT_MISSING = frozenset({"go", "rust"})
"""Languages in which a field that a spec leaves out is 0 or empty."""

_UNKNOWN_IS_NULL = frozenset({"compression"})
"""Enumerations that have numbers without a name: Java gives null for such a number."""

_ZEROS: tuple[object, ...] = (0, 0.0, False, "", [], None)
_UINT64 = 2**64


def python_tree(spec: str, path: Path, arguments: tuple[int, ...] = ()) -> dict[str, Tree]:
    """Parse a file with the generated parser of a spec.

    Args:
        spec: id of the spec.
        path: the file.
        arguments: the spec's parameters.

    Returns:
        `tree`, if the file could be parsed, and `error`: null, or the kind of the error.
    """
    cls = getattr(importlib.import_module(f"kafkafmt_specs.{spec}"), class_name(spec))
    try:
        root = cls(*arguments, KaitaiStream(BytesIO(path.read_bytes())))
    except KaitaiStructError as caught:
        return {"error": error_name(caught)}
    return {"tree": _tree(root), "error": None}


def _tree(value: object) -> Tree:
    if isinstance(value, KaitaiStruct):
        tree = {_plain(name): _tree(field) for name, field in vars(value).items() if not name.startswith("_")}
        for name, instance in vars(type(value)).items():
            if isinstance(instance, property):
                try:
                    read = getattr(value, name)
                except KaitaiStructError as error:
                    tree[_plain(name)] = {"error": error_name(error)}
                else:
                    if read is not None:
                        tree[_plain(name)] = _tree(read)
        return tree
    if isinstance(value, list):
        return [_tree(item) for item in value]
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, int) and not isinstance(value, bool):
        return int(value)  # an enum's number
    return value


def _plain(name: str) -> str:
    return name.replace("_", "").lower()


def values(tree: Tree) -> int:
    """Count the numbers, strings and byte strings of a tree."""
    if isinstance(tree, dict):
        return sum(map(values, tree.values()))
    return sum(map(values, tree)) if isinstance(tree, list) else 1


def differences(language: str, python: Tree, other: Tree, where: str = "") -> Iterator[str]:
    """Yield the differences between two trees.

    In JavaScript, integers above 2^53 are compared with `web_ide.trees.same_number`. Java has no unsigned 64-bit
    numbers, and no value for an unknown number of an enumeration. Go and Rust have no missing numbers, and Rust reads a
    negative size as a very large one.

    Yields:
        a line for each difference: its path in the tree, and both values.
    """
    if isinstance(python, dict) and isinstance(other, dict):
        for name in sorted(python.keys() | other.keys()):
            if name in python and name in other:
                yield from differences(language, python[name], other[name], f"{where}/{name}")
            elif name in python:
                is_lost = language == "go" and name == "data" and isinstance(python[name], str)  # unknown tag
                if not is_lost and (language != "java" or name not in _UNKNOWN_IS_NULL):
                    yield f"{where}/{name}: only in Python"
            elif language not in WITHOUT_MISSING or other[name] not in _ZEROS:
                yield f"{where}/{name}: only in {language}"
    elif isinstance(python, list) and isinstance(other, str) and language in WITHOUT_MISSING:
        yield from differences(language, bytes(python).hex(), other, where)  # these languages have bytes as a list
    elif isinstance(python, list) and isinstance(other, list):
        if len(python) != len(other):
            yield f"{where}: {len(python)} elements in Python, {len(other)} in {language}"
        for i, (one, another) in enumerate(zip(python, other, strict=False)):
            yield from differences(language, one, another, f"{where}[{i}]")
    elif not _same(language, python, other):
        yield f"{where}: {python!r} in Python, {other!r} in {language}"


def _same(language: str, python: Tree, other: Tree) -> bool:
    if type(python) is int and type(other) in (int, float):
        if language == "javascript":
            return same_number(python, other)
        return (python - other) % _UINT64 == 0 if language == "java" else bool(python == other)
    if type(python) is float and type(other) in (int, float):
        return bool(python == other)
    if language == "rust" and python == "RangeError":
        return bool(other == "EOFError")
    return type(python) is type(other) and bool(python == other)
