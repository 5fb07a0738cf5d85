"""How notebooks and consoles show objects of this library: first rows, counts, faults; one line in a console."""

from collections.abc import Sequence
from typing import Any

from kafkafmt.findings import FINDING, NOTE
from kafkafmt.libraries import pa
from kafkafmt.phrases import counted
from kafkafmt.public import short

_ROWS = 10
_MOST_LINES = 5
_MOST_CHARACTERS = 80


def html(title: str, table: "pa.Table", lines: Sequence[object] = (), *, of: int | None = None) -> str:
    """A title, the first rows of a table, and lines below them.

    Args:
        title: text in one line.
        table: the table, of which the first ten rows are shown.
        lines: notes and findings; the first five are shown.
        of: total number of rows; None if it is not known.
    """
    from html import escape  # noqa: PLC0415 - only notebooks show this

    shown = table.slice(0, _ROWS)
    head = "".join(f"<th>{escape(name)}</th>" for name in shown.column_names)
    rows = "".join(
        "<tr>" + "".join(f"<td>{escape(_text(value))}</td>" for value in row) + "</tr>"
        for row in zip(*map(_values, shown.columns), strict=True)
    )
    shown_of = "" if of is None or of <= len(shown) else f"<p>first {len(shown):,} of {of:,} rows</p>"
    said = [f"<li>{escape(str(line))}</li>" for line in lines[:_MOST_LINES]]
    if len(lines) > _MOST_LINES:
        said.append(f"<li>and {len(lines) - _MOST_LINES:,} more</li>")
    notes = f"<ul>{''.join(said)}</ul>" if said else ""
    return f"<div><p><b>{escape(title)}</b></p><table><tr>{head}</tr>{rows}</table>{shown_of}{notes}</div>"


def of_columns(schema: "pa.Schema") -> "pa.Table":
    """The table shown where rows would cost a pass: one row for each column."""
    return pa.table({"column": schema.names, "type": [str(field.type) for field in schema]})


def _values(column: "pa.ChunkedArray") -> list[Any]:
    """Values of a column; as JSON has them if Python cannot represent one, such as a time after the year 9999."""
    try:
        return column.to_pylist()  # type: ignore[no-any-return]
    except (OverflowError, ValueError):
        from kafkafmt.plain_values import plain_values  # noqa: PLC0415 - rarely needed

        return plain_values(column.combine_chunks())


def _text(value: object) -> str:
    if isinstance(value, bytes):
        value = value.decode("utf-8", "backslashreplace")
    text = "" if value is None else str(value)
    return text if len(text) <= _MOST_CHARACTERS else f"{text[: _MOST_CHARACTERS - 1]}…"


class ShownAnswer:
    """An answer shown as its main table and its number of faults; a console's line reads no table."""

    def __repr__(self) -> str:
        return short(f"<{self._title()}>")

    def _repr_html_(self) -> str:
        answer: Any = self
        table = answer.to_table()
        given = [getattr(answer, name, ()) for name in ("damage", "notes")]
        lines = [*given[0], *_rows_of(getattr(answer, "findings", ())), *given[1]]
        return html(self._title(), table, lines, of=table.num_rows)

    def _title(self) -> str:
        answer: Any = self
        levels = _levels_of(getattr(answer, "findings", ()))
        notes = len(getattr(answer, "notes", ())) + levels.count(NOTE)
        numbers = {"damage": len(getattr(answer, "damage", ())), "finding": levels.count(FINDING), "note": notes}
        counts = [
            counted(number, name, "damage" if name == "damage" else None) for name, number in numbers.items() if number
        ]
        tables = ", ".join(answer.tables)
        return f"{type(self).__name__}: {'; '.join((f'tables {tables}', *counts))}"


def _levels_of(findings: Any) -> list[str]:  # noqa: ANN401 - a table or findings
    if isinstance(findings, pa.Table):
        return [str(level) for level in findings.column("level").to_pylist()]
    return [each.level for each in findings]


def _rows_of(findings: Any) -> Sequence[object]:  # noqa: ANN401 - a table or findings
    if isinstance(findings, pa.Table):
        return [row.get("message", row) for row in findings.slice(0, _MOST_LINES + 1).to_pylist()]
    return list(findings)
