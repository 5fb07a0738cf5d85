"""The charts of reports: inline SVG without a script, blue for size and red for faults.

Widths are per cent, so that a chart fills any page while its text keeps its size; heights are pixels.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from typing import Any

from kafkafmt.cli import human
from kafkafmt.cli.report.gathering import Gathering, KeptPartition, TimeBar, TopicSum, group_of
from kafkafmt.cli.report.layout import base_name, distinct_names, percent, section, short, text, tip_of

MOST_TILES = 100
"""Topics that the map of sizes shows one by one, and partitions of one topic; the others are one tile."""

MOST_LINES = 30
"""Partitions in the time line: the largest."""

_LETTER = 7.2
_LEAST = 6
_LINE = 18
_TITLE = 22
_GAP = 2
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SECOND, _MINUTE, _HOUR, _DAY = 1000, 60_000, 3_600_000, 86_400_000
_MONTH = 30 * _DAY
_STEPS = (
    *(count * _SECOND for count in (1, 2, 5, 15, 30)),
    *(count * _MINUTE for count in (1, 5, 15, 30)),
    *(count * _HOUR for count in (1, 3, 6, 12)),
    *(count * _DAY for count in (1, 2, 7, 14)),
    *(count * _MONTH for count in (1, 3, 6, 12, 24, 60, 120, 240)),
)
_MOST_TICKS = 6
_SHORT_LABEL = 11

_MOST_TOPICS = 7
_MOST_COLUMNS = 120
# Outliers are at most this share of all, and this many times as far away as the others are long.
_MOST_APART = 0.05
_FAR = 20
_LEAST_SPAN = 2 * _DAY
_COLUMNS_HEIGHT = 200
_OTHERS = "other topics"
_HOURS_OF_A_COLUMN = (1, 3, 6, 12, *(24 * days for days in (1, 2, 7, 14, 30, 90, 365)))


@dataclass(frozen=True, slots=True)
class Area:
    """A rectangle of a chart, in pixels of the width that it is laid out for."""

    x: float
    y: float
    width: float
    height: float


def squarify(sizes: Sequence[float], area: Area) -> list[Area]:
    """Divide an area among sizes, the largest first, into pieces that are as near to squares as can be.

    It lays out a row at a time along the shorter side, as Bruls, Huizing and van Wijk describe ("Squarified Treemaps").
    """
    left = sum(sizes)
    x, y, width, height = area.x, area.y, area.width, area.height
    areas: list[Area] = []
    start = 0
    while start < len(sizes) and left > 0:
        side = min(width, height)
        scale = width * height / left
        end, row = start + 1, sizes[start]
        while end < len(sizes) and _worst(sizes[start : end + 1], side, scale) <= _worst(sizes[start:end], side, scale):
            row += sizes[end]
            end += 1
        depth = row * scale / side if side else 0
        along = 0.0
        for size in sizes[start:end]:
            length = size / row * side if row else 0
            if width >= height:
                areas.append(Area(x, y + along, depth, length))
            else:
                areas.append(Area(x + along, y, length, depth))
            along += length
        if width >= height:
            x, width = x + depth, max(width - depth, 0)
        else:
            y, height = y + depth, max(height - depth, 0)
        left -= row
        start = end
    return areas


def _worst(row: Sequence[float], side: float, scale: float) -> float:
    """The largest ratio of two sides that the pieces of a row would have."""
    total = sum(row) * scale
    if not total or not side:
        return float("inf")
    return max(side**2 * row[0] * scale / total**2, total**2 / (side**2 * row[-1] * scale or 1e-9))


class SizeMap:
    """Tiles of the size of each topic, and in them of its partitions.

    Args:
        gathering: the survey.
        width: pixels that it is laid out for.
        height: pixels that it has.
    """

    def __init__(self, gathering: Gathering, width: int, height: int) -> None:
        self._whole = Area(0, 0, width, height)
        self._gathering = gathering
        self._partitions: dict[str, list[KeptPartition]] = {}
        for kept in gathering.largest:
            self._partitions.setdefault(group_of(kept.facts), []).append(kept)

    def draw(self, css_class: str) -> str:
        """The picture, as SVG."""
        topics = sorted(self._gathering.topics.items(), key=lambda item: (-item[1].size, item[0]))
        topics = [(name, topic) for name, topic in topics if topic.size]
        drawn, rest = topics[:MOST_TILES], topics[MOST_TILES:]
        sizes: list[float] = [topic.size for _, topic in drawn]
        if rest:
            sizes.append(sum(topic.size for _, topic in rest))
        areas = squarify(sizes, self._whole)
        tiles = [self._topic(name, topic, area) for (name, topic), area in zip(drawn, areas, strict=False)]
        if rest:
            what = human.plural(len(rest), "smaller topic")
            findings = sum(topic.findings for _, topic in rest)
            size = human.size(int(sizes[-1]))
            tiles.append(self._rest(areas[-1], f"{what} · {size}", [what, size], findings))
        return (
            f'<svg class="map {css_class}" height="{self._whole.height:.0f}" role="img" '
            f'aria-label="sizes of topics">{"".join(tiles)}</svg>'
        )

    def _topic(self, name: str, topic: TopicSum, area: Area) -> str:
        size = human.size(topic.size)
        counts = human.plural(topic.partitions, "partition"), human.plural(topic.records, "record")
        tip = [name, size, *counts]
        partitions = [kept for kept in self._partitions.get(name, ())[:MOST_TILES] if kept.facts.size]
        if topic.partitions < 2 or not partitions or area.width < 60 or area.height < _TITLE + 24:
            return self._tile(area, name, size, tip, topic.findings)
        rest = topic.size - sum(kept.facts.size for kept in partitions)
        sizes: list[float] = [kept.facts.size for kept in partitions]
        others = topic.partitions - len(partitions)
        if rest > 0:
            sizes.append(rest)
        inner = Area(area.x + _GAP, area.y + _TITLE, area.width - 2 * _GAP, area.height - _TITLE - _GAP)
        places = squarify(sizes, inner)
        tiles = [self._partition(kept, place) for kept, place in zip(partitions, places, strict=False)]
        if rest > 0:
            shown = sum(kept.facts.findings for kept in partitions)
            what = f"{others:,} smaller ones"
            tiles.append(self._rest(places[-1], what, [what, human.size(rest)], topic.findings - shown))
        room = int((area.width - 12) / _LETTER) - len(size) - 3
        label = self._label(area, f"{short(name, room)} · {size}" if room >= _LEAST else name, 15, "d")
        return f"<g>{self._rect(area, 'g')}{tip_of(tip, topic.findings)}{label}</g>{''.join(tiles)}"

    def _partition(self, kept: KeptPartition, area: Area) -> str:
        facts = kept.facts
        label = base_name(facts.path) if facts.partition is None else str(facts.partition)
        tip = [facts.path, human.size(facts.size), human.plural(facts.records or 0, "record")]
        return self._tile(area, label, "", tip, facts.findings)

    def _tile(self, area: Area, name: str, size: str, tip: Sequence[str], findings: int) -> str:
        label = self._label(area, f"⚠ {name}" if findings else name, 15, "")
        below = self._label(area, size, 15 + _LINE, "q", whole=True) if size else ""
        return f"<g>{self._rect(area, 'f' if findings else '')}{tip_of(tip, findings)}{label}{below}</g>"

    def _rest(self, area: Area, name: str, tip: Sequence[str], findings: int) -> str:
        """A tile for the parts that are too small to be shown one by one."""
        label = self._label(area, f"⚠ {name}" if findings else name, 15, "" if findings else "d")
        return f"<g>{self._rect(area, 'f' if findings else 'r')}{tip_of(tip, findings)}{label}</g>"

    def _rect(self, area: Area, css_class: str) -> str:
        kind = f' class="{css_class}"' if css_class else ""
        width, height = max(area.width - _GAP, 0.5), max(area.height - _GAP, 0.5)
        place = f'x="{self._across(area.x)}" y="{area.y:.1f}" width="{self._across(width)}" height="{height:.1f}"'
        return f"<rect{kind} {place}/>"

    def _label(self, area: Area, label: str, down: int, css_class: str, *, whole: bool = False) -> str:
        """A line of text in a tile, without its middle where it is too long; empty where it does not fit."""
        room = int((area.width - 12) / _LETTER)
        if area.height < down + 5 or room < (len(label) if whole else min(len(label), _LEAST)):
            return ""
        kind = f' class="{css_class}"' if css_class else ""
        y = area.y + down
        return f'<text{kind} x="{self._across(area.x + 6)}" y="{y:.1f}">{text(short(label, room))}</text>'

    def _across(self, pixels: float) -> str:
        return percent(pixels / self._whole.width)


@dataclass(frozen=True, slots=True)
class TimeLine:
    """Bars from the first to the last time in each segment, a line for each of the largest partitions.

    Attributes:
        start: earliest time shown, ms.
        end: latest time shown, ms.
        drawn: the picture, as HTML.
    """

    start: int
    end: int
    drawn: str


def time_line(gathering: Gathering) -> TimeLine | None:
    """Draw it; None if no segment has a possible time."""
    lines = [kept for kept in gathering.largest if kept.time_bars][:MOST_LINES]
    if not lines:
        return None
    start = min(time_bar.start for kept in lines for time_bar in kept.time_bars)
    end = max(time_bar.end for kept in lines for time_bar in kept.time_bars)
    margin = max((end - start) // 100, 500)
    begin, span = start - margin, end - start + 2 * margin
    marks = ticks(begin, begin + span)
    grid = "".join(
        f'<line x1="{place}" x2="{place}" y2="100%"/>'
        for place in (percent((tick - begin) / span) for tick, _ in marks)
    )
    where = distinct_names([facts.path for facts in gathering.log_dirs])
    rows = [
        f'<div class="axis"><span></span><svg height="18" aria-hidden="true">{axis(marks, begin, span)}</svg></div>'
    ]
    for kept in lines:
        name = base_name(kept.facts.path)
        if len(where) > 1:
            name = f"{name} ({where.get(kept.where, base_name(kept.where))})"
        bars = "".join(
            _segment_bar(time_bar, (time_bar.start - begin) / span, (time_bar.end - time_bar.start) / span, number % 2)
            for number, time_bar in enumerate(kept.time_bars)
        )
        rows.append(
            f'<div class="line"><span title="{text(kept.facts.path)}">{text(short(name))}</span>'
            f'<svg height="16" role="img" aria-label="segments of {text(short(name))}">{grid}{bars}</svg></div>'
        )
    return TimeLine(start, end, f'<div class="times">{"".join(rows)}</div>')


def _segment_bar(time_bar: TimeBar, place: float, width: float, shade: int) -> str:
    tip = [
        f"{human.plural(time_bar.segments, 'segment')}, {human.size(time_bar.size)}",
        f"{human.time(time_bar.start)} to {human.time(time_bar.end)}",
    ]
    if time_bar.first_offset is not None:
        tip.append(f"offsets {time_bar.first_offset} to {(time_bar.next_offset or 0) - 1}")
    css_class = "f" if time_bar.is_faulty else "s" if shade else ""
    kind = f' class="{css_class}"' if css_class else ""
    # A segment of an instant is to be seen as well.
    shape = f'<rect{kind} x="{percent(place)}" width="{percent(max(width, 0.003))}" y="2" height="12">'
    return f"{shape}{tip_of([*tip, *(['⚠ see the findings'] if time_bar.is_faulty else [])], 0)}</rect>"


def ticks(start: int, end: int) -> list[tuple[int, str]]:
    """About six round times between two, with their labels."""
    step = next((step for step in _STEPS if (end - start) / step <= _MOST_TICKS), _STEPS[-1])
    if step < _MONTH:
        same_day = start // _DAY == end // _DAY
        written = (
            "%Y-%m-%d" if step >= _DAY else "%H:%M:%S" if step < _MINUTE else "%H:%M" if same_day else "%m-%d %H:%M"
        )
        times = list(range(-(-start // step) * step, end + 1, step))
        if step < _DAY and times:
            # Hours alone would be read as those of today.
            dated = f"{_EPOCH + timedelta(milliseconds=times[0]):%Y-%m-%d {written.removeprefix('%m-%d ')}}"
            return [
                (times[0], dated),
                *((tick, f"{_EPOCH + timedelta(milliseconds=tick):{written}}") for tick in times[1:]),
            ]
    else:
        written, times = "%Y-%m", []
        months = step // _MONTH
        first = _EPOCH + timedelta(milliseconds=start)
        month = (first.year * 12 + first.month - 1) // months * months
        while (tick := _ms(datetime(month // 12, month % 12 + 1, 1, tzinfo=UTC))) <= end:
            times += [tick] if tick >= start else []
            month += months
    return [(tick, f"{_EPOCH + timedelta(milliseconds=tick):{written}}") for tick in times]


def _ms(moment: datetime) -> int:
    return (moment - _EPOCH) // timedelta(milliseconds=1)


def axis(ticks: Iterable[tuple[int, str]], begin: int, span: int) -> str:
    """Labels of a time axis.

    Args:
        ticks: times in ms, with their labels.
        begin: time at the left end, in ms.
        span: length of the axis, in ms.
    """
    shown = []
    for number, (tick, label) in enumerate(ticks):
        place = (tick - begin) / span
        edge = 0.15 if len(label) > _SHORT_LABEL else 0.06
        anchor = "start" if place < edge else "end" if place > 1 - edge else "middle"
        kind = ' class="w"' if number % 2 else ""
        shown.append(f'<text{kind} x="{percent(place)}" y="13" text-anchor="{anchor}">{label}</text>')
    return "".join(shown)


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
    """Columns of hours or longer periods, one on the other by topic.

    Args:
        hours: rows with `topic`, `hour` in ms or None, `storedBytes` and the figure.
        figure: the drawing.
        title: of the section.
        written: writes a figure.
        since: where the axis begins, in ms, if that is before the first column; None: there.
        by: which times those are.
        undated: the label of rows without an hour.
        nothing: the text if there are no others.
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
    span = max(row["hour"] for row in dated) + _HOUR - first
    width = next((each for each in _HOURS_OF_A_COLUMN if span / (each * _HOUR) <= _MOST_COLUMNS), None)
    step = (width or -(-span // (_MOST_COLUMNS * _HOUR))) * _HOUR
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
        f'<svg height="{_COLUMNS_HEIGHT}" role="img" aria-label="{title}">{shapes}</svg>'
        f'<svg height="18" class="axis" aria-hidden="true">{axis(marks, begin, count * step)}</svg></div>'
        f'<p class="keys">{keys}</p>'
    )
    return section(title, f"Each column is {_length(step)}, {by} (UTC). {rest}".strip(), picture)


def _without_outliers(
    rows: list[dict[str, Any]], figure: str
) -> tuple[list[dict[str, Any]], tuple[list[dict[str, Any]], list[dict[str, Any]]]]:
    """Rows by time, without the few so far off that the others would be one column; with those before and after.

    A record of 2099 among those of a week, or of 1970, would make a chart of the week unreadable.
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
    """The rows left out of the chart, and their days."""
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
    """The pieces of one column, the first topic at the bottom."""
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
    return human.plural(step // _DAY, "day") if step % _DAY == 0 else human.plural(step // _HOUR, "hour")
