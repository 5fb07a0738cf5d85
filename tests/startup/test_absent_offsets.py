"""Offsets missing between batches: a note if the topic is not compacted and nothing explains the gap."""

from pathlib import Path

import pytest

from kafkafmt.findings import Finding
from kafkafmt.startup.verify import verify
from tests.golden_cases import cluster_case


def _gaps(*paths: Path) -> list[Finding]:
    return [each for each in verify([str(path) for path in paths]).found if each.kind == "gap"]


def _without_batch(log: Path, number: int) -> tuple[int, int]:
    """Remove a batch from a log; return its first and last offset."""
    data, begin = log.read_bytes(), 0
    for _ in range(number):
        begin += 12 + int.from_bytes(data[begin + 8 : begin + 12], "big")
    end = begin + 12 + int.from_bytes(data[begin + 8 : begin + 12], "big")
    log.write_bytes(data[:begin] + data[end:])
    base, delta = (int.from_bytes(data[begin + at : begin + at + size], "big") for at, size in ((0, 8), (23, 4)))
    return base, base + delta


@pytest.mark.slow
def test_a_batch_that_was_taken_out_is_a_note(tmp_path: Path) -> None:
    """Kafka loads such a log silently, and consumers continue after the gap."""
    nodes = cluster_case(1).unpack(tmp_path)
    first, last = _without_batch(nodes[1][0] / "orders-0" / f"{0:020d}.log", 2)
    (note,) = _gaps(*nodes[1])
    assert (note.level, note.topic, note.partition) == ("note", "orders", 0)
    assert note.message.startswith(f"offsets {first} to {last} are missing between batches, and nothing in the log ")
    assert not _gaps(*nodes[2])


@pytest.mark.slow
@pytest.mark.parametrize("number", [1, 25, 30])
def test_what_brokers_wrote_has_no_gaps_without_a_reason(number: int, tmp_path: Path) -> None:
    """Transactions were aborted there, logs compacted and cut (tests/golden/cluster/README.md)."""
    cluster_case(number).unpack(tmp_path)
    assert [each.path for each in _gaps(tmp_path)] == []


def test_a_compacted_topic_may_lack_batches(tmp_path: Path) -> None:
    nodes = cluster_case(1).unpack(tmp_path)
    log = next(path for path in sorted((nodes[1][1] / "users-0").glob("*.log")) if path.stat().st_size > 600)
    _without_batch(log, 1)
    assert not _gaps(*nodes[1])
