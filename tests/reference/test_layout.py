"""The layout constants in code, against the specs on every golden entry, and the fields that no spec has."""

import struct
from collections.abc import Iterator

import pytest
from kafkafmt_specs.kafka_log_segment import KafkaLogSegment
from kaitaistruct import BytesIO, KaitaiStream

from kafkafmt.codec.checksum import crc32, crc32c
from kafkafmt.errors import ChecksumError
from kafkafmt.reference import layout
from tests.golden_cases import Case, cases
from tests.reference.builder import batch, message


def golden_entries(case: Case) -> Iterator[tuple[bytes, KafkaLogSegment.Entry]]:
    """Bytes of each golden entry that Kafka, too, can read to its end, with what the spec makes of it."""
    unreadable = {
        (row["file"], row["position"])
        for row in case.jsonl("records.jsonl")
        if "keyError" in row or "valueError" in row
    }
    for row in case.jsonl("batches.jsonl"):
        bad_message = row["magic"] < 2 and not row["isValid"]
        if row["magic"] <= 2 and not bad_message and (row["file"], row["position"]) not in unreadable:
            data = (case.log_dir / row["file"]).read_bytes()[row["position"] :][: row["sizeInBytes"]]
            yield data, KafkaLogSegment.Entry(0, KaitaiStream(BytesIO(data)))


@pytest.mark.parametrize("case", cases(), ids=str)
def test_frame_and_crc_of_every_golden_entry_are_where_the_spec_has_them(case: Case) -> None:
    for data, entry in golden_entries(case):
        frame = layout.read_frame(data)
        assert (frame.offset, frame.size, frame.magic) == (entry.base_offset, entry.len_body, entry.magic)
        assert layout.read_size(data) == entry.len_body
        assert frame.size_in_bytes == len(data) == layout.LOG_OVERHEAD + entry.len_body
        assert frame.magic & 0xFF == data[layout.MAGIC_OFFSET]
        assert layout.stored_crc(data, frame.magic) == entry.body.crc
        crc_at, covered_from = layout.crc_span(frame.magic)
        assert struct.unpack_from(">I", data, crc_at) == (entry.body.crc,)
        assert data[covered_from:] == entry.body.crc_input
        computed = (crc32c if frame.magic == 2 else crc32)(entry.body.crc_input)
        if computed == entry.body.crc:
            layout.verify_checksum(data, frame.magic)
        else:
            with pytest.raises(ChecksumError):
                layout.verify_checksum(data, frame.magic)


def test_the_golden_entries_are_of_every_magic() -> None:
    seen = {entry.magic for case in cases("legacy") for _, entry in golden_entries(case)}
    assert {0, 1, 2} <= seen


def test_a_frame_is_read_at_a_position_and_its_numbers_are_signed() -> None:
    data = b"xyz" + struct.pack(">qiIb", -5, -6, 0xFFFFFFFF, -7)
    assert layout.read_frame(data, 3) == (-5, -6, -7)
    assert layout.read_size(data, 3) == -6
    assert layout.read_frame(memoryview(data), 3).size_in_bytes == 6


def test_smallest_sizes_are_those_of_the_smallest_entries() -> None:
    assert layout.smallest_size(0) + layout.LOG_OVERHEAD == len(message(value=None, magic=0))
    assert layout.smallest_size(1) == layout.smallest_size(-1) == layout.smallest_size(0) == layout.RECORD_OVERHEAD_V0
    assert layout.smallest_size(2) + layout.LOG_OVERHEAD == len(batch([])) == layout.RECORD_BATCH_OVERHEAD
    assert layout.smallest_size(3) == layout.smallest_size(2)


@pytest.mark.parametrize("magic", [-128, -1, 0, 1, 2, 3, 127])
def test_any_magic_below_2_has_the_crc_of_a_message_and_any_other_that_of_a_batch(magic: int) -> None:
    good = message(magic=magic) if magic < 2 else batch(magic=magic)
    layout.verify_checksum(good, magic)
    layout.verify_checksum(memoryview(good), magic)
    bad = good[:-1] + bytes([good[-1] ^ 1])
    with pytest.raises(ChecksumError) as caught:
        layout.verify_checksum(bad, magic)
    stored = layout.stored_crc(good, magic)
    assert caught.value.found == f"0x{stored:08x}"
    assert caught.value.expected != caught.value.found
