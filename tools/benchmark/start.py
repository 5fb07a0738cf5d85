"""The part of tools/bench that needs nothing but Python: arguments, environment, and then the measurement in it."""

import argparse
import os
import sys
from pathlib import Path

import environment
from benchmark.segments import CODECS, SHAPES
from class_path import ToolError, tool
from proofs import SPARK_ENVIRONMENT

EXIT_FAILED = 1
EXIT_INTERRUPTED = 130

OUTPUT = environment.ROOT / "docs" / "benchmarks"
CACHE = environment.ROOT / "build" / "benchmark"

SPARK_PYTHON = "KAFKAFMT_BENCH_SPARK_PYTHON"
"""The variable that tells the measurement the interpreter of the environment with the Spark that has a kafka source."""

_DEFAULTS = {"size": 256, "shapes": SHAPES, "codecs": CODECS, "rounds": 5, "runs": 3, "output": OUTPUT}
_NOT_WITH_SPARK = ("size", "shapes", "codecs", "runs")
_QUICK = {
    "size": 8,
    "shapes": ("typical", "tiny"),
    "codecs": ("none", "zstd"),
    "rounds": 2,
    "runs": 1,
    "output": CACHE / "quick",
}


def parse(arguments: list[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="tools/bench",
        description="Measure how fast kafkafmt reads segments that Kafka's own code makes, side by side with Kafka's "
        "Java client, DumpLogSegments, aiokafka and kafka-python, and write tables and a chart.",
        epilog="With --spark: Spark's kafka source, which reads from a broker, against kafkafmt's data source, "
        "read_log_dirs and parse_segment, which read the same records from its disk; that takes 15 minutes and 4 GB. "
        "Needs a JDK 17 or later and Maven 3.6 or later; the first run makes .venv in the checkout. With the "
        "defaults it takes about 40 minutes on an idle machine and 8 GB in build/benchmark, where segments are kept "
        "for the next run. Exit codes: 0 done, 1 it could not be set up or measured, 2 usage.",
    )
    parser.add_argument("--spark", action="store_true", help="measure kafkafmt in Spark instead (Linux only)")
    parser.add_argument("--size", type=_count, metavar="MB", help="of records in a segment, before compression (256)")
    parser.add_argument("--shapes", type=_Choice(SHAPES), metavar="LIST", help=f"of segments ({','.join(SHAPES)})")
    parser.add_argument("--codecs", type=_Choice(CODECS), metavar="LIST", help=f"of segments ({','.join(CODECS)})")
    parser.add_argument("--rounds", type=_count, metavar="N", help="how many times each program reads each segment (5)")
    parser.add_argument(
        "--runs", type=_count, metavar="N", help="how many times all of that is done, in new processes (3)"
    )
    parser.add_argument(
        "--output", type=Path, metavar="DIR", help="where the page, figures as JSON and charts go (docs/benchmarks)"
    )
    parser.add_argument(
        "--quick", action="store_true", help="a little of everything, in a minute or two, to build/benchmark/quick"
    )
    parser.add_argument(
        "--page", action="store_true", help="measure nothing: write pages and charts anew from the JSON"
    )
    options = parser.parse_args(arguments)
    if options.spark:
        if sys.platform != "linux":
            parser.error("--spark needs Linux, whose /proc shows what Spark's processes cost")
        for name in _NOT_WITH_SPARK:
            if getattr(options, name) is not None:
                parser.error(f"argument --{name}: not with --spark")
        if options.quick and options.rounds is None:
            options.rounds = 1
    for name, value in (_QUICK if options.quick else _DEFAULTS).items():
        if getattr(options, name) is None:
            setattr(options, name, value)
    return options


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")
    return int(text)


class _Choice:
    """Reads a list of names, separated by commas."""

    def __init__(self, known: tuple[str, ...]) -> None:
        self._known = known

    def __call__(self, text: str) -> tuple[str, ...]:
        names = text.split(",")
        for name in names:
            if name not in self._known:
                raise argparse.ArgumentTypeError(f"{name!r} is none of {', '.join(self._known)}")
        return tuple(name for name in self._known if name in names)


def main(arguments: list[str]) -> int:
    """Run tools/bench; the exit code is returned only where the measurement has not taken over the process."""
    options = parse(arguments)
    try:
        if not options.page:
            for name in ("java", "javac", "mvn"):
                tool(name)
        ready = environment.prepare("bench")
        variables = {**ready.variables, "PYTHONPATH": str(environment.ROOT / "tools")}
        if options.spark and not options.page:
            spark = environment.prepare("spark_proof", directory=SPARK_ENVIRONMENT)
            variables[SPARK_PYTHON] = str(spark.python)
    except (ToolError, environment.SetupError) as error:
        print(f"tools/bench: {error}", file=sys.stderr)
        return EXIT_FAILED
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    module = "benchmark.spark.run" if options.spark else "benchmark.run"
    os.execve(ready.python, [str(ready.python), "-m", module, *arguments], variables)
    return EXIT_FAILED  # pragma: no cover - execve does not return
