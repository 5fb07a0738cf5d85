"""The selection of records that become rows, in the forms for scans and for kernels."""

import re
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from kafkafmt.libraries import np, npt
from kafkafmt.reference.header import INT64_MAX, INT64_MIN

# The bit in which the two cases of an ASCII letter differ.
_CASE = 0x20
_ONE_CASE = bytes(byte | _CASE for byte in range(256))
# Bytes of text from rare to frequent; bytes that are not listed are rarer. Needles are searched by their rarest byte.
_BY_FREQUENCY = b'zjqxkvbwygfmp9876543c2dlu1hrs0noiat.e,:"- \x00'


class Sought(NamedTuple):
    """Needles in the form for kernels.

    Attributes:
        strings: bytes of all strings, with the bits of `case` set.
        edges: ends of the needles in `strings`, after a leading 0.
        rarest: index of the rarest byte in each needle, which is searched first; `second` has the next rarest.
        case: bits of a byte that are ignored.
    """

    strings: "npt.NDArray[np.uint8]"
    edges: "npt.NDArray[np.int64]"
    rarest: "npt.NDArray[np.int64]"
    second: "npt.NDArray[np.int64]"
    case: int


class Kept(NamedTuple):
    """The records that become rows; bounds are inclusive.

    Attributes:
        all: whether every record does, so that the other fields have no meaning.
        by_key: whether only records with `key` do.
        by_needle: whether only records with one of the needles of `sought` do.
    """

    all: bool
    first_offset: int
    last_offset: int
    first_timestamp: int
    last_timestamp: int
    by_key: bool
    key: "npt.NDArray[np.uint8]"
    by_needle: bool
    sought: Sought


@dataclass(frozen=True, slots=True)
class Needles:
    """Byte strings of which a wanted record must contain one, in its key, its value or a header.

    Attributes:
        strings: the strings, none of which is empty.
        ignore_case: whether an ASCII letter matches both of its cases; some other bytes then match two, too.
    """

    strings: tuple[bytes, ...]
    ignore_case: bool = False

    @property
    def case(self) -> int:
        """Bits of a byte that are ignored."""
        return _CASE if self.ignore_case else 0

    def are_in(self, *fields: bytes | memoryview | None) -> bool:
        """Whether one of a record's fields contains a needle."""
        # Searching in a view copies nothing, and `re` caches compiled patterns.
        pattern = re.compile(b"|".join(map(re.escape, self.strings)), re.IGNORECASE if self.ignore_case else 0)
        return any(field is not None and pattern.search(field) is not None for field in fields)

    def may_be_in(self, payload: bytes | memoryview) -> bool:
        """Whether the records of a batch contain a needle, or bytes like it, as kernels would find it."""
        if self.ignore_case:
            payload = bytes(payload).translate(_ONE_CASE)
        strings = [re.escape(bytes(byte | self.case for byte in string)) for string in self.strings]
        return re.compile(b"|".join(strings)).search(payload) is not None

    def sought(self) -> Sought:
        """Convert to the form for kernels."""
        orders = [
            np.argsort([_BY_FREQUENCY.find(byte | self.case) for byte in string], kind="stable")
            for string in self.strings
        ]
        return Sought(
            np.frombuffer(bytes(byte | self.case for string in self.strings for byte in string), np.uint8),
            np.cumsum([0, *map(len, self.strings)], dtype=np.int64),
            np.array([order[0] for order in orders], np.int64),
            np.array([order[min(1, len(order) - 1)] for order in orders], np.int64),
            self.case,
        )


@cache
def _nothing_sought() -> Sought:
    """No needles; made once, as making arrays takes longer than decoding a small batch."""
    return Needles(()).sought()


@dataclass(frozen=True, slots=True)
class RowFilter:
    """The records that become rows; None for no bound.

    Attributes:
        start_offset: the lowest offset.
        end_offset: the first offset after the range.
        start_timestamp: the lowest timestamp, in ms.
        end_timestamp: the first timestamp after the range, in ms.
        key: only records with this key.
        needles: only records that contain one of these; some records without one may become rows, too.
    """

    start_offset: int | None = None
    end_offset: int | None = None
    start_timestamp: int | None = None
    end_timestamp: int | None = None
    key: bytes | None = None
    needles: Needles | None = None

    def as_kept(self) -> Kept:
        """Convert to the form for kernels."""
        first_offset, last_offset = _inclusive(self.start_offset, self.end_offset)
        first_timestamp, last_timestamp = _inclusive(self.start_timestamp, self.end_timestamp)
        return Kept(
            self == EVERY_ROW,
            first_offset,
            last_offset,
            first_timestamp,
            last_timestamp,
            self.key is not None,
            np.frombuffer(self.key or b"", np.uint8),
            self.needles is not None,
            _nothing_sought() if self.needles is None else self.needles.sought(),
        )


EVERY_ROW = RowFilter()
"""No bounds."""


def _inclusive(start: int | None, end: int | None) -> tuple[int, int]:
    """First and last int64 of a range whose end is exclusive."""
    first = INT64_MIN if start is None else start
    last = INT64_MAX if end is None else end - 1
    if first > INT64_MAX or last < INT64_MIN:
        return 1, 0
    return max(first, INT64_MIN), min(last, INT64_MAX)
