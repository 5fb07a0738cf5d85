"""How tools/demo shows things to a person: cells, times and tables as text."""

import os
import shlex
import sys
from collections.abc import Sequence
from datetime import UTC, datetime

_SHORTEST_COLUMN = 12
_GAP = "  "


def bytes_cell(value: bytes | None) -> str:
    """Show the beginning of a key or value: its text if it is UTF-8, what does not print escaped, else hex."""
    if value is None:
        return "null"
    if not value:
        return '""'
    try:
        text = value.decode()
    except UnicodeDecodeError as error:
        cut_in_a_character = error.reason == "unexpected end of data" and error.start > 0
        if not cut_in_a_character:
            return f"0x{value.hex()}"
        text = value[: error.start].decode()
    return printable(text)


def printable(text: str) -> str:
    """Escape what does not print, and bytes of names that are no text."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def program(name: str) -> str:
    """Name a program of this environment as a shell in the current directory finds it."""
    path = os.path.join(sys.prefix, "bin", name)
    relative = os.path.relpath(path)
    return shlex.quote(path if relative.startswith(os.pardir) else relative)


def time_cell(milliseconds: int | None) -> str:
    """Show a timestamp as ISO 8601 in UTC; -1 and what lies outside the years 1 to 9999 as the number it is."""
    if milliseconds is None:
        return ""
    if milliseconds == -1:
        return "-1"
    seconds, rest = divmod(milliseconds, 1000)
    try:
        time = datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, OSError, ValueError):
        return str(milliseconds)
    return f"{time:%Y-%m-%dT%H:%M:%S}.{rest:03d}Z"


def size_cell(size: int) -> str:
    """Show a number of bytes in the unit that suits it."""
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if size >= factor:
            return f"{size / factor:.1f} {unit}"
    return f"{size} bytes"


def table(titles: Sequence[str], rows: Sequence[Sequence[object]], width: int) -> list[str]:
    """Lay out rows under titles, ints to the right; the last column is cut where the line would exceed `width`."""
    cells = [[f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(titles, *cells, strict=True)]
    rights = [bool(rows) and all(isinstance(row[number], int) for row in rows) for number in range(len(titles))]
    room = width - sum(widths[:-1]) - len(_GAP) * (len(widths) - 1)
    widths[-1] = min(widths[-1], max(room, _SHORTEST_COLUMN))
    lines = []
    for line in [titles, ["-" * each for each in widths], *cells]:
        parts = [
            shorten(cell, each).rjust(each) if right else shorten(cell, each).ljust(each)
            for cell, each, right in zip(line, widths, rights, strict=True)
        ]
        lines.append(_GAP.join(parts).rstrip())
    return lines


def shorten(text: str, width: int) -> str:
    """Cut text to a number of characters, the last of which then shows that more was there."""
    return text if len(text) <= width else text[: width - 1] + "…"
