"""Delivery: rows from a scan to an output, and the account of what was not delivered, which makes the exit code."""

from collections.abc import Collection, Iterable
from re import Pattern
from typing import TYPE_CHECKING

import click

from kafkafmt.cli import messages
from kafkafmt.cli.exit_codes import CLEAN, FINDINGS, UNREADABLE
from kafkafmt.cli.messages import say
from kafkafmt.errors import KafkafmtError, SourceError

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    import pyarrow as pa

    from kafkafmt.cli.output import Output
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.scanning import Scan

Topics = Collection[str] | Pattern[str] | None


def wanted_partitions(
    scan: "Scan", topics: Topics, partitions: Collection[int] | None
) -> "tuple[list[Partition], int]":
    """Partitions of a scan that its filters take; names that are nowhere are said on stderr.

    Returns:
        The partitions, and UNREADABLE if a name is nowhere, else CLEAN.

    Raises:
        click.exceptions.Exit: none is left.
    """
    found = scan.partitions
    names = sorted({partition.topic for partition in found if partition.topic is not None})
    if isinstance(topics, Pattern):
        chosen = {name for name in names if topics.fullmatch(name)}
        missing = [] if chosen else [topics.pattern]
    else:
        chosen = set(names if topics is None else topics)
        missing = sorted(chosen.difference(names)) if topics is not None else []
    left = [each for each in found if topics is None or each.topic in chosen]
    if missing:
        say(f"no topic {messages.listed(missing)}. There are: {messages.listed(names) or 'none'}.")
    numbers = sorted({partition.partition for partition in left if partition.partition is not None})
    absent = sorted(set(partitions or ()).difference(numbers))
    if absent and left:
        say(f"no partition {messages.listed([*map(str, absent)])}. There are: {messages.listed([*map(str, numbers)])}.")
    left = [each for each in left if not partitions or each.partition in partitions]
    if not left and found:
        raise click.exceptions.Exit(UNREADABLE)
    return left, UNREADABLE if missing or absent else CLEAN


def deliver(
    scan: messages.Passes,
    rows: "Iterable[pa.RecordBatch]",
    output: "AbstractContextManager[Output]",
    *,
    noun: str,
    skipping: bool,
    progress: bool,
) -> int:
    """Write all rows, and say on stderr what was not delivered.

    Args:
        scan: where the rows come from.
        rows: a pass over it.
        output: where they go.
        noun: what they are.
        skipping: whether damage is skipped already.
        progress: whether a terminal may show how far it is.

    Returns:
        CLEAN or FINDINGS.

    Raises:
        SourceError: a file cannot be read.
    """
    error: KafkafmtError | None = None
    try:
        with messages.progress(noun, shown=progress) as advance, output as opened:
            for batch in rows:
                opened.write(batch)
                advance(batch.num_rows)
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
    return FINDINGS if found or error else CLEAN
