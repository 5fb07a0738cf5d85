"""`kafkafmt producers PATH...`: the producer state of each partition."""

import re
from datetime import datetime
from typing import TYPE_CHECKING

import click

from kafkafmt.cli import messages
from kafkafmt.cli.command import CLEAN, FINDINGS, UNREADABLE, Command, option
from kafkafmt.cli.delivery import account_for, open_sources, require_readable, say_absent, wanted_partitions
from kafkafmt.cli.options import (
    HOW,
    as_of_options,
    check_columns,
    columns_option,
    partition_options,
    paths_argument,
    producer_id_option,
    reading_options,
    show_option,
    topics_of,
)
from kafkafmt.cli.output import BytesAs, Kind, open_output, output_options
from kafkafmt.errors import DataError

if TYPE_CHECKING:
    from kafkafmt.files.segment_reader import OnDamage
    from kafkafmt.limits import Limits
    from kafkafmt.topics.answers import Replica
    from kafkafmt.topics.producer_state import StateFrom

_IN_TABLE = (
    "topic",
    "partition",
    "producerId",
    "producerEpoch",
    "lastSequence",
    "lastOffset",
    "lastTimestamp",
    "currentTransactionStartOffset",
    "coordinatorEpoch",
)

_FIRST = ("topic", "partition", "producerId", "lastOffset", "currentTransactionStartOffset", "producerEpoch")
_MAY_BE_LEFT_OUT = ("currentTransactionStartOffset", "coordinatorEpoch")


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  kafkafmt producers /var/lib/kafka/data
  kafkafmt producers /var/lib/kafka/data --topic orders --partition 0
  kafkafmt producers /var/lib/kafka/data --producer-id 4711
  kafkafmt producers orders-0 --from log           # as if there were no snapshot
  kafkafmt producers orders-0 --at-time 2026-11-21T04:18:00
  kafkafmt producers /var/lib/kafka/data -o jsonl | jq 'select(.currentTransactionStartOffset)'
""",
)
@paths_argument
@partition_options
@producer_id_option
@as_of_options
@option(
    "--from",
    "state_from",
    type=click.Choice(["both", "snapshot", "log"]),
    default="both",
    show_default=True,
    group=HOW,
    help="Source of the state: the newest .snapshot and the log after it, as in a broker; or the log alone. "
    "both: as snapshot, and the log before it is read and compared with it.",
)
@reading_options
@show_option("producers", default="producers")
@columns_option
@output_options
def command(
    paths: tuple[str, ...],
    topics: tuple[str, ...] | None,
    topic_regex: re.Pattern[str] | None,
    partitions: tuple[int, ...] | None,
    producer_ids: tuple[int, ...] | None,
    at_offset: int | dict[int, int] | None,
    at_time: int | datetime | None,
    state_from: "StateFrom",
    replica: "Replica",
    on_damage: "OnDamage",
    limits: "Limits | None",
    show: str | None,  # noqa: ARG001 - there is one table
    columns: tuple[str, ...] | None,
    kind: Kind,
    out: str | None,
    bytes_as: BytesAs | None,
    *,
    header: bool,
) -> int:
    """Show the state of idempotent and transactional producers in each partition, like AdminClient's
    describeProducers: epoch, last sequence, offset and timestamp, and the start of an open transaction.

    It comes from the newest .snapshot and the log after it, as when a broker starts. If snapshot and log differ, stderr
    says so, and the exit status is 1. Only batch headers are read.
    """  # noqa: D205 - one paragraph, as --help shows it
    import kafkafmt
    from kafkafmt.topics.producer_state import SCHEMA, producers

    names = check_columns(columns, SCHEMA.names)
    chosen = topics_of(topics, topic_regex)
    sources = open_sources(paths)
    scan = kafkafmt.scan(sources, topics=chosen, partitions=partitions)
    _, missing = wanted_partitions(scan)
    say_absent(scan)
    try:
        answer = producers(
            sources,
            topics=chosen,
            partitions=partitions,
            producer_ids=producer_ids,
            at_offset=at_offset,
            at_time=at_time,
            state_from=state_from,
            replica=replica,
            on_damage=on_damage,
            limits=limits,
        )
    except DataError as error:
        messages.report_end(error, scan)
        return FINDINGS
    require_readable(sources)
    table = answer.to_table()
    if names is None and kind == "table":
        names = [name for name in _IN_TABLE if name not in _MAY_BE_LEFT_OUT or table[name].null_count < len(table)]
    schema = SCHEMA.empty_table().select(names or SCHEMA.names).schema
    with open_output(
        kind,
        out,
        schema,
        bytes_as=bytes_as,
        header=header and (len(table) > 0 or kind != "table"),
        sources=paths,
        first=_FIRST,
    ) as output:
        for batch in table.select(schema.names).combine_chunks().to_batches():
            output.write(batch)
    unknown = sorted(set(producer_ids or ()).difference(table["producerId"].to_pylist()))
    if unknown and not (chosen or partitions):
        messages.say(f"no producer {messages.listed([*map(str, unknown)])} there.")
        missing = UNREADABLE
    elif len(table) == 0 and kind == "table" and out is None:
        messages.say("note: no producer with an id found")
    status = FINDINGS if messages.report_answer(answer, scan) else CLEAN
    messages.report_skipped_replicas(answer.skipped_replicas)
    return account_for(sources, status or missing)
