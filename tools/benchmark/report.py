"""docs/benchmarks: what was measured, as tables for a person."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from statistics import median

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

_AHEAD = {100: 2.0, 1000: 1.5}
_WELL_AHEAD = {100: 2.5, 1000: 2.0}  # of workers that begin warm
"""How many times less than Spark's source ours should take, by bytes of values."""

_SCANS = """\
# Benchmark

`tools/bench` measured this and wrote this page; it runs from a clean checkout on Linux with Python 3.11 or later, a JDK
17 or later and Maven. [results.json](results.json) has every single figure. [Another page](spark.md) compares kafkafmt
in Spark with Spark's own kafka source, [a third](writing.md) is about writing.

![GB of records read in a second of CPU: by program, shape of the records, and codec](chart.svg)
"""

_SCANS_WHAT = """\
## What is measured

Segments that Kafka's own producer code made, {megabytes} MB of records before compression in each unless the name ends
with another size, are read from the page cache, every record and every CRC. `typical` is a 16-byte key, a JSON value of
about 225 bytes, and 2 headers on half of the records; `tiny` a 20-byte value and no key; `large` a value of 10 kB.
Batches are of 16 KB on disk, of 1 MB in `typical1m`, of 1 KB in `typical1k`; `-v1` and `-v0` are the message formats
before record batches.

For each segment, each round measures one program after the other; the first round does not count, {rounds} do. All of
that is done {restarts} times, in new processes. A round of a program reads {round} MB or more, so a small
segment several times, up to {passes}. **Figures are CPU time** (user and system, all threads of the process), of the
median round; ranges are those of single rounds.

- **kafkafmt**: `kafkafmt.scan(file).to_reader()`, all columns, one thread, each record batch dropped;
  `key, value, offset` asks for these three columns only.
- **kafka-clients, warm JVM**: Kafka's own reading (`FileRecords`, `ensureValid`, `streamingIterator`) in a Java process
  that has read all segments before; it touches every record and copies nothing.
- **aiokafka** (its C extension) and **kafka-python**: their record parsers on 4 MB at a time, every record touched.
- **floor**: only the CRC, the fastest decompressor that PyPI has, and one copy of each batch, in a Python loop over a
  file mapped into memory. Format 2 only.

**What limits it**: each byte of a log is copied out of the page cache, read for its CRC, and copied into a column. The
rows on copies and CRC-32C above say what one core and two do of that in a second. Two cores share one memory:
`threads=2` on logs that are not compressed gains as much as two cores copy more than one. A segment of 100 KB takes
0.15 ms of kernels; the rest are a thousand Python calls to open, check and plan a segment.
"""

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


_WRITING = """\
# Benchmark of writing

`tools/bench --writing` measured this and wrote this page; it runs from a clean checkout on Linux with Python 3.11 or
later, a JDK 17 or later and Maven. [writing.json](writing.json) has every single figure. [Another page](README.md) has
how fast kafkafmt reads.
"""

_WRITING_WHAT = """\
## What is measured

Record batches of format 2, uncompressed, full at 16 KB, of records in memory: {megabytes} MB of keys (16 bytes) and
values. Programs take turns, {rounds} rounds in each of {restarts} processes; figures are CPU time of the median round,
ranges those of single rounds.

- **kafkafmt**: `kafkafmt.write`'s encoder on Arrow arrays, batches in memory.
- **kafka-clients, warm JVM**: `MemoryRecordsBuilder`, which is asked for room before each record.
- **aiokafka** (its C extension) and **kafka-python**: their `DefaultRecordBatchBuilder`.

`kafkafmt repair` of a log directory with one sound segment is a new process that reads the segment, checks it, writes
the copy, makes indexes and checkpoints and brings all to the disk. The copy beside it is a new process that reads the
same segment batch by batch, checks the CRCs, writes the bytes and brings them to the disk.
"""


_THREADS = (scans.KAFKAFMT, scans.THREADS)


def _page(*parts: str) -> str:
    return "\n".join(part for part in parts if part)


def _cpu_ms(reading: Reading) -> float:
    return median(reading.cpu) * 1000


def _by_cpu(results: Results, head: str, found: Iterable[Figure], labels: Mapping[str, str], what: str) -> str:
    """A page of programs by the CPU time that they take.

    Args:
        results: the measurements.
        head: how it begins.
        found: the goals that are computed from them.
        labels: the names of the programs in tables.
        what: what is measured, with the settings in braces.
    """
    return _page(
        head,
        goals_table([*found, *results.figures]),
        readings_table("## Milliseconds of CPU", results.readings, labels, _cpu_ms),
        what.format(**results.settings),
        made_on(results),
    )


def scans_page(results: Results) -> str:
    """docs/benchmarks/README.md."""
    labels = {program.key: program.label for program in scans.PROGRAMS}
    return _page(
        _SCANS,
        goals_table([*goals.scan_goals(results.readings), *results.figures]),
        shapes_table(results, labels),
        readings_table("## Milliseconds of CPU", results.readings, labels, _cpu_ms),
        readings_table(
            "## Milliseconds that passed",
            results.readings,
            labels,
            lambda reading: median(reading.wall) * 1000,
            _THREADS,
        ),
        _SCANS_WHAT.format(
            megabytes=segments.SIZE, round=scans.READ_IN_A_ROUND, passes=scans.MOST_PASSES, **results.settings
        ),
        made_on(results),
    )


def writing_page(results: Results) -> str:
    """docs/benchmarks/writing.md."""
    labels = {program.key: program.label for program in writes.PROGRAMS}
    return _by_cpu(results, _WRITING, writes.write_goals(results.readings), labels, _WRITING_WHAT)


_TIERS = """\
# Benchmark of tiers

`tools/bench --tiers` measured this and wrote this page; it runs from a clean checkout on Linux with Python 3.11 or
later, a JDK 17 or later and Maven. [tiers.json](tiers.json) has every single figure. [Another page](README.md) has
how fast kafkafmt reads a disk.
"""
_TIERS_WHAT = """\
## What is measured

A segment of typical records, uncompressed by its producer, of 64 MB: on a disk, and in a tier on the same disk as
Aiven's plugin writes it, in chunks of {chunk_mib} MiB. Programs take turns, {rounds} rounds in each of {restarts}
processes; figures are CPU time of the median round, ranges those of single rounds.

- **scan**: `kafkafmt.scan`, every record and CRC; of a tier with listing, manifest and keys.
- **its chunks, kafkafmt**: the segment's bytes, read through the tier in pieces of 8 MiB.
- **its chunks, zstandard and AES-GCM alone**: the object read chunk by chunk, `AESGCM.decrypt` of `cryptography` and
  `ZstdDecompressor.decompress` of `zstandard`, and nothing else.
"""


def tiers_page(results: Results) -> str:
    """docs/benchmarks/tiers.md."""
    labels = {program.key: program.label for program in tiers.PROGRAMS}
    return _by_cpu(results, _TIERS, tiers.tier_goals(results.readings), labels, _TIERS_WHAT)


_SEARCHING = """\
# Benchmark of searching

`tools/bench --searching` measured this and wrote this page; it runs from a clean checkout on Linux with Python 3.11 or
later, a JDK 17 or later and Maven. searching.json has every single figure.
"""
_SEARCHING_WHAT = """\
## What is measured

Segments of typical records, read from the page cache, in which nothing is found. Programs take turns, {rounds} rounds
in each of {restarts} processes; figures are CPU time of the median round, ranges those of single rounds.

- **all records decoded**: `kafkafmt.scan`, all columns, one thread.
- **grep, a text** and **an expression**: `disks.grep` of an address, and of `[a-z]+@example\\.com`, one thread.
- **kafkafmt cat | grep -F**: both programs, with their start, which counts little at this size.
"""


def searching_page(results: Results) -> str:
    """docs/benchmarks/searching.md."""
    labels = {program.key: program.label for program in searches.PROGRAMS}
    return _by_cpu(results, _SEARCHING, searches.search_goals(results.readings), labels, _SEARCHING_WHAT)


_VALUES = """\
# Benchmark of values

`tools/bench --values` measured this and wrote this page; it runs from a clean checkout on Linux with Python 3.11 or
later. [values.json](values.json) has every single figure.
"""
_VALUES_WHAT = """\
## What is measured

{records:,} records of 12 flat fields, 20,000 of them different, become Arrow columns: four texts (one an enum, one
optional), three integers, a timestamp or its number, two doubles (one optional), a float and a boolean
(`tools/benchmark/value_topics.py`). Programs take turns, {rounds} rounds in each of {restarts} processes, with one
thread each; figures are CPU time of the median round. One round does not count.

- **kafkafmt, scan.decode**: from the log directory of the topic and the registry's `_schemas`: the search for the
  format, CRC, records, and the resolution to the latest schema. All columns.
- **kafkafmt, a column**: the values alone, 65,536 at once, as a scan gives them: ids are read and looked up, and a
  value that does not decode costs no other one.
- **Other libraries** get the bytes after the framing, 65,536 at once. One bad value makes most of them refuse all.
  pyruhvro takes a list of Python's bytes. polars-avro reads an Avro file that is made of the values in memory.
  fastavro and protobuf decode them one by one. duckdb, pyarrow and polars read JSON; polars and pyarrow as lines, and
  they guess the types of its fields.
"""


def values_page(results: Results) -> str:
    """docs/benchmarks/values.md."""
    return _page(
        _VALUES,
        goals_table([*values.value_goals(results.readings), *results.figures]),
        *(_values_table(kind, found) for kind, found in results.readings.items()),
        _VALUES_WHAT.format(**results.settings),
        made_on(results),
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


_SERVING = """\
# Benchmark of serving

`tools/bench --serving` measured this and wrote this page; it runs from a clean checkout on Linux with Python 3.11 or
later, a JDK 17 or later and Maven. [serving.json](serving.json) has every single figure.
"""
_SERVING_WHAT = """\
## What is measured

Kafka's producer, with its default settings, filled topics of 2 partitions in a broker; keys are of {key} bytes. The
broker and `kafkafmt serve` on the copy of its log directory, whose logs are the same files, are asked by the same
clients on the same machine, from the page cache: each client is a new process that reads all records of a topic.
Clients and servers take turns; 2 rounds do not count, in which Java compiles the broker, {rounds} do. **Seconds of
CPU** are those of the server's process, user and system time, of the median round; all that a broker does meanwhile
counts. With transactions, of which every fourth was aborted, clients are read_committed.

`kafkafmt serve` reads each batch and checks its CRC before it is sent for the first time, 4 MiB ahead of a client that
goes on; then the system sends it from the file (`sendfile`), as a broker does without looking at it. So the rounds that
count cost no CRC and no copy, as they read again what the rounds before have read. The first reading costs both: by
themselves, copies took 5,400 MB in a second of CPU and CRCs 24,000. Two thirds of the server's CPU are the system's,
nearly all of it in `sendfile`, which a broker calls as well (alone, in a loop, it sent 4,300 to 6,800 MB): beside a
broker that has compiled all of its code the goal is out of reach. The rest is Python: 0.3 ms for a Fetch of two
partitions, and twice as long beside a client that keeps both cores busy, as kcat does with values of 100 B.

**Start** is from the start of the process to the first record at a client that asks for one topic, of a disk with its
metadata log in the page cache; {starts} starts. **Metadata** is one request for all topics, after the first one and
once the server has looked for open transactions. A **Fetch of one batch** asks for one byte, so that it gets the next
batch, of 3 or 60 records. What a Fetch costs beside its bytes is the same for all: Python's event loop and the codec.
Consumers ask for 1 MB and more by default.

## Why a codec of its own

kio, the Python package with all of Kafka's messages, was measured beside `kafkafmt.protocol` by hand, in the same
process, on a busy machine. kio 0.6.5 takes 23 ms of CPU to make and encode an answer to Metadata about 2,000
partitions, kafkafmt 12 ms (below 1 ms once its topics are kept encoded); for an answer to Fetch 27 and 19 us; for a
request of Fetch 1 and 17 us, as kio decodes in native code. kio takes 14 MB of disk and 0.15 s to load, the codec of
kafkafmt 0.17 MB and 0.07 s.
"""


def serving_page(results: Results) -> str:
    """docs/benchmarks/serving.md."""
    labels = {program.key: program.label for program in servers.PROGRAMS}
    return _page(
        _SERVING,
        goals_table([*servers.serving_goals(results.readings), *results.figures]),
        readings_table(
            "## MB of log in a second of CPU of the server",
            results.readings,
            labels,
            lambda reading: reading.size / median(reading.cpu) / 1e6,
        ),
        readings_table("## Seconds that passed", results.readings, labels, lambda reading: median(reading.wall)),
        _SERVING_WHAT.format(key=topics.KEY_BYTES, **results.settings),
        made_on(results),
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
