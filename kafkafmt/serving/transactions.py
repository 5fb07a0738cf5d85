"""ListTransactions (versions 0 to 2), DescribeTransactions (0): the transactional ids of `__transaction_state`.

Filters of states, producer ids, durations and a pattern work as in a coordinator. A duration counts up to now, or to
the time as of which the disks are served, and from 1970 for an id that never began a transaction. A pattern is RE2's,
which takes linear time, and must match the whole name. A prepared transaction is shown as it is on the disk; a
coordinator that loads it completes it. An expiring id (Dead) is unknown. Without the topic there are no transactional
ids: each is TRANSACTIONAL_ID_NOT_FOUND.
"""

import asyncio
import time
from collections.abc import Iterable
from itertools import compress
from typing import TYPE_CHECKING

from kafkafmt.libraries import pa, pc
from kafkafmt.protocol.codec import Value
from kafkafmt.protocol.error_codes import ErrorCode
from kafkafmt.serving.api import ABSENT, Broker, Handlers, Request
from kafkafmt.serving.groups.subscription import LONGEST_EXPRESSION

if TYPE_CHECKING:
    from kafkafmt.topics.transaction_state.coordinator import TransactionalId


async def list_transactions(broker: Broker, request: Request) -> Value:
    """The transactional ids that match all filters."""
    from kafkafmt.topics.transaction_state.coordinator import DEAD, STATES  # noqa: PLC0415 - topics are loaded when asked

    body = request.body
    states = frozenset(body["StateFilters"])
    unknown = sorted(states.difference(STATES))
    known = await asyncio.to_thread(lambda: broker.disks.transactional_ids)
    names = await asyncio.to_thread(_matching, body.get("TransactionalIdPattern"), known)
    if names is None:
        return {"ErrorCode": ErrorCode.INVALID_REGULAR_EXPRESSION}
    producers = frozenset(body["ProducerIdFilters"])
    longer_than = body.get("DurationFilter", ABSENT)
    at = broker.options.at_time
    now = int(time.time() * 1000) if at is None else at
    return {
        "UnknownStateFilters": unknown,
        "TransactionStates": [
            {
                "TransactionalId": each.transactional_id,
                "ProducerId": each.producer_id,
                "TransactionState": each.state,
            }
            for each in map(known.__getitem__, names)
            if (not states or each.state in states)
            and (not producers or each.producer_id in producers)
            and (longer_than < 0 or now - _start(each) > longer_than)
            and each.state != DEAD
        ],
    }


async def describe_transactions(broker: Broker, request: Request) -> Value:
    """Each requested transactional id; duplicates are answered once."""
    known = await asyncio.to_thread(lambda: broker.disks.transactional_ids)
    names = dict.fromkeys(request.body["TransactionalIds"])
    return {"TransactionStates": [_described(name, known.get(name)) for name in names]}


def _described(name: str, found: "TransactionalId | None") -> Value:
    from kafkafmt.topics.transaction_state.coordinator import DEAD  # noqa: PLC0415 - as above

    if found is None or found.state == DEAD:
        error = ErrorCode.TRANSACTIONAL_ID_NOT_FOUND if name else ErrorCode.INVALID_REQUEST
        return {"TransactionalId": name, "ErrorCode": error}
    topics: dict[str, list[int]] = {}
    for topic, partition in found.topic_partitions:
        topics.setdefault(topic, []).append(partition)
    return {
        "TransactionalId": name,
        "TransactionState": found.state,
        "TransactionTimeoutMs": found.transaction_timeout_ms,
        "TransactionStartTimeMs": _start(found),
        "ProducerId": found.producer_id,
        "ProducerEpoch": found.producer_epoch,
        "Topics": [{"Topic": topic, "Partitions": partitions} for topic, partitions in topics.items()],
    }


def _start(each: "TransactionalId") -> int:
    start = each.transaction_start_time_ms
    return ABSENT if start is None else start


def _matching(pattern: str | None, names: Iterable[str]) -> list[str] | None:
    """The names that match a pattern as a whole; None if the pattern is invalid."""
    found = list(names)
    if not pattern:
        return found
    if len(pattern) > LONGEST_EXPRESSION:
        return None
    try:
        # The empty name makes Arrow compile the pattern even if there are no ids, so that an invalid one is always
        # found.
        matches = pc.match_substring_regex(pa.array(["", *found], pa.string()), f"^(?:{pattern})$").to_pylist()
    except pa.ArrowInvalid:
        return None
    return list(compress(found, matches[1:]))


HANDLERS: Handlers = {"ListTransactions": list_transactions, "DescribeTransactions": describe_transactions}
