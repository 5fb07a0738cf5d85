"""`kafkafmt grep`: rows in each form, counts, contexts in tables, and the proof of erasure."""

import csv
import hashlib
import io
import json
import os
import re
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from kafkafmt.cli.records.matches import around
from tests.cli.conftest import Answer, Call, on_terminal
from tests.golden_cases import GOLDEN, field_case
from tests.logdir.builders import segment
from tests.reference.builder import R, batch

DATA = GOLDEN / "modern" / "01-codecs-4.3.1" / "log-dir"
DAMAGED = GOLDEN / "modern" / "12-crash-4.3.1" / "log-dir" / "damaged"
BOLD, PLAIN = "\x1b[1;31m", "\x1b[0m"


def rows(answer: Answer) -> list[dict[str, Any]]:
    return [json.loads(line) for line in answer.lines]


@pytest.fixture
def orders(tmp_path: Path) -> Path:
    """A log directory with orders as JSON."""
    records = [
        R(
            number,
            number,
            f"customer-{number % 3}".encode(),
            json.dumps({"id": 4710 + number, "to": "x" * 200}).encode(),
        )
        for number in range(5)
    ]
    records.append(R(5, 5, b"\xff\x00", b"raw", [(b"origin", b"customer-7"), (b"other", b"shop")]))
    log_dir = tmp_path / "data"
    segment(log_dir / "orders-0", 0, batch(records))
    segment(log_dir / "refunds-1", 0, batch([R(key=b"customer-1", value=b"no JSON")]))
    return log_dir


def test_rows_are_those_of_cat_with_where_they_match(kafkafmt: Call) -> None:
    found = rows(kafkafmt("grep", "-F", "echo", DATA, "-o", "jsonl", "--topic", "codec-gzip", "--topic", "shapes"))
    whole = rows(kafkafmt("cat", DATA, "-o", "jsonl", "--topic", "codec-gzip", "--topic", "shapes"))
    assert {each for row in found for each in row["matchedIn"]} >= {"value", "headerName", "headerValue"}
    for row in found:
        assert row.pop("matchedIn")
    assert found == [row for row in whole if "echo" in json.dumps([row["key"], row["value"], row["headers"]])]


def test_forms_and_columns(kafkafmt: Call, orders: Path) -> None:
    arguments = ("grep", "customer-1", orders, "--columns", "topic,offset,matchedIn")
    answer = kafkafmt(*arguments, "-o", "csv")
    expected = [["orders", "1", '["key"]'], ["orders", "4", '["key"]'], ["refunds", "0", '["key"]']]
    assert [*csv.reader(io.StringIO(answer.text))][1:] == expected
    out = orders.parent / "found.parquet"
    assert kafkafmt(*arguments, "--out", out).status == 0
    table = pq.read_table(out)
    out.unlink()
    assert table.column_names == ["topic", "offset", "matchedIn"]
    assert table.column("matchedIn").to_pylist() == [["key"]] * 3


def test_a_table_shows_what_is_around_the_match(kafkafmt: Call, orders: Path) -> None:
    answer = kafkafmt("grep", "471[1-2]|shop", orders, "--no-header")
    assert [re.split("  +", line)[4:] for line in answer.lines] == [
        ["value", "null", "customer-1", '{"id": 4711, "to": "' + "x" * 30 + "…"],
        ["value", "null", "customer-2", '{"id": 4712, "to": "' + "x" * 30 + "…"],
        ["headerValue", "other=shop", "\\xff\\x00", "raw"],
    ]
    assert (answer.status, answer.stderr) == (0, "")


def test_a_table_without_matches_in_headers_has_none(kafkafmt: Call, orders: Path) -> None:
    answer = kafkafmt("grep", "4711", orders, "--topic", "orders")
    assert answer.lines[0].split() == ["partition", "offset", "timestamp", "matchedIn", "key", "value"]


@pytest.mark.slow
def test_matches_are_coloured_on_a_terminal_unless_that_is_not_wanted(orders: Path) -> None:
    shown = on_terminal("grep", "er-1", orders, "--topic", "orders").text
    assert shown.count(f"custom{BOLD}er-1{PLAIN}") == 2
    plain = on_terminal("grep", "er-1", orders, "--topic", "orders", NO_COLOR="1").text
    assert BOLD not in plain
    assert plain == shown.replace(BOLD, "").replace(PLAIN, "")
    narrow = on_terminal("grep", "x{100}", orders, "--topic", "orders", columns=100).text
    assert narrow.count(BOLD) == narrow.count(PLAIN) == 5


@pytest.mark.parametrize(
    ("data", "spans", "shown"),
    [
        (b"short", [], "short"),
        (b"a" * 100, [(50, 51)], "…" + "a" * 24 + "[a]" + "a" * 39 + "…"),
        (b"a" * 100, [], "a" * 63 + "…"),
        (b"xx", [(0, 2)], "[xx]"),
        (b"-" * 300, [(0, 1), (200, 201)], "[-]" + "-" * 40 + "…" + "-" * 24 + "[-]" + "-" * 39 + "…"),
        (b"\xff\nz", [(1, 2)], "\\xff[\\n]z"),
        (b"y" * 500, [(0, 500)], "[" + "y" * 119 + "…]"),
        ("ä".encode() * 60, [(118, 120)], "…" + "ä" * 24 + "[ä]"),
    ],
)
def test_the_context_of_matches(data: bytes, spans: list[tuple[int, int]], shown: str) -> None:
    assert around(data, spans, is_coloured=True).replace("\u2061", "[").replace("\u2062", "]") == shown
    assert around(data, spans, is_coloured=False) == shown.replace("[", "").replace("]", "")


def test_counts_by_topic_and_partition(kafkafmt: Call, orders: Path) -> None:
    assert kafkafmt("grep", "customer-1", orders, "--count").text == (
        "topic    partition  records\norders           0        2\nrefunds          1        1\n"
    )
    whole = Counter(
        row["topic"] for row in rows(kafkafmt("cat", DATA, "-o", "jsonl")) if "alpha" in (row["value"] or "")
    )
    counted = rows(kafkafmt("grep", "-F", "alpha", DATA, "--in", "value", "--count", "-o", "jsonl"))
    assert {row["topic"]: row["records"] for row in counted} == {
        topic: number for topic, number in whole.items() if isinstance(topic, str)
    }
    assert kafkafmt("grep", "nowhere", orders, "--count", "-o", "jsonl").stdout == b""


def test_json_at_a_place(kafkafmt: Call, orders: Path) -> None:
    def offsets(*arguments: object) -> list[int]:
        answer = kafkafmt("grep", *arguments, "-o", "jsonl")
        assert answer.status == 0
        return [row["offset"] for row in rows(answer)]

    assert offsets("--json-path", "$.id=4711", orders) == [1]
    assert offsets("--json-path", "$.id>=4713", orders) == [3, 4]
    assert offsets("--json-path", "$.id", "2$", orders) == [2]
    assert offsets("4713", "--json-path", "$.id", orders) == [3]
    assert offsets("--json-path", "$.id=1", orders) == []
    assert '{"id": 4711,' in kafkafmt("grep", "--json-path", "$.id=4711", orders).text


def test_bytes_and_limits_and_the_last(kafkafmt: Call, orders: Path) -> None:
    def offsets(*arguments: object) -> list[int]:
        return [row["offset"] for row in rows(kafkafmt("grep", *arguments, "--topic", "orders", "-o", "jsonl"))]

    assert offsets("hex:ff00", orders) == [5]
    assert offsets("base64:/wA=", orders) == offsets("base64:_wA", orders) == [5]
    assert offsets(r"\xff", orders) == [5]
    assert offsets("text:hex:", orders) == []
    assert offsets("CUSTOMER", "-i", orders) == [0, 1, 2, 3, 4, 5]
    assert offsets("CUSTOMER", "-i", "-F", "--in", "headers", orders) == [5]
    assert offsets("customer", orders, "--limit", 2) == [0, 1]
    assert offsets("customer", orders, "--limit", 0) == []
    assert offsets("customer-[01]", orders, "--last", 2) == [3, 4]
    assert offsets("customer", orders, "--start-offset", 4) == [4, 5]
    assert offsets("customer", orders, "--key", "customer-2") == [2]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["(", "PATH"], "'(' is not a regular expression: missing ): (."),
        (["x"], "PATH is missing."),
        (["--json-path", "$.a=1"], "Missing argument 'PATTERN PATH...'."),
        (["--json-path", "$.a", "PATH"], "PATH is missing."),
        (["--json-path", "a", "x", "PATH"], "'a' is not a JSON path: it begins with $, as in $.customer.id."),
        (["x", "PATH", "--in", "body"], "parts of a record are key, value, headers, not 'body'."),
        (["x", "PATH", "--count", "--limit", "1"], "--count counts all matches: leave out --limit and --last."),
        (["x", "PATH", "--columns", "y"], "no column 'y'"),
        (["hex:0", "PATH"], "is not valid hex after hex:"),
        (["x", "PATH", "--evidence", "f"], "--evidence needs --everywhere."),
        (["x", "PATH", "--everywhere", "--topic", "t"], "--everywhere reads everything: leave out --topic."),
        (["x", "PATH", "--everywhere", "--on-damage", "raise"], "leave out --on-damage."),
        (["--json-path", "$.a=1", "PATH", "--everywhere"], "leave out --json-path."),
        (["^x", "PATH", "--everywhere"], "mean nothing in raw bytes"),
    ],
)
def test_wrong_usage(kafkafmt: Call, orders: Path, arguments: list[str], message: str) -> None:
    answer = kafkafmt("grep", *(str(orders) if each == "PATH" else each for each in arguments))
    assert (answer.status, answer.stdout) == (2, b"")
    assert message in answer.stderr


def test_damage_ends_it_or_is_passed_over(kafkafmt: Call) -> None:
    ended = kafkafmt("grep", "-F", "e", DAMAGED, "-o", "jsonl")
    assert ended.status == 1
    assert "continue past it with --on-damage skip" in ended.stderr
    skipped = kafkafmt("grep", "-F", "e", DAMAGED, "-o", "jsonl", "--on-damage", "skip")
    assert skipped.status == 1
    assert len(rows(skipped)) > len(rows(ended))
    counted = kafkafmt("grep", "-F", "e", DAMAGED, "-o", "jsonl", "--count")
    assert sum(row["records"] for row in rows(counted)) == len(rows(skipped))
    assert counted.stderr == skipped.stderr


def test_a_topic_that_is_nowhere(kafkafmt: Call, orders: Path) -> None:
    answer = kafkafmt("grep", "x", orders, "--topic", "none")
    assert answer.status == 3
    assert "no topic none" in answer.stderr


def test_a_proof_of_erasure(kafkafmt: Call, orders: Path) -> None:
    (orders / "orders-0" / "00000000000000000000.log.deleted").write_bytes(batch([R(value=b"customer-9")]))
    out = orders.parent / "evidence.json"
    answer = kafkafmt("grep", "-F", "customer-9", orders, "--everywhere", "--evidence", out, "-o", "jsonl")
    evidence = json.loads(out.read_text())
    out.unlink()
    (row,) = rows(answer)
    deleted = orders / "orders-0" / "00000000000000000000.log.deleted"
    assert row == {
        "topic": "orders",
        "partition": 0,
        "file": str(deleted),
        "position": 0,
        "offset": 0,
        "timestamp": 1000,
        "matchedIn": ["value"],
        "partOf": "deleted",
        "visible": False,
        "visibleCommitted": False,
    }
    assert answer.status == 1
    assert answer.stderr.startswith("kafkafmt: found once (deleted), not visible to consumers; searched 3 files")
    assert evidence["hits"] == [row]
    assert evidence["verdict"] == "found"
    assert evidence["pattern"] == {
        "text": "customer-9",
        "hex": None,
        "fixedString": True,
        "ignoreCase": False,
        "in": ["key", "value", "headers"],
    }
    assert evidence["kafkafmt"]
    assert {"numpy", "pyarrow"} <= evidence["libraries"].keys()
    assert evidence["startedAt"] <= evidence["endedAt"]
    assert evidence["startedAt"].endswith("Z")
    assert {each["path"]: (each["sizeInBytes"], each["sha256"], each["hits"]) for each in evidence["files"]} == {
        str(path): (path.stat().st_size, hashlib.sha256(path.read_bytes()).hexdigest(), int(path == deleted))
        for path in orders.rglob("*.log*")
    }
    deleted.unlink()
    gone = kafkafmt("grep", "-F", "customer-9", orders, "--everywhere")
    assert (gone.status, len(gone.lines)) == (0, 1)  # the names
    assert gone.stderr.startswith("kafkafmt: note: nothing found; searched 2 files")


def test_names_of_headers_are_bytes(kafkafmt: Call) -> None:
    """A name in Latin-1: Java, and so Arrow's text, has U+FFFD in its place."""
    log_dir = field_case("erasure-header-name-latin1").input
    for pattern, found in (("hex:4dfc6c6c6572", 1), (r"M\xfcller", 1), ("ller", 1), ("M\ufffdller", 0), ("Müller", 0)):
        (*lines,) = kafkafmt("grep", pattern, log_dir, "--in", "headers", "-o", "jsonl").lines
        assert [json.loads(line)["headers"] for line in lines] == found * [
            [{"key": {"base64": "TfxsbGVy"}, "value": "x"}]
        ]
        answer = kafkafmt("grep", pattern, log_dir, "--everywhere", "-o", "jsonl")
        assert (answer.status, [row["matchedIn"] for row in rows(answer)]) == (found, found * [["headerName"]])
    for command in (("grep", "hex:4dfc6c6c6572"), ("cat",)):
        shown = {
            form: kafkafmt(*command, log_dir, "--columns", "headers", "-o", form).text for form in ("table", "csv")
        }
        assert shown["table"].split() == ["headers", "M\\xfcller=x"]
        assert json.loads([*csv.reader(io.StringIO(shown["csv"]))][1][0]) == [
            {"key": {"base64": "TfxsbGVy"}, "value": "x"}
        ]
        (row,) = rows(kafkafmt(*command, log_dir, "--bytes", "utf8", "-o", "jsonl"))
        assert row["headers"] == [{"key": "M\ufffdller", "value": "x"}]
        for form, name, value in (("hex", "4dfc6c6c6572", "78"), ("base64", "TfxsbGVy", "eA==")):
            for output in ("jsonl", "csv", "table"):
                answer = kafkafmt(*command, log_dir, "--columns", "headers", "--bytes", form, "-o", output)
                assert name in answer.text
                assert answer.status == 0
            (row,) = rows(kafkafmt(*command, log_dir, "--bytes", form, "-o", "jsonl"))
            assert row["headers"] == [{"key": name, "value": value}]


@pytest.mark.parametrize("place", ["self", "orders-0/self", "orders-0"])
def test_evidence_is_written_whatever_cannot_be_examined(place: str, kafkafmt: Call, orders: Path) -> None:
    """A link to itself, beside the log, inside it, or in place of it."""
    if place == "orders-0":
        shutil.rmtree(orders / place)
    (orders / place).symlink_to(Path(place).name)
    out = orders.parent / "evidence.json"
    answer = kafkafmt("grep", "-F", "nobody", orders, "--everywhere", "--evidence", out)
    evidence = json.loads(out.read_text())
    assert (answer.status, evidence["verdict"]) == (3, "not proved")
    assert {each["path"] for each in evidence["unread"]} == {str(orders / place)}
    assert "Too many levels of symbolic links" in answer.stderr
    # Absence is not proved for an unreadable path either.
    kafkafmt("grep", "-F", "nobody", orders / place, "--everywhere", "--evidence", out)
    alone = json.loads(out.read_text())
    assert (alone["verdict"], {each["path"] for each in alone["unread"]}) == ("not proved", {str(orders / place)})


def test_what_is_not_proved(kafkafmt: Call, orders: Path) -> None:
    log = orders / "orders-0" / "00000000000000000000.log"
    log.write_bytes(log.read_bytes() + batch(base_offset=9, attributes=1, payload=b"no gzip"))
    out = orders.parent / "evidence.json"
    answer = kafkafmt("grep", "-F", "nobody", orders, "--everywhere", "--evidence", out)
    evidence = json.loads(out.read_text())
    out.unlink()
    assert (answer.status, len(answer.lines)) == (3, 1)
    assert f"not proved: {log} at " in answer.stderr
    assert "not proved: nothing found, but 1 place could not be read" in answer.stderr
    assert [each["path"] for each in evidence["unread"]] == [str(log)]
    assert evidence["verdict"] == "not proved"


def test_evidence_is_complete_or_absent(kafkafmt: Call, orders: Path) -> None:
    inside = kafkafmt("grep", "x", orders, "--everywhere", "--evidence", orders / "orders-0" / "evidence.json")
    assert inside.status == 2
    assert "'--evidence'" in inside.stderr
    out = orders.parent / "evidence.json"
    failed = kafkafmt("grep", "x", orders, "--everywhere", "--evidence", out, "-o", "csv", "--out", "/dev/full")
    assert failed.status == 3
    assert not out.exists()
    assert not [name for name in os.listdir(orders.parent) if name.endswith(".part")]
