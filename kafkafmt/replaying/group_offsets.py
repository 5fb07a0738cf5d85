"""GroupOffsets: committed offsets of the source's groups, translated while their records are sent.

A committed offset becomes that of the first record at or after it; at the end of the log that after the last record.
It is committed in the transaction that sends this record, so that no group is ahead of what the target has.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kafkafmt.replaying.cluster import Position
from kafkafmt.replaying.lanes import Int64s, Lane, Progress
from kafkafmt.replaying.producer import Place

if TYPE_CHECKING:
    from kafkafmt.topics.consumer_groups import Group


@dataclass(frozen=True, slots=True)
class GroupOffset:
    """A committed offset of the source.

    Attributes:
        group: id of the group.
        offset: the offset.
        metadata: text that was committed with it.
    """

    group: str
    offset: int
    metadata: str


class GroupOffsets:
    """Committed offsets of the source, by lane.

    Args:
        by_lane: those of each lane.
        earlier: of lanes that earlier starts have filled without groups, the offsets of their records in the source and
            in the target.
    """

    def __init__(
        self, by_lane: Mapping[Lane, Sequence[GroupOffset]], earlier: Mapping[Lane, tuple[Int64s, Int64s]]
    ) -> None:
        self._earlier = earlier
        self._by_lane = {lane: sorted(found, key=lambda each: each.offset) for lane, found in by_lane.items()}

    @classmethod
    def of(
        cls, groups: "Iterable[Group]", lanes: Sequence[Lane], earlier: Mapping[Lane, tuple[Int64s, Int64s]]
    ) -> "GroupOffsets":
        """Take those that are of partitions of lanes; those of share groups cannot be committed so."""
        lane_of = {(lane.topic, lane.partition): lane for lane in lanes}
        found: dict[Lane, list[GroupOffset]] = defaultdict(list)
        for group in groups:
            for each in group.offsets if group.type != "Share" else ():
                lane = lane_of.get((each.topic or "", each.partition))
                if lane is not None:
                    found[lane].append(GroupOffset(group.group_id, each.offset, each.metadata or ""))
        return cls(found, earlier)

    def passed(
        self,
        before: Mapping[Lane, Progress],
        after: Mapping[Lane, Progress],
        sent: Sequence[tuple[Lane, Int64s, int]],
    ) -> dict[str, dict[Place, Position]]:
        """Translated offsets that belong to a transaction, by group and place.

        Args:
            before: positions of lanes before it.
            after: positions of its lanes after it.
            sent: its batches: lane, offsets in the source, base offset in the target.
        """
        found: dict[str, dict[Place, Position]] = defaultdict(dict)
        batches: dict[Lane, list[tuple[Int64s, Int64s]]] = defaultdict(list)
        for lane, earlier in self._earlier.items():
            if lane in after and not before[lane].has_groups and len(earlier[0]):
                batches[lane].append(earlier)
        for lane, offsets, base in sent:
            batches[lane].append((offsets, np.arange(base, base + len(offsets))))
        for lane, reached in after.items():
            begun = before[lane]
            for each in self._by_lane.get(lane, ()):
                is_known = begun.has_groups and (
                    each.offset < begun.offset or (begun.is_complete and each.offset <= begun.offset)
                )
                if is_known or (each.offset >= reached.offset and not reached.is_complete):
                    continue
                target = _translated(each.offset, batches[lane])
                if target is None:
                    if begun.is_complete and begun.has_groups and not batches[lane]:
                        continue
                    target = reached.target
                found[each.group][lane.target] = Position(target, each.metadata)
        return found


def _translated(offset: int, batches: Sequence[tuple[Int64s, Int64s]]) -> int | None:
    """Offset in the target of the first record at or after an offset of the source; None if there is none."""
    for offsets, targets in batches:
        if int(offsets[-1]) >= offset:
            return int(targets[np.searchsorted(offsets, offset)])
    return None
