"""Offsets: the start of the next load of each partition, with topic ids, as a mapping and as JSON.

    {"version": 1,
     "offsets": {"orders": {"0": 1200, "1": 1187}},
     "topicIds": {"orders": "sWXgqNpSQJ-8TiyPHaGqtA"}}

`offsets` are the first unread offsets. `topicIds` come from partition.metadata (KIP-516), where it exists: a topic that
was deleted and created again has another id, and its offsets begin at 0 again.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from kafkafmt.errors import KafkafmtError
from kafkafmt.files.damage import Note
from kafkafmt.findings import NOTE, Finding
from kafkafmt.phrases import counted, listed
from kafkafmt.reference.header import INT32_MAX, INT64_MAX

if TYPE_CHECKING:
    from kafkafmt.logdir.partition import Partition

_VERSION = 1
_SHOWN = 3
_MOST = INT64_MAX + 1
_NUMBER = re.compile("0|[1-9][0-9]*")

TopicPartition = tuple[str, int]

UNREAD = "unread"
"""Kind of notes on offsets that were deleted since the last run, and therefore never read."""


class Offsets(Mapping[TopicPartition, int]):
    """The next offset of each partition, and the ids of the topics. Made by `Scan.end_offsets`.

    An immutable mapping of (topic, partition) to offset; `start_offset` of a scan takes it. `a | b` has the offsets of
    both: where both have one, that of `b`; and none from `a` for a topic that has another id in `b`.

        >>> seen = Offsets.from_json(Path("orders.offsets").read_text())
        >>> scan = kafkafmt.scan("/var/lib/kafka/data", topics="orders", start_offset=seen)
        >>> load(scan.to_reader())
        >>> Path("orders.offsets").write_text(scan.end_offsets().to_json())

    Args:
        offsets: offsets by topic and partition, each from 0 to 2^63, the offset after the last possible record.
        topic_ids: topic ids by topic, as Kafka prints them; topics without one (before Kafka 2.8) are left out.

    Raises:
        TypeError, ValueError: a key is not a pair of topic and number, or Kafka has no such number or offset.
    """

    __slots__ = ("_offsets", "_topic_ids")

    def __init__(self, offsets: Mapping[TopicPartition, int], topic_ids: Mapping[str, str] | None = None) -> None:
        for key, offset in offsets.items():
            if not (isinstance(key, tuple) and len(key) == 2 and isinstance(key[0], str) and _is_number(key[1])):
                raise TypeError(f"the keys of offsets must be (topic, partition), not {key!r}")
            if not isinstance(offset, int) or isinstance(offset, bool):
                raise TypeError(f"an offset must be an int, not {offset!r} ({key[0]}-{key[1]})")
            if not 0 <= key[1] <= INT32_MAX:
                raise ValueError(f"a partition must be from 0 to {INT32_MAX}, not {key[1]} (topic {key[0]})")
            if offset < 0:
                raise ValueError(f"an offset must be 0 or more, not {offset} ({key[0]}-{key[1]})")
            if offset > _MOST:
                raise ValueError(f"an offset must be at most {_MOST}, not {offset} ({key[0]}-{key[1]})")
        self._offsets = dict(offsets)
        self._topic_ids = dict(topic_ids or {})
        for topic, topic_id in self._topic_ids.items():
            if not isinstance(topic, str) or not isinstance(topic_id, str):
                raise TypeError(f"topic ids must be texts by topic, not {topic!r}: {topic_id!r}")

    @property
    def topic_ids(self) -> Mapping[str, str]:
        """Ids by topic, as Kafka prints them, for the topics that have one."""
        return MappingProxyType(self._topic_ids)

    def to_json(self) -> str:
        """The same as JSON, for `from_json` and the `--state` of the command line."""
        by_topic: dict[str, dict[str, int]] = {}
        for (topic, number), offset in sorted(self._offsets.items()):
            by_topic.setdefault(topic, {})[str(number)] = offset
        content = {"version": _VERSION, "offsets": by_topic, "topicIds": dict(sorted(self._topic_ids.items()))}
        return json.dumps(content, indent=1)

    @classmethod
    def from_json(cls, text: str | bytes) -> "Offsets":
        """Read the result of `to_json`, or the content of a `--state` file.

        Raises:
            ValueError: the text is something else.
        """
        try:
            content = json.loads(text, object_pairs_hook=_no_duplicates)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"it is not JSON ({error})") from error
        try:
            version, by_topic, topic_ids = content["version"], content["offsets"], content["topicIds"]
            if version == _VERSION:
                offsets = {
                    (topic, _partition(number)): offset
                    for topic, some in by_topic.items()
                    for number, offset in some.items()
                }
                return cls(offsets, topic_ids)
        except (AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
            shape = '{"version": 1, "offsets": {"orders": {"0": 1200}}, "topicIds": {"orders": ".."}}'
            raise ValueError(
                f"it is not the JSON of offsets: {type(error).__name__}: {error}; expected {shape}"
            ) from error
        raise ValueError(
            f"version {version!r} of the JSON of offsets: this release of kafkafmt reads version {_VERSION}"
        )

    def of(self, partition: "Partition") -> int | None:
        """The offset of a partition; None if there is none, or it belongs to another topic of the same name.

        Args:
            partition: the partition, whose partition.metadata has the topic id.
        """
        if partition.topic is None or partition.partition is None:
            return None
        offset = self._offsets.get((partition.topic, partition.partition))
        known = self._topic_ids.get(partition.topic)
        if offset is None or known is None:
            return offset
        return offset if _topic_id(partition) in (None, known) else None

    def __getitem__(self, key: TopicPartition) -> int:
        return self._offsets[key]

    def __iter__(self) -> Iterator[TopicPartition]:
        return iter(self._offsets)

    def __len__(self) -> int:
        return len(self._offsets)

    def __or__(self, other: Mapping[TopicPartition, int]) -> "Offsets":
        if not isinstance(other, Mapping):
            return NotImplemented
        ids = other.topic_ids if isinstance(other, Offsets) else {}
        kept = {
            name: offset
            for name, offset in self._offsets.items()
            if self._topic_ids.get(name[0]) in (None, ids.get(name[0])) or name[0] not in ids
        }
        return Offsets({**kept, **other}, {**self._topic_ids, **ids})

    def __ror__(self, other: Mapping[TopicPartition, int]) -> "Offsets":
        return Offsets(other) | self if isinstance(other, Mapping) else NotImplemented

    def __reduce__(self) -> tuple[Any, ...]:
        return Offsets, (self._offsets, self._topic_ids)

    def __repr__(self) -> str:
        shown = [f"{topic}-{number}: {offset}" for (topic, number), offset in sorted(self._offsets.items())]
        cut = [each if len(each) <= 40 else f"{each[:18]}..{each[-20:]}" for each in shown[: _SHOWN + 1]]
        return (
            f"<Offsets of {counted(len(shown), 'partition')} ({listed(cut + shown[_SHOWN + 1 :], _SHOWN) or 'none'})>"
        )


def resume(
    offsets: Offsets,
    partitions: Iterable["Partition"],
    takes: Callable[[str, int], bool],
    *,
    below_log_start: bool = False,
) -> tuple[Offsets, list[str]]:
    """The start of a load in the present logs, and a note for each log that has changed other than by growing.

    A topic that was recreated, as its id shows, is read from its start, and its old offsets are forgotten. A log that
    was truncated is read from its new end, or from its start if no id confirms that it is the same log.

    Args:
        offsets: where the last load ended.
        partitions: the best replica of each wanted partition that exists.
        takes: whether a topic and partition are wanted, in any directory.
        below_log_start: whether records below the log start offset are wanted too.
    """
    found = list(partitions)
    there = {(each.topic, each.partition): each for each in found if each.topic and each.partition is not None}
    ids: dict[str, str] = {}
    recreated: dict[str, list[str]] = {}
    for (topic, _), partition in there.items():
        known = offsets.topic_ids.get(topic or "")
        topic_id = None if known is None else _topic_id(partition)
        if topic is not None and topic_id is not None and topic_id != known:
            ids[topic] = topic_id
            recreated.setdefault(topic, []).append(partition.name)
    notes = [
        f"{listed(names)}: the topic was recreated (its id was {offsets.topic_ids[topic]}, and is {ids[topic]}): "
        "read from its start"
        for topic, names in recreated.items()
    ]
    starts: dict[TopicPartition, int] = {}
    gone: list[str] = []
    for name, offset in sorted(offsets.items()):
        if name[0] in recreated:
            continue
        starts[name] = offset
        if name not in there:
            gone += [f"{name[0]}-{name[1]}"] if takes(*name) else []
            continue
        begin, end = _ends(there[name], below_log_start=below_log_start)
        label = there[name].name
        if end is not None and end < offset:
            if offsets.topic_ids.get(name[0]) is not None and _topic_id(there[name]) is not None:
                starts[name] = end
                notes.append(
                    f"{label}: the log was cut: it ends at offset {end}, below the next offset {offset} of the last run"
                )
            else:
                del starts[name]
                notes.append(
                    f"{label}: the log ends at offset {end}, below the next offset {offset} of the last run, so the "
                    "topic was recreated or its log cut: read from its start"
                )
        elif begin is not None and begin > offset:
            text = f"{label}: offsets {offset} to {begin - 1} were deleted since the last run, and never read"
            unread = Finding(
                NOTE, UNREAD, "", text, topic=name[0], partition=name[1], first_offset=offset, last_offset=begin - 1
            )
            notes.append(Note.of(unread))
    unnamed = [each.name for each in found if not each.topic or each.partition is None]
    if unnamed:
        notes.append(f"{listed(unnamed)}: not named <topic>-<partition>, so read from its start each time")
    if gone:
        notes.append(f"{listed(gone)}: read before, and missing now")
    return Offsets(starts, {**offsets.topic_ids, **ids}), notes


def topic_ids_of(partitions: Iterable["Partition"]) -> dict[str, str]:
    """Ids by topic, for topics with a readable partition.metadata."""
    ids: dict[str, str] = {}
    for partition in partitions:
        topic_id = None if partition.topic is None else _topic_id(partition)
        if partition.topic is not None and topic_id is not None:
            ids[partition.topic] = topic_id
    return ids


def _topic_id(partition: "Partition") -> str | None:
    """The id in partition.metadata; None if it is missing, or cannot be read, which `ls` reports."""
    with suppress(KafkafmtError):
        return partition.topic_id
    return None


def _ends(partition: "Partition", *, below_log_start: bool) -> tuple[int | None, int | None]:
    """Lowest offset and log end offset of a partition; None if unreadable, which a pass will report."""
    begin = end = None
    with suppress(KafkafmtError):
        segments = partition.segments
        begin = partition.log_start_offset if not below_log_start else segments[0].base_offset if segments else None
    with suppress(KafkafmtError):
        end = partition.log_end_offset
    return begin, end


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names):
        raise ValueError(f"{next(name for name in names if names.count(name) > 1)!r} is there twice")
    return dict(pairs)


def _partition(name: str) -> int:
    # Not as `int` reads it: it takes "0_1", " 1" and digits of other scripts.
    if _NUMBER.fullmatch(name) is None:
        raise ValueError(f"{name!r} is not the number of a partition")
    return int(name)


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
