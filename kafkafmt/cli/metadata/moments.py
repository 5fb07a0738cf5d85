"""Moments that --diff compares: an offset, a time, the end of the log, or a path of its own."""

import re
from dataclasses import dataclass
from datetime import datetime

_OFFSET = re.compile(r"[0-9]{1,19}")


@dataclass(frozen=True, slots=True)
class Moment:
    """A state to be read.

    Attributes:
        paths: where.
        at_offset: as of this offset, or None.
        at_time: as of this time, or None.
    """

    paths: tuple[str, ...]
    at_offset: int | dict[int, int] | None = None
    at_time: int | datetime | None = None


def moment_of(text: str, paths: tuple[str, ...]) -> Moment:
    """Read what --diff was given.

    Args:
        text: digits are an offset (of a file of such a name write ./123), ISO 8601 is a time, `end` is the end of the
            log, and all else a path.
        paths: what the command names.

    Raises:
        click.UsageError: it is no path, and the command names none.
    """
    import click

    moment = None
    if text == "end":
        moment = Moment(paths)
    elif _OFFSET.fullmatch(text):
        moment = Moment(paths, at_offset=int(text))
    else:
        try:
            moment = Moment(paths, at_time=datetime.fromisoformat(text))
        except ValueError:
            return Moment((text,))
    if not paths:
        raise click.UsageError(f"--diff {text} is a moment: name a PATH, too, of the metadata log that it is of.")
    return moment
