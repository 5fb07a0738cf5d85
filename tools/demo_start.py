"""tools/demo, standard library only: makes the environment, shows the answers of commands, and starts Spark."""

import argparse
import json
import os
import re
import shlex
import shutil
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from subprocess import DEVNULL, PIPE, STDOUT, CompletedProcess, run

import environment
from class_path import ToolError
from environment import Environment

DEFAULT_LOG_DIR = environment.ROOT / "docs" / "examples" / "shop" / "log-dir"

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
_LINES = 12


@environment.command("tools/demo", failed=1)
def main(arguments: list[str]) -> int:
    """Run tools/demo; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="tools/demo",
        description="Show what a Kafka broker's log directory holds and what its cluster was doing, and write all "
        "records on Spark as Parquet to demo-output/ in the current directory. LOG_DIR is only read.",
        epilog="Exit codes: 0 done, 1 it could not be set up or Spark failed, 2 usage, 3 LOG_DIR cannot be read.",
    )
    help_text = "a log directory of a broker, or a copy (default: that of a small shop, docs/examples/shop/log-dir)"
    parser.add_argument("log_dir", metavar="LOG_DIR", nargs="?", type=Path, default=DEFAULT_LOG_DIR, help=help_text)
    log_dir: Path = parser.parse_args(arguments).log_dir
    output = choose_output(log_dir, Path.cwd())
    ready = environment.prepare("demo")
    if show_answers(ready, log_dir):
        write_parquet(ready, log_dir, output)
    return 0


def choose_output(log_dir: Path, directory: Path) -> Path:
    """Choose where the Parquet files go: below `directory`, named after the path of the log directory.

    Raises:
        ToolError: the log directory cannot be read, or the place is inside it or holds files of others.
    """
    try:
        os.listdir(log_dir)
    except OSError as error:
        raise ToolError(f"{log_dir} cannot be read as a directory: {error.strerror}", 3) from error
    real, here = log_dir.resolve(), directory.resolve()
    shown = real.relative_to(here) if real != here and real.is_relative_to(here) else real
    # Spark treats other characters as patterns.
    output = here / "demo-output" / (re.sub(r"[^\w.-]", "_", str(shown).strip("/")) or "root")
    if output.is_relative_to(real):
        raise ToolError(f"{output} would be inside the log directory: run this from another directory", 2)
    names = os.listdir(output) if output.is_dir() else [output.name] if os.path.lexists(output) else []
    if foreign := [name for name in names if not name.startswith((".", "_SUCCESS", "part-"))]:
        raise ToolError(f"{output} holds what this demo did not write ({foreign[0]}): move it away", 2)
    return output


def show_answers(ready: Environment, log_dir: Path) -> bool:
    """Show the answers of commands; returns whether there are records."""
    ls = "-m", "kafkafmt", "ls", log_dir, "--quick", "--rows", "partitions", "-o", "jsonl"
    listed = _run(ready, ls, PIPE, PIPE)
    if listed.returncode not in (0, 1):  # 1: it has answered, and has found faults
        raise ToolError(listed.stderr.strip().removeprefix("kafkafmt: "), 3)
    sizes: Counter[str] = Counter()
    for row in map(json.loads, listed.stdout.splitlines()):
        if row["state"] == "live":
            sizes[row["topic"]] += row["logSizeInBytes"] or 0
    for command, topic in _COMMANDS.items():
        if not topic or topic in sizes:
            _show(ready, command, log_dir)
    if not +sizes:
        print("\nThere are no records for Spark.")
        return False
    largest = max(sizes, key=lambda name: (not name.startswith("_"), sizes[name], name))
    typed = "--value-format auto " if _SCHEMAS in sizes else ""
    _show(ready, f"cat --topic {shlex.quote(largest)} {typed}--limit 5 --on-damage skip", log_dir)
    return True


def _show(ready: Environment, command: str, log_dir: Path) -> None:
    """Run a kafkafmt command and print the beginning of its output; long table lines are cut."""
    name, *options = shlex.split(command)
    arguments = [name, str(log_dir), *options]
    print(f"\n$ {program(ready.python, 'kafkafmt')} {shlex.join(arguments)}", flush=True)
    lines = _run(ready, ["-m", "kafkafmt", *arguments], PIPE, STDOUT).stdout.splitlines()
    width = shutil.get_terminal_size((120, 40)).columns
    for line in lines[:_LINES]:
        print(line if len(line) <= width or name == "verify" else f"{line[: width - 1]}…")
    if len(lines) > _LINES:
        print(f"... and {len(lines) - _LINES:,} more lines")


def _run(ready: Environment, arguments: Sequence[str | Path], out: int | None, errors: int) -> CompletedProcess[str]:
    command = [ready.python, *arguments]
    variables = {**ready.variables, "PYSPARK_PYTHON": str(ready.python)}
    return run(command, check=False, env=variables, stdin=DEVNULL, stdout=out, stderr=errors, errors="replace")


def program(python: Path, name: str) -> str:
    """Name a program in the directory of a Python the way a shell in the current directory finds it."""
    path = str(python.with_name(name))
    relative = os.path.relpath(path)
    return shlex.quote(path if relative.startswith(os.pardir) else relative)


def write_parquet(ready: Environment, log_dir: Path, output: Path) -> None:
    """Let Spark write all records.

    Raises:
        ToolError: Spark failed.
    """
    print("\nAll records on Spark, spark.read.format('kafkafmt'), by topic:", flush=True)
    job = Path(__file__).with_name("demo_spark.py"), log_dir.resolve(), output
    done = _run(ready, job, None, PIPE)
    if done.returncode:
        *_, why = (
            f"it ended with status {done.returncode}",
            *re.findall(r"^[\w.]+(?:Error|Exception)\b.*", done.stderr, re.MULTILINE),
        )
        raise ToolError(f"Spark failed:\n{done.stderr}\n{why}")
