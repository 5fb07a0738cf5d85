"""Hits: the results of a search everywhere, their places, the parts that could not be searched; hits as Arrow rows."""

from dataclasses import dataclass
from typing import Final

import pyarrow as pa

from kafkafmt.columns import SCHEMA as RECORDS
from kafkafmt.searching.places import FilePlace
from kafkafmt.searching.record_search import MATCHED_IN

HITS: Final = pa.schema(
    [
        RECORDS.field("topic"),
        RECORDS.field("partition"),
        RECORDS.field("file"),
        RECORDS.field("position"),
        pa.field("offset", pa.int64()),
        pa.field("timestamp", pa.timestamp("ms", "UTC")),
        MATCHED_IN,
        pa.field("partOf", pa.string(), nullable=False),
        pa.field("visible", pa.bool_()),
        pa.field("visibleCommitted", pa.bool_()),
    ]
)
"""Columns of hits."""

BYTES: Final = "bytes"
"""In `matchedIn` of a hit that is in no record."""

DAMAGE: Final = "damage"
BELOW_LOG_START: Final = "below log start"
OTHER_REPLICA: Final = "other replica"


@dataclass(frozen=True, slots=True)
class Hit:
    """Something that was found.

    Attributes:
        topic: topic by the name of the directory, or None.
        partition: number of the partition, or None.
        file: path or URI of the file.
        position: for a record the position of its batch, else that of the match, in bytes; for a tiered segment in the
            segment, not in its object.
        offset: of the record, or None.
        timestamp: of the record, in ms since the epoch, or None.
        matched_in: as `MATCHED_IN`; or "bytes".
        part_of: as `FilePlace.part_of`; for parts that a log still holds and does not count "below log start", "other
            replica" (a copy that is not the best one) or "damage".
        visible: whether a consumer with read_uncommitted gets it; None if that cannot be known.
        visible_committed: whether a consumer with read_committed gets it; None if that cannot be known.
    """

    topic: str | None
    partition: int | None
    file: str
    position: int
    offset: int | None
    timestamp: int | None
    matched_in: tuple[str, ...]
    part_of: str
    visible: bool | None = False
    visible_committed: bool | None = False


@dataclass(frozen=True, slots=True)
class Unread:
    """A part that could not be searched.

    Attributes:
        file: path or URI.
        position: where, in bytes; None for the whole file.
        reason: why.
    """

    file: str
    position: int | None
    reason: str

    def __str__(self) -> str:
        place = self.file if self.position is None else f"{self.file} at {self.position}"
        return f"{place}: {self.reason}"


@dataclass(slots=True)
class SearchedFile:
    """A file that was searched.

    Attributes:
        place: the file, and its role.
        hits: how many there are in it.
    """

    place: FilePlace
    hits: int = 0


def hits_batch(hits: list[Hit]) -> pa.RecordBatch:
    """Hits as rows with the columns `HITS`."""
    names = ("topic", "partition", "file", "position", "offset", "timestamp", "matched_in", "part_of", "visible")
    columns = [[getattr(hit, name) for hit in hits] for name in (*names, "visible_committed")]
    return pa.RecordBatch.from_arrays(
        [pa.array(values, each.type) for values, each in zip(columns, HITS, strict=True)], schema=HITS
    )
