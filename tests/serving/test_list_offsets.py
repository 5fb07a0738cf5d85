"""ListOffsets: the answers of AdminClient.listOffsets on golden disks."""

from pathlib import Path

import pytest

from kafkafmt.protocol.error_codes import ErrorCode
from tests.golden_cases import Case, cases
from tests.logdir.builders import batch, file_name
from tests.serving.test_fetch import WHOLE
from tests.serving.wire import offset_listed, served

_KINDS = {"latest": -1, "earliest": -2, "maxTimestamp": -3}
LISTED = [case for case in WHOLE if any(each["kind"] == "listOffsets" for each in case.jsonl("lookup.jsonl"))]
# For some times Kafka finds no record although a compacted log has a later one; this server finds it.
_GIVES_UP = "05-compacted"


@pytest.mark.parametrize("case", LISTED, ids=str)
def test_golden_offsets(case: Case) -> None:
    compared = 0
    with served(case.log_dir) as wire:
        for each in case.jsonl("lookup.jsonl"):
            if each["kind"] != "listOffsets":
                continue
            topic, _, number = each["partition"].rpartition("-")
            if topic == "__cluster_metadata":
                continue
            found = offset_listed(wire, topic, int(number), _KINDS.get(each["spec"], each.get("timestamp", 0)))
            if each["offset"] == -1 and case.name.startswith(_GIVES_UP):
                continue
            expected = (each["offset"], each["offsetTimestamp"])
            assert (found["Offset"], found["Timestamp"]) == expected, each
            if each["spec"] != "latest":  # the controller's epoch may be higher than the disk's
                assert found["LeaderEpoch"] == (-1 if each["leaderEpoch"] is None else each["leaderEpoch"]), each
            compared += 1
    assert compared


def test_read_committed_ends_at_the_last_stable_offset() -> None:
    case = next(case for case in cases("modern") if case.name == "04-transactions-4.3.1")
    expected = {(each["topic"], each["partition"]): each["endOffset"] for each in case.jsonl("read_committed.jsonl")}
    assert expected
    with served(case.log_dir) as wire:
        for (topic, partition), end in expected.items():
            assert offset_listed(wire, topic, partition, -1, isolation=1)["Offset"] == end


def test_unknown_partitions_and_kinds() -> None:
    with served(WHOLE[0].log_dir) as wire:
        assert offset_listed(wire, "nobody", 0, -1)["ErrorCode"] == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def test_leader_epochs_are_not_above_that_of_metadata(tmp_path: Path) -> None:
    """The checkpoint was copied before the records: Kafka's consumer would wait for metadata with the later epoch."""
    partition = tmp_path / "t-0"
    partition.mkdir()
    (partition / file_name(0)).write_bytes(batch(0, epoch=3))
    (partition / "leader-epoch-checkpoint").write_text("0\n1\n0 0\n")
    with served(tmp_path) as wire:
        (topic,) = wire.ask("Metadata", {"Topics": None})["Topics"]
        known = topic["Partitions"][0]["LeaderEpoch"]
        for kind in (-1, -2, -3, 0):
            found = offset_listed(wire, "t", 0, kind)
            assert found["Offset"] >= 0
            assert found["LeaderEpoch"] <= known
