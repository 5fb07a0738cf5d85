"""`kafkafmt find` against Kafka's answers, and its messages if nothing is found or an index is wrong."""

import errno
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

from kafkafmt import scan
from kafkafmt.cli import human
from kafkafmt.cli.find.answer import SCHEMA
from tests.cli.conftest import Answer, Call
from tests.cli.test_unreadable import refused
from tests.golden_cases import Case, cases, field_case
from tests.logdir.builders import batch, checkpoint, file_name, segment
from tests.reads import index as write_index
from tests.reference import builder

Row = dict[str, Any]
BAD = sorted((Path(__file__).parents[1] / "bad_data" / "files").glob("*.log"))
QUESTIONS = ("--offset=7", "--timestamp=1005", "--earliest", "--latest", "--max-timestamp")


@pytest.fixture(autouse=True)
def no_width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)


def case(name: str) -> Case:
    return next(each for each in cases() if each.name == name)


CODECS = case("01-codecs-4.3.1").log_dir
COPIES = case("07-three-nodes-diverged-4.3.1").log_dir
RETENTION = case("06-retention-4.3.1").log_dir
DAMAGED = case("12-crash-4.3.1").log_dir / "damaged" / "crash-flip-record-0"
LEGACY = case("m1-codecs-0.10.2.2").log_dir


def row_of(answer: Answer) -> Row:
    (line,) = answer.lines
    row: Row = json.loads(line)
    assert list(row) == SCHEMA.names
    return row


@pytest.mark.parametrize("name", ["01-codecs-4.3.1", "04-transactions-4.3.1", "06-retention-4.3.1"])
def test_rows_are_what_kafka_answered(name: str, kafkafmt: Call) -> None:
    each = case(name)
    asked = [row for row in each.jsonl("lookup.jsonl") if row["kind"] == "listOffsets"]
    specs = {"earliest": "--earliest", "latest": "--latest", "maxTimestamp": "--max-timestamp"}
    for number, golden in enumerate(asked):
        if golden["spec"] == "timestamp" and number % 7:
            continue
        wanted = specs.get(golden["spec"]) or f"--timestamp={golden['timestamp']}"
        answer = kafkafmt("find", each.log_dir / golden["partition"], wanted, "-o", "jsonl")
        if golden["offset"] == -1:
            assert (answer.status, answer.stdout) == (1, b"")
            continue
        row = row_of(answer)
        assert (row["offset"], row["leaderEpoch"]) == (golden["offset"], golden["leaderEpoch"])
        assert row["timestamp"] == (None if golden["offsetTimestamp"] == -1 else golden["offsetTimestamp"])


def test_a_row_says_where_the_batch_is(kafkafmt: Call) -> None:
    each = case("01-codecs-4.3.1")
    batches = [row for row in each.jsonl("batches.jsonl") if row["file"].startswith("shapes-0/")]
    for golden in batches:
        place = {"file": golden["file"], "position": golden["position"], "sizeInBytes": golden["sizeInBytes"]}
        place["baseOffset"] = golden["baseOffset"]
        row = row_of(kafkafmt("find", CODECS, "--topic", "shapes", "--offset", golden["lastOffset"], "-o", "jsonl"))
        epoch = {"timestamp": None, "leaderEpoch": None}
        assert row == {"topic": "shapes", "partition": 0, "offset": golden["lastOffset"], **epoch, **place}
        time = golden["maxTimestamp"]
        row = row_of(kafkafmt("find", CODECS, "--topic", "shapes", "--timestamp", time, "-o", "jsonl"))
        assert row["timestamp"] == time
        assert (row["position"] == golden["position"]) == (row["baseOffset"] == golden["baseOffset"])


def test_wrappers_give_the_offset_they_state(kafkafmt: Call) -> None:
    topic = ("--topic", "create-time.gzip", "--partition", 0, "-o", "jsonl")
    headers = scan(LEGACY, topics="create-time.gzip").batches(deep=True)
    wrapper = next(each for each in headers if (each.count or 0) > 1 and each.base_offset is not None)
    of_offset = row_of(kafkafmt("find", LEGACY, *topic, "--offset", wrapper.base_offset))
    assert (of_offset["position"], of_offset["baseOffset"]) == (wrapper.position, wrapper.last_offset)
    of_time = row_of(kafkafmt("find", LEGACY, *topic, "--timestamp", wrapper.max_timestamp))
    assert of_time["leaderEpoch"] == -1
    for name in ("file", "position", "baseOffset", "sizeInBytes"):
        assert of_time[name] == of_offset[name]


def test_tables_show_what_matters(kafkafmt: Call) -> None:
    def titles(*question: str) -> list[str]:
        answer = kafkafmt("find", DAMAGED, *question)
        assert (answer.status, answer.stderr) == (0, "")
        return answer.lines[0].split()

    assert titles("--offset=3") == ["offset", "file", "position", "baseOffset", "sizeInBytes"]
    assert titles("--earliest") == ["offset", "file", "position", "baseOffset", "sizeInBytes"]
    assert titles("--latest") == ["offset", "leaderEpoch", "file", "position"]
    assert titles("--max-timestamp") == ["offset", "timestamp", "file", "position"]
    assert titles("--timestamp=0", "--columns", "topic,sizeInBytes") == ["topic", "sizeInBytes"]


def test_rows_go_to_files(kafkafmt: Call, tmp_path: Path) -> None:
    answer = kafkafmt("find", DAMAGED, "--latest", "--out", tmp_path / "a.parquet")
    assert (answer.status, answer.stdout) == (0, b"")
    table = pyarrow.parquet.read_table(tmp_path / "a.parquet")
    assert (table.schema.names, table["offset"].to_pylist()) == (SCHEMA.names, [69])
    answer = kafkafmt("find", DAMAGED, "--offset=999", "--out", tmp_path / "b.csv", "--explain")
    assert answer.status == 1
    assert (tmp_path / "b.csv").read_text() == ",".join(SCHEMA.names) + "\n"
    assert answer.stdout == b""
    assert "Not found: the log ends before the offset." in answer.stderr


# Searched partitions


def test_which_partition_is_to_be_said(kafkafmt: Call) -> None:
    answer = kafkafmt("find", CODECS, "--latest")
    assert answer.status == 2
    assert "there are 14 partitions here: choose one with --topic and --partition" in answer.stderr
    assert "There are: big-0, codec-gzip-0," in answer.stderr
    assert "and 4 more." in answer.stderr
    answer = kafkafmt("find", CODECS, "--topic", "empty", "--latest")
    assert (answer.status, "There are: empty-0, empty-1." in answer.stderr) == (2, True)
    assert kafkafmt("find", CODECS, "--topic", "empty", "--partition", 1, "--latest").status == 0
    assert kafkafmt("find", CODECS, "--topic", "big", "--latest").status == 0
    assert kafkafmt("find", CODECS, "--partition", 1, "--latest").status == 0


def test_a_partition_that_is_not_there(kafkafmt: Call) -> None:
    answer = kafkafmt("find", CODECS, "--topic", "shape", "--latest")
    assert (answer.status, answer.stderr.startswith("kafkafmt: no topic shape. There are: big, codec-gzip,")) == (
        3,
        True,
    )
    answer = kafkafmt("find", CODECS, "--topic", "empty", "--partition", 7, "--latest")
    assert (answer.status, answer.stderr) == (3, "kafkafmt: no partition 7. There are: 0, 1.\n")
    assert kafkafmt("find", CODECS / "nothing", "--latest").status == 3


def test_directories_without_a_kafka_name_are_told_apart_by_their_names(kafkafmt: Call, tmp_path: Path) -> None:
    for name in ("first", "second"):
        segment(tmp_path / "broker" / name, 0)
    answer = kafkafmt("find", tmp_path / "broker", "--latest")
    assert (answer.status, "There are: first, second." in answer.stderr) == (2, True)
    row = row_of(kafkafmt("find", tmp_path / "broker" / "first", "--offset=4", "-o", "jsonl"))
    assert (row["topic"], row["partition"], row["offset"]) == (None, None, 4)


def test_the_best_replica_is_searched_or_all(kafkafmt: Call) -> None:
    arguments = ("find", COPIES, "--topic", "rep", "--partition", 0, "--latest", "-o", "jsonl")
    answer = kafkafmt(*arguments)
    assert row_of(answer)["file"] == "node-2/rep-0/00000000000000000045.log"
    assert "skipped 2 other copies of these partitions (--replica all reads them too)" in answer.stderr
    answer = kafkafmt(*arguments, "--replica", "all")
    found = [(row["offset"], row["leaderEpoch"], row["file"][:6]) for row in map(json.loads, answer.lines)]
    assert found == [(75, 2, "node-1"), (85, 4, "node-2"), (55, 2, "node-3")]
    answer = kafkafmt(*arguments[:-3], "--offset=60", "--replica", "all", "-o", "jsonl")
    assert (answer.status, len(answer.lines)) == (1, 2)
    assert "nothing at or after offset 60: the log of" in answer.stderr
    assert "node-3/rep-0 starts at offset" in answer.stderr


def test_a_file_named_by_itself_is_a_log_of_its_own(kafkafmt: Call, tmp_path: Path) -> None:
    file = RETENTION / "trimmed-0" / "00000000000000000022.log"
    assert row_of(kafkafmt("find", file, "--earliest", "-o", "jsonl"))["offset"] == 33
    assert row_of(kafkafmt("find", file, "--latest", "-o", "jsonl"))["offset"] == 47
    answer = kafkafmt("find", file, "--offset=60")
    assert answer.status == 1
    assert f"the log of {file} starts at offset 33 and ends before offset 47." in answer.stderr
    answer = kafkafmt("find", file, "--offset=3")
    assert f"nothing at offset 3: the log of {file}" in answer.stderr
    saved = tmp_path / "saved"
    saved.write_bytes(file.read_bytes())
    row = row_of(kafkafmt("find", saved, "--earliest", "-o", "jsonl"))
    assert (row["offset"], row["file"], row["topic"]) == (22, "saved", None)
    assert row_of(kafkafmt("find", saved, "--offset=25", "-o", "jsonl"))["baseOffset"] == 22
    saved.write_bytes(b"")
    answer = kafkafmt("find", saved, "--earliest")
    assert (answer.status, f"{saved} has no segment" in answer.stderr) == (1, True)


def test_files_of_one_directory_are_one_log(kafkafmt: Call) -> None:
    directory = RETENTION / "trimmed-0"
    files = [directory / f"{base:020d}.log" for base in (70, 22, 47)]
    for question in ("--offset=50", "--offset=72", "--timestamp=1795234958600", "--latest", "--earliest"):
        whole = row_of(kafkafmt("find", directory, question, "-o", "jsonl"))
        found = row_of(kafkafmt("find", *files, question, "-o", "jsonl"))
        assert found == {**whole, "file": f"{directory}/{whole['file']}"}
    answer = kafkafmt("find", *files[:2], "--offset=999", "--replica", "all")
    assert f"the log of {directory} (2 of its files) starts at offset 33 and ends before offset 78." in answer.stderr


def test_logs_without_a_record(kafkafmt: Call, tmp_path: Path) -> None:
    empty = segment(tmp_path / "t-0", 5)
    empty.write_bytes(b"")
    for question in ("--earliest", "--latest"):
        row = row_of(kafkafmt("find", tmp_path / "t-0", question, "-o", "jsonl"))
        assert (row["offset"], row["file"], row["position"]) == (5, file_name(5), 0)
        assert (row["baseOffset"], row["leaderEpoch"]) == (None, None)
    for question in ("--offset=5", "--timestamp=0", "--max-timestamp"):
        answer = kafkafmt("find", tmp_path / "t-0", question, "--explain")
        assert answer.status == 1
        assert f"the log of {tmp_path / 't-0'} starts at offset 5 and ends before offset 5." in answer.stderr
    empty.rename(empty.with_suffix(".log.deleted"))
    for question in QUESTIONS:
        answer = kafkafmt("find", tmp_path / "t-0", question, "--explain")
        assert answer.status == 1
        assert answer.stderr == f"kafkafmt: {tmp_path / 't-0'} has no segment.\n"
        assert "It has no segment." in answer.text


# Arguments


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "say what to find: --offset N, --timestamp TIME, --earliest, --latest or --max-timestamp."),
        (("--offset=1", "--latest"), "--offset and --latest cannot be combined: give one of them."),
        (("--timestamp=noon",), "'noon' is neither ms since 1970 nor a time like 2026-11-21T09:30:00Z."),
        (("--offset=-1",), "-1 is not in the range x>=0."),
        (("--latest", "--columns=offest"), "no column 'offest'. There are: topic, partition, offset,"),
    ],
)
def test_wrong_usage(arguments: tuple[str, ...], message: str, kafkafmt: Call) -> None:
    answer = kafkafmt("find", DAMAGED, *arguments)
    assert (answer.status, answer.stdout) == (2, b"")
    assert message in answer.stderr


def test_nothing_so_late(kafkafmt: Call, tmp_path: Path) -> None:
    log = segment(tmp_path / "t-0", 0, batch(0, 2, timestamp=1000), batch(2, timestamp=900))
    checkpoint(tmp_path, "log-start-offset-checkpoint", {("t", 0): 2})
    ends = f"the log of {tmp_path / 't-0'} starts at offset 2 and ends before offset 3."
    for time in (2000, 950, 10**19):
        answer = kafkafmt("find", tmp_path, f"--timestamp={time}")
        first = answer.stderr.split("\n")[0]
        largest = "the largest timestamp is 1970-01-01T00:00:01.001Z at offset 1, below the log start offset 2"
        assert first == f"kafkafmt: no record at or after {human.time(time)}: {largest}; {ends}"
        assert answer.status == 1
    answer = kafkafmt("find", tmp_path, "--max-timestamp", "-o", "jsonl")
    assert row_of(answer)["offset"] == 1
    assert answer.status == 0
    deleted = "is below the log start offset 2: deleted for consumers, still on disk"
    assert f"kafkafmt: note: offset 1 {deleted}\n" in answer.stderr
    answer = kafkafmt("find", tmp_path, "--offset=0", "-o", "jsonl")
    assert (answer.status, answer.stderr) == (0, f"kafkafmt: note: offset 0 {deleted}\n")
    log.write_bytes(batch(0, timestamp=-1))
    answer = kafkafmt("find", log, "--timestamp=0")
    assert f"no record has a timestamp; the log of {log} starts" in answer.stderr


# Damage


def test_a_time_is_found_after_damage_which_is_named(kafkafmt: Call) -> None:
    answer = kafkafmt("find", DAMAGED, "--timestamp=1795236812700", "--explain")
    error = f"{DAMAGED / file_name(0)}: position 1665: CRC mismatch"
    assert (answer.status, answer.stderr.startswith(f"kafkafmt: {error}")) == (1, True)
    assert "173 bytes skipped (offsets 25 to 27, 3 records)\n" in answer.stderr
    assert "note: the answer leaves damaged batches out: a record in them may be the first" in answer.stderr
    assert "damage: all headers are read" in answer.text
    assert "Read in total: 8 index entries (80 bytes), 16 headers in 2484 bytes of log." in answer.text
    row = row_of(kafkafmt("find", DAMAGED, "--timestamp=1795236812700", "-o", "jsonl"))
    assert (row["offset"], row["position"], row["timestamp"]) == (28, 1838, 1795236812722)


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Path]:
    """100 batches of ten records, with an offset index entry for every fourth batch."""
    path = segment(tmp_path / "t-0", 0, *(batch(10 * number, 10, timestamp=10 * number) for number in range(100)))
    size = path.stat().st_size // 100
    yield write_index(path, *((10 * number + 9, number * size) for number in range(4, 100, 4))).with_suffix(".log")
    assert path.stat().st_size == 100 * size


def test_an_index_that_is_wrong_is_a_finding_and_the_answer_is_right(kafkafmt: Call, log: Path) -> None:
    index = log.with_suffix(".index")
    sound = index.read_bytes()
    expected = kafkafmt("find", log.parent, "--offset=555", "-o", "jsonl")
    assert (expected.status, expected.stderr) == (0, "")
    entries = [sound[at : at + 8] for at in range(0, len(sound), 8)]
    wrong: dict[str, tuple[bytes, str]] = {
        "astray": (b"".join(entry[:7] + b"\x01" for entry in entries), "no sound batch starts"),
        "reversed": (b"".join(reversed(entries)), "the entries of the index are out of order"),
        "odd size": (sound + b"abc", "the size of the index is not a multiple of 8"),
    }
    for content, message in wrong.values():
        index.write_bytes(content)
        answer = kafkafmt("find", log.parent, "--offset=555", "-o", "jsonl", "--explain")
        assert (answer.status, answer.stdout) == (1, expected.stdout)
        assert message in answer.stderr.replace("\n", " ").replace("      ", "")
        assert re.search(rf"kafkafmt: {index}: position \d+: .*; it was not used for the answer", answer.stderr)


def test_without_an_index_headers_tell_and_it_is_said(kafkafmt: Call, log: Path) -> None:
    log.with_suffix(".index").unlink()
    answer = kafkafmt("find", log.parent, "--offset=555", "--explain")
    assert answer.status == 0
    missing = "the log file has no offset index"
    assert answer.stderr == f"kafkafmt: note: {log.with_suffix('.index')}: {missing}; headers were read instead\n"
    assert f"Without {file_name(0)[:-4]}.index: {missing}." in answer.text
    # A long list shows only its beginning and end.
    assert [line.split() for line in answer.lines if "more)" in line] == [["..", "(38", "more)"]]
    assert sum(" not in it: on to the next" in line for line in answer.lines) == 17
    assert "Read in total: 0 index entries (0 bytes), 56 headers in" in answer.text


def test_indexes_that_no_segment_has_are_told_once(kafkafmt: Call) -> None:
    # Kafka 0.10.0 writes none; there are three segments.
    log = case("m1-codecs-0.10.0.1").log_dir / "append-time-0"
    answer = kafkafmt("find", log, "--max-timestamp")
    missing = "the log file has no time index (and 2 more like it); headers were read instead"
    assert answer.stderr == f"kafkafmt: note: {log / file_name(0)[:-4]}.timeindex: {missing}\n"
    assert answer.status == 0


def test_broken_checkpoints(kafkafmt: Call, log: Path) -> None:
    broken = log.parents[1] / "log-start-offset-checkpoint"
    broken.write_text("0\nmany\n")
    answer = kafkafmt("find", log.parent, "--offset=555", "-o", "jsonl")
    assert (answer.status, row_of(answer)["baseOffset"]) == (1, 550)
    assert "so the log start offset is taken from the first segment" in answer.stderr
    for question, offset in {"--earliest": 0, "--latest": 1000, "--timestamp=555": 555}.items():
        answer = kafkafmt("find", log.parent, question, "-o", "jsonl", "--explain")
        assert (answer.status, row_of(answer)["offset"]) == (1, offset)
        assert f"kafkafmt: {broken}: " in answer.stderr
    broken.unlink()
    (log.parent / "leader-epoch-checkpoint").write_text("0\nmany\n")
    answer = kafkafmt("find", log.parent, "--latest", "-o", "jsonl")
    row = row_of(answer)
    assert (answer.status, row["offset"], row["leaderEpoch"]) == (1, 1000, None)
    assert "so the leader epoch is unknown" in answer.stderr


@pytest.mark.parametrize("error", [errno.EACCES, errno.EIO])
@pytest.mark.parametrize("name", ["log-start-offset-checkpoint", "leader-epoch-checkpoint"])
def test_checkpoints_that_cannot_be_read(
    kafkafmt: Call, log: Path, monkeypatch: pytest.MonkeyPatch, name: str, error: int
) -> None:
    unreadable = checkpoint(log.parents[name == "log-start-offset-checkpoint"], name, {})
    refused(unreadable, error, monkeypatch)
    answers = {"--offset=555": 555, "--earliest": 0, "--latest": 1000, "--timestamp=555": 555, "--max-timestamp": 999}
    for question, offset in answers.items():
        answer = kafkafmt("find", log.parent, question, "-o", "jsonl")
        assert row_of(answer)["offset"] == offset
        is_asked = name == "log-start-offset-checkpoint" or question in ("--earliest", "--latest")
        assert (answer.status, str(unreadable) in answer.stderr) == (int(is_asked), is_asked)
    if name == "log-start-offset-checkpoint":
        answer = kafkafmt("find", log.parent, "--offset=5000")
        assert (answer.status, str(unreadable) in answer.stderr) == (1, True)


@pytest.mark.parametrize("with_index", [True, False])
@pytest.mark.parametrize(
    ("number", "offset", "question", "row"),
    [
        (52, 521, "--offset=523", 523),  # its last offset is the first one of the next batch
        (52, 520 + 2**40, "--offset=523", 523),
        (52, 8, "--offset=523", 523),  # the batch after it is given
        (52, 520 + 2**40, "--timestamp=523", 530),
        (99, 500, "--offset=981", 981),  # two batches before it
        (98, 2**40, "--max-timestamp", 999),
    ],
)
def test_offsets_that_cannot_be_right_on_the_way_are_a_finding(
    kafkafmt: Call, log: Path, number: int, offset: int, question: str, row: int, with_index: bool
) -> None:
    if not with_index:
        log.with_suffix(".index").unlink()
    assert kafkafmt("find", log.parent, question, "-o", "jsonl").status == 0
    data = bytearray(log.read_bytes())
    position = len(data) // 100 * number
    data[position : position + 8] = offset.to_bytes(8, "big")
    log.write_bytes(data)
    answer = kafkafmt("find", log.parent, question, "-o", "jsonl")
    assert (answer.status, row_of(answer)["offset"]) == (1, row)
    faults = [line for line in answer.stderr.splitlines() if "no CRC covers offsets" in line]
    assert len(faults) == 1
    assert faults[0].startswith(f"kafkafmt: {log}: position {position}: ")
    assert faults[0].partition(" (")[0] in kafkafmt("cat", log.parent, "-o", "jsonl").stderr


FIELD_TIME = 1795600000000
NEWEST = "find-newest-below-base"  # batches at 1000, 1001 and 490, each a record; the last one a day later
MINUS_ONE = "repair-offset-minus-one"  # the only batch has base offset -1


@pytest.mark.parametrize(
    ("name", "question", "expected", "fault"),
    [
        (NEWEST, "--max-timestamp", 1001, "offsets go back from 1001 to 490"),
        (NEWEST, f"--timestamp={FIELD_TIME + 2000}", None, "offsets go back from 1001 to 490"),
        (NEWEST, f"--timestamp={FIELD_TIME + 500}", 1001, "offsets go back from 1001 to 490"),
        (NEWEST, "--latest", 491, "offsets go back from 1001 to 490"),
        (MINUS_ONE, "--max-timestamp", None, "offset -1 is below the base offset of the segment, 0"),
        (MINUS_ONE, "--timestamp=0", None, "offset -1 is below the base offset of the segment, 0"),
        (MINUS_ONE, "--latest", 0, "offset -1 is below the base offset of the segment, 0"),
    ],
)
def test_offsets_below_the_segment_end_and_are_named(
    name: str, question: str, expected: int | None, fault: str, kafkafmt: Call
) -> None:
    answer = kafkafmt("find", field_case(name).input, question, "-o", "jsonl")
    assert (answer.status, [row["offset"] for row in map(json.loads, answer.lines)]) == (
        1,
        [] if expected is None else [expected],
    )
    assert f"{fault} (no CRC covers offsets)" in answer.stderr


def test_an_offset_in_no_file_is_said_and_the_row_is_as_kafka_fetches(kafkafmt: Call, tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 0, batch(0, 10))
    # Compaction kept 12 and 15 of 10 to 19, and none of 20 to 29.
    kept = builder.batch([builder.R(offset_delta=2), builder.R(offset_delta=5)], base_offset=10, last_offset_delta=9)
    empty = builder.batch([], base_offset=20, last_offset_delta=9)
    segment(tmp_path / "t-0", 10, kept, empty)
    segment(tmp_path / "t-0", 268_074, batch(268_074))
    for offset, base, following in [
        (9, 0, None),
        (11, 10, 12),
        (12, 10, None),
        (17, 10, 268_074),
        (22, 20, 268_074),
        (250_000, 268_074, 268_074),
    ]:
        answer = kafkafmt("find", tmp_path, f"--offset={offset}", "-o", "jsonl")
        row = row_of(answer)
        assert (answer.status, row["offset"], row["baseOffset"]) == (0, offset, base)
        said = f"kafkafmt: note: a fetch at offset {offset} finds no such record; the next record is {following}"
        assert [line for line in answer.stderr.splitlines() if "no such" in line] == [said] * (following is not None)


def test_an_offset_beyond_the_last_one_of_its_batch(kafkafmt: Call) -> None:
    """A fetch goes by lastOffsetDelta: the record is in the file, in a batch that ends at offset 1 by its header."""
    answer = kafkafmt("find", field_case("last-offset-delta-zero").input, "--offset", 2)
    assert "note: a fetch at offset 2 finds no such record; the next record is 6\n" in answer.stderr


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_last_offset_there_is(question: str, kafkafmt: Call, tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 0, batch(0, 10, timestamp=1000), batch(2**63 - 1, 1, timestamp=5000))
    answer = kafkafmt("find", tmp_path, question, "-o", "jsonl")
    if question == "--latest":
        assert (answer.status, answer.stdout) == (1, b"")
        assert "offset 9223372036854775808 does not fit in 64 bits (no CRC covers offsets)" in answer.stderr
    else:
        assert (answer.status, len(answer.lines)) == (1, 1)
        assert "above the base offset of the segment" in answer.stderr


@pytest.mark.parametrize("path", BAD, ids=lambda path: path.name)
def test_any_bytes_are_answered_or_an_error(path: Path, kafkafmt: Call, tmp_path: Path) -> None:
    (tmp_path / "t-0").mkdir()
    log = tmp_path / "t-0" / file_name(0)
    shutil.copy(path, log)
    for suffix in (".index", ".timeindex"):
        log.with_suffix(suffix).write_bytes(path.read_bytes()[:96])
    for question in QUESTIONS:
        answer = kafkafmt("find", tmp_path, question, "--explain")
        assert answer.status in (0, 1)
        assert answer.status == 0 or answer.stderr


def test_help_has_examples(kafkafmt: Call) -> None:
    answer = kafkafmt("find", "--help")
    assert answer.status == 0
    assert "  kafkafmt find orders-0 --offset 81920 --explain\n" in answer.text
    assert re.search(r"find +the file and batch of an offset or a time", kafkafmt("--help").text)
