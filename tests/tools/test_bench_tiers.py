"""tools/bench --tiers: programs that read the same bytes, and the page."""

from pathlib import Path

import pytest

import environment
from benchmark import readers, report, start, tiers
from benchmark.readings import Reading, Results
from kafkafmt import Segment
from tests.golden_cases import GOLDEN

SEGMENT = GOLDEN / "modern/01-codecs-4.3.1/log-dir/big-0/00000000000000000000.log"


@pytest.mark.parametrize("kind", tiers.KINDS)
def test_programs_read_the_bytes_and_records_of_the_segment(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tiers, "CHUNK_BYTES", 5000)
    key, wrapped = tiers._key_pair(tmp_path)
    monkeypatch.setenv("KAFKAFMT_DECRYPTION_KEYS", f"key={key}")
    place = str(tiers._tier(SEGMENT, tmp_path / kind, *tiers.KINDS[kind], wrapped))
    assert readers.answer(readers.reader("kafkafmt"), place) == str(len(list(Segment(SEGMENT).records())))
    size = str(SEGMENT.stat().st_size)
    assert (readers.answer(tiers._chunks, place), readers.answer(tiers._alone, place)) == (size, size)


def test_the_page_compares_them() -> None:
    costs = {tiers.DISK: 1.0, tiers.TIER: 1.0, tiers.CHUNKS: 2.0, tiers.ALONE: 1.0}
    read = {key: Reading(10, 1000, [cost], [cost]) for key, cost in costs.items()}
    settings = {"rounds": 1, "restarts": 1, "chunk_mib": 4}
    results = Results({}, {}, settings, dict.fromkeys(tiers.KINDS, read))
    met = [figure.is_met for figure in tiers.tier_goals(results.readings)]
    assert met == [True, False, False, False]
    assert "| chunks, encrypted / zstandard and AES-GCM alone | at most 1.3 | 2.00 |" in report.tiers_page(results)


def test_the_page_is_there() -> None:
    assert (environment.ROOT / "docs/benchmarks/tiers.md").read_text().startswith("# Benchmark of tiers")


def test_it_goes_with_quick_only(capsys: pytest.CaptureFixture[str]) -> None:
    assert start.parse(["--tiers", "--quick"]).output == start.CACHE / "quick"
    with pytest.raises(SystemExit):
        start.parse(["--tiers", "--spark"])
    assert "go with --quick only" in capsys.readouterr().err
