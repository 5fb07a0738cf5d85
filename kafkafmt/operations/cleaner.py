"""One pass of Kafka's log cleaner over a log (`Cleaner.doClean`): which records stay, and in which segments.

The pass reads the dirty segments for the latest offset of each key, then all segments up to that point to choose the
records and batches of transactions to keep; it may discard aborted transactions.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Final

import numpy as np

from kafkafmt.answer_columns import Named
from kafkafmt.cached import cached_property
from kafkafmt.columnar.figures import Int64s
from kafkafmt.columnar.offset_map import Hashed, OffsetMap, hash_ranges
from kafkafmt.files.names import segment_file_name
from kafkafmt.operations.cleanable import Cleanable, CompactedLog
from kafkafmt.operations.cleaned_transactions import CleanedTransactions
from kafkafmt.operations.record_filter import CleanedBatch, CleanerStoppedError, FilteredBatches, RecordFilter
from kafkafmt.operations.stored_batches import BatchReader, StoredBatches
from kafkafmt.reference.header import INT32_MAX
from kafkafmt.reference.layout import CONTROL, DELETE_HORIZON

if TYPE_CHECKING:
    from kafkafmt.files.transaction_index import AbortedTransaction
    from kafkafmt.logdir.segment import Segment
    from kafkafmt.operations.configs import TopicConfigs

_ENTRY: Final = 24
"""Bytes of a key in Kafka's map (`SkimpyOffsetMap`): its MD5, and the offset."""


@dataclass(slots=True)
class CleanerStats:
    """Bytes and records that a pass reads and writes (Kafka's `CleanerStats`), and those left after it.

    Attributes:
        records_read: records of the decoded batches.
        records_written: records that stay.
        bytes_read: size of all batches.
        bytes_written: size of those that are left.
        without_key: records removed because they have no key.
        tombstones: records with a key and without a value that are left below the first uncleanable offset.
        delete_horizon: the earliest delete horizon of a batch left there, in ms; None if none has one.
    """

    records_read: int = 0
    records_written: int = 0
    bytes_read: int = 0
    bytes_written: int = 0
    without_key: Annotated[int, Named("recordsWithoutKey", "int64")] = 0
    tombstones: Annotated[int, "int64"] = 0
    delete_horizon: Annotated[int | None, Named("deleteHorizonMs", "int64")] = None

    def add(self, filtered: FilteredBatches) -> None:
        """Add the batches that were read, and those that were kept."""
        self.records_read += filtered.records_read
        self.records_written += filtered.records_written
        self.bytes_read += int(filtered.stored.sizes.sum())
        self.bytes_written += filtered.bytes_written
        self.without_key += filtered.without_key
        self.see_left(filtered.tombstones, filtered.left_horizons)

    def see_left(self, tombstones: int, horizons: Int64s) -> None:
        """Add tombstones that are left, and delete horizons of batches that are left."""
        self.tombstones += tombstones
        if len(horizons):
            earliest = int(horizons.min())
            self.delete_horizon = earliest if self.delete_horizon is None else min(self.delete_horizon, earliest)


@dataclass(frozen=True)
class CleanerPass:
    """One pass over a log, to be made once: by `run`, or by writing each of its `groups`.

    Attributes:
        log: the log.
        cleanable: its range to clean, which has dirty bytes.
        configs: the configs in force.
        at: the time of the pass, in ms.
        reader: the reader of the batches.
        stats: the result, complete after the pass.
    """

    log: CompactedLog
    cleanable: Cleanable
    configs: "TopicConfigs"
    at: int
    reader: BatchReader
    stats: CleanerStats = field(default_factory=CleanerStats)
    _indexes: "dict[str, Sequence[AbortedTransaction]]" = field(default_factory=dict)

    def run(self) -> CleanerStats:
        """Make the pass without writing anything.

        Raises:
            CleanerStoppedError: Kafka's cleaner fails.
            DataError: there is damage, with on_damage="raise".
            SourceError: a file cannot be read.
        """
        for group in self.groups:
            for _ in self._filtered(group):
                pass
        self.see_rest()
        return self.stats

    def batches(self, group: "Sequence[Segment]") -> "Iterator[list[CleanedBatch]]":
        """Make the batches that are left of a group of segments, some at a time; to be called for the groups in order.

        Raises:
            CleanerStoppedError, DataError, SourceError: as in `run`.
        """
        for filtered in self._filtered(group):
            yield list(filtered.batches())

    def aborted(self) -> "Sequence[AbortedTransaction]":
        """Transaction index entries of the group that was cleaned last."""
        met = tuple(self._filter.transactions.met)
        self._filter.transactions.met.clear()
        return met

    @property
    def cleaned_up_to(self) -> int:
        """The offset at which the pass ends (exclusive), for the next cleaner-offset-checkpoint."""
        return self._map[1] + 1

    @cached_property
    def groups(self) -> "list[list[Segment]]":
        """Groups of segments, each of which becomes one segment (`Cleaner.groupSegmentsBySize`)."""
        most = self.configs.number("segment.bytes")
        most_index = self.configs.number("segment.index.bytes")
        segments = self.log.between(0, self.cleaned_up_to)
        groups: list[list[Segment]] = []
        room = (0, 0, 0)
        for number, segment in enumerate(segments):
            index, times = (self._sizes.get(_name(segment, kind), 0) for kind in ("index", "timeindex"))
            after = segments[number + 1].base_offset if number + 1 < len(segments) else None
            last = (self.cleanable.first_uncleanable if after is None else after) - 1
            fits = (
                bool(groups)
                and segment.size <= room[0]
                and index <= room[1]
                and times <= room[2]
                and (segment.size == 0 or last - (groups[-1][0].base_offset or 0) <= INT32_MAX)
            )
            if not fits:
                groups.append([])
                room = (most, most_index, most_index)
            groups[-1].append(segment)
            room = (room[0] - segment.size, room[1] - index, room[2] - times)
        return groups

    def see_rest(self) -> None:
        """Add the records after the pass's end and below the first uncleanable offset to `stats`."""
        for segment in self.log.between(self.cleaned_up_to, self.cleanable.first_uncleanable):
            if (segment.base_offset or 0) < self.cleaned_up_to:
                continue
            for batches in self._read(segment):
                places = batches.places
                is_delete = ~places.has_value & (places.key_sizes >= 0)
                horizons = batches.headers["base_timestamp"][batches.has(DELETE_HORIZON)]
                self.stats.see_left(int(np.count_nonzero(is_delete)), horizons)

    def _filtered(self, group: "Sequence[Segment]") -> Iterator[FilteredBatches]:
        for number, segment in enumerate(group):
            after = group[number + 1] if number + 1 < len(group) else self.log.following(segment)
            end = self.log.end if after is None else after.base_offset or 0
            self._filter.transactions.expect(self._aborted(segment.base_offset or 0, end))
            keeps_old_deletes = (segment.location.modified() or 0) > self._old_delete_horizon
            for batches in self._read(segment):
                try:
                    filtered = self._filter.filter(batches, keeps_old_deletes=keeps_old_deletes)
                    self.stats.add(filtered)
                    filtered.check_reach(group[0].base_offset or 0)
                except CleanerStoppedError as error:
                    raise error.at(segment.file, batches.position + int(batches.starts[0])) from None
                yield filtered

    @cached_property
    def _filter(self) -> RecordFilter:
        offsets, latest_offset = self._map
        return RecordFilter(
            offsets,
            latest_offset,
            CleanedTransactions(),
            self.log.active_producers(self.at, self.configs.number("producer.id.expiration.ms")),
            self.at,
            self.configs.number("delete.retention.ms"),
            self.cleanable.first_uncleanable,
        )

    def _aborted(self, start: int, end: int) -> "Iterator[AbortedTransaction]":
        """Aborted transactions in the transaction indexes (`LocalLog.collectAbortedTransactions`).

        Kafka ignores those that end below the log start.
        """
        for segment in self.log.segments[self.log.floor(start) :]:
            for entry in self._transaction_index(segment):
                if entry.last_offset >= self.log.start and entry.first_offset < end:
                    yield entry
                if entry.last_stable_offset >= end:
                    return

    def _transaction_index(self, segment: "Segment") -> "Sequence[AbortedTransaction]":
        if segment.path not in self._indexes:
            self._indexes[segment.path] = segment.transaction_index.entries
        return self._indexes[segment.path]

    @cached_property
    def _map(self) -> tuple[OffsetMap, int]:
        """The latest offset of each key, and the last offset that the map covers (`buildOffsetMap`)."""
        threads = max(self.configs.number("log.cleaner.threads"), 1)
        size = min(self.configs.number("log.cleaner.dedupe.buffer.size") // threads, INT32_MAX)
        capacity = int(size // _ENTRY * self.configs.real("log.cleaner.io.buffer.load.factor"))
        if capacity < 1:
            raise CleanerStoppedError("log.cleaner.dedupe.buffer.size has no room for a key")
        offsets, latest = OffsetMap(capacity), -1
        start, end = self.cleanable.first_dirty, self.cleanable.first_uncleanable
        transactions = CleanedTransactions()
        transactions.expect(self._aborted(start, end))
        segments = self.log.between(start, end)
        for number, segment in enumerate(segments):
            position = _indexed_position(segment, start)
            for batches in self._read(segment):
                first = int(np.searchsorted(batches.starts, position - batches.position))
                latest, is_full = self._add(offsets, latest, batches, transactions, first)
                if is_full:
                    return offsets, latest
            after = segments[number + 1].base_offset if number + 1 < len(segments) else None
            latest = (end if after is None else after) - 1
        return offsets, latest

    def _add(
        self, offsets: OffsetMap, latest: int, batches: StoredBatches, transactions: CleanedTransactions, first: int
    ) -> tuple[int, bool]:
        """Add the keys of batches; returns the last offset that the map covers, and whether the map is full.

        Kafka reads no batch before number `first`, markers included.
        """
        start = self.cleanable.first_dirty
        places = batches.places
        left_out = transactions.discardable(batches, first) | batches.has(CONTROL)
        counts = (places.key_sizes >= 0) & (places.offsets >= start) & batches.of_batches(~left_out)
        begins = places.key_starts
        hashed = hash_ranges(batches.source, begins, begins + places.key_sizes, counts, places.offsets)
        taken = _put(offsets, hashed)
        seen = batches.last_offsets
        if taken == len(hashed):
            seen = seen[seen >= start]
            return (int(seen[-1]) if len(seen) else latest), False
        rows = np.flatnonzero(counts)
        number = int(np.searchsorted(batches.rows, rows[taken], "right")) - 1
        seen = seen[:number][seen[:number] >= start]
        latest = int(seen[-1]) if len(seen) else latest
        if taken and rows[taken - 1] >= batches.rows[number]:
            latest = int(places.offsets[rows[taken - 1]])
        return latest, True

    @cached_property
    def _old_delete_horizon(self) -> int:
        """File time up to which segments lose tombstones of formats 0 and 1."""
        clean = self.log.between(0, self.cleanable.first_dirty)
        return (clean[-1].location.modified() or 0) - self.configs.number("delete.retention.ms") if clean else 0

    @cached_property
    def _sizes(self) -> dict[str, int]:
        return {entry.name: entry.size or 0 for entry in self.log.partition.listing}

    def _read(self, segment: "Segment") -> Iterator[StoredBatches]:
        return self.reader.read(segment, self.log.following(segment))


def _put(offsets: OffsetMap, hashed: Hashed) -> int:
    """Put keys as Kafka does, which looks up no key once the map is full; returns how many were put."""
    room = offsets.capacity - len(offsets)
    if len(hashed) <= room:
        return offsets.put(hashed)
    new = np.flatnonzero(offsets.find(hashed) < 0)
    if len(new) >= room > 0:
        order = np.lexsort((new, hashed["low"][new], hashed["high"][new]))
        ordered = hashed[new[order]]
        is_first = np.ones(len(ordered), np.bool_)
        is_first[1:] = (ordered["low"][1:] != ordered["low"][:-1]) | (ordered["high"][1:] != ordered["high"][:-1])
        firsts = np.sort(new[order[is_first]])
        if len(firsts) >= room:
            return offsets.put(hashed[: int(firsts[room - 1]) + 1])
    return offsets.put(hashed) if room > 0 else 0


def _name(segment: "Segment", kind: str) -> str:
    return segment_file_name(segment.base_offset or 0, kind, segment.suffix)


def _indexed_position(segment: "Segment", offset: int) -> int:
    """Position at which Kafka starts to read for an offset, by the offset index (`OffsetIndex.lookup`)."""
    wanted = offset - (segment.base_offset or 0)
    if wanted <= 0:
        return 0
    entries = segment.offset_index.entries
    number = bisect_right(entries, wanted, key=lambda entry: entry.relative_offset)
    return entries[number - 1].position if number else 0
