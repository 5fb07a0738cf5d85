"""Records about topics and partitions, as Kafka's TopicsDelta, TopicDelta and PartitionRegistration apply them."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from kafkafmt.errors import CorruptError
from kafkafmt.topics.cluster_metadata.image import Image, TopicImage
from kafkafmt.topics.cluster_metadata.names import LEADER_RECOVERY_STATES, MIGRATING
from kafkafmt.topics.cluster_metadata.registrations import PartitionRegistration

if TYPE_CHECKING:
    from collections.abc import Sequence

Data = Mapping[str, Any]

_NO_LEADER_CHANGE = -2
_NO_RECOVERY_CHANGE = -1


def topic(image: Image, data: Data) -> None:
    """TopicRecord: a topic without partitions, in place of one of the same id."""
    created = TopicImage(data["name"], data["topicId"])
    before = image.topics.get(created.id)
    if before is not None and image.topic_ids.get(before.name) == before.id:
        del image.topic_ids[before.name]
    image.with_elr.pop(created.id, None)
    image.topics[created.id] = created
    image.topic_ids[created.name] = created.id


def remove_topic(image: Image, data: Data) -> None:
    """RemoveTopicRecord: the topic goes, and its configs with it.

    Raises:
        CorruptError: there is no such topic.
    """
    removed = _topic(image, data["topicId"], "removed")
    del image.topics[removed.id]
    image.with_elr.pop(removed.id, None)
    if image.topic_ids.get(removed.name) == removed.id:
        del image.topic_ids[removed.name]
    image.configs.pop(("TOPIC", removed.name), None)


def partition(image: Image, data: Data) -> None:
    """PartitionRecord: a partition, in place of one of the same number.

    Raises:
        CorruptError: there is no such topic, directories and replicas do not match, an unknown leader recovery state.
    """
    of_topic = _topic(image, data["topicId"], "given a partition")
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


def partition_change(image: Image, data: Data) -> None:
    """PartitionChangeRecord: what it holds is new, all else stays; a leader, even the same one, is a new epoch.

    Raises:
        CorruptError: there is no such partition, directories and replicas do not match, an unknown recovery state.
    """
    of_topic = _topic(image, data["topicId"], "changed")
    number: int = data["partitionId"]
    before = of_topic.partitions.get(number)
    if before is None:
        raise CorruptError("a partition is changed that does not exist", found=f"{of_topic.name}-{number}")
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


def clear_elr(image: Image, data: Data) -> None:
    """ClearElrRecord: the eligible leader replicas of a topic are forgotten, or of all topics.

    Raises:
        CorruptError: there is no such topic.
    """
    name: str = data["topicName"]
    if name and name not in image.topic_ids:
        raise CorruptError("the ELR is cleared of a topic that does not exist", found=repr(name))
    for topic_id in [image.topic_ids[name]] if name else list(image.with_elr):
        partitions = image.topics[topic_id].partitions
        for number in image.with_elr.pop(topic_id, ()):
            before = partitions[number]
            if before.elr or before.last_known_elr:
                epoch = _next(before.partition_epoch)
                partitions[number] = replace(before, elr=(), last_known_elr=(), partition_epoch=epoch)


TOPIC_RECORDS: Mapping[str, Callable[[Image, Data], None]] = {
    "TOPIC_RECORD": topic,
    "PARTITION_RECORD": partition,
    "PARTITION_CHANGE_RECORD": partition_change,
    "REMOVE_TOPIC_RECORD": remove_topic,
    "CLEAR_ELR_RECORD": clear_elr,
}
"""What each record about topics does, by Kafka's MetadataRecordType."""


def _topic(image: Image, topic_id: str, what: str) -> TopicImage:
    found = image.topics.get(topic_id)
    if found is None:
        raise CorruptError(f"a topic is {what} that does not exist", found=f"topic id {topic_id}")
    return found


def _or(image: Image, given: "Sequence[Any] | None", before: tuple[Any, ...]) -> tuple[Any, ...]:
    return before if given is None else image.once(given)


def _note_elr(image: Image, of_topic: TopicImage, registration: PartitionRegistration) -> None:
    if registration.elr or registration.last_known_elr:
        image.with_elr.setdefault(of_topic.id, set()).add(registration.partition)


def _directories(directories: "Sequence[str]", replicas: int) -> tuple[str, ...]:
    """Directories of replicas; none of them known is one "not known yet" for each."""
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
    """One more, as Java's int counts."""
    return epoch + 1 if epoch < 2**31 - 1 else -(2**31)
