"""The producer state of a log, for every way to read it, compared with a batch-by-batch model."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kafkafmt.topics
from kafkafmt.errors import LimitExceededError
from kafkafmt.io.base import File
from kafkafmt.logdir import producer_states
from kafkafmt.topics.producer_state import producers
from tests.topics.producer_logs import ABORT, COMMIT, INT_MAX, ProducerLog, Step, steps


@pytest.fixture(params=["in bulk", "one by one"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read batches in bulk, as small ones are, and one by one, as large ones are."""
    if request.param == "one by one":
        monkeypatch.setattr(File, "worth_skipping", 40)


@pytest.mark.slow
@pytest.mark.usefixtures("way")
@given(data=st.data(), made=st.lists(steps(), max_size=25))
def test_the_log_alone_gives_what_kafka_remembers(data: st.DataObject, made: list[Step]) -> None:
    log = ProducerLog(made)
    rolled = data.draw(st.lists(st.integers(1, max(len(made) - 1, 1)), max_size=2, unique=True).map(sorted))
    end = data.draw(st.none() | st.integers(0, log.end + 1))
    with tempfile.TemporaryDirectory() as directory:
        log.write(Path(directory, "t-0"), *[number for number in rolled if number < len(made)])
        answer = producers(directory, state_from="log", at_offset=end)
    model = log.states(end)
    assert answer.partitions[0].entries == tuple(model[each] for each in sorted(model))
    assert (answer.findings, answer.damage, answer.notes) == ((), (), ())


@pytest.mark.slow
@pytest.mark.usefixtures("way")
@given(data=st.data(), made=st.lists(steps(), min_size=1, max_size=20))
def test_a_snapshot_and_the_log_behind_it_give_the_same(data: st.DataObject, made: list[Step]) -> None:
    log = ProducerLog(made)
    offsets = [first for first, _, _ in log.batches] + [log.end]
    at = data.draw(st.sampled_from(offsets))
    rolled = data.draw(st.integers(0, len(made) - 1))
    with tempfile.TemporaryDirectory() as directory:
        partition = log.write(Path(directory, "t-0"), *([rolled] if rolled else []))
        log.write_snapshot(partition, at)
        both = producers(directory)
        quick = producers(directory, state_from="snapshot")
    model = log.states()
    assert both.partitions[0].entries == quick.partitions[0].entries == tuple(model[each] for each in sorted(model))
    assert both.partitions[0].snapshot_offset == at
    emptied = any(step.emptied for step in made)
    assert emptied or both.findings == ()


@pytest.mark.slow
@given(made=st.lists(steps(), max_size=20), wanted=st.sets(st.integers(0, 3), min_size=1))
def test_only_some_producers(made: list[Step], wanted: set[int]) -> None:
    with tempfile.TemporaryDirectory() as directory:
        log = ProducerLog(made)
        log.write_snapshot(log.write(Path(directory, "t-0")), log.end)
        found = producers(directory, producer_ids=wanted, missing="note").partitions[0].entries
        assert (
            found == producers(directory, producer_ids=wanted, state_from="log", missing="note").partitions[0].entries
        )
    model = log.states()
    assert found == tuple(model[each] for each in sorted(wanted) if each in model)


def entries(directory: Path, *made: Step) -> list[tuple[int | None, ...]]:
    ProducerLog(made).write(directory / "t-0")
    return [
        (
            each.producer_epoch,
            each.last_sequence,
            each.last_offset,
            each.current_txn_first_offset,
            each.coordinator_epoch,
        )
        for each in producers(directory).partitions[0].entries
    ]


def test_a_marker_of_the_next_epoch_leaves_no_batch(tmp_path: Path) -> None:
    assert entries(tmp_path, Step(epoch=4, sequence=9), Step(epoch=5, kind=COMMIT, coordinator_epoch=2)) == [
        (5, -1, -1, None, 2)
    ]


def test_a_marker_of_the_same_epoch_leaves_the_batch(tmp_path: Path) -> None:
    assert entries(tmp_path, Step(epoch=4, sequence=9), Step(epoch=4, kind=ABORT)) == [(4, 9, 0, None, 0)]


def test_the_sequence_wraps(tmp_path: Path) -> None:
    assert entries(tmp_path, Step(sequence=INT_MAX, records=3, transactional=False)) == [(0, 1, 2, None, -1)]


def test_an_emptied_batch_opens_no_transaction(tmp_path: Path) -> None:
    assert entries(tmp_path, Step(emptied=True, records=3)) == [(0, 2, 2, None, -1)]


def test_too_many_producers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(producer_states, "MOST_PRODUCERS", 2)
    ProducerLog([Step(producer_id=each) for each in range(3)]).write(tmp_path / "t-0")
    with pytest.raises(LimitExceededError, match="too many producers wrote to this partition"):
        producers(tmp_path)
    assert len(kafkafmt.topics.producers(tmp_path, producer_ids=[0, 1]).to_table()) == 2
