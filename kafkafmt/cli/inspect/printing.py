"""Printing: the rows of an entry as columns for programs, and as lines for people, in a pipe and on a terminal."""

import base64
import codecs
import io
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import groupby

import pyarrow as pa
from kafkafmt_specs_with_positions.kafka_varint import KafkaVarint
from kafkafmt_specs_with_positions.kafka_varlong import KafkaVarlong
from rich.console import Console, Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from kafkafmt.cli.command import RowOptions
from kafkafmt.cli.inspect.rows import Row, meaning_of_type
from kafkafmt.cli.output import BytesAs, TableShape
from kafkafmt.cli.output.destination import open_destination
from kafkafmt.cli.printable import escape
from kafkafmt.codec.java_text import LARGE, boundary

SCHEMA = pa.schema(
    [
        ("field", pa.string()),
        ("decompressedFrom", pa.string()),
        ("position", pa.int64()),
        ("size", pa.int64()),
        ("bits", pa.string()),
        ("type", pa.string()),
        ("isStructure", pa.bool_()),
        ("hex", pa.string()),
        ("value", pa.string()),
        ("note", pa.string()),
        ("meaning", pa.string()),
        ("error", pa.string()),
    ]
)
"""Columns of the rows; each row is a field or structure."""

# From the first width on, value and meaning are beside the field; from the second on, the type is, too.
_WIDE, _VERY_WIDE = 120, 160
_NARROWEST = 60
"""Below this width lines are longer than the terminal, and not of a few characters each."""

_HEX_IN_LINE = 16
_VALUE_IN_LINE = 60
_VALUE_IN_TABLE = 200
# Most bytes shown of a structure, as its fields show them, too.
_BYTES_OF_STRUCTURE = 2
_MOST_BYTES_OF_A_CHARACTER = 4
_STYLES = ("cyan", "green", "magenta")
_QUOTED = frozenset({"string", "line"})
_NUMBERS_EXPLAINED = {"kafka_varint": KafkaVarint, "kafka_varlong": KafkaVarlong}


@dataclass(frozen=True, slots=True)
class Page:
    """The content of a page.

    Attributes:
        heading: lines above a table.
        rows: rows of the entry.
        position: byte of the file that was asked for, to be marked in a table; None for none.
    """

    heading: Sequence[str]
    rows: Sequence[Row]
    position: int | None = None


def print_page(page: Page, options: RowOptions, *, sources: Sequence[str]) -> None:
    """Print the rows of an entry.

    Args:
        page: the content.
        options: form of the output; a table has its heading if it has a header.
        sources: the paths read, which must not be overwritten.

    Raises:
        click.UsageError: the output cannot be opened.
        OSError: writing failed.
    """
    if options.is_table:
        with open_destination(options.out, options.kind, sources) as destination:
            lines = _terminal if destination.is_terminal else _lines
            page_text = lines(page, options.bytes_as, header=options.header)
            destination.write(page_text.encode("utf-8", "backslashreplace"))
        return
    with options.open(SCHEMA, TableShape(), sources) as output:
        cells = [_cells(row, options.bytes_as) for row in page.rows]
        arrays = [pa.array([row[number] for row in cells], field.type) for number, field in enumerate(SCHEMA)]
        output.write(pa.RecordBatch.from_arrays(arrays, schema=SCHEMA))


def _cells(row: Row, bytes_as: BytesAs | None) -> tuple[str | int | bool | None, ...]:
    data = row.data
    text, note = None, row.note
    if len(data) > LARGE and not (row.is_group or row.is_decoded):
        # As text, and as Arrow text, the whole value would take many times its bytes.
        data = data[: boundary(data, LARGE)]
        note = f"{note}; only the first {len(data)} bytes are shown".removeprefix("; ")
        if isinstance(row.value, bytes | memoryview):
            text = _bytes_as_text(bytes(data), bytes_as)
    else:
        text = _text(row, bytes_as)
    return (
        row.field,
        row.space.name,
        None if row.is_decoded else row.position,
        None if row.is_decoded else row.end - row.begin,
        _bit_numbers(row),
        row.type or None,
        row.is_group,
        None if row.is_group or row.is_decoded else data.hex(),
        text,
        note or None,
        row.meaning or None,
        None if row.error is None else escape(str(row.error)),
    )


def _bit_numbers(row: Row) -> str | None:
    if row.bits is None:
        return None
    highest, lowest = row.bits
    return f"{highest}" if highest == lowest else f"{highest}..{lowest}"


def _text(row: Row, bytes_as: BytesAs | None) -> str | None:
    """The value as text; None if there is none, and for bytes that are not UTF-8."""
    value = row.value
    if value is None:
        return None
    if isinstance(value, bytes | memoryview):
        return _bytes_as_text(bytes(value), bytes_as)
    if isinstance(value, IntEnum):
        return str(value.name)
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:#010x}" if row.field.rpartition(".")[2] == "crc" else str(value)


def _bytes_as_text(value: bytes, bytes_as: BytesAs | None) -> str | None:
    if bytes_as == "hex":
        return value.hex()
    if bytes_as == "base64":
        return base64.b64encode(value).decode("ascii")
    try:
        return value.decode("utf-8", "replace" if bytes_as == "utf8" else "strict")
    except UnicodeDecodeError:
        return None


def _shown_value(row: Row, bytes_as: BytesAs | None, most: int) -> str:
    """The value on one line: text in quotation marks, escaped, and cut if it is long."""
    if isinstance(row.value, bytes | memoryview):
        # An incomplete character at the end of the piece is left out.
        piece = bytes(row.value[: _MOST_BYTES_OF_A_CHARACTER * (most + 1)])
        try:
            begin = codecs.getincrementaldecoder("utf-8")().decode(piece, final=len(piece) == len(row.value))
        except UnicodeDecodeError:
            begin = ""
        shown = begin if bytes_as is None else _bytes_as_text(piece, bytes_as) or ""
        if row.value and not shown:
            return "(no UTF-8)"
        if bytes_as is None and sum(not character.isprintable() for character in shown) * 3 > len(shown):
            return "(no text)"
        return f'"{escape(shown)}"' if len(shown) <= most else f'"{escape(shown[:most])}"...'
    text = _text(row, bytes_as)
    if isinstance(row.value, str):
        quote = '"' if row.type in _QUOTED else ""
        return f"{quote}{escape(row.value[:most])}{quote}{'...' if len(row.value) > most else ''}"
    if isinstance(row.value, IntEnum):
        return f"{text} ({int(row.value)})"
    return text or ""


def _bytes_cell(row: Row, most: int = _HEX_IN_LINE) -> str:
    """The bytes in hex, the bits of a partial byte, or the number of bytes of a structure."""
    if row.is_decoded:
        return ""
    size = row.end - row.begin
    if row.bits is not None:
        return _bit_pattern(row.data, *row.bits)
    if (row.is_group and size > _BYTES_OF_STRUCTURE) or row.type.endswith("[]"):
        return f"({size} bytes)"
    shown = row.data[:most].hex(" ")
    return shown if size <= most else f"{shown} ..."


def _bit_pattern(data: memoryview, highest: int, lowest: int) -> str:
    """The bits of a field at their places in its bytes, with dots for the other bits."""
    below = lowest % 8
    digits = f"{int.from_bytes(data, 'big'):0{8 * len(data)}b}"[::-1]
    shown = "".join(digit if below <= bit <= below + highest - lowest else "." for bit, digit in enumerate(digits))[
        ::-1
    ]
    return " ".join(shown[start : start + 4] for start in range(0, len(shown), 4))


def _sections(page: Page) -> Iterator[tuple[str, list[Row]]]:
    """The rows of the file, and those of the decompressed bytes, with headings."""
    for name, rows in groupby(page.rows, key=lambda row: row.space.name):
        some = list(rows)
        size = len(some[0].space.data)
        yield "" if name is None else f"{name}, decompressed: {size} bytes. Positions count in them.", some


def _error(row: Row) -> str:
    """The fault, without its place, which the line already has."""
    error = row.error
    if error is None:
        return ""
    details = (("expected", error.expected), ("found", error.found))
    known = ", ".join(f"{name} {what}" for name, what in details if what is not None)
    return f"ERROR: {error.message} ({known})" if known else f"ERROR: {error.message}"


def _mark(row: Row, position: int | None) -> str:
    """A mark on the field that holds the byte that was asked for."""
    if position is None or row.is_group or row.is_decoded or row.space.name is not None:
        return ""
    return f"HERE is position {position}" if row.position <= position < row.position + row.end - row.begin else ""


def _lines(page: Page, bytes_as: BytesAs | None, *, header: bool) -> str:
    """An aligned line for each row, with the full path of each field."""
    names = ("position", "size", "bytes", "field", "type", "value", "meaning")
    written = [escape(line) for line in page.heading] if header else []
    for heading, rows in _sections(page):
        table = [names] if header else []
        table += [_line(row, page.position, bytes_as) for row in rows]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        if header:
            written += ["", *([heading] if heading else [])]
        for line in table:
            numbers = [cell.rjust(width) for cell, width in zip(line[:2], widths[:2], strict=True)]
            texts = [cell.ljust(width) for cell, width in zip(line[2:], widths[2:], strict=True)]
            written.append("  ".join(numbers + texts).rstrip(" "))
    return "".join(f"{line}\n" for line in written)


def _line(row: Row, position: int | None, bytes_as: BytesAs | None) -> tuple[str, str, str, str, str, str, str]:
    remarks = (_error(row), _mark(row, position), row.note, row.meaning)
    return (
        "" if row.is_decoded else str(row.position),
        "" if row.is_decoded else str(row.end - row.begin),
        _bytes_cell(row),
        row.field,
        row.type,
        _shown_value(row, bytes_as, _VALUE_IN_LINE),
        escape(". ".join(remark for remark in remarks if remark)),
    )


def _terminal(page: Page, bytes_as: BytesAs | None, *, header: bool) -> str:
    """A table that fits the terminal: structures by indentation, and each meaning where it is first needed."""
    width = max(shutil.get_terminal_size().columns, _NARROWEST)
    text = io.StringIO()
    console = Console(file=text, force_terminal=True, width=width, highlight=False)
    if header:
        for line in page.heading:
            console.print(Text(escape(line), style="bold"))
    said: set[str] = set()
    for heading, rows in _sections(page):
        if header:
            console.print(Text(f"\n{heading}" if heading else "", style="bold"))
        table = Table(box=None, show_header=header, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
        table.add_column("position", justify="right", no_wrap=True)
        table.add_column("bytes", width=23)
        fill = _fill_wide(table, width) if width >= _WIDE else _fill_narrow(table)
        for row in rows:
            value = _shown_value(row, bytes_as, _VALUE_IN_TABLE)
            # Two lines: the second has space for the dots, too.
            shown = _bytes_cell(row, _HEX_IN_LINE if row.end - row.begin <= _HEX_IN_LINE else _HEX_IN_LINE - 1)
            fill(
                "" if row.is_decoded else str(row.position), shown, row, value, list(_remarks(row, page.position, said))
            )
        console.print(table)
    return text.getvalue()


_Fill = Callable[[str, str, Row, str, list[Text]], None]


def _fill_narrow(table: Table) -> _Fill:
    """Field, value, type and meaning one below the other."""
    table.add_column("field = value", overflow="fold")

    def fill(position: str, shown: str, row: Row, value: str, remarks: Iterable[Text]) -> None:
        first = _name(row)
        if value:
            first.append(" = ").append(value, style="bold")
        if row.type:
            first.append(f"  {row.type}", style="dim")
        indented = [Padding(remark, (0, 0, 0, 2)) for remark in remarks]
        table.add_row(position, shown, Padding(Group(first, *indented), (0, 0, 0, _indent(row))))

    return fill


def _fill_wide(table: Table, width: int) -> _Fill:
    """Field, value and meaning side by side."""
    table.add_column("field", overflow="fold")
    if width >= _VERY_WIDE:
        table.add_column("type", overflow="fold", style="dim")
    table.add_column("value", overflow="fold", max_width=width // 4)
    table.add_column("meaning", overflow="fold")

    def fill(position: str, shown: str, row: Row, value: str, remarks: Iterable[Text]) -> None:
        name = Padding(_name(row), (0, 0, 0, _indent(row)))
        kind = [row.type] if width >= _VERY_WIDE else []
        table.add_row(position, shown, name, *kind, Text(value, style="bold"), Text("\n").join(remarks))

    return fill


def _remarks(row: Row, position: int | None, said: set[str]) -> Iterator[Text]:
    if row.error is not None:
        yield Text(escape(_error(row)), style="bold red")
    mark = _mark(row, position)
    if mark:
        yield Text(mark, style="bold yellow")
    if row.note:
        yield Text(escape(row.note))
    meanings = [row.meaning]
    if row.type in _NUMBERS_EXPLAINED:
        meanings.append(f"{row.type}: {meaning_of_type(_NUMBERS_EXPLAINED[row.type])}")
    for meaning in meanings:
        if meaning and meaning not in said:
            said.add(meaning)
            yield Text(meaning, style="dim")


def _indent(row: Row) -> int:
    within = 0 if row.space.name is None else row.space.name.count(".") + 1
    return 2 * max(0, row.field.count(".") - within)


def _name(row: Row) -> Text:
    style = "red" if row.error is not None or not row.type else _STYLES[row.field.count("[") % len(_STYLES)]
    return Text().append(row.field.rpartition(".")[2], style=f"bold {style}" if row.is_group else style)
