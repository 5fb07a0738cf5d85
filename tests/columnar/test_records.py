"""Records of format 2 decoded in bulk equal the reference engine's, row for row."""

import struct
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkafmt.codec.compression.buffer import SLACK
from kafkafmt.columnar.outputs import Buffers
from kafkafmt.columnar.row_filter import RowFilter
from kafkafmt.columns import SCHEMA, select
from kafkafmt.limits import Limits
from tests.columnar.decoding import assert_same, columnar, headers
from tests.reference import builder
from tests.reference.builder import LOG_APPEND_TIME, R, batch
from tests.reference.strategies import INT32, INT64, OPTIONAL_BYTES, TIMES
from tests.reference.strategies import batches as ordinary_batches
from tests.varints import write_varint, write_varlong

_GUARD = 1 << 21
RAW_BYTES = st.none() | st.binary(max_size=5) | st.sampled_from([b"x" * 31, b"y" * 64, b"z" * 513, b"\xff\xfe"])
SEQUENCES = st.sampled_from([-1, -2, -(2**31), 0, 2**31 - 1]) | INT32


@st.composite
def odd_records(draw: st.DrawFn) -> R:
    """A readable record that no broker would have accepted."""
    return R(
        draw(INT32),
        draw(INT64),
        draw(RAW_BYTES),
        draw(RAW_BYTES),
        draw(st.lists(st.tuples(st.binary(max_size=6), RAW_BYTES), max_size=3)),
        draw(st.integers(0, 255)),
    )


@st.composite
def odd_batches(draw: st.DrawFn, records: st.SearchStrategy[R] = odd_records()) -> bytes:  # noqa: B008
    return batch(
        draw(st.lists(records, max_size=6)),
        base_offset=draw(st.integers(0, 2**62)),
        last_offset_delta=draw(st.integers(0, 2**31 - 1)),
        base_timestamp=draw(INT64),
        max_timestamp=draw(INT64),
        producer_id=draw(INT64),
        producer_epoch=draw(st.integers(-(2**15), 2**15 - 1)),
        base_sequence=draw(SEQUENCES),
        leader_epoch=draw(INT32),
        attributes=draw(st.integers(0, 4)) | draw(st.sampled_from([0, 0x08, 0x10, 0x20, 0x40, 0x78])),
    )


@pytest.mark.slow
@given(st.lists(ordinary_batches(), min_size=1, max_size=4))
def test_ordinary_batches_are_all_taken(built: Sequence[object]) -> None:
    data = b"".join(each.data for each in built)  # type: ignore[attr-defined]
    batches = headers(data)
    assert len(batches) == len(built)
    assert assert_same(batches) == len(built)


@pytest.mark.slow
@given(st.lists(odd_batches(), min_size=1, max_size=4))
def test_odd_batches(data: list[bytes]) -> None:
    batches = headers(b"".join(data))
    assert assert_same(batches) == len(data)


@given(odd_batches(), st.lists(st.sampled_from(SCHEMA.names), min_size=1, unique=True))
def test_every_choice_of_columns(data: bytes, names: list[str]) -> None:
    assert_same(headers(data + batch(count=1)), select(names))


@pytest.mark.parametrize("name", SCHEMA.names)
def test_each_column_alone(name: str) -> None:
    records = [R(0, 5, b"k", b"v", [(b"h", b"1")]), R(1, 6, None, None), R(2, 7, b"k", b"v", [(b"h", None)])]
    data = batch(records, base_sequence=3) + batch(records, attributes=LOG_APPEND_TIME | builder.TRANSACTIONAL | 4)
    assert assert_same(headers(data), select([name])) == 2


BOUNDS = st.none() | st.integers(-3, 8) | st.sampled_from([-(2**63) - 1, -(2**63), 2**63 - 1, 2**63, 2**64])


@given(
    st.lists(
        st.builds(
            R,
            st.integers(0, 5),
            st.integers(0, 5),
            st.sampled_from([None, b"", b"k", b"l"]),
            st.sampled_from([None, b"", b"v"]),
            st.lists(st.sampled_from([(b"h", b"1"), (b"g", None)]), max_size=2),
        ),
        max_size=12,
    ),
    BOUNDS,
    BOUNDS,
    BOUNDS,
    BOUNDS,
    st.sampled_from([None, None, b"", b"k"]),
)
def test_rows_that_are_not_wanted_are_left_out(
    records: list[R],
    start_offset: int | None,
    end_offset: int | None,
    start_timestamp: int | None,
    end_timestamp: int | None,
    key: bytes | None,
) -> None:
    rows = RowFilter(start_offset, end_offset, start_timestamp, end_timestamp, key)
    data = batch(records, base_timestamp=0, base_sequence=0, last_offset_delta=9) + batch(
        records, base_offset=3, base_timestamp=1, last_offset_delta=9
    )
    assert assert_same(headers(data), rows=rows) == 2


INTERESTING = st.sampled_from([0, 1, 2, 0x7E, 0x7F, 0x80, 0x81, 0xFE, 0xFF]) | st.integers(0, 255)


@given(
    odd_batches(
        st.builds(
            R,
            st.integers(0, 200),
            st.integers(-1, 200),
            OPTIONAL_BYTES,
            OPTIONAL_BYTES,
            st.lists(st.tuples(st.binary(max_size=3), OPTIONAL_BYTES), max_size=3),
        )
    ),
    st.lists(st.tuples(st.integers(0, 400), INTERESTING), min_size=1, max_size=4),
    st.integers(-2, 2),
    st.integers(-1, 1),
)
def test_mutated_records(data: bytes, changes: list[tuple[int, int]], cut: int, more: int) -> None:
    attributes, count = struct.unpack_from(">h", data, 21)[0], struct.unpack_from(">i", data, 57)[0]
    payload = bytearray(data[61:])
    for at, byte in changes:
        if payload:
            payload[at % len(payload)] = byte
    payload = payload[:cut] if cut < 0 else payload + b"\x00" * cut
    mutated = batch(attributes=attributes & ~7, payload=bytes(payload), count=max(count + more, 0), last_offset_delta=5)
    assert_same(headers(batch() + mutated + batch()))


def record(*, body: bytes, size: bytes | None = None) -> bytes:
    return (write_varint(len(body)) if size is None else size) + body


def body(
    *,
    attributes: bytes = b"\0",
    timestamp: bytes = b"\0",
    offset: bytes = b"\0",
    key: bytes = b"\x01",
    value: bytes = b"\x02v",
    headers: bytes = b"\0",
) -> bytes:
    return attributes + timestamp + offset + key + value + headers


LONG_ZERO = b"\x80" * 4 + b"\0"
"""Zero encoded in as many bytes as an int32 may have."""

SOUND = {
    "ordinary": body(),
    "timestamp of ten bytes": body(timestamp=b"\x80" * 9 + b"\0"),
    "timestamp with bits beyond 64": body(timestamp=b"\xff" * 9 + b"\x7f"),
    "lowest timestamp": body(timestamp=write_varlong(-(2**63))),
    "offset of five bytes": body(offset=LONG_ZERO),
    "offset with bits beyond 32": body(offset=b"\xff\xff\xff\xff\x7f"),
    "key of length -2": body(key=b"\x03"),
    "key of length -2147483648": body(key=b"\xff\xff\xff\xff\x0f"),
    "key with a length of five bytes": body(key=b"\x82\x80\x80\x80\x00k"),
    "key with a length whose bits beyond 32 do not count": body(key=b"\x82\x80\x80\x80\x70k"),
    "value of length -2": body(value=b"\x03"),
    "value with a length of two bytes": body(value=b"\x82\x00v"),
    "value of 64 bytes": body(value=b"\x80\x01" + b"v" * 64),
    "header count of five bytes": body(headers=LONG_ZERO),
    "header with an empty key and a null value": body(headers=b"\x02\0\x01"),
    "header with a value of length -2": body(headers=b"\x02\0\x03"),
    "header with lengths of five bytes": body(headers=b"\x02" + LONG_ZERO + LONG_ZERO),
    "attributes that are not 0": body(attributes=b"\xff"),
}

BROKEN = {
    "timestamp of eleven bytes": body(timestamp=b"\x80" * 10 + b"\0"),
    "offset of six bytes": body(offset=b"\x80" * 5 + b"\0"),
    "key with a length of six bytes": body(key=b"\x80" * 5 + b"\0"),
    "value with a length of six bytes": body(value=b"\x80" * 5 + b"\0"),
    "header count of six bytes": body(headers=b"\x80" * 5 + b"\0"),
    "header key with a length of six bytes": body(headers=b"\x02" + b"\x80" * 5 + b"\0\0"),
    "header value with a length of six bytes": body(headers=b"\x02\0" + b"\x80" * 5 + b"\0"),
    "header key that is null": body(headers=b"\x02\x01\0"),
    "header key beyond the record": body(headers=b"\x02\x08k\0"),
    "header value beyond the record": body(headers=b"\x02\0\x08v"),
    "header missing": body(headers=b"\x02"),
    "second header missing": body(headers=b"\x04\0\x01"),
    "negative header count": body(headers=b"\x01"),
    "largest header count": body(headers=write_varint(2**31 - 1)),
    "key beyond the record": body(key=b"\x40k"),
    "largest key": body(key=write_varint(2**31 - 1)),
    "value beyond the record": body(value=b"\x40v"),
    "a byte too many": body() + b"\0",
    "nothing": b"",
    "attributes alone": b"\0",
    "no header count": body()[:-1],
    "ends within the timestamp": b"\0\x80",
    "ends within the offset": b"\0\0\x80",
    "null key at the end": b"\0\0\0\x01",
}


@pytest.mark.parametrize("dropped", [False, True], ids=["rows", "dropped"])
@pytest.mark.parametrize("columns", [None, ["value"]], ids=["all", "value"])
@pytest.mark.parametrize("name", SOUND)
def test_sound_record(name: str, columns: list[str] | None, dropped: bool) -> None:
    data = batch([record(body=SOUND[name])]) + batch()
    rows = RowFilter(end_offset=-(2**62)) if dropped else None
    assert assert_same(headers(data), select(columns), rows) == 2


@pytest.mark.parametrize("dropped", [False, True], ids=["rows", "dropped"])
@pytest.mark.parametrize("columns", [None, ["value"]], ids=["all", "value"])
@pytest.mark.parametrize("name", BROKEN)
def test_broken_record(name: str, columns: list[str] | None, dropped: bool) -> None:
    # The following bytes must not be read as part of it, and earlier rows must stay unchanged.
    data = batch([R(key=b"k", headers=[(b"h", None)]), R(1)])
    data += batch([R(key=b"l", headers=[(b"h", None)]), R(key=None), record(body=BROKEN[name]), R()]) + batch()
    rows = RowFilter(start_offset=1) if dropped else None
    assert assert_same(headers(data), select(columns), rows) == 1


@pytest.mark.parametrize(
    "size",
    [
        b"",
        b"\x80",
        b"\x01",
        b"\xff\xff\xff\xff\x0f",
        b"\x0a",
        b"\x0e",
        b"\x7e",
        write_varint(2**31 - 1),
        b"\x80" * 5 + b"\0",
    ],
    ids=bytes.hex,
)
def test_broken_size_of_a_record(size: bytes) -> None:
    data = batch([R(), record(size=size, body=body(value=b"\x01"))], payload=None)
    assert assert_same(headers(data)) == 0


def test_size_of_five_bytes() -> None:
    assert assert_same(headers(batch([record(size=b"\x8e\x80\x80\x80\x00", body=body())]))) == 1


def test_bytes_left_over_in_a_batch() -> None:
    assert assert_same(headers(batch() + batch([R(), b"\0"], count=1) + batch())) == 1


def test_fewer_records_than_declared() -> None:
    assert assert_same(headers(batch([R(value=b"v" * 20)], count=2))) == 0
    assert assert_same(headers(batch([R(value=b"v" * 20)], count=2, attributes=4))) == 0


def test_count_that_no_payload_has_room_for() -> None:
    assert assert_same(headers(batch(count=1_000_000, attributes=1))) == 0


def test_bytes_of_an_empty_batch_are_not_looked_at() -> None:
    empty = batch([], payload=b"any bytes", last_offset_delta=0)
    assert assert_same(headers(empty + batch([], payload=b"no gzip", attributes=1, last_offset_delta=0) + batch())) == 3


@pytest.mark.parametrize("columns", [None, ["headers"]], ids=["all", "headers"])
def test_no_declared_count_decides_how_large_arrays_are(
    columns: list[str] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Arrays inside larger ones, so that out-of-bounds writes are detected without harm.
    guarded = []

    def take(_: Buffers, _column: str, count: int, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
        size = count * np.dtype(dtype).itemsize + SLACK
        around: npt.NDArray[np.uint8] = np.full(size + 2 * _GUARD, 0xA5, np.uint8)
        guarded.append((around, size))
        return around[_GUARD : _GUARD + size].view(dtype)

    monkeypatch.setattr(Buffers, "take", take)
    many = R(headers=[(b"", None)] * 20_000)
    size = len(bytes(many)) * 4
    data = batch([many] * 4, count=size // 7, last_offset_delta=size)
    assert columnar(headers(data), select(columns)) == (select(columns).empty_table(), 0)
    assert len(guarded) >= 5
    for around, size in guarded:
        assert (around[:_GUARD] == 0xA5).all()
        assert (around[_GUARD + size :] == 0xA5).all()


def test_header_limit() -> None:
    data = batch([R(headers=[(b"h", b"")] * 3)])
    assert assert_same(headers(data), limits=Limits(max_headers_per_record=3)) == 1
    assert assert_same(headers(data), limits=Limits(max_headers_per_record=2)) == 0


@pytest.mark.parametrize(
    "key",
    [b"caf\xc3\xa9", b"\xf0\x9f\x8e\x84", b"\xff", b"\xed\xa0\x80", b"\xc3", b"\xf4\x90\x80\x80", b"a\x00b"],
    ids=bytes.hex,
)
def test_header_keys_are_text_as_java_has_it(key: bytes) -> None:
    data = batch([R(headers=[(b"plain", b"1"), (key, b"2")]), R(1), R(2, headers=[(key, None), (b"", b"")])])
    assert assert_same(headers(data)) == 1


def test_keys_whose_bytes_are_text_only_together() -> None:
    data = batch([R(headers=[(b"\xc3", b"1"), (b"\xa9", b"2")])])
    found, _ = columnar(headers(data), select(["headers"]))
    assert found["headers"].to_pylist() == [[{"key": "�", "value": b"1"}, {"key": "�", "value": b"2"}]]


@pytest.mark.slow
def test_long_batches() -> None:
    # Deltas and sizes of one, two and three bytes; bitmaps of many bytes, with runs of nulls.
    records = [
        R(
            number,
            number * 50,
            None if number % 300 < 100 else b"%d" % number,
            None if number % 7 == 0 else b"v" * (number % 600),
            [(b"h", None if number % 3 else b"%d" % number)] * (number % 40 // 30),
        )
        for number in range(9000)
    ]
    data = batch(records, base_sequence=2**31 - 10) + batch(records[:77], attributes=3)
    assert assert_same(headers(data)) == 2
    assert assert_same(headers(data), rows=RowFilter(start_offset=55, end_offset=8000)) == 2


@given(TIMES, st.integers(-(2**63), 2**63 - 1))
def test_timestamps_wrap(base: int, delta: int) -> None:
    assert assert_same(headers(batch([R(0, delta)], base_timestamp=base)), select(["timestamp"])) == 1
