"""The time line of a report: when each segment of the largest partitions was written, as inline SVG."""

from dataclasses import dataclass

from kafkafmt.cli import human
from kafkafmt.cli.report.gathering import Gathering, TimeBar
from kafkafmt.cli.report.layout import base_name, distinct_names, percent, short, text, tip_of
from kafkafmt.cli.report.time_axis import axis, ticks
from kafkafmt.phrases import counted

MOST_LINES = 30
"""Most partitions in the time line, largest first."""


@dataclass(frozen=True, slots=True)
class TimeLine:
    """A line for each of the largest partitions, with bars from the first to the last time in each segment.

    Attributes:
        start: earliest time shown, in ms.
        end: latest time shown, in ms.
        drawn: the picture, as HTML.
    """

    start: int
    end: int
    drawn: str


def time_line(gathering: Gathering) -> TimeLine | None:
    """Draw the time line; None if no segment has a possible time."""
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
        f"{counted(time_bar.segments, 'segment')}, {human.size(time_bar.size)}",
        f"{human.time(time_bar.start)} to {human.time(time_bar.end)}",
    ]
    if time_bar.first_offset is not None:
        tip.append(f"offsets {time_bar.first_offset} to {(time_bar.next_offset or 0) - 1}")
    css_class = "f" if time_bar.is_faulty else "s" if shade else ""
    kind = f' class="{css_class}"' if css_class else ""
    # A segment of a single moment must be visible, too.
    shape = f'<rect{kind} x="{percent(place)}" width="{percent(max(width, 0.003))}" y="2" height="12">'
    return f"{shape}{tip_of([*tip, *(['⚠ see the findings'] if time_bar.is_faulty else [])], 0)}</rect>"
