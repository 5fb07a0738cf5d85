"""`grep` on golden files, compared with a search in plain Python of the records that Kafka's own classes read."""

import base64
import re
from collections.abc import Callable
from typing import Any

import pytest

import kafkafmt
from kafkafmt.searching import grep
from tests.golden_cases import Case, cases

NAMES = ("01-codecs-4.3.1", "04-transactions-4.3.1", "05-compacted-3.9.1", "m0-codecs-0.9.0.1", "m1-codecs-0.10.2.2")
CASES = [case for case in cases() if case.name in NAMES]
TEXT = re.IGNORECASE

Matches = Callable[[bytes], bool]


def contains(needle: bytes) -> Matches:
    return lambda data: needle in data


def matches(expression: str, flags: int = 0) -> Matches:
    pattern = re.compile(expression, flags)
    return lambda data: pattern.search(data.decode("utf-8", "surrogateescape")) is not None


def matches_bytes(expression: bytes) -> Matches:
    pattern = re.compile(expression)
    return lambda data: pattern.search(data) is not None


SEARCHES: list[tuple[str | bytes, dict[str, Any], Matches]] = [
    ("alpha", {"fixed": True}, contains(b"alpha")),
    (b"\x00\xff", {"fixed": True}, contains(b"\x00\xff")),
    ('{"id":', {"fixed": True}, contains(b'{"id":')),
    ("größe", {"fixed": True, "ignore_case": True}, matches("größe", TEXT)),
    ("key-[0-4]+", {}, matches("key-[0-4]+")),
    ("^(?:alpha|bravo) [a-m]", {}, matches("^(?:alpha|bravo) [a-m]")),
    ("ECHO (?:echo|golf)", {"ignore_case": True}, matches("ECHO (?:echo|golf)", TEXT)),
    (r"\xf0\x9f[^\x00]", {}, matches_bytes(rb"\xf0\x9f[^\x00]")),
    (rb"[\x80-\xff]{4}$", {}, matches_bytes(rb"[\x80-\xff]{4}\Z")),
    ("in txn|tx", {"parts": ["key"]}, matches("in txn|tx")),
    ("a", {"parts": ["headers"], "fixed": True}, contains(b"a")),
]


def places(row: dict[str, Any], found: Matches, parts: list[str]) -> list[str]:
    """Where a golden record matches."""

    def is_in(*texts: bytes | None) -> bool:
        return any(text is not None and found(text) for text in texts)

    headers = row.get("headers") or []
    there = {
        "key": is_in(unb64(row["key"])) and "key" in parts,
        "value": is_in(unb64(row["value"])) and "value" in parts,
        "headerName": is_in(*(name.encode() for name, _ in headers)) and "headers" in parts,
        "headerValue": is_in(*(unb64(value) for _, value in headers)) and "headers" in parts,
    }
    return [name for name, matched in there.items() if matched]


def unb64(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text)


def test_all_cases_are_there() -> None:
    assert len(CASES) == len(NAMES)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=str)
def test_it_finds_what_python_finds(case: Case) -> None:
    golden: dict[str, list[dict[str, Any]]] = {}
    for row in case.jsonl("records.jsonl"):
        golden.setdefault(row["file"], []).append(row)
    total = [0] * len(SEARCHES)
    for name, rows in golden.items():
        log = kafkafmt.open(case.log_dir / name)
        for number, (pattern, arguments, found) in enumerate(SEARCHES):
            table = grep(
                log,
                pattern,
                **arguments,
                columns=["position", "offset", "value", "matchedIn"],
                control_records=True,
                below_log_start=True,
            ).to_table()
            expected = []
            for row in rows:
                matched_in = places(row, found, arguments.get("parts", ["key", "value", "headers"]))
                if matched_in:
                    place = {"position": row["position"], "offset": row["offset"]}
                    expected.append({**place, "value": unb64(row["value"]), "matchedIn": matched_in})
            assert table.to_pylist() == expected, (name, pattern)
            total[number] += len(expected)
    assert sum(map(bool, total)) >= 3


def test_each_search_finds_something_somewhere() -> None:
    rows = [row for case in CASES for row in case.jsonl("records.jsonl")]
    for pattern, arguments, found in SEARCHES:
        parts = arguments.get("parts", ["key", "value", "headers"])
        assert any(places(row, found, parts) for row in rows), pattern
