"""The walk over a segment: windows, ends, damage and its cost, compared with a naive implementation of the rules."""

import random
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkafmt.errors import (
    ChecksumError,
    CorruptError,
    KafkafmtError,
    LimitExceededError,
    SourceError,
    TruncatedError,
    UnsupportedError,
)
from kafkafmt.files import damage as kinds
from kafkafmt.files import read_ahead, segment
from kafkafmt.files.damage import Damage
from kafkafmt.files.segment_reader import SegmentReader
from kafkafmt.io.base import File, MemoryFile
from kafkafmt.io.source import open_file
from kafkafmt.limits import Limits
from kafkafmt.phrases import sized
from kafkafmt.reference.entry import Entry
from tests.reference.builder import R, batch, framed, message, with_size, wrapper

MIB = 1 << 20
GOOD = [message(0, magic=0), message(1), batch(base_offset=2), wrapper(5, message(0) + message(1)), batch([])]
ONE = batch([R(value=b"12345")], base_offset=7)
OnDamage = Literal["raise", "skip"]
Walked = tuple[list[int], list[tuple[int, int, str]], KafkafmtError | None]


def decode(entry: Entry) -> int:
    entry.verify_checksum()
    list(entry.records())
    return entry.position


def walk(
    data: bytes | File,
    on_damage: OnDamage = "skip",
    *,
    may_end_open: bool = True,
    limits: Limits | None = None,
    visit: Callable[[Entry], int] = decode,
) -> Walked:
    """Positions delivered, damage reported, and the error that ended the walk."""
    file = data if isinstance(data, File) else MemoryFile("a.log", data)
    damage: list[Damage] = []
    reader = SegmentReader(
        file, name="a", limits=limits, on_damage=on_damage, may_end_open=lambda: may_end_open, report=damage.append
    )
    found: list[int] = []
    error = None
    try:
        for position in reader.walk(visit):
            found.append(position)  # noqa: PERF402 (what came before an error counts)
    except KafkafmtError as ended:
        error = ended
    for each in damage:
        assert (each.file, each.error.file, each.error.position) == ("a", "a", each.position)
        assert (each.error.__traceback__, each.error.__context__) == (None, None)
    return found, [(each.position, each.length, each.reason) for each in damage], error


def positions(*entries: bytes) -> list[int]:
    return [sum(map(len, entries[:number])) for number in range(len(entries))]


def flipped(entry: bytes, at: int = -1) -> bytes:
    changed = bytearray(entry)
    changed[at] ^= 1
    return bytes(changed)


# Sound entries with rising offsets, between arbitrary bytes


def is_sound(data: bytes) -> bool:
    """Whether these bytes are one complete entry with a correct CRC and readable records."""
    try:
        entry = Entry(data)
        if entry.frame.size_in_bytes != len(data):
            return False
        decode(entry)
    except KafkafmtError:
        return False
    return True


def has_valid_entry(data: bytes, at: int) -> bool:
    size = struct.unpack_from(">i", data, at + 8)[0] if len(data) - at >= 26 else 0
    if not 14 <= size <= len(data) - at - 12:
        return False
    try:
        Entry(data[at : at + 12 + size]).verify_checksum()
    except KafkafmtError:
        return False
    return True


PIECES = st.sampled_from(GOOD) | st.builds(
    lambda entry, at, bit: (
        entry[: at % len(entry)] + bytes([entry[at % len(entry)] ^ 1 << bit]) + entry[at % len(entry) + 1 :]
    ),
    st.sampled_from(GOOD),
    st.integers(0, 200),
    st.integers(0, 7),
)
GARBAGE = (
    st.binary(max_size=40)
    | st.integers(0, 40).map(bytes)
    | st.builds(lambda entry, end: entry[:end], st.sampled_from(GOOD), st.integers(0, 60))
    | st.builds(with_size, st.sampled_from(GOOD), st.integers(-20, 400))
    | st.sampled_from([batch(magic=3), batch(count=9), message(attributes=5), batch(attributes=6)])
)


@given(pieces=st.lists(PIECES | GARBAGE, max_size=8))
def test_every_sound_entry_is_found_whatever_lies_between(pieces: list[bytes]) -> None:
    # No CRC covers the offset. Its first bytes must not complete a truncated entry before it.
    entries = [
        ((0x5AA5 << 48) + 9 * number).to_bytes(8, "big") + piece[8:] if len(piece) > 17 else piece
        for number, piece in enumerate(pieces)
    ]
    data = b"".join(entries)
    found, damage, error = walk(data)
    assert error is None
    starts = positions(*entries)
    assert found == [at for at, entry in zip(starts, entries, strict=True) if is_sound(entry)]
    # Nothing is lost silently: delivered entries and damage together cover the file.
    whole = sorted([(at, 12 + struct.unpack_from(">i", data, at + 8)[0]) for at in found] + [d[:2] for d in damage])
    assert sum(length for _, length in whole) == len(data)
    assert [at for at, _ in whole] == positions(*(b"x" * length for _, length in whole))


def is_open(damage: tuple[int, int, str], data: bytes) -> bool:
    """Whether damage is a torn tail, which ends a walk without an error: garbage must declare an entry's size."""
    at, _, reason = damage
    return reason in kinds.TAILS and (reason != kinds.GARBAGE_TAIL or struct.unpack_from(">i", data, at + 8)[0] >= 14)


@given(pieces=st.lists(PIECES | GARBAGE, max_size=6), may_end_open=st.booleans())
def test_raising_ends_at_the_first_damage_that_skipping_reports(pieces: list[bytes], may_end_open: bool) -> None:
    data = b"".join(pieces)
    skipped, damage, _ = walk(data, may_end_open=may_end_open)
    assert (skipped, damage) == walk(data)[:2]
    bad = [d for d in damage if not (may_end_open and is_open(d, data))]
    found, reported, error = walk(data, "raise", may_end_open=may_end_open)
    if bad:
        assert error is not None
        assert (error.file, error.position) == ("a", bad[0][0])
        assert found == [at for at in skipped if at < bad[0][0]]
        assert reported == []
    else:
        assert (found, reported, error) == (skipped, damage, None)


# Ends of a file


def test_a_file_of_whole_entries_is_read_to_its_end_without_a_word() -> None:
    for mode in ("raise", "skip"):
        for may_end_open in (True, False):
            assert walk(b"".join(GOOD), mode, may_end_open=may_end_open) == (positions(*GOOD), [], None)
    assert walk(b"") == ([], [], None)


TAILS = {
    "one zero": (b"\0", "zero_tail"),
    "17 zeros": (bytes(17), "zero_tail"),
    "18 zeros": (bytes(18), "zero_tail"),
    "many zeros": (bytes(2 * MIB + 5), "zero_tail"),
    "one byte": (b"\1", "incomplete_tail"),
    "17 bytes with a size of 0": (b"\1" * 8 + bytes(9), "incomplete_tail"),
    "17 bytes with a size below 14": (with_size(b"\1" * 17, 13), "incomplete_tail"),
    "17 bytes with a negative size": (b"\xff" * 17, "incomplete_tail"),
    "all but the last byte": (ONE[:-1], "incomplete_tail"),
    "18 bytes of an entry": (ONE[:18], "incomplete_tail"),
    "a huge size": (with_size(ONE, 2**31 - 1), "garbage_tail"),
    "a magic that is none": (ONE[:16] + b"\x09" + ONE[17:-1], "garbage_tail"),
}


@pytest.mark.parametrize(("tail", "reason"), TAILS.values(), ids=TAILS)
def test_an_open_end_is_reported_in_a_last_segment_and_raised_in_an_earlier_one(tail: bytes, reason: str) -> None:
    data = ONE + tail
    expected = [(len(ONE), len(tail), reason)]
    assert walk(data, "raise") == walk(data, "skip") == walk(data, "skip", may_end_open=False) == ([0], expected, None)
    found, damage, error = walk(data, "raise", may_end_open=False)
    assert (found, damage) == ([0], [])
    assert error is not None
    assert (error.file, error.position) == ("a", len(ONE))
    assert isinstance(error, TruncatedError) == (reason == "incomplete_tail")
    assert error.found == sized(len(tail))


def test_zeros_in_front_of_anything_else_are_damage() -> None:
    data = ONE + bytes(100) + ONE
    assert walk(data) == ([0, len(ONE) + 100], [(len(ONE), 100, "corrupt")], None)
    _, _, error = walk(data, "raise")
    assert error is not None
    assert "size of the entry is 0" in error.message
    nothing_follows = ONE + bytes(5000) + b"\1"
    assert walk(nothing_follows) == ([0], [(len(ONE), 5001, "garbage_tail")], None)


def test_a_size_beyond_the_end_is_damage_where_a_whole_entry_follows() -> None:
    bad = with_size(ONE, 5000)
    data = ONE + bad + ONE
    assert walk(data) == ([0, 2 * len(ONE)], [(len(ONE), len(ONE), "corrupt")], None)
    _, _, error = walk(data, "raise")
    assert error is not None
    assert (error.position, error.message) == (len(ONE), f"no batch here: the next one begins at {2 * len(ONE)}")


@pytest.mark.parametrize("size", [13, 1, -1, -(2**31)])
def test_a_size_too_small_is_damage_up_to_the_next_entry(size: int) -> None:
    data = ONE + with_size(ONE, size) + ONE
    assert walk(data) == ([0, 2 * len(ONE)], [(len(ONE), len(ONE), "corrupt")], None)
    _, _, error = walk(data, "raise")
    assert error is not None
    assert (error.expected, error.found) == ("at least 14", size)


# Where to continue


def test_a_bad_entry_is_skipped_by_its_size_where_a_valid_one_or_the_end_follows() -> None:
    assert walk(flipped(ONE) + ONE)[:2] == ([len(ONE)], [(0, len(ONE), "checksum")])
    assert walk(flipped(ONE)) == ([], [(0, len(ONE), "checksum")], None)
    newer = batch(magic=3)
    bad = [(0, len(ONE), "checksum"), (len(ONE), len(newer), "unsupported")]
    assert walk(flipped(ONE) + newer) == ([], bad, None)


def test_a_valid_entry_inside_a_bad_one_counts_only_if_none_follows_it() -> None:
    outer = batch([R(value=ONE)], crc=1)
    inside = outer.index(ONE)
    assert walk(outer + ONE)[:2] == ([len(outer)], [(0, len(outer), "checksum")])
    assert walk(outer)[:2] == ([], [(0, len(outer), "checksum")])
    found, damage, _ = walk(outer + b"\xff" * 30)
    assert found == [inside]
    assert damage[0] == (0, inside, "checksum")


def test_the_search_begins_one_byte_behind_a_bad_entry() -> None:
    assert walk(b"\0" + ONE) == ([1], [(0, 1, "corrupt")], None)
    assert walk(b"\xff" + ONE) == ([1], [(0, 1, "corrupt")], None)


def test_two_bad_entries_in_a_row_are_one_damage() -> None:
    data = flipped(ONE) + flipped(GOOD[2]) + ONE
    length = len(ONE) + len(GOOD[2])
    assert walk(data) == ([length], [(0, length, "checksum")], None)


def test_each_kind_of_error_of_a_visit_is_damage_with_its_reason() -> None:
    cases = [
        (batch(magic=3), "unsupported"),
        (batch(attributes=6), "unsupported"),
        (batch(count=9), "corrupt"),
        (framed(0, b"\x8a\x2f\x0e\x36\1\0" + b"\xff" * 8), "checksum"),
        (batch(payload=b"\x7e\0\0\0\0\0\0"), "truncated"),
    ]
    for bad, reason in cases:
        assert walk(ONE + bad + ONE) == ([0, len(ONE + bad)], [(len(ONE), len(bad), reason)], None)


def test_an_entry_above_the_limit_is_skipped_by_its_size() -> None:
    large = batch([R(value=bytes(1000))])
    limits = Limits(max_batch_bytes=len(large) - 1)
    data = ONE + large + ONE
    assert walk(data, limits=limits) == ([0, len(ONE + large)], [(len(ONE), len(large), "limit_exceeded")], None)
    _, _, error = walk(data, "raise", limits=limits)
    assert isinstance(error, LimitExceededError)
    assert (error.expected, error.found) == (len(large) - 1, len(large))
    assert walk(data, limits=Limits(max_batch_bytes=len(large)))[1:] == ([], None)


def test_a_bad_entry_in_front_of_an_open_end_is_damage_to_the_end() -> None:
    assert walk(flipped(ONE) + bytes(30)) == ([], [(0, len(ONE) + 30, "checksum")], None)


def test_large_bad_entries_that_overlap_are_not_read_again_and_again() -> None:
    # Each bad entry declares 100 KB and precedes a good one; only the checksum, derived or computed, shows it.
    bad = with_size(batch(crc=1)[:61], 100_000)
    large = batch([R(value=random.Random(3).randbytes(80_000))])
    data = (bad + ONE) * 8 + large + large[:-1] + b"\xaa" + ONE + bytes(90_000)
    found, damage, error = walk(data)
    step = len(bad + ONE)
    assert error is None
    assert found[:9] == [*(number * step + len(bad) for number in range(8)), 8 * step]
    assert found[9:] == [8 * step + 2 * len(large)]
    assert damage[:8] == [(number * step, len(bad), "checksum") for number in range(8)]
    assert damage[8:] == [
        (8 * step + len(large), len(large), "checksum"),
        (8 * step + 2 * len(large) + len(ONE), 90_000, "zero_tail"),
    ]
    # Checking every byte naively would take minutes; each skipped position is checked against the exact rule.
    for position, length, reason in damage:
        if reason == "checksum":
            assert has_valid_entry(data, position + length)
            assert not has_valid_entry(data, position)


# Windows


@pytest.mark.parametrize("short", [*range(-2, 30), 60, 61, 62, 100])
def test_an_entry_at_any_place_around_the_end_of_a_window_is_whole(short: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read_ahead, "_WINDOW", 1024)
    first = batch([R(value=bytes(1024 - short - 72))])
    data = first + ONE + message(9) + ONE
    assert abs(1024 - short - len(first)) <= 3
    assert walk(data, "raise") == (positions(first, ONE, message(9), ONE), [], None)


@pytest.mark.parametrize("size", [MIB - 100, MIB, MIB + 1, 3 * MIB])
def test_files_and_entries_larger_than_the_window_are_read_alike_from_disk_and_memory(
    size: int, tmp_path: Path
) -> None:
    large = batch([R(value=random.Random(5).randbytes(size))])
    entries = [ONE, large, ONE, message(3, bytes(size)), ONE]
    data = b"".join(entries)
    path = tmp_path / "a.log"
    for content in (data, data[: len(data) - len(ONE) - 5], flipped(data, len(ONE) + 300)):
        path.write_bytes(content)
        with open_file(path) as file:
            assert walk(file) == walk(content)
    assert walk(data) == (positions(*entries), [], None)
    assert walk(flipped(data, len(ONE) + 300))[1] == [(len(ONE), len(large), "checksum")]


# Errors that are never skipped


class Shrinking(MemoryFile):
    """A file that becomes shorter while it is read."""

    def readinto_at(self, position: int, buffer: memoryview) -> int:
        if position + len(buffer) > 150:
            raise SourceError("the file shrank while it was read")
        return super().readinto_at(position, buffer)


@pytest.mark.parametrize("mode", ["raise", "skip"])
def test_a_source_error_is_never_skipped(mode: OnDamage) -> None:
    _, damage, error = walk(Shrinking("a.log", ONE * 3), mode)
    assert isinstance(error, SourceError)
    assert damage == []

    def fail(_: Entry) -> int:
        raise SourceError("gone")

    assert isinstance(walk(ONE, mode, visit=fail)[2], SourceError)


@pytest.mark.parametrize(
    "ask",
    [segment.valid_bytes, lambda file: list(segment.batches(file)), lambda file: list(segment.sound_headers(file))],
)
def test_every_walk_passes_a_source_error_on(ask: Callable[[File], object]) -> None:
    with pytest.raises(SourceError):
        ask(Shrinking("a.log", ONE * 3))


def test_a_mode_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="on_damage must be 'raise' or 'skip', not 'ignore'"):
        SegmentReader(MemoryFile("a.log", b""), on_damage="ignore")  # type: ignore[arg-type]


def test_other_exceptions_of_a_visitor_pass_through() -> None:
    def fail(_: Entry) -> int:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        walk(ONE, visit=fail)


# Functions built on the walk


def test_batches_lists_invalid_entries_as_kafka_does() -> None:
    bad = flipped(ONE)
    newer = batch(magic=3)
    data = MemoryFile("a.log", ONE + bad + newer + ONE)
    shallow = list(segment.batches(data))
    assert [header.position for header in shallow] == positions(ONE, bad, newer, ONE)
    assert {header.file for header in shallow} == {"a.log"}
    checked = list(segment.batches(data, name="b", verify_checksums=True))
    assert [header.is_valid for header in checked] == [True, False, False, True]
    assert [type(header.error) for header in checked[1:3]] == [ChecksumError, UnsupportedError]
    assert {header.file for header in checked} == {"b"}


def test_batches_looks_into_wrappers_only_if_asked() -> None:
    file = MemoryFile("a.log", GOOD[3])
    assert [(h.base_offset, h.count) for h in segment.batches(file)] == [(None, None)]
    assert [(h.base_offset, h.count) for h in segment.batches(file, deep=True)] == [(4, 2)]
    (header,) = segment.batches(file, deep=True, limits=Limits(max_records_per_batch=1))
    assert isinstance(header.error, LimitExceededError)


def test_batches_raises_where_a_size_is_broken() -> None:
    walked = segment.batches(MemoryFile("a.log", ONE + with_size(ONE, 3)))
    next(walked)
    with pytest.raises(CorruptError) as caught:
        next(walked)
    assert caught.value.position == len(ONE)


def test_records_are_those_of_all_entries_up_to_the_first_damage() -> None:
    found = segment.records(MemoryFile("a.log", ONE + GOOD[3] + flipped(ONE)), name="b")
    assert [next(found).offset for _ in range(3)] == [7, 4, 5]
    with pytest.raises(ChecksumError) as caught:
        next(found)
    assert (caught.value.file, caught.value.position) == ("b", len(ONE) + len(GOOD[3]))
    with pytest.raises(LimitExceededError):
        list(segment.records(MemoryFile("a.log", GOOD[3]), limits=Limits(max_records_per_batch=1)))


def test_sound_headers_are_those_of_valid_entries_of_any_format() -> None:
    entries = [ONE, flipped(ONE), batch(magic=3), b"\xff" * 40, ONE]
    found = segment.sound_headers(MemoryFile("a.log", b"".join(entries)), name="b")
    assert [(header.position, header.file) for header in found] == [
        (0, "b"),
        (positions(*entries)[2], "b"),
        (positions(*entries)[4], "b"),
    ]


@pytest.mark.parametrize(
    ("data", "kept", "kind"),
    [
        (b"", 0, None),
        (ONE + ONE, 2 * len(ONE), None),
        (ONE + batch(magic=3), len(ONE) + len(batch(magic=3)), None),
        (ONE + batch(count=9), len(ONE) + len(batch(count=9)), None),
        (ONE + flipped(ONE) + ONE, len(ONE), ChecksumError),
        (ONE + with_size(ONE, 3), len(ONE), CorruptError),
        (ONE + ONE[:-1], len(ONE), TruncatedError),
        (ONE + bytes(50), len(ONE), CorruptError),
        (with_size(ONE[:60], 48), 0, CorruptError),
    ],
)
def test_valid_bytes_end_where_recovery_would_cut(data: bytes, kept: int, kind: type[KafkafmtError] | None) -> None:
    found, error = segment.valid_bytes(MemoryFile("a.log", data), name="b")
    assert found == kept
    assert (None if error is None else type(error)) is kind
    if error is not None:
        assert (error.file, error.position, error.__traceback__) == ("b", kept, None)


def test_a_memory_file_reads_as_a_file_does_and_its_bytes_outlive_it() -> None:
    with MemoryFile("a.log", b"0123456789") as file:
        assert (file.name, file.size) == ("a.log", 10)
        assert (file.read_at(3, 4), file.read_at(8, 9), file.read_at(99, 1)) == (b"3456", b"89", b"")
    assert file.read_at(0, 2) == b"01"


@pytest.mark.parametrize("tail", [b"", bytes(60), ONE[:-1], with_size(ONE, 3)], ids=["whole", "zeros", "cut", "broken"])
def test_a_whole_segment_is_parsed_from_bytes_as_from_disk(tail: bytes, tmp_path: Path) -> None:
    data = ONE + flipped(ONE) + GOOD[3] + tail
    path = tmp_path / "00000000000000000007.log"
    path.write_bytes(data)
    read, parsed = segment.read(path), segment.parse(data, file=str(path))
    assert tuple(read) == tuple(parsed) == read.entries
    assert [header.is_valid for header in read] == [True, False, True]
    assert {header.file for header in read} == {str(path)}
    assert str(read.error) == str(parsed.error)
    assert (read.error is None) == (tail == b"")
    table = read.to_table()
    assert table.num_rows == len(read) == 3
    assert {header.file for header in segment.parse(data)} == {None}


def test_a_segment_that_cannot_be_read_is_a_source_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SourceError):
        segment.read(tmp_path / "missing.log")
    monkeypatch.setattr(segment, "open_file", lambda *_: Shrinking("a.log", ONE * 3))
    with pytest.raises(SourceError):
        segment.read("a.log")
