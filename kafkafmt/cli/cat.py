"""`kafkafmt cat PATH...`: the records."""

import re
from typing import Any

import click

from kafkafmt.cli.cat_kind import RowsAs, cat_kind, kinds_that_begin, limited, record_kind
from kafkafmt.cli.command import Command, option
from kafkafmt.cli.delivery import deliver, note_belonging, open_sources, wanted_partitions
from kafkafmt.cli.options import (
    WHICH,
    check_columns,
    columns_option,
    key_of,
    limit_option,
    paths_argument,
    reading_options,
    row_count,
    selection_options,
    topics_of,
)
from kafkafmt.cli.output import BytesAs, Kind, open_output, output_options

_IN_TABLE = ("topic", "partition", "offset", "timestamp", "headers", "key", "value")
_FIRST = ("offset", "value", "key", "partition", "topic", "timestamp")


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  kafkafmt cat /var/lib/kafka/data --topic orders --last 10
  kafkafmt cat /var/lib/kafka/data --topic orders --output jsonl | jq .value
  kafkafmt cat orders-0 --start-time 2026-11-21T09:00 --end-time 2026-11-21T10:00
  kafkafmt cat orders-0 --key customer-17 --columns offset,timestamp,value
  kafkafmt cat /mnt/broker-1 /mnt/broker-2 --topic orders --out orders.parquet
  kafkafmt cat 00000000000000000000.log --on-damage skip --output csv > saved.csv
  kafkafmt cat /var/lib/kafka/data --kind OffsetCommit --output jsonl
  kafkafmt cat --kind list
""",
)
@paths_argument
@selection_options(control_records=False)
@option(
    "--key",
    callback=key_of,
    metavar="KEY",
    group=WHICH,
    help="Only records with this key: text, or bytes as hex:0A0B or base64:Cgs=.",
)
@option(
    "--kind",
    "record_kind",
    callback=record_kind,
    is_eager=True,
    metavar="KIND",
    group=WHICH,
    shell_complete=kinds_that_begin,
    help="Only records of this kind in Kafka's own topics, decoded: OffsetCommit, TransactionLog, TopicRecord, ..; "
    "or all kinds of a topic: __consumer_offsets. --kind list lists them.",
)
@limit_option("records")
@option(
    "--last",
    type=click.IntRange(min=1),
    callback=row_count,
    metavar="N",
    group=WHICH,
    help="Only the last N of each partition, without reading the rest.",
)
@reading_options
@columns_option
@output_options
def command(
    paths: tuple[str, ...],
    topic_regex: re.Pattern[str] | None,
    record_kind: str | None,
    limit: int | None,
    last: int | None,
    columns: tuple[str, ...] | None,
    kind: Kind,
    out: str | None,
    bytes_as: BytesAs | None,
    *,
    header: bool,
    **wanted: Any,  # noqa: ANN401 - the arguments of kafkafmt.scan
) -> int:
    """Print the records of segment files, partitions or whole log directories, as a consumer would get them.

    Reads what Kafka treats as the log, from its start offset to its end; name other files to read them. A table shows
    partition, offset, timestamp, key and value, and topic and headers if there are any; --columns and the other forms
    have all columns. Timestamps are ms since 1970 (in tables ISO 8601 in UTC).
    """
    if record_kind is not None:
        if topic_regex is not None or wanted["topics"]:
            raise click.UsageError("--kind selects the topic: leave out --topic and --topic-regex.")
        if last is not None:
            raise click.UsageError(
                "--last does not go with --kind: the kind of a record is known only once it is read."
            )
        rows_as = RowsAs(columns, limit, kind, out, bytes_as, header=header)
        return cat_kind(paths, record_kind, rows_as, wanted)
    import kafkafmt
    from kafkafmt import columns as record_columns

    skipping = wanted["on_damage"] == "skip"
    wanted["topics"] = topics_of(wanted["topics"], topic_regex)
    names = check_columns(columns, record_columns.SCHEMA.names)
    optional: tuple[str, ...] = ()
    if names is None and kind == "table":
        names, optional = list(_IN_TABLE), ("headers",)
    sources = open_sources(paths)
    scan = kafkafmt.scan(sources, columns=names, **wanted)
    partitions, missing = wanted_partitions(scan)
    schema = scan.schema
    if optional and len({partition.topic for partition in partitions}) == 1:
        schema = schema.remove(schema.get_field_index("topic"))
    output = open_output(
        kind, out, schema, bytes_as=bytes_as, header=header, sources=paths, optional=optional, first=_FIRST
    )
    reader = scan.tail(last) if last else scan.to_reader() if limit is None else scan.head(limit)
    rows = (batch.select(schema.names) for batch in limited(reader, limit))
    progress = out is not None
    status = deliver(scan, rows, output, sources=sources, noun="records", skipping=skipping, progress=progress)
    note_belonging(scan, partitions, scan.skipped_replicas)
    return status or missing
