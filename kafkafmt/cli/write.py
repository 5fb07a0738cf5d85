"""`kafkafmt write FILE... --out DIR`: writes rows of files as a log directory."""

import functools
from typing import Any

import click

from kafkafmt.cli import messages
from kafkafmt.cli.command import CLEAN, Command, RowOptions, columns_option, give, option, target_options
from kafkafmt.cli.output import TableShape
from kafkafmt.cli.printable import quote
from kafkafmt.cli.progress import progress_of_bytes
from kafkafmt.cli.values import size_of

_topics_option = functools.partial(option, group="Topics and partitions")
_log_option = functools.partial(option, group="The log")
_size_option = functools.partial(_log_option, callback=size_of, metavar="SIZE")
_node_option = functools.partial(option, group="The node")


def _ids(_: click.Context, __: click.Parameter, texts: tuple[str, ...]) -> dict[str, str] | None:
    """Parse TOPIC=ID.

    Raises:
        click.BadParameter: it has another form.
    """
    pairs = [text.partition("=") for text in texts]
    if not all(topic and equals and topic_id for topic, equals, topic_id in pairs):
        raise click.BadParameter("must be TOPIC=ID.")
    return {topic: topic_id for topic, _, topic_id in pairs} or None


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  kafkafmt write orders.parquet --out /new --topic orders --partitions 6
  kafkafmt write *.jsonl --out /new                  # as printed by: kafkafmt cat -o jsonl
  kafkafmt write orders.csv --out /new --topic orders --partitions 1 --compression zstd
  kafkafmt write orders.parquet --out /new --topic orders --partitions 6 --topic-id orders=..
""",
)
@click.argument("files", nargs=-1, required=True, type=click.Path(readable=False), metavar="FILE...")
@give(
    _topics_option("--topic", metavar="NAME", help="Topic of all rows. Default: column topic."),
    _topics_option(
        "--partitions",
        type=click.IntRange(min=1),
        metavar="N",
        help="Number of partitions. A row without column partition gets that of its key, as in Java's producer.",
    ),
    _topics_option(
        "--topic-id",
        "topic_ids",
        multiple=True,
        callback=_ids,
        metavar="TOPIC=ID",
        help="Id of a topic, as kafka-topics.sh --describe shows it. Default: a random one. Repeatable.",
    ),
    _log_option("--message-format", type=click.IntRange(0, 2), default=2, help="Format of the batches."),
    _log_option(
        "--compression",
        type=click.Choice(["none", "gzip", "snappy", "lz4", "zstd"]),
        default="none",
        help="Codec of the batches.",
    ),
    _log_option("--compression-level", type=int, metavar="N", help="Default: Kafka's default of the codec."),
    _size_option("--batch-bytes", default="16KiB", help="Size at which a batch is full, as batch.size."),
    _size_option("--segment-bytes", default="1GiB", help="Maximum size of a segment, as segment.bytes."),
    _log_option(
        "--segment-ms",
        type=click.IntRange(min=1),
        metavar="MS",
        help="A segment ends MS after its first batch, by timestamps. Default: never.",
    ),
    _size_option("--index-interval-bytes", default="4096", help="Bytes of log between index entries."),
    _size_option("--index-max-bytes", default="10MiB", help="Maximum size of an index, as segment.index.bytes."),
    _log_option(
        "--timestamp-type",
        type=click.Choice(["CreateTime", "LogAppendTime"]),
        default="CreateTime",
        help="Timestamp type of the batches.",
    ),
    _log_option("--leader-epoch", type=click.IntRange(min=0), default=0, help="Leader epoch of the batches."),
    _node_option("--cluster-id", metavar="ID", help="cluster.id of meta.properties. Default: a random one."),
    _node_option("--node-id", type=click.IntRange(min=0), metavar="N", help="node.id of meta.properties. Default: 0."),
    _node_option("--directory-id", metavar="ID", help="directory.id of meta.properties. Default: a random one."),
)
@columns_option
@target_options(required=True)
def command(
    files: tuple[str, ...],
    target: str,
    rows: RowOptions,
    **arguments: Any,  # noqa: ANN401 - the arguments of kafkafmt.write
) -> int:
    """Write the rows of files as a log directory, as a broker leaves it after a clean shutdown.

    A FILE ends in .parquet, .arrow, .csv or .jsonl. Columns are value, and optionally key, headers, timestamp, topic,
    partition and offset; CSV and JSON lines have the form that `kafkafmt cat` prints.

    A KRaft broker serves only partitions whose topics its metadata log has with the same ids: create a topic first, and
    write with its id (--topic-id).
    """
    from kafkafmt.writing.files import FileRows
    from kafkafmt.writing.log_dir import WRITTEN_PARTITIONS
    from kafkafmt.writing.write import write

    rows.check(WRITTEN_PARTITIONS.schema.names)
    try:
        given = FileRows(files)
        with progress_of_bytes(given.size_in_bytes) as given.advance:
            written = write(given, target, **arguments)
    except ValueError as error:
        raise click.UsageError(f"{error}.") from error
    rows.write(written.partitions.to_batches(), written.partitions.schema, TableShape(), files)
    for note in written.notes:
        messages.say(f"note: {note}")
    messages.say(f"note: {target} is written: cluster {written.cluster_id}, node {written.node_id}. To read it:")
    messages.say_command(f"kafkafmt cat {quote(target)}")
    return CLEAN
