"""Leader epoch checkpoints."""

from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkafmt.errors import CorruptError, LimitExceededError
from kafkafmt.files import leader_epoch_checkpoint
from kafkafmt.files.leader_epoch_checkpoint import EpochEntry
from tests.golden_cases import Case, cases

INT32 = st.integers(-(1 << 31), (1 << 31) - 1)
INT64 = st.integers(-(1 << 63), (1 << 63) - 1)


@pytest.mark.parametrize("case", cases("modern"), ids=str)
def test_epochs_are_those_that_kafka_reads(case: Case) -> None:
    expected = {
        each["file"]: each["entries"]
        for each in case.jsonl("checkpoints.jsonl")
        if each["file"].endswith("leader-epoch-checkpoint")
    }
    paths = case.files("leader-epoch-checkpoint")
    assert {path.relative_to(case.log_dir).as_posix() for path in paths} == set(expected)
    for name, entries in expected.items():
        assert leader_epoch_checkpoint.read(case.log_dir / name).to_table().to_pylist() == entries, name


def test_legacy_checkpoints_have_what_their_lines_say() -> None:
    paths = [path for case in cases("legacy") for path in case.files("leader-epoch-checkpoint")]
    assert any(path.stat().st_size == 0 for path in paths)
    for path in paths:
        lines = path.read_text().splitlines()[2:]
        entries = leader_epoch_checkpoint.read(path).entries
        assert [f"{entry.epoch} {entry.start_offset}" for entry in entries] == lines


@given(st.lists(st.tuples(INT32, INT64)))
def test_a_checkpoint_comes_back(pairs: list[tuple[int, int]]) -> None:
    data = f"0\n{len(pairs)}\n" + "".join(f"{epoch} {offset}\n" for epoch, offset in pairs)
    read = leader_epoch_checkpoint.parse(data.encode())
    assert read.entries == tuple(EpochEntry(*pair) for pair in pairs)
    assert read.to_table().schema == pa.schema([("epoch", pa.int32()), ("startOffset", pa.int64())])
    assert read.to_table().num_rows == len(pairs)


@pytest.mark.parametrize("line", [b"x 0", b"0 x", b"2147483648 0", b"0 9223372036854775808", b"0", b"0 1 2"])
def test_a_malformed_line_is_corrupt(line: bytes) -> None:
    with pytest.raises(CorruptError) as caught:
        leader_epoch_checkpoint.parse(b"0\n2\n0 0\n" + line + b"\n", file="f")
    assert (caught.value.file, caught.value.position) == ("f", 8)
    assert "line 4" in str(caught.value)


def test_read_refuses_what_is_too_large(tmp_path: Path) -> None:
    path = tmp_path / "leader-epoch-checkpoint"
    with path.open("wb") as file:
        file.truncate(1 << 30)
    with pytest.raises(LimitExceededError):
        leader_epoch_checkpoint.read(path)


def test_the_same_bytes_in_two_files_are_parsed_once_and_each_file_is_named() -> None:
    one, other = (leader_epoch_checkpoint.parse(b"0\n1\n5 77\n", file=name) for name in ("one", "other"))
    assert one.entries is other.entries
    assert (one.file, other.file) == ("one", "other")
    for name in ("one", "other"):
        with pytest.raises(CorruptError) as raised:
            leader_epoch_checkpoint.parse(b"0\n1\n5 x\n", file=name)
        assert raised.value.file == name
