"""Partition and LogDir: the files beside the segments compared with Kafka's answers; laziness; look-ups."""

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

import kafkafmt
from kafkafmt import LogDir, Partition, SourceError, open_log_dirs
from kafkafmt.logdir import EntryPlace, RecordTime
from tests.golden_cases import Case, cases
from tests.logdir.builders import LOG_APPEND_TIME, batch, checkpoint, file_name, segment


def in_files(case: Case, log_dir: LogDir) -> dict[str, dict[str, Any]]:
    """The content of a log directory's small files as Kafka reads it, by file name."""
    prefix = Path(log_dir.path).relative_to(case.log_dir)
    found = {}
    for row in case.jsonl("checkpoints.jsonl"):
        if prefix in Path(row["file"]).parents:
            found[str(Path(row["file"]).relative_to(prefix))] = row
    return found


@pytest.mark.parametrize("case", cases("modern"), ids=str)
def test_checkpoints_epochs_and_topic_ids_are_what_kafka_reads(case: Case) -> None:
    for log_dir in open_log_dirs(case.log_dir):
        golden = in_files(case, log_dir)
        of_log_dir = {name: row for name, row in golden.items() if "/" not in name}
        properties = of_log_dir.pop("meta.properties", None)
        assert (log_dir.meta_properties is None) == (properties is None)
        if properties and log_dir.meta_properties:
            assert dict(log_dir.meta_properties.properties) == properties["properties"]
        assert {
            name: {f"{topic}-{number}": offset for (topic, number), offset in found.offsets.items()}
            for name, found in log_dir.checkpoints.items()
        } == {name: row["offsets"] for name, row in of_log_dir.items()}
        offsets = {name: row["offsets"] for name, row in of_log_dir.items()}
        for partition in log_dir.partitions:
            key = f"{partition.topic}-{partition.partition}"
            assert partition.high_watermark == offsets.get("replication-offset-checkpoint", {}).get(key)
            assert partition.recovery_point == offsets.get("recovery-point-offset-checkpoint", {}).get(key)
            start = offsets.get("log-start-offset-checkpoint", {}).get(key)
            assert partition.checkpointed_log_start_offset == start
            first = min(
                int(path.name[:20]) for path in Path(partition.path).glob("*.log*") if path.suffix in (".log", ".swap")
            )
            assert partition.log_start_offset == max(first, start or 0)
        for partition in log_dir.partitions + log_dir.other_partitions:
            epochs = golden.get(f"{partition.name}/leader-epoch-checkpoint", {"entries": []})["entries"]
            assert [(entry.epoch, entry.start_offset) for entry in partition.leader_epochs] == [
                (entry["epoch"], entry["startOffset"]) for entry in epochs
            ]
            metadata = golden.get(f"{partition.name}/partition.metadata")
            assert partition.topic_id == (metadata["topicId"] if metadata else None)


@pytest.mark.parametrize("case", cases("modern"), ids=str)
def test_live_snapshots_are_those_that_kafka_reads_with_or_without_a_segment(case: Case) -> None:
    golden = {row["file"]: row["producers"] for row in case.jsonl("producer_snapshots.jsonl") if "producers" in row}
    found = {}
    for log_dir in open_log_dirs(case.log_dir):
        for partition in log_dir.partitions + log_dir.other_partitions:
            for snapshot in partition.producer_snapshots:
                assert snapshot.file is not None
                name = str(Path(snapshot.file).relative_to(case.log_dir))
                found[name] = [entry.producer_id for entry in snapshot.entries]
    assert found == {
        name: [producer["producerId"] for producer in producers]
        for name, producers in golden.items()
        if name.endswith(".snapshot")
    }


def test_snapshots_come_by_offset_and_those_set_aside_not() -> None:
    case = next(case for case in cases("modern") if case.name == "03-idempotent-4.3.1")
    for partition in LogDir(case.log_dir).partitions:
        names = [os.path.basename(snapshot.file or "") for snapshot in partition.producer_snapshots]
        assert names == sorted(names)
    without_segment = [path for path in case.files("*.snapshot") if not path.with_suffix(".log").exists()]
    assert without_segment


@pytest.mark.parametrize("case", cases("modern"), ids=str)
def test_the_log_end_is_the_offset_after_kafkas_last_batch(case: Case) -> None:
    last: dict[str, int] = {}
    for row in case.jsonl("batches.jsonl"):
        if row["isValid"] and row["magic"] <= 2:
            last[row["file"]] = row["lastOffset"]
    for log_dir in open_log_dirs(case.log_dir):
        for partition in log_dir.partitions:
            newest = partition.segments[-1]
            name = str(Path(newest.path).relative_to(case.log_dir))
            end = last[name] + 1 if name in last else newest.base_offset
            end = max(end or 0, partition.checkpointed_log_start_offset or 0)
            if name.startswith("damaged/"):
                # Kafka's iterator stops at damage; whole entries after it count for us.
                assert (partition.log_end_offset or 0) >= end
            else:
                assert partition.log_end_offset == end


def test_quorum_state_stands_beside_the_metadata_log() -> None:
    case = next(case for case in cases("modern") if case.name == "10-cluster-metadata-4.3.1")
    with_state = [
        (partition.topic, partition.quorum_state.leader_id)
        for log_dir in open_log_dirs(case.log_dir)
        for partition in log_dir.partitions
        if partition.quorum_state is not None
    ]
    assert [topic for topic, _ in with_state] == ["__cluster_metadata"]


def test_the_clean_shutdown_marker_is_there_after_a_clean_shutdown_only() -> None:
    case = next(case for case in cases("modern") if case.name == "05c-swap-4.3.1")
    marked = {os.path.basename(each.path): each.clean_shutdown is not None for each in open_log_dirs(case.log_dir)}
    assert marked == {"recovered": True, "stop-1": False, "stop-2": False, "stop-3": False}


def test_partitions_come_by_topic_and_number_and_are_found_by_them(tmp_path: Path) -> None:
    for name in ("b-0", "a-10", "a-2", "odd", f"a-1.{'0' * 32}-delete", f"a-0.{'0' * 32}-stray"):
        segment(tmp_path / name, 0)
    (tmp_path / "file-0").write_text("")
    log_dir = LogDir(tmp_path)
    assert [each.name for each in log_dir.partitions] == ["a-2", "a-10", "b-0", "odd"]
    assert [each.name[:3] for each in log_dir.other_partitions] == ["a-0", "a-1"]
    assert log_dir["a", 10] is log_dir.partitions[1]
    for missing in (("a", 1), ("a", 0), ("c", 0), (None, None), "a"):
        if missing == (None, None):
            assert log_dir[missing].name == "odd"  # type: ignore[index]
            continue
        with pytest.raises(KeyError) as error:
            log_dir[missing]  # type: ignore[index]
        assert error.value.args == (missing,)
    assert (log_dir.meta_properties, log_dir.checkpoints, log_dir.clean_shutdown) == (None, {}, None)
    assert repr(log_dir) == f"LogDir({str(tmp_path)!r})"
    assert repr(log_dir.partitions[0]) == f"Partition({str(tmp_path / 'a-2')!r})"
    assert repr(log_dir.partitions[0].segments[0]) == f"Segment({str(tmp_path / 'a-2' / file_name(0))!r})"


def test_a_partition_knows_its_topic_by_whatever_path_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    segment(tmp_path / "t-3", 0)
    checkpoint(tmp_path, "replication-offset-checkpoint", {("t", 3): 7})
    monkeypatch.chdir(tmp_path / "t-3")
    for path in (".", "../t-3/", str(tmp_path / "t-3")):
        partition = Partition(path)
        assert (partition.topic, partition.partition, partition.state) == ("t", 3, "live")
        assert (partition.high_watermark, partition.recovery_point) == (7, None)
        assert [each.file for each in partition.segments] == [file_name(0)]


def test_a_missing_partition_directory_is_a_source_error_when_it_is_asked(tmp_path: Path) -> None:
    partition = Partition(str(tmp_path / "t-0"))
    with pytest.raises(SourceError):
        partition.segments  # noqa: B018


def test_directories_are_opened_without_reading_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case = next(case for case in cases("modern") if case.name == "06-retention-4.3.1")
    opened: list[Any] = []
    open_ = os.open

    def counting(name: Any, *args: Any, **more: Any) -> int:
        opened.append(name)
        return open_(name, *args, **more)

    monkeypatch.setattr(os, "open", counting)
    for log_dir in open_log_dirs(case.log_dir):
        for partition in log_dir.partitions:
            for each in partition.segments + partition.other_segments:
                assert each.size == os.path.getsize(each.path)
                each.batches()
                each.records()
    scan = kafkafmt.scan(case.log_dir)
    assert scan.schema.names[0] == "key"
    scan.to_reader()
    assert opened == []
    LogDir(case.log_dir)["trimmed", 0].log_start_offset  # noqa: B018
    assert [os.path.basename(name) for name in opened] == ["log-start-offset-checkpoint"]


# Look-ups


def test_look_ups_give_places_and_times_of_the_documented_types(tmp_path: Path) -> None:
    first, second = batch(0, 3, timestamp=100, epoch=1), batch(3, 2, timestamp=50, epoch=2)
    segment(tmp_path / "t-0", 0, first, second)
    segment(tmp_path / "t-0", 10, batch(12, 3, timestamp=200, epoch=3))
    partition = Partition(str(tmp_path / "t-0"), prefix="t-0/")
    assert partition.find_offset(0) == EntryPlace(f"t-0/{file_name(0)}", 0, 0, len(first))
    assert partition.find_offset(4) == EntryPlace(f"t-0/{file_name(0)}", len(first), 3, len(second))
    assert partition.find_offset(5) == partition.find_offset(13)
    assert partition.find_offset(15) is partition.find_offset(-1) is None
    assert partition.find_timestamp(0) == RecordTime(0, 100, 1)
    assert partition.find_timestamp(102) == RecordTime(2, 102, 1)
    assert partition.find_timestamp(103) == RecordTime(12, 200, 3)
    assert partition.find_timestamp(203) is None


def test_an_offset_below_the_first_segment_is_nowhere(tmp_path: Path) -> None:
    segment(tmp_path, 10)
    partition = Partition(str(tmp_path))
    assert partition.find_offset(9) is None
    assert partition.find_timestamp(0) == RecordTime(10, 1000, 0)


def test_a_look_up_of_a_time_raises_at_what_it_cannot_read(tmp_path: Path) -> None:
    """An offset is found by headers alone, and brokers read any higher magic as format 2."""
    strange = bytearray(batch(0, 2))
    strange[16] = 9
    segment(tmp_path, 0, bytes(strange), batch(2))
    partition = Partition(str(tmp_path))
    with pytest.raises(kafkafmt.UnsupportedError) as error:
        partition.find_timestamp(2)
    assert (error.value.file, error.value.position) == (file_name(0), 0)
    place = partition.find_offset(2)
    assert place is not None
    assert (place.position, place.base_offset) == (len(strange), 2)


def test_a_time_is_looked_for_at_or_above_the_log_start_and_where_append_time_rules(tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 0, batch(0, 5, timestamp=100, attributes=LOG_APPEND_TIME), batch(5, 5, timestamp=90))
    checkpoint(tmp_path, "log-start-offset-checkpoint", {("t", 0): 3})
    partition = LogDir(tmp_path)["t", 0]
    assert partition.find_timestamp(104) == RecordTime(3, 104, 0)
    assert partition.find_timestamp(105) is None


# Segment


def test_a_segment_is_read_to_the_size_it_had_when_listed(tmp_path: Path) -> None:
    path = segment(tmp_path, 0, batch(0, 3))
    partition = Partition(str(tmp_path))
    lone = kafkafmt.Segment(str(path))
    assert (lone.file, lone.size) == (str(path), path.stat().st_size)
    (listed,) = partition.segments
    with path.open("ab") as file:
        file.write(batch(3, 3))
    for each in (listed, lone):
        assert [record.offset for record in each.records()] == [0, 1, 2]
        assert [header.base_offset for header in each.batches()] == [0]
        assert (each.valid_bytes, each.error, each.next_offset()) == (each.size, None, 3)
    assert len(list(kafkafmt.Segment(str(path)).batches())) == 2
    path.write_bytes(b"")
    with pytest.raises(SourceError, match="shrank") as error:
        list(listed.records())
    assert error.value.file == str(path)
    with pytest.raises(SourceError):
        kafkafmt.Segment(str(tmp_path / "missing")).size  # noqa: B018


def test_valid_bytes_and_error_say_where_kafka_would_stop(tmp_path: Path) -> None:
    good, bad = batch(0, 3), bytearray(batch(3, 3))
    bad[-1] ^= 1
    path = segment(tmp_path, 0, good, bytes(bad), batch(6))
    each = kafkafmt.Segment(str(path))
    assert each.valid_bytes == len(good)
    assert isinstance(each.error, kafkafmt.ChecksumError)
    assert each.next_offset() == 7


def test_a_segment_without_a_base_offset_has_no_indexes(tmp_path: Path) -> None:
    path = tmp_path / "copy.log"
    path.write_bytes(b"")
    each = kafkafmt.Segment(str(path))
    assert (each.base_offset, each.suffix, each.next_offset(), each.last_entry()) == (None, "", None, None)
    assert [len(each.offset_index), len(each.time_index), len(each.transaction_index)] == [0, 0, 0]


def test_indexes_belong_to_their_segment_as_kafka_reads_them() -> None:
    case = next(case for case in cases("modern") if case.name == "14-running-4.3.1")
    golden = {row["file"]: row for row in case.jsonl("index_entries.jsonl")}
    compared = 0
    for log_dir in open_log_dirs(case.log_dir):
        for partition in log_dir.partitions:
            for each in partition.segments:
                for index in (each.offset_index, each.time_index, each.transaction_index):
                    if index.file is not None:
                        row = golden[str(Path(index.file).relative_to(case.log_dir))]
                        padded = row.get("zeroPaddedFrom")
                        assert index.zero_padded_from == padded or padded is None
                        compared += 1
    assert compared > 10


def test_a_copied_tree_needs_nothing_but_its_files(tmp_path: Path) -> None:
    case = next(case for case in cases("modern") if case.name == "06-retention-4.3.1")
    shutil.copytree(case.log_dir / "trimmed-0", tmp_path / "trimmed-0")
    partition = Partition(str(tmp_path / "trimmed-0"))
    assert (partition.high_watermark, partition.recovery_point, partition.checkpointed_log_start_offset) == (None,) * 3
    assert partition.log_end_offset == LogDir(case.log_dir)["trimmed", 0].log_end_offset
