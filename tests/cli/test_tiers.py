"""`kafkafmt tiers`, and the other commands on a tier: with keys, without them, and repaired."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import kafkafmt as library
from kafkafmt.cli.main import COMMANDS as NAMES
from kafkafmt.io.keys import VARIABLE
from tests.cli.conftest import Answer, Call
from tests.golden_cases import TierCase, tier_case, tier_cases
from tests.tiered_records import COLUMNS, Records, consumed, is_users, not_covered, read, viewed
from tests.topics.consumer_groups.coordinator_log import Log, commit_key, commit_value

AES, FAILED = tier_case(3), tier_case(8)
(ORDERS,) = AES.tier.glob("orders-*/0")
OBJECT = min(ORDERS.glob("*.log"))
MISSING = "encrypted for the key 'key1': name its file as --key-file key1=PATH or in decryption_keys"


def keys(case: TierCase) -> list[str]:
    return [text for name, path in case.keys.items() for text in ("--key-file", f"{name}={path}")]


def secrets(case: TierCase) -> list[str]:
    """Lines of the private keys."""
    return [
        line
        for path in case.keys.values()
        for line in path.read_text().splitlines()
        if line and not line.startswith("-")
    ]


def rows(answer: Answer) -> list[dict[str, Any]]:
    return [json.loads(line) for line in answer.lines]


def test_a_table_of_uploads(kafkafmt: Call) -> None:
    answer = kafkafmt("tiers", AES.tier, "--metadata", AES.log_dir, "--topic", "orders", "--partition", "1")
    assert answer.status == 0
    assert answer.text == (
        "topic   partition  baseOffset  endOffset  sizeInBytes  storedBytes  state     segmentId\n"
        "orders          1           0         97     14.4 KiB     16.2 KiB  complete  Tz17bBvkRfebPXwUj51w4w\n"
        "orders          1          98        200     13.4 KiB     15.2 KiB  complete  edAxtbbPTaCDgDwTkYt4nw\n"
        "orders          1         201        318     14.8 KiB     16.6 KiB  complete  zVtYm_ogT3-JtrQIRSeIZw\n"
    )
    assert answer.stderr == "kafkafmt: note: 3 complete; a clean-up would free 0 B\n"


def test_a_topic_that_is_nowhere_is_all_that_is_said(kafkafmt: Call) -> None:
    answer = kafkafmt("tiers", AES.tier, "--metadata", AES.log_dir, "--topic", "nope")
    said = answer.stderr.splitlines()
    assert (answer.status, len(said), said[0].startswith("kafkafmt: no topic nope. There are: ")) == (3, 1, True)


def test_totals(kafkafmt: Call) -> None:
    answer = kafkafmt("tiers", FAILED.tier, "--metadata", FAILED.log_dir, "--show", "totals")
    assert answer.text == (
        "state              segments  objects  storedBytes  freedBytes\n"
        "complete                 14       42    228.2 KiB         0 B\n"
        "incomplete upload         6       11     97.7 KiB    97.7 KiB\n"
        "missing                   2        4     17.0 KiB         0 B\n"
        "orphan                    1        3     17.3 KiB    17.3 KiB\n"
    )
    assert answer.status == 1


def test_rows_of_one_state(kafkafmt: Call) -> None:
    answer = kafkafmt("tiers", FAILED.tier, "--metadata", FAILED.log_dir, "--state", "orphan", "-o", "jsonl")
    (row,) = rows(answer)
    (golden,) = [each for each in FAILED.jsonl("tiers.jsonl") if each["state"] == "orphan"]
    stored = sum((FAILED.tier / each).stat().st_size for each in golden["objects"])
    golden = {name: value for name, value in golden.items() if name != "kafkaState"}
    assert row == {**golden, "endOffset": None, "sizeInBytes": None, "storedBytes": stored}
    assert (answer.status, answer.stderr) == (0, "")


def test_several_states(kafkafmt: Call) -> None:
    states = ("--state", "missing", "--state", "incomplete upload")
    answer = kafkafmt("tiers", FAILED.tier, "--metadata", FAILED.log_dir, *states, "-o", "csv", "--columns", "state")
    assert sorted(answer.lines[1:]) == ["incomplete upload"] * 6 + ["missing"] * 2
    assert answer.status == 1


def test_what_is_missing_is_named(kafkafmt: Call) -> None:
    answer = kafkafmt("tiers", FAILED.tier, "--metadata", FAILED.log_dir)
    assert answer.status == 1
    for first, last in ((0, 115), (116, 241)):
        assert f"kafkafmt: orders-1: offsets {first} to {last} are missing, segment " in answer.stderr
    assert answer.stderr.count("are missing, segment") == 2
    assert "14 complete, 6 incomplete upload, 2 missing" in answer.stderr


def test_the_log_directory_may_be_one_of_the_paths(kafkafmt: Call) -> None:
    beside = kafkafmt("tiers", AES.tier, "--metadata", AES.log_dir, "-o", "jsonl")
    among = kafkafmt("tiers", AES.log_dir, AES.tier, "-o", "jsonl")
    assert rows(among) == rows(beside) != []
    assert among.status == 0


def test_without_the_metadata_log(kafkafmt: Call) -> None:
    answer = kafkafmt("tiers", AES.tier)
    assert (answer.status, answer.text) == (3, "")
    assert answer.stderr == (
        f"kafkafmt: {AES.tier}: no __remote_log_metadata among the paths: "
        "name a log directory that has it with --metadata\n"
    )
    assert kafkafmt("tiers", AES.log_dir).status == 3


def test_uploads_that_no_metadata_log_lists(kafkafmt: Call) -> None:
    """Confluent has neither events nor topic names in paths: topic names come from the log directory."""
    case = tier_case(10)
    columns = ("--columns", "topic,partition,baseOffset,state", "-o", "csv", "--no-header")
    alone = kafkafmt("tiers", case.tier, *columns)
    assert (alone.status, alone.text) == (0, ",0,120,\n,0,624,\n")
    for beside in ((case.tier, "--metadata", case.log_dir), (case.tier, case.log_dir)):
        named = kafkafmt("tiers", *beside, "--topic", "payments.v1", *columns)
        assert (named.status, named.text) == (0, "payments.v1,0,120,\npayments.v1,0,624,\n")


def test_a_state_that_there_is_not(kafkafmt: Call) -> None:
    answer = kafkafmt("tiers", AES.tier, "--metadata", AES.log_dir, "--state", "lost")
    assert answer.status == 2
    assert "no state 'lost'. There are: complete, incomplete upload, missing, " in answer.stderr


@pytest.mark.parametrize("given", ["key1", "key1=", "=key1.pem", ""])
@pytest.mark.parametrize("command", ["cat", "ls", "inspect", "dump", "repair"])
def test_keys_that_are_none(kafkafmt: Call, command: str, given: str, tmp_path: Path) -> None:
    out = ("--out", tmp_path / "out") if command == "repair" else ()
    answer = kafkafmt(command, OBJECT, *out, "--key-file", given)
    assert (answer.status, answer.text) == (2, "")
    assert f"Invalid value for '--key-file': {given!r} is not ID=PATH" in answer.stderr


def found(answer: Answer) -> bool:
    (row,) = rows(answer)
    return bool(row["baseOffset"] == 177 and row["file"].endswith(".log"))


COMMANDS: dict[str, tuple[tuple[object, ...], Callable[[Answer], bool]]] = {
    "cat": (("cat", AES.tier, "-o", "jsonl"), lambda answer: len(answer.lines) == len(viewed(AES))),
    "cat an object": (("cat", OBJECT, "-o", "jsonl"), lambda answer: len(answer.lines) == 117),
    "ls": (("ls", AES.tier), lambda answer: "3 partitions, 165.4 KiB, 1,570 records; no findings" in answer.text),
    "find": (("find", AES.tier, "--topic", "orders", "--partition", 0, "--offset", 200, "-o", "jsonl"), found),
    "dump a partition": (("dump", ORDERS), lambda answer: answer.text.count("baseOffset: ") == 55),
    "dump an object": (("dump", OBJECT, "--print-data-log"), lambda answer: answer.text.count("\n| offset: ") == 117),
    "inspect": (
        ("inspect", OBJECT, "--offset", 5, "-o", "jsonl"),
        lambda answer: {row["field"]: row["value"] for row in rows(answer)}["base_offset"] == "1",
    ),
    "batches": (("batches", ORDERS, "-o", "jsonl"), lambda answer: len(answer.lines) == 55),
    "verify": (("verify", AES.tier), lambda answer: "No findings." in answer.text),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_with_its_key_a_tier_is_read(kafkafmt: Call, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments, is_right = COMMANDS[name]
    answer = kafkafmt(*arguments, *keys(AES))
    assert answer.status == 0, answer.stderr
    assert is_right(answer), answer.text
    monkeypatch.setenv(VARIABLE, f"other=/nowhere,key1={AES.keys['key1']}")
    assert kafkafmt(*arguments) == answer


def test_remote_storage_has_no_verdict(kafkafmt: Call) -> None:
    answer = kafkafmt("verify", AES.tier, *keys(AES))
    assert answer.status == 0
    assert "note: no broker starts on remote storage, so there is no verdict" in answer.stderr
    alone = kafkafmt("verify", AES.log_dir / "orders-0")
    assert "no log directory among the paths, so there is no verdict" in alone.stderr


@pytest.mark.parametrize("name", sorted(NAMES.keys() - {"write", "completion", "specs", "state", "warm-up"}))
def test_malformed_keys_of_the_environment_are_wrong_usage(
    kafkafmt: Call, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    monkeypatch.setenv(VARIABLE, "foo-secret")
    options: dict[str, list[object]] = {
        "find": ["--offset", "1"],
        "repair": ["--dry-run"],
        "extract": ["--out", tmp_path / "out"],
        "load": ["--to", tmp_path / "out"],
        "replay": ["--to", "127.0.0.1:1"],
    }
    place = OBJECT if name in ("dump", "inspect") else AES.log_dir
    answer = kafkafmt(name, place, *options.get(name, []))
    assert (answer.status, answer.text) == (2, "")
    assert answer.stderr == (
        f"kafkafmt: the environment variable {VARIABLE} must be NAME=PATH,NAME=PATH.\n"
        f"kafkafmt: see kafkafmt {name} --help\n"
    )
    assert kafkafmt(name, "--help").status == 0


@pytest.mark.parametrize("name", COMMANDS)
def test_without_its_key_the_object_is_named(kafkafmt: Call, name: str) -> None:
    arguments, _ = COMMANDS[name]
    answer = kafkafmt(*arguments)
    assert answer.status == 1
    told = answer.stderr if name not in ("ls", "verify") else answer.text
    lines = [line for line in told.splitlines() if MISSING in line]
    assert lines
    for line in lines:
        assert ".log: " in line or ".indexes: " in line
        assert str(AES.tier) in line


@pytest.mark.parametrize("name", COMMANDS)
def test_a_key_that_is_not_it_is_never_shown(kafkafmt: Call, name: str, tmp_path: Path) -> None:
    other = tier_case(8).keys["key1"]
    arguments, _ = COMMANDS[name]
    broken = tmp_path / "broken.pem"
    broken.write_text(other.read_text().replace("-----END", "=-----END")[:-200])
    absent = tmp_path / "absent.pem"
    for path, why in (
        (other, "does not decrypt the data key"),
        (broken, "not a private key in PEM"),
        (absent, "the private key cannot be read"),
    ):
        answer = kafkafmt(*arguments, "--key-file", f"key1={path}")
        assert answer.status == 1
        told = answer.stderr + answer.text
        assert why in told
        assert f"(key 'key1', {path})" in told
        assert not [line for line in secrets(FAILED) if line in told]


@pytest.mark.slow
@pytest.mark.parametrize("command", ["repair", "extract"])
def test_what_is_written_needs_the_key(kafkafmt: Call, command: str, tmp_path: Path) -> None:
    lost = kafkafmt(command, AES.tier, "--out", tmp_path / "lost")
    assert lost.status == 1
    assert MISSING in lost.stderr or "unsupported" in lost.text
    assert f"{min(AES.tier.glob('codec-mix-1-2-*/0/*.log'))}" in lost.stderr + lost.text
    answer = kafkafmt(command, AES.tier, "--out", tmp_path / "plain", *keys(AES))
    assert answer.status == 0, answer.stderr
    assert read(library.scan(tmp_path / "plain", columns=COLUMNS)) == viewed(AES)


def test_records_of_an_extract(kafkafmt: Call, tmp_path: Path) -> None:
    some = ("--topic", "orders", "--partition", "0", "--start-offset", "100", "--end-offset", "130")
    answer = kafkafmt("extract", AES.tier, *some, "--out", tmp_path / "some", *keys(AES))
    assert answer.status == 0, answer.stderr
    assert read(library.scan(tmp_path / "some", columns=COLUMNS)) == {
        place: content for place, content in viewed(AES).items() if place[:2] == ("orders", 0) and 100 <= place[2] < 130
    }


def test_groups_take_the_end_of_a_log_from_its_tier(kafkafmt: Call, tmp_path: Path) -> None:
    log = Log()
    log.put((commit_key("g", "orders", 0), commit_value(400)))
    log.write(tmp_path)
    answer = kafkafmt("groups", tmp_path, AES.tier, *keys(AES), "-o", "jsonl")
    assert [(row["group"], row["offset"], row["logEndOffset"], row["lag"]) for row in rows(answer)] == [
        ("g", 400, 466, 66)
    ]
    assert answer.status == 0, answer.stderr
    assert kafkafmt("groups", AES.tier, *keys(AES)).status == 3


def joined(case: TierCase) -> Records:
    missing = not_covered(case)
    return {place: content for place, content in consumed(case).items() if place not in missing}


@pytest.mark.slow
@pytest.mark.parametrize("case", tier_cases(), ids=str)
def test_a_repaired_tier_lacks_nothing_but_the_id_of_a_node(kafkafmt: Call, case: TierCase, tmp_path: Path) -> None:
    out = tmp_path / "plain"
    repaired = kafkafmt("repair", case.tier, "--out", out, *keys(case))
    assert repaired.status == 0, repaired.stderr
    answer = kafkafmt("verify", out, "-o", "jsonl")
    (finding,) = rows(answer)
    assert finding["path"] == str(out / "meta.properties")
    assert "no meta.properties" in finding["message"]
    assert answer.status == 1
    found = read(library.scan(out, columns=COLUMNS))
    if case.name[:2] == "10":  # its one partition is named by the topic id
        in_tier = read(library.scan(case.tier, columns=COLUMNS))
        assert [(place[2], each) for place, each in found.items()] == [(place[2], in_tier[place]) for place in in_tier]
    else:
        assert found == viewed(case)


@pytest.mark.slow
@pytest.mark.parametrize("case", tier_cases(), ids=str)
def test_a_repaired_log_directory_has_the_records_of_its_tier(kafkafmt: Call, case: TierCase, tmp_path: Path) -> None:
    out = tmp_path / "whole"
    repaired = kafkafmt("repair", case.log_dir, case.tier, "--out", out, *keys(case))
    # In case 11 the batches of the older leader are superseded, and listed; checkpoints of both know lost partitions.
    assert repaired.status == int(bool(not_covered(case)) or case.name[:2] in {"10", "11"}), repaired.stderr
    assert ("which its checkpoints know" in repaired.stderr) == (case.name[:2] in {"10", "11"})
    answer = kafkafmt("verify", out)
    if case.name[:2] == "11":  # two of several nodes: some partitions have their leader on neither
        assert "Node 1 starts." in answer.text
        return
    if "segment.bytes" in answer.text:  # which Kafka 3 accepted and 4 rejects
        answer = kafkafmt("verify", out, "-o", "jsonl")
        said = [row["message"] for row in rows(answer) if row["level"] == "finding"]
        assert said
        assert all("Value must be at least 1048576" in each for each in said), said
    else:
        assert "No findings." in answer.text
        assert answer.status == 0
    expected = joined(case)
    if case.name[:2] == "10":
        expected = {place: each for place, each in expected.items() if place[:2] == ("payments.v1", 0)}
    assert read(library.scan(out, columns=COLUMNS), is_users) == expected
