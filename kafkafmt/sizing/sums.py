"""Sums: the figures of all groups of one grouping, from headers, from kernels or from records.

If the number of groups is unbounded, they are kept in bounded memory (`HeavyHitters`): exact until there are too many,
then with an error for each group. The algorithm is lossy counting, weighted by stored bytes. Once the memory is full,
the lighter half is dropped, and the table remembers the most that a dropped group may have had. A group that appears
(again) after that starts with this as its error. A row is a lower bound; the true value is at most its `error`
higher, and a group that is heavy from the start stays exact.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from kafkafmt.cached import cached_property
from kafkafmt.columnar.figures import BATCHES, FIGURES, RECORDS, STORED_BYTES, Int64s, merge, new_figures, summed
from kafkafmt.columnar.kernels import keep_some, tally, tally_named
from kafkafmt.columnar.tallying import (
    BATCH,
    FIRST_NUMBER,
    GROUPS,
    MOST_RECORDS,
    MOST_STORED,
    NAME_BYTES,
    RECORD,
    RECORDS_ERROR,
    STORED_ERROR,
    WIDTH,
    Naming,
    Table,
)
from kafkafmt.errors import LimitExceededError
from kafkafmt.reference.layout import COMPRESSION, CURRENT_MAGIC, LOG_OVERHEAD

if TYPE_CHECKING:
    from kafkafmt.columnar.headers import Headers, UInt8s
    from kafkafmt.columnar.row_filter import Kept
    from kafkafmt.scanning import ScanTask
    from kafkafmt.sizing.grouping import Grouping
    from kafkafmt.sizing.measured import MeasuredBatches, MeasuredRows

# Figures, hash, end and two slots of a group; the space for its name suffices for most names.
_GROUP_BYTES: Final = 8 * WIDTH + 8 + 8 + 8
_NAME_BYTES: Final = 48
# Temporary memory to sort a group among the others.
_ORDER_BYTES: Final = 6 * 8
_FEWEST: Final = 64
# Bytes that kernels access past a name.
_SLACK: Final = 8
# Parts of a name besides bytes of the record: group, period, producer id, and three string lengths.
_LONGEST_NUMBERS: Final = 3 * 8 + 3 * 4


class Sums:
    """The sums so far, by group.

    Args:
        grouping: the dimensions of the groups.
        most_bytes: memory for groups whose number is unbounded.
        when_full: called when memory is full, instead of dropping groups; `rows` returns the groups of unbounded
            number, which are then forgotten.

    Attributes:
        grouping: the dimensions of the groups.
        records: number of records in all groups.
        stored_bytes: stored bytes of all groups.
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
        """Number of times that a group was dropped because there were too many; 0 if all figures are exact."""
        return 0 if self._named is None else self._named.dropped

    def __len__(self) -> int:
        if self.grouping.by_name:
            return 0 if self._named is None else len(self._named)
        return len(self._shared)

    def add_batches(self, task: "ScanTask", headers: "Headers", figures: Int64s) -> None:
        """Add batches whose records all belong to one group, or that have none.

        Args:
            task: the task of the records.
            headers: headers of the batches.
            figures: one row for each batch.
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
        """Add the wanted records of sound batches.

        Args:
            task: the task of the records.
            batches: the batches, with their figures.
            kept: selection of the wanted records.
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
            task: the task of the records.
            rows: the records, in the order of their batches.

        Raises:
            LimitExceededError: as in `add_records`.
        """
        self._count(rows.figures)
        groups = self._numbers_of(task, rows.codecs, rows.magics, rows.stored)
        if self.grouping.by_name:
            columns = (
                groups.tolist(),
                rows.timestamps.tolist(),
                rows.producer_ids.tolist(),
                rows.keys,
                rows.headers,
                rows.fields,
            )
            named = [self.grouping.name(*row) for row in zip(*columns, strict=True)]
            self._hitters.add(pa.array(named, pa.binary()), rows.figures, rows.batches)
            return
        for group in np.unique(groups).tolist():
            chosen = groups == group
            total = summed(rows.figures[chosen])
            total[BATCHES] = len(np.unique(rows.batches[chosen]))
            merge(self._figures[group], total)

    def rows(self, top: int | None) -> Iterator[tuple[list[Any], Sequence[int], int, int]]:
        """Groups by descending stored bytes.

        Args:
            top: number of groups; None for all.

        Returns:
            For each group the values of the grouping's columns, its figures, and the errors of records and stored
            bytes.
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
        """Groups whose number is unbounded; their table is made with the first one."""
        if self._named is None:
            self._named = HeavyHitters(self._most_bytes, self._when_full)
        return self._named

    @cached_property
    def _naming(self) -> Naming:
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
        """For each batch of format 2 the number of its batch-level values."""
        codecs = (headers["attributes"] & COMPRESSION).astype(np.int64)
        return self._numbers_of(task, codecs, np.int64(CURRENT_MAGIC), headers["size"].astype(np.int64) + LOG_OVERHEAD)

    def _numbers_of(self, task: "ScanTask", codecs: Int64s, magics: "Int64s | np.int64", sizes: Int64s) -> Int64s:
        """For each batch or record the number of its batch-level values."""
        powers = np.frexp(sizes)[1] - 1 if "batchSize" in self.grouping.columns else np.zeros(len(sizes), np.int64)
        # Magic is signed: Kafka reads a negative one as format 1.
        kinds, inverse = np.unique((powers * 256 + magics + 128) * 256 + codecs, return_inverse=True)
        parts = ((kind % 256, kind // 256 % 256 - 128, 1 << (kind // 65536)) for kind in kinds.tolist())
        numbers = [self._number(self.grouping.of_batch(task, *each)) for each in parts]
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
    """Sort key of a value, with None first."""
    return value is not None, value


class HeavyHitters:
    """Groups by name, of which the heaviest are never dropped.

    Args:
        most_bytes: memory for the groups; a group takes about 210 bytes.
        when_full: called instead of dropping groups; all groups are then forgotten, and none has an error.

    Attributes:
        dropped: number of times that a group was dropped.
    """

    def __init__(self, most_bytes: int, when_full: Callable[[], None] | None = None) -> None:
        capacity = max(_FEWEST, most_bytes // (_GROUP_BYTES + _NAME_BYTES + _ORDER_BYTES))
        self.dropped = 0
        self._table = Table(
            slots=np.zeros(1 << (2 * capacity - 1).bit_length(), np.int32),
            hashes=np.empty(capacity, np.uint64),
            ends=np.zeros(capacity + 1, np.int64),
            names=np.zeros(capacity * _NAME_BYTES + _SLACK, np.uint8),
            figures=np.empty((capacity, WIDTH), np.int64),
            state=np.zeros(4, np.int64),
        )
        self._batches = 0
        self._when_full = when_full

    def __len__(self) -> int:
        return int(self._table.state[GROUPS])

    @property
    def figures(self) -> Int64s:
        """A row for each group, with the columns of `kafkafmt.columnar.tallying`."""
        return self._table.figures[: len(self)]

    def name(self, group: int) -> bytes:
        """Name of a group, by its number."""
        ends = self._table.ends
        return self._table.names[ends[group] : ends[group + 1]].tobytes()

    def heaviest(self) -> Iterator[int]:
        """Numbers of the groups, by descending stored bytes, then descending records, then name."""
        figures = self.figures
        order = np.lexsort((-figures[:, RECORDS], -figures[:, STORED_BYTES]))
        weights = figures[:, [RECORDS, STORED_BYTES]][order]
        edges = np.flatnonzero((weights[1:] != weights[:-1]).any(axis=1)) + 1
        for begin, end in pairwise([0, *edges.tolist(), len(order)]):
            alike = order[begin:end].tolist()
            yield from alike if len(alike) == 1 else sorted(alike, key=self.name)

    def tally(
        self,
        source: "UInt8s",
        starts: Int64s,
        ends: Int64s,
        headers: "Headers",
        groups: Int64s,
        kept: "Kept",
        max_headers: int,
        stored: Int64s,
        naming: Naming,
    ) -> None:
        """Add records of batches, with the arguments of `kafkafmt.columnar.kernels.tallying.tally`.

        Raises:
            LimitExceededError: a key or header value is too long for a table of this size.
        """
        if self._when_full is not None and not self._holds_all_of(headers, starts, ends):
            # Groups are handed over before these batches: in the middle of a batch it would be counted twice.
            self._forget(self._when_full)
        progress = np.zeros(5, np.int64)
        progress[FIRST_NUMBER] = self._batches
        self._batches += len(starts)
        arguments = source, starts, ends, headers, groups, kept, max_headers, stored, naming, self._table, progress
        last = None
        while tally(*arguments) < len(starts):
            last = self._make_room((int(progress[BATCH]), int(progress[RECORD])), last)

    def add(self, names: pa.Array, figures: Int64s | None = None, batches: Int64s | None = None) -> None:
        """Add rows.

        Args:
            names: name of the group of each row, as binary without nulls.
            figures: figures of each row, in the order of `NO_FIGURES`; None for one record of one byte each.
            batches: number of each row's batch, from 0 on, in order; None to add up the rows' own batches.

        Raises:
            LimitExceededError: a name is too long for a table of this size.
        """
        count = len(names)
        if not count:
            return
        if figures is None:
            figures = new_figures(count)
            figures[:, [RECORDS, BATCHES, STORED_BYTES]] = 1
        numbers = np.full(count, -1, np.int64)
        if batches is not None:
            numbers = batches + self._batches
            self._batches = int(numbers[-1]) + 1
        _, offsets, data = names.buffers()
        bounds = np.frombuffer(offsets, np.int32)[names.offset : names.offset + count + 1].astype(np.int64)
        stored = np.frombuffer(data or b"", np.uint8)[bounds[0] :]
        progress = np.zeros(5, np.int64)
        last = None
        while tally_named(stored, bounds[1:] - bounds[0], figures, numbers, self._table, progress) < count:
            last = self._make_room((int(progress[BATCH]), 0), last)

    def _holds_all_of(self, headers: "Headers", starts: Int64s, ends: Int64s) -> bool:
        """Whether the records of these batches fit, even if each has its own group."""
        records = int(headers["num_records"].sum(dtype=np.int64))
        most = int(ends[-1] - starts[0]) + _LONGEST_NUMBERS * records
        used = int(self._table.state[NAME_BYTES])
        return len(self) + records <= len(self._table.hashes) and used + most <= len(self._table.names) - _SLACK

    def _forget(self, when_full: Callable[[], None]) -> None:
        when_full()
        keep_some(self._table, np.empty(0, np.int64))

    def _make_room(self, place: tuple[int, int], last: tuple[int, int] | None) -> tuple[int, int]:
        """Drop the lighter half of the groups, or all groups past half of the bytes of names.

        Args:
            place: the record that did not fit.
            last: the record for which space was made last; `place` is returned to become the next `last`.
        """
        if place == last:
            raise LimitExceededError(
                "a key or header value is too long to group by within max_state_bytes; group by a prefix of the key",
                expected=f"at most {(len(self._table.names) - _SLACK) // 2} bytes",
            )
        if self._when_full is not None:
            self._forget(self._when_full)
            return place
        table, count = self._table, len(self)
        figures = table.figures[:count]
        most_stored = figures[:, STORED_BYTES] + figures[:, STORED_ERROR]
        order = np.argsort(-most_stored, kind="stable")
        sizes = np.diff(table.ends[: count + 1])[order]
        fitting = int(np.searchsorted(np.cumsum(sizes), (len(table.names) - _SLACK) // 2, side="right"))
        keep = min(len(table.hashes) // 2, fitting, count)
        dropped = order[keep:]
        if len(dropped):
            most_records = figures[dropped, RECORDS] + figures[dropped, RECORDS_ERROR]
            table.state[MOST_RECORDS] = max(table.state[MOST_RECORDS], int(most_records.max()))
            table.state[MOST_STORED] = max(table.state[MOST_STORED], int(most_stored[dropped].max()))
            self.dropped += len(dropped)
        keep_some(table, np.sort(order[:keep]))
        return place
