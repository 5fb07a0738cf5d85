"""A torn last batch: damage after a clean shutdown, expected after a kill (golden cluster 37).

Brokers started on these disks: after a clean shutdown Kafka recovers no log, and the torn batch stays.
"""

import pickle
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

import kafkafmt as library
from kafkafmt.errors import TruncatedError
from kafkafmt.files import clean_shutdown
from kafkafmt.files.damage import Damage
from kafkafmt.findings import NOTE
from kafkafmt.record_columns import Origin
from kafkafmt.survey import Options, survey
from tests.cli.conftest import Call
from tests.golden_cases import cluster_case

LOG = "00000000000000000053.log"
SAID = "the last entry is incomplete (found 281 bytes)"


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log directory with the mark of a clean shutdown; the last batch of its orders-0 is torn, offsets 60 to 65."""
    top = tmp_path_factory.mktemp("torn")
    cluster_case(37).unpack(top)
    return top / "n1" / "d0"


def _log_dir(node: Path, directory: Path, *, mark: bool = True, name: str = "orders-0") -> Path:
    shutil.copytree(node / "orders-0", directory / name)
    if mark:
        (directory / clean_shutdown.FILE_NAME).touch()
    return directory


@pytest.mark.parametrize("mark", [True, False], ids=["stopped", "killed"])
@pytest.mark.parametrize(
    "command",
    [
        "cat --on-damage skip",
        "grep --on-damage skip nowhere",
        "batches",
        "producers",
        "producers --check",
        "space",
        "sql select+count(*)+from+records",
    ],
)
def test_a_torn_end_is_damage_after_an_orderly_stop(
    kafkafmt: Call, node: Path, command: str, mark: bool, tmp_path: Path
) -> None:
    answer = kafkafmt(
        *(each.replace("+", " ") for each in command.split()), _log_dir(node, tmp_path, mark=mark) / "orders-0"
    )
    assert SAID in answer.stderr
    assert ("281 bytes skipped (offsets 60 to 65, 6 records)" in answer.stderr) is mark
    assert ("normal after a kill or in a live copy" in answer.stderr) is not mark
    if mark:
        assert answer.status == 1


def test_it_ends_what_must_be_whole(kafkafmt: Call, node: Path) -> None:
    answer = kafkafmt("cat", node / "orders-0", "--limit", 100)
    assert (answer.status, SAID in answer.stderr) == (1, True)
    with pytest.raises(TruncatedError, match="the last entry is incomplete"):
        library.scan(node / "orders-0").count()


def test_compare_names_the_copy_that_is_damaged(kafkafmt: Call, node: Path) -> None:
    """The follower's copy is whole; brokers cut it to the leader's (expected/partitions.jsonl)."""
    answer = kafkafmt("compare", node / "orders-1", node.parents[1] / "n2" / "d0" / "orders-1")
    assert "first lacks 54-61 (damaged); second is whole" in answer.text
    assert "398 bytes skipped (offsets 54 to 61, 8 records)" in answer.stderr
    assert answer.status == 1


def _damage(damage: Sequence[Damage]) -> list[tuple[object, ...]]:
    return [(each.is_open_end, each.reason, each.first_offset, each.last_offset, each.records) for each in damage]


def test_scans_plans_and_files_by_themselves_know_it(node: Path) -> None:
    expected = [(False, "incomplete_tail", 60, 65, 6)]
    for source in (node / "orders-0", node / "orders-0" / LOG):
        scan = library.scan(source, on_damage="skip")
        with pytest.warns(library.KafkafmtWarning, match="1 damaged range was skipped"):
            assert scan.to_table()["offset"][-1].as_py() == 59
        assert _damage(scan.damage) == expected
        plan = pickle.loads(pickle.dumps(library.scan(source, on_damage="skip").plan()))
        found: list[tuple[Damage, Origin]] = []
        for split in plan.splits:
            list(plan.reading.read(split, lambda *each, found=found: found.append(each)))
        assert _damage([damage for damage, _ in found]) == expected


@pytest.mark.parametrize(
    "name", ["__cluster_metadata-0", "orders-0.69167c6d17dd4b8aac876a6b0bbafd26-delete"], ids=["raft", "set aside"]
)
def test_a_log_that_is_recovered_always_may_end_open(node: Path, name: str, tmp_path: Path) -> None:
    """`KafkaRaftLog.createLog` loads the metadata log as after a kill."""
    _log_dir(node, tmp_path, name=name)
    scan = library.scan(tmp_path / name, on_damage="skip")
    scan.to_table()
    assert [each.is_open_end for each in scan.damage] == [True]
    shown = [
        each.level
        for log_dir in survey(tmp_path, Options(everything=True))
        for partition in log_dir.partitions()
        for each in partition.findings
        if each.kind == "incomplete_tail"
    ]
    assert shown == [NOTE]
