"""The chart of docs/benchmarks: how much each program reads in a second of CPU."""

import math
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib.style
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import FuncFormatter, MaxNLocator

from benchmark import figures
from benchmark.chart_style import INK, QUIET, STYLE
from benchmark.programs import label
from benchmark.segments import CODECS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from benchmark.results import Results

_BARS = {"kafkafmt-1": "#1f6feb", "java-warm": "#e8833a", "aiokafka": "#8a94a6", "kafka-python": "#c9ced6"}
_FLOORS = ("floor-mapped", "floor-streamed")
_PLATE = {"facecolor": "white", "edgecolor": "none", "pad": 0.3}
_HEADROOM = 1.3
"""How many times the highest bar a panel is high."""
_PANELS = {
    "typical": "typical: 16-byte key, 225-byte JSON value, headers",
    "tiny": "tiny: 20-byte value, no key",
    "large": "large: 10 kB JSON value",
}


def draw(results: "Results", directory: Path) -> None:
    """Draw chart.png and chart.svg; segments that were not measured are left out."""
    panels = {shape: _measured(results, shape) for shape in _PANELS}
    panels = {shape: codecs for shape, codecs in panels.items() if codecs}
    if not panels:
        return
    with matplotlib.style.context(STYLE):
        figure = Figure(figsize=(9, 2.5 * len(panels) + 0.9), layout=ConstrainedLayoutEngine(hspace=0.08))
        figure.suptitle(
            "GB of records read in a second of CPU (more is better)", x=0.012, ha="left", size=12, weight="bold"
        )
        axes = figure.subplots(len(panels), 1, squeeze=False)[:, 0]
        for each, (shape, codecs) in zip(axes, panels.items(), strict=True):
            _draw_panel(each, results, shape, codecs)
        handles, labels = axes[0].get_legend_handles_labels()
        floor_last = sorted(range(len(labels)), key=lambda at: isinstance(handles[at], LineCollection))
        figure.legend(
            [handles[at] for at in floor_last],
            [labels[at] for at in floor_last],
            loc="outside lower left",
            ncols=len(labels),
            frameon=False,
        )
        figure.savefig(directory / "chart.png", dpi=130, metadata={"Software": None})
        figure.savefig(directory / "chart.svg", metadata={"Date": None})


def _measured(results: "Results", shape: str) -> list[str]:
    return [codec for codec in CODECS if any(_speed(results, f"{shape}-{codec}", key) for key in _BARS)]


def _speed(results: "Results", segment: str, program: str) -> float | None:
    if segment not in results.segments:
        return None
    seconds = figures.over_runs(results, segment, program)
    return results.segments[segment]["rawBytes"] / 1e9 / seconds if seconds else None


def _draw_panel(axes: "Axes", results: "Results", shape: str, codecs: list[str]) -> None:
    width = 0.8 / len(_BARS)
    highest = 0.0
    for number, (key, color) in enumerate(_BARS.items()):
        places = [at + (number - (len(_BARS) - 1) / 2) * width for at in range(len(codecs))]
        speeds = [_speed(results, f"{shape}-{codec}", key) or math.nan for codec in codecs]
        bars = axes.bar(places, speeds, width * 0.92, color=color, label=label(key), zorder=2)
        axes.bar_label(bars, [_text(speed) for speed in speeds], size=7, padding=1.5, zorder=4, bbox=_PLATE)
        highest = max([highest, *(speed for speed in speeds if not math.isnan(speed))])
    top = highest * _HEADROOM
    for at, codec in enumerate(codecs):
        _draw_floor(axes, at, max(_speed(results, f"{shape}-{codec}", key) or 0.0 for key in _FLOORS), top)
    axes.set_title(_PANELS[shape], loc="left", size=9.5)
    axes.set_xticks(range(len(codecs)), codecs)
    axes.set_xlim(-0.6, len(codecs) - 0.4)
    axes.set_ylim(0, top * 1.03)
    axes.yaxis.set_major_locator(MaxNLocator(5))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.grid(axis="y", color=QUIET, linewidth=0.7, zorder=0)
    axes.tick_params(length=0)
    axes.spines[["top", "right", "left"]].set_visible(False)


def _draw_floor(axes: "Axes", at: int, speed: float, top: float) -> None:
    # Where it lies far above all bars it is drawn at the top, else the bars would be too small to be compared.
    if speed:
        name = "CRC, decompression and one copy only" if at == 0 else "_nolegend_"
        height = min(speed, top)
        axes.hlines(height, at - 0.44, at + 0.44, color=INK, linewidth=1.1, linestyle=(0, (4, 2)), label=name, zorder=1)
        text = _text(speed) if height == speed else f"{_text(speed)} \N{UPWARDS ARROW}"
        axes.annotate(text, (at + 0.44, height), (0, -2), textcoords="offset points", ha="right", va="top", size=7)


def _text(speed: float) -> str:
    return "" if math.isnan(speed) else f"{speed:.2g}" if speed < 10 else f"{speed:.0f}"
