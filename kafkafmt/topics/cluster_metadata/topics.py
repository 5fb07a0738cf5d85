"""Topics and partitions as the controller sees them, and how records change them (Kafka's `TopicsDelta`).

A function of a record raises CorruptError if the record changes something that does not exist, or has an unknown value.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any

from kafkafmt.answer_columns import Named
from kafkafmt.errors import CorruptError
from kafkafmt.reference.header import INT32_MAX

if TYPE_CHECKING:
    from kafkafmt.topics.cluster_metadata.image import Image

Data = Mapping[str, Any]

LEADER_RECOVERY_STATES: Mapping[int, str] = {0: "RECOVERED", 1: "RECOVERING"}
"""Kafka's `LeaderRecoveryState` of partitions."""

MIGRATING = "AAAAAAAAAAAAAAAAAAAAAA"
"""Directory id of a replica whose directory is not yet known (`DirectoryId.MIGRATING`)."""

# Not -1, by which a record says that there is no leader.
_NO_LEADER_CHANGE = -2
_NO_RECOVERY_CHANGE = -1


_IDS = "list<int32>"


@dataclass(frozen=True, slots=True)
class PartitionRegistration:
    """A partition as the controller knows it.

    Attributes:
        partition: number of the partition.
        leader: node id, or -1 for none.
        leader_epoch: raised by every election.
        partition_epoch: raised by every change.
        leader_recovery_state: "RECOVERED", or "RECOVERING" after an unclean election.
        replicas: node ids of its brokers, the preferred leader first.
        isr: in-sync replicas.
        removing_replicas: replicas that a reassignment removes.
        adding_replicas: replicas that a reassignment adds.
        elr: eligible leader replicas (KIP-966): not in the ISR, but with all committed records.
        last_known_elr: former eligible leader replicas that shut down uncleanly.
        directories: id of the log directory of each replica, in their order (KIP-858); all A if unknown.
    """

    partition: Annotated[int, "int32"]
    leader: Annotated[int, "int32"]
    leader_epoch: Annotated[int, "int32"]
    partition_epoch: Annotated[int, "int32"]
    leader_recovery_state: Annotated[str, "string"]
    replicas: Annotated[tuple[int, ...], _IDS]
    isr: Annotated[tuple[int, ...], _IDS]
    removing_replicas: Annotated[tuple[int, ...], _IDS]
    adding_replicas: Annotated[tuple[int, ...], _IDS]
    elr: Annotated[tuple[int, ...], _IDS]
    last_known_elr: Annotated[tuple[int, ...], _IDS]
    directories: Annotated[tuple[str, ...], "list<string>"]

    @property
    def is_under_replicated(self) -> bool:
        """Whether a replica is out of sync."""
        return len(self.isr) < len(self.replicas)

    def directory_of(self, node: int) -> str | None:
        """Id of the log directory to which a node's replica is assigned, or None."""
        return dict(zip(self.replicas, self.directories, strict=False)).get(node)


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic.

    Attributes:
        name: name of the topic.
        id: topic id.
        partitions: partitions by number, in order. The column has their number.
    """

    name: Annotated[str, Named("topic", "string")]
    id: Annotated[str, Named("topicId", "string")]
    partitions: Annotated[Mapping[int, PartitionRegistration], "int32", len] = field(repr=False, hash=False)

    @property
    def replication_factor(self) -> Annotated[int, "int32"]:
        """The largest number of replicas of a partition; 0 without partitions."""
        return max((len(each.replicas) for each in self.partitions.values()), default=0)

    @property
    def under_replicated(self) -> Annotated[int, Named("underReplicatedPartitions", "int32")]:
        """Number of partitions with a replica out of sync."""
        return sum(each.is_under_replicated for each in self.partitions.values())

    @property
    def without_leader(self) -> Annotated[int, Named("leaderlessPartitions", "int32")]:
        """Number of partitions without a leader."""
        return sum(each.leader < 0 for each in self.partitions.values())


@dataclass(slots=True)
class TopicImage:
    """A topic during replay.

    Attributes:
        name: name of the topic.
        id: topic id.
        partitions: partitions by number, in the order of their records.
    """

    name: str
    id: str
    partitions: dict[int, PartitionRegistration] = field(default_factory=dict)


def topic(image: "Image", data: Data) -> None:
    """TopicRecord: creates a topic without partitions, or replaces the one with the same id."""
    created = TopicImage(data["name"], data["topicId"])
    before = image.topics.get(created.id)
    if before is not None and image.topic_ids.get(before.name) == before.id:
        del image.topic_ids[before.name]
    image.with_elr.pop(created.id, None)
    image.topics[created.id] = created
    image.topic_ids[created.name] = created.id


def remove_topic(image: "Image", data: Data) -> None:
    """RemoveTopicRecord: removes a topic and its configs."""
    removed = _topic(image, data["topicId"], "the removal")
    del image.topics[removed.id]
    image.with_elr.pop(removed.id, None)
    if image.topic_ids.get(removed.name) == removed.id:
        del image.topic_ids[removed.name]
    image.configs.pop(("TOPIC", removed.name), None)


def partition(image: "Image", data: Data) -> None:
    """PartitionRecord: creates a partition, or replaces the one with the same number."""
    of_topic = _topic(image, data["topicId"], "a partition")
    number: int = data["partitionId"]
    replicas = image.once(data["replicas"])
    of_topic.partitions[number] = registration = PartitionRegistration(
        partition=number,
        replicas=replicas,
        isr=image.once(data["isr"]),
        removing_replicas=image.once(data["removingReplicas"]),
        adding_replicas=image.once(data["addingReplicas"]),
        leader=data["leader"],
        leader_recovery_state=_recovery_state(data.get("leaderRecoveryState", 0)),
        leader_epoch=data["leaderEpoch"],
        partition_epoch=data["partitionEpoch"],
        elr=image.once(data.get("eligibleLeaderReplicas") or ()),
        last_known_elr=image.once(data.get("lastKnownElr") or ()),
        directories=image.once(_directories(data.get("directories") or (), len(replicas))),
    )
    _note_elr(image, of_topic, registration)


def partition_change(image: "Image", data: Data) -> None:
    """PartitionChangeRecord: sets the fields it has; a leader, even the same one, starts a new leader epoch."""
    of_topic = _topic(image, data["topicId"], "a change")
    number: int = data["partitionId"]
    before = of_topic.partitions.get(number)
    if before is None:
        raise CorruptError("a change of a partition that does not exist", found=f"{of_topic.name}-{number}")
    leader: int = data.get("leader", _NO_LEADER_CHANGE)
    unchanged = leader == _NO_LEADER_CHANGE
    recovery: int = data.get("leaderRecoveryState", _NO_RECOVERY_CHANGE)
    replicas, directories = _or(image, data.get("replicas"), before.replicas), before.directories
    if data.get("replicas") is not None or data.get("directories") is not None:
        given = _or(image, data.get("directories"), directories)
        directories = image.once(_directories(given, len(replicas)))
    of_topic.partitions[number] = registration = PartitionRegistration(
        partition=number,
        replicas=replicas,
        isr=_or(image, data.get("isr"), before.isr),
        removing_replicas=_or(image, data.get("removingReplicas"), before.removing_replicas),
        adding_replicas=_or(image, data.get("addingReplicas"), before.adding_replicas),
        leader=before.leader if unchanged else leader,
        leader_recovery_state=(
            before.leader_recovery_state if recovery == _NO_RECOVERY_CHANGE else _recovery_state(recovery)
        ),
        leader_epoch=before.leader_epoch if unchanged else _next(before.leader_epoch),
        partition_epoch=_next(before.partition_epoch),
        elr=_or(image, data.get("eligibleLeaderReplicas"), before.elr),
        last_known_elr=_or(image, data.get("lastKnownElr"), before.last_known_elr),
        directories=directories,
    )
    _note_elr(image, of_topic, registration)


def clear_elr(image: "Image", data: Data) -> None:
    """ClearElrRecord: clears the eligible leader replicas of a topic, or of all topics."""
    name: str = data["topicName"]
    if name and name not in image.topic_ids:
        raise CorruptError("the removal of the ELR of a topic that does not exist", found=repr(name))
    for topic_id in [image.topic_ids[name]] if name else list(image.with_elr):
        partitions = image.topics[topic_id].partitions
        for number in image.with_elr.pop(topic_id, ()):
            before = partitions[number]
            if before.elr or before.last_known_elr:
                epoch = _next(before.partition_epoch)
                partitions[number] = replace(before, elr=(), last_known_elr=(), partition_epoch=epoch)


def _topic(image: "Image", topic_id: str, what: str) -> TopicImage:
    found = image.topics.get(topic_id)
    if found is None:
        raise CorruptError(f"{what} of a topic that does not exist", found=f"topic id {topic_id}")
    return found


def _or(image: "Image", given: Sequence[Any] | None, before: tuple[Any, ...]) -> tuple[Any, ...]:
    return before if given is None else image.once(given)


def _note_elr(image: "Image", of_topic: TopicImage, registration: PartitionRegistration) -> None:
    if registration.elr or registration.last_known_elr:
        image.with_elr.setdefault(of_topic.id, set()).add(registration.partition)


def _directories(directories: Sequence[str], replicas: int) -> tuple[str, ...]:
    """Directories of replicas; if all are unknown, `MIGRATING` for each."""
    if all(directory == MIGRATING for directory in directories):
        return (MIGRATING,) * replicas
    if len(directories) != replicas:
        raise CorruptError(
            "a partition has as many directories as replicas",
            expected=f"{replicas} directories",
            found=len(directories),
        )
    return tuple(directories)


def _recovery_state(value: int) -> str:
    name = LEADER_RECOVERY_STATES.get(value)
    if name is None:
        raise CorruptError("an unknown leader recovery state", expected="0 or 1", found=value)
    return name


def _next(epoch: int) -> int:
    """The next epoch, as a Java int."""
    return epoch + 1 if epoch < INT32_MAX else -INT32_MAX - 1
