"""`kafkafmt ls [PATH...]`: the content of these disks, and its faults."""

import functools
from typing import TYPE_CHECKING, Any

import click

from kafkafmt.cli.command import Command, RowOptions, option, output_options
from kafkafmt.cli.options import SEVERAL_PATHS, key_file_option, limits_option, partition_options, report_option

if TYPE_CHECKING:
    from kafkafmt.survey.rows import Level

LEVELS = ("log-dirs", "partitions", "segments", "findings", "left-out")
"""Levels that rows can have."""

_WHAT = "What is listed"
_what_option = functools.partial(option, group=_WHAT)
_HOW = "How much is read"
_how_option = functools.partial(option, group=_HOW)


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  kafkafmt ls /var/lib/kafka/data                  # partitions, what is left out, what is wrong
  kafkafmt ls --sort size /var/lib/kafka/data      # where does the space go?
  kafkafmt ls /var/lib/kafka/data/orders-0         # the segments of one partition
  kafkafmt ls -l --topic-regex 'orders.*' /backup/broker-*
  kafkafmt ls --rows findings -o jsonl /backup | jq -r '[.level, .path, .message] | @tsv'
  kafkafmt ls --rows segments --out segments.parquet /backup
  kafkafmt ls --report disks.html /backup          # a page with charts, to open in a browser

\b
Exit status: 0 clean; 1 findings; 2 wrong usage; 3 a PATH that cannot be read
             (the others are listed all the same).
""",
)
@click.argument("paths", nargs=-1, metavar="[PATH]...", type=click.Path(readable=False))
@key_file_option()
@_what_option(
    "--segments", "-l", is_flag=True, help="List the segments of each partition. Default if PATH is a partition."
)
@partition_options(_WHAT)
@_what_option(
    "--all",
    "-a",
    "everything",
    is_flag=True,
    help="Also read files that are not part of a log: .deleted and .cleaned files, directories set aside.",
)
@_what_option(
    "--sort",
    "order",
    type=click.Choice(["name", "size"]),
    default="name",
    help="Order of the partitions in a log directory; with size the largest comes first.",
)
@_what_option(
    "--rows",
    "--show",
    "level",
    type=click.Choice(LEVELS),
    help="List these as rows with all columns, in any form of --output. "
    "Default with another --output than table: partitions.",
)
@_how_option(
    "--quick", is_flag=True, help="Read only names, sizes, small files, and the first and last header of each segment."
)
@_how_option("--verify-checksums", is_flag=True, help="Read everything, and check the CRC of each batch.")
@_how_option(
    "--metadata",
    **SEVERAL_PATHS,
    help="The cluster's metadata log: partitions that it does not know, or does not assign here, are noted. "
    "Default: the one among the PATHs, if it is small. Repeatable.",
)
@limits_option
@report_option("Write a page with charts instead: one HTML file without scripts, which needs no network.")
@output_options
def command(
    *,
    paths: tuple[str, ...],
    segments: bool,
    level: "Level | None",
    quick: bool,
    verify_checksums: bool,
    report: str | None,
    rows: RowOptions,
    **listed: Any,  # noqa: ANN401 - other fields of ListingRequest
) -> int:
    """List the contents of brokers' disks, or of copies: log directories, partitions, segments; their sizes, offsets,
    times, codecs and formats; the state of indexes, snapshots and checkpoints; files outside the logs; and findings.

    A PATH is a log directory, any directory above, a partition directory, a log file, or a URI such as
    s3://bucket/backup. The default is the current directory. Only headers are read. Nothing is written there.

    firstTime is the smallest timestamp that a batch begins with: later records of a batch may be older. lastTime is the
    largest timestamp of all records.

    A finding is a fault: damage, a broken index or checkpoint, a gap. A note is not: a killed or running broker leaves
    it, and Kafka repairs it at a start.
    """  # noqa: D205 - one paragraph, as --help shows it
    from kafkafmt.cli.ls.request import ListingRequest
    from kafkafmt.cli.ls.run import run

    if quick and verify_checksums:
        raise click.UsageError("--quick and --verify-checksums exclude each other.")
    if report is not None and (level is not None or not rows.is_screen or segments):
        raise click.UsageError("--report writes a page: leave out --rows, --output, --out and --segments.")
    if report is not None and quick:
        raise click.UsageError("--report needs all headers: leave out --quick.")
    if segments and (level is not None or not rows.is_screen):
        raise click.UsageError("--segments is for the listing: for rows use --rows segments.")
    return run(
        ListingRequest(
            paths=paths or (".",),
            depth="quick" if quick else "checksums" if verify_checksums else "headers",
            segments=segments,
            level=level or (None if rows.is_screen else "partitions"),
            report=report,
            rows=rows,
            **listed,
        )
    )
