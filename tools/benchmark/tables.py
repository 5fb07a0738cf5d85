"""Tables of the pages in docs/benchmarks: goals, figures by program, and the machine that was measured."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import median

from benchmark import goals, scans, segments
from benchmark.readings import Figure, Reading, Results


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Format a Markdown table; the first column is text, the others are right-aligned."""
    lines = [_line(head), _line(["---", *["---:"] * (len(head) - 1)]), *map(_line, rows)]
    return "\n".join(lines) + "\n"


def _line(values: Sequence[str]) -> str:
    return "| " + " | ".join(value.replace("|", "\\|") for value in values) + " |"


def number(value: float | None) -> str:
    """Format seconds or a ratio with three significant digits, or a dash."""
    if value is None:
        return "-"
    if value >= 100:
        return f"{value:.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}" if value >= 1 else f"{value:.3f}"


def goals_table(figures: Iterable[Figure]) -> str:
    """Goals and single figures."""
    rows = []
    for figure in figures:
        if figure.value is None and not figure.error:
            continue
        unit = f" {figure.unit}" if figure.unit else ""
        goal = "-" if figure.goal is None else f"{'at most' if figure.at_most else 'at least'} {figure.goal:g}{unit}"
        value = "-" if figure.value is None else number(figure.value) + unit
        spread = "-" if figure.low is None else f"{number(figure.low)} to {number(figure.high)}"
        met = {None: "-", True: "yes", False: "**no**"}[figure.is_met]
        rows.append([figure.text, goal, f"fails: {figure.error}" if figure.error else value, spread, met])
    return "## Goals and single figures\n\n" + table(("what", "goal", "measured", "by round", "met"), rows)


def shapes_table(results: Results, labels: Mapping[str, str]) -> str:
    """A table of ratios of programs to kafkafmt, by shape of the records."""
    names: dict[str, list[str]] = {}
    for name in results.readings:
        names.setdefault(segments.shape(name) + "".join(name.partition("@")[1:]), []).append(name)
    rows = []
    for key, label in labels.items():
        ratios = [goals.ratio(results.readings, some, key, scans.KAFKAFMT).value for some in names.values()]
        if key != scans.KAFKAFMT and any(ratios):
            rows.append([f"{label} / kafkafmt", *map(number, ratios)])
    return (
        "## Ratios of CPU seconds\n\nGeometric means over the codecs.\n\n" + table(("", *names), rows) if rows else ""
    )


def readings_table(
    title: str,
    readings: goals.Readings,
    labels: Mapping[str, str],
    figure: Callable[[Reading], float],
    only: Sequence[str] = (),
) -> str:
    """A table of readings: a row for each input, a column for each program that read any of them."""
    shown = [key for key in only or labels if any(key in found for found in readings.values())]
    notes: list[str] = []
    rows = []
    for name, found in readings.items():
        cells = []
        for key in shown:
            reading = found.get(key)
            if reading is not None and reading.error:
                note = f"{labels[key]}: {reading.error}"
                notes += [note] if note not in notes else []
                cells.append(f"fails ({notes.index(note) + 1})")
            else:
                cells.append(number(figure(reading)) if reading is not None and reading.cpu else "-")
        rows.append([name, *cells])
    footnotes = "".join(f"\n({at}) {note}\n" for at, note in enumerate(notes, 1))
    return f"{title}\n\n" + table(("", *(labels[key] for key in shown)), rows) + footnotes if rows else ""


def made_on(results: Results) -> str:
    """The section about the machine, the versions, and the noise between rounds."""
    spreads = [
        max(reading.cpu) / median(reading.cpu) - 1
        for found in results.readings.values()
        for reading in found.values()
        if reading.cpu and median(reading.cpu)
    ]
    noise = f"The slowest round is {median(spreads):.0%} above the median one (median of all).\n" if spreads else ""
    facts = "; ".join(f"{name}: {value}" for name, value in results.machine.items())
    versions = ", ".join(f"{name} {value}" for name, value in results.versions.items())
    return f"## On what, and how noisy\n\n{facts}.\n\n{versions}.\n\n{noise}"
