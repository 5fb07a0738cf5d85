"""Aborted transactions whose markers lie in a part of a log, from a transaction index or a walk over batches."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple, Self

from kafkafmt.libraries import np
from kafkafmt.logdir.producer_runs import Int64s

if TYPE_CHECKING:
    from kafkafmt.columnar.headers import Mask
    from kafkafmt.files.transaction_index import TransactionIndex
    from kafkafmt.logdir.transactions import AbortedTransactions

_NONE: Final = np.empty(0, np.int64)


class AbortedRange(NamedTuple):
    """An aborted transaction: Kafka's `AbortedTransaction` of a fetch response, with its end.

    Attributes:
        producer_id: id of the producer.
        first_offset: base offset of the first batch.
        last_offset: offset of the marker.
    """

    producer_id: int
    first_offset: int
    last_offset: int


@dataclass(frozen=True, slots=True, eq=False)
class AbortIndex:
    """Aborted transactions whose markers lie in a part of the log, in order of the markers.

    Attributes:
        producer_ids: ids of the producers.
        first_offsets: base offsets of the first batches.
        last_offsets: offsets of the markers.
        stable: last stable offset after each marker; empty where the log was walked.
        stable_at_end: last stable offset at the end of the part if the log was walked; else -1.
    """

    producer_ids: Int64s
    first_offsets: Int64s
    last_offsets: Int64s
    stable: Int64s
    stable_at_end: int = -1

    def __len__(self) -> int:
        return len(self.last_offsets)

    def __add__(self, later: "AbortIndex") -> "AbortIndex":
        """Concatenate with the transactions of a later part of the log; the stable offsets are dropped."""
        return AbortIndex(
            np.concatenate((self.producer_ids, later.producer_ids)),
            np.concatenate((self.first_offsets, later.first_offsets)),
            np.concatenate((self.last_offsets, later.last_offsets)),
            _NONE,
        )

    @classmethod
    def of_file(cls, index: "TransactionIndex") -> Self:
        """Make an index from the entries of a transaction index."""
        _, producer_ids, first, last, stable = index.entries.fields(0, len(index))
        return cls(producer_ids, first, last, stable)

    @classmethod
    def of_walk(cls, found: "AbortedTransactions") -> Self:
        """Make an index from the result of a walk over batches."""
        order = np.argsort(found.last_offsets, kind="stable")
        return cls(found.producer_ids[order], found.first_offsets[order], found.last_offsets[order], _NONE)

    def is_possible(self, base_offset: int, next_base_offset: int) -> bool:
        """Whether the transaction index of a segment can have these entries.

        A transaction cannot begin before the last stable offset of an earlier entry.

        Args:
            base_offset: base offset of the segment.
            next_base_offset: base offset of the next segment.
        """
        first, last, stable = self.first_offsets, self.last_offsets, self.stable
        return not len(last) or bool(
            base_offset <= last[0]
            and last[-1] < next_base_offset
            and (last[1:] > last[:-1]).all()
            and (self.producer_ids >= 0).all()
            and (first >= 0).all()
            and (first < last).all()
            and (stable <= last + 1).all()
            and (stable[1:] >= stable[:-1]).all()
            and (first[1:] >= stable[:-1]).all()
        )

    def lowest(self, otherwise: int) -> int:
        """The lowest first offset, or `otherwise` if there are no transactions."""
        return int(self.first_offsets.min(initial=otherwise))

    def overlapping(self, begin: int, end: int, marker_end: int) -> list[AbortedRange]:
        """Transactions that end at or after `begin`, begin before `end`, and have their marker below `marker_end`."""
        since = int(np.searchsorted(self.last_offsets, begin))
        until = int(np.searchsorted(self.last_offsets, marker_end))
        chosen = since + np.flatnonzero(self.first_offsets[since:until] < end)
        columns = (self.producer_ids[chosen], self.first_offsets[chosen], self.last_offsets[chosen])
        return [AbortedRange._make(row) for row in zip(*(column.tolist() for column in columns), strict=True)]

    def beyond(self, end: int, marker_end: int) -> int:
        """The number of markers below `marker_end` after which no open transaction begins before `end`."""
        return int(np.count_nonzero((self.stable >= end) & (self.last_offsets < marker_end)[: len(self.stable)]))

    def is_in(self, other: "AbortIndex", known_from: int) -> bool:
        """Whether another index contains all of these transactions.

        Args:
            other: the other index.
            known_from: offset where the walk began without a snapshot: a transaction that the other index lets begin
                before it was seen from a later batch on. 0 if the walk knew which transactions were open.
        """
        place = np.minimum(np.searchsorted(other.last_offsets, self.last_offsets), len(other) - 1)
        if not len(self) or not len(other):
            return not len(self)
        first = other.first_offsets[place]
        return bool(
            (other.last_offsets[place] == self.last_offsets).all()
            and (other.producer_ids[place] == self.producer_ids).all()
            and ((first == self.first_offsets) | (first < known_from)).all()
        )

    def between(self, begin: int, end: int) -> "AbortIndex":
        """Transactions whose markers are in a range of offsets, without the stable offsets."""
        return self._part(slice(*np.searchsorted(self.last_offsets, (begin, end)).tolist()))

    def since(self, offset: int) -> "AbortIndex":
        """Transactions that begin at or after an offset, without the stable offsets."""
        return self._part(self.first_offsets >= offset)

    def _part(self, part: "slice | Mask") -> "AbortIndex":
        return AbortIndex(self.producer_ids[part], self.first_offsets[part], self.last_offsets[part], _NONE)
