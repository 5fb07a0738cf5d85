"""`kafkafmt producers PATH...`: the producer state of each partition."""

from typing import Any

import click

from kafkafmt.cli.command import CLEAN, UNREADABLE, Command, RowOptions, columns_option, output_option, output_options
from kafkafmt.cli.frame import RowFrame, noting
from kafkafmt.cli.messages import say
from kafkafmt.cli.options import (
    as_of_options,
    how_option,
    partition_options,
    paths_argument,
    producer_id_option,
    reading_options,
    show_option,
)
from kafkafmt.cli.output import TableShape
from kafkafmt.phrases import listed

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
@how_option(
    "--from",
    "state_from",
    type=click.Choice(["both", "snapshot", "log"]),
    default="both",
    help="Source of the state: the newest .snapshot and the log after it, as in a broker; or only the log. "
    "both: as snapshot, but the log before it is read too, and compared with it.",
)
@reading_options()
@how_option(
    "--content-window",
    type=click.IntRange(min=0),
    metavar="MS",
    help="With --check, read the records too: find each with the key and value of an earlier one whose timestamp is at "
    "most MS ms away; 0 for the same timestamp.",
)
@show_option("producers", "history", "check", default="producers")
@output_option(
    "--history",
    "show",
    flag_value="history",
    help="Events of each producer in log order: first batch, epochs, transactions, markers. Same as --show history.",
)
@output_option(
    "--check",
    "show",
    flag_value="check",
    help="Lost and repeated records: batches that repeat others or skip sequence numbers, and missing offsets with "
    "the cause. The same as --show check.",
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

    The state comes from the newest .snapshot and the log after it, as at a broker's start. If snapshot and log
    contradict each other, stderr says so, and the exit status is 1. Only batch headers are read.

    With --check, a row is a batch that Kafka would refuse from a client, or a range of offsets without records; the
    exit status is 1 if something was lost or repeated.
    """  # noqa: D205 - one paragraph, as --help shows it
    from kafkafmt.topics.producer_state import COLUMNS

    window = wanted.pop("content_window")
    if window is not None and show != "check":
        raise click.UsageError("--content-window is for --check.")
    if show is not None and wanted["state_from"] != "both" and show != "producers":
        raise click.UsageError(f"--{show} reads the log: leave out --from.")
    if show == "check":
        return _show_check(paths, producer_ids, window, rows, wanted)
    if show == "history":
        return _show_history(paths, producer_ids, rows, wanted)
    frame = RowFrame(paths, rows, COLUMNS.schema, topics=wanted["topics"], partitions=wanted["partitions"])
    with frame.asking() as disks:
        answer = disks.producers(producer_ids=producer_ids, **wanted)
    count = frame.write(answer.to_batches(), _SHAPE)
    status = frame.report(answer)
    if not count and rows.is_screen and status != UNREADABLE:
        say("note: no idempotent or transactional producer found")
    return frame.end(status)


def _show_history(
    paths: tuple[str, ...], producer_ids: tuple[int, ...] | None, rows: RowOptions, wanted: dict[str, Any]
) -> int:
    """Show the history of producers; returns the exit code."""
    from kafkafmt.answer_columns import record_batches
    from kafkafmt.topics.producer_state.history import PRODUCER_HISTORY, producer_history

    wanted.pop("state_from")
    frame = RowFrame(paths, rows, PRODUCER_HISTORY.schema, topics=wanted["topics"], partitions=wanted["partitions"])
    seen: set[int] = set()
    with frame.asking() as disks:
        answer = producer_history(disks, producer_ids=producer_ids, **wanted)
        events = noting(answer.rows(), lambda event: [event.producer_id], seen)
        count = frame.write(record_batches(events, PRODUCER_HISTORY.schema), _HISTORY, watched=answer)
    unknown = _say_unknown(producer_ids, seen, wanted)
    if not unknown and not count and rows.is_screen:
        say("note: no batch of an idempotent or transactional producer found")
    return frame.end(frame.report(answer) or unknown)


def _say_unknown(producer_ids: tuple[int, ...] | None, seen: set[int], wanted: dict[str, Any]) -> int:
    """Report which producers do not exist; if only some partitions are read, they may be in others."""
    unknown = sorted(set(producer_ids or ()) - seen)
    if not unknown or wanted["topics"] or wanted["partitions"]:
        return CLEAN
    say(f"no batch of producer {listed([*map(str, unknown)])} there.")
    return UNREADABLE


def _show_check(
    paths: tuple[str, ...],
    producer_ids: tuple[int, ...] | None,
    window: int | None,
    rows: RowOptions,
    wanted: dict[str, Any],
) -> int:
    """Show lost or repeated records; returns the exit code."""
    from kafkafmt.topics.producer_state import PRODUCER_CHECK, producer_check

    wanted.pop("state_from")
    frame = RowFrame(paths, rows, PRODUCER_CHECK.schema, topics=wanted["topics"], partitions=wanted["partitions"])
    with frame.asking() as disks:
        answer = producer_check(disks, producer_ids=producer_ids, content_window=window, **wanted)
        frame.write(answer.to_batches(), _CHECK, watched=answer)
    unknown = _say_unknown(producer_ids, set(answer.seen), wanted)
    if not unknown and rows.is_screen and not answer.findings:
        shown = "offsets and sequence numbers show"
        if not answer.seen:
            shown = "offsets show: no batch has sequence numbers, as an idempotent producer gives them"
        unchecked = "; CRCs were not checked (kafkafmt verify checks them)" if window is None else ""
        nothing = "nothing else" if answer.is_open else "nothing"
        where = " in what can be read" if disks.unreadable else ""
        say(f"note: {nothing} was lost or repeated{where}, as far as {shown}{unchecked}")
    return frame.end(frame.report(answer) or unknown)
