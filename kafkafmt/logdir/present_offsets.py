"""Present offsets: the offsets of a log that have a record, from batch headers where these suffice.

A batch has a record at each of its offsets until the log cleaner removes some or all of them. The header then keeps the
base offset and the last offset, and has the number of remaining records (`MemoryRecords.filterTo`). So only the records
of such batches are decoded, and those of v0 and v1 wrappers.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from kafkafmt import arrays
from kafkafmt.columnar.headers import Batches
from kafkafmt.libraries import np, npt
from kafkafmt.logdir.producer_runs import Int64s
from kafkafmt.record_columns import Origin
from kafkafmt.reference.layout import CONTROL, CURRENT_MAGIC, DELETE_HORIZON

if TYPE_CHECKING:
    from kafkafmt.columnar.decoder import Decoder
    from kafkafmt.limits import Limits
    from kafkafmt.reference.entry import Entry
    from kafkafmt.reference.header import BatchHeader

COLUMNS = ["offset"]
"""Columns that the decoder passed to `of_batches` must decode."""

_NOWHERE = Origin("", None, "")


class PresentOffsets(NamedTuple):
    """The offsets of adjacent entries that have a record, as stretches without gaps, in log order.

    Attributes:
        first: first offset of each stretch.
        last: last offset of each stretch.
        cleaned: offset after the last batch that a cleaner has rewritten, recognized by missing records or a delete
            horizon; 0 for none.
        emptied: first and last offset of control batches whose record a cleaner removed.
    """

    first: Int64s
    last: Int64s
    cleaned: int = 0
    emptied: Sequence[tuple[int, int]] = ()


def of_batches(batches: Batches, decoder: "Decoder | None") -> tuple[PresentOffsets, int]:
    """The offsets of batches of format v2, and the number of batches before the first that could not be read.

    Args:
        batches: the batches.
        decoder: decodes `COLUMNS`; without one, batches that lack some of their records cannot be read.
    """
    counts = batches.headers["num_records"]
    spans = batches.headers["last_offset_delta"].astype(np.int64) + 1
    is_partial = (counts > 0) & (counts < spans)
    sound = len(batches)
    of_partial = np.empty((3, 0), np.int64)
    if is_partial.any():
        sound = int(is_partial.argmax())
        if decoder is not None:
            of_partial, sound = _decoded(batches, is_partial, decoder)
    headers, is_whole = batches.headers[:sound], (counts >= spans)[:sound]
    whole = np.flatnonzero(is_whole)
    rows = [np.stack([whole, headers["base_offset"][whole], batches.last_offsets[whole]]), of_partial]
    number, first, last = np.concatenate(rows, axis=1)
    in_order = np.argsort(number, kind="stable")
    is_control = (headers["attributes"] & CONTROL) != 0
    emptied = np.flatnonzero(is_control & (headers["num_records"] == 0))
    marked = np.flatnonzero(~is_whole | ((headers["attributes"] & DELETE_HORIZON) != 0))
    return (
        PresentOffsets(
            first[in_order],
            last[in_order],
            int(batches.last_offsets[marked].max()) + 1 if len(marked) else 0,
            list(zip(headers["base_offset"][emptied].tolist(), batches.last_offsets[emptied].tolist(), strict=True)),
        ),
        sound,
    )


def of_entry(entry: "Entry", header: "BatchHeader", limits: "Limits") -> PresentOffsets:
    """The offsets of one entry.

    Args:
        entry: the entry.
        header: its header.
        limits: bounds of decoding, where that is needed.

    Raises:
        DataError: its records have to be decoded, and cannot be.
    """
    base, last = header.base_offset, header.last_offset
    if entry.frame.magic < CURRENT_MAGIC:
        if header.compression == "none" and last is not None:
            return PresentOffsets(np.array([last], np.int64), np.array([last], np.int64))
    elif base is not None and last is not None:
        if header.count == last - base + 1:
            cleaned = last + 1 if header.delete_horizon_ms is not None else 0
            return PresentOffsets(np.array([base], np.int64), np.array([last], np.int64), cleaned)
        if not header.count:
            emptied = [(base, last)] if header.is_control_batch else []
            return PresentOffsets(np.empty(0, np.int64), np.empty(0, np.int64), last + 1, emptied)
    entry.verify_checksum()
    offsets = np.array([record.offset for record in entry.records(limits, header)], np.int64)
    _, first, ends = _stretches(np.zeros(len(offsets), np.int64), offsets)
    is_cleaned = entry.frame.magic >= CURRENT_MAGIC or len(first) > 1
    return PresentOffsets(first, ends, (last if last is not None else int(ends[-1])) + 1 if is_cleaned else 0)


def of_messages(offsets: Sequence[int]) -> PresentOffsets:
    """The offsets of messages of formats v0 and v1, one per entry."""
    in_order = np.array(offsets, np.int64)
    _, first, last = _stretches(np.zeros(len(in_order), np.int64), in_order)
    return PresentOffsets(first, last)


def _decoded(batches: Batches, chosen: "npt.NDArray[np.bool_]", decoder: "Decoder") -> "tuple[Int64s, int]":
    """Batch number, first and last offset of each stretch in the chosen batches; and the first batch not read."""
    parts = []
    begin = 0
    while begin < len(batches):
        decoded, following = decoder.batches(_NOWHERE, batches, begin, chosen, chosen)
        if following == begin:
            break
        if decoded is not None:
            parts.append(arrays.numbers(decoded.column("offset")))
        begin = following
    numbers = np.flatnonzero(chosen[:begin])
    of_each = np.repeat(numbers, batches.headers["num_records"][numbers])
    offsets = np.concatenate(parts) if parts else np.empty(0, np.int64)
    return np.stack(_stretches(of_each, offsets)), begin


def _stretches(numbers: Int64s, offsets: Int64s) -> tuple[Int64s, Int64s, Int64s]:
    """Stretches of consecutive offsets in one batch: batch number, first and last offset."""
    begins = np.ones(len(offsets), np.bool_)
    begins[1:] = (offsets[1:] != offsets[:-1] + 1) | (numbers[1:] != numbers[:-1])
    first = np.flatnonzero(begins)
    last = np.append(first[1:], len(offsets))[: len(first)] - 1
    return numbers[first], offsets[first], offsets[last]
