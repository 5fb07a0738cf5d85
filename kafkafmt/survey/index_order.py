"""Whether the entries of an index file are in order, regardless of the content of its log."""

from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from kafkafmt.errors import CorruptError, KafkafmtError
from kafkafmt.files.kinds import LAYOUTS
from kafkafmt.files.time_index import TimeIndexEntry
from kafkafmt.libraries import np
from kafkafmt.phrases import sized

if TYPE_CHECKING:
    from kafkafmt.files.index_file import SlotSequence
    from kafkafmt.files.offset_index import OffsetIndex
    from kafkafmt.files.time_index import TimeIndex
    from kafkafmt.files.transaction_index import TransactionIndex

    AnyIndex = OffsetIndex | TimeIndex | TransactionIndex

# Fewer entries than this are compared without numpy.
FEW = 64


def only_goes_up(index: "OffsetIndex") -> bool:
    """Whether the entries of an offset index ascend, so that the index may be right for a longer log."""
    fields = index.entries.fields(0, len(index.entries))
    return all(bool((each[1:] > each[:-1]).all()) for each in fields)


def fault_of(index: "AnyIndex", sanity_error: CorruptError | None) -> KafkafmtError | None:
    """The fault of an index on its own; padding is not a fault."""
    if index.trailing_bytes:
        return sanity_error or CorruptError(
            "bytes follow the last whole entry of the index", file=index.file, found=sized(index.trailing_bytes)
        )
    if index.zero_padded_from is None:
        return sanity_error
    first, last = index.entries[0], index.entries[-1]
    number = len(index.entries) - 1
    if isinstance(first, TimeIndexEntry) and isinstance(last, TimeIndexEntry) and last.timestamp < first.timestamp:
        return CorruptError(
            "the last timestamp of the time index is below the first",
            file=index.file,
            position=number * LAYOUTS["timeindex"].size,
            expected=f"{first.timestamp} or more",
            found=last.timestamp,
        )
    if last.relative_offset < 0:
        return CorruptError(
            "the last offset of the index is below its base offset",
            file=index.file,
            position=number * LAYOUTS["timeindex" if isinstance(last, TimeIndexEntry) else "index"].size,
            expected="a relative offset of 0 or more",
            found=last.relative_offset,
        )
    return None


def first_fall(
    entries: "SlotSequence[Any]", count: int, start: tuple[int, int], rises: Callable[[Any, Any], Any]
) -> tuple[int, tuple[int, int], tuple[int, int]] | None:
    """The first entry whose first field is not above the previous entry's, or whose second field does not rise.

    Args:
        entries: the entries.
        count: number of entries to compare, from the first one.
        start: the fields before those of the first entry.
        rises: compares second fields: `lt` or `le`.

    Returns:
        The entry's number, the fields of the previous entry, and its own fields; None if there is no such entry.
    """
    if count < FEW:
        pairs = enumerate(pairwise([start, *entries.slots(0, count)]))
        return next(
            (
                (number, before, after)
                for number, (before, after) in pairs
                if after[0] <= before[0] or not rises(before[1], after[1])
            ),
            None,
        )
    first, second = (np.insert(each, 0, begin) for each, begin in zip(entries.fields(0, count), start, strict=True))
    falls = np.flatnonzero((first[1:] <= first[:-1]) | ~rises(second[:-1], second[1:]))
    if not len(falls):
        return None
    number = int(falls[0])
    return (
        number,
        (int(first[number]), int(second[number])),
        (int(first[number + 1]), int(second[number + 1])),
    )
