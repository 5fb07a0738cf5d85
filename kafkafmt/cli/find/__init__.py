"""`kafkafmt find PATH...`: where an offset or a time lies in a partition, as Kafka answers Fetch and ListOffsets."""

from datetime import datetime
from typing import TYPE_CHECKING

import click

from kafkafmt.cli import messages
from kafkafmt.cli.command import CLEAN, FINDINGS, Command, option
from kafkafmt.cli.options import HOW, check_columns, columns_option, paths_argument, time_of
from kafkafmt.cli.output import BytesAs, Kind, open_output, output_options
from kafkafmt.errors import SourceError

if TYPE_CHECKING:
    import pyarrow as pa

_WHERE = "In which partition"
_WHAT = "What to find (one of these)"


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
@option("--topic", metavar="NAME", group=_WHERE, help="This topic; required if PATH has more than one.")
@option(
    "--partition",
    "number",
    type=click.IntRange(min=0),
    metavar="N",
    group=_WHERE,
    help="This partition; required if there is more than one.",
)
@option(
    "--offset",
    type=click.IntRange(min=0),
    metavar="N",
    group=_WHAT,
    help="The batch with which a fetch at offset N begins: it holds N, or is the next one after a gap.",
)
@option(
    "--timestamp",
    callback=time_of,
    metavar="TIME",
    group=_WHAT,
    help="The first record at or after TIME: ms since 1970, or ISO 8601 (UTC without a zone).",
)
@option("--earliest", is_flag=True, group=_WHAT, help="The log start offset.")
@option("--latest", is_flag=True, group=_WHAT, help="The log end offset, which the next record would get.")
@option("--max-timestamp", is_flag=True, group=_WHAT, help="The record with the largest timestamp.")
@option(
    "--explain",
    is_flag=True,
    group=HOW,
    help="Show each step: index entries compared, headers read. On stdout before a table, else on stderr.",
)
@option(
    "--replica",
    type=click.Choice(["best", "all"]),
    default="best",
    show_default=True,
    group=HOW,
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
    columns: tuple[str, ...] | None,
    kind: Kind,
    out: str | None,
    bytes_as: BytesAs | None,
    *,
    earliest: bool,
    latest: bool,
    max_timestamp: bool,
    explain: bool,
    header: bool,
) -> int:
    """Find where an offset or a time lies in a partition, as Kafka answers Fetch and ListOffsets.

    As Kafka does, it uses the names of the segments, a binary search in their indexes, and the headers of the few
    batches left; --explain shows each step. Index entries are checked against the log.

    The answer is a row: topic, partition, offset, timestamp, leaderEpoch, and the batch that holds it: file, position,
    baseOffset, sizeInBytes. A table shows the columns that apply; --columns and the other forms have all, null where
    they do not. If there is no such record, stderr says where the log ends, and the exit status is 1. It is also 1 if
    stderr names an index that is wrong (the answer is right, from the headers), a checkpoint that cannot be read, or
    batches read on the way whose offsets are out of order.
    """
    from kafkafmt.cli.delivery import account_for, open_sources, require_readable
    from kafkafmt.cli.find.answer import SCHEMA, find, question_of, shown_in_table
    from kafkafmt.cli.find.explanation import Explanation
    from kafkafmt.cli.find.log import choose

    question = question_of(offset, timestamp, earliest=earliest, latest=latest, max_timestamp=max_timestamp)
    names = check_columns(columns, SCHEMA.names) or (shown_in_table(question) if kind == "table" else SCHEMA.names)
    sources = open_sources(paths)
    chosen = choose(sources, topic, number, replica)
    status = CLEAN
    found = []
    explanation = Explanation(to_stderr=kind != "table" or out is not None) if explain else None
    for log in chosen:
        try:
            answer = find(log, question, explanation)
        except SourceError as error:
            sources.report(error)
            continue
        sources.was_read = True
        for each in answer.remarks:
            messages.say(each)
        if answer.row is not None:
            found.append(answer.row)
        if answer.row is None or answer.is_doubtful:
            status = FINDINGS
    require_readable(sources)
    schema = SCHEMA.empty_table().select(names).schema
    with open_output(
        kind, out, schema, bytes_as=bytes_as, header=header and (bool(found) or kind != "table"), sources=paths
    ) as output:
        if found:
            output.write(_as_batch(found, names))
    return account_for(sources, status)


def _as_batch(rows: list[dict[str, object]], names: list[str]) -> "pa.RecordBatch":
    import pyarrow as pa

    from kafkafmt.cli.find.answer import SCHEMA

    return pa.RecordBatch.from_pylist(rows, schema=SCHEMA).select(names)
