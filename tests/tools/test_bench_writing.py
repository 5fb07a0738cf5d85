"""tools/bench --writing: programs that write the same records, a copy that checks CRCs, and the page."""

from pathlib import Path

import pytest

import environment
from benchmark import report, start, writers, writes
from benchmark.readings import Reading, Results
from kafkafmt.scanning import scan_bytes
from tests.golden_cases import GOLDEN

SEGMENT = GOLDEN / "modern/01-codecs-4.3.1/log-dir/codec-none-0/00000000000000000000.log"


@pytest.mark.parametrize("value_bytes", writes.VALUES.values())
def test_our_program_writes_the_records_that_it_is_given(value_bytes: int) -> None:
    batches = [bytes(each) for each in writers.writer("kafkafmt")(value_bytes, 900)]
    read = scan_bytes(b"".join(batches), file="made", columns=["key", "value", "timestamp"])
    assert list(zip(read["key"].to_pylist(), read["value"].to_pylist(), strict=True)) == writers.rows(value_bytes, 900)
    assert len(max(batches, key=len)) > 10_000


def test_a_copy_is_the_segment(tmp_path: Path) -> None:
    writers.copy(SEGMENT, tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == SEGMENT.read_bytes()
    wrong = bytearray(SEGMENT.read_bytes())
    wrong[-1] ^= 1
    (tmp_path / "wrong").write_bytes(wrong)
    with pytest.raises(ValueError, match="a CRC of wrong is wrong"):
        writers.copy(tmp_path / "wrong", tmp_path / "other")


def test_the_page_compares_builders() -> None:
    costs = {writes.KAFKAFMT: 1.0, writes.JAVA: 3.0, writes.AIOKAFKA: 4.0, writes.KAFKA_PYTHON: 10.0}
    read = {key: Reading(10, 1000, [cost], [cost]) for key, cost in costs.items()}
    results = Results({}, {}, {"megabytes": 1, "rounds": 1, "restarts": 1}, dict.fromkeys(writes.VALUES, read))
    met = {figure.text: figure.is_met for figure in writes.write_goals(results.readings)}
    assert len(met) == 6
    assert not met["kafka-python / kafkafmt, 1 KB records"]
    assert met["aiokafka / kafkafmt, 1 KB records"]
    assert "| kafka-clients warm / kafkafmt, 100-byte records | at least 1 | 3.00 |" in report.writing_page(results)


def test_the_page_is_there() -> None:
    assert (environment.ROOT / "docs/benchmarks/writing.md").read_text().startswith("# Benchmark of writing")


def test_it_goes_with_quick_only(capsys: pytest.CaptureFixture[str]) -> None:
    assert start.parse(["--writing", "--quick"]).output == start.CACHE / "quick"
    with pytest.raises(SystemExit):
        start.parse(["--writing", "--spark"])
    assert "go with --quick only" in capsys.readouterr().err
