"""`--kind`: decoded records of Kafka's internal topics, all of them or those that match."""

import shutil
import sys
import textwrap
from functools import partial
from typing import TYPE_CHECKING

import click

from kafkafmt.cli.command import RowOptions
from kafkafmt.cli.delivery import limited, note_strays
from kafkafmt.cli.messages import say
from kafkafmt.cli.options import which_option
from kafkafmt.cli.output import TableShape

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import pyarrow as pa

    from kafkafmt.cli.output import Painter
    from kafkafmt.cli.records.following import FollowedRows
    from kafkafmt.cli.records.request import RecordRequest
    from kafkafmt.cli.records.state import State
    from kafkafmt.disks import Disks
    from kafkafmt.scanning import Scan
    from kafkafmt.scanning.decoded_scan import DecodedScan
    from kafkafmt.searching import Matches, RecordSearch
    from kafkafmt.topics.tables import KindDecoder

_LIST = "list"

_KIND_IN_TABLE = ("partition", "offset", "timestamp", "matchedIn", "kind", "key", "valueVersion", "value", "error")
_KIND_FIRST = ("offset", "kind", "error")
_NAMES_TAKEN = ("topic", "partition", "offset", "timestamp")


def _record_kind_of(context: click.Context, _: click.Parameter, name: str | None) -> str | None:
    """Check the name of a kind; "list" lists all kinds and ends the command.

    Raises:
        click.BadParameter: the kind does not exist.
        click.exceptions.Exit: the kinds have been listed.
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
    """Completions of a partial name, for shells."""
    from kafkafmt.internal_topics import INTERNAL_TOPICS
    from kafkafmt.topics.decoding import KINDS

    names = [_LIST, *(kind.name for kind in KINDS), *sorted(INTERNAL_TOPICS)]
    return [name for name in names if name.casefold().startswith(begun.casefold())]


kind_option = which_option(
    "--kind",
    "record_kind",
    callback=_record_kind_of,
    is_eager=True,
    metavar="KIND",
    shell_complete=_kinds_that_begin,
    help="Only records of this kind in Kafka's own topics, decoded: OffsetCommit, TransactionLog, TopicRecord, ..; "
    "or all kinds of a topic: __consumer_offsets. --kind list lists them.",
)
"""`--kind`."""


def deliver_kind(request: "RecordRequest", name: str, kept: "State | None") -> int:
    """Write the decoded records of a kind, or of all kinds of a topic; FINDINGS also if a record cannot be decoded.

    Args:
        request: the wanted records; keys and values are searched as they are stored.
        name: name of the kind or topic.
        kept: state of earlier runs.
    """
    from kafkafmt.topics import tables

    search, rows, limit = request.search, request.rows, request.limit
    frame = request.frame()
    scan = frame.disks.scan(**request.wanted)
    whole = tables.decode(scan, name)
    of_topic = whole.scan
    partitions = of_topic.partitions
    frame.require(of_topic if of_topic.source_partitions else scan.narrowed({whole.decoder.topic: ()}))
    if kept is not None:
        of_topic = kept.resumed(of_topic, request.wanted["end_offset"])
    if request.count and search is not None:
        decoded, batches, schema, shape = _counts(of_topic, name, search, rows)
    else:
        decoded = _decoded(of_topic, name, search, rows)
        spread, schema, shape = _spread(decoded.schema, rows, search)
        batches = map(spread, limited(decoded.to_reader(), limit))
    counted = _Counted(batches)
    status = request.deliver(decoded, decoded.scan, counted, rows.open(schema, shape, request.paths), frame, kept)
    if search is None and not counted.rows and limit != 0 and not status and kept is None:
        is_keyed = request.wanted["key"]
        hint = " with that key: its keys are binary, so give it as hex:.. or base64:.." if is_keyed else ""
        say(f"note: no record of kind {name}{hint}")
    note_strays(scan, partitions, decoded.skipped_replicas)
    return frame.status(status)


def followed_kind(disks: "Disks", request: "RecordRequest", kind: str) -> "FollowedRows":
    """The records of a kind to follow, those that match if there is a search, and how they are written."""
    search, rows, wanted = request.search, request.rows, request.wanted
    decoded = _decoded(disks.scan(**wanted), kind, search, rows)
    scan = disks.scan(**{**wanted, "topics": decoded.decoder.topic, "columns": decoded.scan.schema.names})
    spread, schema, shape = _spread(decoded.schema, rows, search)
    return scan, schema, shape, lambda batch: map(spread, decoded.decode_batch(batch))


def _decoded(scan: "Scan", kind: str, search: "RecordSearch | None", rows: RowOptions) -> "DecodedScan[KindDecoder]":
    """The records of a kind, those that match if there is a search, with the columns to write."""
    from kafkafmt.topics import tables

    decode = partial(tables.decode, scan) if search is None else _matches(scan, search).decode
    whole = decode(kind)
    return decode(kind, columns=rows.select(whole.schema.names, TableShape(_columns_in_table(whole))))


def _counts(
    scan: "Scan", kind: str, search: "RecordSearch", rows: RowOptions
) -> "tuple[DecodedScan[KindDecoder], Iterable[pa.RecordBatch], pa.Schema, TableShape]":
    """The matching records of a kind, their counts, and how the counts are written."""
    from kafkafmt.searching import COUNTED, COUNTS, count_matches

    names = rows.select(COUNTS.names)
    decoded = _matches(scan, search).decode(kind, columns=COUNTED)
    batches = (batch.select(names) for batch in count_matches(decoded.to_reader()))
    return decoded, batches, COUNTS.empty_table().select(names).schema, TableShape()


def _matches(scan: "Scan", search: "RecordSearch") -> "Matches":
    from kafkafmt.searching import SCHEMA, Matches

    return Matches(scan, search, SCHEMA)


def _spread(
    schema: "pa.Schema", rows: RowOptions, search: "RecordSearch | None"
) -> "tuple[Callable[[pa.RecordBatch], pa.RecordBatch], pa.Schema, TableShape]":
    """The layout of decoded records: a table has a column for each field of key and value."""
    painter = _painter(search, rows)
    if not rows.is_table or rows.columns is not None:
        return (lambda batch: batch), schema, TableShape(first=_KIND_FIRST, painter=painter)
    from kafkafmt.cli.output.table import Spread

    spread = Spread(schema, _NAMES_TAKEN)
    in_key, in_value = (spread.names_in(part) if part in schema.names else () for part in ("key", "value"))
    shape = TableShape(optional=("error", *in_value), first=(*_KIND_FIRST, *in_key), painter=painter)
    return spread.spread, spread.spread_schema, shape


def _painter(search: "RecordSearch | None", rows: RowOptions) -> "Painter | None":
    """The painter of matches in a table; for other forms nothing is loaded."""
    if search is None or search.shown is None or not rows.is_table:
        return None
    from kafkafmt.cli.records.matches import DecodedPainter

    return DecodedPainter(search.shown)


class _Counted:
    """Passes on batches, and counts their rows."""

    def __init__(self, batches: "Iterable[pa.RecordBatch]") -> None:
        self.rows = 0
        self._batches = batches

    def __iter__(self) -> "Iterator[pa.RecordBatch]":
        for batch in self._batches:
            self.rows += batch.num_rows
            yield batch


def _columns_in_table(decoded: "DecodedScan[KindDecoder]") -> list[str]:
    """Columns of a table for people, before structs are spread; records of cluster metadata have no key."""
    from kafkafmt.topics.decoding import KINDS

    has_keys = any(kind.key for kind in KINDS if kind.topic == decoded.decoder.topic)
    return [column for column in _KIND_IN_TABLE if column in decoded.schema.names and (column != "key" or has_keys)]


def _listed() -> "Iterator[str]":
    """The kinds of each topic, with the fields of their keys and values; wrapped to the width of a terminal."""
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
