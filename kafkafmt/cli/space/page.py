"""The page of `space --report`: bytes and records over time, codecs, sizes of batches, and the largest groups."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

from kafkafmt.cli import human
from kafkafmt.cli.report.figures import axis, bar, percent, short, text, ticks, tip_of
from kafkafmt.cli.report.layout import AT_ONCE, Cell, details, facts, page, section, table, time_of
from kafkafmt.sizing.grouping import DAY_MS, HOUR_MS

if TYPE_CHECKING:
    from kafkafmt.sizing import SpaceUse

GROUPINGS: Final = ("topic,hour", "codec", "batch-size")
"""What the page needs besides the grouping that the user asked for."""

_MOST_TOPICS = 7
_MOST_COLUMNS = 120
_HEIGHT = 200
_OTHERS = "other topics"
_WIDTHS = [1, 3, 6, 12, *(24 * days for days in (1, 2, 7, 14, 30, 90, 365))]
_KEY_LETTERS = 60

Rows = list[dict[str, Any]]


def render(
    answers: "Sequence[SpaceUse]", paths: Sequence[str], most: int, clock: Callable[[], float] = time.time
) -> str:
    """Write the page.

    Args:
        answers: of the user's grouping, and of `GROUPINGS`.
        paths: what was read.
        most: how many groups to list.
        clock: gives the time of the report, in seconds since the epoch.
    """
    groups, hours, codecs, sizes = (_rows(answer) for answer in answers)
    sections = [
        _facts(groups, codecs),
        over_time(hours, "storedBytes", "Bytes over time", human.size),
        over_time(hours, "records", "Records over time", human.number),
        f'<div class="pair">{_codecs(codecs)}{_sizes(sizes)}</div>',
        _groups(groups, answers[0], most),
    ]
    return page("What takes the space", paths, "from every record.", sections, clock)


def _rows(answer: "SpaceUse") -> Rows:
    """Rows with times as ms."""
    table = answer.to_table()
    for number, field in enumerate(table.schema):
        if str(field.type).startswith("timestamp"):
            table = table.set_column(number, field.name, table.column(number).cast("int64"))
    rows: Rows = table.to_pylist()
    return rows


def _facts(groups: Rows, codecs: Rows) -> str:
    stored = sum(row["storedBytes"] for row in codecs)
    records = sum(row["records"] for row in codecs)
    record_bytes = sum(row["recordBytes"] for row in codecs)
    batches = sum(row["batches"] for row in codecs)
    numbers = [
        (human.size(stored), "in batches on disk"),
        (human.size(record_bytes), "records, uncompressed"),
        (f"{stored / record_bytes:.2f}" if record_bytes else human.NOTHING, "stored to uncompressed"),
        (human.number(records), "records"),
        (human.number(batches), "batches"),
        (human.size(stored // batches if batches else None), "bytes a batch"),
        (f"{records / batches:,.1f}" if batches else human.NOTHING, "records a batch"),
        (human.number(len(groups)), "groups"),
    ]
    return facts(numbers)


def over_time(
    hours: Rows,
    figure: str,
    title: str,
    written: Callable[[int], str],
    *,
    by: str = "by the timestamps of records",
    undated: str = "Without a timestamp",
    nothing: str = "No record has a timestamp.",
) -> str:
    """Columns of hours or longer periods, one on the other by topic.

    Args:
        hours: rows with `topic`, `hour` in ms or None, `storedBytes` and the figure.
        figure: what is drawn.
        title: of the section.
        written: writes a figure.
        by: which times those are.
        undated: what rows without an hour are called.
        nothing: what is said if there are no others.
    """
    dated = [row for row in hours if row["hour"] is not None and row[figure]]
    without = sum(row[figure] for row in hours if row["hour"] is None)
    rest = f"{undated}: {written(without)}." if without else ""
    if not dated:
        return section(title, nothing)
    first = min(row["hour"] for row in dated)
    span = max(row["hour"] for row in dated) + HOUR_MS - first
    width = next((each for each in _WIDTHS if span / (each * HOUR_MS) <= _MOST_COLUMNS), None)
    step = (width or -(-span // (_MOST_COLUMNS * HOUR_MS))) * HOUR_MS
    begin = first // step * step
    totals: Counter[str] = Counter()
    for row in hours:
        # Those of the most bytes, so that a topic has one colour in all charts.
        totals[_topic(row)] += row["storedBytes"]
    names = [name for name, _ in sorted(totals.items(), key=lambda item: (-item[1], item[0]))]
    drawn = names[:_MOST_TOPICS]
    columns: dict[int, Counter[str]] = {}
    for row in dated:
        name = _topic(row) if _topic(row) in drawn else _OTHERS
        columns.setdefault((row["hour"] - begin) // step, Counter())[name] += row[figure]
    highest = max(column.total() for column in columns.values())
    count = max(columns) + 1
    order = [*drawn, *([_OTHERS] if len(names) > len(drawn) else [])]
    shapes = "".join(
        _column(number, count, columns[number], order, highest, begin + number * step, step, written)
        for number in sorted(columns)
    )
    marks = ticks(begin, begin + count * step)
    keys = "".join(
        f'<span><svg class="key" aria-hidden="true"><rect class="{_class(order, name)}" width="12" height="12"/></svg>'
        f"{text(short(name))}</span>"
        for name in order
    )
    picture = (
        f'<div class="columns"><span class="quiet">{text(written(highest))}</span>'
        f'<svg height="{_HEIGHT}" role="img" aria-label="{title}">{shapes}</svg>'
        f'<svg height="18" class="axis" aria-hidden="true">{axis(marks, begin, count * step)}</svg></div>'
        f'<p class="keys">{keys}</p>'
    )
    return section(title, f"Each column is {_length(step)}, {by} (UTC). {rest}".strip(), picture)


def _column(
    number: int,
    count: int,
    column: Counter[str],
    order: Sequence[str],
    highest: int,
    begin: int,
    step: int,
    written: Callable[[int], str],
) -> str:
    """The pieces of one column, the first topic at the bottom."""
    shapes = []
    used = 0
    for name in order:
        if not column[name]:
            continue
        used += column[name]
        height = _HEIGHT * column[name] / highest
        y = _HEIGHT - _HEIGHT * used / highest
        tip = tip_of([name, written(column[name]), f"{human.time(begin)} and {_length(step)} on"], 0)
        shapes.append(
            f'<rect class="{_class(order, name)}" x="{percent(number / count)}" y="{y:.2f}" '
            f'width="{percent(0.94 / count)}" height="{max(height, 0.5):.2f}">{tip}</rect>'
        )
    return "".join(shapes)


def _class(order: Sequence[str], name: str) -> str:
    return "r" if name == _OTHERS else f"c{order.index(name)}"


def _topic(row: dict[str, Any]) -> str:
    return row["topic"] or "(no topic name)"


def _length(step: int) -> str:
    return human.plural(step // DAY_MS, "day") if step % DAY_MS == 0 else human.plural(step // HOUR_MS, "hour")


def _codecs(codecs: Rows) -> str:
    bars = [
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
    return section("Codecs", hint, _bars(bars))


def _sizes(sizes: Rows) -> str:
    rows = sorted(sizes, key=lambda row: int(row["batchSize"]))
    bars = [
        (
            f"from {human.size(row['batchSize'])}",
            row["batches"],
            f"{row['batches']:,} · {human.size(row['storedBytes'])}",
        )
        for row in rows
    ]
    return section("Sizes of batches", "Number of batches by their bytes on disk, and what they take.", _bars(bars))


def _bars(bars: Iterable[tuple[str, int, str]]) -> str:
    bars = list(bars)
    most = max((value for _, value, _ in bars), default=0) or 1
    lines = "".join(
        f'<div><span class="name">{text(name)}</span>{bar(value / most)}<span class="number">{text(said)}</span></div>'
        for name, value, said in bars
    )
    return f'<div class="bars even">{lines}</div>'


def _groups(groups: Rows, answer: "SpaceUse", most: int) -> str:
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
            (
                "share",
                f"<div>{bar(row['storedBytes'] / largest)}<span>{row['storedBytes'] / whole:.1%}</span></div>",
            ),
            ("number", human.size(row["recordBytes"])),
            ("number", human.number(row["records"])),
            ("time", time_of(row["minTimestamp"])),
            ("time", time_of(row["maxTimestamp"])),
        ]
        for row in groups[:most]
    ]
    body = table(titles, rows[:AT_ONCE])
    if rows[AT_ONCE:]:
        body += details(f"{len(rows) - AT_ONCE:,} more", table(titles, rows[AT_ONCE:]))
    more = len(groups) - len(rows)
    if more:
        body += f'<p class="quiet">and {more:,} more: kafkafmt space --output jsonl lists them all.</p>'
    if answer.is_estimate:
        body += f'<p class="quiet">{text(answer.notes[-1])}.</p>'
    return section(f"Largest by {', '.join(names)}", "", body)


def _kind(name: str) -> str:
    return "time" if name in ("hour", "day") else "path"


def _value(value: object, name: str) -> str:
    """What a cell says, as HTML."""
    if value is None:
        return "null"
    if isinstance(value, int) and name in ("hour", "day"):
        return time_of(value)
    return text(
        short(value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else str(value), _KEY_LETTERS)
    )
