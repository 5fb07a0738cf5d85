"""Refusals and warnings by a target's configs and offsets. `tools/proof replay` shows what brokers refuse."""

import shutil
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

import kafkafmt
from kafkafmt.replaying import checks
from kafkafmt.replaying.checks import TargetFacts
from kafkafmt.replaying.cluster import Position, TargetTopic
from kafkafmt.replaying.lanes import Lane, Progress, WantedRecords
from kafkafmt.replaying.moved_groups import MovedGroups
from kafkafmt.replaying.source import SourceTopics, lanes_of
from kafkafmt.replaying.survey import Survey, survey
from kafkafmt.writing import BatchBuilder, LogWriter

SHOP = Path("docs/examples/shop/log-dir")
DISKS = kafkafmt.open(SHOP)
LANES = lanes_of(DISKS, "orders", None)
DAY = 86_400_000
NOW = time.time_ns() // 1_000_000


def facts(
    configs: Mapping[str, str] | None = None,
    *,
    partitions: int = 3,
    replicas: int = 1,
    ends: tuple[int, int] = (0, 0),
    survey: Survey | None = None,
    positions: Mapping[Lane, Progress] | None = None,
) -> TargetFacts:
    target = TargetTopic("orders", dict.fromkeys(range(partitions), 1), replicas, configs or {})
    surveys = dict.fromkeys(LANES, survey or Survey(10, 1000, NOW - 30 * DAY, NOW, 500))
    there = {lane.target: ends for lane in LANES}
    return TargetFacts(LANES, surveys, {"orders": target}, False, set(), positions or {}, there)  # noqa: FBT003


def refused(found: TargetFacts, *, appends: bool = False) -> list[str]:
    return list(checks.refusals(found, appends=appends, disks=DISKS, choice=WantedRecords()))


def test_a_target_that_fits_is_not_refused() -> None:
    assert refused(facts({"retention.ms": "-1", "max.message.bytes": "1048588"})) == []
    assert refused(facts(ends=(7, 7))) == []


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (facts(partitions=2), "orders has 2 partitions in the target, the source has 3: add partitions"),
        (
            facts(ends=(5, 8)),
            "partition 0 has offsets 5 to 7, and 2 more partitions have records, which",
        ),
        (facts({"min.insync.replicas": "2"}), "orders has 1 replica, and its min.insync.replicas is 2"),
        (facts({"message.timestamp.type": "LogAppendTime"}), "message.timestamp.type=LogAppendTime: brokers would"),
        (facts({"message.timestamp.before.max.ms": str(DAY)}), f"older than message.timestamp.before.max.ms={DAY}"),
        (facts({"message.timestamp.difference.max.ms": str(DAY)}), f"message.timestamp.before.max.ms={DAY}"),
        (
            facts({"message.timestamp.after.max.ms": "1000"}, survey=Survey(1, 1, NOW, NOW + DAY, 9)),
            "later than message.timestamp.after.max.ms=1000 from now",
        ),
    ],
)
def test_a_target_that_does_not_fit_is_refused(found: TargetFacts, text: str) -> None:
    (refusal,) = refused(found)
    assert text in refusal


@pytest.mark.parametrize(
    "found",
    [
        facts({"min.insync.replicas": "2"}),
        facts({"message.timestamp.type": "LogAppendTime"}),
        facts({"message.timestamp.before.max.ms": str(DAY)}),
        facts({"message.timestamp.after.max.ms": "1000"}, survey=Survey(1, 1, NOW, NOW + DAY, 9)),
    ],
)
def test_what_a_missing_topic_needs_is_not_altered(found: TargetFacts) -> None:
    (refusal,) = refused(replace(found, creates=True, created={"orders"}))
    assert "kafka-topics.sh --bootstrap-server .. --create --topic orders --partitions 3 --config m" in refusal
    assert "--alter" not in refusal


def test_records_that_this_run_has_written_and_those_to_append_to_are_no_reason() -> None:
    positions = {lane: Progress(3, "orders", lane.partition, "") for lane in LANES}
    assert refused(facts(ends=(0, 9), positions=positions)) == []
    assert refused(facts(ends=(0, 9)), appends=True) == []


def test_records_without_a_timestamp_have_no_bounds() -> None:
    found = facts({"message.timestamp.before.max.ms": "1", "retention.ms": "1"}, survey=Survey(1, 1))
    assert refused(found) == list(checks.warnings(found)) == []


def test_a_record_that_does_not_fit_is_named() -> None:
    found = facts({"max.message.bytes": "70"}, survey=Survey(1, 1, NOW, NOW, 10_000))
    refusals = refused(found)
    assert len(refusals) == 3
    assert refusals[0].startswith("orders has max.message.bytes=70, and the record at orders-0 offset ")


def test_a_record_without_a_key_is_refused_by_a_topic_that_is_compacted(tmp_path: Path) -> None:
    rows = {"key": [b"k", None, b"k"], "value": [b"v", b"v", None], "timestamp": [NOW] * 3}
    kafkafmt.write(pa.table(rows), tmp_path / "d", topic="orders", partitions=1)
    opened = kafkafmt.open(tmp_path / "d")
    lanes = lanes_of(opened, "orders", 0)
    for policy, start, count in (("delete", 0, 0), ("compact", 0, 1), ("compact,delete", 0, 1), ("compact", 2, 0)):
        target = TargetTopic("orders", {0: 1}, 1, {"cleanup.policy": policy})
        positions = {lanes[0]: Progress(start, "orders", 0, "")} if start else {}
        surveys = {lanes[0]: Survey()}
        found = TargetFacts(lanes, surveys, {"orders": target}, False, set(), positions, {})  # noqa: FBT003
        refusals = list(checks.refusals(found, appends=False, disks=opened, choice=WantedRecords()))
        assert len(refusals) == count
        assert all(f"={policy}, and the record at orders-0 offset 1 has no key" in each for each in refusals)


@pytest.mark.parametrize(
    ("stamps", "oldest", "newest"),
    [([-1, -1], None, None), ([-1, 7, 5, -1], 5, 7), ([-1, 0], 0, 0), ([3, 4], 3, 4)],
)
@pytest.mark.parametrize("open_transactions", [False, True])
def test_a_record_without_a_timestamp_has_none_in_the_survey(
    tmp_path: Path, stamps: list[int], oldest: int | None, newest: int | None, *, open_transactions: bool
) -> None:
    rows = {"value": [b"v"] * len(stamps), "timestamp": stamps}
    kafkafmt.write(pa.table(rows), tmp_path / "d", topic="orders", partitions=1)
    opened = kafkafmt.open(tmp_path / "d")
    (lane,) = lanes_of(opened, "orders", 0)
    lane = replace(lane, aborted=()) if open_transactions else lane
    surveyed = survey(opened, WantedRecords(), {lane: 0})[lane]
    assert (surveyed.records, surveyed.oldest, surveyed.newest) == (len(stamps), oldest, newest)


@pytest.mark.parametrize(
    ("configs", "texts"),
    [
        ({"retention.ms": "-1"}, []),
        ({"retention.ms": str(60 * DAY)}, []),
        ({"retention.ms": str(7 * DAY)}, [f"orders has retention.ms={7 * DAY} (7 days), and its oldest record is "]),
        ({"retention.ms": str(7 * DAY), "cleanup.policy": "compact"}, []),
        ({"retention.bytes": "999"}, ["orders has retention.bytes=999, and a partition of the source has 1000"]),
        ({"retention.bytes": "1000"}, []),
    ],
)
def test_retention_is_warned_of(configs: Mapping[str, str], texts: list[str]) -> None:
    found = list(checks.warnings(facts(configs)))
    assert len(found) == len(texts)
    assert all(text in line for line, text in zip(found, texts, strict=True))


def test_the_retention_of_a_missing_topic_is_not_altered() -> None:
    (warning,) = checks.warnings(replace(facts({"retention.ms": str(DAY)}), creates=True, created={"orders"}))
    assert warning.endswith("Keep it with --hold-retention")


def test_what_keeps_records_is_set_only_where_they_are_deleted() -> None:
    assert checks.holding({"retention.ms": "5", "retention.bytes": "-1"}) == {"retention.ms": "-1"}
    assert checks.holding({"retention.ms": "-1"}) == {}


def test_gaps_between_starts_are_warned_of() -> None:
    lane = LANES[2]
    assert list(checks.gaps(facts(positions={lane: Progress(10, "orders", 2, "")}))) == []
    (text,) = checks.gaps(facts(positions={lane: Progress(11, "orders", 2, "")}))
    assert text.startswith("orders-2 continues at offset 11, and the log ends at 10 on these disks")
    (text,) = checks.gaps(facts(positions={replace_start(lane, 5): Progress(3, "orders", 2, "")}))
    assert text.startswith("orders-2 continues at offset 3, and the log begins at 5 on these disks")


def replace_start(lane: Lane, start: int) -> Lane:
    class Later:
        log_start_offset = start
        log_end_offset = lane.source.log_end_offset

    return replace(lane, source=Later())  # type: ignore[arg-type]


def test_partitions_that_are_not_on_the_disks_are_named(tmp_path: Path) -> None:
    shutil.copytree(SHOP, tmp_path / "disk")
    shutil.rmtree(tmp_path / "disk" / "orders-1")
    opened = kafkafmt.open(tmp_path / "disk")
    with kafkafmt.serve(SHOP, say=lambda _: None) as server:
        done = kafkafmt.replay(opened, server.address, topics="orders", dry_run=True)
    assert "orders-1 is not on these disks: nothing is sent to it" in done.warnings


def test_configs_of_another_cluster_are_left_out() -> None:
    assert SourceTopics(DISKS).configs("page-views") == ({"compression.type": "zstd", "retention.ms": "-1"}, [])
    assert SourceTopics(DISKS).partitions("orders") == 3
    assert SourceTopics(DISKS).partitions("none") == 0


def test_a_target_that_has_lost_what_was_sent_is_refused() -> None:
    positions = {lane: Progress(3, "orders", lane.partition, "", records=3, target=4) for lane in LANES[:1]}
    (refusal,) = refused(facts(ends=(0, 3), positions=positions), appends=True)
    assert refusal.startswith("orders-0 ends at offset 3 in the target, and this run has filled it up to 4")
    assert refused(facts(ends=(0, 4), positions=positions), appends=True) == []
    assert refused(facts(ends=(4, 4), positions=positions), appends=True) == []  # deleted by retention since


def test_a_partition_without_a_leader_is_refused() -> None:
    found = facts()
    target = TargetTopic("orders", {0: 1, 1: -1, 2: 1}, 1, {})
    ends = {place: end for place, end in found.ends.items() if place != ("orders", 1)}
    assert refused(replace(found, targets={"orders": target}, ends=ends)) == ["orders-1 has no leader in the target"]


def transactional(offset: int, producer: int, marker: str = "") -> bytes:
    builder = BatchBuilder(
        base_offset=offset,
        producer_id=producer,
        producer_epoch=0,
        base_sequence=-1 if marker else 0,
        is_transactional=True,
        is_control=bool(marker),
        partition_leader_epoch=0,
    )
    if marker:
        builder.append_control(NOW, marker, coordinator_epoch=0)
    else:
        builder.append(NOW, None, b"v")
    return builder.build()


@pytest.mark.parametrize(("marker", "count"), [("COMMIT", 1), ("ABORT", 0), ("", 0)])
def test_a_commit_after_an_earlier_start_took_it_as_aborted_is_warned_of(
    tmp_path: Path, marker: str, count: int
) -> None:
    log = LogWriter(tmp_path / "orders-0")
    log.append(transactional(0, 7))
    log.append(transactional(1, 8))
    log.append(transactional(2, 8, "COMMIT"))
    until = log.log_end_offset
    if marker:
        log.append(transactional(3, 7, marker))
    log.append(transactional(4, 8))
    log.append(transactional(5, 8, "ABORT"))
    log.close()
    lanes = lanes_of(kafkafmt.open(tmp_path / "orders-0"), None, None)
    found = facts(positions={lanes[0]: Progress(2, "orders", 0, "", aborted_until=until)})
    texts = list(checks.committed_since(found))
    assert len(texts) == count
    assert all("the transaction that begins at offset 0 as aborted, and it is committed" in text for text in texts)
    assert not list(checks.committed_since(facts(positions={lanes[0]: Progress(2, "orders", 0, "")})))
    assert not list(checks.committed_since(facts(positions={lanes[0]: Progress(0, "orders", 0, "", aborted_until=3)})))


def test_groups_that_have_offsets_in_the_target() -> None:
    lane, other = LANES[:2]
    wanted = {lane: ["a", "b", "c"], other: ["a"]}
    current = {
        "a": {lane.target: Position(5, ""), other.target: Position(8, "")},
        "b": {lane.target: Position(0, ""), other.target: Position(0, "")},
        "c": {},
    }
    moved = MovedGroups.of(facts(ends=(2, 8)), wanted, current)
    assert [each.partition(":")[0] for each in moved.unread] == [
        "group a of the target is in orders-0 at offset 5 of 8",
        "group b of the target is in orders-0 at offset 0 of 8",
    ]
    assert [each.partition(":")[0] for each in moved.replaced] == ["group a of the target is in orders-1 at offset 8"]
    begun = {each: Progress(3, "orders", each.partition, "", records=3, target=8, start=5) for each in (lane, other)}
    moved = MovedGroups.of(facts(ends=(0, 8), positions=begun), wanted, current)
    assert len(moved.unread) == 1  # b, before the first record of the run
    (replaced,) = moved.replaced
    assert replaced.startswith("group a of the target is in orders-0 at offset 5, orders-1 at offset 8: --groups moves")
    assert MovedGroups.of(facts(ends=(8, 8)), wanted, current).unread == ()  # the rest has been deleted


def test_other_bounds_of_timestamps_are_warned_of() -> None:
    chosen = WantedRecords(start_timestamp="2026-11-21T20:51:41.1")
    assert chosen.bounds == "from 1795294301100"
    found = facts(positions={lane: Progress(3, "orders", lane.partition, "", chosen=chosen.bounds) for lane in LANES})
    assert list(checks.other_choice(found, chosen)) == []
    assert list(checks.other_choice(facts(positions={LANES[0]: Progress(3, "orders", 0, "")}), chosen)) == []  # had all
    (text,) = checks.other_choice(found, WantedRecords())
    assert text.startswith(
        "earlier starts of this run had other bounds of timestamps (from 1795294301100) in orders-0 and 2 more"
    )
