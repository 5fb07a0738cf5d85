"""docs/benchmarks/README.md: what was measured, as tables for a person."""

from collections.abc import Callable, Iterable, Sequence

from benchmark import figures
from benchmark.figures import Goal, Ratio
from benchmark.programs import PROGRAMS, label
from benchmark.results import Cell, Growth, Results

_ALWAYS = ("kafkafmt-1", "kafkafmt-key-value-offset", "java-warm", "aiokafka", "floor-mapped", "floor-streamed")
_OTHERS = (
    "kafkafmt-count",
    "kafkafmt-batches",
    "kafkafmt-reference",
    "kafka-python",
    "java-cold",
    "dump-headers",
    "dump-deep",
)
_RATIOS = (
    ("java-warm", "kafkafmt-1"),
    ("aiokafka", "kafkafmt-1"),
    ("kafka-python", "kafkafmt-1"),
    ("java-cold", "kafkafmt-1"),
    ("kafkafmt-reference", "kafkafmt-1"),
    ("kafkafmt-1", "kafkafmt-key-value-offset"),
    ("kafkafmt-1", "floor-mapped"),
    ("kafkafmt-1", "floor-streamed"),
)

_MEANT_FOR_MEGABYTES = 64

_INTRODUCTION = """\
# Benchmark

`tools/bench` measured this and wrote this page; it runs from a clean checkout with Python 3.11 or later, a JDK 17 or
later and Maven. [results.json](results.json) has every single figure. What it is in Spark, beside Spark's own kafka
source, is told by [another page](spark.md).

![GB of records read in a second of CPU: by program, shape of the records, and codec](chart.svg)
"""

_WHAT = """\
## What is measured

Segments that Kafka's own producer code made, {megabytes} MB of records before compression in each, are read from the
page cache, every record and every CRC. `typical` is a 16-byte key, a JSON value of about 225 bytes, and 2 headers on
half of the records; `tiny` a 20-byte value and no key; `large` a value of 10 kB. Batches are of 16 KB on disk, of 1 MB
in `typical1m`; `-v1` and `-v0` are the message formats before record batches.

All is measured interleaved: for each segment, each round measures one program after the other; rounds: one that does
not count, then {rounds}. All of that is done {runs}, each time in new processes. **Figures are seconds of CPU** (user
and system, all threads of the process); a cell is the best round, as the geometric mean over the runs.

- **kafkafmt**: `kafkafmt.scan(file).to_reader()`, all columns, one thread, each record batch dropped;
  `key, value, offset` asks for these three columns only.
- **kafka-clients, warm JVM**: Kafka's own reading (`FileRecords`, `ensureValid`, `streamingIterator`) in a Java process
  that has read the beginnings of all segments ten times before, and the segment once; it touches every record and
  copies nothing. **New JVM**: the same in a new process, which is what a command line tool in Java costs.
- **aiokafka** (its C extension) and **kafka-python**: their record parsers on 4 MB at a time, every record touched.
- **DumpLogSegments**: Kafka's tool in a new JVM, its output dropped, with and without `--deep-iteration`.
- **floor**: only the CRC, the fastest decompressor that PyPI has, and one copy of each batch, in a Python loop; once
  over a file mapped into memory, which is the one that the goals name, and once reading into one small buffer, which is
  faster. Format 2 only.
"""


def page(results: Results) -> str:
    """Write the page."""
    settings = results.settings
    what = _WHAT.format(
        megabytes=settings["megabytes"],
        rounds=settings["rounds"],
        runs="once" if settings["runs"] == 1 else f"{settings['runs']} times",
    )
    parts = [
        _INTRODUCTION,
        _goals(results),
        _ratios(results),
        _cells(results, "## Seconds of CPU, best round", _ALWAYS, figures.best),
        _two_threads(results),
        _others(results),
        _growth(results),
        _first_use(results),
        what,
        _made_on(results),
        _cells(results, "## Seconds of CPU, median round", _ALWAYS, figures.middle),
    ]
    return "\n".join(part for part in parts if part)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Format a Markdown table; the first column is text, the others stand at the right."""
    lines = [_line(head), _line(["---", *["---:"] * (len(head) - 1)]), *map(_line, rows)]
    return "\n".join(lines) + "\n"


def _line(values: Sequence[str]) -> str:
    return "| " + " | ".join(value.replace("|", "\\|") for value in values) + " |"


def number(value: float | None) -> str:
    """Show seconds or a ratio with three significant digits, or a dash."""
    if value is None:
        return "-"
    if value >= 100:
        return f"{value:.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}" if value >= 1 else f"{value:.3f}"


def _goals(results: Results) -> str:
    rows = [_goal(goal) for goal in figures.goals(results)]
    small = results.settings["megabytes"] < _MEANT_FOR_MEGABYTES
    note = "These segments are too small for figures that mean much.\n\n" if small else ""
    return f"## Goals\n\n{note}" + table(("what", "goal", "measured", "by run", "met"), rows)


def _goal(goal: Goal) -> list[str]:
    unit = f" {goal.unit}" if goal.unit else ""
    wanted = f"{'at most' if goal.at_most else 'at least'} {goal.wanted:g}{unit}"
    if goal.measured is None:
        return [goal.text, wanted, "-", "-", "not measured"]
    return [
        goal.text,
        wanted,
        f"{_figure(goal.measured.value)}{unit}",
        _range(goal.measured),
        "yes" if goal.is_met else "**no**",
    ]


def _figure(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.2f}"


def _range(ratio: Ratio) -> str:
    low, high = _figure(ratio.low), _figure(ratio.high)
    return low if low == high else f"{low} to {high}"


def _ratios(results: Results) -> str:
    shapes: dict[str, list[str]] = {}
    for name in results.segments:
        parts = name.split("-")
        shapes.setdefault(parts[0] + (f" {parts[2]}" if len(parts) > 2 else ""), []).append(name)
    rows = []
    for above, below in _RATIOS:
        each = [figures.ratio(results, names, above, below) for names in shapes.values()]
        if any(each):
            shown = [_figure(ratio.value) if ratio else "-" for ratio in each]
            rows.append([f"{label(above)} / {label(below)}", *shown])
    head = ("CPU seconds", *shapes)
    return "## Ratios\n\nGeometric means over the codecs.\n\n" + table(head, rows) if rows else ""


def _cells(results: Results, title: str, programs: Sequence[str], figure: Callable[[Cell], float | None]) -> str:
    shown = [key for key in programs if any(figures.cells(results, name, key) for name in results.segments)]
    notes: list[str] = []
    rows = []
    for name in results.segments:
        cells = []
        for key in shown:
            value = figures.over_runs(results, name, key, figure)
            error = figures.failure(results, name, key)
            text = number(value)
            if error is not None:
                note = f"{label(key)}: {error}"
                if note not in notes:
                    notes.append(note)
                text = f"fails ({notes.index(note) + 1})"
            cells.append(text)
        if any(cell != "-" for cell in cells):
            rows.append([name, *cells])
    if not rows:
        return ""
    footnotes = "".join(f"\n({at}) {note}\n" for at, note in enumerate(notes, 1))
    return f"{title}\n\n" + table(("segment", *map(label, shown)), rows) + footnotes


def _two_threads(results: Results) -> str:
    rows = []
    for name in results.segments:
        one, two = (figures.over_runs(results, name, key, figures.wall) for key in ("kafkafmt-1", "kafkafmt-2"))
        cpu = [figures.over_runs(results, name, key) for key in ("kafkafmt-1", "kafkafmt-2")]
        if one and two:
            rows.append([name, number(one), number(two), f"{one / two:.2f}", *map(number, cpu)])
    if not rows:
        return ""
    head = ("segment", "seconds passed, 1 thread", "2 threads", "times faster", "CPU, 1 thread", "CPU, 2 threads")
    return "## Two threads\n\n`threads=2`, best rounds.\n\n" + table(head, rows)


def _others(results: Results) -> str:
    text = _cells(results, "## Seconds of CPU, other programs", ("kafkafmt-1", *_OTHERS), figures.best)
    scaled = " and ".join(program.label for program in PROGRAMS if program.prefix)
    return text and (
        f"{text}\nWhat takes long is measured in the first run only. {scaled} read the first 60,000 records or so, and "
        "their time is scaled to the whole segment.\n"
    )


def _growth(results: Results) -> str:
    if not results.growth:
        return ""
    found: dict[tuple[str, str], list[Growth]] = {}
    for each in results.growth:
        found.setdefault((each.segment, each.program), []).append(each)
    sizes = sorted({each.megabytes for each in results.growth})
    rows = []
    for (segment, program), all_sizes in found.items():
        by_size = {each.megabytes: each for each in all_sizes}
        cells = [_grown(by_size.get(size)) for size in sizes]
        rows.append([f"{segment}, {label(program)}", *cells])
    head = ("segment", *(f"{size} MB" for size in sizes))
    text = "Each in a new process: seconds of CPU, and all the memory that the process held at most, Python's included."
    return f"## How cost grows with the file\n\n{text}\n\n" + table(head, rows)


def _grown(growth: Growth | None) -> str:
    if growth is None:
        return "-"
    if growth.error:
        return f"fails: {growth.error}"
    memory = f"{growth.peak_bytes / 1e6:.0f} MB" if growth.peak_bytes else "memory not known"
    return f"{number(growth.cpu)} s, {memory}"


def _first_use(results: Results) -> str:
    if not results.first_use:
        return ""
    rows = [
        [use.case, "fails: " + use.error, ""] if use.error else [use.case, number(use.wall), number(use.cpu)]
        for use in results.first_use
    ]
    text = "From the start of a new process until it has its first rows."
    return f"## First row\n\n{text}\n\n" + table(("what", "seconds passed", "seconds of CPU"), rows)


def _made_on(results: Results) -> str:
    noise = figures.noise(results)
    spread = (
        f"Over all cells, the median round is {noise.rounds:.0%} above the best one (median of all; 95th percentile "
    )
    spread += f"{noise.rounds_worst:.0%})"
    if len(results.runs) > 1:
        spread += f", and the best rounds of the runs differ by {noise.runs:.0%} ({noise.runs_worst:.0%})"
    return "\n".join(
        [
            "## On what, and how noisy\n",
            f"{results.date}; {'; '.join(f'{name}: {value}' for name, value in results.machine.items())}.\n",
            f"{', '.join(f'{name} {value}' for name, value in results.versions.items())}.\n",
            f"{spread}.\n",
        ]
    )
