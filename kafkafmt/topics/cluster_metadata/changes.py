"""The changes that one record of the metadata log makes to the cluster, from the images before and after it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from kafkafmt.phrases import counted
from kafkafmt.topics.answers import unless_unset
from kafkafmt.topics.cluster_metadata.image import Image
from kafkafmt.topics.cluster_metadata.nodes import BrokerRegistration, Voter
from kafkafmt.topics.cluster_metadata.settings import (
    KRAFT_VERSION,
    REDACTED_TEXT,
    RESOURCE_TYPES,
    SCRAM_MECHANISMS,
    is_sensitive,
    name_of,
)
from kafkafmt.topics.cluster_metadata.topics import MIGRATING, PartitionRegistration

Data = Mapping[str, Any]


class MetadataChange(NamedTuple):
    """A change.

    Attributes:
        event: kind of change: "topic created", "leader changed", ..; docs/metadata.md lists them.
        topic: name of the changed topic, if any.
        topic_id: id of that topic.
        partition: number of the changed partition, if any.
        broker: node id of the changed broker or controller, or of a partition's new leader.
        subject: any other subject of the change: a user, a feature, the resource of a config.
        field: the changed field.
        before: the old value, as text; None for none, or where the record does not have it.
        after: the new value, as text; None for none, or where the record does not have it.
    """

    event: str
    topic: str | None = None
    topic_id: str | None = None
    partition: int | None = None
    broker: int | None = None
    subject: str | None = None
    field: str | None = None
    before: str | None = None
    after: str | None = None


@dataclass(frozen=True, slots=True)
class Watched:
    """A kind of record whose changes are listed.

    Attributes:
        before: saves what the record may change, before it is applied.
        changes: returns what it changed, afterwards.
    """

    before: Callable[[Image, Data], Any]
    changes: Callable[[Any, Image, Data], Iterator[MetadataChange]]


# Topics and partitions


def _nothing(_: Image, __: Data) -> None:
    return None


def _topic_created(_: object, __: Image, data: Data) -> Iterator[MetadataChange]:
    yield MetadataChange("topic created", data["name"], data["topicId"])


def _topic_before(image: Image, data: Data) -> tuple[str, int] | None:
    topic = image.topics.get(data["topicId"])
    return None if topic is None else (topic.name, len(topic.partitions))


def _topic_deleted(before: tuple[str, int] | None, _: Image, data: Data) -> Iterator[MetadataChange]:
    name, count = before or (None, 0)
    yield MetadataChange("topic deleted", name, data["topicId"], field="partitions", before=counted(count, "partition"))


def _partition_before(image: Image, data: Data) -> PartitionRegistration | None:
    topic = image.topics.get(data["topicId"])
    return None if topic is None else topic.partitions.get(data["partitionId"])


def _partition_added(before: PartitionRegistration | None, image: Image, data: Data) -> Iterator[MetadataChange]:
    topic = image.topics[data["topicId"]]
    after = topic.partitions[data["partitionId"]]
    if before is not None:
        yield from _partition_changed(before, image, data)
        return
    placed = f"leader {after.leader}, replicas {_listed(after.replicas)}, isr {_listed(after.isr)}"
    where = (topic.name, topic.id, after.partition, unless_unset(after.leader))
    yield MetadataChange("partition added", *where, field="replicas", after=placed)


def _partition_changed(before: PartitionRegistration | None, image: Image, data: Data) -> Iterator[MetadataChange]:
    topic = image.topics[data["topicId"]]
    after = topic.partitions[data["partitionId"]]
    if before is None:
        return
    where = MetadataChange("", topic.name, topic.id, after.partition, unless_unset(after.leader))

    def change(event: str, field: str, old: object, new: object) -> MetadataChange:
        return where._replace(event=event, field=field, before=_text(old), after=_text(new))

    if before.leader != after.leader:
        yield change("leader changed", "leader", before.leader, after.leader)
    elif before.leader_epoch != after.leader_epoch:
        yield change("leader epoch raised", "leaderEpoch", before.leader_epoch, after.leader_epoch)
    if before.isr != after.isr:
        yield change("ISR changed", "isr", before.isr, after.isr)
    moving, was_moving = _moving(after), _moving(before)
    if moving != was_moving:
        event = "reassignment ended" if not moving else "reassignment started"
        yield change(event, "reassignment", was_moving, moving)
    if before.replicas != after.replicas:
        yield change("replicas changed", "replicas", before.replicas, after.replicas)
    if (before.elr, before.last_known_elr) != (after.elr, after.last_known_elr):
        yield change("ELR changed", "elr", _elr(before), _elr(after))
    if (old := _known(before.directories)) != (new := _known(after.directories)):
        yield change("directories changed", "directories", old, new)
    if before.leader_recovery_state != after.leader_recovery_state:
        yield change(
            "recovery state changed",
            "leaderRecoveryState",
            before.leader_recovery_state,
            after.leader_recovery_state,
        )


def _moving(partition: PartitionRegistration) -> str | None:
    """The ongoing reassignment, in words; None for none."""
    parts = (("adding", partition.adding_replicas), ("removing", partition.removing_replicas))
    return ", ".join(f"{name} {_listed(replicas)}" for name, replicas in parts if replicas) or None


def _known(directories: tuple[str, ...]) -> tuple[str, ...] | None:
    """Directories of replicas; None if none is known, as before KIP-858."""
    return None if all(directory == MIGRATING for directory in directories) else directories


def _elr(partition: PartitionRegistration) -> str | None:
    parts = (("elr", partition.elr), ("last known", partition.last_known_elr))
    return ", ".join(f"{name} {_listed(replicas)}" for name, replicas in parts if replicas) or None


def _elr_cleared(_: object, image: Image, data: Data) -> Iterator[MetadataChange]:
    name = data["topicName"] or None
    yield MetadataChange("ELR cleared", name, None if name is None else image.topic_ids.get(name))


# Nodes


def _broker_before(image: Image, data: Data) -> BrokerRegistration | None:
    return image.brokers.get(data["brokerId"] if "brokerId" in data else data["id"])


def _broker_registered(before: BrokerRegistration | None, image: Image, data: Data) -> Iterator[MetadataChange]:
    after = image.brokers[data["brokerId"]]
    yield MetadataChange(
        "broker registered",
        broker=after.id,
        field="registration",
        before=None if before is None else _registration(before),
        after=_registration(after),
    )


def _registration(broker: BrokerRegistration) -> str:
    rack = "" if broker.rack is None else f", rack {broker.rack}"
    return f"epoch {broker.epoch}, {broker.state}, {', '.join(map(str, broker.endpoints))}{rack}"


def _broker_unregistered(before: BrokerRegistration | None, _: Image, data: Data) -> Iterator[MetadataChange]:
    known = None if before is None else _registration(before)
    yield MetadataChange("broker unregistered", broker=data["brokerId"], field="registration", before=known)


def _broker_changed(before: BrokerRegistration | None, image: Image, data: Data) -> Iterator[MetadataChange]:
    after = image.brokers[data["brokerId"] if "brokerId" in data else data["id"]]
    if before is None:
        return
    if before.fenced != after.fenced:
        event = "broker fenced" if after.fenced else "broker unfenced"
        yield MetadataChange(event, broker=after.id, field="state", before=before.state, after=after.state)
    if before.in_controlled_shutdown != after.in_controlled_shutdown:
        yield MetadataChange(
            "controlled shutdown", broker=after.id, field="state", before=before.state, after=after.state
        )
    pairs = (
        ("logDirs", before.log_dirs, after.log_dirs),
        ("cordonedLogDirs", before.cordoned_log_dirs, after.cordoned_log_dirs),
    )
    for field, old, new in pairs:
        if old != new:
            yield MetadataChange(
                "log directories changed", broker=after.id, field=field, before=_text(old), after=_text(new)
            )


def _controller_registered(_: object, image: Image, data: Data) -> Iterator[MetadataChange]:
    after = image.controllers[data["controllerId"]]
    endpoints = ", ".join(map(str, after.endpoints))
    yield MetadataChange("controller registered", broker=after.id, field="endpoints", after=endpoints)


def _controller_unregistered(_: object, __: Image, data: Data) -> Iterator[MetadataChange]:
    yield MetadataChange("controller unregistered", broker=data["controllerId"])


class Quorum(NamedTuple):
    """The parts of an image that control records change, named as in `Image`."""

    leader: tuple[int, int] | None
    voters: tuple[Voter, ...]
    kraft_version: int | None

    @classmethod
    def of(cls, image: Image) -> "Quorum":
        """Copy these attributes of an image."""
        return cls(image.leader, image.voters, image.kraft_version)


def quorum_changes(before: Quorum, after: Quorum) -> Iterator[MetadataChange]:
    """The changes made by a control record: of the active controller, the voters, kraft.version."""
    if before.leader != after.leader and after.leader is not None:
        old = None if before.leader is None else before.leader[0]
        new = after.leader[0]
        yield MetadataChange("controller elected", broker=new, field="leader", before=_text(old), after=_text(new))
    if before.voters != after.voters:
        ids = [tuple(voter.id for voter in voters) for voters in (before.voters, after.voters)]
        yield MetadataChange("voters changed", field="voters", before=_text(ids[0]), after=_text(ids[1]))
    if before.kraft_version != after.kraft_version:
        levels = _text(before.kraft_version), _text(after.kraft_version)
        yield MetadataChange("feature changed", subject=KRAFT_VERSION, field="level", before=levels[0], after=levels[1])


# Configs, features, quotas, ACLs, credentials, tokens, producer ids


def _config_before(image: Image, data: Data) -> str | None:
    resource = (name_of(RESOURCE_TYPES, data["resourceType"]), data["resourceName"])
    return image.configs.get(resource, {}).get(data["name"])


def _config_changed(before: str | None, image: Image, data: Data) -> Iterator[MetadataChange]:
    kind, name = name_of(RESOURCE_TYPES, data["resourceType"]), data["resourceName"]
    is_topic = kind == "TOPIC"
    is_broker = kind == "BROKER" and name.isdecimal() and len(name) <= _INT32_DIGITS
    yield MetadataChange(
        "config changed",
        topic=name if is_topic else None,
        topic_id=image.topic_ids.get(name) if is_topic else None,
        broker=int(name) if is_broker else None,
        subject=None if is_topic or is_broker else f"{kind} {name or 'default'}",
        field=data["name"],
        before=_shown(data["name"], before),
        after=_shown(data["name"], data["value"]),
    )


def _shown(name: str, value: str | None) -> str | None:
    """The value of a config, unless it is a secret."""
    return REDACTED_TEXT if value is not None and is_sensitive(name, value) else value


def _feature_before(image: Image, data: Data) -> int | None:
    return image.features.get(data["name"])


def _feature_changed(before: int | None, image: Image, data: Data) -> Iterator[MetadataChange]:
    name = data["name"]
    if name != KRAFT_VERSION:  # only control records set kraft.version
        after = image.features.get(name)
        yield MetadataChange("feature changed", subject=name, field="level", before=_text(before), after=_text(after))


def _quota_before(image: Image, data: Data) -> float | None:
    return image.quotas.get(_entity(data), {}).get(data["key"])


def _entity(data: Data) -> tuple[tuple[str, str | None], ...]:
    return tuple(sorted({each["entityType"]: each["entityName"] for each in data["entity"]}.items()))


def _quota_changed(before: float | None, _: Image, data: Data) -> Iterator[MetadataChange]:
    entity = ", ".join(f"{kind} {'<default>' if name is None else name}" for kind, name in _entity(data))
    after = None if data["remove"] else data["value"]
    yield MetadataChange("quota changed", subject=entity, field=data["key"], before=_text(before), after=_text(after))


def _acl_before(image: Image, data: Data) -> str | None:
    acl = image.acls.get(data["id"])
    return None if acl is None else _acl(acl)


def _acl_changed(before: str | None, image: Image, data: Data) -> Iterator[MetadataChange]:
    acl = image.acls.get(data["id"])
    event = "ACL deleted" if acl is None else "ACL created"
    yield MetadataChange(event, subject=data["id"], before=before, after=None if acl is None else _acl(acl))


def _acl(acl: Any) -> str:  # noqa: ANN401 - an AccessControlEntry
    where = f"{acl.pattern_type} {acl.resource_type} {acl.resource_name}"
    return f"{acl.permission_type} {acl.principal} {acl.operation} on {where} from {acl.host}"


def _scram_changed(_: object, image: Image, data: Data) -> Iterator[MetadataChange]:
    mechanism = name_of(SCRAM_MECHANISMS, data["mechanism"])
    is_set = (mechanism, data["name"]) in image.scram
    event = "SCRAM credential set" if is_set else "SCRAM credential removed"
    yield MetadataChange(event, subject=f"{data['name']} {mechanism}")


def _token_before(image: Image, data: Data) -> str | None:
    token = image.tokens.get(data["tokenId"])
    return None if token is None else token.owner


def _token_changed(before: str | None, image: Image, data: Data) -> Iterator[MetadataChange]:
    token = image.tokens.get(data["tokenId"])
    event = "deleted" if token is None else "created" if before is None else "renewed"
    owner = before if token is None else token.owner
    yield MetadataChange(f"delegation token {event}", subject=None if owner is None else f"of {owner}")


def _producer_ids_before(image: Image, _: Data) -> int | None:
    return image.next_producer_id


def _producer_ids(before: int | None, image: Image, data: Data) -> Iterator[MetadataChange]:
    yield MetadataChange(
        "producer ids assigned",
        broker=data["brokerId"],
        field="nextProducerId",
        before=_text(before),
        after=_text(image.next_producer_id),
    )


def _zk_before(image: Image, _: Data) -> str | None:
    return image.zk_migration_state


def _zk_changed(before: str | None, image: Image, _: Data) -> Iterator[MetadataChange]:
    yield MetadataChange("ZooKeeper migration", field="state", before=before, after=image.zk_migration_state)


def _text(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return _listed(value) if isinstance(value, tuple) else str(value)


def _listed(items: tuple[Any, ...]) -> str:
    return f"[{', '.join(map(str, items))}]"


_INT32_DIGITS: Final = 10

WATCHED: Final[Mapping[str, Watched]] = {
    "TOPIC_RECORD": Watched(_nothing, _topic_created),
    "REMOVE_TOPIC_RECORD": Watched(_topic_before, _topic_deleted),
    "PARTITION_RECORD": Watched(_partition_before, _partition_added),
    "PARTITION_CHANGE_RECORD": Watched(_partition_before, _partition_changed),
    "CLEAR_ELR_RECORD": Watched(_nothing, _elr_cleared),
    "REGISTER_BROKER_RECORD": Watched(_broker_before, _broker_registered),
    "UNREGISTER_BROKER_RECORD": Watched(_broker_before, _broker_unregistered),
    "FENCE_BROKER_RECORD": Watched(_broker_before, _broker_changed),
    "UNFENCE_BROKER_RECORD": Watched(_broker_before, _broker_changed),
    "BROKER_REGISTRATION_CHANGE_RECORD": Watched(_broker_before, _broker_changed),
    "REGISTER_CONTROLLER_RECORD": Watched(_nothing, _controller_registered),
    "UNREGISTER_CONTROLLER_RECORD": Watched(_nothing, _controller_unregistered),
    "CONFIG_RECORD": Watched(_config_before, _config_changed),
    "FEATURE_LEVEL_RECORD": Watched(_feature_before, _feature_changed),
    "CLIENT_QUOTA_RECORD": Watched(_quota_before, _quota_changed),
    "ACCESS_CONTROL_ENTRY_RECORD": Watched(_acl_before, _acl_changed),
    "REMOVE_ACCESS_CONTROL_ENTRY_RECORD": Watched(_acl_before, _acl_changed),
    "USER_SCRAM_CREDENTIAL_RECORD": Watched(_nothing, _scram_changed),
    "REMOVE_USER_SCRAM_CREDENTIAL_RECORD": Watched(_nothing, _scram_changed),
    "DELEGATION_TOKEN_RECORD": Watched(_token_before, _token_changed),
    "REMOVE_DELEGATION_TOKEN_RECORD": Watched(_token_before, _token_changed),
    "PRODUCER_IDS_RECORD": Watched(_producer_ids_before, _producer_ids),
    "ZK_MIGRATION_STATE_RECORD": Watched(_zk_before, _zk_changed),
}
"""Watched records by type (Kafka's MetadataRecordType); a NoOpRecord changes nothing."""
