"""Metadata (versions 0 to 13), DescribeTopicPartitions (0), DescribeCluster (0 to 2).

This broker is the leader, the only replica and the only in-sync replica of every partition, and the controller. Topics
are never created: an unknown topic is UNKNOWN_TOPIC_OR_PARTITION, whatever `AllowAutoTopicCreation` says. A broker
answers with the leader epoch of the metadata log; this one with the highest epoch on the disks, so that no client is
fenced.
"""

import asyncio
import re
from collections import OrderedDict
from collections.abc import Iterable

from kafkafmt.internal_topics import COORDINATORS_TOPICS
from kafkafmt.protocol.codec import Encoded, Value, element_encoder
from kafkafmt.protocol.error_codes import ErrorCode
from kafkafmt.serving.api import ABSENT, NO_ID, NOT_ASKED, Broker, Handlers, Request, collected
from kafkafmt.serving.served_log import ServedLog

_NAME = re.compile(r"[a-zA-Z0-9._-]+")
# Kafka's limit: directories are named after topic and partition, and file names have at most 255 bytes.
_LONGEST_NAME = 249
# READ, DESCRIBE and DESCRIBE_CONFIGS of a topic, DESCRIBE and DESCRIBE_CONFIGS of a cluster, as bits of AclOperation.
_TOPIC_OPERATIONS = 1 << 3 | 1 << 8 | 1 << 10
_CLUSTER_OPERATIONS = 1 << 8 | 1 << 10
_IDS_SINCE = 12
"""The first version of Metadata in which topics may be requested by id."""
_MOST_PARTITIONS = 2000
"""`max.request.partition.size.limit`: most partitions of one answer to DescribeTopicPartitions."""
_BROKERS, _CONTROLLERS = 1, 2
_MOST_KEPT = 4
"""Versions of Metadata whose topics are kept encoded, at about 40 bytes a partition."""


def invalid_name(topic: str) -> str | None:
    """Why a topic name is invalid, in the words of Kafka's `Topic.validate`; None if it is valid."""
    wrong = None
    if not topic:
        wrong = "the empty string is not allowed"
    elif topic in (".", ".."):
        wrong = f"'{topic}' is not allowed"
    elif len(topic) > _LONGEST_NAME:
        wrong = f"the length of '{topic}' is longer than the max allowed length {_LONGEST_NAME}"
    elif not _NAME.fullmatch(topic):
        wrong = f"'{topic}' contains one or more characters other than ASCII alphanumerics, '.', '_' and '-'"
    return None if wrong is None else f"Topic name is invalid: {wrong}"


async def metadata(broker: Broker, request: Request) -> Value:
    """The broker, and topics by name or id; all topics without a list."""
    host, port = broker.address(request.client)
    asked = request.body["Topics"]
    if asked is None or (request.version == 0 and not asked):
        asked = [{"Name": name} for name in broker.disks.logs]
    if request.version < _IDS_SINCE and any(
        each["Name"] is None or each.get("TopicId", NO_ID) != NO_ID for each in asked
    ):
        refused = {"ErrorCode": ErrorCode.INVALID_REQUEST, "TopicAuthorizedOperations": NOT_ASKED}
        return {
            "ControllerId": ABSENT,
            "Topics": [{**each, "Name": each["Name"] or "", **refused} for each in asked],
            "ClusterAuthorizedOperations": NOT_ASKED,
        }
    with_operations = request.body.get("IncludeTopicAuthorizedOperations", False)
    once = {(each["Name"], each.get("TopicId", NO_ID)): each for each in asked}.values()
    kept = _encoded_topics(broker, request.version, with_operations=with_operations)
    topics = await collected(kept.of(each) for each in once)
    return {
        "Brokers": [{"NodeId": broker.node_id, "Host": host, "Port": port, "Rack": None}],
        "ClusterId": broker.cluster_id,
        "ControllerId": broker.node_id,
        "Topics": topics,
        "ClusterAuthorizedOperations": _operations(request.body.get("IncludeClusterAuthorizedOperations", False)),
    }


class EncodedTopics:
    """Topics of answers to Metadata, kept encoded until they change, as encoding 20,000 partitions takes a while.

    Args:
        broker: the broker.
        version: version of Metadata.
        with_operations: whether topics include the operations allowed to the client.
    """

    def __init__(self, broker: Broker, version: int, *, with_operations: bool) -> None:
        self._broker, self._with_operations = broker, with_operations
        self._encode = element_encoder("MetadataResponse", version, "Topics")
        self._kept: dict[str, tuple[tuple[object, ...], Encoded]] = {}
        self._listings = 0

    def of(self, asked: Value) -> Value | Encoded:
        """A topic by name or id; not encoded if there is no such topic."""
        topic_id = asked.get("TopicId", NO_ID)
        disks = self._broker.disks
        name = asked.get("Name") if topic_id == NO_ID else disks.topic_of(topic_id)
        logs = disks.logs.get(name or "")
        if not name or logs is None:
            return _topic(self._broker, asked, with_operations=self._with_operations)
        if self._listings != disks.listings:  # topics may have gone
            self._listings = disks.listings
            self._kept = {topic: kept for topic, kept in self._kept.items() if topic in disks.logs}
        state = (disks.topic_id(name), *((log.number, log.leader_epoch) for log in logs.values()))
        known, encoded = self._kept.get(name, (None, None))
        if encoded is None or known != state:
            encoded = self._encode(_topic(self._broker, asked, with_operations=self._with_operations))
            self._kept[name] = state, encoded
        return encoded


def _encoded_topics(broker: Broker, version: int, *, with_operations: bool) -> EncodedTopics:
    kept: OrderedDict[tuple[int, bool], EncodedTopics] = broker.state.setdefault("encoded_topics", OrderedDict())
    key = version, with_operations
    if key not in kept:
        kept[key] = EncodedTopics(broker, version, with_operations=with_operations)
        if len(kept) > _MOST_KEPT:
            kept.popitem(last=False)
    kept.move_to_end(key)
    return kept[key]


async def describe_topic_partitions(broker: Broker, request: Request) -> Value:
    """Topics in order of their names, starting at a cursor, with at most as many partitions as the client wants."""
    body = request.body
    cursor = body["Cursor"]
    first, begin = (cursor["TopicName"], cursor["PartitionIndex"]) if cursor is not None else ("", 0)
    named = {each["Name"] for each in body["Topics"]}
    if begin < 0 or (cursor is not None and named and first not in named):
        return {
            "Topics": [{"ErrorCode": ErrorCode.INVALID_REQUEST, "Name": each["Name"]} for each in body["Topics"]],
            "NextCursor": None,
        }
    names = sorted(name for name in named or broker.disks.logs if name >= first)

    def answer() -> Value:
        left = max(1, min(body["ResponsePartitionLimit"], _MOST_PARTITIONS))
        topics: list[Value] = []
        for name in names:
            if not left:
                return {"Topics": topics, "NextCursor": {"TopicName": name, "PartitionIndex": 0}}
            topic = _topic(broker, {"Name": name}, with_operations=True)
            topics.append(topic)
            partitions = topic["Partitions"][begin if name == first else 0 :]
            topic["Partitions"] = partitions[:left]
            if len(partitions) > left:
                following = {"TopicName": name, "PartitionIndex": partitions[left]["PartitionIndex"]}
                return {"Topics": topics, "NextCursor": following}
            left -= len(partitions)
        return {"Topics": topics, "NextCursor": None}

    return await asyncio.to_thread(answer)


async def describe_cluster(broker: Broker, request: Request) -> Value:
    """The broker; a client that asks for controllers gets an error."""
    host, port = broker.address(request.client)
    kind = request.body.get("EndpointType", _BROKERS)
    if kind != _BROKERS:
        error = ErrorCode.MISMATCHED_ENDPOINT_TYPE if kind == _CONTROLLERS else ErrorCode.UNSUPPORTED_ENDPOINT_TYPE
        return {
            "ErrorCode": error,
            "ErrorMessage": "The request was sent to an endpoint of type BROKER, but we wanted an endpoint of type "
            "CONTROLLER"
            if kind == _CONTROLLERS
            else f"Unsupported endpoint type {kind}",
            "ClusterId": "",
        }
    return {
        "ErrorMessage": None,
        "ClusterId": broker.cluster_id,
        "ControllerId": broker.node_id,
        "Brokers": [{"BrokerId": broker.node_id, "Host": host, "Port": port, "Rack": None}],
        "EndpointType": kind,
        "ClusterAuthorizedOperations": _operations(request.body["IncludeClusterAuthorizedOperations"]),
    }


def _operations(asked: bool) -> int:
    return _CLUSTER_OPERATIONS if asked else NOT_ASKED


def _topic(broker: Broker, asked: Value, *, with_operations: bool) -> Value:
    name, topic_id = asked.get("Name"), asked.get("TopicId", NO_ID)
    by_id = topic_id != NO_ID
    if by_id:
        name = broker.disks.topic_of(topic_id)
    logs = broker.disks.logs.get(name or "")
    error = ErrorCode.NONE
    if logs is None:
        error = ErrorCode.UNKNOWN_TOPIC_ID if by_id else ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        if not by_id and invalid_name(name or ""):
            error = ErrorCode.INVALID_TOPIC_EXCEPTION
    return {
        "ErrorCode": error,
        "Name": name,
        "TopicId": broker.disks.topic_id(name) if logs is not None and name is not None else topic_id,
        "IsInternal": name in COORDINATORS_TOPICS,
        "Partitions": list(_partitions(broker.node_id, (logs or {}).values())),
        "TopicAuthorizedOperations": _TOPIC_OPERATIONS if with_operations and not error else NOT_ASKED,
    }


def _partitions(node_id: int, logs: Iterable[ServedLog]) -> Iterable[Value]:
    alone = [node_id]
    for log in logs:
        yield {
            "PartitionIndex": log.number,
            "LeaderId": node_id,
            "LeaderEpoch": log.leader_epoch,
            "ReplicaNodes": alone,
            "IsrNodes": alone,
            # The schema allows null here, but Java's AdminClient throws on it.
            "EligibleLeaderReplicas": [],
            "LastKnownElr": [],
        }


HANDLERS: Handlers = {
    "Metadata": metadata,
    "DescribeTopicPartitions": describe_topic_partitions,
    "DescribeCluster": describe_cluster,
}
