"""The listed logs of a source with the wanted records, and scans made from another scan.

Nothing is listed again: a scan made from another one has the same logs, but no pass of its own yet.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

from kafkafmt import columns as record_columns
from kafkafmt.columnar.row_filter import Needles
from kafkafmt.errors import OnDamage, SourceError
from kafkafmt.files.damage import Absence, Note, ignore
from kafkafmt.libraries import pa
from kafkafmt.limits import Limits
from kafkafmt.moments import milliseconds
from kafkafmt.scanning import arguments
from kafkafmt.scanning.arguments import GivenEndOffset, GivenOffset, Time
from kafkafmt.scanning.execution import Engine
from kafkafmt.scanning.offsets import Offsets, resume
from kafkafmt.scanning.row_expression import row_expression
from kafkafmt.scanning.selection import Selection
from kafkafmt.scanning.task_selection import TaskSelector
from kafkafmt.scanning.tasks import Replica

if TYPE_CHECKING:
    from pyarrow.compute import Expression

    from kafkafmt.io.base import Location
    from kafkafmt.logdir.found import Found
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.logdir.sources import Sources


@dataclass(eq=False, repr=False, kw_only=True)
class SelectedRecords:
    """Logs as they were listed, the selection, and the options for reading.

    Attributes:
        schema: Arrow schema of the wanted columns.
        warns: whether passes warn of findings; see `KafkafmtWarning`.
    """

    _found: "list[Found]"
    _selection: Selection
    schema: "pa.Schema"
    _replica: Replica
    _on_damage: OnDamage
    _verify_checksums: bool
    _limits: Limits
    _engine: Engine
    _threads: int
    _noted: tuple[Note, ...] = ()
    _sources: "Sources | None" = None
    _is_compacted: bool = False
    _advance: Callable[[int], None] | None = None
    warns: bool = False

    @property
    def limits(self) -> Limits:
        """Bounds on the memory of decoding."""
        return self._limits

    @property
    def absent(self) -> tuple[Note, ...]:
        """Topics and partitions that were named and do not exist."""
        return tuple(map(Absence, self._selection.absent(self._there)))

    @property
    def _there(self) -> list[tuple[str | None, int | None]]:
        there = [(each.topic, each.partition) for each in self.source_partitions]
        return there + (self._sources.unlisted_names if self._sources else [])

    @property
    def _known_before(self) -> tuple[Note, ...]:
        """Notes before any pass: names that do not exist, and names that select nothing."""
        unread = (Note(text, is_finding=False) for text in self._selection.unread(self._there))
        return (*self.absent, *unread, *self._noted)

    @property
    def _searched(self) -> tuple[Note, ...]:
        return self._sources.notes if self._sources else ()

    @property
    def partitions(self) -> "list[Partition]":
        """Partition directories that `topics` and `partitions` select, with all replicas.

        For a file given alone, its directory.
        """
        return [each.partition for each in self._found if self._selection.takes(each.partition)]

    @property
    def source_partitions(self) -> "list[Partition]":
        """Partition directories of the source, selected or not; for a file given alone, its directory."""
        return [each.partition for each in self._found]

    def takes(self, topic: str | None, partition: int | None) -> bool:
        """Whether `topics` and `partitions` select a partition, in any directory."""
        return self._selection.takes_named(topic, partition)

    @property
    def names_topics(self) -> bool:
        """Whether `topics` selects partitions by their topics."""
        return self._selection.topics is not None

    def of_topic(self, topic: str) -> Self:
        """A scan of the same records of one topic."""
        topics = self._selection.topics
        numbers = topics.get(topic) if isinstance(topics, Mapping) else None
        named = frozenset([topic]) if numbers is None else {topic: numbers}
        return self._changed(_selection=replace(self._selection, topics=named))

    def without_topics(self, topics: Iterable[str]) -> Self:
        """A scan of the same records without some topics, now and later; replaces its own `topics`."""
        others = re.compile(f"(?!(?:{'|'.join(map(re.escape, topics))})$).*")
        return self._changed(_selection=replace(self._selection, topics=others))

    @property
    def control_records(self) -> bool:
        """Whether control records are among the rows."""
        return self._selection.control_records

    @property
    def is_compacted(self) -> bool:
        """Whether only the latest record of each key is among the rows."""
        return self._is_compacted

    @property
    def places(self) -> "list[Location]":
        """The caller's locations: copies are written outside them, with permissions no wider than theirs."""
        return list(self._sources or ())

    def best_partitions(self) -> "list[Partition]":
        """The best replica of each partition that the filters select, in the stream's order, whatever `replica` is.

        A leader-epoch-checkpoint that is broken or cannot be read is ignored here, and an unreadable replica ranks
        last; a pass raises its error, or lists it.
        """
        found, _ = TaskSelector(self._selection, "best", lambda _: None, lambda _: None).replicas(self._found)
        return [each.partition for each in found]

    @property
    def has_start(self) -> bool:
        """Whether `start_offset` was given."""
        return self._selection.start_offset is not None

    @property
    def starts(self) -> Offsets:
        """Where a scan that begins at `Offsets` begins in the present logs; none where it is the log start."""
        start = self._selection.start_offset
        return start if isinstance(start, Offsets) else Offsets({})

    @property
    def has_end_time(self) -> bool:
        """Whether records at or after a timestamp are left out."""
        return self._selection.end_timestamp is not None

    @property
    def unreadable(self) -> "Sequence[SourceError]":
        """Errors of unreadable paths that may hold wanted records, if the caller skips and reports them."""
        if self._sources is None or not self._sources.are_reported:
            return ()
        return self._sources.missed(self._selection.takes_named)

    def filter(self, expression: "Expression") -> Self:
        """A scan of the same files that keeps only records for which an expression is true, besides its other filters.

            >>> import pyarrow.compute as pc
            >>> scan = kafkafmt.scan("/var/lib/kafka/data").filter(pc.field("partition") == 3).select(["value"])

        Conditions on topics, partitions, files, offsets and times are derived from it, and used like arguments of
        `kafkafmt.scan`; so is a condition that the key equals a value. Batches are not decompressed if fields that all
        their records share, such as `producerId` or `compression`, make it false. The rest is evaluated on decoded
        records. `batches` shows batches whose headers allow such records, and `plan` counts records as if all that are
        read were kept.

        Args:
            expression: expression of `pyarrow.compute` and type bool, over any columns, selected or not. Records for
                which it is null are dropped, as in `pyarrow.dataset`.

        Raises:
            TypeError, ValueError: the argument is not such an expression, or names an unknown column.
            pyarrow.ArrowException: from a pass, if it fails on a record, such as a cast of bytes that are not text.
        """
        both = row_expression(expression)
        if self._selection.expression is not None:
            both = self._selection.expression & both
        return self._changed(_selection=replace(self._selection, expression=both))

    def containing(self, strings: Iterable[bytes], *, ignore_case: bool = False) -> Self:
        """A scan of the same files without records that contain none of some byte strings.

        This is the first step of a search: some records without a string may remain, such as one where a string spans
        the end of the key and the start of the value. A batch without the strings is decompressed, and its CRC is
        checked, but it is not decoded.

            >>> rows = scan.containing([b"4711"]).filter(pc.match_substring(pc.field("value"), b"4711"))

        Args:
            strings: strings to search for in keys, values, header names and header values; none of them empty.
            ignore_case: whether an ASCII letter matches both of its cases.

        Raises:
            ValueError: there is no string, or an empty one.
        """
        needles = Needles(tuple(strings), ignore_case)
        if not needles.strings or not all(needles.strings):
            raise ValueError(f"strings must be one or more, none of them empty, not {needles.strings}")
        return self._changed(_selection=replace(self._selection, needles=needles))

    def select(self, columns: Sequence[str] | None, *more: str) -> Self:
        """A scan of the same records with other columns, in this order.

        Args:
            columns: names of any columns that a scan has, whatever this scan selects; None for all. Or the first name.
            more: further names, as in `select("offset", "value")`.

        Raises:
            TypeError, ValueError: unknown or repeated names, or none.
        """
        if isinstance(columns, str):
            columns = (columns, *more)
        elif more:
            raise TypeError(f"columns must be one list of names, or names as arguments, not {(columns, *more)}")
        return self._changed(schema=record_columns.select(columns))

    def without_warnings(self) -> Self:
        """A scan of the same records whose passes do not warn: for callers that read `damage` and `notes`."""
        return self._changed(warns=False)

    def with_stored_names(self) -> Self:
        """A scan of the same records in which header names are bytes, as stored: `columns.STORED_HEADERS`."""
        return self._changed(schema=record_columns.with_stored_names(self.schema))

    def narrowed(
        self,
        topics: Mapping[str, Iterable[int]] | None = None,
        start_offset: GivenOffset | None = None,
        end_offset: GivenEndOffset | None = None,
    ) -> Self:
        """A scan of the same files, as listed when this one was made, in which these filters replace its own.

        Args:
            topics: numbers of partitions by topic; None for the topics of this scan.
            start_offset: as for `kafkafmt.scan`.
            end_offset: as for `kafkafmt.scan`.

        Raises:
            TypeError, ValueError: an invalid argument.
        """
        wanted = replace(
            self._selection,
            topics=self._selection.topics if topics is None else arguments.topics(topics),
            start_offset=arguments.offset_bound(start_offset, "start_offset"),
            end_offset=arguments.end_bound(end_offset, "end_offset"),
        )
        return self._changed(_selection=wanted, _noted=()).resumed()

    def continued(self, start_offset: GivenOffset) -> Self:
        """The same scan with other start offsets.

        Raises:
            TypeError, ValueError: an invalid argument.
        """
        wanted = replace(self._selection, start_offset=arguments.offset_bound(start_offset, "start_offset"))
        return self._changed(_selection=wanted, _noted=()).resumed()

    def as_of(self, time: Time) -> Self:
        """The same records up to a point in time: in each partition those before the first one with a later timestamp.

            >>> scan = kafkafmt.scan("/var/lib/kafka/data", topics="customers", compacted=True)
            >>> scan.as_of("2026-11-21T09:30").decode(unwrap="debezium").to_table()

        Args:
            time: ms since the epoch, a datetime, or ISO 8601 text.

        Raises:
            KafkafmtError: damage on the way to the record.
            TypeError, ValueError: the time is invalid or None; or the scan has an `end_offset`.
        """
        moment = milliseconds(time, "time")
        if self._selection.end_offset is not None or moment is None:
            raise ValueError("as_of needs a time, and a scan without end_offset")
        ends = {}
        for partition in self.best_partitions():
            # Damage skipped here is met again, and reported, by the pass.
            later = partition.first_at(moment + 1, report=None if self._on_damage == "raise" else ignore)
            if later is not None and partition.topic is not None and partition.partition is not None:
                ends[partition.topic, partition.partition] = later.offset
        return self._changed(_selection=replace(self._selection, end_offset=ends))

    def resumed(self) -> Self:
        """The same scan; one that starts at `Offsets` continues in the present logs, and notes recreated ones."""
        offsets = self._selection.start_offset
        if not isinstance(offsets, Offsets):
            return self
        starts, texts = resume(
            offsets, self.best_partitions(), self.takes, below_log_start=self._selection.below_log_start
        )
        noted = (*self._noted, *(each if isinstance(each, Note) else Note(each, is_finding=False) for each in texts))
        return self._changed(_selection=replace(self._selection, start_offset=starts), _noted=noted)

    def of(self, choose: "Callable[[list[Found]], list[Found]]", columns: Sequence[str]) -> Self:
        """A scan of some of the same files, as they were listed, with the same filters and other columns.

        Args:
            choose: returns the directories and files to keep.
            columns: as for `kafkafmt.scan`.

        Raises:
            ValueError: an unknown column.
        """
        return self._changed(_found=choose(self._found), schema=record_columns.select(columns))

    def _changed(self, **changes: Any) -> Self:  # noqa: ANN401 - attributes
        """The same scan with these attributes changed, and without a pass so far."""
        return replace(self, **changes)

    def _require_records_as_they_come(self, done: str) -> None:
        if self._is_compacted:
            raise ValueError(f"a compacted scan cannot be {done}: only its end shows which records are the latest")
