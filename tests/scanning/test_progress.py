"""`Scan.watch`: the bytes of a pass add up to `Scan.size_in_bytes`, however many are actually read."""

from collections.abc import Callable
from pathlib import Path

import pyarrow.compute as pc
import pytest

import kafkafmt
from kafkafmt.writing.files import FileRows
from tests.cli.conftest import on_terminal
from tests.golden_cases import GOLDEN, cases
from tests.logdir.builders import batch, segment

CODECS = next(case for case in cases("modern") if case.name == "01-codecs-4.3.1")
DAMAGED = GOLDEN / "modern" / "12-crash-4.3.1" / "log-dir" / "damaged"


def size_of_logs(path: Path) -> int:
    return sum(file.stat().st_size for file in path.rglob("*-?/*.log"))


def passed(scan: kafkafmt.Scan, read: Callable[[kafkafmt.Scan], object]) -> list[int]:
    """Numbers of bytes that a pass reported."""
    told: list[int] = []
    scan.watch(told.append)
    read(scan)
    return told


READS: list[Callable[[kafkafmt.Scan], object]] = [
    lambda scan: scan.to_table(),
    lambda scan: scan.count(),
    lambda scan: list(scan.batches()),
]


@pytest.mark.parametrize("read", READS, ids=["records", "count", "batches"])
def test_a_pass_goes_through_all_bytes(read: Callable[[kafkafmt.Scan], object]) -> None:
    scan = kafkafmt.scan(CODECS.log_dir)
    assert scan.size_in_bytes() == size_of_logs(CODECS.log_dir)
    told = passed(scan, read)
    assert sum(told) == scan.size_in_bytes()
    assert min(told) >= 0
    assert len(told) > 20


@pytest.mark.parametrize("engine", ["columnar", "reference"])
def test_damage_and_what_is_jumped_over_count_too(tmp_path: Path, engine: str) -> None:
    scan = kafkafmt.scan(DAMAGED, on_damage="skip", engine=engine)  # type: ignore[arg-type]
    assert sum(passed(scan, lambda scan: scan.to_table())) == scan.size_in_bytes() == size_of_logs(DAMAGED)
    segment(tmp_path / "t-0", 0, *(batch(number) for number in range(100)))
    segment(tmp_path / "t-0", 100, batch(100))
    segment(tmp_path / "u-0", 0)
    size = (tmp_path / "t-0" / f"{0:020d}.log").stat().st_size
    narrow = kafkafmt.scan(tmp_path, topics="t", start_offset=40, end_offset=50, engine=engine)  # type: ignore[arg-type]
    assert narrow.size_in_bytes() == size
    assert sum(passed(narrow, lambda scan: scan.to_table())) == size
    filtered = kafkafmt.scan(tmp_path).filter((pc.field("topic") == "t") & (pc.field("offset") < 7))
    assert filtered.size_in_bytes() == size


def test_rows_of_files_add_up_to_their_sizes(tmp_path: Path) -> None:
    from kafkafmt.cli.main import run

    paths = [str(tmp_path / f"rows.{form}") for form in ("parquet", "arrow", "csv", "jsonl")]
    for path in paths:
        assert run(["cat", str(CODECS.log_dir), "--out", path]) == 0
    rows = FileRows(paths)
    told: list[int] = []
    rows.advance = told.append
    assert sum(batch.num_rows for batch in rows.to_reader()) == 4 * kafkafmt.scan(CODECS.log_dir).count()
    assert sum(told) == rows.size_in_bytes() == sum(Path(path).stat().st_size for path in paths)
    assert min(told) >= 0


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ["cat", CODECS.log_dir, "--out", "rows.csv"],
        ["batches", CODECS.log_dir, "--out", "rows.csv"],
        ["sql", "select count(value) from records", CODECS.log_dir, "--out", "rows.csv"],
        ["extract", CODECS.log_dir, "--topic", "shapes", "--out", "bug"],
    ],
    ids=lambda arguments: str(arguments[0]),
)
def test_a_terminal_shows_the_share_that_is_read(
    arguments: list[object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    answer = on_terminal(*arguments, columns=120)
    assert answer.status == 0
    assert "100%" in answer.text
    quiet = on_terminal("cat", CODECS.log_dir, "--topic", "shapes", "--limit", "1", columns=120)
    assert "%" not in quiet.text
