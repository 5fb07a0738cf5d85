"""Times as ISO 8601 text, for every year that their numbers can hold."""

from collections.abc import Callable
from functools import partial
from typing import Final, Literal

import numpy as np
import pyarrow as pa

Unit = Literal["s", "ms", "us", "ns"]

NAMED_SECONDS: Final = range(-62_135_596_800, 253_402_300_800)
"""Seconds since the epoch of the years 1 to 9999, which Python's datetime and Protobuf's Timestamp have."""

_DAY_SECONDS = 86_400
_PER_SECOND: dict[Unit, int] = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}


def iso_date(days: int) -> str:
    """A day, counted from 1970-01-01, as "2026-11-27"."""
    return str(np.datetime64(days, "D"))


def iso_timestamp(value: int, unit: Unit, *, is_local: bool = False) -> str | int:
    """A moment since the epoch as "2026-11-27T20:40:00.000Z"; without the Z if it is local.

    The least number is not a time in numpy, and stays a number.
    """
    moment = np.datetime64(value, unit)
    return int(value) if np.isnat(moment) else f"{moment}{'' if is_local else 'Z'}"


def iso_time(value: int, unit: Unit) -> str | int:
    """A time of day as "20:40:00", or with a fraction as "20:40:00.120"; numbers outside a day stay as they are."""
    seconds, fraction = divmod(value, _PER_SECOND[unit])
    if not 0 <= seconds < _DAY_SECONDS:
        return value
    minutes, second = divmod(seconds, 60)
    whole = f"{minutes // 60:02}:{minutes % 60:02}:{second:02}"
    return f"{whole}.{fraction:0{len(str(_PER_SECOND[unit])) - 1}}" if fraction else whole


def iso_duration(value: int, unit: Unit) -> str:
    """A length of time as "P1DT3H26M10S", or with a fraction as "-PT5.500000S"; days have 24 hours."""
    seconds, fraction = divmod(abs(value), _PER_SECOND[unit])
    days, seconds = divmod(seconds, _DAY_SECONDS)
    minutes, second = divmod(seconds, 60)
    hours, minute = divmod(minutes, 60)
    text = f"{hours}H" * bool(hours) + f"{minute}M" * bool(minute)
    if fraction:
        text += f"{second}.{fraction:0{len(str(_PER_SECOND[unit])) - 1}}S"
    elif second or not (days or text):
        text += f"{second}S"
    return f"{'-' * (value < 0)}P{f'{days}D' * bool(days)}{'T' * bool(text)}{text}"


def iso_text(kind: pa.DataType) -> Callable[[int], str | int]:
    """The function that turns the numbers of an Arrow type of dates, times or durations into ISO 8601 text."""
    if pa.types.is_duration(kind):
        return partial(iso_duration, unit=kind.unit)
    if pa.types.is_timestamp(kind):
        return partial(iso_timestamp, unit=kind.unit, is_local=kind.tz is None)
    if pa.types.is_date32(kind):
        return iso_date
    return (
        partial(iso_timestamp, unit="ms", is_local=True)
        if pa.types.is_date(kind)
        else partial(iso_time, unit=kind.unit)
    )
