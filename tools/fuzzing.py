"""What tools/fuzz does: give large doses to the tests that change bytes, and keep the counts.

Standard library only. The mutators, and the laws that changed bytes must keep, are those of the tests: any bytes give
records or a KafkafmtError with a place, soon and in bounded memory, and both engines give the same.
"""

import argparse
import os
import re
import secrets
import subprocess
import sys
import time
from dataclasses import dataclass

import environment

_FAILED = re.compile(r"KAFKAFMT_SEED=(\d+)")


@dataclass(frozen=True)
class Target:
    """A part of kafkafmt that takes bytes from outside.

    Attributes:
        what: it is.
        tests: that change bytes for it.
        share: how many of the doses of `KAFKAFMT_MUTATIONS` are one input.
        checks_access: whether kernels check each access to memory.
    """

    what: str
    tests: tuple[str, ...]
    share: float = 1.0
    checks_access: bool = False


TARGETS = {
    "files": Target(
        "logs, indexes, checkpoints and directories, by both engines", ("tests/hostile/test_mutations.py",)
    ),
    "kernels": Target(
        "the same with kernels that check each access", ("tests/hostile/test_mutations.py",), checks_access=True
    ),
    "tiers": Target("objects of remote storage", ("tests/hostile/test_tier_mutations.py",)),
    "serve": Target("requests to the server", ("tests/hostile/test_serving.py",)),
    "values": Target(
        "values and schemas of Avro, Protobuf and JSON",
        ("tests/values/test_changed_values.py", "tests/values/test_avro_bulk.py"),
    ),
    "repair": Target("directories that are repaired, and verified", ("tests/repairing/test_repair.py",), share=10.0),
    "commands": Target("command lines over changed directories", ("tests/hostile/test_command_lines.py",), share=15.0),
}


def main(arguments: list[str]) -> int:
    """Run tools/fuzz; returns the exit code: 0 if all inputs keep the laws, 1 if not, 2 for a wrong command line."""
    listed = "\n".join(f"  {name:9} {target.what}" for name, target in TARGETS.items())
    parser = argparse.ArgumentParser(
        prog="tools/fuzz",
        description=f"Feed changed bytes to one part of kafkafmt:\n\n{listed}",
        epilog="The counts are kept in build/fuzz.tsv: commit, target, inputs, seed, seconds, failures.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("target", choices=TARGETS, metavar="NAME", help="which part")
    parser.add_argument("--count", type=int, default=20_000, help="how many inputs; default: 20,000")
    parser.add_argument("--seed", type=int, help="number of the first input; default: a random one")
    wanted = parser.parse_args(arguments)
    if wanted.count < 1:
        parser.error("--count must be 1 or more")
    try:
        ready = environment.prepare("test")
    except environment.SetupError as error:
        print(f"tools/fuzz: {error}", file=sys.stderr)
        return environment.EXIT_SETUP_FAILED
    seed = secrets.randbelow(10**9) if wanted.seed is None else wanted.seed
    return _run(wanted.target, wanted.count, seed, ready)


def _run(name: str, count: int, seed: int, ready: environment.Environment) -> int:
    target = TARGETS[name]
    variables = {
        **ready.variables,
        "KAFKAFMT_MUTATIONS": str(round(count * target.share)),
        "KAFKAFMT_SEED": str(seed),
        **({"KAFKAFMT_CHECK_ACCESS": "1"} if target.checks_access else {}),
    }
    options = ["-m", "dosed", "--quiet", "--numprocesses", str(os.cpu_count() or 1), "--maxfail", "20", "--no-header"]
    began = time.monotonic()
    with subprocess.Popen(
        [ready.python, "-m", "pytest", *options, *target.tests],
        cwd=environment.ROOT,
        env=variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
    ) as process:
        lines = []
        for line in process.stdout or ():
            lines.append(line)
            print(line, end="", flush=True)
    seconds = round(time.monotonic() - began)
    failures = sorted({int(found) for line in lines for found in _FAILED.findall(line)})
    status = "failed" if process.returncode else "passed"
    print(f"{name}: {count:,} inputs from {seed} on {status} in {seconds:,} s")
    for failure in failures:
        print(f"  again: tools/fuzz {name} --count 1 --seed {failure}")
    _keep(name, count, seed, seconds, len(failures) or int(bool(process.returncode)))
    return 1 if process.returncode else 0


def _keep(*fields: object) -> None:
    build = environment.ROOT / "build"
    build.mkdir(exist_ok=True)
    done = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], check=False, cwd=environment.ROOT, capture_output=True, text=True
    )
    with open(build / "fuzz.tsv", "a", encoding="utf-8") as file:
        file.write("\t".join(map(str, (done.stdout.strip(), *fields))) + "\n")
