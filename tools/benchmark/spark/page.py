"""docs/benchmarks/spark.md: what was measured of Spark, as tables for a person."""

import textwrap
from collections.abc import Callable
from statistics import median

from benchmark.page import number, table
from benchmark.spark import figures, programs
from benchmark.spark.figures import Goal, Range
from benchmark.spark.programs import PROGRAMS, program
from benchmark.spark.results import GROWING, LARGE, Growth, Memory, Query, Reading, Results

_SMALLEST_MEANT = 100e6
_GIB = 1 << 30
_WIDTH = 120

_INTRODUCTION = """\
# Benchmark of Spark

`tools/bench --spark` measured this and wrote this page; it runs from a clean checkout on Linux with Python 3.11 or
later, a JDK 17 or later and Maven. [spark.json](spark.json) has every single figure. How fast kafkafmt is without Spark
is told by [the other page](README.md).

![Read in a second of CPU: by program, size of the records, and codec](spark.svg)
"""

_WHAT = """\
## What is measured

Records that Kafka's producer, with its default settings, sent to a broker of one node: {what}; keys of {key} bytes.
`Spark's kafka source` reads them from that broker, on the same machine; the others read its log directory, as it was
left when the broker was stopped, from the page cache. Before anything counts, each program shows that it gives the same
rows as Spark's source: as many, and with the same checksum over all columns. Columns are `key`, `value`, `topic`,
`partition`, `offset`, `timestamp`, `timestampType`, or the first two of them alone; rows end in Spark's `noop` sink.

**Seconds of CPU** are those of the driver with its executor threads (one Java process), and of all its Python
processes, planning included, user and system time. Nothing is left out: decompression, CRCs, decoding, the way from
Python to Java. {cores} cores, default settings of Spark, so 1 GB of memory; a session for each kind of program, in
which everything has been read twice before. Programs take turns, {rounds}; figures are those of the median round, and
in brackets of the slowest and the fastest.

- **kafkafmt data source**: `spark.read.format("kafkafmt").option("assign", ..).load(log_dir)`; key and value alone by
  `.schema("key binary, value binary")`, which is what a query should do. *By select* is what happens without: Spark
  does not tell a data source in Python which columns a query uses, so all are decoded.
- **read_log_dirs**: `read_log_dirs(spark, log_dir, topics=.., columns=[..])`.
- **binaryFile and parse_segment**: `explode(parse_segment("path", "content"))` of whole files. It reads one file of
  {small} MB, for with 1 GB of memory it fails on the others.
- **Spark's kafka source**: `spark.read.format("kafka").option("assign", ..).load()`. The broker's CPU is told beside
  it; ours need none.
"""


def page(results: Results) -> str:
    """Write the page."""
    parts = [
        _INTRODUCTION,
        _goals(results),
        _table(results, "Million rows in a second of CPU of Spark", figures.rows_a_second, 1e-6),
        _table(results, "MB of keys and values in a second of CPU of Spark", figures.megabytes_a_second, 1),
        _parts(results),
        _growth(results),
        _memory(results),
        _first_queries(results),
        _planning(results),
        _what(results),
        _made_on(results),
    ]
    return "\n".join(part for part in parts if part)


def _goals(results: Results) -> str:
    rows = [_goal(goal) for goal in figures.goals(results)]
    rows.append(_large_segment(results))
    largest = max((reading.payload_bytes for each in results.readings.values() for reading in each.values()), default=0)
    note = "There were too few records for figures that mean much.\n\n" if largest < _SMALLEST_MEANT else ""
    text = (
        "How many times the CPU of one program is that of the other, a row. `and broker` counts the broker's CPU "
        "beside Spark's.\n\n"
    )
    return f"## Goals\n\n{note}{text}" + table(("what", "goal", "measured", "by round", "met"), rows)


def _goal(goal: Goal) -> list[str]:
    wanted = f"at least {goal.wanted:g}"
    if goal.measured is None:
        return [goal.text, wanted, "-", "-", "not measured"]
    spread = f"{goal.measured.low:.2f} to {goal.measured.high:.2f}"
    return [goal.text, wanted, f"{goal.measured.value:.2f}", spread, "yes" if goal.is_met else "**no**"]


def _large_segment(results: Results) -> list[str]:
    text = "a segment of 1 GiB with Spark's default memory: data source and read_log_dirs"
    ours = [each for each in results.memory if each.program in {programs.SOURCE, programs.LOG_DIRS}]
    if not ours or results.topics[LARGE]["file_bytes"] < _GIB:
        return [text, "works", "-", "-", "not measured"]
    works = not any(each.error for each in ours)
    return [text, "works", "works" if works else "fails", "-", "yes" if works else "**no**"]


def _table(results: Results, title: str, figure: Callable[[Reading], Range | None], scale: float) -> str:
    if not results.readings:
        return ""
    notes: list[str] = []
    rows = []
    for each in PROGRAMS:
        cells = [
            _cell(readings.get(each.key), each.label, figure, scale, notes) for readings in results.readings.values()
        ]
        rows.append([each.label, *cells])
    head = ("program", *(results.label(topic) for topic in results.readings))
    return f"## {title}\n\n" + table(head, rows) + _footnotes(notes)


def _cell(
    reading: Reading | None, label: str, figure: Callable[[Reading], Range | None], scale: float, notes: list[str]
) -> str:
    if reading is None:
        return "-"
    if reading.error is not None:
        return _failure(label, reading.error, notes)
    found = figure(reading)
    if found is None:
        return "-"
    return f"{number(found.value * scale)} ({number(found.low * scale)} to {number(found.high * scale)})"


def _failure(label: str, error: str, notes: list[str]) -> str:
    note = f"{label}: {error}"
    if note not in notes:
        notes.append(note)
    return f"fails ({notes.index(note) + 1})"


def _footnotes(notes: list[str]) -> str:
    return "".join(f"\n({at}) {note}\n" for at, note in enumerate(notes, 1))


def _parts(results: Results) -> str:
    rows = []
    for topic, readings in results.readings.items():
        for key, reading in readings.items():
            if reading.spark:
                million = reading.rows / 1e6
                parts = (reading.java, reading.python, reading.broker, reading.everything, reading.wall)
                cells = [number(median(part) / million) if part else "-" for part in parts]
                rows.append([f"{program(key).label}, {results.label(topic)}", *cells])
    if not rows:
        return ""
    text = f"For a million rows, median round; seconds passed on {results.cores} cores.\n\n"
    head = ("program", "CPU, Java", "CPU, Python", "CPU, broker", "CPU, all", "seconds passed")
    return f"## Where the CPU goes\n\n{text}" + table(head, rows)


def _growth(results: Results) -> str:
    if not results.growth:
        return ""
    facts = results.topics[GROWING]
    megabytes = facts["file_bytes"] / facts["segments"] / 1e6
    sizes = sorted({each.segments for each in results.growth})
    found: dict[tuple[str, int], dict[int, Growth]] = {}
    for each in results.growth:
        found.setdefault((each.program, each.cores), {})[each.segments] = each
    notes: list[str] = []
    rows = [
        [f"{program(key).label}, {_cores(cores)}", *(_grown(key, by_size.get(size), notes) for size in sizes)]
        for (key, cores), by_size in found.items()
    ]
    text = (
        f"Segments of {megabytes:.0f} MB with values of {facts['value_bytes']} B, {facts['codec']}: seconds passed, "
        "seconds of CPU of Spark, and microseconds of CPU a row; median rounds.\n\n"
    )
    head = ("program", *(f"{size} segment{'s' if size > 1 else ''}" for size in sizes))
    return f"## How cost grows\n\n{text}" + table(head, rows) + _footnotes(notes)


def _cores(cores: int) -> str:
    return f"{cores} core{'s' if cores > 1 else ''}"


def _grown(key: str, growth: Growth | None, notes: list[str]) -> str:
    if growth is None:
        return "-"
    if growth.reading.error is not None:
        return _failure(program(key).label, growth.reading.error, notes)
    reading = growth.reading
    return f"{number(median(reading.wall))} s, {number(median(reading.spark))} s, {number(figures.a_row(growth))} us"


def _memory(results: Results) -> str:
    if not results.memory:
        return ""
    facts = results.topics[LARGE]
    notes: list[str] = []
    rows = [_held(each, notes) for each in results.memory]
    size = "1 GiB, and the beginning of the next," if facts["segments"] > 1 else f"{facts['file_bytes'] / 1e6:.0f} MB"
    text = (
        f"A segment of {size} with values of {facts['value_bytes']} B, read with Spark's default memory in a new "
        "session: the most memory that its Java held, and the largest of its Python processes, of which one for each "
        "core reads.\n\n"
    )
    head = ("program", "Java", "Python, largest", "seconds passed, first reading")
    return f"## Memory\n\n{text}" + table(head, rows) + _footnotes(notes)


def _held(memory: Memory, notes: list[str]) -> list[str]:
    label = program(memory.program).label
    if memory.error is not None:
        return [label, _failure(label, memory.error, notes), "-", "-"]
    worker = f"{memory.worker_bytes / 1e6:.0f} MB" if memory.worker_bytes else "-"
    return [label, f"{memory.java_bytes / 1e6:.0f} MB", worker, number(memory.wall)]


def _first_queries(results: Results) -> str:
    if not results.first_queries:
        return ""
    rows = [_query(each) for each in results.first_queries]
    text = (
        "The data source on one segment in a new session on one core. What a first query takes more is for Java's "
        "classes, and for each Python process to import kafkafmt, pyarrow and numba; once on a machine numba compiles "
        "besides.\n\n"
    )
    head = ("query", "CPU, Python", "CPU, Java", "seconds passed")
    return f"## First queries\n\n{text}" + table(head, rows)


def _query(query: Query) -> list[str]:
    if query.error is not None:
        return [query.case, f"fails: {query.error}", "-", "-"]
    return [query.case, number(query.python), number(query.java), number(query.wall)]


def _planning(results: Results) -> str:
    if not results.planning:
        return ""
    rows = [
        [
            f"{each.segments:,} of {each.size_in_bytes / each.segments / 2**20:.0f} MiB: {_size(each.size_in_bytes)}",
            f"{each.splits:,}",
            number(each.listing_seconds),
            number(each.planning_seconds),
            number(each.cpu_seconds),
            f"{each.peak_bytes / 1e6:.0f} MB",
        ]
        for each in results.planning
    ]
    text = (
        "`kafkafmt.scan(log_dir).plan()`, which a query calls before it reads, on sparse files with real headers, in a "
        "new process: time for listing directories and for dividing segments into splits, and all memory that it "
        "held.\n\n"
    )
    head = ("segments", "splits", "listing, s", "dividing, s", "CPU, s", "memory")
    return f"## Planning\n\n{text}" + table(head, rows)


def _size(size: int) -> str:
    return f"{size / 1e12:.1f} TB" if size >= 1e12 else f"{size / 1e9:.1f} GB"


def _what(results: Results) -> str:
    named = [results.topics[topic] for topic in results.readings]
    what = "; ".join(
        f"{facts['payload_bytes'] / 1e6:.0f} MB of values of {facts['value_bytes']} B, {facts['codec']} "
        f"({facts['file_bytes'] / 1e6:.0f} MB in {facts['partitions']} partitions)"
        for facts in named
    )
    small = [
        each.payload_bytes for topic in results.readings.values() for key, each in topic.items() if program(key).is_slow
    ]
    text = _WHAT.format(
        what=what,
        key=16,
        cores=results.cores,
        rounds="once" if results.rounds == 1 else f"{results.rounds} times",
        small=f"{max(small, default=0) / 1e6:.0f}",
    )
    records, rest = text.split("\n\n", 2)[1:]
    return f"## What is measured\n\n{textwrap.fill(records, _WIDTH)}\n\n{rest}"


def _made_on(results: Results) -> str:
    return "\n".join(
        [
            "## On what, and how noisy\n",
            f"{results.date}; {'; '.join(f'{name}: {value}' for name, value in results.machine.items())}.\n",
            f"{', '.join(f'{name} {value}' for name, value in results.versions.items())}.\n",
            "All programs run in the same Spark: the newest whose kafka source can be had from Maven beside it.\n",
            f"The slowest round of a program is {figures.noise(results):.0%} above its fastest (median of all).\n",
        ]
    )
