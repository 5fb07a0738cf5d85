"""Whose log directories these are: meta.properties that are broken, or contradict the metadata log, made right."""

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kafkafmt.errors import DataError
from kafkafmt.files import meta_properties
from kafkafmt.internal_topics import CLUSTER_METADATA
from kafkafmt.logdir.log_dir import META_PROPERTIES, LogDir

if TYPE_CHECKING:
    from kafkafmt.files.meta_properties import MetaProperties
    from kafkafmt.topics.cluster_metadata import ClusterMetadata


def identities(log_dirs: Sequence[LogDir], cluster: "ClusterMetadata | None", notes: list[str]) -> list[bytes | None]:
    """Make the meta.properties that differ from those of the source; None for a directory whose own is right.

    A directory that the metadata log knows by its id belongs to the node that registered it. One that it does not know
    gets the one id of the nodes at hand that no directory has.

    Args:
        log_dirs: all of the source.
        cluster: what the metadata log says; None without one.
        notes: is told what was changed, and what cannot be known.
    """
    found = [_read(each, notes) for each in log_dirs]
    if cluster is None:
        for each, properties in zip(log_dirs, found, strict=True):
            if properties is None:
                notes.append(f"{each.location.child(META_PROPERTIES)} cannot be made anew without a metadata log")
        return [None] * len(log_dirs)
    owners = {directory: broker for broker, each in cluster.brokers.items() for directory in each.log_dirs}
    cluster_id = _cluster_id(log_dirs, found) or cluster.cluster_id
    known: dict[int, str] = {}
    for number, properties in enumerate(found):
        directory = None if properties is None else properties.directory_id
        if directory in owners and directory not in known.values():
            known[number] = directory
    nodes = {owners[each] for each in known.values()}
    ids = {each.node_id for each in found if each is not None and each.node_id is not None}
    nodes |= ids & set(cluster.brokers)
    # Without any sound meta.properties all nodes may be meant.
    nodes = nodes or set(cluster.brokers)
    free = [each for each, owner in owners.items() if owner in nodes and each not in known.values()]
    unknown = [number for number in range(len(found)) if number not in known]
    if len(unknown) == 1 and len(free) == 1:
        known[unknown[0]] = free[0]
    else:
        notes.extend(
            f"{log_dirs[number].location}: the metadata log does not say whose directory it is" for number in unknown
        )
    made: list[bytes | None] = [None] * len(found)
    for number, directory in known.items():
        properties = found[number]
        node = owners[directory]
        if cluster_id is None:
            notes.append(
                f"{log_dirs[number].location}: by the metadata log it is directory {directory} of node {node}, but "
                f"nothing says its cluster id: write {META_PROPERTIES}, or the node does not start"
            )
        right = None if properties is None else (properties.cluster_id, properties.node_id, properties.directory_id)
        if cluster_id is not None and (right != (cluster_id, node, directory)):
            made[number] = meta_properties.encode(
                cluster_id=cluster_id, node_id=node, directory_id=directory, now_ms=time.time_ns() // 1_000_000
            )
            place = log_dirs[number].location.child(META_PROPERTIES)
            notes.append(f"{place} is made anew: cluster {cluster_id}, node {node}, directory {directory}")
    return made


def _cluster_id(log_dirs: Sequence[LogDir], found: "Sequence[MetaProperties | None]") -> str | None:
    """Cluster id of the directory with the metadata log, or the one that most directories have."""
    ids = [each.cluster_id for each in found if each is not None and each.cluster_id is not None]
    for log_dir, properties in zip(log_dirs, found, strict=True):
        has_log = any(each.topic == CLUSTER_METADATA for each in log_dir.partitions)
        if has_log and properties is not None and properties.cluster_id is not None:
            return properties.cluster_id
    return max(ids, key=ids.count, default=None)


def _read(log_dir: LogDir, notes: list[str]) -> "MetaProperties | None":
    try:
        return log_dir.meta_properties
    except DataError as error:
        notes.append(str(error))
        return None
