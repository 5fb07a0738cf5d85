"""The image: the state of cluster metadata during the replay of its records, as in Kafka's MetadataImage.

An image has secrets; `contents` makes values for `ClusterMetadata` from it, with secrets redacted.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from kafkafmt.topics.cluster_metadata.nodes import BrokerRegistration, ControllerRegistration, Voter
from kafkafmt.topics.cluster_metadata.settings import (
    KRAFT_VERSION,
    AccessControlEntry,
    ClientQuota,
    Config,
    DelegationToken,
    Redacted,
    ScramCredential,
    is_sensitive,
)
from kafkafmt.topics.cluster_metadata.topics import PartitionRegistration, Topic, TopicImage
from kafkafmt.topics.decoding import RECORD, TEXT

# Bounds of the lists that are shared, as most of a million partitions have equal lists. Longer lists are counted with
# each partition.
_MOST_SHARED = 100_000
_MOST_SHARED_ITEMS = 20

Entity = tuple[tuple[str, str | None], ...]


@dataclass(slots=True)
class Image:
    """The state after the records so far.

    Attributes:
        topics: topics by id.
        topic_ids: topic ids by name; if two topics have one name, the later id.
        brokers: brokers by node id.
        controllers: controllers by node id.
        voters: voters in the last control record that has them.
        leader: node id and epoch of the last leader change, or None.
        configs: values by resource type and name, then by name of the config.
        features: levels by name, without kraft.version.
        kraft_version: kraft.version in the last control record that has it, or None.
        quotas: quotas by entity, then by key.
        acls: ACLs by id.
        scram: credentials by mechanism and user.
        tokens: tokens by token id.
        next_producer_id: first id of the next block, or None before the first block.
        zk_migration_state: name of the state, or None if no record has it.
        with_elr: partitions that may have eligible leader replicas, by topic id, so that clearing them is fast.
        shared: tuples that partitions share.
    """

    topics: dict[str, TopicImage] = field(default_factory=dict)
    topic_ids: dict[str, str] = field(default_factory=dict)
    brokers: dict[int, BrokerRegistration] = field(default_factory=dict)
    controllers: dict[int, ControllerRegistration] = field(default_factory=dict)
    voters: tuple[Voter, ...] = ()
    leader: tuple[int, int] | None = None
    configs: dict[tuple[str, str], dict[str, str]] = field(default_factory=dict)
    features: dict[str, int] = field(default_factory=dict)
    kraft_version: int | None = None
    quotas: dict[Entity, dict[str, float]] = field(default_factory=dict)
    acls: dict[str, AccessControlEntry] = field(default_factory=dict)
    scram: dict[tuple[str, str], ScramCredential] = field(default_factory=dict)
    tokens: dict[str, DelegationToken] = field(default_factory=dict)
    next_producer_id: int | None = None
    zk_migration_state: str | None = None
    with_elr: dict[str, set[int]] = field(default_factory=dict, compare=False)
    shared: dict[tuple[Any, ...], tuple[Any, ...]] = field(default_factory=dict, compare=False)

    def once(self, items: Iterable[Any]) -> tuple[Any, ...]:
        """A tuple of the items, shared by all partitions that have an equal one."""
        made = tuple(items)
        if len(made) > _MOST_SHARED_ITEMS or len(self.shared) >= _MOST_SHARED:
            return made
        return self.shared.setdefault(made, made)

    def memory(self) -> int:
        """Estimate of its size in bytes."""
        partitions = sum(map(_memory_of_partition, self._partitions()))
        registered = (self.brokers, self.controllers, self.acls, self.scram, self.tokens)
        configs = (item for configs in self.configs.values() for item in configs.items())
        names = len(self.topics) + len(self.topic_ids) + len(self.features)
        return (
            partitions
            + sum(_memory_of(each) for kind in registered for each in kind.values())
            + sum(RECORD + len(name) + 4 * len(value) for name, value in configs)
            + sum(_memory_of(entity) + RECORD * len(quotas) for entity, quotas in self.quotas.items())
            + RECORD * names
        )

    def _partitions(self) -> Iterator[PartitionRegistration]:
        return (partition for topic in self.topics.values() for partition in topic.partitions.values())


def _memory_of_partition(partition: PartitionRegistration) -> int:
    lists = (partition.replicas, partition.isr, partition.elr, partition.last_known_elr, partition.directories)
    longest = max(map(len, lists))
    return RECORD + (len(lists) * TEXT * longest if longest > _MOST_SHARED_ITEMS else 0)


def _memory_of(registration: object) -> int:
    return RECORD + 2 * len(repr(registration))


def contents(image: Image, *, show_secrets: bool) -> dict[str, object]:
    """Make the attributes of `ClusterMetadata` from an image: sorted, and redacted unless secrets are requested."""
    named = {name: image.topics[topic_id] for name, topic_id in sorted(image.topic_ids.items())}
    topics = {name: Topic(name, topic.id, dict(sorted(topic.partitions.items()))) for name, topic in named.items()}
    features = dict(image.features)
    if image.kraft_version is not None:
        features[KRAFT_VERSION] = image.kraft_version
    scram = (image.scram[key] for key in sorted(image.scram, key=lambda key: (key[1], key[0])))
    tokens = (image.tokens[key] for key in sorted(image.tokens))
    return {
        "topics": topics,
        "_names": {topic.id: name for name, topic in topics.items()},
        "brokers": dict(sorted(image.brokers.items())),
        "controllers": dict(sorted(image.controllers.items())),
        "voters": image.voters,
        "features": dict(sorted(features.items())),
        "configs": tuple(_configs(image, show_secrets=show_secrets)),
        "quotas": tuple(_quotas(image)),
        "acls": tuple(sorted(image.acls.values(), key=_acl_order)),
        "scram": tuple(scram if show_secrets else map(_redacted_credential, scram)),
        "delegation_tokens": tuple(tokens if show_secrets else map(_redacted_token, tokens)),
        "next_producer_id": image.next_producer_id,
        "zk_migration_state": image.zk_migration_state,
    }


def _configs(image: Image, *, show_secrets: bool) -> Iterable[Config]:
    for resource_type, resource_name in sorted(image.configs):
        for name, value in sorted(image.configs[resource_type, resource_name].items()):
            sensitive = is_sensitive(name, value)
            shown = Redacted(value) if sensitive and not show_secrets else value
            yield Config(resource_type, resource_name, name, shown, sensitive)


def _quotas(image: Image) -> Iterable[ClientQuota]:
    for entity in sorted(image.quotas, key=_entity_order):
        for key, value in sorted(image.quotas[entity].items()):
            yield ClientQuota(entity, key, value)


def _entity_order(entity: Entity) -> list[tuple[str, bool, str]]:
    return [(kind, name is not None, name or "") for kind, name in entity]


def _acl_order(acl: AccessControlEntry) -> tuple[str, ...]:
    return (acl.resource_type, acl.resource_name, acl.pattern_type, acl.principal, acl.operation, acl.host, acl.id)


def _redacted_credential(credential: ScramCredential) -> ScramCredential:
    return replace(
        credential,
        salt=_hidden(credential.salt),
        stored_key=_hidden(credential.stored_key),
        server_key=_hidden(credential.server_key),
    )


def _redacted_token(token: DelegationToken) -> DelegationToken:
    return replace(token, token_id=_hidden(token.token_id))


def _hidden(value: str | bytes | Redacted) -> Redacted:
    return value if isinstance(value, Redacted) else Redacted(value)
