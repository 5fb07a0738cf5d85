"""The chart of docs/benchmarks/spark.md: how many rows each program reads in a second of CPU."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib.style
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from benchmark.chart_style import QUIET, STYLE
from benchmark.spark import figures, programs
from benchmark.spark.programs import program

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from benchmark.spark.results import Results

_COLORS = {
    programs.SOURCE: "#1f6feb",
    programs.SOURCE_KEY_VALUE: "#79b0f7",
    programs.LOG_DIRS: "#1a7f64",
    programs.LOG_DIRS_KEY_VALUE: "#74c2a9",
    programs.KAFKA: "#e8833a",
    programs.KAFKA_KEY_VALUE: "#f3b98e",
    programs.BINARY_FILE: "#8a94a6",
}
_HEADROOM = 1.15


def draw(results: "Results", directory: Path) -> None:
    """Draw spark.png and spark.svg; nothing if no topic was read."""
    if not results.readings:
        return
    with matplotlib.style.context(STYLE):
        figure = Figure(figsize=(9, 5.4), layout="constrained")
        figure.suptitle(
            "Read in a second of CPU of Spark, its Python included (more is better)",
            x=0.012,
            ha="left",
            size=12,
            weight="bold",
        )
        above, below = figure.subplots(2, 1)
        _draw_panel(above, results, "million rows", _rows)
        _draw_panel(below, results, "MB of keys and values", _megabytes)
        handles, labels = above.get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower left", ncols=2, frameon=False)
        figure.savefig(directory / "spark.png", dpi=130, metadata={"Software": None})
        figure.savefig(directory / "spark.svg", metadata={"Date": None})


def _rows(results: "Results", topic: str, key: str) -> float:
    found = figures.rows_a_second(results.readings[topic][key]) if key in results.readings[topic] else None
    return found.value / 1e6 if found else math.nan


def _megabytes(results: "Results", topic: str, key: str) -> float:
    found = figures.megabytes_a_second(results.readings[topic][key]) if key in results.readings[topic] else None
    return found.value if found else math.nan


def _draw_panel(axes: "Axes", results: "Results", title: str, figure: Callable[["Results", str, str], float]) -> None:
    width = 0.86 / len(_COLORS)
    highest = 0.0
    for number, (key, color) in enumerate(_COLORS.items()):
        speeds = [figure(results, topic, key) for topic in results.readings]
        places = [at + (number - (len(_COLORS) - 1) / 2) * width for at in range(len(speeds))]
        bars = axes.bar(places, speeds, width * 0.92, color=color, label=program(key).label, zorder=2)
        axes.bar_label(bars, [_text(speed) for speed in speeds], size=6.5, padding=1.5)
        highest = max([highest, *(speed for speed in speeds if not math.isnan(speed))])
    axes.set_title(title, loc="left", size=9.5)
    axes.set_xticks(range(len(results.readings)), [results.label(topic) for topic in results.readings])
    axes.set_ylim(0, highest * _HEADROOM or 1)
    axes.yaxis.set_major_locator(MaxNLocator(5))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.grid(axis="y", color=QUIET, linewidth=0.7, zorder=0)
    axes.tick_params(length=0)
    axes.spines[["top", "right", "left"]].set_visible(False)


def _text(speed: float) -> str:
    return "" if math.isnan(speed) else f"{speed:.2g}" if speed < 10 else f"{speed:.0f}"
