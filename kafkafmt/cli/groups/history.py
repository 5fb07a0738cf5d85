"""`kafkafmt groups --history`: the events of groups, row by row, or a page with a chart for each group and topic.

A line of a chart is a partition: it stays at an offset until the next commit. A chart is grey while the group had no
members, and resets are red. Memory does not grow with the log: a line with many commits is thinned out.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from re import Pattern
from typing import TYPE_CHECKING, Any, Final

from kafkafmt.answer_columns import record_batches
from kafkafmt.cli import human, messages
from kafkafmt.cli.command import CLEAN, UNREADABLE, RowOptions
from kafkafmt.cli.frame import RowFrame, noting, page_of
from kafkafmt.cli.messages import say
from kafkafmt.cli.output import TableShape
from kafkafmt.cli.report.layout import page, section, short, text
from kafkafmt.phrases import counted
from kafkafmt.topics.answers import absent_names
from kafkafmt.topics.consumer_groups.history import GROUP_HISTORY, group_history
from kafkafmt.topics.consumer_groups.resets import Reset, Resets, is_reset

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kafkafmt.topics.consumer_groups.group_so_far import GroupEvent

_SHAPE = TableShape(
    (
        *("timestamp", "group", "event", "topic", "partition", "previousOffset", "offset", "state", "generation"),
        *("members", "clientId", "detail"),
    ),
    optional=("topic", "partition", "previousOffset", "offset", "clientId"),
    first=("timestamp", "group", "event", "topic", "partition", "previousOffset", "offset", "state", "detail"),
)

MOST_CHARTS: Final = 60
"""Most charts of a page, by number of commits; the page says how many more there are."""

MOST_POINTS: Final = 1000
"""Most commits kept for a line, and most spans without members kept for a group."""

_MOST_LINES: Final = 100
_WIDTH, _HEIGHT = 1000, 160

Point = tuple[int, int, bool]


def show_history(paths: tuple[str, ...], rows: RowOptions, report: str | None, wanted: dict[str, Any]) -> int:
    """Show the history of groups; returns the exit code.

    Args:
        paths: the paths that are read.
        rows: form of the rows.
        report: file for an HTML page with charts, instead of rows; or None.
        wanted: the arguments of `group_history`.
    """
    # A topic with commits need not be on these disks: it is missing only if no event has it, either.
    frame = RowFrame(paths, rows, GROUP_HISTORY.schema, topics=None, partitions=None)
    seen: set[str] = set()
    topics: set[str] = set()
    resets = Resets(messages.MOST_LINES)
    with page_of(report, paths) as write_page, frame.asking() as disks:
        answer = group_history(disks, **wanted)
        events = resets.watch(noting(answer.rows(), lambda event: [event.group], seen))
        events = noting(events, lambda event: [event.topic] if event.topic else [], topics)
        if write_page is not None:
            write_page(_page(events, paths, resets))
        else:
            is_of_all = wanted["groups"] is None and wanted["topics"] is None
            frame.write(record_batches(events, GROUP_HISTORY.schema), _SHAPE, names_if_empty=is_of_all, watched=answer)
    status = frame.report(answer)
    on_disks = {topic for topic, _ in frame.disks.names if topic is not None}
    frame.lacks(absent_names("topic", wanted["topics"], on_disks | topics))
    messages.say_some([f"note: {_reset_in_words(reset)}" for reset in resets.kept])
    if resets.count > len(resets.kept):
        say(f"note: and {resets.count - len(resets.kept)} more resets")
    named = [wanted["groups"].pattern] if isinstance(wanted["groups"], Pattern) else sorted(wanted["groups"] or ())
    missing = [name for name in named if name not in seen and not (isinstance(wanted["groups"], Pattern) and seen)]
    if missing:
        of_all = group_history(disks, **{**wanted, "groups": None, "on_damage": "skip"})
        messages.say_no_event("group", missing, {event.group for event in of_all.rows()})
    elif not seen and not frame.is_lacking:
        say("note: no group events found")
    return frame.end(status or (UNREADABLE if missing else CLEAN))


def _page(events: "Iterable[GroupEvent]", paths: tuple[str, ...], resets: Resets) -> str:
    """The page with the charts of committed offsets."""
    gathering = OffsetGathering()
    for event in events:
        gathering.take(event)
    return render_offsets(gathering, paths, list(map(_reset_in_words, resets.kept)))


def _reset_in_words(reset: Reset) -> str:
    """A sentence on a reset: when offsets were moved, the state of the group, and how far."""
    state = f", while {reset.state} (generation {reset.generation})" if reset.state else ""
    moved = f"back by {-reset.moved:,}" if reset.moved < 0 else f"forward by {reset.moved:,}"
    what = "was reset" if reset.state == "Empty" else "went back" if reset.moved < 0 else "went on"
    offsets = counted(reset.offsets, "offset")
    return f"group {reset.group} {what} at {human.time(reset.timestamp)}{state}: {offsets}, {moved} in all"


@dataclass(slots=True)
class OffsetLine:
    """Commits of one partition: time in ms, offset, and whether the commit is a reset.

    Attributes:
        points: the commits, thinned out.
        count: number of all commits.
    """

    points: list[Point] = field(default_factory=list)
    count: int = 0

    def add(self, point: Point) -> None:
        """Add the next commit; if there are too many, every second one is dropped, but no reset."""
        self.count += 1
        self.points.append(point)
        if len(self.points) > MOST_POINTS:
            resets = sum(is_red for _, _, is_red in self.points)
            keeps_resets = resets < MOST_POINTS // 4
            last = len(self.points) - 1
            self.points = [
                kept
                for number, kept in enumerate(self.points)
                if number % 2 == 0 or number == last or (keeps_resets and kept[2])
            ]


@dataclass(slots=True)
class GroupSpans:
    """When a group had no members: begin and end of spans, in ms; the last one may be open."""

    spans: list[tuple[int, int | None]] = field(default_factory=list)

    def see(self, moment: int, *, is_empty: bool) -> None:
        """Note whether the group has members from a time on."""
        is_open = bool(self.spans) and self.spans[-1][1] is None
        if is_empty and not is_open and len(self.spans) < MOST_POINTS:
            self.spans.append((moment, None))
        elif not is_empty and is_open:
            self.spans[-1] = (self.spans[-1][0], moment)


class OffsetGathering:
    """Collects events, and keeps the points of the charts.

    Attributes:
        charts: lines by partition, for each group and topic.
        spans: spans without members, by group.
        first: earliest time, in ms; None before the first event.
        last: latest time, in ms.
        without_time: number of commits without a time, which no chart shows.
        unshown: partitions that a chart leaves out.
    """

    def __init__(self) -> None:
        self.charts: dict[tuple[str, str], dict[int, OffsetLine]] = {}
        self.spans: dict[str, GroupSpans] = {}
        self.first: int | None = None
        self.last: int | None = None
        self.without_time = 0
        self.unshown: set[tuple[str, str, int]] = set()

    def take(self, event: "GroupEvent") -> None:
        """Take the next event."""
        moment = event.timestamp
        if moment is None:
            self.without_time += event.event == "commit"
            return
        self.first = moment if self.first is None else min(self.first, moment)
        self.last = moment if self.last is None else max(self.last, moment)
        if event.members is not None:
            self.spans.setdefault(event.group, GroupSpans()).see(moment, is_empty=event.members == 0)
        if event.offset is None or event.transaction not in (None, "committed") or event.partition is None:
            return
        place = event.group, event.topic or ""
        lines = self.charts.setdefault(place, {})
        if event.partition not in lines and len(lines) >= _MOST_LINES:
            self.unshown.add((*place, event.partition))
            return
        lines.setdefault(event.partition, OffsetLine()).add((moment, event.offset, is_reset(event)))


def render_offsets(
    gathering: OffsetGathering, paths: tuple[str, ...], resets: list[str], clock: Callable[[], float] = time.time
) -> str:
    """Render the page.

    Args:
        gathering: the data to show.
        paths: the paths read.
        resets: sentences on resets.
        clock: function that returns the time of the report, in seconds since the epoch.
    """
    order = sorted(gathering.charts.items(), key=lambda item: -sum(line.count for line in item[1].values()))
    charts = "".join(_chart(gathering, group, topic, lines) for (group, topic), lines in sorted(order[:MOST_CHARTS]))
    rest = len(order) - MOST_CHARTS
    more = (
        f'<p class="quiet">and {rest:,} more pairs of group and topic: name one with --group.</p>' if rest > 0 else ""
    )
    unshown = len(gathering.unshown)
    more += f'<p class="quiet">{counted(unshown, "partition")} not drawn.</p>' if unshown else ""
    if gathering.without_time:
        more += f'<p class="quiet">{counted(gathering.without_time, "commit")} without a time not drawn.</p>'
    listed = "".join(f"<li>{text(reset)}</li>" for reset in resets)
    found = section("Resets", "", f'<div class="group"><ul>{listed}</ul></div>', css_class="faulty") if listed else ""
    nothing = section("No committed offset has a time that can be shown", "")
    return page(
        "Committed offsets over time", paths, "from __consumer_offsets.", [found + (charts or nothing) + more], clock
    )


def _chart(gathering: OffsetGathering, group: str, topic: str, lines: dict[int, OffsetLine]) -> str:
    """One chart: its lines, spans without members, resets, and axes."""
    from kafkafmt.cli.report.time_axis import axis, ticks

    begin, span = _span(gathering.first or 0, gathering.last or 0)
    offsets = [offset for line in lines.values() for _, offset, _ in line.points]
    lowest, highest = min(offsets), max(offsets)
    height = max(highest - lowest, 1)

    def across(moment: int) -> float:
        return (moment - begin) / span * _WIDTH

    def down(offset: int) -> float:
        return _HEIGHT - 8 - (offset - lowest) / height * (_HEIGHT - 16)

    drawn = []
    for start, end in gathering.spans.get(group, GroupSpans()).spans:
        x = across(start)
        width = across(end if end is not None else begin + span) - x
        tip = f"no members from {human.time(start)}{'' if end is None else f' to {human.time(end)}'}"
        shape = f'<rect class="g" x="{x:.1f}" y="0" width="{max(width, 1):.1f}" height="{_HEIGHT}">'
        drawn.append(f"{shape}<title>{text(tip)}</title></rect>")
    times = ticks(begin, begin + span)
    drawn += [
        f'<path d="M{across(moment):.1f} 0V{_HEIGHT}" stroke="var(--line)" vector-effect="non-scaling-stroke"/>'
        for moment, _ in times
    ]
    for number, (partition, line) in enumerate(sorted(lines.items())):
        path = _steps([(across(moment), down(offset)) for moment, offset, _ in line.points], _WIDTH)
        colour = "var(--size)" if number % 2 == 0 else "var(--size-2)"
        name = f"partition {partition}: {counted(line.count, 'commit')}, offset {line.points[-1][1]:,} at the end"
        drawn.append(
            f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="1.5" vector-effect="non-scaling-stroke">'
            f"<title>{text(name)}</title></path>"
        )
        for moment, offset, is_red in line.points:
            if is_red:
                tip = f"partition {partition} to offset {offset:,} at {human.time(moment)}"
                place = f'x="{across(moment) - 3:.1f}" y="{down(offset) - 3:.1f}"'
                drawn.append(f'<rect class="f" {place} width="6" height="6"><title>{text(tip)}</title></rect>')
    label = f"offsets of {group} in {topic}"
    return (
        f"<section><h2>{text(short(group, 80))}: {text(short(topic, 80))}</h2>"
        f'<p class="quiet">{counted(len(lines), "partition")}, offsets {lowest:,} to {highest:,}. '
        "Shaded: no members. Red: moved back, or moved without members.</p>"
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" height="{_HEIGHT}" preserveAspectRatio="none" role="img" '
        f'aria-label="{text(short(label, 120))}">{"".join(drawn)}</svg>'
        f'<div class="times"><svg height="18" aria-hidden="true" style="grid-column: 1 / -1">{axis(times, begin, span)}'
        "</svg></div></section>"
    )


def _span(first: int, last: int) -> tuple[int, int]:
    """Start and length of the time axis, in ms: slightly more than the range of the events."""
    margin = max((last - first) // 50, 500)
    return first - margin, last - first + 2 * margin


def _steps(points: list[tuple[float, float]], end: float) -> str:
    """An SVG path that stays at a height until the next point."""
    (x, y), *others = points
    return f"M{x:.1f} {y:.1f}" + "".join(f"H{x:.1f}V{y:.1f}" for x, y in others) + f"H{end:.1f}"
