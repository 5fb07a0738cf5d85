"""Records: the options that `cat` and `grep` share, and the way from a request to its rows."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from kafkafmt.cli.command import CommandFunction, columns_option, give, output_option, output_options
from kafkafmt.cli.delivery import note_strays
from kafkafmt.cli.options import key_option, limit_option, reading_options, selection_options, which_option
from kafkafmt.cli.records.kinds import deliver_kind, followed_kind, kind_option
from kafkafmt.cli.records.state import state_of, state_options
from kafkafmt.cli.records.typed import typed_options
from kafkafmt.cli.values import row_count, size_of, time_of

if TYPE_CHECKING:
    from kafkafmt.cli.records.following import FollowedRows
    from kafkafmt.cli.records.request import RecordRequest, ShownRecords
    from kafkafmt.disks import Disks
    from kafkafmt.scanning import Scan

_follow_option = which_option(
    "--follow",
    "-f",
    is_flag=True,
    help="Continue with records as they are written, as tail -f does: whole batches, new segments, new partitions. "
    "Ctrl-C ends it. --last 0 begins at the end.",
)
_compacted_option = which_option(
    "--compacted",
    is_flag=True,
    help="Only the latest record of each key of a partition, as if the whole log had been compacted.",
)

_at_time_option = which_option(
    "--at-time",
    callback=time_of,
    metavar="TIME",
    help="With --compacted: the latest records before the first one of the partition whose timestamp is after TIME.",
)


def _dividers(_: click.Context, __: click.Parameter, names: str | None) -> tuple[str, ...] | None:
    """Check the columns after which directories are named.

    Raises:
        click.BadParameter: a name is unknown or repeated.
    """
    if names is None:
        return None
    from kafkafmt.loading.dividing import DIVIDERS

    given = tuple(name.strip() for name in names.split(","))
    unknown = [name for name in given if name not in DIVIDERS]
    if unknown:
        raise click.BadParameter(f"{unknown[0]!r} is not one of {', '.join(DIVIDERS)}.")
    if len(set(given)) != len(given):
        raise click.BadParameter("a column is given twice.")
    return given


_divided_options = give(
    output_option(
        "--partition-by",
        callback=_dividers,
        is_eager=True,
        metavar="A,B,..",
        help="Write Parquet files to the directory --out, in directories by topic, partition, day, hour (of timestamp, "
        "UTC), compression, ..: topic=orders/day=2026-11-21/part-0.parquet. With --state later runs add files to it.",
    ),
    output_option(
        "--max-file-bytes",
        callback=size_of,
        metavar="SIZE",
        help="With --partition-by: maximum size of a file, such as 128MiB.",
    ),
)


def record_options(noun: str, *, last: str, on_damage: str) -> Callable[[CommandFunction], CommandFunction]:
    """Add the options of `RecordRequest.of` and of `TypedOptions.taken_from` to a command.

    Args:
        noun: name of the rows.
        last: help of `--last`.
        on_damage: as for `reading_options`.
    """
    return give(
        selection_options(control_records=False),
        _compacted_option,
        _at_time_option,
        key_option,
        kind_option,
        limit_option(noun),
        _follow_option,
        which_option("--last", type=click.IntRange(min=0), callback=row_count, metavar="N", help=last),
        typed_options,
        reading_options(on_damage),
        columns_option,
        output_options,
        _divided_options,
        state_options,
    )


def deliver_request(request: "RecordRequest", show: "Callable[[Scan, bool], ShownRecords]") -> int:
    """Write the rows of a request, with `follow` until Ctrl-C; returns the exit status.

    Args:
        request: a request that has been checked.
        show: function that makes the rows of a scan; its flag is True if a table may leave out the topic, as there is
            only one. Not called for a kind.

    Raises:
        click.UsageError: the output cannot be combined with the request.
        SourceError: nothing that was asked for can be read.
    """
    kept = state_of(
        request.state,
        request.paths,
        request.rows,
        is_divided=request.partition_by is not None,
        commits_later=request.commit,
    )
    if request.follow:
        return _follow(request, show)
    if request.record_kind is not None:
        return deliver_kind(request, request.record_kind, kept)
    frame = request.frame()
    scan = frame.disks.scan(**request.wanted)
    if request.at_time is not None:
        scan = scan.as_of(request.at_time)
    partitions = scan.partitions
    if kept is not None:
        scan = kept.resumed(scan, request.wanted["end_offset"])
    shown = show(scan, len({partition.topic for partition in partitions}) == 1)
    if request.partition_by is not None:
        return frame.status(request.deliver_divided(shown, request.partition_by, frame, kept))
    output = request.rows.open(shown.schema, shown.shape, request.paths)
    status = request.deliver(shown.records, shown.watched, shown.batches(request), output, frame, kept)
    note_strays(scan, partitions, shown.records.skipped_replicas)
    return frame.status(status)


def _follow(request: "RecordRequest", show: "Callable[[Scan, bool], ShownRecords]") -> int:
    from kafkafmt.cli.records.following import follow_rows

    def followed(disks: "Disks") -> "FollowedRows":
        if request.record_kind is not None:
            return followed_kind(disks, request, request.record_kind)
        topics = request.wanted["topics"]
        return show(disks.scan(**request.wanted), isinstance(topics, tuple) and len(topics) == 1).followed

    end_offset = request.wanted["end_offset"]
    return follow_rows(
        request.paths, followed, request.rows, end_offset=end_offset, last=request.last, limit=request.limit
    )
