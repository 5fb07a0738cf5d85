"""The records that the cleaner keeps, and the batches that it writes with them (Kafka's `MemoryRecords.filterTo`)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from kafkafmt.cached import cached_property
from kafkafmt.codec.compression import Compression, compress
from kafkafmt.columnar.figures import Int64s
from kafkafmt.columnar.headers import KNOWN_BITS, Headers, Mask
from kafkafmt.columnar.kernels import write_records
from kafkafmt.columnar.offset_map import OffsetMap, hash_ranges
from kafkafmt.columnar.rewriting import room_for
from kafkafmt.errors import UnsupportedError
from kafkafmt.operations.cleanable import LastRecord
from kafkafmt.operations.stored_batches import StoredBatches
from kafkafmt.reference.header import INT32_MAX, to_int64
from kafkafmt.reference.layout import (
    CONTROL,
    CURRENT_MAGIC,
    DELETE_HORIZON,
    LOG_APPEND_TIME,
    RECORD_BATCH_OVERHEAD,
    TRANSACTIONAL,
)
from kafkafmt.writing import encoding

if TYPE_CHECKING:
    from kafkafmt.operations.cleaned_transactions import CleanedTransactions

_NO_TIMESTAMP: Final = -1
_KEPT_BITS: Final = KNOWN_BITS & ~DELETE_HORIZON
_EMPTY_BITS: Final = LOG_APPEND_TIME | CONTROL | TRANSACTIONAL


class CleanerStoppedError(UnsupportedError):
    """Kafka's cleaner fails here: the log stays as it is, and the broker does not clean it until it restarts."""


class CleanedBatch(NamedTuple):
    """A batch that is left after the cleaner.

    Attributes:
        data: its bytes, valid until the next batches are read.
        base_offset: base offset of the batch.
        last_offset: last offset of the batch.
        max_timestamp: largest timestamp of the batch, in ms.
    """

    data: bytes | memoryview
    base_offset: int
    last_offset: int
    max_timestamp: int


@dataclass(frozen=True)
class FilteredBatches:
    """Batches, and the records in them that the cleaner keeps.

    Attributes:
        stored: the original batches.
        kept: mask of their records that stay.
        read: mask of the batches that were decoded; the others were removed whole.
        is_original: mask of the batches that stay unchanged.
        is_rewritten: mask of the batches that are rewritten with the kept records.
        is_empty: mask of the batches that stay without a record.
        horizons: delete horizon of each rewritten batch, in ms; -1 for none.
        without_key: number of records removed because they have no key.
    """

    stored: StoredBatches
    kept: Mask
    read: Mask
    is_original: Mask
    is_rewritten: Mask
    is_empty: Mask
    horizons: Int64s
    without_key: int

    @property
    def records_read(self) -> int:
        """Number of records in the decoded batches."""
        return int(self.stored.counts[self.read].sum())

    @property
    def records_written(self) -> int:
        """Number of records that stay."""
        return int(np.count_nonzero(self.kept))

    @property
    def tombstones(self) -> int:
        """Number of records that stay with a key and without a value."""
        places = self.stored.places
        return int(np.count_nonzero(self.kept & ~places.has_value & (places.key_sizes >= 0)))

    @property
    def left_horizons(self) -> Int64s:
        """Delete horizons of those remaining batches that have one."""
        old = self.is_original & self.stored.has(DELETE_HORIZON)
        new = self.horizons[self.is_rewritten]
        return np.concatenate([self.stored.headers["base_timestamp"][old], new[new >= 0]])

    @property
    def bytes_written(self) -> int:
        """Size of the kept part; recompressed batches have the size that this library's codecs produce."""
        fixed = RECORD_BATCH_OVERHEAD * int(np.count_nonzero(self.is_empty | self.is_rewritten))
        return int(self.stored.sizes[self.is_original].sum()) + fixed + sum(len(each) for each in self._payloads)

    @property
    def is_left(self) -> Mask:
        """Mask of the batches that remain."""
        left: Mask = self.is_original | self.is_rewritten | self.is_empty
        return left

    def check_reach(self, base_offset: int) -> None:
        """Check that a segment can hold the kept part.

        Raises:
            CleanerStoppedError: offsets are out of the segment's range; Kafka splits the segment, and tries again.
        """
        lasts = self.stored.last_offsets[self.is_left]
        if len(lasts) and not base_offset <= int(lasts.min()) <= int(lasts.max()) <= base_offset + INT32_MAX:
            raise CleanerStoppedError(f"offsets are out of reach of segment {base_offset}")

    def batches(self) -> Iterator[CleanedBatch]:
        """The batches that remain, in order."""
        stored = self.stored
        payloads = iter(self._payloads)
        headers = stored.headers
        rewritten = zip(*(column.tolist() for column in self._rewritten), strict=True)
        for number in np.flatnonzero(self.is_left).tolist():
            header = headers[number]
            if self.is_original[number]:
                data = stored.stored[int(stored.starts[number]) : int(stored.ends[number])]
                base, last = int(header["base_offset"]), int(stored.last_offsets[number])
                yield CleanedBatch(data, base, last, int(header["max_timestamp"]))
                continue
            if self.is_empty[number]:
                base, last = int(header["base_offset"]), int(stored.last_offsets[number])
                attributes = int(header["attributes"]) & _EMPTY_BITS
                base_time, max_time = _NO_TIMESTAMP, int(header["max_timestamp"])
                count, payload = 0, memoryview(b"")
            else:
                base, last, horizon, base_time, max_time, count = next(rewritten)
                attributes = int(header["attributes"]) & _KEPT_BITS | (DELETE_HORIZON if horizon >= 0 else 0)
                payload = next(payloads)
            start = encoding.batch_header(
                base_offset=base,
                partition_leader_epoch=int(header["partition_leader_epoch"]),
                last_offset_delta=last - base,
                base_timestamp=base_time,
                max_timestamp=max_time,
                count=count,
                records=payload,
                attributes=attributes,
                producer_id=int(header["producer_id"]),
                producer_epoch=int(header["producer_epoch"]),
                base_sequence=int(header["base_sequence"]),
            )
            yield CleanedBatch(start + payload, base, last, max_time)

    @cached_property
    def _rewritten(self) -> tuple[Int64s, ...]:
        """Columns of the rewritten batches: base and last offset, horizon, base and largest timestamp, count."""
        stored = self.stored
        numbers = np.flatnonzero(self.is_rewritten)
        headers = stored.headers[numbers]
        rows = np.flatnonzero(self.kept & stored.of_batches(self.is_rewritten))
        counts = stored.count_of(self.kept)[numbers]
        if not len(numbers):
            return (counts,) * 6
        first = np.cumsum(counts) - counts
        offsets, timestamps = stored.places.offsets[rows], stored.places.timestamps[rows]
        is_old = headers["magic"] < CURRENT_MAGIC
        base = np.where(is_old, offsets[first], headers["base_offset"])
        last = np.where(is_old, offsets[first + counts - 1], stored.last_offsets[numbers])
        horizons = self.horizons[numbers]
        base_times = np.where(horizons >= 0, horizons, timestamps[first])
        by_broker = (headers["attributes"] & LOG_APPEND_TIME) != 0
        max_times = np.where(by_broker, headers["max_timestamp"], np.maximum.reduceat(timestamps, first))
        self._check(offsets, timestamps, first, np.repeat(base, counts))
        return base, last, horizons, base_times, max_times, counts

    def _check(self, offsets: Int64s, timestamps: Int64s, first: Int64s, base: Int64s) -> None:
        """Raise an error where Kafka's builder does (`MemoryRecordsBuilder.appendWithOffset`)."""
        rises = np.ones(len(offsets), np.bool_)
        rises[1:] = offsets[1:] > offsets[:-1]
        rises[first] = True
        with np.errstate(over="ignore"):
            deltas = offsets - base
        if not rises.all():
            raise CleanerStoppedError("offsets do not rise within a batch, which therefore cannot be rewritten")
        if ((offsets < base) | (deltas < 0) | (deltas > INT32_MAX)).any():
            raise CleanerStoppedError("an offset is out of reach of its batch, which therefore cannot be rewritten")
        if (timestamps < _NO_TIMESTAMP).any():
            raise CleanerStoppedError("a timestamp is below -1, so its batch cannot be rewritten")

    @cached_property
    def _payloads(self) -> "Sequence[memoryview]":
        """The records of each rewritten batch, compressed with the original codec."""
        numbers = np.flatnonzero(self.is_rewritten)
        if not len(numbers):
            return ()
        stored = self.stored
        base, _, _, base_times, *_ = self._rewritten
        target = np.empty(room_for(stored.places, self.kept & stored.of_batches(self.is_rewritten)), np.uint8)
        ends = np.empty(len(numbers), np.int64)
        write_records(
            stored.source,
            stored.places,
            self.kept,
            stored.rows[numbers],
            stored.rows[numbers + 1],
            base,
            base_times,
            target,
            ends,
        )
        content = target.data
        edges = [0, *ends.tolist()]
        codecs = stored.codecs[numbers].tolist()
        return [
            _compressed(codec, content[begin:end])
            for codec, begin, end in zip(codecs, edges[:-1], edges[1:], strict=True)
        ]


def _compressed(codec: int, content: memoryview) -> memoryview:
    return memoryview(compress(Compression(codec), content, magic=CURRENT_MAGIC)) if codec else content


@dataclass(frozen=True)
class RecordFilter:
    """Chooses the records of a log to keep, batch by batch.

    Attributes:
        offsets: the latest offset of each key in the dirty range.
        latest_offset: the last offset that the map covers; later records stay.
        transactions: the log's transactions.
        producers: the active producers, by id.
        at: the time of the pass, in ms.
        delete_retention_ms: the topic's `delete.retention.ms`.
        end: offset at which the round ends; the batch before it stays, even if empty.
    """

    offsets: OffsetMap
    latest_offset: int
    transactions: "CleanedTransactions"
    producers: Sequence[LastRecord]
    at: int
    delete_retention_ms: int
    end: int

    def filter(self, batches: StoredBatches, *, keeps_old_deletes: bool) -> FilteredBatches:
        """Choose what to keep of the next batches.

        Args:
            batches: the batches.
            keeps_old_deletes: whether tombstones of formats 0 and 1 stay.

        Raises:
            CleanerStoppedError: Kafka's cleaner fails at one of the batches.
        """
        headers = batches.headers
        is_control = batches.has(CONTROL)
        is_old = headers["magic"] < CURRENT_MAGIC
        has_horizon = batches.has(DELETE_HORIZON)
        is_due = has_horizon & (headers["base_timestamp"] <= self.at)
        discardable = self.transactions.discardable(batches)
        discarded = discardable & (~is_control | is_due)
        stays = self._last_of_producer(headers, batches.last_offsets, is_control)
        stays |= batches.last_offsets == self.end - 1
        keeps_deletes = np.where(is_old, keeps_old_deletes, ~is_due)
        kept, without_key = self._kept(batches, discarded, is_control, keeps_deletes)
        counts = batches.count_of(kept)
        places = batches.places
        deletes = batches.count_of(kept & ~places.has_value) > 0
        is_new = (deletes | (discardable & is_control)) & ~has_horizon
        is_original = (counts > 0) & (counts == batches.counts) & ~is_new & ~is_old
        is_empty = (counts == 0) & stays
        if (is_empty & is_old).any():
            raise CleanerStoppedError(
                f"a batch of format {int(headers['magic'][(is_empty & is_old).argmax()])} that ends the round loses all"
                " its records, and Kafka's cleaner cannot keep an empty batch of this format"
            )
        horizons = np.where(has_horizon, headers["base_timestamp"], _NO_TIMESTAMP)
        horizons[is_new] = to_int64(self.at + self.delete_retention_ms)
        return FilteredBatches(
            batches,
            kept,
            ~discarded | stays,
            is_original,
            (counts > 0) & ~is_original,
            is_empty,
            horizons,
            without_key,
        )

    def _kept(self, batches: StoredBatches, discarded: Mask, is_control: Mask, keeps_deletes: Mask) -> tuple[Mask, int]:
        """Mask of the records that stay, and how many are removed because they have no key."""
        places = batches.places
        has_key = places.key_sizes >= 0
        is_latest = np.zeros(len(has_key), np.bool_)
        begins = places.key_starts
        hashed = hash_ranges(batches.source, begins, begins + places.key_sizes, has_key, places.offsets)
        is_latest[has_key] = places.offsets[has_key] >= self.offsets.find(hashed)
        is_latest &= places.has_value | batches.of_batches(keeps_deletes)
        is_beyond = places.offsets > self.latest_offset
        is_looked_at = batches.of_batches(~discarded)
        by_key = is_looked_at & ~(batches.of_batches(is_control) | is_beyond)
        return is_looked_at & (~by_key | is_latest), int(np.count_nonzero(by_key & ~has_key))

    def _last_of_producer(self, headers: Headers, last_offsets: Int64s, is_control: Mask) -> Mask:
        """Mask of the batches with the last sequence number, or the last epoch, of an active producer."""
        producer_ids, data_offsets, epochs = self._known_producers
        mask: Mask = np.zeros(len(headers), np.bool_)
        numbers = np.flatnonzero(headers["producer_id"] >= 0)
        if not len(producer_ids) or not len(numbers):
            return mask
        ids = headers["producer_id"][numbers]
        known = np.minimum(np.searchsorted(producer_ids, ids), len(producer_ids) - 1)
        has_data = data_offsets[known] >= 0
        by_marker = is_control[numbers] & (headers["producer_epoch"][numbers] == epochs[known])
        mask[numbers] = (producer_ids[known] == ids) & np.where(
            has_data, last_offsets[numbers] == data_offsets[known], by_marker
        )
        return mask

    @cached_property
    def _known_producers(self) -> tuple[Int64s, Int64s, Int64s]:
        rows = np.array(self.producers, np.int64).reshape(-1, 3)
        return rows[:, 0], rows[:, 1], rows[:, 2]
