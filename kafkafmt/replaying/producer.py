"""TransactionalProducer: sends batches in Kafka's transactions, with the offsets of groups in the same transaction.

It never retries a batch: after any fault the caller starts a new session, which aborts the open transaction, and finds
the last committed transaction by the committed offsets. Therefore no batch is stored twice, whatever answer was lost
(KIP-98). Partitions and groups are added to a transaction explicitly, as brokers of all versions since 0.11 accept.
"""

import time
from collections import defaultdict, deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from kafkafmt.protocol.codec import Value
from kafkafmt.protocol.error_codes import ErrorCode
from kafkafmt.protocol.message_bytes import Buffer
from kafkafmt.reference.header import INT32_MAX
from kafkafmt.replaying.broker_connection import BrokerConnection
from kafkafmt.replaying.cluster import PATIENCE, Position, TargetCluster
from kafkafmt.replaying.errors import RetriableError, TargetError, check, understanding

_IN_FLIGHT: Final = 5
"""Most unanswered requests on a connection: a broker keeps the sequences of the last five batches of a producer."""

_ALL_REPLICAS: Final = -1
_NO_ID: Final = -1
_PAUSE: Final = 0.003
_MS: Final = 1000
_PRODUCE: Final = "produce"

Place = tuple[str, int]
"""A topic and the number of a partition."""


@dataclass(frozen=True, slots=True)
class _Sent:
    place: Place
    take: Callable[[int], None]


class TransactionalProducer:
    """A producer with a transactional id.

    Args:
        cluster: the target.
        transactional_id: id by which a later start fences this one.
        timeout_ms: time in ms after which a broker aborts a transaction.

    Attributes:
        producer_id: producer id of the session.
        epoch: producer epoch of the session.
        throttled_until: moment of a monotonic clock before which a broker reads no more batches, because of a quota.
    """

    def __init__(self, cluster: TargetCluster, transactional_id: str, timeout_ms: int) -> None:
        self._cluster = cluster
        self._id = transactional_id
        self._timeout_ms = timeout_ms
        self.producer_id, self.epoch = _NO_ID, _NO_ID
        self.throttled_until = 0.0
        self._is_throttled = False
        self._sequences: dict[Place, int] = defaultdict(int)
        self._leaders: dict[Place, int] = {}
        self._added: set[Place] = set()
        self._groups: set[str] = set()
        self._sent: dict[int, deque[_Sent]] = defaultdict(deque)
        self._coordinators: dict[str, BrokerConnection] = {}

    @property
    def is_open(self) -> bool:
        """Whether a transaction is open."""
        return bool(self._added or self._groups)

    def start_session(self) -> None:
        """Take the transactional id: an earlier session's open transaction is aborted, and its producer is fenced.

        Raises:
            TargetError: the cluster refuses the request.
        """
        self._forget()
        self._sequences.clear()
        self._leaders.clear()
        asked = {"TransactionalId": self._id, "TransactionTimeoutMs": self._timeout_ms}

        def ask() -> Value:
            self._coordinators.clear()
            answer = self._coordinator().call("InitProducerId", asked)
            check(answer["ErrorCode"], f"transactional id {self._id}")
            return answer

        answer = self._cluster.patiently(ask)
        self.producer_id, self.epoch = answer["ProducerId"], answer["ProducerEpoch"]

    def sequence(self, place: Place) -> int:
        """The sequence of the next record for a partition."""
        return self._sequences[place]

    def add_partitions(self, places: "list[Place]") -> None:
        """Add partitions to the transaction, except those that it has already.

        Raises:
            TargetError: the cluster refuses the request.
        """
        new = [place for place in places if place not in self._added]
        if not new:
            return
        unknown = sorted({topic for topic, number in new if (topic, number) not in self._leaders})
        if unknown:
            self._learn(unknown)
        if absent := [place for place in new if place not in self._leaders]:
            raise RetriableError(f"{absent[0][0]}-{absent[0][1]} is not known to the broker")
        by_topic: dict[str, list[int]] = defaultdict(list)
        for topic, number in new:
            by_topic[topic].append(number)
        asked = {
            "V3AndBelowTransactionalId": self._id,
            "V3AndBelowProducerId": self.producer_id,
            "V3AndBelowProducerEpoch": self.epoch,
            "V3AndBelowTopics": [{"Name": topic, "Partitions": numbers} for topic, numbers in by_topic.items()],
        }

        def ask() -> None:
            answer = self._coordinator().call("AddPartitionsToTxn", asked)
            results = [
                (topic["Name"], each["PartitionIndex"], each["PartitionErrorCode"])
                for topic in answer["ResultsByTopicV3AndBelow"]
                for each in topic["ResultsByPartition"]
            ]
            # OPERATION_NOT_ATTEMPTED only means that another partition failed, so the error of that one is raised.
            for topic, number, code in sorted(results, key=lambda each: each[2] == ErrorCode.OPERATION_NOT_ATTEMPTED):
                check(code, f"{topic}-{number}: AddPartitionsToTxn")

        _while_ending(ask)
        self._added.update(new)

    def send(self, place: Place, batch: Buffer, count: int, take: Callable[[int], None]) -> None:
        """Send a batch with the session's producer id, epoch and next sequence to a partition of the transaction.

        Args:
            place: topic and partition.
            batch: bytes of the batch.
            count: number of its records.
            take: called with the batch's base offset in the target once it is known.

        Raises:
            TargetError: a broker refuses this batch or an earlier one.
        """
        node = self._leaders[place]
        connection = self._cluster.node(node, _PRODUCE)
        while connection.waiting >= _IN_FLIGHT:
            self._receive(node, connection)
        topic, number = place
        data = [{"Name": topic, "PartitionData": [{"Index": number, "Records": batch}]}]
        asked = {"TransactionalId": self._id, "Acks": _ALL_REPLICAS, "TimeoutMs": 30_000, "TopicData": data}
        connection.send("Produce", asked)
        self._sent[node].append(_Sent(place, take))
        self._sequences[place] = (self._sequences[place] + count) & INT32_MAX
        while self._is_throttled and connection.waiting:
            self._receive(node, connection)

    def flush(self) -> None:
        """Wait for the answers to all batches.

        Raises:
            TargetError: a broker refuses a batch.
        """
        for node, sent in self._sent.items():
            while sent:
                self._receive(node, self._cluster.node(node, _PRODUCE))

    def commit_offsets(self, group: str, positions: Mapping[Place, Position]) -> None:
        """Commit offsets of a group with the transaction.

        Raises:
            TargetError: the cluster refuses a request.
        """
        if not positions:
            return

        def add() -> None:
            asked = {
                "TransactionalId": self._id,
                "ProducerId": self.producer_id,
                "ProducerEpoch": self.epoch,
                "GroupId": group,
            }
            check(self._coordinator().call("AddOffsetsToTxn", asked)["ErrorCode"], f"group {group}: AddOffsetsToTxn")

        if group not in self._groups:
            _while_ending(add)
            self._groups.add(group)
        topics: dict[str, list[Value]] = defaultdict(list)
        for (topic, number), position in positions.items():
            topics[topic].append(
                {
                    "PartitionIndex": number,
                    "CommittedOffset": position.offset,
                    "CommittedMetadata": position.metadata,
                }
            )
        asked = {
            "TransactionalId": self._id,
            "GroupId": group,
            "ProducerId": self.producer_id,
            "ProducerEpoch": self.epoch,
            "Topics": [{"Name": topic, "Partitions": partitions} for topic, partitions in topics.items()],
        }
        answer = self._coordinator(group).call("TxnOffsetCommit", asked)
        for each in answer["Topics"]:
            for one in each["Partitions"]:
                check(one["ErrorCode"], f"group {group}: {each['Name']}-{one['PartitionIndex']}")

    def commit(self) -> None:
        """Commit the transaction, if one is open.

        Raises:
            TargetError: the cluster refuses the request. After a lost answer, the transaction may still be committed.
        """
        self.flush()
        if self.is_open:
            self._end(commit=True)
        self._forget()

    def abort(self) -> None:
        """Abort the transaction, if one is open, after the sent batches are answered or their connections are lost.

        A batch that a broker accepted after the end of its transaction would open another one, which nobody ends:
        brokers before 3.6 do not check that.

        Raises:
            TargetError: the cluster refuses the request, or cannot be reached.
        """
        if not self.is_open:
            return
        with suppress(TargetError):
            self.flush()
        self._cluster.close()
        self._coordinators.clear()
        self._end(commit=False)
        self._forget()

    def _end(self, *, commit: bool) -> None:
        asked = {
            "TransactionalId": self._id,
            "ProducerId": self.producer_id,
            "ProducerEpoch": self.epoch,
            "Committed": commit,
        }
        check(self._coordinator().call("EndTxn", asked)["ErrorCode"], f"transactional id {self._id}: EndTxn")

    def _forget(self) -> None:
        self._added.clear()
        self._groups.clear()
        self._sent.clear()

    def _coordinator(self, group: str | None = None) -> BrokerConnection:
        """The coordinator of the transactional id or of a group, as found since the session began."""
        key = group or self._id
        if key not in self._coordinators:
            self._coordinators[key] = self._cluster.coordinator(key, of_transaction=group is None)
        return self._coordinators[key]

    def _learn(self, topics: "list[str]") -> None:
        """Learn the leaders of topics."""
        found = self._cluster.metadata(topics)
        for topic in topics:
            if topic not in found:
                raise RetriableError(f"{topic} is not known to the broker")
            for each in found[topic]["Partitions"]:
                if each["LeaderId"] < 0:
                    raise RetriableError(f"{topic}-{each['PartitionIndex']} has no leader")
                self._leaders[topic, each["PartitionIndex"]] = each["LeaderId"]

    def _receive(self, node: int, connection: BrokerConnection) -> None:
        """Receive the answer to the oldest batch of a broker."""
        answer = connection.receive()
        self._heed(answer["ThrottleTimeMs"])
        sent = self._sent[node].popleft()
        topic, number = sent.place
        with understanding(f"{topic}-{number}: Produce"):
            ((each,),) = (topic["PartitionResponses"] for topic in answer["Responses"])
        details = "; ".join(str(one["BatchIndexErrorMessage"]) for one in each.get("RecordErrors", ())[:1])
        check(each["ErrorCode"], f"{topic}-{number}", details or each.get("ErrorMessage"))
        sent.take(each["BaseOffset"])

    def _heed(self, throttle_ms: int) -> None:
        """Note how long a broker, because of a quota, reads nothing from the connection (KIP-219).

        Batches that wait there meanwhile would time out, or their transaction would: from now on none waits.
        """
        if throttle_ms > 0:
            self.throttled_until = max(self.throttled_until, time.monotonic() + throttle_ms / _MS)
            self._is_throttled = True
            self._cluster.say_once("a quota of the target bounds this replay: it sends as fast as the brokers allow")


def _while_ending(ask: Callable[[], None]) -> None:
    """Retry while the previous transaction is ending: its markers are written after the answer to EndTxn."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            return ask()
        except RetriableError as error:
            if error.code != ErrorCode.CONCURRENT_TRANSACTIONS or time.monotonic() > deadline:
                raise
        time.sleep(_PAUSE)
