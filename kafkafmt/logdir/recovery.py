"""The part of a log that a broker recovers at its start, rebuilding its indexes, snapshots and leader epochs."""

from typing import TYPE_CHECKING

from kafkafmt.errors import DataError
from kafkafmt.files import segment as segment_file
from kafkafmt.logdir import lookup
from kafkafmt.logdir.leader_epochs import UNKNOWN, EpochHistory
from kafkafmt.logdir.segment import is_loaded_as_it_is
from kafkafmt.logdir.tier import TierPartition

if TYPE_CHECKING:
    from kafkafmt.logdir.partition import Partition


def recovered_from(partition: "Partition") -> int | None:
    """Base offset of the first segment that a broker recovers, as it is not known to be flushed; None for none.

    A broker recovers nothing after a clean shutdown. The result is also None without a recovery point, as beside a
    copied partition directory.

    Raises:
        SourceError: a file cannot be read.
    """
    if isinstance(partition.location, TierPartition) or is_loaded_as_it_is(partition.location):
        return None
    try:
        recovery_point = partition.recovery_point
    except DataError:
        return None
    if recovery_point is None or not partition.segments:
        return None
    return partition.segments[max(lookup.floor(partition.segments, recovery_point), 0)].base_offset


def loaded_history(partition: "Partition", start: int, end: int) -> EpochHistory:
    """The leader epochs that a broker has in memory after loading a log.

    Where the broker recovers segments, it adds epochs of their batches that are above those of the checkpoint.

    Args:
        partition: the partition.
        start: log start offset.
        end: log end offset.

    Raises:
        SourceError: a file cannot be read.
        DataError: the leader-epoch-checkpoint is broken.
    """
    history = EpochHistory(partition.leader_epochs)
    begin = recovered_from(partition)
    if begin is None:
        return history.within(start, end)
    last = partition.last_entry()  # None if the newest segment is empty
    epoch = UNKNOWN if last is None else last.partition_leader_epoch
    if history.latest is None or not UNKNOWN < epoch <= history.latest:
        for segment in partition.segments[lookup.floor(partition.segments, begin) :]:
            with segment.open() as file:
                for header in segment_file.sound_headers(file, name=segment.file):
                    if header.base_offset is not None and header.partition_leader_epoch >= 0:
                        history = history.led_in(header.partition_leader_epoch, header.base_offset)
    return history.within(start, end)
