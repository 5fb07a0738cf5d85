"""`kafkafmt space PATH...`: space by dimensions, as rows or as a page; and the effect of other producer settings."""

import functools
from typing import TYPE_CHECKING, Any

import click

from kafkafmt.cli import human, messages
from kafkafmt.cli.command import Command, RowOptions, columns_option, option, output_options
from kafkafmt.cli.delivery import note_strays
from kafkafmt.cli.frame import CommandFrame, RowFrame, page_of
from kafkafmt.cli.options import key_option, paths_argument, reading_options, report_option, selection_options
from kafkafmt.cli.output import TableShape
from kafkafmt.cli.progress import progress_of_bytes
from kafkafmt.cli.records.typed import TypedOptions, typed_options
from kafkafmt.cli.values import row_count
from kafkafmt.errors import KafkafmtError
from kafkafmt.phrases import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkafmt.disks import Disks
    from kafkafmt.scanning import Scan
    from kafkafmt.sizing import SpaceUse
    from kafkafmt.sizing.grouping import Grouping
    from kafkafmt.sizing.what_if import ProducerSettings
    from kafkafmt.values.decode_arguments import DecodeArguments

_BY_HEADERS = ("records", "batches", "storedBytes", "maxTimestamp")
_BY_RECORDS = ("records", "batches", "recordBytes", "storedBytes", "minTimestamp", "maxTimestamp")
_WHAT_IF = ("sampledRecords", "whatIfBatches", "whatIfStoredBytes", "whatIfRatio", "whatIfRequests")
_ERRORS = ("recordsError",)
_MOST_IN_TABLE = 100
_WHAT_IF_SHAPE = TableShape(
    ("topic", "records", "batches", "storedBytes", "ratio", *_WHAT_IF),
    first=("topic", "storedBytes", "whatIfStoredBytes", "batches", "whatIfBatches"),
)

_KIND_SHAPE = TableShape(first=("kind", "topic", "partition", "sizeInBytes", "sizeOnDisk"))
_BOUNDS = ("start_offset", "end_offset", "start_timestamp", "end_timestamp", "key")
_SELECTING = ("topics", "partitions", *_BOUNDS)
# Groupings of the page in addition to the user's.
_OF_PAGE = ("topic,hour", "codec", "batch-size")


def _grouping(_: click.Context, __: click.Parameter, words: tuple[str, ...]) -> "Grouping | tuple[str, ...]":
    """Parse the grouping: of records, or of files by kind.

    Raises:
        click.BadParameter: a dimension does not exist, or is repeated.
    """
    from kafkafmt.sizing.disk_use import columns_by_kind
    from kafkafmt.sizing.grouping import Grouping

    try:
        kinds = columns_by_kind(",".join(words))
        if kinds is not None:
            return kinds
        return Grouping.of(word for each in words for word in each.split(","))
    except ValueError as error:
        raise click.BadParameter(f"{error}.") from error


_what_option = functools.partial(option, group="What")


def _settings(_: click.Context, __: click.Parameter, text: str | None) -> "ProducerSettings | None":
    """Parse the settings of a producer.

    Raises:
        click.BadParameter: a setting does not exist, or has an invalid value.
    """
    if text is None:
        return None
    from kafkafmt.sizing.what_if import ProducerSettings

    try:
        return ProducerSettings.of(text)
    except (ValueError, KafkafmtError) as error:
        raise click.BadParameter(f"{error}.") from error


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  kafkafmt space /var/lib/kafka/data
  kafkafmt space /var/lib/kafka/data --by kind             # all files: logs, indexes, strays, deleted ones
  kafkafmt space /var/lib/kafka/data --by topic,codec
  kafkafmt space /var/lib/kafka/data --topic orders --by key --top 20
  kafkafmt space /var/lib/kafka/data --by topic,hour --output csv > hours.csv
  kafkafmt space /var/lib/kafka/data --by topic,key-prefix:6 --start-time 2026-11-21
  kafkafmt space /var/lib/kafka/data --by header:tenant --output jsonl
  kafkafmt space /var/lib/kafka/data --topic orders --by value:customer.city --top 20
  kafkafmt space /var/lib/kafka/data --what-if batch.size=65536,linger.ms=20,compression.type=zstd:3
  kafkafmt space /var/lib/kafka/data --report space.html
""",
)
@paths_argument
@_what_option(
    "--by",
    multiple=True,
    default=("topic",),
    callback=_grouping,
    metavar="WHAT,..",
    help="topic, partition, segment, codec, format, batch-size, producer, hour, day, key, key-prefix:N (the first N "
    "bytes), header:NAME, value:FIELD or key:FIELD (of the decoded value or key: value:customer.city), or several with "
    "commas between them. kind: all files on the disk, those left out of the logs too.",
)
@_what_option(
    "--top",
    type=click.IntRange(min=1),
    callback=row_count,
    metavar="N",
    help=f"Only the N largest. Default: all; in a table {_MOST_IN_TABLE}.",
)
@_what_option(
    "--what-if",
    "settings",
    callback=_settings,
    metavar="NAME=VALUE,..",
    help="Replay the records of each topic through producers with these settings instead: batch.size, linger.ms, "
    "compression.type (with a level: zstd:3), max.request.size.",
)
@_what_option(
    "--sample-records",
    type=click.IntRange(min=1),
    callback=row_count,
    metavar="N",
    help="With --what-if: replay only about N records of larger topics. Default: 100000.",
)
@report_option("Write a page instead: bytes and records over time, codecs, sizes of batches, the largest groups.")
@selection_options(control_records=True)
@key_option
@typed_options
@reading_options()
@columns_option
@output_options
def command(
    paths: tuple[str, ...],
    by: "Grouping | tuple[str, ...]",
    top: int | None,
    settings: "ProducerSettings | None",
    sample_records: int | None,
    report: str | None,
    rows: RowOptions,
    **wanted: Any,  # noqa: ANN401 - the arguments of kafkafmt.scan, and those of `TypedOptions`
) -> int:
    """Show what takes up the space: topics, partitions, segments, codecs, producers, hours, keys, values of headers.

    storedBytes are bytes on disk, those of a batch divided among its records by their sizes; recordBytes are the
    uncompressed sizes of records. The largest come first. By topic, partition, segment, codec, format, batch-size and
    producer a table is made from batch headers alone; recordBytes and minTimestamp (--columns, or another --output)
    read the records, as other dimensions do. With more keys than fit into --max state-bytes, recordsError bounds the
    records that a row may lack.
    """
    is_chosen = any(wanted[name] for name in TypedOptions.__dataclass_fields__)
    typed = TypedOptions.taken_from(wanted, default="auto")
    if is_chosen and (isinstance(by, tuple) or not by.value_fields):
        raise click.UsageError("--value-format and the like go with --by value:FIELD or key:FIELD.")
    if report is not None and (rows.columns is not None or not rows.is_screen or settings is not None):
        raise click.UsageError("--report writes a page: leave out --what-if, --columns, --output and --out")
    if isinstance(by, tuple):
        if settings is not None or report is not None:
            raise click.UsageError("--by kind counts files: leave out --what-if and --report.")
        return _by_kind(paths, by, top, rows, wanted)
    if settings is not None:
        if by.columns != ("topic",) or top is not None:
            raise click.UsageError("--what-if gives a row for each topic: leave out --by and --top.")
        return _what_if(paths, settings, sample_records, rows, wanted)
    if sample_records is not None:
        raise click.UsageError("--sample-records needs --what-if.")
    decoding = typed.arguments(wanted["on_damage"])
    if report is not None:
        return _report(paths, by, top, report, decoding, wanted)
    return _by_groups(paths, by, top, rows, decoding, wanted)


def _by_groups(
    paths: tuple[str, ...],
    by: "Grouping",
    top: int | None,
    rows: RowOptions,
    decoding: "DecodeArguments",
    wanted: dict[str, Any],
) -> int:
    """Write the table of groups."""
    from kafkafmt.sizing.space import schema_of

    names = rows.select(schema_of(by).names, _shape(by, is_estimate=True))
    frame = CommandFrame(paths, topics=wanted["topics"], partitions=wanted["partitions"])
    scan = frame.disks.scan(**wanted)
    shown = top or (_MOST_IN_TABLE if rows.is_screen else None)
    (answer,) = _measured(frame, scan, [by], decoding, top=shown, columns=names, limits=wanted["limits"])
    rows.write(answer.to_batches(), answer.schema, _shape(by, is_estimate=answer.is_estimate), paths)
    if rows.is_screen:
        _say_sum(answer)
        if not any(wanted[name] for name in _SELECTING):
            _say_besides(frame.disks)
    status = frame.report(answer)
    note_strays(scan, scan.partitions, answer.skipped_replicas)
    return frame.end(status)


def _report(
    paths: tuple[str, ...],
    by: "Grouping",
    top: int | None,
    report: str,
    decoding: "DecodeArguments",
    wanted: dict[str, Any],
) -> int:
    """Write the page of --report."""
    from kafkafmt.cli.space.page import page_of_space

    with page_of(report, paths) as write_page:
        frame = CommandFrame(paths, topics=wanted["topics"], partitions=wanted["partitions"])
        scan = frame.disks.scan(**wanted)
        answers = _measured(frame, scan, [by, *_OF_PAGE], decoding, top=None, columns=None, limits=wanted["limits"])
        if write_page is not None:
            write_page(page_of_space(answers, paths, top or _MOST_IN_TABLE))
    return frame.end(frame.report(answers[0]))


def _measured(
    frame: CommandFrame,
    scan: "Scan",
    groupings: "Sequence[str | Grouping]",
    decoding: "DecodeArguments",
    **wanted: Any,  # noqa: ANN401 - as `measure` takes them
) -> "list[SpaceUse]":
    """Measure groups, and show the progress."""
    from kafkafmt.sizing.space import measure

    with frame.asking(), progress_of_bytes(lambda: _size_of(scan)) as advance:
        try:
            return measure(scan, groupings, progress=advance, decoding=decoding, **wanted)
        except ValueError as error:  # such as values that are not change events
            raise click.UsageError(f"{error}.") from error


def _shape(by: "Grouping", *, is_estimate: bool) -> TableShape:
    """The shape of a table of groups."""
    figures = _BY_RECORDS if by.by_record else _BY_HEADERS
    errors = _ERRORS if by.by_name and is_estimate else ()
    return TableShape((*by.columns, *figures, *errors), first=(*by.columns, "storedBytes", "records"))


def _by_kind(
    paths: tuple[str, ...], columns: tuple[str, ...], top: int | None, rows: RowOptions, wanted: dict[str, Any]
) -> int:
    """Write the table of all files by kind."""
    from kafkafmt.sizing.disk_use import DiskUse, disk_use

    bounds = [name for name in _BOUNDS if wanted.get(name)]
    if bounds:
        raise click.UsageError("--by kind counts whole files: choose only by --topic and --partition.")
    schema = DiskUse(columns).schema
    names = {name: wanted[name] for name in ("topics", "partitions")}
    frame = RowFrame(paths, rows, schema, **names)
    answer = disk_use(frame.disks, columns, **names, top=top, missing="note")
    frame.write(answer.to_batches(), _KIND_SHAPE)
    if rows.is_screen:
        files, sizes = answer.totals
        is_shown = rows.columns is None or "sizeOnDisk" in rows.columns
        on_disk = None if sizes.on_disk is None or not is_shown else f"{human.size(sizes.on_disk)} on disk"
        messages.say(f"note: {human.join([counted(files, 'file'), human.size(sizes.content), on_disk])}")
    return frame.end(frame.report(answer))


def _say_besides(disks: "Disks") -> None:
    """Name the other files on the disks, largest first."""
    from kafkafmt.sizing.disk_use import DIRECTORY, LOG, disk_use

    kinds = disk_use(disks).by_kind
    besides = [
        f"{kind} {human.size(sizes.content)}"
        for kind, sizes in kinds.items()
        if kind not in (DIRECTORY, LOG) and sizes.content
    ]
    if besides:
        messages.say(f"note: besides the logs: {human.join(besides)} (--by kind)")


def _what_if(
    paths: tuple[str, ...],
    settings: "ProducerSettings",
    sample_records: int | None,
    rows: RowOptions,
    wanted: dict[str, Any],
) -> int:
    """Write the table of the effect of other settings."""
    from kafkafmt.sizing.what_if import SAMPLE_RECORDS, WhatIf, what_if

    (schema,) = WhatIf.schemas().values()
    frame = RowFrame(paths, rows, schema, topics=wanted["topics"], partitions=wanted["partitions"])
    scan = frame.disks.scan(**wanted | {"control_records": False})
    with frame.asking(), progress_of_bytes(lambda: _size_of(scan)) as advance:
        answer = what_if(
            scan, settings, sample_records=sample_records or SAMPLE_RECORDS, limits=wanted["limits"], progress=advance
        )
    frame.write(answer.to_batches(), _WHAT_IF_SHAPE)
    if rows.is_screen:
        messages.say(f"note: what if: {settings}")
    return frame.end(frame.report(answer))


def _say_sum(answer: "SpaceUse") -> None:
    """Report the totals, and how many groups are not shown."""
    count, records, stored = answer.totals
    more = count - answer.shown
    parts = [counted(count, answer.grouping.noun), counted(records, "record"), human.size(stored)]
    if more:
        parts.append(f"{answer.shown:,} shown (--top)")
    unverified = "" if answer.verified else "; only headers were read (kafkafmt verify checks the CRCs)"
    messages.say(f"note: {human.join(parts)}{unverified}")


def _size_of(scan: "Scan") -> int:
    return sum(segment.size for partition in scan.best_partitions() for segment in partition.segments)
