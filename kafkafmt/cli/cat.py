"""`kafkafmt cat PATH...`: the records; with --kind those of Kafka's internal topics, decoded."""

import shutil
import sys
import textwrap
from typing import TYPE_CHECKING, Any

import click

from kafkafmt.cli.command import CLEAN, Command, RowOptions, TableShape, columns_option, option, output_options
from kafkafmt.cli.delivery import deliver, limited, note_strays, open_disks, wanted_partitions
from kafkafmt.cli.messages import say
from kafkafmt.cli.options import (
    WHICH,
    key_option,
    limit_option,
    paths_argument,
    reading_options,
    row_count,
    selection_options,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import pyarrow as pa

    from kafkafmt.disks import Disks
    from kafkafmt.scanning import Scan
    from kafkafmt.topics.tables import DecodedScan

    _Rows = tuple[Scan, pa.Schema, TableShape, Callable[[pa.RecordBatch], Iterable[pa.RecordBatch]]]

_LIST = "list"

_SHAPE = TableShape(
    ("topic", "partition", "offset", "timestamp", "headers", "key", "value"),
    optional=("headers",),
    first=("offset", "value", "key", "partition", "topic", "timestamp"),
)
_KIND_IN_TABLE = ("partition", "offset", "timestamp", "kind", "key", "valueVersion", "value", "error")
_KIND_FIRST = ("offset", "kind", "error")
_NAMES_TAKEN = ("topic", "partition", "offset", "timestamp")


def _record_kind(context: click.Context, _: click.Parameter, name: str | None) -> str | None:
    """Check the name of a kind; "list" lists them all and ends the command.

    Raises:
        click.BadParameter: there is no such kind.
        click.exceptions.Exit: they are listed.
    """
    if name is None or context.resilient_parsing:
        return name
    from kafkafmt.topics.decoding import kind_of

    if name == _LIST:
        click.echo("".join(_listed()), nl=False)
        context.exit()
    try:
        kind_of(name)
    except ValueError as error:
        raise click.BadParameter(f"{error}{'' if str(error).endswith('?') else '.'} --kind list lists them.") from error
    return name


def _kinds_that_begin(_: click.Context, __: click.Parameter, begun: str) -> list[str]:
    """What a shell offers for a name that was begun."""
    from kafkafmt.internal_topics import INTERNAL_TOPICS
    from kafkafmt.topics.decoding import KINDS

    names = [_LIST, *(kind.name for kind in KINDS), *sorted(INTERNAL_TOPICS)]
    return [name for name in names if name.casefold().startswith(begun.casefold())]


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
  kafkafmt cat /var/lib/kafka/data --kind OffsetCommit --output jsonl
  kafkafmt cat --kind list
""",
)
@paths_argument
@selection_options(control_records=False)
@key_option
@option(
    "--kind",
    "record_kind",
    callback=_record_kind,
    is_eager=True,
    metavar="KIND",
    group=WHICH,
    shell_complete=_kinds_that_begin,
    help="Only records of this kind in Kafka's own topics, decoded: OffsetCommit, TransactionLog, TopicRecord, ..; "
    "or all kinds of a topic: __consumer_offsets. --kind list lists them.",
)
@limit_option("records")
@option(
    "--follow",
    "-f",
    is_flag=True,
    group=WHICH,
    help="Go on with what is written from now on, as tail -f does: whole batches, new segments, new partitions. "
    "Ctrl-C ends it. --last 0 begins at the end.",
)
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
def command(
    paths: tuple[str, ...],
    record_kind: str | None,
    limit: int | None,
    follow: bool,
    last: int | None,
    rows: RowOptions,
    **wanted: Any,  # noqa: ANN401 - the arguments of kafkafmt.scan
) -> int:
    """Print the records of segment files, partitions or whole log directories, as a consumer would get them.

    Reads what Kafka treats as the log, from its start offset to its end; name other files to read them. A table shows
    partition, offset, timestamp, key and value, and topic and headers if there are any; --columns and the other forms
    have all columns. Timestamps are ms since 1970 (in tables ISO 8601 in UTC).
    """
    if last == 0 and not follow:
        raise click.UsageError("--last 0 selects nothing, unless with --follow.")
    if record_kind is not None:
        if wanted.pop("topics") is not None:
            raise click.UsageError("--kind selects the topic: leave out --topic and --topic-regex.")
        if last:
            raise click.UsageError(
                "--last does not go with --kind: the kind of a record is known only once it is read."
            )
    if follow:
        return _follow(paths, record_kind, limit, last, rows, wanted)
    if record_kind is not None:
        return _cat_kind(paths, record_kind, limit, rows, wanted)
    from kafkafmt.columns import SCHEMA

    names = rows.select(SCHEMA.names, _SHAPE)
    disks = open_disks(paths)
    scan = disks.scan(columns=names, **wanted)
    partitions, missing = wanted_partitions(scan)
    schema = scan.schema
    if rows.is_table and rows.columns is None and len({partition.topic for partition in partitions}) == 1:
        schema = schema.remove(schema.get_field_index("topic"))
    reader = scan.tail(last) if last else scan.to_reader() if limit is None else scan.head(limit)
    batches = (batch.select(schema.names) for batch in limited(reader, limit))
    output = rows.open(schema, _SHAPE, paths)
    status = deliver(scan, batches, output, disks=disks, rows=rows, noun="records", on_damage=wanted["on_damage"])
    note_strays(scan, partitions, scan.skipped_replicas)
    return status or missing


def _follow(
    paths: tuple[str, ...],
    kind: str | None,
    limit: int | None,
    last: int | None,
    rows: RowOptions,
    wanted: dict[str, Any],
) -> int:
    """Write records, or those of a kind decoded, as they are written to the logs, until Ctrl-C."""
    from kafkafmt.cli import following

    following.require_endless(rows)
    if wanted["end_offset"] not in (None, "high_watermark"):
        raise click.UsageError("--follow has no end: leave out --end-offset, or give --end-offset high-watermark.")
    ctrl_c = following.CtrlC()
    with ctrl_c.caught():
        disks = open_disks(paths)
        if kind is None:
            scan, schema, shape, prepare = _records(disks, rows, wanted)
        else:
            scan, schema, shape, prepare = _decoded(disks, kind, rows, wanted)
        for note in scan.absent:
            say(f"note: {note}")
        output = rows.open(schema, shape, paths, is_endless=True)
        return following.follow(scan, output, prepare, ctrl_c, last=last, limit=limit)
    return CLEAN


def _records(disks: "Disks", rows: RowOptions, wanted: dict[str, Any]) -> "_Rows":
    """The records to follow, and how they are written."""
    from kafkafmt.columns import SCHEMA

    scan = disks.scan(columns=rows.select(SCHEMA.names, _SHAPE), **wanted)
    schema = scan.schema
    topics = wanted["topics"]
    if rows.is_table and rows.columns is None and isinstance(topics, tuple) and len(topics) == 1:
        schema = schema.remove(schema.get_field_index("topic"))
    return scan, schema, _SHAPE, lambda batch: [batch.select(schema.names)]


def _decoded(disks: "Disks", kind: str, rows: RowOptions, wanted: dict[str, Any]) -> "_Rows":
    """The records of a kind to follow, and how they are written."""
    from kafkafmt.topics import tables

    decoded = tables.decode(disks.scan(**wanted), kind)
    names = rows.select(decoded.schema.names, TableShape(_columns_in_table(decoded)))
    decoder = tables.KindDecoder(decoded.decoder.kind, decoded.schema.empty_table().select(names).schema)
    scan = disks.scan(**wanted, topics=decoder.topic, columns=decoder.scanned)
    spread, schema, shape = _spread(decoder.schema, rows)
    account = tables.Account()
    return scan, schema, shape, lambda batch: map(spread, decoder.decode(batch, account))


def _cat_kind(paths: tuple[str, ...], name: str, limit: int | None, rows: RowOptions, wanted: dict[str, Any]) -> int:
    """Write the decoded records of a kind, or of all kinds of a topic; FINDINGS also if one cannot be decoded."""
    from kafkafmt.topics import tables

    disks = open_disks(paths)
    scan = disks.scan(**wanted)
    decoded = tables.decode(scan, name)
    partitions, missing = decoded.partitions, 0
    if not decoded.scan.source_partitions:
        wanted_partitions(scan.narrowed({decoded.decoder.topic: ()}))
    else:
        partitions, missing = wanted_partitions(decoded.scan)
    names = rows.select(decoded.schema.names, TableShape(_columns_in_table(decoded)))
    decoded = tables.decode(scan, name, columns=names)
    spread, schema, shape = _spread(decoded.schema, rows)
    batches = map(spread, limited(decoded.to_reader(), limit))
    counted = _Counted(batches)
    output = rows.open(schema, shape, paths)
    status = deliver(decoded, counted, output, disks=disks, rows=rows, noun="records", on_damage=wanted["on_damage"])
    if not counted.rows and limit != 0 and not status:
        hint = " with that key: its keys are binary, so give it as hex:.. or base64:.." if wanted["key"] else ""
        say(f"note: no record of kind {name}{hint}")
    note_strays(scan, partitions, decoded.skipped_replicas)
    return status or missing


def _spread(
    schema: "pa.Schema", rows: RowOptions
) -> "tuple[Callable[[pa.RecordBatch], pa.RecordBatch], pa.Schema, TableShape]":
    """How decoded records are written: a table has a column for each field of key and value."""
    if not rows.is_table or rows.columns is not None:
        return (lambda batch: batch), schema, TableShape(first=_KIND_FIRST)
    from kafkafmt.cli.output.table import Spread

    spread = Spread(schema, _NAMES_TAKEN)
    in_key, in_value = (spread.names_in(part) if part in schema.names else () for part in ("key", "value"))
    shape = TableShape(optional=("error", *in_value), first=(*_KIND_FIRST, *in_key))
    return spread.spread, spread.spread_schema, shape


class _Counted:
    """The same batches, and how many rows they have had."""

    def __init__(self, batches: "Iterable[pa.RecordBatch]") -> None:
        self.rows = 0
        self._batches = batches

    def __iter__(self) -> "Iterator[pa.RecordBatch]":
        for batch in self._batches:
            self.rows += batch.num_rows
            yield batch


def _columns_in_table(decoded: "DecodedScan") -> list[str]:
    """Columns of a table for people, before they are spread; records of cluster metadata have no key."""
    from kafkafmt.topics.decoding import KINDS

    has_keys = any(kind.key for kind in KINDS if kind.topic == decoded.decoder.topic)
    return [column for column in _KIND_IN_TABLE if column in decoded.schema.names and (column != "key" or has_keys)]


def _listed() -> "Iterator[str]":
    """Each kind under its topic, with the fields of its key and of its value; on a terminal as wide as that."""
    from kafkafmt.reference.messages import message
    from kafkafmt.topics.decoding import KINDS

    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else sys.maxsize
    topic = None
    for kind in KINDS:
        if kind.topic != topic:
            topic = kind.topic
            yield f"{topic}\n"
        parts = [message(name) for name in (kind.key, kind.value) if name is not None]
        fields = "; ".join(", ".join(field.name for field in part.fields) for part in parts)
        line = f"  {kind.name:<40}  {fields}".rstrip(" ")
        yield textwrap.fill(line, width, subsequent_indent=" " * 44, break_long_words=False) + "\n"
