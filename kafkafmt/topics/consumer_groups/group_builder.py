"""GroupBuilder: groups from their records, with the log ends of the topics that they read."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from kafkafmt.errors import KafkafmtError
from kafkafmt.internal_topics import CONSUMER_OFFSETS
from kafkafmt.phrases import listed
from kafkafmt.reference.header import INT64_MAX, INT64_MIN
from kafkafmt.topics.answers import unless_unset
from kafkafmt.topics.consumer_groups import describing
from kafkafmt.topics.consumer_groups.answer import CommittedOffset, Group
from kafkafmt.topics.consumer_groups.catalog import LogEnd, ShortLogs, TopicCatalog
from kafkafmt.topics.consumer_groups.group_records import Commit, GroupRecords
from kafkafmt.topics.consumer_groups.loading import CLASSIC, CONSUMER, SHARE, STREAMS
from kafkafmt.topics.consumer_groups.replay import ShareOffset, of_record

if TYPE_CHECKING:
    from kafkafmt.topics.decoding import StateMemory


@dataclass(slots=True)
class GroupBuilder:
    """Builds groups from their records, with the log ends of their topics.

    Attributes:
        name: returns the name of a topic by its id, or None.
        catalog: provides log ends; None if they are unknown.
        of_topic: tests whether offsets of a topic are wanted.
        report: called with errors in subscriptions and assignments.
        memory: bounds decoded subscriptions and assignments.
        held: estimate of their size so far, in bytes.
        topics: topics with offsets.
        other_topics: partitions whose log on these disks belongs to another topic than the committed offset.
        short_logs: logs that end too early.
    """

    name: Callable[[str], str | None]
    catalog: TopicCatalog | None
    of_topic: Callable[[str], bool]
    report: Callable[[KafkafmtError], None]
    memory: "StateMemory"
    held: int = 0
    topics: set[str] = field(default_factory=set)
    other_topics: set[tuple[str, int]] = field(default_factory=set)
    short_logs: ShortLogs = field(default_factory=ShortLogs)

    def group(self, group_id: str, home: int, records: GroupRecords, started: Iterable[ShareOffset]) -> Group:
        """Build a group.

        Args:
            group_id: id of the group.
            home: partition of `__consumer_offsets` that holds the group.
            records: records of the group, from which commits are removed.
            started: start offsets of its share partitions.
        """
        group = self._describe(group_id, home, records)
        if records.undecoded:
            group = replace(group, state=None, protocol=None, is_simple=False)
        # One by one, so that each commit is held in only one form.
        offsets = [self._offset(group_id, home, records.commits.pop(place)) for place in list(records.commits)]
        offsets += [self._share_offset(each) for each in started]
        pending = [self._offset(group_id, home, commit) for _, commit in records.pending]
        return replace(
            group, offsets=self._wanted(offsets), pending_offsets=self._wanted(pending), coordinator_partition=home
        )

    def notes(self) -> Iterator[str]:
        """Yield notes on unknown log ends, on logs of other topics, and on logs that end too early."""
        if self.other_topics:
            logs = listed([f"{topic}-{partition}" for topic, partition in sorted(self.other_topics)])
            yield f"no lag for {logs}: the log on these disks belongs to another topic with that name"
        yield from self.short_logs.notes()
        if self.catalog is None:
            yield "log ends as of an offset are unknown: no lags, and no start offsets of share groups"

    def _describe(self, group_id: str, home: int, records: GroupRecords) -> Group:
        families = records.families
        family = families[0] if families else None
        if family == CONSUMER:
            return describing.describe_consumer(group_id, records, self.name)
        if family == SHARE:
            return describing.describe_share(group_id, records, self.name)
        if family == STREAMS:
            return describing.describe_streams(group_id, records)
        record = records.of(CLASSIC).get("")

        def report(error: KafkafmtError) -> None:
            self.report(error if record is None else of_record(error, CONSUMER_OFFSETS, home, record.stored))

        def hold(size: int) -> None:
            self.held += size
            self.memory.add(size, *(None, None) if record is None else (record.stored.file, record.stored.position))

        return describing.describe_classic(group_id, records, report, hold)

    def _offset(self, group_id: str, home: int, commit: Commit) -> CommittedOffset:
        end = self._end(group_id, commit.topic, commit.partition, commit.topic_id, commit.offset)
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
        topic = self.name(share.topic_id)
        end = (
            None
            if topic is None
            else self._end(share.group_id, topic, share.partition, share.topic_id, share.start_offset)
        )
        delivered = unless_unset(share.delivery_complete_count)
        return CommittedOffset(
            group_id=share.group_id,
            topic=topic,
            partition=share.partition,
            offset=share.start_offset,
            leader_epoch=unless_unset(share.leader_epoch),
            metadata=None,
            commit_timestamp=unless_unset(share.write_timestamp),
            expire_timestamp=None,
            topic_id=share.topic_id,
            log_end_offset=end,
            lag=None if delivered is None else _lag(end, share.start_offset + delivered),
            coordinator_partition=share.coordinator_partition,
            record_offset=share.record_offset,
        )

    def _end(self, group_id: str, topic: str, partition: int, topic_id: str | None, offset: int) -> int | None:
        """The log end of a partition, unless the log belongs to another topic with that name."""
        end: LogEnd | None = None if self.catalog is None else self.catalog.log_end(topic, partition)
        if end is None:
            return None
        if topic_id is not None and end.topic_id is not None and topic_id != end.topic_id:
            self.other_topics.add((topic, partition))
            return None
        if self.of_topic(topic):
            self.short_logs.see(group_id, offset, f"{topic}-{partition}", end)
        return end.offset

    def _wanted(self, offsets: Iterable[CommittedOffset]) -> tuple[CommittedOffset, ...]:
        offsets = list(offsets)
        self.topics.update(each.topic for each in offsets if each.topic is not None)
        wanted = (each for each in offsets if self.of_topic(each.topic or each.topic_id or ""))
        return tuple(sorted(wanted, key=lambda each: (each.topic or each.topic_id or "", each.partition)))


def _lag(end: int | None, offset: int) -> int | None:
    """Log end minus offset; None if the log end is unknown, or if the lag does not fit an int64."""
    lag = None if end is None else end - offset
    return lag if lag is not None and INT64_MIN <= lag <= INT64_MAX else None
