"""The end of a log whose last batches are damaged, as its broker loads it (tests/golden/cluster)."""

from pathlib import Path

import pytest

from kafkafmt.files import clean_shutdown
from kafkafmt.findings import FINDING
from kafkafmt.logdir.partition import Partition
from kafkafmt.operations.retention import retention
from kafkafmt.survey import Options, survey
from kafkafmt.survey.segment_walk import Depth
from kafkafmt.topics import producers
from tests.golden_cases import cluster_case
from tests.logdir.builders import batch, checkpoint, segment

DEPTHS: tuple[Depth, ...] = ("quick", "headers", "checksums")


@pytest.mark.slow
@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("number", [1, 28])
def test_a_log_ends_where_its_broker_loads_it_to(number: int, depth: Depth, tmp_path: Path) -> None:
    case = cluster_case(number)
    case.unpack(tmp_path)
    loaded = {
        each["path"]: each["logEndOffset"] for each in case.jsonl("partitions.jsonl") if each["action"] != "delete"
    }
    assert {path: Partition(tmp_path / path).log_end_offset for path in loaded} == loaded
    shown = {
        str(Path(partition.facts.path).relative_to(tmp_path)): partition.facts.log_end_offset
        for log_dir in survey(tmp_path, Options(depth=depth))
        for partition in log_dir.partitions()
    }
    assert {path: shown[path] for path in loaded} == loaded


def test_ends_alone_show_a_damaged_end(tmp_path: Path) -> None:
    cluster_case(28).unpack(tmp_path)
    found = [
        (Path(each.path).parent.name, each.kind, each.message)
        for log_dir in survey(tmp_path / "n2" / "d1", Options(depth="quick"))
        for partition in log_dir.partitions()
        for each in partition.findings
        if each.level == FINDING
    ]
    assert found == [
        ("orders-0", "checksum", "the last batches cannot be read, so sound records end at 60, not 66"),
    ]


def test_a_producer_snapshot_at_the_end_of_a_damaged_log_is_right_after_a_clean_shutdown(tmp_path: Path) -> None:
    paths = cluster_case(28).unpack(tmp_path)[2]
    answer = producers(paths, on_damage="skip")
    assert answer.findings == ()
    assert {each.path: each.snapshot_offset for each in answer.partitions}[str(paths[0] / "orders-1")] == 62


def _damaged(log_dir: Path, mark: bool, index: bool) -> Path:
    path = segment(log_dir / "orders-0", 10, batch(10, 5), batch(15, 5))
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    if mark:
        (log_dir / clean_shutdown.FILE_NAME).touch()
    if index:
        path.with_suffix(".index").touch()
    return path.parent


@pytest.mark.parametrize(
    ("mark", "index", "end"),
    [(True, True, 20), (False, True, 15), (True, False, 15)],
    ids=["kept", "killed", "recovered without its index"],
)
def test_a_damaged_end_counts_unless_recovery_cuts_it(tmp_path: Path, mark: bool, index: bool, end: int) -> None:
    partition = Partition(_damaged(tmp_path, mark, index))
    assert (partition.log_end_offset, partition.segments[-1].next_offset()) == (end, 15)
    (log,) = retention(tmp_path, on_damage="skip").logs
    assert log.facts.log_end_offset == end


def test_raft_recovers_its_log_always(tmp_path: Path) -> None:
    path = _damaged(tmp_path, mark=True, index=True)
    assert Partition(path.rename(tmp_path / "__cluster_metadata-0")).log_end_offset == 15


@pytest.mark.parametrize("mark", [True, False])
def test_a_batch_of_a_later_format_counts_as_brokers_count_it(mark: bool, tmp_path: Path) -> None:
    # No CRC covers the magic; FileLogInputStream reads any above 2 as 2 (tests/bad_data, magic-3.log).
    path = segment(tmp_path / "orders-0", 10, batch(10, 5), batch(15, 5))
    data = bytearray(path.read_bytes())
    data[len(data) // 2 + 16] = 3
    path.write_bytes(data)
    path.with_suffix(".index").touch()
    checkpoint(tmp_path, "replication-offset-checkpoint", {("orders", 0): 20})
    if mark:
        (tmp_path / clean_shutdown.FILE_NAME).touch()
    assert Partition(tmp_path / "orders-0").log_end_offset == 20
    for depth in DEPTHS:
        found = [
            (partition.facts.log_end_offset, [each.kind for each in partition.findings if each.level == FINDING])
            for log_dir in survey(tmp_path, Options(depth=depth))
            for partition in log_dir.partitions()
        ]
        assert found == [(20, [] if depth == "quick" else ["unsupported"])]
