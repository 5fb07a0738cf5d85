"""The part of tools/spark_sinks/check that needs nothing but Python: what must be there, and then the recipes."""

import argparse
import os
import sys
from pathlib import Path

import environment
from kafka_judge.class_path import JudgeError, fetched_jars, tool
from spark_proof.start import ENVIRONMENT

EXIT_SET_UP_FAILED = 2
EXIT_INTERRUPTED = 130

HERE = Path(__file__).resolve().parent
JAR = "delta-spark_2.13"

_DESCRIPTION = """
Run the recipes for Delta Lake and Apache Iceberg of docs/spark_recipes.md, as they stand there, on log directories that
real brokers wrote, and compare what the tables then hold with what kafkafmt.scan reads.

With Spark 4.0.0 in the environment of tools/spark_proof/check, io.delta:delta-spark_2.13:4.0.0 and
org.apache.iceberg:iceberg-spark-runtime-4.0_2.13:1.11.0.
"""


def main(arguments: list[str]) -> int:
    """Run tools/spark_sinks/check; the exit status is returned only where the recipes have not taken over."""
    parser = argparse.ArgumentParser(
        prog="tools/spark_sinks/check",
        description=_DESCRIPTION,
        epilog="Needs Java 17 or later and Maven 3.6 or later, and for the first run a network. Takes about a minute. "
        "Exit status: 0 the same, 1 a difference, 2 a tool is missing or fails.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.parse_args(arguments)
    try:
        tool("java")
        fetched_jars(HERE, JAR)
        ready = environment.prepare("spark_proof", directory=ENVIRONMENT)
    except (JudgeError, environment.SetupError) as error:
        print(f"tools/spark_sinks/check: {error}", file=sys.stderr)
        return EXIT_SET_UP_FAILED
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    variables = {**ready.variables, "PYTHONPATH": str(environment.ROOT / "tools")}
    os.execve(ready.python, [str(ready.python), "-m", "spark_sinks.run"], variables)
    return EXIT_SET_UP_FAILED  # pragma: no cover - execve does not return
