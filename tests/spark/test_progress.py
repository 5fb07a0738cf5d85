"""Progress of planning on stderr: none at first, then occasionally."""

import re
import time

import pytest

from pyspark_kafkafmt import planning
from pyspark_kafkafmt.planning import PlanningProgress


def test_what_is_quick_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with PlanningProgress() as reporting:
        reporting.now = "listing"
    assert capsys.readouterr().err == ""


def test_what_takes_long_says_what_it_does(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planning, "PATIENCE_SECONDS", 0.01)
    reporting = PlanningProgress()
    reporting.planned(1200, 34_567, 8_900_000_000)
    with reporting:
        deadline = time.monotonic() + 600
        lines: list[str] = []
        while not lines and time.monotonic() < deadline:
            time.sleep(0.01)
            lines += capsys.readouterr().err.splitlines()
    assert re.fullmatch(r"kafkafmt: planned 1,200 partitions, 34,567 segments, 8\.9 GB \(\d+ s\)", lines[0])
