"""The implementation of tools/fuzz: gives many inputs to one process, and records the counts.

Standard library only. The mutators are those of the tests, and so are the laws for changed bytes
(`tests/hostile/targets.py`): any bytes give records or a KafkafmtError that names a place, soon and in bounded memory,
and both engines agree.
"""

import argparse
import os
import re
import secrets
import struct
import subprocess
import tempfile
import time

import environment

_FAILED = re.compile(r"KAFKAFMT_SEED=(\d+)")
_PATHS = (environment.ROOT, *(environment.ROOT / name for name in ("generated", "spark", "tools")))
# As tests/hostile/in_process.py writes it: the number of the current input, and the number of inputs so far.
_PLACE = struct.Struct("=qq")
_MOST_CRASHES = 20


TARGETS = {
    "small": "indexes, checkpoints, snapshots and other small files",
    "logs": "logs, by both engines",
    "kernels": "logs, by kernels that check each access",
    "guard": "logs and values, by kernels whose arrays lie between pages that cannot be touched",
    "codecs": "compressed bytes",
    "messages": "records of internal topics",
    "protocol": "requests and responses",
    "parsers": "the parsers of the specs, as they are",
    "values": "values of Avro, Protobuf and JSON, one by one and many at once",
    "schemas": "texts of schemas",
    "registry": "records of `_schemas`",
    "serve": "requests to the server, and connections that are cut",
    "files": "log files and directories, by both engines",
    "tiers": "objects of remote storage",
    "repair": "directories that are repaired, and verified",
    "commands": "command lines over changed directories",
}
"""Parts of kafkafmt that take bytes from outside."""

_CHECKING_ACCESS = "kernels"


@environment.command("tools/fuzz")
def main(arguments: list[str]) -> int:
    """Run tools/fuzz; returns the exit code: 0 if all inputs keep the laws, 1 if not, 2 for a wrong command line."""
    listed = "\n".join(f"  {name:9} {what}" for name, what in TARGETS.items())
    parser = argparse.ArgumentParser(
        prog="tools/fuzz",
        description=f"Feed changed bytes to parts of kafkafmt:\n\n{listed}",
        epilog="The counts are kept in build/fuzz.tsv: commit, target, inputs, seed, seconds, failures.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("targets", choices=TARGETS, nargs="+", metavar="NAME", help="which parts")
    parser.add_argument("--count", type=int, default=20_000, help="how many inputs of each; default: 20,000")
    parser.add_argument("--seed", type=int, help="number of the first input; default: a random one")
    wanted = parser.parse_args(arguments)
    if wanted.count < 1:
        parser.error("--count must be 1 or more")
    ready = environment.prepare("test")
    seed = secrets.randbelow(10**9) if wanted.seed is None else wanted.seed
    return max([_run(name, wanted.count, seed, ready) for name in wanted.targets])


def _run(name: str, count: int, seed: int, ready: environment.Environment) -> int:
    variables = {**ready.variables, "PYTHONPATH": os.pathsep.join(map(str, _PATHS))}
    if name == _CHECKING_ACCESS:
        variables["KAFKAFMT_CHECK_ACCESS"] = "1"
    began = time.monotonic()
    status, lines = _run_in_process(name, count, seed, str(ready.python), variables)
    seconds = round(time.monotonic() - began)
    failures = sorted({int(found) for line in lines for found in _FAILED.findall(line)})
    print(f"{name}: {count:,} inputs from {seed} on {'failed' if status else 'passed'} in {seconds:,} s")
    for failure in failures:
        print(f"  again: tools/fuzz {name} --count 1 --seed {failure}")
    _keep(name, count, seed, seconds, len(failures) or int(bool(status)))
    return 1 if status else 0


def _run_in_process(name: str, count: int, seed: int, python: str, variables: dict[str, str]) -> tuple[int, list[str]]:
    """Give all inputs to one process; if an input ends the process, another one continues after that input."""
    lines: list[str] = []
    status, crashes = 0, 0
    with tempfile.NamedTemporaryFile(prefix="kafkafmt-fuzz-") as place:
        while count > 0 and crashes < _MOST_CRASHES:
            place.seek(0)
            place.write(bytes(_PLACE.size))
            place.flush()
            command = [
                python,
                "-W",
                "ignore",
                "-m",
                "tests.hostile.in_process",
                name,
                str(count),
                str(seed),
                place.name,
            ]
            ended, printed = _shown(command, variables)
            lines += printed
            status = status or ended
            place.seek(0)
            number, done = _PLACE.unpack(place.read(_PLACE.size))
            if ended in (0, 1):
                break
            crashes += 1
            lines.append(f"ended by {ended}: KAFKAFMT_SEED={number}")
            print(lines[-1])
            seed, count = number + 1, count - done - 1
    return status, lines


def _shown(command: list[str], variables: dict[str, str]) -> tuple[int, list[str]]:
    """Run a command and print its output; returns its exit status and lines."""
    lines = []
    with subprocess.Popen(
        command,
        cwd=environment.ROOT,
        env=variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
    ) as process:
        for line in process.stdout or ():
            lines.append(line)
            print(line, end="", flush=True)
    return process.returncode, lines


def _keep(*fields: object) -> None:
    build = environment.ROOT / "build"
    build.mkdir(exist_ok=True)
    done = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], check=False, cwd=environment.ROOT, capture_output=True, text=True
    )
    with open(build / "fuzz.tsv", "a", encoding="utf-8") as file:
        file.write("\t".join(map(str, (done.stdout.strip(), *fields))) + "\n")
