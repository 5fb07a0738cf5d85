"""One run: every program reads every segment, round after round, one program at a time."""

import contextlib
import os
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from benchmark.programs import Program
from benchmark.results import Cell
from benchmark.segments import Made, Segment, read_once
from benchmark.workers import Cost, MeasuringError, Worker, run

SECONDS = 1200
"""How long a program may take for one file."""
_WARM_UP_PASSES = 10

_DUMP_CLASS = "org.apache.kafka.tools.DumpLogSegments"
READER_CLASS = "SegmentReader"


@dataclass
class Bench:
    """The programs, and the processes in which they run.

    Attributes:
        java: the command that runs a class with Kafka's jars.
        variables: environment of the processes.
    """

    java: Sequence[str]
    variables: Mapping[str, str]
    _workers: dict[str, Worker] = field(default_factory=dict)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._workers.values():
            worker.close()
        self._workers.clear()

    def command(self, program: Program) -> list[str]:
        """Give the command of a program's process."""
        if program.kind == "python":
            return [sys.executable, "-m", "benchmark.python_worker", program.key]
        if program.kind == "dump":
            return [*self.java, _DUMP_CLASS, *program.arguments]
        return [*self.java, READER_CLASS]

    def measure(self, program: Program, path: Path) -> Cost:
        """Let a program read a file.

        Raises:
            MeasuringError: it cannot read it, took too long, or died.
        """
        if program.kind == "java-cold":
            return run(self.command(program), self.variables, SECONDS, f"{path}\n")
        if program.kind == "dump":
            with tempfile.TemporaryDirectory() as scratch:
                # DumpLogSegments takes a base offset from a log's name.
                log = Path(scratch, f"{0:020d}.log")
                log.symlink_to(path)
                return run([*self.command(program), "--files", str(log)], self.variables, SECONDS)
        return self._worker(program).measure(path)

    def warm_up(self, program: Program, paths: Sequence[Path]) -> None:
        """Let a program read files unmeasured, again and again: its virtual machine then has compiled what it will."""
        for _ in range(_WARM_UP_PASSES):
            for path in paths:
                with contextlib.suppress(MeasuringError):  # the measurement will say so
                    self.measure(program, path)

    def _worker(self, program: Program) -> Worker:
        worker = self._workers.get(program.key)
        if worker is None or not worker.is_alive:
            if worker is not None:
                worker.close()
            worker = self._workers[program.key] = Worker(self.command(program), self.variables, SECONDS)
        return worker


def measure_all(
    bench: Bench,
    programs: Sequence[Program],
    segments: Sequence[Segment],
    made: Mapping[str, Made],
    rounds: int,
    say: Callable[[str], None],
) -> dict[str, dict[str, Cell]]:
    """Measure programs on segments; a round measures every program on a segment before the next round does.

    Returns:
        What each cost, by the names of segment and program.
    """
    for program in programs:
        if program.kind == "java":
            bench.warm_up(program, [made[segment.name].prefix for segment in segments if program.reads(segment)])
    measured: dict[str, dict[str, Cell]] = {}
    for number, segment in enumerate(segments, 1):
        say(f"  {segment.name} ({number} of {len(segments)})")
        measured[segment.name] = measure_one(bench, programs, segment, made[segment.name], rounds)
    return measured


def measure_one(
    bench: Bench, programs: Sequence[Program], segment: Segment, made: Made, rounds: int
) -> dict[str, Cell]:
    """Measure programs on one segment."""
    read_once(made.path)
    cells = {program.key: Cell() for program in programs if program.reads(segment)}
    reading = [program for program in programs if program.key in cells]
    for round_number in range(rounds + 1):
        # Each starts one later in every round, so that none always follows the same other one.
        turn = round_number % max(len(reading), 1)
        for program in [*reading[turn:], *reading[:turn]]:
            cell = cells[program.key]
            lasts = program.kind in {"java", "python"}
            if cell.error or (round_number == 0 and not lasts):
                continue
            try:
                cost = _measured(bench, program, made)
            except MeasuringError as error:
                cells[program.key] = Cell(error=_without_paths(str(error), made))
                continue
            if round_number:  # round 0 warms up
                cell.cpu.append(round(cost.cpu, 5))
                cell.wall.append(round(cost.wall, 5))
                cell.scale = made.records / cost.records if program.prefix and cost.records else 1.0
    return cells


def _measured(bench: Bench, program: Program, made: Made) -> Cost:
    cost = bench.measure(program, made.prefix if program.prefix else made.path)
    if not program.prefix and cost.records not in {None, made.records}:
        raise MeasuringError(f"read {cost.records} records instead of {made.records}")
    if cost.records == 0:
        raise MeasuringError("read no records")
    return cost


def _without_paths(text: str, made: Made) -> str:
    # Results are committed, and this machine's directories are nobody's business.
    for path in (made.path, made.prefix):
        text = text.replace(str(path), path.name)
    return text.replace(os.path.expanduser("~"), "~")
