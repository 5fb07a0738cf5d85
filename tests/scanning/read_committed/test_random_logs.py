"""`isolation_level="read_committed"` on random logs: whole, compacted, with flipped bits."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kafkafmt
from kafkafmt import ChecksumError
from kafkafmt.logdir.transaction_plan import TransactionPlanner
from tests import reads
from tests.logdir.builders import checkpoint, file_name
from tests.reference import builder
from tests.scanning.read_committed.committed_reads import committed, damaged, offsets, told
from tests.transactions import ABORT, COMMIT, Appended, Log, consumed, data

actions = st.lists(
    st.tuples(st.sampled_from(["data", "data", "plain", "idempotent", "commit", "abort"]), st.integers(0, 3)),
    max_size=40,
)


def appended(done: list[tuple[str, int]]) -> Log:
    log = Log()
    for action, producer_id in done:
        if action == "data":
            log.data(producer_id, 1 + producer_id)
        elif action == "plain":
            log.data(count=2)
        elif action == "idempotent":
            log.idempotent(producer_id + 10)
        else:
            log.end_of(producer_id, ABORT if action == "abort" else COMMIT, epoch=producer_id % 2)
    return log


@pytest.mark.slow
@given(
    actions,
    st.sets(st.integers(1, 39), max_size=4),
    st.integers(0, 60),
    st.integers(0, 60),
    st.sampled_from(["columnar", "reference"]),
)
def test_a_random_interleaving_is_read_as_the_consumer_reads_it(
    done: list[tuple[str, int]], rolled: set[int], start: int, length: int, engine: str
) -> None:
    log = appended(done)
    expected, _ = consumed(log.batches)
    wanted: dict[str, Any] = {"engine": engine}
    with TemporaryDirectory() as name:
        directory = log.write(Path(name) / "t-0", *sorted(each for each in rolled if each < len(log.batches)))
        scan = committed(directory, **wanted)
        assert scan.to_table().column("offset").to_pylist() == expected
        assert scan.count() == len(expected)
        assert scan.tail(3).read_all().column("offset").to_pylist() == expected[-3:]
        assert scan.head(3).read_all().column("offset").to_pylist() == expected[:3]
        inside = [each for each in expected if start <= each < start + length]
        bounded = committed(directory, start_offset=start, end_offset=start + length, **wanted)
        assert bounded.to_table().column("offset").to_pylist() == inside
        assert bounded.count() == len(inside)
        assert bounded.tail(2).read_all().column("offset").to_pylist() == inside[-2:]
        checkpoint(Path(name), "replication-offset-checkpoint", {("t", 0): start})
        at_mark = [each for each in consumed(log.batches, start)[0] if each < start]
        assert offsets(directory, end_offset="high_watermark", **wanted) == at_mark


def cleaned(log: Log, fates: list[int]) -> list[Appended]:
    """A log as a cleaner may leave it: open transactions are unchanged; a marker is removed after its data."""
    _, stable = consumed(log.batches)
    left: list[Appended] = []
    data_left: dict[int, bool] = {}
    for number, each in enumerate(log.batches):
        fate = fates[number % len(fates)] if fates else 0
        decided = stable is None or each.last < stable
        if not decided or fate == 0 or (each.kind is not None and data_left.get(each.producer_id)):
            left.append(each)
        elif each.kind is None and fate == 1:
            attributes, sequence = (0x10, 0) if each.is_transactional and each.producer_id >= 0 else (0, -1)
            content = builder.batch(
                [],
                base_offset=each.first,
                last_offset_delta=each.last - each.first,
                attributes=attributes,
                producer_id=each.producer_id,
                base_sequence=sequence,
                base_timestamp=-1,
            )
            left.append(Appended(content, each.first, each.last, each.producer_id, -1))
        data_left[each.producer_id] = each.kind is None and (
            bool(data_left.get(each.producer_id)) or (bool(left) and left[-1] is each)
        )
    return left


@given(actions, st.lists(st.integers(0, 2), max_size=40))
def test_a_compacted_log_has_the_records_that_are_left(done: list[tuple[str, int]], fates: list[int]) -> None:
    log = appended(done)
    left = cleaned(log, fates)
    kept = {offset for each in left if each.kind is None for offset in each.offsets}
    with TemporaryDirectory() as name:
        (Path(name) / file_name(0)).write_bytes(b"".join(each.content for each in left))
        assert offsets(name) == [each for each in consumed(log.batches)[0] if each in kept]


@given(actions, st.lists(st.tuples(st.integers(0, 5000), st.integers(0, 7)), min_size=1, max_size=4))
def test_whatever_flips_both_engines_agree_and_each_damage_is_told_once(
    done: list[tuple[str, int]], flips: list[tuple[int, int]]
) -> None:
    log = appended(done)
    content = bytearray(b"".join(each.content for each in log.batches))
    if not content:
        return
    for position, bit in flips:
        content[position % len(content)] ^= 1 << bit
    with TemporaryDirectory() as name:
        (Path(name) / file_name(0)).write_bytes(content)
        found = []
        for engine in ("reference", "columnar"):
            scan = committed(name, on_damage="skip", engine=engine)
            rows = scan.to_table()
            places = [(each.file, each.position) for each in scan.damage]
            assert len(set(places)) == len(places)
            found.append((rows, told(scan)))
            try:
                sound = offsets(name, engine=engine)
            except kafkafmt.KafkafmtError:
                continue
            assert sound == rows.column("offset").to_pylist()
        assert found[0] == found[1]


@given(actions, st.integers(0, 39), st.integers(21, 120), st.integers(0, 7))
def test_a_bit_that_flips_where_a_crc_covers_it_frees_nothing_that_was_aborted_or_open(
    done: list[tuple[str, int]], which: int, position: int, bit: int
) -> None:
    log = appended(done)
    uncommitted = {
        offset for each in log.batches if each.is_transactional for offset in each.offsets if each.producer_id >= 0
    } - set(consumed([*log.batches, *(Appended(b"", 10**6, 10**6, who, ABORT) for who in range(4))])[0])
    if which >= len(log.batches) or position >= len(log.batches[which].content):
        return
    damaged(log, which, position, 1 << bit)
    with TemporaryDirectory() as name:
        log.write(Path(name))
        scan = committed(name, on_damage="skip")
        found = scan.to_table().column("offset").to_pylist()
        assert uncommitted.isdisjoint(found)
        assert len(scan.damage) <= 1
        if scan.damage:
            with pytest.raises(ChecksumError):
                offsets(name)
        else:
            # Open transactions are not read, so damage in them is not noticed.
            assert offsets(name) == found == consumed(log.batches)[0]


@given(actions, st.lists(st.tuples(st.integers(0, 5000), st.integers(0, 7)), max_size=3), st.booleans())
def test_a_plan_made_in_bulk_is_the_one_made_entry_by_entry(
    done: list[tuple[str, int]],
    flips: list[tuple[int, int]],
    checked: bool,
) -> None:
    content = bytearray(b"".join(each.content for each in appended(done).batches) + data(10**6))
    for position, bit in flips:
        content[position % len(content)] ^= 1 << bit
    plans = []
    with TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patched:
        (Path(name) / file_name(0)).write_bytes(content)
        for _ in range(2):
            for on_damage in ("raise", "skip"):
                partition = kafkafmt.Partition(name)
                planner = TransactionPlanner(partition.segments, on_damage=on_damage, verify_checksums=checked)
                plan = planner.plan()
                damage = [(each.position, each.length, str(each.error)) for each in plan.damage]
                found = (plan.transactions.aborted, plan.transactions.last_stable_offset, damage, str(plan.error))
                plans.append(found)
            reads.jump_over(patched, 1)
    assert plans[:2] == plans[2:]
