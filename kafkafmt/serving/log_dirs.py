"""DescribeLogDirs (versions 1 to 5): the served log directories, and the partitions that are served from each.

A partition is in the directory of its served replica, with the bytes of its local segments; a partition that exists
only in a tier is in the tier's directory, with the bytes of its objects. A replica that is moving to another directory
(`-future`) is listed as well. A directory that cannot be read is answered with KAFKA_STORAGE_ERROR, as an offline one,
with the partitions whose sizes are known. Total and usable bytes are those of the file system that holds the copy, -1
for remote ones; paths are those of this machine.
"""

import asyncio
import os
from collections import defaultdict
from typing import TYPE_CHECKING

from kafkafmt.errors import KafkafmtError
from kafkafmt.files.names import parse_partition_name
from kafkafmt.io.local import LocalLocation
from kafkafmt.logdir.tier import MountedDirectory, TierPartition
from kafkafmt.logdir.tier_segment import TierFile
from kafkafmt.protocol.codec import Value
from kafkafmt.protocol.error_codes import ErrorCode
from kafkafmt.serving.api import ABSENT, Broker, Handlers, Request

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kafkafmt.io.base import Location
    from kafkafmt.logdir.log_dir import LogDir
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.serving.served_log import ServedLog

_OFFLINE: Value = {"ErrorCode": ErrorCode.KAFKA_STORAGE_ERROR}

_Partitions = dict[str, dict[str, list[Value]]]
"""Partitions by the identity of their log directory, then by topic."""


async def describe_log_dirs(broker: Broker, request: Request) -> Value:
    """All directories, with all partitions or the requested ones."""
    asked = request.body["Topics"]
    wanted = None if asked is None else {each["Topic"]: frozenset(each["Partitions"]) for each in asked}

    def answer() -> list[Value]:
        places: dict[str, Location] = {}
        found: _Partitions = defaultdict(lambda: defaultdict(list))
        dirs = {each.location.identity: each for each in broker.disks.opened.log_dirs}
        homes = {
            partition.location.identity: each.location
            for each in dirs.values()
            for partition in (*each.partitions, *each.other_partitions)
        }
        offline: set[str] = set()
        for log, partition, is_future in (*_served(broker), *_future(broker, dirs)):
            directory = homes.get(partition.location.identity) or partition.location.parent
            places[directory.identity] = directory
            if wanted is None or log.number in wanted.get(log.topic, ()):
                try:
                    entry = _entry(log, partition, is_future=is_future)
                except KafkafmtError as fault:
                    log.tell(fault)
                    offline.add(directory.identity)
                    continue
                found[directory.identity][log.topic].append(entry)
        places |= {identity: each.location for identity, each in dirs.items()}
        cordoned = _cordoned(broker)
        return [
            {"LogDir": place.absolute}
            | (_space(place) if identity not in offline else _OFFLINE)
            | {
                "Topics": [{"Name": topic, "Partitions": all_of} for topic, all_of in found[identity].items()],
                "IsCordoned": identity in dirs and _directory_id(dirs[identity]) in cordoned,
            }
            for identity, place in places.items()
        ]

    return {"Results": await asyncio.to_thread(answer)}


def _served(broker: Broker) -> "Iterator[tuple[ServedLog, Partition, bool]]":
    for logs in broker.disks.logs.values():
        yield from ((log, log.partition, False) for log in logs.values())


def _future(broker: Broker, dirs: "dict[str, LogDir]") -> "Iterator[tuple[ServedLog, Partition, bool]]":
    """Replicas of served partitions that are moving to another directory."""
    for directory in dirs.values():
        for partition in directory.other_partitions:
            name = parse_partition_name(partition.location.name)
            log = None if name.partition is None else broker.disks.log(name.topic, name.partition)
            if partition.state == "future" and log is not None:
                yield log, partition, True


def _entry(log: "ServedLog", partition: "Partition", *, is_future: bool) -> Value:
    """A replica; if it is moving, with its lag behind the served one."""
    return {
        "PartitionIndex": log.number,
        "PartitionSize": _size(partition),
        "OffsetLag": _lag(log, partition) if is_future else 0,
        "IsFutureKey": is_future,
    }


def _size(partition: "Partition") -> int:
    """Size of a replica's segments in bytes; only the local ones if its log begins in remote storage, as in Kafka."""
    is_tier = isinstance(partition.location, TierPartition)
    return sum(each.size for each in partition.segments if is_tier or not isinstance(each.location, TierFile))


def _lag(log: "ServedLog", partition: "Partition") -> int:
    try:
        return log.log_end - (partition.log_end_offset or 0)
    except KafkafmtError as fault:
        log.tell(fault)
        return ABSENT


def _cordoned(broker: Broker) -> frozenset[str | None]:
    """Ids of this node's directories that accept no new partitions (KIP-1066)."""
    cluster = broker.disks.cluster
    node = None if cluster is None else cluster.brokers.get(broker.node_id)
    return frozenset(() if node is None else node.cordoned_log_dirs or ())


def _directory_id(directory: "LogDir") -> str | None:
    try:
        known = directory.meta_properties
    except KafkafmtError:
        return None  # `kafkafmt ls` reports what is wrong with it
    return None if known is None else known.directory_id


def _local(place: "Location") -> LocalLocation | None:
    """A directory of this machine, or the one that holds a tier; None if it is remote."""
    place = place.place if isinstance(place, MountedDirectory) else place
    return place if isinstance(place, LocalLocation) else None


def _space(place: "Location") -> Value:
    local = _local(place)
    if local is None:
        return {"TotalBytes": ABSENT, "UsableBytes": ABSENT}
    try:
        found = os.statvfs(local.absolute)
    except OSError:
        return _OFFLINE
    return {"TotalBytes": found.f_blocks * found.f_frsize, "UsableBytes": found.f_bavail * found.f_frsize}


HANDLERS: Handlers = {"DescribeLogDirs": describe_log_dirs}
