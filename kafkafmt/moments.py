"""Times as users give them: ms since the epoch, datetimes, or text."""

from datetime import UTC, datetime, timedelta
from typing import overload

Time = int | datetime | str
"""ms since the epoch, a datetime, or ISO 8601 text; UTC if there is no zone."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
# The years 2001 to 2286 in seconds. As milliseconds these are a few months of 1970, which hardly any record has.
_LIKE_SECONDS = range(10**9, 10**10)


@overload
def milliseconds(time: Time, name: str) -> int: ...


@overload
def milliseconds(time: Time | None, name: str) -> int | None: ...


def milliseconds(time: Time | None, name: str) -> int | None:
    """A time as ms since the epoch; a datetime without a zone is UTC, and is rounded up to a whole ms.

    Raises:
        TypeError: neither an int, a datetime nor text.
        ValueError: the text is not a time; or an int is in 1970 as ms but in 2001 to 2286 as seconds, so it is
            probably seconds.
    """
    if time is None:
        return None
    if isinstance(time, int) and not isinstance(time, bool):
        if time in _LIKE_SECONDS:
            as_ms, as_seconds = (_EPOCH + _MILLISECOND * number for number in (time, time * 1000))
            raise ValueError(
                f"{name} {time} looks like seconds: {as_seconds:%Y-%m-%dT%H:%M:%SZ} is {time * 1000} in ms; for "
                f"{as_ms:%Y-%m-%dT%H:%M:%SZ} give a datetime"
            )
        return time
    if isinstance(time, str):
        try:
            time = datetime.fromisoformat(time)
        except ValueError:
            raise ValueError(f"{name} {time!r} is not a time like 2026-11-21T09:30:00Z") from None
    if not isinstance(time, datetime):
        raise TypeError(f"{name} must be ms since the epoch, a datetime or ISO 8601 text, not {time!r}")
    aware = time if time.tzinfo is not None else time.replace(tzinfo=UTC)
    return -((_EPOCH - aware) // _MILLISECOND)
