"""The first part of tools/demo, standard library only: parses arguments, makes the environment, starts the job."""

import argparse
import os
import sys
from pathlib import Path

import environment

DEFAULT_LOG_DIR = environment.ROOT / "docs" / "examples" / "shop" / "log-dir"
EXIT_SETUP_FAILED = 1
EXIT_UNREADABLE = 3
EXIT_INTERRUPTED = 130


def main(arguments: list[str]) -> int:
    """Run tools/demo; the exit code is returned only where the job has not taken over the process."""
    parser = argparse.ArgumentParser(
        prog="tools/demo",
        description="Read a Kafka broker's log directory on Spark, show what its cluster was doing, topics and some "
        "records, and write all records as Parquet to demo-output/ in the current directory, in the place of what an "
        "earlier run wrote there of the same LOG_DIR. Nothing is ever written to LOG_DIR.",
        epilog="The first run makes .venv in the checkout, and brings a Java if there is none. "
        "Exit codes: 0 done, 1 it could not be set up or Spark failed, 2 usage, 3 LOG_DIR cannot be read.",
    )
    parser.add_argument(
        "log_dir",
        metavar="LOG_DIR",
        nargs="?",
        type=Path,
        default=DEFAULT_LOG_DIR,
        help="a log directory of a broker, or a copy (default: that of a small shop, docs/examples/shop/log-dir)",
    )
    log_dir: Path = parser.parse_args(arguments).log_dir
    try:
        with os.scandir(log_dir):
            pass
    except OSError as error:
        print(f"tools/demo: {log_dir} cannot be read as a directory: {error.strerror}", file=sys.stderr)
        return EXIT_UNREADABLE
    try:
        ready = environment.prepare("demo")
    except environment.SetupError as error:
        print(f"tools/demo: {error}", file=sys.stderr)
        return EXIT_SETUP_FAILED
    except KeyboardInterrupt:
        print("tools/demo: interrupted; the next run repeats the set-up", file=sys.stderr)
        return EXIT_INTERRUPTED
    job = Path(__file__).with_name("demo_job.py")
    # Spark's workers import the demo's modules too.
    variables = {**ready.variables, "PYTHONPATH": str(job.parent), "PYSPARK_PYTHON": str(ready.python)}
    os.execve(ready.python, [str(ready.python), str(job), str(log_dir)], variables)
    return EXIT_SETUP_FAILED  # pragma: no cover - execve does not return
