"""Records: what each metadata record changes in an image, as in Kafka's TopicsDelta, ClusterDelta and other deltas.

`APPLY` has the function of each record type. A function raises CorruptError if its record changes something that does
not exist, or has an unknown value.
"""

import struct
from base64 import urlsafe_b64decode
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from kafkafmt.errors import CorruptError
from kafkafmt.topics.cluster_metadata.image import Entity, Image, TopicImage
from kafkafmt.topics.cluster_metadata.registrations import (
    ACL_RESOURCE_TYPES,
    KRAFT_VERSION,
    LEADER_RECOVERY_STATES,
    METADATA_VERSION,
    MIGRATING,
    OPERATIONS,
    PATTERN_TYPES,
    PERMISSION_TYPES,
    RESOURCE_TYPES,
    SCRAM_MECHANISMS,
    SECURITY_PROTOCOLS,
    ZK_MIGRATION_STATES,
    AccessControlEntry,
    BrokerRegistration,
    ControllerRegistration,
    DelegationToken,
    Endpoint,
    PartitionRegistration,
    ScramCredential,
    SupportedFeature,
    Voter,
    name_of,
)

Data = Mapping[str, Any]

_NO_LEADER_CHANGE = -2
_NO_RECOVERY_CHANGE = -1
_FENCING: Mapping[int, bool | None] = {1: True, 0: None, -1: False}
_SHUTDOWN: Mapping[int, bool | None] = {1: True, 0: None}


# Topics and partitions


def topic(image: Image, data: Data) -> None:
    """TopicRecord: creates a topic without partitions, or replaces the one of the same id."""
    created = TopicImage(data["name"], data["topicId"])
    before = image.topics.get(created.id)
    if before is not None and image.topic_ids.get(before.name) == before.id:
        del image.topic_ids[before.name]
    image.with_elr.pop(created.id, None)
    image.topics[created.id] = created
    image.topic_ids[created.name] = created.id


def remove_topic(image: Image, data: Data) -> None:
    """RemoveTopicRecord: removes a topic and its configs."""
    removed = _topic(image, data["topicId"], "removed")
    del image.topics[removed.id]
    image.with_elr.pop(removed.id, None)
    if image.topic_ids.get(removed.name) == removed.id:
        del image.topic_ids[removed.name]
    image.configs.pop(("TOPIC", removed.name), None)


def partition(image: Image, data: Data) -> None:
    """PartitionRecord: creates a partition, or replaces the one of the same number."""
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
    """PartitionChangeRecord: sets the fields that it has; a leader, even the same one, starts a new leader epoch."""
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
    """ClearElrRecord: clears the eligible leader replicas of a topic, or of all topics."""
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


def _topic(image: Image, topic_id: str, what: str) -> TopicImage:
    found = image.topics.get(topic_id)
    if found is None:
        raise CorruptError(f"a topic is {what} that does not exist", found=f"topic id {topic_id}")
    return found


def _or(image: Image, given: Sequence[Any] | None, before: tuple[Any, ...]) -> tuple[Any, ...]:
    return before if given is None else image.once(given)


def _note_elr(image: Image, of_topic: TopicImage, registration: PartitionRegistration) -> None:
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
    return epoch + 1 if epoch < 2**31 - 1 else -(2**31)


# Nodes


def register_broker(image: Image, data: Data) -> None:
    """RegisterBrokerRecord: registers a broker, in place of an earlier registration."""
    cordoned = data.get("cordonedLogDirs")
    broker = BrokerRegistration(
        id=data["brokerId"],
        epoch=data["brokerEpoch"],
        incarnation_id=data["incarnationId"],
        endpoints=_endpoints(data["endPoints"]),
        features=_features(data["features"]),
        rack=data["rack"],
        fenced=data["fenced"],
        in_controlled_shutdown=data.get("inControlledShutdown", False),
        is_migrating_zk_broker=data.get("isMigratingZkBroker", False),
        log_dirs=_in_order(data.get("logDirs") or ()),
        cordoned_log_dirs=None if cordoned is None else tuple(cordoned),
    )
    image.brokers[broker.id] = broker


def unregister_broker(image: Image, data: Data) -> None:
    """UnregisterBrokerRecord: removes a broker."""
    image.brokers.pop(data["brokerId"], None)


def fence_broker(image: Image, data: Data) -> None:
    """FenceBrokerRecord: fences a broker."""
    image.brokers[data["id"]] = replace(_broker(image, data["id"], data["epoch"]), fenced=True)


def unfence_broker(image: Image, data: Data) -> None:
    """UnfenceBrokerRecord: unfences a broker."""
    image.brokers[data["id"]] = replace(_broker(image, data["id"], data["epoch"]), fenced=False)


def broker_registration_change(image: Image, data: Data) -> None:
    """BrokerRegistrationChangeRecord: sets the fields that it has."""
    before = _broker(image, data["brokerId"], data["brokerEpoch"])
    fenced = _change(data.get("fenced", 0), _FENCING, "fenced")
    shutdown = _change(data.get("inControlledShutdown", 0), _SHUTDOWN, "inControlledShutdown")
    log_dirs = data.get("logDirs")
    cordoned = data.get("cordonedLogDirs")
    image.brokers[before.id] = replace(
        before,
        fenced=before.fenced if fenced is None else fenced,
        in_controlled_shutdown=before.in_controlled_shutdown if shutdown is None else shutdown,
        log_dirs=_in_order(log_dirs) if log_dirs else before.log_dirs,
        cordoned_log_dirs=before.cordoned_log_dirs if cordoned is None else tuple(cordoned),
    )


def register_controller(image: Image, data: Data) -> None:
    """RegisterControllerRecord: registers a controller, in place of an earlier registration."""
    controller = ControllerRegistration(
        id=data["controllerId"],
        incarnation_id=data["incarnationId"],
        zk_migration_ready=data["zkMigrationReady"],
        endpoints=_endpoints(data["endPoints"]),
        features=_features(data["features"]),
    )
    image.controllers[controller.id] = controller


def unregister_controller(image: Image, data: Data) -> None:
    """UnregisterControllerRecord: remove a controller's registration, if it has one."""
    image.controllers.pop(data["controllerId"], None)


def leader_change(image: Image, data: Data, epoch: int) -> None:
    """LeaderChangeMessage: sets the leader of the quorum; and its voters, unless VotersRecords have more of them."""
    image.leader = (data["leaderId"], epoch)
    if not image.kraft_version:
        image.voters = tuple(
            Voter(each["voterId"], None, (), None, None) for each in sorted(data["voters"], key=_voter_id)
        )


def kraft_version(image: Image, data: Data) -> None:
    """KRaftVersionRecord: sets kraft.version."""
    image.kraft_version = data["kRaftVersion"]


def kraft_voters(image: Image, data: Data) -> None:
    """VotersRecord: sets the voters of a dynamic quorum (KIP-853)."""
    image.voters = tuple(
        Voter(
            each["voterId"],
            each["voterDirectoryId"],
            tuple(Endpoint(place["name"], place["host"], place["port"], None) for place in each["endpoints"]),
            each["kRaftVersionFeature"]["minSupportedVersion"],
            each["kRaftVersionFeature"]["maxSupportedVersion"],
        )
        for each in sorted(data["voters"], key=_voter_id)
    )


def _broker(image: Image, broker_id: int, epoch: int) -> BrokerRegistration:
    broker = image.brokers.get(broker_id)
    if broker is None:
        raise CorruptError("a broker is changed that is not registered", found=f"broker {broker_id}")
    if broker.epoch != epoch:
        raise CorruptError(
            f"a change of broker {broker_id} is of another broker epoch", expected=broker.epoch, found=epoch
        )
    return broker


def _change(value: int, meanings: Mapping[int, bool | None], field: str) -> bool | None:
    if value not in meanings:
        raise CorruptError(f"an unknown value of {field}", expected=f"one of {sorted(meanings)}", found=value)
    return meanings[value]


def _endpoints(endpoints: Iterable[Data]) -> tuple[Endpoint, ...]:
    """Listeners by name; of two with one name the last."""
    by_name = {
        each["name"]: Endpoint(
            each["name"], each["host"], each["port"], name_of(SECURITY_PROTOCOLS, each["securityProtocol"])
        )
        for each in endpoints
    }
    return tuple(by_name[name] for name in sorted(by_name))


def _features(features: Iterable[Data]) -> tuple[SupportedFeature, ...]:
    by_name = {
        each["name"]: SupportedFeature(each["name"], each["minSupportedVersion"], each["maxSupportedVersion"])
        for each in features
    }
    return tuple(by_name[name] for name in sorted(by_name))


def _in_order(directories: Iterable[str]) -> tuple[str, ...]:
    """Directory ids in Kafka's order of UUIDs: by two signed int64."""
    return tuple(sorted(directories, key=_as_java_compares))


def _as_java_compares(uuid: str) -> tuple[int, int]:
    most, least = struct.unpack(">qq", urlsafe_b64decode(f"{uuid}=="))
    return most, least


def _voter_id(voter: Data) -> int:
    number: int = voter["voterId"]
    return number


# Configs, features, quotas, ACLs, credentials, tokens, producer ids


def config(image: Image, data: Data) -> None:
    """ConfigRecord: sets a config; a null value removes it."""
    resource = (name_of(RESOURCE_TYPES, data["resourceType"]), data["resourceName"])
    if data["value"] is not None:
        image.configs.setdefault(resource, {})[data["name"]] = data["value"]
    else:
        _remove(image.configs, resource, data["name"])


def feature_level(image: Image, data: Data) -> None:
    """FeatureLevelRecord: sets the level of a feature; 0 removes any but metadata.version.

    One of kraft.version is ignored (KAFKA-18979): control records set it.
    """
    name, level = data["name"], data["featureLevel"]
    if name == KRAFT_VERSION:
        return
    if level or name == METADATA_VERSION:
        image.features[name] = level
    else:
        image.features.pop(name, None)


def zk_migration_state(image: Image, data: Data) -> None:
    """ZkMigrationStateRecord, which Kafka 4 ignores."""
    image.zk_migration_state = name_of(ZK_MIGRATION_STATES, data["zkMigrationState"])


def client_quota(image: Image, data: Data) -> None:
    """ClientQuotaRecord: sets or removes a quota."""
    by_type = {each["entityType"]: each["entityName"] for each in data["entity"]}
    entity: Entity = tuple(sorted(by_type.items()))
    if data["remove"]:
        _remove(image.quotas, entity, data["key"])
    else:
        image.quotas.setdefault(entity, {})[data["key"]] = data["value"]


def producer_ids(image: Image, data: Data) -> None:
    """ProducerIdsRecord: sets the start of the next block of producer ids."""
    image.next_producer_id = data["nextProducerId"]


def access_control_entry(image: Image, data: Data) -> None:
    """AccessControlEntryRecord: creates an ACL, or replaces the one of the same id."""
    image.acls[data["id"]] = AccessControlEntry(
        id=data["id"],
        resource_type=name_of(ACL_RESOURCE_TYPES, data["resourceType"]),
        resource_name=data["resourceName"],
        pattern_type=name_of(PATTERN_TYPES, data["patternType"]),
        principal=data["principal"],
        host=data["host"],
        operation=name_of(OPERATIONS, data["operation"]),
        permission_type=name_of(PERMISSION_TYPES, data["permissionType"]),
    )


def remove_access_control_entry(image: Image, data: Data) -> None:
    """RemoveAccessControlEntryRecord: removes an ACL."""
    if image.acls.pop(data["id"], None) is None:
        raise CorruptError("an ACL is removed that does not exist", found=f"id {data['id']}")


def user_scram_credential(image: Image, data: Data) -> None:
    """UserScramCredentialRecord: sets the credential of a user and mechanism."""
    mechanism = name_of(SCRAM_MECHANISMS, data["mechanism"])
    image.scram[mechanism, data["name"]] = ScramCredential(
        user=data["name"],
        mechanism=mechanism,
        iterations=data["iterations"],
        salt=data["salt"],
        stored_key=data["storedKey"],
        server_key=data["serverKey"],
    )


def remove_user_scram_credential(image: Image, data: Data) -> None:
    """RemoveUserScramCredentialRecord: removes a credential."""
    image.scram.pop((name_of(SCRAM_MECHANISMS, data["mechanism"]), data["name"]), None)


def delegation_token(image: Image, data: Data) -> None:
    """DelegationTokenRecord: creates a token, or replaces the one of the same id."""
    image.tokens[data["tokenId"]] = DelegationToken(
        token_id=data["tokenId"],
        owner=data["owner"],
        requester=data["requester"],
        renewers=tuple(data["renewers"]),
        issue_timestamp=data["issueTimestamp"],
        max_timestamp=data["maxTimestamp"],
        expiration_timestamp=data["expirationTimestamp"],
    )


def remove_delegation_token(image: Image, data: Data) -> None:
    """RemoveDelegationTokenRecord: removes a token."""
    image.tokens.pop(data["tokenId"], None)


def no_op(_: Image, __: Data) -> None:
    """NoOpRecord: only advances the offset."""


def _remove(settings: dict[Any, dict[str, Any]], owner: object, name: str) -> None:
    """Remove a setting, and its owner with the last one."""
    of_owner = settings.get(owner)
    if of_owner is not None:
        of_owner.pop(name, None)
        if not of_owner:
            del settings[owner]


APPLY: dict[str, Callable[[Image, Data], None]] = {
    "TOPIC_RECORD": topic,
    "PARTITION_RECORD": partition,
    "PARTITION_CHANGE_RECORD": partition_change,
    "REMOVE_TOPIC_RECORD": remove_topic,
    "CLEAR_ELR_RECORD": clear_elr,
    "REGISTER_BROKER_RECORD": register_broker,
    "UNREGISTER_BROKER_RECORD": unregister_broker,
    "FENCE_BROKER_RECORD": fence_broker,
    "UNFENCE_BROKER_RECORD": unfence_broker,
    "BROKER_REGISTRATION_CHANGE_RECORD": broker_registration_change,
    "REGISTER_CONTROLLER_RECORD": register_controller,
    "UNREGISTER_CONTROLLER_RECORD": unregister_controller,
    "CONFIG_RECORD": config,
    "FEATURE_LEVEL_RECORD": feature_level,
    "ZK_MIGRATION_STATE_RECORD": zk_migration_state,
    "CLIENT_QUOTA_RECORD": client_quota,
    "PRODUCER_IDS_RECORD": producer_ids,
    "ACCESS_CONTROL_ENTRY_RECORD": access_control_entry,
    "REMOVE_ACCESS_CONTROL_ENTRY_RECORD": remove_access_control_entry,
    "USER_SCRAM_CREDENTIAL_RECORD": user_scram_credential,
    "REMOVE_USER_SCRAM_CREDENTIAL_RECORD": remove_user_scram_credential,
    "DELEGATION_TOKEN_RECORD": delegation_token,
    "REMOVE_DELEGATION_TOKEN_RECORD": remove_delegation_token,
    "NO_OP_RECORD": no_op,
}
"""Function of each record type (Kafka's MetadataRecordType)."""
