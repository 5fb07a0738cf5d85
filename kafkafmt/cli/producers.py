"""`kafkafmt producers PATH...`: the producer state of each partition."""

from typing import TYPE_CHECKING, Any

import click

from kafkafmt.cli.command import (
    OUTPUT,
    UNREADABLE,
    Command,
    RowOptions,
    TableShape,
    columns_option,
    option,
    output_options,
)
from kafkafmt.cli.delivery import account_for, ending_at_damage, open_disks, report_answer, require_partitions
from kafkafmt.cli.messages import say
from kafkafmt.cli.options import (
    HOW,
    as_of_options,
    partition_options,
    paths_argument,
    producer_id_option,
    reading_options,
    show_option,
)
from kafkafmt.files.damage import listed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kafkafmt.topics.producer_state.history import ProducerEvent

_SHAPE = TableShape(
    (
        *("topic", "partition", "producerId", "producerEpoch", "lastSequence", "lastOffset", "lastTimestamp"),
        *("currentTransactionStartOffset", "coordinatorEpoch"),
    ),
    optional=("currentTransactionStartOffset", "coordinatorEpoch"),
    first=("topic", "partition", "producerId", "lastOffset", "currentTransactionStartOffset", "producerEpoch"),
)


_HISTORY = TableShape(
    (
        *("timestamp", "topic", "partition", "producerId", "producerEpoch", "event", "offset"),
        *("transactionFirstOffset", "transactionRecords", "detail"),
    ),
    optional=("transactionFirstOffset", "transactionRecords", "detail"),
    first=("timestamp", "topic", "partition", "producerId", "event", "offset", "producerEpoch"),
)


_CHECK = TableShape(
    (
        *("topic", "partition", "finding", "cause", "producerId", "producerEpoch", "firstOffset", "baseOffset"),
        *("lastOffset", "baseSequence", "lastSequence", "timestamp", "detail"),
    ),
    optional=(
        *("cause", "producerId", "producerEpoch", "firstOffset", "baseOffset", "baseSequence", "lastSequence"),
        *("timestamp", "detail"),
    ),
    first=("topic", "partition", "finding", "cause", "firstOffset", "baseOffset", "detail", "producerId", "lastOffset"),
)


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  kafkafmt producers /var/lib/kafka/data
  kafkafmt producers /var/lib/kafka/data --topic orders --partition 0
  kafkafmt producers /var/lib/kafka/data --producer-id 4711
  kafkafmt producers /var/lib/kafka/data --history --producer-id 4711
  kafkafmt producers /var/lib/kafka/data --check   # was anything lost or repeated?
  kafkafmt producers orders-0 --from log           # as if there were no snapshot
  kafkafmt producers orders-0 --at-time 2026-11-21T04:18:00
  kafkafmt producers /var/lib/kafka/data -o jsonl | jq 'select(.currentTransactionStartOffset)'
""",
)
@paths_argument
@partition_options()
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
@reading_options()
@option(
    "--content-window",
    type=click.IntRange(min=0),
    metavar="MS",
    group=HOW,
    help="With --check, read the records too: find each with the key and value of an earlier one whose timestamp is at "
    "most MS ms away; 0 for the same timestamp.",
)
@show_option("producers", "history", "check", default="producers")
@option(
    "--history",
    "show",
    flag_value="history",
    group=OUTPUT,
    help="What each producer did in log order: first batch, epochs, transactions, markers. The same as --show history.",
)
@option(
    "--check",
    "show",
    flag_value="check",
    group=OUTPUT,
    help="What was lost or repeated: batches that repeat others or leave sequence numbers out, and offsets that are "
    "missing, with the cause. The same as --show check.",
)
@columns_option
@output_options
def command(
    paths: tuple[str, ...],
    producer_ids: tuple[int, ...] | None,
    show: str | None,
    rows: RowOptions,
    **wanted: Any,  # noqa: ANN401 - the arguments of kafkafmt.topics.producers
) -> int:
    """Show the state of idempotent and transactional producers in each partition, like AdminClient's
    describeProducers: epoch, last sequence, offset and timestamp, and the start of an open transaction.

    It comes from the newest .snapshot and the log after it, as when a broker starts. If snapshot and log differ, stderr
    says so, and the exit status is 1. Only batch headers are read.

    With --check, a row is a batch that Kafka would refuse from a client, or a range of offsets without records; the
    exit status is 1 if something was lost or repeated.
    """  # noqa: D205 - one paragraph, as --help shows it
    from kafkafmt.topics.producer_state import SCHEMA

    window = wanted.pop("content_window")
    if window is not None and show != "check":
        raise click.UsageError("--content-window is for --check.")
    if show is not None and wanted["state_from"] != "both" and show != "producers":
        raise click.UsageError(f"--{show} reads the log: leave out --from.")
    if show == "check":
        return _show_check(paths, producer_ids, window, rows, wanted)
    if show == "history":
        return _show_history(paths, producer_ids, rows, wanted)
    rows.check(SCHEMA.names)
    disks = open_disks(paths)
    missing = require_partitions(disks, wanted["topics"], wanted["partitions"])
    with ending_at_damage(disks):
        answer = disks.producers(producer_ids=producer_ids, **wanted)
    table = answer.to_table()
    rows.write(table.to_batches(), SCHEMA, _SHAPE, paths)
    status = report_answer(answer, disks) or missing
    if len(table) == 0 and rows.is_screen and status != UNREADABLE:
        say("note: no producer with an id found")
    return account_for(disks, status)


def _show_history(
    paths: tuple[str, ...], producer_ids: tuple[int, ...] | None, rows: RowOptions, wanted: dict[str, Any]
) -> int:
    """Show what producers did; returns the exit code."""
    from kafkafmt.topics.answers import record_batches
    from kafkafmt.topics.producer_state.history import PRODUCER_HISTORY, producer_history

    wanted.pop("state_from")
    rows.check(PRODUCER_HISTORY.names)
    disks = open_disks(paths)
    missing = require_partitions(disks, wanted["topics"], wanted["partitions"], says=True)
    seen: set[int] = set()

    def noted() -> "Iterator[ProducerEvent]":
        for event in answer.events():
            seen.add(event.producer_id)
            yield event

    with ending_at_damage(disks):
        answer = producer_history(disks, producer_ids=producer_ids, **wanted)
        count = rows.write(record_batches(noted(), PRODUCER_HISTORY), PRODUCER_HISTORY, _HISTORY, paths, watched=answer)
    unknown = sorted(set(producer_ids or ()) - seen)
    if unknown and not (wanted["topics"] or wanted["partitions"]):
        say(f"no batch of producer {listed([*map(str, unknown)])} there.")
        missing = UNREADABLE
    elif not count and rows.is_screen:
        say("note: no batch of a producer with an id found")
    return account_for(disks, report_answer(answer, disks) or missing)


def _show_check(
    paths: tuple[str, ...],
    producer_ids: tuple[int, ...] | None,
    window: int | None,
    rows: RowOptions,
    wanted: dict[str, Any],
) -> int:
    """Show what was lost or repeated; returns the exit code."""
    from kafkafmt.topics.producer_state import PRODUCER_CHECK, producer_check

    wanted.pop("state_from")
    rows.check(PRODUCER_CHECK.names)
    disks = open_disks(paths)
    missing = require_partitions(disks, wanted["topics"], wanted["partitions"], says=True)
    with ending_at_damage(disks):
        answer = producer_check(disks, producer_ids=producer_ids, content_window=window, **wanted)
        rows.write(answer.to_batches(), PRODUCER_CHECK, _CHECK, paths, watched=answer)
    unknown = sorted(set(producer_ids or ()) - answer.seen)
    if unknown and not (wanted["topics"] or wanted["partitions"]):
        say(f"no batch of producer {listed([*map(str, unknown)])} there.")
        missing = UNREADABLE
    elif rows.is_screen and not answer.findings:
        shown = "offsets and sequence numbers show"
        if not answer.seen:
            shown = "offsets show: no batch has sequence numbers, as an idempotent producer gives them"
        say(f"note: nothing was lost or repeated, as far as {shown}")
    return account_for(disks, report_answer(answer, disks) or missing)
