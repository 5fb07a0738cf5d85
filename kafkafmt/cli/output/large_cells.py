"""Large cells: JSON and CSV of bytes above 1 MiB, in pieces that are together what `cells` makes of them.

As one string, text takes up to four times its bytes, and once more for each step on its way out.
"""

import base64
from collections.abc import Callable, Iterable, Iterator
from json.encoder import encode_basestring

import numpy as np
import pyarrow as pa

from kafkafmt.cli.output import cells
from kafkafmt.cli.printable import escape, escape_in_json
from kafkafmt.codec.java_text import LARGE, PIECE, boundary, text_pieces


def parts(batch: pa.RecordBatch, most_rows: int) -> Iterator[tuple[pa.RecordBatch, bool]]:
    """Divide rows into few at a time, and tell those by themselves that have a large cell."""
    begin = 0
    for row in [*sorted({row for column in batch.columns for row in large_rows(column)}), batch.num_rows]:
        for first in range(begin, row, most_rows):
            yield batch.slice(first, min(most_rows, row - first)), False
        if row < batch.num_rows:
            yield batch.slice(row, 1), True
        begin = row + 1


def json_pieces(array: pa.Array, bytes_as: str | None) -> Iterable[str]:
    """The JSON text of the only value of a column."""
    data = _large(array)
    if data is None:
        return cells.to_json(array, bytes_as)
    if bytes_as is None and not _is_text(data):
        return _enclosed('{"base64":"', _encoded(data, "base64"), '"}')
    pieces = _encoded(data, bytes_as)
    return _enclosed('"', (escape_in_json(encode_basestring(piece)[1:-1]) for piece in pieces), '"')


def csv_pieces(array: pa.Array, bytes_as: str | None, *, terminal: bool) -> Iterable[str]:
    """The CSV cell of the only value of a column."""
    data = _large(array)
    if data is None:
        return cells.to_csv(array, bytes_as, terminal=terminal)
    if bytes_as is None and not _is_text(data):
        return _enclosed('"{""base64"":""', _encoded(data, "base64"), '""}"')

    def pieces() -> Iterator[str]:
        return map(escape if terminal else str, _encoded(data, bytes_as))

    if not any(map(cells.is_quoted_in_csv, pieces())):
        return pieces()
    return _enclosed('"', (piece.replace('"', '""') for piece in pieces()), '"')


def large_rows(column: pa.Array) -> list[int]:
    """Numbers of the rows in which a column has a large cell."""
    if not pa.types.is_binary(column.type) or column.nbytes <= LARGE:
        return []
    # Not by pyarrow.compute, which takes as long to load as all that a short command does.
    offsets = np.frombuffer(column.buffers()[1], np.int32)[column.offset : column.offset + len(column) + 1]
    return [row for row in np.flatnonzero(np.diff(offsets) > LARGE).tolist() if column[row].is_valid]


def first_of(data: memoryview, bytes_as: str | None) -> bytes:
    """The first bytes of a large cell, which end with a whole character unless they are written as other than text."""
    return bytes(data[: PIECE if bytes_as in ("base64", "hex") else boundary(data, PIECE)])


def _large(array: pa.Array) -> memoryview | None:
    """The bytes of the only value of a column, if they are many."""
    return view_of(array, 0) if large_rows(array) else None


def view_of(array: pa.Array, row: int) -> memoryview:
    """The bytes of a row of a binary column where they are: a scalar of Arrow is a copy."""
    _, offsets, data = array.buffers()
    begin, end = memoryview(offsets).cast("i")[array.offset + row : array.offset + row + 2]
    return memoryview(data).cast("B")[begin:end]


def _is_text(data: memoryview) -> bool:
    try:
        for _ in text_pieces(data, "strict"):
            pass
    except UnicodeDecodeError:
        return False
    return True


def _encoded(data: memoryview, bytes_as: str | None) -> Iterator[str]:
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
