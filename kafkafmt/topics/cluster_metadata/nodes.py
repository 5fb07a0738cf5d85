"""Nodes: brokers, controllers and voters, and their changes by records (Kafka's `ClusterDelta`).

A function of a record raises CorruptError if the record changes an unregistered broker, or has an unknown value.
"""

import struct
from base64 import urlsafe_b64decode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

from kafkafmt.answer_columns import Named
from kafkafmt.errors import CorruptError
from kafkafmt.topics.cluster_metadata.settings import name_of

if TYPE_CHECKING:
    from kafkafmt.topics.cluster_metadata.image import Image

Data = Mapping[str, Any]

SECURITY_PROTOCOLS: Mapping[int, str] = {0: "PLAINTEXT", 1: "SSL", 2: "SASL_PLAINTEXT", 3: "SASL_SSL"}
"""Kafka's `SecurityProtocol` of endpoints."""

_FENCING: Mapping[int, bool | None] = {1: True, 0: None, -1: False}
_SHUTDOWN: Mapping[int, bool | None] = {1: True, 0: None}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A listener of a node.

    Attributes:
        name: name of the listener.
        host: name or address.
        port: port number.
        security_protocol: "PLAINTEXT", "SSL", "SASL_PLAINTEXT" or "SASL_SSL"; None for a voter, which has none.
    """

    name: str
    host: str
    port: int
    security_protocol: str | None

    def __str__(self) -> str:
        """The listener as in Kafka's config `listeners`: `INTERNAL://host:9092`."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.name}://{host}:{self.port}"


@dataclass(frozen=True, slots=True)
class SupportedFeature:
    """The levels of a feature that a node supports.

    Attributes:
        name: name of the feature.
        min: lowest level.
        max: highest level.
    """

    name: str
    min: int
    max: int


_ENDPOINTS = "list<struct<name: string, host: string, port: int32, securityProtocol: string>>"
_FEATURES = "list<struct<name: string, minSupportedVersion: int16, maxSupportedVersion: int16>>"


def _in_endpoints(endpoints: Iterable[Endpoint]) -> list[dict[str, object]]:
    return [
        {"name": each.name, "host": each.host, "port": each.port, "securityProtocol": each.security_protocol}
        for each in endpoints
    ]


def _in_features(features: Iterable[SupportedFeature]) -> list[dict[str, object]]:
    return [{"name": each.name, "minSupportedVersion": each.min, "maxSupportedVersion": each.max} for each in features]


@dataclass(frozen=True, slots=True)
class BrokerRegistration:
    """A broker.

    Attributes:
        id: its node id.
        epoch: broker epoch: offset of the record of its last registration.
        incarnation_id: id of its process.
        rack: its rack; None for none.
        fenced: whether it is fenced: down, or not ready yet.
        in_controlled_shutdown: whether it is in a controlled shutdown.
        is_migrating_zk_broker: whether it runs with ZooKeeper, in a migration.
        endpoints: its listeners, by name.
        log_dirs: ids of its online log directories, in Kafka's order.
        cordoned_log_dirs: ids of those that take no new partitions (KIP-1066); None if it did not report any.
        features: features that it supports, by name.
    """

    id: Annotated[int, Named("brokerId", "int32")]
    epoch: Annotated[int, Named("brokerEpoch", "int64")]
    incarnation_id: Annotated[str, "string"]
    rack: Annotated[str | None, "string"]
    fenced: Annotated[bool, "bool"]
    in_controlled_shutdown: Annotated[bool, "bool"]
    is_migrating_zk_broker: Annotated[bool, "bool"]
    endpoints: Annotated[tuple[Endpoint, ...], _ENDPOINTS, _in_endpoints]
    log_dirs: Annotated[tuple[str, ...], "list<string>"]
    cordoned_log_dirs: Annotated[tuple[str, ...] | None, "list<string>"]
    features: Annotated[tuple[SupportedFeature, ...], _FEATURES, _in_features]

    @property
    def state(self) -> str:
        """State of the broker: "fenced", "in controlled shutdown" or "active"."""
        return "fenced" if self.fenced else "in controlled shutdown" if self.in_controlled_shutdown else "active"


@dataclass(frozen=True, slots=True)
class ControllerRegistration:
    """A controller, which registers from metadata.version 3.7 on.

    Attributes:
        id: its node id.
        incarnation_id: id of its process.
        zk_migration_ready: whether it is configured for a migration from ZooKeeper.
        endpoints: its listeners, by name.
        features: features that it supports, by name.
    """

    id: Annotated[int, Named("controllerId", "int32")]
    incarnation_id: Annotated[str, "string"]
    zk_migration_ready: Annotated[bool, "bool"]
    endpoints: Annotated[tuple[Endpoint, ...], _ENDPOINTS, _in_endpoints]
    features: Annotated[tuple[SupportedFeature, ...], _FEATURES, _in_features]


@dataclass(frozen=True, slots=True)
class Voter:
    """A voter of the quorum.

    Attributes:
        id: its node id.
        directory_id: id of its metadata log directory; None in a static quorum (before kraft.version 1).
        endpoints: its listeners; none in a static quorum.
        min_kraft_version: lowest kraft.version that it supports, or None.
        max_kraft_version: highest kraft.version that it supports, or None.
    """

    id: Annotated[int, Named("voterId", "int32")]
    directory_id: Annotated[str | None, "string"]
    endpoints: Annotated[tuple[Endpoint, ...], _ENDPOINTS, _in_endpoints]
    min_kraft_version: Annotated[int | None, "int16"]
    max_kraft_version: Annotated[int | None, "int16"]


def register_broker(image: "Image", data: Data) -> None:
    """RegisterBrokerRecord: registers a broker, in place of an earlier registration."""
    cordoned = data.get("cordonedLogDirs")
    broker = BrokerRegistration(
        id=data["brokerId"],
        epoch=data["brokerEpoch"],
        incarnation_id=data["incarnationId"],
        endpoints=_endpoints(data["endPoints"]),
        features=_features(data["features"]),
        rack=data["rack"],
        fenced=data["fenced"],
        in_controlled_shutdown=data.get("inControlledShutdown", False),
        is_migrating_zk_broker=data.get("isMigratingZkBroker", False),
        log_dirs=_in_order(data.get("logDirs") or ()),
        cordoned_log_dirs=None if cordoned is None else tuple(cordoned),
    )
    image.brokers[broker.id] = broker


def unregister_broker(image: "Image", data: Data) -> None:
    """UnregisterBrokerRecord: removes a broker."""
    image.brokers.pop(data["brokerId"], None)


def fence_broker(image: "Image", data: Data) -> None:
    """FenceBrokerRecord: fences a broker."""
    image.brokers[data["id"]] = replace(_broker(image, data["id"], data["epoch"]), fenced=True)


def unfence_broker(image: "Image", data: Data) -> None:
    """UnfenceBrokerRecord: unfences a broker."""
    image.brokers[data["id"]] = replace(_broker(image, data["id"], data["epoch"]), fenced=False)


def broker_registration_change(image: "Image", data: Data) -> None:
    """BrokerRegistrationChangeRecord: sets the fields that the record has."""
    before = _broker(image, data["brokerId"], data["brokerEpoch"])
    fenced = _change(data.get("fenced", 0), _FENCING, "fenced")
    shutdown = _change(data.get("inControlledShutdown", 0), _SHUTDOWN, "inControlledShutdown")
    log_dirs = data.get("logDirs")
    cordoned = data.get("cordonedLogDirs")
    image.brokers[before.id] = replace(
        before,
        fenced=before.fenced if fenced is None else fenced,
        in_controlled_shutdown=before.in_controlled_shutdown if shutdown is None else shutdown,
        log_dirs=_in_order(log_dirs) if log_dirs else before.log_dirs,
        cordoned_log_dirs=before.cordoned_log_dirs if cordoned is None else tuple(cordoned),
    )


def register_controller(image: "Image", data: Data) -> None:
    """RegisterControllerRecord: registers a controller, in place of an earlier registration."""
    controller = ControllerRegistration(
        id=data["controllerId"],
        incarnation_id=data["incarnationId"],
        zk_migration_ready=data["zkMigrationReady"],
        endpoints=_endpoints(data["endPoints"]),
        features=_features(data["features"]),
    )
    image.controllers[controller.id] = controller


def unregister_controller(image: "Image", data: Data) -> None:
    """UnregisterControllerRecord: removes a controller's registration, if there is one."""
    image.controllers.pop(data["controllerId"], None)


def leader_change(image: "Image", data: Data, epoch: int) -> None:
    """LeaderChangeMessage: sets the quorum's leader; and its voters, unless VotersRecords describe them better."""
    image.leader = (data["leaderId"], epoch)
    if not image.kraft_version:
        image.voters = tuple(
            Voter(each["voterId"], None, (), None, None) for each in sorted(data["voters"], key=_voter_id)
        )


def kraft_version(image: "Image", data: Data) -> None:
    """KRaftVersionRecord: sets kraft.version."""
    image.kraft_version = data["kRaftVersion"]


def kraft_voters(image: "Image", data: Data) -> None:
    """VotersRecord: sets the voters of a dynamic quorum (KIP-853)."""
    image.voters = tuple(
        Voter(
            each["voterId"],
            each["voterDirectoryId"],
            tuple(Endpoint(place["name"], place["host"], place["port"], None) for place in each["endpoints"]),
            each["kRaftVersionFeature"]["minSupportedVersion"],
            each["kRaftVersionFeature"]["maxSupportedVersion"],
        )
        for each in sorted(data["voters"], key=_voter_id)
    )


def _broker(image: "Image", broker_id: int, epoch: int) -> BrokerRegistration:
    broker = image.brokers.get(broker_id)
    if broker is None:
        raise CorruptError("a change of a broker that is not registered", found=f"broker {broker_id}")
    if broker.epoch != epoch:
        raise CorruptError(
            f"a change of broker {broker_id} names another broker epoch", expected=broker.epoch, found=epoch
        )
    return broker


def _change(value: int, meanings: Mapping[int, bool | None], field: str) -> bool | None:
    if value not in meanings:
        raise CorruptError(f"an unknown value of {field}", expected=f"one of {sorted(meanings)}", found=value)
    return meanings[value]


def _endpoints(endpoints: Iterable[Data]) -> tuple[Endpoint, ...]:
    """Listeners by name; if two have one name, the last counts."""
    by_name = {
        each["name"]: Endpoint(
            each["name"], each["host"], each["port"], name_of(SECURITY_PROTOCOLS, each["securityProtocol"])
        )
        for each in endpoints
    }
    return tuple(by_name[name] for name in sorted(by_name))


def _features(features: Iterable[Data]) -> tuple[SupportedFeature, ...]:
    by_name = {
        each["name"]: SupportedFeature(each["name"], each["minSupportedVersion"], each["maxSupportedVersion"])
        for each in features
    }
    return tuple(by_name[name] for name in sorted(by_name))


def _in_order(directories: Iterable[str]) -> tuple[str, ...]:
    """Directory ids in Kafka's order of UUIDs, as two signed int64."""
    return tuple(sorted(directories, key=_as_java_compares))


def _as_java_compares(uuid: str) -> tuple[int, int]:
    most, least = struct.unpack(">qq", urlsafe_b64decode(f"{uuid}=="))
    return most, least


def _voter_id(voter: Data) -> int:
    number: int = voter["voterId"]
    return number
