"""What tools/test does: set up, then style, types, tests and coverage, each of them even if an earlier one fails."""

import os
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from pathlib import Path

import environment

HELP = """usage: tools/test [PYTEST_ARGUMENT ...]

Without arguments: ruff, mypy, and the whole test suite; where CI is set, as .ci/run does, with its coverage, which must
be complete in kafkafmt/codec and kafkafmt/reference and 95 % elsewhere, and which takes half as long again. With
arguments: pytest alone, with these. HYPOTHESIS_PROFILE=ci makes hypothesis thorough. The first run makes .venv in the
checkout, and brings a Java for Spark if there is none.
"""
EXIT_INTERRUPTED = 130

_COMPLETE = "kafkafmt/codec/*,kafkafmt/reference/*"
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
    workers = str(max(2, min(os.cpu_count() or 1, 8)))
    measures = bool(os.environ.get("CI"))
    with tempfile.TemporaryDirectory() as scratch:
        results = Path(scratch, "results.xml")
        suite = ["pytest", "-n", workers, "--dist", "loadgroup", "--junitxml", str(results)]
        if measures:
            _run(ready, ["coverage", "erase"])
        if _run(ready, ["coverage", "run", "-m", *suite] if measures else suite):
            failed.append("pytest")
        summary = summarize(results)
    if measures:
        _run(ready, ["coverage", "combine", "--quiet"])
        failed += [name for name, options in _GATES if _run(ready, ["coverage", "report", *options])]
    print(f"\n{time.monotonic() - started:.0f} s")
    print(f"{summary}; failed checks: {', '.join(failed)}" if failed else summary)
    return 1 if failed else 0


def summarize(results: Path) -> str:
    """Give pytest's counts, from its JUnit XML file, in one line."""
    try:
        suites = ET.parse(results).getroot().findall("testsuite")
    except (OSError, ET.ParseError):
        return "0 passed, 1 failed"  # pytest itself broke down before it wrote any results
    counts = {
        name: sum(int(suite.get(name, 0)) for suite in suites) for name in ("tests", "failures", "errors", "skipped")
    }
    failures = counts["failures"] + counts["errors"]
    return f"{counts['tests'] - failures - counts['skipped']} passed, {failures} failed, {counts['skipped']} skipped"


def _run(ready: environment.Environment, arguments: list[str]) -> int:
    print(f"$ {' '.join(arguments)}", flush=True)
    variables = {**ready.variables, "PYSPARK_PYTHON": str(ready.python)}
    return subprocess.run([ready.python, "-m", *arguments], check=False, cwd=environment.ROOT, env=variables).returncode
