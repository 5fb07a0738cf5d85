"""The hash table of groups in kernels, which sums up names and figures of records (`columnar.tallying`)."""

import numpy as np

from kafkafmt.columnar.figures import (
    BATCHES,
    MAX_OFFSET,
    MAX_TIMESTAMP,
    MIN_OFFSET,
    MIN_TIMESTAMP,
    RECORD_BYTES,
    RECORDS,
    STORED_BYTES,
    Int64s,
)
from kafkafmt.columnar.headers import Headers, UInt8s
from kafkafmt.columnar.kernels.access import byte_at, copy_exact, length, little_endian_uint64, put
from kafkafmt.columnar.kernels.compiling import kernel, part, rare_part
from kafkafmt.columnar.kernels.needles import is_kept
from kafkafmt.columnar.kernels.weighing import record_fields, share_of, timestamp_base
from kafkafmt.columnar.row_filter import Kept
from kafkafmt.columnar.tallying import (
    AT,
    BATCH,
    CARRIED,
    FIRST_NUMBER,
    GROUPS,
    LAST_BATCH,
    MOST_RECORDS,
    MOST_STORED,
    NAME_BYTES,
    NO_TIME,
    RECORD,
    RECORDS_ERROR,
    STORED_ERROR,
    WIDTH,
    Naming,
    Table,
)
from kafkafmt.reference.header import INT64_MAX, INT64_MIN

_NULL = -1
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)


@kernel
def tally(
    source: UInt8s,
    starts: Int64s,
    ends: Int64s,
    headers: Headers,
    groups: Int64s,
    kept: Kept,
    max_headers: int,
    stored: Int64s,
    naming: Naming,
    table: Table,
    progress: Int64s,
) -> int:
    """Add the wanted records of batches that `weigh` found sound to their groups.

    Args:
        source: as for `weigh`.
        starts: as for `weigh`.
        ends: as for `weigh`.
        headers: as for `weigh`.
        groups: group of each batch, with which names begin.
        kept: as for `weigh`.
        max_headers: as for `weigh`.
        stored: as for `weigh`.
        naming: the other parts of names.
        table: the groups; are updated.
        progress: where to continue; written if another group does not fit.

    Returns:
        Number of batches done.
    """
    for index in range(progress[BATCH], starts.size):
        header = headers[index]
        base_timestamp, delta_mask = timestamp_base(header)
        begin, total = starts[index], ends[index] - starts[index]
        number, at, carried = 0, begin, 0
        if index == progress[BATCH] and progress[RECORD] > 0:
            number, at, carried = progress[RECORD], progress[AT], progress[CARRIED]
        while number < header.num_records:
            begin = at
            at, timestamp_delta, offset_delta, key_at, key_size, headers_at, num_headers = record_fields(
                source, begin, ends[index], max_headers
            )
            offset = header.base_offset + offset_delta
            timestamp = base_timestamp + (timestamp_delta & delta_mask)
            size = at - begin
            share, rest = share_of(stored[index], size, total, carried)
            if kept.all or is_kept(source, kept, offset, timestamp, key_at, key_size, at):
                used = table.state[NAME_BYTES]
                room = table.names.size - 8
                end = _put_int64(table.names, used, groups[index], room)
                if naming.bucket_ms > 0:
                    end = _put_int64(table.names, end, _period(timestamp, naming.bucket_ms), room)
                if naming.producer:
                    end = _put_int64(table.names, end, header.producer_id, room)
                if naming.key:
                    end = _put_bytes(table.names, end, source, key_at, key_size, room)
                if naming.prefix >= 0:
                    end = _put_bytes(table.names, end, source, key_at, min(key_size, naming.prefix), room)
                if naming.header:
                    value_at, value_size = _header_value(source, headers_at, num_headers, naming.header_name)
                    end = _put_bytes(table.names, end, source, value_at, value_size, room)
                row = _group(table, used, end)
                if row < 0:
                    progress[BATCH], progress[RECORD], progress[AT], progress[CARRIED] = index, number, begin, carried
                    return index
                figures = table.figures[row]
                figures[RECORDS] += 1
                if figures[LAST_BATCH] != progress[FIRST_NUMBER] + index:
                    figures[LAST_BATCH] = progress[FIRST_NUMBER] + index
                    figures[BATCHES] += 1
                figures[RECORD_BYTES] += size
                figures[STORED_BYTES] += share
                figures[MIN_OFFSET] = min(figures[MIN_OFFSET], offset)
                figures[MAX_OFFSET] = max(figures[MAX_OFFSET], offset)
                figures[MIN_TIMESTAMP] = min(figures[MIN_TIMESTAMP], timestamp)
                figures[MAX_TIMESTAMP] = max(figures[MAX_TIMESTAMP], timestamp)
            carried = rest
            number += 1
    progress[BATCH], progress[RECORD] = starts.size, 0
    return starts.size


@kernel
def tally_named(names: UInt8s, ends: Int64s, figures: Int64s, batches: Int64s, table: Table, progress: Int64s) -> int:
    """Add rows that already have names.

    Args:
        names: the names side by side.
        ends: end of each name.
        figures: a row of figures for each name; BATCHES is ignored if `batches` has a number.
        batches: batch number of each row, which counts once per group; -1 to add the row's own number of batches.
        table: the groups; are updated.
        progress: the row to continue with; written if another group does not fit.

    Returns:
        Number of rows done.
    """
    for index in range(progress[BATCH], ends.size):
        begin = ends[index - 1] if index else 0
        used = table.state[NAME_BYTES]
        size = ends[index] - begin
        end = _put(table.names, used, names, begin, size, table.names.size - 8)
        row = _group(table, used, end)
        if row < 0:
            progress[BATCH] = index
            return index
        group, added = table.figures[row], figures[index]
        group[RECORDS] += added[RECORDS]
        if batches[index] < 0:
            group[BATCHES] += added[BATCHES]
        elif group[LAST_BATCH] != batches[index]:
            group[LAST_BATCH] = batches[index]
            group[BATCHES] += 1
        group[RECORD_BYTES] += added[RECORD_BYTES]
        group[STORED_BYTES] += added[STORED_BYTES]
        group[MIN_OFFSET] = min(group[MIN_OFFSET], added[MIN_OFFSET])
        group[MAX_OFFSET] = max(group[MAX_OFFSET], added[MAX_OFFSET])
        group[MIN_TIMESTAMP] = min(group[MIN_TIMESTAMP], added[MIN_TIMESTAMP])
        group[MAX_TIMESTAMP] = max(group[MAX_TIMESTAMP], added[MAX_TIMESTAMP])
    progress[BATCH] = ends.size
    return ends.size


@kernel
def keep_some(table: Table, kept: Int64s) -> int:
    """Drop all groups except those with these ascending numbers; return how many are left."""
    table.slots[:] = 0
    used = 0
    for index in range(kept.size):
        old = kept[index]
        # Forwards, as source and target are in the same array.
        for at in range(table.ends[old], table.ends[old + 1]):
            put(table.names, used, table.names[np.uint64(at)])
            used += 1
        table.ends[index + 1] = used
        table.hashes[index] = table.hashes[old]
        for column in range(WIDTH):
            table.figures[index, column] = table.figures[old, column]
        _occupy(table, table.hashes[index], index)
    table.state[GROUPS], table.state[NAME_BYTES] = kept.size, used
    return kept.size


@part
def _group(table: Table, begin: int, end: int) -> int:
    """Number of the group whose name was appended last; of a new one if it is unknown; -1 if it does not fit."""
    if end < 0:
        return -1
    size = end - begin
    hashed = _hash(table.names, begin, size)
    mask = np.uint64(table.slots.size - 1)
    slot = (hashed ^ (hashed >> np.uint64(32))) & mask
    while True:
        number: int = np.int64(table.slots[slot])  # type: ignore[assignment]
        if number == 0:
            break
        if table.hashes[number - 1] == hashed and _are_equal(table, number - 1, begin, size):
            return number - 1
        slot = (slot + np.uint64(1)) & mask
    return _new_group(table, hashed, slot, end)


@rare_part
def _new_group(table: Table, hashed: np.uint64, slot: np.uint64, end: int) -> int:
    row = table.state[GROUPS]
    if row >= table.hashes.size:
        return -1
    table.slots[slot] = row + 1
    table.hashes[row] = hashed
    table.ends[row + 1] = end
    figures = table.figures[row]
    figures[:] = 0
    figures[LAST_BATCH] = -1
    figures[MIN_OFFSET] = figures[MIN_TIMESTAMP] = INT64_MAX
    figures[MAX_OFFSET] = figures[MAX_TIMESTAMP] = INT64_MIN
    figures[RECORDS_ERROR], figures[STORED_ERROR] = table.state[MOST_RECORDS], table.state[MOST_STORED]
    table.state[GROUPS], table.state[NAME_BYTES] = row + 1, end
    return row  # type: ignore[no-any-return]


@part
def _occupy(table: Table, hashed: np.uint64, row: int) -> None:
    mask = np.uint64(table.slots.size - 1)
    slot = (hashed ^ (hashed >> np.uint64(32))) & mask
    while table.slots[slot] != 0:
        slot = (slot + np.uint64(1)) & mask
    table.slots[slot] = row + 1


@part
def _hash(names: UInt8s, begin: int, size: int) -> np.uint64:
    """Hash bytes, eight at a time; bytes read past the end are masked."""
    hashed = np.uint64(size) * _MULTIPLIER
    done = 0
    while done + 8 <= size:
        hashed = (hashed ^ little_endian_uint64(names, begin + done)) * _MULTIPLIER
        hashed ^= hashed >> _SHIFT
        done += 8
    if done < size:
        left = np.uint64(8 * (8 - (size - done)))
        hashed = (hashed ^ ((little_endian_uint64(names, begin + done) << left) >> left)) * _MULTIPLIER
        hashed ^= hashed >> _SHIFT
    return hashed * _MULTIPLIER


@part
def _are_equal(table: Table, row: int, begin: int, size: int) -> bool:
    """Whether the name of a group equals the bytes from `begin` on."""
    names = table.names
    other = table.ends[row]
    if table.ends[row + 1] - other != size:
        return False
    for index in range(size):  # noqa: SIM110 (kernels have no generators)
        if byte_at(names, other + index) != byte_at(names, begin + index):
            return False
    return True


@part
def _period(timestamp: int, length_ms: int) -> int:
    """Start of the period of a timestamp."""
    return NO_TIME if timestamp == -1 else timestamp - timestamp % length_ms


@part
def _put_int64(names: UInt8s, at: int, number: int, room: int) -> int:
    """Write eight bytes; return where they end, -1 if they do not fit."""
    if at < 0 or at + 8 > room:
        return -1
    for index in range(8):
        put(names, at + index, (number >> (8 * index)) & 0xFF)
    return at + 8


@part
def _put_bytes(names: UInt8s, at: int, source: UInt8s, start: int, size: int, room: int) -> int:
    """Write four bytes of length, and bytes; a negative size stands for null."""
    if at < 0 or at + 4 > room:
        return -1
    stated = _NULL if size < 0 else size
    for index in range(4):
        put(names, at + index, (stated >> (8 * index)) & 0xFF)
    return _put(names, at + 4, source, start, size, room) if size > 0 else at + 4


@part
def _put(names: UInt8s, at: int, source: UInt8s, start: int, size: int, room: int) -> int:
    if size > room - at:
        return -1
    copy_exact(names, at, source, start, size)
    return at + size


@part
def _header_value(source: UInt8s, at: int, count: int, name: UInt8s) -> tuple[int, int]:
    """Position and size of the value of the last header with a name; size -1 for null or for no such header."""
    found_at, found_size = at, -1
    for _ in range(count):
        size, at = length(source, at)
        is_it = size == name.size
        if is_it:
            for index in range(size):
                if byte_at(source, at + index) != byte_at(name, index):
                    is_it = False
        size, at = length(source, at + size)
        if is_it:
            found_at, found_size = at, size
        if size >= 0:
            at += size
    return found_at, found_size
