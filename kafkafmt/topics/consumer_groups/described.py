"""Description: what a kind of group's records tell, the same for all kinds."""

from dataclasses import dataclass

from kafkafmt.topics.consumer_groups.model import GroupState, GroupType, Member


@dataclass(frozen=True)
class Description:
    """A group without its name and offsets; the attributes are those of `Group`."""

    type: GroupType
    state: GroupState | None
    protocol: str | None
    protocol_type: str = ""
    epoch: int | None = None
    assignment_epoch: int | None = None
    leader: str | None = None
    state_timestamp: int | None = None
    is_simple: bool = False
    topology_epoch: int | None = None
    subscribed_topics: tuple[str, ...] = ()
    members: tuple[Member, ...] = ()
