"""Records about configs, features, quotas, ACLs, SCRAM, tokens and producer ids, as Kafka's deltas apply them."""

from collections.abc import Callable, Mapping
from typing import Any

from kafkafmt.errors import CorruptError
from kafkafmt.topics.cluster_metadata.image import Entity, Image
from kafkafmt.topics.cluster_metadata.names import (
    ACL_RESOURCE_TYPES,
    KRAFT_VERSION,
    METADATA_VERSION,
    OPERATIONS,
    PATTERN_TYPES,
    PERMISSION_TYPES,
    RESOURCE_TYPES,
    SCRAM_MECHANISMS,
    ZK_MIGRATION_STATES,
    name_of,
)
from kafkafmt.topics.cluster_metadata.registrations import AccessControlEntry, DelegationToken, ScramCredential

Data = Mapping[str, Any]


def config(image: Image, data: Data) -> None:
    """ConfigRecord: a config is set, or with a null value no longer."""
    resource = (name_of(RESOURCE_TYPES, data["resourceType"]), data["resourceName"])
    if data["value"] is not None:
        image.configs.setdefault(resource, {})[data["name"]] = data["value"]
    else:
        _remove(image.configs, resource, data["name"])


def feature_level(image: Image, data: Data) -> None:
    """FeatureLevelRecord: the level of a feature; 0 takes any but metadata.version away.

    One for kraft.version does not count (KAFKA-18979): control records tell that.
    """
    name, level = data["name"], data["featureLevel"]
    if name == KRAFT_VERSION:
        return
    if level or name == METADATA_VERSION:
        image.features[name] = level
    else:
        image.features.pop(name, None)


def zk_migration_state(image: Image, data: Data) -> None:
    """ZkMigrationStateRecord; Kafka 4 passes it over, since there is nothing left to migrate."""
    image.zk_migration_state = name_of(ZK_MIGRATION_STATES, data["zkMigrationState"])


def client_quota(image: Image, data: Data) -> None:
    """ClientQuotaRecord: a limit is set or removed."""
    by_type = {each["entityType"]: each["entityName"] for each in data["entity"]}
    entity: Entity = tuple(sorted(by_type.items()))
    if data["remove"]:
        _remove(image.quotas, entity, data["key"])
    else:
        image.quotas.setdefault(entity, {})[data["key"]] = data["value"]


def producer_ids(image: Image, data: Data) -> None:
    """ProducerIdsRecord: a block of producer ids was given out, and the next one begins there."""
    image.next_producer_id = data["nextProducerId"]


def access_control_entry(image: Image, data: Data) -> None:
    """AccessControlEntryRecord: an ACL, in place of one of the same id."""
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
    """RemoveAccessControlEntryRecord.

    Raises:
        CorruptError: there is no such ACL.
    """
    if image.acls.pop(data["id"], None) is None:
        raise CorruptError("an ACL is removed that does not exist", found=f"id {data['id']}")


def user_scram_credential(image: Image, data: Data) -> None:
    """UserScramCredentialRecord: a credential, in place of one of the same user and mechanism."""
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
    """RemoveUserScramCredentialRecord."""
    image.scram.pop((name_of(SCRAM_MECHANISMS, data["mechanism"]), data["name"]), None)


def delegation_token(image: Image, data: Data) -> None:
    """DelegationTokenRecord: a token, in place of one of the same id."""
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
    """RemoveDelegationTokenRecord."""
    image.tokens.pop(data["tokenId"], None)


def no_op(_: Image, __: Data) -> None:
    """NoOpRecord: written so that offsets grow."""


SETTING_RECORDS: Mapping[str, Callable[[Image, Data], None]] = {
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
"""What each of these records does, by Kafka's MetadataRecordType."""


def _remove(settings: dict[Any, dict[str, Any]], owner: object, name: str) -> None:
    """Take one setting away, and its owner with the last one."""
    of_owner = settings.get(owner)
    if of_owner is not None:
        of_owner.pop(name, None)
        if not of_owner:
            del settings[owner]
