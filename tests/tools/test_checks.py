"""tools/test: its last line, and that one failing step neither hides nor stops the others."""

from collections.abc import Callable
from pathlib import Path

import pytest

import checks
import environment


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> tuple[list[str], set[str]]:
    """The commands that were run, and those that are to fail."""
    ran: list[str] = []
    failing: set[str] = set()

    def run(_: environment.Environment, arguments: list[str]) -> int:
        ran.append(" ".join(arguments[:2]))
        for argument in arguments:
            if argument.endswith("results.xml"):
                Path(argument).write_text('<r><testsuite tests="9" failures="1" errors="1" skipped="2"/></r>')
        return 1 if ran[-1] in failing else 0

    monkeypatch.setattr(checks, "_run", run)
    monkeypatch.setattr(environment, "prepare", lambda _: environment.Environment(Path("python"), {}))
    return ran, failing


def test_every_step_runs_and_the_counts_come_last(
    steps: tuple[list[str], set[str]], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", "true")
    ran, failing = steps
    assert checks.main([]) == 0
    every_step = list(ran)
    assert every_step.count("coverage report") == 2
    assert capsys.readouterr().out.splitlines()[-1] == "5 passed, 2 failed, 2 skipped"
    failing.update({"ruff check", "mypy --no-error-summary", "coverage run"})
    ran.clear()
    assert checks.main([]) == 1
    assert ran == every_step
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == "5 passed, 2 failed, 2 skipped; failed checks: ruff check, mypy, pytest"


def test_coverage_is_for_ci(steps: tuple[list[str], set[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    ran, _ = steps
    assert checks.main([]) == 0
    assert ran == ["ruff check", "ruff format", "mypy --no-error-summary", "pytest -n"]


def test_arguments_go_to_pytest_alone(steps: tuple[list[str], set[str]]) -> None:
    ran, failing = steps
    assert checks.main(["-k", "name"]) == 0
    assert ran == ["pytest -k"]
    failing.add("pytest -k")
    assert checks.main(["-k", "name"]) == 1


def test_help_needs_no_environment(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment, "prepare", lambda _: pytest.fail("an environment was made"))
    assert checks.main(["--help"]) == 0
    assert capsys.readouterr().out.startswith("usage: tools/test")


def test_a_suite_that_wrote_no_results_has_failed(tmp_path: Path) -> None:
    assert checks.summarize(tmp_path / "missing.xml") == "0 passed, 1 failed"


def test_a_failed_set_up_is_said(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: str) -> Callable[[], None]:
        raise environment.SetupError("no network")

    monkeypatch.setattr(environment, "prepare", fail)
    assert checks.main([]) == 1
    assert capsys.readouterr().err == "tools/test: no network\n"
