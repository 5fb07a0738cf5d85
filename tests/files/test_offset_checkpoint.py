"""The four offset checkpoints of a log directory."""

from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkafmt.errors import CorruptError, LimitExceededError
from kafkafmt.files import offset_checkpoint
from kafkafmt.files.offset_checkpoint import PartitionOffset
from tests.golden_cases import Case, cases

INT32 = st.integers(-(1 << 31), (1 << 31) - 1)
INT64 = st.integers(-(1 << 63), (1 << 63) - 1)
TOPIC = st.text(st.characters(exclude_categories=["Cs"], exclude_characters=" \t\n\x0b\f\r"), min_size=1)


@pytest.mark.parametrize("case", cases("modern"), ids=str)
def test_offsets_are_those_that_kafka_reads(case: Case) -> None:
    expected = {
        each["file"]: each["offsets"]
        for each in case.jsonl("checkpoints.jsonl")
        if each["file"].endswith("-offset-checkpoint")
    }
    paths = case.files("*-offset-checkpoint")
    assert {path.relative_to(case.log_dir).as_posix() for path in paths} == set(expected)
    for name, offsets in expected.items():
        read = offset_checkpoint.read(case.log_dir / name)
        assert {f"{topic}-{partition}": offset for (topic, partition), offset in read.offsets.items()} == offsets, name
        assert read.to_table().to_pylist() == [
            {"topic": entry.topic, "partition": entry.partition, "offset": entry.offset} for entry in read.entries
        ]


def test_legacy_checkpoints_have_what_their_lines_say() -> None:
    paths = [path for case in cases("legacy") for path in case.files("*-offset-checkpoint")]
    assert {path.name.split("-")[0] for path in paths} >= {"recovery", "replication", "log", "cleaner"}
    assert any(path.stat().st_size == 0 for path in paths)
    for path in paths:
        lines = path.read_text().splitlines()[2:]
        entries = offset_checkpoint.read(path).entries
        assert [f"{entry.topic} {entry.partition} {entry.offset}" for entry in entries] == lines


@given(st.lists(st.tuples(TOPIC, INT32, INT64)))
def test_a_checkpoint_comes_back(triples: list[tuple[str, int, int]]) -> None:
    data = f"0\n{len(triples)}\n" + "".join(f"{topic} {partition} {offset}\n" for topic, partition, offset in triples)
    read = offset_checkpoint.parse(data.encode())
    assert read.entries == tuple(PartitionOffset(*triple) for triple in triples)
    assert read.offsets == {(topic, partition): offset for topic, partition, offset in triples}
    assert read.to_table().schema == pa.schema(
        [("topic", pa.string()), ("partition", pa.int32()), ("offset", pa.int64())]
    )


def test_of_two_lines_for_a_partition_the_last_counts_and_both_are_entries() -> None:
    read = offset_checkpoint.parse(b"0\n2\na-b.c 0 1\na-b.c 0 2\n")
    assert dict(read.offsets) == {("a-b.c", 0): 2}
    assert len(read.entries) == 2


@pytest.mark.parametrize(
    "line", [b"a x 0", b"a 0 x", b"a 2147483648 0", b"a 0 9223372036854775808", b"a b 0 1", b"a 0"]
)
def test_a_malformed_line_is_corrupt(line: bytes) -> None:
    with pytest.raises(CorruptError) as caught:
        offset_checkpoint.parse(b"0\n2\na 0 0\n" + line + b"\n", file="f")
    assert (caught.value.file, caught.value.position) == ("f", 10)
    assert "line 4" in str(caught.value)


def test_read_refuses_what_is_too_large(tmp_path: Path) -> None:
    path = tmp_path / "cleaner-offset-checkpoint"
    with path.open("wb") as file:
        file.truncate(1 << 30)
    with pytest.raises(LimitExceededError):
        offset_checkpoint.read(path)
