"""The offsets and records lost by damage: compared with Kafka's reading of damaged files, and for every header bit."""

from pathlib import Path

import pytest

import kafkafmt
from kafkafmt.errors import KafkafmtError
from kafkafmt.files.damage import Damage
from kafkafmt.files.loss import SegmentBounds
from kafkafmt.files.segment_reader import SegmentReader
from kafkafmt.io.base import MemoryFile
from kafkafmt.limits import Limits
from kafkafmt.reference.entry import Entry
from tests.engines import Engine
from tests.golden_cases import Case, cases
from tests.reference.builder import R, batch, message, with_size, wrapper

CRASHED = [case for case in cases("modern") if case.name.startswith("12-")]
Lost = tuple[int | None, int | None, int | None]
HEADER = 61


def of(count: int, offset: int, last_offset_delta: int | None = None) -> bytes:
    records = [R(offset_delta=delta, value=b"some value") for delta in range(count)]
    return batch(records, base_offset=offset, last_offset_delta=last_offset_delta)


A, B, C = of(3, 100), of(3, 103), of(2, 106)


def damage_in(
    data: bytes, *, base: int | None = 100, following: int | None = None, limits: Limits | None = None
) -> list[Damage]:
    """Damage of a segment of orders-3."""
    found: list[Damage] = []
    bounds = SegmentBounds("orders", 3, base, following)
    reader = SegmentReader(MemoryFile("a", data), bounds=bounds, on_damage="skip", report=found.append, limits=limits)

    def decode(entry: Entry) -> None:
        entry.verify_checksum()
        list(entry.records(limits))

    for _ in reader.walk(decode):
        pass
    return found


def lost(data: bytes, *, base: int | None = 100, following: int | None = None, limits: Limits | None = None) -> Lost:
    """Offsets and records lost in the single damage."""
    (found,) = damage_in(data, base=base, following=following, limits=limits)
    assert (found.topic, found.partition) == ("orders", 3)
    return found.first_offset, found.last_offset, found.records


def flipped(data: bytes, bit: int) -> bytes:
    changed = bytearray(data)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


@pytest.mark.parametrize("case", CRASHED, ids=str)
@pytest.mark.parametrize("engine_name", ["columnar", "reference"])
def test_of_a_batch_damaged_on_purpose_the_offsets_and_records_are_those_that_kafka_wrote(
    case: Case, engine_name: Engine
) -> None:
    written = {
        (batch["file"], batch["position"]): (batch["baseOffset"], batch["lastOffset"], batch["count"])
        for batch in case.jsonl("batches.jsonl")
        if batch["file"].startswith("original/")
    }
    in_one_batch = set()
    for row in case.jsonl("damage.jsonl"):
        directory = row["file"].partition("/")[0]
        scan = kafkafmt.scan(case.log_dir / "damaged" / directory, on_damage="skip", engine=engine_name)
        scan.to_table()
        first, last, records = written[f"original/{row['file']}", row["batchPosition"]]
        for each in scan.damage:
            assert (each.topic, each.partition) == (directory.removesuffix("-0"), 0)
            told = (each.first_offset, each.last_offset, each.records)
            if each.length == row["batchSize"] or row["kind"] == "trunc-records":
                in_one_batch.add(row["kind"])
                assert told == (first, last, records), row["kind"]
            elif row["kind"] == "trunc-header":
                # Too little is left of the batch, and the next segment begins where the rest of the log was lost.
                assert told[0] == first
            elif row["kind"] == "garbage-tail":
                log_end = 1 + max(last for (file, _), (_, last, _) in written.items() if row["file"] in file)
                assert told == (log_end, None, None)
            else:
                assert told == (None, None, None), row["kind"]
    assert in_one_batch == {"flip-record", "flip-length", "flip-crc", "bad-magic", "trunc-records", "zero-hole"}


def bits(begin: int = 0) -> list[int]:
    """Bit numbers of a header from a byte on, except the leader epoch, which no CRC covers."""
    return [bit for bit in range(8 * begin, 8 * HEADER) if not 12 <= bit // 8 < 16]


def test_of_a_batch_between_others_every_flipped_bit_of_its_header_leaves_the_offsets_known() -> None:
    for bit in bits(8):
        (each,) = damage_in(A + flipped(B, bit) + C)
        assert (each.position, each.length) == (len(A), len(B))
        assert (each.first_offset, each.last_offset) == (103, 105), bit
        is_covered = bit // 8 >= 17
        assert each.records in ((3, None) if is_covered else (3,)), bit


@pytest.mark.parametrize("base", [100, None])
def test_of_the_last_batch_what_is_said_is_true(base: int | None) -> None:
    for bit in bits(8):
        (each,) = damage_in(A + B + flipped(C, bit), base=base)
        assert each.first_offset in (106, None), bit
        assert each.last_offset in (107, None), bit
        assert each.records in (2, None), bit


def test_of_a_compacted_batch_what_is_said_is_true_or_as_much_as_its_neighbours_tell() -> None:
    kept = of(2, 110, last_offset_delta=9)
    for bit in bits(8):
        (each,) = damage_in(A + flipped(kept, bit) + of(1, 140))
        assert (each.position, each.length) == (len(A), len(kept))
        assert each.records in (2, None), bit
        assert each.first_offset == 110, bit
        assert each.last_offset is not None
        assert 110 <= each.last_offset <= 139, bit


def test_two_lost_batches_cost_what_is_missing_between_their_neighbours() -> None:
    zeroed = bytes(len(B) + 30)
    assert lost(A + zeroed + of(2, 106)[30:] + of(1, 108)) == (103, 107, None)


def test_what_was_put_between_two_batches_costs_nothing() -> None:
    assert lost(A + b"\1" * 200 + B) == (None, None, 0)


def test_the_bounds_of_the_segment_are_neighbours() -> None:
    broken = with_size(A, 5)[:40] + bytes(len(A) - 40)
    assert lost(broken + B) == (100, 102, None)
    assert lost(broken + B, base=None) == (None, 102, None)
    assert lost(A + bytes(50), following=110) == (103, 109, None)
    assert lost(A + bytes(50), following=103) == (None, None, 0)


def test_of_an_entry_cut_off_at_the_end_its_header_says_what_it_costs() -> None:
    assert lost(A + B[:-1]) == (103, 105, 3)
    assert lost(A + B[:40]) == (None, None, None)


@pytest.mark.parametrize("end", [bytes(100), B[:11], B[:40]], ids=["zeros", "no header", "a header begun"])
def test_an_end_that_a_write_may_leave_need_not_cost_anything(end: bytes) -> None:
    assert lost(A + end) == (None, None, None)


def test_garbage_at_the_end_may_cost_all_after_the_batch_before() -> None:
    for text in (b"GET / HTTP/1.1\r\n" * 9, b"\x09" * 90, b"not a batch, but some text\n"):
        (each,) = damage_in(A + text)
        assert (each.reason, each.first_offset, each.last_offset) == ("garbage_tail", 103, None)
        assert lost(text, base=None) == (None, None, None)
    assert lost(A + with_size(B, 2**31 - 1)[:70]) == (103, 105, 3)


def test_a_size_that_claims_too_much_is_wrong_if_the_crc_is_right_without_it() -> None:
    (each,) = damage_in(A + with_size(B, 5000))
    assert (each.reason, each.is_open_end) == ("incomplete_tail", False)
    assert (each.first_offset, each.last_offset, each.records) == (103, 105, 3)


def test_damage_side_by_side_is_measured_by_what_is_known_of_the_first() -> None:
    newer = [bytearray(each) for each in (B, C)]
    for each in newer:
        each[16] = 7
    found = damage_in(A + bytes(newer[0]) + bytes(newer[1]) + of(1, 108))
    assert [(each.first_offset, each.last_offset, each.records) for each in found] == [(103, 105, 3), (106, 107, 2)]


def test_messages_of_old_formats() -> None:
    bad = message(101, crc=1)
    assert lost(message(100) + bad + message(102)) == (101, 101, 1)
    assert lost(message(100) + bad + message(110)) == (101, 101, None)
    inner = b"".join(message(offset) for offset in range(3))
    assert lost(message(100) + wrapper(103, inner, crc=1) + message(104)) == (101, 103, None)
    assert lost(message(100) + bad + wrapper(104, inner)) == (101, 101, None)


def test_a_batch_above_a_limit_costs_its_records() -> None:
    found = damage_in(A + B + C, limits=Limits(max_records_per_batch=2))
    assert [(each.first_offset, each.last_offset, each.records) for each in found] == [(100, 102, 3), (103, 105, 3)]


def test_a_scan_says_of_which_partition_the_damage_is(tmp_path: Path) -> None:
    path = tmp_path / "orders-3" / "00000000000000000100.log"
    path.parent.mkdir()
    path.write_bytes(A + flipped(B, 8 * HEADER + 3) + C)
    scan = kafkafmt.scan(tmp_path, on_damage="skip")
    assert scan.to_table()["offset"].to_pylist() == [100, 101, 102, 106, 107]
    (each,) = scan.damage
    assert (each.topic, each.partition, each.first_offset, each.last_offset, each.records) == ("orders", 3, 103, 105, 3)
    with pytest.raises(KafkafmtError):
        kafkafmt.scan(tmp_path).to_table()


@pytest.mark.parametrize("declared", [2, 5])
def test_a_count_that_the_records_refute_is_not_the_number_lost(declared: int) -> None:
    liar = batch([R(offset_delta=delta) for delta in range(3)], base_offset=103, count=declared)
    assert lost(A + liar + C)[2] is None
