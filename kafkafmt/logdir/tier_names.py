"""Layouts of remote storage (KIP-405): how a RemoteStorageManager names objects and the directories of partitions.

A new layout is an entry of `LAYOUTS`. A topic's name may itself seem to end with an id, so the last id counts.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple

from kafkafmt.files.names import LEADER_EPOCHS
from kafkafmt.reference.header import INT32_MAX, INT64_MAX

MANIFEST: Final = "rsm-manifest"
INDEXES: Final = "indexes"
"""All index files of a segment in one object, as Aiven's plugin stores them."""


# The 16 bytes of a UUID in Base64 without padding.
_ID_LENGTH: Final = 22
_ID: Final = f"[A-Za-z0-9_-]{{{_ID_LENGTH}}}"
_FIELDS: Final = {
    "{topic}": "(?P<topic>.+)",
    "{topic_id}": f"(?P<topic_id>{_ID})",
    "{partition}": "(?P<partition>[0-9]{1,10})",
}
_BY_SEGMENT_ID: Final = rf"-({_ID})\.([a-z_-]+)"
_FILES: Final = ("log", "index", "timeindex", "snapshot", "txnindex")
_OF_KAFKA: Final = frozenset({"log", "index", "timeindex", "snapshot", LEADER_EPOCHS})


@dataclass(frozen=True, slots=True)
class Layout:
    """How a RemoteStorageManager lays out a tier.

    Attributes:
        name: name of the RemoteStorageManager.
        directories: name patterns of a partition's directories, the outermost first, with `{topic}`, `{topic_id}` and
            `{partition}`.
        object_name: regular expression for the base name of an object after the 20 digits of its base offset: a
            character that no broker's file has there, the upload, the ending.
        endings: content of an object by the ending of its name: the suffix of the file in a partition directory,
            `LEADER_EPOCHS`, `INDEXES` or `MANIFEST`.
        whole: the parts of a complete upload.
        has_prefix: whether the name of the outermost directory may begin with a key prefix.
        is_spread: whether the objects of a partition are in several directories, each below one named by an id.
        is_counted: whether `__remote_log_metadata` lists its objects.
    """

    name: str
    directories: tuple[str, ...]
    object_name: str
    endings: Mapping[str, str]
    whole: frozenset[str]
    has_prefix: bool = False
    is_spread: bool = False
    is_counted: bool = True

    def __post_init__(self) -> None:
        """Check that readers can find partitions and read uploads with this layout.

        Raises:
            ValueError: a required directory or part of an upload is not named.
        """
        for field in ("{topic_id}", "{partition}"):
            if not any(field in each for each in self.directories):
                raise ValueError(
                    f"layout {self.name}: no directory has {field}: only the id identifies a topic's uploads"
                )
        if not {"log"} < self.whole <= set(self.endings.values()) or self.whole.isdisjoint({INDEXES, LEADER_EPOCHS}):
            raise ValueError(
                f"layout {self.name}: `whole` needs log and {LEADER_EPOCHS} (or {INDEXES}, which hold it), with endings"
            )

    def __reduce__(self) -> tuple[object, tuple[str]]:
        """Pickle by name."""
        return layout_of, (self.name,)

    def matches(self, name: str, level: int) -> bool:
        """Whether a directory of this level may have this name."""
        return _pattern(self.directories[level : level + 1]).fullmatch(name) is not None

    def partition_of(self, names: Sequence[str]) -> "PartitionOfTier | None":
        """Parse the names of a partition's directories; None if they do not have this layout."""
        match = _pattern(self.directories).fullmatch("/".join(names[-len(self.directories) :]))
        found = {} if match is None else match.groupdict()
        if match is None or int(found["partition"]) > INT32_MAX:
            return None
        return PartitionOfTier(found.get("topic"), found["topic_id"], int(found["partition"]))

    def names_of(self, partition: "PartitionOfTier", prefix: str = "") -> list[str]:
        """Names of a partition's directories.

        Args:
            partition: the partition, whose topic is known.
            prefix: key prefix.
        """
        outermost, *others = (each.format(**partition._asdict()) for each in self.directories)
        return [f"{prefix}{outermost}", *others]


class PartitionOfTier(NamedTuple):
    """The facts about a partition in directory names; the topic is None where the names lack it."""

    topic: str | None
    topic_id: str
    partition: int


LAYOUTS: Final = (
    Layout(
        "LocalTieredStorage of Kafka",
        ("{topic}-{partition}-{topic_id}",),
        _BY_SEGMENT_ID,
        {**{each: each for each in _FILES}, "leader_epoch_checkpoint": LEADER_EPOCHS},
        _OF_KAFKA,
    ),
    Layout(  # ObjectKeyFactory
        "Aiven's plugin",
        ("{topic}-{topic_id}", "{partition}"),
        _BY_SEGMENT_ID,
        {each: each for each in ("log", INDEXES, MANIFEST)},
        frozenset({"log", INDEXES, MANIFEST}),
        has_prefix=True,
    ),
    Layout(
        "Confluent",
        ("{topic_id}", "{partition}"),
        r"_([0-9]{1,10})_v[0-9]{1,3}\.([a-z-]+)",
        {
            "segment": "log",
            "offset-index": "index",
            "timestamp-index": "timeindex",
            "producer-state": "snapshot",
            "transaction-index": "txnindex",
            "epoch-state": LEADER_EPOCHS,
        },
        _OF_KAFKA,
        is_spread=True,
        is_counted=False,
    ),
)


_DIGITS: Final = 20
_DIVIDERS: Final = frozenset(each.object_name[0] for each in LAYOUTS)


def layout_of(name: str) -> Layout:
    """The layout with this name."""
    return next(each for each in LAYOUTS if each.name == name)


@dataclass(frozen=True, slots=True)
class ObjectName:
    """The facts in an object's name.

    Attributes:
        base_offset: base offset of the segment.
        upload: the upload: the segment id, or Confluent's tier epoch.
        ending: the content, as in `Layout.endings`.
    """

    base_offset: int
    upload: str
    ending: str


def parse_object_name(name: str, layouts: Sequence[Layout] = LAYOUTS) -> ObjectName | None:
    """Parse the base name of an object; None if it does not belong to a tiered segment.

    Args:
        name: name of an object, or of any other file.
        layouts: possible layouts.
    """
    digits, rest = name[:_DIGITS], name[_DIGITS:]
    if rest[:1] not in _DIVIDERS or not (digits.isascii() and digits.isdecimal()) or int(digits) > INT64_MAX:
        return None
    for layout in layouts:
        match = _compiled(layout.object_name).fullmatch(rest)
        if match is not None and match[2] in layout.endings:
            return ObjectName(int(digits), match[1], layout.endings[match[2]])
    return None


def may_name_a_directory(name: str) -> bool:
    """Whether a directory of some layout may have this name: names have an id, or are a number."""
    return len(name) >= _ID_LENGTH or name.isdecimal()


def is_id(name: str) -> bool:
    """Whether a name has the form of an id of Kafka's: 22 characters of base64."""
    return _compiled(_ID).fullmatch(name) is not None


@cache
def _compiled(expression: str) -> re.Pattern[str]:
    return re.compile(expression)


@cache
def _pattern(directories: tuple[str, ...]) -> re.Pattern[str]:
    parts = re.split(r"(\{\w+\})", "/".join(directories))
    return re.compile("".join(_FIELDS.get(part, re.escape(part)) for part in parts), re.DOTALL)
