"""`kafkafmt cat PATH...`: the records; with --kind those of Kafka's internal topics, decoded."""

from typing import TYPE_CHECKING, Any

import click

from kafkafmt.cli.cat.kinds import cat_kind, followed_kind, kinds_that_begin, record_kind_of
from kafkafmt.cli.command import OUTPUT, Command, RowOptions, TableShape, columns_option, option, output_options
from kafkafmt.cli.delivery import limited, note_strays, open_disks, wanted_partitions
from kafkafmt.cli.options import (
    WHICH,
    compacted_option,
    key_option,
    limit_option,
    paths_argument,
    reading_options,
    selection_options,
)
from kafkafmt.cli.records import check_follow, follow_option
from kafkafmt.cli.records.delivering import deliver_divided, deliver_records
from kafkafmt.cli.records.state import State
from kafkafmt.cli.values import row_count, size_of

if TYPE_CHECKING:
    from kafkafmt.cli.records.following import FollowedRows
    from kafkafmt.disks import Disks

_SHAPE = TableShape(
    ("topic", "partition", "offset", "timestamp", "headers", "key", "value"),
    optional=("headers",),
    first=("offset", "value", "key", "partition", "topic", "timestamp"),
)


def _dividers(_: click.Context, __: click.Parameter, names: str | None) -> tuple[str, ...] | None:
    """Check what directories are to be named by.

    Raises:
        click.BadParameter: an unknown name, or one twice.
    """
    if names is None:
        return None
    from kafkafmt.cli.output.partitioned import DIVIDERS

    given = tuple(name.strip() for name in names.split(","))
    unknown = [name for name in given if name not in DIVIDERS]
    if unknown:
        raise click.BadParameter(f"{unknown[0]!r} is none of {', '.join(DIVIDERS)}.")
    if len(set(given)) != len(given):
        raise click.BadParameter("a column is given twice.")
    return given


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  kafkafmt cat /var/lib/kafka/data --topic orders --last 10
  kafkafmt cat /var/lib/kafka/data --topic orders --follow --last 0
  kafkafmt cat /var/lib/kafka/data --topic orders --output jsonl | jq .value
  kafkafmt cat orders-0 --start-time 2026-11-21T09:00 --end-time 2026-11-21T10:00
  kafkafmt cat orders-0 --key customer-17 --columns offset,timestamp,value
  kafkafmt cat /mnt/broker-1 /mnt/broker-2 --topic orders --out orders.parquet
  kafkafmt cat 00000000000000000000.log --on-damage skip --output csv > saved.csv
  kafkafmt cat /var/lib/kafka/data --topic orders --state orders.state --output jsonl >> orders.jsonl
  kafkafmt cat /var/lib/kafka/data --partition-by topic,day --out lake
  kafkafmt cat /var/lib/kafka/data --topic customers --compacted --output csv
  kafkafmt cat /var/lib/kafka/data --kind OffsetCommit --output jsonl
  kafkafmt cat --kind list
""",
)
@paths_argument
@selection_options(control_records=False)
@compacted_option
@key_option
@option(
    "--kind",
    "record_kind",
    callback=record_kind_of,
    is_eager=True,
    metavar="KIND",
    group=WHICH,
    shell_complete=kinds_that_begin,
    help="Only records of this kind in Kafka's own topics, decoded: OffsetCommit, TransactionLog, TopicRecord, ..; "
    "or all kinds of a topic: __consumer_offsets. --kind list lists them.",
)
@limit_option("records")
@follow_option
@option(
    "--last",
    type=click.IntRange(min=0),
    callback=row_count,
    metavar="N",
    group=WHICH,
    help="Only the last N of each partition, without reading the rest.",
)
@reading_options
@columns_option
@output_options
@option(
    "--partition-by",
    callback=_dividers,
    is_eager=True,
    metavar="A,B,..",
    group=OUTPUT,
    help="Write Parquet files to the directory --out, in directories by topic, partition, day, hour (of timestamp, "
    "UTC), compression, ..: topic=orders/day=2026-11-21/part-0.parquet.",
)
@option(
    "--max-file-bytes",
    callback=size_of,
    metavar="SIZE",
    group=OUTPUT,
    help="With --partition-by: begin another file before one gets larger, such as 128MiB.",
)
@option(
    "--state",
    type=click.Path(dir_okay=False, readable=False),
    metavar="FILE",
    group=WHICH,
    help="Only what is new since the last run with FILE, which holds the next offset of each partition. It is "
    "rewritten when all is delivered.",
)
def command(
    paths: tuple[str, ...],
    record_kind: str | None,
    limit: int | None,
    follow: bool,
    last: int | None,
    rows: RowOptions,
    partition_by: tuple[str, ...] | None,
    max_file_bytes: int | None,
    state: str | None,
    **wanted: Any,  # noqa: ANN401 - the arguments of kafkafmt.scan
) -> int:
    """Print the records of segment files, partitions or whole log directories, as a consumer would get them.

    Reads what Kafka treats as the log, from its start offset to its end; name other files to read them. A table shows
    partition, offset, timestamp, key and value, and topic and headers if there are any; --columns and the other forms
    have all columns. Timestamps are ms since 1970 (in tables ISO 8601 in UTC).
    """
    others = {"--partition-by": partition_by, "--state": state, "--compacted": wanted["compacted"]}
    check_follow(follow=follow, last=last, others=others)
    _check_together(rows, partition_by, max_file_bytes, record_kind, state, limit=limit, last=last, **wanted)
    kept = None if state is None else State(state, paths)
    if record_kind is not None:
        if wanted.pop("topics") is not None:
            raise click.UsageError("--kind selects the topic: leave out --topic and --topic-regex.")
        if last:
            raise click.UsageError(
                "--last does not go with --kind: the kind of a record is known only once it is read."
            )
    if follow:
        from kafkafmt.cli.records.following import follow_rows

        def followed(disks: "Disks") -> "FollowedRows":
            return followed_kind(disks, record_kind, rows, wanted) if record_kind else _followed(disks, rows, wanted)

        return follow_rows(paths, followed, rows, end_offset=wanted["end_offset"], last=last, limit=limit)
    if record_kind is not None:
        return cat_kind(paths, record_kind, limit, rows, kept, wanted)
    from kafkafmt.columns import SCHEMA

    names = rows.select(SCHEMA.names, _SHAPE)
    disks = open_disks(paths)
    scan = disks.scan(columns=names, **wanted)
    partitions, missing = wanted_partitions(scan)
    if kept is not None:
        scan = scan.narrowed(start_offset=kept.start_offsets(scan), end_offset=wanted["end_offset"])
    if partition_by:
        return (
            deliver_divided(scan, disks, rows, partition_by, max_file_bytes, kept, paths, wanted["on_damage"])
            or missing
        )
    schema = scan.schema
    if rows.is_table and rows.columns is None and len({partition.topic for partition in partitions}) == 1:
        schema = schema.remove(schema.get_field_index("topic"))
    reader = scan.tail(last) if last else scan.to_reader() if limit is None else scan.head(limit)
    batches = (batch.select(schema.names) for batch in limited(reader, limit))
    output = rows.open(schema, _SHAPE, paths)
    status = deliver_records(
        scan,
        scan,
        batches,
        output,
        kept,
        paths,
        disks=disks,
        rows=rows,
        on_damage=wanted["on_damage"],
    )
    note_strays(scan, partitions, scan.skipped_replicas)
    return status or missing


def _followed(disks: "Disks", rows: RowOptions, wanted: dict[str, Any]) -> "FollowedRows":
    """The records to follow, and how they are written."""
    from kafkafmt.columns import SCHEMA

    scan = disks.scan(columns=rows.select(SCHEMA.names, _SHAPE), **wanted)
    schema = scan.schema
    topics = wanted["topics"]
    if rows.is_table and rows.columns is None and isinstance(topics, tuple) and len(topics) == 1:
        schema = schema.remove(schema.get_field_index("topic"))
    return scan, schema, _SHAPE, lambda batch: [batch.select(schema.names)]


def _check_together(
    rows: RowOptions,
    partition_by: tuple[str, ...] | None,
    max_file_bytes: int | None,
    record_kind: str | None,
    state: str | None,
    **wanted: Any,  # noqa: ANN401 - the arguments of kafkafmt.scan
) -> None:
    """Check options that go only with others, or not with them.

    Raises:
        click.UsageError: as said.
    """
    if partition_by is None and max_file_bytes is not None:
        raise click.UsageError("--max-file-bytes goes with --partition-by.")
    if partition_by and rows.out is None:
        raise click.UsageError("--partition-by needs the directory to write: --out DIR.")
    if partition_by and (record_kind is not None or wanted["limit"] is not None or wanted["last"] is not None):
        raise click.UsageError("--partition-by does not go with --kind, --limit and --last.")
    if state is not None:
        others = {"limit": "--limit", "last": "--last", "start_offset": "--start-offset"}
        given = [option for name, option in others.items() if wanted[name] is not None]
        if wanted["replica"] == "all":
            given.append("--replica all")
        if given:
            raise click.UsageError(f"--state says where to begin and reads to the end: leave out {given[0]}.")
