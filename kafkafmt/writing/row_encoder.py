"""RowEncoder: encodes rows of one partition as record batches, many at once, to the same bytes as `BatchBuilder`."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from kafkafmt.codec.compression import Compression, check_level, compress
from kafkafmt.reference import layout
from kafkafmt.reference.header import CREATE_TIME, INT32_MAX, LOG_APPEND_TIME, NO_TIMESTAMP_TYPE
from kafkafmt.reference.layout import CONTROL, CURRENT_MAGIC, RECORD_BATCH_OVERHEAD, TRANSACTIONAL
from kafkafmt.writing.batch_builder import BatchBuilder, codec_of

if TYPE_CHECKING:
    from kafkafmt.columnar.encoder import Rows
    from kafkafmt.columnar.headers import Headers

HEADERS = pa.list_(pa.struct([pa.field("key", pa.binary()), pa.field("value", pa.binary())]))
"""Type of the column of headers. Names need not be UTF-8."""

Bools = npt.NDArray[np.bool_]
Int64s = npt.NDArray[np.int64]

_STRETCH = 1 << 21


class RowProducers(NamedTuple):
    """The producer fields of rows, each an array of shape (n,)."""

    producer_id: Int64s
    producer_epoch: Int64s
    sequence: Int64s
    is_transactional: Bools
    is_control: Bools

    def part(self, begin: int, end: int) -> "RowProducers":
        """The fields of some rows."""
        return RowProducers._make(column[begin:end] for column in self)

    def joined(self, other: "RowProducers") -> "RowProducers":
        """The fields of these rows and the next ones."""
        return RowProducers._make(np.concatenate(pair) for pair in zip(self, other, strict=True))


@dataclass(frozen=True, slots=True)
class PartitionRows:
    """Rows of one partition.

    Attributes:
        offsets: rising; shape (n,).
        timestamps: ms since the epoch; shape (n,).
        keys: binary array.
        values: binary array.
        headers: array of type `HEADERS`.
        producers: producer fields; None for rows without producers.
    """

    offsets: Int64s
    timestamps: Int64s
    keys: pa.Array
    values: pa.Array
    headers: pa.Array
    producers: RowProducers | None

    def __len__(self) -> int:
        return len(self.offsets)

    @property
    def nbytes(self) -> int:
        """Size of keys, values and headers in bytes."""
        return int(self.keys.nbytes + self.values.nbytes + self.headers.nbytes)

    def part(self, begin: int, end: int) -> "PartitionRows":
        """Some of the rows, without copying."""
        return PartitionRows(
            self.offsets[begin:end],
            self.timestamps[begin:end],
            self.keys[begin:end],
            self.values[begin:end],
            self.headers[begin:end],
            None if self.producers is None else self.producers.part(begin, end),
        )

    def copied(self) -> "PartitionRows":
        """The same rows, copied so that they keep no other memory alive."""
        return self.joined(self.part(0, 0))

    def joined(self, other: "PartitionRows") -> "PartitionRows":
        """These rows, followed by others."""
        return PartitionRows(
            np.concatenate([self.offsets, other.offsets]),
            np.concatenate([self.timestamps, other.timestamps]),
            pa.concat_arrays([self.keys, other.keys]),
            pa.concat_arrays([self.values, other.values]),
            pa.concat_arrays([self.headers, other.headers]),
            None if self.producers is None or other.producers is None else self.producers.joined(other.producers),
        )


class RowEncoder:
    """Makes batches of the rows of one partition, which come in parts; the last batch waits for more rows.

    Args:
        message_format: 0, 1 or 2.
        compression: name of the codec.
        compression_level: level of the codec; None for Kafka's default.
        batch_bytes: size limit of a batch, as a producer applies it.
        timestamp_type: "CreateTime"; or "LogAppendTime", with rows of one timestamp in each batch.
        leader_epoch: leader epoch of all batches.

    Raises:
        ValueError: an argument is invalid.
    """

    def __init__(
        self,
        *,
        message_format: int,
        compression: str,
        compression_level: int | None,
        batch_bytes: int,
        timestamp_type: str,
        leader_epoch: int,
    ) -> None:
        self._magic = message_format
        self._codec = codec_of(compression, message_format)
        check_level(self._codec, compression_level)
        self._level = compression_level
        self._limit = batch_bytes
        self._is_append_time = timestamp_type == LOG_APPEND_TIME
        self._leader_epoch = leader_epoch
        self.waiting: PartitionRows | None = None
        """Rows that wait for their batch to be full."""

    @property
    def ratio(self) -> float | None:
        """Estimated compression ratio by which batches are cut; None without compression."""
        return None if self._codec == Compression.NONE else 1.0

    @property
    def waiting_bytes(self) -> int:
        """Bytes of the waiting rows."""
        return 0 if self.waiting is None else self.waiting.nbytes

    def add(self, rows: PartitionRows) -> Iterator[bytes | memoryview]:
        """Take more rows; gives the batches that are complete, many in one buffer."""
        if self.waiting is not None:
            rows = self.waiting.joined(rows)
            self.waiting = None
        if len(rows):
            yield from self._encode(rows, is_end=False)

    def finish(self) -> Iterator[bytes | memoryview]:
        """Give the last batch."""
        if self.waiting is not None:
            rows, self.waiting = self.waiting, None
            yield from self._encode(rows, is_end=True)

    def _encode(self, rows: PartitionRows, *, is_end: bool) -> Iterator[bytes | memoryview]:
        from kafkafmt.columnar import encoder  # noqa: PLC0415 - kernels take a while

        breaks = self._breaks(rows)
        if self._magic < CURRENT_MAGIC:
            yield from self._messages(rows, breaks, is_end=is_end)
            return
        content = encoder.rows_of(rows.offsets, rows.timestamps, rows.keys, rows.values, rows.headers)
        begins, sizes = encoder.cut(content, breaks, self._limit, RECORD_BATCH_OVERHEAD, self.ratio)
        if not is_end:
            last = int(begins[-1])
            self.waiting = rows.part(last, len(rows)).copied()
            begins, sizes = begins[:-1], sizes[:last]
            if not len(begins):
                return
            rows = rows.part(0, last)
        yield from self._batches(rows, content, begins, sizes)

    def _batches(
        self, rows: PartitionRows, content: "Rows", begins: Int64s, sizes: Int64s
    ) -> Iterator[bytes | memoryview]:
        from kafkafmt.columnar import encoder  # noqa: PLC0415 - as above

        headers = self._headers(rows, begins)
        ends = np.append(np.cumsum(sizes)[begins[1:] - 1], sizes.sum())
        # In stretches that stay in the processor's cache, and whose memory the next one gets.
        stretches = np.unique(np.append(np.searchsorted(ends, np.arange(_STRETCH, ends[-1], _STRETCH)), len(begins)))
        for first, end in pairwise([0, *stretches.tolist()]):
            if first == end:
                continue
            some = sizes[: int(begins[end])] if end < len(begins) else sizes
            if self._codec == Compression.NONE:
                yield encoder.encode(content, begins[first:end], some, headers[first:end]).data
                continue
            records, starts = encoder.encode_records(content, begins[first:end], some)
            stored = [
                compress(self._codec, records.data[start:stop], magic=self._magic, level=self._level)
                for start, stop in pairwise(starts.tolist())
            ]
            yield encoder.close(stored, headers[first:end]).data

    def _headers(self, rows: PartitionRows, begins: Int64s) -> "Headers":
        """Make headers of batches, without the fields that depend on their bytes."""
        from kafkafmt.columnar.headers import STORED  # noqa: PLC0415 - as above

        lasts = np.append(begins[1:], len(rows)) - 1
        headers = np.zeros(len(begins), STORED)
        headers["base_offset"] = rows.offsets[begins]
        headers["partition_leader_epoch"] = self._leader_epoch
        headers["magic"] = CURRENT_MAGIC
        headers["attributes"] = self._codec | (layout.LOG_APPEND_TIME if self._is_append_time else 0)
        headers["last_offset_delta"] = rows.offsets[lasts] - rows.offsets[begins]
        headers["base_timestamp"] = rows.timestamps[begins]
        headers["max_timestamp"] = np.maximum(np.maximum.reduceat(rows.timestamps, begins), -1)
        headers["num_records"] = lasts - begins + 1
        if rows.producers is None:
            for name in ("producer_id", "producer_epoch", "base_sequence"):
                headers[name] = -1
        else:
            producer_id, producer_epoch, sequence, is_transactional, is_control = rows.producers
            headers["producer_id"] = producer_id[begins]
            headers["producer_epoch"] = producer_epoch[begins]
            headers["base_sequence"] = sequence[begins]
            headers["attributes"] += is_transactional[begins] * np.uint16(TRANSACTIONAL)
            headers["attributes"] += is_control[begins] * np.uint16(CONTROL)
        return headers

    def _breaks(self, rows: PartitionRows) -> Bools:
        """Find the rows that cannot be in the same batch as the previous row."""
        breaks = np.zeros(len(rows), np.bool_)
        breaks[:1] = True
        if self._is_append_time:
            breaks[1:] |= rows.timestamps[1:] != rows.timestamps[:-1]
        if rows.producers is not None:
            producer_id, producer_epoch, sequence, is_transactional, is_control = rows.producers
            for column in (producer_id, producer_epoch, is_transactional, is_control):
                breaks[1:] |= column[1:] != column[:-1]
            breaks |= is_control
            has_sequence = sequence[1:] >= 0
            steps = sequence[1:] - sequence[:-1] != rows.offsets[1:] - rows.offsets[:-1]
            breaks[1:] |= (has_sequence & steps) | (has_sequence != (sequence[:-1] >= 0))
        return breaks

    def _messages(self, rows: PartitionRows, breaks: Bools, *, is_end: bool) -> Iterator[bytes]:
        """Make messages of format 0 and 1, one by one."""
        timestamp_type = LOG_APPEND_TIME if self._is_append_time else CREATE_TIME
        builder: BatchBuilder | None = None
        begin = base = 0
        columns = (rows.offsets.tolist(), rows.timestamps.tolist(), rows.keys.to_pylist(), rows.values.to_pylist())
        for row, (offset, timestamp, key, value) in enumerate(zip(*columns, strict=True)):
            if builder is not None and (
                breaks[row] or offset - base > INT32_MAX or not builder.has_room_for(timestamp, key, value)
            ):
                yield builder.build()
                builder = None
            if builder is None:
                begin, base = row, offset
                builder = BatchBuilder(
                    message_format=self._magic,
                    compression=self._codec.label,
                    compression_level=self._level,
                    timestamp_type=timestamp_type if self._magic else NO_TIMESTAMP_TYPE,
                    log_append_time=timestamp,
                    base_offset=offset,
                    size_limit=self._limit,
                )
            builder.append(timestamp, key, value, offset=offset)
        if not is_end:
            self.waiting = rows.part(begin, len(rows)).copied()
        elif builder is not None:
            yield builder.build()
