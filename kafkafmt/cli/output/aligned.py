"""The one table of all commands: aligned columns below a line of names, written as rows arrive.

A table never waits for its last row: a column is as wide as its widest cell so far. On a terminal a line fits the
width: sentences are folded onto further lines, other cells are shortened if possible, and then columns are dropped,
those of the highest rank first; `say_left_out` names them. Elsewhere every cell is whole.
"""

import re
import sys
import textwrap
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from rich.cells import cell_len, set_cell_size

from kafkafmt.cli.messages import say

NOTHING = "null"
"""Text of a cell without a value."""

NARROWEST = 8
"""Width below which cells are not shortened, unless their column says otherwise."""

ELLIPSIS = "…"
"""Replacement of the cut part of a cell."""

_GAP = 2
_AT_A_TIME = 200
_UNLIMITED = 1 << 20
_LEADING_ZEROS = re.compile("(?:^|(?<=/))0+(?=[0-9]+[.])")

# Characters kept at the end of a text that loses its middle: partitions of a topic differ only there.
_END = 10

# Most lines of a sentence, as an error may quote a file's content.
_MOST_FOLDS = 8

# Characters measured for each cell of a longer text: some characters take no cell, but most do.
_CHARACTERS_A_CELL = 4


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Attributes:
        title: name of the column.
        right: whether its cells are right-aligned, as numbers are.
        rank: if not all columns fit, those of the highest rank are dropped first, and of one rank the last.
        least: width down to which cells are shortened before a column is dropped; None for never, as half a number is
            wrong.
        loses: the part that is cut from a cell that is too wide.
        most: off a terminal, a wider cell does not widen the column for the following rows.
        wanted: width of folded sentences below which columns of higher rank are dropped first.
    """

    title: str
    right: bool = False
    rank: int = 0
    least: int | None = None
    loses: Literal["beginning", "middle", "end"] = "end"
    most: int = 120
    wanted: int | None = None


def terminal_width() -> int | None:
    """Width of the terminal if stdout is one; None otherwise: in a pipe nothing is cut."""
    return columns_of_terminal() if sys.stdout.isatty() else None


def columns_of_terminal() -> int:
    """Width of the terminal, wherever the output goes."""
    import shutil  # it loads much

    return shutil.get_terminal_size().columns


def wrapped(text: str, width: int | None, indent: int = 0) -> list[str]:
    """Lines of a paragraph, with later lines indented; a single line if there is no limit of width."""
    margin = " " * indent
    if width is None:
        return [margin + text]
    return textwrap.wrap(
        text,
        max(width, 40),
        initial_indent=margin,
        subsequent_indent=margin + "  ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def say_left_out(names: Collection[str], *, other_forms: bool) -> None:
    """Name the columns that did not fit, and how to see them; nothing if all fitted.

    Args:
        names: names of the columns.
        other_forms: whether --output has them, too.
    """
    if names:
        forms = ", or use --output jsonl" if other_forms else ""
        say(f"note: hidden on this terminal: {', '.join(names)}; widen the terminal, or add | less -S{forms}")


class Aligned:
    """A table of text.

    Args:
        columns: the columns, in order.
        width: width of the terminal in characters, or None for no limit.
        write: function that takes each line.
        indent: number of spaces before each line.
        header: whether there is a line of names.
        left_out: gets the names of columns that did not fit, and "all of NAME" if folded sentences were shortened.

    Attributes:
        hidden: numbers of columns that are hidden for now.
    """

    def __init__(
        self,
        columns: Sequence[Column],
        width: int | None,
        write: Callable[[str], None],
        indent: int = 0,
        *,
        header: bool = True,
        left_out: dict[str, None] | None = None,
    ) -> None:
        self.hidden: set[int] = set()
        self._columns = columns
        self._room = None if width is None else width - indent
        self._write = write
        self._indent = " " * indent
        self._header = header
        self._left_out = {} if left_out is None else left_out
        self._waiting: list[Sequence[str | None]] = []
        self._widths = [cell_len(column.title) if header else 0 for column in columns]
        self._shown: list[int] | None = None

    def add(self, cells: Sequence[str | None]) -> None:
        """Take a row; it is written together with later rows."""
        self._waiting.append(cells)
        if len(self._waiting) >= _AT_A_TIME:
            self.flush()

    def flush(self) -> None:
        """Write the waiting rows."""
        if self._waiting:
            rows = [[NOTHING if cell is None else cell for cell in cells] for cells in self._waiting]
            self._waiting.clear()
            self.write_columns([*zip(*rows, strict=True)])

    def write_columns(self, columns: Sequence[Sequence[str]]) -> None:
        """Write a line for each row, after the names if the shown columns have changed.

        Args:
            columns: cells of each column, the same number for all.
        """
        for number, texts in enumerate(columns):
            if texts:
                longest = _widest(texts, self._most(number))
                self._widths[number] = max(self._widths[number], longest)
        shown, widths = self._lay_out()
        self._lines(zip(*(self._fitted(number, columns[number], widths[number]) for number in shown), strict=True))

    def write_names(self) -> None:
        """Write the names if nothing has been written yet."""
        if self._shown is None:
            self._lay_out()

    def _lay_out(self) -> tuple[list[int], list[int]]:
        """The shown columns, and the width of each column; writes the names if the shown columns have changed."""
        shown = [number for number in range(len(self._columns)) if number not in self.hidden]
        widths = self._widths
        if self._room is not None:
            shown, widths = self._fit(shown, self._room)
        if shown != self._shown:
            self._shown = shown
            if self._header:
                self._lines([[self._fitted(at, [self._columns[at].title], widths[at])[0] for at in shown]])
        return shown, widths

    def _fit(self, candidates: list[int], room: int) -> tuple[list[int], list[int]]:
        """The columns that fit, chosen by rank, and widths that use the whole space."""
        least = [
            width if column.least is None else min(width, column.least)
            for column, width in zip(self._columns, self._widths, strict=True)
        ]
        wanted = [
            narrowest if column.wanted is None else max(narrowest, min(width, column.wanted))
            for column, width, narrowest in zip(self._columns, self._widths, least, strict=True)
        ]
        shown: list[int] = []
        for number in sorted(candidates, key=lambda number: (self._columns[number].rank, number)):
            if not shown or _line_width([*(wanted[other] for other in shown), least[number]]) <= room:
                shown.append(number)
            else:
                self._left_out[self._columns[number].title] = None
        shown.sort()
        # The largest width to which all columns that can be shortened may grow.
        low, high = 1, max(self._widths)
        while low < high:
            level = (low + high + 1) // 2
            if _line_width(max(least[number], min(self._widths[number], level)) for number in shown) <= room:
                low = level
            else:
                high = level - 1
        return shown, [
            width if column.least is None else max(narrowest, min(width, low))
            for column, width, narrowest in zip(self._columns, self._widths, least, strict=True)
        ]

    def _fitted(self, number: int, texts: Sequence[str], width: int) -> list[str]:
        """Cells of one column at its width; off a terminal longer cells stay whole."""
        column = self._columns[number]
        most = self._most(number)
        fitted = []
        for text in texts:
            missing = width - _width(text, most)
            if self._room is not None and (missing < 0 or len(text) > _CHARACTERS_A_CELL * most):
                if column.wanted is None:
                    fitted.append(_shortened(text, width, column.loses))
                    continue
                lines = _folded(text, width)
                if len(lines) > _MOST_FOLDS:
                    self._left_out[f"all of {column.title}"] = None
                    lines[_MOST_FOLDS - 1 :] = [set_cell_size(lines[_MOST_FOLDS - 1], width - 1).rstrip(" ") + ELLIPSIS]
                fitted.append("\n".join(set_cell_size(line, width) for line in lines))
            elif column.right:
                fitted.append(" " * missing + text)
            else:
                fitted.append(text + " " * missing)
        return fitted

    def _lines(self, rows: Iterable[Sequence[str]]) -> None:
        for cells in rows:
            for row in _unfolded(cells):
                line = (" " * _GAP).join(row).rstrip(" ")
                if self._room is not None and not line.isascii():
                    # Joiners at the edge of a cell can make a line wider than the sum of its cells.
                    line = _cut(line, max(self._room, 1))
                self._write((self._indent + line).rstrip(" "))

    def _most(self, number: int) -> int:
        """Width at which a column's cells are capped; wider than the terminal if cutting is wrong, as for numbers."""
        column = self._columns[number]
        if self._room is None:
            return column.most
        return _UNLIMITED if column.least is None else max(self._room, 0) + 1


def _folded(text: str, width: int) -> list[str]:
    """Lines of a sentence, none wider than `width`."""
    text = text[: _CHARACTERS_A_CELL * (_MOST_FOLDS + 1) * width]
    lines = textwrap.wrap(text, width, break_on_hyphens=False)
    if any(cell_len(line) > width for line in lines):
        # No character takes more than two cells.
        lines = textwrap.wrap(text, max(width // 2, 1), break_on_hyphens=False)
    return lines


def _unfolded(cells: Sequence[str]) -> Iterator[Sequence[str]]:
    """A row as the lines that it takes."""
    if not any("\n" in cell for cell in cells):
        yield cells
        return
    columns = [cell.split("\n") for cell in cells]
    widths = [max(map(cell_len, lines)) for lines in columns]
    for number in range(max(map(len, columns))):
        texts = (lines[number] if number < len(lines) else "" for lines in columns)
        yield [text + " " * (width - cell_len(text)) for text, width in zip(texts, widths, strict=True)]


def _width(text: str, most: int) -> int:
    """Cells that a text takes on a terminal, up to `most`."""
    if text.isascii():
        return min(len(text), most)
    return min(cell_len(text[: _CHARACTERS_A_CELL * most]), most)


def _widest(texts: Sequence[str], most: int) -> int:
    """The largest `_width` of texts."""
    if all(map(str.isascii, texts)):
        return min(max(map(len, texts)), most)
    return max(_width(text, most) for text in texts)


def _line_width(widths: Iterable[int]) -> int:
    gapped = [width + _GAP for width in widths]
    return sum(gapped) - _GAP


def _cut(line: str, width: int) -> str:
    """The beginning of a line that fits a width."""
    while cell_len(line) > width:
        line = line[:-1]
    return line


def _shortened(text: str, width: int, loses: str) -> str:
    """A text that is too wide, with an ellipsis instead of the cut part.

    In a file name the leading zeros, which all have, are cut first: the directory is more informative.
    """
    if loses == "beginning":
        short = _LEADING_ZEROS.sub(ELLIPSIS, text)
        if len(short) > _CHARACTERS_A_CELL * width or cell_len(short) > width:
            short = ELLIPSIS + _end(short, width - 1)
    elif loses == "middle":
        end = _end(text, min(_END, width // 2))
        short = set_cell_size(text[: _CHARACTERS_A_CELL * width], width - 1 - cell_len(end)) + ELLIPSIS + end
    else:
        short = set_cell_size(text[: _CHARACTERS_A_CELL * width], width - 1).rstrip(" ") + ELLIPSIS
    return short + " " * (width - cell_len(short))


def _end(text: str, width: int) -> str:
    """The end of a text that fits a width."""
    end = text[-width:]
    while cell_len(end) > width:
        end = end[1:]
    return end
