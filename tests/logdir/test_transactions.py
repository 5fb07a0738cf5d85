"""Transactions: the builder's result for batches, and equal answers for one header and for many."""

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkafmt.columnar.headers import ABORT, COMMIT, HEADER, Headers
from kafkafmt.errors import LimitExceededError
from kafkafmt.logdir import producer_runs
from kafkafmt.logdir.producer_runs import BATCH, DATA, ProducerRun, runs_of
from kafkafmt.logdir.transactions import AbortedTransactions, TransactionsBuilder
from kafkafmt.reference.header import BatchHeader
from kafkafmt.reference.layout import CONTROL, TRANSACTIONAL

HERE = (0, 0)
LARGEST = 2**63 - 1


def add_data(builder: TransactionsBuilder, producer_id: int, lowest: int, highest: int, place: tuple[int, int]) -> None:
    builder.add(run(producer_id, DATA, lowest, highest, place))


def add_marker(builder: TransactionsBuilder, producer_id: int, offset: int, *, is_abort: bool) -> None:
    builder.add(run(producer_id, ABORT if is_abort else COMMIT, offset, offset, HERE))


def run(producer_id: int, kind: int, lowest: int, highest: int, place: tuple[int, int]) -> ProducerRun:
    return ProducerRun(
        producer_id=producer_id,
        kind=kind,
        producer_epoch=0,
        in_transaction=kind == DATA,
        first_offset=lowest,
        last_base_offset=highest,
        lowest_offset=lowest,
        highest_offset=highest,
        last_offset=highest,
        base_sequence=-1,
        last_sequence=-1,
        first_timestamp=-1,
        timestamp=-1,
        records=1,
        bytes=99,
        coordinator_epoch=-1,
        position=place[1],
        segment=place[0],
    )


def header(
    producer_id: int, base_offset: int | None, *, transactional: bool = True, control: bool = False
) -> BatchHeader:
    return BatchHeader(
        None, 0, 61, base_offset, 2, producer_id=producer_id, is_transactional=transactional, is_control_batch=control
    )


def headers(*rows: tuple[int, int, int]) -> Headers:
    """Producer id, base offset and attributes of each."""
    made = np.zeros(len(rows), HEADER)
    for name, column in zip(("producer_id", "base_offset", "attributes"), zip(*rows, strict=True), strict=False):
        made[name] = column
    return made


def built(*aborted: tuple[int, int, int], stable: int | None = None) -> AbortedTransactions:
    builder = TransactionsBuilder()
    for producer_id, first, last in aborted:
        add_data(builder, producer_id, first, first, HERE)
        add_marker(builder, producer_id, last, is_abort=True)
    if stable is not None:
        add_data(builder, 77, stable, stable, HERE)
    return builder.build()


def test_nothing_is_aborted_or_open_in_a_log_without_transactions() -> None:
    found = TransactionsBuilder().build()
    assert (found.last_stable_offset, found.aborted) == (None, [])
    assert not found.is_aborted(header(1, 5))
    assert not found.aborted_mask(headers((1, 5, TRANSACTIONAL))).any()


def test_the_next_marker_of_the_producer_decides() -> None:
    builder = TransactionsBuilder()
    add_data(builder, 1, 0, 2, HERE)
    add_data(builder, 2, 3, 3, HERE)
    add_marker(builder, 2, 4, is_abort=False)
    add_data(builder, 1, 5, 5, HERE)
    add_marker(builder, 1, 6, is_abort=True)
    add_data(builder, 1, 7, 7, HERE)
    add_marker(builder, 1, 8, is_abort=False)
    add_data(builder, 2, 9, 9, (3, 100))
    add_data(builder, 1, 10, 10, HERE)
    add_data(builder, 2, 11, 11, HERE)
    found = builder.build()
    assert found.aborted == [(1, 0, 6)]
    assert found.last_stable_offset == 9
    earliest = builder.earliest_open()
    assert earliest is not None
    assert (earliest.lowest_offset, earliest.segment, earliest.position) == (9, 3, 100)
    assert [found.is_aborted(header(1, offset)) for offset in (0, 2, 5, 7, 10)] == [True, True, True, False, False]
    assert not found.is_aborted(header(2, 3))


@pytest.mark.parametrize("is_abort", [False, True])
def test_a_marker_without_data_and_a_second_one_say_nothing(is_abort: bool) -> None:
    builder = TransactionsBuilder()
    add_marker(builder, 1, 0, is_abort=is_abort)
    add_data(builder, 1, 1, 1, HERE)
    add_marker(builder, 1, 2, is_abort=not is_abort)
    add_marker(builder, 1, 3, is_abort=is_abort)
    add_marker(builder, 9, 4, is_abort=True)
    assert builder.build().aborted == ([] if is_abort else [(1, 1, 2)])
    assert builder.earliest_open() is None


def test_only_transactional_data_with_an_offset_is_ever_aborted() -> None:
    found = built((1, 0, 9))
    assert found.is_aborted(header(1, 5))
    assert not found.is_aborted(header(1, 5, transactional=False))
    assert not found.is_aborted(header(1, 5, control=True))
    assert not found.is_aborted(header(1, None))
    rows = [(1, 5, flags) for flags in (TRANSACTIONAL, 0, TRANSACTIONAL | CONTROL, CONTROL)]
    assert found.aborted_mask(headers(*rows)).tolist() == [True, False, False, False]
    assert not found.aborted_mask(headers((1, 5, 0))).any()


def test_extreme_numbers_are_numbers() -> None:
    found = built((LARGEST, 0, LARGEST), (0, LARGEST, LARGEST), stable=LARGEST)
    assert found.last_stable_offset == LARGEST
    for producer_id, offset, expected in ((LARGEST, 7, True), (LARGEST, -1, False), (0, LARGEST, True), (0, 0, False)):
        assert found.is_aborted(header(producer_id, offset)) is expected
        assert found.aborted_mask(headers((producer_id, offset, TRANSACTIONAL))).tolist() == [expected]


def test_offsets_that_go_back_never_free_what_was_aborted() -> None:
    builder = TransactionsBuilder()
    add_data(builder, 1, 50, 50, HERE)
    add_data(builder, 1, 10, 20, HERE)
    add_marker(builder, 1, 30, is_abort=True)
    add_data(builder, 1, 40, 40, HERE)
    add_marker(builder, 1, 5, is_abort=True)
    add_data(builder, 1, 60, 60, HERE)
    add_marker(builder, 1, 61, is_abort=True)
    add_data(builder, 0, 7, 7, HERE)
    add_marker(builder, 0, 8, is_abort=True)
    add_data(builder, 3, 9, 9, HERE)
    add_data(builder, 3, 2, 2, HERE)
    found = builder.build()
    assert found.aborted == [(0, 7, 8), (1, 5, 50), (1, 60, 61)]
    assert found.last_stable_offset == 2


def test_what_is_open_at_damage_counts_as_aborted_up_to_there_and_holds_nothing_back() -> None:
    builder = TransactionsBuilder()
    add_data(builder, 1, 0, 3, HERE)
    add_data(builder, 2, 4, 4, HERE)
    builder.forget_open()
    add_data(builder, 1, 9, 9, HERE)
    add_marker(builder, 1, 10, is_abort=False)
    add_marker(builder, 2, 11, is_abort=False)
    found = builder.build()
    assert found.aborted == [(1, 0, 3), (2, 4, 4)]
    assert found.last_stable_offset is None


def test_a_split_gets_what_its_offsets_need() -> None:
    found = built((1, 0, 9), (1, 20, 29), (2, 5, 25), (3, 40, 49), stable=60)
    part = found.within(10, 40)
    assert part.aborted == [(1, 20, 29), (2, 5, 25)]
    assert part.last_stable_offset is None
    assert found.within(9, 61).aborted == found.aborted
    assert found.within(9, 61).last_stable_offset == 60
    assert found.within(30, 40).aborted == []
    assert found.within(26, 41).aborted == [(1, 20, 29), (3, 40, 49)]


def test_it_can_be_pickled_and_is_small() -> None:
    found = built(*((n % 10, 10 * n, 10 * n + 5) for n in range(1000)), stable=20_000)
    content = pickle.dumps(found)
    assert len(content) < 25 * 1000
    copy: AbortedTransactions = pickle.loads(content)
    assert (copy.aborted, copy.last_stable_offset) == (found.aborted, 20_000)


# Where the walk may end


def passed(builder: TransactionsBuilder, *offsets: int) -> bool:
    builder.passed(np.array(offsets, np.int64))
    return builder.is_done


def test_it_is_done_behind_the_end_when_nothing_is_open() -> None:
    builder = TransactionsBuilder(end=100)
    add_data(builder, 1, 50, 50, HERE)
    add_data(builder, 2, 100, 120, HERE)
    assert not passed(builder, 50, 90, 100)
    assert not passed(builder, 120, 130)
    add_marker(builder, 1, 140, is_abort=True)
    assert passed(builder, 140)
    assert builder.build().aborted == [(1, 50, 140)]
    assert builder.build().last_stable_offset is None


def test_one_batch_beyond_the_end_does_not_end_it() -> None:
    builder = TransactionsBuilder(end=100)
    assert not passed(builder, 50, 2**60)
    assert not passed(builder, 51, 2**60)
    assert not passed(builder, 52)
    assert not passed(builder)
    assert not passed(builder, 100)
    assert passed(builder, 101)


def test_at_the_end_of_the_log_it_is_done_whatever_is_open() -> None:
    builder = TransactionsBuilder(end=100, log_end=100)
    add_data(builder, 1, 50, 50, HERE)
    add_data(builder, 2, 60, 60, HERE)
    add_marker(builder, 1, 99, is_abort=True)
    add_marker(builder, 2, 100, is_abort=False)
    assert passed(builder, 100, 101)
    assert builder.is_done_before(100)
    assert builder.build().aborted == [(1, 50, 99)]
    assert builder.build().last_stable_offset == 60


def test_of_an_end_below_that_of_the_log_the_markers_between_count() -> None:
    builder = TransactionsBuilder(end=50, log_end=100)
    add_data(builder, 1, 40, 40, HERE)
    add_data(builder, 2, 41, 41, HERE)
    add_marker(builder, 1, 60, is_abort=True)
    add_marker(builder, 2, 100, is_abort=True)
    assert not passed(builder, 60, 100)
    assert builder.build().aborted == [(1, 40, 60)]
    assert builder.build().last_stable_offset == 41


@pytest.mark.parametrize(
    ("end", "base_offset", "expected"), [(None, 5, False), (5, None, False), (5, 4, False), (5, 5, True)]
)
def test_segments_behind_the_end_do_not_matter(end: int | None, base_offset: int | None, *, expected: bool) -> None:
    builder = TransactionsBuilder(end=end)
    assert builder.is_done_before(base_offset) is expected
    add_data(builder, 1, 0, 0, HERE)
    assert not builder.is_done_before(base_offset)


def test_too_many_that_are_open_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(producer_runs, "MOST_OPEN", 1)
    builder = TransactionsBuilder()
    add_data(builder, 1, 0, 0, HERE)
    with pytest.raises(LimitExceededError):
        add_data(builder, 2, 1, 1, HERE)
    builder.forget_open()
    assert builder.build().aborted == [(1, 0, 0), (2, 1, 1)]


@given(
    st.lists(
        st.lists(st.tuples(st.integers(0, 2), st.sampled_from([DATA, DATA, ABORT, COMMIT]), st.integers(0, 30))),
        max_size=3,
    ),
    st.none() | st.integers(0, 30),
    st.none() | st.integers(0, 30),
)
def test_batches_added_all_at_once_are_those_added_one_by_one(
    groups: list[list[tuple[int, int, int]]], end: int | None, log_end: int | None
) -> None:
    bulk, single = TransactionsBuilder(end, log_end), TransactionsBuilder(end, log_end)
    for segment, group in enumerate(groups):
        rows = np.zeros(len(group), BATCH)
        for row, (producer_id, kind, offset) in zip(rows, group, strict=True):
            row["producer_id"], row["kind"], row["base_offset"] = producer_id, kind, offset
            row["in_transaction"] = kind == DATA
        for rest in runs_of(bulk.add_ended(rows, segment), segment):
            bulk.add(rest)
        for producer_id, kind, offset in group:
            single.add(run(producer_id, kind, offset, offset, (segment, 0)))
    assert bulk.reach == single.reach
    found, expected = bulk.build(), single.build()
    assert (found.aborted, found.last_stable_offset) == (expected.aborted, expected.last_stable_offset)


# One header and many


ids = st.integers(0, 4)
places = st.integers(0, 60)


@given(
    st.lists(st.tuples(ids, places, places)),
    st.lists(st.tuples(ids, places, st.sampled_from([TRANSACTIONAL, TRANSACTIONAL | CONTROL, 0])), min_size=1),
    places,
    places,
)
def test_the_mask_is_what_is_said_of_each(
    aborted: list[tuple[int, int, int]], rows: list[tuple[int, int, int]], start: int, end: int
) -> None:
    found = built(*aborted)

    def expected(row: tuple[int, int, int]) -> bool:
        producer_id, offset, attributes = row
        ranges = ((who, min(first, last), max(first, last)) for who, first, last in aborted)
        covered = any(who == producer_id and first <= offset <= last for who, first, last in ranges)
        return covered and attributes == TRANSACTIONAL

    def each(among: AbortedTransactions, some: Any) -> list[bool]:
        described = (
            header(who, offset, transactional=bool(bits & TRANSACTIONAL), control=bool(bits & CONTROL))
            for who, offset, bits in some
        )
        return [among.is_aborted(one) for one in described]

    said = [expected(row) for row in rows]
    assert found.aborted_mask(headers(*rows)).tolist() == said
    assert each(found, rows) == said
    inside = [row for row in rows if start <= row[1] < end]
    if inside:
        part = found.within(start, end)
        assert part.aborted_mask(headers(*inside)).tolist() == [expected(row) for row in inside] == each(part, inside)
