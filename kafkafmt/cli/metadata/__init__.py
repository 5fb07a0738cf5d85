"""`kafkafmt metadata PATH...`: topics, brokers, configs and ACLs of a KRaft cluster, from its metadata log."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from kafkafmt.cli import messages
from kafkafmt.cli.command import (
    CLEAN,
    FINDINGS,
    UNREADABLE,
    Command,
    RowOptions,
    columns_option,
    output_options,
)
from kafkafmt.cli.frame import CommandFrame, RowFrame
from kafkafmt.cli.messages import say
from kafkafmt.cli.options import as_of_options, damage_option, how_option, key_file_option, limits_option, which_option
from kafkafmt.cli.output import TableShape
from kafkafmt.phrases import listed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa

    from kafkafmt.topics.cluster_metadata import ClusterMetadata
    from kafkafmt.topics.cluster_metadata.difference import Change
    from kafkafmt.topics.cluster_metadata.history import MetadataEvent

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
"""Values of --show: the names of `kafkafmt.topics.cluster_metadata.sections.SECTIONS`, which import Arrow."""

HISTORY = "history"
"""The table of events, which --history shows."""

# A table shows these columns if they fit: other forms, --columns and --show-secrets have all columns.
_SHAPES = {
    "brokers": TableShape(
        ("brokerId", "brokerEpoch", "rack", "fenced", "inControlledShutdown", "endpoints", "logDirs")
    ),
    "controllers": TableShape(("controllerId", "incarnationId", "endpoints")),
    "partitions": TableShape(("topic", "partition", "leader", "leaderEpoch", "replicas", "isr", "elr", "topicId")),
    "scram": TableShape(("user", "mechanism", "iterations")),
}
_HISTORY_SHAPE = TableShape(
    ("timestamp", "offset", "event", "topic", "partition", "broker", "subject", "field", "before", "after"),
    optional=("subject", "partition", "topic"),
    first=("timestamp", "offset", "event", "topic", "partition", "broker", "field", "before", "after", "subject"),
)
_MOST_SAID = 20
_OFFSET = re.compile(r"[0-9]{1,19}")


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
  kafkafmt metadata /var/lib/kafka/data --history --topic orders
  kafkafmt metadata /var/lib/kafka/data --show configs -o jsonl | jq -r .resourceName
  kafkafmt metadata /var/lib/kafka/data --show partitions --out partitions.parquet

\b
Exit status: 0 clean; 1 findings: damage, or ignored records;
             2 wrong usage; 3 a PATH that cannot be read, or without metadata.
""",
)
@click.argument("paths", nargs=-1, metavar="[PATH]...", type=click.Path(readable=False))
@key_file_option()
@which_option(
    "--show",
    "sections",
    multiple=True,
    type=click.Choice((*SECTIONS, HISTORY)),
    help="Only this table. Repeatable. Default: an overview; with another --output than table the row of cluster.",
)
@which_option(
    "--history",
    "sections",
    flag_value=HISTORY,
    multiple=True,
    help="Changes in log order: topics, partitions, configs, leaders, ISR, reassignments, brokers. "
    "The same as --show history.",
)
@which_option(
    "--topic",
    "topics",
    multiple=True,
    metavar="NAME",
    help="Only topics, partitions and configs of this topic, by name or id. Repeatable.",
)
@as_of_options
@which_option(
    "--diff",
    nargs=2,
    metavar="A B",
    help="Changes from A to B, which are offsets, times in ISO 8601, end for the end of the log, or paths.",
)
@damage_option()
@how_option(
    "--show-secrets",
    is_flag=True,
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
    at_time: int | datetime | None,
    diff: tuple[str, str] | None,
    rows: RowOptions,
    **reading: Any,  # noqa: ANN401 - arguments of kafkafmt.topics.metadata
) -> int:
    """Show a KRaft cluster: its topics and partitions, brokers, controllers, versions, configs, quotas, ACLs, SCRAM
    users and delegation tokens, at the end of the metadata log or at an earlier moment.

    A PATH is a directory at or above __cluster_metadata-0 (in a broker's or controller's log directory, or in
    metadata.log.dir), or a snapshot of it (.checkpoint). The newest complete snapshot is read, then the log after it.
    If several nodes have copies, the best one is read. Secrets are not printed.
    """  # noqa: D205 - one paragraph, as --help shows it
    if not paths and diff is None:
        raise click.UsageError("Missing argument 'PATH...'.")
    if isinstance(at_offset, dict) and set(at_offset) != {0}:
        raise click.UsageError("the metadata log has partition 0 only: give --at-offset an offset without PARTITION.")
    if diff is not None and (at_offset is not None or at_time is not None):
        raise click.UsageError("--diff takes its own moments: leave out --at-offset and --at-time.")
    if len(sections) > 1 and diff is None and not rows.is_screen:
        raise click.UsageError(f"--output {rows.kind} writes one table: give one --show.")
    if rows.columns is not None and diff is None and len(sections) != 1 and rows.is_screen:
        raise click.UsageError("--columns selects columns of one table: give one --show with it.")
    if HISTORY in sections:
        if diff is not None or set(sections) != {HISTORY}:
            raise click.UsageError("--history is a table of its own: leave out --diff and other --show.")
        return _show_history(paths, topics, rows, {"at_offset": at_offset, "at_time": at_time, **reading})
    if diff is not None:
        return _diff(diff, paths, sections, topics, rows, reading)
    return _show(_Moment(paths, at_offset, at_time), sections, topics, rows, reading)


@dataclass(frozen=True, slots=True)
class _Moment:
    """A state to be read: its location, and the offset or time, if it is not the end of the log."""

    paths: tuple[str, ...]
    at_offset: int | dict[int, int] | None = None
    at_time: int | datetime | None = None


def _moment_of(text: str, paths: tuple[str, ...]) -> _Moment:
    """Parse --diff.

    Args:
        text: digits are an offset (for a file with such a name write ./123), ISO 8601 is a time, `end` is the end of
            the log, and anything else is a path.
        paths: the paths of the command.

    Raises:
        click.UsageError: it is not a path, and the command has none.
    """
    if text == "end":
        moment = _Moment(paths)
    elif _OFFSET.fullmatch(text):
        moment = _Moment(paths, at_offset=int(text))
    else:
        try:
            moment = _Moment(paths, at_time=datetime.fromisoformat(text))
        except ValueError:
            return _Moment((text,))
    if not paths:
        raise click.UsageError(f"--diff {text} is a moment: also name a PATH with the metadata log.")
    return moment


def _opened(paths: tuple[str, ...]) -> CommandFrame:
    """The frame of paths; topics are those in the metadata, by name or id, so that `_of_topics` checks them."""
    return CommandFrame(paths, topics=None, partitions=None)


def _show(
    moment: _Moment, sections: Sequence[str], topics: Sequence[str], rows: RowOptions, reading: dict[str, Any]
) -> int:
    """Show an overview, or tables; returns the exit code."""
    from kafkafmt.topics.cluster_metadata.cluster import ClusterMetadata

    shown = sections or (() if rows.is_screen else ("cluster",))
    for name in shown:
        rows.check(ClusterMetadata.schemas()[name].names)
    frame = _opened(moment.paths)
    cluster = frame.disks.metadata(at_offset=moment.at_offset, at_time=moment.at_time, **reading)
    cluster, missing = _of_topics(cluster, topics)
    if not sections and rows.is_screen:
        from kafkafmt.cli.metadata.overview import Overview

        Overview(cluster, only_topics=bool(topics)).write()
    for number, name in enumerate(shown):
        if len(sections) > 1:
            click.echo(f"{chr(10) if number else ''}{name}")
        shape = TableShape() if reading["show_secrets"] else _SHAPES.get(name, TableShape())
        _write(_table(cluster, name, topics), shape, rows, moment.paths)
    return frame.end(_report(frame, cluster) or missing)


def _show_history(paths: tuple[str, ...], topics: Sequence[str], rows: RowOptions, reading: dict[str, Any]) -> int:
    """Show the history of a cluster; returns the exit code.

    Args:
        paths: the paths that are read.
        topics: only events of these topics, by name or id; empty for all events.
        rows: form of the rows.
        reading: arguments of `kafkafmt.topics.metadata`.
    """
    from kafkafmt.answer_columns import record_batches
    from kafkafmt.topics.cluster_metadata.history import METADATA_HISTORY

    frame = RowFrame(paths, rows, METADATA_HISTORY.schema, topics=None, partitions=None)
    seen: set[str] = set()
    with frame.asking() as disks:
        answer = disks.metadata(**reading).history_answer
        events = _events_of(answer.rows(), frozenset(topics), seen)
        frame.write(
            record_batches(events, METADATA_HISTORY.schema), _HISTORY_SHAPE, names_if_empty=True, watched=answer
        )
    status = frame.report(answer)
    missing = sorted(set(topics) - seen)
    if missing:
        of_all = disks.metadata(**{**reading, "on_damage": "skip"}).history_answer.rows()
        messages.say_no_event("topic", missing, {event.topic for event in of_all if event.topic})
    return frame.end(status or (UNREADABLE if missing else CLEAN))


def _events_of(events: "Iterable[MetadataEvent]", topics: frozenset[str], seen: set[str]) -> "Iterator[MetadataEvent]":
    """The events of some topics, by name or id; collects the topics that occur."""
    for event in events:
        names = topics.intersection((event.topic or "", event.topic_id or ""))
        seen |= names
        if names or not topics:
            yield event


def _table(cluster: "ClusterMetadata", name: str, topics: Sequence[str]) -> "pa.Table":
    """The rows of a section; with --topic without configs of other resources."""
    table = cluster.to_table(name)
    if not topics or name != "configs":
        return table
    import pyarrow as pa

    resources = zip(table["resourceType"].to_pylist(), table["resourceName"].to_pylist(), strict=True)
    return table.filter(pa.array([kind == "TOPIC" and of in cluster.topics for kind, of in resources], pa.bool_()))


def _write(table: "pa.Table", shape: TableShape, rows: RowOptions, sources: Sequence[str]) -> None:
    if rows.is_table:
        from kafkafmt.cli.metadata.overview import in_words

        table = in_words(table)
    rows.write(table.to_batches(max_chunksize=8192), table.schema, shape, sources, names_if_empty=True)


def _diff(
    moments: tuple[str, str],
    paths: tuple[str, ...],
    sections: Sequence[str],
    topics: Sequence[str],
    rows: RowOptions,
    reading: dict[str, Any],
) -> int:
    """Show the changes between two moments; returns the exit code."""
    from kafkafmt.topics.cluster_metadata.difference import DIFFERENCE, differences, to_table

    rows.check(DIFFERENCE.schema.names)
    one, other = (_moment_of(text, paths) for text in moments)
    opened = {one.paths: _opened(one.paths)}
    opened[other.paths] = opened.get(other.paths) or _opened(other.paths)
    before, after = (
        opened[moment.paths].disks.metadata(at_offset=moment.at_offset, at_time=moment.at_time, **reading)
        for moment in (one, other)
    )
    before, absent = _of_topics(before, topics, complain=False)
    after, missing = _of_topics(after, topics, complain=bool(absent))
    changes = differences(before, after, sections or None)
    if topics:
        changes = [change for change in changes if _is_of(change, {*before.topics, *after.topics})]
    if rows.is_screen and rows.columns is None:
        from kafkafmt.cli.metadata.overview import write

        write(before, after, changes, sections=sections)
    else:
        _write(to_table(changes), TableShape(), rows, (*paths, *moments))
    status = max(_report(opened[one.paths], before), _report(opened[other.paths], after)) or missing
    for frame in opened.values():
        status = frame.end(status)
    return status


def _is_of(change: "Change", topics: set[str]) -> bool:
    """Whether a change is about one of these topics."""
    if change.section == "topics":
        return change.key in topics
    if change.section == "partitions":
        return change.key.rpartition("-")[0] in topics
    return change.section == "configs" and any(change.key.startswith(f"TOPIC {topic} ") for topic in topics)


def _of_topics(
    cluster: "ClusterMetadata", wanted: "Sequence[str]", *, complain: bool = True
) -> "tuple[ClusterMetadata, int]":
    """The same metadata with only these topics, by name or id; UNREADABLE if one does not exist.

    Raises:
        click.exceptions.Exit: none of them exists, which has been reported.
    """
    if not wanted:
        return cluster, CLEAN
    found = {}
    missing = []
    for text in wanted:
        topic = cluster.topics.get(text) or cluster.topic_by_id(text)
        if topic is None:
            missing.append(text)
        else:
            found[topic.name] = topic
    if missing and complain:
        say(f"no topic {listed(missing)}. There are: {listed(list(cluster.topics)) or 'none'}.")
        if not found:
            raise click.exceptions.Exit(UNREADABLE)
    return replace(cluster, topics=dict(sorted(found.items()))), UNREADABLE if missing else CLEAN


def _report(frame: CommandFrame, cluster: "ClusterMetadata") -> int:
    """Report the origin and the unread parts on stderr; FINDINGS if there are any."""
    status = frame.say_notes(cluster.notes)
    for damage in cluster.damage:
        say(messages.damage_line(damage))
        if not damage.is_open_end:
            status = FINDINGS
    for ignored in cluster.ignored_records[:_MOST_SAID]:
        status = FINDINGS
        what = "a record" if ignored.record_type is None else ignored.record_type
        say(f"{ignored.error}: {what} at offset {ignored.offset} is ignored")
    more = cluster.ignored_count - min(len(cluster.ignored_records), _MOST_SAID)
    if more > 0:
        say(f"{more} more records are ignored")
    return status
