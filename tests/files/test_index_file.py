"""Slots of index files."""

import struct
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkafmt.files import index_file, offset_index, slots, time_index
from kafkafmt.io.local_file import LocalFile
from kafkafmt.reference.header import to_int64

PAIR = struct.Struct(">ii")


def sequence(count: int) -> index_file.SlotSequence[tuple[int, int]]:
    data = b"".join(PAIR.pack(number, -number) for number in range(count))
    return index_file.SlotSequence(memoryview(data), PAIR, lambda first, second: (first, second))


def test_entries_are_a_sequence() -> None:
    entries = sequence(10)
    assert len(entries) == 10
    assert list(entries) == [(number, -number) for number in range(10)]
    assert entries[0] == (0, 0)
    assert entries[-1] == (9, -9)
    assert entries[2:4] == ((2, -2), (3, -3))
    assert entries[::-4] == ((9, -9), (5, -5), (1, -1))
    assert (3, -3) in entries
    assert entries.index((3, -3)) == 3
    assert repr(entries) == "<10 entries>"
    for index in (10, -11):
        with pytest.raises(IndexError):
            entries[index]


def test_no_entries_are_an_empty_sequence() -> None:
    assert not sequence(0)
    assert list(sequence(0)) == []


@given(st.lists(st.binary(min_size=3, max_size=3)), st.integers(0, 5), st.binary(max_size=2))
def test_the_zeros_at_the_end_are_padding_except_in_the_first_slot(
    written: list[bytes], padding: int, trailing: bytes
) -> None:
    data = b"".join(written) + bytes(3 * padding) + trailing
    found = slots.find_slots(data, 3, len(data))
    assert slots.find_slots(data[: len(data) - len(trailing)].rstrip(b"\0"), 3, len(data)) == found
    contents = [*written, *[bytes(3)] * padding]
    assert found.count == len(contents)
    assert found.trailing_bytes == len(trailing)
    assert all(content == bytes(3) for content in contents[found.used :])
    assert found.used >= min(1, len(contents))
    assert found.used <= 1 or contents[found.used - 1] != bytes(3)


@pytest.mark.parametrize(
    ("name", "base_offset"),
    [
        ("00000000000000000042.index", 42),
        ("00000000000000000042.index.deleted", 42),
        ("09223372036854775807.timeindex", (1 << 63) - 1),
        ("09223372036854775808.index", None),
        ("99999999999999999999.index", None),
        ("0000000000000000042.index", None),
        ("000000000000000000042.index", None),
        ("00000000000000000042", None),
        ("٠٠٠٠٠٠٠٠٠٠٠٠٠٠٠٠٠٠٤٢.index", None),
        ("x.index", None),
        ("", None),
    ],
)
def test_the_base_offset_is_read_from_the_name(name: str, base_offset: int | None) -> None:
    assert index_file.base_offset_of(name) == base_offset


def test_the_base_offset_is_that_of_the_file_not_of_its_directory() -> None:
    assert index_file.base_offset_of(Path("00000000000000000007.dir") / "00000000000000000042.index") == 42
    assert index_file.base_offset_of(Path("00000000000000000007.dir") / "x") is None


@given(st.integers(0, (1 << 63) - 1), st.integers(-(1 << 31), (1 << 31) - 1))
def test_absolute_offsets_of_a_column_wrap_as_those_of_entries(base_offset: int, relative: int) -> None:
    column = index_file.absolute_offsets(pa.array([relative], pa.int32()), base_offset)
    offset = to_int64(base_offset + relative)
    assert column.to_pylist() == [offset]
    assert index_file.below_base_offset(relative, base_offset) == (offset < base_offset)


def test_without_base_offset_there_are_no_absolute_offsets() -> None:
    assert index_file.absolute_offsets(pa.array([1, 2], pa.int32()), None).to_pylist() == [None, None]
    assert index_file.below_base_offset(-1, None)
    assert not index_file.below_base_offset(0, None)


@pytest.mark.parametrize("module", [offset_index, time_index])
@pytest.mark.parametrize("trailing", [0, 3])
@pytest.mark.parametrize("written", [b"", bytes(12) + b"\0\0\0\1" * 30])
def test_an_index_of_which_a_hole_is_not_read_is_that_of_all_its_bytes(
    module: Any, trailing: int, written: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / f"{42:020d}.index"
    with path.open("wb") as file:
        file.write(written)
        file.truncate(24 * 100_000 + trailing)
    whole = module.parse(path.read_bytes(), base_offset=42, file=str(path))
    read = LocalFile.readinto_at
    lengths: list[int] = []

    def counted(file: LocalFile, position: int, buffer: memoryview) -> int:
        lengths.append(len(buffer))
        return read(file, position, buffer)

    monkeypatch.setattr(LocalFile, "readinto_at", counted)
    index = module.read(path)
    if path.stat().st_blocks * 512 < 24 * 50_000:  # otherwise the file system has no sparse files
        assert sum(lengths) < 24 * 10_000
    assert index.entries == whole.entries
    for name in ("entry_count", "zero_padded_from", "trailing_bytes", "file", "base_offset"):
        assert getattr(index, name) == getattr(whole, name)
    assert str(index.sanity_error) == str(whole.sanity_error)
    assert index.to_table().equals(whole.to_table())
