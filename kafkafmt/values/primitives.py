"""Keys and values without a schema: the numbers and texts of Kafka's own serializers, and JSON; and their detection.

Sources: `IntegerDeserializer`, `LongDeserializer`, `UUIDDeserializer`, .. of org.apache.kafka.common.serialization.
"""

import json
import re
import struct
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import pyarrow as pa

from kafkafmt.errors import CorruptError, DataError, LimitExceededError

_CONTROLS: Final = frozenset(map(chr, range(32))) - set("\t\n\r")
_UUID: Final = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


def _number(name: str, layout: str) -> Callable[[bytes], Any]:
    form = struct.Struct(layout)

    def decode(data: bytes) -> Any:  # noqa: ANN401 - a number
        if len(data) != form.size:
            raise CorruptError(f"wrong number of bytes for {name}", expected=form.size, found=len(data))
        return form.unpack(data)[0]

    return decode


def text_of(data: bytes) -> str:
    """Text in UTF-8.

    Raises:
        CorruptError: the bytes are not UTF-8.
    """
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise CorruptError(f"not valid UTF-8: {error.reason}", position=error.start) from error


def json_of(data: bytes, integer: Callable[[str], object] = int) -> object:
    """The value of JSON text in UTF-8 according to RFC 8259: without NaN and Infinity.

    Args:
        data: the text.
        integer: makes integers; `int` refuses those of more than 4,300 digits, `str` none.

    Raises:
        CorruptError: the bytes are not JSON in UTF-8.
        LimitExceededError: the JSON is nested too deeply.
    """
    text = text_of(data.removeprefix(b"\xef\xbb\xbf"))
    try:
        return json.loads(text, parse_int=integer, parse_constant=_refuse)
    except RecursionError as error:
        raise LimitExceededError("JSON is nested too deeply") from error
    except ValueError as error:
        raise CorruptError(f"not JSON: {error}") from error


def _refuse(name: str) -> object:
    raise ValueError(f"{name} is not a JSON number")


def _json_text(data: bytes) -> str:
    json_of(data, str)
    return text_of(data.removeprefix(b"\xef\xbb\xbf"))


def _boolean(data: bytes) -> bool:
    if data not in (b"\0", b"\1"):
        raise CorruptError("not a boolean: neither 0 nor 1", found=data[:8].hex())
    return data == b"\1"


def _uuid(data: bytes) -> str:
    text = text_of(data)
    if not _UUID.fullmatch(text):
        raise CorruptError("no UUID", found=text[:80])
    return text.lower()


PRIMITIVES: Final[Mapping[str, tuple[pa.DataType, Callable[[bytes], Any]]]] = {
    "bytes": (pa.binary(), lambda data: data),
    "string": (pa.string(), text_of),
    "json": (pa.string(), _json_text),
    "short": (pa.int16(), _number("short", ">h")),
    "int": (pa.int32(), _number("int", ">i")),
    "long": (pa.int64(), _number("long", ">q")),
    "float": (pa.float32(), _number("float", ">f")),
    "double": (pa.float64(), _number("double", ">d")),
    "boolean": (pa.bool_(), _boolean),
    "uuid": (pa.string(), _uuid),
}
"""Arrow type and decoding function of each format, by name; the function may raise `CorruptError`."""


def plain_format(values: Sequence[bytes]) -> str:
    """The format that fits all of some keys or values.

    Args:
        values: the first keys or values.

    Returns:
        "json" if all are objects or arrays, as other text may be JSON by chance, such as a number; "string" if all are
        text without control characters; else "bytes".
    """
    if values and all(map(_is_document, values)):
        return "json"
    return "string" if values and all(map(_is_text, values)) else "bytes"


def _is_document(data: bytes) -> bool:
    try:
        return isinstance(json_of(data, str), (dict, list))
    except DataError:
        return False


def _is_text(data: bytes) -> bool:
    try:
        return not _CONTROLS.intersection(text_of(data))
    except DataError:
        return False
