"""Adjacent batches (format v2) by their headers, many at once with numpy: reading, checking, describing.

Only whole batches with sound headers are taken; the walk stops before any other entry, which the reference engine then
judges.
"""

import struct
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, ForwardRef, TypeAlias

from kafkafmt.cached import cached_property
from kafkafmt.codec.checksum import crc32c
from kafkafmt.codec.compression import LABELS, last_codec
from kafkafmt.libraries import np, npt
from kafkafmt.limits import Limits
from kafkafmt.reference import header
from kafkafmt.reference.header import CREATE_TIME, INT32_MAX, INT64_MAX, BatchHeader, increment_sequence
from kafkafmt.reference.layout import (
    COMPRESSION,
    CONTROL,
    CURRENT_MAGIC,
    DELETE_HORIZON,
    LOG_APPEND_TIME,
    LOG_OVERHEAD,
    RECORD_BATCH_OVERHEAD,
    TRANSACTIONAL,
    crc_span,
)
from kafkafmt.reference.record_batch import SMALLEST_RECORD

if TYPE_CHECKING:
    STORED: np.dtype[np.void]
    """A batch header as stored."""

    HEADER: np.dtype[np.void]
    """Fields of a batch header, named as in `kafka_record_batch.ksy`; `size` counts the bytes after the first 12."""

# formats/kafka_log_segment.ksy (offset, size) and formats/kafka_record_batch.ksy (the rest).
_FIELDS = (
    ("base_offset", ">i8"),
    ("size", ">i4"),
    ("partition_leader_epoch", ">i4"),
    ("magic", "i1"),
    ("crc", ">u4"),
    ("attributes", ">u2"),
    ("last_offset_delta", ">i4"),
    ("base_timestamp", ">i8"),
    ("max_timestamp", ">i8"),
    ("producer_id", ">i8"),
    ("producer_epoch", ">i2"),
    ("base_sequence", ">i4"),
    ("num_records", ">i4"),
)


def __getattr__(name: str) -> object:
    if name not in {"STORED", "HEADER"}:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _types()[name == "HEADER"]


@cache
def _types() -> "tuple[np.dtype[np.void], np.dtype[np.void]]":
    """`STORED` and `HEADER`."""
    stored = np.dtype([*_FIELDS])
    return stored, stored.newbyteorder("=")


# Codec (3 bits), timestamp type, transactional, control, delete horizon; higher bits have no meaning yet.
KNOWN_BITS = 0x7F
LAST_CODEC = last_codec(CURRENT_MAGIC)

# From this many bytes on, the kernel for this walk is faster, if it is loaded, despite the cost of calling it.
_KERNEL = "kafkafmt.columnar.header_walk"
_WORTH_A_KERNEL = 1 << 16
_SIZE_AND_MAGIC = struct.Struct(">8xi4xb")
_SMALLEST = RECORD_BATCH_OVERHEAD - LOG_OVERHEAD

if TYPE_CHECKING:
    Headers: TypeAlias = npt.NDArray[np.void]
    Positions: TypeAlias = npt.NDArray[np.int64]
    Mask: TypeAlias = npt.NDArray[np.bool_]
    UInt8s: TypeAlias = npt.NDArray[np.uint8]
else:
    Headers, Positions, Mask, UInt8s = (
        ForwardRef(f"npt.NDArray[np.{kind}]", module=__name__) for kind in ("void", "int64", "bool_", "uint8")
    )


@dataclass(frozen=True)
class Batches:
    """Whole record batches in a stretch of a file: all adjacent ones, or some of them.

    Attributes:
        data: bytes of the stretch, which their owner may overwrite once the batches are no longer used.
        position: position of `data` in the file, in bytes.
        starts: start of each batch in `data`; shape (n,).
        headers: headers; shape (n,), of type `HEADER`.
    """

    data: memoryview
    position: int
    starts: Positions
    headers: Headers

    def __len__(self) -> int:
        return len(self.starts)

    @cached_property
    def ends(self) -> Positions:
        """End of each batch in `data`."""
        ends: Positions = self.starts + (self.headers["size"].astype(np.int64) + LOG_OVERHEAD)
        return ends

    @property
    def last_offsets(self) -> Positions:
        """Last offset of each batch, the base offset plus the last offset delta."""
        offsets: Positions = self.headers["base_offset"] + self.headers["last_offset_delta"]
        return offsets

    def plausible(self) -> Mask:
        """The headers whose fields agree, as in every batch that Kafka writes, as a mask.

        Does the same as `reference.record_batch.is_plausible` for every batch.
        """
        headers = self.headers
        count = headers["num_records"]
        payload = headers["size"] - _SMALLEST
        base_timestamp_counts = (headers["attributes"] & (LOG_APPEND_TIME | DELETE_HORIZON)) == 0
        plausible: Mask = (
            (count <= headers["last_offset_delta"].astype(np.int64) + 1)
            & ((count > 0) == (payload > 0))
            & (~base_timestamp_counts | (headers["max_timestamp"] >= headers["base_timestamp"]))
        )
        return plausible

    def without_data(self) -> "Batches":
        """The same batches without their bytes, so that the memory can be reused."""
        return Batches(memoryview(b""), self.position, self.starts, self.headers)

    def __getitem__(self, part: "slice | npt.NDArray[np.intp]") -> "Batches":
        """Choose some batches, by a slice or by their numbers."""
        return Batches(self.data, self.position, self.starts[part], self.headers[part])


def joined(parts: Sequence[Batches]) -> Batches:
    """Join batches of several stretches of a file into one, without the bytes."""
    starts = np.concatenate([part.starts + part.position for part in parts])
    return Batches(memoryview(b""), 0, starts, np.concatenate([part.headers for part in parts]))


def read_batches(data: memoryview, begin: int, position: int, limits: Limits, *, end: int | None = None) -> Batches:
    """Read the headers of adjacent batches in `data`, from `begin` on.

    These batches are whole, of format 2, and have known attributes; their record counts and last offset deltas are
    possible and within `limits`. Any other entry ends the walk, also one that is only cut off by the end of `data`.

    Args:
        data: bytes of a file.
        begin: position of the first entry in `data`.
        position: position of `data` in the file, in bytes.
        limits: bounds, of which `max_batch_bytes` and `max_records_per_batch` are used.
        end: position in `data`; batches that end after it are not taken. None for the end of `data`.
    """
    end = len(data) if end is None else end
    # The kernel's module may be half imported by another thread, so its attribute is read with a default.
    walk = getattr(sys.modules.get(_KERNEL), "walk_headers", None) if end - begin >= _WORTH_A_KERNEL else None
    if walk is not None:
        return Batches(data, position, *walk(data, begin, end, limits))
    starts = np.fromiter(_starts(data, begin, end, limits.max_batch_bytes - LOG_OVERHEAD), np.int64)
    # A view with a header at every byte, from which numpy copies the chosen ones: a list of slices would be thousands
    # of objects for Python's garbage collector.
    stored, header_type = _types()
    everywhere = np.ndarray(max(end - RECORD_BATCH_OVERHEAD + 1, 0), stored, data, strides=(1,))
    headers = everywhere[starts].astype(header_type)
    sound = _in_order(headers, limits)
    if not sound.all():
        first = int(sound.argmin())
        headers, starts = headers[:first], starts[:first]
    return Batches(data, position, starts, headers)


def _starts(data: memoryview, begin: int, total: int, most: int) -> Iterator[int]:
    read = _SIZE_AND_MAGIC.unpack_from
    last = total - RECORD_BATCH_OVERHEAD
    start = begin
    while start <= last:
        size, magic = read(data, start)
        if magic != CURRENT_MAGIC or not _SMALLEST <= size <= most:
            return
        end = start + LOG_OVERHEAD + size
        if end > total:
            return
        yield start
        start = end


def _in_order(headers: Headers, limits: Limits) -> Mask:
    attributes = headers["attributes"]
    codec = attributes & COMPRESSION
    count = headers["num_records"]
    payload = headers["size"] - _SMALLEST
    delta = headers["last_offset_delta"]
    sound: Mask = (
        (attributes <= KNOWN_BITS)
        & (codec <= LAST_CODEC)
        & (count >= 0)
        & (count <= limits.max_records_per_batch)
        & ((codec != 0) | (count <= payload // SMALLEST_RECORD))
        & (delta >= 0)
        & (headers["base_offset"] >= 0)
        & (headers["base_offset"] <= np.int64(INT64_MAX) - delta)
    )
    return sound


_CRC_INPUT = crc_span(CURRENT_MAGIC)[1]


def first_wrong(batches: Batches, checked: Mask | None = None) -> int:
    """Number of batches before the first one whose CRC-32C differs from its bytes.

    Args:
        batches: whole batches.
        checked: the batches to check; None for all.
    """
    data = batches.data
    starts = batches.starts + _CRC_INPUT
    ends = batches.ends
    crcs = batches.headers["crc"]
    numbers = np.arange(len(batches))
    if checked is not None and not checked.all():
        numbers, starts, ends, crcs = numbers[checked], starts[checked], ends[checked], crcs[checked]
    columns = numbers.tolist(), starts.tolist(), ends.tolist(), crcs.tolist()
    for number, start, end, crc in zip(*columns, strict=True):
        if crc32c(data[start:end]) != crc:
            return int(number)
    return len(batches)


def descriptions(batches: Batches, file: str | None, *, is_valid: bool | None = None) -> Iterator[BatchHeader]:
    """Describe batches by their headers alone.

    Args:
        batches: the batches, in order.
        file: name of their file.
        is_valid: known result of checking their CRCs: True if valid, None if not checked.
    """
    position = batches.position
    for start, fields in zip(batches.starts.tolist(), batches.headers.tolist(), strict=True):
        (
            base_offset,
            size,
            partition_leader_epoch,
            magic,
            crc,
            attributes,
            last_offset_delta,
            base_timestamp,
            max_timestamp,
            producer_id,
            producer_epoch,
            base_sequence,
            num_records,
        ) = fields
        if base_sequence == -1:
            last_sequence = -1
        elif 0 <= base_sequence <= INT32_MAX - last_offset_delta:
            last_sequence = base_sequence + last_offset_delta
        else:
            last_sequence = increment_sequence(base_sequence, last_offset_delta)
        yield BatchHeader(
            file,
            position + start,
            LOG_OVERHEAD + size,
            base_offset,
            magic,
            base_offset + last_offset_delta,
            crc,
            is_valid,
            LABELS[attributes & COMPRESSION],
            header.LOG_APPEND_TIME if attributes & LOG_APPEND_TIME else CREATE_TIME,
            max_timestamp,
            base_timestamp,
            partition_leader_epoch,
            producer_id,
            producer_epoch,
            base_sequence,
            last_sequence,
            attributes & TRANSACTIONAL != 0,
            attributes & CONTROL != 0,
            base_timestamp if attributes & DELETE_HORIZON else None,
            num_records,
        )


ABORT, COMMIT, OTHER_MARKER = 0, 1, -1

# formats/kafka_record.ksy: length, attributes, timestamp delta, offset delta, length of the key; the key has the
# version and type of formats/kafka_control_record_key.ksy; length of the value, which has the version and epoch of
# formats/kafka_end_transaction_marker.ksy; number of headers. 0xff matches any byte.
_MARKER = bytes.fromhex("20 00 00 00 08 0000 00ff 0c 0000 ffffffff 00")
_MARKER_TYPE = 8
_MARKER_SIZE = RECORD_BATCH_OVERHEAD + len(_MARKER) - LOG_OVERHEAD


def marker_types(batches: Batches) -> "npt.NDArray[np.int8]":
    """`ABORT` or `COMMIT` for each control batch, or `OTHER_MARKER`, which ends no transaction.

    Args:
        batches: control batches; they need not be adjacent.
    """
    headers = batches.headers
    types = np.full(len(batches), OTHER_MARKER, np.int8)
    fits = np.flatnonzero(
        (headers["size"] == _MARKER_SIZE) & (headers["num_records"] == 1) & ((headers["attributes"] & COMPRESSION) == 0)
    )
    if len(fits):
        data = np.frombuffer(batches.data, np.uint8)
        records = data[(batches.starts[fits] + RECORD_BATCH_OVERHEAD)[:, None] + np.arange(len(_MARKER))]
        marker = np.frombuffer(_MARKER, np.uint8)
        known = ((records == marker) | (marker == 0xFF)).all(axis=1) & (records[:, _MARKER_TYPE] <= COMMIT)
        types[fits[known]] = records[known, _MARKER_TYPE]
    return types
