"""DescribeQuorum (versions 0 to 2): the voters of `__cluster_metadata` at the end of the metadata log.

The leader is that of the log's last election, with its epoch. A voter whose log is on the served disks ends where that
log ends, and has caught up at the time of the last record; nothing is known of the others, so their offset and times
are -1. The high watermark is the offset that a majority of the voters' disks has, or the end of the log if too few
disks are there. Without a metadata log, as before KRaft, or without voters in it, the partition is unknown.
"""

import asyncio
from typing import TYPE_CHECKING

from kafkafmt.internal_topics import CLUSTER_METADATA
from kafkafmt.protocol.codec import Value
from kafkafmt.protocol.error_codes import ErrorCode
from kafkafmt.serving.api import ABSENT, Broker, Handlers, Request, uuid_of
from kafkafmt.topics.cluster_metadata.copies import find_copies

if TYPE_CHECKING:
    from kafkafmt.topics.cluster_metadata.cluster import ClusterMetadata

_NOT_HOSTED = "This server does not host this topic-partition."


async def describe_quorum(broker: Broker, request: Request) -> Value:
    """The quorum, for partition 0 of the metadata log alone."""
    cluster = await asyncio.to_thread(lambda: broker.disks.cluster)
    asked = request.body["Topics"]
    only = [(topic["TopicName"], [each["PartitionIndex"] for each in topic["Partitions"]]) for topic in asked]
    if cluster is None or not cluster.voters or only != [(CLUSTER_METADATA, [0])]:
        unknown = {"ErrorCode": ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "ErrorMessage": _NOT_HOSTED}
        return {
            "Topics": [
                {"TopicName": name, "Partitions": [{"PartitionIndex": number} | unknown for number in numbers]}
                for name, numbers in only
            ]
        }
    return {
        "Topics": [
            {"TopicName": CLUSTER_METADATA, "Partitions": [await asyncio.to_thread(_partition, broker, cluster)]}
        ],
        "Nodes": _nodes(cluster),
    }


def _partition(broker: Broker, cluster: "ClusterMetadata") -> Value:
    provenance = cluster.provenance
    ends = {copy.node_id: copy.standing[1] for copy in find_copies(broker.disks.opened) if copy.is_log}
    voters = [each.id for each in cluster.voters]
    # Kafka's tools look the leader up among the voters, so it is always listed.
    chosen = (cluster.leader_id, broker.node_id, *voters)
    leader = next((each for each in chosen if each is not None and each in voters), ABSENT)
    committed = provenance.committed_offset
    return {
        "PartitionIndex": 0,
        "LeaderId": leader,
        "LeaderEpoch": cluster.epoch,
        "HighWatermark": provenance.end_offset if committed is None else committed,
        "CurrentVoters": [
            {
                "ReplicaId": each.id,
                "ReplicaDirectoryId": uuid_of(each.directory_id),
                "LogEndOffset": ends.get(each.id, ABSENT),
                "LastFetchTimestamp": provenance.timestamp if each.id in ends else ABSENT,
                "LastCaughtUpTimestamp": provenance.timestamp if each.id in ends else ABSENT,
            }
            for each in cluster.voters
        ],
        "Observers": [],
    }


def _nodes(cluster: "ClusterMetadata") -> list[Value]:
    """The voters' listeners: those of a dynamic quorum's members, or of a static quorum's registered controllers."""
    found = []
    for voter in cluster.voters:
        registered = cluster.controllers.get(voter.id)
        endpoints = voter.endpoints or (() if registered is None else registered.endpoints)
        listeners = [{"Name": each.name, "Host": each.host, "Port": each.port} for each in endpoints]
        found.append({"NodeId": voter.id, "Listeners": listeners})
    return found


HANDLERS: Handlers = {"DescribeQuorum": describe_quorum}
