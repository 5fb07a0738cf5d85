"""Single segments of golden tiers: bytes and states as Kafka and the plugin know them, and skipped segments."""

import hashlib
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

import kafkafmt
from kafkafmt.files.names import LEADER_EPOCHS
from kafkafmt.io.keys import DecryptionKeys
from kafkafmt.io.source import locate
from kafkafmt.logdir import tier_log
from kafkafmt.logdir.remote_log import STATES, read_remote_log
from kafkafmt.logdir.tier import TierPartition
from kafkafmt.logdir.tier_search import in_tier
from kafkafmt.logdir.tier_segment import TierFile, Upload
from tests.golden_cases import TierCase, tier_case, tier_cases

FETCHED = [case for case in tier_cases() if case.has("fetched.jsonl")]
WITH_EVENTS = [case for case in tier_cases() if case.has("events.jsonl")]
ENDINGS = {
    "OFFSET": "index",
    "TIMESTAMP": "timeindex",
    "PRODUCER_SNAPSHOT": "snapshot",
    "LEADER_EPOCH": LEADER_EPOCHS,
    "TRANSACTION": "txnindex",
}


def uploads(case: TierCase) -> dict[str, Upload]:
    """All uploads by segment id, including those of deleted topics; complete ones with their properties."""
    found: dict[str, Upload] = {}
    for directory in sorted({path.parent for path in case.tier.rglob("*") if path.is_file()}):
        partition = in_tier(locate(directory), DecryptionKeys.of(case.keys))
        assert isinstance(partition, TierPartition)
        whole = [upload for upload in partition.uploads if upload.is_complete]
        found |= {upload.id: upload for upload in [*partition.uploads, *tier_log.describe(whole)]}
    return found


def read(file: TierFile) -> bytes:
    with file.open() as opened:
        return opened.read_at(0, opened.size)


def fetched(data: bytes) -> dict[str, Any]:
    return {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()}


@pytest.mark.parametrize("case", FETCHED, ids=str)
def test_bytes_are_those_that_the_storage_manager_gives_back(case: TierCase) -> None:
    known = uploads(case)
    compared = 0
    for row in case.jsonl("fetched.jsonl"):
        upload = known.get(row["segmentId"])
        if "error" in row:  # its log or manifest is missing
            assert upload is None or not upload.is_complete
            continue
        assert upload is not None
        assert upload.error is None
        assert upload.base_offset == row["baseOffset"]
        assert upload.topic_id == row["topicId"]
        assert upload.is_complete
        assert fetched(read(upload.file("log"))) == {"size": row["size"], "sha256": row["sha256"]}
        for name, index in row["indexes"].items():
            if "error" in index:
                assert name == "TRANSACTION"
                assert not upload.has(ENDINGS[name])
                continue
            assert upload.has(ENDINGS[name])
            data = read(upload.file(ENDINGS[name]))
            assert fetched(data) == {"size": index["size"], "sha256": index["sha256"]}
            assert upload.size_of(ENDINGS[name]) == len(data)
            compared += 1
    assert compared > 10


@pytest.mark.parametrize("case", WITH_EVENTS, ids=str)
def test_files_have_the_names_that_a_broker_gives_them(case: TierCase) -> None:
    known = uploads(case)
    for row in case.jsonl("segments.jsonl"):
        upload = known.get(row["segmentId"])
        if upload is None or not upload.is_complete:
            continue
        names = [upload.file(ending).name for ending in ENDINGS.values()]
        assert names == [
            f"{row['startOffset']:020d}.index",
            f"{row['startOffset']:020d}.timeindex",
            f"{row['endOffset'] + 1:020d}.snapshot",
            "leader-epoch-checkpoint",
            f"{row['startOffset']:020d}.txnindex",
        ]
        assert upload.end_offset == row["endOffset"]
        assert dict(upload.leader_epochs or ()) == {int(epoch): at for epoch, at in row["segmentLeaderEpochs"].items()}
        assert upload.whole_size == row["segmentSizeInBytes"]


@pytest.mark.parametrize("case", WITH_EVENTS, ids=str)
def test_segments_have_the_states_and_answer_the_offsets_that_kafkas_cache_says(case: TierCase) -> None:
    disks = kafkafmt.open(case.log_dir)
    remote = read_remote_log(disks.partitions)
    assert not remote.notes
    lineages = {(each.topic_id, each.partition): each.leader_epochs for each in disks.partitions if each.topic_id}
    rows = case.jsonl("segments.jsonl")
    assert sum(len(each.segments) for each in remote.partitions.values()) == len(rows)
    answered = 0
    for row in rows:
        partition = remote.partitions[row["topicId"], row["partition"]]
        segment = partition.segments[row["segmentId"]]
        assert partition.topic == row["topic"]
        assert STATES[segment.state] == row["state"]
        assert segment.start_offset == row["startOffset"]
        assert segment.end_offset == row["endOffset"]
        assert segment.size_in_bytes == row["segmentSizeInBytes"]
        assert segment.max_timestamp == row["maxTimestampMs"]
        assert segment.event_timestamp == row.get("eventTimestampMs", row["startedTimestampMs"])
        assert dict(segment.leader_epochs) == {int(each): at for each, at in row["segmentLeaderEpochs"].items()}
        lineage = lineages.get((row["topicId"], row["partition"]))
        if lineage is not None:
            found = partition.answers(lineage).get(segment.id, [])
            assert [list(each) for each in found] == row["answersOffsets"], row["segmentId"]
            answered += bool(found)
    assert answered


def test_what_is_no_part_of_the_log_is_listed_with_its_reason() -> None:
    case = tier_case(8)
    disks = kafkafmt.open(case.tier, decryption_keys=case.keys)
    listed = disks.inspect.left_out().to_pylist()
    uploads: dict[tuple[Path, str], list[str]] = defaultdict(list)
    incomplete = {}
    for log in case.tier.rglob("*.log"):
        if all(log.with_suffix(ending).exists() for ending in (".indexes", ".rsm-manifest")):
            uploads[log.parent, log.name[:20]].append(log.name[21:43])
        else:
            incomplete[str(log)] = log.stat().st_size
    (without_log,) = (path for path in case.tier.rglob("*.indexes") if not path.with_suffix(".log").exists())
    incomplete[str(without_log)] = 0
    assert {row["path"]: row["sizeInBytes"] for row in listed if row["kind"] == "incomplete"} == incomplete
    # Uploads of one segment are equal, so only one is read.
    repeated = {place: ids for place, ids in uploads.items() if len(ids) > 1}
    overlapped = [Path(row["path"]) for row in listed if row["kind"] == "overlapped"]
    assert {(path.parent, path.name[:20]) for path in overlapped} == repeated.keys()
    assert all(path.name[21:43] in repeated[path.parent, path.name[:20]] for path in overlapped)
    assert len(overlapped) == sum(len(ids) - 1 for ids in repeated.values()) > 1
    assert {row["kind"] for row in listed} == {"incomplete", "overlapped"}


def test_a_topic_that_was_made_again_is_read_and_the_deleted_one_of_its_name_is_not() -> None:
    case = tier_case(5)
    old, live = "JKdkwTf2RB2vS3_aPzLG1Q", "V_a4MPcLQzuZDJ-HMSRmuA"
    disks = kafkafmt.open(case.tier)
    (note,) = disks.scan().notes
    assert note == (
        f"the tier has 2 topics again-1: {live}, to which segments were uploaded last, is read; to read {old},"
        " name its directory"
    )
    (row,) = disks.inspect.left_out().to_pylist()
    directory = case.tier / "backup" / "east" / f"again-1-{old}" / "0"
    sizes = [row["size"] for row in case.jsonl("fetched.jsonl") if row["topicId"] == old]
    assert (row["kind"], row["path"], row["sizeInBytes"]) == ("delete", str(directory), sum(sizes))
    # Named directly it gives its records, none of which the consumer of the new topic got.
    found = kafkafmt.scan(directory, columns=["topic", "offset"])
    assert not found.notes
    assert found.to_table().to_pylist() == [
        {"topic": "again-1", "offset": row["offset"]} for row in case.jsonl("tier_only_records.jsonl")
    ]


def test_a_log_directory_knows_which_topic_of_a_name_lives() -> None:
    case = tier_case(5)
    disks = kafkafmt.open([case.log_dir, case.tier])
    assert disks.partition("again-1", 0).topic_id == "V_a4MPcLQzuZDJ-HMSRmuA"
    (row,) = (row for row in disks.inspect.left_out().to_pylist() if row["topic"] == "again-1")
    assert row["kind"] == "delete"
    assert "again-1-JKdkwTf2RB2vS3_aPzLG1Q" in row["path"]
