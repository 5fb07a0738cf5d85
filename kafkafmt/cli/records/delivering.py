"""Delivery of records: to an output or a divided directory, and where the next run begins."""

from typing import TYPE_CHECKING

import click

from kafkafmt.cli.command import OUTPUT, give, option
from kafkafmt.cli.delivery import deliver
from kafkafmt.cli.messages import say
from kafkafmt.cli.values import size_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from contextlib import AbstractContextManager

    import pyarrow as pa

    from kafkafmt.cli.command import RowOptions
    from kafkafmt.cli.messages import Passes, WatchedPass
    from kafkafmt.cli.output import Output
    from kafkafmt.cli.records.state import State
    from kafkafmt.disks import Disks
    from kafkafmt.errors import OnDamage
    from kafkafmt.scanning import Scan
    from kafkafmt.searching import Matches


def _dividers(_: click.Context, __: click.Parameter, names: str | None) -> tuple[str, ...] | None:
    """Check what directories are to be named by.

    Raises:
        click.BadParameter: an unknown name, or one twice.
    """
    if names is None:
        return None
    from kafkafmt.cli.output.binary_forms import DIVIDERS

    given = tuple(name.strip() for name in names.split(","))
    unknown = [name for name in given if name not in DIVIDERS]
    if unknown:
        raise click.BadParameter(f"{unknown[0]!r} is none of {', '.join(DIVIDERS)}.")
    if len(set(given)) != len(given):
        raise click.BadParameter("a column is given twice.")
    return given


divided_options = give(
    option(
        "--partition-by",
        callback=_dividers,
        is_eager=True,
        metavar="A,B,..",
        group=OUTPUT,
        help="Write Parquet files to the directory --out, in directories by topic, partition, day, hour (of timestamp, "
        "UTC), compression, ..: topic=orders/day=2026-11-21/part-0.parquet.",
    ),
    option(
        "--max-file-bytes",
        callback=size_of,
        metavar="SIZE",
        group=OUTPUT,
        help="With --partition-by: begin another file before one gets larger, such as 128MiB.",
    ),
)
"""`--partition-by` and `--max-file-bytes`."""


def deliver_records(
    passes: "Passes",
    watched: "WatchedPass",
    batches: "Iterable[pa.RecordBatch]",
    output: "AbstractContextManager[Output]",
    kept: "State | None",
    *,
    disks: "Disks",
    rows: "RowOptions",
    noun: str,
    on_damage: "OnDamage",
) -> int:
    """Write the rows of a pass as `deliver` does, and then where the next run begins."""

    def complete() -> None:
        if kept is not None:
            kept.write()

    status = deliver(
        passes,
        batches,
        output,
        disks=disks,
        rows=rows,
        noun=noun,
        on_damage=on_damage,
        watched=watched,
        complete=complete,
    )
    if kept is not None and not kept.was_written:
        say(f"{kept.path} stays as it was: the next run begins where this one did")
    return status


def deliver_divided(
    records: "Scan | Matches",
    disks: "Disks",
    rows: "RowOptions",
    dividers: tuple[str, ...],
    max_file_bytes: int | None,
    kept: "State | None",
    paths: tuple[str, ...],
    *,
    noun: str,
    on_damage: "OnDamage",
) -> int:
    """Write records as a directory of Parquet files; their columns but for those that directories are named by."""
    from kafkafmt.cli.output.binary_forms import columns_of, open_partitioned

    names = [name for name in records.schema.names if name not in dividers]
    if not names:
        raise click.UsageError("--partition-by leaves no column for the files.")
    wanted = records.select(list(dict.fromkeys((*names, *columns_of(dividers)))))
    schema = wanted.schema.empty_table().select(names).schema
    output = open_partitioned(rows.out or "", schema, dividers, paths, max_file_bytes)
    return deliver_records(
        wanted, wanted, wanted.to_reader(), output, kept, disks=disks, rows=rows, noun=noun, on_damage=on_damage
    )
