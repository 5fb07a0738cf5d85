"""tools/demo, standard library only: makes the environment, shows the answers of commands, and starts Spark."""

import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import environment

DEFAULT_LOG_DIR = environment.ROOT / "docs" / "examples" / "shop" / "log-dir"
EXIT_FAILED, EXIT_USAGE, EXIT_UNREADABLE, EXIT_INTERRUPTED = 1, 2, 3, 130

_SCHEMAS = "_schemas"
# Commands to show, each with the topic that it needs; "" for none.
_COMMANDS = {
    "verify": "",
    "space": "",
    "metadata --show topics": "__cluster_metadata",
    "groups": "__consumer_offsets",
    "transactions --open": "__transaction_state",
    "producers": "__transaction_state",
    "schemas --show topics": _SCHEMAS,
}
_FINDINGS = 1
"""Exit status of a command that has answered, and has found faults."""
_LINES = 12


def main(arguments: list[str]) -> int:
    """Run tools/demo; returns the exit code."""
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
        return _fail(EXIT_UNREADABLE, f"{log_dir} cannot be read as a directory: {error.strerror}")
    try:
        output = choose_output(log_dir, Path.cwd())
    except ValueError as error:
        return _fail(EXIT_USAGE, str(error))
    try:
        ready = environment.prepare("demo")
        status, has_records = show_answers(ready, log_dir)
        return write_parquet(ready, log_dir, output) if has_records else status
    except environment.SetupError as error:
        return _fail(EXIT_FAILED, str(error))
    except KeyboardInterrupt:
        return _fail(EXIT_INTERRUPTED, "interrupted")


def _fail(status: int, why: str) -> int:
    print(f"tools/demo: {why}", file=sys.stderr)
    return status


def choose_output(log_dir: Path, directory: Path) -> Path:
    """Choose where the Parquet files go: below `directory`, named after the path of the log directory.

    Raises:
        ValueError: the place is inside the log directory, or holds files that this demo did not write.
    """
    real, here = log_dir.resolve(), directory.resolve()
    shown = real.relative_to(here) if real != here and real.is_relative_to(here) else real
    # Spark treats other characters as patterns.
    output = here / "demo-output" / (re.sub(r"[^\w.-]", "_", str(shown).strip("/")) or "root")
    if output.is_relative_to(real):
        raise ValueError(f"{output} would be inside the log directory: run this from another directory")
    names = os.listdir(output) if output.is_dir() else [output.name] if os.path.lexists(output) else []
    if foreign := [name for name in names if not name.startswith((".", "_SUCCESS", "part-"))]:
        raise ValueError(f"{output} holds what this demo did not write ({foreign[0]}): move it away")
    if names:
        print(f"{output} exists from an earlier run and will be overwritten.", flush=True)
    return output


def show_answers(ready: environment.Environment, log_dir: Path) -> tuple[int, bool]:
    """Show the answers of commands; returns an exit code, and whether there are records."""
    ls = [str(ready.python), "-m", "kafkafmt", "ls", str(log_dir), "--quick", "--rows", "partitions", "-o", "jsonl"]
    listed = subprocess.run(ls, check=False, env=ready.variables, capture_output=True, text=True)
    if listed.returncode not in (0, _FINDINGS):
        return _fail(EXIT_UNREADABLE, listed.stderr.strip().removeprefix("kafkafmt: ")), False
    sizes: Counter[str] = Counter()
    for row in map(json.loads, listed.stdout.splitlines()):
        if row["state"] == "live":
            sizes[row["topic"]] += row["logSizeInBytes"] or 0
    for command, topic in _COMMANDS.items():
        if not topic or topic in sizes:
            _show(ready, command, log_dir)
    if not +sizes:
        print("\nThere are no records for Spark.")
        return 0, False
    largest = max(sizes, key=lambda name: (not name.startswith("_"), sizes[name], name))
    typed = "--value-format auto " if _SCHEMAS in sizes else ""
    _show(ready, f"cat --topic {shlex.quote(largest)} {typed}--limit 5 --on-damage skip", log_dir)
    return 0, True


def _show(ready: environment.Environment, command: str, log_dir: Path) -> None:
    """Run a kafkafmt command and print the beginning of its output; long table lines are cut."""
    name, *options = shlex.split(command)
    arguments = [name, str(log_dir), *options]
    print(f"\n$ {program(ready.python, 'kafkafmt')} {shlex.join(arguments)}", flush=True)
    run = subprocess.run(
        [str(ready.python), "-m", "kafkafmt", *arguments],
        check=False,
        env=ready.variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    width = shutil.get_terminal_size((120, 40)).columns
    lines = run.stdout.splitlines()
    for line in lines[:_LINES]:
        print(line if len(line) <= width or name == "verify" else f"{line[: width - 1]}…")
    if len(lines) > _LINES:
        print(f"... and {len(lines) - _LINES:,} more lines")


def program(python: Path, name: str) -> str:
    """Name a program in the directory of a Python the way a shell in the current directory finds it."""
    path = str(python.with_name(name))
    relative = os.path.relpath(path)
    return shlex.quote(path if relative.startswith(os.pardir) else relative)


def write_parquet(ready: environment.Environment, log_dir: Path, output: Path) -> int:
    """Let Spark write all records; returns the exit code."""
    print("\nAll records on Spark, spark.read.format('kafkafmt'), by topic:", flush=True)
    scratch = Path(tempfile.mkdtemp(prefix="kafkafmt-demo-"))
    job = [ready.python, Path(__file__).with_name("demo_spark.py"), log_dir.resolve(), output, scratch]
    log = scratch / "spark.log"
    try:
        with log.open("w") as stderr:
            variables = {**ready.variables, "PYSPARK_PYTHON": str(ready.python)}
            run = subprocess.run(list(map(str, job)), check=False, env=variables, stderr=stderr)
    except KeyboardInterrupt:
        shutil.rmtree(scratch, ignore_errors=True)
        raise
    if run.returncode:
        reasons = [line[2:] for line in log.read_text(errors="replace").splitlines() if line.startswith("! ")]
        why = reasons[-1] if reasons else f"it ended with status {run.returncode}"
        return _fail(EXIT_FAILED, f"Spark failed: {why}\nIts log, and the whole error: {log}")
    shutil.rmtree(scratch)
    return 0
