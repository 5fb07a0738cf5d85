"""Committed: how far the metadata log is known to be on a majority of its voters' disks.

Raft keeps the high watermark in memory alone, so the end of a copy may not be committed, and be cut off when its node
comes back. Where the disks of a majority of the voters are at hand, what they have in common is committed.
"""

from typing import TYPE_CHECKING

from kafkafmt.errors import KafkafmtError
from kafkafmt.topics.cluster_metadata.replay import GREATEST_OFFSET

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kafkafmt.files.leader_epoch_checkpoint import EpochEntry
    from kafkafmt.topics.cluster_metadata.copies import Copy
    from kafkafmt.topics.cluster_metadata.registrations import Voter


def committed_offset(best: "Copy", copies: "Iterable[Copy]", voters: "Sequence[Voter]") -> int | None:
    """Offset below which the best copy's log is on a majority of the voters' disks; None if too few are at hand.

    Args:
        best: the copy that is read.
        copies: all that were found, the best one too.
        voters: of the quorum.

    Raises:
        SourceError: a last segment cannot be read.
    """
    ids = {voter.id: voter.directory_id for voter in voters}
    ends: dict[int, int] = {}
    epochs = _epochs(best)
    for copy in copies:
        node = copy.node_id
        if node is not None and node in ids and _is_of(copy, ids[node]):
            ends[node] = max(_agreed_end(copy, best, epochs), ends.get(node, -1))
    majority = len(ids) // 2 + 1
    if not ids or len(ends) < majority:
        return None
    return sorted(ends.values(), reverse=True)[majority - 1]


def note(committed: int | None, end_offset: int, voters: "Sequence[Voter]") -> str | None:
    """What the user must know of that; None where all that was read is committed.

    Args:
        committed: what `committed_offset` found.
        end_offset: where reading ended.
        voters: of the quorum.
    """
    if committed is None:
        count = f"of its {len(voters)} voters" if voters else "of its voters"
        return (
            f"the last records may not be committed: the high watermark of the metadata log is not kept on disk, and "
            f"a majority {count} is not among these disks"
        )
    if committed < end_offset:
        return (
            f"records from offset {committed} up to {end_offset - 1} may not be committed: "
            "they are not on a majority of the voters' disks"
        )
    return None


def _is_of(copy: "Copy", directory_id: str | None) -> bool:
    """Whether a copy lies in a voter's directory: a disk that was replaced is none any more (KIP-853)."""
    known = copy.properties.directory_id if copy.properties else None
    return directory_id is None or known in (None, directory_id)


def _agreed_end(copy: "Copy", best: "Copy", epochs: "Sequence[EpochEntry]") -> int:
    """Up to where a copy holds what the best one holds: an older epoch's records end where the next one's begin."""
    epoch, end = copy.standing
    later = [entry.start_offset for entry in epochs if entry.epoch > epoch]
    return min(end, best.standing[1], GREATEST_OFFSET, *later)


def _epochs(copy: "Copy") -> "Sequence[EpochEntry]":
    try:
        return copy.partition.leader_epochs
    except KafkafmtError as error:
        copy.broken(error)
        return ()
