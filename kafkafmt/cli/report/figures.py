"""The pictures of a report, drawn by plotly; names from disk are escaped, for plotly takes some HTML for markup."""

import html
from collections import Counter
from collections.abc import Sequence
from itertools import takewhile
from typing import Any

import plotly.graph_objects as go

from kafkafmt.cli.ls import human
from kafkafmt.cli.printable import escape
from kafkafmt.cli.report.gathering import Gathering, KeptPartition, group_of

MOST_TOPICS = 200
"""Topics that the map of sizes shows one by one; the others are one tile."""

MOST_LINES = 30
"""Partitions in the time line: the largest."""

_ROOT = "all"
_ROOMY = 50
_OTHERS = "others"
_PALETTE = (
    "#3b6fb6",
    "#2a9d8f",
    "#8a63b8",
    "#c98a2b",
    "#5b8c3a",
    "#b65a7a",
    "#4a90a4",
    "#7a7f3b",
    "#a0674b",
    "#6b7fd1",
)
_SHADES = ("#3b6fb6", "#8fb0dd")
_FAULT = "#d1495b"
_QUIET = "#8d99a6"

# Before Kafka there was nothing, and what is more than a day ahead was not written by a clock that is right.
_EARLIEST_MS = 1_262_304_000_000
_DAY_MS = 86_400_000
_MOST_CHARACTERS = 44


def _base_name(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2] or path


def _told_apart(paths: Sequence[str]) -> dict[str, str]:
    """Short names of paths: what they begin and end with alike is left out."""
    parts = {path: path.rstrip("/").split("/") for path in paths}
    for _ in ("the beginning", "then the end"):
        names = zip(*parts.values(), strict=False) if len(parts) > 1 else ()
        alike = sum(1 for _ in takewhile(lambda each: len(set(each)) == 1, names))
        parts = {path: part[alike:][::-1] for path, part in parts.items()}
    return {path: "/".join(part) or _base_name(path) for path, part in parts.items()}


def _short(name: str) -> str:
    """A name without its middle, if it is too long to stand beside a picture."""
    return name if len(name) <= _MOST_CHARACTERS else f"{name[: _MOST_CHARACTERS - 16]}…{name[-15:]}"


def label(name: str) -> str:
    """A name from disk, as plotly shows it literally."""
    return html.escape(escape(name))


def size_map(gathering: Gathering) -> go.Figure:
    """Tiles of the size of each topic, and in them of its partitions."""
    topics = sorted(gathering.topics.items(), key=lambda item: (-item[1].size, item[0]))
    tiles = _Tiles()
    tiles.add(_ROOT, "", "all topics", gathering.size, _QUIET, f"{gathering.partitions:,} partitions")
    by_topic: dict[str, list[KeptPartition]] = {}
    for kept in gathering.largest:
        by_topic.setdefault(group_of(kept.facts), []).append(kept)
    for number, (name, topic) in enumerate(topics[:MOST_TOPICS]):
        colour = _PALETTE[number % len(_PALETTE)]
        details = f"{human.plural(topic.partitions, 'partition')}<br>{human.plural(topic.records, 'record')}"
        faults = f"<br>{human.plural(topic.findings, 'finding')}" if topic.findings else ""
        shown = f"{label(_short(name))} ⚠" if topic.findings else label(_short(name))
        tiles.add(f"t{number}", _ROOT, shown, topic.size, colour, details + faults)
        rest = topic.size
        kept_partitions = by_topic.get(name, [])
        for position, kept in enumerate(kept_partitions):
            facts = kept.facts
            rest -= facts.size
            tile = f"{'' if facts.partition is None else facts.partition}" or label(_base_name(facts.path))
            faults = f"<br>{human.plural(facts.findings, 'finding')}" if facts.findings else ""
            tiles.add(
                f"t{number}p{position}",
                f"t{number}",
                f"{tile} ⚠" if facts.findings else tile,
                facts.size,
                _FAULT if facts.findings else colour,
                f"{human.plural(facts.records or 0, 'record')}<br>{label(facts.path)}{faults}",
            )
        others = topic.partitions - len(kept_partitions)
        if others:
            tiles.add(f"t{number}{_OTHERS}", f"t{number}", f"{others:,} others", rest, colour, "smaller ones")
    if topics[MOST_TOPICS:]:
        rest = sum(topic.size for _, topic in topics[MOST_TOPICS:])
        text = f"{len(topics) - MOST_TOPICS:,} smaller topics"
        tiles.add(_OTHERS, _ROOT, text, rest, _QUIET, "see ls --rows partitions")
    # Of many topics each has no room to show its partitions before it is clicked.
    return tiles.figure(maxdepth=3 if len(topics) <= _ROOMY else 2)


class _Tiles:
    """Nodes of a treemap."""

    def __init__(self) -> None:
        self._columns: dict[str, list[Any]] = {
            name: [] for name in ("ids", "parents", "labels", "values", "colors", "text", "customdata")
        }

    def add(self, key: str, parent: str, text: str, size: int, colour: str, details: str) -> None:
        row = (key, parent, text, size, colour, human.size(size), details)
        for column, value in zip(self._columns.values(), row, strict=True):
            column.append(value)

    def figure(self, maxdepth: int) -> go.Figure:
        columns = dict(self._columns)
        figure = go.Figure(
            go.Treemap(
                marker={"colors": columns.pop("colors"), "cornerradius": 3},
                branchvalues="total",
                textinfo="label+text",
                hovertemplate="<b>%{label}</b><br>%{text}<br>%{customdata}<extra></extra>",
                tiling={"pad": 2},
                pathbar={"visible": True},
                maxdepth=maxdepth,
                **columns,
            )
        )
        return figure.update_layout(height=520, margin={"l": 0, "r": 0, "t": 24, "b": 0})


def time_line(gathering: Gathering, now: int) -> tuple[go.Figure | None, int]:
    """Bars from the first to the last time in each segment, a line for each of the largest partitions.

    Args:
        gathering: the survey.
        now: ms since the epoch; what lies more than a day ahead is not shown.

    Returns:
        The picture, or None if no segment has a time; and how many bars lie outside of the times shown.
    """
    bars: list[tuple[int, int, int, str, int]] = []
    outside = 0
    names: list[str] = []
    where = _told_apart([facts.path for facts in gathering.log_dirs])
    for kept in [kept for kept in gathering.largest if kept.stretches][:MOST_LINES]:
        name = _base_name(kept.facts.path)
        full = f"{name} ({where.get(kept.where, _base_name(kept.where))})" if len(where) > 1 else name
        shown = [each for each in kept.stretches if each.end >= _EARLIEST_MS and each.start <= now + _DAY_MS]
        outside += len(kept.stretches) - len(shown)
        if not shown:
            continue
        number = len(names)
        names.append(label(_short(full)))
        for position, each in enumerate(shown):
            start, end = max(each.start, _EARLIEST_MS), min(each.end, now + _DAY_MS)
            offsets = "" if each.first_offset is None else f"<br>offsets {each.first_offset} to {each.next_offset}"
            what = f"{human.plural(each.segments, 'segment')}, {human.size(each.size)}{offsets}"
            times = f"{human.time(each.start)} to {human.time(each.end)} UTC"
            bars.append((number, start, end, f"<b>{label(full)}</b><br>{what}<br>{times}", position % 2))
    if not bars:
        return None, outside
    least = min(start for _, start, *_ in bars)
    most = max(end for _, _, end, *_ in bars)
    # A segment of an instant is to be seen as well.
    thin = max((most - least) // 250, 1)
    figure = go.Figure(
        go.Bar(
            orientation="h",
            y=[number for number, *_ in bars],
            base=[start for _, start, *_ in bars],
            x=[max(end - start, thin) for _, start, end, *_ in bars],
            customdata=[text for *_, text, _ in bars],
            hovertemplate="%{customdata}<extra></extra>",
            marker={"color": [_SHADES[shade] for *_, shade in bars], "line": {"width": 0}},
        )
    )
    margin = max((most - least) // 50, 1000)
    figure.update_xaxes(
        type="date", range=[least - margin, most + margin + thin], title="time of the records (UTC)", side="top"
    )
    numbers = list(range(len(names)))
    figure.update_yaxes(
        tickvals=numbers, ticktext=names, range=[len(names) - 0.5, -0.5], automargin=True, showgrid=False
    )
    return figure.update_layout(
        height=100 + 24 * len(names), barmode="overlay", margin={"l": 8, "r": 8, "t": 56, "b": 8}, showlegend=False
    ), outside


def shares(sizes: Counter[str]) -> go.Figure:
    """Bars of bytes, the largest on top."""
    total = sizes.total() or 1
    items = sorted(sizes.items(), key=lambda item: (item[1], item[0]))
    figure = go.Figure(
        go.Bar(
            orientation="h",
            y=[label(name) for name, _ in items],
            x=[size for _, size in items],
            text=[f"{human.size(size)} · {size / total:.1%}" for _, size in items],
            textposition="auto",
            hovertemplate="<b>%{y}</b><br>%{text}<extra></extra>",
            marker={"color": [_PALETTE[number % len(_PALETTE)] for number in range(len(items))][::-1]},
        )
    )
    figure.update_xaxes(visible=False)
    figure.update_yaxes(type="category", automargin=True)
    return figure.update_layout(height=60 + 36 * max(len(items), 1), margin={"l": 8, "r": 8, "t": 8, "b": 8})
