"""ListPartitionReassignments (version 0): the moves of replicas that have begun but not ended in the metadata log."""

import asyncio

from kafkafmt.protocol.codec import Value
from kafkafmt.serving.api import Broker, Handlers, Request


async def list_partition_reassignments(broker: Broker, request: Request) -> Value:
    """The partitions that are moving, of all topics or of the requested ones."""
    cluster = await asyncio.to_thread(lambda: broker.disks.cluster)
    topics = {} if cluster is None else cluster.topics
    wanted = request.body["Topics"]
    if wanted is None:
        asked = {name: list(topic.partitions) for name, topic in topics.items()}
    else:
        asked = {each["Name"]: each["PartitionIndexes"] for each in wanted if each["Name"] in topics}
    found = {name: [*map(topics[name].partitions.get, numbers)] for name, numbers in asked.items()}
    moving = {
        name: [each for each in partitions if each is not None and (each.adding_replicas or each.removing_replicas)]
        for name, partitions in found.items()
    }
    return {
        "ErrorMessage": None,
        "Topics": [
            {
                "Name": name,
                "Partitions": [
                    {
                        "PartitionIndex": each.partition,
                        "Replicas": each.replicas,
                        "AddingReplicas": each.adding_replicas,
                        "RemovingReplicas": each.removing_replicas,
                    }
                    for each in partitions
                ],
            }
            for name, partitions in moving.items()
            if partitions
        ],
    }


HANDLERS: Handlers = {"ListPartitionReassignments": list_partition_reassignments}
