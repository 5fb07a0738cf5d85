"""Look-ups equal a walk over everything, whatever the indexes contain, and read few bytes."""

import random
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kafkafmt
from kafkafmt import SourceError
from kafkafmt.files.damage import Damage
from kafkafmt.io.local import LocalLocation
from kafkafmt.logdir import lookup
from kafkafmt.logdir.lookup import RecordTime
from kafkafmt.logdir.time_search import first_record_at
from kafkafmt.logdir.trace import Step
from tests import reads
from tests.logdir.builders import CONTROL, batch, checkpoint, file_name, segment
from tests.logdir.indexed_logs import (
    FLAVOURS,
    Log,
    headers,
    kafka_log,
    read_log,
    write_indexes,
    write_offset_index,
    write_time_index,
)
from tests.reads import KIB
from tests.reference import builder


def require_right_answers(log: Log, every: int = 1) -> list[Step]:
    """Compare every n-th look-up with the walk; return the steps with findings."""
    steps: list[Step] = []
    partition = log.partition
    for offset in log.offsets[::every]:
        assert partition.find_offset(offset, trace=steps.append) == log.place(offset), offset
    for time in log.times[::every]:
        assert partition.find_timestamp(time, trace=steps.append) == log.first_at(time), time
    for each in partition.segments:
        for time in log.times[:: 20 * every]:
            found = (record for path, record in log.records if path.name == each.name and record.timestamp >= time)
            assert first_record_at(each, time, 0) == next(found, None)
    assert partition.find_max_timestamp(trace=steps.append) == log.largest()
    return [step for step in steps if step.finding is not None]


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_answers_through_sound_indexes_are_those_of_the_walk(flavour: str, tmp_path: Path) -> None:
    log = kafka_log(tmp_path, flavour)
    assert all(path.stat().st_size for path in [*log.indexes("index"), *log.indexes("timeindex")])
    assert require_right_answers(log, 5) == []


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_the_largest_timestamp_before_an_end(flavour: str, tmp_path: Path) -> None:
    log = kafka_log(tmp_path, flavour, each=8)
    found = []
    damage: list[Damage] = []
    for _, header in log.batches:
        end = (header.last_offset or 0) + 1
        found.append(log.partition.find_max_timestamp(end=end))
        assert found[-1] == log.largest(end), end
        assert log.partition.find_max_timestamp(end=end, report=damage.append) == found[-1]
    assert found
    assert not damage
    assert log.partition.find_max_timestamp(end=log.batches[0][1].position) is None


def shuffled(data: bytes, slot: int) -> bytes:
    slots = [data[at : at + slot] for at in range(0, len(data), slot)]
    random.Random(3).shuffle(slots)
    return b"".join(slots)


def swapped(data: bytes, slot: int) -> bytes:
    """The entries in reverse order, with the padding unchanged."""
    slots = [data[at : at + slot] for at in range(0, len(data), slot)]
    used = [each for each in slots if any(each)]
    return b"".join(used[::-1] + slots[len(used) :])


DAMAGE: dict[str, Callable[[bytes, int], bytes | None]] = {
    "deleted": lambda _, __: None,
    "emptied": lambda _, __: b"",
    "all zeros": lambda data, _: bytes(len(data)),
    "zeros behind": lambda data, slot: data + bytes(100 * slot),
    "odd zeros behind": lambda data, slot: data + bytes(slot // 2),
    "cut to odd bytes": lambda data, _: data[: len(data) // 2 | 1],
    "cut to whole entries": lambda data, slot: data[: len(data) // 2 // slot * slot],
    "without its first entries": lambda data, slot: data[2 * slot :],
    "every other entry": lambda data, slot: b"".join(data[at : at + slot] for at in range(0, len(data), 2 * slot)),
    "shuffled": shuffled,
    "from end to start": swapped,
    "shifted by a byte": lambda data, _: data[1:] + b"\0",
    "random": lambda data, _: random.Random(7).randbytes(len(data)),
    "zeros inside": lambda data, slot: data[: 2 * slot] + bytes(2 * slot) + data[4 * slot :],
}


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("flavour", FLAVOURS)
@pytest.mark.parametrize("kinds", [("index",), ("timeindex",), ("index", "timeindex")], ids="+".join)
def test_answers_through_damaged_indexes_are_those_of_the_walk(
    damage: str, flavour: str, kinds: tuple[str, ...], tmp_path: Path
) -> None:
    log = kafka_log(tmp_path, flavour)
    for kind in kinds:
        for path in log.indexes(kind):
            content = DAMAGE[damage](path.read_bytes(), 8 if kind == "index" else 12)
            if content is None:
                path.unlink()
            else:
                path.write_bytes(content)
    findings = require_right_answers(log, 17)
    if damage in ("deleted", "odd zeros behind", "from end to start", "random"):
        assert findings


@pytest.mark.parametrize("flavour", FLAVOURS)
@pytest.mark.parametrize("kinds", [("index",), ("timeindex",), ("index", "timeindex")], ids="+".join)
def test_answers_through_the_indexes_of_other_segments_are_those_of_the_walk(
    flavour: str, kinds: tuple[str, ...], tmp_path: Path
) -> None:
    log = kafka_log(tmp_path, flavour)
    for kind in kinds:
        paths = log.indexes(kind)
        content = [path.read_bytes() for path in paths]
        for path, other in zip(paths, content[1:] + content[:1], strict=True):
            path.write_bytes(other)
    assert require_right_answers(log, 17)


@pytest.mark.slow
@given(
    steps=st.lists(st.tuples(st.integers(1, 4), st.integers(0, 3)), min_size=1, max_size=12),
    data=st.binary(max_size=100),
    hints=st.lists(st.tuples(st.integers(-2, 60), st.integers(0, 12), st.just(0) | st.integers(-70, 70))),
)
def test_any_offset_index_gives_the_right_places(
    steps: list[tuple[int, int]], data: bytes, hints: list[tuple[int, int, int]]
) -> None:
    offset, content, positions = 3, [], [0]
    for size, gap in steps:
        content.append(batch(offset, size))
        positions.append(positions[-1] + len(content[-1]))
        offset += size + gap
    with TemporaryDirectory() as directory:
        path = segment(Path(directory), 3, *content)
        log = read_log(Path(directory))
        write_offset_index(path, [(at, positions[n % len(positions)] + beside) for at, n, beside in hints])
        for more in (b"", data):
            path.with_suffix(".index").write_bytes(path.with_suffix(".index").read_bytes() + more)
            assert all(log.partition.find_offset(each) == log.place(each) for each in log.offsets)


# Batches in batches


def test_an_index_that_points_into_records_leads_nobody_astray(tmp_path: Path) -> None:
    inner = [batch(offset, 3, timestamp=500) for offset in (8, 11)]
    for value in (inner[0], b"".join(inner), b"".join([*inner, *inner])):
        outer = [batch(5, 3, timestamp=100), batch(8, 3, value=value, timestamp=200), batch(11, 3, timestamp=300)]
        path = segment(tmp_path, 5, *outer)
        at = outer[1].index(value) + len(outer[0])
        inside = [at + len(inner[0]) * number for number in range(len(value) // len(inner[0]))]
        log = read_log(tmp_path)
        assert len(log.batches) == 3
        write_offset_index(path, [(3 + number, position) for number, position in enumerate(inside)])
        write_time_index(path, [(150, 3)])
        findings = require_right_answers(log)
        assert "the index points into an entry of the log" in {
            step.finding.message for step in findings if step.finding
        }


@pytest.mark.parametrize("large", [False, True])
def test_a_tail_and_a_last_entry_are_of_the_log_where_the_index_points_into_records(
    large: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads.jump_over(monkeypatch, 16)
    monkeypatch.setattr("kafkafmt.files.entry_points._LEAST_RANGE", 16)
    before = [batch(5, 5), *(batch(offset, value=bytes(50_000)) for offset in (10, 11) if large)]
    outer = batch(12, 3, value=batch(30, 3))
    path = segment(tmp_path, 5, *before, outer)
    ends = len(b"".join(before))
    at = ends + outer.index(batch(30, 3))
    write_offset_index(path, [(5, len(before[0])), (9, at)] if large else [(9, at)])
    assert kafkafmt.scan(path, columns=["offset"]).tail(2).read_all()["offset"].to_pylist() == [13, 14]
    last = kafkafmt.Segment(path).last_entry()
    assert last is not None
    assert (last.position, last.last_offset) == (ends, 14)


# Times


def test_a_time_index_that_ends_early_does_not_hide_what_follows(tmp_path: Path) -> None:
    content = [batch(offset, timestamp=time) for offset, time in ((0, 100), (1, 200), (2, 300), (3, 250), (4, 400))]
    path = segment(tmp_path, 0, *content)
    log = read_log(tmp_path)
    at = len(content[0])
    write_offset_index(path, [(1, at), (2, 2 * at), (3, 3 * at)])
    write_time_index(path, [(200, 1), (300, 2)])
    assert require_right_answers(log) == []


WRONG_TIMES = {
    "too early": [(199, 1)],
    "too late": [(201, 1)],
    "of another batch": [(200, 2)],
    "beyond the end": [(300, 99)],
    "less than is before it": [(250, 3)],
    "in a hole": [(300, 3)],
    "going down": [(100, 0), (200, 1), (50, 2), (300, 3)],
}


@pytest.mark.parametrize("wrong", WRONG_TIMES)
def test_a_time_index_that_does_not_fit_the_log_is_found_out(wrong: str, tmp_path: Path) -> None:
    times = {0: 100, 1: 200, 2: 300, 4: 250, 5: 400}
    content = [batch(offset, timestamp=time) for offset, time in times.items()]
    path = segment(tmp_path, 0, *content)
    log = read_log(tmp_path)
    write_offset_index(path, [(1, len(content[0]))])
    write_time_index(path, WRONG_TIMES[wrong])
    findings = require_right_answers(log)
    assert {step.finding.file for step in findings if step.finding} == {file_name(0).replace(".log", ".timeindex")}


def test_the_search_for_a_time_begins_at_the_log_start_offset(tmp_path: Path) -> None:
    for flavour in FLAVOURS:
        log = kafka_log(tmp_path / flavour / "t-0", flavour)
        for start in range(0, max(log.offsets), 31):
            checkpoint(tmp_path / flavour, "log-start-offset-checkpoint", {("t", 0): start})
            partition = kafkafmt.LogDir(tmp_path / flavour)["t", 0]
            for time in log.times[::29]:
                assert partition.find_timestamp(time) == log.first_at(time, start)


def test_where_kafka_gives_up_below_the_log_start_the_next_segments_are_searched(tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 0, batch(0, timestamp=900), batch(1, timestamp=100))
    segment(tmp_path / "t-0", 2, batch(2, timestamp=500))
    checkpoint(tmp_path, "log-start-offset-checkpoint", {("t", 0): 1})
    assert kafkafmt.LogDir(tmp_path)["t", 0].find_timestamp(400) == RecordTime(2, 500, 0)


def test_the_largest_timestamp_is_of_a_record_and_the_first_of_several(tmp_path: Path) -> None:
    empty = builder.batch([], base_offset=4, last_offset_delta=0, base_timestamp=-1, max_timestamp=900)
    lying = builder.wrapper(6, builder.message(0, timestamp=20, magic=1), magic=1, timestamp=950)
    segment(tmp_path / "t-0", 0, batch(0, timestamp=300), batch(1, 3, timestamp=698), empty, lying)
    segment(tmp_path / "t-0", 10, batch(10, timestamp=700, attributes=CONTROL, key=b"\0\0\0\0"), batch(11, timestamp=5))
    partition = kafkafmt.Partition(str(tmp_path / "t-0"))
    assert partition.find_max_timestamp() == RecordTime(3, 700, 0)
    checkpoint(tmp_path, "log-start-offset-checkpoint", {("t", 0): 11})
    assert kafkafmt.LogDir(tmp_path)["t", 0].find_max_timestamp() == RecordTime(3, 700, 0)


def test_a_log_without_times_or_records_has_no_largest(tmp_path: Path) -> None:
    (tmp_path / "empty-0").mkdir()
    segment(tmp_path / "t-0", 0, batch(0, timestamp=-1), builder.message(1, magic=0))
    segment(tmp_path / "u-0", 0, builder.batch([], last_offset_delta=0, base_timestamp=-1, max_timestamp=900))
    for name in ("empty-0", "t-0", "u-0"):
        steps: list[Step] = []
        assert kafkafmt.Partition(str(tmp_path / name)).find_max_timestamp(trace=steps.append) is None
        assert type(steps[-1]).__name__ == "NothingFound"


def test_damage_on_the_way_is_raised_and_what_indexes_pass_over_is_not_read(tmp_path: Path) -> None:
    content = [batch(offset, timestamp=100 * offset) for offset in range(6)]
    size = len(content[0])
    path = segment(tmp_path, 0, content[0], bytes(size), *content[2:])

    def ask() -> list[Callable[[], object]]:
        partition = kafkafmt.Partition(str(tmp_path))  # it is listed once
        return [lambda: partition.find_offset(5), lambda: partition.find_timestamp(450), partition.find_max_timestamp]

    for each in ask():
        with pytest.raises(kafkafmt.CorruptError):
            each()
    damage: list[Damage] = []
    found = kafkafmt.Partition(str(tmp_path)).find_max_timestamp(report=damage.append)
    assert found == RecordTime(5, 500, 0)
    assert {each.position for each in damage} == {size}
    write_offset_index(path, [(3, 3 * size)])
    write_time_index(path, [(300, 3)])
    assert [each() is None for each in ask()] == [False] * 3


# Missing indexes


def test_an_index_that_cannot_be_read_is_told_and_not_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = kafka_log(tmp_path)
    opens = LocalLocation.open

    def refusing(self: LocalLocation) -> object:
        if self.name.endswith("index"):
            raise SourceError("forbidden", file=str(self))
        return opens(self)

    monkeypatch.setattr(LocalLocation, "open", refusing)
    assert {step.finding.message for step in require_right_answers(log, 17) if step.finding} == {"forbidden"}


def test_an_index_that_shrinks_while_it_is_read_is_told_and_not_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = kafka_log(tmp_path)
    opens = LocalLocation.open

    def longer(self: LocalLocation) -> object:
        file = opens(self)
        file.size += 96 * self.name.endswith("index")
        return file

    monkeypatch.setattr(LocalLocation, "open", longer)
    findings = require_right_answers(log, 17)
    assert {step.finding.message for step in findings if step.finding} == {"the file shrank while it was read"}


# Cost


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log file of 1 GiB with its offset index, most of it holes."""
    directory = tmp_path_factory.mktemp("large") / "t-0"
    count, real = 65_536, (range(20_000, 20_004), range(50_000, 50_004), range(65_530, 65_536))
    path = reads.sparse_log(directory / file_name(0), 16 * KIB, count, *real)
    reads.whole_index(path, count)
    return path


@pytest.mark.slow
@pytest.mark.parametrize("number", [20_001, 50_001, 65_533])
def test_an_offset_in_a_gigabyte_costs_some_kilobytes(
    number: int, large: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    partition = kafkafmt.Partition(str(large.parent))
    assert partition.segments[0].size > 1020 * KIB * KIB
    read = reads.record(monkeypatch)
    found = partition.find_offset(10 * number + 3)
    assert found is not None
    assert found.base_offset == 10 * number
    assert sum(map(len, read.values())) <= 20
    assert len(read[large.with_suffix(".index").name]) <= 1 + 8
    assert reads.total(read) < 100 * KIB


@pytest.mark.slow
def test_an_offset_near_the_end_is_found_in_the_warm_section(large: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    partition = kafkafmt.Partition(str(large.parent))
    read = reads.record(monkeypatch)
    assert partition.find_offset(655_333) is not None
    assert read[large.with_suffix(".index").name] == [(large.with_suffix(".index").stat().st_size - 8 * KIB, 8 * KIB)]


def test_a_scan_of_a_narrow_range_begins_where_a_look_up_begins(large: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = reads.record(monkeypatch)
    index = large.with_suffix(".index").name
    kafkafmt.Partition(str(large.parent)).find_offset(200_013)
    of_look_up = read.pop(index)
    read.clear()
    scan = kafkafmt.scan(large.parent, start_offset=200_013, end_offset=200_025, columns=["offset"], engine="reference")
    assert scan.to_table()["offset"].to_pylist() == list(range(200_013, 200_025))
    assert read[index] == of_look_up
    assert reads.total(read) < 200 * KIB


def test_a_time_in_many_segments_costs_little_of_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    number, size = 20, 0
    for at in range(number):
        content = [batch(at * 300 + 3 * each, 3, value=bytes(500), timestamp=at * 10_000 + each) for each in range(100)]
        path = segment(tmp_path, at * 300, *content)
        write_indexes(path, interval=4 * KIB)
        size += path.stat().st_size
    log = read_log(tmp_path)
    read = reads.record(monkeypatch)
    partition = log.partition
    assert partition.find_timestamp(190_050) == log.first_at(190_050)
    assert reads.total(read, ".log") < size // 4
    assert partition.find_max_timestamp() == log.largest()
    assert reads.total(read, ".log") < size // 4


def test_a_trace_is_not_paid_for_by_those_without_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = kafka_log(tmp_path)
    log.indexes("index")[0].unlink()
    log.indexes("index")[1].write_bytes(b"\1" * 80)
    log.indexes("timeindex")[0].unlink()
    write_time_index(log.path / log.partition.segments[1].name, [(20_001, 30)])
    log.indexes("timeindex")[-1].write_bytes(shuffled(log.indexes("timeindex")[-1].read_bytes(), 12))

    def never(self: Step, *_: object, **__: object) -> None:
        raise AssertionError(self)

    for kind in Step.__subclasses__():
        monkeypatch.setattr(kind, "__init__", never)
    partition = log.partition
    for offset in log.offsets[::20]:
        partition.find_offset(offset)
    for time in log.times[::20]:
        partition.find_timestamp(time)
    partition.find_max_timestamp()
    segment(tmp_path / "none", 0, batch(0, timestamp=-1))
    assert kafkafmt.Partition(str(tmp_path / "none")).find_max_timestamp() is None


def test_the_segment_of_an_offset_is_the_last_that_does_not_begin_above_it(tmp_path: Path) -> None:
    for base in (5, 9, 20):
        segment(tmp_path, base)
    found = kafkafmt.Partition(str(tmp_path)).segments
    assert [lookup.floor(found, offset) for offset in (4, 5, 8, 9, 19, 20, 99)] == [-1, 0, 0, 1, 1, 2, 2]
    assert lookup.floor([], 5) == -1


def test_the_indexes_that_these_tests_write_are_like_a_brokers(tmp_path: Path) -> None:
    log = kafka_log(tmp_path)
    for path in sorted(tmp_path.glob("*.log")):
        found = kafkafmt.Segment(path)
        positions = [header.position for header in headers(path.read_bytes())]
        assert len(found.offset_index) > 5
        assert {entry.position for entry in found.offset_index} <= set(positions)
    assert log.partition.segments[-1].time_index.zero_padded_from is not None
