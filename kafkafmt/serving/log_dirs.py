"""DescribeLogDirs (versions 1 to 5): the served log directories, and the partitions that are served from each.

A partition is in the directory of the replica that is served, with the bytes of its segments; what is moving into
another directory (`-future`) is there as well. Total and usable bytes are those of the file system that holds the
copy, -1 for remote ones; paths are those of this machine.
"""

import asyncio
import os
from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING

from kafkafmt.errors import KafkafmtError
from kafkafmt.files.names import parse_partition_name
from kafkafmt.io.local import LocalLocation
from kafkafmt.protocol.codec import Value
from kafkafmt.serving.api import ABSENT, Broker, Handlers, Request

if TYPE_CHECKING:
    from kafkafmt.io.base import Location
    from kafkafmt.logdir.log_dir import LogDir

_Partitions = dict[str, dict[str, list[Value]]]
"""Partitions by identity of their log directory and topic."""


async def describe_log_dirs(broker: Broker, request: Request) -> Value:
    """All directories, with all partitions or those that are asked for."""
    asked = request.body["Topics"]
    wanted = None if asked is None else {each["Topic"]: frozenset(each["Partitions"]) for each in asked}

    def answer() -> list[Value]:
        places: dict[str, Location] = {}
        found: _Partitions = defaultdict(lambda: defaultdict(list))
        dirs = {each.location.identity: each for each in broker.disks.opened.log_dirs}
        for topic, number, directory, partition in (*_served(broker), *_future(broker, dirs)):
            places[directory.identity] = directory
            if wanted is None or number in wanted.get(topic, ()):
                found[directory.identity][topic].append(partition)
        places |= {identity: each.location for identity, each in dirs.items()}
        cordoned = _cordoned(broker)
        return [
            {
                "LogDir": _path(place),
                "Topics": [{"Name": topic, "Partitions": all_of} for topic, all_of in found[identity].items()],
                "IsCordoned": identity in dirs and _directory_id(dirs[identity]) in cordoned,
                **_space(place),
            }
            for identity, place in places.items()
        ]

    return {"Results": await asyncio.to_thread(answer)}


def _served(broker: Broker) -> Iterator[tuple[str, int, "Location", Value]]:
    for topic, logs in broker.disks.logs.items():
        for number, log in logs.items():
            size = sum(segment.size for segment in log.segments)
            yield topic, number, log.partition.location.parent, _entry(number, size, 0, is_future=False)


def _future(broker: Broker, dirs: "dict[str, LogDir]") -> Iterator[tuple[str, int, "Location", Value]]:
    """Replicas on their way to another directory: how far each is behind the one that is served."""
    for directory in dirs.values():
        for partition in directory.other_partitions:
            if partition.state != "future":
                continue
            name = parse_partition_name(partition.location.name)
            log = None if name.partition is None else broker.disks.log(name.topic, name.partition)
            if log is None:
                continue
            lag = log.log_end - (partition.log_end_offset or 0)
            size = sum(segment.size for segment in partition.segments)
            yield log.topic, log.number, directory.location, _entry(log.number, size, lag, is_future=True)


def _entry(number: int, size: int, lag: int, *, is_future: bool) -> Value:
    return {"PartitionIndex": number, "PartitionSize": size, "OffsetLag": lag, "IsFutureKey": is_future}


def _cordoned(broker: Broker) -> frozenset[str | None]:
    """Ids of this node's directories that take no new partitions (KIP-1066)."""
    cluster = broker.disks.cluster
    node = None if cluster is None else cluster.brokers.get(broker.node_id)
    return frozenset(() if node is None else node.cordoned_log_dirs or ())


def _directory_id(directory: "LogDir") -> str | None:
    try:
        known = directory.meta_properties
    except KafkafmtError:
        return None  # `kafkafmt ls` says what is wrong with it
    return None if known is None else known.directory_id


def _path(place: "Location") -> str:
    return place.absolute if isinstance(place, LocalLocation) else str(place)


def _space(place: "Location") -> Value:
    if not isinstance(place, LocalLocation):
        return {"TotalBytes": ABSENT, "UsableBytes": ABSENT}
    found = os.statvfs(place.absolute)
    return {"TotalBytes": found.f_blocks * found.f_frsize, "UsableBytes": found.f_bavail * found.f_frsize}


HANDLERS: Handlers = {"DescribeLogDirs": describe_log_dirs}
