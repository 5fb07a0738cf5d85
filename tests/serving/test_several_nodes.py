"""Disks of several nodes: the best replica of each partition is served, and strays are left out."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import kafkafmt
from tests.golden_cases import ClusterCase, cluster_case
from tests.serving.wire import Wire, offset_listed


def served_case(case: ClusterCase, home: Path, lines: list[str]) -> Iterator[tuple[Wire, kafkafmt.Disks]]:
    case.unpack(home)
    disks = kafkafmt.open(home)
    with disks.serve(say=lines.append) as server, Wire(server.address) as wire:
        yield wire, disks


def bounds(wire: Wire, topic: str, partition: int) -> tuple[int | None, int | None]:
    first, end = (offset_listed(wire, topic, partition, time) for time in (-2, -1))
    return (None, None) if first["ErrorCode"] else (first["Offset"], end["Offset"])


# 5: the last node lags. 14: an unknown topic id. 33: two nodes diverged.
@pytest.mark.slow
@pytest.mark.parametrize(("number", "told"), [(5, None), (14, "n2/d1/orders-0"), (33, "n1/d0/orders-2")])
def test_offsets_are_those_of_the_cluster_that_starts(number: int, told: str | None, tmp_path: Path) -> None:
    case, lines = cluster_case(number), list[str]()
    for wire, disks in served_case(case, tmp_path, lines):
        ends = disks.scan().end_offsets()
        leaders = {(each["topic"], each["partition"]): each for each in case.jsonl("served.jsonl")}
        assert leaders
        for (topic, partition), leader in leaders.items():
            first, end = bounds(wire, topic, partition)
            assert (first, end) == (leader["earliest"], leader["latest"])
            assert end == ends[topic, partition]
    said = [line for line in lines if told is not None and told in line]
    assert len(said) == (told is not None)
    if number == 33:
        (line,) = said
        assert line.startswith("the disks disagree: 2 replicas are not served: ")
        assert "at offset 27: leader epoch 1 here, 3 there" in line


@pytest.mark.slow
def test_strays_are_left_out_in_one_line(tmp_path: Path) -> None:
    case, lines = cluster_case(18), list[str]()
    for wire, _ in served_case(case, tmp_path, lines):
        strays = {each["path"] for each in case.jsonl("partitions.jsonl") if each["action"] == "stray"}
        assert "n2/d1/solo-0" in strays
        topics = {each["Name"]: each for each in wire.ask("Metadata", {"Topics": None})["Topics"]}
        assert [each["PartitionIndex"] for each in topics["solo"]["Partitions"]] == [1]
        (line,) = (line for line in lines if "stray" in line)
        assert line.startswith("not served: 1 directory that Kafka sets aside as -stray: ")
        assert line.endswith("n2/d1/solo-0 is not assigned to broker 2: the replicas are on 1")
