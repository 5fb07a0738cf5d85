"""Which records become rows, as a scan says it and as kernels look at it."""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kafkafmt.reference.header import INT64_MAX

_INT64_MIN = -INT64_MAX - 1


class Kept(NamedTuple):
    """Which records are rows; bounds are inclusive.

    Attributes:
        all: whether every record is; then the rest says nothing.
        by_key: whether only those with `key` are.
    """

    all: bool
    first_offset: int
    last_offset: int
    first_timestamp: int
    last_timestamp: int
    by_key: bool
    key: npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Needles:
    """Strings of bytes; a batch in whose records none of them lies as a whole need not be decoded.

    Attributes:
        strings: none of them empty.
        ignore_case: whether a letter of ASCII stands for both of its cases; some other bytes then stand for two, too.
    """

    strings: tuple[bytes, ...]
    ignore_case: bool = False


@dataclass(frozen=True, slots=True)
class RowFilter:
    """Which records are rows; None is no bound.

    Attributes:
        start_offset: the lowest offset.
        end_offset: the lowest offset beyond.
        start_timestamp: the lowest timestamp, in ms.
        end_timestamp: the lowest timestamp beyond, in ms.
        key: only records with this key.
        needles: only records of batches that hold one of them; some of others may be rows, too.
    """

    start_offset: int | None = None
    end_offset: int | None = None
    start_timestamp: int | None = None
    end_timestamp: int | None = None
    key: bytes | None = None
    needles: Needles | None = None

    def as_kept(self) -> Kept:
        """Say the same to a kernel."""
        first_offset, last_offset = _inclusive(self.start_offset, self.end_offset)
        first_timestamp, last_timestamp = _inclusive(self.start_timestamp, self.end_timestamp)
        return Kept(
            replace(self, needles=None) == EVERY_ROW,
            first_offset,
            last_offset,
            first_timestamp,
            last_timestamp,
            self.key is not None,
            np.frombuffer(self.key or b"", np.uint8),
        )


EVERY_ROW = RowFilter()
"""No bounds at all."""


def _inclusive(start: int | None, end: int | None) -> tuple[int, int]:
    """First and last int64 of a range whose end lies beyond it."""
    first = _INT64_MIN if start is None else start
    last = INT64_MAX if end is None else end - 1
    if first > INT64_MAX or last < _INT64_MIN:
        return 1, 0
    return max(first, _INT64_MIN), min(last, INT64_MAX)
