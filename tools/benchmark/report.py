"""docs/benchmarks: what was measured, as tables for a person."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from statistics import median
from typing import Protocol

from benchmark import (
    goals,
    scans,
    searches,
    segments,
    servers,
    spark_reads,
    tiers,
    topics,
    value_topics,
    values,
    writes,
)
from benchmark.readings import Figure, Reading, Results
from benchmark.tables import goals_table, made_on, number, readings_table, shapes_table, table

_PAGES = Path(__file__).with_name("pages")
"""Texts of the pages, but for that of Spark."""

_AHEAD = {100: 2.0, 1000: 1.5}
_WELL_AHEAD = {100: 2.5, 1000: 2.0}  # of workers that begin warm
"""How many times less than Spark's source ours should take, by bytes of values."""

_SPARK = """\
# Benchmark of Spark

`tools/bench --spark` measured this and wrote this page; it runs from a clean checkout on Linux with Python 3.11 or
later, a JDK 17 or later and Maven. [spark.json](spark.json) has every single figure. [Another page](README.md) has how
fast kafkafmt is without Spark.
"""

_SPARK_LIMITS = """\
## How far goals can be met

The Java process does Spark's part: it takes Arrow's batches from a socket and makes rows of them, for which kafkafmt
can do nothing. Were there no Python at all, Spark's kafka source would take this many times as much CPU as the Java
process does here:
"""

_SPARK_LEAST = """\
The least that Python can take was measured by itself, on 252 MB in values of 1000 B that are not compressed: of a
second of CPU for a million rows, 0.45 are reading, CRCs and decoding, 0.15 are the copy into Spark's socket, 0.25 are
the plan, which Spark has two processes of its own make for each query, whatever there is to read. The rest is Spark's
work between tasks: its workers collect garbage among all loaded modules after each task, 0.04 to 0.09 s here, and
before each task those of Spark 4.0 have Python read the directory of pyspark.zip again. Larger tasks
(`maxPartitionBytes`) have less of it, and the workers of `pyspark_kafkafmt.daemon` have none; without the daemon
kafkafmt leaves the collector and the importers of a process that also runs its user's code as they are.
"""

_SPARK_WHAT = """\
## What is measured

Records that Kafka's producer, with its default settings, sent to a broker of one node; keys of {key} bytes. Spark's
kafka source reads them from that broker, on the same machine; the others read its log directory, as it was when the
broker was stopped, from the page cache. Before anything counts, each program shows that it gives the same rows as
Spark's source: as many, and with the same checksum over all columns. Columns are `key`, `value`, `topic`, `partition`,
`offset`, `timestamp`, `timestampType`, or the first two of them alone; rows end in Spark's `noop` sink.

**Seconds of CPU** are those of the driver with its executor threads (one Java process), and of all its Python
processes, planning included, user and system time: decompression, CRCs, decoding, the way from Python to Java.
{cores} cores, default settings of Spark, so 1 GB of memory; a session for each kind of program, in which everything has
been read twice before. Programs take turns, {rounds} rounds; figures are those of the median round, ranges those of
single rounds.

- **kafkafmt data source**: `spark.read.format("kafkafmt").option("assign", ..).load(log_dir)`; key and value alone by
  `.schema("key binary, value binary")`.
- **read_log_dirs**: `read_log_dirs(spark, log_dir, topics=.., columns=[..])`.
- **Spark's kafka source**: `spark.read.format("kafka").option("assign", ..).load()`. The broker's CPU is beside it;
  ours need none.
"""


_THREADS = (scans.KAFKAFMT, scans.THREADS)


class _Program(Protocol):
    """A program that was measured."""

    @property
    def key(self) -> str:
        """Its name in readings."""

    @property
    def label(self) -> str:
        """Its name in tables."""


def _page(*parts: str) -> str:
    return "\n".join(part for part in parts if part)


def _cpu_ms(reading: Reading) -> float:
    return median(reading.cpu) * 1000


def _wall_ms(reading: Reading) -> float:
    return median(reading.wall) * 1000


def _filled(name: str, results: Results, *tables: str, **facts: object) -> str:
    """A page of `pages/`: its text with tables and settings where braces are, and how it was made."""
    text = (_PAGES / f"{name}.txt").read_text(encoding="utf-8")
    tables_text = "\n".join(part for part in tables if part)
    return _page(text.format(tables=tables_text, **facts, **results.settings), made_on(results))


def _by_cpu(name: str, results: Results, found: Iterable[Figure], programs: Iterable[_Program]) -> str:
    """A page of programs by the CPU time that they take.

    Args:
        name: its name in `pages/`.
        results: the measurements.
        found: the goals that are computed from them.
        programs: those that were measured.
    """
    labels = {program.key: program.label for program in programs}
    times = readings_table("## Milliseconds of CPU", results.readings, labels, _cpu_ms)
    return _filled(name, results, goals_table([*found, *results.figures]), times)


def scans_page(results: Results) -> str:
    """docs/benchmarks/README.md."""
    labels = {program.key: program.label for program in scans.PROGRAMS}
    return _filled(
        "scans",
        results,
        goals_table([*goals.scan_goals(results.readings), *results.figures]),
        shapes_table(results, labels),
        readings_table("## Milliseconds of CPU", results.readings, labels, _cpu_ms),
        readings_table("## Milliseconds that passed", results.readings, labels, _wall_ms, _THREADS),
        megabytes=segments.SIZE,
        round=scans.READ_IN_A_ROUND,
        passes=scans.MOST_PASSES,
    )


def writing_page(results: Results) -> str:
    """docs/benchmarks/writing.md."""
    return _by_cpu("writing", results, writes.write_goals(results.readings), writes.PROGRAMS)


def tiers_page(results: Results) -> str:
    """docs/benchmarks/tiers.md."""
    return _by_cpu("tiers", results, tiers.tier_goals(results.readings), tiers.PROGRAMS)


def searching_page(results: Results) -> str:
    """docs/benchmarks/searching.md."""
    return _by_cpu("searching", results, searches.search_goals(results.readings), searches.PROGRAMS)


def values_page(results: Results) -> str:
    """docs/benchmarks/values.md."""
    by_format = (_values_table(kind, found) for kind, found in results.readings.items())
    return _filled(
        "values", results, goals_table([*values.value_goals(results.readings), *results.figures]), *by_format
    )


def _values_table(kind: str, found: Mapping[str, Reading]) -> str:
    """A row for each program, as few read more than one format."""
    rows = []
    for program in values.PROGRAMS:
        reading = found.get(program.key, Reading())
        if reading.error or reading.cpu:
            failure = f"fails: {reading.error}"
            rows.append([program.label, failure if reading.error else number(values.seconds_of_a_million(reading))])
    return f"## {value_topics.TITLES[kind]}: seconds of CPU for a million values\n\n" + table(("", "seconds"), rows)


def serving_page(results: Results) -> str:
    """docs/benchmarks/serving.md."""
    labels = {program.key: program.label for program in servers.PROGRAMS}
    return _filled(
        "serving",
        results,
        goals_table([*servers.serving_goals(results.readings), *results.figures]),
        readings_table(
            "## MB of log in a second of CPU of the server",
            results.readings,
            labels,
            lambda reading: reading.size / median(reading.cpu) / 1e6,
        ),
        readings_table("## Seconds that passed", results.readings, labels, lambda reading: median(reading.wall)),
        key=topics.KEY_BYTES,
    )


def spark_page(results: Results) -> str:
    """docs/benchmarks/spark.md."""
    labels = {program.key: program.label for program in spark_reads.PROGRAMS}

    def table(title: str, figure: Callable[[Reading], float]) -> str:
        return readings_table(title, results.readings, labels, figure)

    return _page(
        _SPARK,
        goals_table([*_spark_goals(results.readings, labels), *results.figures]),
        table(
            "## Million rows in a second of CPU of Spark", lambda reading: reading.records / median(reading.cpu) / 1e6
        ),
        table(
            "## MB of keys and values in a second of CPU of Spark",
            lambda reading: reading.size / median(reading.cpu) / 1e6,
        ),
        _costs(results.readings, labels),
        *_limits(results.readings, labels),
        _SPARK_WHAT.format(key=topics.KEY_BYTES, **results.settings),
        made_on(results),
    )


def _costs(readings: goals.Readings, labels: Mapping[str, str]) -> str:
    rows = [
        [f"{labels[key]}, {topic}", *(number(median(cost) / reading.records * 1e6) for cost in costs)]
        for topic, found in readings.items()
        for key, reading in found.items()
        if (costs := (reading.cpu, reading.java, reading.broker, reading.wall)) and reading.cpu
    ]
    head = ("", "CPU of Spark", "of it Java", "CPU of the broker", "seconds passed")
    return "## Seconds for a million rows\n\n" + table(head, rows)


def _limits(readings: goals.Readings, labels: Mapping[str, str]) -> Iterator[str]:
    """What the part of the Java process alone would make of the ratios."""
    shown = {key: label for key, label in labels.items() if not key.startswith("kafka")}
    rows = []
    for topic, found in readings.items():
        cells = []
        for key in shown:
            ours, theirs = found.get(key), found.get("kafka-key-value" if key.endswith("-key-value") else "kafka")
            java = median(ours.java) if ours and ours.java else 0.0
            cells.append(number(median(theirs.cpu) / java) if theirs and theirs.cpu and java else "-")
        rows.append([topic, *cells])
    yield _SPARK_LIMITS
    yield table(("", *shown.values()), rows)
    yield _SPARK_LEAST


def _spark_goals(readings: goals.Readings, labels: Mapping[str, str]) -> list[Figure]:
    found = []
    for topic in readings:
        for ours, theirs in (("source", "kafka"), ("log-dirs", "kafka"), ("source-frozen", "kafka")):
            goal = (_WELL_AHEAD if ours == "source-frozen" else _AHEAD).get(int(topic.split()[0]))
            for suffix in ("", "-key-value"):
                above, below = theirs + suffix, ours + suffix
                text = f"{labels[above]} / {labels[below]}, {topic}"
                found.append(goals.ratio(readings, [topic], above, below, text=text, at_least=goal))
    return found
