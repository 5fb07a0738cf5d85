"""HeavyHitters: figures of groups in bounded memory, exact until there are too many, then with the error of each group.

The algorithm is lossy counting, weighted by stored bytes: while all groups fit, they are exact. Once there is no room,
the lighter half is dropped, and the table remembers the most that a dropped group may have had. A group that comes, or
comes back, after that starts with this as its error. So true figures are never below those of a row, and exceed them by
its error at most; a group that is heavy from the start on stays exact.
"""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from kafkafmt.columnar.figures import BATCHES, RECORDS, STORED_BYTES, Int64s, new_figures
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

if TYPE_CHECKING:
    import pyarrow as pa

    from kafkafmt.columnar.headers import Headers, UInt8s
    from kafkafmt.columnar.row_filter import Kept

# Figures, hash, end and two slots of a group; and its name, as long as most are with room to spare.
_GROUP_BYTES: Final = 8 * WIDTH + 8 + 8 + 8
_NAME_BYTES: Final = 48
# What it takes for a while to order a group among the others.
_ORDER_BYTES: Final = 6 * 8
_FEWEST: Final = 64
# What kernels read and write beyond a name.
_SLACK: Final = 8
# What is in a name besides bytes of the record: group, period, producer id, and the lengths of three strings.
_LONGEST_NUMBERS: Final = 3 * 8 + 3 * 4


class HeavyHitters:
    """Groups by their names, the heaviest of which are never dropped.

    Args:
        most_bytes: memory for them; a group takes about 210 bytes.
        when_full: called instead of dropping groups; they are all forgotten then, and none has an error.

    Attributes:
        dropped: how many times a group was dropped.
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
        """A row for each group, in the order of `kafkafmt.columnar.tallying`."""
        return self._table.figures[: len(self)]

    def name(self, group: int) -> bytes:
        """Name of a group, by its number."""
        ends = self._table.ends
        return self._table.names[ends[group] : ends[group + 1]].tobytes()

    def heaviest(self) -> Iterator[int]:
        """Numbers of the groups, those of the most stored bytes first, then of the most records, then by name."""
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
        """Add records of batches, with the arguments of `kafkafmt.columnar.tallying.tally`.

        Raises:
            LimitExceededError: a key or header value is too long for a table of this size.
        """
        if self._when_full is not None and not self._holds_all_of(headers, starts, ends):
            # Before a batch and not within it, so that it counts once.
            self._forget(self._when_full)
        progress = np.zeros(5, np.int64)
        progress[FIRST_NUMBER] = self._batches
        self._batches += len(starts)
        arguments = source, starts, ends, headers, groups, kept, max_headers, stored, naming, self._table, progress
        last = None
        while tally(*arguments) < len(starts):
            last = self._make_room((int(progress[BATCH]), int(progress[RECORD])), last)

    def add(self, names: "pa.Array", figures: Int64s | None = None, batches: Int64s | None = None) -> None:
        """Add rows.

        Args:
            names: name of the group of each row, as binary without nulls.
            figures: of each row, in the order of `NO_FIGURES`; None for one record of one byte each.
            batches: a number from 0 on for the batch of each row, in order; None to add up their batches.

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
        """Whether there is room for the records of batches, should each have a group of its own."""
        records = int(headers["num_records"].sum(dtype=np.int64))
        most = int(ends[-1] - starts[0]) + _LONGEST_NUMBERS * records
        used = int(self._table.state[NAME_BYTES])
        return len(self) + records <= len(self._table.hashes) and used + most <= len(self._table.names) - _SLACK

    def _forget(self, when_full: Callable[[], None]) -> None:
        when_full()
        keep_some(self._table, np.empty(0, np.int64))

    def _make_room(self, place: tuple[int, int], last: tuple[int, int] | None) -> tuple[int, int]:
        """Drop the lighter half of the groups, or what is more than half of the bytes of names.

        Args:
            place: the record for which there is none.
            last: that for which room was made last; returns `place`.
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
