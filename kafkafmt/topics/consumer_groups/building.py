"""Building: groups out of their records, with what the disks tell of the topics they read."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from kafkafmt.errors import KafkafmtError
from kafkafmt.internal_topics import CONSUMER_OFFSETS
from kafkafmt.topics.consumer_groups import classic, modern
from kafkafmt.topics.consumer_groups.decoding import CONSUMER, SHARE, STREAMS, Commit, GroupRecords, of_record
from kafkafmt.topics.consumer_groups.model import CommittedOffset, Group

if TYPE_CHECKING:
    from kafkafmt.topics.consumer_groups.described import Description
    from kafkafmt.topics.consumer_groups.disks import Disks, LogEnd
    from kafkafmt.topics.consumer_groups.share_offsets import ShareOffset
    from kafkafmt.topics.decoding import StateMemory

_INT64_END = 1 << 63
_UNSET = -1


class Builder:
    """Makes groups.

    Args:
        name: gives the name of a topic by its id, or None.
        disks: tell where logs end; None where that is not to be told.
        of_topic: whether offsets of a topic are wanted.
        report: called with what is wrong in what members stored.
        memory: bounds what members stored, decoded.

    Attributes:
        held: estimate of the bytes that this takes so far.
        other_topics: partitions whose log on these disks is of another topic than offsets were committed for, by topic
            and partition: the id that was committed for, and that of the log.
    """

    def __init__(
        self,
        name: Callable[[str], str | None],
        disks: "Disks | None",
        of_topic: Callable[[str], bool],
        report: Callable[[KafkafmtError], None],
        memory: "StateMemory",
    ) -> None:
        self._name = name
        self._memory = memory
        self.held = 0
        self._disks = disks
        self._of_topic = of_topic
        self._report = report
        self.other_topics: dict[tuple[str, int], tuple[str, str]] = {}

    def group(self, group_id: str, home: int, records: GroupRecords, started: "Iterable[ShareOffset]") -> Group:
        """Make a group.

        Args:
            group_id: its name.
            home: the partition of `__consumer_offsets` that holds it.
            records: of the group; its commits are taken out.
            started: start offsets of its share partitions.
        """
        description = self._describe(home, records)
        if records.undecoded:
            description = replace(description, state=None, protocol=None, is_simple=False)
        # One after the other, so that a commit is not kept in both forms.
        offsets = [self._offset(group_id, home, records.commits.pop(place)) for place in list(records.commits)]
        offsets += [self._share_offset(each) for each in started]
        pending = [self._offset(group_id, home, commit) for _, commit in records.pending]
        return Group(
            group_id=group_id,
            type=description.type,
            state=description.state,
            protocol=description.protocol,
            protocol_type=description.protocol_type,
            epoch=description.epoch,
            assignment_epoch=description.assignment_epoch,
            leader=description.leader,
            state_timestamp=description.state_timestamp,
            is_simple=description.is_simple,
            topology_epoch=description.topology_epoch,
            subscribed_topics=description.subscribed_topics,
            members=description.members,
            offsets=self._wanted(offsets),
            pending_offsets=self._wanted(pending),
            coordinator_partition=home,
        )

    def _describe(self, home: int, records: GroupRecords) -> "Description":
        families = records.families
        family = families[0] if families else None
        if family == CONSUMER:
            return modern.describe_consumer(records, self._name)
        if family == SHARE:
            return modern.describe_share(records, self._name)
        if family == STREAMS:
            return modern.describe_streams(records)
        record = records.of(classic.KIND).get("")

        def report(error: KafkafmtError) -> None:
            self._report(error if record is None else of_record(error, CONSUMER_OFFSETS, home, record.stored))

        def hold(size: int) -> None:
            self.held += size
            self._memory.add(size, *(None, None) if record is None else (record.stored.file, record.stored.position))

        return classic.describe(records, report, hold)

    def _offset(self, group_id: str, home: int, commit: Commit) -> CommittedOffset:
        end = self._end(commit.topic, commit.partition, commit.topic_id)
        return CommittedOffset(
            group_id=group_id,
            topic=commit.topic,
            partition=commit.partition,
            offset=commit.offset,
            leader_epoch=commit.leader_epoch,
            metadata=commit.metadata,
            commit_timestamp=commit.commit_timestamp,
            expire_timestamp=commit.expire_timestamp,
            topic_id=commit.topic_id,
            log_end_offset=end,
            lag=_lag(end, commit.offset),
            coordinator_partition=home,
            record_offset=commit.record_offset,
        )

    def _share_offset(self, share: "ShareOffset") -> CommittedOffset:
        topic = self._name(share.topic_id)
        end = None if topic is None else self._end(topic, share.partition, share.topic_id)
        told = share.delivery_complete_count != _UNSET
        return CommittedOffset(
            group_id=share.group_id,
            topic=topic,
            partition=share.partition,
            offset=share.start_offset,
            leader_epoch=None if share.leader_epoch == _UNSET else share.leader_epoch,
            metadata=None,
            commit_timestamp=None if share.write_timestamp == _UNSET else share.write_timestamp,
            expire_timestamp=None,
            topic_id=share.topic_id,
            log_end_offset=end,
            lag=_lag(end, share.start_offset + share.delivery_complete_count) if told else None,
            coordinator_partition=share.coordinator_partition,
            record_offset=share.record_offset,
        )

    def _end(self, topic: str, partition: int, topic_id: str | None) -> int | None:
        """Where the log ends that an offset is of."""
        end: LogEnd | None = None if self._disks is None else self._disks.log_end(topic, partition)
        if end is None:
            return None
        if topic_id is not None and end.topic_id is not None and topic_id != end.topic_id:
            self.other_topics[topic, partition] = topic_id, end.topic_id
            return None
        return end.offset

    def _wanted(self, offsets: Iterable[CommittedOffset]) -> tuple[CommittedOffset, ...]:
        wanted = (each for each in offsets if self._of_topic(each.topic or each.topic_id or ""))
        return tuple(sorted(wanted, key=lambda each: (each.topic or each.topic_id or "", each.partition)))


def _lag(end: int | None, offset: int) -> int | None:
    """How far an offset is behind the log end; None where that is unknown, or more than a long holds."""
    lag = None if end is None else end - offset
    return lag if lag is not None and -_INT64_END <= lag < _INT64_END else None
