"""An entry: its checksum, its header, and what `describe` says instead of raising."""

import dataclasses
import struct

import pytest

from kafkafmt.codec.compression import Compression
from kafkafmt.errors import (
    ChecksumError,
    CorruptError,
    KafkafmtError,
    LimitExceededError,
    SourceError,
    TruncatedError,
    UnsupportedError,
)
from kafkafmt.limits import Limits
from kafkafmt.reference import message as message_module
from kafkafmt.reference import record_batch
from kafkafmt.reference.entry import Entry, without_traceback
from kafkafmt.reference.header import BatchHeader
from kafkafmt.reference.layout import HEADER_SIZE_UP_TO_MAGIC, RECORD_BATCH_OVERHEAD
from kafkafmt.reference.record import Record
from tests.golden_cases import Case, cases
from tests.reference.builder import CONTROL, LOG_APPEND_TIME, TRANSACTIONAL, R, batch, framed, message, wrapper

TOO_SHORT_V1 = framed(3, struct.pack(">IbB", 0, 1, 0) + b"\xff" * 8)
WRAPPER = wrapper(9, message(0) + message(1))


@pytest.mark.parametrize("data", [message(magic=0), message(), message(magic=-1), batch(), batch(magic=3), WRAPPER])
def test_the_checksum_of_any_magic_is_verified_as_the_broker_does(data: bytes) -> None:
    Entry(data).verify_checksum()
    with pytest.raises(ChecksumError) as caught:
        Entry(data[:-1] + bytes([data[-1] ^ 0x80]), "a.log", 77).verify_checksum()
    assert (caught.value.file, caught.value.position) == ("a.log", 77)


def test_bytes_that_no_checksum_covers_may_change() -> None:
    Entry(b"\xff" * 8 + batch()[8:12] + b"\xff" * 4 + batch()[16:]).verify_checksum()
    Entry(b"\xff" * 8 + message()[8:]).verify_checksum()


def test_a_wrong_checksum_is_told_before_what_it_may_have_broken() -> None:
    sound, wrong = batch(count=-1), batch(count=-1, crc=1)
    for data, verify, expected in (
        (sound, True, CorruptError),
        (sound, False, CorruptError),
        (wrong, True, ChecksumError),
        (wrong, False, CorruptError),
    ):
        with pytest.raises(CorruptError) as caught:
            Entry(data, "a.log", 77).checked_header(verify_checksum=verify)
        assert type(caught.value) is expected
        assert (caught.value.file, caught.value.position) == ("a.log", 77)
    assert Entry(batch(crc=1)).checked_header(verify_checksum=True) == Entry(batch(crc=1)).header()

    def vanish(_: int) -> bytes:
        raise SourceError("the file vanished")

    with pytest.raises(SourceError):
        Entry(batch()[:HEADER_SIZE_UP_TO_MAGIC], first=vanish).checked_header(verify_checksum=True)


def test_the_header_of_a_batch_has_all_its_fields() -> None:
    data = batch(
        [R(0), R(1)],
        base_offset=100,
        leader_epoch=7,
        attributes=TRANSACTIONAL | CONTROL | LOG_APPEND_TIME | Compression.GZIP,
        last_offset_delta=5,
        base_timestamp=11,
        max_timestamp=12,
        producer_id=13,
        producer_epoch=14,
        base_sequence=15,
        crc=16,
    )
    assert Entry(data, "a.log", 77).header() == BatchHeader(
        file="a.log",
        position=77,
        size_in_bytes=len(data),
        base_offset=100,
        magic=2,
        last_offset=105,
        crc=16,
        is_valid=None,
        compression="gzip",
        timestamp_type="LogAppendTime",
        max_timestamp=12,
        base_timestamp=11,
        partition_leader_epoch=7,
        producer_id=13,
        producer_epoch=14,
        base_sequence=15,
        last_sequence=20,
        is_transactional=True,
        is_control_batch=True,
        delete_horizon_ms=None,
        count=2,
        error=None,
    )


def test_the_header_of_a_message_has_its_offset_and_count() -> None:
    header = Entry(message(8, timestamp=5, crc=4), "a.log", 77).header()
    assert header == BatchHeader(
        "a.log", 77, 35, 8, 1, 8, 4, None, "none", "CreateTime", max_timestamp=5, base_timestamp=None, count=1
    )


def test_count_and_first_offset_of_a_wrapper_need_a_deep_look() -> None:
    entry = Entry(WRAPPER)
    shallow = entry.header()
    assert (shallow.base_offset, shallow.last_offset, shallow.count) == (None, 9, None)
    assert entry.describe() == shallow
    deep = entry.describe(deep=True)
    assert deep == dataclasses.replace(shallow, base_offset=8, count=2)
    assert deep.error is None


@pytest.mark.parametrize("case", cases()[::5], ids=str)
def test_headers_never_decompress(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> bytes:
        pytest.fail("decompressed for a header")

    monkeypatch.setattr(message_module, "decompress", fail)
    monkeypatch.setattr(record_batch, "decompress", fail)
    seen = 0
    for row in case.jsonl("batches.jsonl"):
        data = (case.log_dir / row["file"]).read_bytes()[row["position"] :][: row["sizeInBytes"]]
        header = Entry(data, row["file"], row["position"]).describe(verify_checksum=True)
        assert (header.size_in_bytes, header.crc) == (row["sizeInBytes"], row["crc"])
        seen += 1
    assert seen


@pytest.mark.parametrize("magic", [3, 127])
def test_a_magic_above_2_is_unsupported_and_never_valid_although_its_checksum_is_right(magic: int) -> None:
    entry = Entry(batch(magic=magic, base_offset=5), "a.log", 77)
    for ask in (entry.header, entry.records):
        with pytest.raises(UnsupportedError) as caught:
            ask()
        assert (caught.value.file, caught.value.position, caught.value.found) == ("a.log", 77, magic)
    header = entry.describe(verify_checksum=True)
    assert header.is_valid is False
    assert isinstance(header.error, UnsupportedError)
    assert (header.base_offset, header.last_offset, header.magic, header.count) == (5, 5, magic, 1)


@pytest.mark.parametrize(
    ("data", "kind", "last_offset", "is_valid"),
    [
        (TOO_SHORT_V1, TruncatedError, 3, False),
        (framed(3, b"\0\0\0\0\2" + bytes(9)), TruncatedError, None, False),
        (batch(count=-1, base_offset=3), CorruptError, None, True),
        (batch(count=-1, base_offset=3, crc=0), CorruptError, None, False),
    ],
    ids=["short v1", "short v2", "negative count", "negative count and wrong checksum"],
)
def test_an_unreadable_entry_is_described_by_what_its_frame_says(
    data: bytes, kind: type[KafkafmtError], last_offset: int | None, is_valid: bool
) -> None:
    entry = Entry(data, "a.log", 77)
    shallow = entry.describe()
    assert shallow.is_valid is None
    header = entry.describe(verify_checksum=True, deep=True)
    for each in (shallow, header):
        assert isinstance(each.error, kind)
        assert not isinstance(each.error, ChecksumError)
        assert (each.error.file, each.error.position) == ("a.log", 77)
        assert (each.file, each.position, each.size_in_bytes, each.base_offset) == ("a.log", 77, len(data), 3)
        assert (each.last_offset, each.magic) == (last_offset, data[16])
        assert each.crc == struct.unpack_from(">I", data, 17 if data[16] >= 2 else 12)[0]
        assert (each.compression, each.timestamp_type, each.count, each.max_timestamp) == (None, None, None, None)
    assert header.is_valid is is_valid


@pytest.mark.parametrize("data", [message(crc=1), batch(crc=1), wrapper(1, message(), crc=1)])
def test_a_wrong_checksum_makes_a_readable_entry_invalid_only_if_asked_for(data: bytes) -> None:
    entry = Entry(data, "a.log", 77)
    assert (entry.describe().is_valid, entry.describe().error) == (None, None)
    header = entry.describe(verify_checksum=True, deep=True)
    assert header.is_valid is False
    assert isinstance(header.error, ChecksumError)
    assert header.compression == entry.header().compression
    # What the checksum does not cover is not looked into.
    assert header.count == entry.header().count


@pytest.mark.parametrize("data", [message(), batch(), batch(count=1, payload=b"", attributes=1), WRAPPER])
def test_a_right_checksum_makes_an_entry_valid_whatever_is_in_it(data: bytes) -> None:
    header = Entry(data).describe(verify_checksum=True)
    assert (header.is_valid, header.error) == (True, None)


def test_a_wrapper_that_cannot_be_looked_into_keeps_its_unknowns_and_says_why() -> None:
    header = Entry(message(4, b"no gzip", attributes=1), "a.log", 77).describe(verify_checksum=True, deep=True)
    assert (header.is_valid, header.count, header.base_offset) == (True, None, None)
    assert isinstance(header.error, CorruptError)
    header = Entry(WRAPPER).describe(deep=True, limits=Limits(max_records_per_batch=1))
    assert isinstance(header.error, LimitExceededError)


def test_a_deep_look_at_what_needs_none_decompresses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(message_module, "decompress", None)
    monkeypatch.setattr(record_batch, "decompress", None)
    assert Entry(message()).describe(deep=True).error is None
    assert Entry(batch(attributes=1)).describe(deep=True).count == 1


def test_records_fill_in_a_header_that_is_handed_in() -> None:
    entry = Entry(memoryview(WRAPPER))
    header = entry.header()
    records = list(entry.records(header=header))
    assert all(record.batch is header for record in records)
    assert (header.base_offset, header.count) == (8, 2)


def test_an_error_that_is_kept_holds_no_bytes_of_the_entry() -> None:
    header = Entry(TOO_SHORT_V1).describe()
    assert header.error is not None
    for error in (header.error, without_traceback(CorruptError("x"))):
        assert (error.__traceback__, error.__cause__, error.__context__) == (None, None, None)


@pytest.mark.parametrize("length", [0, 1, 16])
def test_bytes_too_few_for_a_frame_are_truncated(length: int) -> None:
    with pytest.raises(TruncatedError) as caught:
        Entry(bytes(length), "f", 3)
    assert (caught.value.file, caught.value.position) == ("f", 3)


def test_the_count_of_a_batch_comes_from_its_header_and_that_of_a_wrapper_from_what_is_inside() -> None:
    for data, count in [(batch([R(0), R(1)]), 2), (batch([]), 0), (message(), 1), (wrapper(1, message(0) * 3), 3)]:
        entry = Entry(data)
        assert entry.count(entry.header()) == count


def test_a_count_that_cannot_be_true_is_refused_without_decoding() -> None:
    for data, limits, kind in [
        (batch([R(0)], count=100), Limits(), CorruptError),
        (batch([R(0)] * 3), Limits(max_records_per_batch=2), LimitExceededError),
        (batch([R(0)], attributes=7), Limits(), UnsupportedError),
    ]:
        entry = Entry(data, "f", 5)
        with pytest.raises(kind) as caught:
            entry.count(entry.header(), limits)
        assert (caught.value.file, caught.value.position) == ("f", 5)


@pytest.mark.parametrize(
    "data",
    [
        batch([R(value=bytes(300))]),
        message(8, bytes(300), key=b"k" * 40),
        message(8, bytes(300), magic=0),
        wrapper(1, message(0) * 3),
        TOO_SHORT_V1,
        framed(3, b"\0\0\0\0\2" + bytes(9)),
        batch()[:30],
        framed(3, struct.pack(">IbB", 0, 1, 0) + b"\xff" * 9),
        framed(3, struct.pack(">IbBqi", 0, 1, 0, 5, 1000) + bytes(50)),
        framed(3, struct.pack(">IbBi4si", 0, 0, 0, 4, b"keyy", 1000) + bytes(50)),
        batch(magic=3),
        batch(count=-1),
    ],
)
def test_an_entry_that_fetches_its_bytes_says_what_a_whole_one_does(data: bytes) -> None:
    data = data[:8] + struct.pack(">i", len(data) - 12) + data[12:]
    fetched: list[int] = []

    def first(count: int) -> memoryview:
        assert HEADER_SIZE_UP_TO_MAGIC < count <= len(data)
        fetched.append(count)
        return memoryview(data)[:count]

    whole, lazy = Entry(data, "f", 5), Entry(data[:17], "f", 5, first)
    for shallow in (lazy.describe(), whole.describe()):
        assert (shallow, str(shallow.error)) == (whole.describe(), str(whole.describe().error))
    if lazy.describe().error is None:
        assert lazy.is_plausible(lazy.header()) == whole.is_plausible(whole.header())
        assert max(fetched) <= 100
        assert list(map(vars_of, lazy.records())) == list(map(vars_of, whole.records()))
    assert lazy.data == data
    assert lazy.describe(verify_checksum=True) == whole.describe(verify_checksum=True)


def vars_of(record: Record) -> tuple[object, ...]:
    return record.offset, record.timestamp, record.key, record.value


def test_records_that_do_not_decompress_take_no_bytes_decompressed() -> None:
    records = [R(value=b"x" * 1000)]
    size = Entry(batch(records, attributes=1), "a", 0).decompressed_size(Limits())
    assert size == Entry(batch(records), "a", 0).frame.size_in_bytes - RECORD_BATCH_OVERHEAD
    assert Entry(batch(records, attributes=1, payload=b"no gzip"), "a", 0).decompressed_size(Limits()) == 0


@pytest.mark.parametrize("codec", [Compression.NONE, Compression.GZIP])
@pytest.mark.parametrize("attributes", [0, LOG_APPEND_TIME])
def test_the_times_of_a_batch_are_those_of_its_records(codec: Compression, attributes: int) -> None:
    records = [R(0, 5, b"k"), R(3, -7, headers=[(b"h", b"x")]), R(100, 1 << 40, b"k" * 200)]
    entry = Entry(batch(records, base_offset=7, attributes=attributes | codec, last_offset_delta=100))
    expected = [(record.offset, record.timestamp) for record in entry.records()]
    assert len(expected) == 3
    assert list(entry.times(entry.header())) == expected


def test_the_times_of_messages_are_those_of_their_records() -> None:
    entry = Entry(WRAPPER)
    expected = [(record.offset, record.timestamp) for record in entry.records()]
    assert list(entry.times(entry.header())) == expected != []


@pytest.mark.parametrize(
    ("payload", "message"),
    [
        (bytes([40]) + bytes(9), "record 0 of 1: its length does not fit the batch"),
        (b"\xff" * 12, "a variable-length number does not end"),
    ],
)
def test_times_of_broken_records_are_an_error_with_its_place(payload: bytes, message: str) -> None:
    entry = Entry(batch(payload=payload), "a.log", 77)
    with pytest.raises(CorruptError, match=message) as caught:
        list(entry.times(entry.header()))
    assert caught.value.file == "a.log"
