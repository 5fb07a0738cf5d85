"""Checks the order of a segment's offsets and leader epochs, which no CRC covers, by headers alone."""

from typing import TYPE_CHECKING, Final

from kafkafmt.files import entry_points
from kafkafmt.files.damage import ignore
from kafkafmt.files.read_window import ReadWindow, ReusedBuffer
from kafkafmt.findings import Finding
from kafkafmt.limits import Limits
from kafkafmt.logdir.batch_order import BatchOrder
from kafkafmt.topics.answers import order_finding

if TYPE_CHECKING:
    from collections.abc import Callable

    from kafkafmt.files.damage import Damage
    from kafkafmt.files.offset_order import OffsetFault
    from kafkafmt.io.base import File
    from kafkafmt.logdir.leader_epochs import EpochHistory
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.logdir.segment import Segment

AT_THE_END: Final = 16 * 1024 * 1024
"""Bytes at the end of a segment whose headers are checked even if no decision depends on them."""


def order_findings(
    partition: "Partition",
    segment: "Segment",
    following: "Segment | None",
    history: "Callable[[], EpochHistory | None]",
    *,
    most: int | None = None,
    report: "Callable[[Damage], None] | None" = None,
) -> list[Finding]:
    """Faults in the order of a segment's batches; damage between them is skipped.

    Args:
        partition: partition of the segment.
        segment: a segment of its log.
        following: the next segment; None for the last.
        history: function that reads the leader-epoch-checkpoint next to the segment.
        most: number of bytes at the end of the segment to read, rounded up to an entry of the offset index; None for
            all.
        report: called with damage that headers show, such as wrong lengths; None to skip it silently.

    Raises:
        SourceError: a file cannot be read.
    """
    found: list[Finding] = []

    def tell(fault: "OffsetFault") -> None:
        if fault.is_finding:
            found.append(order_finding(partition, segment, fault))

    order = BatchOrder(segment.bounds(following), tell, history, is_last=following is None)
    with segment.open() as file:
        begin = 0 if most is None or file.size <= most else _begin(segment, file, most)
        reader = segment.reader(
            file,
            following,
            limits=Limits(),
            on_damage="skip",
            report=report or ignore,
            buffer=ReusedBuffer(),
            checks_lengths=report is not None,
        )
        for each in reader.bulk_walk(lambda entry: entry.header(), begin):
            if isinstance(each, ReadWindow):
                batches = each.batches()
                each.take(batches)
                order.see_batches(batches)
                del batches  # frees the memory for the next window
            else:
                order.see(each)
        order.end(file.size)
    return found


def _begin(segment: "Segment", file: "File", most: int) -> int:
    """Position of an entry at least `most` bytes before the end."""
    with segment.ranged_offset_index() as index:
        ranges = entry_points.ranges_from_end(file, index, 0, Limits())
        return next((begin for begin, _ in ranges if file.size - begin >= most), 0)
