"""DescribeProducers (version 0): the producer state of partitions, as a broker has it after loading the log.

On a running broker an idempotent producer expires a day after its last batch (`producer.id.expiration.ms`). Time does
not pass on the disks, so all producers of the state are given.
"""

from itertools import islice

from kafkafmt.errors import KafkafmtError
from kafkafmt.protocol.codec import Value
from kafkafmt.protocol.error_codes import ErrorCode
from kafkafmt.serving.api import ABSENT, Broker, Handlers, Request, collected
from kafkafmt.serving.topics import invalid_name

_NOT_HOSTED = "This server does not host this topic-partition."


async def describe_producers(broker: Broker, request: Request) -> Value:
    """The producers of each requested partition; duplicates are answered once."""
    asked: dict[str, dict[int, None]] = {}
    for topic in request.body["Topics"]:
        asked.setdefault(topic["Name"], {}).update(dict.fromkeys(topic["PartitionIndexes"]))

    places = ((topic, number) for topic, numbers in asked.items() for number in numbers)
    found = iter(
        await collected({"PartitionIndex": number} | _partition(broker, topic, number) for topic, number in places)
    )
    return {
        "Topics": [{"Name": topic, "Partitions": list(islice(found, len(numbers)))} for topic, numbers in asked.items()]
    }


def _partition(broker: Broker, topic: str, number: int) -> Value:
    wrong = invalid_name(topic)
    if wrong:
        return {"ErrorCode": ErrorCode.INVALID_TOPIC_EXCEPTION, "ErrorMessage": wrong}
    logs = broker.disks.logs.get(topic)
    if logs is None or number not in logs:
        # A broker has a message for an unknown topic, but none for an unknown partition of a topic.
        message = _NOT_HOSTED if logs is None else None
        return {"ErrorCode": ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "ErrorMessage": message}
    try:
        producers = logs[number].transactions.producers()
    except KafkafmtError as fault:
        return {"ErrorCode": logs[number].error_of(fault), "ErrorMessage": str(fault)}
    return {
        "ActiveProducers": [
            {
                "ProducerId": each.producer_id,
                "ProducerEpoch": each.producer_epoch,
                "LastSequence": each.last_sequence if each.has_batch else ABSENT,
                "LastTimestamp": each.timestamp,
                "CoordinatorEpoch": each.coordinator_epoch,
                "CurrentTxnStartOffset": _or_absent(each.current_txn_first_offset),
            }
            for each in producers
        ]
    }


def _or_absent(offset: int | None) -> int:
    return ABSENT if offset is None else offset


HANDLERS: Handlers = {"DescribeProducers": describe_producers}
