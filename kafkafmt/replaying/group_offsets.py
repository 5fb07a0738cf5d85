"""GroupOffsets: committed offsets of the source's groups, translated while their records are sent.

A committed offset becomes that of the first record at or after it; at the end of the log, the offset after the last
record. It is committed in the transaction that sends this record, so that no group is ahead of the target's records. A
later start, with a newer copy of the source, also commits offsets that have changed among the records sent before.
"""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from kafkafmt.replaying.cluster import Position
from kafkafmt.replaying.lanes import Int64s, Lane, Progress
from kafkafmt.replaying.producer import Place

if TYPE_CHECKING:
    from kafkafmt.topics.consumer_groups import Group

_DIGITS: Final = 12


@dataclass(frozen=True, slots=True)
class GroupOffset:
    """A committed offset of the source.

    Attributes:
        group: id of the group.
        offset: the offset.
        metadata: text committed with the offset.
    """

    group: str
    offset: int
    metadata: str


class GroupOffsets:
    """Committed offsets of the source, by lane.

    Args:
        by_lane: the offsets of each lane.
        earlier: offsets, in source and target, of the records of earlier starts, for lanes for which `needs_earlier` is
            true.
        current: the groups' offsets in the target, by group and place. Among records of starts that committed offsets
            of groups, a group is not moved back, as it may have continued in the target.
    """

    def __init__(
        self,
        by_lane: Mapping[Lane, Sequence[GroupOffset]],
        earlier: Mapping[Lane, tuple[Int64s, Int64s]],
        current: Mapping[str, Mapping[Place, Position]] | None = None,
    ) -> None:
        self._earlier, self._current = earlier, current or {}
        self._by_lane = {lane: sorted(found, key=lambda each: each.offset) for lane, found in by_lane.items()}
        self._digests = {lane: _digest(found) for lane, found in by_lane.items()}

    @classmethod
    def of(
        cls,
        groups: "Iterable[Group]",
        lanes: Sequence[Lane],
        earlier: Mapping[Lane, tuple[Int64s, Int64s]],
        current: Mapping[str, Mapping[Place, Position]] | None = None,
    ) -> "GroupOffsets":
        """Take the offsets of the lanes' partitions; offsets of share groups cannot be committed like this."""
        lane_of = {(lane.topic, lane.partition): lane for lane in lanes}
        found: dict[Lane, list[GroupOffset]] = defaultdict(list)
        for group in groups:
            for each in group.offsets if group.type != "Share" else ():
                lane = lane_of.get((each.topic or "", each.partition))
                if lane is not None:
                    found[lane].append(GroupOffset(group.group_id, each.offset, each.metadata or ""))
        return cls(found, earlier, current)

    def digest(self, lane: Lane) -> str:
        """A digest of the offsets that the source's groups have in a lane."""
        return self._digests.get(lane) or _digest(())

    def is_committed(self, lane: Lane, progress: Progress) -> bool:
        """Whether earlier starts have committed these offsets, up to a position."""
        return progress.has_groups and progress.groups == self.digest(lane)

    def needs_earlier(self, lane: Lane, progress: Progress) -> bool:
        """Whether offsets of groups that lie among the records of earlier starts must be translated."""
        found = self._by_lane.get(lane, [])
        return bool(found) and found[0].offset < progress.offset and not self.is_committed(lane, progress)

    def begun(self, positions: Mapping[Lane, Progress]) -> dict[Lane, list[str]]:
        """The groups of lanes in which no start has committed offsets of groups."""
        return {
            lane: sorted({each.group for each in found})
            for lane, found in self._by_lane.items()
            if lane not in positions or not positions[lane].has_groups
        }

    def changed(self, positions: Mapping[Lane, Progress]) -> set[str]:
        """The groups whose offsets in the lanes differ from those that earlier starts have committed."""
        return {
            each.group
            for lane, progress in positions.items()
            if progress.has_groups and not self.is_committed(lane, progress)
            for each in self._by_lane.get(lane, ())
        }

    def passed(
        self,
        before: Mapping[Lane, Progress],
        after: Mapping[Lane, Progress],
        sent: Sequence[tuple[Lane, Int64s, int]],
    ) -> dict[str, dict[Place, Position]]:
        """Translated offsets that belong to a transaction, by group and place.

        Args:
            before: positions of the lanes before the transaction.
            after: positions of the transaction's lanes after it.
            sent: the transaction's batches: lane, offsets in the source, base offset in the target.
        """
        found: dict[str, dict[Place, Position]] = defaultdict(dict)
        batches: dict[Lane, list[tuple[Int64s, Int64s]]] = defaultdict(list)
        for lane, earlier in self._earlier.items():
            if lane in after and not self.is_committed(lane, before[lane]) and len(earlier[0]):
                batches[lane].append(earlier)
        for lane, offsets, base in sent:
            batches[lane].append((offsets, np.arange(base, base + len(offsets))))
        for lane, reached in after.items():
            begun = before[lane]
            is_committed = self.is_committed(lane, begun)
            for each in self._by_lane.get(lane, ()):
                is_before = each.offset < begun.offset or (begun.is_complete and each.offset <= begun.offset)
                if (is_committed and is_before) or (each.offset >= reached.offset and not reached.is_complete):
                    continue
                target = _translated(each.offset, batches[lane])
                if target is None:
                    if begun.is_complete and is_committed and not batches[lane]:
                        continue
                    target = reached.target
                there = self._current.get(each.group, {}).get(lane.target)
                if begun.has_groups and is_before and there is not None and there.offset >= target:
                    continue
                found[each.group][lane.target] = Position(target, each.metadata)
        return found


def _digest(offsets: Sequence[GroupOffset]) -> str:
    texts = sorted((each.group, each.offset, each.metadata) for each in offsets)
    return hashlib.sha256(json.dumps(texts).encode()).hexdigest()[:_DIGITS]


def _translated(offset: int, batches: Sequence[tuple[Int64s, Int64s]]) -> int | None:
    """The target's offset of the first record at or after an offset of the source; None if there is no such record."""
    for offsets, targets in batches:
        if int(offsets[-1]) >= offset:
            return int(targets[np.searchsorted(offsets, offset)])
    return None
