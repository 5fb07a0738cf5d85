"""ClusterMetadata: the answer of `kafkafmt.topics.metadata`. docs/metadata.md describes its tables."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

from kafkafmt.answer_columns import Named
from kafkafmt.files.damage import is_finding
from kafkafmt.findings import Finding
from kafkafmt.libraries import pa
from kafkafmt.topics.cluster_metadata.nodes import BrokerRegistration, ControllerRegistration, Voter
from kafkafmt.topics.cluster_metadata.settings import (
    METADATA_VERSION,
    AccessControlEntry,
    ClientQuota,
    Config,
    DelegationToken,
    Redacted,
    ScramCredential,
    metadata_version_name,
)
from kafkafmt.topics.cluster_metadata.topics import PartitionRegistration, Topic
from kafkafmt.topics.history import HISTORY, LazyHistory, WithHistory

if TYPE_CHECKING:
    from kafkafmt.files.damage import Damage
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.topics.cluster_metadata.history import MetadataHistory
    from kafkafmt.topics.cluster_metadata.replay import IgnoredRecord, OpenTransaction


def _ids(voters: Sequence[Voter]) -> list[int]:
    return [voter.id for voter in voters]


@dataclass(frozen=True, slots=True)
class MetadataProvenance:
    """The files and offsets that an answer was read from.

    Attributes:
        path: the metadata log directory, or the file, that was read.
        snapshot: path of the snapshot from which it starts, or None.
        end_offset: the state includes all records below this offset, as in the name of a snapshot.
        epoch: leader epoch of the last record; -1 for none.
        timestamp: timestamp of the last record in ms; -1 for none.
        records: number of replayed records, of the snapshot and of the log.
        committed_offset: records below it are on a majority of the voters' disks; None if too few are among the paths.
    """

    path: Annotated[str, "string"]
    snapshot: Annotated[str | None, "string"]
    end_offset: Annotated[int, "int64"]
    epoch: Annotated[int, Named("leaderEpoch", "int32")]
    timestamp: int
    records: int
    committed_offset: Annotated[int | None, "int64"]


@dataclass(frozen=True, kw_only=True, repr=False)
class ClusterMetadata(WithHistory["MetadataHistory"]):
    """The metadata of a cluster at one offset of its metadata log; its tables are the `SECTIONS`.

    Secrets (values of sensitive configs, SCRAM salts and keys, ids of delegation tokens) are `Redacted`, and no longer
    in memory, unless `show_secrets=True` was given.

    Attributes:
        cluster_id: id of the cluster in the meta.properties beside the log; None without one.
        provenance: files and offsets that this was read from.
        topics: topics by name, in order. The column has their number.
        brokers: registered brokers by node id, in order. The column has their number.
        controllers: registered controllers by node id, in order. The column has their number.
        voters: voters of the quorum, by node id.
        leader_id: node id of the active controller, or None if unknown.
        features: finalized level by name: "metadata.version", "kraft.version" and others.
        configs: configs that were set, by type and name of the resource. The column has their number.
        quotas: client quotas. The column has their number.
        acls: access control entries. The column has their number.
        scram: SCRAM credentials. The column has their number.
        delegation_tokens: tokens that were issued and not removed. The column has their number.
        next_producer_id: start of the next block of producer ids; None before the first.
        zk_migration_state: "NONE", "PRE_MIGRATION", "MIGRATION", "POST_MIGRATION"; None if no record has it.
        open_transaction: open transaction of the controller, which has no effect yet, or None.
        notes: notes for the user: which copy was read, what may be uncommitted, which snapshots are incomplete. A
            `Note` that is a finding reports a fault of the log, such as offsets that go back.
        damage: ranges that were not read, and damaged or incomplete snapshots.
        ignored_records: records that cannot be decoded, or that change something that does not exist; for unknown types
            and versions there is one note.
        ignored_count: number of ignored records, of which the first thousand are kept.
        skipped_replicas: directories of other copies of the log.
    """

    cluster_id: Annotated[str | None, "string"]
    provenance: MetadataProvenance
    topics: Annotated[Mapping[str, Topic], "int32", len] = field(repr=False)
    brokers: Annotated[Mapping[int, BrokerRegistration], "int32", len] = field(repr=False)
    controllers: Annotated[Mapping[int, ControllerRegistration], "int32", len] = field(repr=False)
    voters: Annotated[tuple[Voter, ...], "list<int32>", _ids] = field(repr=False)
    leader_id: Annotated[int | None, "int32"]
    features: Mapping[str, int]
    configs: Annotated[tuple[Config, ...], "int32", len] = field(repr=False)
    quotas: Annotated[tuple[ClientQuota, ...], "int32", len] = field(repr=False)
    acls: Annotated[tuple[AccessControlEntry, ...], "int32", len] = field(repr=False)
    scram: Annotated[tuple[ScramCredential, ...], Named("scramCredentials", "int32"), len] = field(repr=False)
    delegation_tokens: Annotated[tuple[DelegationToken, ...], "int32", len] = field(repr=False)
    next_producer_id: Annotated[int | None, "int64"]
    zk_migration_state: Annotated[str | None, "string"]
    open_transaction: "OpenTransaction | None"
    notes: tuple[str, ...] = field(repr=False)
    damage: "tuple[Damage, ...]" = field(repr=False)
    ignored_records: "tuple[IgnoredRecord, ...]" = field(repr=False)
    ignored_count: int
    skipped_replicas: "tuple[Partition, ...]" = field(repr=False)
    _names: Mapping[str, str] = field(repr=False)
    _history: "LazyHistory[MetadataHistory]" = field(repr=False, compare=False)

    @property
    def offset(self) -> int:
        """End offset (exclusive) of the records included."""
        return self.provenance.end_offset

    @property
    def epoch(self) -> int:
        """Leader epoch of the last record included; -1 for none."""
        return self.provenance.epoch

    @property
    def metadata_version(self) -> Annotated[str | None, "string"]:
        """The metadata.version by name ("4.3-IV0"), by number if it has none here; None without one."""
        level = self.features.get(METADATA_VERSION)
        return None if level is None else metadata_version_name(level) or str(level)

    @property
    def partition_count(self) -> Annotated[int, Named("partitions", "int32")]:
        """Number of partitions of all topics."""
        return sum(len(topic.partitions) for topic in self.topics.values())

    def topic_by_id(self, topic_id: str) -> Topic | None:
        """The topic with an id, or None."""
        name = self._names.get(topic_id)
        return None if name is None else self.topics[name]

    def partitions(self) -> Iterator[tuple[Topic, PartitionRegistration]]:
        """All partitions, by topic and number."""
        return ((topic, partition) for topic in self.topics.values() for partition in topic.partitions.values())

    def config(self, resource_type: str, resource_name: str) -> dict[str, str | Redacted]:
        """The configs of one resource: `metadata.config("TOPIC", "orders")`; name "" for all brokers."""
        return {
            each.name: each.value
            for each in self.configs
            if (each.resource_type, each.resource_name) == (resource_type, resource_name)
        }

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The ignored records in `ignored_records` as findings."""
        return tuple(each.finding for each in self.ignored_records)

    @property
    def faults(self) -> tuple[str, ...]:
        """Faults of the log that was read, in words, for callers that only look something up."""
        skipped = (str(each.error) for each in self.damage if not each.is_open_end)
        return (*filter(is_finding, self.notes), *skipped)

    @classmethod
    def schemas(cls) -> "Mapping[str, pa.Schema]":
        """Schema of each section by its name, "topics" first."""
        from kafkafmt.topics.cluster_metadata.history import METADATA_HISTORY  # noqa: PLC0415 - it takes the replay
        from kafkafmt.topics.cluster_metadata.sections import SECTIONS  # noqa: PLC0415 - they are of this class

        main = "topics"
        return {
            **{name: SECTIONS[name].schema for name in dict.fromkeys((main, *SECTIONS))},
            HISTORY: METADATA_HISTORY.schema,
        }

    def rows(self, name: str) -> Iterator[Sequence[Any]]:
        """Rows of a section, with null in place of `Redacted`; or of the history."""
        from kafkafmt.topics.cluster_metadata.sections import SECTIONS  # noqa: PLC0415 - they are of this class

        if name == HISTORY:
            return self.history_answer.rows()
        return (
            tuple([None if isinstance(value, Redacted) else value for value in row])
            for row in SECTIONS[name].rows(self)
        )
