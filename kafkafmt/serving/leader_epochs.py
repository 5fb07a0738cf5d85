"""OffsetForLeaderEpoch (versions 2 to 4): the end of a leader epoch in a log (KIP-101, KIP-320)."""

from itertools import islice, starmap

from kafkafmt.errors import KafkafmtError
from kafkafmt.protocol.codec import Value
from kafkafmt.protocol.error_codes import ErrorCode
from kafkafmt.serving.api import ABSENT, Broker, Handlers, Request, collected


async def offset_for_leader_epoch(broker: Broker, request: Request) -> Value:
    """The end of the largest epoch up to the requested one, for each partition."""

    def one(topic: str, asked: Value) -> Value:
        answer: Value = {"Partition": asked["Partition"], "LeaderEpoch": ABSENT, "EndOffset": ABSENT}
        log = broker.disks.log(topic, asked["Partition"])
        if log is None:
            return answer | {"ErrorCode": ErrorCode.UNKNOWN_TOPIC_OR_PARTITION}
        error = log.epoch_error(asked.get("CurrentLeaderEpoch", ABSENT))
        if error:
            return answer | {"ErrorCode": error}
        try:
            epoch, end = log.end_of_epoch(asked["LeaderEpoch"])
        except KafkafmtError as fault:
            return answer | {"ErrorCode": log.error_of(fault)}
        return answer | {"LeaderEpoch": epoch, "EndOffset": end}

    topics = request.body["Topics"]
    asked = ((topic["Topic"], each) for topic in topics for each in topic["Partitions"])
    found = iter(await collected(starmap(one, asked)))
    return {
        "Topics": [
            {"Topic": each["Topic"], "Partitions": list(islice(found, len(each["Partitions"])))} for each in topics
        ]
    }


HANDLERS: Handlers = {"OffsetForLeaderEpoch": offset_for_leader_epoch}
