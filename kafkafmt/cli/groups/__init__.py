"""`kafkafmt groups PATH...`: consumer, share and streams groups, their offsets and members."""

import re
from datetime import datetime
from typing import TYPE_CHECKING, Literal, cast

import click

from kafkafmt.cli.command import Command, option
from kafkafmt.cli.options import (
    WHICH,
    as_of_options,
    columns_option,
    damage_option,
    limits_option,
    regex_of,
    show_option,
    topics_of,
)
from kafkafmt.cli.output import BytesAs, Kind, output_options

if TYPE_CHECKING:
    from kafkafmt.files.segment_reader import OnDamage
    from kafkafmt.limits import Limits

View = Literal["offsets", "groups", "pending_offsets", "members", "check"]

_VIEW = "What to show (default: one row per committed offset)"

_MOST_PARTITIONS = (1 << 31) - 1  # partitions are int32 to Kafka


def _text(context: click.Context, parameter: click.Parameter, names: tuple[str, ...]) -> tuple[str, ...]:
    """Refuse what cannot be the name of a group."""
    for name in names:
        try:
            name.encode()
        except UnicodeEncodeError:
            raise click.BadParameter(f"{name!r} is not UTF-8, as group names are.", context, parameter) from None
    return names


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  kafkafmt groups /var/lib/kafka/data
  kafkafmt groups /mnt/broker-1 /mnt/broker-2 /mnt/broker-3 --group payments
  kafkafmt groups /var/lib/kafka/data --list
  kafkafmt groups /var/lib/kafka/data --members --group-regex 'payments-.*'
  kafkafmt groups /var/lib/kafka/data --at-time 2026-11-21T04:00 --topic orders
  kafkafmt groups /var/lib/kafka/data --check-assignment
  kafkafmt groups /var/lib/kafka/data --where payments
  kafkafmt groups /var/lib/kafka/data -o jsonl | jq -r 'select(.lag > 1000) | .group' | sort -u
""",
)
@click.argument("paths", nargs=-1, type=click.Path(readable=False), metavar="PATH...")
@option("--list", "view", flag_value="groups", group=_VIEW, help="One row per group, including groups without offsets.")
@option(
    "--members",
    "view",
    flag_value="members",
    group=_VIEW,
    help="One row per member: client, host, static id, subscription and assignment.",
)
@option(
    "--check-assignment",
    "view",
    flag_value="check",
    group=_VIEW,
    help="One row per member: is its assignment what its assignor (range, roundrobin, sticky, uniform ..) computes?",
)
@option(
    "--where",
    "located",
    multiple=True,
    callback=_text,
    metavar="GROUP",
    group=_VIEW,
    help="The partition of __consumer_offsets that the group belongs to, whether it exists or not. Repeatable.",
)
@option(
    "--partitions",
    type=click.IntRange(min=1, max=_MOST_PARTITIONS),
    metavar="N",
    group=_VIEW,
    help="With --where: number of partitions of __consumer_offsets. Default: from the cluster metadata, else by the "
    "highest partition seen.",
)
@option("--group", "groups", multiple=True, metavar="NAME", group=WHICH, help="Only this group. Repeatable.")
@option("--group-regex", callback=regex_of, metavar="REGEX", group=WHICH, help="Only groups whose full name matches.")
@option("--topic", "topics", multiple=True, metavar="NAME", group=WHICH, help="Only offsets of this topic. Repeatable.")
@option(
    "--topic-regex",
    callback=regex_of,
    metavar="REGEX",
    group=WHICH,
    help="Only offsets of topics whose full name matches.",
)
@as_of_options
@damage_option
@limits_option
@show_option("groups", "offsets", "pending_offsets", "members", default="offsets")
@columns_option
@output_options
def command(
    paths: tuple[str, ...],
    view: str | None,
    located: tuple[str, ...],
    partitions: int | None,
    groups: tuple[str, ...],
    group_regex: re.Pattern[str] | None,
    topics: tuple[str, ...],
    topic_regex: re.Pattern[str] | None,
    at_offset: int | dict[int, int] | None,
    at_time: int | datetime | None,
    on_damage: "OnDamage",
    limits: "Limits | None",
    show: str | None,
    columns: tuple[str, ...] | None,
    kind: Kind,
    out: str | None,
    bytes_as: BytesAs | None,
    *,
    header: bool,
) -> int:
    """Show consumer, share and streams groups with their offsets and lag, as kafka-consumer-groups.sh does for a live
    cluster, but from the brokers' disks alone, for now or an earlier moment.

    A PATH is a log directory, any directory above, or a URI. Name those of all brokers: a group is read from the best
    replica of its partition of __consumer_offsets. Offsets committed in a transaction count only if it was committed.
    Lag is measured to the log end on these disks, and null if the partition is not on them. States are those that a
    broker derives when it loads the partition.
    """  # noqa: D205 - one paragraph, as --help shows it
    from kafkafmt.cli.groups.run import GroupFilter, GroupsRequest, locate, run

    if show is not None and view not in (None, show):
        raise click.UsageError("--show, --list, --members and --check-assignment exclude each other.")
    view = view or show
    if group_regex is not None and groups:
        raise click.UsageError("--group and --group-regex exclude each other: put the names into the expression.")
    if view in {"members", "check"} and (topics or topic_regex is not None):
        raise click.UsageError("--topic and --topic-regex select offsets: members and --check-assignment have none.")
    if partitions is not None and not located:
        raise click.UsageError("--partitions goes with --where GROUP only.")
    if not paths and partitions is None:
        other = " (or --partitions N)" if located else ""
        raise click.UsageError(f"Missing argument 'PATH...'{other}.")
    request = GroupsRequest(paths, columns, kind, out, bytes_as, header)
    if located:
        others = (view, group_regex, topic_regex, at_offset, at_time)
        if groups or topics or any(each is not None for each in others):
            raise click.UsageError("--where takes no other view, filter or moment.")
        return locate(request, located, partitions)
    wanted = GroupFilter(
        group_regex or groups or None, topics_of(topics, topic_regex) or None, at_offset, at_time, on_damage, limits
    )
    return run(request, cast("View", view or "offsets"), wanted)
