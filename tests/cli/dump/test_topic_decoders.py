"""Records of internal topics as text: the decoders' output for every kind and for unreadable records."""

import struct
import uuid
from collections.abc import Sequence
from pathlib import Path

import pytest

from kafkafmt.cli.dump.topic_decoders import in_kafkas_words
from kafkafmt.errors import CorruptError
from tests.cli.dump.running import Run, dump
from tests.reference.builder import CONTROL, R, batch

NAME = "00000000000000000000.log"
TOPIC_ID = uuid.UUID(int=1).bytes
TOPIC_ID_TEXT = "AAAAAAAAAAAAAAAAAAAAAQ"


def text(value: str | None) -> bytes:
    """A string in the encoding of non-flexible messages."""
    if value is None:
        return b"\xff\xff"
    data = value.encode()
    return struct.pack(">h", len(data)) + data


def sized(data: bytes) -> bytes:
    return struct.pack(">i", len(data)) + data


def offset_key(group: str = "g", topic: str = "t", partition: int = 0, record_type: int = 1) -> bytes:
    return struct.pack(">h", record_type) + text(group) + text(topic) + struct.pack(">i", partition)


def offset_value(version: int = 3) -> bytes:
    return struct.pack(">hqi", version, 7, 2) + text("é\n") + struct.pack(">q", 1000)


def group_value(protocol_type: str, subscription: bytes, assignment: bytes) -> bytes:
    member = text("m") + text(None) + text("c") + text("/h") + struct.pack(">ii", 3, 4)
    member += sized(subscription) + sized(assignment)
    return (
        struct.pack(">h", 3)
        + text(protocol_type)
        + struct.pack(">i", 1)
        + text("range")
        + text("m")
        + struct.pack(">qi", 5, 1)
        + member
    )


def metadata(api_key: int, version: int, message: bytes, frame: int = 1) -> bytes:
    return bytes([frame, api_key, version]) + message


def decoded(directory: Path, decoder: str, *records: R, options: Sequence[str] = ("--skip-record-metadata",)) -> Run:
    """Dump a log of these records, at offsets from 0, with a decoder."""
    path = directory / NAME
    path.write_bytes(b"".join(batch([record], base_offset=offset) for offset, record in enumerate(records)))
    return dump(f"--{decoder}-decoder", *options, path)


def printed(run: Run) -> list[str]:
    return [line for line in run.lines if line.startswith("| ")]


def test_a_committed_offset_and_its_tombstone(tmp_path: Path) -> None:
    run = decoded(tmp_path, "offsets", R(key=offset_key(), value=offset_value()), R(key=offset_key(), value=None))
    key = '{"type":"1","data":{"group":"g","topic":"t","partition":0}}'
    value = '{"version":"3","data":{"offset":7,"leaderEpoch":2,"metadata":"é\\n","commitTimestamp":1000}}'
    assert printed(run) == [f"| key: {key} payload: {value}", f"| key: {key} payload: <DELETE>"]
    assert (run.status, run.err) == (0, b"")


def test_what_is_known_of_a_record_stands_before_it(tmp_path: Path) -> None:
    run = decoded(tmp_path, "offsets", R(key=offset_key(), value=None), options=())
    assert printed(run) == [
        (
            "| offset: 0 CreateTime: 1000 keySize: 12 valueSize: -1 sequence: -1 headerKeys: [] "
            'key: {"type":"1","data":{"group":"g","topic":"t","partition":0}} payload: <DELETE>'
        )
    ]


def test_what_consumers_of_a_group_sent_each_other_is_decoded(tmp_path: Path) -> None:
    topics = struct.pack(">i", 1) + text("t")
    subscription = struct.pack(">h", 0) + topics + struct.pack(">i", -1)
    assignment = struct.pack(">h", 0) + topics + struct.pack(">iii", 1, 5, -1)
    key = struct.pack(">h", 2) + text("g")
    run = decoded(
        tmp_path,
        "offsets",
        R(key=key, value=group_value("consumer", subscription, assignment)),
        R(key=key, value=group_value("connect", subscription, assignment)),
        R(key=key, value=group_value("consumer", b"own", b"")),
    )
    members = [line.partition('"sessionTimeout":4,')[2] for line in printed(run)]
    assert members == [
        (
            '"subscription":{"topics":["t"],"userData":null},'
            '"assignment":{"assignedPartitions":[{"topic":"t","partitions":[5]}],"userData":null}}]}}'
        ),
        '"subscription":"AAAAAAABAAF0/////w==","assignment":"AAAAAAABAAF0AAAAAQAAAAX/////"}]}}',
        '"subscription":"b3du","assignment":""}]}}',
    ]
    assert run.status == 0


@pytest.mark.parametrize(
    ("record", "begin", "why"),
    [
        (
            R(key=b"\0\x63", value=b"v"),
            "| key: Unknown record type 99 at offset 1, skipping.",
            "of an unknown type (expected 0 to 23, found 99)",
        ),
        (R(key=b"\0", value=b"v"), "| key: Error at offset 1, skipping. ", "has no type"),
        (R(key=None, value=b"v"), "| key: Error at offset 1, skipping. ", "the record has no key"),
        (R(key=offset_key()[:-1], value=b"v"), "| key: Error at offset 1, skipping. ", "the data ends before"),
        (R(key=offset_key(), value=b"\0"), "| key: Error at offset 1, skipping. ", "the data ends before"),
        (
            R(key=offset_key(), value=offset_value(99)),
            "| key: Error at offset 1, skipping. ",
            "OffsetCommitValue of an unknown version (expected version 0 to 4, found 99)",
        ),
    ],
)
def test_what_cannot_be_decoded_is_passed_over_aloud(tmp_path: Path, record: R, begin: str, why: str) -> None:
    sound = R(key=offset_key(), value=offset_value())
    run = decoded(tmp_path, "offsets", sound, record, sound)
    first, second, third = printed(run)
    assert first == third
    assert second.startswith(begin)
    assert " payload: " not in second
    position = (tmp_path / NAME).stat().st_size - len(batch([sound])) - len(batch([record]))
    assert len(run.complaints) == 1
    assert run.complaints[0].startswith(
        f"kafkafmt: {tmp_path / NAME}: position {position}: "
        "1 of 3 records could not be decoded; the first, at offset 1: "
    )
    assert why in run.complaints[0]
    assert run.status == 1


def test_the_wrong_decoder_is_said_to_be(tmp_path: Path) -> None:
    run = decoded(tmp_path, "share-group-state", *[R(key=b"order-1", value=b"paid")] * 2)
    assert run.complaints == [
        (
            f"kafkafmt: {tmp_path / NAME}: position 0: "
            "no record could be decoded, so this may be another topic's decoder; "
            "the first, at offset 0: a record of __share_group_state of an unknown type "
            "(expected 0 to 1, found 28530)"
        )
    ]
    assert run.status == 1


def test_a_transaction(tmp_path: Path) -> None:
    key = struct.pack(">h", 0) + text("tx")
    value = struct.pack(">hqhibi", 0, 3, 1, 60000, 1, 1) + text("t") + struct.pack(">iiqq", 1, 4, 11, 10)
    assert printed(decoded(tmp_path, "transaction-log", R(key=key, value=value))) == [
        (
            '| key: {"type":"0","data":{"transactionalId":"tx"}} payload: {"version":"0","data":{"producerId":3,'
            '"producerEpoch":1,"transactionTimeoutMs":60000,"transactionStatus":1,'
            '"transactionPartitions":[{"topic":"t","partitionIds":[4]}],"transactionLastUpdateTimestampMs":11,'
            '"transactionStartTimestampMs":10}}'
        )
    ]


def test_a_share_group(tmp_path: Path) -> None:
    key = struct.pack(">h", 1) + text("g") + TOPIC_ID + struct.pack(">i", 4)
    run = decoded(tmp_path, "share-group-state", R(key=key, value=None))
    assert printed(run) == [
        f'| key: {{"type":"1","data":{{"groupId":"g","topicId":"{TOPIC_ID_TEXT}","partition":4}}}} payload: <DELETE>'
    ]


def test_cluster_metadata_has_no_keys(tmp_path: Path) -> None:
    run = decoded(
        tmp_path,
        "cluster-metadata",
        R(key=b"k", value=metadata(2, 0, b"\2t" + TOPIC_ID + b"\0")),
        R(key=None, value=metadata(14, 0, b"\1\2k" + struct.pack(">d", 1e7) + b"\0\0")),
    )
    assert printed(run) == [
        f'| payload: {{"type":"TOPIC_RECORD","version":0,"data":{{"name":"t","topicId":"{TOPIC_ID_TEXT}"}}}}',
        (
            '| payload: {"type":"CLIENT_QUOTA_RECORD","version":0,'
            '"data":{"entity":[],"key":"k","value":1.0E7,"remove":false}}'
        ),
    ]


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (None, "the data ends before"),
        (b"\1", "the data ends before"),
        (metadata(2, 0, b"", frame=2), "in a frame of another version"),
        (metadata(99, 0, b""), "of an unknown number"),
        (metadata(2, 9, b""), "TopicRecord of an unknown version (expected version 0, found 9)"),
        (metadata(2, 0, b"\2t" + TOPIC_ID + b"\0more"), "bytes after a metadata record"),
    ],
)
def test_cluster_metadata_that_cannot_be_decoded(tmp_path: Path, value: bytes | None, why: str) -> None:
    run = decoded(tmp_path, "cluster-metadata", R(key=b"k", value=value))
    (line,) = printed(run)
    assert line.startswith("| payload: Error at 0, skipping. ")
    assert why in line
    assert why in run.complaints[0]
    assert run.status == 1


def test_control_records_are_none_of_a_decoders(tmp_path: Path) -> None:
    path = tmp_path / NAME
    path.write_bytes(batch([R(key=b"\0\0\0\1", value=bytes(6))], attributes=CONTROL))
    run = dump("--cluster-metadata-decoder", path)
    assert printed(run)[0].endswith(" endTxnMarker: COMMIT coordinatorEpoch: 0")
    assert run.status == 0


def test_of_several_decoders_the_first_of_kafkas_counts(tmp_path: Path) -> None:
    record = R(key=offset_key(), value=None)
    several = decoded(
        tmp_path, "share-group-state", record, options=("--offsets-decoder", "--key-decoder-class", "Long")
    )
    assert several == decoded(tmp_path, "offsets", record, options=())


SEGMENT_ID = {"topicIdPartition": {"name": "a-b", "id": "T", "partition": 3}, "id": "S"}
SEGMENT = {
    "remoteLogSegmentId": SEGMENT_ID,
    "startOffset": 5,
    "endOffset": 9,
    "brokerId": 1,
    "maxTimestampMs": 100,
    "eventTimestampMs": 200,
    "segmentLeaderEpochs": [{"leaderEpoch": 4, "offset": 8}, {"leaderEpoch": 0, "offset": 5}],
    "segmentSizeInBytes": 77,
    "customMetadata": b"abc",
    "remoteLogSegmentState": 1,
}
ID_TEXT = "RemoteLogSegmentId{topicIdPartition=T:a-b-3, id=S}"


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        (
            "RemoteLogSegmentMetadataRecord",
            SEGMENT | {"txnIndexEmpty": True},
            (
                f"RemoteLogSegmentMetadata{{remoteLogSegmentId={ID_TEXT}, startOffset=5, endOffset=9, brokerId=1, "
                "maxTimestampMs=100, eventTimestampMs=200, segmentLeaderEpochs={0=5, 4=8}, segmentSizeInBytes=77, "
                "customMetadata=Optional[CustomMetadata{3 bytes}], state=COPY_SEGMENT_FINISHED, txnIdxEmpty=true}"
            ),
        ),
        (
            "RemoteLogSegmentMetadataUpdateRecord",
            SEGMENT | {"customMetadata": None, "remoteLogSegmentState": 3},
            (
                f"RemoteLogSegmentMetadataUpdate{{remoteLogSegmentId={ID_TEXT}, customMetadata=Optional.empty, "
                "state=DELETE_SEGMENT_FINISHED, eventTimestampMs=200, brokerId=1}"
            ),
        ),
        (
            "RemotePartitionDeleteMetadataRecord",
            {
                "topicIdPartition": SEGMENT_ID["topicIdPartition"],
                "brokerId": 1,
                "eventTimestampMs": 2,
                "remotePartitionDeleteState": 0,
            },
            (
                "RemotePartitionDeleteMetadata{topicPartition=T:a-b-3, state=DELETE_PARTITION_MARKED, "
                "eventTimestampMs=2, brokerId=1}"
            ),
        ),
        (
            "RemoteLogSegmentMetadataSnapshotRecord",
            SEGMENT | {"segmentId": "S", "startOffset": 9, "endOffset": 5},
            (
                "RemoteLogSegmentMetadataSnapshot{segmentId=S, startOffset=9, endOffset=5, maxTimestampMs=100, "
                "segmentLeaderEpochs={0=5, 4=8}, segmentSizeInBytes=77, "
                "customMetadata=Optional[CustomMetadata{3 bytes}], state=COPY_SEGMENT_FINISHED, txnIdxEmpty=false}"
            ),
        ),
    ],
)
def test_remote_log_metadata_in_the_words_of_kafkas_classes(name: str, data: dict[str, object], words: str) -> None:
    assert in_kafkas_words(name, data) == words


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"startOffset": -1}, "begins at a negative offset"),
        ({"endOffset": 4}, "ends before it begins"),
        ({"segmentLeaderEpochs": []}, "has no leader epochs"),
        ({"remoteLogSegmentState": 4}, "an unknown state"),
        ({"remoteLogSegmentState": -1}, "an unknown state"),
    ],
)
def test_remote_log_metadata_that_kafkas_classes_refuse(changed: dict[str, object], why: str) -> None:
    with pytest.raises(CorruptError, match=why):
        in_kafkas_words("RemoteLogSegmentMetadataRecord", SEGMENT | changed)


def test_remote_log_metadata_from_a_log(tmp_path: Path) -> None:
    deleted = metadata(2, 0, b"\2t" + TOPIC_ID + struct.pack(">ibiqbb", 3, 0, 1, 2, 2, 0))
    run = decoded(tmp_path, "remote-log-metadata", R(key=b"k", value=deleted), R(value=deleted[:-2]), R(value=None))
    sound, *others = printed(run)
    assert sound == (
        f"| payload: RemotePartitionDeleteMetadata{{topicPartition={TOPIC_ID_TEXT}:t-3, "
        "state=DELETE_PARTITION_FINISHED, eventTimestampMs=2, brokerId=1}"
    )
    assert [line[: line.index("skipping.")] for line in others] == [
        f"| payload: Error at offset {offset}, " for offset in (1, 2)
    ]
    assert "2 of 3 records could not be decoded; the first, at offset 1: " in run.complaints[0]
    assert run.status == 1
