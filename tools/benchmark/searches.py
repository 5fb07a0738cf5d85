"""The benchmark of searching: a text that no record has, compared with decoding all records, and with cat and grep.

`python -m benchmark.searches` is the worker: each line of its input is a question, the key of a program and a path;
each line of its output is the number of records that were read or found.
"""

import shlex
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from functools import partial
from statistics import median

from benchmark import goals, readers
from benchmark.readings import Figure, Reading, compare
from benchmark.scans import Program, Say
from benchmark.segments import Segment, codec
from benchmark.worker import Cost, Worker, run

DECODE, TEXT, EXPRESSION, PIPE = "decode", "text", "expression", "pipe"
PROGRAMS = (
    Program(DECODE, "all records decoded"),
    Program(TEXT, "grep, a text"),
    Program(EXPRESSION, "grep, an expression"),
    Program(PIPE, "kafkafmt cat | grep -F"),
)
NEEDLE = "jane@example.com"


def read_all(
    variables: Mapping[str, str], segments: list[Segment], rounds: int, restarts: int, say: Say
) -> dict[str, dict[str, Reading]]:
    """Search segments; returns readings as `scans.read_all` does."""
    found: dict[str, dict[str, Reading]] = {}
    for restart in range(restarts):
        with ExitStack() as stack:
            workers = {key: stack.enter_context(_worker(variables)) for key in (DECODE, TEXT, EXPRESSION)}
            for segment in segments:
                say(f"{segment.name} ({restart + 1} of {restarts})")
                size = segment.path.stat().st_size
                of_segment = found.setdefault(
                    segment.name, {each.key: Reading(segment.records, size) for each in PROGRAMS}
                )
                jobs = {key: partial(_cost, worker, f"{key} {segment.path}") for key, worker in workers.items()}
                jobs[PIPE] = partial(_cost_of_pipe, str(segment.path), variables)
                compare(jobs, of_segment, rounds, warming=1)
    return found


def search_goals(readings: goals.Readings) -> list[Figure]:
    """Goals for searching."""
    plain = [name for name in readings if codec(name) == "none"]
    packed = [name for name in readings if codec(name) != "none"]
    speeds = [reading.size / median(reading.cpu) / 1e9 for name in plain if (reading := readings[name][TEXT]).cpu]
    return [
        Figure("a text, not compressed, GB in a second of CPU", min(speeds, default=None), goal=1.0),
        goals.ratio(readings, packed, TEXT, DECODE, text="a text / decoding, compressed", at_most=1.15),
        goals.ratio(readings, [*readings], PIPE, TEXT, text="cat and grep -F / a text", at_least=20),
    ]


def main() -> None:
    """Answer each line of standard input until it ends."""
    programs = {DECODE: readers.reader("kafkafmt"), TEXT: _text, EXPRESSION: _expression}
    for line in sys.stdin:
        question, _, path = line.rstrip("\n").partition(" ")
        print(readers.answer(programs[question], path))
        sys.stdout.flush()


def _cost(worker: Worker, question: str) -> Cost:
    return worker.measure(question, passes=1)[0]


def _cost_of_pipe(path: str, variables: Mapping[str, str]) -> Cost:
    done = run(["sh", "-c", f"{pipe(path)} || true"], variables)
    return Cost(done.cpu, done.wall)


def pipe(path: str) -> str:
    """The shell command that counts matches of the text with grep instead of `kafkafmt grep`."""
    return f"{shlex.quote(sys.executable)} -m kafkafmt cat {shlex.quote(path)} -o jsonl | grep -cF {NEEDLE}"


def _worker(variables: Mapping[str, str]) -> Worker:
    return Worker([sys.executable, "-m", "benchmark.searches"], variables)


def _text(path: str) -> int:
    import kafkafmt

    return int(kafkafmt.open(path).grep(NEEDLE, fixed=True, threads=1).to_table().num_rows)


def _expression(path: str) -> int:
    import kafkafmt

    return int(kafkafmt.open(path).grep(r"[a-z]+@example\.com", threads=1).to_table().num_rows)


if __name__ == "__main__":
    main()
