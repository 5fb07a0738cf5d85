"""What tools/test does: set up, then style, types, tests and coverage, each of them even if an earlier one fails."""

import os
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import environment

HELP = """usage: tools/test [PYTEST_ARGUMENT ...]

Without arguments: ruff, mypy, and the whole test suite. With arguments: pytest alone, with these. HYPOTHESIS_PROFILE=ci
makes hypothesis thorough. The first run makes .venv in the checkout, and brings a Java for Spark if there is none.

Where CI is set, as .ci/run does, the suite runs in two parts. Coverage, which must be complete in kafkafmt/codec and
kafkafmt/reference and 95 % elsewhere, is measured of all tests but those marked `volume`, in hypothesis' profile dev,
since what is measured takes half as long again. Those, and once more those of hypothesis, then run as thoroughly as the
environment asks for, unmeasured. A test of both parts counts once, and as failed if it fails in either. hypothesis is
given one seed there, so that a failure comes again; by hand each run looks elsewhere.
"""
EXIT_INTERRUPTED = 130

_COMPLETE = "kafkafmt/codec/*,kafkafmt/reference/*"
_AS_THEY_ARE: Mapping[str, str] = {}
_PASSED, _SKIPPED, _FAILED = range(3)  # the worst counts

_MEASURED = "not volume"
_THOROUGH = "volume or hypothesis"
_QUICK = {"HYPOTHESIS_PROFILE": "dev"}
_ONE_SEED = ("--hypothesis-seed", "431")
_GATES = (
    ("coverage of codec and reference", ["--include", _COMPLETE, "--fail-under", "100"]),
    ("coverage of the rest", ["--omit", _COMPLETE, "--fail-under", "95"]),
)


def main(arguments: list[str]) -> int:
    """Run tools/test; returns the exit code: 0 if all is well, 1 if not, pytest's own if it got arguments."""
    if arguments in (["-h"], ["--help"]):
        print(HELP, end="")
        return 0
    try:
        ready = environment.prepare("test")
        if arguments:
            return _run(ready, ["pytest", *arguments])
        return _check_all(ready)
    except environment.SetupError as error:
        print(f"tools/test: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED


def _check_all(ready: environment.Environment) -> int:
    started = time.monotonic()
    failed = [
        name
        for name, arguments in (
            ("ruff check", ["ruff", "check", "--quiet"]),
            ("ruff format", ["ruff", "format", "--check", "--quiet"]),
            ("mypy", ["mypy", "--no-error-summary"]),
        )
        if _run(ready, arguments)
    ]
    measures = bool(os.environ.get("CI"))
    with tempfile.TemporaryDirectory() as scratch:
        if measures:
            _run(ready, ["coverage", "erase"])
            measured, thorough = Path(scratch, "measured.xml"), Path(scratch, "thorough.xml")
            if _run(ready, ["coverage", "run", "-m", *_suite(measured), *_ONE_SEED, "-m", _MEASURED], _QUICK):
                failed.append("pytest, measured")
            if _run(ready, [*_suite(thorough), *_ONE_SEED, "-m", _THOROUGH]):
                failed.append("pytest, thorough")
            summary = summarize(measured, thorough)
            _run(ready, ["coverage", "combine", "--quiet"])
            failed += [name for name, options in _GATES if _run(ready, ["coverage", "report", *options])]
        else:
            results = Path(scratch, "results.xml")
            if _run(ready, _suite(results)):
                failed.append("pytest")
            summary = summarize(results)
    print(f"\n{time.monotonic() - started:.0f} s")
    print(f"{summary}; failed checks: {', '.join(failed)}" if failed else summary)
    return 1 if failed else 0


def _suite(results: Path) -> list[str]:
    workers = str(max(2, min(os.cpu_count() or 1, 8)))
    return ["pytest", "-n", workers, "--dist", "loadgroup", "--junitxml", str(results)]


def summarize(*results: Path) -> str:
    """Give pytest's counts, from its JUnit XML files, in one line; a test that stands in several counts once."""
    outcomes: dict[tuple[str, str], int] = {}
    broken = 0
    for file in results:
        try:
            cases = list(ET.parse(file).getroot().iter("testcase"))
        except (OSError, ET.ParseError):
            broken += 1  # pytest itself broke down before it wrote any results
            continue
        for case in cases:
            test = case.get("classname", ""), case.get("name", "")
            found = {child.tag for child in case}
            outcome = _FAILED if found & {"failure", "error"} else _SKIPPED if "skipped" in found else _PASSED
            outcomes[test] = max(outcome, outcomes.get(test, _PASSED))
    counts = Counter(outcomes.values())
    return f"{counts[_PASSED]} passed, {counts[_FAILED] + broken} failed, {counts[_SKIPPED]} skipped"


def _run(ready: environment.Environment, arguments: list[str], variables: Mapping[str, str] = _AS_THEY_ARE) -> int:
    print(f"$ {' '.join([*(f'{name}={value}' for name, value in variables.items()), *arguments])}", flush=True)
    variables = {**ready.variables, "PYSPARK_PYTHON": str(ready.python), **variables}
    return subprocess.run([ready.python, "-m", *arguments], check=False, cwd=environment.ROOT, env=variables).returncode
