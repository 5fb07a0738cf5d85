"""Losses of consumer groups where a start cuts logs: unread records, and committed offsets past the log end."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from kafkafmt.answer_columns import Named
from kafkafmt.errors import KafkafmtError
from kafkafmt.internal_topics import CONSUMER_OFFSETS

if TYPE_CHECKING:
    from kafkafmt.startup.cluster import ClusterStart
    from kafkafmt.startup.outcome import LogDirStart
    from kafkafmt.survey import PartitionSurvey

Key = tuple[str | None, int | None]


@dataclass(frozen=True, slots=True)
class GroupLoss:
    """The cost of a start for a group in one partition.

    Attributes:
        group: id of the group.
        topic: name of the topic.
        partition: number of the partition.
        offset: the group's commit, by the best copy of `__consumer_offsets`.
        end_on_disk: log end offset before the start.
        log_end_offset: after the start; in a cluster the leader's.
    """

    group: Annotated[str, "string"]
    topic: Annotated[str, "string"]
    partition: Annotated[int, "int32"]
    offset: Annotated[int, "int64"]
    end_on_disk: Annotated[int, Named("logEndOffsetOnDisk", "int64")]
    log_end_offset: Annotated[int, "int64"]

    @property
    def unread_lost(self) -> Annotated[int, "int64"]:
        """Offsets that the group has not read and that are cut."""
        return max(0, self.end_on_disk - max(self.offset, self.log_end_offset))

    @property
    def is_out_of_range(self) -> Annotated[bool, "bool"]:
        """Whether its offset is past the log end, so that `auto.offset.reset` decides where it continues."""
        return self.offset > self.log_end_offset


def lost_by_groups(
    log_dirs: "Iterable[LogDirStart]",
    clusters: "Iterable[ClusterStart]",
    surveyed: "Iterable[PartitionSurvey]",
) -> list[GroupLoss]:
    """Losses of groups, by group, topic and partition; empty if no log end falls.

    Committed offsets come from the best copies of `__consumer_offsets` on the disks, as they are before that topic is
    cut.

    Args:
        log_dirs: log directories after the start of each node alone.
        clusters: the joint starts of nodes; the log of a known leader decides.
        surveyed: the surveyed partitions, including those of `__consumer_offsets`.
    """
    ends = _falling_ends(log_dirs, clusters)
    places = [
        one.directory.location
        for one in surveyed
        if one.directory is not None and one.facts.state == "live" and one.facts.topic == CONSUMER_OFFSETS
    ]
    if not ends or not places:
        return []
    from kafkafmt.topics.consumer_groups.reading import groups  # noqa: PLC0415 - it takes a while

    try:
        found = groups(places, on_damage="skip")
    except KafkafmtError:
        return []  # the survey has reported the error
    lost = [
        GroupLoss(group.group_id, each.topic, each.partition, each.offset, *ends[each.topic, each.partition])
        for group in found
        for each in group.offsets
        if each.topic is not None and (each.topic, each.partition) in ends
    ]
    return sorted(lost, key=lambda each: (each.group, each.topic, each.partition))


def _falling_ends(log_dirs: "Iterable[LogDirStart]", clusters: "Iterable[ClusterStart]") -> dict[Key, tuple[int, int]]:
    """Log end offsets on the disks and after the start, for partitions whose log end falls."""
    ends: dict[Key, tuple[int, int]] = {}
    for key, on_disk, after in _ends(log_dirs):
        before = ends.get(key, (0, 0))
        ends[key] = max(before[0], on_disk), max(before[1], after)
    for cluster in clusters:
        for one in cluster.partitions:
            key = one.topic, one.partition
            if key in ends and one.log_end_offset is not None:
                ends[key] = ends[key][0], one.log_end_offset
    return {key: (on_disk, after) for key, (on_disk, after) in ends.items() if after < on_disk}


def _ends(log_dirs: "Iterable[LogDirStart]") -> Iterator[tuple[Key, int, int]]:
    for log_dir in log_dirs:
        for one in log_dir.partitions:
            if one.end_on_disk is None or one.is_metadata_log:
                continue
            if one.log is not None:
                yield (one.topic, one.partition), one.end_on_disk, one.log.log_end_offset
            elif one.action == "stray" and one.is_made_anew:
                yield (one.topic, one.partition), one.end_on_disk, 0
