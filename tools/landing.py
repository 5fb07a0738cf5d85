"""The implementation of .ci/run: selects the steps that a change needs, runs two at a time, and reports failures.

Standard library only. Each step is a command that also runs on its own; build/ci-seconds.tsv records its seconds.
"""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from shutil import which

ROOT = Path(__file__).resolve().parent.parent

HELP = """usage: .ci/run [fast | contributor | all]

fast         style, types and the tests of the smallest parts: below 1 minute
contributor  before a change lands: also what is generated, and all tests but those of Spark: below 5 minutes
(none)       what must hold before a change lands, from a fresh clone: tools/test, the judges, proofs and benchmarks of
             the rooms that the change touches, and two more in turn: below 25 minutes
all          by hand, before a large change lands: everything, with coverage

The change is what HEAD has and origin/main has not; where that is nothing, the commits of the last four hours.
"""

_SESSION_SECONDS = 4 * 60 * 60
_IN_TURN = 2
_BUDGET_SECONDS = 850  # for all selected steps; two run at a time
_TAIL_LINES = 40


@dataclass(frozen=True)
class Step:
    """A command that must succeed.

    Attributes:
        command: as typed in the root of the checkout, after any variables.
        seconds: approximate time alone on two idle cores.
        rooms: path prefixes; a change below one of them needs the step. An empty tuple means that it always runs.
    """

    command: str
    seconds: int
    rooms: tuple[str, ...] = ()


_BUILD = ("pyproject.toml", "requirements/")
_READING = ("kafkafmt/codec/", "kafkafmt/reference/", "kafkafmt/columnar/", "kafkafmt/files/", "kafkafmt/scanning/")
_STARTUP = ("kafkafmt/startup/", "kafkafmt/survey/", "kafkafmt/logdir/", "tools/startup_proof/")
_SPECS = ("formats/", "generated/")
_SERVING = ("kafkafmt/serving/", "kafkafmt/protocol/", "tools/serve_proof/")
_REGISTRY = (
    "kafkafmt/values/apicurio_archive.py",
    "kafkafmt/values/registry_url.py",
    "kafkafmt/values/schema_export.py",
    "tools/registry_proof/",
)
_CLIENTS = ("kafkafmt/serving/", "kafkafmt/protocol/", "tools/clients_proof/")
_SPARK = ("spark/", "tools/spark_proof/")
_STREAMING = (
    "spark/",
    "kafkafmt/serving/earlier_state.py",
    "kafkafmt/serving/followed_partition.py",
    "kafkafmt/serving/served_log.py",
    "tools/spark_stream_proof/",
)
_PARALLEL = "--quiet --numprocesses 2 --dist loadgroup"

_SLOW = (  # tests of a second or more: sessions of documents, kills, terminals, mutations, golden disks
    ("tests/cli tests/test_readme.py", 380, ("kafkafmt/cli/", "docs/", "README.md")),
    ("tests/topics tests/operations", 160, ("kafkafmt/topics/", "kafkafmt/operations/", "docs/")),
    ("tests/scanning tests/codec tests/columnar tests/reference tests/files", 290, _READING),
    ("tests/remote tests/logdir tests/tiering tests/formats", 50, ("kafkafmt/io/", "kafkafmt/logdir/", "formats/")),
    ("tests/startup tests/repairing tests/writing", 230, (*_STARTUP, "kafkafmt/repairing/", "kafkafmt/writing/")),
    (
        "tests/querying tests/searching tests/sizing tests/values",
        40,
        ("kafkafmt/querying/", "kafkafmt/searching/", "kafkafmt/sizing/", "kafkafmt/values/"),
    ),
    ("tests/loading", 60, ("kafkafmt/loading/",)),
    (
        "tests/serving tests/protocol tests/replaying",
        20,
        ("kafkafmt/serving/", "kafkafmt/protocol/", "kafkafmt/replaying/"),
    ),
    ("tests/tools", 280, ("tools/",)),
)

# Quick tests that `tools/test` leaves out: further parameters of its tests, and large numbers of inputs.
_FURTHER = (
    (
        "tests/test_*.py tests/cli tests/remote tests/logdir tests/loading",
        90,
        ("kafkafmt/cli/", "kafkafmt/io/", "kafkafmt/logdir/", "kafkafmt/loading/"),
    ),
    ("tests/files tests/scanning tests/columnar tests/codec tests/reference", 220, _READING),
    (
        "tests/writing tests/formats tests/bad_data tests/topics tests/survey tests/startup tests/operations",
        220,
        (*_STARTUP, *_SPECS, "kafkafmt/writing/", "kafkafmt/topics/", "kafkafmt/operations/"),
    ),
)

# In the order in which they are selected if a change touches as many lines of each.
STEPS = (
    Step("tools/message_specs/make --check", 30, ("formats/", "kafkafmt/protocol/", "tools/message_specs/")),
    Step("tools/regenerate --check", 30, (*_SPECS, "tools/ksc/")),
    Step("tools/gallery", 40, _SPECS),
    Step("tools/judge segments", 40, (*_READING, "kafkafmt/survey/")),
    Step("tools/judge advice", 20, ("kafkafmt/startup/", "kafkafmt/survey/", "kafkafmt/repairing/")),
    Step("tools/judge configs", 15, ("kafkafmt/operations/", "kafkafmt/serving/")),
    Step("tools/judge dump", 160, ("kafkafmt/cli/dump/", "kafkafmt/files/")),
    Step("tools/judge messages", 60, ("formats/messages/", "kafkafmt/reference/messages/")),
    Step("tools/judge metadata", 60, ("kafkafmt/topics/cluster_metadata/",)),
    Step("tools/judge groups", 60, ("kafkafmt/topics/consumer_groups/",)),
    Step("tools/judge assignment", 60, ("kafkafmt/topics/assignment/",)),
    Step("tools/judge writing", 50, ("kafkafmt/writing/", "kafkafmt/columnar/encoder.py")),
    Step("tools/judge operations", 50, ("kafkafmt/operations/", "kafkafmt/topics/producer_state/", "kafkafmt/logdir/")),
    Step("tools/judge protobuf", 35, ("kafkafmt/values/protobuf/", "kafkafmt/columnar/kernels/protobuf_values.py")),
    Step("tools/judge protocol", 50, ("kafkafmt/protocol/", "formats/protocol/", "tools/message_specs/")),
    Step("tools/judge read-write", 25, _SPECS),
    Step("tools/judge values", 25, ("kafkafmt/values/", "kafkafmt/columnar/kernels/")),
    Step("tools/judge web-ide", 60, (*_SPECS, "tools/web_ide/")),
    Step("tools/judge languages", 170, (*_SPECS, "tools/kafka_judge/languages/")),
    Step("tools/docs", 90, ("docs/", "README.md", "formats/", "tools/docs_site/")),
    Step("tools/release --dry-run", 90, (*_BUILD, "README.md", "tools/releasing/")),
    Step("tools/proof startup --cases 1 --nodes 2 --seed 6", 90, _STARTUP),
    Step("tools/proof repair --cases 1 --nodes 2 --seed 6", 90, (*_STARTUP, "kafkafmt/repairing/")),
    Step("tools/proof cluster", 100, ("kafkafmt/topics/", "tools/cluster_proof/")),
    Step("tools/proof operations", 100, ("kafkafmt/operations/", "tools/operations_proof/")),
    Step("tools/proof resets", 60, ("kafkafmt/topics/consumer_groups/", "tools/reset_proof/")),
    Step("tools/proof tiers", 130, ("kafkafmt/logdir/", "kafkafmt/io/", "kafkafmt/tiering.py")),
    Step("tools/proof follow --seconds 25", 75, ("kafkafmt/scanning/", "tools/follow_proof/")),
    Step("tools/proof serve --disk shop --quick", 40, _SERVING),
    Step("tools/proof clients --client java-4.4 confluent-kafka strangers --quick", 120, _CLIENTS),
    Step("tools/proof replay --quick", 110, ("kafkafmt/replaying/", "kafkafmt/protocol/", "tools/replay_proof/")),
    Step("tools/proof registry --disk shop avro registry", 90, _REGISTRY),
    Step("tools/proof spark", 600, _SPARK),
    Step("tools/proof streaming --quick", 110, _STREAMING),
    Step("tools/proof streaming-kills --kills 4", 110, _STREAMING),
    Step("tools/proof sinks", 300, ("spark/", "docs/spark_recipes.md", "tools/spark_sinks/")),
    Step("tools/proof load --kills 2", 120, ("kafkafmt/loading/", "kafkafmt/cli/load.py", "tools/load_proof/")),
    Step("tools/bench --quick", 100, ("kafkafmt/columnar/", "tools/benchmark/")),
    Step("tools/bench --writing --quick", 30, ("kafkafmt/writing/", "tools/benchmark/")),
    Step("tools/bench --tiers --quick", 20, ("kafkafmt/io/", "tools/benchmark/")),
    Step("tools/bench --searching --quick", 40, ("kafkafmt/searching/", "tools/benchmark/")),
    Step("tools/bench --serving --quick", 110, ("kafkafmt/serving/", "kafkafmt/protocol/", "tools/benchmark/")),
    Step("tools/bench --values --quick", 50, ("kafkafmt/values/", "tools/benchmark/")),
    Step("tools/bench --spark --quick", 300, ("spark/", "tools/benchmark/")),
    Step(
        "tools/fuzz small logs codecs messages protocol parsers values schemas registry --count 2500 --seed 1",
        95,
        (*_READING, "kafkafmt/protocol/", "kafkafmt/values/", "tests/hostile/"),
    ),
    Step("tools/fuzz kernels guard --count 5000 --seed 1", 90, ("kafkafmt/columnar/", "tests/hostile/")),
    Step("tools/fuzz serve --count 20000 --seed 1", 25, (*_SERVING, "tests/hostile/")),
    Step(
        "tools/fuzz files tiers repair commands --count 300 --seed 1",
        100,
        ("kafkafmt/scanning/", "kafkafmt/logdir/", "kafkafmt/repairing/", "kafkafmt/cli/", "tests/hostile/"),
    ),
    # Kernels with a check of every access, with all hostile input; tests of time and memory run without the checks.
    Step(
        "KAFKAFMT_CHECK_ACCESS=1 KAFKAFMT_MUTATIONS=500 tools/test -n 2 --dist loadgroup --hypothesis-seed 431 "
        "tests/columnar tests/hostile tests/startup/test_side_files.py tests/values/test_avro_bulk.py "
        "--ignore tests/hostile/test_linear_time.py --ignore tests/hostile/test_memory.py",
        520,
        ("kafkafmt/columnar/kernels/",),
    ),
    Step(f"tools/test {_PARALLEL} tests/spark", 500, ("spark/", "tests/spark/")),
    *(Step(f"tools/test {_PARALLEL} -m slow {tests}", seconds, rooms) for tests, seconds, rooms in _SLOW),
    *(
        Step(f'tools/test {_PARALLEL} -m "(further or volume) and not slow" {tests}', seconds, rooms)
        for tests, seconds, rooms in _FURTHER
    ),
    Step("tools/test --lowest", 300, _BUILD),
)
_IN_ALL_TESTS = tuple(f"tools/test {_PARALLEL} {selection}" for selection in ("tests/", "-m "))

_FEW = f'{_PARALLEL} -m "not (volume or further or slow or dosed or hypothesis)"'
_STYLE = Step("tools/test --style", 60)
_TIERS = {
    "fast": (
        _STYLE,
        Step(
            f"tools/test {_FEW} tests/codec tests/reference tests/formats tests/test_imports.py tests/test_errors.py",
            30,
        ),
    ),
    "contributor": (_STYLE, *STEPS[:2], Step(f"tools/test {_FEW} --ignore tests/spark --ignore tests/tools", 200)),
}
_NEEDED = {  # programs that the steps call, and their Debian packages
    "mvn": ("maven", "default-jdk-headless"),
    "javac": ("default-jdk-headless",),
    "npm": ("nodejs", "npm"),
    "dot": ("graphviz",),  # draws the formats
    "groff": ("groff-base",),  # shows the man pages
    "kcat": ("kcat",),  # reads from kafkafmt serve
    "curl": ("curl",),
    "jq": ("jq",),  # runs the documents' examples
    "chromium": ("chromium",),  # opens the page of kafkafmt ls --report
}


@dataclass
class Results:
    """The results of the steps that have ended.

    Attributes:
        seconds: duration of each command.
        failed: output of each command that failed.
    """

    seconds: dict[str, int] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)


def main(arguments: list[str]) -> int:
    """Run .ci/run; returns the exit code: 0 if all steps succeed, 1 if not, 2 for a wrong command line."""
    tier = arguments[0] if arguments else "landing"
    if arguments in (["-h"], ["--help"]):
        print(HELP, end="")
        return 0
    if len(arguments) > 1 or tier not in (*_TIERS, "landing", "all"):
        print(HELP, end="", file=sys.stderr)
        return 2
    if tier in _TIERS:
        first, *steps = _TIERS[tier]
        return _run_all(first, steps)
    os.environ["CI"] = "true"
    if missing := install(_NEEDED):
        print(f".ci/run: {missing} is missing: install {' '.join(_NEEDED[missing])}, or run as root where apt-get is")
        return 1
    if tier == "all":
        return _run_all(
            Step("tools/test --all", 0), [step for step in STEPS if not step.command.startswith(_IN_ALL_TESTS)]
        )
    changed = changed_lines(_git("diff", "--numstat", "--no-renames", base()))
    chosen, left_out = choose(STEPS, changed, turn=int(_git("rev-list", "--count", "HEAD")))
    for step in left_out:
        print(f"left to .ci/run all, though the change touches its rooms: {step.command}")
    return _run_all(Step("tools/test", 0), chosen)


def base() -> str:
    """Find the commit on which the change is based."""
    for rival in ("origin/main", "main"):
        found = _git("merge-base", "HEAD", rival, check=False)
        if found and found != _git("rev-parse", "HEAD"):
            return found
    last = int(_git("log", "-1", "--format=%ct"))
    return _git("rev-list", "-1", f"--before={last - _SESSION_SECONDS}", "HEAD") or "HEAD"


def changed_lines(numstat: str) -> dict[str, int]:
    """Read the number of changed lines of each file from `git diff --numstat`; a binary file counts as one line."""
    changed = {}
    for line in numstat.splitlines():
        added, removed, name = line.split("\t")
        changed[name] = 1 if added == "-" else int(added) + int(removed)
    return changed


def choose(
    steps: Sequence[Step], changed: Mapping[str, int], *, turn: int, budget: int = _BUDGET_SECONDS
) -> tuple[list[Step], list[Step]]:
    """Select what a change needs: the steps whose paths it touches most, and others in turn.

    Args:
        steps: all steps.
        changed: number of changed lines of each file.
        turn: a number that differs for each change.
        budget: upper bound for the sum of the seconds of the steps that the change needs.

    Returns:
        The selected steps, and the steps that the change needs but that exceed the budget.
    """
    weights = {step: sum(lines for name, lines in changed.items() if name.startswith(step.rooms)) for step in steps}
    chosen: list[Step] = []
    left_out: list[Step] = []
    for step in sorted(steps, key=lambda step: -weights[step]):
        if not weights[step]:
            break
        fits = sum(each.seconds for each in chosen) + step.seconds <= budget
        (chosen if fits else left_out).append(step)
    rest = [step for step in steps if step not in chosen]
    chosen += [rest[(turn * _IN_TURN + number) % len(rest)] for number in range(min(_IN_TURN, len(rest)))]
    return chosen, [step for step in left_out if step not in chosen]


def install(needed: Mapping[str, Sequence[str]]) -> str | None:
    """Install missing programs if root runs this and apt-get exists; returns the first one that is still missing."""
    for name, packages in needed.items():
        if which(name) is None and os.geteuid() == 0 and which("apt-get"):
            print(f"$ apt-get install {' '.join(packages)}", flush=True)
            quietly = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
            options = ["-qq", "--no-install-recommends", *packages]
            subprocess.run(["apt-get", "update", "-qq"], check=False, env=quietly)
            subprocess.run(["apt-get", "install", *options], check=False, env=quietly, stdout=subprocess.DEVNULL)
        if which(name) is None:
            return name
    return None


def _run_all(first: Step, steps: Iterable[Step]) -> int:
    """Run a step alone, as it sets up what the others need and uses both cores, and then the others."""
    started = time.monotonic()
    results = Results()
    print(f"$ {first.command}", flush=True)
    counts = _run(first, results, is_live=True).rstrip().rpartition("\n")[2]
    waiting = iter(sorted(steps, key=lambda step: -step.seconds))
    lock = threading.Lock()
    lanes = [threading.Thread(target=_run_from, args=(waiting, results, lock)) for _ in range(2)]
    for lane in lanes:
        lane.start()
    for lane in lanes:
        lane.join()
    _keep_seconds(results)
    for command, output in results.failed.items():
        print(f"\nfailed: {command}", *output.splitlines()[-_TAIL_LINES:], sep="\n")
    print(f"\n{time.monotonic() - started:.0f} s", *(f"failed: {command}" for command in results.failed), sep="\n")
    print(counts)  # printed last, where readers of a log look
    return 1 if results.failed else 0


def _run_from(waiting: Iterator[Step], results: Results, lock: threading.Lock) -> None:
    while True:
        with lock:
            step = next(waiting, None)
        if step is None:
            return
        _run(step, results)


def _run(step: Step, results: Results, *, is_live: bool = False) -> str:
    """Run a step and print its output, live or all at its end; returns the output."""
    began = time.monotonic()
    lines: list[str] = []
    with subprocess.Popen(
        step.command,
        shell=True,
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        for line in process.stdout or ():
            lines.append(line)
            if is_live:
                print(line, end="", flush=True)
    output = "".join(lines)
    seconds = round(time.monotonic() - began)
    print(f"{'' if is_live else output}{seconds} s: {step.command}", flush=True)
    results.seconds[step.command] = seconds
    if process.returncode:
        results.failed[step.command] = output
    return output


def _keep_seconds(results: Results) -> None:
    """Add a line for each step to build/ci-seconds.tsv: commit, seconds, command."""
    build = ROOT / "build"
    build.mkdir(exist_ok=True)
    commit = _git("rev-parse", "--short", "HEAD")
    with open(build / "ci-seconds.tsv", "a", encoding="utf-8") as file:
        file.writelines(f"{commit}\t{seconds}\t{command}\n" for command, seconds in results.seconds.items())


def _git(*arguments: str, check: bool = True) -> str:
    return subprocess.run(["git", *arguments], check=check, cwd=ROOT, capture_output=True, text=True).stdout.strip()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
