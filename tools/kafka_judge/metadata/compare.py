"""Cluster metadata as the records that Kafka's MetadataImage would write for it."""

import base64
import json
from collections.abc import Iterator, Mapping
from typing import Any

from kafkafmt.topics.cluster_metadata import ClusterMetadata, nodes, settings
from kafkafmt.topics.cluster_metadata.nodes import Endpoint, SupportedFeature

Record = tuple[str, dict[str, Any]]


def ours(cluster: ClusterMetadata) -> list[str]:
    """The records of a state, sorted; the state must have been read with show_secrets=True."""
    return sorted(map(_text, _records(cluster)))


def kafkas(records: list[dict[str, Any]]) -> list[str]:
    """The records that Kafka's image wrote, sorted, without its metadata.version."""
    return sorted(
        _text((record["type"], _sorted(record["data"])))
        for record in records
        if record["data"].get("name") != settings.METADATA_VERSION or record["type"] != "FEATURE_LEVEL_RECORD"
    )


def _text(record: Record) -> str:
    return json.dumps(record, sort_keys=True)


def _sorted(data: dict[str, Any]) -> dict[str, Any]:
    """Sort the fields that Kafka keeps in hash maps."""
    for field in ("endPoints", "features"):
        if field in data:
            data[field].sort(key=lambda each: each["name"])
    if "entity" in data:
        data["entity"].sort(key=lambda each: each["entityType"])
    return data


def _records(cluster: ClusterMetadata) -> Iterator[Record]:
    for name, level in cluster.features.items():
        if name not in (settings.METADATA_VERSION, settings.KRAFT_VERSION):
            yield "FEATURE_LEVEL_RECORD", {"name": name, "featureLevel": level}
    yield from _nodes(cluster)
    yield from _topics(cluster)
    for config in cluster.configs:
        yield (
            "CONFIG_RECORD",
            {
                "resourceType": _number(settings.RESOURCE_TYPES, config.resource_type),
                "resourceName": config.resource_name,
                "name": config.name,
                "value": config.value,
            },
        )
    for quota in cluster.quotas:
        entity = [{"entityType": kind, "entityName": name} for kind, name in quota.entity]
        yield "CLIENT_QUOTA_RECORD", {"entity": entity, "key": quota.key, "value": quota.value, "remove": False}
    if cluster.next_producer_id is not None:
        ids = {"brokerId": -1, "brokerEpoch": -1, "nextProducerId": cluster.next_producer_id}
        yield "PRODUCER_IDS_RECORD", ids
    yield from _security(cluster)


def _nodes(cluster: ClusterMetadata) -> Iterator[Record]:
    for broker in cluster.brokers.values():
        data = {
            "brokerId": broker.id,
            "isMigratingZkBroker": broker.is_migrating_zk_broker,
            "incarnationId": broker.incarnation_id,
            "brokerEpoch": broker.epoch,
            "endPoints": list(map(_endpoint, broker.endpoints)),
            "features": list(map(_feature, broker.features)),
            "rack": broker.rack,
            "fenced": broker.fenced,
            "inControlledShutdown": broker.in_controlled_shutdown,
        }
        if broker.log_dirs:
            data["logDirs"] = list(broker.log_dirs)
        if broker.cordoned_log_dirs is not None:
            data["cordonedLogDirs"] = list(broker.cordoned_log_dirs)
        yield "REGISTER_BROKER_RECORD", data
    for controller in cluster.controllers.values():
        yield (
            "REGISTER_CONTROLLER_RECORD",
            {
                "controllerId": controller.id,
                "incarnationId": controller.incarnation_id,
                "zkMigrationReady": controller.zk_migration_ready,
                "endPoints": list(map(_endpoint, controller.endpoints)),
                "features": list(map(_feature, controller.features)),
            },
        )


def _topics(cluster: ClusterMetadata) -> Iterator[Record]:
    for topic in cluster.topics.values():
        yield "TOPIC_RECORD", {"name": topic.name, "topicId": topic.id}
        for number, partition in topic.partitions.items():
            data: dict[str, Any] = {
                "partitionId": number,
                "topicId": topic.id,
                "replicas": list(partition.replicas),
                "isr": list(partition.isr),
                "removingReplicas": list(partition.removing_replicas),
                "addingReplicas": list(partition.adding_replicas),
                "leader": partition.leader,
                "leaderEpoch": partition.leader_epoch,
                "partitionEpoch": partition.partition_epoch,
                "directories": list(partition.directories),
            }
            if partition.leader_recovery_state != "RECOVERED":
                data["leaderRecoveryState"] = 1
            if partition.elr:
                data["eligibleLeaderReplicas"] = list(partition.elr)
            if partition.last_known_elr:
                data["lastKnownElr"] = list(partition.last_known_elr)
            yield "PARTITION_RECORD", data


def _security(cluster: ClusterMetadata) -> Iterator[Record]:
    for acl in cluster.acls:
        yield (
            "ACCESS_CONTROL_ENTRY_RECORD",
            {
                "id": acl.id,
                "resourceType": _number(settings.ACL_RESOURCE_TYPES, acl.resource_type),
                "resourceName": acl.resource_name,
                "patternType": _number(settings.PATTERN_TYPES, acl.pattern_type),
                "principal": acl.principal,
                "host": acl.host,
                "operation": _number(settings.OPERATIONS, acl.operation),
                "permissionType": _number(settings.PERMISSION_TYPES, acl.permission_type),
            },
        )
    for credential in cluster.scram:
        yield (
            "USER_SCRAM_CREDENTIAL_RECORD",
            {
                "name": credential.user,
                "mechanism": _number(settings.SCRAM_MECHANISMS, credential.mechanism),
                "salt": _base64(credential.salt),
                "storedKey": _base64(credential.stored_key),
                "serverKey": _base64(credential.server_key),
                "iterations": credential.iterations,
            },
        )
    for token in cluster.delegation_tokens:
        yield (
            "DELEGATION_TOKEN_RECORD",
            {
                "owner": token.owner,
                "requester": token.requester,
                "renewers": list(token.renewers),
                "issueTimestamp": token.issue_timestamp,
                "maxTimestamp": token.max_timestamp,
                "expirationTimestamp": token.expiration_timestamp,
                "tokenId": token.token_id,
            },
        )


def _endpoint(endpoint: Endpoint) -> dict[str, Any]:
    return {
        "name": endpoint.name,
        "host": endpoint.host,
        "port": endpoint.port,
        "securityProtocol": _number(nodes.SECURITY_PROTOCOLS, endpoint.security_protocol or ""),
    }


def _feature(feature: SupportedFeature) -> dict[str, Any]:
    return {"name": feature.name, "minSupportedVersion": feature.min, "maxSupportedVersion": feature.max}


def _number(known: Mapping[int, str], name: str) -> int:
    return next(number for number, each in known.items() if each == name)


def _base64(value: object) -> str:
    if not isinstance(value, bytes):
        raise TypeError("secrets are not shown")
    return base64.b64encode(value).decode()
