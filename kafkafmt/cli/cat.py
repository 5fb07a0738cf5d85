"""`kafkafmt cat PATH...`: the records; with --kind the decoded ones of Kafka's internal topics."""

from typing import TYPE_CHECKING, Any

import click

from kafkafmt.cli.command import Command, RowOptions, columns_option, option, output_options
from kafkafmt.cli.delivery import limited, note_strays
from kafkafmt.cli.frame import open_disks, wanted_partitions
from kafkafmt.cli.options import (
    WHICH,
    key_option,
    limit_option,
    paths_argument,
    reading_options,
    selection_options,
)
from kafkafmt.cli.output import TableShape
from kafkafmt.cli.records import (
    check_together,
    compacted_option,
    deliver_divided,
    deliver_records,
    divided_options,
    follow_option,
)
from kafkafmt.cli.records.kinds import deliver_kind, followed_kind, kind_option
from kafkafmt.cli.records.state import state_of, state_options
from kafkafmt.cli.values import row_count

if TYPE_CHECKING:
    from kafkafmt.cli.records.following import FollowedRows
    from kafkafmt.disks import Disks

_SHAPE = TableShape(
    ("topic", "partition", "offset", "timestamp", "headers", "key", "value"),
    optional=("headers",),
    first=("offset", "value", "key", "partition", "topic", "timestamp"),
)


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
  kafkafmt cat /var/lib/kafka/data --partition-by topic,day --out lake --state lake.state
  kafkafmt cat /var/lib/kafka/data --topic customers --compacted --output csv
  kafkafmt cat /var/lib/kafka/data --kind OffsetCommit --output jsonl
  kafkafmt cat --kind list
""",
)
@paths_argument
@selection_options(control_records=False)
@compacted_option
@key_option
@kind_option
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
@reading_options("raise")
@columns_option
@output_options
@divided_options
@state_options
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
    commit: bool,
    **wanted: Any,  # noqa: ANN401 - the arguments of kafkafmt.scan
) -> int:
    """Print the records of segment files, partitions or whole log directories, as a consumer would get them.

    Reads what Kafka treats as the log, from its start offset to its end; name other files to read them. A table shows
    partition, offset, timestamp, key and value, and topic and headers if there are any; --columns and the other forms
    have all columns. Timestamps are ms since 1970 (in tables ISO 8601 in UTC).
    """
    check_together(
        rows,
        follow=follow,
        limit=limit,
        last=last,
        record_kind=record_kind,
        partition_by=partition_by,
        max_file_bytes=max_file_bytes,
        state=state,
        commit=commit,
        **wanted,
    )
    kept = state_of(state, paths, rows, is_divided=partition_by is not None, commits_later=commit)
    if follow:
        from kafkafmt.cli.records.following import follow_rows

        def followed(disks: "Disks") -> "FollowedRows":
            return (
                followed_kind(disks, record_kind, None, rows, wanted) if record_kind else _followed(disks, rows, wanted)
            )

        return follow_rows(paths, followed, rows, end_offset=wanted["end_offset"], last=last, limit=limit)
    if record_kind is not None:
        return deliver_kind(paths, record_kind, None, rows, kept, wanted, limit=limit)
    from kafkafmt.columns import SCHEMA

    names = rows.select(SCHEMA.names, _SHAPE)
    disks = open_disks(paths)
    scan = disks.scan(columns=names, **wanted)
    partitions, missing = wanted_partitions(scan)
    if kept is not None:
        scan = kept.resumed(scan, wanted["end_offset"])
    if partition_by:
        status = deliver_divided(
            scan,
            disks,
            rows,
            partition_by,
            max_file_bytes,
            kept,
            paths,
            noun="records",
            on_damage=wanted["on_damage"],
        )
        return status or missing
    if rows.in_digits:
        scan = scan.with_stored_names()
    schema = scan.schema
    if rows.is_table and rows.columns is None and len({partition.topic for partition in partitions}) == 1:
        schema = schema.remove(schema.get_field_index("topic"))
    reader = scan.tail(last) if last else scan.to_reader() if limit is None else scan.head(limit)
    batches = (batch.select(schema.names) for batch in limited(reader, limit))
    output = rows.open(schema, _SHAPE, paths)
    status = deliver_records(
        scan, scan, batches, output, kept, disks=disks, rows=rows, noun="records", on_damage=wanted["on_damage"]
    )
    note_strays(scan, partitions, scan.skipped_replicas)
    return status or missing


def _followed(disks: "Disks", rows: RowOptions, wanted: dict[str, Any]) -> "FollowedRows":
    """The records to follow, and how they are written."""
    from kafkafmt.columns import SCHEMA

    scan = disks.scan(columns=rows.select(SCHEMA.names, _SHAPE), **wanted)
    if rows.in_digits:
        scan = scan.with_stored_names()
    schema = scan.schema
    topics = wanted["topics"]
    if rows.is_table and rows.columns is None and isinstance(topics, tuple) and len(topics) == 1:
        schema = schema.remove(schema.get_field_index("topic"))
    return scan, schema, _SHAPE, lambda batch: [batch.select(schema.names)]
