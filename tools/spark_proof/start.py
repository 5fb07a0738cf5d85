"""The part of tools/spark_proof/check that needs nothing but Python: what must be there, and then the proof itself."""

import argparse
import os
import sys
from pathlib import Path

import environment
from kafka_judge.class_path import JudgeError, fetched_jars, kafka_class_path, tool

EXIT_SET_UP_FAILED = 2
EXIT_INTERRUPTED = 130

HERE = Path(__file__).resolve().parent
ENVIRONMENT = "build/spark_proof/venv"
CONNECTOR = "spark-sql-kafka-0-10_2.13"

_DESCRIPTION = """
Start a Kafka broker of one node (4.4.0, KRaft, on loopback), let Kafka's own producers fill it, read it through the
kafka source that Spark brings, end the broker, and read its disk through format("kafkafmt"): each case gives both the
same options, and they must give the same rows, all columns, or both refuse. The broker is ended by a crash, and, after
it has recovered, in order; its disk is read after each.

With Spark 4.0.0, the oldest that kafkafmt supports, in an environment of its own (build/spark_proof): pyspark 4.0.0
with org.apache.spark:spark-sql-kafka-0-10_2.13:4.0.0, spark-token-provider-kafka-0-10_2.13:4.0.0,
org.apache.kafka:kafka-clients:3.9.0 and org.apache.commons:commons-pool2:2.12.0.
"""


def parse(arguments: list[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="tools/spark_proof/check",
        description=_DESCRIPTION,
        epilog="Needs a JDK 17 or later and Maven 3.6 or later, and for the first run a network. Takes about three "
        "minutes on two cores. Exit status: 0 the same, 1 a difference, 2 a tool is missing or fails.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--keep", type=Path, metavar="DIR", help="leave log directories and logs in this new directory")
    options = parser.parse_args(arguments)
    if options.keep is not None and options.keep.exists():
        parser.error(f"--keep: {options.keep} is there already")
    return options


def main(arguments: list[str]) -> int:
    """Run tools/spark_proof/check; the exit status is returned only where the proof has not taken over the process."""
    parse(arguments)
    try:
        tool("java")
        kafka_class_path(HERE)
        fetched_jars(HERE / "connector", CONNECTOR)
        ready = environment.prepare("spark_proof", directory=ENVIRONMENT)
    except (JudgeError, environment.SetupError) as error:
        print(f"tools/spark_proof/check: {error}", file=sys.stderr)
        return EXIT_SET_UP_FAILED
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    variables = {**ready.variables, "PYTHONPATH": str(environment.ROOT / "tools")}
    os.execve(ready.python, [str(ready.python), "-m", "spark_proof.run", *arguments], variables)
    return EXIT_SET_UP_FAILED  # pragma: no cover - execve does not return
