"""Group history: every commit, tombstone and change of groups in log order, the table `history` of `groups`.

Memory grows with groups, members and partitions, not with records: of each key only the last value is known, as in a
coordinator. Start offsets of share groups come from `__share_group_state`, after all else.
"""

from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final, Literal

from kafkafmt.answer_columns import TableColumns, columns_of
from kafkafmt.columnar.headers import ABORT, COMMIT
from kafkafmt.errors import KafkafmtError
from kafkafmt.files.damage import Note, is_finding
from kafkafmt.findings import finding_of
from kafkafmt.internal_topics import CONSUMER_OFFSETS, SHARE_GROUP_STATE
from kafkafmt.limits import Limits
from kafkafmt.logdir import sources
from kafkafmt.logdir.producer_batches import BatchWalk
from kafkafmt.reference.messages import coordinator_records
from kafkafmt.topics.answers import AsOf, Names, check_choices, counted, name_filter
from kafkafmt.topics.consumer_groups.catalog import TopicCatalog, TopicNames
from kafkafmt.topics.consumer_groups.group_events import PartitionEvents
from kafkafmt.topics.consumer_groups.group_so_far import UNKNOWN_END, GroupEvent
from kafkafmt.topics.consumer_groups.replay import of_record
from kafkafmt.topics.decoding import RECORD
from kafkafmt.topics.history import History, OffsetGaps
from kafkafmt.topics.internal_log import InternalLog
from kafkafmt.topics.internal_record import InternalRecord
from kafkafmt.topics.log_notes import UnknownRecords

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyarrow.fs import FileSystem

    from kafkafmt.errors import OnDamage
    from kafkafmt.logdir.segment import Segment
    from kafkafmt.logdir.sources import Searchable
    from kafkafmt.scanning.arguments import Time
    from kafkafmt.topics.answers import AtOffset

_UNSET: Final = -1
GROUP_HISTORY = TableColumns(*columns_of(GroupEvent))
"""Columns of the table `history`: those of `GroupEvent`."""

Outcome = Literal["committed", "aborted", "open"]


class GroupHistory(History[GroupEvent]):
    """The history of groups, made by `group_history`; each pass reads the logs again.

    Args:
        searched: the sources.
        log: log of `__consumer_offsets`.
        of_group: whether a group is wanted.
        of_topic: whether offsets of a topic are wanted; None for all events, also those that are of no topic.
        as_of: the moment before which the history ends.
        on_damage: "raise" at damage, or "skip" it.
        limits: bounds of memory.
    """

    COLUMNS = GROUP_HISTORY

    def __init__(
        self,
        searched: sources.Sources,
        log: InternalLog,
        of_group: Callable[[str], bool],
        of_topic: Callable[[str], bool] | None,
        as_of: AsOf,
        on_damage: "OnDamage",
        limits: "Limits | None",
    ) -> None:
        super().__init__()
        self._searched = searched
        self._log = log
        self._of_group = of_group
        self._of_topic = of_topic
        self._as_of = as_of
        self._on_damage: OnDamage = on_damage
        self._limits = limits
        self.notes = list(log.notes)
        self.skipped_replicas = list(log.skipped_replicas)

    def size_in_bytes(self) -> int:
        """As said there: of `__consumer_offsets`."""
        return self._log.size_in_bytes()

    def _events(self) -> Iterator[GroupEvent]:
        reported: set[str] = set()

        def report(error: KafkafmtError) -> None:
            finding = finding_of(error, topic=CONSUMER_OFFSETS)
            if str(finding) not in reported:
                reported.add(str(finding))
                self.findings.append(finding)

        names = TopicNames((), TopicCatalog(self._searched, None, self._as_of.time, report, self._limits))
        has_share = False
        try:
            for event in self._of_log(names, report):
                has_share |= event.kind.startswith("ShareGroup")
                if self._takes(event):
                    yield event
        finally:
            self.notes = [*self._log.notes, *self.notes]
            self.damage = list(self._log.damage)
        if has_share and self._as_of.offset is None and self._as_of.by_partition is None:
            yield from filter(self._takes, self._share_events(names, report))

    def _takes(self, event: GroupEvent) -> bool:
        return self._of_topic is None or (event.topic is not None and self._of_topic(event.topic))

    def _of_log(self, names: TopicNames, report: Callable[[KafkafmtError], None]) -> Iterator[GroupEvent]:
        """Events of `__consumer_offsets`, by partition."""
        log = self._log
        gaps = OffsetGaps()
        current: PartitionEvents | None = None
        number: int | None = None
        memory = log.memory(lambda: 0 if current is None else current.memory())
        without_effect = 0
        unknown = UnknownRecords()
        for record in log.records(self._advance):
            if current is None or record.partition != number:
                self._note(number, gaps)
                number, gaps = record.partition, OffsetGaps()
                current = PartitionEvents(self._of_group, names.name, self._outcomes(number), report)
            gaps.see(record.offset)
            if record.control_type is None and unknown.takes(CONSUMER_OFFSETS, record):
                continue
            for event in current.take(record):
                without_effect += event.transaction in ("aborted", "open")
                memory.add(RECORD, record.file, record.position)
                yield event
        self._note(number, gaps)
        self.notes += unknown.notes(CONSUMER_OFFSETS)
        if without_effect:
            self.notes.append(
                f"{counted(without_effect, 'commit')} never took effect: the transaction was aborted or is still open "
                "(column transaction)"
            )

    def _note(self, number: int | None, gaps: OffsetGaps) -> None:
        note = gaps.note(f"{CONSUMER_OFFSETS}-{number}")
        self.notes += [note] if note is not None else []

    def _outcomes(self, number: int) -> Callable[[InternalRecord], str]:
        """How transactions of a partition end; its markers are not read before a record asks."""
        ends: list[TransactionEnds] = []

        def outcome(record: InternalRecord) -> str:
            if not ends:
                end = self._log.end_offsets.get(number)
                ends.append(TransactionEnds(self._log.segments(number), end, self._on_damage, self._limits))
            return ends[0].outcome(record.producer_id, record.offset)

        return outcome

    def _share_events(self, names: TopicNames, report: Callable[[KafkafmtError], None]) -> Iterator[GroupEvent]:
        """Start offsets of share groups, from `__share_group_state`."""
        log = InternalLog(
            self._searched,
            SHARE_GROUP_STATE,
            at_time=self._as_of.time,
            on_damage=self._on_damage,
            limits=self._limits,
        )
        offsets: dict[bytes, int] = {}
        memory = log.memory(lambda: sum(RECORD // 2 + len(key) for key in offsets))
        unknown = UnknownRecords()
        for record in log.records():
            if record.control_type is None and not unknown.takes(SHARE_GROUP_STATE, record):
                memory.add(RECORD // 2, record.file, record.position)
                try:
                    event = _share_event(record, names, offsets)
                except KafkafmtError as error:
                    report(of_record(error, SHARE_GROUP_STATE, record.partition, record))
                    continue
                if event is not None and self._of_group(event.group):
                    yield event
        self.notes += [
            Note(f"start offsets of share groups: {note}", is_finding=is_finding(note))
            for note in log.notes
            if note not in self.notes
        ]
        self.notes += unknown.notes(SHARE_GROUP_STATE)
        self.damage += log.damage


class TransactionEnds:
    """The markers of one log.

    Args:
        segments: segments of the log, in order.
        end: end offset (exclusive); None for the log end.
        on_damage: "raise" or "skip" damage, which the reading of the records reports too.
        limits: bounds of memory.

    Raises:
        KafkafmtError: damage, with `on_damage="raise"`.
        SourceError: a file cannot be read.
    """

    def __init__(
        self, segments: "Sequence[Segment]", end: int | None, on_damage: "OnDamage", limits: Limits | None
    ) -> None:
        self._offsets: dict[int, array[int]] = defaultdict(lambda: array("q"))
        self._commits: dict[int, bytearray] = defaultdict(bytearray)
        for runs in BatchWalk(segments, on_damage, limits or Limits()).runs(end=end):
            for run in runs:
                if run.kind in (ABORT, COMMIT):
                    self._offsets[run.producer_id].append(run.first_offset)
                    self._commits[run.producer_id].append(run.kind == COMMIT)

    def outcome(self, producer_id: int, offset: int) -> Outcome:
        """How the transaction ended that a record belongs to.

        Args:
            producer_id: producer of the record's batch, which is transactional.
            offset: offset of the record.
        """
        offsets = self._offsets.get(producer_id)
        number = 0 if offsets is None else bisect_left(offsets, offset)
        if offsets is None or number == len(offsets):
            return "open"
        return "committed" if self._commits[producer_id][number] else "aborted"


def _share_event(record: InternalRecord, names: TopicNames, offsets: dict[bytes, int]) -> GroupEvent | None:
    """What a record says of the start offset of a share partition; None if nothing.

    Raises:
        KafkafmtError: it cannot be decoded.
    """
    key = coordinator_records.decode_key(SHARE_GROUP_STATE, record.key or b"")
    value = coordinator_records.decode_value(SHARE_GROUP_STATE, key.type, record.value)
    place = (record.key or b"")[2:]
    previous = offsets.get(place)
    offset = None if value is None else value.data["startOffset"]
    if offset == _UNSET:
        return None
    if offset is None:
        offsets.pop(place, None)
    else:
        offsets[place] = offset
    return GroupEvent(
        timestamp=record.timestamp if record.timestamp >= 0 else None,
        group=key.data["groupId"],
        event="tombstone" if offset is None else "commit",
        topic=names.name(key.data["topicId"]),
        partition=key.data["partition"],
        offset=offset,
        previous_offset=previous,
        generation=None,
        members=None,
        record_offset=record.offset,
        coordinator_partition=record.partition,
        state=None,
        detail=UNKNOWN_END if offset is None else None,
        transaction=None,
        member_id=None,
        client_id=None,
        host=None,
        protocol=None,
        leader=None,
        assignment=None,
        kind=key.kind,
    )


def group_history(
    source: "Searchable",
    *,
    filesystem: "FileSystem | None" = None,
    groups: Names = None,
    topics: Names = None,
    at_offset: "AtOffset | None" = None,
    at_time: "Time | None" = None,
    on_damage: "OnDamage" = "skip",
    limits: "Limits | None" = None,
) -> GroupHistory:
    """List the events of groups, as `kafkafmt.topics.groups(..).history` does, but without their state at the end.

        >>> for batch in group_history("/var/lib/kafka/data", groups="payments").to_batches():
        ...     print(batch.to_pandas())

    Args:
        source: as for `kafkafmt.topics.groups`.
        filesystem: as for `kafkafmt.topics.groups`.
        groups: as for `kafkafmt.topics.groups`.
        topics: only commits and tombstones of offsets of these topics: names, or a compiled pattern; None for all
            events.
        at_offset: events before this offset, as there.
        at_time: events before the first record with a later timestamp.
        on_damage: "raise" an error at the first damage, or "skip" and list it in `damage`.
        limits: bounds of memory; `kafkafmt.Limits()` if None.

    Raises:
        SourceError: a source is missing or unreadable, or no partition of `__consumer_offsets` is there.
        TypeError, ValueError: an invalid argument.
    """
    as_of = AsOf.of(at_offset, at_time)
    check_choices(on_damage=on_damage)
    searched = sources.search(source, filesystem)
    log = InternalLog(
        searched, CONSUMER_OFFSETS, at_offset=at_offset, at_time=as_of.time, on_damage=on_damage, limits=limits
    ).required()
    return GroupHistory(
        searched,
        log,
        name_filter(groups, "groups"),
        None if topics is None else name_filter(topics, "topics"),
        as_of,
        on_damage,
        limits,
    )
