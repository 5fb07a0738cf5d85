"""`kafkafmt load PATH... --to TABLE`: appends the new records of a log to a table."""

import functools
import json
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from kafkafmt.cli import messages
from kafkafmt.cli.command import CLEAN, FINDINGS, Command, RowOptions, give, option, output_options
from kafkafmt.cli.frame import CommandFrame
from kafkafmt.cli.messages import say_note
from kafkafmt.cli.options import (
    END_OFFSET,
    ISOLATION_LEVEL,
    damage_option,
    how_option,
    limits_option,
    partition_options,
    paths_argument,
    show_option,
    which_option,
)
from kafkafmt.cli.output import TableShape
from kafkafmt.cli.progress import progress_of_rows
from kafkafmt.cli.records.typed import TypedOptions, typed_options
from kafkafmt.cli.values import COUNT, names_of, size_of
from kafkafmt.errors import DataError, KafkafmtError, SourceError
from kafkafmt.phrases import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kafkafmt.loading.load import Load
    from kafkafmt.scanning import Scan
    from kafkafmt.scanning.decoded_scan import DecodedScan
    from kafkafmt.scanning.offsets import TopicPartition

_where_option = functools.partial(option, group="Where to")
_PRIVATE = 0o077
_LOADS = ("dividers", "table_columns", "commit_bytes", "max_file_bytes", "start_offset")
_OF_OFFSETS = ("offsets", "spark", "reset", "connect")
_SHAPE = TableShape(("topic", "partition", "startOffset", "endOffset", "records"))
_WITH_LOSS = TableShape(("topic", "partition", "startOffset", "endOffset", "records", "lostOffsets"))
_COMMITS_SHAPE = TableShape(("commit", "rows", "files", "sizeInBytes"))


def _start_of(_: click.Context, __: click.Parameter, text: str | None) -> "int | Mapping[TopicPartition, int] | None":
    """Parse an offset, or a file of offsets.

    Raises:
        click.BadParameter: it is neither.
    """
    if text is None or COUNT.fullmatch(text):
        return None if text is None else int(text)
    from kafkafmt.io.uri import shown
    from kafkafmt.scanning import Offsets

    try:
        with open(text, "rb") as file:
            content = file.read()
        given = json.loads(content)
        if isinstance(given, dict) and "version" not in given:  # the form of Spark
            text_of_all = content.decode(json.detect_encoding(content))
            return dict(Offsets.from_json(f'{{"version": 1, "offsets": {text_of_all}, "topicIds": {{}}}}'))
        return Offsets.from_json(content)
    except OSError as error:
        raise click.BadParameter(f"{shown(text)!r} is neither an offset nor a file: {error.strerror}.") from error
    except (ValueError, RecursionError) as error:
        raise click.BadParameter(f"{shown(text)} is not a file of offsets: {error}.") from error


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  kafkafmt load /var/lib/kafka/data --topic orders --to delta:/lake/orders
  kafkafmt load /var/lib/kafka/data --topic orders --to iceberg:prod.db.orders --decode
  kafkafmt load /copies/broker-1 /copies/broker-2 --to lake --partition-by topic,day
  kafkafmt load s3://bucket/tier --topic orders --to delta:s3://lake/orders --end-offset high-watermark
  kafkafmt load /var/lib/kafka/data --topic orders --to delta:/lake/orders --show spark
  kafkafmt load /var/lib/kafka/data --topic orders --to iceberg:prod.db.orders --show connect > offsets.json
""",
)
@give(
    _where_option(
        "--to",
        "to",
        required=True,
        metavar="TABLE",
        help="delta:PATH (or delta:s3://..), iceberg:CATALOG.NAMESPACE.TABLE, or a directory of Parquet files. It is "
        "created if it does not exist.",
    ),
    _where_option(
        "--partition-by",
        "dividers",
        callback=names_of,
        metavar="A,B,..",
        help="Divide a new table by topic, partition, day, hour (of timestamp, UTC), ...",
    ),
    _where_option(
        "--columns",
        "table_columns",
        callback=names_of,
        metavar="A,B,..",
        help="Columns of the table. Default: topic, partition, offset, timestamp, timestampType, key, value, headers.",
    ),
    _where_option(
        "--commit-bytes",
        callback=size_of,
        metavar="SIZE",
        default="1GiB",
        help="Commit after this many bytes of records, uncompressed; memory holds a small part of them.",
    ),
    _where_option(
        "--max-file-bytes", callback=size_of, metavar="SIZE", default="128MiB", help="Maximum size of a file."
    ),
)
@paths_argument
@give(
    partition_options(),
    which_option(
        "--start-offset",
        callback=_start_of,
        metavar="OFFSET|FILE",
        help="Where to begin in a table that no load has written: an offset for each partition, or a FILE of --state, "
        "or of Spark's startingOffsets. Default: the log start, if the table is empty.",
    ),
    END_OFFSET,
    ISOLATION_LEVEL,
    how_option(
        "--decode",
        is_flag=True,
        help="Decode keys and values: --key-format auto --value-format auto. New fields become new columns.",
    ),
)
@typed_options
@damage_option("raise")
@limits_option
@show_option("partitions", "commits", *_OF_OFFSETS, default="partitions")
@output_options
def command(
    paths: tuple[str, ...],
    to: str,
    rows: RowOptions,
    show: str | None,
    **options: Any,  # noqa: ANN401 - as declared above
) -> int:
    """Append the new records of a log to a table: Delta Lake, Iceberg, or a directory of Parquet files.

    Each commit contains the rows and the offsets where the next load begins, so a load that is killed loses and repeats
    nothing. Kafka's internal topics are left out unless they are named. The output shows what was loaded, by partition
    (--show commits: by commit). With --show offsets, spark (startingOffsets), reset (kafka-consumer-groups.sh
    --from-file) or connect (PATCH /connectors/NAME/offsets) nothing is loaded: they show where the table ends, for a
    program that continues there.
    """
    decode = options.pop("decode")
    if decode:
        options = {**options, **{name: options[name] or "auto" for name in ("value_format", "key_format")}}
    typed = TypedOptions.taken_from(options)
    loads = {name: options.pop(name) for name in _LOADS}
    frame = CommandFrame(paths, topics=options["topics"], partitions=options["partitions"])
    scan = frame.disks.scan(**options)
    try:
        if show in _OF_OFFSETS:
            _show_offsets(to, scan, show, rows, paths)
            return frame.end(CLEAN)
        return frame.end(_load(frame, scan, typed, to, show, rows, loads, options["on_damage"]))
    except ValueError as error:
        raise click.UsageError(f"{_with_options(str(error))}.") from error


def _load(
    frame: CommandFrame,
    scan: "Scan",
    typed: TypedOptions,
    to: str,
    show: str | None,
    rows: RowOptions,
    loads: dict[str, Any],
    on_damage: Any,  # noqa: ANN401 - of click
) -> int:
    from kafkafmt.loading.load import Load

    records: Scan | DecodedScan[Any] = typed.decoded(scan, on_damage) if typed.is_given else scan
    with _as_private_as(scan), progress_of_rows("records", shown=True) as meter:
        loading = Load(
            records,
            to,
            partition_by=loads["dividers"],
            columns=loads["table_columns"],
            start_offset=loads["start_offset"],
            commit_bytes=loads["commit_bytes"],
            max_file_bytes=loads["max_file_bytes"],
            say=say_note,
            advance=meter.rows,
        )
        meter.watch(loading.scan)
        error: KafkafmtError | None = None
        try:
            loading.run()
        except KafkafmtError as raised:
            error = raised
    _write(loading, show, rows, tuple(map(str, scan.places)))
    status = FINDINGS if _report(loading, error, on_damage) else CLEAN
    frame.has_said(loading.loaded.notes)
    if isinstance(error, SourceError):
        raise error
    return status


@contextmanager
def _as_private_as(scan: "Scan") -> "Iterator[None]":
    """Make new files private if others may not read the sources, including files of tables that libraries write."""
    from kafkafmt.io.access import access_of

    if not access_of(scan.places).is_private:
        yield
        return
    before = os.umask(_PRIVATE)
    try:
        yield
    finally:
        os.umask(before)


def _write(loading: "Load", show: str | None, rows: RowOptions, sources: tuple[str, ...]) -> None:
    """Show what was loaded: a row for each partition that has changed, or for each commit."""
    loaded = loading.loaded
    loaded.done = [each for each in loaded.done if each.records or each.lost_offsets or each.moved]
    of_partitions = _WITH_LOSS if any(each.lost_offsets for each in loaded.done) else _SHAPE
    name, shape = ("commits", _COMMITS_SHAPE) if show == "commits" else ("partitions", of_partitions)
    rows.write(loaded.to_batches(name), loaded.schemas()[name], shape, sources)


def _report(loading: "Load", error: KafkafmtError | None, on_damage: Any) -> bool:  # noqa: ANN401
    """Report damage, notes and the end of the load; returns whether there is a finding."""
    loaded = loading.loaded
    messages.say_some([messages.line_of(note) for note in loaded.notes])
    found = messages.report_damage(loading.scan) or any(note.is_finding for note in loaded.notes)
    messages.report_skipped_replicas(loading.scan.skipped_replicas)
    if isinstance(error, DataError):
        messages.report_end(error, loading.scan, skipping=on_damage == "skip")
    if not loaded.commits:
        say_note(f"nothing new for {loaded.to}" if error is None else f"nothing was loaded into {loaded.to}")
        return found or error is not None
    number = len(loaded.commits)
    last = (
        f"{loaded.commits[-1].commit}"
        if number == 1
        else f"{number:,} commits, the last is {loaded.commits[-1].commit}"
    )
    say_note(f"{counted(loaded.rows_loaded, 'row')} loaded into {loaded.to} ({last})")
    return found or error is not None


def _show_offsets(to: str, scan: "Scan", show: str, rows: RowOptions, paths: tuple[str, ...]) -> None:
    """Show the offsets at which a table ends."""
    import pyarrow as pa

    from kafkafmt.loading.load import offsets_of

    offsets = offsets_of(to, scan)
    wanted = {name: offset for name, offset in sorted(offsets.items()) if scan.takes(*name)}
    if show == "spark":
        by_topic: dict[str, dict[str, int]] = {}
        for (topic, number), offset in wanted.items():
            by_topic.setdefault(topic, {})[str(number)] = offset
        click.echo(json.dumps(by_topic))
        return
    if show == "connect":
        places = [
            {"partition": {"kafka_topic": topic, "kafka_partition": number}, "offset": {"kafka_offset": offset}}
            for (topic, number), offset in wanted.items()
        ]
        click.echo(json.dumps({"offsets": places}))
        return
    if show == "reset":
        from kafkafmt.cli.groups.resetting import ResetOffset, reset_file

        lines = [ResetOffset("", topic, number, offset) for (topic, number), offset in wanted.items()]
        click.echo(reset_file(lines, with_group=False), nl=False)
        return
    schema = pa.schema(
        [("topic", pa.string()), ("partition", pa.int32()), ("offset", pa.int64()), ("topicId", pa.string())]
    )
    found = [(*name, offset, offsets.topic_ids.get(name[0])) for name, offset in wanted.items()]
    table = pa.Table.from_pylist([dict(zip(schema.names, each, strict=True)) for each in found], schema=schema)
    rows.write(table.to_batches(), schema, TableShape(), paths)


def _with_options(text: str) -> str:
    """A message about arguments of `kafkafmt.load`, with the names of the options instead."""
    for name in ("start_offset", "commit_bytes", "max_file_bytes"):
        text = text.replace(name, f"--{name.replace('_', '-')}")
    return text.removesuffix(".")
