"""ListOffsets (versions 1 to 11): the start, the end, the largest timestamp, or the first record at or after a time.

Answers as `Partition.fetchOffsetForTimestamp` of a leader: with read_committed the latest offset is the last stable
one, and a look-up by time finds nothing at or after it. If a file cannot be read, the answer is an error at which
clients fail, not that of a broker, at which they retry (`ServedLog.error_of`).
"""

from collections import Counter
from itertools import islice, starmap

from kafkafmt.errors import KafkafmtError
from kafkafmt.protocol.codec import Value
from kafkafmt.protocol.error_codes import ErrorCode
from kafkafmt.serving.api import ABSENT, Broker, Handlers, Request, collected
from kafkafmt.serving.fetch import READ_COMMITTED
from kafkafmt.serving.served_log import ServedLog

LATEST, EARLIEST, MAX_TIMESTAMP, EARLIEST_LOCAL, LATEST_TIERED, EARLIEST_PENDING_UPLOAD = -1, -2, -3, -4, -5, -6
_SINCE = {MAX_TIMESTAMP: 7, EARLIEST_LOCAL: 8, LATEST_TIERED: 9, EARLIEST_PENDING_UPLOAD: 11}
"""The first version with each of these special timestamps."""


async def list_offsets(broker: Broker, request: Request) -> Value:
    """An offset for each partition; INVALID_REQUEST for one that is named twice."""
    topics = request.body["Topics"]
    is_committed = request.body.get("IsolationLevel") == READ_COMMITTED
    asked = [(topic["Name"], each) for topic in topics for each in topic["Partitions"]]
    times = Counter((topic, each["PartitionIndex"]) for topic, each in asked)

    def one(topic: str, each: Value) -> Value:
        number = each["PartitionIndex"]
        if times[topic, number] > 1:
            return {"PartitionIndex": number, "ErrorCode": ErrorCode.INVALID_REQUEST}
        found = _offset(broker.disks.log(topic, number), each, request.version, is_committed=is_committed)
        return {"PartitionIndex": number} | found

    found = iter(await collected(starmap(one, asked)))
    return {
        "Topics": [
            {"Name": each["Name"], "Partitions": list(islice(found, len(each["Partitions"])))} for each in topics
        ]
    }


def _offset(log: ServedLog | None, asked: Value, version: int, *, is_committed: bool) -> Value:
    wanted = asked["Timestamp"]
    if wanted < 0 and version < _SINCE.get(wanted, 0 if wanted >= EARLIEST else version + 1):
        return {"ErrorCode": ErrorCode.UNSUPPORTED_VERSION}
    if log is None:
        return {"ErrorCode": ErrorCode.UNKNOWN_TOPIC_OR_PARTITION}
    error = log.epoch_error(asked.get("CurrentLeaderEpoch", ABSENT))
    if error:
        return {"ErrorCode": error}
    try:
        return _found(log, wanted, is_committed=is_committed)
    except KafkafmtError as fault:
        return {"ErrorCode": log.error_of(fault)}


def _found(log: ServedLog, wanted: int, *, is_committed: bool) -> Value:
    if wanted in (EARLIEST, EARLIEST_LOCAL):
        return {"Offset": log.start, "LeaderEpoch": log.answered_epoch(log.loaded_epochs.at(log.start))}
    if wanted in (LATEST_TIERED, EARLIEST_PENDING_UPLOAD):
        return {"Offset": ABSENT}  # as of a topic without remote storage: all of the log is served as local
    end = log.last_stable_offset if is_committed else log.end
    if wanted == LATEST:
        return {"Offset": end, "LeaderEpoch": log.leader_epoch}
    found = log.largest_timestamp() if wanted == MAX_TIMESTAMP else log.at_time(wanted)
    if found is None or found.offset >= end:
        return {"Offset": ABSENT}
    epoch = log.answered_epoch(found.leader_epoch)
    return {"Offset": found.offset, "Timestamp": found.timestamp, "LeaderEpoch": epoch}


HANDLERS: Handlers = {"ListOffsets": list_offsets}
