"""Shapes: the columns of each section of cluster metadata. docs/metadata.md tells what they mean."""

from collections.abc import Mapping

import pyarrow as pa

_TIME = pa.timestamp("ms", "UTC")
_IDS = pa.list_(pa.int32())
_WORDS = pa.list_(pa.string())
_ENDPOINTS = pa.list_(
    pa.struct([("name", pa.string()), ("host", pa.string()), ("port", pa.int32()), ("securityProtocol", pa.string())])
)
_FEATURES = pa.list_(
    pa.struct([("name", pa.string()), ("minSupportedVersion", pa.int16()), ("maxSupportedVersion", pa.int16())])
)

SHAPES: Mapping[str, pa.Schema] = {
    "cluster": pa.schema(
        [
            ("clusterId", pa.string()),
            ("metadataVersion", pa.string()),
            ("kraftVersion", pa.int16()),
            ("leaderId", pa.int32()),
            ("voters", _IDS),
            ("brokers", pa.int32()),
            ("fencedBrokers", pa.int32()),
            ("controllers", pa.int32()),
            ("topics", pa.int32()),
            ("partitions", pa.int32()),
            ("underReplicatedPartitions", pa.int32()),
            ("leaderlessPartitions", pa.int32()),
            ("configs", pa.int32()),
            ("quotas", pa.int32()),
            ("acls", pa.int32()),
            ("scramCredentials", pa.int32()),
            ("delegationTokens", pa.int32()),
            ("nextProducerId", pa.int64()),
            ("zkMigrationState", pa.string()),
            ("endOffset", pa.int64()),
            ("leaderEpoch", pa.int32()),
            ("timestamp", _TIME),
            ("committedOffset", pa.int64()),
            ("snapshot", pa.string()),
            ("path", pa.string()),
        ]
    ),
    "topics": pa.schema(
        [
            ("topic", pa.string()),
            ("topicId", pa.string()),
            ("partitions", pa.int32()),
            ("replicationFactor", pa.int32()),
            ("underReplicatedPartitions", pa.int32()),
            ("leaderlessPartitions", pa.int32()),
            ("configs", pa.list_(pa.struct([("name", pa.string()), ("value", pa.string())]))),
        ]
    ),
    "partitions": pa.schema(
        [
            ("topic", pa.string()),
            ("partition", pa.int32()),
            ("topicId", pa.string()),
            ("leader", pa.int32()),
            ("leaderEpoch", pa.int32()),
            ("partitionEpoch", pa.int32()),
            ("leaderRecoveryState", pa.string()),
            ("replicas", _IDS),
            ("isr", _IDS),
            ("removingReplicas", _IDS),
            ("addingReplicas", _IDS),
            ("elr", _IDS),
            ("lastKnownElr", _IDS),
            ("directories", _WORDS),
        ]
    ),
    "brokers": pa.schema(
        [
            ("brokerId", pa.int32()),
            ("brokerEpoch", pa.int64()),
            ("incarnationId", pa.string()),
            ("rack", pa.string()),
            ("fenced", pa.bool_()),
            ("inControlledShutdown", pa.bool_()),
            ("isMigratingZkBroker", pa.bool_()),
            ("endpoints", _ENDPOINTS),
            ("logDirs", _WORDS),
            ("cordonedLogDirs", _WORDS),
            ("features", _FEATURES),
        ]
    ),
    "controllers": pa.schema(
        [
            ("controllerId", pa.int32()),
            ("incarnationId", pa.string()),
            ("zkMigrationReady", pa.bool_()),
            ("endpoints", _ENDPOINTS),
            ("features", _FEATURES),
        ]
    ),
    "voters": pa.schema(
        [
            ("voterId", pa.int32()),
            ("directoryId", pa.string()),
            ("isLeader", pa.bool_()),
            ("endpoints", _ENDPOINTS),
            ("minKraftVersion", pa.int16()),
            ("maxKraftVersion", pa.int16()),
        ]
    ),
    "features": pa.schema([("feature", pa.string()), ("level", pa.int16()), ("name", pa.string())]),
    "configs": pa.schema(
        [
            ("resourceType", pa.string()),
            ("resourceName", pa.string()),
            ("name", pa.string()),
            ("value", pa.string()),
            ("isSensitive", pa.bool_()),
        ]
    ),
    "quotas": pa.schema(
        [
            ("entity", pa.list_(pa.struct([("entityType", pa.string()), ("entityName", pa.string())]))),
            ("key", pa.string()),
            ("value", pa.float64()),
        ]
    ),
    "acls": pa.schema(
        [
            ("id", pa.string()),
            ("resourceType", pa.string()),
            ("resourceName", pa.string()),
            ("patternType", pa.string()),
            ("principal", pa.string()),
            ("host", pa.string()),
            ("operation", pa.string()),
            ("permissionType", pa.string()),
        ]
    ),
    "scram": pa.schema(
        [
            ("user", pa.string()),
            ("mechanism", pa.string()),
            ("iterations", pa.int32()),
            ("salt", pa.binary()),
            ("storedKey", pa.binary()),
            ("serverKey", pa.binary()),
        ]
    ),
    "tokens": pa.schema(
        [
            ("tokenId", pa.string()),
            ("owner", pa.string()),
            ("requester", pa.string()),
            ("renewers", _WORDS),
            ("issueTimestamp", _TIME),
            ("maxTimestamp", _TIME),
            ("expirationTimestamp", _TIME),
        ]
    ),
}
"""By section. Times are ms, ids as Kafka prints them."""
