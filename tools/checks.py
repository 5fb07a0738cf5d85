"""The work of tools/test: sets up, then runs style checks, types and tests, each even if an earlier one fails."""

import os
import subprocess
import tempfile
import threading
import time
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import environment

HELP = """usage: tools/test [--style | --all | --lowest [PYTEST_ARGUMENT ...] | PYTEST_ARGUMENT ...]

Without arguments: ruff, mypy, and the test suite but for its long tail: tests marked `slow` or `volume`, and all but a
few of many parameters (`further`). With arguments: pytest alone, with these. The first run makes .venv in the checkout,
and brings a Java for Spark if there is none.

--style runs ruff and mypy alone.

--all runs ruff, mypy and the whole suite in two parts. The first measures coverage, which must be complete in
kafkafmt/codec and kafkafmt/reference and 95 % elsewhere. The second is not measured, since measured tests take up to
twice as long: tests marked `volume`, all but a few of many parameters (`further`), and those that can look at more,
which then do: hypothesis with 100 examples a test (HYPOTHESIS_PROFILE=ci), 500 mutated files (KAFKAFMT_MUTATIONS),
every third flipped bit (KAFKAFMT_EVERY_BIT; 1 is all of them). These variables, if set, count in all runs.

--lowest runs a few of the tests that read files, or pytest with the arguments after it, with the lowest versions of all
dependencies (requirements/lowest.txt) in an environment of their own, build/lowest/venv.

Where CI is set, as .ci/run does, hypothesis is given one seed, so that a failure comes again; by hand each run looks
elsewhere.
"""

_COMPLETE = "kafkafmt/codec/*,kafkafmt/reference/*"
_AS_THEY_ARE: Mapping[str, str] = {}
_PASSED, _SKIPPED, _FAILED = range(3)  # the highest one decides

_ORDINARY = "not (volume or further or slow)"
_UNMEASURED = "volume or further or dosed or hypothesis"
_MEASURED = f"not ({_UNMEASURED})"
_DOSES = {"HYPOTHESIS_PROFILE": "ci", "KAFKAFMT_MUTATIONS": "500", "KAFKAFMT_EVERY_BIT": "3"}
_LOWEST = "build/lowest/venv"
_READING = ("codec", "columnar", "files", "scanning", "bad_data")  # for both engines
_ONE_SEED = ("--hypothesis-seed", "431")
_STYLE = (
    ("ruff check", ["ruff", "check", "--quiet"]),
    ("ruff format", ["ruff", "format", "--check", "--quiet"]),
)
_TYPES = ["mypy", "--no-error-summary"]
_KERNELS = ["kafkafmt", "warm-up"]  # half a minute in a new checkout, so once, not in each of pytest's workers
_GATES = (
    ("coverage of codec and reference", ["--include", _COMPLETE, "--fail-under", "100"]),
    ("coverage of the rest", ["--omit", _COMPLETE, "--fail-under", "95"]),
)


@environment.command("tools/test", failed=1)
def main(arguments: list[str]) -> int:
    """Run tools/test; returns the exit code: 0 if all checks pass, 1 if not, or pytest's own if there are arguments."""
    if arguments in (["-h"], ["--help"]):
        print(HELP, end="")
        return 0
    if arguments[:1] == ["--lowest"]:
        return _run_lowest(arguments[1:])
    ready = environment.prepare("test")
    if arguments == ["--style"]:
        with _style(ready) as failed:
            pass
        return 1 if failed else 0
    if arguments and arguments != ["--all"]:
        return _run(ready, ["pytest", *arguments])
    return _check(ready, is_all=bool(arguments))


def _check(ready: environment.Environment, *, is_all: bool) -> int:
    started = time.monotonic()
    seed = _ONE_SEED if os.environ.get("CI") else ()
    with tempfile.TemporaryDirectory() as scratch, _style(ready) as failed:
        results = [Path(scratch, "results.xml")]
        if _lacks_kernels() and _run(ready, _KERNELS):
            failed.append("kernels")
        if is_all:
            results.append(Path(scratch, "unmeasured.xml"))
            _run(ready, ["coverage", "erase"])
            if _run(ready, ["coverage", "run", "-m", *_suite(results[0]), *seed, "-m", _MEASURED]):
                failed.append("pytest, measured")
            doses = {name: os.environ.get(name, dose) for name, dose in _DOSES.items()}
            if _run(ready, [*_suite(results[1]), *seed, "-m", _UNMEASURED], doses):
                failed.append("pytest, unmeasured")
            _run(ready, ["coverage", "combine", "--quiet"])
            failed += [name for name, options in _GATES if _run(ready, ["coverage", "report", *options])]
        elif _run(ready, [*_suite(results[0]), *seed, "-m", _ORDINARY]):
            failed.append("pytest")
        summary = summarize(*results)
    print(f"\n{time.monotonic() - started:.0f} s")
    print(f"{summary}; failed checks: {', '.join(failed)}" if failed else summary)
    return 1 if failed else 0


def _lacks_kernels() -> bool:
    """Whether kernels have never been compiled in this checkout."""
    return not any((environment.ROOT / "kafkafmt" / "columnar" / "kernels" / "__pycache__").glob("*.code"))


@contextmanager
def _style(ready: environment.Environment) -> Iterator[list[str]]:
    """Run ruff, with mypy in parallel to the block, as it takes longest; yields the names of failed checks."""
    failed: list[str] = []
    types = threading.Thread(target=lambda: failed.append("mypy") if _run(ready, _TYPES) else None)
    types.start()
    failed += [name for name, arguments in _STYLE if _run(ready, arguments)]
    yield failed
    types.join()


def _run_lowest(arguments: list[str]) -> int:
    ready = environment.prepare("lowest", directory=_LOWEST)
    with tempfile.TemporaryDirectory() as scratch:
        results = Path(scratch, "results.xml")
        tests = arguments or ["-m", _MEASURED, *(f"tests/{directory}" for directory in _READING)]
        failed = _run(ready, [*_suite(results), *tests])
        print(summarize(results))
    return 1 if failed else 0


def _suite(results: Path) -> list[str]:
    workers = str(max(2, min(os.cpu_count() or 1, 8)))
    return ["pytest", "-n", workers, "--dist", "loadgroup", "--junitxml", str(results)]


def summarize(*results: Path) -> str:
    """The counts of pytest's JUnit XML files in one line; a test in several files counts once.

    A line for each failed test precedes it, as only the end of long outputs is kept.
    """
    outcomes: dict[tuple[str, str], int] = {}
    failed: dict[tuple[str, str], str] = {}
    broken = 0
    for file in results:
        try:
            cases = list(ET.parse(file).getroot().iter("testcase"))
        except (OSError, ET.ParseError):
            broken += 1  # pytest crashed before it wrote any results
            continue
        for case in cases:
            test = case.get("classname", ""), case.get("name", "")
            found = {child.tag: child.get("message", "") for child in case}
            outcome = _FAILED if found.keys() & {"failure", "error"} else _SKIPPED if "skipped" in found else _PASSED
            outcomes[test] = max(outcome, outcomes.get(test, _PASSED))
            if outcome == _FAILED:
                failed[test] = (found.get("failure") or found.get("error") or "").partition("\n")[0]
    counts = Counter(outcomes.values())
    lines = [f"FAILED {'.'.join(test)}: {message}" for test, message in failed.items()]
    lines.append(f"{counts[_PASSED]} passed, {counts[_FAILED] + broken} failed, {counts[_SKIPPED]} skipped")
    return "\n".join(lines)


def _run(ready: environment.Environment, arguments: list[str], variables: Mapping[str, str] = _AS_THEY_ARE) -> int:
    print(f"$ {' '.join([*(f'{name}={value}' for name, value in variables.items()), *arguments])}", flush=True)
    variables = {**ready.variables, "PYSPARK_PYTHON": str(ready.python), **variables}
    return subprocess.run([ready.python, "-m", *arguments], check=False, cwd=environment.ROOT, env=variables).returncode
