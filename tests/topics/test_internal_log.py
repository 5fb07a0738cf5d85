"""The log of an internal topic as entries: compared with Kafka's golden records, and notes on replicas and gaps."""

import base64
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow.fs as pafs
import pytest

from kafkafmt.errors import ChecksumError, CorruptError, SourceError
from kafkafmt.topics.internal_log import InternalLog
from kafkafmt.topics.internal_record import InternalRecord
from tests.golden_cases import GOLDEN, Case, cases

MODERN = GOLDEN / "modern"
GROUPS = MODERN / "08-consumer-groups-4.3.1" / "log-dir"
COMPACTED = MODERN / "05-compacted-4.3.1" / "log-dir"
DIVERGED = MODERN / "07-three-nodes-diverged-4.3.1" / "log-dir"
CONTROLLERS = MODERN / "10b-three-controllers-4.3.1" / "log-dir"
DAMAGED = MODERN / "12-crash-4.3.1" / "log-dir" / "damaged"


def stored(record: dict[str, Any], name: str) -> bytes | None:
    text = record[name]
    return None if text is None else base64.b64decode(text)


ONE_BROKER = [each for each in cases("modern") if (each.log_dir / "__transaction_state-0").is_dir()]


@pytest.mark.parametrize("case", ONE_BROKER, ids=str)
def test_entries_are_the_records_that_kafka_reads(case: Case) -> None:
    log = InternalLog(case.log_dir, "__transaction_state", on_damage="skip")
    batches = {(each["file"], each["position"]): each for each in case.jsonl("batches.jsonl")}
    expected = []
    for record in case.jsonl("records.jsonl"):
        topic, _, number = record["file"].partition("/")[0].rpartition("-")
        if topic == "__transaction_state" and record["file"].endswith(".log"):
            batch = batches[record["file"], record["position"]]
            expected.append(
                InternalRecord(
                    int(number),
                    record["offset"],
                    record["timestamp"],
                    stored(record, "key"),
                    stored(record, "value"),
                    batch["producerId"],
                    batch["producerEpoch"],
                    batch["isTransactional"],
                    record.get("controlType"),
                    batch["partitionLeaderEpoch"],
                    record["file"],
                    record["position"],
                )
            )
    entries = list(log.records())
    assert entries == sorted(expected, key=lambda entry: (entry.partition, entry.offset))
    assert entries
    assert list(log.records()) == entries


def test_control_records_are_entries() -> None:
    markers = [entry for entry in InternalLog(GROUPS, "__consumer_offsets").records() if entry.control_type]
    assert {entry.control_type for entry in markers} == {"ABORT", "COMMIT"}
    assert all(entry.is_transactional and entry.producer_id >= 0 for entry in markers)


def test_partitions_are_chosen_by_number() -> None:
    log = InternalLog(GROUPS, "__consumer_offsets", partitions=[2, 7])
    assert [partition.partition for partition in log.partitions] == [2]
    assert {entry.partition for entry in log.records()} == {2}
    assert log.notes == ["__consumer_offsets has no partition 7 here; there are: 0, 1, 2"]


def test_a_topic_that_is_not_there_has_no_entries_and_a_note() -> None:
    log = InternalLog(GROUPS, "__remote_log_metadata")
    assert (log.partitions, list(log.records())) == ([], [])
    note = (
        "no partition of __remote_log_metadata here; there are: __consumer_offsets, __share_group_state, "
        "__transaction_state, clicks, orders"
    )
    assert log.notes == [note]
    with pytest.raises(SourceError, match="no partition of __remote_log_metadata"):
        log.required()
    assert InternalLog(GROUPS, "__share_group_state").required().partitions


def test_the_best_replica_is_read_and_said() -> None:
    log = InternalLog(DIVERGED, "rep")
    assert [Path(partition.path).parent.name for partition in log.partitions] == ["node-2", "node-2"]
    assert [Path(each.path).parent.name for each in log.skipped_replicas] == ["node-1", "node-3"] * 2
    first = DIVERGED / "node-2" / "rep-0"
    assert log.notes[0] == (
        f"rep-0: read from {first} (leader epoch 4, log end 85), "
        f"not from {DIVERGED / 'node-1' / 'rep-0'} (leader epoch 2, log end 75), "
        f"{DIVERGED / 'node-3' / 'rep-0'} (leader epoch 2, log end 55)"
    )
    assert {entry.file.split("/")[0] for entry in log.records()} == {"node-2"}


def test_equal_replicas_are_said_in_one_sentence(tmp_path: Path) -> None:
    for name in ("a", "b"):
        shutil.copytree(GROUPS, tmp_path / name)
    log = InternalLog([tmp_path / "a", tmp_path / "b"], "__consumer_offsets")
    named = "__consumer_offsets-0, __consumer_offsets-1, __consumer_offsets-2"
    assert log.notes == [f"copies are equal; read from {tmp_path / 'a'}: {named}"]


def test_many_replicas_are_said_in_a_sentence_for_each_directory(tmp_path: Path) -> None:
    source = GROUPS / "__consumer_offsets-0"
    for number in range(12):
        for broker in ("a", "b"):
            shutil.copytree(source, tmp_path / broker / f"__consumer_offsets-{number}")
        shorter = tmp_path / ("a" if number % 3 else "b") / f"__consumer_offsets-{number}" / "00000000000000000000.log"
        shorter.write_bytes(shorter.read_bytes()[:623])
    log = InternalLog(tmp_path, "__consumer_offsets")
    assert [each.partition("__consumer")[0] for each in log.notes] == [
        f"read from {tmp_path / broker}, where the leader epoch is newer or the log longer: " for broker in ("a", "b")
    ]
    assert log.notes[0].endswith("__consumer_offsets-9 (leader epoch 0, log end 73)")
    assert log.notes[0].count("log end") + log.notes[1].count("log end") == 12


def test_brokers_of_which_none_has_all_partitions_are_merged(tmp_path: Path) -> None:
    for number in range(3):
        name = f"__consumer_offsets-{number}"
        shutil.copytree(GROUPS / name, tmp_path / f"broker-{number}" / name)
    log = InternalLog([tmp_path / f"broker-{number}" for number in (2, 0, 1)], "__consumer_offsets")
    whole = list(InternalLog(GROUPS, "__consumer_offsets").records())
    assert [entry[:4] for entry in log.records()] == [entry[:4] for entry in whole]
    assert log.notes == []


def test_disks_of_several_clusters_are_told(tmp_path: Path) -> None:
    disks = [tmp_path / name for name in ("a", "b", "broken", "without")]
    for number, disk in enumerate(disks):
        shutil.copytree(GROUPS / "__consumer_offsets-0", disk / f"__consumer_offsets-{number}")
        (disk / "meta.properties").write_text(f"version=1\nnode.id=1\ncluster.id=cluster-{number}\n")
    disks[2].joinpath("meta.properties").write_bytes(b"\xff")
    disks[3].joinpath("meta.properties").unlink()
    (note,) = InternalLog(disks, "__consumer_offsets").notes
    assert note.startswith("these disks belong to 2 clusters, read as one; name those of one cluster (cluster-0: ")
    assert note.endswith(f"{disks[0]}; cluster-1: {disks[1]})")
    assert InternalLog(disks[1:], "__consumer_offsets").notes == []


def test_an_end_of_a_partition_that_is_not_read_is_told() -> None:
    log = InternalLog(GROUPS, "__consumer_offsets", at_offset={0: 30, 7: 1, 9: 1})
    assert log.notes == ["an end offset was given for __consumer_offsets-7, __consumer_offsets-9, which are not read"]
    assert log.numbers == [0, 1, 2]


@pytest.mark.parametrize("at_offset", [30, {0: 30, 1: 5}], ids=["all", "by-partition"])
def test_entries_end_at_an_offset(at_offset: int | dict[int, int]) -> None:
    log = InternalLog(GROUPS, "__consumer_offsets", at_offset=at_offset)
    ends = dict.fromkeys(range(3), 30) if isinstance(at_offset, int) else at_offset
    whole = InternalLog(GROUPS, "__consumer_offsets").records()
    expected = [entry for entry in whole if entry.offset < ends.get(entry.partition, 1_000_000)]
    assert list(log.records()) == expected
    assert log.end_offsets == ends


def test_entries_end_before_the_first_later_record() -> None:
    whole = list(InternalLog(GROUPS, "__consumer_offsets").records())
    for time in sorted({entry.timestamp for entry in whole})[::9]:
        expected = []
        for number in range(3):
            of_partition = [entry for entry in whole if entry.partition == number]
            later = [entry.offset for entry in of_partition if entry.timestamp > time]
            expected += [entry for entry in of_partition if not later or entry.offset < later[0]]
        assert list(InternalLog(GROUPS, "__consumer_offsets", at_time=time).records()) == expected
    moment = datetime.fromtimestamp(whole[0].timestamp / 1000, UTC)
    assert len(list(InternalLog(GROUPS, "__consumer_offsets", partitions=0, at_time=moment).records())) == 1


def test_what_the_cleaner_removed_is_said_of_an_earlier_moment() -> None:
    log = InternalLog(COMPACTED, "comp-plain", at_offset=100)
    assert log.notes == []
    list(log.records())
    note = (
        "comp-plain-0: as of offset 100 the answer may be incomplete, since the log is compacted "
        "(it was cleaned up to offset 158): keys that were overwritten or deleted after that moment can be missing"
    )
    assert log.notes == [note]


def test_nothing_is_said_where_an_earlier_moment_is_whole(tmp_path: Path) -> None:
    logs = [
        InternalLog(COMPACTED, "comp-plain", at_offset=158),
        InternalLog(COMPACTED, "comp-plain"),
        InternalLog(COMPACTED, "__transaction_state", at_offset=10),
        InternalLog(GROUPS, "__consumer_offsets", at_offset=10_000),
    ]
    shutil.copytree(COMPACTED / "comp-plain-0", tmp_path / "comp-plain-0")
    unknown = InternalLog(tmp_path, "comp-plain", at_offset=100)
    for log in (*logs, unknown):
        list(log.records())
    assert [log.notes for log in logs] == [[]] * 4
    note = (
        "comp-plain-0: as of offset 100 the answer may be incomplete, since the log is compacted: "
        "keys that were overwritten or deleted after that moment can be missing"
    )
    assert unknown.notes == [note]


def test_a_broken_checkpoint_of_the_cleaner_is_damage(tmp_path: Path) -> None:
    shutil.copytree(COMPACTED, tmp_path / "data")
    (tmp_path / "data" / "cleaner-offset-checkpoint").write_text("nonsense")
    with pytest.raises(CorruptError):
        list(InternalLog(tmp_path, "comp-plain", at_offset=100).records())
    log = InternalLog(tmp_path, "comp-plain", at_offset=100, on_damage="skip")
    list(log.records())
    assert "may be incomplete" in log.notes[0]
    assert [Path(each.file or "").name for each in log.damage] == ["cleaner-offset-checkpoint"]


def test_damage_is_raised_or_listed() -> None:
    with pytest.raises(ChecksumError):
        list(InternalLog(DAMAGED, "crash-flip-crc").records())
    log = InternalLog(DAMAGED, "crash-flip-crc", on_damage="skip")
    entries = list(log.records())
    assert [damage.reason for damage in log.damage] == ["checksum"]
    later = InternalLog(DAMAGED, "crash-flip-crc", on_damage="skip", at_time=max(entry.timestamp for entry in entries))
    assert list(later.records()) == entries
    assert [damage.reason for damage in later.damage] == ["checksum"]


def test_files_named_by_themselves_are_of_the_topic_whatever_their_directory() -> None:
    node = CONTROLLERS / "node-1"
    log = InternalLog(node / "bootstrap.checkpoint", "__cluster_metadata")
    entries = list(log.records())
    assert [entry.control_type for entry in entries if entry.control_type] == ["SNAPSHOT_HEADER", "SNAPSHOT_FOOTER"]
    assert {entry.partition for entry in entries} == {-1}
    assert InternalLog(GROUPS / "__transaction_state-0", "__cluster_metadata").partitions == []
    both = InternalLog([node, node / "bootstrap.checkpoint"], "__cluster_metadata")
    assert "bootstrap.checkpoint" not in {entry.file for entry in both.records()}
    own = "because a directory with the topic's own name exists"
    assert both.notes == [f"not read as __cluster_metadata, {own}: {node / 'bootstrap.checkpoint'}"]


def test_a_directory_without_a_name_of_kafka_is_of_the_topic(tmp_path: Path) -> None:
    shutil.copytree(GROUPS / "__consumer_offsets-1", tmp_path / "saved")
    log = InternalLog(tmp_path, "__consumer_offsets", at_offset={-1: 3})
    assert [(entry.partition, entry.offset) for entry in log.records()] == [(-1, 0), (-1, 1), (-1, 2)]


def test_segments_named_one_by_one_are_one_log(tmp_path: Path) -> None:
    source = COMPACTED / "comp-plain-0"
    names = sorted(path.name for path in source.glob("*.log"))
    assert len(names) > 1
    for name in names:
        shutil.copy(source / name, tmp_path / name)
    log = InternalLog([tmp_path / name for name in reversed(names)], "comp-plain")
    whole = [entry.offset for entry in InternalLog(COMPACTED, "comp-plain").records()]
    assert [entry.offset for entry in log.records()] == whole
    assert len(log.partitions) == 1


def test_another_file_system(tmp_path: Path) -> None:
    local = pafs.LocalFileSystem()
    log = InternalLog(str(GROUPS), "__consumer_offsets", filesystem=pafs.SubTreeFileSystem("/", local))
    assert len(list(log.records())) == len(list(InternalLog(GROUPS, "__consumer_offsets").records()))
    assert repr(log) == "<InternalLog of __consumer_offsets: 3 partitions>"


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"at_offset": 1, "at_time": 2}, ValueError),
        ({"at_offset": {0: "1"}}, TypeError),
        ({"at_offset": True}, TypeError),
        ({"at_time": "yesterday"}, ValueError),
        ({"on_damage": "ignore"}, ValueError),
        ({"partitions": "0"}, TypeError),
    ],
    ids=str,
)
def test_arguments_that_make_no_sense(arguments: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        InternalLog(GROUPS, "__consumer_offsets", **arguments)
