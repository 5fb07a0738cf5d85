"""Cells: the text of values in JSON, in CSV and in a table. One function for each form, a column at a time.

Structs and maps are JSON everywhere, with spaces in a table. Times are integer ms in JSON and CSV, and ISO 8601 in UTC
in a table, and inside structs and lists. Bytes are text if they are UTF-8, and otherwise {"base64": ".."} or, in a
table, text with escapes; `bytes_as` always makes them one kind of string. Bytes above 1 MiB are written in pieces in
JSON and CSV: as one string, text takes up to four times its bytes, and again for each step.

Tables avoid Arrow's compute functions, which take longer to load than a few rows take to show; for many rows they are
faster.
"""

import base64
import json
import re
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from json.encoder import encode_basestring
from typing import Any

import numpy as np
import pyarrow as pa

from kafkafmt.cli.printable import escape, escape_in_json
from kafkafmt.codec.java_text import LARGE, PIECE, boundary, decode_utf8, text_pieces
from kafkafmt.plain_values import plain_values, text_or_base64
from kafkafmt.times import NAMED_SECONDS

_MILLISECOND = pa.timestamp("ms")

_HEADER = {"key", "value"}

_QUOTED_IN_CSV = re.compile('[",\r\n]')

_ENCODE_BYTES: dict[str, Callable[[bytes], str]] = {
    "utf8": decode_utf8,
    "base64": lambda data: base64.b64encode(data).decode("ascii"),
    "hex": bytes.hex,
}


def to_json(array: pa.Array, bytes_as: str | None = None) -> list[str]:
    """JSON text of each value of a column; `null` for null."""
    if array.null_count == len(array):
        return ["null"] * len(array)
    if _is_plain(array.type):
        return _as_text(array).fill_null("null").to_pylist()  # type: ignore[no-any-return]
    values = python_values(array, bytes_as)
    if pa.types.is_string(array.type) or pa.types.is_binary(array.type):
        texts = [
            "null" if value is None else encode_basestring(value) if isinstance(value, str) else _dump(value)
            for value in values
        ]
    else:
        texts = ["null" if value is None else _dump(value) for value in values]
    return [*map(escape_in_json, texts)]


def to_csv(array: pa.Array, bytes_as: str | None = None, *, terminal: bool = False) -> list[str]:
    """CSV cell of each value of a column: empty for null, and `""` for an empty string (RFC 4180 quoting).

    Args:
        array: the column.
        bytes_as: how bytes are written.
        terminal: whether characters that are unsafe on a terminal are escaped.
    """
    if array.null_count == len(array):
        return [""] * len(array)
    if _is_plain(array.type):
        return _as_text(array).fill_null("").to_pylist()  # type: ignore[no-any-return]
    values = python_values(array, bytes_as)
    texts = [value if value is None or isinstance(value, str) else _dump(value) for value in values]
    if terminal:
        texts = [text if text is None else escape(text) for text in texts]
    return ["" if text is None else csv_cell(text) for text in texts]


def csv_cell(text: str) -> str:
    """Text as a CSV cell, quoted if necessary; an empty text is quoted, to differ from null."""
    if text and not is_quoted_in_csv(text):
        return text
    return '"' + text.replace('"', '""') + '"'


def is_quoted_in_csv(text: str) -> bool:
    """Whether a CSV cell that contains this text must be quoted."""
    return _QUOTED_IN_CSV.search(text) is not None


def to_table(array: pa.Array, bytes_as: str | None = None) -> list[str]:
    """Table cell of each value of a column, safe for a terminal."""
    if array.null_count == len(array):
        return ["null"] * len(array)
    if pa.types.is_timestamp(array.type):
        return _iso_times(array)
    if pa.types.is_boolean(array.type):
        return ["null" if value is None else "true" if value else "false" for value in array.to_pylist()]
    if pa.types.is_integer(array.type):
        return ["null" if value is None else str(value) for value in array.to_pylist()]
    if pa.types.is_binary(array.type):
        encode = _ENCODE_BYTES[bytes_as] if bytes_as else _with_escapes
        return ["null" if value is None else escape(encode(value)) for value in array.to_pylist()]
    if pa.types.is_string(array.type):
        return ["null" if value is None else escape(value) for value in array.to_pylist()]
    return ["null" if value is None else escape(_nested(value)) for value in plain_values(array, _in_table(bytes_as))]


def python_values(array: pa.Array, bytes_as: str | None = None) -> list[Any]:
    """Values that JSON can hold: bytes as strings or {"base64": ".."}, numbers exact.

    Inside structs, lists and maps times are ISO 8601. A map with text as keys is an object, else a list of pairs.
    """
    return plain_values(array, _ENCODE_BYTES[bytes_as] if bytes_as else text_or_base64)


def _with_escapes(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")


def _in_table(bytes_as: str | None) -> Callable[[bytes], str]:
    return _ENCODE_BYTES[bytes_as] if bytes_as else _with_escapes


def _is_plain(kind: pa.DataType) -> bool:
    """Whether Arrow writes values of this type as JSON does."""
    return bool(
        pa.types.is_integer(kind)
        or pa.types.is_boolean(kind)
        or pa.types.is_timestamp(kind)
        or (pa.types.is_decimal(kind) and kind.scale >= 0)
    )


def _as_text(array: pa.Array) -> pa.Array:
    plain = _milliseconds(array) if pa.types.is_timestamp(array.type) else array
    return plain.cast(pa.string())


def _milliseconds(array: pa.Array) -> pa.Array:
    return array.cast(pa.timestamp("ms", array.type.tz), safe=False).cast(pa.int64())


def _iso_times(array: pa.Array) -> list[str]:
    if array.type.unit != _MILLISECOND.unit:
        array = _milliseconds(array)
    milliseconds = array.view(pa.int64()).to_pylist()
    is_shown = [moment is not None and moment // 1000 in NAMED_SECONDS and moment != -1 for moment in milliseconds]
    shown = [moment if is_date else 0 for moment, is_date in zip(milliseconds, is_shown, strict=True)]
    dates = np.datetime_as_string(np.array(shown, "M8[ms]"), unit="ms").tolist()
    return [
        f"{date}Z" if is_date else "null" if moment is None else str(moment)
        for date, is_date, moment in zip(dates, is_shown, milliseconds, strict=True)
    ]


def _nested(value: Any) -> str:  # noqa: ANN401 - any value
    """A list as its items, a struct or map as JSON with spaces for people, and other values as text."""
    return ", ".join(map(_item, value)) if isinstance(value, list) else _single(value)


def _item(value: Any) -> str:  # noqa: ANN401 - any value
    if isinstance(value, dict) and value.keys() == _HEADER:
        # The form in which the console consumer prints headers.
        return f"{value['key']}={_nested(value['value'])}"
    return _single(value)


def _single(value: Any) -> str:  # noqa: ANN401 - any value
    if value is None or isinstance(value, (bool, int, float, dict, list, tuple)):
        return json.dumps(value, ensure_ascii=False, default=_plain_text)
    return _plain_text(value)


def _dump(value: Any) -> str:  # noqa: ANN401 - any JSON value
    # Types that only a query returns, such as dates and times of day, are text.
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_plain_text)


def _plain_text(value: object) -> str:
    return format(value, "f") if isinstance(value, Decimal) else str(value)


def parts(batch: pa.RecordBatch, most_rows: int) -> Iterator[tuple[pa.RecordBatch, bool]]:
    """Divide rows into small groups; a row with a large cell is a group of its own, marked with True."""
    begin = 0
    for row in [*sorted({row for column in batch.columns for row in large_rows(column)}), batch.num_rows]:
        for first in range(begin, row, most_rows):
            yield batch.slice(first, min(most_rows, row - first)), False
        if row < batch.num_rows:
            yield batch.slice(row, 1), True
        begin = row + 1


def json_pieces(array: pa.Array, bytes_as: str | None) -> Iterable[str]:
    """The JSON text of a column's only value, in pieces."""
    data = _large(array)
    if data is None:
        return to_json(array, bytes_as)
    if bytes_as is None and not _is_text(data):
        return _enclosed('{"base64":"', _encoded_pieces(data, "base64"), '"}')
    pieces = _encoded_pieces(data, bytes_as)
    return _enclosed('"', (escape_in_json(encode_basestring(piece)[1:-1]) for piece in pieces), '"')


def csv_pieces(array: pa.Array, bytes_as: str | None, *, terminal: bool) -> Iterable[str]:
    """The CSV cell of a column's only value, in pieces."""
    data = _large(array)
    if data is None:
        return to_csv(array, bytes_as, terminal=terminal)
    if bytes_as is None and not _is_text(data):
        return _enclosed('"{""base64"":""', _encoded_pieces(data, "base64"), '""}"')

    def pieces() -> Iterator[str]:
        return map(escape if terminal else str, _encoded_pieces(data, bytes_as))

    if not any(map(is_quoted_in_csv, pieces())):
        return pieces()
    return _enclosed('"', (piece.replace('"', '""') for piece in pieces()), '"')


def large_rows(column: pa.Array) -> list[int]:
    """Numbers of the rows in which a column has a large cell."""
    if not pa.types.is_binary(column.type) or column.nbytes <= LARGE:
        return []
    # Not with pyarrow.compute, which takes as long to load as a whole short command.
    offsets = np.frombuffer(column.buffers()[1], np.int32)[column.offset : column.offset + len(column) + 1]
    return [row for row in np.flatnonzero(np.diff(offsets) > LARGE).tolist() if column[row].is_valid]


def first_of(data: memoryview, bytes_as: str | None) -> bytes:
    """The first bytes of a large cell, ending with a whole character if they are written as text."""
    return bytes(data[: PIECE if bytes_as in ("base64", "hex") else boundary(data, PIECE)])


def _large(array: pa.Array) -> memoryview | None:
    """The bytes of a column's only value, if it is large; else None."""
    return view_of(array, 0) if large_rows(array) else None


def view_of(array: pa.Array, row: int) -> memoryview:
    """A view of the bytes of a row in a binary column, as a scalar of Arrow is a copy."""
    _, offsets, data = array.buffers()
    begin, end = memoryview(offsets).cast("i")[array.offset + row : array.offset + row + 2]
    return memoryview(data).cast("B")[begin:end]


def _is_text(data: memoryview) -> bool:
    try:
        for _ in text_pieces(data, bytes.decode):
            pass
    except UnicodeDecodeError:
        return False
    return True


def _encoded_pieces(data: memoryview, bytes_as: str | None) -> Iterator[str]:
    if bytes_as in ("base64", "hex"):
        encode: Callable[[memoryview], str] = memoryview.hex if bytes_as == "hex" else _base64
        return (encode(data[begin : begin + PIECE]) for begin in range(0, len(data), PIECE))
    return text_pieces(data)


def _base64(data: memoryview) -> str:
    return base64.b64encode(data).decode("ascii")


def _enclosed(first: str, pieces: Iterable[str], last: str) -> Iterator[str]:
    yield first
    yield from pieces
    yield last
