"""Steps of a search in an index file, as a person would do them on paper; made only for a trace."""

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
    """An index is about to be searched.

    Attributes:
        file: name of the index, in the form of the `file` column.
        kind: "index" (from offsets to positions) or "timeindex" (from times to offsets).
        entries: number of entries, without the zeros that pad the index.
        padding: number of zero slots after them, which a broker preallocates.
        wanted: the search is for the last entry at or below this offset, or this time in ms; None for the last one.
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
        number: number of the entry, from 0.
        offset: absolute offset of the entry.
        position: position of the entry, in bytes in the log file; None in a time index.
        timestamp: timestamp of the entry, in ms; None in an offset index.
        is_below: whether it can be the result, so that the search continues above it; else it continues below.
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
        number: number of the last entry that is low enough, from 0; None if there is none, so that the next three
            fields are None too.
        offset: absolute offset of the entry.
        position: position of the entry, in bytes in the log file; None in a time index.
        timestamp: timestamp of the entry, in ms; None in an offset index.
    """

    file: str
    kind: IndexKind
    number: int | None
    offset: int | None = None
    position: int | None = None
    timestamp: int | None = None


@dataclass(frozen=True, slots=True)
class IndexNotBelieved(Step):
    """An index, or one of its entries, is ignored; an earlier entry, or the headers, decide.

    `finding` is the reason. It is None where the entry may be right: it points to a v0 or v1 wrapper, which states only
    its last offset, and that is above the target.

    Attributes:
        file: name of the index, or the name it would have if it is missing.
        kind: "index" or "timeindex".
        number: number of the entry, from 0; None for the whole index.
    """

    file: str
    kind: IndexKind
    number: int | None
