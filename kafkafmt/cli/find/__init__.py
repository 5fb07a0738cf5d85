"""`kafkafmt find PATH...`: where an offset or a time is in a partition, as Kafka answers Fetch and ListOffsets."""

import functools
from datetime import datetime

import click

from kafkafmt.cli import messages
from kafkafmt.cli.command import CLEAN, FINDINGS, Command, RowOptions, columns_option, option, output_options
from kafkafmt.cli.frame import RowFrame
from kafkafmt.cli.options import how_option, paths_argument
from kafkafmt.cli.values import time_of

_where_option = functools.partial(option, group="In which partition")
_what_option = functools.partial(option, group="What to find (one of these)")


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  kafkafmt find orders-0 --offset 81920
  kafkafmt find orders-0 --offset 81920 --explain
  kafkafmt find /var/lib/kafka/data --topic orders --partition 0 --timestamp 2026-11-21T04:16:24
  kafkafmt find s3://backups/broker-1 --topic orders --partition 0 --max-timestamp
  kafkafmt find /copies/broker-1 /copies/broker-2 --topic orders --partition 0 --latest --replica all
  kafkafmt find orders-0 --timestamp 1795234711380 --output jsonl | jq .offset
""",
)
@paths_argument
@_where_option("--topic", metavar="NAME", help="This topic; required if PATH has more than one.")
@_where_option(
    "--partition",
    "number",
    type=click.IntRange(min=0),
    metavar="N",
    help="This partition; required if there is more than one.",
)
@_what_option(
    "--offset",
    type=click.IntRange(min=0),
    metavar="N",
    help="The first batch that a fetch at offset N returns: the one that holds N, or the next one after a gap.",
)
@_what_option(
    "--timestamp",
    callback=time_of,
    metavar="TIME",
    help="The first record at or after TIME: ms since 1970, or ISO 8601 (UTC without a zone).",
)
@_what_option("--earliest", is_flag=True, help="The log start offset.")
@_what_option("--latest", is_flag=True, help="The log end offset, which the next record would get.")
@_what_option("--max-timestamp", is_flag=True, help="The record with the largest timestamp.")
@how_option(
    "--explain",
    is_flag=True,
    help="Show each step: index entries compared, headers read. On stdout before a table, else on stderr.",
)
@how_option(
    "--replica",
    type=click.Choice(["best", "all"]),
    default="best",
    help="If the partition is found several times: search the best copy only, or all, with a row for each.",
)
@columns_option
@output_options
def command(
    paths: tuple[str, ...],
    topic: str | None,
    number: int | None,
    offset: int | None,
    timestamp: int | datetime | None,
    replica: str,
    rows: RowOptions,
    *,
    earliest: bool,
    latest: bool,
    max_timestamp: bool,
    explain: bool,
) -> int:
    """Find where an offset or a time lies in a partition, as Kafka answers Fetch and ListOffsets.

    The search is Kafka's: by the names of the segments, a binary search in their indexes, and the headers of the few
    remaining batches; --explain shows each step. Index entries are compared with the log.

    The answer is a row: topic, partition, offset, timestamp, leaderEpoch, and the batch that holds it: file, position,
    baseOffset, sizeInBytes. A table shows the columns that apply; other outputs have all columns, null if they do not
    apply. If there is no such record, stderr says where the log ends, and the exit status is 1. It is also 1 if stderr
    names a wrong index (the answer is right, from the headers), an unreadable checkpoint, offsets or leader epochs out
    of order, or a damaged batch. An offset without a record gives the next batch, as a fetch does, and a note names
    the next record.
    """
    import pyarrow as pa

    from kafkafmt.cli.find.answer import SCHEMA, find, shape_of
    from kafkafmt.cli.find.explanation import Explanation
    from kafkafmt.cli.find.log import choose
    from kafkafmt.cli.find.question import question_of

    question = question_of(offset, timestamp, earliest=earliest, latest=latest, max_timestamp=max_timestamp)
    frame = RowFrame(paths, rows, SCHEMA, topics=topic, partitions=number)
    explanation = Explanation(to_stderr=not rows.is_screen) if explain else None
    status = CLEAN
    found = []
    logs = choose(frame.disks, topic, number, replica)
    for answer in frame.disks.read_each(logs, lambda log: find(log, question, explanation)):
        for remark in answer.remarks:
            messages.say(remark)
        if answer.row is not None:
            found.append(answer.row)
        if answer.row is None or answer.is_doubtful:
            status = FINDINGS
    frame.require_readable()
    frame.write([pa.RecordBatch.from_pylist(found, schema=SCHEMA)] if found else [], shape_of(question))
    return frame.end(status)
