"""Matches: a table cell with a match and the text around it."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kafkafmt.cli.output import cells
from kafkafmt.cli.output.aligned import ELLIPSIS
from kafkafmt.cli.printable import escape
from kafkafmt.record_columns import COLUMNS

if TYPE_CHECKING:
    import pyarrow as pa

    from kafkafmt.searching import Pattern

# Both have no width, and `escape` leaves neither in a cell.
_BEGIN, _END = "\u2061", "\u2062"
_MARKED = re.compile(f"{_BEGIN}([^{_BEGIN}{_END}{ELLIPSIS}]*){_END}?")
_COLOURED = "\x1b[1;31m\\1\x1b[0m"

_BEFORE = 24
_AFTER = 40
_LONGEST_MATCH = 120
_MOST_MATCHES = 4

_NOT_DECODED = {*COLUMNS, "kind", "error"} - {"key", "value"}


class MatchPainter:
    """Shows the first matches in keys, values and headers with the text around them.

    Args:
        pattern: the pattern whose matches are shown.
    """

    def __init__(self, pattern: "Pattern") -> None:
        self._pattern = pattern

    def cells(self, name: str, column: "pa.Array", *, is_coloured: bool) -> list[str] | None:
        """Cells of a column, with colour marks if wanted; None for columns that are not searched."""
        if name in ("key", "value"):
            return [self._cell(value, is_coloured) for value in column.to_pylist()]
        if name == "headers":
            return [self._headers(headers, is_coloured) for headers in column.to_pylist()]
        return None

    def paint(self, line: str) -> str:
        """A line with its marks replaced by colours."""
        return _MARKED.sub(_COLOURED, line).replace(_BEGIN, "").replace(_END, "") if _BEGIN in line else line

    def _cell(self, data: bytes | None, is_coloured: bool) -> str:
        if data is None:
            return "null"
        return around(data, self._pattern.spans(data), is_coloured=is_coloured)

    def _headers(self, headers: "list[dict[str, bytes | None]] | None", is_coloured: bool) -> str:
        """The headers that match."""
        if headers is None:
            return "null"
        shown = []
        for header in headers:
            parts = [header["key"], header["value"]]
            cells = [self._cell(part, is_coloured) for part in parts]
            if any(part is not None and self._pattern.spans(part) for part in parts):
                shown.append("=".join(cells))
        return ", ".join(shown)


class DecodedPainter(MatchPainter):
    """Shows the first matches in texts of decoded records with the text around them; other texts stay whole."""

    def cells(self, name: str, column: "pa.Array", *, is_coloured: bool) -> list[str] | None:
        """`MatchPainter.cells` for text columns to which a key or value was decoded."""
        if name in _NOT_DECODED or str(column.type) != "string" or cells.large_rows(column):
            return None
        shown = cells.to_table(column, None)
        for row, text in enumerate(column.to_pylist()):
            data = b"" if text is None else text.encode("utf-8", "surrogateescape")
            spans = self._pattern.spans(data)
            if spans:
                shown[row] = around(data, spans, is_coloured=is_coloured)
        return shown


def around(data: bytes, spans: Sequence[tuple[int, int]], *, is_coloured: bool) -> str:
    """A value as text; if it is long, only the first matches with the text around them.

    Args:
        data: the value.
        spans: begin and end of matches, from left to right.
        is_coloured: whether matches get colour marks.
    """
    pieces = []
    position = 0
    shown = spans[:_MOST_MATCHES]
    for number, (begin, end) in enumerate(shown):
        pieces.append(_between(data[position:begin], is_first=number == 0))
        match = _cut(_text(data[begin:end][: 4 * _LONGEST_MATCH]), _LONGEST_MATCH)
        pieces.append(f"{_BEGIN}{match}{_END}" if is_coloured else match)
        position = end
    pieces.append(_cut(_text(data[position : position + 8 * _AFTER]), _AFTER if spans else _BEFORE + _AFTER))
    return "".join(pieces)


def _between(data: bytes, *, is_first: bool) -> str:
    """The text between two matches, or before the first one."""
    first = "" if is_first else _text(data[: 4 * _AFTER])
    last = _text(data[-4 * _BEFORE :])
    most = _BEFORE if is_first else _BEFORE + _AFTER
    if len(data) <= 4 * _BEFORE and len(last) <= most:
        return last
    return first[:_AFTER] + ELLIPSIS + last[-_BEFORE:]


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + ELLIPSIS


def _text(data: bytes) -> str:
    """Bytes as tables show them; a character that is cut at an end is shown as its bytes."""
    return escape(data.decode("utf-8", "backslashreplace"))
