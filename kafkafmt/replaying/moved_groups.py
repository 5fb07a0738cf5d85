"""MovedGroups: groups that have offsets in the target before a run commits theirs there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kafkafmt.phrases import listed
from kafkafmt.replaying.checks import TargetFacts
from kafkafmt.replaying.cluster import Position
from kafkafmt.replaying.lanes import Lane
from kafkafmt.replaying.producer import Place


@dataclass(frozen=True, slots=True)
class MovedGroups:
    """Groups that have offsets in the target already, of partitions in which no start has committed some.

    Attributes:
        unread: refusals of groups that would be moved past records of others that they have not read.
        replaced: warnings of the other groups.
    """

    unread: Sequence[str]
    replaced: Sequence[str]

    @classmethod
    def of(
        cls,
        found: TargetFacts,
        wanted: Mapping[Lane, Sequence[str]],
        current: Mapping[str, Mapping[Place, Position]],
    ) -> "MovedGroups":
        """Compare them with where the run begins.

        Args:
            found: what is compared.
            wanted: groups of lanes whose offsets are to be committed.
            current: offsets that the groups have in the target.
        """
        unread: dict[str, list[str]] = {}
        replaced: dict[str, list[str]] = {}
        for lane, groups in wanted.items():
            first, end = found.ends.get(lane.target, (0, 0))
            begin = found.positions[lane].start if lane in found.positions else end
            topic, number = lane.target
            for group in groups:
                there = current.get(group, {}).get(lane.target)
                if there is None:
                    continue
                is_behind = max(there.offset, first) < begin
                text = f"{topic}-{number} at offset {there.offset}" + (f" of {begin}" if is_behind else "")
                (unread if is_behind else replaced).setdefault(group, []).append(text)
        return cls(
            tuple(
                f"group {group} of the target is in {listed(places)}: --groups would move it past records that it has "
                "not read. Let it read them, or leave --groups out"
                for group, places in unread.items()
            ),
            tuple(
                f"group {group} of the target is in {listed(places)}: --groups moves it to where it was in the source"
                for group, places in replaced.items()
            ),
        )
