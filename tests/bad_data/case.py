"""A bad file with its reason and the required result.

Positions and lengths are bytes. Most logs are a good entry, the bad one, and a good one: offsets 0, the bad, 9.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from tests.bad_data.pieces import batch, message

Damage = tuple[int, int, str]
CORRUPT, CHECKSUM, TRUNCATED = "CorruptError", "ChecksumError", "TruncatedError"
UNSUPPORTED, LIMIT = "UnsupportedError", "LimitExceededError"
REASON = {
    CORRUPT: "corrupt",
    CHECKSUM: "checksum",
    TRUNCATED: "truncated",
    UNSUPPORTED: "unsupported",
    LIMIT: "limit_exceeded",
}


@dataclass(frozen=True)
class LogCase:
    """A bad log file.

    Attributes:
        error: class and position of the error with `on_damage="raise"`, or None.
        offsets: offsets of the records with `on_damage="skip"`.
        damage: with `on_damage="skip"`: position, length and reason.
        limits: limits that differ from the defaults.
        differs: why Kafka's own answer is different, if it is.
    """

    name: str
    why: str
    data: bytes
    error: tuple[str, int] | None
    offsets: list[int]
    damage: list[Damage] = field(default_factory=list)
    limits: dict[str, int] = field(default_factory=dict)
    differs: str = ""


@dataclass(frozen=True)
class SmallCase:
    """A bad file of another kind.

    Attributes:
        kind: the module of `kafkafmt.files` that reads it.
        error: class and position (None where no place is known) of what reading raises, or None.
        entries: number of entries read.
        sanity: class and position of `sanity_error`, of kinds that have one.
    """

    name: str
    kind: str
    why: str
    data: bytes
    error: tuple[str, int | None] | None = None
    entries: int | None = None
    sanity: tuple[str, int] | None = None


GOOD: dict[int, Callable[[int], bytes]] = {
    0: lambda offset: message(offset, magic=0),
    1: lambda offset: message(offset, magic=1),
    2: batch,
}


def middle(
    name: str,
    why: str,
    bad: bytes,
    error: str | None,
    *,
    magic: int = 2,
    delivered: list[int] | None = None,
    length: int | None = None,
    limits: dict[str, int] | None = None,
    differs: str = "",
) -> LogCase:
    before = GOOD[magic](0)
    begin = len(before)
    damage = [] if error is None else [(begin, len(bad) if length is None else length, REASON[error])]
    return LogCase(
        name=name,
        why=why,
        data=before + bad + GOOD[magic](9),
        error=None if error is None else (error, begin),
        offsets=[0, *(delivered or []), 9],
        damage=damage,
        limits=limits or {},
        differs=differs,
    )


def ending(
    name: str, why: str, end: bytes, reason: str, error: str | None = None, *, magic: int = 2, differs: str = ""
) -> LogCase:
    before = GOOD[magic](0)
    return LogCase(
        name=name,
        why=why,
        data=before + end,
        error=None if error is None else (error, len(before)),
        offsets=[0],
        damage=[(len(before), len(end), reason)],
        differs=differs,
    )


NOT_WALKED = "Kafka's iterator throws there and ends; whole entries behind are found by us alone"
