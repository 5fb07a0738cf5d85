"""Records about nodes: brokers and controllers that register, fences, voters, as Kafka's ClusterDelta applies them."""

import struct
from base64 import urlsafe_b64decode
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from kafkafmt.errors import CorruptError
from kafkafmt.topics.cluster_metadata.image import Image
from kafkafmt.topics.cluster_metadata.names import SECURITY_PROTOCOLS, name_of
from kafkafmt.topics.cluster_metadata.registrations import (
    BrokerRegistration,
    ControllerRegistration,
    Endpoint,
    SupportedFeature,
    Voter,
)

Data = Mapping[str, Any]

_FENCING: Mapping[int, bool | None] = {1: True, 0: None, -1: False}
_SHUTDOWN: Mapping[int, bool | None] = {1: True, 0: None}


def register_broker(image: Image, data: Data) -> None:
    """RegisterBrokerRecord: a broker, in place of an earlier registration."""
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


def unregister_broker(image: Image, data: Data) -> None:
    """UnregisterBrokerRecord: the broker goes."""
    image.brokers.pop(data["brokerId"], None)


def fence_broker(image: Image, data: Data) -> None:
    """FenceBrokerRecord.

    Raises:
        CorruptError: there is no such broker, or it has another epoch.
    """
    image.brokers[data["id"]] = replace(_broker(image, data["id"], data["epoch"]), fenced=True)


def unfence_broker(image: Image, data: Data) -> None:
    """UnfenceBrokerRecord.

    Raises:
        CorruptError: as for `fence_broker`.
    """
    image.brokers[data["id"]] = replace(_broker(image, data["id"], data["epoch"]), fenced=False)


def broker_registration_change(image: Image, data: Data) -> None:
    """BrokerRegistrationChangeRecord: what it holds is new, all else stays.

    Raises:
        CorruptError: there is no such broker, it has another epoch, or a change that Kafka does not know.
    """
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


def register_controller(image: Image, data: Data) -> None:
    """RegisterControllerRecord: a controller, in place of an earlier registration."""
    controller = ControllerRegistration(
        id=data["controllerId"],
        incarnation_id=data["incarnationId"],
        zk_migration_ready=data["zkMigrationReady"],
        endpoints=_endpoints(data["endPoints"]),
        features=_features(data["features"]),
    )
    image.controllers[controller.id] = controller


def unregister_controller(image: Image, data: Data) -> None:
    """UnregisterControllerRecord: remove a controller's registration, if it has one."""
    image.controllers.pop(data["controllerId"], None)


CLUSTER_RECORDS: Mapping[str, Callable[[Image, Data], None]] = {
    "REGISTER_BROKER_RECORD": register_broker,
    "UNREGISTER_BROKER_RECORD": unregister_broker,
    "FENCE_BROKER_RECORD": fence_broker,
    "UNFENCE_BROKER_RECORD": unfence_broker,
    "BROKER_REGISTRATION_CHANGE_RECORD": broker_registration_change,
    "REGISTER_CONTROLLER_RECORD": register_controller,
    "UNREGISTER_CONTROLLER_RECORD": unregister_controller,
}
"""What each record about nodes does, by Kafka's MetadataRecordType."""


def leader_change(image: Image, data: Data, epoch: int) -> None:
    """LeaderChangeMessage: the leader of the quorum; and its voters, where no control record tells more of them."""
    image.leader = (data["leaderId"], epoch)
    if not image.kraft_version:
        image.voters = tuple(
            Voter(each["voterId"], None, (), None, None) for each in sorted(data["voters"], key=_voter_id)
        )


def kraft_version(image: Image, data: Data) -> None:
    """KRaftVersionRecord: the version of the Raft protocol."""
    image.kraft_version = data["kRaftVersion"]


def kraft_voters(image: Image, data: Data) -> None:
    """VotersRecord: the voters of a dynamic quorum (KIP-853)."""
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


def _broker(image: Image, broker_id: int, epoch: int) -> BrokerRegistration:
    broker = image.brokers.get(broker_id)
    if broker is None:
        raise CorruptError("a broker is changed that is not registered", found=f"broker {broker_id}")
    if broker.epoch != epoch:
        raise CorruptError(
            f"a change of broker {broker_id} is of another broker epoch", expected=broker.epoch, found=epoch
        )
    return broker


def _change(value: int, meanings: Mapping[int, bool | None], field: str) -> bool | None:
    if value not in meanings:
        raise CorruptError(f"an unknown value of {field}", expected=f"one of {sorted(meanings)}", found=value)
    return meanings[value]


def _endpoints(endpoints: Iterable[Data]) -> tuple[Endpoint, ...]:
    """By name; of two with one name the last."""
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
    """Directory ids as Kafka sorts UUIDs: by two signed numbers."""
    return tuple(sorted(directories, key=_as_java_compares))


def _as_java_compares(uuid: str) -> tuple[int, int]:
    most, least = struct.unpack(">qq", urlsafe_b64decode(f"{uuid}=="))
    return most, least


def _voter_id(voter: Data) -> int:
    number: int = voter["voterId"]
    return number
