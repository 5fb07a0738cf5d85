"""Offsets that go back, or jump and return: noted by every pass, not damage, and never noted for a sound log."""

import pickle
import struct
from pathlib import Path

import pytest

import kafkafmt
from kafkafmt.errors import OnDamage
from tests.engines import Engine
from tests.golden_cases import Case, cases
from tests.logdir.builders import batch, checkpoint, file_name, offsets, segment
from tests.reference.builder import message, wrapper

CRASHED = [case for case in cases("modern") if case.name.startswith("12-")]
# Partitions with a flipped offset that the broker kept.
FLIPPED = {
    "12-crash-3.9.1": 2,
    "12-crash-4.3.1": 1,
    "damaged-m0-0.8.2.2": 1,
    "damaged-m0-0.9.0.1": 1,
    "damaged-m1-0.10.2.2": 1,
}
NO_CRC = "(no CRC covers offsets)"
SIZES = (5, 3, 4, 2, 6, 1)


def notes(source: object, engine: Engine = "columnar", **scan: object) -> list[str]:
    """Notes of a pass, from the base name of the file on."""
    made = kafkafmt.scan(source, engine=engine, **scan)  # type: ignore[arg-type]
    made.to_table()
    assert all(note.is_finding for note in made.notes)
    return [note.rpartition("/")[2] for note in made.notes]


def log(base: int = 100, *, moved: dict[int, int] | None = None, gaps: int = 0) -> list[bytes]:
    """Batches of `SIZES` records side by side; some of them (by number) with another base offset."""
    batches = []
    offset = base
    for number, count in enumerate(SIZES):
        batches.append(batch((moved or {}).get(number, offset), count))
        offset += count + gaps
    return batches


def begins(batches: list[bytes], number: int) -> int:
    return sum(map(len, batches[:number]))


def should_be(batches: list[bytes], number: int, wrong: int, right: int, name: str = file_name(100)) -> str:
    room = "that is exactly the gap between its neighbours (no CRC covers offsets)"
    return f"{name}: position {begins(batches, number)}: base offset {wrong} should be {right}: {room}"


@pytest.mark.parametrize("case", CRASHED, ids=str)
@pytest.mark.parametrize("on_damage", ["raise", "skip"])
def test_the_batch_whose_offset_was_flipped_is_named_with_its_own_and_all_rows_come(
    case: Case, on_damage: OnDamage, engine: Engine
) -> None:
    (row,) = [each for each in case.jsonl("damage.jsonl") if each["kind"] == "flip-offset"]
    directory, _, name = row["file"].partition("/")
    scan = kafkafmt.scan(case.log_dir / "damaged" / directory, on_damage=on_damage, control_records=True, engine=engine)
    found = scan.to_table().column("offset").to_pylist()
    right = row["batchBaseOffset"]
    wrong = right ^ row["xor"]
    (note,) = scan.notes
    path = case.log_dir / "damaged" / directory / name
    assert note.startswith(f"{path}: position {row['batchPosition']}: base offset {wrong} should be {right}: ")
    assert note.is_finding
    assert scan.damage == []
    whole = kafkafmt.scan(case.log_dir / "original" / directory, control_records=True).to_table()["offset"].to_pylist()
    assert len(found) == len(whole)
    assert set(whole) - set(found) <= set(range(right, right + 10))
    assert scan.count() == len(found)
    assert [*scan.notes] == [note]
    assert len(list(scan.batches())) > 0
    assert [*scan.notes] == [note]


@pytest.mark.parametrize("number", range(len(SIZES)))
@pytest.mark.parametrize("wrong", [5, 70_000, 2**63 - 1 - 2**40, 2**63 - 1])
def test_each_batch_of_a_segment_is_named_wherever_it_jumps(
    tmp_path: Path, engine: Engine, number: int, wrong: int
) -> None:
    right = 100 + sum(SIZES[:number])
    batches = log(moved={number: wrong})
    segment(tmp_path / "t-0", 100, *batches)
    segment(tmp_path / "t-0", 100 + sum(SIZES))
    assert notes(tmp_path, engine) == [should_be(batches, number, wrong, right)]
    assert len(offsets(tmp_path)) == sum(SIZES) + 10


@pytest.mark.parametrize("limit", [1, 2, 3, 5, 20])
@pytest.mark.parametrize("number", range(len(SIZES)))
def test_every_way_of_reading_says_the_same(tmp_path: Path, engine: Engine, number: int, limit: int) -> None:
    batches = log(moved={number: 70_000})
    segment(tmp_path / "t-0", 100, *batches)
    segment(tmp_path / "t-0", 100 + sum(SIZES))
    expected = [should_be(batches, number, 70_000, 100 + sum(SIZES[:number]))]
    scan = kafkafmt.scan(tmp_path, engine=engine, threads=2)
    plan = scan.plan(max_split_bytes=len(batches[0]) * limit // 2)
    reading = pickle.loads(pickle.dumps(plan.reading))
    told: list[str] = []
    for split in plan.splits:
        list(reading.read(split, None, told.append))
    assert [note.rpartition("/")[2] for note in told] == expected
    scan.count()
    assert [note.rpartition("/")[2] for note in scan.notes] == expected
    list(scan.batches())
    assert [note.rpartition("/")[2] for note in scan.notes] == expected
    scan.tail(10_000).read_all()
    assert [note.rpartition("/")[2] for note in scan.notes] == expected


def test_what_is_read_of_a_file_that_is_not_read_to_its_end_is_noted(tmp_path: Path, engine: Engine) -> None:
    segment(tmp_path / "t-0", 100, *log(moved={1: 70_000}))
    scan = kafkafmt.scan(tmp_path, engine=engine)
    assert scan.head(10).read_all().num_rows == 10
    assert len(scan.notes) == 1


def test_bounds_leave_the_batch_out_and_say_why(tmp_path: Path, engine: Engine) -> None:
    batches = log(moved={2: 70_000})
    segment(tmp_path / "t-0", 100, *batches)
    assert notes(tmp_path, engine, start_offset=101, end_offset=118) == [should_be(batches, 2, 70_000, 108)]


def test_one_of_two_is_wrong_where_no_room_says_which(tmp_path: Path, engine: Engine) -> None:
    batches = log(moved={2: 70_000}, gaps=3)
    segment(tmp_path / "t-0", 100, *batches)
    assert notes(tmp_path, engine) == [
        f"{file_name(100)}: position {begins(batches, 3)}: offsets go back from 70003 to 121 (no CRC covers offsets)"
    ]


def test_the_bounds_of_the_segment_count_too(tmp_path: Path, engine: Engine) -> None:
    batches = log(gaps=3)
    segment(tmp_path / "t-0", 100, *batches)
    segment(tmp_path / "t-0", 120)
    segment(tmp_path / "u-0", 101, *batches)
    into_next = f"offsets reach up to 135, but the next segment begins at 120 {NO_CRC}"
    assert notes(tmp_path, engine) == [
        f"{file_name(100)}: position {begins(batches, 5)}: {into_next}",
        f"{file_name(101)}: position 0: offset 100 is below the base offset of the segment, 101 {NO_CRC}",
    ]


def test_very_many_are_counted(tmp_path: Path, engine: Engine) -> None:
    segment(tmp_path / "t-0", 0, *(batch(7) for _ in range(250)))
    found = notes(tmp_path, engine)
    assert len(found) == 101
    assert found[-1].endswith("149 more places where offsets go back (no CRC covers offsets)")


def test_messages_and_wrappers_of_old_formats(tmp_path: Path, engine: Engine) -> None:
    sound = [message(number, magic=1, value=b"v" * 50) for number in range(200)]
    wrong = [*sound[:100], b"\0" * 6 + struct.pack(">H", 900) + sound[100][8:], *sound[101:]]
    inner = b"".join(message(number) for number in range(10))
    segment(tmp_path / "t-0", 0, *sound, *(wrapper(offset, inner) for offset in range(209, 400, 10)))
    assert notes(tmp_path, engine) == []
    segment(tmp_path / "t-0", 0, *wrong, *(wrapper(offset, inner) for offset in range(209, 400, 10)))
    assert notes(tmp_path, engine) == [should_be(wrong, 100, 900, 100, file_name(0))]
    back = [wrapper(209, inner), wrapper(205, inner), wrapper(219, inner)]
    segment(tmp_path / "t-0", 0, *back)
    assert notes(tmp_path, engine) == [
        f"{file_name(0)}: position {len(back[0])}: offsets go back from 209 to 205 (no CRC covers offsets)"
    ]


def test_damage_between_two_batches_names_none_of_them(tmp_path: Path, engine: Engine) -> None:
    batches = log(moved={3: 70_000})
    batches[2] = batches[2][:-1] + b"\1"
    segment(tmp_path / "t-0", 100, *batches)
    (note,) = notes(tmp_path, engine, on_damage="skip")
    assert note.endswith("offsets go back from 70001 to 114 (no CRC covers offsets)")


def test_gaps_replicas_and_starts_inside_a_log_are_no_faults(tmp_path: Path, engine: Engine) -> None:
    for broker in ("a", "b"):
        segment(tmp_path / broker / "t-0", 100, *log(gaps=7))
        segment(tmp_path / broker / "t-0", 1000)
    checkpoint(tmp_path / "a", "log-start-offset-checkpoint", {("t", 0): 115})
    assert notes(tmp_path, engine, replica="all") == []
    assert notes(tmp_path, engine, start_offset=110, end_offset=120) == []
    (tmp_path / "copy.log").write_bytes(b"".join(log()))
    assert notes(tmp_path / "copy.log", engine) == []


def test_an_entry_that_may_be_wrong_itself_names_no_other(tmp_path: Path, engine: Engine) -> None:
    segment(tmp_path / "t-0", 0, batch(5), batch(4), batch(4), batch(6))
    back = "offsets go back from {} to 4 (no CRC covers offsets)"
    assert notes(tmp_path, engine) == [
        f"{file_name(0)}: position {len(batch(0))}: {back.format(5)}",
        f"{file_name(0)}: position {2 * len(batch(0))}: {back.format(4)}",
    ]


@pytest.mark.parametrize("case", cases(), ids=str)
def test_of_what_kafka_wrote_nothing_is_said_and_a_flipped_bit_is_found(case: Case) -> None:
    directories = sorted({path.parent for path in case.files("*.log")})
    assert directories
    named = 0
    for directory in directories:
        scan = kafkafmt.scan(directory, on_damage="skip", below_log_start=True, columns=["offset"])
        scan.to_table()
        notes_of_order = [note for note in scan.notes if "leader epoch" not in note]
        if "flip-offset" in directory.name and notes_of_order:
            (note,) = notes_of_order
            wrong, right = map(int, note.partition("base offset ")[2].partition(":")[0].split(" should be "))
            assert (wrong ^ right).bit_count() == 1
            named += 1
        elif not directory.name.endswith((".negative-offset-0", ".offsets-go-back-0")):
            assert notes_of_order == []
    assert named == FLIPPED.get(case.name, 0)


def test_of_snapshots_of_the_metadata_log_nothing_is_said() -> None:
    snapshots = [path for case in cases("modern") for path in case.files("*.checkpoint")]
    assert len(snapshots) > 10
    for path in snapshots:
        assert notes(path) == []
