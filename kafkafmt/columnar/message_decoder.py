"""Decodes messages of formats v0 and v1, plain and wrapped, to Arrow record batches, many at once."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from kafkafmt.codec.compression.buffer import SLACK
from kafkafmt.codec.compression.scratch import Scratch
from kafkafmt.columnar.figures import Int64s
from kafkafmt.columnar.headers import Positions, UInt8s
from kafkafmt.columnar.kernels import find_frames, find_wrappers, walk_inner_sets, walk_plain_messages
from kafkafmt.columnar.messages import ATTRIBUTES_OFFSET, FRAME, MAGIC_SHIFT, SMALLEST_MESSAGE, WRAPPER, Provenance
from kafkafmt.columnar.outputs import (
    ROWS,
    Buffers,
    Columns,
    Needs,
    Totals,
    filled_bytes,
    new_columns,
    record_arrays,
)
from kafkafmt.columnar.row_filter import Kept
from kafkafmt.columnar.shared_columns import Constants, Counts
from kafkafmt.columns import value_of_origin
from kafkafmt.errors import KafkafmtError
from kafkafmt.limits import Limits
from kafkafmt.record_columns import COLUMNS, Origin, RecordColumn
from kafkafmt.reference.header import CREATE_TIME, NO_TIMESTAMP_TYPE, BatchHeader
from kafkafmt.reference.layout import COMPRESSION, LOG_OVERHEAD, read_size
from kafkafmt.reference.record import Record

_TARGET = 4 << 20
# For a single larger entry, arrays for everything that it might hold are too expensive.
_LARGEST = 1 << 28
_WRAPPERS_AT_ONCE = 256
# Space for more rows than the average size of messages so far suggests.
_MARGIN = 1.125

# The bits of a message's kind that hold its attributes.
_ATTRIBUTES = (1 << MAGIC_SHIFT) - 1
# Columns that kernels fill in these formats.
_FILLED = {"key", "value", "offset", "timestamp", "baseOffset", "position"}


def _sample(magic: int) -> Record:
    """A record whose values differ from every constant, in the fields of its format."""
    kind, timestamp = (CREATE_TIME, 107) if magic else (NO_TIMESTAMP_TYPE, -1)
    batch = BatchHeader(
        file="sample",
        position=101,
        size_in_bytes=102,
        base_offset=103,
        magic=magic,
        last_offset=104,
        crc=105,
        is_valid=True,
        compression="gzip",
        timestamp_type=kind,
        max_timestamp=timestamp,
        count=106,
    )
    return Record(batch, 103, timestamp, kind, -1, b"key", b"value", [])


def require_filled(columns: Iterable[RecordColumn]) -> None:
    """Check that every column is filled, or constant: its value in the reference engine is always `absent`.

    Raises:
        TypeError: messages would silently have a wrong value in a column.
    """
    for column in columns:
        if column.of_origin or column.name in _FILLED or callable(column.absent):
            continue
        for record in (_sample(0), _sample(1)):
            value = column.of_record(record) if column.of_record else column.of_batch and column.of_batch(record.batch)
            if value != column.absent:
                raise TypeError(
                    f"column {column.name}: format v{record.batch.magic} has a value, and no kernel fills it: make"
                    " `absent` a function of magic and attributes, or fill it in columnar/kernels/messages.py and name"
                    " it in _FILLED of columnar/message_decoder.py"
                )


require_filled(COLUMNS.values())


@dataclass(slots=True)
class _Rows:
    """A record batch while it is filled.

    Attributes:
        columns: the messages' own fields.
        provenance: columns with the origin of messages.
        most: number of rows that fit.
        totals: filled sizes, named as in `Totals`.
        room: number of message bytes that still fit.
        taken: number of message bytes taken so far.
    """

    columns: Columns
    provenance: Provenance
    most: int
    totals: Int64s
    room: int
    taken: int = 0

    def take(self, size: int) -> None:
        """Note that message bytes have been taken."""
        self.room -= size
        self.taken += size


class MessageDecoder:
    """Decodes messages in bulk if they are sound and ordinary; for use by one thread.

    Args:
        schema: columns, any of `kafkafmt.columns.SCHEMA` in any order.
        limits: bounds of decoding.
        buffers: source of arrays.
        constants: source of constant columns.
        verify_checksums: whether to check CRCs of messages, wrappers and the messages inside them.

    Attributes:
        ratio: size of the last messages, relative to the size of their entries; None before the first.
    """

    __slots__ = (
        "_buffers",
        "_constants",
        "_limits",
        "_message_size",
        "_names",
        "_schema",
        "_scratch",
        "_verify",
        "_wrappers",
        "ratio",
    )

    def __init__(
        self,
        schema: pa.Schema,
        limits: Limits,
        buffers: Buffers,
        constants: Constants,
        *,
        verify_checksums: bool,
    ) -> None:
        self._schema = schema
        self._names = set(schema.names)
        self._verify = verify_checksums
        self._limits = limits
        self._buffers = buffers
        self._constants = constants
        self._scratch = Scratch(limits)
        self._message_size: float = SMALLEST_MESSAGE
        self.ratio: float | None = None
        self._wrappers = np.zeros(_WRAPPERS_AT_ONCE, WRAPPER)

    def reset(self) -> int:
        """Forget the decoded data; return the number of bytes of memory kept, without those of the buffers."""
        self._message_size = SMALLEST_MESSAGE
        self.ratio = None
        return self._scratch.reset()

    def decode(
        self, origin: Origin, data: memoryview, position: int, begin: int, end: int, kept: Kept
    ) -> tuple[pa.RecordBatch | None, int]:
        """Decode adjacent messages and wrappers, as many as make a record batch of some megabytes.

        Args:
            origin: where the entries were read.
            data: bytes of a file.
            position: position of `data` in the file, in bytes.
            begin: position of the first entry in `data`.
            end: position in `data`; entries that end after it are not taken.
            kept: selects the messages that become rows.

        Returns:
            The records, or None, and the position to continue from. If that is `begin`, the entry there is left to the
            reference engine: it is of another format, cut off, damaged, or unusual.
        """
        log = _Log(data.toreadonly(), position, end, kept)
        rows: _Rows | None = None
        at = begin
        while end - at >= SMALLEST_MESSAGE:
            before = at
            walk = self._wrapped if log.data[at + ATTRIBUTES_OFFSET] & COMPRESSION else self._plain
            rows, at = walk(log, at, rows)
            if at == before or (rows is not None and rows.room < _TARGET // 16):
                break
        if rows is not None and at > begin:
            self.ratio = rows.taken / (at - begin)
        if rows is None or not rows.totals[ROWS]:
            return None, at
        if kept.all:
            self._message_size = rows.taken / int(rows.totals[ROWS])
        return self._record_batch(origin, rows), at

    def frames(self, data: memoryview, begin: int, end: int) -> npt.NDArray[np.void]:
        """Positions of the messages and wrappers between `begin` and `end` that `decode` took; of type `FRAME`."""
        frames = np.empty((end - begin) // SMALLEST_MESSAGE, FRAME)
        return frames[: find_frames(np.frombuffer(data.toreadonly(), np.uint8), begin, end, frames)]

    def wrappers(self, data: memoryview, begin: int, end: int) -> Positions:
        """Ends of the adjacent wrappers from `begin` on, none of them past `end`."""
        source, found = np.frombuffer(data.toreadonly(), np.uint8), self._wrappers
        ends = [np.empty(0, np.int64)]
        count = len(found)
        while count == len(found):
            count = find_wrappers(source, begin, end, self._limits.max_batch_bytes, found)
            ends.append(found["end"][:count].astype(np.int64))
            begin = int(ends[-1][-1]) if count else begin
        return np.concatenate(ends)

    def _plain(self, log: "_Log", begin: int, rows: _Rows | None) -> tuple[_Rows | None, int]:
        """Take uncompressed messages."""
        if rows is None:
            first = LOG_OVERHEAD + read_size(log.data, begin)
            if first > min(log.end - begin, self._limits.max_batch_bytes, _LARGEST):
                return None, begin
            rows = self._new_rows(max(first, min(log.end - begin, _TARGET)), first, log.kept)
        end = min(log.end, begin + rows.room)
        # Copies read a little past the end of their source.
        in_place = min(end, len(log.data) - SLACK)
        at = begin
        if begin < in_place:
            at = self._walk_plain(log.array[: in_place + SLACK], begin, in_place, log.position, log.kept, rows)
        if end - at >= SMALLEST_MESSAGE and in_place < at + LOG_OVERHEAD + read_size(log.data, at) <= end:
            rest = np.zeros(end - at + SLACK, np.uint8)
            rest[: end - at] = log.array[at:end]
            rest.flags.writeable = False
            at += self._walk_plain(rest, 0, end - at, log.position + at, log.kept, rows)
        rows.take(at - begin)
        return rows, at

    def _walk_plain(self, source: UInt8s, begin: int, end: int, position: int, kept: Kept, rows: _Rows) -> int:
        return walk_plain_messages(
            source,
            begin,
            end,
            position,
            self._limits.max_batch_bytes,
            self._verify,
            kept,
            rows.columns,
            rows.provenance,
            rows.most,
            rows.totals,
        )

    def _wrapped(self, log: "_Log", begin: int, rows: _Rows | None) -> tuple[_Rows | None, int]:
        """Take the inner sets of wrappers."""
        wrappers = self._wrappers
        found = wrappers[: find_wrappers(log.array, begin, log.end, self._limits.max_batch_bytes, wrappers)]
        bounds = self._decompress(log, found, _LARGEST if rows is None else rows.room)
        if len(bounds) == 1:
            return rows, begin
        if rows is None:
            rows = self._new_rows(max(bounds[-1], _TARGET), bounds[1], log.kept)
        taken = walk_inner_sets(
            log.array,
            wrappers,
            np.frombuffer(self._scratch.content(), np.uint8),
            np.array(bounds, np.int64),
            log.position,
            self._limits.max_records_per_batch,
            self._verify,
            log.kept,
            rows.columns,
            rows.provenance,
            rows.most,
            rows.totals,
        )
        if taken == 0:
            # The reference engine will decompress this wrapper again, so its memory is not kept.
            self._scratch.clear()
        rows.take(bounds[taken])
        return rows, int(wrappers["end"][taken - 1]) if taken else begin

    def _decompress(self, log: "_Log", wrappers: npt.NDArray[np.void], room: int) -> list[int]:
        """Decompress wrappers side by side, up to one that fails or does not fit; return their bounds."""
        scratch = self._scratch
        scratch.clear()
        bounds = [0]
        fields = (wrappers[name].tolist() for name in ("value_start", "end", "attributes", "magic"))
        for start, end, attributes, magic in zip(*fields, strict=True):
            try:
                scratch.add(attributes & COMPRESSION, log.data[start:end], magic)
            except KafkafmtError:
                break
            if scratch.used > room:
                break
            bounds.append(scratch.used)
            if scratch.used >= _TARGET:
                break
        return bounds

    def _new_rows(self, room: int, first: int, kept: Kept) -> _Rows:
        """Take arrays for messages of `room` bytes, and for at least all rows of a first entry of `first` bytes."""
        most = room // SMALLEST_MESSAGE
        if kept.all:
            # Arrays sized by the average message so far are well filled, and can be passed to Arrow without copying.
            most = min(most, max(first // SMALLEST_MESSAGE, int(_MARGIN * room / self._message_size)))
        columns = new_columns(self._buffers, self._names & _FILLED, Needs(most, room, 0))
        provenance = Provenance(columns.base_offset, columns.position, self._buffers.take("kind", most, np.uint8))
        return _Rows(columns, provenance, most, np.zeros(len(Totals._fields), np.int64), room)

    def _record_batch(self, origin: Origin, rows: _Rows) -> pa.RecordBatch:
        totals = Totals(*rows.totals.tolist())
        self._buffers.filled = max(self._buffers.filled, rows.taken, filled_bytes(totals))
        kinds = rows.provenance.kind[: totals.rows]
        counts = np.ones(totals.rows, np.int64)
        if (kinds == kinds[0]).all():
            kinds, counts = kinds[:1], np.array([totals.rows])
        found = record_arrays(rows.columns, totals)
        arrays = [
            found[field.name] if field.name in found else self._shared(field, origin, kinds, counts, totals.rows)
            for field in self._schema
        ]
        return pa.RecordBatch.from_arrays(arrays, schema=self._schema)

    def _shared(self, field: pa.Field, origin: Origin, kinds: UInt8s, counts: Counts, count: int) -> pa.Array:
        """A column whose value is the same for all messages of an entry."""
        column = COLUMNS[field.name]
        if column.of_origin is not None:
            return self._constants.column(field, value_of_origin(column, origin), count)
        if callable(column.absent):
            values = column.absent(kinds >> MAGIC_SHIFT, kinds & _ATTRIBUTES)
            return self._constants.runs(field, values, counts, count)
        return self._constants.column(field, column.absent, count)


class _Log:
    """Bytes of a file, in the forms for Python and kernels, with their position, end, and the selection of messages."""

    __slots__ = ("array", "data", "end", "kept", "position")

    def __init__(self, data: memoryview, position: int, end: int, kept: Kept) -> None:
        self.data = data
        self.array: UInt8s = np.frombuffer(data, np.uint8)
        self.position = position
        self.end = end
        self.kept = kept
