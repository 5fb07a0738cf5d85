"""Recovery of a segment in bulk equals recovery batch by batch."""

import random
from pathlib import Path
from typing import Any

import pytest

from kafkafmt import Segment
from kafkafmt.startup.outcome import BrokerError
from kafkafmt.startup.recovered import EpochCache, ReplayedProducers
from kafkafmt.startup.segment import LoadedSegment
from tests.reference.builder import R, batch
from tests.survey.test_bulk import mutated, segment_of


def outcome(path: Path, interval: int) -> tuple[Any, ...]:
    entry = next(each for each in Segment(path).location.parent.list() if each.name == path.name)
    segment = LoadedSegment(0, entry, None)
    state = ReplayedProducers(0)
    try:
        found = segment.recover(state, EpochCache(), interval)
    except BrokerError as error:
        return str(error), segment.size, bool(state)
    finally:
        segment.close()
    return (
        (found.size, found.truncated, found.reason, found.index, found.time_index, found.completes_aborted),
        (segment.size, segment.index_count, state.offset, bool(state)),
    )


def assert_equal_by_batch(path: Path, interval: int, monkeypatch: pytest.MonkeyPatch) -> None:
    in_bulk = outcome(path, interval)
    with monkeypatch.context() as patch:
        patch.setattr(LoadedSegment, "_window_at", lambda _, _position, _most: None)
        assert in_bulk == outcome(path, interval)


@pytest.mark.parametrize("seed", range(60))
def test_made_and_mutated_segments(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rnd = random.Random(seed)
    path = tmp_path / f"{0:020}.log"
    path.write_bytes(mutated(segment_of(rnd), rnd))
    assert_equal_by_batch(path, rnd.choice((0, 100, 400, 4096)), monkeypatch)


def test_transactions_between_other_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    marker = R(key=b"\0\0\0\0", value=b"\0\0\0\0\0\0")
    kinds = {"data": (16, R()), "abort": (48, marker), "plain": (0, R())}
    order = ["plain", "data", "plain", "plain", "abort", "plain", "data"]
    batches = [
        batch([record], base_offset=number, attributes=attributes, producer_id=7 if attributes else -1)
        for number, (attributes, record) in enumerate(kinds[kind] for kind in order)
    ]
    path = tmp_path / f"{0:020}.log"
    path.write_bytes(b"".join(batches))
    (_, _, _, _, _, completes_aborted), (*_, is_open) = outcome(path, 4096)
    assert completes_aborted
    assert is_open
    assert_equal_by_batch(path, 4096, monkeypatch)
