"""`kafkafmt transactions PATH...`: transactional ids, and open, hanging and ended transactions in data partitions."""

import functools
from typing import TYPE_CHECKING, Any

import click

from kafkafmt.cli import messages
from kafkafmt.cli.command import (
    CLEAN,
    FINDINGS,
    UNREADABLE,
    Command,
    RowOptions,
    columns_option,
    option,
    output_options,
)
from kafkafmt.cli.frame import RowFrame, noting
from kafkafmt.cli.options import (
    as_of_options,
    partition_options,
    paths_argument,
    producer_id_option,
    reading_options,
    show_option,
    which_option,
)
from kafkafmt.cli.output import TableShape
from kafkafmt.phrases import counted, listed

if TYPE_CHECKING:
    from kafkafmt.topics.transaction_state import Transaction, Transactions
    from kafkafmt.topics.transaction_state.data import Data

_view_option = functools.partial(
    option, group="Transactions in the data (default: the transactional ids of the coordinator)"
)
_MINUTE_MS = 60 * 1000

_IDS = TableShape(
    (
        *("transactionalId", "state", "producerId", "topicPartitions", "producerEpoch", "transactionStartTimeMs"),
        "transactionTimeoutMs",
    ),
    first=("transactionalId", "state", "topicPartitions", "transactionStartTimeMs"),
)
_HISTORY = TableShape(
    (
        *("timestamp", "transactionalId", "event", "producerId", "producerEpoch", "topic", "partition", "offset"),
        *("topicPartitions", "detail"),
    ),
    optional=("topic", "partition", "topicPartitions", "detail"),
    first=("timestamp", "transactionalId", "event", "topic", "partition", "offset", "producerId", "topicPartitions"),
)
_DATA_COLUMNS = (
    *("state", "topic", "partition", "firstOffset", "records", "durationMs", "producerId", "transactionalId"),
    *("lastOffset", "producerEpoch"),
)
_DATA_FIRST = ("topic", "partition", "firstOffset", "reason", "abortsAt", "state", "producerId", "transactionalId")

_NOTHING: "dict[Data | None, str]" = {
    None: "no transactional id found",
    "all": "no transaction found",
    "open": "no open transaction found",
    "hanging": "no hanging transaction found: --open shows those that their coordinators will end",
}

_MOST = 20
_SECOND_MS = 1000
_UNITS = ((86_400_000, "d"), (3_600_000, "h"), (60_000, "min"), (_SECOND_MS, "s"))


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  kafkafmt transactions /var/lib/kafka/data
  kafkafmt transactions /backup/broker-1 /backup/broker-2 --transactional-id payments-7
  kafkafmt transactions /var/lib/kafka/data --history --transactional-id payments-7
  kafkafmt transactions /var/lib/kafka/data --hanging
  kafkafmt transactions /var/lib/kafka/data --data --topic orders
  kafkafmt transactions /var/lib/kafka/data --at-time 2026-11-21T04:18:00
  kafkafmt transactions /var/lib/kafka/data --hanging -o jsonl | jq -r .abortCommand
  kafkafmt transactions /var/lib/kafka/data --data --out transactions.parquet
""",
)
@paths_argument
@_view_option("--data", "data", flag_value="all", help="All: open, committed and aborted; hanging ones first.")
@_view_option("--open", "data", flag_value="open", help="Open ones only; hanging ones first.")
@_view_option("--hanging", "data", flag_value="hanging", help="Hanging ones only.")
@_view_option(
    "--max-transaction-timeout",
    type=click.IntRange(min=0),
    default=15,
    metavar="MINUTES",
    help="Without __transaction_state: a transaction open for longer than this hangs.",
)
@_view_option(
    "--bootstrap-server",
    default="localhost:9092",
    metavar="HOST:PORT",
    help="Address used in the printed abort commands; kafkafmt makes no connection.",
)
@which_option(
    "--transactional-id",
    "transactional_ids",
    multiple=True,
    metavar="ID",
    help="Only this transactional id. Repeatable.",
)
@producer_id_option
@partition_options()
@as_of_options
@reading_options()
@show_option("ids", "data", "history", default="ids")
@_view_option(
    "--history",
    "show",
    flag_value="history",
    help="Events of each transactional id: initialized, begun, partitions added, prepared, markers in the data, "
    "completed, expired. The same as --show history.",
)
@columns_option
@output_options
def command(
    paths: tuple[str, ...],
    show: str | None,
    data: "Data | None",
    max_transaction_timeout: int,
    transactional_ids: tuple[str, ...],
    producer_ids: tuple[int, ...] | None,
    rows: RowOptions,
    **wanted: Any,  # noqa: ANN401 - the arguments of kafkafmt.topics.transactions
) -> int:
    """Show each transactional id in the view of the transaction coordinator, like AdminClient's describeTransactions;
    or with --data, --open or --hanging the transactions in the data partitions.

    A transaction hangs if it is open in the log but the coordinator has no ongoing one for that producer and partition:
    it never ends, and read_committed consumers cannot read past it. stderr has the command that aborts it, and the exit
    status is 1. Only batch headers and markers of the data are read, and .snapshot files if records are gone.
    """  # noqa: D205 - one paragraph, as --help shows it
    from kafkafmt.topics.transaction_state import DATA_COLUMNS, ID_COLUMNS

    if show == "ids" and data is not None:
        raise click.UsageError(
            f"--show ids shows no transactions in the data: leave out --{'data' if data == 'all' else data}."
        )
    if show == "history":
        if data is not None:
            raise click.UsageError("--history has the markers in the data: leave out --data, --open and --hanging.")
        del wanted["bootstrap_server"]
        ids = {"transactional_ids": transactional_ids or None, "producer_ids": producer_ids}
        return _show_history(paths, rows, {**ids, **wanted})
    data = data or ("all" if show == "data" else None)
    if wanted["at_offset"] is not None and data is not None:
        raise click.UsageError("--at-offset is an offset of __transaction_state: for the data use --at-time.")
    schema, shape = (ID_COLUMNS.schema, _IDS) if data is None else (DATA_COLUMNS.schema, _shape_of(data))
    # The coordinator may know partitions that are not on these disks, so the answer then names missing ones.
    topics, partitions = (None, None) if data is None else (wanted["topics"], wanted["partitions"])
    frame = RowFrame(paths, rows, schema, topics=topics, partitions=partitions)
    with frame.asking() as disks:
        answer = disks.transactions(
            data=data,
            transactional_ids=transactional_ids or None,
            producer_ids=producer_ids,
            max_transaction_timeout_ms=max_transaction_timeout * _MINUTE_MS,
            **wanted,
        )
    count = frame.write(answer.to_batches("ids" if data is None else "data"), shape)
    status = frame.report(answer)
    if status != UNREADABLE and rows.is_screen:
        _say_more(data, is_empty=not count)
    if data is not None and producer_ids and status != UNREADABLE and (count or not rows.is_screen):
        found = (transaction.producer_id for transaction in answer.data())
        absent = sorted(set(producer_ids).difference(found))
        if absent:
            messages.say(f"note: no transaction of producer {listed([*map(str, absent)])} found")
    return frame.end(_say_hanging(answer) or status)


def _show_history(paths: tuple[str, ...], rows: RowOptions, wanted: dict[str, Any]) -> int:
    """Show the history of transactional ids; returns the exit code."""
    from kafkafmt.answer_columns import record_batches
    from kafkafmt.topics.producer_state.choice import wanted_partitions
    from kafkafmt.topics.transaction_state.answer import transaction_history
    from kafkafmt.topics.transaction_state.history import TRANSACTION_HISTORY

    # The coordinator may know partitions that are not on these disks: they are missing if no event has them, either.
    frame = RowFrame(paths, rows, TRANSACTION_HISTORY.schema, topics=None, partitions=None)
    seen: set[str] = set()
    places: set[str] = set()
    with frame.asking() as disks:
        answer = transaction_history(disks, **wanted)
        events = noting(answer.rows(), lambda event: [event.transactional_id], seen)
        events = noting(events, lambda event: event.topic_partitions or (), places)
        is_of_all = all(wanted[name] is None for name in ("transactional_ids", "topics", "partitions"))
        batches = record_batches(events, TRANSACTION_HISTORY.schema)
        frame.write(batches, _HISTORY, names_if_empty=is_of_all, watched=answer)
    status = frame.report(answer)
    there = [(topic, int(number)) for topic, _, number in (place.rpartition("-") for place in places)]
    frame.lacks(wanted_partitions(wanted["topics"], wanted["partitions"]).absent([*frame.disks.names, *there]))
    unknown = sorted(set(wanted["transactional_ids"] or ()) - seen)
    if unknown:
        of_all = transaction_history(disks, **{**wanted, "transactional_ids": None, "on_damage": "skip"})
        messages.say_no_event("transactional id", unknown, {event.transactional_id for event in of_all.rows()})
    elif not seen and not frame.is_lacking:
        messages.say("note: no events of transactional ids found")
    return frame.end(status or (UNREADABLE if unknown else CLEAN))


def _shape_of(data: "Data") -> TableShape:
    """The shape of a table of transactions in the data."""
    extra = {"all": ("startTimestamp",), "open": ("abortsAt", "reason"), "hanging": ("reason",)}[data]
    return TableShape((*_DATA_COLUMNS, *extra), optional=("transactionalId", "abortsAt"), first=_DATA_FIRST)


def _say_more(data: "Data | None", *, is_empty: bool) -> None:
    """Report that a table is empty, or that the data was not read."""
    if is_empty:
        messages.say(f"note: {_NOTHING[data]}")
    if data is None:
        messages.say(
            "note: these are the coordinator's transactional ids; --open and --hanging show transactions in the data"
        )


def _say_hanging(answer: "Transactions") -> int:
    """Report hanging transactions; returns FINDINGS if there are any."""
    hanging = answer.hanging
    for transaction in hanging[:_MOST]:
        messages.say(_sentence(transaction))
        if transaction.abort_command is not None:
            messages.say("note: to abort it, on brokers from 3.0 on:")
            messages.say_command(transaction.abort_command)
            if transaction.abort_command_before_3_0 is not None:
                messages.say("note: to abort it, on older brokers:")
                messages.say_command(transaction.abort_command_before_3_0)
    if len(hanging) > _MOST:
        messages.say(
            f"and {len(hanging) - _MOST} more hang: --output jsonl has the command for each in column abortCommand"
        )
    return FINDINGS if hanging else CLEAN


def _sentence(transaction: "Transaction") -> str:
    where = transaction.file or "?" if transaction.topic is None else f"{transaction.topic}-{transaction.partition}"
    whose = "" if transaction.transactional_id is None else f" of {transaction.transactional_id}"
    text = f"{where}: the transaction of producer {transaction.producer_id}{whose} hangs"
    size = "its records are gone" if transaction.records is None else counted(transaction.records, "record")
    if transaction.duration_ms:
        least = "at least " if transaction.start_timestamp is None else ""
        size += f", open for {least}{duration(transaction.duration_ms)} at the end of the logs"
    return f"{text}, from offset {transaction.first_offset} on ({size}): {transaction.reason}"


def duration(milliseconds: int) -> str:
    """A duration for people, in the largest unit that fits at least once."""
    for size, unit in _UNITS:
        if milliseconds >= size:
            return f"{milliseconds / size:.3g} {unit}"
    return f"{milliseconds} ms"
