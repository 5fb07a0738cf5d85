"""Messages of formats v0 and v1 decoded in bulk equal the reference engine's, row for row."""

import struct
from collections.abc import Iterator
from itertools import accumulate
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kafkafmt.codec.checksum import crc32
from kafkafmt.codec.compression import Compression
from kafkafmt.codec.compression.scratch import Scratch
from kafkafmt.columnar import message_decoder
from kafkafmt.columnar.decoder import Decoder
from kafkafmt.columnar.row_filter import RowFilter
from kafkafmt.columns import SCHEMA, RowBuffer, select
from kafkafmt.errors import KafkafmtError
from kafkafmt.limits import Limits
from kafkafmt.record_columns import Origin
from kafkafmt.reference.entry import Entry
from kafkafmt.reference.record import Record
from tests.golden_cases import Case, cases
from tests.reference.builder import LOG_APPEND_TIME, batch, framed, message, with_size, wrapper
from tests.reference.strategies import OPTIONAL_BYTES, TIMES, wrappers

ORIGIN = Origin("orders", 7, "orders-7/0.log")
POSITION = 1000
LEGACY_CODECS = [Compression.GZIP, Compression.SNAPPY, Compression.LZ4]
NESTED = wrapper(0, message(0), codec=Compression.SNAPPY)
EVERYTHING = RowFilter()


def table(batches: list[pa.RecordBatch], schema: pa.Schema) -> pa.Table:
    for each in batches:
        each.validate(full=True)
        assert each.schema.equals(schema)
        assert each.num_rows
    return pa.Table.from_batches(batches, schema).combine_chunks()


def bulk(
    data: bytes,
    schema: pa.Schema = SCHEMA,
    rows: RowFilter | None = None,
    limits: Limits | None = None,
    *,
    verify: bool = True,
    begin: int = 0,
    behind: int = 0,
) -> tuple[pa.Table, int]:
    """The rows the columnar engine takes from entries, and where it stops; `behind` bytes follow in memory."""
    decoder = Decoder(schema, verify, limits or Limits())
    batches = []
    view = memoryview(data + b"\xa5" * behind)
    at = begin
    while True:
        found, following = decoder.messages(ORIGIN, view, POSITION, at, len(data), rows)
        assert at <= following <= len(data)
        if found is not None:
            batches.append(found)
        if following == at:
            return table(batches, schema), at
        at = following


def is_row(record: Record, rows: RowFilter) -> bool:
    return (
        (rows.start_offset is None or record.offset >= rows.start_offset)
        and (rows.end_offset is None or record.offset < rows.end_offset)
        and (rows.start_timestamp is None or record.timestamp >= rows.start_timestamp)
        and (rows.end_timestamp is None or record.timestamp < rows.end_timestamp)
        and (rows.key is None or record.key == rows.key)
    )


def entries(data: bytes, begin: int, end: int) -> Iterator[tuple[int, bytes]]:
    while begin < end:
        size = 12 + struct.unpack_from(">i", data, begin + 8)[0]
        yield begin, data[begin : begin + size]
        begin += size


def reference(
    data: bytes,
    end: int,
    schema: pa.Schema = SCHEMA,
    rows: RowFilter = EVERYTHING,
    limits: Limits | None = None,
    *,
    verify: bool = True,
    begin: int = 0,
) -> pa.Table:
    """The reference engine's rows, or error, for the entries before `end`."""
    limits = limits or Limits()
    buffer = RowBuffer(schema)
    for start, stored in entries(data, begin, end):
        assert len(stored) <= limits.max_batch_bytes
        entry = Entry(stored, ORIGIN.file, POSITION + start)
        if verify:
            entry.verify_checksum()
        kept = (record for record in entry.records(limits, verify_inner=verify) if is_row(record, rows))
        buffer.take(ORIGIN, kept, 1 << 40, 1 << 60)
    return pa.Table.from_batches([buffer.flush()]).combine_chunks() if buffer.rows else schema.empty_table()


def assert_same(
    data: bytes,
    schema: pa.Schema = SCHEMA,
    rows: RowFilter = EVERYTHING,
    limits: Limits | None = None,
    *,
    verify: bool = True,
    behind: int = 0,
) -> int:
    """Require that the taken rows equal the reference engine's; return where they end."""
    found, end = bulk(data, schema, rows, limits, verify=verify, behind=behind)
    expected = reference(data, end, schema, rows, limits, verify=verify)
    assert found.equals(expected)
    return end


def assert_all_taken(data: bytes, **arguments: Any) -> None:
    assert assert_same(data, **arguments) == len(data)


@st.composite
def messages(draw: st.DrawFn) -> bytes:
    """A plain message that Kafka could have written."""
    return message(
        draw(st.integers(0, 2**63 - 1)),
        draw(OPTIONAL_BYTES),
        draw(OPTIONAL_BYTES),
        magic=draw(st.sampled_from([0, 1])),
        attributes=draw(st.sampled_from([0, LOG_APPEND_TIME])),
        timestamp=draw(TIMES),
    )


LOGS = st.lists(messages() | wrappers().map(lambda built: built.data), max_size=6)

PLAIN = b"".join(message(n, b"v" * n, None if n % 3 else b"key%d" % n, magic=n % 2, timestamp=n) for n in range(20))
INNER = {
    0: b"".join(message(40 + n, b"w" * n, b"k", magic=0) for n in range(8)),
    1: b"".join(message(n, None if n == 3 else b"w" * n, timestamp=50 + n) for n in range(8)),
}
WRAPPED = {magic: wrapper(47, inner, magic=magic, timestamp=57) for magic, inner in INNER.items()}
MIXED = PLAIN + WRAPPED[0] + WRAPPED[1] + PLAIN + WRAPPED[1] + WRAPPED[1]


@pytest.mark.slow
@pytest.mark.parametrize("behind", [0, 1, 63, 64, 500])
@given(log=LOGS)
def test_sound_entries_are_all_taken(behind: int, log: list[bytes]) -> None:
    assert_all_taken(b"".join(log), behind=behind)


@given(log=LOGS, cut=st.integers(0, 200))
def test_of_a_log_that_is_cut_off_all_whole_entries_are_taken(log: list[bytes], cut: int) -> None:
    data = b"".join(log)
    data = data[: max(0, len(data) - cut)]
    ends = [0, *accumulate(map(len, log))]
    assert assert_same(data) == max(end for end in ends if end <= len(data))


@pytest.mark.slow
@settings(max_examples=300)
@given(
    log=LOGS,
    changes=st.lists(st.tuples(st.integers(0, 2**16), st.integers(0, 255)), min_size=1, max_size=4),
    verify=st.booleans(),
    right_crcs=st.booleans(),
)
def test_changed_bytes_give_what_the_reference_engine_gives_or_a_stop(
    log: list[bytes], changes: list[tuple[int, int]], verify: bool, right_crcs: bool
) -> None:
    changed = [bytearray(each) for each in log]
    for place, value in changes:
        if changed:
            entry = changed[place % len(changed)]
            entry[place // 7 % len(entry)] = value
    if right_crcs:
        changed = [each[:12] + struct.pack(">I", crc32(each[16:])) + each[16:] for each in changed]
    assert_same(b"".join(changed), verify=verify)


@pytest.mark.slow
@settings(max_examples=300)
@given(
    magic=st.sampled_from([0, 1]),
    codec=st.sampled_from(LEGACY_CODECS),
    offset=st.sampled_from([0, 3, 7, 47, 2**63 - 1]),
    changes=st.lists(st.tuples(st.integers(0, 2**16), st.integers(0, 255)), max_size=3),
    cut=st.integers(0, 40),
    attributes=st.sampled_from([0, LOG_APPEND_TIME]),
)
def test_changed_inner_sets_give_what_the_reference_engine_gives_or_a_stop(
    magic: int, codec: Compression, offset: int, changes: list[tuple[int, int]], cut: int, attributes: int
) -> None:
    inner = bytearray(INNER[magic])
    for place, value in changes:
        inner[place % len(inner)] = value
    stored = wrapper(offset, bytes(inner[: len(inner) - cut]), magic=magic, codec=codec, attributes=attributes)
    assert_same(PLAIN + stored + PLAIN)


@pytest.mark.parametrize("case", cases("legacy"), ids=str)
def test_golden_files(case: Case) -> None:
    """For each v0 or v1 entry, bulk decoding gives the same rows, and it takes all readable entries."""
    for path in case.files("*.log", "*.deleted"):
        data = path.read_bytes()
        at = 0
        while len(data) - at > 17 and 26 <= 12 + struct.unpack_from(">i", data, at + 8)[0] <= len(data) - at:
            if data[at + 16] > 1:
                at += 12 + struct.unpack_from(">i", data, at + 8)[0]
                continue
            found, end = bulk(data, begin=at)
            assert found.equals(reference(data, end, begin=at)), path
            if end == at:
                (_, stored), *_ = entries(data, at, at + 1)
                assert case.name in UNUSUAL or not is_readable(stored), (path, at)
                end = at + len(stored)
            at = end


UNUSUAL = {"crafted-odd-wrappers"}


def is_readable(stored: bytes) -> bool:
    entry = Entry(stored)
    try:
        entry.verify_checksum()
        entry.records()
    except KafkafmtError:
        return False
    return True


TAKEN = {
    "v1": message(5),
    "v0": message(5, magic=0),
    "null value": message(5, None),
    "empty": message(5, b"", b""),
    "no timestamp": message(5, b"v", b"k", timestamp=-1),
    "append time": message(5, attributes=LOG_APPEND_TIME),
    "highest offset": message(2**63 - 1),
    "large": message(5, b"v" * 100_000, b"k" * 600),
    **{
        f"wrapper v{magic} {codec.label}": wrapper(47, INNER[magic], magic=magic, codec=codec)
        for magic in (0, 1)
        for codec in LEGACY_CODECS
    },
    "wrapper, append time": wrapper(47, INNER[1], attributes=LOG_APPEND_TIME, timestamp=99),
    "wrapper with a key": wrapper(47, INNER[1], key=b"ignored"),
    "wrapper of librdkafka": wrapper(0, INNER[1]),
    "v0 wrapper of lower offset": wrapper(1, INNER[0], magic=0),
    "cut within a message": wrapper(47, INNER[1][:-1]),
    "cut within a size": wrapper(47, INNER[1] + INNER[1][:11]),
    "cut behind a size": wrapper(47, INNER[1] + INNER[1][:25]),
    "inner append time": wrapper(3, message(0, attributes=LOG_APPEND_TIME) + message(3)),
    "negative inner offset": wrapper(3, message(-5) + message(-4)),
}

NOT_TAKEN = {
    "v2": batch(),
    "magic 3": message(magic=3),
    "magic -1": message(magic=-1),
    "wrong CRC": message(crc=1),
    "wrong CRC of a wrapper": wrapper(47, INNER[1], crc=1),
    "reserved bit": message(attributes=0x10),
    "reserved bit of a wrapper": wrapper(47, INNER[1], attributes=0x80),
    "negative offset": message(-1),
    "negative offset of a wrapper": wrapper(-1, INNER[0], magic=0),
    "trailing bytes": message(trailing=b"x"),
    "trailing bytes of a wrapper": wrapper(47, INNER[1], trailing=b"x"),
    "negative size": with_size(message(), -1),
    "size 0": with_size(message(), 0),
    "size of less than a message": with_size(message(magic=0), 13),
    "v1 in the size of v0": with_size(message(value=None), 14 + 7),
    "size beyond the end": with_size(message(), 1 << 20),
    "huge size": with_size(message(), 2**31 - 1),
    "zstd": message(attributes=Compression.ZSTD),
    "codec 7": message(attributes=7),
    "null value in a wrapper": message(value=None, attributes=Compression.GZIP),
    "no gzip": message(value=b"v" * 40, attributes=Compression.GZIP),
    "empty value in a wrapper": message(value=b"", attributes=Compression.SNAPPY),
    "empty inner set": wrapper(47, b""),
    "part of an inner message": wrapper(47, INNER[1][:30]),
    **{
        f"wrong CRC of {place} inner message v{magic}": wrapper(47, inner, magic=magic)
        for magic in (0, 1)
        for place, inner in (
            ("the first", message(0, magic=magic, crc=1) + INNER[magic]),
            ("the last", INNER[magic] + message(47, magic=magic, crc=1)),
        )
    },
    "inner wrapper": wrapper(47, INNER[1] + NESTED),
    "v0 in v1": wrapper(47, INNER[1] + message(8, magic=0)),
    "v1 in v0": wrapper(47, INNER[0] + message(48), magic=0),
    "v2 in v1": wrapper(47, INNER[1] + batch()),
    "inner size too small": wrapper(47, INNER[1] + with_size(message(8), 13)),
    "inner size that v1 cannot have": wrapper(47, INNER[1] + framed(8, struct.pack(">Ib", 0, 1) + bytes(16))),
    "inner trailing bytes": wrapper(47, INNER[1] + message(8, trailing=b"x")),
    "wrapper offset below the last inner one": wrapper(6, INNER[1]),
}


def lengths(key: int, value: int, magic: int = 1) -> bytes:
    """A message with a correct CRC whose key and value have other lengths than declared."""
    covered = struct.pack(">bB", magic, 0) + bytes(8 * magic) + struct.pack(">i", key) + b"kk"
    covered += struct.pack(">i", value) + b"vvv"
    return framed(3, struct.pack(">I", crc32(covered)) + covered)


@pytest.mark.parametrize("around", [b"", PLAIN, WRAPPED[1]], ids=["alone", "plain around", "wrappers around"])
@pytest.mark.parametrize("name", TAKEN)
def test_what_real_clients_wrote_is_taken(name: str, around: bytes) -> None:
    assert_all_taken(around + TAKEN[name] + around)


@pytest.mark.parametrize("behind", [b"", PLAIN], ids=["alone", "plain behind"])
@pytest.mark.parametrize("front", [b"", PLAIN, WRAPPED[1]], ids=["alone", "plain in front", "wrapper in front"])
@pytest.mark.parametrize("name", NOT_TAKEN)
def test_it_stops_in_front_of_what_is_unusual(name: str, front: bytes, behind: bytes) -> None:
    assert assert_same(front + NOT_TAKEN[name] + behind) == len(front)


@pytest.mark.parametrize("magic", [0, 1])
@pytest.mark.parametrize(
    ("key", "value"),
    [(3, 3), (2, 4), (2, 2), (1, 3), (-1, 3), (-2, 3), (2, -1), (2, -5), (2**31 - 1, 3), (2, 2**31 - 1)],
)
def test_it_stops_in_front_of_lengths_that_do_not_fill_the_message(key: int, value: int, magic: int) -> None:
    assert assert_same(PLAIN + lengths(2, 3, magic)) == len(PLAIN + lengths(2, 3, magic))
    assert assert_same(PLAIN + lengths(key, value, magic)) == len(PLAIN)


@pytest.mark.parametrize("data", [b"", b"\0", message()[:11], message()[:25], bytes(100)], ids=range(5))
def test_what_is_no_message_is_not_taken(data: bytes) -> None:
    assert bulk(data) == (SCHEMA.empty_table(), 0)


def test_checksums_are_compared_only_if_asked_for() -> None:
    data = PLAIN + message(5, crc=1) + wrapper(47, INNER[1], crc=1) + PLAIN
    assert assert_same(data, verify=False) == len(data)
    assert assert_same(data, verify=True) == len(PLAIN)


def test_of_several_wrappers_those_in_front_of_a_broken_one_are_taken() -> None:
    inner = message(0, None) + message(1, b"v", b"k")
    broken = wrapper(9, message(0, None, b"key") + message(1, None) + NESTED)
    one, other = wrapper(1, inner), wrapper(3, message(1, b"w"))
    for front in (one + other, one, other):
        assert assert_same(front + broken + WRAPPED[1]) == len(front)


def test_limits_stop_it() -> None:
    large = message(3, b"v" * 200)
    assert assert_same(PLAIN + large, limits=Limits(max_batch_bytes=len(large))) == len(PLAIN + large)
    assert bulk(PLAIN + large, limits=Limits(max_batch_bytes=len(large) - 1))[1] == len(PLAIN)
    assert bulk(large, limits=Limits(max_batch_bytes=len(large) - 1))[1] == 0
    one = WRAPPED[1]
    assert assert_same(PLAIN + one, limits=Limits(max_records_per_batch=8)) == len(PLAIN + one)
    assert bulk(PLAIN + one, limits=Limits(max_records_per_batch=7))[1] == len(PLAIN)
    size = len(INNER[1])
    assert assert_same(PLAIN + one, limits=Limits(max_decompressed_bytes=size)) == len(PLAIN + one)
    assert bulk(PLAIN + one, limits=Limits(max_decompressed_bytes=size - 1))[1] == len(PLAIN)
    assert bulk(one + large, limits=Limits(max_batch_bytes=len(one)))[1] == len(one)
    assert bulk(large + one, limits=Limits(max_batch_bytes=len(one) - 1))[1] == 0


@pytest.mark.parametrize("target", [1, 100, 1000, 3000])
@pytest.mark.parametrize("at_once", [1, 2, 256])
def test_record_batches_of_any_size_hold_the_same(target: int, at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(message_decoder, "_TARGET", target)
    monkeypatch.setattr(message_decoder, "_WRAPPERS_AT_ONCE", at_once)
    assert_all_taken(MIXED + MIXED)


def test_messages_that_become_smaller_or_larger(monkeypatch: pytest.MonkeyPatch) -> None:
    """Arrays are allocated for the number of rows expected from earlier messages."""
    monkeypatch.setattr(message_decoder, "_TARGET", 2000)
    small = [message(n, b"", timestamp=n) for n in range(100)]
    large = [message(n, b"v" * 500, b"k" * n) for n in range(20)]
    inner = [wrapper(99, b"".join(small)), *(wrapper(20, each) for each in large)]
    assert_all_taken(b"".join(large + small + large + small))
    assert_all_taken(b"".join(inner[1:] + inner[:1] * 3 + inner + small + inner))


def test_what_is_too_large_for_arrays_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(message_decoder, "_LARGEST", 300)
    monkeypatch.setattr(message_decoder, "_TARGET", 100)
    large = message(3, b"v" * 300)
    assert bulk(large)[1] == 0
    assert assert_same(wrapper(3, message(0)) + wrapper(3, large)) == len(wrapper(3, message(0)))


def test_a_record_batch_is_of_some_megabytes() -> None:
    decoder = Decoder(SCHEMA, True, Limits())  # noqa: FBT003
    data = memoryview(message(3, b"v" * 1000) * 10_000)
    sizes = []
    at = 0
    while at < len(data):
        found, at = decoder.messages(ORIGIN, data, POSITION, at, len(data))
        assert found is not None
        sizes.append(found.nbytes)
    assert 2 << 20 < sizes[0] < 8 << 20
    assert len(sizes) == 3


def test_nothing_is_decompressed_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = []
    add = Scratch.add

    def counted(scratch: Scratch, codec: int, data: memoryview, magic: int) -> int:
        sizes.append(add(scratch, codec, data, magic))
        return sizes[-1]

    monkeypatch.setattr(Scratch, "add", counted)
    assert_all_taken(wrapper(0, message(0, bytes(900_000)), codec=Compression.LZ4) * 23)
    assert len(sizes) == 23


@pytest.mark.parametrize("name", SCHEMA.names)
def test_each_column_alone(name: str) -> None:
    assert_all_taken(MIXED, schema=select([name]))
    assert_all_taken(message(3, b"v", None) * 3, schema=select([name]))


@given(names=st.lists(st.sampled_from(SCHEMA.names), min_size=1, unique=True), log=LOGS)
def test_any_columns_in_any_order(names: list[str], log: list[bytes]) -> None:
    assert_all_taken(b"".join(log), schema=select(names))


def test_an_origin_without_a_topic() -> None:
    schema = select(["partition", "topic", "file"])
    found, _ = Decoder(schema, True, Limits()).messages(  # noqa: FBT003
        Origin(None, None, "a\udcff.log"), memoryview(message()), 0, 0, len(message())
    )
    assert found is not None
    assert found.to_pylist() == [{"partition": None, "topic": None, "file": "a\ufffd.log"}]


BOUNDS = st.none() | st.integers(-1, 70) | st.sampled_from([-(2**70), 2**63 - 1, 2**63, 2**70])


@pytest.mark.slow
@settings(max_examples=200)
@given(
    rows=st.builds(
        RowFilter,
        BOUNDS,
        BOUNDS,
        BOUNDS,
        BOUNDS,
        st.none() | st.sampled_from([b"", b"k", b"key3", b"key6", b"no such"]),
    ),
    names=st.just(SCHEMA.names) | st.lists(st.sampled_from(SCHEMA.names), min_size=1, unique=True),
)
def test_filters(rows: RowFilter, names: list[str]) -> None:
    assert_all_taken(MIXED, schema=select(names), rows=rows)
