"""The map of sizes in a report: inline SVG without a script, with a tile for each topic that holds its partitions.

Widths are percentages, so that the picture fills any page while its text keeps its size; heights are pixels.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from kafkafmt.cli import human
from kafkafmt.cli.report.gathering import Gathering, KeptPartition, TopicSum, group_of
from kafkafmt.cli.report.layout import base_name, percent, short, text, tip_of
from kafkafmt.phrases import counted

MOST_TILES = 100
"""Most topics in the map of sizes, and most partitions in a topic; the others share one tile."""

_LETTER = 7.2
_LEAST = 6
_LINE = 18
_TITLE = 22
_GAP = 2


@dataclass(frozen=True, slots=True)
class Area:
    """A rectangle of a chart, in pixels of the width for which the chart is laid out."""

    x: float
    y: float
    width: float
    height: float


def squarify(sizes: Sequence[float], area: Area) -> list[Area]:
    """Divide an area among sizes, largest first, into pieces that are as close to squares as possible.

    Rows are laid out along the shorter side, as Bruls, Huizing and van Wijk describe ("Squarified Treemaps").
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
    """The largest ratio of two sides among the pieces of a row."""
    total = sum(row) * scale
    if not total or not side:
        return float("inf")
    return max(side**2 * row[0] * scale / total**2, total**2 / (side**2 * row[-1] * scale or 1e-9))


class SizeMap:
    """Tiles with the sizes of topics, which hold tiles of their partitions.

    Args:
        gathering: the survey.
        width: width in pixels for which the map is laid out.
        height: height in pixels.
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
            what = counted(len(rest), "smaller topic")
            findings = sum(topic.findings for _, topic in rest)
            size = human.size(int(sizes[-1]))
            tiles.append(self._rest(areas[-1], f"{what} · {size}", [what, size], findings))
        return (
            f'<svg class="map {css_class}" height="{self._whole.height:.0f}" role="img" '
            f'aria-label="sizes of topics">{"".join(tiles)}</svg>'
        )

    def _topic(self, name: str, topic: TopicSum, area: Area) -> str:
        size = human.size(topic.size)
        counts = counted(topic.partitions, "partition"), counted(topic.records, "record")
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
        tip = [facts.path, human.size(facts.size), counted(facts.records or 0, "record")]
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
        """A line of text in a tile, with its middle cut out if it is too long; empty if it does not fit."""
        room = int((area.width - 12) / _LETTER)
        if area.height < down + 5 or room < (len(label) if whole else min(len(label), _LEAST)):
            return ""
        kind = f' class="{css_class}"' if css_class else ""
        y = area.y + down
        return f'<text{kind} x="{self._across(area.x + 6)}" y="{y:.1f}">{text(short(label, room))}</text>'

    def _across(self, pixels: float) -> str:
        return percent(pixels / self._whole.width)
