"""Delivery: writes the rows of a scan to an output, and reports what was not delivered."""

import sys
from typing import TYPE_CHECKING

from kafkafmt.cli import messages
from kafkafmt.cli.command import CLEAN, FINDINGS
from kafkafmt.cli.messages import say
from kafkafmt.cli.progress import progress_of_rows
from kafkafmt.errors import KafkafmtError, SourceError
from kafkafmt.internal_topics import CLUSTER_METADATA
from kafkafmt.phrases import listed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from contextlib import AbstractContextManager

    import pyarrow as pa

    from kafkafmt.cli.command import RowOptions
    from kafkafmt.cli.frame import CommandFrame
    from kafkafmt.cli.output import Output
    from kafkafmt.cli.progress import WatchedPass
    from kafkafmt.errors import OnDamage
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.scanning import Reader, Scan


def deliver(
    scan: messages.Passes,
    batches: "Iterable[pa.RecordBatch]",
    output: "AbstractContextManager[Output]",
    *,
    frame: "CommandFrame",
    rows: "RowOptions",
    noun: str,
    on_damage: "OnDamage",
    complete: "Callable[[], None] | None" = None,
    watched: "WatchedPass | None" = None,
) -> int:
    """Write the rows of a pass, and report damage on stderr.

    Args:
        scan: the scan that the rows come from.
        batches: one pass over its batches.
        output: the output that takes the rows.
        frame: the frame of the command.
        rows: options of the output: if rows do not go to the terminal, the progress is shown there.
        noun: the name of the rows.
        on_damage: the argument of the pass.
        watched: the scan whose passes the rows come from, to show the share read and the time left.
        complete: called once everything that was asked for has been read and written, except skipped damage.

    Returns:
        CLEAN or FINDINGS, or UNREADABLE if a disk fails; `CommandFrame.status` adds missing names.

    Raises:
        SourceError: nothing that was asked for can be read.
    """
    error: KafkafmtError | None = None
    try:
        with progress_of_rows(noun, shown=rows.out is not None) as meter, output as opened:
            if watched is not None:
                meter.watch(watched)
            for batch in batches:
                opened.write(batch)
                meter.rows(batch.num_rows)
            frame.require_readable()
    except SourceError:
        messages.report_notes(scan)
        messages.report_damage(scan)
        raise
    except KafkafmtError as damage:
        error = damage
    noted = messages.report_notes(scan)
    frame.has_said(scan.notes)
    found = messages.report_damage(scan) or noted
    messages.report_skipped_replicas(scan.skipped_replicas)
    if error is not None:
        messages.report_end(error, scan, skipping=on_damage == "skip")
    elif complete is not None:
        complete()
    return frame.account(FINDINGS if found or error else CLEAN)


def limited(reader: "Reader", limit: int | None) -> "Iterator[pa.RecordBatch]":
    """The first `limit` rows of a pass, which is then closed; all rows if None."""
    left = sys.maxsize if limit is None else limit
    with reader:
        for batch in reader:
            yield batch.slice(0, left)
            left -= batch.num_rows
            if left <= 0:
                return


def note_strays(scan: "Scan", partitions: "Iterable[Partition]", skipped_replicas: "Iterable[Partition]") -> None:
    """Report which partition directories belong to no topic any more, if the source has small metadata.

    Damage of the metadata is not reported here: `kafkafmt metadata` and a scan of the metadata log report it.

    Args:
        scan: the scan whose source may have the metadata.
        partitions: partitions whose records were asked for.
        skipped_replicas: the partitions among them that were not read.
    """
    if all(partition.topic != CLUSTER_METADATA for partition in scan.source_partitions):
        return
    skipped = {partition.location.identity for partition in skipped_replicas}
    delivered = [
        partition
        for partition in partitions
        if partition.topic != CLUSTER_METADATA and partition.location.identity not in skipped
    ]
    if not delivered:
        return
    # Not earlier: most disks hold no metadata, and the reader takes a while to load.
    from kafkafmt.topics.cluster_metadata.strays import placements, small_clusters

    clusters = small_clusters(scan, lambda _: None)
    strays = [
        f"{partition.path} {placement.remark}"
        for partition, _, placement in placements(delivered, clusters)
        if placement.belongs is False
    ]
    if strays:
        named = listed(strays, 3, "; ")
        say(f"note: by the cluster's metadata, {named} (see kafkafmt ls)")
