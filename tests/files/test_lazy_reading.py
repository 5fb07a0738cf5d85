"""Bytes read by a walk: only headers if payloads are large, windows if they are small, none twice."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import kafkafmt
from kafkafmt.errors import KafkafmtError
from kafkafmt.files import read_ahead, segment, segment_reader
from kafkafmt.files.offset_index import RangedOffsetIndex
from kafkafmt.files.read_window import WindowSizes
from kafkafmt.files.segment_reader import SegmentReader
from kafkafmt.io.base import File, MemoryFile
from kafkafmt.io.source import open_file
from kafkafmt.reference.entry import Entry
from tests import reads
from tests.golden_cases import Case, cases
from tests.logdir import builders
from tests.reads import KIB, MIB, sparse_log
from tests.reference.builder import R, batch, message, wrapper

RANDOM = random.Random(7)
LARGE = [
    batch([R(value=RANDOM.randbytes(100 * KIB))], base_offset=1),
    message(2, RANDOM.randbytes(100 * KIB), key=b"k" * 100),
    message(3, RANDOM.randbytes(100 * KIB), magic=0),
    wrapper(4, message(0, RANDOM.randbytes(100 * KIB))),
]


class Counted(MemoryFile):
    """Bytes in memory that record which of them were read."""

    def __init__(self, data: bytes, worth_skipping: int = File.worth_skipping) -> None:
        super().__init__("a.log", data)
        self.worth_skipping = worth_skipping
        self.reads: list[tuple[int, int]] = []

    def readinto_at(self, position: int, buffer: memoryview) -> int:
        count = super().readinto_at(position, buffer)
        self.reads.append((position, count))
        return count

    @property
    def bytes_read(self) -> int:
        return sum(count for _, count in self.reads)


@pytest.mark.parametrize(
    "ask",
    [
        lambda path: len(list(kafkafmt.Segment(path).batches())),
        lambda path: kafkafmt.scan(path).count() // 10,
        lambda path: len(list(kafkafmt.scan(path).batches())),
        lambda path: kafkafmt.Partition(str(Path(path).parent)).find_offset(10**6) or 64,
        lambda path: kafkafmt.Partition(str(Path(path).parent)).find_timestamp(10**6) or 64,
    ],
    ids=["batches", "count", "batches of a scan", "find_offset", "find_timestamp"],
)
def test_what_headers_answer_reads_no_payload(
    ask: Callable[[str], int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    large = sparse_log(tmp_path / "t-0" / builders.file_name(0), MIB, 64)
    small = sparse_log(tmp_path / "u-0" / builders.file_name(0), 16 * KIB, 64)
    recorded = reads.record(monkeypatch)
    assert ask(str(large)) == 64
    assert reads.total(recorded) < 64 * 5 * KIB
    assert ask(str(small)) == 64
    # Reading sequentially costs less than seeking: few reads, each byte once.
    windows = recorded[small.name]
    assert len(windows) < 12
    assert reads.total(recorded) < small.stat().st_size + 5 * KIB


@pytest.mark.parametrize("entry", LARGE, ids=["batch", "v1", "v0", "wrapper"])
def test_a_header_takes_the_first_bytes_of_an_entry(entry: bytes) -> None:
    file = Counted(entry * 5, worth_skipping=16 * KIB)
    headers = list(segment.batches(file))
    assert file.bytes_read == 5 * KIB
    assert headers == list(segment.batches(MemoryFile("a.log", entry * 5), verify_checksums=False))
    expected = [Entry(entry, "a.log", number * len(entry)).header() for number in range(5)]
    assert headers == expected


def test_a_checksum_takes_the_whole_entry_and_reads_nothing_twice() -> None:
    data = b"".join(LARGE * 3)
    file = Counted(data)
    assert [header.is_valid for header in segment.batches(file, verify_checksums=True)] == [True] * 12
    assert file.bytes_read == len(data)
    assert [position for position, _ in file.reads] == sorted(position for position, _ in file.reads)


def test_what_is_asked_for_later_is_read_later() -> None:
    file = Counted(b"".join(LARGE), worth_skipping=KIB)
    entries = list(SegmentReader(file).walk(lambda entry: entry))
    assert file.bytes_read < 4 * 128
    for entry, data in reversed(list(zip(entries, LARGE, strict=True))):
        entry.verify_checksum()
        assert entry.data == data
        assert [record.value for record in entry.records()] == [record.value for record in Entry(data).records()]


def test_windows_grow_while_reading_goes_on_and_begin_small_behind_a_jump() -> None:
    small = batch([R(value=bytes(1000))])
    file = Counted(small * 200 + LARGE[0] + small * 20, worth_skipping=16 * KIB)
    list(segment.batches(file))
    lengths = [length for _, length in file.reads]
    assert lengths[0] == KIB
    assert lengths.index(max(lengths)) > 4
    assert max(lengths) <= MIB
    jump = next(at for at, (position, _) in enumerate(file.reads) if position == len(small) * 200 + len(LARGE[0]))
    assert lengths[jump] == KIB
    assert sum(lengths) < len(small) * 220 + 64 * KIB


def test_windows_are_larger_than_what_is_worth_skipping() -> None:
    small = batch([R(value=bytes(1000))])
    file = Counted(small * 20_000, worth_skipping=MIB)
    list(segment.batches(file))
    # The part of a truncated batch that a window holds is not read again.
    assert 4 * MIB - len(small) < max(length for _, length in file.reads) <= 4 * MIB
    assert len(file.reads) < 12


ENTRIES = st.sampled_from(
    [batch(), batch([R(value=bytes(500))]), message(0), message(1, bytes(300), key=bytes(90)), *LARGE[:1]]
)
ASKED = st.sampled_from(["frame", "header", "checksum", "records"])


@given(
    entries=st.lists(ENTRIES | st.binary(max_size=30), max_size=12),
    asked=st.lists(ASKED, min_size=12, max_size=12),
    worth=st.sampled_from([16, 256, 4 * KIB, 64 * KIB]),
    window=st.sampled_from([64, KIB, MIB]),
)
def test_a_walk_gives_the_same_whatever_is_read_at_once(
    entries: list[bytes], asked: list[str], worth: int, window: int
) -> None:
    data = b"".join(entries)

    def walk(file: File) -> list[object]:
        answers: list[object] = []
        questions = iter(asked)

        def visit(entry: Entry) -> object:
            what = next(questions, "frame")
            if what == "header":
                return entry.header(), entry.is_plausible(entry.header())
            if what == "checksum":
                entry.verify_checksum()
                return None
            return [record.value for record in entry.records()] if what == "records" else entry.frame

        reader = SegmentReader(
            file,
            on_damage="skip",
            report=lambda damage: answers.append((damage.position, damage.length, damage.reason, str(damage.error))),
        )
        for answer in reader.walk(visit):
            answers.append((reader.position, answer))  # noqa: PERF401 (damage is told in between)
        assert reader.position == file.size
        return answers

    with pytest.MonkeyPatch.context() as patched:
        whole = walk(MemoryFile("a.log", data))
        patched.setattr(read_ahead, "_WINDOW", window)
        patched.setattr(segment_reader, "_LARGE", window // 16)
        assert walk(Counted(data, worth)) == whole


def test_a_walk_begins_and_ends_where_it_is_told_to() -> None:
    sizes = [len(each) for each in LARGE]
    reader = SegmentReader(MemoryFile("a.log", b"".join(LARGE)))
    assert list(reader.walk(lambda entry: entry.position, sizes[0], sum(sizes[:3]))) == [sizes[0], sum(sizes[:2])]
    assert reader.position == sum(sizes[:3])
    assert list(reader.walk(lambda entry: entry.position, 0, 1)) == [0]
    assert reader.position == sizes[0]
    assert list(reader.walk(lambda entry: entry.position, sum(sizes))) == []


@pytest.mark.parametrize("case", cases(), ids=str)
def test_lazy_headers_of_golden_files_are_those_of_whole_entries(case: Case) -> None:
    for path in case.files("*.log", "*.log.*", "*.checkpoint"):
        if not path.name[0].isdigit():
            continue
        data = path.read_bytes()
        file = Counted(data, worth_skipping=16)
        try:
            for header in segment.batches(file, name="x"):
                entry = Entry(data[header.position :][: header.size_in_bytes], "x", header.position)
                whole = entry.describe()
                assert (header, str(header.error)) == (whole, str(whole.error))
        except KafkafmtError as error:
            with pytest.raises(type(error)):
                list(segment.batches(MemoryFile("x", data)))


# The last entry


def last_sound_header(file: File, index: RangedOffsetIndex | None = None) -> object:
    return next(iter(segment.last_sound_headers(file, index, 1, name="x")), None)


def last_of_all(file: File) -> object:
    last = None
    for last in segment.sound_headers(file, name="x"):  # noqa: B007 (the last one is wanted)
        pass
    return last


BAD = Path(__file__).parents[1] / "bad_data" / "files"


@pytest.mark.parametrize("path", sorted(BAD.glob("*.log")), ids=lambda path: path.name)
def test_the_last_entry_of_a_bad_file_is_that_of_the_whole_walk(path: Path) -> None:
    with open_file(path) as file:
        for worth in (16, File.worth_skipping):
            file.worth_skipping = worth
            assert last_sound_header(file) == last_of_all(file)


@pytest.mark.parametrize("case", cases(), ids=str)
def test_the_last_entry_is_that_of_the_whole_walk(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kafkafmt.files.entry_points._LEAST_RANGE", 16)
    for worth in (16, 512):
        reads.jump_over(monkeypatch, worth)
        for path in case.files("*.log", "*.log.*"):
            found = kafkafmt.Segment(str(path), file="x")
            with found.open() as file:
                assert found.last_entry() == last_sound_header(file) == last_of_all(file)


LARGE_VALUE = RANDOM.randbytes(100 * KIB)
WRITERS: list[Callable[[int], bytes]] = [
    lambda offset: batch(base_offset=offset),
    lambda offset: batch([R(value=bytes(500))], base_offset=offset),
    message,
    lambda offset: message(offset, bytes(300), key=bytes(90)),
    lambda offset: batch([R(value=LARGE_VALUE)], base_offset=offset),
]


# The bytes in the middle look like the header of an entry.
@example(parts=[WRITERS[3], b"\0\0", WRITERS[4], b"\0"], flips=[], hints=None)
@given(
    parts=st.lists(st.sampled_from(WRITERS) | st.binary(max_size=30), max_size=12),
    flips=st.lists(st.integers(0, 10_000), max_size=3),
    hints=st.none() | st.lists(st.integers(0, 2000), max_size=8),
)
def test_the_last_entry_of_any_bytes_is_that_of_the_whole_walk(
    parts: list[Callable[[int], bytes] | bytes], flips: list[int], hints: list[int] | None
) -> None:
    # Offsets go up: after damage, a batch whose offset is not above those before it may be payload, and the search from
    # the end does not know those.
    data, offsets = bytearray(), set[int]()
    for number, part in enumerate(parts):
        if not isinstance(part, bytes):
            offsets |= {*range(len(data), len(data) + 8)}
        data += part if isinstance(part, bytes) else part(number)
    for flip in flips:
        if data and flip // 8 % len(data) not in offsets:
            data[flip // 8 % len(data)] ^= 1 << flip % 8
    file = Counted(bytes(data), worth_skipping=16)
    index = None
    if hints is not None:
        content = b"".join(number.to_bytes(4, "big") + hint.to_bytes(4, "big") for number, hint in enumerate(hints))
        index = RangedOffsetIndex(MemoryFile("a.index", content), 0)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("kafkafmt.files.entry_points._LEAST_RANGE", 16)
        expected = last_of_all(file)
        assert last_sound_header(file, index) == expected
        patched.setattr(WindowSizes, "visits", lambda _: True)  # as long as loading numpy is not worth it
        assert last_sound_header(file, index) == expected
