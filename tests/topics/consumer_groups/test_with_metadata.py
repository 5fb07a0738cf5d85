"""Facts that cluster metadata on the disks add: partition counts, names of topic ids, racks."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from kafkafmt.errors import CorruptError
from kafkafmt.files.damage import Damage
from kafkafmt.topics.consumer_groups import groups
from kafkafmt.topics.consumer_groups.assignment_check import check_assignments
from kafkafmt.topics.consumer_groups.catalog import locate_groups
from tests.logdir.builders import segment
from tests.topics.consumer_groups import coordinator_log as pack
from tests.topics.consumer_groups.coordinator_log import ORDERS_ID, Log, key


def of_topics(
    monkeypatch: pytest.MonkeyPatch, racks: dict[int, str | None], damage: tuple[Damage, ...] = (), **topics: int
) -> None:
    """Write metadata of topics with these partition counts; partition N is on broker N."""
    made = {
        name: SimpleNamespace(
            id=ORDERS_ID if name == "orders" else name,
            name=name,
            partitions={number: SimpleNamespace(replicas=(number,)) for number in range(count)},
        )
        for name, count in topics.items()
    }
    brokers = {number: SimpleNamespace(rack=rack) for number, rack in racks.items()}
    metadata = SimpleNamespace(topics=made, brokers=brokers, damage=damage)
    monkeypatch.setattr("kafkafmt.topics.consumer_groups.catalog.metadata_of", lambda *_: metadata)


def test_the_number_of_partitions_is_the_metadatas(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    segment(tmp_path / "__consumer_offsets-3", 0)
    of_topics(monkeypatch, {}, __consumer_offsets=50)
    (home,) = locate_groups(["payments"], tmp_path)
    assert (home.partition, home.partitions, home.is_certain) == (13, 50, True)
    assert home.told_by == "by the cluster's metadata on these disks"


def test_names_of_topic_ids_are_the_metadatas(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    of_topics(monkeypatch, {}, orders=4)
    log = Log()
    log.put((key(8, "g", "m"), pack.current(5, 0, [0])))
    found = groups(log.write(tmp_path))
    assert found["g"].members[0].assignment[0].topic == "orders"
    assert not found.notes


def assigned(tmp_path: Path) -> Any:
    """Two members in racks, each with the partition in its own rack."""
    log = Log()
    members = [
        pack.classic_member(name, pack.subscription("orders", rack=rack), pack.assignment({"orders": [number]}))
        for name, rack, number in (("a", "east", 1), ("b", "west", 0))
    ]
    log.put((key(2, "g"), pack.classic_group(*members)))
    found = groups(log.write(tmp_path))
    assert [member.rack_id for member in found["g"].members] == ["east", "west"]
    return [check.agrees for check in check_assignments(found, tmp_path)]


def test_racks_of_replicas_count_in_an_assignment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    of_topics(monkeypatch, {0: "west", 1: "east"}, orders=2)
    assert assigned(tmp_path) == [True, True]
    of_topics(monkeypatch, {0: None, 1: None}, orders=2)
    assert assigned(tmp_path) == [False, False]


def test_a_topic_that_is_in_no_metadata_is_assigned_to_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    of_topics(monkeypatch, {}, other=2)
    log = Log()
    member = pack.classic_member("m", pack.subscription("orders"), pack.assignment({"orders": [0]}))
    log.put((key(2, "g"), pack.classic_group(member)))
    (check,) = check_assignments(groups(log.write(tmp_path)), tmp_path)
    assert (check.agrees, check.expected) == (False, ())
    assert check.reason == "computed with the current partition counts (cluster metadata): none"


def test_damage_of_the_metadata_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    error = CorruptError("broken", file="metadata")
    damage = Damage("metadata", 0, 9, "corrupt", error)
    of_topics(monkeypatch, {}, damage=(damage, replace(damage, is_open_end=True)), orders=4)
    log = Log()
    log.put((key(8, "g", "m"), pack.current(5, 0, [0])))
    assert [str(error) for error in groups(log.write(tmp_path)).errors] == ["metadata: broken"]


def test_metadata_that_cannot_be_read_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise CorruptError("broken", file="metadata")

    monkeypatch.setattr("kafkafmt.topics.consumer_groups.catalog.metadata_of", fail)
    log = Log()
    log.put((key(8, "g", "m"), pack.current(5, 0, [0])))
    found = groups(log.write(tmp_path))
    assert [str(error) for error in found.errors] == ["metadata: broken"]
    (home,) = locate_groups(["g"], tmp_path)
    assert not home.is_certain
