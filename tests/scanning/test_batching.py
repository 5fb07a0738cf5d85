"""Parts of all sizes become record batches of a useful size, in order, and none is lost before an error."""

from collections.abc import Iterator
from unittest.mock import patch

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkafmt import CorruptError, columns
from kafkafmt.record_columns import Origin
from kafkafmt.reference.header import CREATE_TIME, BatchHeader
from kafkafmt.reference.record import Record
from kafkafmt.scanning import batching
from kafkafmt.scanning.batching import Part, Run, last_of, record_batches, rows_of

SCHEMA = columns.select(["offset", "value"])
ORIGIN = Origin("t", 0, "a.log")
HEADER = BatchHeader("a.log", 0, 100, 0, 2)


def run(first: int, count: int, value: bytes = b"v") -> Run:
    records = [Record(HEADER, n, 0, CREATE_TIME, -1, None, value, []) for n in range(first, first + count)]
    return Run(ORIGIN, records)


def columnar(first: int, count: int, value: bytes = b"v") -> pa.RecordBatch:
    arrays = [pa.array(range(first, first + count), pa.int64()), pa.array([value] * count, pa.binary())]
    return pa.RecordBatch.from_arrays(arrays, schema=SCHEMA)


@st.composite
def parts(draw: st.DrawFn) -> list[Part]:
    """Parts of both kinds, whose offsets go up by one; no decoder gives an empty record batch."""
    found: list[Part] = []
    offset = 0
    for count in draw(st.lists(st.integers(0, 12), max_size=12)):
        found.append(draw(st.sampled_from((run, columnar) if count else (run,)))(offset, count))
        offset += count
    return found


def offsets(batches: list[pa.RecordBatch]) -> list[int]:
    return [offset for batch in batches for offset in batch.column("offset").to_pylist()]


def of_parts(found: list[Part]) -> list[int]:
    return [
        offset
        for part in found
        for offset in ([r.offset for r in part.records] if isinstance(part, Run) else offsets([part]))
    ]


@given(parts(), st.none() | st.integers(0, 60), st.integers(1, 9), st.integers(1, 9), st.integers(1, 200))
def test_all_rows_come_in_order_and_no_batch_is_empty(
    given_parts: list[Part], most: int | None, rows: int, few_rows: int, few_bytes: int
) -> None:
    everything = of_parts(given_parts)
    with (
        patch.object(batching, "_ROWS", rows),
        patch.object(batching, "_FEW_ROWS", few_rows),
        patch.object(batching, "_FEW_BYTES", few_bytes),
    ):
        found = list(record_batches(iter(given_parts), SCHEMA, most))
    assert offsets(found) == everything[:most]
    assert all(batch.num_rows for batch in found)
    assert all(batch.schema.equals(SCHEMA) for batch in found)
    largest = max((rows_of(part) for part in given_parts if not isinstance(part, Run)), default=0)
    assert all(batch.num_rows < rows + few_rows + largest for batch in found)


@given(parts(), st.integers(0, 60))
def test_no_more_is_taken_than_it_takes(given_parts: list[Part], most: int) -> None:
    taken: list[Part] = []

    def tell() -> Iterator[Part]:
        for part in given_parts:
            taken.append(part)
            yield part

    list(record_batches(tell(), SCHEMA, most))
    before = sum(map(rows_of, taken[:-1]))
    assert before < most or not taken


@given(parts(), st.integers(0, 60))
def test_the_last_rows_are_those_of_all(given_parts: list[Part], count: int) -> None:
    everything = of_parts(given_parts)
    found = last_of(iter(given_parts), count)
    assert of_parts(found) == everything[max(0, len(everything) - count) :]
    assert sum(map(rows_of, found)) == min(count, len(everything))


def test_what_comes_before_damage_is_given_first() -> None:
    def damaged() -> Iterator[Part]:
        yield columnar(0, 3)
        yield run(3, 2)
        raise CorruptError("broken")

    reader = record_batches(damaged(), SCHEMA)
    found = [next(reader)]
    assert offsets(found) == [0, 1, 2, 3, 4]
    with pytest.raises(CorruptError):
        next(reader)


def test_other_errors_do_not_wait_for_what_was_read() -> None:
    def interrupted() -> Iterator[Part]:
        yield columnar(0, 3)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        next(record_batches(interrupted(), SCHEMA))


def test_large_record_batches_are_handed_on_as_they_are_and_small_ones_put_together() -> None:
    large = columnar(10, 5000)
    few_but_large = columnar(5010, 2, bytes(1 << 20))
    given_parts = [columnar(0, 5), run(5, 5), large, run(5010, 0), few_but_large, columnar(5012, 1)]
    found = list(record_batches(given_parts, SCHEMA))
    assert [batch.num_rows for batch in found] == [10, 5000, 2, 1]
    assert found[1].column("offset").buffers()[1].address == large.column("offset").buffers()[1].address
    many = list(record_batches((columnar(2 * n, 2) for n in range(5000)), SCHEMA))
    assert [batch.num_rows for batch in many] == [4096, 4096, 10_000 - 2 * 4096]


def test_a_record_batch_is_cut_where_enough_is_enough() -> None:
    assert offsets(list(record_batches([run(0, 3), columnar(3, 5000)], SCHEMA, 5))) == [0, 1, 2, 3, 4]
    assert list(record_batches([run(0, 3)], SCHEMA, 0)) == []
