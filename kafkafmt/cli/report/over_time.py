"""Columns over time in a report: a figure by hour or longer period and by topic, as inline SVG."""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any

from kafkafmt.cli import human
from kafkafmt.cli.report.layout import percent, section, short, text, tip_of
from kafkafmt.cli.report.time_axis import DAY, HOUR, axis, ticks
from kafkafmt.phrases import counted

_MOST_TOPICS = 7
_MOST_COLUMNS = 120
# Outliers are at most this share of the whole, and this many times as far away as the rest is long.
_MOST_APART = 0.05
_FAR = 20
_LEAST_SPAN = 2 * DAY
_COLUMNS_HEIGHT = 200
_OTHERS = "other topics"
_HOURS_OF_A_COLUMN = (1, 3, 6, 12, *(24 * days for days in (1, 2, 7, 14, 30, 90, 365)))


def over_time(
    hours: Sequence[dict[str, Any]],
    figure: str,
    title: str,
    written: Callable[[int], str],
    *,
    since: int | None = None,
    by: str = "by the timestamps of records",
    undated: str = "Without a timestamp",
    nothing: str = "No record has a timestamp.",
) -> str:
    """Columns of hours or longer periods, stacked by topic.

    Args:
        hours: rows with `topic`, `hour` in ms or None, `storedBytes` and the figure.
        figure: name of the figure that is drawn.
        title: title of the section.
        written: function that formats a figure.
        since: start of the axis in ms, if it is before the first column; None to begin at that column.
        by: name of the times.
        undated: label of rows without an hour.
        nothing: text if there are no other rows.
    """
    dated = [row for row in hours if row["hour"] is not None and row[figure]]
    without = sum(row[figure] for row in hours if row["hour"] is None)
    rest = f"{undated}: {written(without)}." if without else ""
    if not dated:
        return section(title, nothing)
    dated, apart = _without_outliers(dated, figure)
    rest += "".join(_of_outliers(rows, figure, written) for rows in apart if rows)
    first = min(row["hour"] for row in dated)
    first = first if since is None else min(first, since)
    span = max(row["hour"] for row in dated) + HOUR - first
    width = next((each for each in _HOURS_OF_A_COLUMN if span / (each * HOUR) <= _MOST_COLUMNS), None)
    step = (width or -(-span // (_MOST_COLUMNS * HOUR))) * HOUR
    begin = first // step * step
    totals: Counter[str] = Counter()
    for row in hours:
        # By bytes, so that a topic has the same colour in all charts.
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
        f'<svg height="{_COLUMNS_HEIGHT}" role="img" aria-label="{title}">{shapes}</svg>'
        f'<svg height="18" class="axis" aria-hidden="true">{axis(marks, begin, count * step)}</svg></div>'
        f'<p class="keys">{keys}</p>'
    )
    return section(title, f"Each column is {_length(step)}, {by} (UTC). {rest}".strip(), picture)


def _without_outliers(
    rows: list[dict[str, Any]], figure: str
) -> tuple[list[dict[str, Any]], tuple[list[dict[str, Any]], list[dict[str, Any]]]]:
    """Rows by time, without the few that are so far off that the others would be one column; those before and after.

    One record of 2099 or 1970 among those of a week would make the chart of the week unreadable.
    """
    rows = sorted(rows, key=lambda row: row["hour"])
    below = list(accumulate(row[figure] for row in rows))
    first = bisect_right(below, _MOST_APART / 2 * below[-1])
    last = bisect_left(below, (1 - _MOST_APART / 2) * below[-1])
    far = _FAR * max(rows[last]["hour"] - rows[first]["hour"], _LEAST_SPAN)
    while first > 0 and rows[first]["hour"] - rows[first - 1]["hour"] <= far:
        first -= 1
    while last + 1 < len(rows) and rows[last + 1]["hour"] - rows[last]["hour"] <= far:
        last += 1
    return rows[first : last + 1], (rows[:first], rows[last + 1 :])


def _of_outliers(rows: list[dict[str, Any]], figure: str, written: Callable[[int], str]) -> str:
    """A sentence on the rows left out of the chart, with their days."""
    days = sorted({human.time(rows[number]["hour"])[:10] for number in (0, -1)})
    return (
        f" Not drawn, as it is far from the rest: {written(sum(row[figure] for row in rows))} of {' to '.join(days)}."
    )


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
    """The pieces of one column, with the first topic at the bottom."""
    shapes = []
    used = 0
    for name in order:
        if not column[name]:
            continue
        used += column[name]
        height = _COLUMNS_HEIGHT * column[name] / highest
        y = _COLUMNS_HEIGHT - _COLUMNS_HEIGHT * used / highest
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
    return counted(step // DAY, "day") if step % DAY == 0 else counted(step // HOUR, "hour")
