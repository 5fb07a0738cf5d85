"""`cat --kind`: decoded records of Kafka's internal topics."""

import shutil
import sys
import textwrap
from typing import TYPE_CHECKING, Any

import click

from kafkafmt.cli.command import RowOptions, TableShape
from kafkafmt.cli.delivery import limited, note_strays, open_disks, wanted_partitions
from kafkafmt.cli.messages import say
from kafkafmt.cli.records.delivering import deliver_records

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import pyarrow as pa

    from kafkafmt.cli.records.following import FollowedRows
    from kafkafmt.cli.records.state import State
    from kafkafmt.disks import Disks
    from kafkafmt.topics.tables import DecodedScan

_LIST = "list"

_KIND_IN_TABLE = ("partition", "offset", "timestamp", "kind", "key", "valueVersion", "value", "error")
_KIND_FIRST = ("offset", "kind", "error")
_NAMES_TAKEN = ("topic", "partition", "offset", "timestamp")


def record_kind_of(context: click.Context, _: click.Parameter, name: str | None) -> str | None:
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


def kinds_that_begin(_: click.Context, __: click.Parameter, begun: str) -> list[str]:
    """What a shell offers for a name that was begun."""
    from kafkafmt.internal_topics import INTERNAL_TOPICS
    from kafkafmt.topics.decoding import KINDS

    names = [_LIST, *(kind.name for kind in KINDS), *sorted(INTERNAL_TOPICS)]
    return [name for name in names if name.casefold().startswith(begun.casefold())]


def cat_kind(
    paths: tuple[str, ...],
    name: str,
    limit: int | None,
    rows: RowOptions,
    kept: "State | None",
    wanted: dict[str, Any],
) -> int:
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
    if kept is not None:
        scan = scan.narrowed(start_offset=kept.start_offsets(decoded.scan), end_offset=wanted["end_offset"])
    names = rows.select(decoded.schema.names, TableShape(_columns_in_table(decoded)))
    decoded = tables.decode(scan, name, columns=names)
    spread, schema, shape = _spread(decoded.schema, rows)
    batches = map(spread, limited(decoded.to_reader(), limit))
    counted = _Counted(batches)
    output = rows.open(schema, shape, paths)
    status = deliver_records(
        decoded,
        decoded.scan,
        counted,
        output,
        kept,
        paths,
        disks=disks,
        rows=rows,
        on_damage=wanted["on_damage"],
    )
    if not counted.rows and limit != 0 and not status and kept is None:
        hint = " with that key: its keys are binary, so give it as hex:.. or base64:.." if wanted["key"] else ""
        say(f"note: no record of kind {name}{hint}")
    note_strays(scan, partitions, decoded.skipped_replicas)
    return status or missing


def followed_kind(disks: "Disks", kind: str, rows: RowOptions, wanted: dict[str, Any]) -> "FollowedRows":
    """The records of a kind to follow, and how they are written."""
    from kafkafmt.topics import tables

    decoded = tables.decode(disks.scan(**wanted), kind)
    names = rows.select(decoded.schema.names, TableShape(_columns_in_table(decoded)))
    decoder = tables.KindDecoder(decoded.decoder.kind, decoded.schema.empty_table().select(names).schema)
    scan = disks.scan(**wanted, topics=decoder.topic, columns=decoder.scanned)
    spread, schema, shape = _spread(decoder.schema, rows)
    account = tables.Account()
    return scan, schema, shape, lambda batch: map(spread, decoder.decode(batch, account))


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
