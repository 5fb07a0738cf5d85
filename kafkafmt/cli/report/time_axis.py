"""The time axis of charts: round times, and their labels as SVG."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from kafkafmt.cli.report.layout import percent

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
HOUR, DAY = 3_600_000, 86_400_000
"""Length in ms."""

_SECOND, _MINUTE = 1000, 60_000
_MONTH = 30 * DAY
_STEPS = (
    *(count * _SECOND for count in (1, 2, 5, 15, 30)),
    *(count * _MINUTE for count in (1, 5, 15, 30)),
    *(count * HOUR for count in (1, 3, 6, 12)),
    *(count * DAY for count in (1, 2, 7, 14)),
    *(count * _MONTH for count in (1, 3, 6, 12, 24, 60, 120, 240)),
)
_MOST_TICKS = 6
_SHORT_LABEL = 11


def ticks(start: int, end: int) -> list[tuple[int, str]]:
    """About six round times in a range, with their labels."""
    step = next((step for step in _STEPS if (end - start) / step <= _MOST_TICKS), _STEPS[-1])
    if step < _MONTH:
        same_day = start // DAY == end // DAY
        written = (
            "%Y-%m-%d" if step >= DAY else "%H:%M:%S" if step < _MINUTE else "%H:%M" if same_day else "%m-%d %H:%M"
        )
        times = list(range(-(-start // step) * step, end + 1, step))
        if step < DAY and times:
            # Without a date, hours would be read as today's.
            dated = f"{_EPOCH + timedelta(milliseconds=times[0]):%Y-%m-%d {written.removeprefix('%m-%d ')}}"
            return [
                (times[0], dated),
                *((tick, f"{_EPOCH + timedelta(milliseconds=tick):{written}}") for tick in times[1:]),
            ]
    else:
        written, times = "%Y-%m", []
        months = step // _MONTH
        first = _EPOCH + timedelta(milliseconds=start)
        month = (first.year * 12 + first.month - 1) // months * months
        while (tick := _ms(datetime(month // 12, month % 12 + 1, 1, tzinfo=UTC))) <= end:
            times += [tick] if tick >= start else []
            month += months
    return [(tick, f"{_EPOCH + timedelta(milliseconds=tick):{written}}") for tick in times]


def _ms(moment: datetime) -> int:
    return (moment - _EPOCH) // timedelta(milliseconds=1)


def axis(ticks: Iterable[tuple[int, str]], begin: int, span: int) -> str:
    """Labels of a time axis.

    Args:
        ticks: times in ms, with their labels.
        begin: time at the left end, in ms.
        span: length of the axis, in ms.
    """
    shown = []
    for number, (tick, label) in enumerate(ticks):
        place = (tick - begin) / span
        edge = 0.15 if len(label) > _SHORT_LABEL else 0.06
        anchor = "start" if place < edge else "end" if place > 1 - edge else "middle"
        kind = ' class="w"' if number % 2 else ""
        shown.append(f'<text{kind} x="{percent(place)}" y="13" text-anchor="{anchor}">{label}</text>')
    return "".join(shown)
