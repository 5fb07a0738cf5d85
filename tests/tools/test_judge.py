"""tools/judge: the judges run for given options, and the handling of their verdicts."""

import argparse
from pathlib import Path

import pytest

from class_path import ToolError
from kafka_judge import main as judging
from kafka_judge.java_programs import answers, dialogue
from kafka_judge.verdict import Verdict


class FakeJudge:
    """What is compared with what.

    More of it.
    """

    def __init__(self, *findings: str, error: str | None = None) -> None:
        self.findings = list(findings)
        self.error = error
        self.asked: list[tuple[int, int]] = []

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--files", type=int, default=3)

    def judge(self, options: argparse.Namespace) -> Verdict:
        self.asked.append((options.seed, options.files))
        if self.error is not None:
            raise ToolError(self.error)
        return Verdict(f"{options.files} files", self.findings)


Judges = dict[str, FakeJudge]


@pytest.fixture
def judges(monkeypatch: pytest.MonkeyPatch) -> Judges:
    made = {"equal": FakeJudge(), "other": FakeJudge(*(f"a difference {number}" for number in range(30)))}
    monkeypatch.setattr(judging, "JUDGES", made)
    return made


def test_all_judges_run_where_none_is_named(judges: Judges, capsys: pytest.CaptureFixture[str]) -> None:
    assert judging.main([]) == 1
    out, err = capsys.readouterr()
    assert out == "equal: 3 files: the same; 0 s\n"
    assert err.splitlines()[-1] == "other: 30 differences in 3 files; 0 s"
    assert err.splitlines()[:-1] == judges["other"].findings[: judging.FINDINGS_SHOWN]
    assert judges["equal"].asked == judges["other"].asked == [(judging.SEED, 3)]


def test_one_judge_takes_its_own_options(judges: Judges) -> None:
    assert judging.main(["equal", "--files", "7", "--seed", "2"]) == 0
    assert (judges["equal"].asked, judges["other"].asked) == ([(2, 7)], [])


def test_several_judges_take_a_seed_alone(judges: Judges, capsys: pytest.CaptureFixture[str]) -> None:
    judging.main(["other", "equal", "--seed", "5"])
    assert judges["equal"].asked == judges["other"].asked == [(5, 3)]
    with pytest.raises(SystemExit, match="2"):
        judging.main(["other", "equal", "--files", "5"])
    assert "unrecognized arguments: --files 5" in capsys.readouterr().err


def test_a_tool_that_is_missing_does_not_keep_others_from_judging(
    judges: Judges, capsys: pytest.CaptureFixture[str]
) -> None:
    judges["equal"].error = "no java"
    assert judging.main([]) == 2
    assert capsys.readouterr().err.startswith("tools/judge equal: no java\na difference 0\n")


def test_a_name_that_is_none(judges: Judges, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        judging.main(["equal", "nobody"])
    assert "there is no nobody: equal, other" in capsys.readouterr().err


def test_the_help_lists_what_each_judge_compares(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        judging.main(["--help"])
    text = capsys.readouterr().out
    for name, judge in judging.JUDGES.items():
        assert f"\n{name}: {(judge.__doc__ or '').split()[0]} " in text


@pytest.fixture
def java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A script in place of Java."""
    monkeypatch.setattr("kafka_judge.java_programs.tool", lambda _: str(tmp_path / "java"))
    return tmp_path / "java"


def script(java: Path, *lines: str) -> None:
    java.write_text("\n".join(["#!/bin/sh", *lines, ""]))
    java.chmod(0o755)


def test_answers_are_lines_however_strange(java: Path) -> None:
    script(java, "cat")
    assert answers("classes", "Judge", questions="a\u2028b\nc\n") == ["a\u2028b", "c"]


def test_a_program_that_fails_says_why(java: Path) -> None:
    script(java, "echo out of memory >&2", "exit 3")
    with pytest.raises(ToolError, match="Judge failed:\nout of memory"):
        answers("classes", "Judge")


def test_a_program_that_ends_in_a_dialogue_says_why(java: Path) -> None:
    script(java, "read line", "echo $line", "echo out of memory >&2", "exit 3")

    def talk() -> None:
        with dialogue("classes", "Judge") as (questions, given):
            questions.write(b"hello\n")
            questions.flush()
            assert given.readline() == b"hello\n"
            if not given.readline():
                raise EOFError

    with pytest.raises(ToolError, match="Judge failed:\nout of memory"):
        talk()
