"""Records: options that the commands share that print records, and their delivery: to an output, or divided."""

from typing import TYPE_CHECKING, Any

import click

from kafkafmt.cli.command import OUTPUT, RowOptions, give, option
from kafkafmt.cli.delivery import deliver
from kafkafmt.cli.messages import say
from kafkafmt.cli.options import WHICH
from kafkafmt.cli.values import size_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from contextlib import AbstractContextManager

    import pyarrow as pa

    from kafkafmt.cli.messages import Passes, WatchedPass
    from kafkafmt.cli.output import Output
    from kafkafmt.cli.records.state import State
    from kafkafmt.disks import Disks
    from kafkafmt.errors import OnDamage
    from kafkafmt.scanning import Scan
    from kafkafmt.searching import Matches

follow_option = option(
    "--follow",
    "-f",
    is_flag=True,
    group=WHICH,
    help="Go on with what is written from now on, as tail -f does: whole batches, new segments, new partitions. "
    "Ctrl-C ends it. --last 0 begins at the end.",
)
"""`--follow`."""

compacted_option = option(
    "--compacted",
    is_flag=True,
    group=WHICH,
    help="Only the latest record of each key of a partition, as if all of the log had been compacted.",
)
"""`--compacted`."""


def _dividers(_: click.Context, __: click.Parameter, names: str | None) -> tuple[str, ...] | None:
    """Check the columns that name directories.

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
        "UTC), compression, ..: topic=orders/day=2026-11-21/part-0.parquet. With --state later runs add files to it.",
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


def check_together(
    rows: RowOptions,
    *,
    follow: bool,
    limit: int | None,
    last: int | None,
    record_kind: str | None,
    partition_by: tuple[str, ...] | None,
    max_file_bytes: int | None,
    state: str | None,
    commit: bool = False,
    count: bool = False,
    **wanted: Any,  # noqa: ANN401 - the arguments of kafkafmt.scan
) -> None:
    """Check options that go only with others, or not with them: values of the options of these names.

    Raises:
        click.UsageError: as said.
    """
    if last == 0 and not follow:
        raise click.UsageError("--last 0 selects nothing, unless with --follow.")
    ending = {"--count": count, "--partition-by": partition_by, "--state": state, "--compacted": wanted["compacted"]}
    for other, is_given in ending.items():
        if follow and is_given:
            raise click.UsageError(f"--follow does not go with {other}.")
    if partition_by is None and max_file_bytes is not None:
        raise click.UsageError("--max-file-bytes goes with --partition-by.")
    if partition_by and count:
        raise click.UsageError("--partition-by does not go with --count.")
    if partition_by and rows.out is None:
        raise click.UsageError("--partition-by needs the directory to write: --out DIR.")
    if partition_by and (record_kind is not None or limit is not None or last is not None):
        raise click.UsageError("--partition-by does not go with --kind, --limit and --last.")
    if state is not None:
        values = {"--limit": limit, "--last": last, "--start-offset": wanted["start_offset"]}
        given = [name for name, value in values.items() if value is not None]
        if wanted["replica"] == "all":
            given.append("--replica all")
        if given:
            raise click.UsageError(f"--state says where to begin and reads to the end: leave out {given[0]}.")
    if commit and state is None:
        raise click.UsageError("--commit goes with --state: it writes FILE.next, which `kafkafmt state commit` moves.")
    if commit and partition_by:
        raise click.UsageError(
            "--commit does not go with --partition-by: the directory has a record of the runs that are complete."
        )
    if record_kind is not None and wanted["topics"] is not None:
        raise click.UsageError("--kind selects the topic: leave out --topic and --topic-regex.")
    if record_kind is not None and last:
        raise click.UsageError("--last does not go with --kind: the kind of a record is known only once it is read.")


def deliver_records(
    passes: "Passes",
    watched: "WatchedPass",
    batches: "Iterable[pa.RecordBatch]",
    output: "AbstractContextManager[Output]",
    kept: "State | None",
    *,
    disks: "Disks",
    rows: RowOptions,
    noun: str,
    on_damage: "OnDamage",
) -> int:
    """Write the rows of a pass as `deliver` does, and then where the next run begins."""
    status = deliver(
        passes,
        batches,
        output,
        disks=disks,
        rows=rows,
        noun=noun,
        on_damage=on_damage,
        watched=watched,
        complete=None if kept is None else kept.write,
    )
    if kept is not None and not kept.was_written:
        say(f"{kept.path} stays as it was: the next run begins where this one did")
    return status


def deliver_divided(
    records: "Scan | Matches",
    disks: "Disks",
    rows: RowOptions,
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
    if kept is None:
        output = open_partitioned(rows.out or "", schema, dividers, paths, max_file_bytes)
    else:
        output = kept.open_directory(schema, dividers, max_file_bytes, disks)
    return deliver_records(
        wanted, wanted, wanted.to_reader(), output, kept, disks=disks, rows=rows, noun=noun, on_damage=on_damage
    )
