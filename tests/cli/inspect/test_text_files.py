"""Kafka's text files in `inspect`: each line with its meaning; and files of other programs, named as such."""

import json
from pathlib import Path

import pytest

from kafkafmt.cli.inspect.small_files import rows_of_text
from kafkafmt.files.kinds import KINDS
from tests.cli.conftest import Call
from tests.cli.inspect.tiling import assert_tiled
from tests.golden_cases import Case, cases

CASE = next(each for each in cases() if each.name == "10-cluster-metadata-4.3.1")
NAMES = (
    "meta.properties",
    "recovery-point-offset-checkpoint",
    "replication-offset-checkpoint",
    "log-start-offset-checkpoint",
    "leader-epoch-checkpoint",
    "partition.metadata",
    "quorum-state",
)


@pytest.mark.parametrize("name", NAMES)
def test_each_line_is_a_row_with_a_meaning(kafkafmt: Call, name: str) -> None:
    path = CASE.files(name)[0]
    answer = kafkafmt("inspect", path, "-o", "jsonl")
    rows = [json.loads(line) for line in answer.lines]
    assert answer.status == 0
    lines = [row for row in rows if row["type"] == "line"]
    assert bytes.fromhex("".join(row["hex"] for row in lines)) == path.read_bytes()
    assert [row["value"] for row in lines] == path.read_text().splitlines()
    assert all(row["meaning"] for row in (rows if name != "quorum-state" else rows[1:]))


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("recovery-point-offset-checkpoint", "0\n1\nt 0 42\n", "recovery point 42 of partition 0 of t"),
        ("replication-offset-checkpoint.deleted", "0\n1\nt 0 42\n", "high watermark 42 of partition 0 of t"),
        ("cleaner-offset-checkpoint", "0\n1\nt 0 42\n", "first dirty offset 42 of partition 0 of t"),
        ("leader-epoch-checkpoint", "0\n1\n7 42\n", "leader epoch 7 begins at offset 42"),
        ("meta.properties", "version=1\nnode.id=1\ncluster.id=c\n", "Cluster that this log directory belongs to"),
        (".kafka_cleanshutdown", '{"version":0,"brokerEpoch":13}', "brokerEpoch  number  13"),
    ],
)
def test_what_a_line_says(kafkafmt: Call, tmp_path: Path, name: str, content: str, words: str) -> None:
    path = tmp_path / name
    path.write_text(content)
    answer = kafkafmt("inspect", path)
    assert answer.status == 0
    assert words in answer.text


@pytest.mark.parametrize(
    ("name", "content", "field", "words"),
    [
        ("leader-epoch-checkpoint", "0\n2\n0 0\nx 9\n", "line[4]", "is not a 32-bit number"),
        ("recovery-point-offset-checkpoint", "0\n2\nt 0 42\n", "line[3]", "fewer entries than it declares"),
        ("quorum-state", '{"leaderId":1', "line[1]", "the file is not JSON"),
        ("partition.metadata", "version: 0\n", "line[1]", "the line 'topic_id' is missing"),
    ],
)
def test_a_broken_line_has_an_error(
    kafkafmt: Call, tmp_path: Path, name: str, content: str, field: str, words: str
) -> None:
    path = tmp_path / name
    path.write_text(content)
    answer = kafkafmt("inspect", path, "-o", "jsonl")
    assert answer.status == 1
    (row,) = [row for row in map(json.loads, answer.lines) if row["error"]]
    assert (row["field"], words in row["error"]) == (field, True)
    assert words in answer.stderr


def test_files_that_may_be_empty_and_one_that_may_not(kafkafmt: Call, tmp_path: Path) -> None:
    for name in (".lock", ".kafka_cleanshutdown", "recovery-point-offset-checkpoint", "partition.metadata"):
        (tmp_path / name).write_bytes(b"")
    assert ".lock: a broker locks this file while it runs" in kafkafmt("inspect", tmp_path / ".lock").stderr
    assert "is empty" in kafkafmt("inspect", tmp_path / ".kafka_cleanshutdown").stderr
    assert kafkafmt("inspect", tmp_path / "recovery-point-offset-checkpoint").status == 0
    assert kafkafmt("inspect", tmp_path / "partition.metadata").status == 1


def test_as_says_what_a_text_file_is(kafkafmt: Call, tmp_path: Path) -> None:
    path = tmp_path / "copy"
    path.write_text("0\n1\n7 42\n")
    answer = kafkafmt("inspect", path, "--as", "leader-epoch-checkpoint", "--position", 5)
    assert "HERE is position 5" in answer.text
    assert kafkafmt("inspect", path, "--as", "leader-epoch-checkpoint", "--offset", 5).status == 2


@pytest.mark.parametrize("case", cases(), ids=str)
def test_the_lines_of_every_golden_text_file_tile_it(case: Case) -> None:
    kinds = {"*-offset-checkpoint": "offsets", "leader-epoch-checkpoint": "leader_epochs"}
    names = {name: name.replace(".", "_").replace("-", "_") for name in ("meta.properties", "quorum-state")}
    for pattern, kind in (kinds | names | {"partition.metadata": "partition_metadata"}).items():
        for path in case.files(pattern):
            if path.stat().st_size:
                rows = rows_of_text(KINDS[kind], path.read_bytes(), str(path))
                assert_tiled(rows)


FOREIGN = {
    "a JPEG image": b"\xff\xd8\xff\xe0\0\x10JFIF\0" + bytes(range(256)) * 9,
    "a PNG image": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(100),
    "an ELF program": b"\x7fELF\2\1\1" + bytes(100) + b"x",
    "an SQLite database": b"SQLite format 3\0\x10\0\1\1" + bytes(100),
    "a Parquet file": b"PAR1\x15\4\x15" + bytes(100) + b"PAR1",
    "JSON text": b'{"a": [1, 2]}\n' + b" " * 30,
    "plain text": "Grüße, this is a text file.\n".encode(),
}


@pytest.mark.parametrize("content", sorted(FOREIGN))
@pytest.mark.parametrize(
    "command",
    ["inspect", "ls", "cat", "batches", "find --offset 0", "dump", "groups", "transactions", "producers", "metadata"],
)
def test_a_file_of_another_program_is_called_that(kafkafmt: Call, tmp_path: Path, command: str, content: str) -> None:
    path = tmp_path / "a.bin"
    path.write_bytes(FOREIGN[content])
    answer = kafkafmt(*command.split(), path)
    assert answer.status == (2 if command == "inspect" else 3)
    assert f"this is {content}" in answer.stderr
    if command == "inspect":
        assert f"{path}: not named like a Kafka file; say what it is with --as (this is {content})" in answer.stderr


@pytest.mark.parametrize("content", sorted(FOREIGN.keys() - {"JSON text", "plain text"}))
def test_a_file_of_another_program_that_is_named_like_a_segment(kafkafmt: Call, tmp_path: Path, content: str) -> None:
    path = tmp_path / "00000000000000000000.log"
    path.write_bytes(FOREIGN[content])
    for command in ("cat", "batches"):
        answer = kafkafmt(command, path)
        assert answer.status == 1
        assert f"the file begins like {content}" in answer.stderr
    assert f"the file begins like {content}" in kafkafmt("inspect", path).text
