"""The Spark benchmark: sessions take turns reading a broker's records; first queries, memory, queries after a pause."""

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmark.readings import Figure, Reading, compare
from benchmark.topics import Topic
from benchmark.worker import Cost, MeasuringError, ProcessTree, Worker

Say = Callable[[str], None]

COLUMNS = ("key", "value", "topic", "partition", "offset", "timestamp", "timestampType")
"""The default columns of Spark's kafka source and of kafkafmt's data source."""
KEY_AND_VALUE = ("key", "value")
_UNMEASURED = 3


@dataclass(frozen=True)
class Program:
    """A reader with a choice of columns.

    Attributes:
        reader: one of `READERS`; a Spark session uses only one.
        label: its name in tables and charts.
        columns: the columns that are read.
    """

    reader: str
    label: str
    columns: tuple[str, ...] = COLUMNS

    @property
    def key(self) -> str:
        """Its name in spark.json."""
        return self.reader if self.columns == COLUMNS else f"{self.reader}-key-value"


READERS = {
    "kafka": "Spark's kafka source",
    "source": "kafkafmt data source",
    "log-dirs": "read_log_dirs",
    "source-frozen": "data source, daemon",
}
ALL_COLUMNS = tuple(Program(reader, label) for reader, label in READERS.items())
PROGRAMS = (
    *ALL_COLUMNS,
    *(Program(reader, f"{label}, key and value", KEY_AND_VALUE) for reader, label in READERS.items()),
)
WARM = {"spark.python.daemon.module": "pyspark_kafkafmt.daemon", "spark.python.unix.domain.socket.enabled": "true"}
"""Settings of a session whose workers start warm; Spark before 4.1 ignores the second."""
FEW = Topic("few", "none", 100, 8, 1)
"""One record in each partition: shows the fixed cost of a query."""


@dataclass(frozen=True)
class Case:
    """A topic, and the programs that read it."""

    topic: Topic
    programs: Sequence[Program]


def cases(topics: Sequence[Topic], *, is_newest: bool) -> list[Case]:
    """Choose which programs read which topics.

    Args:
        topics: all topics.
        is_newest: whether it is the newest release of Spark: on others only uncompressed topics are read, with all
            columns.
    """
    plain = [topic for topic in topics if topic.codec == "none"]
    if not is_newest:
        return [Case(topic, ALL_COLUMNS) for topic in (FEW, *plain)]
    chosen = [Case(topic, PROGRAMS if topic in plain else ALL_COLUMNS) for topic in topics]
    return [Case(FEW, ALL_COLUMNS), *chosen]


@dataclass(frozen=True)
class Spark:
    """How Spark sessions are started, and what they read.

    Attributes:
        python: interpreter of the environment that has Spark and kafkafmt.
        variables: environment variables of that environment.
        jars: Spark's kafka source and its dependencies.
        scratch: a directory for files that Spark writes.
        cores: number of cores that its tasks use.
        log_dir: the copy of the broker's disk.
        servers: address of the broker.
    """

    python: Path
    variables: Mapping[str, str]
    jars: Sequence[Path]
    scratch: Path
    cores: int
    log_dir: Path
    servers: str

    def session(self, reader: str, cores: int | None = None) -> Worker:
        """Start a session for a reader, with default memory; its first answer has the versions of its programs."""
        settings = {
            "spark.master": f"local[{cores or self.cores}]",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.extraClassPath": os.pathsep.join(map(str, self.jars)),
            "spark.driver.host": "127.0.0.1",
            "spark.local.dir": str(self.scratch),
            "spark.sql.session.timeZone": "UTC",
            "spark.sql.warehouse.dir": str(self.scratch / "warehouse"),
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
        }
        if reader == "source-frozen":
            settings |= WARM
        command = [str(self.python), "-m", "benchmark.spark_session", json.dumps(settings)]
        return Worker(command, {**self.variables, "PYSPARK_PYTHON": str(self.python)}, self.scratch)

    def job(self, program: Program, topic: Topic, *, check: bool = False, partitions: int | None = None) -> str:
        """The question that makes a session read a topic, or its first partitions."""
        return json.dumps(
            {
                "program": program.reader,
                "topic": topic.name,
                "partitions": list(range(partitions or topic.partitions)),
                "columns": program.columns,
                "log_dir": str(self.log_dir),
                "servers": self.servers,
                "check": check,
            }
        )


def read_all(
    spark: Spark, cases: Sequence[Case], broker: ProcessTree, rounds: int, say: Say
) -> tuple[dict[str, str], dict[str, dict[str, Reading]]]:
    """Let programs read topics in turn, after each has shown that it returns the rows of Spark's kafka source.

    Returns versions, and readings by label of the topic, then by program.

    Raises:
        MeasuringError: a session did not start.
    """
    readings: dict[str, dict[str, Reading]] = {}
    with ExitStack() as stack:
        say("starting sessions of Spark")
        sessions = {reader: stack.enter_context(spark.session(reader)) for reader in READERS}
        versions = [json.loads(session.answer()) for session in sessions.values()]
        for case in cases:
            topic = case.topic
            say(f"reading {topic.label}")
            expected: dict[tuple[str, ...], Any] = {}
            found = {each.key: _checked(spark, sessions[each.reader], each, topic, expected) for each in case.programs}
            jobs = {each.key: _job(spark, sessions[each.reader], each, topic, broker) for each in case.programs}
            compare(jobs, found, rounds, warming=1)
            readings[topic.label] = found
    return versions[0], readings


def _checked(
    spark: Spark, session: Worker, program: Program, topic: Topic, expected: dict[tuple[str, ...], Any]
) -> Reading:
    rows = topic.records * topic.partitions
    try:
        answer = json.loads(session.ask(spark.job(program, topic, check=True)))
    except MeasuringError as error:
        return Reading(error=str(error))
    if answer["columns"] != list(program.columns) or answer["rows"] != rows:
        return Reading(error=f"gives {answer['rows']} rows of {', '.join(answer['columns'])} instead of {rows}")
    if answer != expected.setdefault(program.columns, answer):
        return Reading(error="gives other rows than Spark's kafka source")
    return Reading(rows, topic.payload_bytes)


def _job(spark: Spark, session: Worker, program: Program, topic: Topic, broker: ProcessTree) -> Callable[[], Cost]:
    def read() -> Cost:
        session.ask(spark.job(program, FEW))  # warms up again: Spark ends idle processes after a minute
        before, _ = broker.cpu_time()
        cost, _ = session.measure(spark.job(program, topic))
        meanwhile, _ = broker.cpu_time()
        return Cost(cost.cpu, cost.wall, cost.java, meanwhile - before if program.reader == "kafka" else 0.0)

    return read


def single_figures(spark: Spark, large: Topic, small: Topic, pause: float, say: Say) -> list[Figure]:
    """Measure the memory for a large segment, the first queries of a session, and queries after a pause.

    Args:
        spark: starter of sessions.
        large: a topic with one segment.
        small: a topic for first queries.
        pause: seconds to wait; Spark ends Python processes that were idle for a minute.
        say: function that is called before each part.
    """
    found = []
    for program in ALL_COLUMNS[1:3]:
        say(f"memory, {program.label}")
        text = f"{program.label}, a segment of {large.payload_bytes / 1e6:.0f} MB"
        try:
            with spark.session(program.reader) as session:
                session.answer()
                session.ask(spark.job(program, large))
                java, python = session.tree.peak_bytes()
        except MeasuringError as error:
            found.append(Figure(text, None, error=str(error)))
            continue
        found.append(Figure(f"{text}: peak memory of Java", java / 1e6, "MB"))
        found.append(Figure(f"{text}: peak memory of its largest Python process", python / 1e6, "MB"))
    say("first queries of a session")
    try:
        with spark.session("source", cores=1) as session:
            session.answer()
            for order in ("first", "second", "third"):
                cost, _ = session.measure(spark.job(ALL_COLUMNS[1], small, partitions=1))
                text = f"{order} query of a session by the data source, 1 core, {small.records:,} records"
                found.append(Figure(f"{text}: CPU of Python", cost.cpu - cost.java, "s"))
                found.append(Figure(f"{text}: CPU of Java", cost.java, "s"))
    except MeasuringError as error:
        found.append(Figure("first queries of a session", None, error=str(error)))
    return [*found, *_after_a_pause(spark, pause, say)]


def _after_a_pause(spark: Spark, pause: float, say: Say) -> Iterator[Figure]:
    programs = [each for each in ALL_COLUMNS if each.reader in ("source", "source-frozen")]
    say(f"queries after {pause:.0f} s")
    with ExitStack() as stack:
        sessions = [stack.enter_context(spark.session(each.reader)) for each in programs]
        for session, program in zip(sessions, programs, strict=True):
            session.answer()
            for _ in range(_UNMEASURED):
                session.ask(spark.job(program, FEW))
        time.sleep(pause)
        for session, program in zip(sessions, programs, strict=True):
            text = f"{program.label}, query of {FEW.label} after {pause:.0f} s without one"
            try:
                cost, _ = session.measure(spark.job(program, FEW))
            except MeasuringError as error:
                yield Figure(text, None, error=str(error))
                continue
            yield Figure(f"{text}: CPU of Python", cost.cpu - cost.java, "s")
            yield Figure(f"{text}: CPU of Java", cost.java, "s")
