"""The APIs that would change something: each is refused with a reason, and the connection stays open.

Produce (versions 3 to 13) is answered with POLICY_VIOLATION for each partition. It is advertised from version 0 on, as
by brokers: librdkafka takes its absence for a broker without compression (KAFKA-18659). InitProducerId is answered with
CLUSTER_AUTHORIZATION_FAILED, which ends producers and Spark's sink at once; at other codes they would retry.
"""

from typing import Any

from kafkafmt.protocol.codec import Value
from kafkafmt.protocol.error_codes import ErrorCode
from kafkafmt.serving.api import ABSENT, READ_ONLY, Broker, Handlers, Request

_REFUSED: Value = {"ErrorCode": ErrorCode.POLICY_VIOLATION, "ErrorMessage": READ_ONLY}

# For each array of the response: the array of the request that it follows, and the fields that both have.
_Shape = dict[str, tuple[str, dict[str, Any]]]

_ECHOES: dict[str, _Shape] = {
    "CreateTopics": {"Topics": ("Topics", {"Name": "Name"})},
    "CreatePartitions": {"Results": ("Topics", {"Name": "Name"})},
    "AlterConfigs": {"Responses": ("Resources", {"ResourceType": "ResourceType", "ResourceName": "ResourceName"})},
    "IncrementalAlterConfigs": {
        "Responses": ("Resources", {"ResourceType": "ResourceType", "ResourceName": "ResourceName"})
    },
    "DeleteRecords": {
        "Topics": ("Topics", {"Name": "Name", "Partitions": ("Partitions", {"PartitionIndex": "PartitionIndex"})})
    },
    "CreateAcls": {"Results": ("Creations", {})},
    "DeleteAcls": {"FilterResults": ("Filters", {})},
    "AlterPartitionReassignments": {
        "Responses": ("Topics", {"Name": "Name", "Partitions": ("Partitions", {"PartitionIndex": "PartitionIndex"})})
    },
    "AlterReplicaLogDirs": {},
    "ElectLeaders": {},
    "AlterClientQuotas": {"Entries": ("Entries", {"Entity": "Entity"})},
    "UpdateFeatures": {},
    "AddPartitionsToTxn": {},
    "AddOffsetsToTxn": {},
    "EndTxn": {},
    "TxnOffsetCommit": {
        "Topics": (
            "Topics",
            {"Name": "Name", "TopicId": "TopicId", "Partitions": ("Partitions", {"PartitionIndex": "PartitionIndex"})},
        )
    },
    "CreateDelegationToken": {},
    "RenewDelegationToken": {},
    "ExpireDelegationToken": {},
    "UnregisterBroker": {},
    "AddRaftVoter": {},
    "RemoveRaftVoter": {},
}


async def produce(_: Broker, request: Request) -> Value:
    """POLICY_VIOLATION for each partition."""
    return {
        "Responses": [
            {
                "Name": topic.get("Name", ""),
                **({"TopicId": topic["TopicId"]} if "TopicId" in topic else {}),
                "PartitionResponses": [
                    {"Index": each["Index"], "BaseOffset": ABSENT, **_REFUSED} for each in topic["PartitionData"]
                ],
            }
            for topic in request.body["TopicData"]
        ]
    }


async def init_producer_id(_: Broker, __: Request) -> Value:
    """CLUSTER_AUTHORIZATION_FAILED."""
    return {
        "ErrorCode": ErrorCode.CLUSTER_AUTHORIZATION_FAILED,
        "ProducerId": ABSENT,
        "ProducerEpoch": ABSENT,
    }


async def delete_topics(_: Broker, request: Request) -> Value:
    """TOPIC_AUTHORIZATION_FAILED for each topic, by name or id."""
    refused = _REFUSED | {"ErrorCode": ErrorCode.TOPIC_AUTHORIZATION_FAILED}
    topics = request.body.get("Topics") or [{"Name": name} for name in request.body.get("TopicNames", ())]
    return {"Responses": [topic | refused for topic in topics]}


async def alter_user_scram_credentials(_: Broker, request: Request) -> Value:
    """POLICY_VIOLATION for each user."""
    users = {each["Name"]: None for part in ("Deletions", "Upsertions") for each in request.body[part]}
    return {"Results": [{"User": user, **_REFUSED} for user in users]}


async def refuse(_: Broker, request: Request) -> Value:
    """POLICY_VIOLATION for the whole request, or for each element that it names."""
    return _REFUSED | _echo(_ECHOES[request.api], request.body)


def _echo(shape: _Shape, body: Value) -> Value:
    answer: Value = {}
    for name, given in shape.items():
        if isinstance(given, str):
            answer[name] = body.get(given, "")  # later versions name topics by id
            continue
        array, elements = given
        answer[name] = [
            _REFUSED | (_echo(elements, each) if isinstance(each, dict) else dict.fromkeys(elements, each))
            for each in body[array] or ()
        ]
    return answer


HANDLERS: Handlers = {
    "Produce": produce,
    "InitProducerId": init_producer_id,
    "DeleteTopics": delete_topics,
    "AlterUserScramCredentials": alter_user_scram_credentials,
    **dict.fromkeys(_ECHOES, refuse),
}
