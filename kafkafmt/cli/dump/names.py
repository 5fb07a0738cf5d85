"""What the names of files say: where a segment begins, whether it is of one of Kafka's own topics."""

import re
from typing import Final

from kafkafmt.cli.dump.topic_options import DECODER_OPTIONS
from kafkafmt.files.kinds import without_suffix
from kafkafmt.files.names import parse_partition_name
from kafkafmt.internal_topics import CLUSTER_METADATA
from kafkafmt.io.base import Location

BOOTSTRAP_SNAPSHOT: Final = "bootstrap.checkpoint"

_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_BASE_OFFSET = re.compile(r"(?P<offset>[0-9]{1,20})[._]")
_SNAPSHOT = re.compile(r"(?P<offset>[0-9]{20})-(?P<epoch>[0-9]{10})\.checkpoint")
_MAX_OFFSET = 2**63 - 1
_MAX_EPOCH = 2**31 - 1


def as_java_prints(location: Location) -> str:
    """Write a path as java.io.File does: without doubled slashes, and none at the end. A URI stays as it is."""
    path = str(location)
    if _URI.match(path):
        return path
    squeezed = re.sub("/+", "/", path)
    return squeezed.rstrip("/") or squeezed


def base_offset_of(name: str) -> int | None:
    """Read the base offset that a name begins with, of any number of digits; None where there is none.

    `<offset>_<uuid>.index` is how the cache of tiered storage calls its indexes.
    """
    match = _BASE_OFFSET.match(name)
    return int(match["offset"]) if match and int(match["offset"]) <= _MAX_OFFSET else None


def snapshot_id_of(name: str) -> tuple[int, int] | None:
    """Read end offset and epoch from the name of a raft snapshot; None where it tells none."""
    match = _SNAPSHOT.match(name)
    if match is None or int(match["offset"]) > _MAX_OFFSET or int(match["epoch"]) > _MAX_EPOCH:
        return None
    return int(match["offset"]), int(match["epoch"])


def internal_topic_of(location: Location) -> str | None:
    """Name the internal topic that a log or raft snapshot is of, by its directory or its own name; None if of none."""
    plain, _ = without_suffix(location.name)
    if plain == BOOTSTRAP_SNAPSHOT or snapshot_id_of(plain) is not None:
        return CLUSTER_METADATA
    topic = parse_partition_name(location.parent.name).topic
    return topic if topic in DECODER_OPTIONS else None
