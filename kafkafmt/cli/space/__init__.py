"""`kafkafmt space PATH...`: what takes the space."""

from typing import TYPE_CHECKING, Any

import click

from kafkafmt.cli import human, messages
from kafkafmt.cli.command import Command, RowOptions, TableShape, columns_option, option, output_options
from kafkafmt.cli.delivery import (
    account_for,
    ending_at_damage,
    note_strays,
    open_disks,
    report_answer,
    wanted_partitions,
)
from kafkafmt.cli.options import key_option, paths_argument, reading_options, row_count, selection_options

if TYPE_CHECKING:
    from kafkafmt.scanning import Scan
    from kafkafmt.sizing import Space
    from kafkafmt.sizing.grouping import Grouping

_BY_HEADERS = ("records", "batches", "storedBytes", "maxTimestamp")
_BY_RECORDS = ("records", "batches", "recordBytes", "storedBytes", "minTimestamp", "maxTimestamp")
_ERRORS = ("recordsError", "storedBytesError")
_MOST_IN_TABLE = 100


def _grouping(_: click.Context, __: click.Parameter, words: tuple[str, ...]) -> "Grouping":
    """Read what to group by.

    Raises:
        click.BadParameter: no such dimension, or one twice.
    """
    from kafkafmt.sizing.grouping import Grouping

    try:
        return Grouping.of(word for each in words for word in each.split(","))
    except ValueError as error:
        raise click.BadParameter(f"{error}.") from error


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  kafkafmt space /var/lib/kafka/data
  kafkafmt space /var/lib/kafka/data --by topic,codec
  kafkafmt space /var/lib/kafka/data --topic orders --by key --top 20
  kafkafmt space /var/lib/kafka/data --by topic,hour --output csv > hours.csv
  kafkafmt space /var/lib/kafka/data --by topic,key-prefix:6 --start-time 2026-11-21
  kafkafmt space /var/lib/kafka/data --by header:tenant --output jsonl
""",
)
@paths_argument
@option(
    "--by",
    multiple=True,
    default=("topic",),
    show_default=True,
    callback=_grouping,
    metavar="WHAT,..",
    group="What",
    help="topic, partition, segment, codec, format, producer, hour, day, key, key-prefix:N (first N bytes), "
    "header:NAME, or several with commas between them.",
)
@option(
    "--top",
    type=click.IntRange(min=1),
    callback=row_count,
    metavar="N",
    group="What",
    help=f"Only the N largest. Default: all; in a table {_MOST_IN_TABLE}.",
)
@selection_options(control_records=True)
@key_option
@reading_options
@columns_option
@output_options
def command(
    paths: tuple[str, ...],
    by: "Grouping",
    top: int | None,
    rows: RowOptions,
    **wanted: Any,  # noqa: ANN401 - the arguments of kafkafmt.scan
) -> int:
    """Show what takes the space: topics, partitions, segments, codecs, producers, hours, keys, values of headers.

    storedBytes are bytes on disk, those of a batch shared by its records according to their size; recordBytes are sizes
    of records, uncompressed. The largest come first. By topic, partition, segment, codec, format and producer a table
    is made from batch headers alone; recordBytes and minTimestamp (--columns, or another --output) read the records, as
    other dimensions do. With more keys than fit into --max state-bytes recordsError is the most that a row may lack.
    """
    from kafkafmt.sizing.space import measure, schema_of

    schema = schema_of(by)
    figures = _BY_RECORDS if by.by_record else _BY_HEADERS
    errors = _ERRORS[:1] if by.by_name else ()
    shape = TableShape((*by.columns, *figures, *errors), first=(*by.columns, "storedBytes", "records"))
    names = rows.select(schema.names, shape)
    disks = open_disks(paths)
    scan = disks.scan(**wanted)
    partitions, missing = wanted_partitions(scan)
    with ending_at_damage(disks), messages.progress_of_bytes(lambda: _size_of(scan)) as advance:
        shown = top or (_MOST_IN_TABLE if rows.is_screen else None)
        (answer,) = measure(scan, [by], top=shown, columns=names, limits=wanted["limits"], progress=advance)
    if not answer.is_estimate and rows.columns is None:
        shape = TableShape((*by.columns, *figures), first=shape.first)
    rows.write(answer.to_batches(), answer.schema, shape, paths)
    if rows.is_screen:
        _say_sum(answer)
    status = account_for(disks, report_answer(answer, disks))
    note_strays(scan, partitions, answer.skipped_replicas)
    return status or missing


def _say_sum(answer: "Space") -> None:
    """Say how much there is in all, and how many groups are not shown."""
    count, records, stored = answer.totals
    more = count - answer.shown
    parts = [human.plural(count, "group"), human.plural(records, "record"), human.size(stored)]
    if more:
        parts.append(f"the {answer.shown:,} largest are shown (--top)")
    messages.say(f"note: {human.join(parts)}")


def _size_of(scan: "Scan") -> int:
    return sum(segment.size for partition in scan.best_partitions() for segment in partition.segments)
