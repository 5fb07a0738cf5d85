"""The chart of docs/benchmarks: how much each program reads in a second of CPU."""

import math
from pathlib import Path
from statistics import median
from typing import Any, Final

import matplotlib.style
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from benchmark import scans, segments
from benchmark.readings import Results

_INK, _QUIET = "#24292f", "#d8dee4"
_STYLE: Final[dict[str, Any]] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial"],
    "font.size": 9,
    "text.color": _INK,
    "axes.labelcolor": _INK,
    "axes.edgecolor": _QUIET,
    "xtick.color": _INK,
    "ytick.color": _INK,
    "svg.fonttype": "none",
    "svg.hashsalt": "kafkafmt",
}
_HEADROOM = 1.15
_BARS = {
    scans.KAFKAFMT: ("kafkafmt", "#1f6feb"),
    scans.JAVA: ("kafka-clients, warm JVM", "#e8833a"),
    scans.AIOKAFKA: ("aiokafka", "#8a94a6"),
    scans.FLOOR: ("CRC, decompression and one copy only", _QUIET),
}
_PANELS = {
    "typical": "typical: 16-byte key, 225-byte JSON value, headers",
    "tiny": "tiny: 20-byte value, no key",
    "large": "large: 10 kB JSON value",
}


def draw(results: Results, path: Path) -> None:
    """Draw the chart as SVG; segments that were not measured are left out."""
    panels = {
        shape: names
        for shape in _PANELS
        if (names := [name for name in results.readings if segments.shape(name) == shape and "@" not in name])
    }
    if not panels:
        return
    with matplotlib.style.context(_STYLE):
        figure = Figure(figsize=(9, 2.5 * len(panels) + 0.9), layout="constrained")
        title = "GB of records read in a second of CPU (more is better)"
        figure.suptitle(title, x=0.012, ha="left", size=12, weight="bold")
        axes = figure.subplots(len(panels), 1, squeeze=False)[:, 0]
        for each, (shape, names) in zip(axes, panels.items(), strict=True):
            _draw_panel(each, results, _PANELS[shape], names)
        handles, labels = axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower left", ncols=len(labels), frameon=False)
        figure.savefig(path, metadata={"Date": None})


def _draw_panel(axes: Axes, results: Results, title: str, names: list[str]) -> None:
    width = 0.8 / len(_BARS)
    highest = 0.0
    for number, (key, (label, color)) in enumerate(_BARS.items()):
        speeds = [_speed(results, name, key) for name in names]
        places = [at + (number - (len(_BARS) - 1) / 2) * width for at in range(len(names))]
        bars = axes.bar(places, speeds, width * 0.92, color=color, label=label, zorder=2)
        axes.bar_label(bars, ["" if math.isnan(speed) else f"{speed:.2g}" for speed in speeds], size=7, padding=1.5)
        highest = max([highest, *(speed for speed in speeds if not math.isnan(speed))])
    axes.set_title(title, loc="left", size=9.5)
    axes.set_xticks(range(len(names)), map(segments.codec, names))
    axes.set_ylim(0, highest * _HEADROOM or 1)
    axes.yaxis.set_major_locator(MaxNLocator(5))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.grid(axis="y", color=_QUIET, linewidth=0.7, zorder=0)
    axes.tick_params(length=0)
    axes.spines[["top", "right", "left"]].set_visible(False)


def _speed(results: Results, name: str, program: str) -> float:
    reading = results.readings[name].get(program)
    return reading.size / 1e9 / median(reading.cpu) if reading and reading.cpu else math.nan
