"""Partitions whose objects are all gone from a tier, although `__remote_log_metadata` refers to them."""

import shutil
from pathlib import Path
from typing import Any

import pytest

import kafkafmt
from kafkafmt import CorruptError
from kafkafmt.logdir.remote_log import RemoteLog, read_remote_log
from kafkafmt.logdir.tier import TierDir
from tests.engines import Engine
from tests.golden_cases import TierCase, tier_case
from tests.scanning import united
from tests.tiered_records import COLUMNS, Records, consumed, is_users, read

PLAIN, LOCAL = tier_case(1), tier_case(9)
LOST = {PLAIN: ("orders", 1), LOCAL: ("orders", 0)}


def without_lost(case: TierCase, tmp_path: Path) -> Path:
    """Copy a tier without the folder of a partition."""
    tier = Path(shutil.copytree(case.tier, tmp_path / "tier"))
    shutil.rmtree(tier / folder_of_lost(case))
    return tier


def folder_of_lost(case: TierCase) -> Path:
    (folder,) = case.tier.rglob("orders-*/1" if case is PLAIN else "orders-0-*")
    return folder.relative_to(case.tier)


def local_start(case: TierCase) -> int:
    topic, partition = LOST[case]
    return int(min((case.log_dir / f"{topic}-{partition}").glob("*.log")).stem)


def on_disk(case: TierCase) -> Records:
    """The consumer's records without those in that folder only: offsets below the first segment on the disk."""
    start = local_start(case)
    return {at: content for at, content in consumed(case).items() if at[:2] != LOST[case] or at[2] >= start}


def scan(*places: Path, **arguments: Any) -> kafkafmt.Scan:
    return kafkafmt.scan(list(places), columns=COLUMNS, **arguments)


def referenced(case: TierCase) -> list[tuple[int, str]]:
    """Base offsets and ids of segments in remote storage only, by the events as Kafka's classes read them."""
    return sorted(
        (row["startOffset"], row["segmentId"])
        for row in case.jsonl("segments.jsonl")
        if (row["topic"], row["partition"]) == LOST[case]
        and row["answersOffsets"]
        and row["startOffset"] < local_start(case)
    )


@pytest.mark.parametrize("case", [PLAIN, LOCAL], ids=str)
def test_its_records_are_not_lost_silently(case: TierCase, tmp_path: Path, engine: Engine) -> None:
    tier = without_lost(case, tmp_path)
    with pytest.raises(CorruptError, match="are missing, but __remote_log_metadata lists them") as caught:
        read(scan(case.log_dir, tier, engine=engine))
    assert caught.value.found == "none"
    found = scan(case.log_dir, tier, engine=engine, on_damage="skip")
    assert read(found, is_users) == on_disk(case)
    place = tier / folder_of_lost(case)
    assert [each.file for each in found.damage] == [
        f"{place}/{base:020d}-{segment_id}.log" for base, segment_id in referenced(case)
    ]
    assert found.damage


@pytest.mark.parametrize("number", [1, 5, 6, 9])
def test_it_is_named_where_its_objects_would_lie(number: int) -> None:
    found = 0
    for log_dir in kafkafmt.open(tier_case(number).tier).log_dirs:
        if isinstance(log_dir.location, TierDir):
            for each in log_dir.location.partitions:
                lost = log_dir.location.without_objects(each.partition_name, each.topic_id)
                assert (str(lost), lost and lost.identity) == (str(each), each.identity)
                found += 1
    assert found > 1


def test_splits_report_it_too(tmp_path: Path) -> None:
    tier = without_lost(PLAIN, tmp_path)
    found = scan(PLAIN.log_dir, tier, on_damage="skip")
    rows = found.to_table()
    outcome = united.of_plan(found.plan(max_split_bytes=16 * 1024))
    assert outcome.table.equals(rows)
    assert len(outcome.damage) == len(referenced(PLAIN))


def test_a_copy_has_what_is_left_and_says_what_is_not(tmp_path: Path) -> None:
    tier = without_lost(PLAIN, tmp_path)
    answer = kafkafmt.repair([PLAIN.log_dir, tier], tmp_path / "out", topics=["orders"])
    (done,) = [each for each in answer.done if (each.topic, each.partition) == LOST[PLAIN]]
    assert [each.reason for each in done.dropped] != []
    of_topic = {at: content for at, content in on_disk(PLAIN).items() if at[0] == "orders"}
    assert read(scan(tmp_path / "out"), is_users) == of_topic


@pytest.mark.parametrize("named", ["payments.v1-*", "orders-*/0"])
def test_a_folder_in_a_tier_need_not_have_it(tmp_path: Path, named: str) -> None:
    tier = without_lost(PLAIN, tmp_path)
    found = scan(PLAIN.log_dir, *tier.glob(named), topics={"orders": 1})
    assert read(found) == {at: content for at, content in on_disk(PLAIN).items() if at[:2] == LOST[PLAIN]} != {}
    assert not found.damage


def test_what_was_never_tiered_is_read_as_ever(tmp_path: Path) -> None:
    tier = without_lost(PLAIN, tmp_path)
    found = scan(PLAIN.log_dir, tier, topics=["local-only"])
    assert read(found) == {at: content for at, content in consumed(PLAIN).items() if at[0] == "local-only"} != {}


def test_without_a_tier_nobody_reads_its_metadata(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = 0

    def counted(partitions: Any) -> RemoteLog:
        nonlocal calls
        calls += 1
        return read_remote_log(partitions)

    monkeypatch.setattr("kafkafmt.logdir.remote_log.read_remote_log", counted)
    scan(PLAIN.log_dir).to_table()
    assert calls == 0
    disks = kafkafmt.open([PLAIN.log_dir, without_lost(PLAIN, tmp_path)])
    disks.scan(topics=["__remote_log_metadata"]).to_table()
    assert calls == 0
    disks.scan(on_damage="skip").to_table()
    assert calls == 1
