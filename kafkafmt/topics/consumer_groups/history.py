"""Group history: every commit, tombstone and change of groups in log order, the table `history` of `groups`.

Memory grows with groups, members and partitions, not with records: only the last value of each key is known, as in a
coordinator. Start offsets of share groups come last, from `__share_group_state`.
"""

from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final, Literal, Unpack

from kafkafmt.answer_columns import TableColumns, columns_of
from kafkafmt.columnar.headers import ABORT, COMMIT
from kafkafmt.errors import KafkafmtError
from kafkafmt.files.damage import Note, is_finding
from kafkafmt.findings import finding_of
from kafkafmt.internal_topics import CONSUMER_OFFSETS, SHARE_GROUP_STATE
from kafkafmt.limits import Limits
from kafkafmt.logdir.producer_batches import BatchWalk
from kafkafmt.phrases import counted
from kafkafmt.reference.messages import coordinator_records
from kafkafmt.topics.consumer_groups.catalog import TopicCatalog, TopicNames
from kafkafmt.topics.consumer_groups.choice import GroupArguments, GroupChoice
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

    from kafkafmt.errors import OnDamage
    from kafkafmt.logdir.segment import Segment
    from kafkafmt.logdir.sources import Searchable

_UNSET: Final = -1
GROUP_HISTORY = TableColumns(*columns_of(GroupEvent))
"""Columns of the table `history`, from `GroupEvent`."""

Outcome = Literal["committed", "aborted", "open"]


class GroupHistory(History[GroupEvent]):
    """The history of groups, made by `group_history`; each pass reads the logs again.

    Args:
        choice: the wanted groups, and how logs are read; if topics are chosen, only events of their offsets.
        log: log of `__consumer_offsets`.
    """

    COLUMNS = GROUP_HISTORY

    def __init__(self, choice: GroupChoice, log: InternalLog) -> None:
        super().__init__()
        self._choice = choice
        self._log = log
        self.notes = list(log.notes)
        self.skipped_replicas = list(log.skipped_replicas)

    def size_in_bytes(self) -> int:
        """Size of the log files of `__consumer_offsets` that a pass reads."""
        return self._log.size_in_bytes()

    def _events(self) -> Iterator[GroupEvent]:
        reported: set[str] = set()

        def report(error: KafkafmtError) -> None:
            finding = finding_of(error, topic=CONSUMER_OFFSETS)
            if str(finding) not in reported:
                reported.add(str(finding))
                self.findings.append(finding)

        choice = self._choice
        names = TopicNames((), TopicCatalog(choice.searched, None, choice.as_of.time, report, choice.limits))
        has_share = False
        try:
            for event in self._of_log(names, report):
                has_share |= event.kind.startswith("ShareGroup")
                if self._takes(event):
                    yield event
        finally:
            self.notes = [*self._log.notes, *self.notes]
            self.damage = list(self._log.damage)
        if has_share and choice.as_of.at_offset is None:
            yield from filter(self._takes, self._share_events(names, report))

    def _takes(self, event: GroupEvent) -> bool:
        takes = self._choice.of_topic
        return takes is None or (event.topic is not None and takes(event.topic))

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
                current = PartitionEvents(self._choice.of_group, names.name, self._outcomes(number), report)
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
        """How transactions of a partition end; markers are not read before a record needs them."""
        ends: list[TransactionEnds] = []

        def outcome(record: InternalRecord) -> str:
            if not ends:
                choice, end = self._choice, self._log.end_offsets.get(number)
                ends.append(TransactionEnds(self._log.segments(number), end, choice.on_damage, choice.limits))
            return ends[0].outcome(record.producer_id, record.offset)

        return outcome

    def _share_events(self, names: TopicNames, report: Callable[[KafkafmtError], None]) -> Iterator[GroupEvent]:
        """Start offsets of share groups, from `__share_group_state`."""
        log = self._choice.log(SHARE_GROUP_STATE)
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
                if event is not None and self._choice.of_group(event.group):
                    yield event
        self.notes += [
            Note(f"start offsets of share groups: {note}", is_finding=is_finding(note), topic=SHARE_GROUP_STATE)
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
        """How the transaction of a record ended.

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
    """The change of a share partition's start offset in a record; None if there is none.

    Raises:
        KafkafmtError: the record cannot be decoded.
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


def group_history(source: "Searchable", **wanted: "Unpack[GroupArguments]") -> GroupHistory:
    """List the events of groups like `kafkafmt.topics.groups(..).history`, but without the groups' state at the end.

        >>> for batch in group_history("/var/lib/kafka/data", groups="payments").to_batches():
        ...     print(batch.to_pandas())

    Args:
        source: as for `kafkafmt.topics.groups`.
        **wanted: as for `kafkafmt.topics.groups`; with `topics` only commits and tombstones of their offsets.

    Raises:
        SourceError: a source is missing or unreadable, or has no partition of `__consumer_offsets`.
        TypeError, ValueError: an invalid argument.
    """
    choice = GroupChoice.of(source, **wanted)
    return GroupHistory(choice, choice.log(CONSUMER_OFFSETS).required())
