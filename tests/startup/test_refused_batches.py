"""Batches and epochs at which Kafka's loader throws: verify reports it in Kafka's words, and repair drops them."""

import shutil
from pathlib import Path
from typing import Any

import pytest

import kafkafmt
from tests.golden_cases import FieldCase, field_case
from tests.reference.builder import R, batch

REFUSED = ("control-unknown-type", "control-null-key", "plain-batch-in-open-transaction")
EPOCHS = "epoch-checkpoint-negative-offset"


def said_by_kafka(case: FieldCase) -> str:
    failed: str = case.answer["kafka"]["UnifiedLog.create after a kill (4.4.0)"]["failed"]
    # The segment of an offset is unknown during a load; the partition is shown beside the message. What a null cannot
    # do is Java's own text.
    failed = failed.replace("(offset=1, segment=[-1:-1])", "1").partition(" in partition ")[0]
    return failed.partition(": Cannot invoke")[0]


def blockers(path: Path) -> list[dict[str, Any]]:
    """The findings that prevent the start of the node."""
    answer = kafkafmt.open(path).verify()
    (row,) = answer.verdict.to_pylist()
    assert row["starts"] is False
    ends = "the node does not start: "
    found = [each for each in answer.findings.to_pylist() if each["message"].startswith(ends)]
    assert [each["message"].removeprefix(ends) for each in found] == row["blockers"]
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", [*REFUSED, EPOCHS])
def test_the_node_does_not_start(name: str) -> None:
    case = field_case(name)
    (blocker,) = blockers(case.input)
    assert blocker["message"].endswith(f": {said_by_kafka(case)}")
    file, position = ("leader-epoch-checkpoint", 4) if name == EPOCHS else (f"{0:020}.log", 70)
    assert (Path(blocker["path"]).name, blocker["position"]) == (file, position)
    assert blocker["advice"]


@pytest.mark.parametrize("name", REFUSED)
def test_repair_goes_on_without_the_batch(name: str, tmp_path: Path) -> None:
    case = field_case(name)
    answer = kafkafmt.repair(case.input, tmp_path / "out")
    (dropped,) = answer.dropped.to_pylist()
    assert (dropped["topic"], dropped["partition"], dropped["reason"]) == ("t", 0, "producer_state")
    assert (dropped["file"], dropped["position"]) == (str(case.input / "t-0" / f"{0:020}.log"), 70)
    assert any(said_by_kafka(case) in note for note in answer.notes)
    assert [row["keptRecords"] for row in answer.partitions.to_pylist()] == [2]
    (tmp_path / "out" / ".kafka_cleanshutdown").unlink()  # a kill
    shutil.rmtree(tmp_path / "out" / "t-0" / f"{3:020}.snapshot", ignore_errors=True)
    (row,) = kafkafmt.open(tmp_path / "out").verify().verdict.to_pylist()
    assert row["starts"] is not False


def test_repair_of_a_batch_below_its_segment() -> None:
    answer = kafkafmt.repair(field_case("repair-offset-minus-one").input, None, dry_run=True)
    (dropped,) = answer.dropped.to_pylist()
    assert dropped["reason"] == "refuted_offset"


MARKER = {"attributes": 0x30, "producer_id": 7}
DATA = {"attributes": 0x10, "producer_id": 7, "base_sequence": 0}
ABORT, EPOCH = b"\0\0\0\0", b"\0\0\0\0\0\0"


# What UnifiedLog.create of Kafka 4.4.0 says of the same bytes after a kill; None where it loads them.
@pytest.mark.parametrize(
    ("batches", "message"),
    [
        ([([R(key=b"\0\0", value=EPOCH)], MARKER)], "Invalid value size found for control record key"),
        ([([R(key=b"\xff\xff\0\0", value=EPOCH)], MARKER)], "Invalid version found for control record: -1"),
        ([([R(key=ABORT, value=b"\0\0")], MARKER)], "java.nio.BufferUnderflowException"),
        ([([R(key=ABORT, value=None)], MARKER)], "the value of the transaction marker is null"),
        ([([R(key=ABORT, value=b"\xff\xff\0\0\0\0")], MARKER)], "Invalid version found for end transaction marker: -1"),
        ([([R(key=b"\0\0\0\2", value=EPOCH)], MARKER)], "control record type for end transaction marker LEADER_CHANGE"),
        ([([R(key=b"\0\1\0\0", value=b"\0\1\0\0\0\0")], MARKER)], None),
        ([([], {**MARKER, "last_offset_delta": 0})], None),
        ([([R(key=b"\0\0", value=EPOCH)], {**MARKER, "producer_id": -1})], None),
        ([([R(key=b"\0\0", value=EPOCH)], {**MARKER, "producer_id": -2})], None),
        ([([R()], DATA), ([R()], {**DATA, "attributes": 0, "producer_id": 8})], None),
    ],
)
@pytest.mark.parametrize("before", [0, 3])
def test_what_kafka_refuses(
    batches: list[tuple[list[R], dict[str, Any]]], message: str | None, before: int, tmp_path: Path
) -> None:
    partition = tmp_path / "t-0"
    partition.mkdir()
    content = [([R()], dict[str, Any]())] * before + batches + [([R()], {})]
    data = b"".join(batch(records, base_offset=at, **fields) for at, (records, fields) in enumerate(content))
    (partition / f"{0:020}.log").write_bytes(data)
    shutil.copy(field_case(EPOCHS).input / "meta.properties", tmp_path)
    if message is None:
        (row,) = kafkafmt.open(tmp_path).verify(level="headers").verdict.to_pylist()
        assert row["blockers"] == []
    else:
        (blocker,) = blockers(tmp_path)
        assert message in blocker["message"]
