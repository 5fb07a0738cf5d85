"""Sums: the figures of all groups of one grouping, whether they come from headers, from kernels or from records."""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from kafkafmt.columnar.figures import BATCHES, FIGURES, RECORDS, STORED_BYTES, Int64s, merge, new_figures, summed
from kafkafmt.columnar.headers import COMPRESSION
from kafkafmt.reference.layout import CURRENT_MAGIC, LOG_OVERHEAD

if TYPE_CHECKING:
    from kafkafmt.columnar.headers import Headers
    from kafkafmt.columnar.row_filter import Kept
    from kafkafmt.columnar.tallying import Naming
    from kafkafmt.scanning import ScanTask
    from kafkafmt.sizing.grouping import Grouping
    from kafkafmt.sizing.heavy_hitters import HeavyHitters
    from kafkafmt.sizing.measured import MeasuredBatches, MeasuredRows


class Sums:
    """What was measured so far, by group.

    Args:
        grouping: what the groups are.
        most_bytes: memory for groups of which there may be any number.
        when_full: called instead of dropping groups where there is no more room; `rows` gives those of which there may
            be any number, which are forgotten then.

    Attributes:
        grouping: likewise.
        records: of all groups.
        stored_bytes: of all groups.
    """

    def __init__(self, grouping: "Grouping", most_bytes: int, when_full: Callable[[], None] | None = None) -> None:
        self.grouping = grouping
        self._when_full = when_full
        self._most_bytes = most_bytes
        self.records = self.stored_bytes = 0
        self._numbers: dict[tuple[Any, ...], int] = {}
        self._shared: list[tuple[Any, ...]] = []
        self._figures = new_figures(64)
        self._named: HeavyHitters | None = None

    @property
    def dropped(self) -> int:
        """How many times a group was dropped, as there were too many; 0 if all figures are exact."""
        return 0 if self._named is None else self._named.dropped

    def __len__(self) -> int:
        if self.grouping.by_name:
            return 0 if self._named is None else len(self._named)
        return len(self._shared)

    def add_batches(self, task: "ScanTask", headers: "Headers", figures: Int64s) -> None:
        """Add batches of which all records are of one group, or which have none.

        Args:
            task: what they are of.
            headers: their headers.
            figures: a row for each of them.
        """
        if not len(headers):
            return
        self._count(figures)
        groups = self._groups(task, headers)
        if not self.grouping.by_name:
            for group in np.unique(groups).tolist():
                merge(self._figures[group], summed(figures[groups == group]))
            return
        if self.grouping.by_record:
            names: pa.Array = pa.array(
                [
                    self.grouping.name(group, timestamp, producer_id, None, ())
                    for group, timestamp, producer_id in zip(
                        groups.tolist(), headers["max_timestamp"].tolist(), headers["producer_id"].tolist(), strict=True
                    )
                ],
                pa.binary(),
            )
        else:
            stored = np.stack([groups, headers["producer_id"].astype(np.int64)], axis=1)
            ends = np.arange(len(groups) + 1, dtype=np.int32) * 16
            buffers = [None, pa.py_buffer(ends), pa.py_buffer(np.ascontiguousarray(stored))]
            names = pa.Array.from_buffers(pa.binary(), len(groups), buffers)
        self._hitters.add(names, figures)

    def add_records(self, task: "ScanTask", batches: "MeasuredBatches", kept: "Kept", max_headers: int) -> None:
        """Add the wanted records of batches that were found sound.

        Args:
            task: what they are of.
            batches: the batches, and their figures.
            kept: which records count.
            max_headers: most headers of one record.

        Raises:
            LimitExceededError: a key or header value is too long to group by.
        """
        if not self.grouping.by_record:
            some = batches.figures[:, RECORDS] > 0
            self.add_batches(task, batches.headers[some], batches.figures[some])
            return
        self._count(batches.figures)
        self._hitters.tally(
            batches.source,
            batches.starts,
            batches.ends,
            batches.headers,
            self._groups(task, batches.headers),
            kept,
            max_headers,
            batches.stored,
            self._naming,
        )

    def add_rows(self, task: "ScanTask", rows: "MeasuredRows") -> None:
        """Add records that were measured one by one.

        Args:
            task: what they are of.
            rows: the records, in the order of their batches.

        Raises:
            LimitExceededError: as for `add_records`.
        """
        self._count(rows.figures)
        groups = self._numbers_of(task, rows.codecs, rows.magics, rows.stored)
        if self.grouping.by_name:
            columns = groups.tolist(), rows.timestamps.tolist(), rows.producer_ids.tolist(), rows.keys, rows.headers
            named = [self.grouping.name(*row) for row in zip(*columns, strict=True)]
            self._hitters.add(pa.array(named, pa.binary()), rows.figures, rows.batches)
            return
        for group in np.unique(groups).tolist():
            chosen = groups == group
            total = summed(rows.figures[chosen])
            total[BATCHES] = len(np.unique(rows.batches[chosen]))
            merge(self._figures[group], total)

    def rows(self, top: int | None) -> Iterator[tuple[list[Any], Sequence[int], int, int]]:
        """Groups, those of the most stored bytes first.

        Args:
            top: how many; None for all.

        Returns:
            Of each the values of the grouping's columns, its figures, and the errors of records and stored bytes.
        """
        grouping = self.grouping
        if not grouping.by_name:
            figures = self._figures[: len(self._shared)].tolist()
            named = [(grouping.row(grouping.name_of(number), self._shared), row) for number, row in enumerate(figures)]
            named.sort(key=lambda each: (-each[1][STORED_BYTES], -each[1][RECORDS], *map(_sortable, each[0])))
            yield from ((values, row, 0, 0) for values, row in named[:top])
        elif self._named is not None:
            for number in islice(self._named.heaviest(), top):
                row = self._named.figures[number].tolist()
                yield grouping.row(self._named.name(number), self._shared), row[:FIGURES], row[-2], row[-1]

    @property
    def _hitters(self) -> "HeavyHitters":
        """The groups of which there may be any number; they take kernels, which take a while to load."""
        if self._named is None:
            from kafkafmt.sizing.heavy_hitters import HeavyHitters  # noqa: PLC0415 - as said

            self._named = HeavyHitters(self._most_bytes, self._when_full)
        return self._named

    @cached_property
    def _naming(self) -> "Naming":
        from kafkafmt.columnar.tallying import Naming  # noqa: PLC0415 - likewise

        grouping = self.grouping
        return Naming(
            grouping.bucket_ms,
            "producerId" in grouping.columns,
            "key" in grouping.columns,
            grouping.prefix,
            grouping.header is not None,
            np.frombuffer(grouping.header_name, np.uint8),
        )

    def _groups(self, task: "ScanTask", headers: "Headers") -> Int64s:
        """Number of the batch-level values of each batch of format 2."""
        codecs = (headers["attributes"] & COMPRESSION).astype(np.int64)
        return self._numbers_of(task, codecs, np.int64(CURRENT_MAGIC), headers["size"].astype(np.int64) + LOG_OVERHEAD)

    def _numbers_of(self, task: "ScanTask", codecs: Int64s, magics: "Int64s | np.int64", sizes: Int64s) -> Int64s:
        """Number of the batch-level values of each batch or record."""
        powers = np.frexp(sizes)[1] - 1 if "batchSize" in self.grouping.columns else np.zeros(len(sizes), np.int64)
        kinds, inverse = np.unique((powers * 256 + magics) * 256 + codecs, return_inverse=True)
        numbers = [
            self._number(self.grouping.of_batch(task, kind % 256, kind // 256 % 256, 1 << (kind // 65536)))
            for kind in kinds.tolist()
        ]
        return np.array(numbers, np.int64)[inverse]

    def _count(self, figures: Int64s) -> None:
        self.records += int(figures[:, RECORDS].sum())
        self.stored_bytes += int(figures[:, STORED_BYTES].sum())

    def _number(self, shared: tuple[Any, ...]) -> int:
        number = self._numbers.setdefault(shared, len(self._shared))
        if number == len(self._shared):
            self._shared.append(shared)
            if number == len(self._figures):
                self._figures = np.concatenate([self._figures, new_figures(number)])
        return number


def _sortable(value: object) -> tuple[bool, Any]:
    """A value, or None, which comes first."""
    return value is not None, value
