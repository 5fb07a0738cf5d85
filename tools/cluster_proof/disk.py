"""Answers that kafkafmt reads from a cluster's disks, in the form that AskCluster.java writes."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

import kafkafmt
import kafkafmt.topics
from cluster_proof.derived import METADATA_OFFSET
from kafkafmt.internal_topics import CONSUMER_OFFSETS, TRANSACTION_STATE
from kafkafmt.logdir.partition import Partition
from kafkafmt.topics.cluster_metadata.cluster import ClusterMetadata
from kafkafmt.topics.consumer_groups.answer import CommittedOffset, Group, Groups, Member, Tasks, TopicPartitions
from kafkafmt.topics.transaction_state.answer import Transactions

Json = dict[str, Any]

Logs = dict[tuple[str | None, int | None], Partition]

LISTENER = "PLAINTEXT"


def answers_as_of(log_dirs: Sequence[Path], asked: Json) -> Json:
    """Answers from a broker's log directories as of an earlier moment.

    Args:
        log_dirs: the directories.
        asked: Admin's answers at that moment, which have the end offsets of the internal topics.

    Raises:
        KafkafmtError: the directories cannot be read, or are damaged.
    """
    sources = [str(log_dir) for log_dir in log_dirs]
    ends = {
        topic: {partition["partition"]: partition["end"] for partition in asked["topics"][topic]["partitions"]}
        for topic in (CONSUMER_OFFSETS, TRANSACTION_STATE)
    }
    groups = kafkafmt.topics.groups(sources, at_offset=ends[CONSUMER_OFFSETS])
    transactions = kafkafmt.topics.transactions(sources, at_offset=ends[TRANSACTION_STATE])
    metadata = kafkafmt.topics.metadata(sources, at_offset=asked["cluster"][METADATA_OFFSET])
    return {
        "groups": [_group(group) for group in groups],
        "transactions": _transactions(transactions),
        **_cluster_metadata(metadata, {}),
        "complaints": _complaints(groups, transactions, metadata),
    }


def answers(log_dirs: Sequence[Path], metadata_offset: int | None = None) -> Json:
    """All answers from a broker's log directories.

    Args:
        log_dirs: the directories.
        metadata_offset: offset for which the cluster metadata is read; None for the end of the log.

    Raises:
        KafkafmtError: the directories cannot be read, or are damaged.
    """
    sources = [str(log_dir) for log_dir in log_dirs]
    groups = kafkafmt.topics.groups(sources)
    transactions = kafkafmt.topics.transactions(sources, data="open")
    producers = kafkafmt.topics.producers(sources)
    metadata = kafkafmt.topics.metadata(sources, at_offset=metadata_offset)
    return {
        "groups": [_group(group) for group in groups],
        "transactions": _transactions(transactions),
        "openTransactions": _open_transactions(transactions),
        "producers": _producers(producers.to_table()),
        **_cluster_metadata(metadata, _logs(sources)),
        "complaints": _complaints(groups, transactions, metadata) + [str(finding) for finding in producers.findings],
    }


_ACL = {
    "resourceType": "resource_type",
    "resourceName": "resource_name",
    "patternType": "pattern_type",
    "principal": "principal",
    "host": "host",
    "operation": "operation",
    "permissionType": "permission_type",
}


def _rows(found: Iterable[object], names: dict[str, str]) -> list[Json]:
    return [{name: getattr(each, attribute) for name, attribute in names.items()} for each in found]


def _group(group: Group) -> Json:
    is_classic = group.type == "Classic"
    answer: Json = {"groupId": group.group_id, "type": group.type, "state": group.state}
    if group.type in ("Classic", "Consumer"):
        answer |= {"partitionAssignor": group.protocol, "isSimpleConsumerGroup": group.is_simple}
    answer |= {
        "groupEpoch": None if is_classic else group.epoch,
        "targetAssignmentEpoch": None if is_classic else group.assignment_epoch,
        "coordinatorPartition": group.coordinator_partition,
        "members": [_member(group, member) for member in group.members],
    }
    if group.type == "Share":
        return answer | {"shareOffsets": [_share_offset(offset) for offset in group.offsets]}
    if group.type == "Streams":
        answer["topologyEpoch"] = group.topology_epoch
    return answer | {"offsets": [_offset(offset) for offset in group.offsets]}


def _member(group: Group, member: Member) -> Json:
    answer: Json = {
        "memberId": member.member_id,
        "clientId": member.client_id,
        "host": member.host,
        "rackId": member.rack_id,
        "memberEpoch": None if group.type == "Classic" else member.epoch,
    }
    if group.type == "Share":
        return answer | {"assignment": _names(member.assignment)}
    answer["groupInstanceId"] = member.group_instance_id
    if group.type == "Streams":
        return answer | {
            "processId": member.process_id,
            "activeTasks": _tasks(member.tasks),
            "targetActiveTasks": _tasks(member.target_tasks),
        }
    target = None if group.type == "Classic" else _names(member.target_assignment)
    return answer | {"assignment": _names(member.assignment), "targetAssignment": target}


def _names(assignment: Iterable[TopicPartitions]) -> list[str]:
    return sorted(f"{each.topic}-{partition}" for each in assignment for partition in each.partitions)


def _tasks(tasks: Iterable[Tasks]) -> list[str]:
    return sorted(
        f"{each.subtopology_id}_{partition}" for each in tasks if each.role == "active" for partition in each.partitions
    )


def _offset(offset: CommittedOffset) -> Json:
    return {
        "topic": offset.topic,
        "partition": offset.partition,
        "offset": offset.offset,
        "leaderEpoch": offset.leader_epoch,
        "metadata": offset.metadata,
        "lag": offset.lag,
    }


def _share_offset(offset: CommittedOffset) -> Json:
    return {
        "topic": offset.topic,
        "partition": offset.partition,
        "startOffset": offset.offset,
        "leaderEpoch": offset.leader_epoch,
        "lag": offset.lag,
    }


def _transactions(found: Transactions) -> list[Json]:
    names = {
        "transactionalId": "transactional_id",
        "state": "state",
        "producerId": "producer_id",
        "producerEpoch": "producer_epoch",
        "transactionTimeoutMs": "transaction_timeout_ms",
        "transactionStartTimeMs": "transaction_start_time_ms",
        "coordinatorPartition": "coordinator_partition",
    }
    return [
        row | {"topicPartitions": sorted(f"{topic}-{partition}" for topic, partition in each.topic_partitions)}
        for row, each in zip(_rows(found.ids, names), found.ids, strict=True)
    ]


def _open_transactions(found: Transactions) -> list[Json]:
    return [
        {
            "partition": f"{each.topic}-{each.partition}",
            "producerId": each.producer_id,
            "firstOffset": each.first_offset,
            "isHanging": each.state == "hanging",
        }
        for each in found.open
    ]


def _logs(sources: list[str]) -> Logs:
    return {
        (partition.topic, partition.partition): partition
        for log_dir in kafkafmt.open_log_dirs(sources)
        for partition in log_dir.partitions
    }


def _cluster_metadata(metadata: ClusterMetadata, logs: Logs) -> Json:
    return {
        "topics": _topics(metadata, logs),
        "configs": _configs(metadata),
        "quotas": _quotas(metadata),
        "acls": _rows(metadata.acls, _ACL),
        "scram": _rows(metadata.scram, {"name": "user", "mechanism": "mechanism", "iterations": "iterations"}),
        "features": dict(metadata.features),
        "cluster": _cluster(metadata),
    }


def _topics(metadata: ClusterMetadata, logs: Logs) -> Json:
    return {
        name: {
            "topicId": topic.id,
            "partitions": [
                {
                    "partition": number,
                    "leader": partition.leader,
                    "replicas": list(partition.replicas),
                    "isr": list(partition.isr),
                    "elr": list(partition.elr),
                    "lastKnownElr": list(partition.last_known_elr),
                    **_bounds(logs.get((name, number))),
                }
                for number, partition in topic.partitions.items()
            ],
        }
        for name, topic in metadata.topics.items()
    }


def _bounds(log: Partition | None) -> Json:
    return {} if log is None else {"begin": log.log_start_offset, "end": log.log_end_offset}


def _producers(table: pa.Table) -> Json:
    times = table.schema.get_field_index("lastTimestamp")
    table = table.set_column(times, "lastTimestamp", table["lastTimestamp"].cast(pa.int64()))
    names = ["producerId", "producerEpoch", "lastSequence", "lastTimestamp"]
    found: dict[str, list[Json]] = {}
    for row in table.to_pylist():
        name = f"{row['topic']}-{row['partition']}"
        columns = [*names, "currentTransactionStartOffset", "coordinatorEpoch"]
        found.setdefault(name, []).append({column: row[column] for column in columns})
    return found


def _configs(metadata: ClusterMetadata) -> Json:
    found: dict[str, dict[str, Json]] = {}
    for config in metadata.configs:
        found.setdefault(config.resource_type, {}).setdefault(config.resource_name, {})[config.name] = str(config.value)
    return found


def _quotas(metadata: ClusterMetadata) -> list[Json]:
    found: dict[tuple[tuple[str, str | None], ...], Json] = {}
    for quota in metadata.quotas:
        found.setdefault(quota.entity, {})[quota.key] = quota.value
    return [{"entity": dict(entity), "quotas": values} for entity, values in found.items()]


def _cluster(metadata: ClusterMetadata) -> Json:
    brokers = [
        {"id": broker.id, "host": endpoint.host, "port": endpoint.port, "rack": broker.rack}
        for broker in metadata.brokers.values()
        for endpoint in broker.endpoints
        if endpoint.name == LISTENER
    ]
    return {"clusterId": metadata.cluster_id, "brokers": brokers, "leaderEpoch": metadata.epoch}


def _complaints(groups: Groups, transactions: Transactions, metadata: ClusterMetadata) -> list[str]:
    """Findings on the disks; as the disks are sound, every finding counts as a difference."""
    found = [*groups.errors, *groups.damage, *transactions.findings, *transactions.damage, *metadata.damage]
    return [str(each) for each in [*found, *metadata.ignored_records]]
