"""The first advice of verify for a node with damaged logs: repair it, and delete nothing before."""

import shutil
from pathlib import Path

import pytest

from kafkafmt import repair
from kafkafmt.codec.checksum import crc32c
from kafkafmt.startup.verify import verify
from kafkafmt.survey.advice import INDEX, SNAPSHOT
from kafkafmt.writing import BatchBuilder
from tests.golden_cases import cluster_case, field_case
from tests.startup.test_golden_starts import unpack


@pytest.mark.slow
@pytest.mark.parametrize("number", [26, 30, 37])
def test_damage_of_one_node_is_to_be_repaired_from_another(number: int, tmp_path: Path) -> None:
    """Kafka deletes what the advice was to delete, or rebuilt it from less (golden/cluster: `repair` is "all")."""
    nodes = cluster_case(number).unpack(tmp_path)
    found = [each for each in verify([str(tmp_path / "n1")]).found if each.level == "finding"]
    dirs = " ".join(map(str, nodes[1]))
    command = f"before the start: kafkafmt repair {dirs} --from OTHER_NODE --out repaired-1 (OTHER_NODE: "
    assert command in found[0].advice
    assert not [each for each in found if "delete" in each.advice]


@pytest.mark.slow
def test_other_nodes_among_the_paths_are_the_donors(tmp_path: Path) -> None:
    nodes = cluster_case(29).unpack(tmp_path)
    found = [each for each in verify([str(tmp_path)]).found if each.kind == "checksum"]
    ours, theirs = (nodes[number] for number in (1, 2))
    command = " ".join(["kafkafmt repair", *map(str, ours), *(f"--from {each}" for each in theirs)])
    on_node = {each.advice for each in found if each.path.startswith(f"{tmp_path}/n1/")}
    assert on_node == {f"before the start: {command} --out repaired-1"}


def test_a_wrong_index_alone_is_still_to_be_deleted(tmp_path: Path) -> None:
    """Kafka rebuilds the indexes then: tests/golden/advice."""
    nodes = cluster_case(1).unpack(tmp_path)
    index = next(path for path in sorted((nodes[1][0] / "orders-0").glob("*.index")) if path.stat().st_size)
    index.write_bytes(index.read_bytes()[:-1] + b"\x03")
    found = [each for each in verify([str(tmp_path / "n1")]).found if each.level == "finding"]
    assert INDEX in {each.advice for each in found}
    assert not any("repair" in each.advice for each in found)


@pytest.mark.parametrize(
    "name", ["delta-repeated", "delta-beyond-last-gzip", "last-offset-delta-zero", "wrapper-all-zero"]
)
def test_what_a_repair_keeps_is_not_to_be_repaired(name: str) -> None:
    """Every CRC is correct, so no repair changes the batch (tests/golden/field: Kafka's classes read it)."""
    source = field_case(name).input
    (found,) = [each for each in verify([str(source)], level="records").found if each.level == "finding"]
    (headline,) = verify([str(source)], level="records").headlines
    assert headline.endswith(" 1 of its logs is damaged.")
    assert (found.kind, found.advice) == (
        "offset",
        "consumers follow the offsets, and may skip records here: which client wrote it?",
    )
    assert repair(source, None, dry_run=True).dropped.num_rows == 0


def test_a_batch_of_unreadable_records_is_not_to_be_repaired(tmp_path: Path) -> None:
    """Kafka's brokers check the CRC of the batch, which is correct, and serve it."""
    builder = BatchBuilder(compression="gzip")
    builder.append(1_700_000_000_000, b"key", b"value" * 20)
    data = bytearray(builder.build())
    data[-8] ^= 1  # in the trailer of the gzip member, at the end of the batch
    data[17:21] = crc32c(data[21:]).to_bytes(4)
    (tmp_path / "t-0").mkdir()
    (tmp_path / "t-0" / f"{0:020d}.log").write_bytes(data)
    (found,) = [each for each in verify([str(tmp_path)], level="records").found if each.level == "finding"]
    assert found.advice.startswith("its CRC is right, so that brokers serve it and kafkafmt repair keeps it: which ")
    assert repair(tmp_path, None, dry_run=True).dropped.num_rows == 0


def test_a_lost_directory_and_an_unknown_donor_share_their_brackets(tmp_path: Path) -> None:
    """Case 26: node 1 is damaged; its second log directory is gone."""
    nodes = cluster_case(26).unpack(tmp_path)
    shutil.rmtree(nodes[1][1])
    damage = next(each for each in verify([str(tmp_path / "n1")]).found if "OTHER_NODE: " in each.advice)
    assert "(NEW_DIR: an empty directory in place of the lost one; OTHER_NODE: log directories of " in damage.advice
    assert damage.advice.count("(") == 1


@pytest.mark.parametrize("name", ["inner-crc-v0-gzip-middle", "inner-crc-v1-gzip"])
def test_a_broken_wrapper_is_to_be_repaired_from_another_copy_alone(name: str) -> None:
    """What the advice promises: tests/cli/test_repair_broken_wrappers.py."""
    (found,) = [each for each in verify([str(field_case(name).input)]).found if each.level == "finding"]
    assert "--from OTHER_NODE --out repaired (OTHER_NODE: " in found.advice
    assert found.advice.endswith("without --from the batch is kept, as its own CRC is right and brokers serve it)")


def test_an_index_beside_an_odd_batch_is_to_be_deleted(tmp_path: Path) -> None:
    """Recovery accepts batches with correct CRCs, whatever is inside (`LogSegment.recover`)."""
    shutil.copytree(field_case("delta-repeated").input, tmp_path, dirs_exist_ok=True)
    (tmp_path / ".kafka_cleanshutdown").write_text('{"version":0,"brokerEpoch":7}')
    (tmp_path / "t-0" / f"{0:020d}.index").write_bytes(bytes.fromhex("0000000900000001"))
    found = verify([str(tmp_path)], level="records").found
    assert [each.advice for each in found if each.kind == "index" and each.level == "finding"] == [INDEX]


def test_a_snapshot_alone_is_still_to_be_deleted(tmp_path: Path) -> None:
    nodes = cluster_case(1).unpack(tmp_path)
    snapshot = max((nodes[1][1] / "payments-0").glob("*.snapshot"))
    shutil.copy(snapshot, snapshot.with_name(f"{int(snapshot.stem) + 100:020d}.snapshot"))
    found = [each for each in verify([str(tmp_path / "n1")]).found if each.level == "finding"]
    assert {each.advice for each in found} == {SNAPSHOT}


def test_zeros_alone_at_the_end_keep_their_advice_and_beside_damage_are_repaired(tmp_path: Path) -> None:
    """Without the clean shutdown file Kafka truncates every log at its damage, not only the zeros."""
    unpack("75-clean-zero-tail", tmp_path)
    named = [str(tmp_path / name) for name in ("d0", "d1")]
    (blocker,) = [each for each in verify(named).found if each.kind == "does not start"]
    assert blocker.advice.startswith("delete .kafka_cleanshutdown")
    segment = next(
        path
        for path in sorted(tmp_path.glob("d*/orders-*/*.log"))
        if path.stat().st_size > 300 and str(path) != blocker.path
    )
    data = bytearray(segment.read_bytes())
    data[100] ^= 1
    segment.write_bytes(data)
    (blocker,) = [each for each in verify(named).found if each.kind == "does not start"]
    assert blocker.advice.startswith("before the start: kafkafmt repair ")
