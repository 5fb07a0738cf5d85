"""`kafkafmt metadata PATH...`: topics, brokers, configs and ACLs of a KRaft cluster, from its metadata log."""

from typing import TYPE_CHECKING

import click

from kafkafmt.cli.command import Command, option
from kafkafmt.cli.options import HOW, WHICH, as_of_options, columns_option, limits_option
from kafkafmt.cli.output import BytesAs, Kind, output_options

if TYPE_CHECKING:
    from datetime import datetime

    from kafkafmt.limits import Limits

SECTIONS = (
    "cluster",
    "topics",
    "partitions",
    "brokers",
    "controllers",
    "voters",
    "features",
    "configs",
    "quotas",
    "acls",
    "scram",
    "tokens",
)
"""What --show takes: the names of `kafkafmt.topics.cluster_metadata.cluster.SECTIONS`, which take Arrow to import."""


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  kafkafmt metadata /var/lib/kafka/data                       # the cluster at the end of its log
  kafkafmt metadata /backup/controller-*                      # the best of several copies
  kafkafmt metadata /var/lib/kafka/data --show partitions --topic orders
  kafkafmt metadata /var/lib/kafka/data --at-time 2026-11-21T09:00:00Z
  kafkafmt metadata /var/lib/kafka/data --diff 2026-11-20 2026-11-21
  kafkafmt metadata /var/lib/kafka/data --diff 5000 end --show configs
  kafkafmt metadata --diff /backup/monday /backup/tuesday
  kafkafmt metadata /var/lib/kafka/data --show configs -o jsonl | jq -r .resourceName
  kafkafmt metadata /var/lib/kafka/data --show partitions --out partitions.parquet

\b
Exit status: 0 clean; 1 findings: damage, or ignored records;
             2 wrong usage; 3 a PATH that cannot be read, or without metadata.
""",
)
@click.argument("paths", nargs=-1, metavar="[PATH]...", type=click.Path(readable=False))
@option(
    "--show",
    "sections",
    multiple=True,
    type=click.Choice(SECTIONS),
    group=WHICH,
    help="Only this table. Repeatable. Default: an overview; with another --output than table the row of cluster.",
)
@option(
    "--topic",
    "topics",
    multiple=True,
    metavar="NAME",
    group=WHICH,
    help="Only topics, partitions and configs of this topic, by name or id. Repeatable.",
)
@as_of_options
@option(
    "--diff",
    nargs=2,
    metavar="A B",
    group=WHICH,
    help="What was added, removed and changed from A to B. Each is an offset, a time in ISO 8601, end for the end of "
    "the log, or a path.",
)
@option(
    "--on-damage",
    type=click.Choice(["raise", "skip"]),
    default="raise",
    show_default=True,
    group=HOW,
    help="At damage of the log: stop, or report it on stderr and read on after it.",
)
@option(
    "--show-secrets",
    is_flag=True,
    group=HOW,
    help="Also print passwords and keys in configs, SCRAM salts and keys, and ids of delegation tokens.",
)
@limits_option
@columns_option
@output_options
def command(
    paths: tuple[str, ...],
    sections: tuple[str, ...],
    topics: tuple[str, ...],
    at_offset: int | dict[int, int] | None,
    at_time: "int | datetime | None",
    diff: tuple[str, str] | None,
    on_damage: str,
    limits: "Limits | None",
    columns: tuple[str, ...] | None,
    kind: Kind,
    out: str | None,
    bytes_as: BytesAs | None,
    *,
    show_secrets: bool,
    header: bool,
) -> int:
    """Show a KRaft cluster: its topics and partitions, brokers, controllers, versions, configs, quotas, ACLs, SCRAM
    users and delegation tokens, at the end of the metadata log or at an earlier moment.

    A PATH is a directory at or above __cluster_metadata-0 (in a broker's or controller's log directory, or in
    metadata.log.dir), or a snapshot of it (.checkpoint). The newest complete snapshot is read, then the log after it.
    Of the copies of several nodes the best one is read. Secrets are not printed.
    """  # noqa: D205 - one paragraph, as --help shows it
    from kafkafmt.cli.metadata.run import MetadataRequest, run

    if not paths and diff is None:
        raise click.UsageError("Missing argument 'PATH...'.")
    if isinstance(at_offset, dict) and set(at_offset) != {0}:
        raise click.UsageError("the metadata log has partition 0 only: give --at-offset an offset without PARTITION.")
    if diff is not None and (at_offset is not None or at_time is not None):
        raise click.UsageError("--diff takes its own moments: leave out --at-offset and --at-time.")
    as_rows = kind != "table" or out is not None
    if len(sections) > 1 and diff is None and as_rows:
        raise click.UsageError(f"--output {kind} writes one table: give one --show.")
    if columns is not None and diff is None and len(sections) != 1 and not as_rows:
        raise click.UsageError("--columns selects columns of one table: give one --show with it.")
    return run(
        MetadataRequest(
            paths=paths,
            sections=sections,
            topics=topics,
            at_offset=at_offset,
            at_time=at_time,
            diff=diff,
            on_damage="skip" if on_damage == "skip" else "raise",
            limits=limits,
            show_secrets=show_secrets,
            columns=columns,
            kind=kind,
            out=out,
            bytes_as=bytes_as,
            header=header,
        )
    )
