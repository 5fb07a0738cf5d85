"""The log of an internal topic: its records as Python objects, from the best replica of each partition.

The state of a cluster is replayed from it. The last record of a key wins, so each partition is read in log order, with
control records. Notes name the replica that was read, and what an answer as of an earlier moment may lack.
"""

import sys
from collections import defaultdict
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from kafkafmt import arrays
from kafkafmt.cached import cached_property
from kafkafmt.errors import SourceError
from kafkafmt.files.damage import ignore
from kafkafmt.internal_topics import INTERNAL_TOPICS
from kafkafmt.libraries import np, pa
from kafkafmt.limits import Limits
from kafkafmt.logdir import sources
from kafkafmt.phrases import counted
from kafkafmt.scanning import arguments
from kafkafmt.scanning.arguments import Time
from kafkafmt.scanning.execution import Pass
from kafkafmt.scanning.selection import Selection
from kafkafmt.scanning.task_selection import TaskSelector
from kafkafmt.topics import log_notes
from kafkafmt.topics.answers import AsOf, AtOffset, check_choices, each_once
from kafkafmt.topics.decoding import StateMemory
from kafkafmt.topics.internal_record import InternalRecord
from kafkafmt.topics.record_rows import records_of, scan_of, slices
from kafkafmt.topics.small_log import LogReport, is_small, records_by_entry

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

    from kafkafmt.errors import OnDamage
    from kafkafmt.files.damage import Damage, Note
    from kafkafmt.logdir.found import Found
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.logdir.segment import Segment
    from kafkafmt.logdir.sources import Searchable

UNKNOWN_PARTITION = -1
"""Partition of a record whose directory does not have a name of Kafka's, as for a file copied out of its log."""

_Part: TypeAlias = "tuple[list[Found], int | None, LogReport, log_notes.Holes]"
"""A part of a partition to read: its files, the end offset, and the receivers of reports."""
T = TypeVar("T")

# A log of fewer bytes, uncompressed, is read entry by entry in less time than loading Arrow's functions takes.
_SMALL = 64 * 1024


class InternalLog:
    """Records of an internal topic on brokers' disks. Its constructor lists files and chooses replicas.

    If a partition is found several times, the best replica is read, as by `kafkafmt.scan`. Files given as sources are
    read whatever the name of their directory, and so is a directory without a name of Kafka's if no other holds the
    topic.

        >>> log = InternalLog("/var/lib/kafka/data", "__consumer_offsets")
        >>> sum(1 for record in log.records() if record.value is None)

    Args:
        source: as for `kafkafmt.scan`.
        topic: name of the topic.
        filesystem: as for `kafkafmt.scan`.
        partitions: numbers of the partitions to read; None for all.
        at_offset: end offset (exclusive) of every partition, or by partition.
        at_time: read up to the first record with a later timestamp: ms since the epoch, or a datetime (UTC if it has no
            zone); as `Partition.find_timestamp` finds it.
        on_damage: "raise" an error at the first damage, or "skip" it and list it in `damage`.
        limits: bounds of memory; `kafkafmt.Limits()` if None.

    Attributes:
        topic: name of the topic.
        partitions: partition directories to read, in order; for a file given as source, its directory. May be empty,
            which `required` treats as an error.
        end_offsets: end offset by partition, from `at_offset` or `at_time`; other partitions are read to their log end.
        skipped_replicas: partition directories that were skipped in favour of a better replica.
        is_whole: whether everything could be read so far; else the sources skip what cannot be read.
        notes: notes for the user: which replica was read, and what an answer as of an earlier moment may lack.

    Raises:
        SourceError: as for `kafkafmt.scan`.
        KafkafmtError: damage met by the choice of a replica or the search for a time, with `on_damage="raise"`.
        TypeError, ValueError: an invalid argument.
    """

    def __init__(
        self,
        source: "Searchable",
        topic: str,
        *,
        filesystem: "FileSystem | None" = None,
        partitions: int | Iterable[int] | None = None,
        at_offset: AtOffset | None = None,
        at_time: Time | None = None,
        on_damage: "OnDamage" = "raise",
        limits: Limits | None = None,
    ) -> None:
        as_of = AsOf.of(at_offset, at_time)
        check_choices(on_damage=on_damage)
        self.topic = topic
        self._on_damage: OnDamage = on_damage
        self._limits = limits or Limits()
        self._met: list[Damage] = []
        self._diverged: list[Note] = []
        self.is_whole = True
        self._sources = sources.search(source, filesystem)
        found = self._sources.found
        self._broken = Pass(
            Selection(),
            on_damage,
            verify_checksums=True,
            limits=self._limits,
            report=self._met.append,
            note=ignore,
            sources=self._sources,
        ).broken
        numbers = arguments.partitions(partitions)
        for error in self._sources.unlisted(lambda name, number: name == topic and (not numbers or number in numbers)):
            self._sources.report(error)
            self.is_whole = False
        self._by_number, self.skipped_replicas = self._chosen(found, numbers)
        self.partitions: list[Partition] = _directories(self._by_number)
        self.end_offsets = self._ends(as_of)
        self._notes: list[str] = [
            *log_notes.absent(topic, found, self._by_number, numbers),
            *log_notes.ends_elsewhere(topic, self.end_offsets, self._by_number),
            *log_notes.clusters([*self.partitions, *self.skipped_replicas]),
            *log_notes.replicas(self.partitions, self.skipped_replicas, self._broken),
            *self._diverged,
            *self._sources.notes,
        ]
        self.notes: list[str] = list(self._notes)
        self._of_pass: list[Damage] = []

    @property
    def damage(self) -> "list[Damage]":
        """Damage met by the choice of replicas and the search for times, then damage of the last pass."""
        return each_once(self._met, self._of_pass)

    def required(self) -> "InternalLog":
        """Return this log.

        Raises:
            SourceError: the sources have no partition of the topic.
        """
        if not self._by_number:
            raise SourceError(self.notes[0])
        return self

    @property
    def numbers(self) -> list[int]:
        """Numbers of the partitions to read, in order; -1 for a directory without a name of Kafka's."""
        return list(self._by_number)

    def found(self, number: int) -> "list[Found]":
        """The directories and files of a partition to read, in order."""
        return self._by_number[number]

    def segments(self, number: int) -> "list[Segment]":
        """Segments of a partition to read, in order."""
        return [segment for found in self._by_number[number] for segment in found.segments]

    def size_in_bytes(self) -> int:
        """Size of the log files of all partitions to read, as listed."""
        return sum(segment.size for found in self._by_number.values() for each in found for segment in each.segments)

    @property
    def is_read_by_entry(self) -> bool:
        """Whether `records` works without Arrow: for a small log, while Arrow's functions are not loaded."""
        return "pyarrow.compute" not in sys.modules and self._is_small

    @cached_property
    def _is_small(self) -> bool:
        return is_small((segment for number in self.numbers for segment in self.segments(number)), _SMALL)

    def records(self, advance: Callable[[int], None] | None = None) -> Iterator[InternalRecord]:
        """Start a pass, and yield the records by partition, then in log order, including control records.

        Args:
            advance: called with numbers of bytes of log files as they are passed; None for no calls.

        Raises:
            KafkafmtError: at damage (`on_damage="raise"`), or if a file cannot be read.
        """
        if not self.is_read_by_entry:
            for number, batch in self.record_batches(advance):
                yield from records_of(batch, number)
            return

        def read(part: _Part) -> Generator[InternalRecord, None, None]:
            found, end, report, holes = part
            records = records_by_entry(
                found,
                None,
                end,
                self._on_damage,
                self._limits,
                report,
                advance,
                partition=self._number(found[0]),
                sources=self._sources,
            )
            for record in records:
                holes.see(record.offset, record.offset)
                yield record

        for _, record in self._read(read):
            yield record

    def record_batches(self, advance: Callable[[int], None] | None = None) -> "Iterator[tuple[int, pa.RecordBatch]]":
        """Start a pass that yields columns of `kafkafmt.scan`, in batches small enough for Python objects.

        Yields:
            The number of a partition, and a batch of its records.

        Raises:
            KafkafmtError: as for `records`.
        """

        def read(part: _Part) -> "Generator[pa.RecordBatch, None, None]":
            found, end, report, holes = part
            scan = scan_of(found, self._on_damage, self._limits, end_offset=end, searched=self._sources)
            if advance is not None:
                scan.watch(advance)
            try:
                with scan.to_reader() as reader:
                    for batch in reader:
                        if batch.num_rows:
                            offsets = arrays.numbers(batch.column("offset"))
                            is_dense = bool((np.diff(offsets) == 1).all())
                            holes.see(int(offsets[0]), int(offsets[-1]), is_dense=is_dense)
                        yield from slices(batch)
            finally:
                report.damage += scan.damage
                report.notes |= dict.fromkeys(scan.notes)

        return self._read(read)

    def _read(self, read: "Callable[[_Part], Generator[T, None, None]]") -> Iterator[tuple[int, T]]:
        """Start a pass that yields each item read from a partition, with the partition's number."""
        self._of_pass = of_pass = []
        unreadable = len(self._sources.unreadable)
        self.notes = notes = self._notes.copy()
        for number, found in self._by_number.items():
            end = self.end_offsets.get(number)
            report, holes = LogReport(), log_notes.Holes()
            try:
                with closing(read((found, end, report, holes))) as parts:
                    for each in parts:
                        yield number, each
            finally:
                of_pass += report.damage
                # As of an earlier moment a partition may have been empty, which needs no note.
                found_notes = [note for note in report.notes_by_place() if end is None or note.is_finding]
                notes += [note for note in found_notes if note not in notes]
            self.is_whole &= len(self._sources.unreadable) == unreadable
            if end is not None:
                note = log_notes.cleaned([each.partition for each in found], end, holes, self._broken)
                notes += [note] if note is not None else []

    def _chosen(
        self, found: "list[Found]", numbers: Collection[int] | None
    ) -> "tuple[dict[int, list[Found]], list[Partition]]":
        """The directories to read by partition number, and those skipped in favour of a better replica."""
        by_number: dict[int, list[Found]] = defaultdict(list)
        taken, skipped = TaskSelector(Selection(), "best", self._broken, self._diverged.append).replicas(
            [each for each in of_topic(found, self.topic) if numbers is None or self._number(each) in numbers]
        )
        for each in taken:
            by_number[self._number(each)].append(each)
        return dict(sorted(by_number.items())), skipped

    def _number(self, found: "Found") -> int:
        partition = found.partition
        known = partition.topic == self.topic and partition.partition is not None
        return partition.partition if known and partition.partition is not None else UNKNOWN_PARTITION

    def _ends(self, as_of: AsOf) -> dict[int, int]:
        """End offset by partition; for a time, the offset of the first later record."""
        ends: dict[int, int] = dict(as_of.by_partition or ())
        for number, found in self._by_number.items():
            for each in found:
                try:
                    end = as_of.end_of(each, self._on_damage, self._met, number)
                except SourceError as error:
                    self._sources.report(error)
                    continue
                if end is not None:
                    ends[number] = min(end, ends.get(number, end))
        return ends

    def memory(self, recount: Callable[[], int]) -> StateMemory:
        """The bound on state that is replayed from this log."""
        return StateMemory(self.topic, self._limits, self.size_in_bytes(), recount)

    def __repr__(self) -> str:
        return f"<InternalLog of {self.topic}: {counted(len(self.partitions), 'partition')}>"


def of_topic(found: "Sequence[Found]", topic: str) -> "list[Found]":
    """The directories and files that hold a topic, by their names.

    If there are none: those whose names do not determine a topic, and files given as sources, unless their directory is
    named after another internal topic.
    """
    return [each for each in found if each.partition.topic == topic] or [
        each
        for each in found
        if each.partition.topic is None or (each.file is not None and each.partition.topic not in INTERNAL_TOPICS)
    ]


def _directories(by_number: "dict[int, list[Found]]") -> "list[Partition]":
    """Each partition directory once."""
    return list({each.partition.path: each.partition for found in by_number.values() for each in found}.values())
