"""`kafkafmt grep` with options shared with `cat`: --kind, --state, --partition-by; it finds what `cat` prints."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.dataset as pads
import pyarrow.parquet as pq
import pytest

import kafkafmt as library
from tests.cli.conftest import Answer, Call, on_terminal
from tests.golden_cases import GOLDEN
from tests.logdir.builders import batch, segment
from tests.scanning.growing import Broker

GROUPS = GOLDEN / "modern" / "08-consumer-groups-4.3.1" / "log-dir"
CONTROLLER = GOLDEN / "modern" / "10b-three-controllers-4.3.1" / "log-dir" / "node-1"
DAMAGED = GOLDEN / "modern" / "12-crash-4.3.1" / "log-dir" / "damaged" / "crash-flip-record-0"
BOLD, PLAIN = "\x1b[1;31m", "\x1b[0m"
FIRST_FILE = "00000000000000000000.log"


def rows(answer: Answer) -> list[dict[str, Any]]:
    return [json.loads(line) for line in answer.lines]


def place(row: dict[str, Any]) -> tuple[object, ...]:
    return row["topic"], row["partition"], row["offset"]


@pytest.fixture
def disk(tmp_path: Path) -> Path:
    disk = tmp_path / "disk"
    segment(disk / "t-0", 0, batch(0, value=b"an Error"), batch(1, value=b"fine"))
    segment(disk / "t-1", 0, batch(0, key=b"Error", value=b"Error"))
    return disk


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "errors.state"


def test_grep_takes_every_option_of_cat() -> None:
    from kafkafmt.cli.cat import command as cat
    from kafkafmt.cli.grep import command as grep

    of_cat, of_grep = ({option for each in command.params for option in each.opts} for command in (cat, grep))
    assert "--state" in of_cat
    assert of_cat - of_grep == {"paths"}


@pytest.mark.parametrize(
    ("source", "kind", "pattern"),
    [
        (GROUPS, "OffsetCommit", "g-admin"),
        (GROUPS, "GroupMetadata", "range"),
        (GROUPS, "__consumer_offsets", "g-(admin|next)"),
        (CONTROLLER, "TopicRecord", "."),
        (CONTROLLER, "__cluster_metadata", "PLAINTEXT|CONTROLLER"),
    ],
)
def test_records_of_a_kind_that_match_are_decoded(source: Path, kind: str, pattern: str, kafkafmt: Call) -> None:
    matches = {place(row): row["matchedIn"] for row in rows(kafkafmt("grep", pattern, source, "-o", "jsonl"))}
    of_kind = rows(kafkafmt("cat", source, "--kind", kind, "-o", "jsonl"))
    answer = kafkafmt("grep", pattern, source, "--kind", kind, "-o", "jsonl")
    expected = [row | {"matchedIn": matches[place(row)]} for row in of_kind if place(row) in matches]
    assert rows(answer) == expected
    assert (answer.status, answer.stderr, bool(expected)) == (0, "", True)
    counts = rows(kafkafmt("grep", pattern, source, "--kind", kind, "--count", "-o", "jsonl"))
    assert {place(row | {"offset": 0}): row["records"] for row in counts} == Counter(
        (row["topic"], row["partition"], 0) for row in expected
    )


def test_a_table_of_a_kind_and_other_forms_and_options(kafkafmt: Call, tmp_path: Path, state: Path) -> None:
    arguments = ("grep", "-F", "g-admin", GROUPS, "--kind", "OffsetCommit")
    table = kafkafmt(*arguments)
    names = "partition offset timestamp matchedIn group key.topic key.partition valueVersion"
    assert table.lines[0].split()[:8] == names.split()
    assert {line.split()[3] for line in table.lines[1:]} == {"key"}
    chosen = ("--columns", "matchedIn,offset,value", "--out", tmp_path / "rows.parquet")
    assert kafkafmt(*arguments, *chosen).status == 0
    found = pq.read_table(tmp_path / "rows.parquet")
    assert found.column_names == ["matchedIn", "offset", "value"]
    assert found.column("matchedIn").to_pylist() == [["key"]] * (len(table.lines) - 1)
    decoded = library.open(GROUPS).grep("g-admin", fixed=True).decode("OffsetCommit", columns=found.column_names)
    assert decoded.to_table().to_pylist() == found.to_pylist()
    assert kafkafmt(*arguments, "--limit", "1", "--columns", "offset", "--no-header").lines == [
        line.split()[1] for line in table.lines[1:2]
    ]
    assert len(kafkafmt(*arguments, "--state", state, "--no-header").lines) == len(table.lines) - 1
    assert kafkafmt(*arguments, "--state", state, "--no-header").lines == []
    assert json.loads(state.read_text())["offsets"].keys() == {"__consumer_offsets"}
    none = kafkafmt("grep", "-F", "nobody", GROUPS, "--kind", "OffsetCommit", "-o", "jsonl")
    assert (none.status, none.text, none.stderr) == (0, "", "")
    absent = kafkafmt("grep", "x", GROUPS, "--kind", "TopicRecord")
    assert (absent.status, absent.stderr.partition(".")[0]) == (3, "kafkafmt: no topic __cluster_metadata")
    assert kafkafmt("grep", "--kind", "list").text == kafkafmt("cat", "--kind", "list").text


@pytest.mark.slow
def test_matches_in_decoded_texts_are_shown_and_coloured(kafkafmt: Call) -> None:
    found = f"{BOLD}g-adm{PLAIN}in"
    fields = on_terminal("grep", "g-adm", GROUPS, "--kind", "OffsetCommit", columns=400).text.splitlines()
    assert len(fields) > 1
    assert all(line.split()[4] == found for line in fields[1:])
    as_json = ("grep", "range|kind", GROUPS, "--kind", "__consumer_offsets", "--limit", "20", "--columns", "kind,value")
    lines = on_terminal(*as_json, columns=100).text.splitlines()
    matches = [line for line in lines if f'"{BOLD}range{PLAIN}"' in line]
    assert matches
    assert all("…" in line for line in matches)
    plain = kafkafmt(*as_json).lines
    assert any('"protocol":"range"' in line for line in plain)
    assert not any(BOLD in line for line in plain)


def test_a_match_that_cannot_be_decoded_is_a_finding(kafkafmt: Call, tmp_path: Path) -> None:
    unknown = b"\0\2\0\1g"
    segment(tmp_path / "__consumer_offsets-0", 0, batch(0, key=unknown, value=b"\0\x63what"), batch(1, key=b"\0\x63"))
    answer = kafkafmt("grep", "what", tmp_path, "--kind", "GroupMetadata", "-o", "jsonl")
    (row,) = rows(answer)
    assert (answer.status, row["matchedIn"], row["valueBytes"]) == (1, ["value"], "\0cwhat")
    # Records that do not match have no effect, whatever they are.
    assert answer.stderr == "kafkafmt: 1 record cannot be decoded: see the columns error, keyBytes and valueBytes\n"


@pytest.mark.parametrize("form", ["table", "jsonl"])
def test_matches_of_a_kind_as_they_come(form: str, kafkafmt: Call, tmp_path: Path, steps: Callable[..., None]) -> None:
    broker = Broker(tmp_path / "logs")
    broker.write("t-0", 0, batch(0, value=b"g-admin"))
    [partition] = [
        path for path in GROUPS.glob("__consumer_offsets-*") if b"g-admin" in (path / FIRST_FILE).read_bytes()
    ]
    steps(lambda: broker.write(partition.name, 0, (partition / FIRST_FILE).read_bytes()))
    arguments = ("--kind", "OffsetCommit", "-o", form, "--columns", "offset,matchedIn,key")
    answer = kafkafmt("grep", "g-admin", broker.log_dir, "--follow", *arguments)
    whole = kafkafmt("grep", "g-admin", partition, *arguments)
    assert (answer.status, answer.lines) == (0, whole.lines)
    assert len(whole.lines) > 1
    assert answer.stderr == "kafkafmt: note: no topic __consumer_offsets. There are: t.\n"


def test_each_run_finds_what_is_new(kafkafmt: Call, disk: Path, state: Path) -> None:
    def found(command: str, *options: object) -> list[str]:
        arguments = ("--state", state, "--columns", "topic,partition,offset", "-o", "csv", "--no-header", *options)
        answer = kafkafmt(command, *(("Error",) if command == "grep" else ()), disk, *arguments)
        assert (answer.status, answer.stderr) == (0, "")
        return answer.lines

    assert found("grep") == ["t,0,0", "t,1,0"]
    # The next offsets are those of the searched records, not of the matches.
    assert json.loads(state.read_text())["offsets"] == {"t": {"0": 2, "1": 1}}
    assert found("grep") == []
    segment(disk / "t-0", 2, batch(2, value=b"Error"), batch(3, value=b"fine"))
    assert found("grep", "--topic", "t") == ["t,0,2"]
    # cat and grep write the same.
    assert found("cat") == []
    segment(disk / "t-0", 4, batch(4, value=b"Error"))
    assert found("cat") == ["t,0,4"]
    assert found("grep") == []
    segment(disk / "t-0", 5, batch(5, value=b"Error"))
    counted = kafkafmt("grep", "Error", disk, "--state", state, "--count", "-o", "csv", "--no-header")
    assert counted.lines == ["t,0,1"]
    assert found("grep") == []


def test_the_state_stays_where_matches_were_not_delivered(kafkafmt: Call, state: Path, tmp_path: Path) -> None:
    arguments = ("grep", "e", DAMAGED, "--state", state, "--out", tmp_path / "found.csv")
    answer = kafkafmt(*arguments)
    assert answer.status == 1
    assert answer.stderr.endswith(f"kafkafmt: {state} not updated: the next run starts from the same place\n")
    assert not [*tmp_path.iterdir()]
    assert kafkafmt(*arguments, "--on-damage", "skip").status == 1
    assert json.loads(state.read_text())["offsets"] == {"crash-flip-record": {"0": 69}}


def test_matches_are_divided_into_directories(kafkafmt: Call, disk: Path, state: Path, tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    divided = ("--partition-by", "topic,partition", "--max-file-bytes", "64KiB", "--out", lake)
    answer = kafkafmt("grep", "Error", disk, *divided, "--state", state)
    assert (answer.status, answer.text, answer.stderr) == (0, "", "")
    table = pads.dataset(lake, partitioning="hive").to_table()
    assert table.select(["topic", "partition", "offset", "matchedIn"]).to_pylist() == [
        {"topic": "t", "partition": 0, "offset": 0, "matchedIn": ["value"]},
        {"topic": "t", "partition": 1, "offset": 0, "matchedIn": ["key", "value"]},
    ]
    file = pq.read_schema(lake / "topic=t" / "partition=0" / "part-0.parquet")
    assert file.names == [name for name in library.open(disk).grep("Error").schema.names if name in file.names]
    assert {"topic", "partition"}.isdisjoint(file.names)
    assert json.loads(state.read_text())["offsets"] == {"t": {"0": 2, "1": 1}}
    chosen = kafkafmt("grep", "Error", disk, "--partition-by", "day", "--columns", "matchedIn", "--out", tmp_path / "a")
    assert chosen.status == 0
    assert pads.dataset(tmp_path / "a", partitioning="hive").to_table().column_names == ["matchedIn", "day"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--kind", "OffsetComit"], "did you mean OffsetCommit"),
        (["--kind", "OffsetCommit", "--topic", "a"], "--kind selects the topic"),
        (["--kind", "OffsetCommit", "--last", "3"], "--last cannot be combined with --kind"),
        (["--kind", "OffsetCommit", "--json-path", "$.a"], "--json-path cannot be combined with --kind"),
        (["--kind", "OffsetCommit", "--columns", "group"], "no column 'group'. There are: topic, partition, offset,"),
        (["--kind", "OffsetCommit", "--count", "--columns", "key"], "no column 'key'"),
        (["--kind", "OffsetCommit", "--everywhere"], "--everywhere reads everything: leave out --kind."),
        (["--state", "s", "--everywhere"], "--everywhere reads everything: leave out --state."),
        (["--state", "s", "--limit", "1"], "reads to the end: leave out --limit."),
        (["--state", "s", "--last", "1"], "reads to the end: leave out --last."),
        (["--state", "s", "--follow"], "--follow cannot be combined with --state."),
        (["--partition-by", "day", "--follow", "--out", "lake"], "--follow cannot be combined with --partition-by."),
        (["--partition-by", "day", "--count", "--out", "lake"], "--partition-by cannot be combined with --count."),
        (["--partition-by", "day", "--limit", "1", "--out", "lake"], "--partition-by cannot be combined with"),
        (["--partition-by", "day", "--everywhere", "--out", "lake"], "leave out --partition-by."),
        (["--partition-by", "day"], "--partition-by needs the directory to write: --out DIR."),
        (["--partition-by", "matchedIn", "--out", "lake"], "'matchedIn' is not one of topic, partition, day"),
        (["--max-file-bytes", "1MiB"], "--max-file-bytes needs --partition-by."),
    ],
    ids=str,
)
def test_what_makes_no_sense(arguments: list[str], message: str, kafkafmt: Call) -> None:
    answer = kafkafmt("grep", "Error", GROUPS, *arguments)
    assert (answer.status, answer.stdout) == (2, b"")
    assert message in answer.stderr
