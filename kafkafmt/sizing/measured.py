"""Measures of batches and of single records, on their way into the sums of each grouping."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

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
    new_figures,
)
from kafkafmt.reference.layout import LOG_APPEND_TIME, LOG_OVERHEAD, RECORD_BATCH_OVERHEAD

if TYPE_CHECKING:
    from kafkafmt.columnar.headers import Headers, UInt8s


@dataclass(frozen=True, slots=True)
class MeasuredBatches:
    """Decompressed batches of format 2 whose records are all sound.

    Attributes:
        source: bytes of their records.
        starts: start of the records of each batch in `source`.
        ends: end of the records of each batch in `source`.
        headers: headers of the batches.
        stored: stored bytes of each batch.
        figures: sums over the wanted records, a row for each batch.
    """

    source: "UInt8s"
    starts: Int64s
    ends: Int64s
    headers: "Headers"
    stored: Int64s
    figures: Int64s


@dataclass(frozen=True, slots=True)
class MeasuredRows:
    """Single records, in the order of their batches; all are wanted.

    Attributes:
        batches: number of each record's batch, from 0 on.
        codecs: codec id of each record's batch.
        magics: format of each record's batch.
        stored: bytes of each record's batch in the file.
        producer_ids: producer id of each record, -1 for none.
        timestamps: timestamp of each record, in ms, -1 for none.
        keys: key of each record, or None.
        headers: headers of each record.
        figures: a row for each record, without a value for BATCHES.
        fields: the fields of each record's key and value that are grouped by.
    """

    batches: Int64s
    codecs: Int64s
    magics: Int64s
    stored: Int64s
    producer_ids: Int64s
    timestamps: Int64s
    keys: Sequence[bytes | None]
    headers: Sequence[Sequence[tuple[str, bytes | None]]]
    figures: Int64s
    fields: Sequence[Sequence[bytes | None]]

    def __len__(self) -> int:
        return len(self.batches)

    def __getitem__(self, chosen: Int64s) -> "MeasuredRows":
        """Choose records by their numbers."""
        return MeasuredRows(
            self.batches[chosen],
            self.codecs[chosen],
            self.magics[chosen],
            self.stored[chosen],
            self.producer_ids[chosen],
            self.timestamps[chosen],
            [self.keys[number] for number in chosen],
            [self.headers[number] for number in chosen],
            self.figures[chosen],
            [self.fields[number] for number in chosen],
        )


def together(parts: Sequence[MeasuredRows]) -> MeasuredRows:
    """The records of several batches as one; batches get new numbers.

    Args:
        parts: the records of one batch each; at least one.
    """
    numbers = [np.full(len(each), number, np.int64) for number, each in enumerate(parts)]
    names = ("codecs", "magics", "stored", "producer_ids", "timestamps", "figures")
    joined: dict[str, Any] = {name: np.concatenate([getattr(each, name) for each in parts]) for name in names}
    lists: dict[str, Any] = {
        name: [row for each in parts for row in getattr(each, name)] for name in ("keys", "headers", "fields")
    }
    return MeasuredRows(batches=np.concatenate(numbers), **joined, **lists)


def of_rows(offsets: Int64s, timestamps: Int64s, sizes: Int64s, stored: Int64s, batches: Int64s) -> Int64s:
    """Figures of single records, without a value for BATCHES.

    Args:
        offsets: offset of each record.
        timestamps: timestamp of each record, in ms.
        sizes: uncompressed bytes of each record.
        stored: stored bytes of each record's batch; all records of a batch are given.
        batches: rising number of each record's batch.
    """
    figures = new_figures(len(offsets))
    figures[:, RECORDS] = 1
    figures[:, RECORD_BYTES] = sizes
    figures[:, STORED_BYTES] = shares(stored, sizes, batches)
    figures[:, MIN_OFFSET] = figures[:, MAX_OFFSET] = offsets
    figures[:, MIN_TIMESTAMP] = figures[:, MAX_TIMESTAMP] = timestamps
    return figures


def of_headers(headers: "Headers") -> Int64s:
    """Figures of batches by their headers alone; compressed batches lack the size of the records."""
    figures = new_figures(len(headers))
    sizes = headers["size"].astype(np.int64) + LOG_OVERHEAD
    counts = headers["num_records"]
    figures[:, RECORDS] = counts
    figures[:, BATCHES] = 1
    figures[:, STORED_BYTES] = sizes
    filled = np.flatnonzero(counts > 0)
    some = headers[filled]
    figures[filled, RECORD_BYTES] = sizes[filled] - RECORD_BATCH_OVERHEAD
    figures[filled, MIN_OFFSET] = some["base_offset"]
    figures[filled, MAX_OFFSET] = some["base_offset"] + some["last_offset_delta"]
    figures[filled, MAX_TIMESTAMP] = some["max_timestamp"]
    alike = (some["num_records"] == 1) | (some["attributes"] & LOG_APPEND_TIME != 0)
    figures[filled, MIN_TIMESTAMP] = np.where(alike, some["max_timestamp"], some["base_timestamp"])
    return figures


def shares(stored: Int64s, sizes: Int64s, batches: Int64s) -> Int64s:
    """Shares of records in their batches' stored bytes, by their own sizes; a batch's shares add up to its bytes.

    Args:
        stored: bytes of each record's batch in its file.
        sizes: uncompressed bytes of each record; at least 1.
        batches: rising number of each record's batch.
    """
    first = np.flatnonzero(np.concatenate([[True], batches[1:] != batches[:-1]])) if len(batches) else batches
    counts = np.diff(np.append(first, len(batches)))
    before = np.repeat(np.cumsum(sizes)[first] - sizes[first], counts)
    upto = np.cumsum(sizes) - before
    total = np.repeat(np.add.reduceat(sizes, first), counts) if len(first) else sizes
    # Both factors are below 2^31, as no batch is larger.
    result: Any = stored * upto // total - stored * (upto - sizes) // total
    return result  # type: ignore[no-any-return]
