"""Loading: a snapshot is read whole, and counts only if it is whole."""

from typing import TYPE_CHECKING

from kafkafmt.errors import TruncatedError
from kafkafmt.logdir.segment import Segment
from kafkafmt.logdir.sources import Found
from kafkafmt.topics.cluster_metadata.reading import entries
from kafkafmt.topics.cluster_metadata.replay import Replay

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kafkafmt.files.damage import Damage
    from kafkafmt.io.base import Location
    from kafkafmt.limits import Limits
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.topics.cluster_metadata.snapshots import Snapshot
    from kafkafmt.topics.internal_log import InternalRecord


def load(snapshot: "Snapshot", partition: "Partition", limits: "Limits", stored_bytes: int) -> Replay:
    """Read a snapshot to its end.

    Args:
        snapshot: which one.
        partition: the directory it lies in.
        limits: bounds of memory.
        stored_bytes: size of all files that the state is from.

    Raises:
        TruncatedError: it does not begin with a header or end with a footer: it was not written to its end.
        StateTooLargeError: its state takes too much memory.
        KafkafmtError: it is damaged, or cannot be read.
    """
    replay = Replay(limits, stored_bytes, snapshot.end_offset, snapshot.epoch)
    first = last = None
    for entry in read(snapshot.location, partition, limits, snapshot.size):
        first = first or entry
        last = entry
        replay.take_of_snapshot(entry)
    if first is None or last is None or first.control_type != "SNAPSHOT_HEADER":
        raise TruncatedError("the snapshot has no header", file=str(snapshot.location))
    if last.control_type != "SNAPSHOT_FOOTER":
        raise TruncatedError(
            "the snapshot has no footer: it is incomplete",
            file=str(snapshot.location),
            position=last.position,
        )
    return replay


def read(
    location: "Location", partition: "Partition", limits: "Limits", size: int | None = None
) -> "Iterable[InternalRecord]":
    """Read the records of a snapshot, or of a bootstrap.checkpoint.

    Raises:
        KafkafmtError: it is damaged, or cannot be read.
    """
    damage: list[Damage] = []
    found = Found(partition, Segment(location, size=size))
    yield from entries(found, on_damage="raise", limits=limits, damage=damage)
    if damage:
        # What a broker leaves at the end of a log, it does not leave at the end of a snapshot.
        raise damage[0].error
