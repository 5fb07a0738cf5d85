"""Names of what a RemoteStorageManager keeps in remote storage (KIP-405): objects, and directories of a partition's.

Aiven's plugin: `[PREFIX]TOPIC-TOPIC_ID/PARTITION/BASE_OFFSET-SEGMENT_ID.ENDING` (ObjectKeyFactory). Kafka's
LocalTieredStorage: `TOPIC-PARTITION-TOPIC_ID/BASE_OFFSET-SEGMENT_ID.ENDING`. Confluent's:
`OBJECT_ID/TOPIC_ID/PARTITION/BASE_OFFSET_EPOCH_vN.ENDING`. A topic's name may end as an id does: the id comes last.
"""

import re
from dataclasses import dataclass
from typing import Final, Literal

from kafkafmt.reference.header import INT32_MAX, INT64_MAX

Layout = Literal["aiven", "local", "confluent"]
"""Whose names they are."""

_ID = r"[A-Za-z0-9_-]{22}"
_OF_SEGMENT_ID = re.compile(rf"([0-9]{{20}})-({_ID})\.([a-z_-]+)")
_OF_EPOCH = re.compile(r"([0-9]{20})_([0-9]{1,10})_v[0-9]{1,3}\.([a-z-]+)")
_TOPIC = re.compile(rf"(.+)-({_ID})", re.DOTALL)
_LOCAL = re.compile(rf"(.+)-([0-9]{{1,10}})-({_ID})", re.DOTALL)
_TOPIC_ID = re.compile(_ID)
_PARTITION = re.compile(r"[0-9]{1,10}")

MANIFEST: Final = "rsm-manifest"
INDEXES: Final = "indexes"
"""All index files of a segment in one object, as Aiven's plugin has them."""

LEADER_EPOCHS: Final = "leader-epoch-checkpoint"

_ENDINGS: Final = {
    "log": "log",
    INDEXES: INDEXES,
    MANIFEST: MANIFEST,
    "index": "index",
    "timeindex": "timeindex",
    "snapshot": "snapshot",
    "txnindex": "txnindex",
    "leader_epoch_checkpoint": LEADER_EPOCHS,
}
_CONFLUENT_ENDINGS: Final = {
    "segment": "log",
    "offset-index": "index",
    "timestamp-index": "timeindex",
    "producer-state": "snapshot",
    "transaction-index": "txnindex",
    "epoch-state": LEADER_EPOCHS,
}
WHOLE: Final[dict[Layout, frozenset[str]]] = {
    "aiven": frozenset({"log", INDEXES, MANIFEST}),
    "local": frozenset({"log", "index", "timeindex", "snapshot", LEADER_EPOCHS}),
    "confluent": frozenset({"log", "index", "timeindex", "snapshot", LEADER_EPOCHS}),
}
"""Endings of the objects that a segment has once its upload is complete."""


@dataclass(frozen=True, slots=True)
class ObjectName:
    """What the name of an object says.

    Attributes:
        base_offset: of the segment.
        upload: which upload of it: the segment id, or Confluent's tier epoch.
        ending: what it holds, as the file in a partition directory is called: "log", "index", "snapshot",
            `LEADER_EPOCHS`, ..; or `INDEXES`, `MANIFEST`.
        is_confluent: whether the name is one of Confluent's.
    """

    base_offset: int
    upload: str
    ending: str
    is_confluent: bool = False


def parse_object_name(name: str) -> ObjectName | None:
    """Read the base name of an object; None if it is none of a tiered segment's."""
    if len(name) < 25 or name[20] not in "-_":
        return None
    match, endings = _OF_SEGMENT_ID.fullmatch(name), _ENDINGS
    if match is None:
        match, endings = _OF_EPOCH.fullmatch(name), _CONFLUENT_ENDINGS
    if match is None or match[3] not in endings or int(match[1]) > INT64_MAX:
        return None
    return ObjectName(int(match[1]), match[2], endings[match[3]], endings is _CONFLUENT_ENDINGS)


def parse_topic_directory(name: str) -> tuple[str, str] | None:
    """Topic, with what a key prefix without a separator puts in front, and topic id of a directory; or None."""
    match = _TOPIC.fullmatch(name)
    return None if match is None else (match[1], match[2])


def parse_local_directory(name: str) -> tuple[str, int, str] | None:
    """Topic, partition and topic id of a directory of LocalTieredStorage; or None."""
    match = _LOCAL.fullmatch(name)
    if match is None or int(match[2]) > INT32_MAX:
        return None
    return match[1], int(match[2]), match[3]


def is_id(name: str) -> bool:
    """Whether a name is like an id of Kafka's: 22 characters of base64."""
    return _TOPIC_ID.fullmatch(name) is not None


def parse_number(name: str) -> int | None:
    """Number of a partition, of the name of its directory; or None."""
    match = _PARTITION.fullmatch(name)
    return None if match is None or int(name) > INT32_MAX else int(name)
