"""Names in a log directory: partition directories, segment files and their suffixes.

Names come from Kafka's `LogFileUtils` and `UnifiedLog`. A partition directory is `<topic>-<partition>`, and
`<topic>-<partition>.<32 hex digits>-delete` (or -future, -stray) once the broker has set it aside, with the topic cut
if the name would exceed 255 characters. A file of a segment begins with its base offset in 20 digits.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from kafkafmt.files.kinds import KINDS, kind_of
from kafkafmt.reference.header import INT32_MAX, INT64_MAX

PartitionState = Literal["live", "delete", "future", "stray"]

LEADER_EPOCHS = "leader-epoch-checkpoint"
"""Name of the file with the leader epochs of a partition."""

PARTITION_METADATA = "partition.metadata"
"""Name of the file with the topic id of a partition."""

FOREIGN_DIRECTORIES = frozenset({"remote-log-index-cache", "lost+found"})
"""Directories without partitions in or below them: the cache of tiered storage (KIP-405), and the file system's own."""

_SET_ASIDE = re.compile(r"(?P<name>.+?)(?:\.[^.-]+)?-(?P<state>delete|future|stray)", re.DOTALL)
_SEGMENT_FILE = re.compile(r"(?P<base_offset>[0-9]{20})\.(?P<kind>[a-z]+)(?P<suffix>(?:\..*)?)", re.DOTALL)
_PARTITION = re.compile(r"0*(?P<number>[0-9]{1,10})")
_RAFT_SNAPSHOT = re.compile(r"[0-9]{20}-[0-9]{10}\.checkpoint")
_WHOLE_NAMES = frozenset({"bootstrap.checkpoint", *(kind.ending for kind in KINDS.values() if kind.is_whole_name)})
_ENDINGS = tuple(kind.ending for kind in KINDS.values() if not kind.is_whole_name and not kind.is_of_segment)
_LOCK = ".lock"


@dataclass(frozen=True, slots=True)
class PartitionName:
    """The parts of a partition directory's name.

    Attributes:
        topic: name of the topic (cut in a long name that was set aside), or None if it is not a name of Kafka's.
        partition: number of the partition, or None if the name does not follow Kafka's pattern.
        state: "live", or the broker's reason for setting the directory aside: "delete", "future" (a move between log
            directories), "stray" (KIP-858).
    """

    topic: str | None
    partition: int | None
    state: PartitionState


def parse_partition_name(name: str) -> PartitionName:
    """Parse the name of a partition directory; the partition is the part after the last dash."""
    state: PartitionState = "live"
    aside = _SET_ASIDE.fullmatch(name)
    if aside:
        name = aside["name"]
        state = aside["state"]  # type: ignore[assignment]
    topic, _, number = name.rpartition("-")
    digits = _PARTITION.fullmatch(number)
    if not topic or digits is None or int(digits["number"]) > INT32_MAX:
        return PartitionName(None, None, state)
    return PartitionName(topic, int(digits["number"]), state)


@dataclass(frozen=True, slots=True)
class SegmentFileName:
    """The parts of a file's name in a partition directory.

    Attributes:
        base_offset: base offset of the segment; for a producer snapshot, the offset up to which it counts.
        kind: "log", "index", "timeindex", "txnindex", "snapshot", "checkpoint", ...
        suffix: "" for a live file, else ".deleted", ".cleaned", ".swap" or anything else that follows the kind.
    """

    base_offset: int
    kind: str
    suffix: str


@lru_cache(4096)  # files of different partitions have the same names
def parse_segment_file_name(name: str) -> SegmentFileName | None:
    """Parse the name of a segment's file; None if it does not begin with 20 digits, a dot and a kind."""
    match = _SEGMENT_FILE.fullmatch(name)
    if match is None or int(match["base_offset"]) > INT64_MAX:
        return None
    return SegmentFileName(int(match["base_offset"]), match["kind"], match["suffix"])


def segment_file_name(base_offset: int, kind: str, suffix: str = "") -> str:
    """Name of a segment's file, as Kafka writes it."""
    return f"{base_offset:020d}.{kind}{suffix}"


def is_kafka_file(name: str) -> bool:
    """Whether Kafka gives this name to a file in a log directory or partition directory."""
    return (
        name in _WHOLE_NAMES
        or name.endswith(_ENDINGS)
        or parse_segment_file_name(name) is not None
        or _RAFT_SNAPSHOT.match(name) is not None
    )


def is_log_file(name: str) -> bool:
    """Whether a file of this name makes its directory a partition directory."""
    if ".log" not in name:
        return False
    parsed = parse_segment_file_name(name)
    return parsed is not None and parsed.kind == "log"


def kind_of_no_log(name: str) -> str | None:
    """The kind of a file that Kafka names, other than a log; None for a log and for an unknown name."""
    parsed = parse_segment_file_name(name)
    kind = kind_of(name) if parsed is None else KINDS.get(parsed.kind)
    if kind is not None and kind.is_of_segment == (parsed is not None) and kind.module != "segment":
        return kind.what
    return "the lock of a running broker" if name == _LOCK else None
