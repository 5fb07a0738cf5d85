"""`kafkafmt batches PATH...`: headers of batches, messages and wrappers, one per row."""

from contextlib import closing
from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from kafkafmt.cli import messages
from kafkafmt.cli.command import CLEAN, FINDINGS, Command, RowOptions, columns_option, output_options
from kafkafmt.cli.delivery import deliver, note_strays
from kafkafmt.cli.frame import CommandFrame
from kafkafmt.cli.options import how_option, limit_option, paths_argument, reading_options, selection_options
from kafkafmt.cli.output import TableShape

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator

    from kafkafmt.reference.header import BatchHeader

_ROWS = 1024

_IN_TABLE = ("file", "position", "baseOffset", "lastOffset", "count", "compression", "maxTimestamp", "sizeInBytes")
_FIRST = ("isValid", "baseOffset", "lastOffset", "count", "file", "position", "compression", "sizeInBytes")


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  kafkafmt batches orders-0
  kafkafmt batches /var/lib/kafka/data --topic orders --start-offset 1000 --limit 5
  kafkafmt batches 00000000000000000000.log --verify-checksums
  kafkafmt batches orders-0 --columns baseOffset,lastOffset,producerId,isTransactional
  kafkafmt batches /var/lib/kafka/data --output jsonl | jq -r .compression | sort | uniq -c
  kafkafmt batches /var/lib/kafka/data --out batches.parquet
""",
)
@paths_argument
@selection_options(control_records=True)
@limit_option("rows")
@how_option(
    "--deep",
    is_flag=True,
    help="Decompress wrappers (magic 0 and 1): without it their count and first offset are null.",
)
@how_option("--verify-checksums", is_flag=True, help="Check the CRC of each batch (isValid); reads all bytes.")
@reading_options()
@columns_option
@output_options
def command(
    paths: tuple[str, ...],
    limit: int | None,
    rows: RowOptions,
    *,
    deep: bool,
    verify_checksums: bool,
    **wanted: Any,  # noqa: ANN401 - the arguments of kafkafmt.scan
) -> int:
    """Print the headers of record batches, and of messages and wrappers of old formats, without their records.

    Columns are named as in Kafka's RecordBatch; -1 means that the format lacks the field. Options for offsets and times
    select the batches that may hold such records. Tables show the most useful columns; use --columns or another
    --output for all.
    """
    from kafkafmt.batch_columns import BATCH_SCHEMA, to_record_batch

    shape = TableShape([*_IN_TABLE, *(["isValid"] if verify_checksums else [])], first=_FIRST)
    names = rows.select(BATCH_SCHEMA.names, shape)
    frame = CommandFrame(paths, topics=wanted["topics"], partitions=wanted["partitions"])
    scan = frame.disks.scan(**wanted)
    bad: list[BatchHeader] = []
    headers = _first(scan.batches(deep=deep, verify_checksums=verify_checksums), limit)
    found = (to_record_batch(some).select(names) for some in _chunks(headers, bad))
    output = rows.open(BATCH_SCHEMA.empty_table().select(names).schema, shape, paths)
    status = deliver(
        scan, found, output, frame=frame, noun="batches", on_damage=wanted["on_damage"], rows=rows, watched=scan
    )
    for header in bad:
        if header.error is not None:
            messages.say(messages.with_path(header.error, scan))
    note_strays(scan, scan.partitions, scan.skipped_replicas)
    return frame.status(max(status, FINDINGS if bad else CLEAN))


def _first(headers: "Generator[BatchHeader, None, None]", limit: int | None) -> "Iterator[BatchHeader]":
    """The first `limit` headers, after which the pass is closed."""
    with closing(headers):
        yield from islice(headers, limit)


def _chunks(headers: "Iterable[BatchHeader]", bad: "list[BatchHeader]") -> "Iterator[list[BatchHeader]]":
    """Headers in chunks; those with an error are also appended to `bad`."""
    rest = iter(headers)
    while chunk := list(islice(rest, _ROWS)):
        bad += [header for header in chunk if header.error is not None]
        yield chunk
