"""Delivery: rows from a scan to an output, and the account of what was not delivered, which makes the exit code."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import click

from kafkafmt.cli import messages
from kafkafmt.cli.command import CLEAN, FINDINGS, UNREADABLE
from kafkafmt.cli.messages import say
from kafkafmt.errors import KafkafmtError, SourceError
from kafkafmt.internal_topics import CLUSTER_METADATA

if TYPE_CHECKING:
    from collections.abc import Iterable
    from contextlib import AbstractContextManager

    import pyarrow as pa

    from kafkafmt.cli.output import Output
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.logdir.sources import Sources
    from kafkafmt.scanning import Scan


def open_sources(paths: Sequence[str]) -> "Sources":
    """Search the paths of a command: what cannot be read of them is for `account_for`, and the rest is read.

    Raises:
        SourceError: none of them can be read.
    """
    from kafkafmt.logdir.sources import Sources

    return Sources(paths, passes_over=True)


def require_readable(sources: "Sources") -> None:
    """End a command that could read nothing of what was asked for, before its output appears.

    Raises:
        SourceError: as said.
    """
    if sources.was_missed and not sources.was_read:
        *others, last = sources.unreadable
        messages.say_some(others)
        raise last


def account_for(sources: "Sources", status: int) -> int:
    """Say what could not be read, and which links were not followed; returns the exit code.

    Args:
        sources: what was read.
        status: the exit code otherwise.

    Raises:
        SourceError: nothing of what was asked for could be read.
    """
    require_readable(sources)
    messages.say_some(sources.unreadable)
    for note in sources.link_notes:
        say(f"note: {note}")
    return status or (FINDINGS if sources.unreadable else CLEAN)


def wanted_partitions(scan: "Scan") -> "tuple[list[Partition], int]":
    """Partitions of a scan that its filters take; a pass notes names that are nowhere.

    Returns:
        The partitions, and UNREADABLE if a name is nowhere, else CLEAN.

    Raises:
        click.exceptions.Exit: none is left.
    """
    if not scan.partitions and scan.absent:
        raise click.exceptions.Exit(say_absent(scan))
    return scan.partitions, UNREADABLE if scan.absent else CLEAN


def say_absent(scan: "Scan") -> int:
    """Say which topics and partitions of its filters are nowhere; gives UNREADABLE if there are any, else CLEAN."""
    for note in scan.absent:
        say(note)
    return UNREADABLE if scan.absent else CLEAN


def deliver(
    scan: messages.Passes,
    rows: "Iterable[pa.RecordBatch]",
    output: "AbstractContextManager[Output]",
    *,
    sources: "Sources",
    noun: str,
    skipping: bool,
    progress: bool,
) -> int:
    """Write all rows, and say on stderr what was not delivered.

    Args:
        scan: where the rows come from.
        rows: a pass over it.
        output: where they go.
        sources: what is read.
        noun: what they are.
        skipping: whether damage is skipped already.
        progress: whether a terminal may show how far it is.

    Returns:
        CLEAN or FINDINGS.

    Raises:
        SourceError: nothing of what was asked for can be read.
    """
    error: KafkafmtError | None = None
    try:
        with messages.progress(noun, shown=progress) as advance, output as opened:
            for batch in rows:
                opened.write(batch)
                advance(batch.num_rows)
                sources.was_read = True
            require_readable(sources)
    except SourceError:
        messages.report_notes(scan)
        messages.report_damage(scan)
        raise
    except KafkafmtError as damage:
        error = damage
    noted = messages.report_notes(scan)
    found = messages.report_damage(scan) or noted
    messages.report_skipped_replicas(scan.skipped_replicas)
    if error is not None:
        messages.report_end(error, scan, skipping=skipping)
    return account_for(sources, FINDINGS if found or error else CLEAN)


_MOST_NAMES = 3


def note_belonging(scan: "Scan", partitions: "Iterable[Partition]", skipped_replicas: "Iterable[Partition]") -> None:
    """Say which partition directories belong to no topic any more, where the metadata are small and in the source.

    Nobody asked for the metadata: what is wrong with them is for `kafkafmt metadata`, and for a scan of their log.

    Args:
        scan: where the metadata may be.
        partitions: those of which records were asked for.
        skipped_replicas: those of them that were not read.
    """
    if all(each.topic != CLUSTER_METADATA for each in scan.source_partitions):
        return
    left = {each.location.identity for each in skipped_replicas}
    delivered = [each for each in partitions if each.topic != CLUSTER_METADATA and each.location.identity not in left]
    if not delivered:
        return
    # Not before: most disks hold no metadata, and what reads them takes a while to load.
    from kafkafmt.topics.cluster_metadata.strays import placements, small_clusters

    clusters = small_clusters(scan, lambda _: None)
    foreign = [
        f"{each.path} {placement.remark}"
        for each, _, placement in placements(delivered, clusters)
        if placement.belongs is False
    ]
    if foreign:
        more = len(foreign) - _MOST_NAMES
        named = "; ".join(foreign[:_MOST_NAMES]) + (f"; and {more} more" if more > 0 else "")
        say(f"note: by the cluster's metadata, {named} (see kafkafmt ls)")
