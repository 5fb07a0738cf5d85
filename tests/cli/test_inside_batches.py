"""What is wrong inside sound batches, as public bug reports had it: what each command says, and what it still reads."""

import json
from typing import Any

import pytest

from tests.cli.conftest import Answer, Call
from tests.golden_cases import field_case

INNER_CRC = ("inner-crc-v1-gzip", "inner-crc-v0-gzip-middle")


def json_rows(answer: Answer) -> list[dict[str, Any]]:
    return [json.loads(line) for line in answer.text.splitlines()]


@pytest.mark.parametrize("name", INNER_CRC)
@pytest.mark.parametrize(
    "command", [("verify", "--level", "records"), ("verify",), ("ls", "--verify-checksums", "--show", "findings")]
)
def test_a_wrong_crc_of_an_inner_message_is_a_finding(kafkafmt: Call, name: str, command: tuple[str, ...]) -> None:
    answer = kafkafmt(*command, field_case(name).input, "-o", "jsonl")
    (finding,) = [row for row in json_rows(answer) if row["level"] == "finding"]
    assert (finding["kind"], finding["firstOffset"], finding["lastOffset"]) == ("checksum", 8, 10)
    assert finding["message"].startswith("inner message 1, offset 9: CRC mismatch")
    assert answer.status == 1


@pytest.mark.parametrize("name", INNER_CRC)
def test_what_reads_records_leaves_out_the_wrapper_of_a_wrong_inner_crc(kafkafmt: Call, name: str) -> None:
    source = field_case(name).input
    stopped = kafkafmt("cat", source, "--columns", "offset", "-o", "jsonl")
    assert ([row["offset"] for row in json_rows(stopped)], stopped.status) == ([7], 1)
    assert "inner message 1, offset 9: CRC mismatch" in stopped.stderr
    skipped = kafkafmt("cat", source, "--on-damage", "skip", "--columns", "offset", "-o", "jsonl")
    assert ([row["offset"] for row in json_rows(skipped)], skipped.status) == ([7, 11], 1)
    assert "(offsets 8 to 10)" in skipped.stderr
    measured = kafkafmt("space", source, "--on-damage", "skip", "-o", "jsonl")
    assert ([row["records"] for row in json_rows(measured)], measured.status) == ([2], 1)
    listed = kafkafmt("ls", source, "--verify-checksums", "-o", "jsonl")
    assert [row["records"] for row in json_rows(listed)] == [2]


@pytest.mark.parametrize("name", INNER_CRC)
def test_dump_prints_a_message_of_a_wrong_crc_and_ends_with_1(kafkafmt: Call, name: str) -> None:
    log = field_case(name).input / "t-0" / "00000000000000000000.log"
    answer = kafkafmt("dump", log, "--print-data-log")
    assert answer.status == 1
    assert [line.split()[2] for line in answer.text.splitlines() if "isValid: false" in line] == ["9"]
    assert "inner message, offset 9: CRC mismatch" in answer.stderr
