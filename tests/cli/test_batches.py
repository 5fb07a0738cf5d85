"""`kafkafmt batches` against Kafka's golden batches, in every case and every column."""

import csv
import io
import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests import golden_exceptions
from tests.cli.conftest import Call
from tests.golden_cases import Case, cases
from tests.scanning.test_scan_golden import grouped

Row = dict[str, Any]

MODERN_NAMES = {"isControl": "isControlBatch"}


def case(name: str) -> Case:
    return next(each for each in cases() if each.name == name)


CODECS = case("01-codecs-4.3.1").log_dir
CRASH = case("12-crash-4.3.1").log_dir / "damaged"
TRANSACTIONS = case("04-transactions-4.3.1").log_dir
LEGACY = case("m1-codecs-0.10.2.2").log_dir


def comparable(golden: Row, found: Row) -> tuple[Row, Row]:
    """The fields of a golden batch by their modern names, and ours; without those that either side could not read."""
    failed = any(name.endswith(("Error", "error")) for name in golden)
    if found["compression"] is None:
        # In a broken or unknown batch we read no field after the first ones; Kafka reads them one by one.
        names = {"file", "position", "sizeInBytes", "magic"}
    else:
        names = {name for name in golden if MODERN_NAMES.get(name, name) in found}
        names -= {name for name in names if golden[name] is None and (failed or name == "count")}
        names -= {name for name in names if failed and found[MODERN_NAMES.get(name, name)] is None}
    if "error" in golden:
        names.discard("isValid")
    expected = {MODERN_NAMES.get(name, name): golden[name] for name in names}
    return expected, {name: found[name] for name in expected}


@pytest.mark.parametrize("each", cases(), ids=str)
def test_jsonl_is_golden(each: Case, kafkafmt: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(each.log_dir)
    infos = {info["file"]: info for info in each.jsonl("files.jsonl") if "batches" in info}
    golden = grouped(each.jsonl("batches.jsonl"), "file")
    arguments = ("--output", "jsonl", "--below-log-start", "--replica", "all", "--on-damage", "skip")
    answer = kafkafmt("batches", *sorted(infos), *arguments, "--deep", "--verify-checksums")
    found = grouped([json.loads(line) for line in answer.lines], "file")
    for file, info in infos.items():
        name = file if len(infos) > 1 else os.path.basename(file)
        end = info.get("iteratedBytes", info.get("endPosition"))
        ours = [row for row in found.get((name,), []) if row["position"] < end]
        theirs = golden.get((file,), [])
        assert [row["position"] for row in ours] == [row["position"] for row in theirs], file
        for row, theirs_row in zip(ours, theirs, strict=True):
            expected, compared = comparable({**theirs_row, "file": name}, row)
            assert compared == expected, (file, row["position"])
            if row["compression"] is None:
                assert f"kafkafmt: {name}: position {row['position']}: " in answer.stderr
    assert answer.status == int(each.name in golden_exceptions.DAMAGED + golden_exceptions.LONE_EPOCHS), answer.stderr


def rows(answer: Any) -> list[Row]:
    return [json.loads(line) for line in answer.lines]


def test_control_batches_are_there_and_can_be_left_out(kafkafmt: Call) -> None:
    arguments = ("batches", TRANSACTIONS, "--topic", "tx", "-o", "jsonl")
    assert any(row["isControlBatch"] for row in rows(kafkafmt(*arguments)))
    assert not any(row["isControlBatch"] for row in rows(kafkafmt(*arguments, "--no-control")))


def test_the_file_column_is_the_path_below_the_source(kafkafmt: Call) -> None:
    assert rows(kafkafmt("batches", CODECS, "-o", "jsonl", "--limit", 1))[0]["file"] == "big-0/00000000000000000000.log"


def test_offsets_and_times_choose_batches_that_may_hold_them(kafkafmt: Call) -> None:
    arguments = ("batches", CODECS, "--topic", "shapes", "-o", "jsonl")
    found = rows(kafkafmt(*arguments, "--start-offset", 5, "--end-offset", 8))
    assert [row["baseOffset"] for row in found] == [5, 6, 7]
    found = rows(kafkafmt(*arguments, "--start-time", "2026-11-21T04:16:24.079"))
    assert found[0]["baseOffset"] == 10


def test_a_wrapper_is_chosen_by_the_offset_that_it_states(kafkafmt: Call) -> None:
    source = next(path for path in sorted(LEGACY.rglob("*.log")) if "gzip" in path.parent.name)
    every = rows(kafkafmt("batches", source, "-o", "jsonl"))
    wrapper = next(row for row in every if row["compression"] == "gzip" and row["lastOffset"] > 0)
    assert (wrapper["count"], wrapper["baseOffset"]) == (None, None)
    arguments = ("batches", source, "-o", "jsonl", "--start-offset", wrapper["lastOffset"])
    assert rows(kafkafmt(*arguments))[0] == wrapper
    assert wrapper not in rows(kafkafmt("batches", source, "-o", "jsonl", "--end-offset", wrapper["lastOffset"]))
    deep = rows(kafkafmt(*arguments, "--deep"))[0]
    assert deep["count"] == deep["lastOffset"] - deep["baseOffset"] + 1


def test_a_table_has_the_columns_people_want(kafkafmt: Call) -> None:
    arguments = ("batches", CODECS, "--topic", "shapes", "--limit", 1)
    names = ["file", "position", "baseOffset", "lastOffset", "count", "compression", "maxTimestamp", "sizeInBytes"]
    assert kafkafmt(*arguments).lines[0].split() == names
    assert kafkafmt(*arguments, "--verify-checksums").lines[0].split() == [*names, "isValid"]
    assert kafkafmt(*arguments, "--columns", "crc,magic").lines[0].split() == ["crc", "magic"]


def test_a_wrong_crc_is_a_finding_once_it_is_looked_for(kafkafmt: Call) -> None:
    source = CRASH / "crash-flip-record-0"
    assert kafkafmt("batches", source, "-o", "jsonl").status == 0
    answer = kafkafmt("batches", source, "-o", "csv", "--verify-checksums")
    assert answer.status == 1
    assert answer.stderr == (
        f"kafkafmt: {source}/00000000000000000000.log: position 1665: CRC mismatch "
        "(expected 0xfe79cf04, found 0x83acac89)\n"
    )
    found = list(csv.DictReader(io.StringIO(answer.text)))
    assert [row["isValid"] for row in found].count("false") == 1


def test_a_broken_size_ends_it_or_is_skipped(kafkafmt: Call) -> None:
    source = CRASH / "crash-flip-length-0"
    answer = kafkafmt("batches", source, "-o", "jsonl", "--on-damage", "raise")
    assert answer.status == 1
    assert "stopped at the damage; continue past it with --on-damage skip" in answer.stderr
    skipping = kafkafmt("batches", source, "-o", "jsonl")
    assert skipping.status == 1
    assert "bytes skipped" in skipping.stderr
    assert set(answer.lines) < set(skipping.lines)


def test_an_unknown_format_is_listed_and_named(kafkafmt: Call) -> None:
    answer = kafkafmt("batches", CRASH / "crash-bad-magic-0", "-o", "jsonl")
    assert answer.status == 1
    assert "a message format that this release does not know" in answer.stderr
    assert 9 in [row["magic"] for row in rows(answer)]


def test_other_segments_when_named(kafkafmt: Call) -> None:
    log_dir = case("05-compacted-4.3.1").log_dir
    deleted = next(iter(sorted(log_dir.rglob("*.log.deleted"))))
    assert rows(kafkafmt("batches", deleted, "-o", "jsonl"))[0]["file"] == deleted.name


def test_wrong_columns_and_topics(kafkafmt: Call, tmp_path: Path) -> None:
    answer = kafkafmt("batches", CODECS, "--columns", "key")
    assert (answer.status, "There are: file, position, sizeInBytes" in answer.stderr) == (2, True)
    assert kafkafmt("batches", CODECS, "--topic", "x").status == 3
    assert kafkafmt("batches", tmp_path).status == 3


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_files_of_columns(kind: str, kafkafmt: Call, tmp_path: Path) -> None:
    polars = pytest.importorskip("polars", reason="pip install polars")
    target = tmp_path / f"batches.{kind}"
    assert kafkafmt("batches", CODECS, "--out", target).status == 0
    frame = (polars.read_parquet if kind == "parquet" else polars.read_ipc)(target)
    assert frame["baseOffset"].to_list() == [
        row["baseOffset"] for row in rows(kafkafmt("batches", CODECS, "-o", "jsonl"))
    ]
