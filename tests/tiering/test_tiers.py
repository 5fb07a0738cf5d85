"""`tiers` against the golden tiers: the state of each upload, sums, filters, and the segments reported as missing."""

import re
import shutil
from collections import defaultdict
from pathlib import Path
from typing import Any

import pyarrow.fs as pafs
import pytest

import kafkafmt
from kafkafmt import SourceError
from kafkafmt.tiering import STATES, TieredSegments, tiers
from tests.golden_cases import TierCase, tier_case, tier_cases
from tests.remote.counting import counting

Row = dict[str, Any]

CASES = [case for case in tier_cases() if case.has("tiers.jsonl")]
COLUMNS = [
    "topic",
    "topicId",
    "partition",
    "segmentId",
    "baseOffset",
    "endOffset",
    "sizeInBytes",
    "state",
    "objects",
]
FREED = {"incomplete upload", "overlapped", "expired", "deleted", "orphan"}


def expected(case: TierCase) -> list[Row]:
    rows = [{**{name: row.get(name) for name in COLUMNS}, "objects": sorted(row["objects"])} for row in told(case)]
    return sorted(rows, key=place)


def told(case: TierCase) -> list[Row]:
    return case.jsonl("tiers.jsonl")


def place(row: Row) -> tuple[str, str, int, int, str]:
    return row["topic"], row["topicId"], row["partition"], row["baseOffset"], row["segmentId"]


def rows(answer: TieredSegments) -> list[Row]:
    found: list[Row] = answer.to_table().select(COLUMNS).to_pylist()
    return found


def of(case: TierCase, **arguments: Any) -> TieredSegments:
    return tiers(case.tier, metadata=case.log_dir, **arguments)


def test_all_states_are_in_the_golden_cases() -> None:
    assert [case.name[:2] for case in CASES] == ["01", "02", "03", "04", "05", "06", "07", "08", "09", "11"]
    assert {row["state"] for case in CASES for row in told(case)} == set(STATES)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_each_upload_has_the_state_that_kafka_gives_it(case: TierCase) -> None:
    assert rows(of(case)) == expected(case)
    assert rows(kafkafmt.open(case.tier).tiers(metadata=case.log_dir)) == expected(case)
    # The log directory as one of the sources.
    assert rows(tiers([case.tier, case.log_dir])) == expected(case)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_totals_add_up(case: TierCase) -> None:
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for row in told(case):
        stored = sum((case.tier / each).stat().st_size for each in row["objects"])
        for number, value in enumerate((1, len(row["objects"]), stored)):
            counts[row["state"]][number] += value
    answer = of(case)
    assert answer.to_table("totals").to_pylist() == [
        {
            "state": state,
            "segments": counts[state][0],
            "objects": counts[state][1],
            "storedBytes": counts[state][2],
            "freedBytes": counts[state][2] if state in FREED else 0,
        }
        for state in STATES
        if state in counts
    ]
    assert answer.freed_bytes == sum(counts[state][2] for state in FREED if state in counts)
    # Each file of a tier belongs to one row.
    listed = [each for row in rows(answer) for each in row["objects"]]
    files = {str(path.relative_to(case.tier)) for path in case.tier.rglob("*") if path.is_file()}
    assert len(set(listed)) == len(listed)
    assert set(listed) <= files
    assert sum(answer.to_table()["storedBytes"].to_pylist()) == sum(
        (case.tier / each).stat().st_size for each in listed
    )


@pytest.mark.parametrize("case", CASES, ids=str)
def test_findings_name_what_is_missing(case: TierCase) -> None:
    answer = of(case)
    missing = [row for row in expected(case) if row["state"] == "missing"]
    assert [(each.topic, each.partition) for each in answer.findings] == [
        (row["topic"], row["partition"]) for row in missing
    ]
    for finding, row in zip(answer.findings, missing, strict=True):
        assert f"offsets {row['baseOffset']} to {row['endOffset']} are missing" in finding.message
        assert row["segmentId"] in finding.message
        assert finding.message.endswith(f": there are only {', '.join(row['objects'])}")
    assert bool(missing) == (case.name[:2] == "08")
    assert answer.damage == ()


def test_an_upload_without_any_object_is_missing(tmp_path: Path) -> None:
    case = tier_case(3)
    tier = Path(shutil.copytree(case.tier, tmp_path / "tier"))
    gone = expected(case)[0]
    for each in gone["objects"]:
        (tier / each).unlink()
    answer = tiers(tier, metadata=case.log_dir)
    assert rows(answer)[0] == {**gone, "state": "missing", "objects": []}
    assert rows(answer)[1:] == expected(case)[1:]
    (finding,) = answer.findings
    assert finding.message.endswith(f"segment {gone['segmentId']}: none of its objects exists")


def test_filters() -> None:
    case = tier_case(8)
    everything = expected(case)
    assert rows(of(case, topics="orders")) == [row for row in everything if row["topic"] == "orders"] != []
    assert rows(of(case, topics=["orders", "none"], missing="note")) == rows(of(case, topics="orders"))
    assert rows(of(case, topics=re.compile("o.*"))) == rows(of(case, topics="orders"))
    assert rows(of(case, partitions=1)) == [row for row in everything if row["partition"] == 1] != []
    assert rows(of(case, partitions=[0, 1])) == everything
    for state in STATES:
        assert rows(of(case, states=[state])) == [row for row in everything if row["state"] == state]
    assert rows(of(case, states=["orphan", "missing"], topics="orders", partitions=1)) == [
        row
        for row in everything
        if row["state"] in ("orphan", "missing") and (row["topic"], row["partition"]) == ("orders", 1)
    ]
    assert rows(of(case, topics="none", missing="note")) == []


def test_findings_are_those_of_the_uploads_that_were_asked_for() -> None:
    case = tier_case(8)
    assert len(of(case, states=["missing"]).findings) == 2
    assert of(case, states=["complete"]).findings == []
    assert of(case, partitions=0).findings == []


def test_a_state_that_there_is_not() -> None:
    with pytest.raises(ValueError, match="states"):
        of(tier_case(3), states=["lost"])


def test_the_metadata_log_must_be_among_the_paths(tmp_path: Path) -> None:
    case = tier_case(3)
    with pytest.raises(SourceError, match=r"no __remote_log_metadata among the paths: .* with --metadata") as caught:
        tiers(case.tier)
    assert caught.value.file == str(case.tier)
    beside = Path(shutil.copytree(case.log_dir / "orders-0", tmp_path / "disk" / "orders-0"))
    with pytest.raises(SourceError, match="--metadata"):
        tiers(case.tier, metadata=beside.parent)


def test_a_tier_must_be_among_the_paths() -> None:
    case = tier_case(3)
    with pytest.raises(SourceError, match="no tiered segments found here") as caught:
        tiers(case.log_dir)
    assert caught.value.file == str(case.log_dir)
    with pytest.raises(SourceError, match="no tiered segments found here"):
        tiers(case.log_dir, metadata=case.log_dir)


@pytest.mark.parametrize(("number", "manifests"), [(1, 1), (3, 1), (4, 1), (6, 1), (8, 1), (9, 0)])
def test_no_object_is_opened_but_a_manifest_that_tells_the_prefix(number: int, manifests: int) -> None:
    case = tier_case(number)
    filesystem, counts = counting(pafs.SubTreeFileSystem(str(case.path), pafs.LocalFileSystem()))
    answer = tiers("tier", metadata="log-dir", filesystem=filesystem)
    assert rows(answer) == expected(case)
    of_tier = [path for path in counts.opened if not path.startswith("log-dir/")]
    assert [Path(path).suffix for path in of_tier] == [".rsm-manifest"] * manifests
    assert any("__remote_log_metadata" in path for path in counts.opened)
    # One for the tier, and one for the log directory.
    assert counts.requests["list"] == 2


def test_of_a_topic_that_was_made_again_both_are_told_apart() -> None:
    case = tier_case(5)
    old = {row["topicId"] for row in rows(of(case, states=["deleted"]))}
    new = {row["topicId"] for row in rows(of(case, states=["complete"]))}
    assert len(old) == 1
    assert not old & new
    assert {row["topic"] for row in rows(of(case, states=["deleted"]))} <= {row["topic"] for row in rows(of(case))}


def test_the_log_directory_of_the_last_leader_is_enough() -> None:
    case = tier_case(11)
    states = {row["segmentId"]: row["state"] for row in expected(case)}
    metadata = next(each for each in case.log_dir.iterdir() if list(each.glob("__remote_log_metadata-*")))
    assert metadata.name == "node-2"
    assert {row["segmentId"]: row["state"] for row in rows(tiers(case.tier, metadata=metadata))} == states
