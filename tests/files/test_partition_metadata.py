"""partition.metadata."""

import uuid
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkafmt.codec.java_text import format_uuid
from kafkafmt.errors import CorruptError, LimitExceededError, TruncatedError, UnsupportedError
from kafkafmt.files import partition_metadata
from tests.golden_cases import Case, cases

ID = b"GT3a9e0WRx2qBgkUjpYZSA"


@pytest.mark.parametrize("case", cases("modern"), ids=str)
def test_topic_ids_are_those_that_kafka_reads(case: Case) -> None:
    expected = {
        each["file"]: {"version": each["version"], "topicId": each["topicId"]}
        for each in case.jsonl("checkpoints.jsonl")
        if each["file"].endswith("partition.metadata")
    }
    assert {path.relative_to(case.log_dir).as_posix() for path in case.files("partition.metadata")} == set(expected)
    for name, row in expected.items():
        assert partition_metadata.read(case.log_dir / name).to_table().to_pylist() == [row], name


@given(st.uuids().filter(lambda value: value.int), st.integers(0, (1 << 31) - 1))
def test_metadata_come_back(topic_id: uuid.UUID, version: int) -> None:
    read = partition_metadata.parse(f"version: {version}\ntopic_id: {format_uuid(topic_id.bytes)}".encode())
    assert (read.version, read.topic_uuid) == (version, topic_id)
    assert read.entries == (("version", str(version)), ("topic_id", format_uuid(topic_id.bytes)))


def test_keys_white_space_ends_of_lines_and_further_lines_are_as_in_kafka() -> None:
    assert partition_metadata.parse(b"verqion :\t 0\r\nid:  " + ID + b"\r\nmore: x").topic_id == ID.decode()


@pytest.mark.parametrize("data", [b"", b"version: 0", b"version: 0\n"])
def test_a_missing_line_is_truncated(data: bytes) -> None:
    with pytest.raises(TruncatedError) as caught:
        partition_metadata.parse(data, file="f")
    assert (caught.value.file, caught.value.position) == ("f", len(data))


def test_a_negative_version_is_unsupported() -> None:
    with pytest.raises(UnsupportedError) as caught:
        partition_metadata.parse(b"version: -1\ntopic_id: " + ID)
    assert (caught.value.position, caught.value.found) == (9, -1)


@pytest.mark.parametrize(
    ("data", "position"),
    [
        (b"\n", 0),
        (b"version:0\n", 0),
        (b"topic_id: " + ID, 10),
        (b"version: x\n", 9),
        (b"version: 0 \n", 9),
        (b"version: 0\ntopic_id " + ID, 11),
        (b"version: 0\ntopic_id: x", 21),
        (b"version: 0\ntopic_id: " + ID + b"A", 21),
        (b"version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAAAAA", 21),
        (b"version: 0\ntopic_id: \xff", 21),
    ],
)
def test_malformed_lines_are_corrupt_with_their_place(data: bytes, position: int) -> None:
    with pytest.raises(CorruptError) as caught:
        partition_metadata.parse(data, file="f")
    assert (caught.value.file, caught.value.position) == ("f", position)


def test_read_refuses_what_is_too_large(tmp_path: Path) -> None:
    path = tmp_path / "partition.metadata"
    with path.open("wb") as file:
        file.truncate(1 << 30)
    with pytest.raises(LimitExceededError):
        partition_metadata.read(path)
