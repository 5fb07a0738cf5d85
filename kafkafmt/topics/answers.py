"""Base classes of the answers of `kafkafmt.topics` (tables, findings, notes), and checks of their arguments."""

from abc import ABC
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from re import Pattern
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, Self, get_args

from kafkafmt.answer_columns import TableColumns, record_batches
from kafkafmt.choices import check_choice
from kafkafmt.errors import Missing, OnDamage
from kafkafmt.findings import FINDING, STATE, Finding
from kafkafmt.libraries import pa
from kafkafmt.logdir.lookup import find_timestamp
from kafkafmt.moments import milliseconds
from kafkafmt.notebook import ShownAnswer
from kafkafmt.phrases import listed

if TYPE_CHECKING:
    from kafkafmt.files.damage import Damage
    from kafkafmt.files.offset_order import OffsetFault
    from kafkafmt.logdir.found import Found
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.logdir.segment import Segment
    from kafkafmt.scanning.arguments import Time

Replica = Literal["best", "all"]
"""Copies of a data partition to read if it is found several times."""

AtOffset = int | Mapping[int, int]
"""End offset (exclusive) of every partition, or end offsets by partition."""

Names = str | Iterable[str] | Pattern[str] | None
"""Names, or a compiled pattern for the whole name; None for all."""


class Answer(Protocol):
    """The interface of groups, transactions, producers and metadata: tables with findings, notes and damage."""

    @property
    def tables(self) -> tuple[str, ...]:
        """Names of the tables, the main one first."""

    def to_table(self, name: str | None = None) -> "pa.Table":
        """One of the tables; the main one if None."""

    @property
    def damage(self) -> "Sequence[Damage]":
        """Ranges of logs and files that were skipped; including incomplete last batches."""

    @property
    def notes(self) -> Sequence[str]:
        """Notes for the user; a `kafkafmt.files.damage.Note` among them may be a finding."""

    @property
    def findings(self) -> "Sequence[Finding]":
        """Faults of records, snapshots and checkpoints."""

    @property
    def skipped_replicas(self) -> "Sequence[Partition]":
        """Partition directories that were skipped in favour of a better replica."""


class TableAnswer(ShownAnswer, ABC):
    """An answer that makes the rows of each table in `_TABLES` from `_objects`."""

    _TABLES: ClassVar[Mapping[str, TableColumns]]
    """Columns of each table, by its name; the main table comes first."""

    @classmethod
    def schemas(cls) -> "Mapping[str, pa.Schema]":
        """Schema of each table, by its name; the main table comes first."""
        return {name: table.schema for name, table in cls._TABLES.items()}

    def rows(self, name: str) -> Iterable[Sequence[Any]]:
        """Rows of a table, with values in the order of its columns."""
        return map(self._TABLES[name].row, self._objects(name))

    def _objects(self, name: str) -> Iterable[object]:
        """The objects from which the rows of a table are made."""
        raise NotImplementedError

    @property
    def tables(self) -> tuple[str, ...]:
        """Names of the tables; the main table comes first."""
        return tuple(self.schemas())

    def to_batches(self, name: str | None = None) -> "Iterator[pa.RecordBatch]":
        """The rows of a table in batches, made one by one.

        Args:
            name: one of `tables`; None for the main one.

        Raises:
            ValueError: there is no such table.
        """
        schemas = self.schemas()
        name = next(iter(schemas)) if name is None else name
        if name not in schemas:
            raise ValueError(f"there is no table {name!r}; there are: {', '.join(schemas)}")
        return record_batches(self.rows(name), schemas[name])

    def to_table(self, name: str | None = None) -> "pa.Table":
        """One of the tables.

        Args:
            name: one of `tables`; None for the main one.

        Raises:
            ValueError: there is no such table.
        """
        batches = self.to_batches(name)
        return pa.Table.from_batches(batches, schema=self.schemas()[self.tables[0] if name is None else name])


def finding_in(
    found: "Partition", path: str, message: str, *, position: int | None = None, producer_id: int | None = None
) -> Finding:
    """Make the finding of records, a snapshot or a checkpoint of a partition that are not as Kafka leaves them."""
    topic, partition = found.topic, found.partition
    return Finding(
        FINDING, STATE, path, message, position=position, topic=topic, partition=partition, producer_id=producer_id
    )


def order_finding(found: "Partition", segment: "Segment", fault: "OffsetFault") -> Finding:
    """Make the finding of offsets that are out of order in a segment of a partition."""
    return fault.finding(segment.path, topic=found.topic, partition=found.partition)


def check_choices(*, on_damage: str, replica: str = "best", missing: str = "raise") -> None:
    """Check arguments that many answers have.

    Raises:
        ValueError: a value is invalid.
    """
    check_choice("on_damage", on_damage, get_args(OnDamage))
    check_choice("replica", replica, get_args(Replica))
    check_choice("missing", missing, get_args(Missing))


def absent_names(noun: str, wanted: Names | Iterable[int], there: Iterable[object]) -> Iterator[str]:
    """Yield the error for names that were not found, with the existing ones.

    Args:
        noun: the kind of name.
        wanted: names or numbers, or a compiled pattern for the whole name; None for all.
        there: the existing names.
    """
    known = sorted(set(there), key=lambda each: (str(type(each)), each))
    there_are = f"There are: {listed([*map(str, known)]) or 'none'}."
    if isinstance(wanted, Pattern):
        if not any(wanted.fullmatch(str(name)) for name in known):
            yield f"no {noun} matches {wanted.pattern}. {there_are}"
    elif wanted is not None:
        nowhere = sorted(set([wanted] if isinstance(wanted, (str, int)) else wanted).difference(known), key=str)
        if nowhere:
            yield f"no {noun} {listed([*map(str, nowhere)])}. {there_are}"


def name_filter(wanted: Names, argument: str) -> Callable[[str], bool]:
    """Make a function that tests whether a name is wanted.

    Args:
        wanted: names, or a compiled pattern for the whole name; None for all.
        argument: name of the argument in the error.

    Raises:
        TypeError: the argument is neither names nor a text pattern.
    """
    if wanted is None:
        return _any_name
    if isinstance(wanted, Pattern):
        if not isinstance(wanted.pattern, str):
            raise TypeError(f"{argument} must be a pattern of text, not of bytes")
        return partial(_matches, wanted)
    names = {wanted} if isinstance(wanted, str) else set(wanted)
    if not all(isinstance(name, str) for name in names):
        raise TypeError(f"{argument} must be names, not {wanted!r}")
    return names.__contains__


def _any_name(_: str) -> bool:
    return True


def _matches(pattern: Pattern[str], name: str) -> bool:
    return pattern.fullmatch(name) is not None


@dataclass(frozen=True, slots=True)
class AsOf:
    """The moment of an answer, given in one of three ways; the end of the log if all are None.

    Attributes:
        offset: end offset (exclusive) of each partition.
        time: time of the last record, in ms since the epoch; the first later record is excluded.
        by_partition: end offsets by partition; other partitions are read to their end.
    """

    offset: int | None = None
    time: int | None = None
    by_partition: Mapping[int, int] | None = None

    @classmethod
    def of(cls, at_offset: "AtOffset | None", at_time: "Time | None") -> Self:
        """Make the moment from arguments.

        Raises:
            TypeError: the offset is neither an int nor a mapping of ints, or `at_time` is not a time.
            ValueError: both are given.
        """
        if at_offset is not None and at_time is not None:
            raise ValueError("at_offset and at_time exclude each other")
        by_partition = at_offset if isinstance(at_offset, Mapping) else None
        offset = None if isinstance(at_offset, Mapping) else at_offset
        for number in (offset or 0, *(by_partition or ()), *(by_partition or {}).values()):
            if not isinstance(number, int) or isinstance(number, bool):
                raise TypeError(f"at_offset must be an int or a mapping of partition to int, not {at_offset!r}")
        return cls(offset, milliseconds(at_time, "at_time"), by_partition)

    @property
    def at_offset(self) -> AtOffset | None:
        """The argument that would give these offsets."""
        return self.offset if self.by_partition is None else self.by_partition

    def offset_of(self, partition: int | None) -> int | None:
        """End offset of a partition; None for its log end, or if the time decides."""
        if self.by_partition is None:
            return self.offset
        return None if partition is None else self.by_partition.get(partition)

    def end_of(self, found: "Found", on_damage: OnDamage, damage: "list[Damage]", partition: int | None) -> int | None:
        """End offset of a log at this moment: for a time, the offset of the first later record; None for the log end.

        Args:
            found: the partition directory, or a file in it.
            on_damage: "raise" or "skip" damage in the search for a time.
            damage: list to extend by skipped damage.
            partition: number of the partition.

        Raises:
            KafkafmtError: damage on the way, with `on_damage="raise"`.
            SourceError: a file cannot be read.
        """
        if self.time is None:
            return self.offset_of(partition)
        start = 0 if found.file is not None else found.partition.log_start_offset or 0
        skip = None if on_damage == "raise" else damage.append
        later = find_timestamp(found.segments, self.time + 1, start, report=skip)
        return None if later is None else later.offset

    def __str__(self) -> str:
        """The moment in words."""
        return f"offset {self.offset}" if self.offset is not None else f"time {self.time} (ms)"


def each_once(*damage: "Iterable[Damage]") -> "list[Damage]":
    """Damage found by several walks over the same files: each range once, as the last walk describes it."""
    return list({(each.file, each.position, each.length): each for part in damage for each in part}.values())


def unless_unset(number: int) -> int | None:
    """The number, or None for -1, by which Kafka encodes a missing value."""
    return None if number == -1 else number
