"""`kafkafmt groups`: its views, filters and output forms, its notes, and its exit codes."""

import json
import shutil
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from kafkafmt.topics.consumer_groups.answer import MEMBERS
from tests.cli.conftest import Call
from tests.golden_cases import cases
from tests.logdir.builders import batch, segment
from tests.topics.consumer_groups import coordinator_log as pack
from tests.topics.consumer_groups.coordinator_log import Log, commit_key, commit_value, key

DATA = next(case.log_dir for case in cases("modern") if case.name == "08-consumer-groups-4.3.1")
PENDING = "kafkafmt: note: ignored 1 offset that group g-txn committed in a transaction still open (producer 0)\n"


def rows(answer: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in answer.lines]


def test_offsets(kafkafmt: Call) -> None:
    answer = kafkafmt("groups", DATA, "-o", "jsonl", "--group", "g-txn", "--group", "share4", "--topic", "orders")
    assert answer.status == 0
    assert answer.stderr == PENDING
    first, *others = rows(answer)
    assert first == {
        "group": "g-txn",
        "type": "Classic",
        "state": "Empty",
        "protocol": "",
        "topic": "orders",
        "partition": 2,
        "offset": 3,
        "logEndOffset": 7,
        "lag": 4,
        "leaderEpoch": None,
        "metadata": "txn-committed",
        "commitTimestamp": 1795235666612,
        "expireTimestamp": None,
        "topicId": None,
        "coordinatorPartition": 2,
        "recordOffset": 7,
    }
    assert [(row["group"], row["offset"], row["lag"]) for row in others] == [
        ("share4", 0, 0),
        ("share4", 1, 0),
        ("share4", 0, 0),
        ("share4", 5, 0),
    ]


def test_a_table_of_offsets_leaves_out_what_nobody_stored(kafkafmt: Call) -> None:
    answer = kafkafmt("groups", DATA, "--group", "g-simple2")
    assert answer.text == (
        "group      type     state  topic   partition  offset  logEndOffset  lag  commitTimestamp\n"
        "g-simple2  Classic  Empty  orders          0       1             5    4  2026-11-21T04:35:02.382Z\n"
    )
    assert not answer.stderr


def test_list(kafkafmt: Call) -> None:
    answer = kafkafmt("groups", DATA, "--list", "--group-regex", "g-next.*|streams4")
    assert answer.text == (
        "group          type      state   protocol  members  offsets  lag  topics          epoch  assignmentEpoch"
        "  coordinatorPartition\n"
        "g-next         Consumer  Stable  uniform         1        3   26  clicks, orders      4                4"
        "                     0\n"
        "g-next-regex   Consumer  Stable  uniform         1        6   26  clicks, orders      2                2"
        "                     1\n"
        "g-next-static  Consumer  Stable  uniform         1        2   26  clicks              2                2"
        "                     0\n"
        "streams4       Streams   Stable  null            2        4    0  orders              3                3"
        "                     1\n"
    )


def test_members(kafkafmt: Call) -> None:
    answer = kafkafmt("groups", DATA, "--members", "--group", "g-static")
    assert answer.text == (
        "group     state   memberId                                         groupInstanceId  clientId    host"
        "        memberEpoch  subscribedTopics  assignment\n"
        "g-static  Stable  instance-0-061226c8-aed8-4311-8d70-4276595d71b0  instance-0       c-g-static  /127.0.0.1"
        "            1  orders            orders(0,1)\n"
        "g-static  Stable  instance-1-9b69e1a2-ab38-4877-9059-1f2c04852050  instance-1       c-g-static  /127.0.0.1"
        "            1  orders            orders(2,3)\n"
    )
    (row,) = rows(kafkafmt("groups", DATA, "--members", "--group", "g-upgraded", "-o", "jsonl"))
    assert list(row) == MEMBERS.names
    assert row["assignment"] == [{"topic": "orders", "topicId": "zQeAaBSSTJKbop8UZLTF0A", "partitions": [0, 1, 2, 3]}]
    streams = kafkafmt("groups", DATA, "--members", "--group", "streams4", "--columns", "tasks")
    assert streams.lines == ["tasks", "active 0(1,3)", "active 0(0,2)"]


def test_check_assignment(kafkafmt: Call) -> None:
    answer = kafkafmt("groups", DATA, "--check-assignment", "--group-regex", "g-St.*", "--columns", "expected,agrees")
    assert answer.lines == [
        "expected                agrees",
        "clicks(0), orders(0,2)  true",
        "clicks(1), orders(1,3)  true",
    ]
    assert answer.status == 0


def test_an_assignment_that_differs_is_a_finding(kafkafmt: Call, tmp_path: Path) -> None:
    log = Log()
    member = pack.classic_member("m", pack.subscription("t"), pack.assignment({"t": [0]}))
    log.put((key(2, "g"), pack.classic_group(member)))
    log.write(tmp_path)
    segment(tmp_path / "t-1", 0)
    answer = kafkafmt("groups", tmp_path, "--check-assignment")
    assert answer.status == 1
    assert answer.stderr == (
        "kafkafmt: assignment differs from the assignor's: g; "
        "computed with the current partition counts (highest on these disks): t 2\n"
    )


def test_where(kafkafmt: Call) -> None:
    answer = kafkafmt("groups", DATA, "--where", "g-txn", "--where", "no such group", "-o", "jsonl")
    assert [(row["group"], row["partition"], row["partitions"]) for row in rows(answer)] == [
        ("g-txn", 2, 3),
        ("no such group", 2, 3),
    ]
    assert rows(answer)[0]["paths"] == [str(DATA / "__consumer_offsets-2")]
    assert "assuming 3 partitions of __consumer_offsets, as __consumer_offsets-2 is the highest one" in answer.stderr
    assert "--partitions N to be sure" in answer.stderr


def test_where_by_a_number_that_is_given(kafkafmt: Call) -> None:
    answer = kafkafmt("groups", "--where", "payments", "--partitions", "50", "--columns", "partition", "--no-header")
    assert (answer.text, answer.stderr, answer.status) == ("13\n", "", 0)
    absent = kafkafmt("groups", DATA, "--where", "payments", "--partitions", "50")
    assert absent.stderr == "kafkafmt: note: not on these disks: __consumer_offsets-13\n"


def test_where_by_the_clusters_metadata(kafkafmt: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.topics.consumer_groups.test_with_metadata import of_topics

    segment(tmp_path / "__consumer_offsets-13", 0)
    of_topics(monkeypatch, {}, __consumer_offsets=50)
    answer = kafkafmt("groups", tmp_path, "--where", "payments")
    assert "13          50" in answer.text
    assert answer.stderr == (
        "kafkafmt: note: __consumer_offsets has 50 partitions, by the cluster's metadata on these disks\n"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "Missing argument 'PATH...'."),
        (("--where", "g", "--partitions", str(1 << 31)), "2147483648 is not in the range 1<=x<=2147483647"),
        (("--where", "g"), "Missing argument 'PATH...' (or --partitions N)"),
        (("x", "--where", "\udcff"), "is not UTF-8, as group names are"),
        (("x", "--group", "a", "--group-regex", "b"), "--group and --group-regex exclude each other"),
        (("x", "--topic", "a", "--topic-regex", "b"), "--topic and --topic-regex exclude each other"),
        (("x", "--at-offset", "1", "--at-time", "1"), "--at-offset and --at-time exclude each other"),
        (("x", "--list", "--list", "--members"), "--list and --members exclude each other."),
        (("x", "--members", "--topic", "a"), "--topic and --topic-regex select offsets"),
        (("x", "--at-offset", "1", "--at-offset", "2"), "an offset for all partitions is given twice"),
        (("x", "--at-offset", "0:1", "--at-offset", "0:2"), "an offset for partition 0 is given twice"),
        (("x", "--at-offset", "0:1", "--at-offset", "2"), "an offset for all partitions and one for a partition"),
        (("x", "--at-offset", "a:2"), "'a:2' is neither an offset nor PARTITION:OFFSET"),
        (("x", "--at-offset", "-1"), "'-1' is neither an offset nor PARTITION:OFFSET"),
        (("x", "--partitions", "3"), "--partitions needs --where"),
        (("x", "--where", "g", "--list"), "--where cannot be combined with another view"),
        (("x", "--where", "g", "--at-time", "0"), "--where cannot be combined with another view"),
        (("x", "--columns", "nonsense"), "no column 'nonsense'"),
        (("x", "--where", "g", "--columns", "lag"), "no column 'lag'"),
    ],
)
def test_wrong_usage(kafkafmt: Call, arguments: tuple[str, ...], message: str) -> None:
    answer = kafkafmt("groups", *arguments)
    assert answer.status == 2
    assert message in answer.stderr


def test_an_earlier_moment(kafkafmt: Call) -> None:
    answer = kafkafmt(
        *("groups", DATA, "--at-offset", "0:3", "--at-offset", "1:0", "--at-offset", "2:0"),
        *("--columns", "group,offset,lag", "--no-header"),
    )
    assert answer.text == "g-RangeAssignor  5  null\n"
    assert "log ends as of an offset are unknown" in answer.stderr
    answer = kafkafmt("groups", DATA, "--at-time", "2026-11-21T04:33:53")
    assert answer.stderr == (
        "kafkafmt: note: groups without committed offsets: g-RangeAssignor (--list and --members show them)\n"
    )


def test_nothing_there_says_so(kafkafmt: Call, tmp_path: Path) -> None:
    answer = kafkafmt("groups", DATA, "--at-time", "0")
    assert answer.status == 0
    assert answer.stderr.endswith("kafkafmt: note: __consumer_offsets had no group then\n")
    Log().write(tmp_path)
    assert "kafkafmt: note: __consumer_offsets has no group\n" in kafkafmt("groups", tmp_path).stderr
    assert kafkafmt("groups", DATA, "--members", "--group", "g-admin").stderr == (
        "kafkafmt: note: no group has members; --list shows the 1 without\n"
    )
    nowhere = kafkafmt("groups", DATA, "--topic", "nowhere")
    assert nowhere.stderr == (
        "kafkafmt: no topic nowhere. There are: __consumer_offsets, __share_group_state, __transaction_state, clicks, "
        "orders.\n"
    )
    assert nowhere.status == 3
    segment(tmp_path / "other" / "orders-0", 0)
    nowhere = kafkafmt("groups", tmp_path / "other")
    assert nowhere.status == 3
    assert "no partition of __consumer_offsets" in nowhere.stderr


@pytest.mark.parametrize("arguments", [("--group", "nobody"), ("--group-regex", "nobody.*")])
def test_a_group_that_is_nowhere(kafkafmt: Call, arguments: tuple[str, str]) -> None:
    answer = kafkafmt("groups", DATA, *arguments)
    assert answer.status == 3
    verb = "matches " if "regex" in arguments[0] else ""
    expected = f"kafkafmt: no group {verb}{arguments[1]}. There are: g-CooperativeStickyAssignor, g-RangeAssignor, "
    assert answer.stderr.startswith(expected)
    assert answer.text == ""
    assert kafkafmt("groups", DATA, *arguments, "-o", "csv").text.startswith("group,type,")


def test_a_group_that_lives_on_another_disk(kafkafmt: Call, tmp_path: Path) -> None:
    shutil.copytree(DATA / "__consumer_offsets-2", tmp_path / "__consumer_offsets-2")
    answer = kafkafmt("groups", tmp_path, "--group", "g-next", "--group", "nobody1")
    assert answer.status == 3
    other_partitions = "missing __consumer_offsets-0, __consumer_offsets-1: groups in them are not shown"
    nowhere = "There are: g-RoundRobinAssignor, g-simple2, g-txn."
    elsewhere = "belongs to __consumer_offsets-0, which is not on these disks: name the disk of a broker that has it"
    assert answer.stderr.splitlines() == [
        f"kafkafmt: note: {other_partitions}",
        f"kafkafmt: no group g-next, nobody1. {nowhere}",
        f"kafkafmt: note: g-next {elsewhere}",
    ]
    alone = kafkafmt("groups", DATA / "__consumer_offsets-2" / f"{0:020}.log", "--group", "g-next")
    assert alone.stderr == f"kafkafmt: note: {other_partitions}\nkafkafmt: no group g-next. {nowhere}\n"


def test_what_cannot_be_decoded_is_a_finding_with_its_place(kafkafmt: Call, tmp_path: Path) -> None:
    log = Log()
    log.put((commit_key("g", "t", 0), commit_value(5)))
    log.put(*((commit_key("g", "new", number), b"\0\x63") for number in range(60)))
    log.write(tmp_path)
    answer = kafkafmt("groups", tmp_path, "-o", "jsonl")
    assert answer.status == 1
    assert [row["offset"] for row in rows(answer)] == [5]
    lines = answer.stderr.split("\n")
    file = tmp_path / "__consumer_offsets-0" / "00000000000000000000.log"
    assert lines[0].startswith(f"kafkafmt: {file}: position {len(log.batches[0])}: record 1 of __consumer_offsets-0:")
    assert lines[50] == "kafkafmt: and 10 more like this"


def test_tables_are_those_of_the_answer(kafkafmt: Call) -> None:
    for view, table in (((), "offsets"), (("--list",), "groups"), (("--members",), "members")):
        shown = kafkafmt("groups", DATA, *view)
        assert shown.lines
        assert kafkafmt("groups", DATA, "--show", table) == shown
    assert kafkafmt("groups", DATA, "--show", "pending_offsets", "-o", "jsonl").status == 0
    assert kafkafmt("groups", DATA, "--show", "offsets", "--members").status == 2


def test_offsets_out_of_order_are_a_finding(kafkafmt: Call, tmp_path: Path) -> None:
    log = Log()
    for number in range(4):
        log.put((commit_key("g", "t", number), commit_value(5)))
    log.batches[1] = (9).to_bytes(8, "big") + log.batches[1][8:]
    file = log.write(tmp_path) / "__consumer_offsets-0" / "00000000000000000000.log"
    answer = kafkafmt("groups", tmp_path, "-o", "jsonl")
    assert (answer.status, len(rows(answer))) == (1, 4)
    assert f"kafkafmt: {file}: position {len(log.batches[0])}: base offset 9 should be 1: " in answer.stderr


def test_damage(kafkafmt: Call, tmp_path: Path) -> None:
    log = Log()
    for number in range(3):
        log.put((commit_key("g", "t", number), commit_value(5)))
    file = log.write(tmp_path) / "__consumer_offsets-0" / "00000000000000000000.log"
    content = bytearray(file.read_bytes())
    content[len(log.batches[0]) + 70] ^= 1
    file.write_bytes(bytes(content) + b"\0\0")
    answer = kafkafmt("groups", tmp_path, "--on-damage", "raise")
    assert (answer.status, answer.text) == (1, "")
    assert answer.stderr.startswith(f"kafkafmt: {file}: position {len(log.batches[0])}: CRC")
    assert answer.stderr.endswith(f"\n  kafkafmt inspect {file} --position {len(log.batches[0])}\n")
    skipping = kafkafmt("groups", tmp_path, "--columns", "partition", "--no-header")
    assert (skipping.status, skipping.text.split()) == (1, ["0", "2"])
    first, second, _ = skipping.stderr.split("\n")
    assert first.endswith(f"{len(log.batches[1])} bytes skipped (offset 1, 1 record)")
    assert second.endswith("normal after a kill or in a live copy")
    refused = kafkafmt("groups", tmp_path, "--reset-file", tmp_path / "offsets.csv")
    assert (refused.status, (tmp_path / "offsets.csv").exists()) == (1, False)
    assert "continue past it with --on-damage skip" in refused.stderr


def test_several_brokers_disks(kafkafmt: Call, tmp_path: Path) -> None:
    for number, offset in enumerate((5, 6)):
        log = Log()
        for _ in range(number + 1):
            log.put((commit_key("g", "t", 0), commit_value(offset)))
        log.write(tmp_path / f"broker-{number}")
        segment(tmp_path / f"broker-{number}" / "t-0", 0, batch(0, 7 + number))
    answer = kafkafmt("groups", tmp_path / "broker-0", tmp_path / "broker-1", "-o", "jsonl")
    (row,) = rows(answer)
    assert (row["offset"], row["lag"]) == (6, 2)
    assert "broker-1" in answer.stderr


def test_parquet(kafkafmt: Call, tmp_path: Path) -> None:
    out = tmp_path / "members.parquet"
    assert kafkafmt("groups", DATA, "--members", "--out", out).status == 0
    assert pq.read_table(out).schema.names == MEMBERS.names


def test_hostile_names_do_not_reach_the_terminal(kafkafmt: Call, tmp_path: Path) -> None:
    log = Log()
    log.put((commit_key("\x1b[31mred", "t", 0), commit_value(5, metadata="\x07")))
    answer = kafkafmt("groups", log.write(tmp_path))
    assert "\x1b" not in answer.text
    assert "\x07" not in answer.text
    member = pack.classic_member("\x1b]0;m", pack.subscription("\x1b[2J"), pack.assignment({"\x1b[2J": [0]}))
    log.put((key(2, "\x1b[31mred"), pack.classic_group(member)))
    log.write(tmp_path)
    for view in ("--members", "--list", "--check-assignment"):
        answer = kafkafmt("groups", tmp_path, view)
        assert "\x1b" not in answer.text + answer.stderr
