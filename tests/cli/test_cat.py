"""`kafkafmt cat` against Kafka's golden records, and its messages about problems."""

import base64
import csv
import io
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests import golden_exceptions
from tests.cli.conftest import Call
from tests.golden_cases import GOLDEN, Case, cases
from tests.scanning.test_scan_golden import CONSUMED, expected_row, grouped

Row = dict[str, Any]


def case(name: str) -> Case:
    return next(each for each in cases() if each.name == name)


CODECS = case("01-codecs-4.3.1").log_dir
CRASH = case("12-crash-4.3.1").log_dir / "damaged"


WRONG_CRC = "position 1665: CRC mismatch (expected 0xfe79cf04, found 0x83acac89)"


def cell(data: bytes | None) -> Any:
    try:
        return None if data is None else data.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data or b"").decode()}


def as_cells(row: Row) -> Row:
    headers = row["headers"] and [{**header, "value": cell(header["value"])} for header in row["headers"]]
    return {**row, "key": cell(row["key"]), "value": cell(row["value"]), "headers": headers}


SOUND = [each for each in cases("modern") if each.name not in golden_exceptions.DAMAGED]


@pytest.mark.parametrize("each", SOUND, ids=str)
def test_jsonl_is_what_kafka_reads(each: Case, kafkafmt: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(each.log_dir)
    batches = grouped(each.jsonl("batches.jsonl"), "file", "position")
    # Other places for the same name in one golden case; named together, the file column is the golden name.
    files = sorted({record["file"] for record in each.jsonl("records.jsonl")})
    answer = kafkafmt("cat", "--output", "jsonl", "--control", "--below-log-start", "--replica", "all", *files)
    assert answer.status == int(each.name in golden_exceptions.LONE_EPOCHS), answer.stderr
    found = grouped([json.loads(line) for line in answer.lines], "file")
    records = grouped(each.jsonl("records.jsonl"), "file")
    for file in files:
        golden = [
            as_cells(expected_row(row, batches[file, row["position"]][0]))
            | {"file": file if len(files) > 1 else file.split("/")[-1]}
            for row in records[file,]
        ]
        assert found[golden[0]["file"],] == golden, file
    assert len(answer.lines) == len(each.jsonl("records.jsonl"))


@pytest.mark.parametrize("each", CONSUMED, ids=str)
def test_cat_of_a_log_directory_is_what_a_consumer_got(each: Case, kafkafmt: Call) -> None:
    recovered = each.log_dir / "recovered"
    source = recovered if recovered.is_dir() else each.log_dir
    answer = kafkafmt("cat", source, "-o", "csv", "--columns", "topic,partition,offset", "--on-damage", "skip")
    found = grouped(list(csv.DictReader(io.StringIO(answer.text))), "topic", "partition")
    for consumed in each.jsonl("read_uncommitted.jsonl"):
        rows = [int(row["offset"]) for row in found.get((consumed["topic"], str(consumed["partition"])), [])]
        expected = [offset for first, last in consumed["offsetRanges"] for offset in range(first, last + 1)]
        if (each.name, consumed["topic"]) in golden_exceptions.BEYOND_THE_CONSUMER:
            rows = rows[: len(expected)]
        assert rows == expected


def test_a_table_reads_like_a_consumers_output(kafkafmt: Call) -> None:
    lines = kafkafmt("cat", CODECS, "--topic", "shapes", "--limit", 3).lines
    assert lines == [
        "partition  offset  timestamp                 key   value",
        "        0       0  2026-11-21T04:16:24.022Z  null  null",
        "        0       1  2026-11-21T04:16:24.044Z  null",
        "        0       2  2026-11-21T04:16:24.052Z  null  v",
    ]
    several = kafkafmt("cat", CODECS, "--limit", 1).lines
    assert several[0].split()[0] == "topic"
    assert several[1].split()[0] == "big"


def test_a_table_shows_headers_from_the_first_on(kafkafmt: Call) -> None:
    lines = kafkafmt("cat", CODECS, "--topic", "shapes").lines
    assert lines[0].split() == ["partition", "offset", "timestamp", "headers", "key", "value"]
    assert "a=1, a=2, a=null" in lines[10]


@pytest.mark.parametrize("form", ["jsonl", "csv", "table"])
def test_columns_are_those_asked_for(form: str, kafkafmt: Call) -> None:
    first = kafkafmt("cat", CODECS, "-o", form, "--columns", "offset, topic,file", "--limit", 1).lines[0]
    if form == "jsonl":
        assert json.loads(first) == {"offset": 0, "topic": "big", "file": "big-0/00000000000000000000.log"}
    else:
        assert first.replace(",", " ").split() == ["offset", "topic", "file"]


def offsets(answer: Any) -> list[int]:
    return [json.loads(line)["offset"] for line in answer.lines]


FILTERS: dict[str, tuple[list[str], list[int]]] = {
    "offsets": (["--start-offset", "5", "--end-offset", "8"], [5, 6, 7]),
    "key": (["--key", "longheader", "--limit", "2"], [11, 25]),
    "key as hex": (["--key", "hex:6c6f6e67686561646572", "--limit", "1"], [11]),
    "key as base64": (["--key", "base64:bG9uZ2hlYWRlcg==", "--limit", "1"], [11]),
    "key as text": (["--key", "text:longheader", "--end-offset", "12"], [11]),
    "time as ms": (["--start-time", "1795234584052", "--end-time", "1795234584058"], [2, 3]),
    "time as ISO 8601": (
        ["--start-time", "2026-11-21T04:16:24.052", "--end-time", "2026-11-21T05:16:24.058+01:00"],
        [2, 3],
    ),
    "limit": (["--limit", "2"], [0, 1]),
    "limit 0": (["--limit", "0"], []),
    "limit beyond 64 bits": (["--limit", "9" * 30, "--start-offset", "82"], [82, 83]),
    "last": (["--last", "3"], [81, 82, 83]),
    "last beyond 64 bits": (["--last", "9" * 30, "--limit", "1"], [0]),
    "last and limit": (["--last", "3", "--limit", "2"], [81, 82]),
    "last and limit 0": (["--last", "3", "--limit", "0"], []),
    "partition": (["--partition", "0", "--end-offset", "1"], [0]),
}


@pytest.mark.parametrize("name", FILTERS)
def test_filters(name: str, kafkafmt: Call) -> None:
    arguments, expected = FILTERS[name]
    answer = kafkafmt("cat", CODECS, "--topic", "shapes", "-o", "jsonl", *arguments)
    assert (answer.status, offsets(answer), answer.stderr) == (0, expected, "")


def test_topics_by_expression(kafkafmt: Call) -> None:
    answer = kafkafmt("cat", CODECS, "--topic-regex", "codec-(gzip|lz4)", "-o", "jsonl", "--columns", "topic")
    assert {json.loads(line)["topic"] for line in answer.lines} == {"codec-gzip", "codec-lz4"}
    assert kafkafmt("cat", CODECS, "--topic-regex", "codec").status == 3


def test_control_records_and_what_lies_below_the_log_start(kafkafmt: Call) -> None:
    transactions = case("04-transactions-4.3.1").log_dir
    arguments = ("cat", transactions, "--topic", "tx", "-o", "jsonl", "--columns", "controlType")
    assert not any("COMMIT" in line for line in kafkafmt(*arguments).lines)
    assert any("COMMIT" in line for line in kafkafmt(*arguments, "--control").lines)
    retention = case("06-retention-4.3.1").log_dir
    live = kafkafmt("cat", retention, "-o", "jsonl", "--columns", "offset").lines
    assert len(live) < len(kafkafmt("cat", retention, "-o", "jsonl", "--below-log-start").lines)


def test_the_high_watermark_ends_it(kafkafmt: Call) -> None:
    running = case("14-running-4.3.1").log_dir
    with_it = kafkafmt("cat", running, "-o", "jsonl", "--columns", "offset", "--end-offset", "high-watermark")
    assert with_it.status == 0


def test_a_file_that_cannot_be_read_any_more_is_exit_3(kafkafmt: Call, tmp_path: Path) -> None:
    # The high watermark of a segment without its log directory is unknown.
    copy = tmp_path / f"{0:020d}.log"
    shutil.copyfile(CODECS / "shapes-0" / copy.name, copy)
    answer = kafkafmt("cat", copy, "--end-offset", "high-watermark", "-o", "jsonl")
    assert (answer.status, answer.stdout) == (3, b"")
    assert "the high watermark is unknown" in answer.stderr


def test_bytes_as_plain_strings(kafkafmt: Call) -> None:
    arguments = ("cat", CODECS, "--topic", "shapes", "--start-offset", 9, "--limit", 1, "-o", "jsonl", "--bytes")
    for form, value in (("hex", "b1b770"), ("base64", "sbdw"), ("utf8", "\ufffd\ufffdp")):
        assert json.loads(kafkafmt(*arguments, form).text)["headers"][-1]["value"] == value


def test_damage_is_raised_after_what_is_before_it(kafkafmt: Call, tmp_path: Path) -> None:
    file = CRASH / "crash-flip-record-0" / f"{0:020d}.log"
    answer = kafkafmt("cat", file, "-o", "jsonl")
    assert answer.status == 1
    assert len(answer.lines) > 0
    assert answer.stderr.splitlines() == [
        f"kafkafmt: {file}: {WRONG_CRC}",
        "kafkafmt: stopped at the damage; continue past it with --on-damage skip. To look at it:",
        f"  kafkafmt inspect {file} --position 1665",
    ]
    answer = kafkafmt("cat", file, "--out", tmp_path / "rows.parquet")
    assert answer.status == 1
    assert "rows.parquet was not written" in answer.stderr
    assert list(tmp_path.iterdir()) == []


def test_damage_is_skipped_and_named(kafkafmt: Call) -> None:
    answer = kafkafmt("cat", CRASH, "-o", "jsonl", "--columns", "file,offset", "--on-damage", "skip")
    assert answer.status == 1
    lines = answer.stderr.splitlines()
    file = CRASH / "crash-flip-record-0" / f"{0:020d}.log"
    assert f"kafkafmt: {file}: {WRONG_CRC}: checksum, 173 bytes skipped (offsets 25 to 27, 3 records)" in lines
    assert any(line.startswith(f"kafkafmt: note: {CRASH}/crash-zero-tail-0/") for line in lines)


@pytest.mark.parametrize("on_damage", ["raise", "skip"])
@pytest.mark.parametrize("command", ["cat", "batches"])
def test_offsets_out_of_order_are_a_finding_and_no_damage(kafkafmt: Call, command: str, on_damage: str) -> None:
    source = CRASH / "crash-flip-offset-0"
    answer = kafkafmt(command, source, "-o", "jsonl", "--on-damage", on_damage)
    assert answer.status == 1
    file = source / "00000000000000000051.log"
    room = "that is exactly the gap between its neighbours (no CRC covers offsets)"
    assert answer.stderr == f"kafkafmt: {file}: position 681: base offset 125 should be 61: {room}\n"
    assert len(answer.lines) == {"cat": 66, "batches": 30}[command]


def test_of_the_first_rows_what_is_out_of_order_is_a_finding(kafkafmt: Call) -> None:
    source = CRASH / "crash-flip-offset-0"
    assert kafkafmt("cat", source, "-o", "jsonl", "--limit", "5").status == 0
    limited = kafkafmt("cat", source, "-o", "jsonl", "--limit", "63")
    assert (limited.status, len(limited.lines)) == (1, 63)
    assert "base offset 125 should be 61" in limited.stderr
    last = kafkafmt("cat", source, "-o", "jsonl", "--last", "8")
    assert (last.status, len(last.lines)) == (1, 8)
    assert "base offset 125 should be 61" in last.stderr


def test_garbage_at_the_end_is_a_finding_and_all_before_it_comes(kafkafmt: Call) -> None:
    source = CRASH / "crash-garbage-tail-0"
    answer = kafkafmt("cat", source, "-o", "jsonl")
    assert answer.status == 1
    end = "(expected entries or the end, found 500 bytes): garbage_tail, 500 bytes skipped (offsets from 69 on)\n"
    assert answer.stderr.endswith(end)
    assert answer.lines == kafkafmt("cat", CRASH.parent / "original" / source.name, "-o", "jsonl").lines


def test_an_unfinished_end_is_no_finding(kafkafmt: Call) -> None:
    source = CRASH / "crash-trunc-records-0"
    answer = kafkafmt("cat", source, "-o", "jsonl")
    assert answer.status == 0
    assert answer.stderr == (
        f"kafkafmt: note: {source}/00000000000000000048.log: position 1162: the last entry is incomplete "
        "(found 168 bytes): normal after a kill or in a live copy\n"
    )


def test_an_unfinished_end_of_an_earlier_segment_is_a_finding(kafkafmt: Call) -> None:
    source = CRASH / "crash-trunc-header-0"
    assert kafkafmt("cat", source, "-o", "jsonl").status == 1
    answer = kafkafmt("cat", source, "-o", "jsonl", "--on-damage", "skip")
    assert answer.status == 1
    incomplete = "the last entry is incomplete (found 30 bytes): incomplete_tail, 30 bytes skipped (offsets 25 to 50)\n"
    assert answer.stderr.endswith(incomplete)


def test_a_broken_checkpoint_cannot_be_skipped_where_it_is_needed(kafkafmt: Call, tmp_path: Path) -> None:
    shutil.copytree(CODECS / "shapes-0", tmp_path / "shapes-0")
    (tmp_path / "replication-offset-checkpoint").write_text("7\n")
    answer = kafkafmt("cat", tmp_path, "--end-offset", "high-watermark", "--on-damage", "skip")
    assert answer.status == 1
    assert answer.stderr.endswith("kafkafmt: stopped at the damage\n")


def test_skipped_replicas_are_named(kafkafmt: Call) -> None:
    nodes = case("07b-three-nodes-reconciled-4.3.1").log_dir
    answer = kafkafmt("cat", nodes, "-o", "jsonl", "--limit", 1)
    assert "other copies of these partitions (--replica all reads them too)" in answer.stderr
    assert answer.status == 0
    assert kafkafmt("cat", nodes, "-o", "jsonl", "--limit", 1, "--replica", "all").stderr == ""


def test_nothing_of_kafkas_is_exit_3_and_says_what_to_name(kafkafmt: Call, tmp_path: Path) -> None:
    answer = kafkafmt("cat", tmp_path)
    assert (answer.status, answer.stdout) == (3, b"")
    assert answer.stderr.startswith(f"kafkafmt: {tmp_path}: no Kafka log here or below: ")
    assert answer.stderr.endswith("; name an entry of log.dirs, a directory above it or below, or a file\n")
    answer = kafkafmt("cat", tmp_path / "missing")
    assert (answer.status, answer.stdout) == (3, b"")
    assert answer.stderr == f"kafkafmt: {tmp_path / 'missing'}: the file cannot be read: No such file or directory\n"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--topic", "shape"], "no topic shape. There are: big, codec-gzip, "),
        (["--topic", "shapes", "--partition", "3"], "no partition 3. There are: 0."),
    ],
    ids=["topic", "partition"],
)
def test_a_name_that_is_not_there(arguments: list[str], says: str, kafkafmt: Call) -> None:
    answer = kafkafmt("cat", CODECS, *arguments)
    assert (answer.status, answer.stdout) == (3, b"")
    assert says in answer.stderr


def test_one_of_two_names_that_is_not_there(kafkafmt: Call) -> None:
    answer = kafkafmt("cat", CODECS, "--topic", "shape", "--topic", "shapes", "-o", "jsonl", "--limit", 1)
    assert (answer.status, len(answer.lines)) == (3, 1)
    assert "no topic shape." in answer.stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--columns", "offzet"], "no column 'offzet'. There are: key, value, topic,"),
        (["--columns", "key,key"], "given twice"),
        (["--start-time", "yesterday"], "neither ms since 1970 nor a time like"),
        (["--end-offset", "hw"], "neither an offset nor high-watermark"),
        (["--key", "hex:xyz"], "'hex:xyz' is not valid hex after hex:. If it is meant as text, write text:hex:xyz"),
        (["--key", "base64:%"], "is not valid base64"),
        (["--topic-regex", "("], "is not a regular expression"),
        (["--topic", "a", "--topic-regex", "b"], "exclude each other"),
        (["--bytes", "hex", "--out", "x.parquet"], "parquet holds bytes as they are"),
        (["--limit", "-1"], "-1 is not in the range"),
        (["--partition", "x"], "'x' is not an integer"),
    ],
    ids=lambda value: value[-1] if isinstance(value, list) else "",
)
def test_wrong_usage_is_exit_2_and_says_what_is_right(arguments: list[str], says: str, kafkafmt: Call) -> None:
    answer = kafkafmt("cat", CODECS, *arguments)
    assert (answer.status, answer.stdout) == (2, b"")
    assert says in " ".join(answer.stderr.split())


def test_the_form_follows_the_name_of_the_file(kafkafmt: Call, tmp_path: Path) -> None:
    for name, begins in (("a.csv", b"key,"), ("a.jsonl", b'{"key"'), ("a.parquet", b"PAR1"), ("a.arrow", b"ARROW1")):
        assert kafkafmt("cat", CODECS, "--out", tmp_path / name).status == 0
        assert (tmp_path / name).read_bytes().startswith(begins)
    assert kafkafmt("cat", CODECS, "--out", tmp_path / "A.CSV", "--limit", 1).status == 0
    assert (tmp_path / "A.CSV").read_bytes().startswith(b"key,")
    answer = kafkafmt("cat", CODECS, "--out", tmp_path / "a.csv", "-o", "jsonl", "--limit", 1)
    assert answer.stderr == f"kafkafmt: note: {tmp_path}/a.csv will hold jsonl, as --output says, not csv\n"
    assert (tmp_path / "a.csv").read_bytes().startswith(b'{"key"')
    assert kafkafmt("cat", CODECS, "--out", tmp_path / "a.txt", "-o", "table", "--limit", 1).stderr == ""
    assert (tmp_path / "a.txt").read_text().split()[0] == "topic"


def test_no_header(kafkafmt: Call) -> None:
    arguments = ("cat", CODECS, "--topic", "shapes", "--columns", "offset", "--limit", 1, "--no-header")
    assert kafkafmt(*arguments, "-o", "csv").text == "0\n"
    assert kafkafmt(*arguments).text == "0\n"


def test_an_empty_partition_has_no_rows(kafkafmt: Call) -> None:
    answer = kafkafmt("cat", CODECS, "--topic", "empty", "-o", "csv", "--columns", "offset")
    assert (answer.status, answer.text) == (0, "offset\n")


def test_names_that_are_no_text(kafkafmt: Call, tmp_path: Path) -> None:
    copy = tmp_path / os.fsdecode(b"copy\xff\x1b[31m.log")
    shutil.copyfile(CODECS / "shapes-0" / f"{0:020d}.log", copy)
    answer = kafkafmt("cat", copy, "-o", "jsonl", "--limit", 1, "--columns", "file")
    assert (answer.status, json.loads(answer.text)["file"]) == (0, "copy\ufffd\x1b[31m.log")
    copy.write_bytes(copy.read_bytes()[:100] + b"\xff" + copy.read_bytes()[101:])
    for form in ("jsonl", "table"):
        answer = kafkafmt("cat", copy, "-o", form)
        assert answer.status == 1
        assert "copy\\udcff\\x1b[31m.log: position" in answer.stderr


def test_read_committed_leaves_out_what_was_aborted_and_what_is_open(kafkafmt: Call) -> None:
    def offsets(*more: str) -> list[int]:
        partition = case("04-transactions-4.3.1").log_dir / "tx-1"
        answer = kafkafmt("cat", partition, "--columns", "offset", "-o", "jsonl", *more)
        return [json.loads(line)["offset"] for line in answer.lines]

    committed = offsets("--isolation-level", "read_committed")
    assert committed == [3, 4, 8, 13, 14, 15, 22, 27, 28]
    assert offsets("--isolation-level", "read_uncommitted") == offsets()
    assert set(committed) < set(offsets())
    assert kafkafmt("cat", ".", "--isolation-level", "serializable").status == 2


@pytest.mark.parametrize("case", [case for case in cases("modern") if case.name.startswith("07")], ids=str)
def test_replicas_that_diverged_are_a_finding(kafkafmt: Call, case: Case) -> None:
    expected = 0 if case.name.startswith("07b") else 1
    cat = kafkafmt("cat", case.log_dir, "--topic", "rep", "--output", "jsonl")
    assert cat.status == expected
    assert cat.stderr.count(" at offset 65: leader epoch ") == 2 * expected
    listed = kafkafmt("ls", case.log_dir, "--rows", "findings", "--output", "jsonl")
    rows = [row for row in map(json.loads, listed.lines) if row["level"] == "finding"]
    assert [(row["kind"], row["topic"], row["partition"]) for row in rows] == [
        ("diverged", "rep", 0),
        ("diverged", "rep", 1),
    ][: 2 * expected]
    assert listed.status == expected
    assert kafkafmt("ls", case.log_dir).text.count(": diverged from ") == 2 * expected


@pytest.mark.parametrize(
    ("arguments", "status", "stderr"),
    [
        (["--end-offset", "-1"], 2, "Invalid value for '--end-offset': '-1' is neither an offset nor high-watermark."),
        (["--start-offset", "-1"], 2, "Invalid value for '--start-offset': -1 is not in the range x>=0."),
        (["--start-offset", "5", "--end-offset", "3"], 2, "--start-offset 5 is after --end-offset 3."),
        (["--start-time", "10", "--end-time", "1970-01-01"], 2, "--start-time 10 is after --end-time 1970-01-01."),
        (
            ["--start-time", "2026-11-21T05:00", "--end-time", "2026-11-21T04:00+00:00"],
            2,
            "--start-time 2026-11-21T05:00 is after --end-time 2026-11-21T04:00+00:00.",
        ),
        (
            ["--start-offset", "5", "--end-offset", "5"],
            0,
            "note: nothing is selected: start_offset and end_offset are both 5, and the end is not included.",
        ),
        (
            ["--start-offset", "86"],
            0,
            "note: nothing is selected: start_offset is beyond the log end of rep-0 (85), rep-1 (85).",
        ),
        (["--topic", "rep", "--topic", "x"], 3, "no topic x. There are: rep."),
        (["--topic-regex", "re"], 3, "no topic matches re. There are: rep."),
    ],
)
@pytest.mark.parametrize("command", ["cat", "batches"])
def test_a_selection_by_mistake_is_an_error_or_said(
    kafkafmt: Call, command: str, arguments: list[str], status: int, stderr: str
) -> None:
    answer = kafkafmt(command, case("07b-three-nodes-reconciled-4.3.1").log_dir, *arguments, "--output", "jsonl")
    assert answer.status == status
    assert f"kafkafmt: {stderr}\n" in answer.stderr
    assert answer.stderr.count(stderr) == 1


@pytest.mark.slow
def test_the_latest_record_of_each_key(kafkafmt: Call) -> None:
    place = GOLDEN / "modern" / "05-compacted-4.3.1" / "log-dir"
    shown = kafkafmt("cat", place, "--compacted", "-o", "jsonl", "--columns", "topic,partition,key").lines
    assert 0 < len(shown) == len(set(shown)) < len(kafkafmt("cat", place, "-o", "jsonl").lines)
    assert kafkafmt("cat", place, "--compacted", "--follow").status == 2
    counts = kafkafmt("grep", "", place, "--compacted", "--count", "-o", "jsonl", "--columns", "records").lines
    assert sum(json.loads(line)["records"] for line in counts) == len(shown)
