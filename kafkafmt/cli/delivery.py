"""Delivery: the paths of a command, rows from a scan to an output, and the account of what was not delivered.

A command that shows an answer:

    disks = open_disks(paths)
    with ending_at_damage(disks):
        answer = disks.producers(**wanted)
    rows.write(answer.to_batches(), SCHEMA, SHAPE, paths)
    return account_for(disks, report_answer(answer, disks))

A command that shows the rows of a scan calls `deliver` in their place.
"""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from kafkafmt.cli import messages
from kafkafmt.cli.command import CLEAN, FINDINGS, UNREADABLE
from kafkafmt.cli.messages import say
from kafkafmt.cli.values import keys_of_command
from kafkafmt.errors import DataError, KafkafmtError, SourceError
from kafkafmt.files.damage import listed
from kafkafmt.internal_topics import CLUSTER_METADATA

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from contextlib import AbstractContextManager

    import pyarrow as pa

    from kafkafmt.cli.command import RowOptions
    from kafkafmt.cli.options import Names
    from kafkafmt.cli.output import Output
    from kafkafmt.disks import Disks
    from kafkafmt.errors import OnDamage
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.scanning import Reader, Scan
    from kafkafmt.topics.answers import Answer


def open_disks(paths: Sequence[str]) -> "Disks":
    """Search the paths of a command: what cannot be read of them is for `account_for`, and the rest is read.

    Raises:
        SourceError: none of them can be read.
    """
    from kafkafmt.disks import Disks

    return Disks(paths, skip_unreadable=True, decryption_keys=keys_of_command())


@contextmanager
def ending_at_damage(disks: "Disks") -> Iterator[None]:
    """End a command at damage that its answer does not skip: stderr says where and how to read on.

    Raises:
        click.exceptions.Exit: at damage.
        SourceError: nothing of what was asked for could be read.
    """
    try:
        yield
    except DataError as error:
        messages.report_end(error, disks.scan())
        raise click.exceptions.Exit(FINDINGS) from error
    require_readable(disks)


def require_readable(disks: "Disks") -> None:
    """End a command that could read nothing of what was asked for, before its output appears.

    Raises:
        SourceError: as said.
    """
    if disks.was_missed and not disks.was_read:
        *others, last = disks.unreadable
        messages.say_some(others)
        raise last


def report_answer(answer: "Answer", disks: "Disks") -> int:
    """Say what an answer does not contain, what is wrong, its notes, and which replicas it skipped.

    Returns:
        CLEAN, FINDINGS, or UNREADABLE if nothing is wrong but a name is nowhere.
    """
    from kafkafmt.files.damage import Absence

    absent = any(isinstance(note, Absence) for note in answer.notes)
    status = FINDINGS if messages.report_answer(answer, disks.scan()) else UNREADABLE if absent else CLEAN
    messages.report_skipped_replicas(answer.skipped_replicas)
    return status


def account_for(disks: "Disks", status: int) -> int:
    """Say what could not be read, and which links were not followed; returns the exit code.

    Args:
        disks: what was read.
        status: the exit code otherwise.

    Raises:
        SourceError: nothing of what was asked for could be read.
    """
    require_readable(disks)
    messages.say_some(disks.unreadable)
    for note in disks.link_notes:
        say(f"note: {note}")
    if any(error.is_disk_failure for error in disks.unreadable):
        return UNREADABLE
    return status or (FINDINGS if disks.unreadable else CLEAN)


def wanted_partitions(scan: "Scan") -> "tuple[list[Partition], int]":
    """Partitions of a scan that its filters take; a pass notes names that are nowhere.

    Returns:
        The partitions, and UNREADABLE if a name is nowhere, else CLEAN.

    Raises:
        click.exceptions.Exit: none is left; stderr says which names are nowhere.
    """
    if not scan.partitions and scan.absent:
        raise click.exceptions.Exit(say_absent(scan))
    return scan.partitions, UNREADABLE if scan.absent else CLEAN


def say_absent(scan: "Scan") -> int:
    """Say which topics and partitions of its filters are nowhere; gives UNREADABLE if there are any, else CLEAN."""
    for note in scan.absent:
        say(note)
    return UNREADABLE if scan.absent else CLEAN


def require_partitions(
    disks: "Disks", topics: "Names", partitions: "Sequence[int] | None", *, says: bool = False
) -> int:
    """Whether topics and partitions are nowhere: UNREADABLE, else CLEAN.

    Args:
        disks: what is read.
        topics: names, or a pattern.
        partitions: numbers.
        says: whether it is said here; the notes of most answers say it.

    Raises:
        click.exceptions.Exit: none is left; stderr says so.
    """
    scan = disks.scan(topics=topics, partitions=partitions)
    _, missing = wanted_partitions(scan)
    return say_absent(scan) if says else missing


def deliver(
    scan: messages.Passes,
    batches: "Iterable[pa.RecordBatch]",
    output: "AbstractContextManager[Output]",
    *,
    disks: "Disks",
    rows: "RowOptions",
    noun: str,
    on_damage: "OnDamage",
    complete: "Callable[[], None] | None" = None,
    watched: "messages.WatchedPass | None" = None,
) -> int:
    """Write the rows of a pass, and say on stderr what was not delivered.

    Args:
        scan: where the rows come from.
        batches: a pass over it.
        output: where they go.
        disks: what is read.
        rows: options of the output: where rows leave the terminal alone, it shows how far it is.
        noun: what they are.
        on_damage: of the pass.
        watched: the scan whose passes the rows come from, so that the share and the time left can be shown.
        complete: called when all that was asked for has been read and written, but for damage that is skipped.

    Returns:
        CLEAN or FINDINGS.

    Raises:
        SourceError: nothing of what was asked for can be read.
    """
    error: KafkafmtError | None = None
    try:
        with messages.progress(noun, shown=rows.out is not None) as meter, output as opened:
            if watched is not None:
                meter.watch(watched)
            for batch in batches:
                opened.write(batch)
                meter.rows(batch.num_rows)
                disks.was_read = True
            require_readable(disks)
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
        messages.report_end(error, scan, skipping=on_damage == "skip")
    elif complete is not None and not disks.unreadable:
        complete()
    return account_for(disks, FINDINGS if found or error else CLEAN)


def limited(reader: "Reader", limit: int | None) -> "Iterator[pa.RecordBatch]":
    """The first `limit` rows of a pass, which is ended then; all if None."""
    left = sys.maxsize if limit is None else limit
    with reader:
        for batch in reader:
            yield batch.slice(0, left)
            left -= batch.num_rows
            if left <= 0:
                return


def note_strays(scan: "Scan", partitions: "Iterable[Partition]", skipped_replicas: "Iterable[Partition]") -> None:
    """Say which partition directories belong to no topic any more, where the metadata are small and in the source.

    Damage of the metadata is not reported here: `kafkafmt metadata` and a scan of their log report it.

    Args:
        scan: where the metadata may be.
        partitions: those of which records were asked for.
        skipped_replicas: those of them that were not read.
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
    # Not before: most disks hold no metadata, and what reads them takes a while to load.
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
