"""`kafkafmt cat --kind KIND`: the records of Kafka's internal topics, decoded."""

import shutil
import sys
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from kafkafmt.cli.delivery import deliver, note_belonging, open_sources, wanted_partitions
from kafkafmt.cli.messages import say
from kafkafmt.cli.options import check_columns
from kafkafmt.cli.output import BytesAs, Kind, open_output

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa

    from kafkafmt.scanning import Reader
    from kafkafmt.topics.tables import DecodedScan

_LIST = "list"
_IN_TABLE = ("partition", "offset", "timestamp", "kind", "key", "valueVersion", "value", "error")

_FIRST = ("offset", "kind", "error")
_IN_TABLE_ALREADY = ("topic", "partition", "offset", "timestamp")


@dataclass(frozen=True)
class RowsAs:
    """Which rows and columns are written, and how: options of the command.

    Attributes:
        columns: names of those wanted, or None.
        limit: how many rows at most, or None.
        kind: form of the rows.
        out: the file, or None.
        bytes_as: how text forms write bytes.
        header: whether there is a line of names.
    """

    columns: tuple[str, ...] | None
    limit: int | None
    kind: Kind
    out: str | None
    bytes_as: BytesAs | None
    header: bool


def record_kind(context: click.Context, _: click.Parameter, name: str | None) -> str | None:
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


def cat_kind(paths: tuple[str, ...], name: str, rows_as: RowsAs, wanted: dict[str, Any]) -> int:
    """Write the decoded records of a kind.

    Args:
        paths: where they are looked for.
        name: of the kind, or of a topic.
        rows_as: how they are written.
        wanted: arguments of `kafkafmt.scan`, without topics.

    Returns:
        An exit code: FINDINGS where the log is damaged, or a record cannot be decoded.

    Raises:
        KafkafmtError: a file cannot be read.
        click.BadParameter: a column that there is not.
        click.exceptions.Exit: there is no such topic.
    """
    import kafkafmt
    from kafkafmt.cli.output.table import Spread
    from kafkafmt.topics import tables

    arguments = {argument: value for argument, value in wanted.items() if argument != "topics"}
    sources = open_sources(paths)
    scan = kafkafmt.scan(sources, **arguments)
    decoded = tables.decode(scan, name)
    partitions, missing = decoded.partitions, 0
    if not decoded.scan.source_partitions:
        wanted_partitions(scan.narrowed({decoded.decoder.topic: ()}))
    else:
        partitions, missing = wanted_partitions(decoded.scan)
    names = check_columns(rows_as.columns, decoded.schema.names)
    for_people = names is None and rows_as.kind == "table"
    decoded = tables.decode(scan, name, columns=_in_table(decoded) if for_people else names)
    rows, schema = limited(decoded.to_reader(), rows_as.limit), decoded.schema
    optional: tuple[str, ...] = ()
    first = _FIRST
    if for_people:
        spread = Spread(schema, _IN_TABLE_ALREADY)
        rows, schema = map(spread.spread, rows), spread.spread_schema
        first = (*_FIRST, *(spread.names_in("key") if "key" in decoded.schema.names else ()))
        optional = ("error", *(spread.names_in("value") if "value" in decoded.schema.names else ()))
    output = open_output(
        rows_as.kind,
        rows_as.out,
        schema,
        bytes_as=rows_as.bytes_as,
        header=rows_as.header,
        sources=paths,
        optional=optional,
        first=first,
    )
    skipping, progress = wanted["on_damage"] == "skip", rows_as.out is not None
    counted = _Counted(rows)
    status = deliver(decoded, counted, output, sources=sources, noun="records", skipping=skipping, progress=progress)
    if not counted.rows and rows_as.limit != 0 and not status:
        hint = " with that key: its keys are binary, so give it as hex:.. or base64:.." if wanted["key"] else ""
        say(f"note: no record of kind {name}{hint}")
    note_belonging(scan, partitions, decoded.skipped_replicas)
    return status or missing


class _Counted:
    """The same batches, and how many rows they have had."""

    def __init__(self, batches: "Iterable[pa.RecordBatch]") -> None:
        self.rows = 0
        self._batches = batches

    def __iter__(self) -> "Iterator[pa.RecordBatch]":
        for batch in self._batches:
            self.rows += batch.num_rows
            yield batch


def limited(reader: "Reader", limit: int | None) -> "Iterator[pa.RecordBatch]":
    """The first `limit` rows; then the pass is ended."""
    left = sys.maxsize if limit is None else limit
    with reader:
        for batch in reader:
            yield batch.slice(0, left)
            left -= batch.num_rows
            if left <= 0:
                return


def _in_table(decoded: "DecodedScan") -> list[str]:
    """Columns of a table for people, before they are spread; records of cluster metadata have no key."""
    from kafkafmt.topics.decoding import KINDS

    has_keys = any(kind.key for kind in KINDS if kind.topic == decoded.decoder.topic)
    return [column for column in _IN_TABLE if column in decoded.schema.names and (column != "key" or has_keys)]


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
