"""tools/fuzz: its reports on failing inputs, and on one that kills its process."""

import signal
from pathlib import Path

import pytest

import fuzzing
from tests.hostile.targets import TARGETS


def test_the_tool_has_each_target() -> None:
    assert set(fuzzing.TARGETS) == set(TARGETS)


def test_after_an_input_that_ends_the_process_comes_the_next(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    started: list[list[str]] = []

    def shown(command: list[str], _: dict[str, str]) -> tuple[int, list[str]]:
        started.append(command[-4:-1])
        if len(started) == 1:
            Path(command[-1]).write_bytes(fuzzing._PLACE.pack(107, 7))
            return -signal.SIGSEGV, ["Fatal Python error\n"]
        return 0, []

    monkeypatch.setattr(fuzzing, "_shown", shown)
    status, lines = fuzzing._run_in_process("guard", 50, 100, "python", {})
    assert status == -signal.SIGSEGV
    assert started == [["guard", "50", "100"], ["guard", "42", "108"]]
    assert fuzzing._FAILED.findall("".join(lines)) == ["107"]
    assert "107" in capsys.readouterr().out
