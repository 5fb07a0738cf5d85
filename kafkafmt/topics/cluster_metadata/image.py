"""The image: the state that metadata records add up to, as Kafka's MetadataImage has it, while it is being replayed.

Nothing is redacted here; `ClusterMetadata` is what leaves the package.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kafkafmt.topics.decoding import RECORD, TEXT

if TYPE_CHECKING:
    from kafkafmt.topics.cluster_metadata.registrations import (
        AccessControlEntry,
        BrokerRegistration,
        ControllerRegistration,
        DelegationToken,
        PartitionRegistration,
        ScramCredential,
        Voter,
    )

# Of a million partitions few have lists of their own; those with longer ones are counted with them.
_MOST_SHARED = 100_000
_MOST_SHARED_ITEMS = 20

Entity = tuple[tuple[str, str | None], ...]


@dataclass(slots=True)
class TopicImage:
    """A topic under replay.

    Attributes:
        name: its name.
        id: its id.
        partitions: by number, in the order of their records.
    """

    name: str
    id: str
    partitions: "dict[int, PartitionRegistration]" = field(default_factory=dict)


@dataclass(slots=True)
class Image:
    """All that the records so far say.

    Attributes:
        topics: by id.
        topic_ids: by name; of two topics with one name the one that came later.
        brokers: by node id.
        controllers: by node id.
        voters: of the last control record that tells them.
        leader: node id and epoch of the last leader change, or None.
        configs: by resource type and name, then by name of the config.
        features: level by name, without kraft.version.
        kraft_version: of the last control record that tells it, or None.
        quotas: by entity, then by key.
        acls: by id.
        scram: by mechanism and user.
        tokens: by token id.
        next_producer_id: first id of the next block, or None before the first block.
        zk_migration_state: name, or None where no record tells it.
        with_elr: by topic id the partitions that may have eligible leader replicas, for when these are cleared.
        shared: tuples that many partitions have, each held once.
    """

    topics: dict[str, TopicImage] = field(default_factory=dict)
    topic_ids: dict[str, str] = field(default_factory=dict)
    brokers: "dict[int, BrokerRegistration]" = field(default_factory=dict)
    controllers: "dict[int, ControllerRegistration]" = field(default_factory=dict)
    voters: "tuple[Voter, ...]" = ()
    leader: tuple[int, int] | None = None
    configs: dict[tuple[str, str], dict[str, str]] = field(default_factory=dict)
    features: dict[str, int] = field(default_factory=dict)
    kraft_version: int | None = None
    quotas: dict[Entity, dict[str, float]] = field(default_factory=dict)
    acls: "dict[str, AccessControlEntry]" = field(default_factory=dict)
    scram: "dict[tuple[str, str], ScramCredential]" = field(default_factory=dict)
    tokens: "dict[str, DelegationToken]" = field(default_factory=dict)
    next_producer_id: int | None = None
    zk_migration_state: str | None = None
    with_elr: dict[str, set[int]] = field(default_factory=dict, compare=False)
    shared: dict[tuple[Any, ...], tuple[Any, ...]] = field(default_factory=dict, compare=False)

    def once(self, items: Iterable[Any]) -> tuple[Any, ...]:
        """A tuple of these: the one that was made before, if there is one; of a million partitions few differ."""
        made = tuple(items)
        if len(made) > _MOST_SHARED_ITEMS or len(self.shared) >= _MOST_SHARED:
            return made
        return self.shared.setdefault(made, made)

    def memory(self) -> int:
        """Estimate how many bytes the image takes."""
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

    def _partitions(self) -> "Iterator[PartitionRegistration]":
        return (partition for topic in self.topics.values() for partition in topic.partitions.values())


def _memory_of_partition(partition: "PartitionRegistration") -> int:
    lists = (partition.replicas, partition.isr, partition.elr, partition.last_known_elr, partition.directories)
    longest = max(map(len, lists))
    return RECORD + (len(lists) * TEXT * longest if longest > _MOST_SHARED_ITEMS else 0)


def _memory_of(registration: object) -> int:
    return RECORD + 2 * len(repr(registration))
