"""Names of numbers in metadata records: Kafka's enums, by id."""

from collections.abc import Mapping

RESOURCE_TYPES: Mapping[int, str] = {
    0: "UNKNOWN",
    2: "TOPIC",
    4: "BROKER",
    8: "BROKER_LOGGER",
    16: "CLIENT_METRICS",
    32: "GROUP",
}
"""Of configs: `ConfigResource.Type`."""

SECURITY_PROTOCOLS: Mapping[int, str] = {0: "PLAINTEXT", 1: "SSL", 2: "SASL_PLAINTEXT", 3: "SASL_SSL"}
"""Of endpoints: `SecurityProtocol`."""

ACL_RESOURCE_TYPES: Mapping[int, str] = dict(
    enumerate(("UNKNOWN", "ANY", "TOPIC", "GROUP", "CLUSTER", "TRANSACTIONAL_ID", "DELEGATION_TOKEN", "USER"))
)
"""Of access control entries: `ResourceType`."""

PATTERN_TYPES: Mapping[int, str] = dict(enumerate(("UNKNOWN", "ANY", "MATCH", "LITERAL", "PREFIXED")))
"""Of access control entries: `PatternType`."""

OPERATIONS: Mapping[int, str] = dict(
    enumerate(
        (
            "UNKNOWN",
            "ANY",
            "ALL",
            "READ",
            "WRITE",
            "CREATE",
            "DELETE",
            "ALTER",
            "DESCRIBE",
            "CLUSTER_ACTION",
            "DESCRIBE_CONFIGS",
            "ALTER_CONFIGS",
            "IDEMPOTENT_WRITE",
            "CREATE_TOKENS",
            "DESCRIBE_TOKENS",
            "TWO_PHASE_COMMIT",
        )
    )
)
"""Of access control entries: `AclOperation`."""

PERMISSION_TYPES: Mapping[int, str] = dict(enumerate(("UNKNOWN", "ANY", "DENY", "ALLOW")))
"""Of access control entries: `AclPermissionType`."""

SCRAM_MECHANISMS: Mapping[int, str] = {0: "UNKNOWN", 1: "SCRAM-SHA-256", 2: "SCRAM-SHA-512"}
"""`ScramMechanism.mechanismName`."""

LEADER_RECOVERY_STATES: Mapping[int, str] = {0: "RECOVERED", 1: "RECOVERING"}
"""Of partitions: `LeaderRecoveryState`."""

ZK_MIGRATION_STATES: Mapping[int, str] = {
    0: "NONE",
    1: "MIGRATION",
    2: "PRE_MIGRATION",
    3: "POST_MIGRATION",
    4: "ZK",
}
"""`ZkMigrationState`, as Kafka 3.4 to 3.9 have it."""

METADATA_VERSION = "metadata.version"
"""The feature whose level decides which records the controllers may write."""

KRAFT_VERSION = "kraft.version"
"""The feature that control records set (KIP-853), not FeatureLevelRecords."""

MIGRATING = "AAAAAAAAAAAAAAAAAAAAAA"
"""Directory id of a replica whose directory is not known yet (`DirectoryId.MIGRATING`)."""

# Metadata versions of each release; their levels count from 1.
_LEVELS_OF_RELEASES = {
    "3.0": (1,),
    "3.1": (0,),
    "3.2": (0,),
    "3.3": (0, 1, 2, 3),
    "3.4": (0,),
    "3.5": (0, 1, 2),
    "3.6": (0, 1, 2),
    "3.7": (0, 1, 2, 3, 4),
    "3.8": (0,),
    "3.9": (0,),
    "4.0": (0, 1, 2, 3),
    "4.1": (0, 1),
    "4.2": (0, 1),
    "4.3": (0,),
    "4.4": (0, 1, 2),
    "4.5": (0,),
}
_METADATA_VERSIONS = [f"{release}-IV{number}" for release, numbers in _LEVELS_OF_RELEASES.items() for number in numbers]


def name_of(names: Mapping[int, str], number: int) -> str:
    """Name of a number; `UNKNOWN(9)` if Kafka 4.4 has none."""
    return names.get(number) or f"UNKNOWN({number})"


def metadata_version_name(level: int) -> str | None:
    """Name of a level of `metadata.version` in Kafka's MetadataVersion: 30 is 4.3-IV0; None if unknown."""
    return _METADATA_VERSIONS[level - 1] if 1 <= level <= len(_METADATA_VERSIONS) else None
