"""MergedPartition: a partition merged from its copies, ready to be written."""

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np

from kafkafmt.reference.layout import LOG_OVERHEAD
from kafkafmt.repairing.answer import RepairedPartition
from kafkafmt.repairing.salvage import if_sound
from kafkafmt.repairing.sound import Rows, SoundCopy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkafmt.io.base import Location
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.repairing.identities import OwnedDir
    from kafkafmt.topics.cluster_metadata.copies import RaftSnapshot


_LENT: Final = {
    "replication": "high_watermark",
    "log-start": "checkpointed_log_start_offset",
    "cleaner": "cleaner_offset",
}


@dataclass
class MergedPartition:
    """A partition merged from its copies.

    Attributes:
        place: the log directory that gets it.
        topic_id: its topic id; None if no copy has one.
        copies: the best of the node's own copies, or of all if it has none; the others; segments that `.swap` files
            replace.
        rows: the kept batches, by offset.
        bases: base offsets of the segments.
        own_end: log end of the node's own copy; None if it has none.
        snapshots: sound snapshots of the metadata log, newest first.
        quorum_state: content of the metadata log's quorum-state, or None.
        filled: number of the first copy's dropped ranges that the others fill.
        added: records from the others that the first copy lost or never had.
        added_markers: control records (of transactions, of the metadata log's leaders) among them.
    """

    place: "OwnedDir"
    topic_id: str | None
    copies: list[SoundCopy]
    rows: Rows
    bases: list[int]
    own_end: int | None
    snapshots: "Sequence[RaftSnapshot]" = ()
    quorum_state: bytes | None = None
    filled: int = 0
    added: int = 0
    added_markers: int = 0

    @property
    def is_own(self) -> bool:
        """Whether the first copy is the node's own."""
        return self.own_end is not None

    @property
    def partition(self) -> "Partition":
        """The first copy."""
        return self.copies[0].partition

    @property
    def places(self) -> "Sequence[Location]":
        """Directories and files that the kept batches, and everything else in the partition, come from."""
        read = [self.copies[int(copy)] for copy in {0, *np.unique(self.rows["copy"])}]
        return [place for copy in read for place in (copy.partition.location, *(s.location for s in copy.segments))]

    @property
    def name(self) -> str:
        """Name of its directory."""
        topic, number = self.partition.topic, self.partition.partition
        has_name = self.is_own and self.partition.state == "live"
        return self.partition.name if has_name or topic is None else f"{topic}-{number}"

    @property
    def log_end_offset(self) -> int:
        """Offset that the next record will get."""
        return max(self.bases[-1], int(self.rows["last_offset"][-1]) + 1 if len(self.rows) else 0)

    def answer(self) -> RepairedPartition:
        """The answer's row for the partition."""
        sources = {self.copies[int(copy)].partition.path for copy in np.unique(self.rows["copy"])}
        ends = np.append(self.bases[0], self.rows["last_offset"] + 1)
        starts = np.append(self.rows["first_offset"], self.log_end_offset)
        return RepairedPartition(
            self.partition.topic,
            self.partition.partition,
            tuple(sorted(sources or {self.partition.path})),
            len(self.rows),
            int(self.rows["num_records"].sum()),
            int((self.rows["size"].astype(np.int64) + LOG_OVERHEAD).sum()),
            tuple(self.copies[0].dropped) if self.is_own else (),
            self.bases[0],
            self.log_end_offset,
            self.log_end_offset if self.own_end is None else self.own_end,
            bool((starts > ends).any()),
            self.filled,
            self.place.node_id,
            self.place.path,
            self._lent(),
        )

    def _lent(self) -> dict[str, int]:
        """The checkpoint entries next to the first copy, if it is from another log directory."""
        if self.partition.location.parent.identity == self.place.log_dir.location.identity:
            return {}
        read = {kind: if_sound(partial(getattr, self.partition, name)) for kind, name in _LENT.items()}
        return {kind: offset for kind, offset in read.items() if offset is not None}
