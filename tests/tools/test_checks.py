"""tools/test: its last line, and that one failing step neither hides nor stops the others."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

import checks
import environment

# The result of the tests of a run, or of one of its parts.
OF_A_PART = {
    "results": {"a": "", "b": "failure", "c": "skipped"},
    "unmeasured": {"d": "error", "e": ""},
}


def xml(outcomes: Mapping[str, str]) -> str:
    cases = "".join(
        f'<testcase classname="m" name="{name}">{outcome and f"<{outcome}/>"}</testcase>'
        for name, outcome in outcomes.items()
    )
    return f"<testsuites><testsuite>{cases}</testsuite></testsuites>"


class Steps:
    """The commands run, with the environment variables set for them, and the commands that shall fail."""

    def __init__(self) -> None:
        self.ran: list[str] = []
        self.variables: dict[str, dict[str, str]] = {}
        self.failing: set[str] = set()
        self.prepared: tuple[str, str] = "", ""

    def prepare(self, requirements: str, directory: str = ".venv") -> environment.Environment:
        self.prepared = requirements, directory
        return environment.Environment(Path("python"), {})

    def run(self, _: environment.Environment, arguments: list[str], variables: Mapping[str, str] | None = None) -> int:
        for argument in arguments:
            if argument.endswith(".xml"):
                Path(argument).write_text(xml(OF_A_PART[Path(argument).stem]))
        name = " ".join([*arguments[:2], *(arguments[-1:] if arguments[-2] == "-m" else ())])
        if name != MYPY:  # which runs beside the others
            self.ran.append(name)
        self.variables[name] = dict(variables or {})
        return 1 if name in self.failing else 0


MYPY = "mypy --no-error-summary"
STYLE = ["ruff check", "ruff format"]
KERNELS = "kafkafmt warm-up"
SUITE = "pytest -n not (volume or further or slow)"
MEASURED = "coverage run not (volume or further or dosed or hypothesis)"
UNMEASURED = "pytest -n volume or further or dosed or hypothesis"


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> Steps:
    found = Steps()
    monkeypatch.setattr(checks, "_run", found.run)
    monkeypatch.setattr(checks, "_lacks_kernels", lambda: True)
    monkeypatch.setattr(environment, "prepare", found.prepare)
    return found


def test_every_step_runs_and_the_counts_come_last(steps: Steps, capsys: pytest.CaptureFixture[str]) -> None:
    assert checks.main([]) == 0
    assert steps.ran == [*STYLE, KERNELS, SUITE]
    assert MYPY in steps.variables
    assert not any(steps.variables.values())
    assert capsys.readouterr().out.splitlines()[-1] == "1 passed, 1 failed, 1 skipped"
    steps.failing.update({"ruff check", MYPY, KERNELS, SUITE})
    steps.ran.clear()
    assert checks.main([]) == 1
    assert steps.ran == [*STYLE, KERNELS, SUITE]
    counts, _, failed = capsys.readouterr().out.splitlines()[-1].partition("; failed checks: ")
    assert counts == "1 passed, 1 failed, 1 skipped"
    assert sorted(failed.split(", ")) == ["kernels", "mypy", "pytest", "ruff check"]


def test_kernels_are_compiled_once(steps: Steps, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "_lacks_kernels", lambda: False)
    assert checks.main([]) == 0
    assert steps.ran == [*STYLE, SUITE]


def test_all_runs_each_test_measured_or_with_large_doses(
    steps: Steps, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("KAFKAFMT_EVERY_BIT", raising=False)
    monkeypatch.setenv("KAFKAFMT_MUTATIONS", "7")  # the caller says how much
    assert checks.main(["--all"]) == 0
    tests = ["coverage erase", MEASURED, UNMEASURED, "coverage combine"]
    assert steps.ran == [*STYLE, KERNELS, *tests, "coverage report", "coverage report"]
    assert MYPY in steps.variables
    assert [name for name in steps.ran if steps.variables[name]] == [UNMEASURED]
    doses = steps.variables[UNMEASURED]
    assert (doses["KAFKAFMT_EVERY_BIT"], doses["KAFKAFMT_MUTATIONS"]) == (checks._DOSES["KAFKAFMT_EVERY_BIT"], "7")
    assert capsys.readouterr().out.splitlines()[-1] == "2 passed, 2 failed, 1 skipped"


@pytest.mark.parametrize(
    ("step", "name"),
    [
        (MEASURED, "pytest, measured"),
        (UNMEASURED, "pytest, unmeasured"),
        ("coverage report", "coverage of codec and reference, coverage of the rest"),
    ],
)
def test_each_part_can_fail(steps: Steps, step: str, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    steps.failing.add(step)
    assert checks.main(["--all"]) == 1
    assert capsys.readouterr().out.splitlines()[-1].endswith(f"; failed checks: {name}")


def test_lowest_runs_the_tests_that_read_in_an_environment_of_its_own(
    steps: Steps, capsys: pytest.CaptureFixture[str]
) -> None:
    assert all((environment.ROOT / "tests" / directory).is_dir() for directory in checks._READING)
    assert checks.main(["--lowest"]) == 0
    assert steps.prepared == ("lowest", "build/lowest/venv")
    assert capsys.readouterr().out == "FAILED m.b: \n1 passed, 1 failed, 1 skipped\n"
    steps.failing.update(steps.ran)
    assert checks.main(["--lowest"]) == 1
    assert checks.main(["--lowest", "tests/codec", "-m", "volume"]) == 0
    assert steps.ran[-1] == "pytest -n volume"


def test_style_is_checked_alone(steps: Steps) -> None:
    assert checks.main(["--style"]) == 0
    assert steps.ran == STYLE
    assert set(steps.variables) == {MYPY, *STYLE}
    for step in (MYPY, *STYLE):
        steps.failing = {step}
        assert checks.main(["--style"]) == 1


def test_arguments_go_to_pytest_alone(steps: Steps) -> None:
    assert checks.main(["-k", "name"]) == 0
    assert steps.ran == ["pytest -k"]
    steps.failing.add("pytest -k")
    assert checks.main(["-k", "name"]) == 1


def test_help_needs_no_environment(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment, "prepare", lambda _: pytest.fail("an environment was made"))
    assert checks.main(["--help"]) == 0
    assert capsys.readouterr().out.startswith("usage: tools/test")


def test_a_suite_that_wrote_no_results_has_failed(tmp_path: Path) -> None:
    results = tmp_path / "results.xml"
    results.write_text(xml(OF_A_PART["unmeasured"]))
    assert checks.summarize(results) == "FAILED m.d: \n1 passed, 1 failed, 0 skipped"
    assert checks.summarize(results, tmp_path / "missing.xml") == "FAILED m.d: \n1 passed, 2 failed, 0 skipped"


def test_an_error_after_a_test_that_passed_is_a_failure(tmp_path: Path) -> None:
    results = tmp_path / "results.xml"
    results.write_text(
        '<r><testsuite><testcase classname="m" name="a"><error message="E: one&#10;two"/></testcase>'
        '<testcase classname="m" name="a"/><testcase classname="n" name="a"/></testsuite></r>'
    )
    assert checks.summarize(results) == "FAILED m.a: E: one\n1 passed, 1 failed, 0 skipped"


def test_a_failed_set_up_is_said(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: str) -> Callable[[], None]:
        raise environment.SetupError("no network")

    monkeypatch.setattr(environment, "prepare", fail)
    assert checks.main([]) == 1
    assert capsys.readouterr().err == "tools/test: no network\n"
