"""`kafkafmt cat --kind`: records of internal topics as rows, and the messages for wrong names and records."""

import json
import struct
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyarrow import feather

from kafkafmt.topics import tables
from kafkafmt.topics.decoding import KINDS
from tests.cli.conftest import Call
from tests.golden_cases import GOLDEN

GROUPS = GOLDEN / "modern" / "08-consumer-groups-4.3.1" / "log-dir"
REMOTE = "__remote_log_metadata"  # no golden case has tiered storage
CONTROLLERS = GOLDEN / "modern" / "10b-three-controllers-4.3.1" / "log-dir"


def test_a_table_of_one_kind_has_columns_of_its_fields(kafkafmt: Call) -> None:
    answer = kafkafmt("cat", GROUPS, "--kind", "OffsetCommit", "--partition", 0, "--limit", 2)
    assert (answer.status, answer.stderr) == (0, "")
    names = "partition offset timestamp group key.topic key.partition valueVersion value.offset leaderEpoch metadata"
    assert answer.lines[0].split() == [*names.split(), "commitTimestamp", "topicId"]
    where = ("2026-11-21T04:33:56.864Z", "g-RangeAssignor", "orders")
    assert [line.split() for line in answer.lines[1:]] == [
        ["0", "2", *where, "0", "4", "5", "0", "1795235636846", "zQeAaBSSTJKbop8UZLTF0A"],
        ["0", "3", *where, "1", "4", "6", "0", "1795235636846", "zQeAaBSSTJKbop8UZLTF0A"],
    ]


def test_a_table_shows_fields_from_their_first_value_on(kafkafmt: Call) -> None:
    answer = kafkafmt("cat", GROUPS, "--kind", "OffsetCommit", "--partition", 1)
    assert "expireTimestamp" in answer.lines[0]
    tombstone = next(line.split() for line in answer.lines if line.split()[1] == "20")
    assert tombstone[3:] == ["g-admin", "orders", "3", *["null"] * 7]


def test_a_table_of_a_kind_without_fields(kafkafmt: Call) -> None:
    answer = kafkafmt("cat", CONTROLLERS / "node-1", "--kind", "EndTransactionRecord", "--limit", 1)
    assert answer.lines[0].split() == ["partition", "offset", "timestamp", "valueVersion"]


def test_json_lines_and_csv_have_all_columns(kafkafmt: Call) -> None:
    answer = kafkafmt("cat", GROUPS, "--kind", "offsetcommit", "--output", "jsonl")
    rows = [json.loads(line) for line in answer.lines]
    table = tables.read(GROUPS, "OffsetCommit").to_table()
    assert [row["key"] for row in rows] == table["key"].to_pylist()
    assert [row["value"] for row in rows] == table["value"].to_pylist()
    assert list(rows[0]) == table.schema.names
    csv = kafkafmt("cat", GROUPS, "--kind", "OffsetCommit", "--output", "csv", "--columns", "offset,key", "--limit", 1)
    assert csv.text == 'offset,key\n2,"{""group"":""g-RangeAssignor"",""topic"":""orders"",""partition"":0}"\n'


@pytest.mark.parametrize("kind", [kind.name for kind in KINDS if kind.topic != REMOTE])
def test_files_of_arrow_and_parquet_hold_every_kind(kind: str, kafkafmt: Call, tmp_path: Path) -> None:
    source = CONTROLLERS if kind.endswith("Record") else GROUPS
    table = tables.read(source, kind).to_table()
    for out, read in (("rows.arrow", feather.read_table), ("rows.parquet", pq.read_table)):
        answer = kafkafmt("cat", source, "--kind", kind, "--out", tmp_path / out)
        assert answer.status == 0, answer.stderr
        assert read(tmp_path / out).to_pylist() == table.to_pylist()


def test_all_kinds_of_a_topic(kafkafmt: Call) -> None:
    answer = kafkafmt("cat", CONTROLLERS / "node-1", "--kind", "__cluster_metadata", "--control", "--limit", 2)
    names, first, second = [line.split(maxsplit=5) for line in answer.lines]
    assert names == ["partition", "offset", "timestamp", "kind", "valueVersion", "value"]
    assert first[:5] == ["0", "0", "2026-11-21T04:39:12.824Z", "LEADER_CHANGE", "null"]
    assert json.loads(first[5])["grantingVoters"] == [{"voterId": 3}, {"voterId": 2}]
    assert second[3:] == ["BeginTransactionRecord", "0", '{"name":"Bootstrap records"}']


def test_the_list_of_kinds_needs_no_path(kafkafmt: Call) -> None:
    answer = kafkafmt("cat", "--kind", "list")
    assert (answer.status, answer.stderr) == (0, "")
    assert [line.split()[0] for line in answer.lines if line.startswith(" ")] == [kind.name for kind in KINDS]
    assert "  TopicRecord                               name, topicId" in answer.lines
    assert [line for line in answer.lines if not line.startswith(" ")] == list(dict.fromkeys(k.topic for k in KINDS))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--kind", "OffsetComit"], "there is no kind of record 'OffsetComit'; did you mean OffsetCommit or "),
        (["--kind", "zzz"], "there is no kind of record 'zzz'. --kind list lists them."),
        (["--kind", "OffsetCommit", "--topic", "a"], "--kind selects the topic"),
        (["--kind", "OffsetCommit", "--topic-regex", "a"], "--kind selects the topic"),
        (["--kind", "OffsetCommit", "--last", "3"], "--last cannot be combined with --kind"),
        (["--kind", "OffsetCommit", "--columns", "group"], "no column 'group'. There are: topic, partition, offset,"),
    ],
    ids=str,
)
def test_wrong_usage(arguments: list[str], said: str, kafkafmt: Call) -> None:
    answer = kafkafmt("cat", GROUPS, *arguments)
    assert answer.status == 2
    assert said in answer.stderr


def test_a_topic_or_partition_that_is_not_there(kafkafmt: Call) -> None:
    answer = kafkafmt("cat", GROUPS, "--kind", "TopicRecord")
    assert answer.status == 3
    assert answer.stderr == (
        "kafkafmt: no topic __cluster_metadata. There are: __consumer_offsets, __share_group_state, "
        "__transaction_state, clicks, orders.\n"
    )
    answer = kafkafmt("cat", GROUPS, "--kind", "OffsetCommit", "--partition", 0, "--partition", 9, "--limit", 1)
    assert (answer.status, len(answer.lines)) == (3, 2)
    assert answer.stderr == "kafkafmt: no partition 9. There are: 0, 1, 2.\n"


def test_no_record_of_a_kind_is_said(kafkafmt: Call) -> None:
    answer = kafkafmt("cat", GROUPS, "--kind", "LegacyOffsetCommit")
    assert (answer.status, answer.stderr) == (0, "kafkafmt: note: no record of kind LegacyOffsetCommit\n")
    answer = kafkafmt("cat", GROUPS, "--kind", "OffsetCommit", "--key", "g-admin")
    assert answer.stderr.endswith("its keys are binary, so give it as hex:.. or base64:..\n")
    one = kafkafmt("cat", GROUPS, "--kind", "OffsetCommit", "--key", "hex:" + key_of("g-admin", "orders", 0).hex())
    assert (one.status, one.stderr) == (0, "")
    assert {line.split()[3] for line in one.lines[1:]} == {"g-admin"}
    assert kafkafmt("cat", GROUPS, "--kind", "OffsetCommit", "--limit", 0).stderr == ""


def key_of(group: str, topic: str, partition: int) -> bytes:
    return (
        b"\0\1"
        + b"".join(struct.pack(">h", len(each)) + each.encode() for each in (group, topic))
        + bytes((0, 0, 0, partition))
    )


def test_a_record_that_cannot_be_decoded_is_a_finding(kafkafmt: Call, broken_group: Path) -> None:
    answer = kafkafmt("cat", broken_group, "--kind", "GroupMetadata", "--columns", "offset,key,value,error,valueBytes")
    assert answer.status == 1
    assert answer.stderr == ("kafkafmt: 1 record cannot be decoded: see the columns error, keyBytes and valueBytes\n")
    assert "GroupMetadataValue of an unknown version (expected version 0 to 4, found 99)" in answer.lines[1]
    whole = kafkafmt("cat", broken_group, "--kind", "GroupMetadata")
    assert whole.lines[0].split() == ["partition", "offset", "timestamp", "group", "valueVersion", "error"]


@pytest.fixture
def broken_group(tmp_path: Path) -> Path:
    """A log with one group record whose value has an unknown version."""
    import crc32c

    directory = tmp_path / "__consumer_offsets-0"
    directory.mkdir()
    content = bytearray((GROUPS / "__consumer_offsets-0" / "00000000000000000000.log").read_bytes()[:111])
    at = content.index(b"g-RangeAssignor") + len("g-RangeAssignor") + 1
    content[at : at + 2] = struct.pack(">h", 99)
    content[17:21] = struct.pack(">I", crc32c.crc32c(bytes(content[21:])))
    (directory / "00000000000000000000.log").write_bytes(content)
    return tmp_path


@pytest.mark.parametrize(("begun", "offered"), [("__s", ["__share_group_state"]), ("TOPIC", ["TopicRecord"])])
def test_kinds_are_completed(begun: str, offered: list[str]) -> None:
    from kafkafmt.cli.cat import command

    option = next(each for each in command.params if each.name == "record_kind")
    names = [each.value for each in option.shell_complete(command.make_context("cat", ["x"]), begun)]
    assert names == offered
