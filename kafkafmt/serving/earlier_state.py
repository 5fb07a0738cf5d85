"""EarlierState: facts of a followed log that are carried over to its next state, so that only new bytes are read."""

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from kafkafmt.errors import DataError
from kafkafmt.files.whole_entries import whole_entries
from kafkafmt.limits import Limits
from kafkafmt.logdir.growth import ReadingPlace, inode_of
from kafkafmt.reference.entry import Entry
from kafkafmt.reference.layout import RECORD_BATCH_OVERHEAD

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkafmt.logdir.leader_epochs import EpochHistory
    from kafkafmt.logdir.partition_transactions import PartitionTransactions
    from kafkafmt.logdir.segment import Segment
    from kafkafmt.serving.kept_batches import ReaderPlaces


@dataclass(frozen=True, slots=True)
class EarlierState:
    """Facts about a log that are kept from an earlier state.

    Attributes:
        places: where readers continue; None if there were none.
        end: the end of the last whole batch.
        transactions: the log's transactions in that state.
        epochs: the leader-epoch-checkpoint, if the directory has not changed since.
    """

    places: "ReaderPlaces | None" = None
    end: ReadingPlace | None = None
    transactions: "PartitionTransactions | None" = None
    epochs: "EpochHistory | None" = None


NOTHING: Final = EarlierState()
"""The state of a log that has not been looked at before."""


def continues(segments: "Sequence[Segment]", known: ReadingPlace | None) -> bool:
    """Whether a log extends an earlier state: it was not truncated, compacted up to there, or created again.

    Args:
        segments: the log's segments in order.
        known: the end of the last whole batch in the earlier state; None if there was none.
    """
    holders = () if known is None else (each for each in segments if each.base_offset == known.base_offset)
    return any(known is not None and known.is_in(each) for each in holders)


def last_whole_batch(segments: "Sequence[Segment]", known: ReadingPlace | None) -> ReadingPlace | None:
    """The end of the last whole batch of a log; None without segments.

    Args:
        segments: the log's segments in order.
        known: that end in an earlier state which the log extends; None to find the end without one.

    Raises:
        KafkafmtError: the last segment cannot be read, or is damaged before its last batch.
    """
    if not segments:
        return None
    last = segments[-1]
    if known is not None and known.base_offset == last.base_offset:
        found = _grown(last, known)
        if found is not None:
            return found
    place = ReadingPlace(last.base_offset, inode_of(last), 0)
    entry = last.last_entry()
    if entry is None or entry.last_offset is None:
        return place
    with last.open() as file:
        marked = bytes(file.read_at(entry.position, min(entry.size_in_bytes, RECORD_BATCH_OVERHEAD)))
    end = entry.position + entry.size_in_bytes
    return replace(place, position=end, next_offset=entry.last_offset + 1, mark=entry.position, marked=marked)


def _grown(last: "Segment", known: ReadingPlace) -> ReadingPlace | None:
    """The end of the last whole batch after a known end; None if the CRC of that batch is wrong."""
    with last.open() as file:
        reach = whole_entries(file, known.position, Limits())
        if reach.last is None:
            return known
        data = file.read_at(reach.last, reach.position - reach.last)
        with suppress(DataError):
            Entry(data).verify_checksum()
            marked = bytes(data[:RECORD_BATCH_OVERHEAD])
            return replace(
                known, position=reach.position, next_offset=reach.next_offset, mark=reach.last, marked=marked
            )
    return None
