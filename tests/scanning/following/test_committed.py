"""`Scan.follow(isolation_level="read_committed")`: markers count, even if their segment is replaced or deleted before
it is read."""

from collections.abc import Sequence

import pytest

from kafkafmt.logdir.growth import GrowingLog, cut
from kafkafmt.logdir.segment import Segment
from tests.logdir.builders import ABORT_KEY, batch
from tests.scanning.following.test_selection import COMMIT_KEY, in_transaction, marker
from tests.scanning.growing import Broker, follow, offsets


def aborted_then_committed(offset: int) -> bytes:
    """The abort of an open transaction, and a whole one of the same producer at the next two offsets."""
    return marker(offset, ABORT_KEY) + in_transaction(offset + 1) + marker(offset + 2, COMMIT_KEY)


def test_a_segment_that_was_listed_before_its_end_is_listed_again(
    broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise the abort marker is missed, and the marker of the next transaction takes its place."""
    path = broker.write("t-0", 0, batch(0), in_transaction(1))
    follower = follow(broker.log_dir, isolation_level="read_committed")
    assert offsets(follower) == [0]
    size = path.stat().st_size
    broker.write("t-0", 0, marker(2, ABORT_KEY))
    broker.write("t-0", 3, in_transaction(3), marker(4, COMMIT_KEY))
    listed = GrowingLog.segments

    def too_early(log: GrowingLog) -> Sequence[Segment]:
        first, *others = listed(log)
        return [cut(first, size), *others]

    monkeypatch.setattr(GrowingLog, "segments", too_early)
    assert offsets(follower) == []
    monkeypatch.setattr(GrowingLog, "segments", listed)
    assert offsets(follower) == [3]


@pytest.mark.parametrize("is_smaller", [True, False])
def test_a_segment_that_was_replaced_before_its_end_was_read(broker: Broker, *, is_smaller: bool) -> None:
    """Replaced by compaction, or by a copy of the growing file as rsync makes it."""
    before = batch(0, 50), in_transaction(50), marker(51, COMMIT_KEY), in_transaction(52)
    broker.write("t-0", 0, *before)
    follower = follow(broker.log_dir, isolation_level="read_committed")
    assert offsets(follower) == [*range(51)]
    kept = before[1:] if is_smaller else before
    broker.replace("t-0", 0, b"".join(kept) + aborted_then_committed(53))
    broker.write("t-0", 56, batch(56))
    assert offsets(follower) == [54, 56]


def test_a_segment_that_was_merged_into_another_before_its_end_was_read(broker: Broker) -> None:
    broker.write("t-0", 0, batch(0, 5))
    broker.write("t-0", 5, in_transaction(5))
    follower = follow(broker.log_dir, isolation_level="read_committed")
    assert offsets(follower) == [0, 1, 2, 3, 4]
    broker.replace("t-0", 0, batch(4) + in_transaction(5) + aborted_then_committed(6))
    broker.delete("t-0", 5)
    broker.write("t-0", 9, batch(9))
    assert offsets(follower) == [7, 9]


def test_a_segment_that_was_deleted_before_its_end_was_read(broker: Broker) -> None:
    """The transaction that was open there counts as aborted: its marker is gone, so nothing waits for it."""
    broker.write("t-0", 0, batch(0), in_transaction(1))
    follower = follow(broker.log_dir, isolation_level="read_committed")
    assert offsets(follower) == [0]
    broker.write("t-0", 0, marker(2, ABORT_KEY))
    broker.write("t-0", 3, batch(3))
    broker.delete("t-0", 0)
    assert offsets(follower) == [3]
    assert follower.notes == ["t-0: offsets 1 to 2 were deleted before they were read; the log now starts at 3"]


def test_a_segment_that_was_deleted_before_it_was_walked(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    """The segment before it was walked completely, with a transaction open whose marker is gone now."""
    broker.write("t-0", 0, batch(0), in_transaction(1))
    follower = follow(broker.log_dir, isolation_level="read_committed")
    assert offsets(follower) == [0]
    broker.write("t-0", 2, batch(2), marker(3, ABORT_KEY))
    broker.write("t-0", 4, batch(4))
    listed = GrowingLog.segments

    def too_early(log: GrowingLog) -> Sequence[Segment]:
        first, second, *others = listed(log)
        return [first, cut(second, second.size - 1), *others]

    monkeypatch.setattr(GrowingLog, "segments", too_early)
    assert offsets(follower) == []
    monkeypatch.setattr(GrowingLog, "segments", listed)
    broker.delete("t-0", 0)
    broker.delete("t-0", 2)
    assert offsets(follower) == [4]


def test_a_truncated_log_has_the_transactions_of_its_new_end(broker: Broker) -> None:
    broker.put("t-0/leader-epoch-checkpoint", "0\n1\n0 0\n")
    size = broker.write("t-0", 0, batch(0)).stat().st_size
    broker.write("t-0", 0, in_transaction(1), marker(2, COMMIT_KEY), batch(3, 9))
    follower = follow(broker.log_dir, isolation_level="read_committed")
    assert offsets(follower) == [0, 1, *range(3, 12)]
    broker.truncate("t-0", 0, size)
    broker.put("t-0/leader-epoch-checkpoint", "0\n2\n0 0\n1 1\n")
    broker.write("t-0", 0, in_transaction(1, epoch=1), marker(2, ABORT_KEY), batch(3, 20, epoch=1))
    assert offsets(follower) == [*range(3, 23)]
