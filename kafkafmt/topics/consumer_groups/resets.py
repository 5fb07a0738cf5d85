"""Detects resets: commits that moved offsets of a group back, or moved them while the group had no members.

A consumer moves its offsets forward. Other moves come from `kafka-consumer-groups.sh --reset-offsets`, for which the
group must be empty, or from a consumer that seeks.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from kafkafmt.topics.consumer_groups.group_so_far import GroupEvent

_AT_ONCE_MS: Final = 1000
"""Longest time between two commits of one reset, in ms."""


@dataclass(slots=True)
class Reset:
    """Offsets of a group that were moved together.

    Attributes:
        group: id of the group.
        timestamp: timestamp of the first commit, in ms since the epoch; None if unknown.
        state: state of the group then; None if unknown.
        generation: generation of the group; None if unknown.
        record_offset: offset of the first commit.
        coordinator_partition: partition of `__consumer_offsets` with that commit.
        offsets: number of offsets that were moved.
        moved: total number of records by which they were moved; below 0 for back.
        lasted: timestamp of the last commit.
    """

    group: str
    timestamp: int | None
    state: str | None
    generation: int | None
    record_offset: int
    coordinator_partition: int
    offsets: int = 0
    moved: int = 0
    lasted: int | None = None


def is_reset(event: GroupEvent) -> bool:
    """Whether an event is a commit that took effect and moved an offset in a way that normal consumption does not."""
    if event.offset is None or event.previous_offset is None or event.transaction not in (None, "committed"):
        return False
    return event.offset < event.previous_offset or (event.members == 0 and event.offset != event.previous_offset)


class Resets:
    """Collects the resets among events.

    Args:
        most: number of resets to keep, the first ones.

    Attributes:
        kept: the kept resets, in log order.
        count: number of all resets.
    """

    def __init__(self, most: int) -> None:
        self.kept: list[Reset] = []
        self.count = 0
        self._most = most
        self._last: dict[str, Reset] = {}

    def watch(self, events: Iterable[GroupEvent]) -> Iterator[GroupEvent]:
        """Yield the same events, one by one, and collect resets."""
        for event in events:
            if is_reset(event):
                self._take(event)
            elif event.event != "metadata":
                self._last.pop(event.group, None)
            yield event

    def _take(self, event: GroupEvent) -> None:
        reset = self._last.get(event.group)
        moved = (event.offset or 0) - (event.previous_offset or 0)
        if reset is None or not _follows(reset, event) or (moved < 0) != (reset.moved < 0):
            reset = Reset(
                event.group,
                event.timestamp,
                event.state,
                event.generation,
                event.record_offset,
                event.coordinator_partition,
            )
            self._last[event.group] = reset
            self.count += 1
            if len(self.kept) < self._most:
                self.kept.append(reset)
        reset.offsets += 1
        reset.moved += moved
        reset.lasted = event.timestamp


def _follows(reset: Reset, event: GroupEvent) -> bool:
    """Whether a commit belongs to the previous reset."""
    if event.timestamp is None or reset.lasted is None:
        return event.timestamp == reset.lasted
    return abs(event.timestamp - reset.lasted) <= _AT_ONCE_MS
