"""Configs, features, quotas, ACLs, credentials and tokens, how records change them, and which of them are secrets.

Also the few other facts: producer ids, and the state of a migration from ZooKeeper.

A function of a record raises CorruptError if the record removes an ACL that does not exist.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from kafkafmt.answer_columns import TIME
from kafkafmt.errors import CorruptError

if TYPE_CHECKING:
    from kafkafmt.topics.cluster_metadata.image import Entity, Image

Data = Mapping[str, Any]

RESOURCE_TYPES: Mapping[int, str] = {
    0: "UNKNOWN",
    2: "TOPIC",
    4: "BROKER",
    8: "BROKER_LOGGER",
    16: "CLIENT_METRICS",
    32: "GROUP",
}
"""Kafka's `ConfigResource.Type` of configs."""


ACL_RESOURCE_TYPES: Mapping[int, str] = dict(
    enumerate(("UNKNOWN", "ANY", "TOPIC", "GROUP", "CLUSTER", "TRANSACTIONAL_ID", "DELEGATION_TOKEN", "USER"))
)
"""Kafka's `ResourceType` of access control entries."""

PATTERN_TYPES: Mapping[int, str] = dict(enumerate(("UNKNOWN", "ANY", "MATCH", "LITERAL", "PREFIXED")))
"""Kafka's `PatternType` of access control entries."""

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
"""Kafka's `AclOperation` of access control entries."""

PERMISSION_TYPES: Mapping[int, str] = dict(enumerate(("UNKNOWN", "ANY", "DENY", "ALLOW")))
"""Kafka's `AclPermissionType` of access control entries."""

SCRAM_MECHANISMS: Mapping[int, str] = {0: "UNKNOWN", 1: "SCRAM-SHA-256", 2: "SCRAM-SHA-512"}
"""`ScramMechanism.mechanismName`."""


ZK_MIGRATION_STATES: Mapping[int, str] = {
    0: "NONE",
    1: "MIGRATION",
    2: "PRE_MIGRATION",
    3: "POST_MIGRATION",
    4: "ZK",
}
"""States of Kafka's `ZkMigrationState`, as in Kafka 3.4 to 3.9."""

METADATA_VERSION = "metadata.version"
"""The feature whose level determines which records the controllers may write."""

KRAFT_VERSION = "kraft.version"
"""The feature that control records set (KIP-853), not FeatureLevelRecords."""


# Metadata versions of each release, whose levels count from 1.
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
    """Name of a number; `UNKNOWN(9)` for one that Kafka 4.4 does not have."""
    return names.get(number) or f"UNKNOWN({number})"


def metadata_version_name(level: int) -> str | None:
    """Name of a level of `metadata.version` in Kafka's MetadataVersion: 30 is 4.3-IV0; None if unknown."""
    return _METADATA_VERSIONS[level - 1] if 1 <= level <= len(_METADATA_VERSIONS) else None


_KEY = os.urandom(16)

_SECRET_NAME = re.compile(
    r"password|passwd|passphrase|secret|jaas|credential|private|certificate\.chain|truststore\.certificates|key",
    re.IGNORECASE,
)
_HARMLESS_NAME = re.compile(r"(?:.*\.)?ssl\.keystore\.(?:location|type)", re.IGNORECASE)
_SECRET_VALUE = re.compile(r"PRIVATE KEY-----|LoginModule|\bpassword\s*=", re.IGNORECASE)

REDACTED_TEXT = "[redacted]"
"""Text in place of a secret."""


class Redacted:
    """Placeholder for a secret; two placeholders are equal if their values are.

    It holds a keyed hash whose key is never stored, so the value cannot be recovered from it.
    """

    __slots__ = ("_digest",)

    def __init__(self, value: str | bytes) -> None:
        from hashlib import blake2b  # noqa: PLC0415 - it loads OpenSSL

        data = value if isinstance(value, bytes) else value.encode("utf-8", "surrogatepass")
        self._digest = blake2b(data, key=_KEY, digest_size=16).digest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Redacted) and self._digest == other._digest

    def __hash__(self) -> int:
        return hash(self._digest)

    def __repr__(self) -> str:
        return REDACTED_TEXT


def is_sensitive(name: str, value: str | None) -> bool:
    """Whether the value of a config is a secret, judged by its name, or by text like a private key or a JAAS login.

    All of Kafka's configs of type PASSWORD are included. Kafka treats every unknown config as a secret; here the words
    in its name decide.
    """
    if value is not None and _SECRET_VALUE.search(value):
        return True
    return _SECRET_NAME.search(name) is not None and _HARMLESS_NAME.fullmatch(name) is None


@dataclass(frozen=True, slots=True)
class Config:
    """A config that was set, also if it was set to its default.

    Attributes:
        resource_type: "TOPIC", "BROKER", "CLIENT_METRICS", "GROUP", ...
        resource_name: name of the topic, node id of the broker, ...; "" for all brokers.
        name: name of the config.
        value: its value; `Redacted` (null in the table) if that is a secret.
        is_sensitive: whether its value is a secret.
    """

    resource_type: Annotated[str, "string"]
    resource_name: Annotated[str, "string"]
    name: Annotated[str, "string"]
    value: Annotated[str | Redacted, "string"]
    is_sensitive: Annotated[bool, "bool"]


_ENTITY = "list<struct<entityType: string, entityName: string>>"


def _in_entity(entity: tuple[tuple[str, str | None], ...]) -> list[dict[str, str | None]]:
    return [{"entityType": kind, "entityName": name} for kind, name in entity]


@dataclass(frozen=True, slots=True)
class ClientQuota:
    """A client quota.

    Attributes:
        entity: entity types ("user", "client-id", "ip") and names, sorted; the name None is the default entity.
        key: type of the quota: "producer_byte_rate", "request_percentage", ...
        value: the limit.
    """

    entity: Annotated[tuple[tuple[str, str | None], ...], _ENTITY, _in_entity]
    key: Annotated[str, "string"]
    value: Annotated[float, "float64"]


@dataclass(frozen=True, slots=True)
class AccessControlEntry:
    """An ACL.

    Attributes:
        id: its id.
        resource_type: "TOPIC", "GROUP", "CLUSTER", ...
        resource_name: name, or prefix of names; "*" for all.
        pattern_type: "LITERAL" or "PREFIXED".
        principal: principal, as in "User:alice".
        host: client host; "*" for all.
        operation: "READ", "WRITE", ...
        permission_type: "ALLOW" or "DENY".
    """

    id: Annotated[str, "string"]
    resource_type: Annotated[str, "string"]
    resource_name: Annotated[str, "string"]
    pattern_type: Annotated[str, "string"]
    principal: Annotated[str, "string"]
    host: Annotated[str, "string"]
    operation: Annotated[str, "string"]
    permission_type: Annotated[str, "string"]


@dataclass(frozen=True, slots=True)
class ScramCredential:
    """A user's SCRAM credential.

    Attributes:
        user: name of the user.
        mechanism: "SCRAM-SHA-256" or "SCRAM-SHA-512".
        iterations: iterations of the hash, as in AdminClient.
        salt: bytes; `Redacted` (null in the table) unless secrets are requested.
        stored_key: bytes; `Redacted` (null in the table) unless secrets are requested.
        server_key: bytes; `Redacted` (null in the table) unless secrets are requested.
    """

    user: Annotated[str, "string"]
    mechanism: Annotated[str, "string"]
    iterations: Annotated[int, "int32"]
    salt: Annotated[bytes | Redacted, "binary"]
    stored_key: Annotated[bytes | Redacted, "binary"]
    server_key: Annotated[bytes | Redacted, "binary"]


@dataclass(frozen=True, slots=True)
class DelegationToken:
    """A delegation token (KIP-48, KIP-900).

    Attributes:
        token_id: id; `Redacted` (null in the table) unless secrets are requested: with the brokers' master key it gives
            the token's password.
        owner: principal of the token.
        requester: principal that requested it.
        renewers: principals that may renew it.
        issue_timestamp: when it was issued, in ms since the epoch.
        max_timestamp: when it can no longer be renewed, in ms since the epoch.
        expiration_timestamp: when it expires unless it is renewed, in ms since the epoch.
    """

    token_id: Annotated[str | Redacted, "string"]
    owner: Annotated[str, "string"]
    requester: Annotated[str, "string"]
    renewers: Annotated[tuple[str, ...], "list<string>"]
    issue_timestamp: Annotated[int, TIME]
    max_timestamp: Annotated[int, TIME]
    expiration_timestamp: Annotated[int, TIME]


def config(image: "Image", data: Data) -> None:
    """ConfigRecord: sets a config; a null value removes it."""
    resource = (name_of(RESOURCE_TYPES, data["resourceType"]), data["resourceName"])
    if data["value"] is not None:
        image.configs.setdefault(resource, {})[data["name"]] = data["value"]
    else:
        _remove(image.configs, resource, data["name"])


def feature_level(image: "Image", data: Data) -> None:
    """FeatureLevelRecord: sets the level of a feature; 0 removes any but metadata.version.

    A record for kraft.version is ignored (KAFKA-18979), as control records set it.
    """
    name, level = data["name"], data["featureLevel"]
    if name == KRAFT_VERSION:
        return
    if level or name == METADATA_VERSION:
        image.features[name] = level
    else:
        image.features.pop(name, None)


def zk_migration_state(image: "Image", data: Data) -> None:
    """ZkMigrationStateRecord, which Kafka 4 ignores."""
    image.zk_migration_state = name_of(ZK_MIGRATION_STATES, data["zkMigrationState"])


def client_quota(image: "Image", data: Data) -> None:
    """ClientQuotaRecord: sets or removes a quota."""
    by_type = {each["entityType"]: each["entityName"] for each in data["entity"]}
    entity: Entity = tuple(sorted(by_type.items()))
    if data["remove"]:
        _remove(image.quotas, entity, data["key"])
    else:
        image.quotas.setdefault(entity, {})[data["key"]] = data["value"]


def producer_ids(image: "Image", data: Data) -> None:
    """ProducerIdsRecord: sets the start of the next block of producer ids."""
    image.next_producer_id = data["nextProducerId"]


def access_control_entry(image: "Image", data: Data) -> None:
    """AccessControlEntryRecord: creates an ACL, or replaces the one with the same id."""
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


def remove_access_control_entry(image: "Image", data: Data) -> None:
    """RemoveAccessControlEntryRecord: removes an ACL."""
    if image.acls.pop(data["id"], None) is None:
        raise CorruptError("the removal of an ACL that does not exist", found=f"id {data['id']}")


def user_scram_credential(image: "Image", data: Data) -> None:
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


def remove_user_scram_credential(image: "Image", data: Data) -> None:
    """RemoveUserScramCredentialRecord: removes a credential."""
    image.scram.pop((name_of(SCRAM_MECHANISMS, data["mechanism"]), data["name"]), None)


def delegation_token(image: "Image", data: Data) -> None:
    """DelegationTokenRecord: creates a token, or replaces the one with the same id."""
    image.tokens[data["tokenId"]] = DelegationToken(
        token_id=data["tokenId"],
        owner=data["owner"],
        requester=data["requester"],
        renewers=tuple(data["renewers"]),
        issue_timestamp=data["issueTimestamp"],
        max_timestamp=data["maxTimestamp"],
        expiration_timestamp=data["expirationTimestamp"],
    )


def remove_delegation_token(image: "Image", data: Data) -> None:
    """RemoveDelegationTokenRecord: removes a token."""
    image.tokens.pop(data["tokenId"], None)


def no_op(_: "Image", __: Data) -> None:
    """NoOpRecord: only advances the offset."""


def _remove(settings: dict[Any, dict[str, Any]], owner: object, name: str) -> None:
    """Remove a setting, and its owner if it was the last one."""
    of_owner = settings.get(owner)
    if of_owner is not None:
        of_owner.pop(name, None)
        if not of_owner:
            del settings[owner]
