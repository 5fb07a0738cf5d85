"""Steps of a search in an index file, as a person would follow them on paper; made only for a trace."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from kafkafmt.errors import KafkafmtError

IndexKind = Literal["index", "timeindex"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of a look-up.

    Attributes:
        finding: the fault of an index; None for an ordinary step.
    """

    finding: KafkafmtError | None = None


Trace = Callable[[Step], None]


@dataclass(frozen=True, slots=True)
class IndexOpened(Step):
    """An index is going to be searched.

    Attributes:
        file: its name, as the `file` column would give it.
        kind: "index" (from offsets to positions) or "timeindex" (from times to offsets).
        entries: how many it has, without the zeros that pad it.
        padding: how many slots of zeros follow them, which a broker preallocates.
        wanted: the target: the last entry at or below this offset, or this time in ms; None for the last one.
    """

    file: str
    kind: IndexKind
    entries: int
    padding: int
    wanted: int | None


@dataclass(frozen=True, slots=True)
class IndexEntryCompared(Step):
    """The binary search read an entry.

    Attributes:
        file: name of the index.
        kind: "index" or "timeindex".
        number: of the entry, from 0.
        offset: absolute offset that it holds.
        position: that it holds, bytes into the log file; None in a time index.
        timestamp: that it holds, ms; None in an offset index.
        is_below: whether it can be the target: then the search continues above it, else below it.
    """

    file: str
    kind: IndexKind
    number: int
    offset: int
    position: int | None
    timestamp: int | None
    is_below: bool


@dataclass(frozen=True, slots=True)
class IndexEntryChosen(Step):
    """The binary search ended.

    Attributes:
        file: name of the index.
        kind: "index" or "timeindex".
        number: of the last entry that is low enough, from 0; None if none is, and then the next three are None too.
        offset: absolute offset that it holds.
        position: that it holds, bytes into the log file; None in a time index.
        timestamp: that it holds, ms; None in an offset index.
    """

    file: str
    kind: IndexKind
    number: int | None
    offset: int | None = None
    position: int | None = None
    timestamp: int | None = None


@dataclass(frozen=True, slots=True)
class IndexNotBelieved(Step):
    """An index, or one entry, is ignored; an earlier entry, or the headers, decide.

    `finding` says why. It is None where the entry may be right: a v0 or v1 wrapper to which it points states its last
    offset alone, and that is above the target.

    Attributes:
        file: name of the index; that it would have if it is missing.
        kind: "index" or "timeindex".
        number: of the entry, from 0; None for the whole index.
    """

    file: str
    kind: IndexKind
    number: int | None
