"""Facts that DumpLogSegments shows and consumers do not get: records before a broken one, CRCs of inner messages."""

import pytest

from kafkafmt.codec.compression import Compression
from kafkafmt.errors import CorruptError
from kafkafmt.limits import Limits
from kafkafmt.reference.entry import Entry
from kafkafmt.reference.record import Record
from tests.reference.builder import R, batch, message, wrapper


def readable(data: bytes) -> tuple[list[Record], CorruptError | None]:
    entry = Entry(data, "some.log", 40)
    records: list[Record] = []
    try:
        records.extend(entry.readable_records(entry.header()))
    except CorruptError as error:
        return records, error
    return records, None


@pytest.mark.parametrize(
    "data",
    [batch([R(), R(1)]), batch([R(), R(1)], attributes=Compression.GZIP), wrapper(1, message(0) + message(1))],
    ids=["plain", "gzip", "wrapper"],
)
def test_of_sound_entries_they_are_the_records(data: bytes) -> None:
    records, error = readable(data)
    assert ([record.offset for record in records], error) == ([0, 1], None)


def test_of_an_empty_batch_there_are_none() -> None:
    assert readable(batch([])) == ([], None)


def test_a_single_message_is_one_record() -> None:
    assert [record.offset for record in readable(message(7))[0]] == [7]


@pytest.mark.parametrize(
    ("data", "count"),
    [
        (batch([R(), b"\x06\xff\xff\xff"]), 1),
        (batch([R(), b"\x06\xff\xff\xff"], attributes=Compression.GZIP), 0),
        (wrapper(1, message(0) + wrapper(1, message(0))), 1),
    ],
    ids=["plain", "gzip", "wrapper"],
)
def test_those_before_a_broken_one_are_delivered_unless_kafka_decompresses_first(data: bytes, count: int) -> None:
    records, error = readable(data)
    assert len(records) == count
    assert error is not None
    assert (error.file, error.position) == ("some.log", 40)


def test_crcs_of_inner_messages() -> None:
    checksums = list(Entry(wrapper(2, message(0, crc=5) + message(1, magic=0))).inner_checksums(Limits()))
    assert checksums[0][0] == 5
    assert [str(error)[:12] if error else None for _, error in checksums] == ["CRC mismatch", None]


@pytest.mark.parametrize("data", [batch(), message(), wrapper(0, b"\0" * 20)], ids=["batch", "message", "bad-inner"])
def test_what_is_no_wrapper_has_no_inner_crcs(data: bytes) -> None:
    with pytest.raises(CorruptError) as caught:
        Entry(data, "some.log", 40).inner_checksums()
    assert (caught.value.file, caught.value.position) == ("some.log", 40)
