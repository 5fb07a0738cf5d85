"""History of groups: every record of `__consumer_offsets` gives the events found by Kafka's own decoder."""

import base64
import pickle
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import kafkafmt
from kafkafmt.topics.consumer_groups.history import GROUP_HISTORY, group_history
from kafkafmt.topics.consumer_groups.resets import Resets
from tests.golden_cases import Case, cases
from tests.topics.consumer_groups.coordinator_log import (
    ABORT,
    COMMIT,
    ORDERS,
    Log,
    assignment,
    classic_group,
    classic_member,
    commit_key,
    commit_value,
    commit_value_4,
    consumer_member,
    current,
    epoch,
    hashed_epoch,
    key,
    share_key,
    share_snapshot,
    share_update,
    streams_current,
    streams_member,
    target,
    topology,
)
from tests.topics.golden_dumps import Dumped, dumped

Row = dict[str, Any]

TOPIC = "__consumer_offsets"
DECODED = [case for case in cases("modern") if case.has("dump-offsets.txt")]
LEGACY = [case for case in cases("legacy") if "consumer-offsets" in case.name]
COMMITS = ("0", "1")
REMOVED = {"0": "tombstone", "1": "tombstone", "2": "deleted", "3": "deleted", "11": "deleted", "17": "deleted"}
MEMBERS = ("5", "10", "19")


def _partition(file: str) -> int:
    return int(file.split("/")[-2].rpartition("-")[2])


def _in_order(case: Case) -> list[tuple[int, int, int, Dumped | Row]]:
    """Decoded records and markers in order of partition and offset, with their times."""
    decoded = {(each.file, each.offset): each for each in dumped(case, "dump-offsets.txt")}
    found = []
    for record in case.jsonl("records.jsonl"):
        if TOPIC in record["file"]:
            what = decoded.get((record["file"], record["offset"]), record)
            found.append((_partition(record["file"]), record["offset"], record["timestamp"], what))
    return sorted(found, key=lambda each: each[:2])


def _expected_offsets(case: Case) -> list[Row]:
    """Commits and tombstones with the offset that was in effect, by Kafka's rules for transactions."""
    producers = {
        (batch["file"], offset): batch["producerId"]
        for batch in case.jsonl("batches.jsonl")
        for offset in range(batch["baseOffset"], batch["lastOffset"] + 1)
    }
    rows: list[Row] = []
    effective: dict[tuple[Any, ...], tuple[int, int]] = {}
    pending: dict[tuple[int, int], list[tuple[tuple[Any, ...], Row]]] = {}
    for partition, offset, time, what in _in_order(case):
        if isinstance(what, dict):
            producer = producers[what["file"], offset]
            for place, row in pending.pop((partition, producer), []):
                row["transaction"] = "committed" if what["controlType"] == "COMMIT" else "aborted"
                standing = effective.get(place, (0, -1))
                if what["controlType"] == "COMMIT" and row["recordOffset"] > standing[1]:
                    effective[place] = row["offset"], row["recordOffset"]
            continue
        if what.type not in COMMITS or what.key is None:
            continue
        place = (partition, what.key["group"], what.key["topic"], what.key["partition"])
        producer = producers[what.file, offset]
        row = {
            "timestamp": time,
            "group": what.key["group"],
            "event": "tombstone" if what.value is None else "commit",
            "topic": what.key["topic"],
            "partition": what.key["partition"],
            "offset": None if what.value is None else what.value["offset"],
            "previousOffset": effective.get(place, (None,))[0],
            "recordOffset": offset,
            "coordinatorPartition": partition,
            "transaction": None if producer < 0 else "open",
        }
        rows.append(row)
        if what.value is None:
            effective.pop(place, None)
        elif producer < 0:
            effective[place] = what.value["offset"], offset
        else:
            pending.setdefault((partition, producer), []).append((place, row))
    return rows


def _rows(source: Any, **wanted: Any) -> list[Row]:
    table = group_history(source, **wanted).to_table()
    rows: list[Row] = table.to_pylist()
    for row, time in zip(rows, table["timestamp"].cast("int64").to_pylist(), strict=True):
        row["timestamp"] = time
    return rows


@pytest.mark.parametrize("case", DECODED, ids=str)
def test_each_commit_and_tombstone_is_there_with_the_offset_before_it(case: Case) -> None:
    expected = _expected_offsets(case)
    in_log = [
        row for row in _rows(case.log_dir, on_damage="skip") if row["topic"] is not None and "Share" not in row["kind"]
    ]
    assert [{name: row[name] for name in expected[0]} for row in in_log] == expected


@pytest.mark.parametrize("case", [case for case in DECODED if case.name.startswith("08-")], ids=str)
def test_groups_and_members_come_and_go_as_the_decoder_has_it(case: Case) -> None:
    rows = [row for row in _rows(case.log_dir) if row["topic"] is None]
    members: dict[tuple[int, str], list[str]] = {}
    expected: list[tuple[Any, ...]] = []
    for partition, offset, _, what in _in_order(case):
        if isinstance(what, dict) or what.key is None or what.type in COMMITS:
            continue
        group = what.key.get("groupId") or what.key["group"]
        known = members.setdefault((partition, group), [])
        generation = None
        if what.type == "2" and what.value is not None:
            now = [member["memberId"] for member in what.value["members"]]
            events = ["metadata", *["member left" for each in known if each not in now]]
            events += ["member joined" for each in now if each not in known]
            known[:] = now
            generation = what.value["generation"]
        elif what.type in REMOVED and what.value is None:
            events = [REMOVED[what.type], *["member left" for _ in known]]
            known.clear()
        elif what.type in MEMBERS and what.value is None:
            events = ["member left"]
            known.remove(what.key["memberId"])
        elif what.type in MEMBERS and what.key["memberId"] not in known:
            events = ["member joined"]
            known.append(what.key["memberId"])
        else:
            events = ["metadata"]
        expected += [(partition, offset, group, event, len(known), generation) for event in events]
    found = [
        (
            row["coordinatorPartition"],
            row["recordOffset"],
            row["group"],
            row["event"],
            row["members"] or 0,
            row["generation"] if row["kind"] == "GroupMetadata" and row["event"] != "deleted" else None,
        )
        for row in rows
    ]
    assert found == expected
    assert {"commit", "member joined", "member left"} < {row["event"] for row in _rows(case.log_dir)}


@pytest.mark.parametrize("case", DECODED, ids=str)
def test_the_last_commits_are_the_committed_offsets(case: Case) -> None:
    """They equal the answer as of the end, which is compared with AdminClient."""
    answer = kafkafmt.topics.groups(case.log_dir, on_damage="skip")
    last: dict[tuple[Any, ...], int] = {}
    for row in answer.history.to_pylist():
        place = row["group"], row["topic"], row["partition"]
        if row["event"] == "tombstone":
            last.pop(place, None)
        elif row["event"] == "commit" and row["transaction"] in (None, "committed"):
            last[place] = row["offset"]
    offsets = {(row["group"], row["topic"], row["partition"]): row["offset"] for row in answer.offsets.to_pylist()}
    assert last == offsets


@pytest.mark.parametrize("case", LEGACY, ids=str)
def test_old_brokers(case: Case) -> None:
    """Every commit by its key's type, with a time even if the format has none, and the previous offset."""
    expected: list[tuple[int, bytes, bool]] = []
    for record in case.jsonl("records.jsonl"):
        key = base64.b64decode(record["key"] or "")
        if key[:2] in (b"\0\0", b"\0\1") and TOPIC in record["file"] and record["file"].endswith(".log"):
            expected.append((record["offset"], key[2:], record["value"] is None))
    rows = [row for row in _rows(case.log_dir) if row["topic"] is not None]
    assert [(row["recordOffset"], row["event"] == "tombstone") for row in rows] == [
        (offset, is_gone) for offset, _, is_gone in sorted(expected)
    ]
    assert all(row["timestamp"] is not None for row in rows)
    last: dict[bytes, int | None] = {}
    for row, (_, key, _) in zip(rows, sorted(expected), strict=True):
        assert row["previousOffset"] == last.get(key)
        last[key] = row["offset"]


def _states(rows: list[Row], group: str) -> list[str | None]:
    return [row["state"] for row in rows if row["group"] == group]


def test_members_generations_and_assignments_of_a_classic_group(tmp_path: Path) -> None:
    log = Log()
    a, b = (classic_member(name, assigned=assignment({"orders": [number]})) for number, name in enumerate("ab"))
    log.put((key(2, "g"), classic_group(a, generation=1)), time=1000)
    log.put((key(2, "g"), classic_group(a, b, generation=2)), time=2000)
    log.put((commit_key("g", "orders", 0), commit_value(7)), time=2500)
    log.put((key(2, "g"), classic_group(protocol=None, generation=3)), time=3000)
    log.put((commit_key("g", "orders", 0), commit_value(3)), time=4000)
    log.put((commit_key("g", "orders", 0), None), (key(2, "g"), None), time=5000)
    rows = _rows(log.write(tmp_path))
    assert [(row["event"], row["memberId"], row["generation"], row["members"], row["state"]) for row in rows] == [
        ("metadata", None, 1, 1, "Stable"),
        ("member joined", "a", 1, 1, "Stable"),
        ("metadata", None, 2, 2, "Stable"),
        ("member joined", "b", 2, 2, "Stable"),
        ("commit", None, 2, 2, "Stable"),
        ("metadata", None, 3, 0, "Empty"),
        ("member left", "a", 3, 0, "Empty"),
        ("member left", "b", 3, 0, "Empty"),
        ("commit", None, 3, 0, "Empty"),
        ("tombstone", None, 3, 0, "Empty"),
        ("deleted", None, None, None, None),
    ]
    assert rows[2]["assignment"] == [
        {"memberId": "a", "topic": "orders", "topicId": None, "partitions": [0]},
        {"memberId": "b", "topic": "orders", "topicId": None, "partitions": [1]},
    ]
    assert rows[5]["detail"] == "generation 2 -> 3, protocol range -> none, members 2 -> 0, assignment changed"
    assert rows[8]["detail"] == "reset back by 4: the group had no members"
    assert {row["detail"] for row in rows[9:]} == {"expired or deleted: the log does not say which"}


def test_states_of_a_consumer_group_follow_from_its_epochs(tmp_path: Path) -> None:
    log = Log()
    log.put((commit_key("g", "orders", 0), commit_value_4(1, ORDERS)))
    log.put((key(5, "g", "m"), consumer_member("orders")))
    log.put((key(3, "g"), epoch(2)))
    log.put((key(6, "g"), epoch(2)), (key(7, "g", "m"), target([0, 1])))
    log.put((key(8, "g", "m"), current(2, 0, [0, 1])))
    log.put((key(5, "g", "m"), consumer_member("orders", "clicks")))
    log.put((key(8, "g", "m"), None), (key(7, "g", "m"), None), (key(5, "g", "m"), None))
    log.put((key(6, "g"), None), (key(3, "g"), None))
    rows = _rows(log.write(tmp_path))
    assert _states(rows, "g") == [
        *(None, "Assigning", "Assigning", "Reconciling", "Reconciling", "Stable", "Stable"),
        *("Stable", "Stable", "Empty", "Empty", None),
    ]
    assert [row["event"] for row in rows if row["memberId"] == "m"] == [
        *("member joined", "metadata", "metadata", "metadata", "metadata", "metadata", "member left"),
    ]
    assert rows[5]["assignment"][0]["topic"] == "orders"  # the previous commit has its name
    assert [row["detail"] for row in rows if row["kind"] == "ConsumerGroupMetadata"] == [
        "epoch 2",
        "expired or deleted: the log does not say which",
    ]


def test_share_and_streams_groups(tmp_path: Path) -> None:
    log = Log()
    log.put((key(11, "share"), hashed_epoch(1)))
    log.put((key(17, "streams"), hashed_epoch(1, validated=1)), (key(19, "streams", "m"), streams_member()))
    log.put((key(20, "streams"), epoch(1)), (key(22, "streams", "m"), streams_current(1, 1, [0])))
    log.put((key(23, "streams"), topology(1)))
    state = Log()
    state.put((share_key("share", 0), share_snapshot(-1)))
    state.put((share_key("share", 0), share_snapshot(4)), (share_key("share", 0, kind=1), share_update(6, complete=0)))
    state.put((share_key("share", 0, kind=1), share_update(-1, complete=2)))
    state.put((share_key("share", 0), None))
    state.write(log.write(tmp_path), topic="__share_group_state")
    rows = _rows(tmp_path)
    assert _states(rows, "streams") == ["Empty", "NotReady", "NotReady", "NotReady", "Stable"]
    assert [row["detail"] for row in rows][4] == "member epoch 0 -> 1, STABLE: active 0(0)"
    offsets = [(row["event"], row["offset"], row["previousOffset"]) for row in rows if row["partition"] is not None]
    assert offsets == [("commit", 4, None), ("commit", 6, 4), ("tombstone", None, 6)]


def test_an_aborted_commit_is_a_row_and_moves_nothing(tmp_path: Path) -> None:
    log = Log()
    log.put((commit_key("g", "orders", 0), commit_value(5)))
    log.put((commit_key("g", "orders", 0), commit_value(9)), producer=7)
    log.end(7, ABORT)
    log.put((commit_key("g", "orders", 0), commit_value(6)), producer=7)
    log.end(7, COMMIT)
    log.put((commit_key("g", "orders", 0), commit_value(8)), producer=8)
    answer = group_history(log.write(tmp_path))
    rows = answer.to_table().to_pylist()
    assert [(row["offset"], row["previousOffset"], row["transaction"]) for row in rows] == [
        (5, None, None),
        (9, 5, "aborted"),
        (6, 5, "committed"),
        (8, 6, "open"),
    ]
    assert [note for note in answer.notes if "2 commits never took effect" in note]


def test_what_compaction_removed_is_said(tmp_path: Path) -> None:
    log = Log()
    log.offset = 3
    log.put((commit_key("g", "orders", 0), commit_value(5)))
    log.offset = 9
    log.put((commit_key("g", "orders", 0), commit_value(9)))
    answer = group_history(log.write(tmp_path))
    assert len(answer.to_table()) == 2
    (note,) = answer.notes
    assert note.startswith("__consumer_offsets-0: 8 records of 10 are no longer in the log, all before offset 3 among")


def test_a_record_that_cannot_be_decoded_is_a_finding_and_the_rest_is_read(tmp_path: Path) -> None:
    log = Log()
    log.put((commit_key("g", "orders", 0), b"\0\x63"), (None, b"v"), (b"\0\x63", b"v"))
    log.put((key(2, "g"), classic_group(classic_member("a", assigned=b"\0"))))
    log.put((commit_key("g", "orders", 0), commit_value(9)))
    answer = group_history(log.write(tmp_path))
    assert [row["event"] for row in answer.to_table().to_pylist()] == ["metadata", "member joined", "commit"]
    assert len(answer.findings) == 3
    assert any(": 1 of type 99 (the first is at offset 2" in note for note in answer.notes)
    assert all("__consumer_offsets-0" in str(finding) for finding in answer.findings)


def test_filters_and_moments(tmp_path: Path) -> None:
    log = Log()
    log.put((key(2, "a"), classic_group()), (commit_key("a", "orders", 0), commit_value(1)), time=1000)
    log.put((commit_key("a", "clicks", 0), commit_value(2)), (commit_key("b", "orders", 0), commit_value(3)), time=2000)
    directory = log.write(tmp_path)
    assert Counter(row["group"] for row in _rows(directory, groups="a")) == {"a": 3}
    assert [row["offset"] for row in _rows(directory, topics="orders")] == [1, 3]
    assert len(_rows(directory, at_offset=2)) == len(_rows(directory, at_time=1500)) == 2
    answer = kafkafmt.open(directory).groups(groups="b")
    assert answer.tables[-1] == "history"
    assert answer.history.schema == GROUP_HISTORY.schema
    assert answer.history["offset"].to_pylist() == [3]


def test_resets_are_told_apart_from_progress(tmp_path: Path) -> None:
    log = Log()
    log.put((key(2, "g"), classic_group(classic_member("a"))))
    commits = [(commit_key("g", "orders", number), commit_value(10)) for number in range(2)]
    log.put(*commits, time=2000)
    log.put((commit_key("g", "orders", 0), commit_value(12)), time=3000)
    log.put((commit_key("g", "orders", 0), commit_value(11)), time=4000)
    log.put((key(2, "g"), classic_group(generation=2)), time=5000)
    log.put(*[(commit_key("g", "orders", number), commit_value(2)) for number in range(2)], time=6000)
    log.put((commit_key("g", "orders", 1), commit_value(20)), time=9000)
    resets = Resets(10)
    assert len(list(resets.watch(group_history(log.write(tmp_path)).rows()))) == 11
    kept = [(reset.timestamp, reset.state, reset.generation, reset.offsets, reset.moved) for reset in resets.kept]
    assert kept == [(4000, "Stable", 1, 1, -1), (6000, "Empty", 2, 2, -17), (9000, "Empty", 2, 1, 18)]


def test_a_pickled_answer_reads_its_history_anew(tmp_path: Path) -> None:
    log = Log()
    log.put((commit_key("g", "orders", 0), commit_value(5)))
    answer = kafkafmt.topics.groups(log.write(tmp_path))
    assert len(answer.history) == 1
    copy = pickle.loads(pickle.dumps(answer))
    assert copy.offsets == answer.offsets
    assert copy.to_table("history") == answer.history
