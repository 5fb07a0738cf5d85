"""The first part of tools/bench, standard library only: parses arguments, makes the environment, starts run.py."""

import argparse
import os
import sys
from pathlib import Path

import environment
from class_path import tool
from proofs import SPARK_ENVIRONMENT

EXIT_FAILED = 1

OUTPUT = environment.ROOT / "docs" / "benchmarks"
CACHE = environment.ROOT / "build" / "benchmark"

SPARK_PYTHONS = "KAFKAFMT_BENCH_SPARK_PYTHONS"
"""The variable with the interpreters of environments whose Spark has a kafka source, oldest first."""


def parse(arguments: list[str]) -> argparse.Namespace:
    """Parse the command line; `output` is the target of the page, the JSON and the chart."""
    parser = argparse.ArgumentParser(
        prog="tools/bench",
        description="Measure how fast kafkafmt reads segments that Kafka's own code makes, side by side with Kafka's "
        "Java client, aiokafka and kafka-python, and write tables and a chart to docs/benchmarks.",
        epilog="With --spark: Spark's kafka source, which reads from a broker, against kafkafmt's data source and "
        "read_log_dirs, which read the same records from its disk. With --writing: builders of batches, and repair of "
        "a sound segment of 1 GiB. With --tiers: a tier beside a disk, and its chunks beside what decodes them. "
        "With --searching: grep beside decoding, and beside cat and grep -F. With --serving: kafkafmt serve beside a "
        "broker with the same files, and its start with 20,000 partitions. With --values: values of Avro, Protobuf "
        "and JSON as columns, beside other libraries. Needs "
        "Linux and, but for --values, a JDK 17 or later and Maven 3.6 or later; segments are kept in "
        "build/benchmark. Exit codes: 0 done, 1 something could not be measured, 2 usage.",
    )
    parser.add_argument("--spark", action="store_true", help="measure kafkafmt in Spark instead")
    parser.add_argument("--writing", action="store_true", help="measure how kafkafmt writes instead")
    parser.add_argument("--tiers", action="store_true", help="measure how kafkafmt reads tiers instead")
    parser.add_argument("--searching", action="store_true", help="measure how kafkafmt searches instead")
    parser.add_argument("--serving", action="store_true", help="measure kafkafmt serve instead")
    parser.add_argument("--values", action="store_true", help="measure how kafkafmt decodes values instead")
    parser.add_argument("--large", action="store_true", help="besides 64 MB, read typical segments of 256 MB")
    parser.add_argument(
        "--segments", type=lambda text: text.split(","), metavar="NAME,..", help="only these, to build/benchmark"
    )
    parser.add_argument(
        "--native", type=Path, metavar="PROGRAM", help="compare a program that reads like a worker, too"
    )
    parser.add_argument("--quick", action="store_true", help="a little of everything, to build/benchmark/quick")
    options = parser.parse_args(arguments)
    if sys.platform != "linux":
        parser.error("this needs Linux, whose /proc shows what processes cost")
    kinds = options.spark + options.writing + options.tiers + options.searching + options.serving + options.values
    if kinds + bool(options.large or options.segments or options.native) > 1:
        parser.error("--spark, --writing, --tiers, --searching, --serving and --values go with --quick only")
    options.output = CACHE / "quick" if options.quick else CACHE if options.segments else OUTPUT
    return options


@environment.command("tools/bench", failed=EXIT_FAILED)
def main(arguments: list[str]) -> int:
    """Run tools/bench; an exit code is returned only if the measurement has not replaced this process."""
    options = parse(arguments)
    for name in () if options.values else ("java", "javac", "mvn"):
        tool(name)
    ready = environment.prepare("bench")
    variables = {**ready.variables, "PYTHONPATH": str(environment.ROOT / "tools")}
    if options.spark:
        sparks = [environment.prepare("spark_proof", directory=SPARK_ENVIRONMENT)]
        if not options.quick:
            sparks.append(environment.prepare("bench_spark", directory="build/bench_spark/venv"))
        variables[SPARK_PYTHONS] = os.pathsep.join(str(each.python) for each in sparks)
    os.execve(ready.python, [str(ready.python), "-m", "benchmark.run", *arguments], variables)
    return EXIT_FAILED  # pragma: no cover - execve does not return
