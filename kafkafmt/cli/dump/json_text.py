"""JSON as Kafka's tools print it: Jackson's, on one line, without spaces, in UTF-8 but for what must be escaped."""

import math
import re
from base64 import b64encode
from json.encoder import encode_basestring
from typing import Final

_ESCAPE = re.compile(r"\\(?:u[0-9a-f]{4}|.)")
_LITERALS: Final = {None: "null", True: "true", False: "false"}
# Java writes numbers from a thousandth to ten million without an exponent.
_PLAIN_FROM, _PLAIN_BELOW = 1e-3, 1e7


def as_json(value: object) -> str:
    """Print a value of dicts, lists, strings, bytes (base64), numbers, booleans and None, in the order that dicts have.

    Raises:
        TypeError: it holds something else.
    """
    parts: list[str] = []
    _write(value, parts)
    return "".join(parts)


def java_double(number: float) -> str:
    """Print a number as `Double.toString` of Java 19 and later does: the shortest decimal that reads back as it.

    Earlier ones print a digit too many of a few: Java 17 has 9.999999999999999E22 for 1.0E23.
    """
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "Infinity" if number > 0 else "-Infinity"
    if number == 0 or _PLAIN_FROM <= abs(number) < _PLAIN_BELOW:
        return repr(number)
    mantissa, exponent = f"{number:.{_digits(number) - 1}e}".split("e")
    return f"{mantissa}E{int(exponent)}"


def _digits(number: float) -> int:
    """Count the digits of the shortest decimal that reads back as a number; two are the fewest that Java writes."""
    mantissa = repr(number).partition("e")[0].lstrip("-")
    return max(2, len(mantissa.replace(".", "").strip("0")))


def _write(value: object, parts: list[str]) -> None:
    if isinstance(value, str):
        parts.append(_string(value))
    elif value is None or isinstance(value, bool):
        parts.append(_LITERALS[value])
    elif isinstance(value, int):
        parts.append(str(value))
    elif isinstance(value, dict):
        mark = "{"
        for name, each in value.items():
            parts.append(f"{mark}{_string(name)}:")
            _write(each, parts)
            mark = ","
        parts.append("}" if value else "{}")
    elif isinstance(value, list):
        mark = "["
        for each in value:
            parts.append(mark)
            _write(each, parts)
            mark = ","
        parts.append("]" if value else "[]")
    elif isinstance(value, float):
        text = java_double(value)
        parts.append(text if math.isfinite(value) else f'"{text}"')
    elif isinstance(value, bytes):
        parts.append(f'"{b64encode(value).decode("ascii")}"')
    else:
        raise TypeError(f"JSON has no {type(value).__name__}")


def _string(text: str) -> str:
    quoted: str = encode_basestring(text)
    return _ESCAPE.sub(_escape_of_jackson, quoted) if "\\" in quoted else quoted


def _escape_of_jackson(match: re.Match[str]) -> str:
    escape = match[0]
    return escape[:2] + escape[2:].upper() if escape.startswith("\\u") else escape
