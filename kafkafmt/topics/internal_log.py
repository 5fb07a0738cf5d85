"""The log of an internal topic: its entries as Python objects, of the best replica of each partition.

What the state of a cluster is made of: last records win, so all of a partition is read in its order, control records
too. Which replica was read, what an answer as of an earlier moment may miss, and what was damaged is kept beside it.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from itertools import repeat
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafkafmt import columns as record_columns
from kafkafmt.errors import SourceError
from kafkafmt.limits import Limits
from kafkafmt.logdir import lookup, sources
from kafkafmt.scanning import selection
from kafkafmt.scanning.scan_pass import Pass
from kafkafmt.scanning.selection import Selection, Time
from kafkafmt.scanning.stream import Scan
from kafkafmt.scanning.wanted import Choice
from kafkafmt.topics import log_notes
from kafkafmt.topics.of_topic import of_topic
from kafkafmt.topics.state_memory import StateMemory

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

    from kafkafmt.files.damage import Damage, Note
    from kafkafmt.files.segment_reader import OnDamage
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.logdir.sources import Found, Searchable

AtOffset = int | Mapping[int, int]

# Of what becomes Python objects at one time; those of a message take many times its bytes.
_MOST_ROWS = 4096
_MOST_BYTES = 2 * 1024 * 1024

UNKNOWN_PARTITION = -1
"""Partition of an entry whose directory's name tells none, as of a file copied away from its log."""

_COLUMNS = (
    "offset",
    "timestamp",
    "key",
    "value",
    "producerId",
    "producerEpoch",
    "isTransactional",
    "controlType",
    "partitionLeaderEpoch",
    "file",
    "position",
)


class Entry(NamedTuple):
    """One record of an internal topic's log.

    Attributes:
        partition: its number, or -1 where that is unknown.
        offset: of the record.
        timestamp: ms since the epoch; -1 for none.
        key: as stored.
        value: as stored; None is a tombstone.
        producer_id: of its batch; -1 for none.
        producer_epoch: likewise.
        is_transactional: whether its batch is part of a transaction (of a marker: always).
        control_type: "ABORT", "COMMIT", "LEADER_CHANGE", .. of a control record, as the `controlType` column has it;
            None for any other record. The key and value of a control record are what Kafka wrote for itself.
        leader_epoch: of its batch; -1 for none.
        file: the log file, as the `file` column has it.
        position: of its batch in that file, in bytes.
    """

    partition: int
    offset: int
    timestamp: int
    key: bytes | None
    value: bytes | None
    producer_id: int
    producer_epoch: int
    is_transactional: bool
    control_type: str | None
    leader_epoch: int
    file: str
    position: int


# What `Entry._make` does, without a frame of Python's for each entry.
_NEW_ENTRY: Callable[[Iterable[Any]], Entry] = partial(tuple.__new__, Entry)


class InternalLog:
    """Entries of an internal topic, read from brokers' disks. Files are found and replicas chosen when it is made.

    Of a partition found more than once the best replica is read, as `kafkafmt.scan` chooses it. Of the sources, files
    named by themselves are read whatever the directory is called that they lie in, and so is a directory without a
    Kafka name where no other holds the topic.

        >>> log = InternalLog("/var/lib/kafka/data", "__consumer_offsets")
        >>> sum(1 for entry in log.entries() if entry.value is None)

    Args:
        source: as for `kafkafmt.scan`.
        topic: name of the topic.
        filesystem: as for `kafkafmt.scan`.
        partitions: numbers of those wanted; None for all.
        at_offset: only entries below this offset, of every partition or by partition: the state before that record.
        at_time: only what stands before the first record with a later timestamp than this (ms since the epoch, or a
            datetime, UTC if it has no zone), as `Partition.find_timestamp` finds it.
        on_damage: "raise" an error at the first damage, or "skip" and list it in `damage`.
        limits: bounds of memory; `kafkafmt.Limits()` if None.

    Attributes:
        topic: as given.
        partitions: the partition directories that are read, in order; of a file named by itself its directory. Empty
            where no partition of the topic is there, which `required` makes an error.
        end_offsets: by partition the offset where reading ends as of `at_offset` or `at_time`; none for the log end.
        skipped_replicas: partition directories that were left to a better replica.
        is_whole: whether all could be read so far; where not, the sources pass over what cannot be.
        notes: sentences for the user: which replica was read, and what an answer as of an earlier moment may miss.

    Raises:
        SourceError: as for `kafkafmt.scan`.
        KafkafmtError: damage that choosing a replica or finding a time meets, with `on_damage="raise"`.
        TypeError, ValueError: an argument that makes no sense.
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
        if at_offset is not None and at_time is not None:
            raise ValueError("at_offset and at_time exclude each other")
        if on_damage not in ("raise", "skip"):
            raise ValueError(f"on_damage must be 'raise' or 'skip', not {on_damage!r}")
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
            note=lambda _: None,
            sources=self._sources,
        ).broken
        numbers = selection.partitions(partitions)
        last_time = selection.milliseconds(at_time, "at_time")
        for error in self._sources.unlisted(lambda name, number: name == topic and (not numbers or number in numbers)):
            self._sources.report(error)
            self.is_whole = False
        self._by_number, self.skipped_replicas = self._chosen(found, numbers)
        self.partitions: list[Partition] = _directories(self._by_number)
        self.end_offsets: dict[int, int] = _given(at_offset, self._by_number)
        if last_time is not None:
            self.end_offsets = self._before(last_time)
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
        """What the last pass did not deliver, as `Scan.damage`, and before it what choosing what to read met."""
        return list({(each.file, each.position, each.length): each for each in (*self._met, *self._of_pass)}.values())

    def required(self) -> "InternalLog":
        """The log itself, where there is any of it.

        Raises:
            SourceError: no partition of the topic is among the sources.
        """
        if not self._by_number:
            raise SourceError(self.notes[0])
        return self

    @property
    def numbers(self) -> list[int]:
        """Numbers of the partitions that are read, in order; -1 for what no directory's name tells."""
        return list(self._by_number)

    def entries(self) -> Iterator[Entry]:
        """Start a pass: the entries by partition, then in the log's order, control records included.

        Raises:
            KafkafmtError: at damage (`on_damage="raise"`), or when a file cannot be read.
        """
        for number, batch in self.record_batches():
            yield from _entries(number, batch)

    def record_batches(self) -> "Iterator[tuple[int, pa.RecordBatch]]":
        """Start a pass, and give the same as columns of `kafkafmt.scan`, in batches small enough for Python objects.

        Each batch comes with the number of its partition.

        Raises:
            KafkafmtError: as for `entries`.
        """
        self._of_pass = of_pass = []
        unreadable = len(self._sources.unreadable)
        self.notes = notes = self._notes.copy()
        for number, found in self._by_number.items():
            end = self.end_offsets.get(number)
            holes = log_notes.Holes()
            scan = self._scan(found, end)
            try:
                for batch in scan.to_reader():
                    _see(holes, batch)
                    for part in slices(batch):
                        yield number, part
            finally:
                of_pass += scan.damage
                # As of a moment a partition may hold nothing yet: an empty range is nothing to note then.
                told = [note for note in scan.notes if end is None or note.is_finding]
                notes += [note for note in told if note not in notes]
            self.is_whole &= len(self._sources.unreadable) == unreadable
            if end is not None:
                note = log_notes.cleaned([each.partition for each in found], end, holes, self._broken)
                notes += [note] if note is not None else []

    def _chosen(
        self, found: "list[Found]", numbers: Collection[int] | None
    ) -> "tuple[dict[int, list[Found]], list[Partition]]":
        """What is read, by the number of the partition, and what is left to a better replica."""
        by_number: dict[int, list[Found]] = defaultdict(list)
        taken, skipped = Choice(Selection(), "best", self._broken, self._diverged.append).replicas(
            [each for each in of_topic(found, self.topic) if numbers is None or self._number(each) in numbers]
        )
        for each in taken:
            by_number[self._number(each)].append(each)
        return dict(sorted(by_number.items())), skipped

    def _number(self, found: "Found") -> int:
        partition = found.partition
        known = partition.topic == self.topic and partition.partition is not None
        return partition.partition if known and partition.partition is not None else UNKNOWN_PARTITION

    def _before(self, last_time: int) -> dict[int, int]:
        """By partition the offset of the first record later than a time."""
        ends: dict[int, int] = {}
        passed_over = self._met.append if self._on_damage == "skip" else None
        for number, found in self._by_number.items():
            for each in found:
                start = 0 if each.file is not None else each.partition.log_start_offset or 0
                try:
                    later = lookup.find_timestamp(each.segments, last_time + 1, start, passed_over=passed_over)
                except SourceError as error:
                    self._sources.report(error)
                    continue
                if later is not None:
                    ends[number] = min(later.offset, ends.get(number, later.offset))
        return ends

    def _scan(self, found: "list[Found]", end_offset: int | None) -> Scan:
        """A scan of exactly these directories and files, whose replicas are chosen already."""
        wanted = Selection(control_records=True, end_offset=end_offset)
        schema = record_columns.select(_COLUMNS)
        return Scan(
            found,
            wanted,
            schema,
            "all",
            self._on_damage,
            True,  # noqa: FBT003
            self._limits,
            "columnar",
            1,
            _sources=self._sources,
        )

    def memory(self, recount: Callable[[], int]) -> StateMemory:
        """Make what bounds the state that is built from this log.

        Args:
            recount: as for `StateMemory`.
        """
        stored = sum(segment.size for found in self._by_number.values() for each in found for segment in each.segments)
        return StateMemory(self.topic, self._limits, stored, recount)

    def __repr__(self) -> str:
        return f"<InternalLog of {self.topic}: {len(self.partitions)} partitions>"


def slices(batch: "pa.RecordBatch") -> "Iterator[pa.RecordBatch]":
    """Slices of few enough rows and bytes of keys and values to become Python objects, each of one row at least."""
    if not batch.num_rows:
        return
    ends = np.zeros(batch.num_rows, np.int64)
    for name in {"key", "value"}.intersection(batch.schema.names):
        ends += pc.fill_null(pc.binary_length(batch.column(name)), 0).to_numpy(zero_copy_only=False)
    ends = np.cumsum(ends)
    begin = before = 0
    while begin < batch.num_rows:
        fitting = int(np.searchsorted(ends, before + _MOST_BYTES, side="right"))
        end = min(max(fitting, begin + 1), begin + _MOST_ROWS)
        yield batch.slice(begin, end - begin)
        begin, before = end, int(ends[end - 1])


def _directories(by_number: "dict[int, list[Found]]") -> "list[Partition]":
    """Each partition directory once."""
    return list({each.partition.path: each.partition for found in by_number.values() for each in found}.values())


def _given(at_offset: AtOffset | None, numbers: Iterable[int]) -> dict[int, int]:
    """The offset where reading ends, by partition.

    Raises:
        TypeError: neither an int nor a mapping of ints.
    """
    if at_offset is None:
        return {}
    by_number = at_offset if isinstance(at_offset, Mapping) else dict.fromkeys(numbers, at_offset)
    for number in (*by_number, *by_number.values()):
        if not isinstance(number, int) or isinstance(number, bool):
            raise TypeError(f"at_offset must be an int or a mapping of partition to int, not {at_offset!r}")
    return dict(by_number)


def _see(holes: log_notes.Holes, batch: "pa.RecordBatch") -> None:
    """Take the offsets of a record batch in."""
    if batch.num_rows:
        offsets = batch.column("offset")
        holes.see(offsets[0].as_py(), offsets[-1].as_py(), batch.num_rows)


def _entries(number: int, batch: "pa.RecordBatch") -> Iterator[Entry]:
    """The rows of a record batch as entries; columns are converted as wholes, which is many times as fast."""
    return map(_NEW_ENTRY, zip(repeat(number), *map(_values, batch.columns), strict=False))


def _values(column: "pa.Array") -> Iterable[Any]:
    """The values of a column as Python objects: an Arrow array makes a scalar of each value first, numpy does not."""
    if column.null_count == len(column):
        return repeat(None)
    if pa.types.is_string(column.type):
        column = column.dictionary_encode()
        names = column.dictionary.to_pylist()
        if len(names) == 1 and not column.null_count:
            return repeat(names[0])
    if pa.types.is_timestamp(column.type):
        column = column.view(pa.int64())
    values: list[Any] = column.to_numpy(zero_copy_only=False).tolist()
    return values
