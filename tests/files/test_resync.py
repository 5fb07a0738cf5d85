"""Finding complete entries in garbage: every distance, every size, every bound."""

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kafkafmt
from kafkafmt.codec.checksum import CRC32, CRC32C, crc32, crc32c
from kafkafmt.files import entry_finder
from kafkafmt.files.entry_finder import EntryFinder
from kafkafmt.io.base import MemoryFile
from kafkafmt.io.source import open_file
from kafkafmt.limits import Limits
from kafkafmt.reference.layout import read_frame
from tests.reference.builder import R, batch, message, with_size

NOISE = random.Random(7).randbytes(400_000)
SMALL = {"v0": message(magic=0), "v1": message(magic=1), "v2": batch()}


def quiet(length: int) -> bytes:
    """Bytes without anything that looks like an entry."""
    return b"\xee" * length


def finder(data: bytes, origin: int = 0, limits: Limits | None = None) -> EntryFinder:
    return EntryFinder(MemoryFile("a.log", data), limits or Limits(), origin)


def sized(kind: str, size: int) -> bytes:
    """An entry of exactly `size` bytes filled with noise."""
    value = NOISE[: size - 80]
    entry = batch([R(value=value)]) if kind == "v2" else message(value=value, magic=int(kind[1]))
    padding = size - len(entry)
    if kind == "v2":
        return batch([R(value=value)], payload=bytes(R(value=value)) + bytes(padding))
    return message(value=value, magic=int(kind[1]), trailing=bytes(padding))


@pytest.mark.parametrize("kind", SMALL)
@pytest.mark.parametrize(
    "distance", [0, 1, 2, 4094, 4095, 4096, 4097, 4111, 4112, 4113, 12_287, 12_288, 12_289, 60_000]
)
def test_the_next_entry_is_found_at_any_distance(kind: str, distance: int) -> None:
    data = quiet(distance) + SMALL[kind] + quiet(100)
    assert finder(data).next_entry(0) == distance
    assert finder(data).next_entry(distance) == distance
    assert finder(data).next_entry(distance + 1) == len(data)


@pytest.mark.parametrize("near", range(-20, 20))
def test_the_next_entry_is_found_across_the_bounds_of_windows(near: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entry_finder, "FIRST_WINDOW", 64)
    monkeypatch.setattr(entry_finder, "WINDOW", 128)
    for bound in (64, 192, 320):
        data = quiet(bound + near) + SMALL["v0"]
        assert finder(data).next_entry(0) == bound + near


@pytest.mark.parametrize("size", [1_000, 16_383, 16_384, 16_385, 65_536, 65_537, 200_000])
@pytest.mark.parametrize("kind", SMALL)
@pytest.mark.parametrize("origin", [0, 1, 1_023, 70_000])
def test_entries_of_any_size_are_found_with_crcs_from_any_origin(kind: str, size: int, origin: int) -> None:
    entry = sized(kind, size)
    assert len(entry) == size
    data = quiet(70_001) + entry + SMALL["v1"]
    found = finder(data, origin)
    assert found.valid_at(70_001)
    assert found.next_entry(70_001) == 70_001
    assert found.valid_at(70_001 + size)
    broken = bytearray(data)
    broken[70_001 + size - 1] ^= 1
    found = finder(bytes(broken), origin)
    assert not found.valid_at(70_001)
    assert found.valid_at(70_001 + size)


@given(begin=st.integers(1_000, 350_000), length=st.integers(26, 300_000), origin=st.integers(0, 1_000))
def test_crcs_derived_from_beginnings_are_those_of_the_bytes(begin: int, length: int, origin: int) -> None:
    file = MemoryFile("noise", NOISE)
    end = min(begin + length, len(NOISE))
    for crc, shift in ((crc32, CRC32), (crc32c, CRC32C)):
        beginnings = entry_finder._Beginnings(file, origin, crc, shift)
        assert beginnings.between(begin, end) == crc(NOISE[begin:end])
        # Searched again, with more or less known by now.
        assert beginnings.between(begin // 2 + 500, begin) == crc(NOISE[begin // 2 + 500 : begin])


@pytest.mark.parametrize("length", range(17))
def test_where_no_frame_fits_there_is_no_entry(length: int) -> None:
    data = quiet(5) + bytes(length)
    assert not finder(data).valid_at(5)
    assert finder(data).next_entry(5) == len(data)
    assert not finder(data).valid_at(len(data) + 3)


@pytest.mark.parametrize("magic", [3, 100, 127, -1, -128])
def test_an_entry_of_unknown_magic_ends_a_declared_size_but_is_not_looked_for(magic: int) -> None:
    entry = batch(magic=magic) if magic > 0 else message(magic=magic)
    data = quiet(50) + entry + quiet(9)
    assert finder(data).valid_at(50)
    assert finder(data).next_entry(0) == len(data)


@pytest.mark.parametrize("kind", SMALL)
@pytest.mark.parametrize("size", [-1, 0, 13, 2**31 - 1])
def test_a_size_out_of_bounds_is_no_entry(kind: str, size: int) -> None:
    data = with_size(SMALL[kind], size) + quiet(40)
    assert not finder(data).valid_at(0)
    assert finder(data).next_entry(0) == len(data)


def test_a_batch_shorter_than_its_header_is_none_although_a_message_may_be() -> None:
    short = bytearray(batch())[: 12 + 48]
    short[8:12] = (48).to_bytes(4, "big")
    short[17:21] = crc32c(short[21:]).to_bytes(4, "big")
    assert not finder(bytes(short)).valid_at(0)
    assert finder(message(value=None, magic=0)).valid_at(0)


def test_an_entry_beyond_the_end_of_the_file_or_the_limit_is_none() -> None:
    entry = SMALL["v2"]
    assert not finder(entry[:-1]).valid_at(0)
    # Its CRC is correct, but it is one byte short of its declared size.
    assert not finder(with_size(entry, len(entry) - 12 + 1)).valid_at(0)
    assert finder(entry).valid_at(0)
    assert finder(entry, limits=Limits(max_batch_bytes=len(entry))).next_entry(0) == 0
    assert finder(entry, limits=Limits(max_batch_bytes=len(entry) - 1)).next_entry(0) == len(entry)


def test_an_entry_whose_first_size_byte_is_not_zero_is_found() -> None:
    # 16 MiB and more: the first byte of the size is not 0.
    entry = message(value=bytes(17 << 20), magic=1)
    assert entry[8] == 1
    assert finder(quiet(3) + entry).next_entry(0) == 3


def test_checksums_are_the_stored_and_the_computed_one() -> None:
    for entry in (*SMALL.values(), sized("v1", 20_000), sized("v2", 20_000)):
        data = quiet(10) + entry[:-1] + b"\xaa"
        frame = read_frame(data, 10)
        at, covered = (27, 31) if frame.magic == 2 else (22, 26)
        computed = (crc32c if frame.magic == 2 else crc32)(data[covered:])
        assert finder(data, 10).checksums(10, frame) == (int.from_bytes(data[at : at + 4], "big"), computed)


def test_a_local_file_and_bytes_in_memory_are_searched_alike(tmp_path: Path) -> None:
    data = NOISE[:5_000] + sized("v2", 70_000) + NOISE[:5_000] + sized("v0", 20_000)
    path = tmp_path / "a.log"
    path.write_bytes(data)
    with open_file(path) as file:
        local = EntryFinder(file, Limits(), 0)
        assert [local.next_entry(start) for start in (0, 5_001, 79_999)] == [5_000, 80_000, 80_000]
    memory = finder(data)
    assert [memory.next_entry(start) for start in (0, 5_001, 79_999)] == [5_000, 80_000, 80_000]


@pytest.mark.parametrize("grows", [0, 1000])
@pytest.mark.parametrize("magic", [0, 1])
def test_messages_in_a_damaged_wrapper_are_not_of_the_log(magic: int, grows: int, tmp_path: Path) -> None:
    # As snappy leaves some of them: with a correct CRC, under an arbitrary offset.
    inner = b"snappy" + message(0x726D_0009_01F0_5C14, value=b"inner", magic=magic) + quiet(40)
    damaged = bytearray(message(3, value=inner, magic=magic))
    damaged[12] ^= 1
    damaged[8:12] = (len(damaged) - 12 + grows).to_bytes(4, "big")
    partition = tmp_path / "t-0"
    partition.mkdir()
    (partition / f"{0:020}.log").write_bytes(message(0, magic=magic) + damaged)
    scan = kafkafmt.scan(partition, on_damage="skip")
    assert scan.to_table()["offset"].to_pylist() == [0]
    (partition / f"{4:020}.log").write_bytes(message(4, magic=magic))
    scan = kafkafmt.scan(partition, on_damage="skip")
    assert scan.to_table()["offset"].to_pylist() == [0, 4]
    assert sum(each.length for each in scan.damage) == len(damaged)
