"""What is measured in new processes: how cost grows with the file, and how long the first row takes."""

import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from benchmark.measuring import READER_CLASS, SECONDS, Bench
from benchmark.programs import PROGRAMS
from benchmark.results import FirstUse, Growth
from benchmark.segments import Made, read_once
from benchmark.workers import MeasuringError, Worker

GROWTH_SEGMENTS = ("typical-none", "typical-zstd", "typical1m-zstd", "tiny-none")
"""What is read at several sizes."""

_GROWTH_PROGRAMS = ("kafkafmt-1", "kafkafmt-2")
_STARTS = 3


def growth(
    bench: Bench, made: Mapping[int, Mapping[str, Made]], say: Callable[[str], None] = lambda _: None
) -> list[Growth]:
    """Measure kafkafmt on segments of several sizes, each in a new process.

    Args:
        bench: how programs are started.
        made: by megabytes, segments by name.
        say: called with a line of text about what is measured.
    """
    found = []
    for segment in GROWTH_SEGMENTS:
        for megabytes in sorted(made):
            if segment in made[megabytes]:
                say(f"  {segment}, {megabytes} MB")
                path = made[megabytes][segment].path
                found += [_grown(bench, segment, key, megabytes, path) for key in _GROWTH_PROGRAMS]
    return found


def _grown(bench: Bench, segment: str, key: str, megabytes: int, path: Path) -> Growth:
    read_once(path)
    program = next(program for program in PROGRAMS if program.key == key)
    with Worker(bench.command(program), bench.variables, SECONDS) as worker:
        try:
            costs = [worker.measure(path).cpu for _ in range(2)]
        except MeasuringError as error:
            return Growth(segment, key, megabytes, error=str(error).replace(str(path), path.name))
        return Growth(segment, key, megabytes, round(min(costs), 5), worker.peak_bytes())


def first_use(bench: Bench, path: Path) -> list[FirstUse]:
    """Measure how long a new process takes until it has the first row of a segment."""
    python = [sys.executable, "-m", "benchmark.python_worker", "first-row"]
    with tempfile.TemporaryDirectory() as cache:
        warm = {**bench.variables, "NUMBA_CACHE_DIR": cache}
        cases: list[tuple[str, Sequence[str], list[Mapping[str, str]]]] = [
            ("kafkafmt, the first time on a machine: numba compiles", [*python, "columnar"], [warm]),
            ("kafkafmt, from then on: numba's cache is there", [*python, "columnar"], [warm] * _STARTS),
            ("kafkafmt, reference engine: no numba", [*python, "reference"], [bench.variables] * _STARTS),
            ("kafka-clients, new JVM", [*bench.java, READER_CLASS, "1"], [bench.variables] * _STARTS),
        ]
        read_once(path)
        return [_best_start(case, command, path, environments) for case, command, environments in cases]


def _best_start(case: str, command: Sequence[str], path: Path, environments: Sequence[Mapping[str, str]]) -> FirstUse:
    starts = []
    for variables in environments:
        with Worker(command, variables, SECONDS) as worker:
            try:
                _, own_cpu = worker.ask(path)
            except MeasuringError as error:
                return FirstUse(case, error=str(error).replace(str(path), path.name))
            starts.append((worker.age(), worker.cpu() or own_cpu))
    return FirstUse(case, round(min(wall for wall, _ in starts), 3), round(min(cpu for _, cpu in starts), 3))
