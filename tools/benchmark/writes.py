"""The benchmark of writing: batch builders in turn, and repair of a large sound segment compared with a plain copy."""

import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median

from benchmark import goals, scans
from benchmark.readings import Figure, Reading, compare
from benchmark.scans import Program, Say
from benchmark.segments import Segment
from benchmark.worker import Cost, MeasuringError, Run, Worker, run

KAFKAFMT, JAVA, AIOKAFKA, KAFKA_PYTHON = "kafkafmt", "java", "aiokafka", "kafka-python"
PROGRAMS = (
    Program(KAFKAFMT, "kafkafmt"),
    Program(JAVA, "kafka-clients, warm JVM"),
    Program(AIOKAFKA, "aiokafka"),
    Program(KAFKA_PYTHON, "kafka-python"),
)
VALUES = {"100-byte records": 84, "1 KB records": 984}
"""Bytes of a value, by the name of the records, which have a key of 16 bytes."""

_DIFFERENCE = 0.05
_SEGMENT = "0" * 20 + ".log"


def write_all(
    java: Sequence[str], variables: Mapping[str, str], size: int, rounds: int, restarts: int, say: Say
) -> dict[str, dict[str, Reading]]:
    """Let all programs build batches of the same records of `size` bytes; returns readings as `scans.read_all` does."""
    readings: dict[str, dict[str, Reading]] = {}
    for restart in range(restarts):
        with ExitStack() as stack:
            workers = {each.key: stack.enter_context(_worker(each.key, java, variables)) for each in PROGRAMS}
            for name, value_bytes in VALUES.items():
                say(f"{name} ({restart + 1} of {restarts})")
                records = size // (value_bytes + 16)
                question = f"write {value_bytes} {records}"
                readings.setdefault(name, {key: Reading(records, size) for key in workers})
                made = int(workers[JAVA].ask(question))
                for _ in range(8):  # until Java has compiled the code
                    workers[JAVA].ask(question)
                jobs = {key: _job(worker, question, made) for key, worker in workers.items()}
                compare(jobs, readings[name], rounds, warming=1)
    return readings


def _worker(program: str, java: Sequence[str], variables: Mapping[str, str]) -> Worker:
    if program == JAVA:
        return Worker([*java, "BatchWriter"], variables)
    return Worker([sys.executable, "-m", "benchmark.writers", program], variables)


def _job(worker: Worker, question: str, made: int) -> Callable[[], Cost]:
    def job() -> Cost:
        cost, answer = worker.measure(question, passes=2)
        if abs(int(answer) - made) > made * _DIFFERENCE:
            raise MeasuringError(f"made {answer} bytes of batches where Java made {made}")
        return cost

    return job


def write_goals(readings: goals.Readings) -> list[Figure]:
    """Goals for builders."""
    wanted = (("kafka-clients warm", JAVA, 1.0), (AIOKAFKA, AIOKAFKA, 3.0), (KAFKA_PYTHON, KAFKA_PYTHON, 20.0))
    return [
        goals.ratio(readings, [name], above, KAFKAFMT, text=f"{label} / kafkafmt, {name}", at_least=goal)
        for label, above, goal in wanted
        for name in readings
    ]


def repair_figures(variables: Mapping[str, str], segment: Segment, rounds: int, say: Say) -> list[Figure]:
    """Measure the repair of a log directory with one sound segment, and a copy of it that checks CRCs."""
    say(f"repair of {segment.path.stat().st_size / 2**20:.0f} MiB")
    size = f"{segment.path.stat().st_size / 2**30:.2g} GiB" if segment.path.stat().st_size > 2**29 else "a few MB"
    runs: dict[str, list[Run]] = {"repair": [], "copy": []}
    with tempfile.TemporaryDirectory(dir=segment.path.parent) as scratch:
        source, target = Path(scratch, "log-dir"), Path(scratch, "out")
        partition = source / "typical-0"
        partition.mkdir(parents=True)
        (partition / _SEGMENT).hardlink_to(segment.path)
        (source / "meta.properties").write_text("version=1\ncluster.id=abcdefghijklmnopqrstuv\nnode.id=1\n")
        commands = {
            "repair": [sys.executable, "-m", "kafkafmt", "repair", str(source), "--out", str(target)],
            "copy": [sys.executable, "-m", "benchmark.writers", "copy", str(segment.path), str(target)],
        }
        for number in range(rounds + 1):
            for name, command in commands.items():
                try:
                    done = run(command, variables)
                except MeasuringError as error:
                    return [Figure(f"repair of {size}, sound", None, error=str(error).replace(scratch, ""))]
                if number:
                    runs[name].append(done)
                shutil.rmtree(target) if target.is_dir() else target.unlink()
    figures = []
    for text, field in (("CPU", "cpu"), ("seconds passed", "wall")):
        repairs, copies = ([getattr(each, field) for each in runs[name]] for name in ("repair", "copy"))
        by_round = [ours / theirs for ours, theirs in zip(repairs, copies, strict=True)]
        figure = scans.of_rounds(
            f"repair of {size}, sound / a copy that checks CRCs, {text}", by_round, "", 1.5, at_most=True
        )
        figures.append(figure)
        figures.append(scans.of_rounds(f"repair of {size}, sound, {text}", repairs, "s"))
    peaks = [each.peak_bytes / 1e6 for each in runs["repair"]]
    return [*figures, scans.of_rounds(f"repair of {size}, peak memory", [median(peaks)], "MB", 300, at_most=True)]
