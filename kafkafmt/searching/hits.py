"""Hits: the results of a search everywhere, their places, and the parts that could not be searched."""

from dataclasses import dataclass
from typing import Annotated, Final

import pyarrow as pa

from kafkafmt.answer_columns import TIME, TableColumns, columns_of, record_batches
from kafkafmt.searching.places import FilePlace
from kafkafmt.searching.record_search import MATCHED_IN

BYTES: Final = "bytes"
"""Value of `matchedIn` for a hit outside records."""

DAMAGE: Final = "damage"
BELOW_LOG_START: Final = "below log start"
OTHER_REPLICA: Final = "other replica"


@dataclass(frozen=True, slots=True)
class Hit:
    """Something that was found.

    Attributes:
        topic: topic by the name of the directory, or None.
        partition: number of the partition by the name of the directory, or None.
        file: path or URI of the file.
        position: position of the record's batch, or of the match, in bytes; of a match in decompressed bytes that of
            the batch; in a tiered segment in the segment, not in its object.
        offset: offset of the record; None for a match outside of records.
        timestamp: timestamp of the record, in ms since the epoch; None for a match outside of records.
        matched_in: "key", "value", "headerName", "headerValue"; "bytes" outside of these fields, or in one that `--in`
            leaves out.
        part_of: "log"; "below log start", "other replica" (a copy that is not the best one), "damage"; else the reason
            why it is outside the log, as in `ls --rows left-out`: "deleted", "cleaned", "swap", "replaced",
            "checkpoint", "delete", "stray", "future", "incomplete", "overlapped"; for other files their kind: "index",
            "snapshot", .., "other".
        visible: whether a consumer with read_uncommitted gets it, as `cat` prints it; None if that cannot be known.
        visible_committed: whether a consumer with read_committed gets it; None if that cannot be known.
    """

    topic: Annotated[str | None, "string"]
    partition: Annotated[int | None, "int32"]
    file: Annotated[str, "string"]
    position: Annotated[int, "int64"]
    offset: Annotated[int | None, "int64"]
    timestamp: Annotated[int | None, TIME]
    matched_in: Annotated[tuple[str, ...], MATCHED_IN.type]
    part_of: Annotated[str, "string"]
    visible: Annotated[bool | None, "bool"] = False
    visible_committed: Annotated[bool | None, "bool"] = False


_HITS: Final = TableColumns(*columns_of(Hit))
_KNOWN: Final = ("file", "position", "matchedIn", "partOf")
HITS: Final = pa.schema([each.with_nullable(each.name not in _KNOWN) for each in _HITS.schema])
"""Columns of hits."""


@dataclass(frozen=True, slots=True)
class Unread:
    """A part that could not be searched.

    Attributes:
        file: path or URI.
        position: position of the part in bytes; None for the whole file.
        reason: the reason.
    """

    file: str
    position: int | None
    reason: str

    def __str__(self) -> str:
        place = self.file if self.position is None else f"{self.file} at {self.position}"
        return f"{place}: {self.reason}"


@dataclass(slots=True)
class SearchedFile:
    """A searched file.

    Attributes:
        place: the file, and its role.
        hits: number of hits in the file.
    """

    place: FilePlace
    hits: int = 0


def hits_batch(hits: list[Hit]) -> pa.RecordBatch:
    """Hits as rows with the columns `HITS`.

    Args:
        hits: one or more, at most 16,384.
    """
    (batch,) = record_batches(map(_HITS.row, hits), HITS)
    return batch
