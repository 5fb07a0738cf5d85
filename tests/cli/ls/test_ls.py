"""`kafkafmt ls` as a user calls it: the listing, rows in every form, filters, exit codes."""

import csv
import io
import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from kafkafmt.survey.rows import TABLES
from tests.cli.conftest import COMMAND, Call, environment, on_terminal
from tests.golden_cases import Case, cases
from tests.logdir.builders import batch, segment


def case(name: str) -> Case:
    return next(each for each in cases() if each.name == name)


RETENTION = case("06-retention-4.3.1").log_dir
CRASH = case("12-crash-4.3.1").log_dir / "damaged"
LEGACY = case("mixed-magic-1.1.1").log_dir
NODES = case("07-three-nodes-diverged-4.3.1").log_dir


def rows(answer: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in answer.lines]


def table(answer: Any, title: str) -> list[list[str]]:
    """Cells of the lines after the one that begins with a title, up to the next empty line."""
    lines = iter(answer.lines)
    for line in lines:
        if line.strip().startswith(title):
            break
    return [re.split(r"  +", line.strip()) for line in iter(lambda: next(lines, ""), "")]


# The listing


def test_a_log_directory_is_listed_by_partitions(kafkafmt: Call) -> None:
    answer = kafkafmt("ls", RETENTION)
    assert (answer.status, answer.stderr) == (0, "")
    assert answer.lines[0] == str(RETENTION)
    assert "broker 1, cluster Q4xDJdzAhjhTRnfDirtolw" in answer.lines[1]
    assert answer.lines[1].endswith("clean shutdown")
    assert "checkpoints: recovery-point ok, replication ok, log-start ok, cleaner empty" in answer.lines[2]
    found = {cells[0]: cells[1:6] for cells in table(answer, "partition")}
    assert found["all-gone-0"] == ["4.4 KiB", "1", "12", "60", "60"]
    assert found["by-size-0"] == ["7.0 KiB", "4", "60", "60", "120"]
    assert "6 partitions, 23.4 KiB, 207 records; no findings" in answer.text
    assert "deleted (7 paths, 7.9 KiB): marked for deletion" in answer.text
    assert "and 2 more: see --show left-out" in answer.text
    assert "all-gone-0/00000000000000000048.log: offsets 48 to 59" in answer.text


def test_without_a_path_it_is_the_current_directory(kafkafmt: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(RETENTION)
    assert kafkafmt("ls").lines[0] == "."


@pytest.mark.parametrize("name", ["trimmed-0", "trimmed-0/00000000000000000022.log"])
def test_a_partition_or_file_is_listed_by_segments(kafkafmt: Call, name: str) -> None:
    answer = kafkafmt("ls", RETENTION / name)
    assert answer.status == 0
    cells = table(answer, "file")
    assert cells[0][0] == "00000000000000000022.log"
    assert len(cells) == (1 if name.endswith(".log") else 3)
    if not name.endswith(".log"):
        assert "offsets 33 to 77, high watermark 78, recovery point 78, leader epochs 0 from 33" in answer.text


def test_segments_of_all_partitions(kafkafmt: Call) -> None:
    answer = kafkafmt("ls", "-l", RETENTION)
    assert len(re.findall(r"^  file", answer.text, re.MULTILINE)) == 6
    assert len(re.findall(r"^  \d{20}\.log ", answer.text, re.MULTILINE)) == 13


def test_findings_say_where_and_what_to_do(kafkafmt: Call) -> None:
    answer = kafkafmt("ls", CRASH)
    assert answer.status == 1
    assert "  crash-bad-magic-0 !" in answer.text
    path = CRASH / "crash-bad-magic-0" / "00000000000000000048.log"
    newer = "a message format that this release does not know (expected magic up to 2, found 9)"
    assert f"{path}: position 651, 183 bytes: {newer} (offsets 58 to 60, 3 records)" in answer.text
    assert (
        "    -> kafkafmt repair --from OTHER_NODE fills it from a replica; kafkafmt cat --on-damage skip" in answer.text
    )
    # One of them is the batch with a flipped length; headers alone show that the next offsets are not consecutive.
    assert f"{CRASH / 'crash-flip-length-0' / path.name}: position 635, 162 bytes: CRC mismatch" in answer.text
    assert "12 findings" in answer.lines[-2]
    assert "--verify-checksums" in answer.lines[-1]


def test_findings_as_rows_say_what_damage_costs(kafkafmt: Call) -> None:
    sources = [CRASH / f"crash-{kind}-0" for kind in ("bad-magic", "flip-crc", "flip-offset", "trunc-records")]
    answer = kafkafmt("ls", "--rows", "findings", "--verify-checksums", "-o", "jsonl", *sources)
    rows = [json.loads(line) for line in answer.lines]
    found = {
        (row["topic"], row["kind"]): (row["firstOffset"], row["lastOffset"], row["records"])
        for row in rows
        if row["path"].endswith(".log")
    }
    assert found == {
        ("crash-bad-magic", "unsupported"): (58, 60, 3),
        ("crash-flip-crc", "checksum"): (58, 60, 3),
        ("crash-flip-offset", "offset"): (61, 62, None),
        ("crash-trunc-records", "incomplete_tail"): (66, 68, 3),
    }
    (named,) = [row for row in rows if row["firstOffset"] == 61]
    assert (named["position"], named["length"]) == (681, 165)


def test_checksums_are_verified_when_asked_for(kafkafmt: Call) -> None:
    damaged = CRASH / "crash-flip-crc-0"
    assert kafkafmt("ls", damaged).status == 0
    answer = kafkafmt("ls", "--verify-checksums", damaged)
    assert answer.status == 1
    assert "CRC" in answer.text
    assert not answer.lines[-1].startswith("Only")


def test_a_quick_listing_knows_no_records(kafkafmt: Call) -> None:
    answer = kafkafmt("ls", "--quick", RETENTION)
    assert answer.status == 0
    assert table(answer, "partition")[2][:6] == ["all-gone-0", "4.4 KiB", "1", "null", "60", "60"]
    assert "records" not in answer.lines[-2]


def test_records_that_had_to_be_decompressed_are_marked(kafkafmt: Call) -> None:
    answer = kafkafmt("ls", LEGACY)
    assert any(cells[3].endswith("*") for cells in table(answer, "partition"))
    assert "* counted by decompressing" in answer.text
    assert "*" not in kafkafmt("ls", RETENTION).text


def test_partitions_set_aside_are_listed_below_or_with_all(kafkafmt: Call) -> None:
    aside = case("13-names-4.3.1").log_dir
    answer = kafkafmt("ls", aside)
    assert "set aside" in answer.text
    shown, everything = (table(each, "partition") for each in (answer, kafkafmt("ls", "--all", aside)))
    name = re.compile(r"\.[0-9a-f]{32}-(delete|future)")
    assert not any(name.search(cells[0]) for cells in shown)
    assert sum(bool(name.search(cells[0])) for cells in everything) > 1
    assert re.search(r"^  delete \(", answer.text, re.MULTILINE)


def test_the_largest_come_first_when_sorted_by_size(kafkafmt: Call) -> None:
    sizes = [row["sizeInBytes"] for row in rows(kafkafmt("ls", "--sort", "size", "-o", "jsonl", RETENTION))]
    assert sizes == sorted(sizes, reverse=True)


def test_several_brokers(kafkafmt: Call) -> None:
    answer = kafkafmt("ls", NODES)
    assert [line for line in answer.lines if line.startswith("/")] == [str(path) for path in sorted(NODES.iterdir())]
    assert "log directories" in answer.text


def test_very_many_remarks_are_cut_and_counted(kafkafmt: Call, tmp_path: Path) -> None:
    for number in range(70):
        segment(tmp_path / f"many-{number}", 0, batch(5), batch(number % 3))
    answer = kafkafmt("ls", tmp_path)
    assert answer.status == 1
    assert "and 20 more: see --show findings" in answer.text
    assert "70 findings" in answer.text


def test_very_many_different_notes_are_cut_and_counted(kafkafmt: Call, tmp_path: Path) -> None:
    lines = [f"t {number} {100 + number}" for number in range(60)]
    (tmp_path / "replication-offset-checkpoint").write_text("\n".join(["0", "60", *lines, ""]))
    for number in range(60):
        segment(tmp_path / f"t-{number}", 0)
    answer = kafkafmt("ls", tmp_path)
    assert answer.status == 0
    assert "other notes" in answer.text


# Terminals


@pytest.mark.slow
@pytest.mark.parametrize("columns", [60, 80, 120, 200])
def test_on_a_terminal_lines_of_the_table_fit(columns: int) -> None:
    answer = on_terminal("ls", RETENTION, columns=columns)
    shown = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", answer.text.replace("\r", "\n")).split("\n")
    title = next(line for line in shown if "partition  " in line)
    assert ("watermark" in title) == (columns == 200)
    start = shown.index(title)
    assert all(len(line) <= columns for line in shown[start : start + 7])
    assert any(line.startswith("  trimmed-1 ") for line in shown)


def shown_on(columns: int, *arguments: object) -> list[str]:
    """The text lines that a terminal shows at the end."""
    text = on_terminal("ls", *arguments, columns=columns).text
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", text.replace("\r", "\n")).split("\n")


@pytest.mark.slow
def test_80_columns_are_enough_for_names_and_times() -> None:
    assert any(
        re.fullmatch(r"  by-size-0 +7.0 KiB .* 2026-11-21T04:22:38\.[0-9]{3}Z", line)
        for line in shown_on(80, RETENTION)
    )
    files = [line for line in shown_on(80, RETENTION / "by-size-0") if "60.log " in line]
    assert re.search(r" 2026-11-21T04:22:38\.[0-9]{3}Z  ok$", files[0])


@pytest.mark.slow
def test_on_a_terminal_remarks_say_once_where_they_are(kafkafmt: Call) -> None:
    lines = shown_on(200, CRASH)
    assert lines.count(f"  in {CRASH}/") == 3
    assert any(line.startswith("  crash-bad-magic-0/00000000000000000048.log: position 651") for line in lines)
    assert "    bootstrap.checkpoint" in lines
    assert f"    {CRASH}" in lines
    assert f"  in {NODES}/" in shown_on(200, NODES)
    at_a_pipe = kafkafmt("ls", CRASH)
    assert f"    {CRASH}/bootstrap.checkpoint" in at_a_pipe.lines
    assert not any(line.startswith("  in ") for line in at_a_pipe.lines)


def test_a_partition_that_lost_its_log_is_a_finding(kafkafmt: Call, tmp_path: Path) -> None:
    copy = shutil.copytree(RETENTION, tmp_path / "data")
    for path in (copy / "by-size-0").glob("*.log*"):
        path.unlink()
    for source in (copy, copy / "by-size-0"):
        answer = kafkafmt("ls", source)
        assert answer.status == 1
        assert f"{copy}/by-size-0: this partition directory has no log file" in answer.text
        assert "no directory here" not in answer.text


@pytest.mark.slow
def test_progress_goes_away_where_stdout_is_a_terminal_too() -> None:
    answer = on_terminal("ls", NODES, columns=120)
    assert answer.text.count("node-2") > 1
    assert "━" in answer.text
    after = answer.text[answer.text.rindex("3 log directories") :]
    assert "━" not in after


@pytest.mark.slow
def test_progress_is_shown_while_rows_go_to_a_file(tmp_path: Path) -> None:
    out = tmp_path / "rows"
    answer = on_terminal("ls", "-o", "jsonl", NODES, columns=120, out=out)
    assert "━" in answer.text
    assert all(json.loads(line) for line in out.read_text().splitlines())


@pytest.mark.slow
def test_names_that_move_the_cursor_or_are_no_text_are_escaped(tmp_path: Path) -> None:
    for name in (b"red\x1b[31m-0", b"\xff\xfe-0"):
        directory = os.fsencode(tmp_path) + b"/" + name
        os.mkdir(directory)
        with open(directory + b"/00000000000000000000.log", "wb") as file:
            file.write(batch(0))
    for arguments in (["ls", tmp_path], ["ls", "-o", "jsonl", tmp_path], ["ls", "--rows", "segments", tmp_path]):
        command = [*COMMAND, *map(str, arguments)]
        done = subprocess.run(command, env=environment(), capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
        assert b"\x1b" not in done.stdout
        done.stdout.decode("utf-8")


# Rows


def test_show_is_rows(kafkafmt: Call) -> None:
    expected = kafkafmt("ls", RETENTION, "--rows", "segments", "-o", "jsonl")
    assert expected.lines
    assert kafkafmt("ls", RETENTION, "--show", "segments", "-o", "jsonl") == expected


def test_rows_are_partitions_unless_said_otherwise(kafkafmt: Call) -> None:
    found = {(row["topic"], row["partition"]): row for row in rows(kafkafmt("ls", "-o", "jsonl", RETENTION))}
    row = found["trimmed", 0]
    assert row["topicId"] == "dfdVIsUdS5e8jlnos52j1Q"
    assert (row["logStartOffset"], row["logEndOffset"], row["highWatermark"], row["recoveryPoint"]) == (33, 78, 78, 78)
    assert (row["records"], row["segments"], row["codecs"], row["magics"]) == (56, 3, ["none"], [2])
    assert isinstance(row["minTimestamp"], int)
    assert row["leaderEpochs"] == [{"epoch": 0, "startOffset": 33}]


@pytest.mark.parametrize("form", ["csv", "arrow", "parquet", "jsonl"])
def test_rows_in_files(kafkafmt: Call, tmp_path: Path, form: str) -> None:
    out = tmp_path / f"rows.{form}"
    assert kafkafmt("ls", "--rows", "segments", "--out", out, RETENTION).status == 0
    if form == "csv":
        number = len(list(csv.DictReader(io.StringIO(out.read_text()))))
    elif form == "jsonl":
        number = len(out.read_text().splitlines())
    else:
        read = pq.read_table(out) if form == "parquet" else pa.ipc.open_file(out).read_all()
        assert read.schema.names == TABLES["segments"].schema.names
        number = read.num_rows
    assert number == 13


def test_very_many_rows(kafkafmt: Call, tmp_path: Path) -> None:
    for number in range(1500):
        segment(tmp_path / "t-0", number, b"", suffix=".deleted")
    assert len(rows(kafkafmt("ls", "--rows", "left-out", "-o", "jsonl", tmp_path))) == 1500


def test_rows_as_a_table(kafkafmt: Call) -> None:
    answer = kafkafmt("ls", "--rows", "findings", CRASH)
    assert answer.status == 1
    assert answer.lines[0].split()[:3] == ["level", "kind", "topic"]


# Filters


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--topic", "trimmed"], [("trimmed", 0), ("trimmed", 1)]),
        (["--topic", "trimmed", "--partition", "1"], [("trimmed", 1)]),
        (["--partition", "1"], [("__transaction_state", 1), ("trimmed", 1)]),
        (["--topic-regex", "by-.*|all.*"], [("all-gone", 0), ("by-size", 0)]),
    ],
)
def test_filters(kafkafmt: Call, arguments: list[str], expected: list[tuple[str, int]]) -> None:
    answer = kafkafmt("ls", "-o", "jsonl", *arguments, RETENTION)
    assert [(row["topic"], row["partition"]) for row in rows(answer)] == expected
    assert (answer.status, answer.stderr) == (0, "")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--topic", "nope", "--topic", "trimmed"], "no topic nope. There are: __transaction_state, all-gone, by-size"),
        (["--topic-regex", "by"], "no topic matches by. There are: __transaction_state"),
        (["--topic", "trimmed", "--partition", "7"], "no partition 7. There are: 0, 1."),
    ],
)
def test_what_is_nowhere_is_said(kafkafmt: Call, arguments: list[str], complaint: str) -> None:
    answer = kafkafmt("ls", *arguments, RETENTION)
    assert answer.status == 3
    assert complaint in answer.stderr


def test_a_directory_without_a_topics_name_is_listed_unless_topics_are_chosen(kafkafmt: Call, tmp_path: Path) -> None:
    segment(tmp_path / "nameless", 0)
    segment(tmp_path / "t-0", 0)
    assert [row["topic"] for row in rows(kafkafmt("ls", "-o", "jsonl", tmp_path))] == ["t", None]
    assert [row["topic"] for row in rows(kafkafmt("ls", "-o", "jsonl", "--topic", "t", tmp_path))] == ["t"]


# Errors


def test_a_path_that_cannot_be_read_does_not_keep_the_others_from_being_listed(kafkafmt: Call, tmp_path: Path) -> None:
    answer = kafkafmt("ls", tmp_path / "missing", CRASH, tmp_path)
    assert answer.status == 1
    assert answer.stderr.count("kafkafmt: ") == 2
    assert "crash-none-0" in answer.text
    nothing = kafkafmt("ls", tmp_path / "missing", tmp_path / "gone")
    assert (nothing.status, nothing.stdout) == (3, b"")
    assert all(str(tmp_path / name) in nothing.stderr for name in ("missing", "gone"))


def test_an_index_is_no_log(kafkafmt: Call) -> None:
    answer = kafkafmt("ls", RETENTION / "trimmed-0" / "00000000000000000022.index")
    assert answer.status == 3
    assert "this is an offset index, not a log segment: kafkafmt dump" in answer.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["--quick", "--verify-checksums"],
        ["--report", "x.html", "--rows", "segments"],
        ["--report", "x.html", "--quick"],
        ["--segments", "-o", "jsonl"],
        ["--topic-regex", "("],
        ["--topic-regex", "a", "--topic", "a"],
        ["--partition", "-1"],
        ["--rows", "brokers"],
    ],
    ids=" ".join,
)
def test_what_makes_no_sense_is_wrong_usage(kafkafmt: Call, arguments: list[str]) -> None:
    answer = kafkafmt("ls", *arguments, RETENTION)
    assert (answer.status, answer.stdout) == (2, b"")
    assert answer.stderr.endswith("\nkafkafmt: see kafkafmt ls --help\n")


def test_nothing_is_written_where_the_logs_are(kafkafmt: Call, tmp_path: Path) -> None:
    copy = shutil.copytree(RETENTION, tmp_path / "data")
    before = sorted((path, path.stat().st_mtime_ns) for path in copy.rglob("*"))
    kafkafmt("ls", "--verify-checksums", "--all", copy)
    assert kafkafmt("ls", "--report", copy / "report.html", copy).status == 2
    assert sorted((path, path.stat().st_mtime_ns) for path in copy.rglob("*")) == before


def test_a_finding_in_the_log_directory_itself_counts(kafkafmt: Call, tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 0)
    (tmp_path / "cleaner-offset-checkpoint").write_text("broken")
    answer = kafkafmt("ls", tmp_path)
    assert answer.status == 1
    assert "cleaner broken" in answer.text
