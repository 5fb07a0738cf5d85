"""Remarks of `compare` on the gaps of a copy: damaged, missing without a reason, or found at another offset."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Final

from kafkafmt.libraries import npt

_NAMES: Final = ("first", "second")
_RANGES_SHOWN: Final = 5
_MOST_SOUGHT: Final = 4096
"""Most missing batches that are searched for at other offsets, as they are held in memory."""
_SAME: Final = ["size", "crc", "magic"]
"""Fields in which two batches with the same records agree, whatever their base offsets."""


def of_damage(
    damaged: tuple[int, int], lacking: Sequence[Sequence[tuple[int, int]]], are_damaged: tuple[bool, bool]
) -> list[str]:
    """A sentence with the offsets that only one copy has, if the other lost some to damage.

    Args:
        damaged: for each copy, the number of records that only the other one has because of damage in this one.
        lacking: for each copy, the range of these offsets, first and last, for each damaged part.
        are_damaged: for each copy, whether it is damaged at all.
    """
    if not any(damaged):
        return []
    parts = []
    for name, ranges, is_damaged in zip(_NAMES, lacking, are_damaged, strict=True):
        if ranges:
            more = len(ranges) - _RANGES_SHOWN
            shown = ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in ranges[:_RANGES_SHOWN])
            parts.append(f"{name} lacks {shown}{f' and {more:,} more ranges' if more > 0 else ''} (damaged)")
        else:
            parts.append(f"{name} is damaged, but has them" if is_damaged else f"{name} is whole")
    return ["; ".join(parts)]


def of_missing(which: int, count: int, first: int, last: int) -> str:
    """A clause on the records that a copy lacks without a reason.

    Args:
        which: 0 for the first copy, 1 for the second.
        count: number of records.
        first: the first offset.
        last: the last offset.
    """
    records = "1 record" if count == 1 else f"{count:,} records"
    return f"{_NAMES[which]} lacks {records} (offset{'' if first == last else 's'} {_range(first, last)})"


def of_shifted(
    which: int, beyond: "Iterable[npt.NDArray[Any]]", missing: "Iterable[npt.NDArray[Any]]"
) -> Iterator[str]:
    """Name the first batch that a copy lacks at its offset but has at another one: no CRC covers base offsets.

    Args:
        which: 0 for the first copy, 1 for the second.
        beyond: batches of this copy, of type `BATCH`, at offsets that the other one does not reach.
        missing: batches of the other copy that this one lacks.
    """
    sought = islice((row for batches in missing for row in batches if row["magic"] >= 0), _MOST_SOUGHT)
    known = {tuple(row[_SAME]): int(row["base"]) for row in sought}
    for batches in beyond:
        for row in batches:
            base = known.get(tuple(row[_SAME]))
            if base is not None:
                yield (
                    f"a wrong base offset in {_NAMES[which]}: the batch at {int(row['base'])} is the one that "
                    f"{_NAMES[1 - which]} has at {base}"
                )
                return


def _range(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}-{last}"
