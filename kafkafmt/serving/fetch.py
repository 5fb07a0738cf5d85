"""Fetch (versions 4 to 18): the batches of partitions as they are on the disks, of any format.

Only whole batches are sent, within the size limits but for the first batch of the answer. With read_committed they end
at the last stable offset and come with the aborted transactions among them. All CRCs are checked. Every request is
answered as a full one: the session id is 0, which clients take for a broker without fetch sessions (KIP-227). If no
partition has a record, the answer waits for `MaxWaitMs`, as clients would otherwise ask again at once. On followed
disks the answer waits for `MinBytes`, and is woken when a partition changes.
"""

import asyncio
import time
from typing import TYPE_CHECKING

from kafkafmt.errors import KafkafmtError, SourceError
from kafkafmt.io.local_file import is_shortage
from kafkafmt.protocol.codec import Value
from kafkafmt.protocol.error_codes import ErrorCode
from kafkafmt.serving.api import ABSENT, Broker, Handlers, Request
from kafkafmt.serving.sent_files import NotAtHandError
from kafkafmt.serving.served_log import ServedLog

if TYPE_CHECKING:
    from uuid import UUID

    from kafkafmt.serving.arrivals import Place

READ_COMMITTED = 1
_MOST_BYTES = 55 * 2**20
"""`fetch.max.bytes` of a broker."""
_STORAGE_ERRORS_SINCE = 6
"""The first version whose clients retry after KAFKA_STORAGE_ERROR (`KafkaApis.maybeDownConvertStorageError`)."""
_LEADERS_SINCE = 16
"""The first version whose answers name the leader to a client that knows an older one (KIP-951)."""
_LONGEST_WAIT = 30.0
# More than any MinBytes, which is an int32: an error ends the wait for records.
_ENOUGH = 2**32
_NO_SESSION = -1
_FULL = (0, _NO_SESSION)
"""Session epochs of full requests, which end the session that they name (`FetchMetadata.isFull`)."""
_FEW = 16
"""Most partitions of an answer that is made on the event loop, if all its batches were read ahead."""
_LONGEST_READ = 0.1
"""Seconds after which an answer about thousands of partitions is sent with what was found; clients ask for the rest."""


async def fetch(broker: Broker, request: Request) -> Value:
    """The records of partitions."""
    body = request.body
    if body.get("SessionEpoch", _NO_SESSION) not in _FULL:
        return {"ErrorCode": ErrorCode.FETCH_SESSION_ID_NOT_FOUND, "Responses": []}
    if broker.options.follow:
        answers = await _once_enough(broker, request)
    else:
        answers, size = await _found(broker, request)
        if not size:
            await asyncio.sleep(_longest_wait(body))
    answer: Value = {"Responses": answers}
    if any("CurrentLeader" in partition for topic in answers for partition in topic["Partitions"]):
        host, port = broker.address(request.client)
        answer["NodeEndpoints"] = [{"NodeId": broker.node_id, "Host": host, "Port": port, "Rack": None}]
    return answer


async def _once_enough(broker: Broker, request: Request) -> list[Value]:
    """Answers for all partitions of followed disks: as soon as they have enough bytes, or when time is up."""
    begun = time.monotonic()
    wait, wanted = _longest_wait(request.body), max(1, request.body["MinBytes"])
    while True:
        with broker.arrivals.watched(await _places(broker, request.body)) as arrival:
            answers, size = await _found(broker, request)
            left = wait - (time.monotonic() - begun)
            if size >= wanted or left <= 0:
                return answers
            try:
                await asyncio.wait_for(arrival.wait(), left)
            except TimeoutError:
                return answers  # nothing has changed


def _longest_wait(body: Value) -> float:
    """The seconds that a request without records waits."""
    milliseconds: int = body["MaxWaitMs"]
    return min(max(milliseconds, 0) / 1000, _LONGEST_WAIT)


async def _found(broker: Broker, request: Request) -> tuple[list[Value], int]:
    """The answers of `_read`, made in a thread if a file has to be waited for."""
    most = broker.memory.take(min(max(request.body["MaxBytes"], 0), _MOST_BYTES))
    try:
        found = _at_hand(broker, request, most)
        if found is None:
            loop = asyncio.get_running_loop()
            found = await loop.run_in_executor(broker.fetching, _read, broker, request, most)
        return found
    finally:
        broker.memory.give_back(most)


async def _places(broker: Broker, body: Value) -> "list[Place]":
    """The requested partitions, by the names of their topics."""
    try:
        return _named(broker, body, waits=False)
    except NotAtHandError:
        return await asyncio.get_running_loop().run_in_executor(broker.fetching, _named, broker, body)


def _named(broker: Broker, body: Value, *, waits: bool = True) -> "list[Place]":
    names = [(topic, _topic(broker, topic, waits=waits)) for topic in body["Topics"]]
    return [(name, each["Partition"]) for topic, name in names if name is not None for each in topic["Partitions"]]


def _topic(broker: Broker, asked: Value, *, waits: bool) -> str | None:
    """Name of a topic, which later versions identify by id; None if there is none with that id."""
    topic_id: UUID | None = asked.get("TopicId")
    return asked["Topic"] if topic_id is None else broker.disks.topic_of(topic_id, waits=waits)


def _at_hand(broker: Broker, request: Request, most: int) -> "tuple[list[Value], int] | None":
    """The answer of `_read` made without a thread; None if a file would have to be waited for."""
    body = request.body
    if sum(len(topic["Partitions"]) for topic in body["Topics"]) > _FEW:
        return None
    try:
        return _read(broker, request, most, waits=False)
    except NotAtHandError:
        return None


def _read(broker: Broker, request: Request, left: int, *, waits: bool = True) -> tuple[list[Value], int]:
    """Answers for all partitions, and the number of bytes of their records; an error counts as enough.

    Args:
        broker: the broker.
        request: the request.
        left: upper bound of the records in bytes.
        waits: whether files may be waited for.

    Raises:
        NotAtHandError: a file has to be waited for, but `waits` is False.
    """
    body = request.body
    is_committed = body["IsolationLevel"] == READ_COMMITTED
    deadline = time.monotonic() + _LONGEST_READ
    is_empty, total = True, 0
    answers = []
    for topic in body["Topics"]:
        topic_id: UUID | None = topic.get("TopicId")
        name = _topic(broker, topic, waits=waits)
        partitions = []
        for asked in topic["Partitions"]:
            log = broker.disks.log(name, asked["Partition"])
            answer: Value = {"PartitionIndex": asked["Partition"], "HighWatermark": ABSENT, "Records": b""}
            if log is None:
                unknown_id = topic_id is not None and name is None
                answer["ErrorCode"] = ErrorCode.UNKNOWN_TOPIC_ID if unknown_id else ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
            elif is_empty or time.monotonic() < deadline:
                answer |= _read_one(log, asked, left, is_committed=is_committed, is_first=is_empty, waits=waits)
                if answer.get("ErrorCode") == ErrorCode.FENCED_LEADER_EPOCH and request.version >= _LEADERS_SINCE:
                    answer["CurrentLeader"] = {"LeaderId": broker.node_id, "LeaderEpoch": log.leader_epoch}
            else:
                answer |= _unread(log, waits=waits)
            size = answer.pop("Size", 0)
            left -= answer.pop("Taken", 0)
            error = answer.get("ErrorCode")
            if error == ErrorCode.KAFKA_STORAGE_ERROR:
                # A storage error, such as too many open files, does not end the wait: other requests may have closed
                # files by then.
                if request.version < _STORAGE_ERRORS_SINCE:
                    answer["ErrorCode"] = ErrorCode.NOT_LEADER_OR_FOLLOWER
            else:
                total += _ENOUGH if error or "DivergingEpoch" in answer else size
            is_empty = not total
            partitions.append(answer)
        answers.append({"Topic": name, "TopicId": topic_id, "Partitions": partitions})
    return answers, total


def _read_one(
    log: ServedLog, asked: Value, left: int, *, is_committed: bool, is_first: bool, waits: bool = True
) -> Value:
    offset = asked["FetchOffset"]
    last_fetched = asked.get("LastFetchedEpoch", ABSENT)
    if not waits and (not log.is_known or last_fetched >= 0):
        raise NotAtHandError
    error = log.epoch_error(asked.get("CurrentLeaderEpoch", ABSENT))
    if error:
        return _failed(error)
    try:
        stable = log.last_stable_offset
        if last_fetched >= 0:
            epoch, end = log.end_of_epoch(last_fetched)
            if epoch == ABSENT:
                return _failed(ErrorCode.OFFSET_OUT_OF_RANGE)
            if epoch < last_fetched or end < offset:
                return _bounds(log, stable) | {"DivergingEpoch": {"Epoch": epoch, "EndOffset": end}}
        if not log.start <= offset <= log.reach:
            return _failed(ErrorCode.OFFSET_OUT_OF_RANGE)
        end = stable if is_committed else log.end
        most = min(left, max(asked["PartitionMaxBytes"], 0))
        found = log.read(offset, most, end=end, is_first=is_first, waits=waits)
        answer = _bounds(log, stable)
        does_not_fit = found is not None and not found.parts and most > 0
        if is_committed and not does_not_fit:
            aborted = log.aborted(offset, found, waits=waits) if found is not None and found.has_batches else []
            answer["AbortedTransactions"] = [{"ProducerId": each, "FirstOffset": first} for each, first in aborted]
    except KafkafmtError as fault:
        log.tell(fault)
        if is_shortage(fault):
            return _failed(ErrorCode.KAFKA_STORAGE_ERROR)
        if log.is_followed and isinstance(fault, SourceError):
            # The file was just deleted or replaced; the next look of `DiskFollower` finds its successor.
            return {"HighWatermark": ABSENT, "LogStartOffset": ABSENT, "LastStableOffset": ABSENT}
        return _failed(ErrorCode.CORRUPT_MESSAGE)
    if found is not None and found.parts:
        answer |= {"Records": found.parts, "Size": found.size, "Taken": found.taken}
    return answer


def _unread(log: ServedLog, *, waits: bool) -> Value:
    """The answer about a partition that is not read, as the answer took too long already."""
    if not waits and not log.is_known:
        raise NotAtHandError
    try:
        return {"HighWatermark": log.end, "LogStartOffset": log.start, "LastStableOffset": ABSENT}
    except KafkafmtError as fault:
        return _failed(log.error_of(fault))


def _failed(error: ErrorCode) -> Value:
    return {"ErrorCode": error, "AbortedTransactions": None}


def _bounds(log: ServedLog, stable: int) -> Value:
    return {
        "HighWatermark": log.end,
        "LastStableOffset": stable,
        "LogStartOffset": log.start,
        "AbortedTransactions": None,
    }


HANDLERS: Handlers = {"Fetch": fetch}
