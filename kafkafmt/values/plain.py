"""What keys and values without a framing look like."""

from collections.abc import Sequence
from typing import Final

from kafkafmt.errors import DataError
from kafkafmt.values.primitives import json_of, text_of

_CONTROLS: Final = frozenset(map(chr, range(32))) - set("\t\n\r")


def plain_format(values: Sequence[bytes]) -> str:
    """The format that all of some keys or values have.

    Args:
        values: the first ones.

    Returns:
        "json" if all are objects or arrays, for a text may be a number of JSON by chance; "string" if all are text
        without control characters; else "bytes".
    """
    if values and all(map(_is_document, values)):
        return "json"
    return "string" if values and all(map(_is_text, values)) else "bytes"


def _is_document(data: bytes) -> bool:
    try:
        return isinstance(json_of(data), (dict, list))
    except DataError:
        return False


def _is_text(data: bytes) -> bool:
    try:
        return not _CONTROLS.intersection(text_of(data))
    except DataError:
        return False
