"""Records of internal topics as tables: their schemas, and records that cannot be decoded."""

import json
import pickle
import struct
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import kafkafmt
import kafkafmt.topics
from kafkafmt.reference.messages import message, message_names
from kafkafmt.topics import tables
from kafkafmt.topics.decoding import KINDS, kind_of
from kafkafmt.topics.tables import message_type, schema_of
from tests.golden_cases import GOLDEN
from tests.reference import builder
from tests.reference.builder import R
from tests.transactions import ABORT, marker

GROUPS = GOLDEN / "modern" / "08-consumer-groups-4.3.1" / "log-dir"
OLD_GROUPS = GOLDEN / "legacy" / "consumer-offsets-0.8.2.2" / "log-dir"

COMMIT_KEY = struct.pack(">hh1sh1si", 1, 1, b"g", 1, b"t", 5)
COMMIT_VALUE = struct.pack(">hqihq", 3, 42, 7, 0, 1000)
COMMIT = R(key=COMMIT_KEY, value=COMMIT_VALUE)


def log_of(directory: Path, *records: R, topic: str = "__consumer_offsets", more: bytes = b"") -> Path:
    partition = directory / f"{topic}-0"
    partition.mkdir()
    placed = [R(offset_delta=number, key=each.key, value=each.value) for number, each in enumerate(records)]
    (partition / "00000000000000000000.log").write_bytes(builder.batch(placed) + more)
    return directory


def test_a_kind_has_a_struct_of_its_key_and_of_its_value(tmp_path: Path) -> None:
    table = tables.read(log_of(tmp_path, COMMIT, R(key=COMMIT_KEY, value=None)), "OffsetCommit").to_table()
    assert table.schema.field("key").type == pa.struct(
        [("group", pa.string()), ("topic", pa.string()), ("partition", pa.int32())]
    )
    assert table["key"].to_pylist() == [{"group": "g", "topic": "t", "partition": 5}] * 2
    value = {
        "offset": 42,
        "leaderEpoch": 7,
        "metadata": "",
        "commitTimestamp": 1000,
        "expireTimestamp": None,
        "topicId": None,
    }
    assert table["value"].to_pylist() == [value, None]
    assert table["valueVersion"].to_pylist() == [3, None]
    assert table["error"].null_count == table["keyBytes"].null_count == table["valueBytes"].null_count == 2


def test_columns_are_those_of_a_scan_around_key_and_value() -> None:
    decoded = tables.read(GROUPS, "OffsetCommit")
    assert decoded.schema.names == [
        *("topic", "partition", "offset", "timestamp", "key", "valueVersion", "value", "error"),
        *("keyBytes", "valueBytes", "partitionLeaderEpoch", "producerId", "producerEpoch", "sequence"),
        *("isTransactional", "magic", "compression", "baseOffset", "position", "file"),
    ]
    table = decoded.to_table()
    scanned = kafkafmt.scan(GROUPS, topics="__consumer_offsets").to_table()
    whole = scanned.filter(pc.equal(pc.binary_slice(scanned["key"], 0, 2), b"\0\1"))
    shared = [name for name in table.schema.names if name in whole.schema.names and name not in ("key", "value")]
    assert table.select(shared) == whole.select(shared)


def test_columns_are_chosen_and_ordered() -> None:
    assert tables.read(GROUPS, "OffsetCommit", columns=["value", "offset"]).to_table().schema.names == [
        "value",
        "offset",
    ]
    for columns in (["group"], [], ["key", "key"]):
        with pytest.raises(ValueError, match="columns"):
            tables.read(GROUPS, "OffsetCommit", columns=columns)
    with pytest.raises(TypeError, match="columns must be a list"):
        tables.read(GROUPS, "OffsetCommit", columns="key")


@pytest.mark.parametrize("name", message_names())
def test_every_message_has_a_struct_of_all_its_fields(name: str) -> None:
    struct_type = message_type(name)
    assert [field.name for field in struct_type] == [field.name for field in message(name).fields]


def test_records_without_keys_have_no_column_for_them() -> None:
    assert "key" not in schema_of(kind_of("TopicRecord"), None).names
    assert "value" in schema_of(kind_of("TopicRecord"), None).names
    assert "value" not in schema_of(kind_of("NoOpRecord"), None).names


def test_times_and_uuids_are_as_kafka_writes_them() -> None:
    row = tables.read(GROUPS, "OffsetCommit", columns=["value"]).to_table()["value"][0].as_py()
    assert (row["commitTimestamp"], row["topicId"]) == (1795235636846, "zQeAaBSSTJKbop8UZLTF0A")


def test_a_topic_is_all_kinds_as_json(tmp_path: Path) -> None:
    source = log_of(tmp_path, COMMIT, R(key=COMMIT_KEY, value=None), more=marker(2, 9, ABORT))
    table = tables.read(source, "__consumer_offsets", control_records=True).to_table()
    assert table["kind"].to_pylist() == ["OffsetCommit", "OffsetCommit", "ABORT"]
    assert table["type"].to_pylist() == [1, 1, 0]
    assert table["key"].to_pylist()[0] == '{"group":"g","topic":"t","partition":5}'
    assert [text and json.loads(text) for text in table["value"].to_pylist()] == [
        {"offset": 42, "leaderEpoch": 7, "metadata": "", "commitTimestamp": 1000},
        None,
        {"coordinatorEpoch": 7},
    ]
    assert tables.read(source, "__consumer_offsets").to_table().num_rows == 2
    assert tables.read(source, "OffsetCommit", control_records=True).to_table().num_rows == 2


BAD = {
    "newer-value": (
        R(key=COMMIT_KEY, value=b"\x00\x63rest"),
        "value: OffsetCommitValue of an unknown version",
    ),
    "short-value": (R(key=COMMIT_KEY, value=COMMIT_VALUE[:-1]), "value: the data ends before its declared size"),
    "short-key": (R(key=COMMIT_KEY[:-1], value=COMMIT_VALUE), "key: the data ends before its declared size"),
    "both": (R(key=COMMIT_KEY[:-1], value=b""), "key: the data ends before its declared size (expected 4 bytes"),
}


@pytest.mark.parametrize("kind", ["OffsetCommit", "__consumer_offsets"])
@pytest.mark.parametrize("name", sorted(BAD))
def test_what_cannot_be_decoded_stays_as_bytes_with_the_reason(name: str, kind: str, tmp_path: Path) -> None:
    record, reason = BAD[name]
    decoded = tables.read(log_of(tmp_path, COMMIT, record), kind)
    sound, broken = decoded.to_table().to_pylist()
    assert (sound["error"], sound["keyBytes"], sound["valueBytes"]) == (None, None, None)
    assert broken["error"].startswith(reason)
    assert (broken["keyBytes"], broken["valueBytes"]) == (record.key, record.value)
    assert (broken["value"] is None) == (name != "short-key")
    assert decoded.notes == ("1 record cannot be decoded: see the columns error, keyBytes and valueBytes",)


def test_both_errors_of_a_record_are_told(tmp_path: Path) -> None:
    table = tables.read(log_of(tmp_path, BAD["both"][0]), "OffsetCommit").to_table()
    assert "; value: " in table["error"][0].as_py()


def test_records_of_no_known_kind_are_counted_and_rows_of_the_topic(tmp_path: Path) -> None:
    unknown = [R(key=b"\x00\x63new", value=b"x"), R(key=None, value=b"x"), R(key=b"\x00", value=b"x")]
    source = log_of(tmp_path, COMMIT, *unknown)
    decoded = tables.read(source, "OffsetCommit")
    assert decoded.to_table().num_rows == 1
    note = (
        "3 records of __consumer_offsets of an unknown kind (first bytes: 00, 0063, null): "
        "read __consumer_offsets itself to see them"
    )
    assert decoded.notes == (note,)
    table = tables.read(source, "__consumer_offsets").to_table()
    assert table["kind"].to_pylist() == ["OffsetCommit", None, None, None]
    assert table["type"].to_pylist() == [1, 99, None, None]
    assert [bool(error) for error in table["error"].to_pylist()] == [False, True, True, True]
    assert table["keyBytes"].to_pylist() == [None, b"\x00\x63new", None, b"\x00"]


def test_frames_that_cannot_be_read(tmp_path: Path) -> None:
    values = [
        b"\x01\x14\x00\x00",
        None,
        b"",
        b"\x02\x14\x00",
        b"\x01\x63\x00",
        b"\x01\x14\x00\x00extra",
        b"\x01\x80\x01",
    ]
    source = log_of(tmp_path, *[R(key=None, value=value) for value in values], topic="__cluster_metadata")
    table = tables.read(source, "__cluster_metadata").to_table()
    assert table["kind"].to_pylist() == ["NoOpRecord", None, None, None, None, "NoOpRecord", None]
    assert [bool(error) for error in table["error"].to_pylist()] == [False, *[True] * 6]
    decoded = tables.read(source, "NoOpRecord")
    assert decoded.to_table()["valueBytes"].to_pylist() == [None, b"\x01\x14\x00\x00extra"]
    assert decoded.account.unknown == {None: 1, b"": 1, b"\x02\x14": 1, b"\x01\x63": 1, b"\x01\x80": 1}


def test_a_control_record_that_cannot_be_decoded(tmp_path: Path) -> None:
    unknown = marker(1, 9, ABORT, key=struct.pack(">hh", 0, 99))
    short = marker(2, 9, ABORT, value=b"\x00")
    source = log_of(tmp_path, COMMIT, more=unknown + short)
    table = tables.read(source, "__consumer_offsets", control_records=True).to_table()
    assert table["kind"].to_pylist() == ["OffsetCommit", "UNKNOWN", "ABORT"]
    assert table["error"].to_pylist()[1] == "an unknown type of control record"
    assert table["error"].to_pylist()[2].startswith("value: ")


def test_offset_commits_of_old_brokers_are_a_kind_of_their_own_where_their_keys_say_so() -> None:
    decoded = tables.read(OLD_GROUPS, "__consumer_offsets").to_table()
    assert set(decoded["kind"].to_pylist()) <= {"LegacyOffsetCommit", "OffsetCommit", "GroupMetadata"}
    assert decoded.num_rows > 0
    assert decoded["error"].null_count == decoded.num_rows


def test_a_scan_at_hand_is_decoded() -> None:
    scan = kafkafmt.scan(GROUPS, partitions=1, start_offset=10)
    decoded = kafkafmt.topics.decode(scan, "OffsetCommit")
    table = decoded.to_table()
    assert set(table["partition"].to_pylist()) == {1}
    assert min(table["offset"].to_pylist()) >= 10
    assert [partition.topic for partition in decoded.partitions] == ["__consumer_offsets"]
    assert pa.table(decoded) == table
    assert repr(decoded).startswith("<DecodedScan of OffsetCommit: topic, partition")
    assert repr(tables.decode(scan, "__consumer_offsets")).startswith("<DecodedScan of __consumer_offsets: ")


def test_splits_are_decoded_in_other_processes() -> None:
    decoded = kafkafmt.topics.read(GROUPS, "OffsetCommit")
    plan = decoded.scan.plan(max_split_bytes=4000)
    assert len(plan.splits) > 2
    reading, decoder = pickle.loads(pickle.dumps((plan.reading, decoded.decoder)))
    account = tables.Account()
    batches = [rows for split in plan.splits for part in reading.read(split) for rows in decoder.decode(part, account)]
    assert pa.Table.from_batches(batches).select(["key", "value"]) == decoded.to_table().select(["key", "value"])


def test_damage_is_raised_or_listed(tmp_path: Path) -> None:
    source = log_of(tmp_path, COMMIT, more=b"\0" * 61)
    decoded = tables.read(source, "OffsetCommit", on_damage="skip")
    assert decoded.to_table().num_rows == 1
    assert [damage.reason for damage in decoded.damage] == ["zero_tail"]
    assert decoded.path_of("__consumer_offsets-0/00000000000000000000.log") == str(
        source / "__consumer_offsets-0" / "00000000000000000000.log"
    )
    assert decoded.skipped_replicas == []


def test_large_records_are_decoded_few_at_a_time(tmp_path: Path) -> None:
    value = struct.pack(">hqih", 3, 42, 7, 30000) + b"m" * 30000 + struct.pack(">q", 1)
    source = log_of(tmp_path, *[R(key=COMMIT_KEY, value=value)] * 200)
    sizes = [batch.num_rows for batch in tables.read(source, "OffsetCommit").to_reader()]
    assert sum(sizes) == 200
    assert max(sizes) <= 70


def test_long_keys_are_not_kept(tmp_path: Path) -> None:
    key = struct.pack(">hh600sh1si", 1, 600, b"g" * 600, 1, b"t", 5)
    table = tables.read(log_of(tmp_path, R(key=key, value=None)), "OffsetCommit").to_table()
    assert table["key"][0].as_py()["group"] == "g" * 600


def test_files_named_by_themselves_are_of_the_kinds_topic() -> None:
    node = GOLDEN / "modern" / "10b-three-controllers-4.3.1" / "log-dir" / "node-1"
    table = tables.read(node / "bootstrap.checkpoint", "FeatureLevelRecord").to_table()
    assert table["value"].to_pylist()[0] == {"name": "metadata.version", "featureLevel": 30}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("offsetCommits", "did you mean OffsetCommit"),
        ("consumer_offsets", "did you mean __consumer_offsets"),
        ("zzz", "there is no kind of record 'zzz'$"),
    ],
)
def test_kinds_that_there_are_not(name: str, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        kafkafmt.topics.read(GROUPS, name)


def test_the_kind_tells_the_topic() -> None:
    with pytest.raises(TypeError, match="the kind determines the topic"):
        kafkafmt.topics.read(GROUPS, "OffsetCommit", topics="__consumer_offsets")


def test_kinds_have_names_and_prefixes_of_their_own() -> None:
    assert len({kind.name for kind in KINDS}) == len(KINDS) == 56
    assert len({(kind.topic, kind.prefix) for kind in KINDS}) == len(KINDS)
    assert kind_of("OFFSETCOMMIT") == kind_of("OffsetCommit")
    assert kind_of("__transaction_state") == "__transaction_state"
