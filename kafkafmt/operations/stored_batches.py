"""The batches of a segment with the places of their records, many at once, for the cleaner.

Kernels find those of format 2. Entries of formats 0 and 1, and batches that are too large for the kernels'
buffers, are read one by one into the same form, so that filters need not distinguish them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from kafkafmt.cached import cached_property
from kafkafmt.codec.compression import Compression, decompress
from kafkafmt.codec.compression.buffer import SLACK
from kafkafmt.columnar.figures import Int64s
from kafkafmt.columnar.headers import HEADER, Batches, Headers, Mask, UInt8s, read_batches
from kafkafmt.columnar.kernels import find_records
from kafkafmt.columnar.payloads import PayloadReader
from kafkafmt.columnar.rewriting import RecordPlaces, new_places
from kafkafmt.errors import CorruptError, OnDamage
from kafkafmt.files.read_window import ReadWindow, ReusedBuffer
from kafkafmt.limits import Limits
from kafkafmt.reference.entry import Entry
from kafkafmt.reference.header import LOG_APPEND_TIME as BY_BROKER
from kafkafmt.reference.layout import COMPRESSION, CURRENT_MAGIC, LOG_APPEND_TIME, LOG_OVERHEAD, RECORD_BATCH_OVERHEAD
from kafkafmt.writing.batch_builder import codec_of
from kafkafmt.writing.encoding import append_record

if TYPE_CHECKING:
    from collections.abc import Callable

    from kafkafmt.files.damage import Damage
    from kafkafmt.logdir.segment import Segment
    from kafkafmt.reference.header import BatchHeader

_AHEAD: Final = 4 << 20
_ONE: Final = np.ones(1, np.bool_)


@dataclass(frozen=True)
class StoredBatches:
    """Adjacent batches of a segment, with their records; valid until the next ones are read.

    Attributes:
        headers: headers of the batches, of type `HEADER`; an entry of format 0 or 1 has codec, timestamp type and
            times.
        last_offsets: last offset of each batch.
        position: position of `stored` in the file, in bytes.
        stored: bytes of the file that hold the batches.
        starts: start of each batch in `stored`.
        ends: end of each batch in `stored`.
        rows: number of the first record of each batch, followed by the number of records.
        source: bytes that hold the records.
        places: places of the records in `source`.
    """

    headers: Headers
    last_offsets: Int64s
    position: int
    stored: memoryview
    starts: Int64s
    ends: Int64s
    rows: Int64s
    source: UInt8s
    places: RecordPlaces

    def __len__(self) -> int:
        return len(self.headers)

    @cached_property
    def sizes(self) -> Int64s:
        """Stored size of each batch, in bytes."""
        sizes: Int64s = self.ends - self.starts
        return sizes

    @cached_property
    def counts(self) -> Int64s:
        """Number of records in each batch."""
        return np.diff(self.rows)

    @property
    def codecs(self) -> Int64s:
        """Codec id of each batch."""
        codecs: Int64s = (self.headers["attributes"] & COMPRESSION).astype(np.int64)
        return codecs

    def has(self, bits: int) -> Mask:
        """Mask of the batches that have one of these attribute bits set."""
        mask: Mask = (self.headers["attributes"] & bits) != 0
        return mask

    def of_batches(self, mask: Mask) -> Mask:
        """Mask of the records in some of the batches."""
        return np.repeat(mask, self.counts)

    def count_of(self, records: Mask) -> Int64s:
        """For each batch, how many of the chosen records it has."""
        before = np.zeros(len(records) + 1, np.int64)
        np.cumsum(records, out=before[1:])
        counts: Int64s = before[self.rows[1:]] - before[self.rows[:-1]]
        return counts


class BatchReader:
    """Reads the batches of segments, one segment after the other, and checks their CRCs.

    Args:
        limits: bounds of every decode.
        on_damage: "raise" at damage, or "skip" and report it.
        report: called with each `Damage`.
        advance: called with the number of bytes that were read.
    """

    def __init__(
        self,
        limits: Limits,
        on_damage: OnDamage,
        report: "Callable[[Damage], None]",
        advance: "Callable[[int], None]" = lambda _: None,
    ) -> None:
        self._limits = limits
        self._on_damage: OnDamage = on_damage
        self._report = report
        self._advance = advance
        self._payloads = PayloadReader(limits)
        self._buffer = ReusedBuffer()

    def read(self, segment: "Segment", following: "Segment | None") -> Iterator[StoredBatches]:
        """Read a segment.

        Args:
            segment: the segment.
            following: the next segment of the log; None for the last.

        Raises:
            DataError: there is damage, with on_damage="raise".
            SourceError: the file cannot be read.
        """
        with segment.open() as file:
            reader = segment.reader(
                file,
                following,
                limits=self._limits,
                on_damage=self._on_damage,
                report=self._report,
                ahead=_AHEAD,
                buffer=self._buffer,
            )
            for found in reader.bulk_walk(self._of_entry):
                if isinstance(found, ReadWindow):
                    yield from self._of_window(found)
                else:
                    self._advance(int(found.sizes.sum()))
                    yield found

    def _of_window(self, window: ReadWindow) -> Iterator[StoredBatches]:
        """Read batches of a window, up to the first unusual one."""
        while window.holds_entry and window.begins_batch:
            batches = window.batches()
            every = np.ones(len(batches), np.bool_)
            first = 0
            while first < len(batches):
                found = self._located(batches, first, every)
                if not len(found):
                    return
                window.take(batches[first : first + len(found)])
                self._advance(int(found.sizes.sum()))
                first += len(found)
                yield found
            if not len(batches):
                return

    def _located(self, batches: Batches, first: int, every: Mask) -> StoredBatches:
        """Batches from number `first` on, up to one that kernels cannot take, with the places of their records."""
        payloads = self._payloads.read(batches, first, every, every)
        count = len(payloads.chosen)
        taken = 0
        if count:
            headers = batches.headers[payloads.part]
            places = new_places(int(headers["num_records"].sum(dtype=np.int64)))
            taken = find_records(
                payloads.source, payloads.starts, payloads.ends, headers, self._limits.max_headers_per_record, places
            )
        else:
            places = new_places(0)
        after = payloads.next if taken == count else int(payloads.chosen[taken])
        if taken < count:
            self._payloads.read_less()
        return _stored(batches[first:after], payloads.source, places)

    def _of_entry(self, entry: Entry) -> StoredBatches:
        """A single entry, in the same form.

        Raises:
            DataError: its CRC is wrong, or its records cannot be read.
        """
        header = entry.checked_header(verify_checksum=True)
        entry.verify_checksum()
        if entry.frame.magic < CURRENT_MAGIC:
            return self._of_message(entry, header)
        batches = read_batches(memoryview(entry.data), 0, entry.position, self._limits)
        found = self._located(batches, 0, _ONE) if len(batches) == 1 else None
        if found is not None and len(found):
            return found
        codec = codec_of(header.compression or "none", CURRENT_MAGIC)
        content = decompress(codec, entry.data[RECORD_BATCH_OVERHEAD:], magic=CURRENT_MAGIC, limits=self._limits)
        if found is not None:
            source = np.frombuffer(b"".join((content, bytes(SLACK))), np.uint8)
            places = new_places(int(batches.headers["num_records"][0]))
            ends = np.array([len(content)], np.int64)
            if find_records(
                source, np.zeros(1, np.int64), ends, batches.headers, self._limits.max_headers_per_record, places
            ):
                return _stored(batches, source, places)
        for _ in entry.records(self._limits, header):
            pass
        raise CorruptError("the header of the batch contradicts its records").at(entry.file, entry.position)

    def _of_message(self, entry: Entry, header: "BatchHeader") -> StoredBatches:
        """A message or wrapper of format 0 or 1, with its records encoded as in format 2."""
        records = list(entry.records(self._limits, header))
        content = bytearray()
        for record in records:
            append_record(content, 0, 0, record.key, record.value, ())
        headers = np.zeros(1, HEADER)
        headers["size"], headers["magic"] = header.size_in_bytes - LOG_OVERHEAD, entry.frame.magic
        codec: int = Compression.NONE if header.compression is None else codec_of(header.compression, 0)
        headers["attributes"] = codec | (LOG_APPEND_TIME if header.timestamp_type == BY_BROKER else 0)
        headers["max_timestamp"] = -1 if header.max_timestamp is None else header.max_timestamp
        headers["partition_leader_epoch"] = headers["producer_id"] = -1
        headers["producer_epoch"] = headers["base_sequence"] = -1
        headers["num_records"] = len(records)
        headers["base_offset"] = records[0].offset if records else header.last_offset or 0
        source = np.frombuffer(b"".join((content, bytes(SLACK))), np.uint8)
        places = new_places(len(records))
        plain = headers.copy()
        plain["attributes"] = 0
        find_records(source, np.zeros(1, np.int64), np.array([len(content)], np.int64), plain, 0, places)
        places.offsets[:] = [record.offset for record in records]
        places.timestamps[:] = [record.timestamp for record in records]
        data = memoryview(entry.data)
        return StoredBatches(
            headers,
            np.array([header.last_offset or 0], np.int64),
            entry.position,
            data,
            np.zeros(1, np.int64),
            np.array([len(data)], np.int64),
            np.array([0, len(records)], np.int64),
            source,
            places,
        )


def _stored(batches: Batches, source: UInt8s, places: RecordPlaces) -> StoredBatches:
    rows = np.zeros(len(batches) + 1, np.int64)
    np.cumsum(batches.headers["num_records"], out=rows[1:])
    return StoredBatches(
        batches.headers,
        batches.last_offsets,
        batches.position,
        batches.data,
        batches.starts,
        batches.ends,
        rows,
        source,
        places.first(int(rows[-1])),
    )
