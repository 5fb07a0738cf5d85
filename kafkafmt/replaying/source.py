"""The source of a replay: its partitions, its identity, and what its metadata log says about its topics."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from kafkafmt.cached import cached_property
from kafkafmt.errors import KafkafmtError, NotFoundError
from kafkafmt.internal_topics import INTERNAL_TOPICS
from kafkafmt.logdir.log_dir import properties_of
from kafkafmt.logdir.partition_transactions import PartitionTransactions
from kafkafmt.replaying.errors import RefusedError
from kafkafmt.replaying.lanes import Lane

if TYPE_CHECKING:
    from kafkafmt.disks import Disks
    from kafkafmt.topics.cluster_metadata import ClusterMetadata

_OF_THE_CLUSTER: Final = frozenset(
    {
        "follower.replication.throttled.replicas",
        "leader.replication.throttled.replicas",
        "local.retention.bytes",
        "local.retention.ms",
        "message.downconversion.enable",
        "message.format.version",
        "message.timestamp.difference.max.ms",
        "remote.copy.disable",
        "remote.log.copy.disable",
        "remote.log.delete.on.disable",
        "remote.storage.enable",
    }
)
"""Configs that name brokers or storage of the source's cluster, or that Kafka 4 no longer has."""


def lanes_of(
    disks: "Disks",
    topics: str | Iterable[str] | Mapping[str, str] | None,
    partitions: int | Iterable[int] | None,
) -> list[Lane]:
    """The lanes of a replay: the best replica of each partition, with its place in the target.

    Args:
        disks: the source.
        topics: as for `kafkafmt.replay`.
        partitions: as for `kafkafmt.replay`.

    Raises:
        NotFoundError: a topic or partition does not exist.
        RefusedError: a topic is Kafka's own, or two topics have the same target.
    """
    names = {topics: topics} if isinstance(topics, str) else topics
    mapped = dict(names) if isinstance(names, Mapping) else None if names is None else {each: each for each in names}
    own = sorted({*(mapped or {}), *(mapped or {}).values()} & INTERNAL_TOPICS)
    if own:
        raise RefusedError(
            [f"{own[0]} is one of Kafka's own topics: a broker writes it itself (--groups restores offsets)"]
        )
    targets = list((mapped or {}).values())
    twice = sorted({each for each in targets if targets.count(each) > 1})
    if twice:
        raise RefusedError([f"two topics have the target {twice[0]}"])
    scan = disks.scan(topics=None if mapped is None else list(mapped), partitions=partitions)
    lanes = []
    for each in scan.best_partitions():
        if each.topic is None or each.partition is None or each.topic in INTERNAL_TOPICS:
            continue
        topic_id = ""
        with suppress(KafkafmtError):
            topic_id = each.topic_id or ""
        target = each.topic if mapped is None else mapped[each.topic]
        lanes.append(Lane(each, each.topic, each.partition, topic_id, (target, each.partition)))
    if not lanes:
        raise NotFoundError("the source has no partitions of topics other than Kafka's own")
    return sorted(lanes, key=lambda lane: (lane.topic, lane.partition))


def unnamed(disks: "Disks") -> list[str]:
    """Warnings about logs for which no topic can be found."""
    return [
        f"{each.name} is not named <topic>-<partition>: none of its records are sent"
        for each in disks.scan().best_partitions()
        if each.topic is None or each.partition is None
    ]


def with_open_ended(lanes: Sequence[Lane], *, aborts: bool) -> tuple[list[Lane], list[str]]:
    """The lanes, and warnings about those with open transactions.

    Args:
        lanes: the lanes of the replay.
        aborts: whether open transactions are treated as aborted; otherwise a lane ends before the first one.
    """
    found, said = [], []
    for lane in lanes:
        start, end = lane.start, lane.source.log_end_offset or 0
        transactions = PartitionTransactions(lane.source, start, end) if end > start else None
        stable = end if transactions is None else transactions.last_stable_offset()
        if stable >= end:
            found.append(lane)
        elif aborts:
            aborted = PartitionTransactions(lane.source, start, end, aborts_open=True).aborted(start, end)
            found.append(replace(lane, aborted=aborted))
            said.append(f"{lane} is sent without the records of the transaction that is open from offset {stable} on")
        else:
            found.append(lane)
            said.append(
                f"{lane} is sent up to offset {stable}: a transaction is open there, and read_committed ends before it "
                f"({end - stable:,} offsets; --open-transactions abort sends what is committed after it)"
            )
    return found, said


class SourceTopics:
    """Facts about the source's cluster from its metadata log.

    Args:
        disks: the source.
    """

    def __init__(self, disks: "Disks") -> None:
        self._disks = disks

    @cached_property
    def _metadata(self) -> "ClusterMetadata | None":
        from kafkafmt.topics import metadata  # noqa: PLC0415 - only for topics that are created
        from kafkafmt.topics.cluster_metadata.copies import find_copies  # noqa: PLC0415 - as above

        if not any(copy.is_log for copy in find_copies(self._disks)):
            return None
        with suppress(KafkafmtError):
            return metadata(self._disks, on_damage="skip")
        return None

    def identity(self, lanes: Sequence[Lane]) -> str:
        """Identifies the source independently of its path: by its cluster id, else by ids or names of its topics."""
        ids = set()
        for directory in self._disks.log_dirs:
            with suppress(KafkafmtError):
                found = properties_of(directory.location)
                if found is not None and found.cluster_id:
                    ids.add(found.cluster_id)
        return " ".join(sorted(ids or {lane.topic_id or lane.topic for lane in lanes}))

    def partitions(self, topic: str) -> int:
        """Number of partitions of a topic in the metadata log; 0 if the topic is unknown there."""
        known = None if self._metadata is None else self._metadata.topics.get(topic)
        return 0 if known is None else len(known.partitions)

    def configs(self, topic: str) -> tuple[dict[str, str], list[str]]:
        """Configs that were set for a topic, and names of those that mean nothing in another cluster."""
        found, left_out = {}, []
        for each in self._metadata.configs if self._metadata is not None else ():
            if each.resource_type != "TOPIC" or each.resource_name != topic or not isinstance(each.value, str):
                continue
            if each.name in _OF_THE_CLUSTER or each.name.startswith("internal."):
                left_out.append(each.name)
            else:
                found[each.name] = each.value
        return found, left_out
