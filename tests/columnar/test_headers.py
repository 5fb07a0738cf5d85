"""Headers that are read many at once: those of the reference engine, as far as they are in order."""

import random
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkafmt import ChecksumError, Limits
from kafkafmt.columnar import headers
from kafkafmt.columnar.header_walk import walk_headers
from kafkafmt.columnar.headers import HEADER, Batches, read_batches
from kafkafmt.reference.entry import Entry
from tests.golden_cases import Case, cases
from tests.hostile.mutations import entries
from tests.reference import strategies
from tests.reference.builder import DELETE_HORIZON, LOG_APPEND_TIME, R, batch, message, with_size

GOOD = batch([R(), R(1)], base_offset=5)
ZSTD = 4


def read(data: bytes, begin: int = 0, position: int = 0, limits: Limits | None = None) -> Batches:
    """By numpy, and by the kernel, which find the same, whatever lies behind the end."""
    found = read_batches(memoryview(data), begin, position, limits or Limits())
    for more in (b"", GOOD):
        starts, fields = walk_headers(memoryview(data + more), begin, len(data), limits or Limits())
        assert (starts.dtype, fields.dtype) == (found.starts.dtype, found.headers.dtype)
        assert starts.tolist() == found.starts.tolist()
        assert fields.tolist() == found.headers.tolist()
    return found


@pytest.mark.parametrize("case", cases(), ids=str)
def test_all_headers_of_golden_logs_are_read(case: Case) -> None:
    for path in case.files("*.log*", "*.checkpoint"):
        data = path.read_bytes()
        for begin, end, magic in entries(data):
            found = read(data, begin, 100)
            if magic != 2:
                assert len(found) == 0
                continue
            entry = Entry(data[begin:end])
            try:
                entry.verify_checksum()
            except ChecksumError:
                continue  # what is damaged on purpose need not be taken
            header = entry.header()
            assert (found.position, int(found.starts[0]), int(found.ends[0])) == (100, begin, end)
            assert found.headers["num_records"][0] == header.count
            assert found.last_offsets[0] == header.last_offset
            assert bool(found.plausible()[0]) == entry.is_plausible(header)


@given(st.lists(strategies.batches(), max_size=5), st.integers(0, 3))
def test_fields_are_those_that_were_packed(built: list[strategies.Built], before: int) -> None:
    data = bytes(before) + b"".join(each.data for each in built)
    found = read(data, before)
    assert len(found) == len(built)
    assert found.headers.dtype == HEADER
    position = before
    for number, each in enumerate(built):
        fields = found.headers[number]
        assert found.starts[number] == position
        position += len(each.data)
        assert found.ends[number] == position
        for name in (
            "base_offset",
            "base_timestamp",
            "max_timestamp",
            "producer_id",
            "producer_epoch",
            "base_sequence",
        ):
            assert fields[name] == each.fields[name]
        assert fields["last_offset_delta"] == each.fields["last_offset_delta"]
        assert fields["attributes"] == each.fields["attributes"]
        assert fields["num_records"] == len(each.records)
    part = found[1:3]
    assert part.starts.tolist() == found.starts.tolist()[1:3]
    assert part.data is found.data


LIMITS = Limits(max_batch_bytes=500, max_records_per_batch=5)

NOT_ORDINARY = {
    "a message": message(),
    "magic 3": batch(magic=3),
    "magic -1": batch(magic=-1),
    "a size below the header's": with_size(GOOD, 48),
    "a negative size": with_size(GOOD, -1),
    "a size beyond the end": with_size(GOOD, len(GOOD)),
    "cut off in the header": GOOD[:60],
    "cut off in the records": GOOD[:-1],
    "cut off in the size": GOOD[:11],
    "larger than the limit": batch([R(value=bytes(500))]),
    "a reserved attribute": batch(attributes=0x80),
    "a high reserved attribute": batch(attributes=-(2**15)),
    "an unknown codec": batch(attributes=5),
    "a negative count": batch(count=-1),
    "a count beyond the limit": batch([R(n) for n in range(6)]),
    "a count beyond the limit, compressed": batch([R(n) for n in range(6)], attributes=ZSTD),
    "a count that does not fit": batch(count=2, payload=bytes(13)),
    "a negative last offset delta": batch(last_offset_delta=-1),
    "a negative base offset": batch(base_offset=-1),
    "a last offset beyond 64 bits": batch(base_offset=2**63 - 1, last_offset_delta=1),
}


@pytest.mark.parametrize("name", NOT_ORDINARY)
def test_the_walk_stops_in_front_of_what_is_not_ordinary(name: str) -> None:
    assert len(read(GOOD + GOOD + NOT_ORDINARY[name], limits=LIMITS)) == 2
    if len(NOT_ORDINARY[name]) > 17 and "cut off" not in name and "size" not in name:
        assert len(read(GOOD + NOT_ORDINARY[name] + GOOD, limits=LIMITS)) == 1
    assert len(read(NOT_ORDINARY[name], limits=LIMITS)) == 0


def test_what_is_on_the_edge_is_ordinary() -> None:
    edges = [
        batch([R(n) for n in range(5)]),
        batch(count=1, payload=bytes(7)),
        batch([], last_offset_delta=0),
        batch([], last_offset_delta=0, payload=b"left"),
        batch(base_offset=2**63 - 2, last_offset_delta=1),
        batch(attributes=0x7F & ~7 | ZSTD),
        batch([R(value=bytes(500 - len(batch()) - 1))]),
    ]
    assert len(edges[-1]) == 500
    assert len(read(b"".join(edges), limits=LIMITS)) == len(edges)
    assert len(read(b"")) == 0


@given(
    count=st.integers(0, 4),
    delta=st.integers(0, 4),
    payload=st.sampled_from((b"", bytes(7), bytes(40))),
    attributes=st.sampled_from((0, ZSTD, LOG_APPEND_TIME, DELETE_HORIZON, DELETE_HORIZON | ZSTD)),
    timestamps=st.tuples(st.sampled_from((-1, 5, 2**63 - 1)), st.sampled_from((-1, 5, 2**63 - 1))),
    base_offset=st.sampled_from((0, 2**63 - 5)),
)
def test_plausible_says_what_the_reference_engine_says(
    count: int, delta: int, payload: bytes, attributes: int, timestamps: tuple[int, int], base_offset: int
) -> None:
    data = batch(
        base_offset=base_offset,
        last_offset_delta=delta,
        count=count,
        payload=payload,
        attributes=attributes,
        base_timestamp=timestamps[0],
        max_timestamp=timestamps[1],
    )
    found = read(data)
    entry = Entry(data)
    assert [bool(each) for each in found.plausible()] == [entry.is_plausible(entry.header())] * len(found)


def test_ordinary_batches_of_a_wrong_crc_are_read_all_the_same() -> None:
    found = read(batch(crc=7))
    assert found.headers["crc"].tolist() == [7]
    assert struct.pack(">I", 7) == bytes(found.data[17:21])


@pytest.mark.parametrize("count", [63, 64, 127, 128, 129, 1000, 20_000])
def test_any_number_of_batches(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    # From some size on it is the kernel that finds them.
    monkeypatch.setattr(headers, "_WORTH_A_KERNEL", 1 << 30)
    assert len(read(GOOD * count)) == count
    assert len(read(GOOD * count + GOOD[:-1])) == count
    bad = batch([R()], last_offset_delta=-1)
    assert len(read(GOOD * count + bad + GOOD)) == count


@pytest.mark.parametrize("size", [0, 60, 61, 72, 73, 1 << 16, 1 << 17])
def test_random_bytes_behind_a_batch(size: int) -> None:
    rnd = random.Random(size)
    for _ in range(100):
        data = bytearray(GOOD * 3 + rnd.randbytes(size % 1000))
        data[rnd.randrange(len(data))] ^= 1 << rnd.randrange(8)
        for end in (len(data), rnd.randrange(len(data))):
            read(bytes(data[:end]))


def test_what_is_large_is_walked_over_by_a_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    data = GOOD * (headers._WORTH_A_KERNEL // len(GOOD) + 1)
    expected = read(data)
    monkeypatch.setattr(headers, "_starts", None)
    found = read_batches(memoryview(data), 0, 0, Limits())
    assert found.starts.tolist() == expected.starts.tolist()
