"""Table: rows for people, in columns, as they come: it never waits for the end of the log.

On a terminal a line fits its width: long cells are shortened, and columns for which there is no room are named on
stderr. Elsewhere cells are whole. Widths come from the rows at hand, and grow when later ones are wider.
"""

import re
import shutil
from collections.abc import Collection, Sequence

import click
import pyarrow as pa
from rich.cells import cell_len, set_cell_size

from kafkafmt.cli.output import cells
from kafkafmt.cli.output.destination import Destination

_GAP = 2
_ELLIPSIS = "…"
_LEADING_ZEROS = re.compile("(?:^|(?<=/))0+(?=[0-9]+[.])")

# Cells are not shortened below this many characters.
_NARROWEST = 8

# Off a terminal, a cell longer than this does not widen its column for all rows that follow: of bytes, and of names.
_MOST_PADDING = 40
_MOST_PADDING_OF_NAMES = 120

# Of a longer text no more is measured: some characters take no cell, but not most.
_CHARACTERS_A_CELL = 4

# Columns whose cells lose their beginning when they are shortened: names of files differ at the end.
_ENDS_MATTER = ("file", "path")


class TableWriter:
    """Aligned columns under a line with their names; numbers to the right.

    Args:
        destination: where lines go.
        schema: of the rows.
        bytes_as: how bytes are written; None: as text, with escapes where they are no UTF-8.
        header: whether there is a line of names.
        optional: columns left out until one of their values is not null, and the first to go where room is short.
    """

    def __init__(
        self,
        destination: Destination,
        schema: pa.Schema,
        bytes_as: str | None = None,
        *,
        header: bool = True,
        optional: Collection[str] = (),
    ) -> None:
        self._destination = destination
        self._schema = schema
        self._bytes_as = bytes_as
        self._header = header
        self._optional = frozenset(optional)
        self._hidden = {name for name in optional if name in schema.names}
        self._widths = [len(name) if header else 0 for name in schema.names]
        self._shown: list[int] | None = None
        self._without_room: list[str] = []
        self._room = shutil.get_terminal_size().columns
        self._most = [self._most_of(column.type) for column in schema]

    def write(self, batch: pa.RecordBatch) -> None:
        """Write a line for each row, and the names first where the columns shown are others than before."""
        if not batch.num_rows:
            return
        self._hidden -= {name for name in self._hidden if batch.column(name).null_count < batch.num_rows}
        texts = [cells.to_table(column, self._bytes_as) for column in batch.columns]
        for number, column in enumerate(texts):
            longest = max(_width(text, self._most[number]) if self._is_text(number) else len(text) for text in column)
            self._widths[number] = max(self._widths[number], longest)
        widths = self._lay_out()
        columns = [self._fitted(number, texts[number], widths[number]) for number in self._shown or ()]
        self._lines(zip(*columns, strict=True))
        self._destination.flush()

    def finish(self) -> None:
        """Write the names if there was no row, and say on stderr what had no room."""
        if self._shown is None:
            self._lay_out()
            self._destination.flush()
        if self._without_room:
            click.echo(
                f"kafkafmt: no room on this terminal for: {', '.join(self._without_room)}. "
                "Widen it, or see them with --output jsonl.",
                err=True,
            )

    def _lay_out(self) -> list[int]:
        """Decide on columns and widths, and write the names where the columns are others than before."""
        shown = [number for number, name in enumerate(self._schema.names) if name not in self._hidden]
        widths = self._widths
        if self._destination.is_terminal:
            shown, widths = self._fit(shown)
        if shown != self._shown:
            self._shown = shown
            if self._header:
                names = [self._fitted(number, [self._schema.names[number]], widths[number]) for number in shown]
                self._lines(zip(*names, strict=True))
        return widths

    def _fit(self, shown: list[int]) -> tuple[list[int], list[int]]:
        """Leave out columns until the rest fits, shortened; then give them what room there is.

        Optional ones go first, then those on the right.
        """
        least = [
            min(width, _NARROWEST) if self._is_text(number) else width for number, width in enumerate(self._widths)
        ]
        shown = list(shown)
        while len(shown) > 1 and _line_width([least[number] for number in shown]) > self._room:
            dropped = max(shown, key=lambda number: (self._schema.names[number] in self._optional, number))
            shown.remove(dropped)
            name = self._schema.names[dropped]
            if name not in self._without_room:
                self._without_room.append(name)
        low, high = _NARROWEST, max(self._widths)
        while low < high:
            level = (low + high + 1) // 2
            if _line_width([max(least[number], min(self._widths[number], level)) for number in shown]) <= self._room:
                low = level
            else:
                high = level - 1
        return shown, [
            max(least[number], min(width, low)) if self._is_text(number) else width
            for number, width in enumerate(self._widths)
        ]

    def _fitted(self, number: int, texts: list[str], width: int) -> list[str]:
        """Cells of one column at their width; off a terminal the longer ones stay whole."""
        if self._is_number(number):
            return [text.rjust(width) for text in texts]
        if not self._is_text(number):
            return [text.ljust(width) for text in texts]
        shortens, keep_end = self._destination.is_terminal, self._schema.names[number] in _ENDS_MATTER
        most = self._most[number]
        fitted = []
        for text in texts:
            missing = width - _width(text, most)
            if shortens and (missing < 0 or len(text) > _CHARACTERS_A_CELL * most):
                fitted.append(_shortened(text, width, keep_end=keep_end))
            else:
                fitted.append(text + " " * missing)
        return fitted

    def _lines(self, rows: "zip[tuple[str, ...]]") -> None:
        gap = " " * _GAP
        lines = [gap.join(row).rstrip(" ") for row in rows]
        if self._destination.is_terminal:
            # Joiners at the edge of a cell can make a line wider than its cells are together.
            lines = [line if line.isascii() else _cut(line, self._room) for line in lines]
        self._destination.write("".join([line + "\n" for line in lines]).encode("utf-8"))

    def _most_of(self, kind: pa.DataType) -> int:
        """What longer cells of a column count as; on a terminal that is too long."""
        if self._destination.is_terminal:
            return self._room + 1
        return _MOST_PADDING_OF_NAMES if pa.types.is_string(kind) else _MOST_PADDING

    def _is_number(self, number: int) -> bool:
        kind = self._schema.field(number).type
        return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))

    def _is_text(self, number: int) -> bool:
        """Whether cells may be shortened: half a number or a time is wrong, and not just less."""
        kind = self._schema.field(number).type
        return not (self._is_number(number) or pa.types.is_timestamp(kind) or pa.types.is_boolean(kind))


def _width(text: str, most: int) -> int:
    """Cells that a text takes on a terminal, up to `most`."""
    if text.isascii():
        return min(len(text), most)
    return min(cell_len(text[: _CHARACTERS_A_CELL * most]), most)


def _cut(line: str, width: int) -> str:
    """The beginning of a line that is no wider than this."""
    while cell_len(line) > width:
        line = line[:-1]
    return line


def _line_width(widths: Sequence[int]) -> int:
    return sum(widths) + _GAP * (len(widths) - 1)


def _shortened(text: str, width: int, *, keep_end: bool) -> str:
    """The beginning or the end of a text that is too wide, with an ellipsis in place of the rest.

    Of a file's name the zeros that every one begins with go first: they tell nothing, and its directory does.
    """
    if not keep_end:
        short = set_cell_size(text[: _CHARACTERS_A_CELL * width], width - 1).rstrip(" ") + _ELLIPSIS
    else:
        short = _LEADING_ZEROS.sub(_ELLIPSIS, text)
        if len(short) > _CHARACTERS_A_CELL * width or cell_len(short) > width:
            end = short[-width:]
            while cell_len(end) > width - 1:
                end = end[1:]
            short = _ELLIPSIS + end
    return short + " " * (width - cell_len(short))
