"""`kafkafmt cat PATH...`: the records; with --kind the decoded records of Kafka's internal topics."""

from typing import TYPE_CHECKING, Any

import click

from kafkafmt.cli.command import Command
from kafkafmt.cli.options import paths_argument
from kafkafmt.cli.output import TableShape
from kafkafmt.cli.records import deliver_request, record_options
from kafkafmt.cli.records.framed import StoredRecords
from kafkafmt.cli.records.request import RecordRequest, ShownRecords
from kafkafmt.cli.records.typed import TypedOptions
from kafkafmt.internal_topics import INTERNAL_TOPICS

if TYPE_CHECKING:
    from kafkafmt.scanning import Scan

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
  kafkafmt cat /var/lib/kafka/data --topic orders --value-format auto --out orders.parquet
  kafkafmt cat /var/lib/kafka/data --topic inventory.customers --unwrap debezium --compacted
  kafkafmt cat /var/lib/kafka/data --kind OffsetCommit --output jsonl
  kafkafmt cat --kind list
""",
)
@record_options("records", last="Only the last N of each partition, without reading the rest.", on_damage="raise")
@paths_argument
def command(
    paths: tuple[str, ...],
    **options: Any,  # noqa: ANN401 - those of `record_options`
) -> int:
    """Print the records of segment files, partitions or whole log directories, as a consumer would get them.

    Reads what Kafka treats as the log, from its start offset to its end; name other files to read them. A table shows
    partition, offset, timestamp, key and value, and topic and headers if there are any; other outputs have all columns,
    and --columns chooses. Timestamps are ms since 1970 (in tables ISO 8601 in UTC).
    """
    typed = TypedOptions.taken_from(options)
    request = RecordRequest.of(paths, options)
    from kafkafmt.columns import SCHEMA

    rows = request.rows
    if request.record_kind is not None and typed.is_given:
        raise click.UsageError("--kind decodes keys and values: leave out --value-format, --key-format and --unwrap.")
    if typed.record is not None and request.last is not None:
        raise click.UsageError(
            "--record cannot be combined with --last: the type of a record is known only once it is read."
        )
    if typed.unwrap is not None and request.wanted["compacted"] and request.last:
        raise click.UsageError(
            "--last cannot be combined with --unwrap and --compacted: rows of a table have no order."
        )
    if request.record_kind is None and not typed.is_given:
        rows.check(SCHEMA.names)

    def show(scan: "Scan", is_one_topic: bool) -> ShownRecords:
        if typed.is_given:
            return typed.show(scan, rows, on_damage=request.wanted["on_damage"], is_one_topic=is_one_topic)
        records = scan.select(rows.select(SCHEMA.names, _SHAPE))
        if rows.has_stored_names:
            records = records.with_stored_names()
        schema = records.schema
        if rows.is_table and rows.columns is None and is_one_topic:
            schema = schema.remove(schema.get_field_index("topic"))
        is_hinted = rows.is_table and not {each.topic for each in scan.partitions} <= INTERNAL_TOPICS
        shown = StoredRecords if is_hinted else ShownRecords
        return shown(records, schema, _SHAPE, lambda batch: batch.select(schema.names))

    return deliver_request(request, show)
