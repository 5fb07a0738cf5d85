"""The partition of a group: Kafka's hash, and the source of the number of partitions."""

from pathlib import Path

import pytest

from kafkafmt.errors import SourceError
from kafkafmt.topics.consumer_groups import groups, home_partition, java_hash
from kafkafmt.topics.consumer_groups.catalog import homes_table, locate_groups
from tests.golden_cases import Case, cases
from tests.logdir.builders import segment

# Java 17's String.hashCode, and Kafka's Utils.abs(..) % 50 of it.
JAVA = {
    "payments": (1382682413, 13),
    "": (0, 0),
    "g-txn": (96578564, 14),
    "Größe 東京 🙂": (-167307365, 15),
    "polygenelubricants": (-(1 << 31), 0),
}


@pytest.mark.parametrize("group", sorted(JAVA))
def test_hash_and_partition_are_javas(group: str) -> None:
    assert (java_hash(group), home_partition(group, 50)) == JAVA[group]


@pytest.mark.parametrize("case", [case for case in cases("modern") if case.has("dump-offsets.txt")], ids=str)
def test_golden_groups_are_where_they_live(case: Case) -> None:
    count = len(list(case.log_dir.rglob("__consumer_offsets-*")))
    for group in groups(case.log_dir):
        assert home_partition(group.group_id, count) == group.coordinator_partition


def test_no_partition_of_none() -> None:
    with pytest.raises(ValueError, match="partitions must be at least 1"):
        home_partition("g", 0)


def test_the_count_is_the_metadatas_else_the_highest_seen_else_what_is_given(tmp_path: Path) -> None:
    for number in (0, 7):
        segment(tmp_path / f"__consumer_offsets-{number}", 0)
    seen, other = locate_groups(["payments", "g-txn"], tmp_path)
    assert (seen.partition, seen.partitions, seen.is_certain) == (1382682413 % 8, 8, False)
    assert seen.told_by == "__consumer_offsets-7 is the highest one on these disks"
    assert (seen.paths, other.paths) == ((), ())
    (given,) = locate_groups(["polygenelubricants"], tmp_path, partitions=50)
    assert (given.partition, given.partitions, given.is_certain, given.told_by) == (0, 50, True, "as given")
    assert given.paths == (str(tmp_path / "__consumer_offsets-0"),)


def test_a_partition_of_the_greatest_number_that_its_name_can_have(tmp_path: Path) -> None:
    segment(tmp_path / "__consumer_offsets-2147483647", 0)
    assert homes_table(locate_groups(["g"], tmp_path)).column("partitions").to_pylist() == [1 << 31]


def test_the_count_is_not_guessed(tmp_path: Path) -> None:
    segment(tmp_path / "orders-0", 0)
    with pytest.raises(SourceError, match="the number of partitions of __consumer_offsets is unknown"):
        locate_groups(["g"], tmp_path)
    with pytest.raises(ValueError, match="either a source or a number"):
        locate_groups(["g"])
