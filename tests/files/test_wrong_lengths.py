"""A batch with a wrong length costs only its own records, in every command; batches inside a value do not count."""

import random
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

import kafkafmt
from kafkafmt.columnar.headers import read_batches
from kafkafmt.files.damage import Damage
from kafkafmt.files.length_check import LengthCheck
from kafkafmt.files.loss import SegmentBounds
from kafkafmt.files.segment_reader import SegmentReader
from kafkafmt.io.base import MemoryFile
from kafkafmt.io.source import locate
from kafkafmt.limits import Limits
from kafkafmt.reference.entry import Entry
from kafkafmt.survey import Options, survey
from kafkafmt.survey.segment_walk import Depth
from tests.columnar.decoding import SLACK
from tests.golden_cases import cluster_case
from tests.reference.builder import R, batch

FIRST = 100
DEPTHS: tuple[Depth, ...] = ("headers", "checksums", "records")


def with_length(entry: bytes, length: int) -> bytes:
    return entry[:8] + struct.pack(">i", length) + entry[12:]


def log(rnd: random.Random, values: Callable[[int], bytes], count: int = 9) -> list[bytes]:
    """Batches of one to four records, from offset 100 on."""
    made, offset = [], FIRST
    for _ in range(count):
        records = [R(offset_delta=number, value=values(offset)) for number in range(rnd.randint(1, 4))]
        made.append(batch(records, base_offset=offset))
        offset += len(records)
    return made


def offsets_of(entry: bytes) -> list[int]:
    base, delta = struct.unpack_from(">q15xi", entry)
    return list(range(base, base + delta + 1))


def answers(partition: Path, *, by_headers: bool = True) -> dict[str, object]:
    """The number of records that each command finds, and which; including commands that read only headers."""
    by: dict[str, object] = {}
    for depth in DEPTHS if by_headers else DEPTHS[1:]:
        found = [one for each in survey(locate(partition), Options(depth=depth)) for one in each.partitions()]
        by[f"ls {depth}"] = sum(one.facts.records or 0 for one in found)
    scan = kafkafmt.scan(partition, on_damage="skip")
    table = scan.to_table()
    by["offsets"] = table["offset"].to_pylist()
    by["scan"] = table.num_rows
    if by_headers:
        by["count"] = scan.count()
        by["batches"] = sum(header.count or 0 for header in scan.batches())
    matches = kafkafmt.open(partition).grep(b"(?s).*", parts=["value"], on_damage="skip")
    by["grep"] = sum(found.num_rows for found in matches.to_reader())
    by["space"] = sum(kafkafmt.open(partition).space(on_damage="skip").to_table()["records"].to_pylist())
    (repaired,) = kafkafmt.repair(partition.parent, None, dry_run=True).partitions.to_pylist()
    by["repair"] = repaired["keptRecords"]
    return by


def assert_costs(tmp_path: Path, entries: list[bytes], damaged: dict[int, bytes], *, by_headers: bool = True) -> None:
    """Require that exactly the records of these batches are lost."""
    partition = tmp_path / "t-0"
    partition.mkdir(exist_ok=True)
    changed = [damaged.get(number, each) for number, each in enumerate(entries)]
    (partition / f"{FIRST:020}.log").write_bytes(b"".join(changed))
    wanted = [offset for number, each in enumerate(entries) if number not in damaged for offset in offsets_of(each)]
    found = answers(partition, by_headers=by_headers)
    assert found.pop("offsets") == wanted
    assert found == dict.fromkeys(found, len(wanted))


TO_THE_END = "ends at the end of the file"
"""If only headers are read, no later offset casts doubt on such a length."""

LENGTHS: dict[str, Callable[[list[bytes], int], int]] = {
    "ends where another begins": lambda entries, at: sum(map(len, entries[at : at + 3])) - 12,
    "ends in another": lambda entries, at: sum(map(len, entries[at : at + 3])) - 30,
    TO_THE_END: lambda entries, at: sum(map(len, entries[at:])) - 12,
    "beyond the file": lambda _, __: 100_000,
    "negative": lambda _, __: -5,
    "zero": lambda _, __: 0,
    "too short": lambda entries, at: len(entries[at]) - 20,
}


@pytest.mark.parametrize("at", [0, 4, 8])
@pytest.mark.parametrize("kind", LENGTHS)
def test_a_wrong_length_costs_its_own_batch(kind: str, at: int, tmp_path: Path) -> None:
    rnd = random.Random(at)
    entries = log(rnd, lambda _: rnd.randbytes(rnd.randint(1, 50)))
    length = LENGTHS[kind](entries, at)
    if length != len(entries[at]) - 12:
        assert_costs(tmp_path, entries, {at: with_length(entries[at], length)}, by_headers=kind != TO_THE_END)


@pytest.mark.parametrize("inner", [0, FIRST, 1_000_000])
@pytest.mark.parametrize("kind", ["flipped", *LENGTHS])
def test_batches_in_a_value_are_a_value(kind: str, inner: int, tmp_path: Path) -> None:
    rnd = random.Random(inner)
    embedded = b"".join(batch([R(value=b"inner")], base_offset=inner + number) for number in range(3))
    entries = log(rnd, lambda _: embedded)
    for at in (0, 4):
        if kind == "flipped":
            changed = entries[at][:-1] + bytes([entries[at][-1] ^ 1])
        else:
            changed = with_length(entries[at], LENGTHS[kind](entries, at))
        assert_costs(tmp_path, entries, {at: changed}, by_headers=kind not in ("flipped", TO_THE_END))


@pytest.mark.parametrize("left", [10, 16, 17, 20, 40, 62])
def test_bytes_that_are_missing_cost_their_own_batch(left: int, tmp_path: Path) -> None:
    entries = log(random.Random(left), lambda _: b"value")
    assert_costs(tmp_path, entries, {5: entries[5][:left]})


def test_two_wrong_lengths_side_by_side(tmp_path: Path) -> None:
    entries = log(random.Random(1), lambda _: b"value")
    changed = {at: with_length(entries[at], sum(map(len, entries[at : at + 3])) - 12) for at in (3, 4)}
    assert_costs(tmp_path, entries, changed)


def flipped(entry: bytes) -> bytes:
    return entry[:-1] + bytes([entry[-1] ^ 1])


@pytest.mark.parametrize("known", range(9))
@pytest.mark.parametrize("gap", [0, 1])
def test_what_follows_a_batch_is_seen_beyond_what_was_read(gap: int, known: int) -> None:
    # The CRC is only computed if an offset gap follows, wherever the bytes read so far end.
    first = flipped(batch([R(value=b"value")], base_offset=FIRST))
    data = first + batch([R(value=b"value")], base_offset=FIRST + 1 + gap)
    read = data[: len(first) + known]
    batches = read_batches(memoryview(read + SLACK), 0, 0, Limits(), end=len(read))
    assert len(batches) == 1
    assert LengthCheck(MemoryFile("0.log", data), None).right(batches, len(read)) == (0 if gap else 1)


KINDS = ("flipped", *(kind for kind in LENGTHS if kind != TO_THE_END))


def damaged_by(kind: str, entries: list[bytes], at: int) -> bytes:
    return flipped(entries[at]) if kind == "flipped" else with_length(entries[at], LENGTHS[kind](entries, at))


@pytest.mark.parametrize("inner", [0, FIRST, FIRST + 12, 1_000_000])
@pytest.mark.parametrize("first", KINDS)
@pytest.mark.parametrize("second", KINDS)
def test_batches_in_the_values_of_two_damaged_ones_are_values(first: str, second: str, inner: int) -> None:
    rnd = random.Random(f"{first}{second}{inner}")
    embedded = b"".join(batch([R(value=b"inner")], base_offset=inner + number) for number in range(3))
    for at in range(8):
        entries = log(rnd, lambda _: embedded)
        both = {at: damaged_by(first, entries, at), at + 1: damaged_by(second, entries, at + 1)}
        damaged = {number: each for number, each in both.items() if each != entries[number]}
        reported: list[Damage] = []
        reader = SegmentReader(
            MemoryFile("0.log", b"".join(damaged.get(number, each) for number, each in enumerate(entries))),
            bounds=SegmentBounds("t", 0, FIRST),
            on_damage="skip",
            report=reported.append,
        )

        def offsets(entry: Entry) -> list[int]:
            entry.verify_checksum()
            return offsets_of(bytes(entry.data))

        sound = [each for number, each in enumerate(entries) if number not in damaged]
        found = [offset for each in reader.walk(offsets) for offset in each]
        assert found == [offset for each in sound for offset in offsets_of(each)]
        assert sum(each.length for each in reported) == sum(map(len, damaged.values()))


@pytest.mark.parametrize("number", [25, 26, 27])
def test_all_sound_records_of_a_cluster_are_found(number: int, tmp_path: Path) -> None:
    case = cluster_case(number)
    nodes = case.unpack(tmp_path)
    changed = {each["path"].rpartition("/")[0] for each in case.jsonl("changes.jsonl") if each["path"].endswith(".log")}
    for path in sorted(changed):
        partition, node = tmp_path / path, path.partition("/")[0]
        topic, _, which = partition.name.rpartition("-")
        (row,) = [
            each for each in case.jsonl("sound.jsonl") if (each["topic"], each["partition"]) == (topic, int(which))
        ]
        wanted = {offset for offset, _, holders in row["must"] if node in holders}
        found = kafkafmt.scan(partition, on_damage="skip").to_table()["offset"].to_pylist()
        assert set(found) == wanted
        kept = kafkafmt.repair(nodes[int(node[1:])], None, dry_run=True, topics=topic).partitions.to_pylist()
        records = len(found)
        assert [each["keptRecords"] for each in kept if (each["topic"], each["partition"]) == (topic, int(which))] == [
            records
        ]
        (surveyed,) = [
            one for each in survey(locate(partition), Options(depth="checksums")) for one in each.partitions()
        ]
        assert surveyed.facts.records == records
        space = kafkafmt.open(partition).space(on_damage="skip").to_table()
        assert sum(space["records"].to_pylist()) == records
