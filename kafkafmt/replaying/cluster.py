"""TargetCluster: the live cluster of a replay, with its brokers, leaders, coordinators, topics and configs."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, Self, TypeVar

from kafkafmt.protocol.address import host_and_port
from kafkafmt.protocol.codec import Value
from kafkafmt.protocol.error_codes import ErrorCode
from kafkafmt.reference.header import INT32_MAX
from kafkafmt.replaying.broker_connection import BrokerConnection
from kafkafmt.replaying.client_config import ClientConfig
from kafkafmt.replaying.errors import RetriableError, TargetError, check, understanding

_GROUP: Final = 0
_TRANSACTION: Final = 1
_TOPIC: Final = 2
_SET: Final = 0
_EARLIEST, _LATEST = -2, -1
_FIRST_PAUSE: Final = 0.02
_LONGEST_PAUSE: Final = 1.0
# Short, so that a wrong address is reported soon; a cluster that was reached once gets longer to restart.
_FIRST_PATIENCE: Final = 3.0
PATIENCE: Final = 120.0
"""Seconds during which requests are repeated after transient faults."""

_NUMBERS: Final = frozenset(
    {
        "max.message.bytes",
        "message.timestamp.after.max.ms",
        "message.timestamp.before.max.ms",
        "message.timestamp.difference.max.ms",
        "min.insync.replicas",
        "retention.bytes",
        "retention.ms",
    }
)
"""Configs of topics that are compared as numbers."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class TargetTopic:
    """A topic of the target.

    Attributes:
        name: name of the topic.
        leaders: node id of the leader of each partition, by number; -1 for none.
        fewest_replicas: smallest number of replicas of a partition.
        configs: values in force, by name.
    """

    name: str
    leaders: Mapping[int, int]
    fewest_replicas: int
    configs: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Position:
    """A committed offset.

    Attributes:
        offset: the offset; -1 for none.
        metadata: text committed with the offset.
    """

    offset: int
    metadata: str


class TargetCluster:
    """A cluster, with one connection to each broker that is needed. A context manager.

    Args:
        servers: addresses "host:port" of brokers, separated by commas.
        config: how to connect.
        say: takes a line for each fault that is waited for.

    Raises:
        ValueError: an address is invalid.
    """

    def __init__(self, servers: str, config: ClientConfig, say: Callable[[str], None] = lambda _: None) -> None:
        self._say = say
        self._told: set[str] = set()
        self._servers = [host_and_port(each.strip(), "to", 1) for each in servers.split(",") if each.strip()]
        if not self._servers:
            raise ValueError("to must be HOST:PORT")
        self._config = config
        self._known: BrokerConnection | None = None
        self._by_node: dict[tuple[int, str], BrokerConnection] = {}
        self._addresses: dict[int, tuple[str, int]] = {}
        self._controller = -1
        self.cluster_id = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def tell(self, error: TargetError) -> None:
        """Report, once, a fault that is waited for."""
        self.say_once(f"{error.message}: trying again for up to {PATIENCE:.0f} s")

    def say_once(self, line: str) -> None:
        """Report a line, unless it was reported before."""
        if line not in self._told:
            self._told.add(line)
            self._say(line)

    def close(self) -> None:
        """Close all connections; they are opened again when needed."""
        for each in (*self._by_node.values(), *([self._known] if self._known else [])):
            with suppress(OSError):
                each.close()
        self._by_node.clear()
        self._known = None

    def patiently(self, function: Callable[[], T]) -> T:
        """Call a function repeatedly, over new connections, while it raises `RetriableError`.

        Calls are repeated for `PATIENCE`, or for a few seconds until the cluster has answered once: it may not be one.

        Raises:
            TargetError: the function still fails at the end, or fails otherwise.
        """
        deadline, pause = time.monotonic() + (PATIENCE if self.cluster_id else _FIRST_PATIENCE), _FIRST_PAUSE
        while True:
            try:
                return function()
            except RetriableError as error:
                if time.monotonic() + pause > deadline:
                    raise
                if pause == _LONGEST_PAUSE and self.cluster_id:
                    self.tell(error)
            self.close()
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    def any_broker(self) -> BrokerConnection:
        """A connection to any broker.

        Raises:
            TargetError: no broker can be reached.
        """
        if self._known is None:
            faults: list[TargetError] = []
            for host, port in (*self._servers, *self._addresses.values()):
                try:
                    self._known = BrokerConnection(host, port, self._config)
                    break
                except RetriableError as error:
                    faults.append(error)
            else:
                raise faults[0]
        return self._known

    def node(self, number: int, purpose: str = "") -> BrokerConnection:
        """The connection to the broker with a node id.

        Args:
            number: the node id.
            purpose: name of the connection: requests that are sent ahead of their answers have their own connections.

        Raises:
            TargetError: the broker is unknown, or cannot be reached.
        """
        if (number, purpose) not in self._by_node:
            if number not in self._addresses:
                raise RetriableError(f"broker {number} is not in the cluster")
            self._by_node[number, purpose] = BrokerConnection(*self._addresses[number], self._config)
        return self._by_node[number, purpose]

    def metadata(self, topics: Iterable[str]) -> dict[str, Value]:
        """Metadata of topics by name; topics that do not exist are left out.

        Raises:
            TargetError: the cluster refuses the request.
        """
        asked: Value = {"Topics": [{"Name": topic} for topic in topics], "AllowAutoTopicCreation": False}
        answer = self.any_broker().call("Metadata", asked)
        self._addresses = {each["NodeId"]: (each["Host"], each["Port"]) for each in answer["Brokers"]}
        self._controller = answer["ControllerId"]
        self.cluster_id = answer.get("ClusterId") or ""
        found = {}
        for each in answer["Topics"]:
            if each["ErrorCode"] == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
                continue
            check(each["ErrorCode"], str(each["Name"]))
            found[str(each["Name"])] = each
        return found

    def topics(self, names: Sequence[str]) -> dict[str, TargetTopic]:
        """Topics with their configs; topics that do not exist are left out.

        Raises:
            TargetError: the cluster refuses a request.
        """
        found = self.metadata(names)
        configs = self.configs(list(found))
        return {
            name: TargetTopic(
                name,
                {part["PartitionIndex"]: part["LeaderId"] for part in each["Partitions"]},
                min((len(part["ReplicaNodes"]) for part in each["Partitions"]), default=0),
                configs[name],
            )
            for name, each in found.items()
        }

    def configs(self, topics: Sequence[str]) -> dict[str, dict[str, str]]:
        """The configs in force of topics.

        Raises:
            TargetError: the cluster refuses the request.
        """
        if not topics:
            return {}
        asked = [{"ResourceType": _TOPIC, "ResourceName": name, "ConfigurationKeys": None} for name in topics]
        answer = self.any_broker().call("DescribeConfigs", {"Resources": asked})
        found = {}
        for each in answer["Results"]:
            check(each["ErrorCode"], f"{each['ResourceName']}: DescribeConfigs", each["ErrorMessage"])
            found[each["ResourceName"]] = {one["Name"]: one["Value"] for one in each["Configs"] if one["Value"]}
            with understanding(f"{each['ResourceName']}: DescribeConfigs"):
                _check_numbers(found[each["ResourceName"]])
        with understanding("DescribeConfigs"):
            return {topic: found[topic] for topic in topics}

    def ends(self, leaders: Mapping[tuple[str, int], int], *, earliest: bool = False) -> dict[tuple[str, int], int]:
        """High watermarks of partitions, or their log start offsets.

        Args:
            leaders: node ids of the leaders, by topic and partition.
            earliest: whether to get log start offsets instead of high watermarks.

        Raises:
            TargetError: a broker refuses the request.
        """
        found = {}
        timestamp = _EARLIEST if earliest else _LATEST
        for node in sorted(set(leaders.values())):
            topics: dict[str, list[Value]] = {}
            for (topic, number), leader in leaders.items():
                if leader == node:
                    topics.setdefault(topic, []).append({"PartitionIndex": number, "Timestamp": timestamp})
            asked = [{"Name": topic, "Partitions": partitions} for topic, partitions in topics.items()]
            answer = self.node(node).call("ListOffsets", {"ReplicaId": -1, "IsolationLevel": 0, "Topics": asked})
            for topic in answer["Topics"]:
                for each in topic["Partitions"]:
                    check(each["ErrorCode"], f"{topic['Name']}-{each['PartitionIndex']}: ListOffsets")
                    found[topic["Name"], each["PartitionIndex"]] = each["Offset"]
        with understanding("ListOffsets"):
            return {place: found[place] for place in leaders}

    def create(
        self, topic: str, partitions: int, configs: Mapping[str, str], replicas: int, *, validates: bool
    ) -> TargetTopic:
        """Create a topic, or only let the cluster check whether it would.

        Args:
            topic: name of the topic.
            partitions: number of partitions.
            configs: configs of the topic.
            replicas: number of replicas of each partition; -1 for the cluster's default.
            validates: whether the cluster only checks the request.

        Returns:
            The topic, with the cluster's defaults.

        Raises:
            TargetError: the cluster refuses the request.
        """
        asked = {
            "Name": topic,
            "NumPartitions": partitions,
            "ReplicationFactor": replicas,
            "Configs": [{"Name": name, "Value": value} for name, value in configs.items()],
        }
        body = {"Topics": [asked], "timeoutMs": 30_000, "validateOnly": validates}
        with understanding(f"{topic}: CreateTopics"):
            (answer,) = self._at_controller("CreateTopics", body)["Topics"]
        if validates or answer["ErrorCode"] != ErrorCode.TOPIC_ALREADY_EXISTS:
            check(answer["ErrorCode"], f"{topic} cannot be created", answer["ErrorMessage"])
        told = {each["Name"]: each["Value"] for each in answer.get("Configs") or () if each["Value"]}
        with understanding(f"{topic}: CreateTopics"):
            _check_numbers(told)
        made = answer.get("ReplicationFactor", replicas)
        fewest = made if made > 0 else INT32_MAX  # not told without DescribeConfigs
        return TargetTopic(topic, dict.fromkeys(range(partitions), 0), fewest, told or configs)

    def alter_topic(self, topic: str, configs: Mapping[str, str]) -> None:
        """Set configs of a topic.

        Raises:
            TargetError: the cluster refuses the request.
        """
        changes = [{"Name": name, "ConfigOperation": _SET, "Value": value} for name, value in configs.items()]
        asked = {"ResourceType": _TOPIC, "ResourceName": topic, "Configs": changes}
        with understanding(f"{topic}: IncrementalAlterConfigs"):
            (answer,) = self._at_controller("IncrementalAlterConfigs", {"Resources": [asked]})["Responses"]
        check(answer["ErrorCode"], f"{topic}: its configs cannot be set", answer["ErrorMessage"])

    def _at_controller(self, api: str, body: Value) -> Value:
        """Send a request to the controller; in a KRaft cluster any broker forwards it."""
        connection = self.node(self._controller) if self._controller in self._addresses else self.any_broker()
        return connection.call(api, body)

    def coordinator(self, key: str, *, of_transaction: bool) -> BrokerConnection:
        """The connection to the coordinator of a group or of a transactional id.

        Raises:
            TargetError: there is no coordinator, or it cannot be reached.
        """
        kind = _TRANSACTION if of_transaction else _GROUP
        answer = self.any_broker().call("FindCoordinator", {"Key": key, "KeyType": kind})
        check(answer["ErrorCode"], f"the coordinator of {key}", answer.get("ErrorMessage"))
        self._addresses.setdefault(answer["NodeId"], (answer["Host"], answer["Port"]))
        return self.node(answer["NodeId"])

    def committed(self, group: str, *, stable: bool) -> dict[tuple[str, int], Position]:
        """The committed offsets of a group, by topic and partition.

        Args:
            group: id of the group.
            stable: whether to wait for the end of an open transaction that commits offsets.

        Raises:
            TargetError: the cluster refuses the request.
        """
        body = {"GroupId": group, "Topics": None, "RequireStable": stable}
        answer = self.coordinator(group, of_transaction=False).call("OffsetFetch", body)
        check(answer["ErrorCode"], f"group {group}")
        found = {}
        for topic in answer["Topics"]:
            for each in topic["Partitions"]:
                check(each["ErrorCode"], f"group {group}: {topic['Name']}-{each['PartitionIndex']}")
                position = Position(each["CommittedOffset"], each["Metadata"] or "")
                found[topic["Name"], each["PartitionIndex"]] = position
        return {place: position for place, position in found.items() if position.offset >= 0}


def _check_numbers(configs: Mapping[str, str]) -> None:
    """Check that configs that are compared as numbers are numbers.

    Raises:
        ValueError: one is not a number.
    """
    for name in _NUMBERS & configs.keys():
        int(configs[name])
