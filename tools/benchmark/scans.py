"""The benchmark of scans: all programs in turn on every segment, then figures of single processes."""

import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmark import segments
from benchmark.bandwidth import bandwidth
from benchmark.readings import Figure, Reading, compare
from benchmark.segments import Segment
from benchmark.worker import Cost, MeasuringError, Worker, run

Say = Callable[[str], None]

READ_IN_A_ROUND = 128
"""MB that a program reads in a round, in one or more passes; at most `MOST_PASSES`."""
MOST_PASSES = 32


@dataclass(frozen=True)
class Program:
    """A program that reads segments.

    Attributes:
        key: name of the program in results.json.
        label: its name in tables and charts.
        is_slow: whether it reads only the small segments.
        magics: the message formats that it reads.
        only: the only segment that it reads, or "".
    """

    key: str
    label: str
    is_slow: bool = False
    magics: tuple[int, ...] = (0, 1, 2)
    only: str = ""

    def reads(self, name: str) -> bool:
        """Whether the program reads a segment."""
        magic = int(name.partition("-v")[2].partition("@")[0] or 2)
        if self.only:
            return name.partition("@")[0] == self.only
        return magic in self.magics and not (self.is_slow and segments.megabytes(name) > segments.SMALL)


KAFKAFMT, THREADS, JAVA, AIOKAFKA, FLOOR, NATIVE = "kafkafmt-1", "kafkafmt-2", "java", "aiokafka", "floor", "native"
PROGRAMS = (
    Program(KAFKAFMT, "kafkafmt"),
    Program(THREADS, "kafkafmt, 2 threads"),
    Program("kafkafmt-key-value-offset", "kafkafmt, key, value, offset"),
    Program(JAVA, "kafka-clients, warm JVM"),
    Program(AIOKAFKA, "aiokafka"),
    Program("kafka-python", "kafka-python", is_slow=True),
    Program(FLOOR, "floor", magics=(2,)),
    Program("count", "kafkafmt, scan.count()", only="typical-none"),
    Program("batches", "kafkafmt, segment.batches()", only="typical-none"),
    Program(NATIVE, "native program", magics=(2,)),
)


@dataclass(frozen=True)
class Bench:
    """How programs are started.

    Attributes:
        java: the command that runs a class with Kafka's jars.
        native: a program that reads like a worker, or None.
        variables: environment variables of all processes.
    """

    java: Sequence[str]
    native: Path | None
    variables: Mapping[str, str]

    def worker(self, program: str) -> Worker:
        """Start the process of a program."""
        if program == JAVA:
            return Worker([*self.java, "SegmentReader"], self.variables)
        if program == NATIVE:
            return Worker([str(self.native)], self.variables)
        return Worker([sys.executable, "-m", "benchmark.readers", program], self.variables)

    def programs(self) -> list[Program]:
        """All programs that can be measured on this machine."""
        return [program for program in PROGRAMS if program.key != NATIVE or self.native]


def read_all(
    bench: Bench, made: Sequence[Segment], rounds: int, restarts: int, say: Say
) -> dict[str, dict[str, Reading]]:
    """Let all programs read all segments; returns readings by segment, then by program.

    Everything is repeated `restarts` times in new processes, as Java compiles differently in each.
    """
    programs = bench.programs()
    readings = {
        each.name: {program.key: Reading(each.records, each.size) for program in programs if program.reads(each.name)}
        for each in made
    }
    for restart in range(restarts):
        with ExitStack() as stack:
            workers = {program.key: stack.enter_context(bench.worker(program.key)) for program in programs}
            say(f"warming Java up ({restart + 1} of {restarts})")
            for each in made:
                _warm_up(workers[JAVA], each)
            for each in made:
                say(f"  {each.name}")
                jobs = {key: _job(workers[key], each) for key in readings[each.name]}
                compare(jobs, readings[each.name], rounds, warming=1)
    return readings


def _warm_up(worker: Worker, segment: Segment) -> None:
    try:
        for _ in range(2):
            worker.ask(f"read {segment.path}")
    except MeasuringError:
        pass  # the measurement reports the error


def _job(worker: Worker, segment: Segment) -> Callable[[], Cost]:
    passes = min(MOST_PASSES, max(1, READ_IN_A_ROUND // segments.megabytes(segment.name)))
    return lambda: _cost(worker, segment.path, segment.records, passes)


def _cost(worker: Worker, path: Path, records: int, passes: int = 1) -> Cost:
    try:
        cost, answer = worker.measure(f"read {path}", passes)
    except MeasuringError as error:
        # Results are committed, so they must not contain directories of this machine.
        raise MeasuringError(str(error).replace(str(path), path.name)) from None
    if answer.split()[-1] != str(records):
        raise MeasuringError(f"read {answer.split()[-1]} records instead of {records}")
    return cost


def single_figures(bench: Bench, made: Sequence[Segment], starts: int, files: int, say: Say) -> list[Figure]:
    """Measure single processes: new processes, memory, many small segments (`files`).

    New processes read the first segment; `starts` of them are measured.
    """
    say("memory bandwidth")
    found = [*bandwidth()]
    say("new processes")
    found += _new_processes(bench, made[0].path, starts)
    say("memory")
    found += _memory(bench, made)
    say(f"{files:,} segments of 100 KB")
    return found + _many_segments(bench, made[0].path, files)


_FIRST_ROWS = (
    "import os, sys, kafkafmt; next(iter(kafkafmt.scan(sys.argv[1], engine='columnar').to_reader())); os._exit(0)"
)


def _new_processes(bench: Bench, path: Path, starts: int) -> list[Figure]:
    cli = [sys.executable, "-m", "kafkafmt", "cat", str(path)]
    with tempfile.TemporaryDirectory() as scratch:
        variables = {**bench.variables, "NUMBA_CACHE_DIR": scratch}
        first = [sys.executable, "-c", _FIRST_ROWS, str(path)]
        java = [*bench.java, "SegmentReader", "1"]
        parquet = [*cli, "--out", f"{scratch}/rows.parquet"]
        # NUMBA_.. variables are part of a kernel's key, so kernels compiled without this one are not used.
        alone = {**variables, "NUMBA_OPT": "3"}
        compiled = _process("first rows of the first process on a machine: numba compiles", first, alone, 1)
        return [
            compiled[0],
            *_process("first rows of a process", first, variables, starts, goal=0.6, peak_goal=None),
            _process("first row of a JVM with kafka-clients", java, variables, starts, f"read {path}\n")[0],
            _process("kafkafmt cat --last 10", [*cli, "--last", "10"], variables, starts, goal=0.6)[0],
            *_process("kafkafmt cat --out parquet", parquet, variables, 1, peak_goal=300)[1:],
        ]


def _process(
    text: str,
    command: Sequence[str],
    variables: Mapping[str, str],
    starts: int,
    question: str = "",
    goal: float | None = None,
    peak_goal: float | None = None,
) -> list[Figure]:
    """CPU seconds and peak memory of new processes."""
    try:
        runs = [run(command, variables, question) for _ in range(starts)]
    except MeasuringError as error:
        return [Figure(text, None, error=str(error))] * 2
    peaks = [each.peak_bytes / 1e6 for each in runs]
    return [
        of_rounds(f"{text}, CPU", [each.cpu for each in runs], "s", goal, at_most=True),
        of_rounds(f"{text}, peak memory", peaks, "MB", peak_goal, at_most=True),
    ]


def _memory(bench: Bench, made: Sequence[Segment]) -> list[Figure]:
    """Peak memory of processes that read all segments, and pages that a second scan faults in."""
    found = []
    for program, text, goal in ((KAFKAFMT, "1 thread", 280.0), (THREADS, "2 threads", None)):
        try:
            with bench.worker(program) as worker:
                for each in made:
                    worker.ask(f"read {each.path}")
                peak = worker.tree.peak_bytes()[1] / 1e6
            found.append(Figure(f"peak memory, all segments, {text}", peak, "MB", goal=goal, at_most=True))
        except MeasuringError as error:
            found.append(Figure(f"peak memory, all segments, {text}", None, error=str(error)))
    faults = []
    text = "minor faults of a process's second scan"
    for each in made:
        try:
            with bench.worker(KAFKAFMT) as worker:
                worker.ask(f"read {each.path}")
                before = worker.tree.minor_faults()
                worker.ask(f"read {each.path}")
                faults.append(float(worker.tree.minor_faults() - before))
        except MeasuringError as error:
            return [*found, Figure(text, None, error=f"{each.name}: {error}")]
    return [*found, of_rounds(f"{text} (median, lowest and highest of all segments)", faults, "", 100, at_most=True)]


def _many_segments(bench: Bench, source: Path, files: int) -> list[Figure]:
    """CPU time of reading a segment of 100 KB among many, and of planning a scan of all."""
    partitions = 100 if files >= 1000 else 10
    with tempfile.TemporaryDirectory(dir=source.parent) as scratch, bench.worker(KAFKAFMT) as worker:
        root = Path(scratch, "log-dir")
        records = segments.log_dir(root, source, partitions, files // partitions, 100_000)
        text = f"a segment of 100 KB among {files:,}, CPU"
        try:
            worker.ask(f"read {source}")
            costs = [_cost(worker, root, records).cpu for _ in range(2)]
        except MeasuringError as error:
            return [Figure(text, None, error=str(error))]
        plan = [sys.executable, "-c", "import sys, kafkafmt; kafkafmt.scan(sys.argv[1]).plan()", str(root)]
        planning = _process(f"planning a scan of {files:,} segments in a new process", plan, bench.variables, 1)
        return [of_rounds(text, [cost / files * 1000 for cost in costs], "ms", 0.4, at_most=True), *planning]


def of_rounds(
    text: str, values: Iterable[float], unit: str = "", goal: float | None = None, *, at_most: bool = False
) -> Figure:
    """Make a figure from the values of rounds: their median, lowest and highest."""
    found = sorted(values)
    if not found:
        return Figure(text, None, unit, goal=goal, at_most=at_most)
    low, high = (found[0], found[-1]) if len(found) > 1 else (None, None)
    return Figure(text, median(found), unit, low, high, goal, at_most)
