"""Batching: combines the engines' output into record batches of a useful size."""

import sys
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, ForwardRef, Self, TypeAlias

from kafkafmt.columns import RowBuffer
from kafkafmt.errors import KafkafmtError
from kafkafmt.libraries import pa
from kafkafmt.notebook import html, of_columns
from kafkafmt.public import short
from kafkafmt.record_columns import Origin

if TYPE_CHECKING:
    from types import TracebackType

    from kafkafmt.files.damage import Damage
    from kafkafmt.reference.record import Record

_ROWS = 8192
_PAYLOAD_BYTES = 16 * 1024 * 1024
# Smaller parts are joined with their neighbours.
_FEW_ROWS = 4096
_FEW_BYTES = 1024 * 1024
_OF_ANY_SIZE = "key", "value", "headers"


@dataclass(frozen=True)
class Run:
    """Wanted records of one entry, as the reference engine delivers them."""

    origin: Origin
    records: "Iterable[Record]"


if TYPE_CHECKING:
    Part: TypeAlias = Run | pa.RecordBatch
    """Adjacent wanted records."""
else:
    Part = ForwardRef("Run | pa.RecordBatch", module=__name__)


def last_of(parts: Iterable[Part], count: int) -> list[Part]:
    """The last records of parts, all in memory.

    Args:
        parts: any number of parts; only those needed are held.
        count: maximal number of records.
    """
    kept: deque[Part] = deque()
    surplus = -count
    for part in parts:
        kept.append(Run(part.origin, deque(part.records, count)) if isinstance(part, Run) else part)
        surplus += rows_of(kept[-1])
        while kept and surplus >= rows_of(kept[0]):
            surplus -= rows_of(kept.popleft())
    if surplus > 0:
        kept[0] = _without_first(kept[0], surplus)
    return list(kept)


def rows_of(part: Part) -> int:
    """Number of records in a part whose records are in memory."""
    return len(part.records) if isinstance(part, Run) else part.num_rows  # type: ignore[arg-type]


def record_batches(parts: "Iterable[Part]", schema: "pa.Schema", most: int | None = None) -> "Iterator[pa.RecordBatch]":
    """Convert parts to Arrow record batches; parts of single records become batches of bounded rows and bytes.

    Args:
        parts: the records; no more of a part are taken than needed.
        schema: wanted columns, which any record batches among the parts already have.
        most: maximal number of records; None for all.

    Raises:
        KafkafmtError: as reading the parts does; earlier records are given first.
    """
    gathering = _Gathering(schema)
    left = sys.maxsize if most is None else most
    try:
        for part in parts if left else ():
            for batch in gathering.add(part, left):
                left -= batch.num_rows
                yield batch
            if most is not None and gathering.rows >= left:
                if isinstance(parts, Generator):
                    parts.close()  # now, so that its reports come before the last records
                break
    except KafkafmtError:
        # Records read before the damage are sound, so they come first.
        yield from gathering.rest()
        raise
    yield from gathering.rest()


class _Gathering:
    """Holds parts that are too small to hand on: first records, which become a record batch, then record batches."""

    def __init__(self, schema: "pa.Schema") -> None:
        self._records = RowBuffer(schema)
        # Asking all columns for their size takes longer than decoding a small file; the others have few bytes in a few
        # rows.
        self._sized = [name for name in _OF_ANY_SIZE if name in schema.names]
        self._small: list[pa.RecordBatch] = []
        self._small_rows = 0
        self._small_bytes = 0

    @property
    def rows(self) -> int:
        """Number of records held."""
        return self._small_rows + self._records.rows

    def add(self, part: Part, most: int) -> "Iterator[pa.RecordBatch]":
        """Take a part, at most `most` records together with the held ones, and yield what is now large enough."""
        if isinstance(part, Run):
            records = iter(part.records)
            full = True
            while full and self.rows < most:
                room = min(_ROWS, most - self._small_rows)
                full = self._records.take(part.origin, records, room, _PAYLOAD_BYTES)
                if full:
                    for given in self._join(self._records.flush()):
                        most -= given.num_rows
                        yield given
        else:
            if self._records.rows:
                for given in self._join(self._records.flush()):
                    most -= given.num_rows
                    yield given
            yield from self._join(part.slice(0, min(most - self._small_rows, part.num_rows)))

    def rest(self) -> "Iterator[pa.RecordBatch]":
        """Give the held records."""
        if self._records.rows:
            yield from self._join(self._records.flush())
        if self._small:
            yield self._joined()

    def _join(self, batch: "pa.RecordBatch") -> "Iterator[pa.RecordBatch]":
        """Add a record batch to the held ones, and yield all if they are large enough."""
        size = 0 if batch.num_rows >= _FEW_ROWS else sum(batch.column(name).nbytes for name in self._sized)
        if batch.num_rows >= _FEW_ROWS or size >= _FEW_BYTES:
            if self._small:
                yield self._joined()
            yield batch
            return
        self._small.append(batch)
        self._small_rows += batch.num_rows
        self._small_bytes += size
        if self._small_rows >= _FEW_ROWS or self._small_bytes >= _FEW_BYTES:
            yield self._joined()

    def _joined(self) -> "pa.RecordBatch":
        batch = self._small[0] if len(self._small) == 1 else pa.concat_batches(self._small)
        self._small = []
        self._small_rows = self._small_bytes = 0
        return batch


def _without_first(part: Part, count: int) -> Part:
    if isinstance(part, Run):
        return Run(part.origin, list(islice(part.records, count, None)))
    return part.slice(count)


class Reader:
    """Record batches of one pass, one after another, in bounded memory. Made by `Scan.to_reader`, `head` and `tail`.

    The pass starts with the first batch, and ends with the last one, with an error, or with `close`. Arrow's C stream
    interface exports the remaining batches: `pyarrow.RecordBatchReader.from_stream(reader)` makes a reader of
    pyarrow's.

    Attributes:
        schema: Arrow schema of the batches.
        damage: damage of the pass so far, as in `Scan.damage`.
    """

    def __init__(
        self, schema: "pa.Schema", batches: "Generator[pa.RecordBatch, None, None]", damage: "list[Damage]"
    ) -> None:
        self.schema = schema
        self.damage = damage
        self._batches = batches

    def read_next_batch(self) -> "pa.RecordBatch":
        """Read the next record batch.

        Raises:
            StopIteration: all batches have been read, or the reader was closed.
            KafkafmtError: at damage (`on_damage="raise"`), or when a file cannot be read.
        """
        return next(self._batches)

    def read_all(self) -> "pa.Table":
        """Read the remaining batches into one table.

        Raises:
            KafkafmtError: as for `read_next_batch`.
        """
        return pa.Table.from_batches(self._batches, schema=self.schema)

    def close(self) -> None:
        """End the pass: close its files; no more batches follow."""
        self._batches.close()

    def __iter__(self) -> "Iterator[pa.RecordBatch]":
        return self

    def __next__(self) -> "pa.RecordBatch":
        return next(self._batches)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: "TracebackType | None"
    ) -> None:
        self.close()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Export the remaining batches by the Arrow C stream interface; its consumer raises our errors as its own."""
        return pa.RecordBatchReader.from_batches(self.schema, self._batches).__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return short(f"<Reader of {', '.join(self.schema.names)}>")

    def _repr_html_(self) -> str:
        return html(repr(self)[1:-1], of_columns(self.schema), ["read_all() gives the rows, once", *self.damage])
