"""Producer snapshots as text."""

from kafkafmt.cli.dump.batch_text import optional_long
from kafkafmt.cli.dump.console import Console
from kafkafmt.cli.dump.options import DumpOptions
from kafkafmt.errors import CorruptError
from kafkafmt.files import producer_snapshot
from kafkafmt.io.base import Location


def dump(location: Location, _: DumpOptions, console: Console) -> None:
    """Dump a producer snapshot, a producer a line.

    Raises:
        KafkafmtError: the file cannot be read, or is damaged.
    """
    snapshot = producer_snapshot.read(location)
    for entry in snapshot.entries:
        line = (
            f"producerId: {entry.producer_id} producerEpoch: {entry.producer_epoch} "
            f"coordinatorEpoch: {entry.coordinator_epoch} "
            f"currentTxnFirstOffset: {optional_long(entry.current_txn_first_offset)} lastTimestamp: {entry.timestamp}"
        )
        if entry.has_batch:
            line += (
                f" firstSequence: {entry.first_sequence} lastSequence: {entry.last_sequence} "
                f"lastOffset: {entry.last_offset} offsetDelta: {entry.offset_delta} timestamp: {entry.timestamp}"
            )
        console.line(line)
    if snapshot.trailing_bytes:
        console.finding(
            CorruptError("bytes follow the last producer", file=str(location), found=f"{snapshot.trailing_bytes} bytes")
        )
