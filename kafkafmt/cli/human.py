"""Numbers as people read them: sizes, counts, times, codecs and formats."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kafkafmt.survey import Share

NOTHING = "-"
"""Placeholder for a missing value in sentences; tables have their own."""

# Without a time zone, which would be formatted only to be cut off.
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC).replace(tzinfo=None)
_UNITS = ("KiB", "MiB", "GiB", "TiB", "PiB", "EiB")


def size(count: int | None) -> str:
    """A number of bytes in the largest unit that leaves a whole number: `1.5 GiB`; `NOTHING` for None."""
    if count is None:
        return NOTHING
    if count < 0:
        return f"-{size(-count)}"
    if count < 1024:
        return f"{count} B"
    power = min((count.bit_length() - 1) // 10, len(_UNITS))
    if power < len(_UNITS) and round(count / 1024**power, 1) >= 1024:
        power += 1
    return f"{count / 1024**power:.1f} {_UNITS[power - 1]}"


def number(count: int | None) -> str:
    """An integer with commas; `NOTHING` for None."""
    return NOTHING if count is None else f"{count:,}"


def time(milliseconds: int | None) -> str:
    """A time as all tables and sentences write it: `2026-11-21T04:16:24.061Z`; `NOTHING` for None.

    -1, which Kafka does not treat as a time, and times outside the years 1 to 9999 stay numbers.
    """
    if milliseconds is None:
        return NOTHING
    if milliseconds == -1:
        return "-1"
    try:
        moment = _EPOCH + timedelta(milliseconds=milliseconds)
    except OverflowError:
        return str(milliseconds)
    return f"{moment.isoformat(timespec='milliseconds')}Z"


def formats(shares: Mapping[tuple[int, str], "Share"]) -> str:
    """Message formats that occur: `v1, v2`."""
    return ", ".join(f"v{magic}" for magic in sorted({magic for magic, _ in shares})) or NOTHING


def codecs(shares: Mapping[tuple[int, str], "Share"]) -> str:
    """Codecs that occur, by descending bytes."""
    sizes: dict[str, int] = {}
    for (_, codec), share in shares.items():
        sizes[codec] = sizes.get(codec, 0) + share.size
    return ", ".join(sorted(sizes, key=lambda codec: (-sizes[codec], codec))) or NOTHING


def span(least: int | None, most: int | None) -> str:
    """A range of numbers: `3`, or `3-7`; `NOTHING` for none."""
    if least is None or most is None:
        return NOTHING
    return str(least) if least == most else f"{least}-{most}"


def join(parts: Iterable[str | None]) -> str:
    """The existing parts, separated by commas."""
    return ", ".join(part for part in parts if part)


def plain(count: int | None) -> str:
    """An integer without commas, as an offset is typed; `NOTHING` for None."""
    return NOTHING if count is None else str(count)
