"""A scan of a range reads only what it needs, and gives the same rows as a scan that reads everything."""

import struct
from functools import partial
from itertools import accumulate
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kafkafmt
from kafkafmt import ChecksumError, CorruptError, SourceError
from kafkafmt.files import entry_points
from kafkafmt.io.local_file import LocalFile
from kafkafmt.reference.entry import Entry
from kafkafmt.reference.header import BatchHeader
from kafkafmt.scanning.batch_filter import HeaderTrust
from tests import reads
from tests.golden_cases import Case, cases
from tests.logdir.builders import CONTROL, LOG_APPEND_TIME, batch, file_name, offsets, segment
from tests.reads import KIB, MIB, index, sparse_log, whole_index
from tests.reference import builder
from tests.scanning.logs import in_order

pytestmark = pytest.mark.usefixtures("engine")


def eagerly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trust no header and use no index."""
    monkeypatch.setattr(HeaderTrust, "trusts", lambda *_: False)
    monkeypatch.setattr(HeaderTrust, "trusted_first", lambda *_: (0, False))
    monkeypatch.setattr(entry_points, "at_or_before", lambda *_: 0)


# Golden files


def middle(table: pa.Table, low: float, high: float) -> tuple[int, int]:
    found = sorted(table.column("offset").to_pylist())
    return (found[int(low * (len(found) - 1))], found[int(high * (len(found) - 1))]) if found else (0, 0)


def rows_in(case: Case, **wanted: Any) -> pa.Table:
    columns = ["file", "position", "offset", "value"]
    return kafkafmt.scan(
        case.log_dir, columns=columns, replica="all", on_damage="skip", below_log_start=True, **wanted
    ).to_table()


def column_of_ms(case: Case) -> list[int]:
    scan = kafkafmt.scan(case.log_dir, columns=["timestamp"], on_damage="skip")
    times: list[int] = scan.to_table().column("timestamp").cast("int64").to_pylist()
    return times


@pytest.mark.volume
@pytest.mark.parametrize("case", cases(), ids=str)
def test_ranges_of_golden_files_give_what_a_scan_of_everything_gives(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads.jump_over(monkeypatch, 16)
    everything = rows_in(case, control_records=True)
    times = sorted(column_of_ms(case)) or [0]
    ranges: list[dict[str, Any]] = []
    for low, high in ((0.0, 0.3), (0.3, 0.7), (0.5, 0.55), (0.9, 1.0)):
        start, end = (max(offset, 0) for offset in middle(everything, low, high))  # crafted: offsets below 0
        ranges += [{"start_offset": start, "end_offset": end}]
    ranges += [{"start_offset": start}, {"start_timestamp": times[len(times) // 2]}]
    ranges += [{"end_timestamp": times[len(times) // 2], "control_records": True}]
    lazily = [rows_in(case, **wanted) for wanted in ranges]
    with monkeypatch.context() as patched:
        eagerly(patched)
        for wanted, found in zip(ranges, lazily, strict=True):
            expected = rows_in(case, **wanted).to_pylist()
            delivered = {(row["file"], row["position"], row["offset"]) for row in found.to_pylist()}
            missing = [row for row in expected if (row["file"], row["position"], row["offset"]) not in delivered]
            assert found.to_pylist() == [row for row in expected if row not in missing], wanted
            # A batch before the range whose base offset was flipped into it: the index leads past it.
            assert {row["file"].split("/")[1] for row in missing} <= {"crash-flip-offset-0"}, wanted


# What is read

WANTED = [2003, 2004, 2005]


@pytest.fixture
def recorded(monkeypatch: pytest.MonkeyPatch) -> reads.Reads:
    return reads.record(monkeypatch)


def test_a_narrow_range_without_an_index_reads_headers_up_to_it_and_nothing_behind(
    tmp_path: Path, recorded: reads.Reads
) -> None:
    path = sparse_log(tmp_path / "t-0" / file_name(0), MIB, 300, range(200, 201))
    scan = kafkafmt.scan(tmp_path, start_offset=2003, end_offset=2006, columns=["offset"])
    assert scan.to_table().column("offset").to_pylist() == WANTED
    assert max(position for position, _ in recorded[path.name]) < 203 * MIB
    assert reads.total(recorded) < 201 * 5 * KIB + 2 * MIB
    assert scan.count() == 3
    assert reads.total(recorded) < 201 * 5 * KIB + 2 * MIB
    with pytest.raises(ChecksumError):
        offsets(path)


@pytest.mark.parametrize("size", [16 * KIB, MIB])
@pytest.mark.parametrize("padding", [0, 1_250_000])
def test_a_narrow_range_with_an_index_reads_little_more_than_what_holds_it(
    size: int, padding: int, tmp_path: Path, recorded: reads.Reads
) -> None:
    path = sparse_log(tmp_path / "t-0" / file_name(0), size, 400, range(199, 201))
    whole_index(path, 400)
    with path.with_suffix(".index").open("ab") as file:
        file.truncate(8 * 399 + 8 * padding)
    scan = kafkafmt.scan(tmp_path, start_offset=2003, end_offset=2006, columns=["offset"])
    for ask, answer in ((lambda: scan.to_table().num_rows, 3), (scan.count, 3), (lambda: len(list(scan.batches())), 1)):
        assert ask() == answer
        assert sum(length for _, length in recorded[path.name]) < 3 * size + 64 * KIB
        assert sum(length for _, length in recorded[path.with_suffix(".index").name]) < 22 * 64 * KIB
        recorded.clear()


def test_times_outside_are_passed_over_by_headers(tmp_path: Path, recorded: reads.Reads) -> None:
    early, late = (batch(0, 1, value=b"v" * MIB, timestamp=time) for time in (1000, 2000))
    wanted = batch(1, 1, value=b"v", timestamp=3000)
    path = segment(tmp_path, 0, early, b"\0" * 0, wanted, struct.pack(">q", 2) + late[8:])
    assert offsets(path, start_timestamp=2500) == [1]
    assert reads.total(recorded) < 16 * KIB


def test_an_index_that_cannot_be_read_is_none(tmp_path: Path) -> None:
    path = sparse_log(tmp_path / "t-0" / file_name(0), 16 * KIB, 40, range(20, 21))
    found = whole_index(path, 40)
    for spoil in (
        lambda: found.write_bytes(b"\0" * 8),
        lambda: found.write_bytes(b"\xff" * 81),
        found.unlink,
        found.mkdir,
    ):
        spoil()
        assert offsets(tmp_path, start_offset=203, end_offset=206) == [203, 204, 205]


def test_an_index_that_is_cut_while_it_is_read_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = sparse_log(tmp_path / "t-0" / file_name(0), 16 * KIB, 40, range(20, 21))
    found = index(path, padding=100_000)
    readinto_at = LocalFile.readinto_at

    def cutting(self: LocalFile, position: int, buffer: memoryview) -> int:
        if self.name.endswith(".index"):
            found.write_bytes(b"")
        return readinto_at(self, position, buffer)

    monkeypatch.setattr(LocalFile, "readinto_at", cutting)
    assert offsets(tmp_path, start_offset=203, end_offset=206) == [203, 204, 205]


def test_a_file_that_vanishes_between_headers_is_a_source_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = sparse_log(tmp_path / "t-0" / file_name(0), MIB, 4)
    header = Entry.header

    def cutting(self: Entry) -> BatchHeader:
        if self.position:
            raise SourceError("gone")
        return header(self)

    monkeypatch.setattr(Entry, "header", cutting)
    for on_damage in ("raise", "skip"):
        with pytest.raises(SourceError, match="gone"):
            kafkafmt.scan(path, start_offset=35, on_damage=on_damage).to_table()


# Untrustworthy headers


def flipped(data: bytes, at: int, bit: int) -> bytes:
    changed = bytearray(data)
    changed[at] ^= 1 << bit
    return bytes(changed)


LAST_OFFSET_DELTA, MAX_TIMESTAMP, COUNT, ATTRIBUTES = 23, 35, 57, 21


@pytest.mark.parametrize(
    ("at", "bit", "wanted"),
    [
        (LAST_OFFSET_DELTA + 3, 2, {"start_offset": 15}),
        (LAST_OFFSET_DELTA, 7, {"start_offset": 15}),
        (MAX_TIMESTAMP, 7, {"start_timestamp": 1500}),
        (MAX_TIMESTAMP + 6, 2, {"start_timestamp": 1500}),
        (ATTRIBUTES + 1, 5, {}),
        (ATTRIBUTES + 1, 5, {"start_offset": 15}),
        (COUNT + 3, 5, {"start_offset": 30}),
        (ATTRIBUTES, 0, {"start_offset": 30}),
        (ATTRIBUTES + 1, 2, {"start_offset": 15}),
    ],
)
def test_a_flipped_header_that_would_hide_its_batch_is_damage(
    at: int, bit: int, wanted: dict[str, Any], tmp_path: Path
) -> None:
    good = batch(10, 10, timestamp=1500)
    path = segment(tmp_path, 0, batch(0, 10), flipped(good, at, bit), batch(20, 10, timestamp=2000))
    with pytest.raises(ChecksumError):
        offsets(path, **wanted)
    scan = kafkafmt.scan(path, on_damage="skip", **wanted)
    scan.to_table()
    assert [each.position for each in scan.damage] == [len(batch(0, 10))]


@pytest.mark.parametrize("tail", [b"", bytes(5000), bytes(8), b"\1" * 20], ids=["clean", "zeros", "few", "partial"])
@pytest.mark.parametrize("bit", range(5, 11))
@pytest.mark.parametrize("bounds", [{"start_offset": 20}, {"start_timestamp": 2000}], ids=["offsets", "times"])
def test_a_flipped_size_of_a_batch_before_the_range_hides_nothing_behind_it(
    bit: int, bounds: dict[str, Any], tail: bytes, tmp_path: Path
) -> None:
    first, passed_over = batch(0, 10), batch(10, 10, value=b"a" * 20)
    wanted = [batch(number, 10, value=b"b" * 25, timestamp=2000) for number in (20, 30)]
    path = segment(tmp_path, 0, first, flipped(passed_over, 11 - bit // 8, bit % 8), *wanted, tail)
    damage = (len(first), len(passed_over))
    for source in (path, tmp_path):
        with pytest.raises(CorruptError) as error:
            offsets(source, **bounds)
        assert error.value.position == len(first)
        with pytest.raises(CorruptError):
            list(kafkafmt.scan(source, **bounds).batches())
        scan = kafkafmt.scan(source, on_damage="skip", **bounds)
        for read in (scan.to_reader, partial(scan.tail, 99), partial(scan.head, 99)):
            assert read().read_all()["offset"].to_pylist() == list(range(20, 40))
            assert [(each.position, each.length) for each in scan.damage][:1] == [damage]
        assert scan.count(verify_checksums=True) == 20


def test_one_flipped_base_offset_hides_nothing_behind_it(tmp_path: Path) -> None:
    data = [batch(10 * number, 10) for number in range(6)]
    for bit in range(3, 63):
        content = list(data)
        content[2] = (int.from_bytes(data[2][:8], "big") ^ 1 << bit).to_bytes(8, "big") + data[2][8:]
        segment(tmp_path / "t-0", 0, *content)
        segment(tmp_path / "t-0", 60)
        found = offsets(tmp_path, start_offset=5, end_offset=45)
        assert set(found) - set(range(20, 30)) == {*range(5, 20), *range(30, 45)}


def test_older_formats_are_read_to_their_end(tmp_path: Path) -> None:
    path = segment(tmp_path, 0, *(builder.message(offset) for offset in (5, 6, 7, 8, 0, 1)))
    assert offsets(path, end_offset=2) == [0, 1]


def test_a_magic_that_was_flipped_hides_nothing(tmp_path: Path) -> None:
    for number in (0, 1, 2, 3):
        content = [batch(0, 10), flipped(batch(10, 10), 16, number), batch(20, 10)]
        path = segment(tmp_path, 0, *content)
        scan = kafkafmt.scan(path, start_offset=15, on_damage="skip")
        assert scan.to_table().num_rows == 10
        assert [each.position for each in scan.damage] == [len(content[0])]


# Any log


@st.composite
def logs(draw: st.DrawFn) -> tuple[list[bytes], list[tuple[int, int]]]:
    """Entries with ascending offsets, and the first and last offset of each."""
    entries, covered = [], []
    offset = draw(st.integers(0, 3))
    for _ in range(draw(st.integers(1, 12))):
        count = draw(st.integers(1, 5))
        time = 1000 + draw(st.integers(0, 20))
        kind = draw(st.sampled_from(["batch", "batch", "batch", "control", "append", "message", "wrapper", "empty"]))
        if kind == "message":
            count = 1
            entries.append(builder.message(offset, timestamp=time, magic=draw(st.sampled_from([0, 1]))))
        elif kind == "wrapper":
            inner = b"".join(builder.message(number, timestamp=time) for number in range(count))
            entries.append(builder.wrapper(offset + count - 1, inner, timestamp=time))
        elif kind == "empty":
            entries.append(builder.batch([], base_offset=offset, last_offset_delta=count - 1))
        else:
            attributes = {"control": CONTROL, "append": LOG_APPEND_TIME}.get(kind, 0)
            entries.append(batch(offset, count, attributes=attributes, timestamp=time, key=b"\0\0\0\0"))
        covered.append((offset, offset + count - 1))
        offset += count + draw(st.sampled_from([0, 0, 0, 1, 5]))
    return entries, covered


BOUND = st.none() | st.integers(0, 60)


@pytest.mark.slow
@given(
    log=logs(),
    hints=st.none() | st.lists(st.tuples(st.integers(-2, 60), st.integers(0, 12), st.just(0) | st.integers(-30, 30))),
    start=BOUND,
    end=BOUND,
    times=st.tuples(BOUND, BOUND),
    control=st.booleans(),
)
def test_any_range_of_any_log_is_what_a_scan_of_everything_gives_whatever_the_index_says(
    log: tuple[list[bytes], list[tuple[int, int]]],
    hints: list[tuple[int, int, int]] | None,
    start: int | None,
    end: int | None,
    times: tuple[int | None, int | None],
    control: bool,
) -> None:
    entries, covered = log
    positions = [0, *accumulate(map(len, entries))]
    if hints is None:
        pointers = [(last, at) for (_, last), at in zip(covered, positions, strict=False)]
    else:
        pointers = [(offset, positions[number % len(positions)] + beside) for offset, number, beside in hints]
    bounds: dict[str, Any] = {
        "start_timestamp": times[0] and 1000 + times[0] // 3,
        "end_timestamp": times[1] and 1000 + times[1] // 3,
    }
    with TemporaryDirectory() as directory, pytest.MonkeyPatch.context() as patched:
        reads.jump_over(patched, 16)
        patched.setattr(entry_points, "_LEAST_RANGE", 16)
        path = segment(Path(directory), 0, *entries)
        index(path, *pointers)
        bounds = in_order(bounds | {"start_offset": start, "end_offset": end})
        scan = kafkafmt.scan(path, control_records=control, **bounds)
        tables = [scan.to_table(), *(pa.Table.from_batches(scan.tail(count), scan.schema) for count in (0, 1, 4, 99))]
        counted = scan.count(verify_checksums=True)
        eagerly(patched)
        expected = scan.to_table()
    assert tables[0] == expected
    assert counted == expected.num_rows
    for count, table in zip((0, 1, 4, 99), tables[1:], strict=True):
        assert table == expected.slice(max(0, expected.num_rows - count))


@pytest.mark.slow
@given(
    log=logs(), which=st.integers(0, 11), bit=st.integers(0, 62), start=st.integers(0, 60), length=st.integers(1, 20)
)
def test_a_flipped_base_offset_anywhere_loses_nothing_of_other_entries(
    log: tuple[list[bytes], list[tuple[int, int]]], which: int, bit: int, start: int, length: int
) -> None:
    entries, covered = log
    which %= len(entries)
    changed = list(entries)
    changed[which] = (int.from_bytes(entries[which][:8], "big") ^ 1 << bit).to_bytes(8, "big") + entries[which][8:]
    positions = [0, *accumulate(map(len, entries))]
    wanted: dict[str, Any] = {"start_offset": start, "end_offset": start + length, "control_records": True}
    with TemporaryDirectory() as directory, pytest.MonkeyPatch.context() as patched:
        reads.jump_over(patched, 16)
        patched.setattr(entry_points, "_LEAST_RANGE", 16)
        path = segment(Path(directory), 0, *entries)
        index(path, *((last, at) for (_, last), at in zip(covered, positions, strict=False)))
        rows = kafkafmt.scan(path, columns=["position", "offset"], on_damage="skip", **wanted)
        sound = [row for row in rows.to_table().to_pylist() if row["position"] != positions[which]]
        path.write_bytes(b"".join(changed))
        found = rows.to_table().to_pylist()
    assert [row for row in found if row["position"] != positions[which]] == sound
