"""docs/benchmarks/spark.md: the measurements of tools/bench --spark as tables for people."""

from collections.abc import Iterable, Iterator, Mapping
from statistics import median

from benchmark import goals, spark_reads, topics
from benchmark.readings import Figure, Reading, Results
from benchmark.spark_reads import ALL_COLUMNS, FEW, Program
from benchmark.tables import made_on, number, table

_AHEAD = {100: 2.0, 1000: 1.5}
_WELL_AHEAD = {100: 2.5, 1000: 2.0}  # for workers that start warm
"""Goal for the speed of kafkafmt's source as a multiple of Spark's, by bytes of values."""

_KAFKA, *_OURS = ALL_COLUMNS
_SUFFIX = "-key-value"

_HEAD = """\
# Benchmark of Spark

`tools/bench --spark` measured this and wrote this page; it runs from a clean checkout on Linux with Python 3.11 or
later, a JDK 17 or later and Maven. [spark.json](spark.json) has every single figure. [Another page](README.md) has how
fast kafkafmt is without Spark.
"""

_GOALS = """\
How many times as much CPU Spark's own kafka source takes for the same topic of {megabytes} MB, with the lowest and
highest of single rounds, and the goal. *Daemon*: workers of
[`pyspark_kafkafmt.daemon`](../running_on_a_cluster.md#workers-that-begin-warm).
"""

_FIXED = """\
## What a query takes whatever there is to read

Seconds for a query of {records} records, one in each partition, in a session that has just run others. The ratios above
contain them; a smaller topic has more of them, a larger one less.
"""

_FIXED_PARTS = """\
The Java process plans the query and starts its tasks. In Python, Spark has two processes make the data source and its
plan, and one for each core run tasks. After each plan and task they collect garbage, from the second one on without the
modules that kafkafmt has loaded. Spark ends these processes after a minute without a query, and the next one imports
everything again.
"""

_SINGLE = """\
## Memory, first queries, and a query after a pause
"""

_COSTS = """\
Seconds are those of the median round. *Without the fixed part*: less the seconds of the query of {records} records.
"""

_LIMITS = """\
## How far goals can be met

The Java process does Spark's part: it takes Arrow's batches from a socket and makes rows of them, for which kafkafmt
can do nothing; rows of a data source in Python it even copies twice, those of `read_log_dirs` once. Were there no
Python at all, Spark's kafka source would take this many times as much CPU as the Java process does here:
"""

_WHAT = """\
## What is measured

Records that Kafka's producer, with its default settings, sent to a broker of one node; keys of {key} bytes,
{megabytes} MB of keys and values a topic. Spark's kafka source reads them from that broker, on the same machine; the
others read its log directory, as it was when the broker was stopped, from the page cache. Before anything counts, each
program shows that it gives the same rows as Spark's source: as many, and with the same checksum over all columns.
Columns are `key`, `value`, `topic`, `partition`, `offset`, `timestamp`, `timestampType`, or the first two of them
alone; rows end in Spark's `noop` sink.

**Seconds of CPU** are those of the driver with its executor threads (one Java process), and of all its Python
processes, planning included, user and system time: decompression, CRCs, decoding, the way from Python to Java.
{cores} cores, default settings of Spark, so 1 GB of memory; a session for each kind of program, in which everything has
been read twice before, and a query of {records} records just before each that counts. Programs take turns, {rounds}
rounds; figures are those of the median round.

- **kafkafmt data source**: `spark.read.format("kafkafmt").option("assign", ..).load(log_dir)`; key and value alone by
  `.schema("key binary, value binary")`.
- **data source, daemon**: the same with `spark.python.daemon.module=pyspark_kafkafmt.daemon`, and (Spark 4.1 or later)
  `spark.python.unix.domain.socket.enabled=true`.
- **read_log_dirs**: `read_log_dirs(spark, log_dir, topics=.., columns=[..])`.
- **Spark's kafka source**: `spark.read.format("kafka").option("assign", ..).load()`. The broker's CPU is beside it;
  ours need none.
"""


def page(results: Results) -> str:
    """docs/benchmarks/spark.md."""
    releases: dict[str, dict[str, dict[str, Reading]]] = {}
    for label, found in results.readings.items():
        topic, _, release = label.rpartition(", ")
        releases.setdefault(release, {})[topic] = found
    settings = {"key": topics.KEY_BYTES, "records": FEW.partitions, **results.settings}
    parts = [_HEAD]
    for position, (release, readings) in enumerate(releases.items()):
        is_newest = position == 0
        parts.append(f"## {release}\n")
        if is_newest:
            parts.append(_GOALS.format(**settings))
        parts += [_ratios(readings, "", has_goals=is_newest), _ratios(readings, _SUFFIX, has_goals=is_newest)]
        if is_newest:
            parts += [_FIXED.format(**settings), _fixed(readings), _FIXED_PARTS, _SINGLE, _single(results.figures)]
            parts.append(f"## {release}: CPU by size\n\n{_COSTS.format(**settings)}")
        parts.append(_costs(readings))
        if is_newest:
            parts += [_LIMITS, _limits(readings)]
    return "\n".join(part for part in [*parts, _WHAT.format(**settings), made_on(results)] if part)


def _large(readings: goals.Readings) -> dict[str, Mapping[str, Reading]]:
    return {topic: found for topic, found in readings.items() if topic != FEW.label}


def _ratios(readings: goals.Readings, suffix: str, *, has_goals: bool) -> str:
    rows = []
    for topic, found in _large(readings).items():
        if _KAFKA.key + suffix in found:
            cells = [_ratio(readings, topic, each, suffix, has_goals=has_goals) for each in _OURS]
            rows.append([topic, *cells])
    head = "key and value alone" if suffix else "all columns"
    return table((head, *(each.label for each in _OURS)), rows) if rows else ""


def _ratio(readings: goals.Readings, topic: str, program: Program, suffix: str, *, has_goals: bool) -> str:
    reading = readings[topic].get(program.key + suffix)
    if reading is not None and reading.error:
        return f"fails: {reading.error}"
    goal = (_WELL_AHEAD if program.reader == "source-frozen" else _AHEAD).get(int(topic.split(maxsplit=1)[0]))
    figure = goals.ratio(readings, [topic], _KAFKA.key + suffix, program.key + suffix, at_least=goal)
    if figure.value is None:
        return "-"
    value = f"{number(figure.value)} ({number(figure.low)} to {number(figure.high)})"
    if not has_goals or goal is None:
        return value
    return f"{value}, goal {goal:g}{'' if figure.is_met else ': **missed**'}"


def _fixed(readings: goals.Readings) -> str:
    rows = [
        [each.label, *map(number, (median(cost) for cost in (reading.cpu, reading.java, reading.wall)))]
        for each in ALL_COLUMNS
        if (reading := readings.get(FEW.label, {}).get(each.key)) and reading.cpu
    ]
    return table(("", "CPU of Spark", "of it Java", "seconds passed"), rows)


def _single(figures: Iterable[Figure]) -> str:
    rows = [
        [each.text, f"fails: {each.error}" if each.error else f"{number(each.value)} {each.unit}"] for each in figures
    ]
    return table(("what", "measured"), rows) if rows else ""


def _costs(readings: goals.Readings) -> str:
    rows = []
    for topic, found in _large(readings).items():
        for program in spark_reads.PROGRAMS:
            reading = found.get(program.key)
            if reading is None or not reading.cpu:
                continue
            fixed = readings.get(FEW.label, {}).get(program.reader)
            cpu, wall = median(reading.cpu), median(reading.wall)
            least = median(fixed.cpu) if fixed and fixed.cpu else 0.0
            costs = (cpu, cpu - least, median(reading.java), median(reading.broker), wall)
            cells = [number(each / reading.records * 1e6) for each in costs]
            rows.append([f"{program.label}, {topic}", number(reading.size / cpu / 1e6), *cells])
    seconds = ("CPU of Spark", "without the fixed part", "of all Java", "CPU of the broker", "seconds passed")
    return table(("a million rows", "MB a CPU-second", *seconds), rows)


def _limits(readings: goals.Readings) -> str:
    """The ratios that would result from the Java process's part alone."""
    rows = [[topic, *_limits_of(found)] for topic, found in _large(readings).items()]
    return table(("", *(each.label for each in _OURS)), rows)


def _limits_of(found: Mapping[str, Reading]) -> Iterator[str]:
    theirs = found.get(_KAFKA.key)
    for program in _OURS:
        ours = found.get(program.key)
        java = median(ours.java) if ours and ours.java else 0.0
        yield number(median(theirs.cpu) / java) if theirs and theirs.cpu and java else "-"
