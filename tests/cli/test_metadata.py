"""`kafkafmt metadata` as a user calls it."""

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from kafkafmt.cli.metadata import SECTIONS
from kafkafmt.topics.cluster_metadata import sections
from tests.cli.conftest import Answer, Call, on_terminal
from tests.golden_cases import Case, cases
from tests.topics.cluster_metadata import written
from tests.topics.cluster_metadata.written import OTHER_ID, TOPIC_ID, record


def case(name: str) -> Case:
    return next(each for each in cases("modern") if each.name == name)


CLUSTER = case("10-cluster-metadata-4.3.1").log_dir
THREE = case("10b-three-controllers-4.3.1").log_dir
SNAPSHOT = "00000000000000000350-0000000002.checkpoint"
OTHERS = (
    "eligible.leader.replicas.version 1, group.version 1, kraft.version 1, share.version 1, "
    "streams.version 1, transaction.version 2"
)
BOOTSTRAP = case("01-codecs-4.3.1").log_dir


def rows(answer: Answer) -> list[dict[str, Any]]:
    return [json.loads(line) for line in answer.lines]


def test_the_overview_answers_what_the_cluster_was(kafkafmt: Call) -> None:
    answer = kafkafmt("metadata", CLUSTER)
    assert (answer.status, answer.stderr) == (0, "")
    assert answer.lines[:6] == [
        "Cluster K8Ai7jDY-pOVSo8HW105hg",
        "  as of offset 353 of its metadata log in leader epoch 2, 2026-11-21T04:38:25.752Z",
        f"  read from {CLUSTER}/__cluster_metadata-0: snapshot {SNAPSHOT}, then the log after it",
        f"  metadata.version 4.3-IV0 (30), {OTHERS}",
        "  voters 1; active controller 1, registered controllers 1",
        "",
    ]
    assert "1 broker" in answer.lines
    assert "  1       fenced  null    235         0        49        1  PLAINTEXT://127.0.0.1:19092" in answer.lines
    assert "23 topics, 49 partitions" in answer.lines
    assert "  m-two                   4         1          4         4  PkEujrNDRge-NUPjNPPF9Q        1" in answer.lines
    assert "  broker default  min.insync.replicas  1" in answer.lines
    assert answer.lines[-5:] == [
        "  3 client quotas (--show quotas)",
        "  1 ACL (--show acls)",
        "  1 SCRAM credential (--show scram)",
        "  no delegation tokens",
        "  producer ids up to 999 are allocated to brokers",
    ]


def test_of_several_copies_it_says_which_was_read(kafkafmt: Call) -> None:
    answer = kafkafmt("metadata", THREE)
    assert answer.status == 0
    assert answer.stderr.startswith(f"kafkafmt: note: read from {THREE}/node-1/__cluster_metadata-0 (leader epoch 3")
    assert "voters 1, 2, 3; active controller 3" in answer.text


def test_without_a_log_it_says_so(kafkafmt: Call) -> None:
    answer = kafkafmt("metadata", BOOTSTRAP)
    assert answer.status == 0
    assert "there is no metadata log; this is the initial state of the cluster" in answer.stderr
    assert f"  read from {BOOTSTRAP}/bootstrap.checkpoint" in answer.lines
    assert {"No broker is registered", "No topics", "No configs are set"} <= set(answer.lines)


def test_sections_are_those_of_the_library() -> None:
    assert tuple(sections.SECTIONS) == SECTIONS


@pytest.mark.parametrize("section", SECTIONS)
def test_each_section_as_rows(kafkafmt: Call, section: str) -> None:
    answer = kafkafmt("metadata", CLUSTER, "--show", section, "-o", "jsonl")
    assert (answer.status, answer.stderr) == (0, "")
    assert len(answer.lines) == {"topics": 23, "partitions": 49, "configs": 24, "quotas": 3, "features": 7}.get(
        section, 0 if section == "tokens" else 1
    )
    for row in rows(answer):
        assert list(row) == sections.SECTIONS[section].schema.names
    table = kafkafmt("metadata", CLUSTER, "--show", section)
    assert len(table.lines) == len(answer.lines) + 1
    csv = kafkafmt("metadata", CLUSTER, "--show", section, "-o", "csv", "--no-header")
    assert len(csv.lines) == len(answer.lines)


def test_rows_without_a_section_are_the_one_of_the_cluster(kafkafmt: Call, tmp_path: Path) -> None:
    (row,) = rows(kafkafmt("metadata", CLUSTER, "-o", "jsonl"))
    assert (row["clusterId"], row["topics"], row["endOffset"]) == ("K8Ai7jDY-pOVSo8HW105hg", 23, 353)
    out = tmp_path / "cluster.parquet"
    assert kafkafmt("metadata", CLUSTER, "--out", out).status == 0
    assert pq.read_table(out).schema == sections.SECTIONS["cluster"].schema


def test_tables_write_structures_as_words(kafkafmt: Call) -> None:
    answer = kafkafmt("metadata", CLUSTER, "--show", "quotas", "--show", "controllers", "--show", "topics")
    assert answer.lines[0] == "quotas"
    assert "client-id app-ü, user alice  producer_byte_rate     1048576.0" in answer.lines
    assert "user <default>               consumer_byte_rate  1000000000.0" in answer.lines
    assert "\ncontrollers\n" in answer.text
    assert "CONTROLLER://127.0.0.1:19093" in answer.text
    assert "segment.ms=1000010" in answer.text
    columns = kafkafmt("metadata", CLUSTER, "--show", "controllers", "--columns", "controllerId,features")
    assert columns.lines[1].startswith("           1  eligible.leader.replicas.version 0-1, group.version 0-1")


def test_topics_are_chosen_by_name_or_id(kafkafmt: Call) -> None:
    answer = kafkafmt("metadata", CLUSTER, "--topic", "m-one", "--topic", "PkEujrNDRge-NUPjNPPF9Q")
    assert answer.status == 0
    assert "2 topics, 7 partitions" in answer.lines
    assert "brokers" not in answer.text
    assert "  topic m-one  cleanup.policy     compact" in answer.lines
    assert len(kafkafmt("metadata", CLUSTER, "--topic", "m-one", "--show", "partitions", "-o", "jsonl").lines) == 3
    assert len(kafkafmt("metadata", CLUSTER, "--topic", "m-one", "--show", "configs", "-o", "jsonl").lines) == 1
    some = kafkafmt("metadata", CLUSTER, "--topic", "m-one", "--topic", "nothing")
    assert some.status == 3
    assert "no topic nothing. There are: after-restart, bulk-10" in some.stderr
    assert "1 topic, 3 partitions" in some.lines
    none = kafkafmt("metadata", CLUSTER, "--topic", "nothing")
    assert (none.status, none.stdout) == (3, b"")


def test_an_earlier_moment(kafkafmt: Call) -> None:
    assert "  as of offset 45 of its metadata log" in kafkafmt("metadata", CLUSTER, "--at-offset", 45).text
    by_time = kafkafmt("metadata", CLUSTER, "--at-time", "2026-11-21T04:38:00Z", "-o", "jsonl")
    assert rows(by_time)[0]["endOffset"] == 45
    open_one = kafkafmt("metadata", CLUSTER, "--at-offset", "0:10")
    assert open_one.status == 0
    assert "(Bootstrap records) is open: its 6 records have no effect yet" in open_one.stderr
    assert "no metadata.version, kraft.version 1" in open_one.text


def test_differences(kafkafmt: Call) -> None:
    answer = kafkafmt("metadata", CLUSTER, "--diff", "94", "2026-11-21T04:38:20Z")
    assert answer.status == 0
    assert answer.lines[0].startswith(f"From offset 94 of {CLUSTER}/__cluster_metadata-0, 2026-11-21T04:38:01.")
    assert "  - bulk-0" in answer.lines
    assert "  + bulk-11: 3 partitions, replication factor 1, id uEZ1EzJ0QXuwfKvZG81tfA" in answer.lines
    assert "bulk-11-0" not in answer.text
    assert answer.lines[-1].endswith("changed")
    listed = rows(kafkafmt("metadata", CLUSTER, "--diff", "94", "end", "-o", "jsonl", "--show", "brokers"))
    assert {row["section"] for row in listed} == {"brokers"}
    assert {
        "section": "brokers",
        "change": "changed",
        "key": "1",
        "field": "brokerEpoch",
        "before": "16",
        "after": "235",
    } in listed
    same = kafkafmt("metadata", CLUSTER, "--diff", "end", "end")
    assert same.lines[-1] == "no difference"
    few = kafkafmt(
        "metadata", CLUSTER, "--diff", "94", "end", "--show", "features", "-o", "csv", "--columns", "key,field"
    )
    assert few.lines == ["key,field"]


def test_differences_of_topics_that_are_named(kafkafmt: Call) -> None:
    listed = rows(kafkafmt("metadata", CLUSTER, "--diff", "94", "end", "--topic", "bulk-11", "-o", "jsonl"))
    assert {(row["section"], row["change"]) for row in listed} == {
        ("topics", "added"),
        ("partitions", "added"),
        ("configs", "added"),
    }
    missing = kafkafmt("metadata", CLUSTER, "--diff", "94", "end", "--topic", "nothing")
    assert missing.status == 3


def test_differences_of_two_paths(kafkafmt: Call) -> None:
    older = case("10-cluster-metadata-3.9.1").log_dir
    answer = kafkafmt("metadata", "--diff", older, CLUSTER, "--show", "features", "--show", "cluster")
    assert answer.status == 0
    assert "  ~ metadata.version: level 21 -> 30, name 3.9-IV0 -> 4.3-IV0" in answer.lines
    assert (
        "  ~ cluster: clusterId K6EAbIIg7NQURZq2VJH80w -> K8Ai7jDY-pOVSo8HW105hg, zkMigrationState NONE -> null"
        in answer.lines
    )


def test_secrets_are_printed_when_asked_for(kafkafmt: Call, tmp_path: Path) -> None:
    written.node(
        tmp_path,
        1,
        written.batch(0, written.credential(), written.token(), written.config("ssl.key.password", "hunter2", 4, "1")),
    )
    outputs: list[tuple[object, ...]] = [("metadata", tmp_path)]
    outputs += [
        ("metadata", tmp_path, "--show", section, "-o", kind)
        for section in SECTIONS
        for kind in ("table", "jsonl", "csv")
    ]
    outputs.append(("metadata", tmp_path, "--diff", "0", "end"))
    hidden = "".join(kafkafmt(*arguments).text for arguments in outputs)
    assert not [secret for secret in ("hunter2", "a-token-id", "a-salt", "a-stored", "a-server") if secret in hidden]
    assert "[redacted]" in hidden
    assert "  1 delegation token (--show tokens)" in hidden
    told = "".join(kafkafmt(*arguments, "--show-secrets").text for arguments in outputs)
    assert not [secret for secret in ("hunter2", "a-token-id", "a-salt", "a-stored", "a-server") if secret not in told]


def test_what_does_not_count_is_a_finding(kafkafmt: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kafkafmt.cli.metadata._MOST_SAID", 2)
    directory = written.node(tmp_path, 1, *[written.batch(n, record("EndTransactionRecord")) for n in range(3)])
    answer = kafkafmt("metadata", tmp_path)
    assert answer.status == 1
    assert "END_TRANSACTION_RECORD at offset 1 is ignored" in answer.stderr
    assert "kafkafmt: 1 more records are ignored" in answer.stderr
    (directory / "00000000000000000000.log").write_bytes(written.batch(0, b"") + bytes(70))
    answer = kafkafmt("metadata", tmp_path)
    assert answer.status == 1
    assert "a record at offset 0 is ignored" in answer.stderr
    assert "normal after a kill or in a live copy" in answer.stderr


def test_damage_is_a_finding(kafkafmt: Call, tmp_path: Path) -> None:
    directory = written.node(tmp_path, 1, written.batch(0, written.topic()), written.batch(1, written.config("a", "1")))
    file = directory / "00000000000000000000.log"
    content = bytearray(file.read_bytes())
    content[70] ^= 1
    file.write_bytes(content)
    answer = kafkafmt("metadata", tmp_path, "--on-damage", "raise")
    assert (answer.status, answer.stdout) == (1, b"")
    assert f"{file}: position 0: " in answer.stderr
    answer = kafkafmt("metadata", tmp_path)
    assert answer.status == 1
    assert "checksum" in answer.stderr
    assert "1 config set" in answer.lines


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "Missing argument 'PATH...'"),
        ((CLUSTER, "--at-offset", "1", "--at-time", "1"), "exclude each other"),
        ((CLUSTER, "--diff", "1", "2", "--at-time", "1"), "--diff takes its own moments"),
        ((CLUSTER, "--show", "topics", "--show", "acls", "-o", "csv"), "writes one table"),
        ((CLUSTER, "--columns", "topic"), "--columns selects columns of one table"),
        ((CLUSTER, "--show", "topics", "--columns", "x"), "no column 'x'"),
        (("--diff", "1", "end"), "--diff 1 is a moment: also name a PATH"),
        ((CLUSTER, "--show", "nothing"), "'nothing' is not one of"),
        ((CLUSTER, "--at-offset", "3:1"), "the metadata log has partition 0 only"),
    ],
    ids=[str(number) for number in range(9)],
)
def test_wrong_usage(kafkafmt: Call, arguments: tuple[object, ...], message: str) -> None:
    answer = kafkafmt("metadata", *arguments)
    assert (answer.status, answer.stdout) == (2, b"")
    assert message in answer.stderr


def test_what_cannot_be_read(kafkafmt: Call, tmp_path: Path) -> None:
    for path, message in ((tmp_path, "no cluster metadata there"), (tmp_path / "x", "cannot be read")):
        answer = kafkafmt("metadata", path)
        assert answer.status == 3
        assert message in answer.stderr


def test_names_are_fit_for_a_terminal(kafkafmt: Call, tmp_path: Path) -> None:
    written.node(
        tmp_path,
        1,
        written.batch(
            0,
            written.topic("\x1b[31mred"),
            written.config("a\nb", "\x07", resource="\x1b[31mred"),
            written.broker(rack="\x1b"),
        ),
    )
    for arguments in ((), ("--show", "topics"), ("--diff", "0", "end")):
        assert b"\x1b" not in kafkafmt("metadata", tmp_path, *arguments).stdout
        assert b"\x07" not in kafkafmt("metadata", tmp_path, *arguments).stdout


def test_many_topics_are_not_all_listed(kafkafmt: Call, tmp_path: Path) -> None:
    names = [f"t{number:03}" for number in range(60)]
    ids = [TOPIC_ID[:-3] + f"{number:02d}g" for number in range(60)]
    values = [written.topic(name, topic_id) for name, topic_id in zip(names, ids, strict=True)]
    values += [written.partition(topic_id=ids[59], isr=[1], leader=-1), written.partition(1, ids[58])]
    values += [written.config("retention.ms", "1", resource=name) for name in names]
    values += [record("ZkMigrationStateRecord", zkMigrationState=1)]
    written.node(tmp_path, 1, written.batch(0, *values))
    answer = kafkafmt("metadata", tmp_path)
    assert "  and 10 more: see --show topics" in answer.lines
    assert "  and 10 more: see --show configs" in answer.lines
    assert any(line.startswith("  t059") for line in answer.lines)
    assert "  migration from ZooKeeper: MIGRATION" in answer.lines
    assert "  named by partitions, but not registered: 1, 2, 3" in answer.lines
    assert OTHER_ID not in answer.text


@pytest.mark.slow
def test_on_a_terminal_it_fits(tmp_path: Path) -> None:
    shown = on_terminal("metadata", str(CLUSTER), columns=60)
    assert all(
        len(line) <= 60 for line in shown.text.splitlines() if "/" not in line and not line.startswith("kafkafmt: ")
    )
