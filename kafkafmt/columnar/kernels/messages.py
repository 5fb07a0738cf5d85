"""The walk over messages of formats v0 and v1: stored bytes in, columns out (`formats/kafka_message.ksy`).

There are three kernels: one walks adjacent plain messages in a log; one finds wrappers there; and once these are
decompressed, one walks their inner sets. They stop before the first unsound or unusual entry, which is left to the
reference engine.

A message has at least 26 bytes in v0 and 34 in v1, so the bytes of a stretch bound its rows, its keys and its values;
kernels do not compare each write with the size of its array.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from kafkafmt.codec.compression import last_codec
from kafkafmt.columnar.figures import Int64s
from kafkafmt.columnar.headers import UInt8s
from kafkafmt.columnar.kernels.access import byte_at, clear_bit, copy, int32_at, int64_at, put, uint32_at
from kafkafmt.columnar.kernels.column_space import fill_nulls
from kafkafmt.columnar.kernels.compiling import kernel, part
from kafkafmt.columnar.kernels.crc import crc32
from kafkafmt.columnar.kernels.needles import is_kept
from kafkafmt.columnar.messages import ATTRIBUTES_OFFSET, MAGIC_SHIFT, SMALLEST_MESSAGE, Provenance
from kafkafmt.columnar.outputs import KEY_BYTES, KEY_ROWS, NULL_KEY, NULL_VALUE, NULLS, ROWS, VALUE_BYTES, Columns
from kafkafmt.columnar.row_filter import Kept
from kafkafmt.reference.layout import (
    COMPRESSION,
    LARGEST_INNER_SIZE,
    LOG_APPEND_TIME,
    LOG_OVERHEAD,
    MAGIC_OFFSET,
    RECORD_OVERHEAD_V0,
    crc_span,
)

# formats/kafka_log_segment.ksy (offset, size) and formats/kafka_message.ksy (the rest).
_SIZE = 8
_CRC, _CRC_INPUT = crc_span(0)
# Offset, size, CRC, magic and attributes come before it; messages of magic 0 have the key's size at this position.
_TIMESTAMP = 18
_TIMESTAMP_SIZE = 8
_LAST_ATTRIBUTES = 0x0F
_LAST_CODEC = last_codec(1)


class _Message(NamedTuple):
    """A message: its end in an array of bytes (-1 if it is invalid or unusual), and its fields."""

    end: int
    magic: int
    attributes: int
    timestamp: int
    key_at: int
    key_size: int
    value_at: int
    value_size: int


class _Filled(NamedTuple):
    """Filled sizes of columns; see `Totals`."""

    rows: int
    key_rows: int
    key_bytes: int
    value_bytes: int
    nulls: int


@kernel
def walk_plain_messages(
    source: UInt8s,
    begin: int,
    end: int,
    position: int,
    largest: int,
    verify_checksums: bool,
    kept: Kept,
    columns: Columns,
    provenance: Provenance,
    most_rows: int,
    totals: Int64s,
) -> int:
    """Fill columns with uncompressed messages.

    Args:
        source: bytes of a log; `SLACK` bytes of any content must follow `end`.
        begin: position of the first message in `source`.
        end: position in `source`; messages past it are not taken.
        position: position of `source` in the file, in bytes.
        largest: maximal size of a message in bytes.
        verify_checksums: whether to check CRCs.
        kept: selects the messages that become rows.
        columns: arrays with space for the bytes of all messages from `begin` to `end`.
        provenance: arrays with space for `most_rows` messages.
        most_rows: number of rows that fit into the columns.
        totals: filled sizes of the columns, in the order of `Totals`; are updated.

    Returns:
        Position in `source` of the first message that was not taken.
    """
    at = begin
    filled = _filled(totals)
    while filled.rows < most_rows:
        message = _message_at(source, at, end)
        if message.end < 0 or message.attributes & COMPRESSION != 0 or message.end - at > largest:
            break
        offset = int64_at(source, at)
        if offset < 0:
            break
        if verify_checksums and crc32(source, at + _CRC_INPUT, message.end) != uint32_at(source, at + _CRC):
            break
        if kept.all or is_kept(source, kept, offset, message.timestamp, message.key_at, message.key_size, message.end):
            kind = message.magic << MAGIC_SHIFT | message.attributes
            _add_provenance(provenance, filled.rows, offset, position + at, kind)
            filled = _add_row(source, message, offset, message.timestamp, columns, filled)
        at = message.end
    _store(filled, columns, totals)
    return at


@kernel
def find_wrappers(source: UInt8s, begin: int, end: int, largest: int, wrappers: npt.NDArray[np.void]) -> int:
    """Find adjacent wrappers, without checking their CRCs or content.

    Args:
        source: bytes of a log.
        begin: position of the first wrapper in `source`.
        end: position in `source`; messages past it are not taken.
        largest: maximal size of a wrapper in bytes.
        wrappers: array of type `WRAPPER`, filled from the first element on.

    Returns:
        Number of wrappers found.
    """
    at = begin
    for index in range(wrappers.size):
        message = _message_at(source, at, end)
        codec = message.attributes & COMPRESSION
        if message.end < 0 or codec == 0 or codec > _LAST_CODEC or message.value_size < 0 or message.end - at > largest:
            return index
        wrapper = wrappers[index]
        wrapper.start = at
        wrapper.end = message.end
        wrapper.value_start = message.value_at
        wrapper.offset = int64_at(source, at)
        wrapper.timestamp = message.timestamp
        wrapper.magic = message.magic
        wrapper.attributes = message.attributes
        if wrapper.offset < 0:
            return index
        at = message.end
    return wrappers.size


@kernel
def find_frames(source: UInt8s, begin: int, end: int, frames: npt.NDArray[np.void]) -> int:
    """Find the positions and offsets of adjacent whole messages and wrappers.

    Args:
        source: bytes of a log.
        begin: position of the first one in `source`.
        end: end of the last one.
        frames: array of type `FRAME` with space for all, filled from the first element on.

    Returns:
        Number of messages and wrappers.
    """
    at = begin
    count = 0
    while at < end and count < frames.size:
        frame = frames[count]
        frame.begin = at
        frame.offset = int64_at(source, at)
        frame.is_wrapper = byte_at(source, at + ATTRIBUTES_OFFSET) & COMPRESSION != 0
        at += LOG_OVERHEAD + int32_at(source, at + _SIZE)
        frame.end = at
        count += 1
    return count


@kernel
def walk_inner_sets(
    log: UInt8s,
    wrappers: npt.NDArray[np.void],
    source: UInt8s,
    bounds: Int64s,
    position: int,
    most_messages: int,
    verify_checksums: bool,
    kept: Kept,
    columns: Columns,
    provenance: Provenance,
    most_rows: int,
    totals: Int64s,
) -> int:
    """Fill columns with the messages inside wrappers.

    Args:
        log: bytes of the log that has the wrappers.
        wrappers: the wrappers, of type `WRAPPER`.
        source: their inner sets side by side, decompressed; `SLACK` bytes of any content must follow.
        bounds: positions in `source` where a set begins and the previous one ends; one more than there are wrappers.
        position: position of `log` in the file, in bytes.
        most_messages: maximal number of messages in one wrapper.
        verify_checksums: whether to check CRCs of the wrappers and of the messages inside.
        kept: selects the messages that become rows.
        columns: arrays with space for the bytes of all sets.
        provenance: arrays with space for `most_rows` messages.
        most_rows: number of rows that fit into the columns.
        totals: filled sizes of the columns, in the order of `Totals`; are updated.

    Returns:
        Number of wrappers taken.
    """
    filled = _filled(totals)
    taken = bounds.size - 1
    for index in range(bounds.size - 1):
        wrapper = wrappers[index]
        if verify_checksums:
            computed = crc32(log, wrapper.start + _CRC_INPUT, wrapper.end)
            if computed != uint32_at(log, wrapper.start + _CRC):
                taken = index
                break
        start = position + wrapper.start
        most = min(most_messages, most_rows - filled.rows)
        more = _walk_inner_set(
            source,
            bounds[index],
            bounds[index + 1],
            wrapper,
            start,
            most,
            verify_checksums,
            kept,
            columns,
            provenance,
            filled,
        )
        if more.rows < 0:
            taken = index
            break
        filled = more
    _store(filled, columns, totals)
    return taken


@part
def _walk_inner_set(
    source: UInt8s,
    begin: int,
    end: int,
    wrapper: Any,
    position: int,
    most_messages: int,
    verify_checksums: bool,
    kept: Kept,
    columns: Columns,
    provenance: Provenance,
    filled: _Filled,
) -> _Filled:
    """Fill columns with the messages of one set; return -1 rows if any of them is unsound or unusual."""
    broken = _Filled(-1, 0, 0, 0, 0)
    count, last_offset = _whole_messages(source, begin, end)
    if count <= 0 or count > most_messages:
        return broken
    shift = 0
    # Offsets inside a v1 wrapper are relative; with a wrapper offset of 0, librdkafka marks them as absolute.
    if wrapper.magic == 1 and wrapper.offset != 0:
        if wrapper.offset < last_offset:
            return broken
        shift = wrapper.offset - last_offset
    base_offset = int64_at(source, begin) + shift
    append_time = wrapper.magic == 1 and wrapper.attributes & LOG_APPEND_TIME != 0
    kind = wrapper.magic << MAGIC_SHIFT | wrapper.attributes
    at = begin
    for _ in range(count):
        message = _message_at(source, at, end)
        if message.end < 0 or message.magic != wrapper.magic or message.attributes & COMPRESSION != 0:
            return broken
        if verify_checksums and crc32(source, at + _CRC_INPUT, message.end) != uint32_at(source, at + _CRC):
            return broken
        offset = int64_at(source, at) + shift
        timestamp = wrapper.timestamp if append_time else message.timestamp
        if kept.all or is_kept(source, kept, offset, timestamp, message.key_at, message.key_size, message.end):
            _add_provenance(provenance, filled.rows, base_offset, position, kind)
            filled = _add_row(source, message, offset, timestamp, columns, filled)
        at = message.end
    return filled


@part
def _whole_messages(source: UInt8s, begin: int, end: int) -> tuple[int, int]:
    """Count the whole messages of a set, without a partial one at the end, and return the last one's offset.

    The count is -1 if a message has an impossible size.
    """
    at = begin
    count = 0
    last_offset = 0
    while end - at >= LOG_OVERHEAD:
        size = int32_at(source, at + _SIZE)
        if size < RECORD_OVERHEAD_V0 or size > LARGEST_INNER_SIZE:
            return -1, last_offset
        if size > end - at - LOG_OVERHEAD:
            break
        last_offset = int64_at(source, at)
        count += 1
        at += LOG_OVERHEAD + size
    return count, last_offset


@part
def _message_at(source: UInt8s, at: int, end: int) -> _Message:
    """Read a message that ends by `end`, is whole, and has no bytes after its fields."""
    none = _Message(-1, 0, 0, -1, 0, 0, 0, 0)
    if end - at < SMALLEST_MESSAGE:
        return none
    size = LOG_OVERHEAD + int32_at(source, at + _SIZE)
    magic = byte_at(source, at + MAGIC_OFFSET)
    attributes = byte_at(source, at + ATTRIBUTES_OFFSET)
    content = size - SMALLEST_MESSAGE - magic * _TIMESTAMP_SIZE
    if size > end - at or magic > 1 or content < 0 or attributes > _LAST_ATTRIBUTES:
        return none
    timestamp = int64_at(source, at + _TIMESTAMP) if magic == 1 else -1
    key_at = at + _TIMESTAMP + magic * _TIMESTAMP_SIZE + 4
    key_size = int32_at(source, key_at - 4)
    if key_size < -1 or key_size > content:
        return none
    value_at = key_at + max(key_size, 0) + 4
    value_size = int32_at(source, value_at - 4)
    if value_size < -1 or max(key_size, 0) + max(value_size, 0) != content:
        return none
    return _Message(at + size, magic, attributes, timestamp, key_at, key_size, value_at, value_size)


@part
def _add_row(
    source: UInt8s, message: _Message, offset: int, timestamp: int, columns: Columns, filled: _Filled
) -> _Filled:
    """Write a message's own fields into a row."""
    row, key_rows, key_bytes, value_bytes, nulls = filled
    if columns.key.offsets.size > 0 and message.key_size >= 0:
        if key_rows < row:
            nulls |= fill_nulls(columns.key.offsets, columns.key.bits, key_rows, row, NULL_KEY)
        copy(columns.key.data, key_bytes, source, message.key_at, message.key_size)
        key_bytes += message.key_size
        put(columns.key.offsets, row + 1, key_bytes)
        key_rows = row + 1
    if columns.value.offsets.size > 0:
        if message.value_size >= 0:
            copy(columns.value.data, value_bytes, source, message.value_at, message.value_size)
            value_bytes += message.value_size
        else:
            clear_bit(columns.value.bits, row)
            nulls |= NULL_VALUE
        put(columns.value.offsets, row + 1, value_bytes)
    if columns.offset.size > 0:
        put(columns.offset, row, offset)
    if columns.timestamp.size > 0:
        put(columns.timestamp, row, timestamp)
    return _Filled(row + 1, key_rows, key_bytes, value_bytes, nulls)


@part
def _add_provenance(provenance: Provenance, row: int, base_offset: int, position: int, kind: int) -> None:
    """Write the fields of a row's message or wrapper."""
    if provenance.base_offset.size > 0:
        put(provenance.base_offset, row, base_offset)
    if provenance.position.size > 0:
        put(provenance.position, row, position)
    put(provenance.kind, row, kind)


@part
def _filled(totals: Int64s) -> _Filled:
    return _Filled(totals[ROWS], totals[KEY_ROWS], totals[KEY_BYTES], totals[VALUE_BYTES], totals[NULLS])


@part
def _store(filled: _Filled, columns: Columns, totals: Int64s) -> None:
    """Update the totals; keys of rows after the last one with a key become null."""
    row, key_rows, key_bytes, value_bytes, nulls = filled
    if 0 < key_rows < row:
        nulls |= fill_nulls(columns.key.offsets, columns.key.bits, key_rows, row, NULL_KEY)
        key_rows = row
    totals[ROWS], totals[KEY_ROWS] = row, key_rows
    totals[KEY_BYTES], totals[VALUE_BYTES], totals[NULLS] = key_bytes, value_bytes, nulls
