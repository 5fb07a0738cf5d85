"""Commands that write never write into a tier, whichever part of it is named as the source."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

import kafkafmt
from kafkafmt import SourceError
from kafkafmt.cli.main import run
from tests.golden_cases import TierCase, tier_case

PLAIN, LOCAL, CONFLUENT = tier_case(1), tier_case(9), tier_case(10)
ROWS = pa.table({"value": [b"v"], "timestamp": [1]})

WRITERS: dict[str, Callable[[list[Path], Path], object]] = {
    "repair": kafkafmt.repair,
    "repair --dry-run": lambda source, out: kafkafmt.repair(source, out, dry_run=True),
    "extract": lambda source, out: kafkafmt.extract(source, out, topics="orders"),
    "write a scan": lambda source, out: kafkafmt.write(kafkafmt.scan(source), out),
    "write other rows": lambda _, out: kafkafmt.write(ROWS, out, topic="t", partitions=1),
}


def files_below(place: Path) -> list[Path]:
    return sorted(place.rglob("*"))


def copied(case: TierCase, tmp_path: Path, below: str = "tier") -> Path:
    shutil.copytree(case.tier, tmp_path / below)
    return tmp_path / "tier"


@pytest.mark.parametrize("with_log_dir", [False, True], ids=["tier", "log-dir and tier"])
@pytest.mark.parametrize("at", [".", "orders-*", "orders-*/0"])
@pytest.mark.parametrize("name", WRITERS)
def test_no_folder_of_a_tier_is_a_target(tmp_path: Path, name: str, at: str, with_log_dir: bool) -> None:
    tier = copied(PLAIN, tmp_path)
    (folder,) = tier.glob(at) if at != "." else [tier]
    before = files_below(tmp_path)
    with pytest.raises(SourceError, match=r"(is inside a source|lies in remote storage)"):
        WRITERS[name]([PLAIN.log_dir, tier] if with_log_dir else [tier], folder / "new")
    assert files_below(tmp_path) == before


@pytest.mark.parametrize("name", ["repair", "write a scan"])
@pytest.mark.parametrize("case", [LOCAL, CONFLUENT], ids=str)
def test_nor_is_one_of_other_layouts(tmp_path: Path, case: TierCase, name: str) -> None:
    tier = copied(case, tmp_path)
    before = files_below(tmp_path)
    for folder in sorted({each.parent for each in tier.rglob("*")}):
        with pytest.raises(SourceError, match=r"(is inside a source|lies in remote storage)"):
            WRITERS[name]([case.log_dir, tier], folder / "new")
    assert files_below(tmp_path) == before


@pytest.mark.parametrize("name", ["repair", "extract", "write a scan"])
def test_nor_is_a_folder_above_a_key_prefix_that_was_named(tmp_path: Path, name: str) -> None:
    tier = copied(PLAIN, tmp_path, "tier/some/prefix")
    with pytest.raises(SourceError, match="is inside a source"):
        WRITERS[name]([PLAIN.log_dir, tier], tier / "new")
    assert list(tier.iterdir()) == [tier / "some"]


def test_a_link_into_a_tier_leads_to_it(tmp_path: Path) -> None:
    tier = copied(PLAIN, tmp_path)
    (tmp_path / "link").symlink_to(tier)
    with pytest.raises(SourceError, match="lies in remote storage"):
        kafkafmt.write(ROWS, tmp_path / "link" / "new", topic="t", partitions=1)


@pytest.mark.slow
@pytest.mark.parametrize("at", [".", "orders-*", "orders-*/0"])
def test_rows_are_not_written_into_a_tier(tmp_path: Path, capsys: pytest.CaptureFixture[str], at: str) -> None:
    tier = copied(PLAIN, tmp_path)
    (folder,) = tier.glob(at) if at != "." else [tier]
    before = files_below(tmp_path)
    assert run(["cat", str(tier), "--out", str(folder / "rows.csv")]) == 2
    assert f"refusing to write {folder}/rows.csv into {folder}, which has tiered segments" in capsys.readouterr().err
    assert files_below(tmp_path) == before
    assert run(["cat", str(tier), "--limit", "3", "--out", str(tmp_path / "rows.csv")]) == 0
