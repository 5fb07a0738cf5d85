"""Delivery of records: to an output or a divided directory, and where the next run begins."""

from typing import TYPE_CHECKING

import click

from kafkafmt.cli.delivery import deliver
from kafkafmt.cli.messages import say

if TYPE_CHECKING:
    from collections.abc import Iterable
    from contextlib import AbstractContextManager

    import pyarrow as pa

    from kafkafmt.cli.command import RowOptions
    from kafkafmt.cli.messages import Passes
    from kafkafmt.cli.output import Output
    from kafkafmt.cli.records.state import State
    from kafkafmt.disks import Disks
    from kafkafmt.errors import OnDamage
    from kafkafmt.scanning import Scan


def deliver_records(
    passes: "Passes",
    scan: "Scan",
    batches: "Iterable[pa.RecordBatch]",
    output: "AbstractContextManager[Output]",
    kept: "State | None",
    paths: tuple[str, ...],
    *,
    disks: "Disks",
    rows: "RowOptions",
    on_damage: "OnDamage",
) -> int:
    """Write the rows of a pass as `deliver` does, and then where the next run begins."""

    def complete() -> None:
        if kept is not None:
            kept.write(scan, paths)

    status = deliver(
        passes,
        batches,
        output,
        disks=disks,
        rows=rows,
        noun="records",
        on_damage=on_damage,
        watched=scan,
        complete=complete,
    )
    if kept is not None and not kept.was_written:
        say(f"{kept.path} stays as it was: the next run begins where this one did")
    return status


def deliver_divided(
    scan: "Scan",
    disks: "Disks",
    rows: "RowOptions",
    dividers: tuple[str, ...],
    max_file_bytes: int | None,
    kept: "State | None",
    paths: tuple[str, ...],
    on_damage: "OnDamage",
) -> int:
    """Write records as a directory of Parquet files; their columns but for those that directories are named by."""
    from kafkafmt.cli.output.partitioned import columns_of, open_partitioned
    from kafkafmt.columns import select

    names = [name for name in scan.schema.names if name not in dividers]
    if not names:
        raise click.UsageError("--partition-by leaves no column for the files.")
    output = open_partitioned(rows.out or "", select(names), dividers, paths, max_file_bytes)
    wanted = scan.select(list(dict.fromkeys((*names, *columns_of(dividers)))))
    return deliver_records(
        wanted,
        wanted,
        wanted.to_reader(),
        output,
        kept,
        paths,
        disks=disks,
        rows=rows,
        on_damage=on_damage,
    )
