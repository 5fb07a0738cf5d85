"""Records of two copies of a partition, paired by their offsets, and the columns in which they differ."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

COMPARED: Final = ("timestamp", "key", "value", "headers", "isControl")
"""Columns in which records at the same offset may differ."""

ONLY_IN_FIRST: Final = "only in first"
ONLY_IN_SECOND: Final = "only in second"
DIFFERENCES: Final = (*COMPARED, ONLY_IN_FIRST, ONLY_IN_SECOND)
"""How the records at an offset can differ."""

Offsets = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Pairing:
    """Records of two copies over the same range of offsets.

    Attributes:
        both: the records of each copy whose offsets the other has, too, in the same order.
        only: the records of each copy whose offsets the other lacks.
    """

    both: tuple[pa.RecordBatch, pa.RecordBatch]
    only: tuple[pa.RecordBatch, pa.RecordBatch]

    @classmethod
    def of(cls, first: pa.RecordBatch, second: pa.RecordBatch) -> "Pairing":
        """Pair the records of two copies by their offsets."""
        ours, theirs = offsets_of(first), offsets_of(second)
        if np.array_equal(ours, theirs):
            return cls((first, second), (first.slice(0, 0), second.slice(0, 0)))
        _, left, right = np.intersect1d(ours, theirs, return_indices=True)
        rest = (np.setdiff1d(np.arange(len(ours)), left), np.setdiff1d(np.arange(len(theirs)), right))
        return cls(
            (first.take(pa.array(left)), second.take(pa.array(right))),
            (first.take(pa.array(rest[0])), second.take(pa.array(rest[1]))),
        )

    def differing(self) -> dict[str, Mask]:
        """For each column of `COMPARED` that differs, a mask of the records in which it does."""
        masks = {}
        for name in COMPARED:
            first, second = (each.column(name) for each in self.both)
            if not first.equals(second):
                mask = _unequal(first, second)
                if mask.any():
                    masks[name] = mask
        return masks

    @property
    def other_epochs(self) -> bool:
        """Whether the two records at an offset have different leader epochs; formats 0 and 1 have none."""
        first, second = (each.column("partitionLeaderEpoch").to_numpy() for each in self.both)
        return bool(((first != second) & (first >= 0) & (second >= 0)).any())


def paired(first: Iterator[pa.RecordBatch], second: Iterator[pa.RecordBatch]) -> Iterator[Pairing]:
    """Pair the records of two copies by offset, in order, some at a time.

    Args:
        first: records of one copy, with a column "offset".
        second: records of the other copy, with a column "offset".
    """
    streams = first, second
    held: list[pa.RecordBatch | None] = [None, None]
    ended = [False, False]
    while True:
        for which, stream in enumerate(streams):
            while not ended[which] and _is_empty(held[which]):
                held[which] = next(stream, None)
                ended[which] = held[which] is None
        left = [each for each in held if each is not None]
        if all(map(_is_empty, held)):
            return
        whole = [sorted_by_offset(left[0].slice(0, 0) if each is None else each) for each in held]
        bounds = [int(offsets_of(whole[which])[-1]) for which in range(2) if not ended[which]]
        counts = [
            each.num_rows if not bounds else int(np.searchsorted(offsets_of(each), min(bounds), "right"))
            for each in whole
        ]
        yield Pairing.of(*(each.slice(0, count) for each, count in zip(whole, counts, strict=True)))
        held = [each.slice(count) for each, count in zip(whole, counts, strict=True)]


def sorted_by_offset(records: pa.RecordBatch) -> pa.RecordBatch:
    """The records in order of offsets; they already are, except in a log that is out of order."""
    offsets = offsets_of(records)
    if (offsets[1:] >= offsets[:-1]).all():
        return records
    return records.take(pa.array(np.argsort(offsets, kind="stable")))


def offsets_of(records: pa.RecordBatch) -> Offsets:
    """Offsets of the records."""
    offsets: Offsets = records.column("offset").to_numpy()
    return offsets


def _unequal(first: pa.Array, second: pa.Array) -> Mask:
    if pa.types.is_list(first.type):
        pairs = zip(first.to_pylist(), second.to_pylist(), strict=True)
        return np.array([(one or []) != (other or []) for one, other in pairs], np.bool_)
    nulls = [each.is_null().to_numpy(zero_copy_only=False) for each in (first, second)]
    unequal = pc.fill_null(pc.not_equal(first, second), False).to_numpy(zero_copy_only=False)  # noqa: FBT003
    mask: Mask = unequal | (nulls[0] != nulls[1])
    return mask


def _is_empty(records: pa.RecordBatch | None) -> bool:
    return records is None or not records.num_rows
