""".ci/run: the steps that a change requires; a failing one neither hides nor stops the others."""

import os
import subprocess
from pathlib import Path

import pytest

import landing
from kafka_judge.main import JUDGES
from landing import Step
from proofs import PROOFS

ENGINE = Step("engine", 100, ("kafkafmt/columnar/", "kafkafmt/codec/"))
WRITING = Step("writing", 100, ("kafkafmt/writing/",))
SPECS = Step("specs", 100, ("formats/", "generated/"))
BUILD = Step("build", 100, ("pyproject.toml",))
STEPS = (ENGINE, WRITING, SPECS, BUILD)


def test_lines_are_counted_a_file() -> None:
    assert landing.changed_lines("3\t4\ta/b.py\n-\t-\tc.png\n0\t0\td e\n") == {"a/b.py": 7, "c.png": 1, "d e": 0}


def test_a_change_takes_the_steps_of_its_rooms() -> None:
    chosen, left_out = landing.choose(STEPS, {"formats/record.ksy": 2, "generated/record.py": 9}, turn=0)
    assert chosen == [SPECS, ENGINE, WRITING]
    assert not left_out


def test_others_have_their_turn() -> None:
    in_turn = [landing.choose(STEPS, {}, turn=turn)[0] for turn in range(3)]
    assert in_turn == [[ENGINE, WRITING], [SPECS, BUILD], [ENGINE, WRITING]]


def test_what_is_touched_most_comes_first_where_time_is_short() -> None:
    changed = {"kafkafmt/columnar/a.py": 1, "kafkafmt/writing/a.py": 30, "formats/a.ksy": 20, "pyproject.toml": 3}
    chosen, left_out = landing.choose(STEPS, changed, turn=0, budget=200)
    assert chosen[:2] == [WRITING, SPECS]
    assert sorted(step.command for step in [*chosen[2:], *left_out]) == ["build", "engine"]


def test_every_judge_and_proof_is_a_step_of_rooms_that_exist() -> None:
    commands = [step.command for step in landing.STEPS]
    for command in (*(f"tools/judge {name}" for name in JUDGES), *(f"tools/proof {name}" for name in PROOFS)):
        assert any(each == command or each.startswith(f"{command} ") for each in commands), command
    missing = [room for step in landing.STEPS for room in step.rooms if not (landing.ROOT / room).exists()]
    assert not missing


def test_what_fails_is_said_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(landing, "ROOT", tmp_path)
    monkeypatch.setattr(landing, "_git", lambda *_: "abc")
    first = Step("echo a && echo '5 passed, 0 failed, 0 skipped'", 1)
    assert landing._run_all(first, [Step("echo b", 1), Step("echo c", 1)]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "5 passed, 0 failed, 0 skipped"
    assert landing._run_all(first, [Step("echo why; exit 3", 1), Step("echo c", 1)]) == 1
    said = capsys.readouterr().out.splitlines()
    assert said[-2:] == ["failed: echo why; exit 3", "5 passed, 0 failed, 0 skipped"]
    assert said.count("why") == 2
    kept = (tmp_path / "build" / "ci-seconds.tsv").read_text().splitlines()
    assert [line.split("\t")[::2] for line in kept[:1]] == [["abc", first.command]]
    assert len(kept) == 6


def test_the_change_begins_after_main_or_some_hours_ago(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def git(*arguments: str, at: int = 1_700_000_000) -> str:
        date = {"GIT_AUTHOR_DATE": f"{at} +0000", "GIT_COMMITTER_DATE": f"{at} +0000"}
        name = ("-c", "user.name=a", "-c", "user.email=a@b")
        variables = {**os.environ, **date}
        command = ["git", *name, *arguments]
        return subprocess.check_output(command, cwd=tmp_path, env=variables, text=True).strip()

    monkeypatch.setattr(landing, "ROOT", tmp_path)
    git("init", "-q", "-b", "main")
    git("commit", "-q", "--allow-empty", "-m", "one", at=1_700_000_000)
    assert landing.base() == "HEAD"
    git("commit", "-q", "--allow-empty", "-m", "two", at=1_700_090_000)
    one, two = git("rev-parse", "HEAD~"), git("rev-parse", "HEAD")
    assert landing.base() == one
    git("checkout", "-q", "-b", "branch")
    git("commit", "-q", "--allow-empty", "-m", "three", at=1_700_090_060)
    assert landing.base() == two


def test_a_program_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert landing.install({"sh": ("dash",)}) is None
    assert landing.install({"sh": ("dash",), "no-such-program": ("none",)}) == "no-such-program"


def test_its_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert landing.main(["--help"]) == 0
    assert capsys.readouterr().out == landing.HELP
    assert landing.main(["everything"]) == 2
    assert landing.main(["all", "fast"]) == 2
    assert capsys.readouterr().err == 2 * landing.HELP


def test_every_slow_test_is_in_a_step() -> None:
    steps = [part for step in landing.STEPS for part in step.command.split() if part.startswith("tests/")]
    files = [path for path in (landing.ROOT / "tests").rglob("test_*.py") if "pytest.mark.slow" in path.read_text()]
    assert len(files) > 40
    for path in files:
        name = path.relative_to(landing.ROOT).as_posix()
        assert any(name == part or name.startswith(f"{part}/") for part in steps), name
