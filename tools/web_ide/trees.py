"""Trees of the values that the Python parsers read, and their comparison with those of JavaScript."""

import importlib
import math
from collections.abc import Iterator
from enum import IntEnum
from pathlib import Path
from typing import Any

from kaitaistruct import (
    BytesIO,
    EndOfStreamError,
    InvalidArgumentError,
    KaitaiStream,
    KaitaiStruct,
    KaitaiStructError,
    ValidationFailedError,
)

Tree = Any
"""JSON: an object is a dict of its fields and instances, bytes are hex, an enum's value is its name."""

# Above this, JavaScript's numbers cannot represent every integer.
EXACT_BELOW = 2**53


def python_tree(spec: str, path: Path, arguments: tuple[int, ...] = ()) -> dict[str, Tree]:
    """Parse a file with the generated parser of a spec.

    Args:
        spec: id of the spec.
        path: the file.
        arguments: the spec's parameters.

    Returns:
        `tree`, the part that could be parsed, and `error`: null, or the kind of the error by its name in JavaScript.
    """
    module = importlib.import_module(f"kafkafmt_specs.{spec}")
    cls = getattr(module, "".join(word.capitalize() for word in spec.split("_")))
    root = cls.__new__(cls)
    error = None
    try:
        root.__init__(*arguments, KaitaiStream(BytesIO(path.read_bytes())))  # keeps the fields before an error
    except KaitaiStructError as caught:
        error = error_name(caught)
    return {"tree": _tree(root), "error": error}


def error_name(error: KaitaiStructError) -> str:
    """Name of an error in the JavaScript runtime."""
    if isinstance(error, EndOfStreamError):
        return "EOFError"
    if isinstance(error, InvalidArgumentError):
        return "RangeError"  # a negative size
    if isinstance(error, ValidationFailedError):
        return type(error).__name__
    raise error


def _tree(value: object) -> Tree:
    if isinstance(value, KaitaiStruct):
        tree = {name: _tree(field) for name, field in vars(value).items() if not name.startswith("_")}
        for name, instance in vars(type(value)).items():
            if isinstance(instance, property):
                try:
                    read = getattr(value, name)
                except KaitaiStructError as error:
                    tree[name] = {"error": error_name(error)}
                else:
                    if read is not None:
                        tree[name] = _tree(read)
        return tree
    if isinstance(value, list):
        return [_tree(item) for item in value]
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, IntEnum):
        return value.name
    return value


def differences(python: Tree, javascript: Tree, where: str = "") -> Iterator[str]:
    """Yield the differences between two trees; integers are compared with `same_number`.

    Yields:
        a line for each difference: its path in the tree, and both values.
    """
    if isinstance(python, dict) and isinstance(javascript, dict):
        for name in sorted(python.keys() | javascript.keys()):
            if name not in python or name not in javascript:
                yield f"{where}/{name}: only in {'Python' if name in python else 'JavaScript'}"
            else:
                yield from differences(python[name], javascript[name], f"{where}/{name}")
    elif isinstance(python, list) and isinstance(javascript, list):
        if len(python) != len(javascript):
            yield f"{where}: {len(python)} elements in Python, {len(javascript)} in JavaScript"
        for i, (one, other) in enumerate(zip(python, javascript, strict=False)):
            yield from differences(one, other, f"{where}[{i}]")
    elif type(python) is int and type(javascript) in (int, float):
        if not same_number(python, javascript):
            yield f"{where}: {python} in Python, {javascript} in JavaScript"
    elif type(python) is float and type(javascript) in (int, float):
        if python != float(javascript):
            yield f"{where}: {python} in Python, {javascript} in JavaScript"
    elif python != javascript or type(python) is not type(javascript):
        yield f"{where}: {python!r} in Python, {javascript!r} in JavaScript"


def same_number(exact: int, number: float) -> bool:
    """Whether `number` is as close to an integer as JavaScript can come.

    JavaScript's numbers are doubles. Up to 2^53 they must be exact. Above that, `number` must be within two units in
    the last place of a double (a varlong is a sum of up to ten terms, and each one rounds). Such a field is still
    tested: the bytes of a varlong are compared one by one, and a fixed 64-bit field below -2^31 must be what the
    JavaScript runtime makes of its two halves, which is wrong by 2^32 if the lower half is less than 2^31.
    """
    double = float(number)  # JSON has the shortest digits that identify the double
    off = 0.0 if abs(exact) <= EXACT_BELOW else 2 * math.ulp(float(exact))
    return abs(double - float(exact)) <= off or (exact < -(2**31) and double == _runtime_s8(exact))


def _runtime_s8(exact: int) -> float:
    """Compute the value that the JavaScript runtime 0.11 reads for a negative 64-bit integer."""
    complement = ~exact
    low = complement & 0xFFFFFFFF
    signed_low = low - 2**32 if low >= 2**31 else low
    return -(float(2**32) * (complement >> 32) + signed_low) - 1
