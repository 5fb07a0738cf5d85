"""tools/bench --searching: programs that find the same matches, and the page."""

import os
import subprocess

import pytest

from benchmark import readers, report, searches, start
from benchmark.readings import Reading, Results
from tests.golden_cases import GOLDEN

SEGMENT = str(GOLDEN / "modern/01-codecs-4.3.1/log-dir/codec-zstd-0/00000000000000000000.log")


@pytest.mark.slow
def test_programs_find_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searches, "NEEDLE", "purchase")
    piped = subprocess.run(searches.pipe(SEGMENT), shell=True, capture_output=True, text=True, check=True).stdout
    assert readers.answer(searches._text, SEGMENT) == piped.strip() != "0"
    assert searches._cost_of_pipe(SEGMENT, os.environ).cpu > 0.1
    assert readers.answer(searches._expression, SEGMENT) == "0"


def test_the_page_compares_them() -> None:
    def read(**costs: float) -> dict[str, Reading]:
        return {key: Reading(10, 10**9, [cost], [cost]) for key, cost in costs.items()}

    readings = {
        "typical-none": read(decode=1, text=0.5, expression=1, pipe=40),
        "typical-zstd": read(decode=1, text=1.2, expression=1, pipe=40),
    }
    results = Results({}, {}, {"rounds": 1, "restarts": 1}, readings)
    assert [figure.is_met for figure in searches.search_goals(readings)] == [True, False, True]
    page = report.searching_page(results)
    assert "| a text / decoding, compressed | at most 1.15 | 1.20 |" in page
    assert r"[a-z]+@example\.com" in page


def test_it_goes_with_quick_only(capsys: pytest.CaptureFixture[str]) -> None:
    assert start.parse(["--searching", "--quick"]).output == start.CACHE / "quick"
    with pytest.raises(SystemExit):
        start.parse(["--searching", "--tiers"])
    assert "go with --quick only" in capsys.readouterr().err
