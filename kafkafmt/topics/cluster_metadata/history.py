"""Metadata history: the changes that each record of the metadata log makes, in log order; the table `history`.

The log is replayed as for the state at its end, and the image after each record is compared with the one before it.
Records of an open or aborted transaction of the controller have no effect, and give no row (KIP-868).
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from kafkafmt.answer_columns import TIME, TableColumns, columns_of
from kafkafmt.errors import KafkafmtError, SourceError
from kafkafmt.internal_topics import CLUSTER_METADATA
from kafkafmt.logdir.found import Found
from kafkafmt.logdir.segment import Segment
from kafkafmt.phrases import are, counted_have
from kafkafmt.topics.answers import AsOf
from kafkafmt.topics.cluster_metadata.changes import WATCHED, MetadataChange, Quorum, quorum_changes
from kafkafmt.topics.cluster_metadata.copies import snapshot_of
from kafkafmt.topics.cluster_metadata.replay import Replay
from kafkafmt.topics.cluster_metadata.restoring import (
    damaged_snapshot,
    end_offset_of,
    load_snapshot,
    log_records,
)
from kafkafmt.topics.decoding import StateTooLargeError
from kafkafmt.topics.history import History
from kafkafmt.topics.internal_record import InternalRecord

if TYPE_CHECKING:
    from kafkafmt.errors import OnDamage
    from kafkafmt.files.damage import Damage
    from kafkafmt.limits import Limits
    from kafkafmt.topics.cluster_metadata.copies import Copy, RaftSnapshot


class MetadataEvent(NamedTuple):
    """A `MetadataChange`, and the record that made it.

    Attributes:
        timestamp: timestamp of the record, in ms since the epoch; None for none.
        offset: offset of the record.
        event: its kind: "topic created", "leader changed", ..
        topic: name of the topic, if the event concerns one.
        partition: number of the partition, if the event concerns one.
        broker: node id: the broker or controller concerned, or the new leader of a partition.
        field: the field that changed.
        before: the value before, as text; None for none, or where the record does not say.
        after: the value after, as text; None for none, or where the record does not say.
        topic_id: id of the topic.
        subject: any other subject of the event: a user, a feature, the resource of a config.
        record_type: Kafka's MetadataRecordType, or the type of a control record.
        leader_epoch: epoch of the controller that wrote it.
    """

    timestamp: Annotated[int | None, TIME]
    offset: Annotated[int, "int64"]
    event: Annotated[str, "string"]
    topic: Annotated[str | None, "string"]
    partition: Annotated[int | None, "int32"]
    broker: Annotated[int | None, "int32"]
    field: Annotated[str | None, "string"]
    before: Annotated[str | None, "string"]
    after: Annotated[str | None, "string"]
    topic_id: Annotated[str | None, "string"]
    subject: Annotated[str | None, "string"]
    record_type: Annotated[str, "string"]
    leader_epoch: Annotated[int, "int32"]


METADATA_HISTORY = TableColumns(*columns_of(MetadataEvent))
"""Columns of the table `history`."""


class WatchedReplay(Replay):
    """A replay that collects the changes of each record until `drain` takes them."""

    def __init__(self, limits: "Limits", stored_bytes: int, begun: Replay | None = None) -> None:
        super().__init__(limits, stored_bytes, *(() if begun is None else (begun.end_offset, begun.epoch)))
        if begun is not None:
            self.image = begun.image
        self._events: list[MetadataEvent] = []
        self._unit: object = None
        self._created: dict[str, object] = {}

    def drain(self) -> list[MetadataEvent]:
        """The changes since the last call."""
        events, self._events = self._events, []
        return events

    def _end(self) -> None:
        # The records of a transaction take effect at once, like those of a batch.
        self._unit = ("transaction", self.end_offset)
        super()._end()
        self._unit = None

    def _apply(self, record: InternalRecord, record_type: str, data: Mapping[str, Any]) -> None:
        watched = WATCHED.get(record_type)
        before = None if watched is None else watched.before(self.image, data)
        super()._apply(record, record_type, data)
        if watched is None:
            return
        unit = self._unit or (record.file, record.position)
        if record_type == "TOPIC_RECORD":
            self._created = {each: made for each, made in self._created.items() if made == unit}
            self._created[data["topicId"]] = unit
        for change in watched.changes(before, self.image, data):
            if change.event == "partition added" and self._created.get(data["topicId"]) == unit:
                self._add(record, record_type, change._replace(event="partition created"))
            else:
                self._add(record, record_type, change)

    def _control(self, record: InternalRecord) -> None:
        before = Quorum.of(self.image)
        super()._control(record)
        for change in quorum_changes(before, Quorum.of(self.image)):
            self._add(record, record.control_type or "", change)

    def _add(self, record: InternalRecord, record_type: str, change: MetadataChange) -> None:
        self._events.append(
            MetadataEvent(
                timestamp=record.timestamp if record.timestamp >= 0 else None,
                offset=record.offset,
                event=change.event,
                topic=change.topic,
                partition=change.partition,
                broker=change.broker,
                field=change.field,
                before=change.before,
                after=change.after,
                topic_id=change.topic_id,
                subject=change.subject,
                record_type=record_type,
                leader_epoch=record.leader_epoch,
            )
        )


class MetadataHistory(History[MetadataEvent]):
    """The history of a cluster from one copy of its metadata log; each pass reads the log again.

    Args:
        copy: the copy.
        as_of: the moment at which the history ends.
        on_damage: "raise" at damage of the log, or "skip" it.
        limits: bounds of memory.
        notes: notes on the choice of the copy.
    """

    COLUMNS = METADATA_HISTORY

    def __init__(
        self, copy: "Copy", as_of: AsOf, on_damage: "OnDamage", limits: "Limits", notes: Sequence[str] = ()
    ) -> None:
        super().__init__()
        self._copy = copy
        self._as_of = as_of
        self._on_damage: OnDamage = on_damage
        self._limits = limits
        self._notes = list(notes)
        self.notes = list(notes)

    def size_in_bytes(self) -> int:
        """Size of the log files to read."""
        log = self._log()
        return 0 if log is None else sum(segment.size for segment in log.segments)

    def _events(self) -> Iterator[MetadataEvent]:
        copy = self._copy
        self.notes = list(self._notes)
        log = self._log()
        if log is None:
            self.notes.append(
                "no history: a snapshot has a state without the changes before it; name the log's directory"
            )
            return
        begun = self._begun(log)
        replay = WatchedReplay(self._limits, copy.size or sum(segment.size for segment in log.segments), begun)
        end = end_offset_of(copy, self._as_of, self._on_damage, self.damage)
        records = log_records(
            log,
            start_offset=replay.end_offset or None,
            end_offset=end,
            on_damage=self._on_damage,
            limits=self._limits,
            met=self,
            advance=self._advance,
        )
        for record in records:
            if self._as_of.time is not None and copy.only is not None and record.timestamp > self._as_of.time:
                break
            replay.take(record)
            yield from replay.drain()
        self.findings = [each.finding for each in replay.ignored_records]
        self.notes += replay.unknown.notes(CLUSTER_METADATA)
        if replay.open_transaction is not None:
            opened = replay.open_transaction
            self.notes.append(
                f"a transaction of the controller from offset {opened.offset} is open: "
                f"its {counted_have(opened.records, 'record')} no effect yet, and {are(opened.records)} not in this "
                "history"
            )

    def _log(self) -> Found | None:
        """The log, or its only file given as source; None for a snapshot or a bootstrap.checkpoint alone."""
        copy = self._copy
        if copy.only is None:
            return Found(copy.partition) if copy.has_log else None
        is_snapshot = snapshot_of(copy.only) is not None or not copy.only.name.endswith(".log")
        return None if is_snapshot else Found(copy.partition, Segment(copy.only))

    def _begun(self, log: Found) -> Replay | None:
        """The state with which the log begins; None if the log has its first record.

        A dynamic quorum begins with a snapshot of offset 0, which has its first voters (KIP-853).

        Raises:
            SourceError: neither the log nor a snapshot has the beginning.
        """
        copy = self._copy
        log_start = log.segments[0].base_offset if copy.only is not None else copy.partition.log_start_offset
        if not log_start:
            first = [each for each in copy.snapshots if not each.end_offset and not each.is_partial]
            return self._loaded(first[-1]) if first else None
        replay: Replay | None = None
        for snapshot in sorted(copy.snapshots, key=lambda each: (each.end_offset, each.epoch)):
            if replay is None and not snapshot.is_partial and snapshot.end_offset >= log_start:
                replay = self._loaded(snapshot)
        if replay is None:
            raise SourceError(
                f"the metadata log begins at offset {log_start}, and no snapshot has the state before it",
                file=copy.path,
            )
        self.notes.append(
            f"the history begins at offset {replay.end_offset}, with the oldest snapshot: earlier records are gone"
        )
        return replay

    def _loaded(self, snapshot: "RaftSnapshot") -> Replay | None:
        """The state of a snapshot; None, with damage, if it is damaged or incomplete."""
        try:
            return load_snapshot(snapshot, self._copy.partition, self._limits, self._copy.size, self.notes)
        except StateTooLargeError:
            raise
        except KafkafmtError as error:
            found: Damage = damaged_snapshot(snapshot, error)
            self.damage.append(found)
            return None
