"""Headers read in bulk, and the verdicts on their batches: the same as from the reference engine."""

import random
import struct
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkafmt import ChecksumError
from kafkafmt.columnar import headers
from kafkafmt.columnar.header_walk import walk_headers
from kafkafmt.columnar.headers import (
    ABORT,
    COMMIT,
    HEADER,
    OTHER_MARKER,
    Batches,
    descriptions,
    first_wrong,
    marker_types,
    read_batches,
)
from kafkafmt.columnar.kernels import first_wrong_crc
from kafkafmt.errors import KafkafmtError
from kafkafmt.files import segment
from kafkafmt.files.segment_reader import SegmentReader
from kafkafmt.io.source import open_file
from kafkafmt.limits import Limits
from kafkafmt.reference.entry import Entry
from kafkafmt.reference.header import BatchHeader
from tests.engines import shown, shown_headers
from tests.golden_cases import Case, cases
from tests.hostile.mutations import entries
from tests.reference import builder, strategies
from tests.reference.builder import (
    CONTROL,
    DELETE_HORIZON,
    LOG_APPEND_TIME,
    TRANSACTIONAL,
    R,
    batch,
    message,
    with_size,
)
from tests.transactions import data, marker

GOOD = batch([R(), R(1)], base_offset=5)
ZSTD = 4


def read(data: bytes, begin: int = 0, position: int = 0, limits: Limits | None = None) -> Batches:
    """Read headers by numpy and by the kernel; both must find the same, whatever follows the end."""
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
                continue  # deliberately damaged batches need not be taken
            header = entry.header()
            assert (found.position, int(found.starts[0]), int(found.ends[0])) == (100, begin, end)
            assert found.headers["num_records"][0] == header.count
            assert found.last_offsets[0] == header.last_offset
            assert bool(found.plausible()[0]) == entry.is_plausible(header)


@pytest.mark.slow
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
    # Above a certain size the kernel finds them.
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


def checked_batches(data: bytes, begin: int = 0) -> Batches:
    return read_batches(memoryview(data), begin, 0, Limits())


@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=8), st.integers(0, 40))
def test_the_first_wrong_one_that_is_looked_at_is_found(kinds: list[tuple[bool, bool]], size: int) -> None:
    data = b"".join(batch([R(value=bytes(size))], crc=None if right else 1) for right, _ in kinds)
    batches = checked_batches(b"xx" + data, 2)
    assert len(batches) == len(kinds)
    right = [right for right, _ in kinds]
    assert first_wrong(batches) == (right.index(False) if False in right else len(kinds))
    passes = [is_right or not looked_at for is_right, looked_at in kinds]
    checked = np.array([looked_at for _, looked_at in kinds], np.bool_)
    expected = passes.index(False) if False in passes else len(kinds)
    assert first_wrong(batches, checked) == expected
    source = np.frombuffer(b"xx" + data, np.uint8)
    assert first_wrong_crc(source, batches.starts, batches.ends, batches.headers, checked) == expected


@pytest.mark.slow
def test_of_golden_logs_the_same_are_wrong_as_for_the_reference_engine() -> None:
    wrong = looked_at = 0
    for case in cases("modern"):
        for path in case.files("*.log"):
            data = path.read_bytes()
            for begin, end, _ in entries(data):
                batches = checked_batches(data, begin)[:1]
                if not len(batches):
                    continue
                looked_at += 1
                try:
                    Entry(data[begin:end]).verify_checksum()
                except ChecksumError:
                    wrong += 1
                    assert first_wrong(batches) == 0
                else:
                    assert first_wrong(batches) == 1
    assert looked_at > 1000
    assert 0 < wrong < 100


INT32 = st.integers(-(2**31), 2**31 - 1)
INT64 = st.integers(-(2**63), 2**63 - 1)
EDGES = st.sampled_from((-2, -1, 0, 2**31 - 2, 2**31 - 1))


@given(
    fields=st.fixed_dictionaries(
        {
            "base_offset": st.integers(0, 2**62),
            "leader_epoch": INT32,
            "last_offset_delta": st.integers(0, 2**31 - 1) | st.sampled_from((0, 1, 2**31 - 1)),
            "base_timestamp": INT64,
            "max_timestamp": INT64,
            "producer_id": INT64,
            "producer_epoch": st.integers(-(2**15), 2**15 - 1),
            "base_sequence": INT32 | EDGES,
            "attributes": st.builds(
                lambda codec, bits: codec | sum(bits),
                st.integers(0, 4),
                st.sets(st.sampled_from((CONTROL, TRANSACTIONAL, DELETE_HORIZON, LOG_APPEND_TIME))),
            ),
        }
    ),
    is_valid=st.sampled_from((None, True)),
)
def test_a_description_is_that_of_the_reference_engine(fields: dict[str, Any], is_valid: bool | None) -> None:
    data = batch([R()], **fields)
    found = descriptions(read_batches(memoryview(b"xyz" + data), 3, 100, Limits()), "a.log", is_valid=is_valid)
    expected = Entry(data, "a.log", 103).describe(verify_checksum=is_valid is not None)
    assert list(shown_headers(found)) == list(shown_headers([expected]))


def listed(headers: Iterable[BatchHeader]) -> tuple[object, ...]:
    found: list[tuple[object, ...]] = []
    try:
        for header in headers:
            found += shown_headers([header])
    except KafkafmtError as error:
        return found, shown(error)
    return found, None


@pytest.mark.parametrize("case", cases(), ids=str)
def test_batches_of_golden_segments_are_listed_as_they_are_one_by_one(case: Case) -> None:
    for path in case.files("*.log*", "*.checkpoint"):
        with open_file(path) as file:
            for verify in (False, True):
                found = listed(segment.batches(file, name="a.log", verify_checksums=verify))
                expected = SegmentReader(file, name="a.log").walk(lambda e, v=verify: e.describe(verify_checksum=v))  # type: ignore[misc]
                assert found == listed(expected), path


def types_of(content: bytes) -> list[int]:
    types: list[int] = marker_types(read_batches(memoryview(content), 0, 0, Limits())).tolist()
    return types


def test_markers_as_brokers_write_them_are_ordinary() -> None:
    assert types_of(marker(5, 1, ABORT) + marker(6, 1, COMMIT) + marker(7, 1, ABORT, epoch=9)) == [ABORT, COMMIT, ABORT]


@pytest.mark.parametrize(
    "content",
    [
        marker(0, 1, 2),
        marker(0, 1, 256),
        marker(0, 1, COMMIT, key=struct.pack(">hh", 1, 1)),
        marker(0, 1, COMMIT, key=struct.pack(">h", 1)),
        marker(0, 1, COMMIT, value=struct.pack(">hi", 1, 7)),
        marker(0, 1, COMMIT, value=struct.pack(">h", 0)),
        marker(0, 1, COMMIT, timestamp_delta=-1),
        marker(0, 1, COMMIT, timestamp_delta=-(2**40)),
        builder.batch([builder.R()] * 2, attributes=CONTROL),
        data(0, 1),
    ],
    ids=range(10),
)
def test_anything_else_is_not(content: bytes) -> None:
    assert types_of(content) == [OTHER_MARKER]


def test_none_are_none() -> None:
    assert types_of(b"") == []


@pytest.mark.parametrize("case", cases("modern"), ids=str)
def test_golden_markers_are_what_the_reference_engine_reads(case: Case) -> None:
    for path in case.files("*.log"):
        content = path.read_bytes()
        batches = read_batches(memoryview(content), 0, 0, Limits())
        control = np.flatnonzero((batches.headers["attributes"] & CONTROL) != 0)
        chosen = batches[control]
        for start, end, header, found in zip(
            chosen.starts, chosen.ends, chosen.headers, marker_types(chosen), strict=True
        ):
            if header["producer_id"] >= 0 and (header["attributes"] & 0x40) == 0:
                assert found != OTHER_MARKER, path
            if found != OTHER_MARKER:
                first = next(Entry(content[start:end]).records())
                assert first.control_type_id == found, path


@given(st.sampled_from([ABORT, COMMIT]), st.lists(st.tuples(st.integers(61, 77), st.integers(0, 255)), max_size=3))
def test_changed_markers_are_what_the_reference_engine_reads(kind: int, changes: list[tuple[int, int]]) -> None:
    content = bytearray(marker(3, 1, kind))
    for position, value in changes:
        content[position] = value
    (found,) = types_of(bytes(content))
    if found != OTHER_MARKER:
        assert next(Entry(bytes(content)).records()).control_type_id == found
