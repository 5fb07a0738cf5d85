"""The last batch of a log has a wrong base offset, which no CRC covers; the figures are from Kafka 4.4 brokers.

They were started on the disks of tests/golden/cluster/01-clean with this one field changed (`startup_proof.nodes`).
"""

import struct
from pathlib import Path
from typing import Any

import pytest

import kafkafmt
from kafkafmt.disks import Disks
from kafkafmt.startup.verification import Verification
from kafkafmt.survey import Options, survey
from tests.golden_cases import cluster_case
from tests.logdir.builders import batch, segment

LAST = 386
"""Where the last batch of orders-0 begins in its last segment: offsets 60 to 65, each one record."""
LOG = "orders-0/00000000000000000053"
LOST_AT_53 = {"logEndOffset": 53, "logEndOffsetOnDisk": 66, "lostRecords": 13, "firstLostOffset": 53}


def disks(target: Path, base_offset: int) -> dict[int, list[Path]]:
    """The disks of two nodes; node 1 has another base offset in its last batch of orders-0."""
    nodes = cluster_case(1).unpack(target)
    with (nodes[1][0] / f"{LOG}.log").open("r+b") as file:
        file.seek(LAST)
        assert file.read(8) == struct.pack(">q", 60)
        file.seek(LAST)
        file.write(struct.pack(">q", base_offset))
    return nodes


def of_orders(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [row for row in rows if (row["topic"], row["partition"]) == ("orders", 0)]


def findings(answer: Verification) -> dict[str, dict[str, Any]]:
    """The findings of orders-0 by kind, except those of indexes."""
    rows = [row for row in of_orders(answer.findings.to_pylist()) if row["kind"] != "index"]
    assert len({row["kind"] for row in rows}) == len(rows), rows
    return {row["kind"]: row for row in rows}


def wrong_index(node: list[Path]) -> None:
    """The entry of the offset index points beyond the segment."""
    with (node[0] / f"{LOG}.index").open("r+b") as file:
        file.write(struct.pack(">i", 500))


@pytest.mark.slow
@pytest.mark.parametrize("cause", ["offset", "index"])
def test_a_log_end_that_falls_costs_what_is_above_it(cause: str, tmp_path: Path) -> None:
    """Kafka reads the log end starting at the last index entry: either fault hides the whole segment."""
    nodes = disks(tmp_path, 3 if cause == "offset" else 60)
    if cause == "index":
        wrong_index(nodes[1])
    answer = Disks([str(path) for path in nodes[1]]).verify()
    (row,) = of_orders(answer.partitions.to_pylist())
    assert {name: row[name] for name in LOST_AT_53} == LOST_AT_53
    assert answer.verdict["lostRecords"].to_pylist() == [13, 0]
    found = findings(answer)
    end = found.pop("log end")
    assert (end["message"].partition(";")[0], end["records"]) == (
        "the log end falls from 66 to 53, and no byte is cut",
        13,
    )
    assert (end["firstOffset"], end["lastOffset"]) == (53, 65)
    # Without its .index Kafka would recover the segment, and not start: an offset is below its base offset.
    assert ("delete the .index" in end["advice"]) == (cause == "index")
    assert "Node 1 starts, but Kafka does not see the last 13 records of 1 log" in answer.headlines[0]
    assert {kind: (each["firstOffset"], each["lastOffset"]) for kind, each in found.items()} == (
        {"offset": (60, 65)} if cause == "offset" else {}
    )


@pytest.mark.slow
def test_a_cluster_serves_up_to_the_log_end_that_fell(tmp_path: Path) -> None:
    nodes = disks(tmp_path, 3)
    answer = Disks([str(path) for paths in nodes.values() for path in paths]).verify()
    (row,) = of_orders(answer.cluster.to_pylist())
    assert (row["leader"], row["leaderLogEndOffset"], row["served"]) == (1, 53, 53)
    assert row["followers"] == [{"node": 2, "logEndOffset": 66, "truncateTo": 53}]
    assert (row["lostRecords"], row["firstLostOffset"], row["elsewhere"]) == (6, 60, 13)


@pytest.mark.slow
def test_a_log_end_in_an_earlier_segment_costs_the_later_ones_too(tmp_path: Path) -> None:
    """Without index entries Kafka reads the whole last segment, and ends the log after its last batch."""
    nodes = disks(tmp_path, 3)
    (nodes[1][0] / f"{LOG}.index").write_bytes(b"")
    (row,) = of_orders(Disks([str(path) for path in nodes[1]]).verify().partitions.to_pylist())
    assert (row["logEndOffset"], row["logEndOffsetOnDisk"]) == (9, 66)
    assert (row["lostRecords"], row["firstLostOffset"]) == (57, 9)


@pytest.mark.slow
@pytest.mark.parametrize("base_offset", [3, 10_000_000])
def test_verify_ls_and_repair_refute_the_same_batch(base_offset: int, tmp_path: Path) -> None:
    node = disks(tmp_path, base_offset)[1][0]
    (dropped,) = kafkafmt.repair(node, tmp_path / "out", dry_run=True).to_table("dropped").to_pylist()
    assert (dropped["reason"], dropped["records"]) == ("refuted_offset", 6)
    place = {name: dropped[name] for name in ("position", "length", "firstOffset", "lastOffset")}
    assert place == {"position": LAST, "length": 290, "firstOffset": 60, "lastOffset": 65}
    for rows in (Disks(node).verify().findings, Disks(node).inspect.findings()):
        (row,) = [row for row in rows.to_pylist() if row["kind"] == "offset"]
        assert row["path"] == str(node / f"{LOG}.log")
        assert {name: row[name] for name in place} == place
        assert row["message"].startswith(f"base offset {base_offset} should be 60: ")
        assert "gap" not in rows["kind"].to_pylist()


def log_dir(target: Path, *batches: bytes, recovery_point: int, clean: bool = True) -> Path:
    """A log directory of a node with one partition."""
    segment(target / "orders-0", 0, *batches)
    (target / "meta.properties").write_text("version=1\nnode.id=1\ncluster.id=x\n")
    (target / "recovery-point-offset-checkpoint").write_text(f"0\n1\norders 0 {recovery_point}\n")
    if clean:
        (target / ".kafka_cleanshutdown").write_text('{"version":0,"brokerEpoch":1}')
    return target


@pytest.mark.parametrize(
    ("batches", "recovery_point", "refuted"),
    [
        pytest.param((batch(0, 4), batch(4, 4), batch(50, 4)), 12, (8, 11), id="a jump that fits"),
        pytest.param((batch(0, 4), batch(4, 4), batch(50, 4)), 40, (None, None), id="a jump that does not fit"),
        pytest.param((batch(0, 4), batch(4, 4), batch(50, 4)), 54, None, id="after a gap"),
        pytest.param((batch(0, 4), batch(4, 4), batch(50, 4)), 60, None, id="a longer log"),
        pytest.param((batch(0, 4), batch(4, 4), batch(50, 4)), 6, None, id="a recovery point below another batch"),
        pytest.param((batch(0, 4), batch(4, 4), batch(8, 4)), 9, None, id="it follows the batch before"),
        pytest.param((batch(50, 4),), 4, (0, 3), id="alone"),
        pytest.param((batch(0, 4), batch(4, 4), batch(1, 4)), 12, (8, 11), id="back"),
    ],
)
def test_the_log_end_of_a_clean_shutdown_bounds_the_last_batch(
    batches: tuple[bytes, ...], recovery_point: int, refuted: tuple[int | None, int | None] | None, tmp_path: Path
) -> None:
    place = log_dir(tmp_path / "a", *batches, recovery_point=recovery_point)
    found = kafkafmt.open(place).verify().findings.to_pylist()
    offsets = [
        (row["firstOffset"], row["lastOffset"])
        for row in found
        if row["kind"] == "offset" and row["position"] is not None
    ]
    assert offsets == ([] if refuted is None else [refuted])
    # The repair drops only this batch.
    answer = kafkafmt.repair(place, tmp_path / "out", dry_run=True)
    dropped = answer.to_table("dropped").to_pylist()
    assert [(row["position"], row["reason"]) for row in dropped] == [
        (sum(map(len, batches[:-1])), "refuted_offset") for _ in offsets
    ]
    # The ends of the segment alone do not show more.
    parts = [part for one in survey(place, Options(depth="quick")) for part in one.partitions()]
    quick = {each.position for part in parts for each in part.findings if each.kind == "offset"}
    assert quick <= {row["position"] for row in found if row["kind"] == "offset"}
    # After a kill the recovery point says nothing about the end.
    killed = log_dir(tmp_path / "b", *batches, recovery_point=recovery_point, clean=False)
    texts = [row["message"] for row in kafkafmt.open(killed).verify().findings.to_pylist()]
    assert not any("clean shutdown left" in text or "at the clean shutdown" in text for text in texts)
