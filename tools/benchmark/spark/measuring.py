"""The measurements: programs by turns, growth, memory, first queries."""

import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from typing import Self

from benchmark.spark import programs
from benchmark.spark.process_tree import ProcessTree
from benchmark.spark.programs import PROGRAMS, Program
from benchmark.spark.records import TopicCopy
from benchmark.spark.results import Growth, Memory, Query, Reading
from benchmark.spark.sessions import Session, Spark
from benchmark.workers import MeasuringError

GROWING = (programs.SOURCE, programs.LOG_DIRS, programs.KAFKA)
HOLDING = (programs.SOURCE, programs.LOG_DIRS, programs.KAFKA, programs.BINARY_FILE)


class Readings:
    """Sessions in which programs read topics, and the broker that some of them need.

    Args:
        spark: how sessions are started.
        cores: of each session.
        broker: process id of the broker.
        keys: of the programs.
    """

    def __init__(self, spark: Spark, cores: int, broker: int, keys: Iterable[str]) -> None:
        self._broker = ProcessTree(broker)
        self._stack = ExitStack()
        self._sessions: dict[str, Session] = {}
        try:
            for name in dict.fromkeys(programs.program(key).session for key in keys):
                self._sessions[name] = self._stack.enter_context(Session(spark, cores))
        except BaseException:
            self._stack.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @property
    def versions(self) -> dict[str, str]:
        """Of Spark and what it runs on."""
        return next(iter(self._sessions.values())).versions

    def check(self, program: Program, copy: TopicCopy, partitions: Sequence[int]) -> tuple[int, int]:
        """Let a program read; returns how many rows, and a checksum of them in any order.

        Raises:
            MeasuringError: it cannot.
        """
        answer = self._session(program).read(program.key, copy, partitions, check=True).answer
        if answer["columns"] != list(program.columns):
            raise MeasuringError(f"gives the columns {', '.join(answer['columns'])}")
        return answer["rows"], answer["checksum"]

    def measure(self, program: Program, copy: TopicCopy, partitions: Sequence[int], reading: Reading | None) -> None:
        """Let a program read, and add what it cost to a reading.

        Raises:
            MeasuringError: it cannot.
        """
        broker = self._broker.cpu_time()
        cost = self._session(program).read(program.key, copy, partitions)
        broker = self._broker.cpu_time() - broker
        if reading is not None:
            reading.java.append(round(cost.cpu.java, 4))
            reading.python.append(round(cost.cpu.python, 4))
            reading.wall.append(round(cost.wall, 4))
            if program.needs_broker:
                reading.broker.append(round(broker.java, 4))

    def _session(self, program: Program) -> Session:
        return self._sessions[program.session]


def compare(
    running: Readings,
    copy: TopicCopy,
    small: TopicCopy,
    rounds: int,
    warming: int,
    chosen: Sequence[Program] = PROGRAMS,
) -> dict[str, Reading]:
    """Measure programs on a topic; a round measures each of them before the next round does.

    Before that each shows that it reads the same rows as Spark's own source, which warms it up too.

    Args:
        running: the sessions.
        copy: what is read.
        small: less of the same kind, for programs that take no large files.
        rounds: how many count.
        warming: how many come before them.
        chosen: the programs.
    """
    copies = {program.key: small if program.is_slow else copy for program in chosen}
    expected: dict[tuple[str, str], tuple[int, int]] = {}
    readings = {program.key: _checked(running, program, copies[program.key], expected) for program in chosen}
    for number in range(warming + rounds):
        # Each starts one later in every round, so that none always follows the same other one.
        turn = number % len(chosen)
        for program in [*chosen[turn:], *chosen[:turn]]:
            each = copies[program.key]
            if readings[program.key].error is None:
                counted = readings[program.key] if number >= warming else None
                try:
                    running.measure(program, each, range(each.topic.partitions), counted)
                except MeasuringError as error:
                    readings[program.key] = Reading(error=str(error))
    return readings


def _checked(
    running: Readings, program: Program, copy: TopicCopy, expected: dict[tuple[str, str], tuple[int, int]]
) -> Reading:
    topic = copy.topic
    partitions = range(topic.partitions)
    official = programs.program(programs.KAFKA if program.columns == programs.COLUMNS else programs.KAFKA_KEY_VALUE)
    try:
        place = (official.key, topic.name)
        if place not in expected:
            expected[place] = running.check(official, copy, partitions)
        found = expected[place] if program == official else running.check(program, copy, partitions)
    except MeasuringError as error:
        return Reading(error=str(error))
    if found[0] != topic.records * topic.partitions:
        return Reading(error=f"gives {found[0]} rows instead of {topic.records * topic.partitions}")
    if found != expected[place]:
        return Reading(error="gives other rows than Spark's kafka source")
    return Reading(rows=found[0], payload_bytes=topic.payload_bytes * topic.partitions)


def growth(
    running: Mapping[int, Readings],
    copy: TopicCopy,
    sizes: Sequence[int],
    rounds: int,
    warming: int,
    keys: Sequence[str] = GROWING,
) -> list[Growth]:
    """Measure programs on more and more partitions of a topic, each of one segment.

    Args:
        running: sessions by how many cores they have.
        copy: what is read.
        sizes: numbers of partitions.
        rounds: how many count.
        warming: how many come before them.
        keys: of the programs.
    """
    found = [
        Growth(key, cores, size, Reading(size * copy.topic.records, size * copy.topic.payload_bytes))
        for key in keys
        for cores in running
        for size in sizes
    ]
    for number in range(warming + rounds):
        for each in found:
            if each.reading.error is None:
                program, partitions = programs.program(each.program), range(each.segments)
                try:
                    counted = each.reading if number >= warming else None
                    running[each.cores].measure(program, copy, partitions, counted)
                except MeasuringError as error:
                    each.reading = Reading(error=str(error))
    return found


def memory(spark: Spark, cores: int, copy: TopicCopy, keys: Sequence[str], say: Callable[[str], None]) -> list[Memory]:
    """Measure how much memory it takes to read a topic of one large segment, each program in a session of its own.

    Args:
        spark: how sessions are started.
        cores: of each.
        copy: what is read.
        keys: of the programs.
        say: called with a line of text about what is measured.
    """
    found = []
    for key in keys:
        say(f"  {programs.program(key).label}")
        try:
            with Session(spark, cores) as session:
                cost = session.read(key, copy, range(copy.topic.partitions))
                peak = session.peak_memory()
        except MeasuringError as error:
            found.append(Memory(key, error=str(error)))
        else:
            largest = peak.python[0] if peak.python and not programs.program(key).needs_broker else 0
            found.append(Memory(key, peak.java, largest, round(cost.wall, 2)))
    return found


def first_queries(spark: Spark, copy: TopicCopy, caches: Iterable[bool]) -> list[Query]:
    """Measure the first queries of new sessions, on one partition.

    Args:
        spark: how sessions are started.
        copy: what is read.
        caches: for each session, whether numba's cache is there; the first that has none makes it.
    """
    found = []
    with tempfile.TemporaryDirectory() as directory:
        for is_there in caches:
            state = "numba's cache is there" if is_there else "numba compiles, as the first time on a machine"
            found += _first_queries(spark, copy, state, {"NUMBA_CACHE_DIR": directory})
    return found


def _first_queries(spark: Spark, copy: TopicCopy, state: str, variables: Mapping[str, str]) -> list[Query]:
    found = []
    try:
        with Session(spark, 1, variables) as session:
            for order in ("first", "second", "third"):
                cost = session.read(programs.SOURCE, copy, [0])
                java, python, wall = (round(each, 3) for each in (cost.cpu.java, cost.cpu.python, cost.wall))
                found.append(Query(f"{order} query; {state}", java, python, wall))
    except MeasuringError as error:
        found.append(Query(f"a query; {state}", error=str(error)))
    return found
