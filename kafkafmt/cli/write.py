"""`kafkafmt write FILE... --out DIR`: rows of files as a log directory."""

from typing import Any

import click

from kafkafmt.cli import messages
from kafkafmt.cli.command import CLEAN, Command, RowOptions, columns_option, give, option, target_options
from kafkafmt.cli.output import TableShape
from kafkafmt.cli.printable import quote
from kafkafmt.cli.progress import progress_of_bytes
from kafkafmt.cli.values import size_of

_TOPICS = "Topics and partitions"
_LOG = "The log"
_NODE = "The node"


def _ids(_: click.Context, __: click.Parameter, texts: tuple[str, ...]) -> dict[str, str] | None:
    """Read TOPIC=ID.

    Raises:
        click.BadParameter: it is not so.
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
    option("--topic", metavar="NAME", group=_TOPICS, help="Topic of all rows. Default: column topic."),
    option(
        "--partitions",
        type=click.IntRange(min=1),
        metavar="N",
        group=_TOPICS,
        help="Number of partitions. A row without column partition gets that of its key, as in Java's producer.",
    ),
    option(
        "--topic-id",
        "topic_ids",
        multiple=True,
        callback=_ids,
        metavar="TOPIC=ID",
        group=_TOPICS,
        help="Id of a topic, as kafka-topics.sh --describe shows it. Default: a random one. Repeatable.",
    ),
    option(
        "--message-format", type=click.IntRange(0, 2), default=2, show_default=True, group=_LOG, help="Of the batches."
    ),
    option(
        "--compression",
        type=click.Choice(["none", "gzip", "snappy", "lz4", "zstd"]),
        default="none",
        show_default=True,
        group=_LOG,
        help="Of the batches.",
    ),
    option("--compression-level", type=int, metavar="N", group=_LOG, help="Default: Kafka's default of the codec."),
    option(
        "--batch-bytes",
        callback=size_of,
        metavar="SIZE",
        default="16KiB",
        show_default=True,
        group=_LOG,
        help="Size at which a batch is full, as batch.size.",
    ),
    option(
        "--segment-bytes",
        callback=size_of,
        metavar="SIZE",
        default="1GiB",
        show_default=True,
        group=_LOG,
        help="Maximum size of a segment, as segment.bytes.",
    ),
    option(
        "--segment-ms",
        type=click.IntRange(min=1),
        metavar="MS",
        group=_LOG,
        help="A segment ends MS after its first batch, by timestamps. Default: never.",
    ),
    option(
        "--index-interval-bytes",
        callback=size_of,
        metavar="SIZE",
        default="4096",
        show_default=True,
        group=_LOG,
        help="Bytes of log between index entries.",
    ),
    option(
        "--index-max-bytes",
        callback=size_of,
        metavar="SIZE",
        default="10MiB",
        show_default=True,
        group=_LOG,
        help="Maximum size of an index, as segment.index.bytes.",
    ),
    option(
        "--timestamp-type",
        type=click.Choice(["CreateTime", "LogAppendTime"]),
        default="CreateTime",
        show_default=True,
        group=_LOG,
        help="Of the batches.",
    ),
    option(
        "--leader-epoch", type=click.IntRange(min=0), default=0, show_default=True, group=_LOG, help="Of the batches."
    ),
    option("--cluster-id", metavar="ID", group=_NODE, help="cluster.id of meta.properties. Default: a random one."),
    option(
        "--node-id",
        type=click.IntRange(min=0),
        metavar="N",
        group=_NODE,
        help="Its node.id. Default: 0.",
    ),
    option("--directory-id", metavar="ID", group=_NODE, help="Its directory.id. Default: a random one."),
)
@columns_option
@target_options(required=True)
def command(
    files: tuple[str, ...],
    target: str,
    rows: RowOptions,
    **arguments: Any,  # noqa: ANN401 - the arguments of kafkafmt.write
) -> int:
    """Write the rows of files as a log directory that a broker starts on.

    A FILE ends in .parquet, .arrow, .csv or .jsonl. Columns are value, and optionally key, headers, timestamp, topic,
    partition and offset; CSV and JSON lines have the form that `kafkafmt cat` prints.
    """
    from kafkafmt.writing.files import FileRows
    from kafkafmt.writing.write import write

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
