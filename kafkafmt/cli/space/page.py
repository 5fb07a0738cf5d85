"""The page of `space --report`: bytes and records over time, codecs, sizes of batches, the largest groups."""

from typing import TYPE_CHECKING, Any

from kafkafmt.cli import human
from kafkafmt.cli.report.layout import Cell, bar, bars, facts, long_table, page, section, short, text, time_of
from kafkafmt.cli.report.over_time import over_time

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkafmt.sizing import SpaceUse
    from kafkafmt.sizing.grouping import Grouping

_KEY_LETTERS = 60

_Rows = list[dict[str, Any]]


def page_of_space(answers: "Sequence[SpaceUse]", paths: "Sequence[str]", most: int) -> str:
    """Render the page: bytes and records over time, codecs, sizes of batches, and the largest groups.

    Args:
        answers: the answers for the user's grouping, and for those of the page.
        paths: the paths that are read.
        most: number of groups to list.
    """
    groups, hours, codecs, sizes = (_rows(answer) for answer in answers)
    sections = [
        _facts(groups, codecs, answers[0].grouping),
        over_time(hours, "storedBytes", "Bytes over time", human.size),
        over_time(hours, "records", "Records over time", human.number),
        f'<div class="pair">{_codecs(codecs)}{_sizes(sizes)}</div>',
        _groups(groups, answers[0], most),
    ]
    return page("What takes up the space", paths, "from every record.", sections)


def _rows(answer: "SpaceUse") -> _Rows:
    """The rows of an answer, with times as ms."""
    found = answer.to_table()
    for number, field in enumerate(found.schema):
        if str(field.type).startswith("timestamp"):
            found = found.set_column(number, field.name, found.column(number).cast("int64"))
    rows: _Rows = found.to_pylist()
    return rows


def _facts(groups: _Rows, codecs: _Rows, grouping: "Grouping") -> str:
    stored = sum(row["storedBytes"] for row in codecs)
    records = sum(row["records"] for row in codecs)
    record_bytes = sum(row["recordBytes"] for row in codecs)
    batches = sum(row["batches"] for row in codecs)
    numbers = [
        (human.size(stored), "in batches on disk"),
        (human.size(record_bytes), "records, uncompressed"),
        (f"{stored / record_bytes:.2f}" if record_bytes else human.NOTHING, "stored bytes per record byte"),
        (human.number(records), "records"),
        (human.number(batches), "batches"),
        (human.size(stored // batches if batches else None), "bytes a batch"),
        (f"{records / batches:,.1f}" if batches else human.NOTHING, "records a batch"),
        (human.number(len(groups)), f"{grouping.noun}s"),
    ]
    return facts(numbers)


def _codecs(codecs: _Rows) -> str:
    shares = [
        (
            row["compression"],
            row["storedBytes"],
            f"{human.size(row['storedBytes'])} · {row['storedBytes'] / row['recordBytes']:.2f}"
            if row["recordBytes"]
            else human.size(row["storedBytes"]),
        )
        for row in codecs
    ]
    hint = "Bytes of batches as stored, and their ratio to the uncompressed records."
    return section("Codecs", hint, bars(shares, css_class="bars even"))


def _sizes(sizes: _Rows) -> str:
    rows = sorted(sizes, key=lambda row: int(row["batchSize"]))
    counts = [
        (
            f"from {human.size(row['batchSize'])}",
            row["batches"],
            f"{row['batches']:,} · {human.size(row['storedBytes'])}",
        )
        for row in rows
    ]
    hint = "Number of batches by their size on disk, and the bytes of all of them."
    return section("Sizes of batches", hint, bars(counts, css_class="bars even"))


def _groups(groups: _Rows, answer: "SpaceUse", most: int) -> str:
    names = answer.grouping.columns
    whole = answer.totals[2] or 1
    titles: list[Cell] = [
        *((_kind(name), name) for name in names),
        ("number", "stored"),
        ("share", "share"),
        ("number", "uncompressed"),
        ("number", "records"),
        ("time", "first time (UTC)"),
        ("time", "last time (UTC)"),
    ]
    largest = (groups[0]["storedBytes"] if groups else 0) or 1
    rows: list[list[Cell]] = [
        [
            *((_kind(name), _value(row[name], name)) for name in names),
            ("number", human.size(row["storedBytes"])),
            ("share", f"<div>{bar(row['storedBytes'] / largest)}<span>{row['storedBytes'] / whole:.1%}</span></div>"),
            ("number", human.size(row["recordBytes"])),
            ("number", human.number(row["records"])),
            ("time", time_of(row["minTimestamp"])),
            ("time", time_of(row["maxTimestamp"])),
        ]
        for row in groups[:most]
    ]
    body = long_table(titles, rows)
    more = len(groups) - len(rows)
    if more:
        body += f'<p class="quiet">and {more:,} more: kafkafmt space --output jsonl lists them all.</p>'
    if answer.is_estimate:
        body += f'<p class="quiet">{text(answer.notes[-1])}.</p>'
    return section(f"Largest by {', '.join(names)}", "", body)


def _kind(name: str) -> str:
    return "time" if name in ("hour", "day") else "path"


def _value(value: object, name: str) -> str:
    """The text of a cell, as HTML."""
    if value is None:
        return "null"
    if isinstance(value, int) and name in ("hour", "day"):
        return time_of(value)
    return text(
        short(value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else str(value), _KEY_LETTERS)
    )
