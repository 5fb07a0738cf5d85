"""What `kafkafmt metadata` does: reads, shows, and says on stderr what the reader must know."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click
import pyarrow as pa

from kafkafmt.cli import messages
from kafkafmt.cli.command import CLEAN, FINDINGS, UNREADABLE
from kafkafmt.cli.delivery import account_for, open_sources
from kafkafmt.cli.messages import say
from kafkafmt.cli.options import check_columns
from kafkafmt.cli.output import open_output
from kafkafmt.topics.cluster_metadata import Endpoint, metadata
from kafkafmt.topics.cluster_metadata.difference import DIFFERENCE_SCHEMA, Change, differences, to_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkafmt.cli.output import BytesAs, Kind
    from kafkafmt.files.segment_reader import OnDamage
    from kafkafmt.limits import Limits
    from kafkafmt.logdir.sources import Sources
    from kafkafmt.topics.cluster_metadata import ClusterMetadata

_OFFSET = re.compile(r"[0-9]{1,19}")


@dataclass(frozen=True, slots=True)
class Moment:
    """A state to be read.

    Attributes:
        paths: where.
        at_offset: as of this offset, or None.
        at_time: as of this time, or None.
    """

    paths: tuple[str, ...]
    at_offset: int | dict[int, int] | None = None
    at_time: int | datetime | None = None


def moment_of(text: str, paths: tuple[str, ...]) -> Moment:
    """Read what --diff was given.

    Args:
        text: digits are an offset (of a file of such a name write ./123), ISO 8601 is a time, `end` is the end of the
            log, and all else a path.
        paths: what the command names.

    Raises:
        click.UsageError: it is no path, and the command names none.
    """
    import click

    moment = None
    if text == "end":
        moment = Moment(paths)
    elif _OFFSET.fullmatch(text):
        moment = Moment(paths, at_offset=int(text))
    else:
        try:
            moment = Moment(paths, at_time=datetime.fromisoformat(text))
        except ValueError:
            return Moment((text,))
    if not paths:
        raise click.UsageError(f"--diff {text} is a moment: name a PATH, too, of the metadata log that it is of.")
    return moment


Struct = Mapping[str, Any]


def in_words(table: pa.Table) -> pa.Table:
    """Write endpoints, features, entities and configs as text, one after another."""
    for number, field in enumerate(table.schema):
        if field.name in _WORDS and pa.types.is_list(field.type):
            write = _WORDS[field.name]
            column = [
                None if items is None else ", ".join(write(item) for item in items)
                for items in table.column(number).to_pylist()
            ]
            table = table.set_column(number, field.name, pa.array(column, pa.string()))
    return table


def _endpoint(item: Struct) -> str:
    return str(Endpoint(item["name"], item["host"], item["port"], None))


def _feature(item: Struct) -> str:
    return f"{item['name']} {item['minSupportedVersion']}-{item['maxSupportedVersion']}"


def _entity(item: Struct) -> str:
    name = item["entityName"]
    return f"{item['entityType']} {'<default>' if name is None else name}"


def _config(item: Struct) -> str:
    value = item["value"]
    return f"{item['name']}={'[redacted]' if value is None else value}"


_WORDS: Mapping[str, Callable[[Struct], str]] = {
    "endpoints": _endpoint,
    "features": _feature,
    "entity": _entity,
    "configs": _config,
}


_MOST_SAID = 20

# Of these sections a table shows what fits: the other forms, and --columns, have all.
_IN_TABLE = {
    "brokers": ("brokerId", "brokerEpoch", "rack", "fenced", "inControlledShutdown", "endpoints", "logDirs"),
    "controllers": ("controllerId", "incarnationId", "endpoints"),
    "partitions": ("topic", "partition", "leader", "leaderEpoch", "replicas", "isr", "elr", "topicId"),
    "scram": ("user", "mechanism", "iterations"),
}


@dataclass(frozen=True, slots=True)
class MetadataRequest:
    """What the command line asks for; see its --help."""

    paths: tuple[str, ...]
    sections: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    at_offset: int | dict[int, int] | None = None
    at_time: "int | datetime | None" = None
    diff: tuple[str, str] | None = None
    on_damage: "OnDamage" = "raise"
    limits: "Limits | None" = None
    show_secrets: bool = False
    columns: tuple[str, ...] | None = None
    kind: "Kind" = "table"
    out: str | None = None
    bytes_as: "BytesAs | None" = None
    header: bool = True


def run(request: MetadataRequest) -> int:
    """Carry out a request; returns the exit code.

    Raises:
        KafkafmtError: what is asked for cannot be read.
        click.UsageError: an option that makes no sense.
    """
    return _diff(request, request.diff) if request.diff is not None else _show(request)


def _show(request: MetadataRequest) -> int:
    moment = Moment(request.paths, at_offset=request.at_offset, at_time=request.at_time)
    sources = open_sources(moment.paths)
    cluster = _read(request, moment, sources)
    cluster, missing = _of_topics(cluster, request.topics)
    if not request.sections and request.kind == "table" and request.out is None:
        from kafkafmt.cli.metadata.overview import Overview

        Overview(cluster, only_topics=bool(request.topics)).write()
    for number, name in enumerate(request.sections or (("cluster",) if _wants_rows(request) else ())):
        if len(request.sections) > 1:
            click.echo(f"{chr(10) if number else ''}{name}")
        _write(request, _rows(cluster, name, request), name)
    return account_for(sources, _tell(cluster) or missing)


def _wants_rows(request: MetadataRequest) -> bool:
    return request.kind != "table" or request.out is not None


def _rows(cluster: "ClusterMetadata", name: str, request: MetadataRequest) -> pa.Table:
    """The rows of a section; --topic leaves the others out."""
    table = cluster.to_table(name)
    if request.topics and name == "configs":
        kept = [
            kind == "TOPIC" and resource in cluster.topics
            for kind, resource in zip(
                table.column("resourceType").to_pylist(), table.column("resourceName").to_pylist(), strict=True
            )
        ]
        return table.filter(pa.array(kept, pa.bool_()))
    return table


def _write(request: MetadataRequest, table: pa.Table, name: str) -> None:
    names = check_columns(request.columns, table.schema.names)
    if request.kind == "table":
        names = names or list(table.schema.names if request.show_secrets else _IN_TABLE.get(name, table.schema.names))
        table = in_words(table)
    shown = table if names is None else table.select(names)
    with open_output(
        request.kind,
        request.out,
        shown.schema,
        bytes_as=request.bytes_as,
        header=request.header,
        sources=(*request.paths, *(request.diff or ())),
    ) as output:
        for batch in shown.to_batches(max_chunksize=8192):
            output.write(batch)


def _diff(request: MetadataRequest, moments: tuple[str, str]) -> int:
    one, other = (moment_of(text, request.paths) for text in moments)
    opened = {one.paths: open_sources(one.paths)}
    opened[other.paths] = opened.get(other.paths) or open_sources(other.paths)
    before, after = (_read(request, moment, opened[moment.paths]) for moment in (one, other))
    before, absent = _of_topics(before, request.topics, complain=False)
    after, missing = _of_topics(after, request.topics, complain=bool(absent))
    changes = differences(before, after, request.sections or None)
    if request.topics:
        changes = [change for change in changes if _is_of(change, {*before.topics, *after.topics})]
    if request.kind == "table" and request.out is None and request.columns is None:
        from kafkafmt.cli.metadata.overview import write

        write(before, after, changes, sections=request.sections)
    else:
        table = to_table(changes)
        names = check_columns(request.columns, DIFFERENCE_SCHEMA.names)
        _write(replace(request, columns=None), table if names is None else table.select(names), "difference")
    status = _tell(before) or _tell(after) or missing
    for sources in opened.values():
        status = account_for(sources, status)
    return status


def _is_of(change: Change, topics: "set[str]") -> bool:
    """Whether a change is of one of these topics."""
    if change.section == "topics":
        return change.key in topics
    if change.section == "partitions":
        return change.key.rpartition("-")[0] in topics
    return change.section == "configs" and any(change.key.startswith(f"TOPIC {topic} ") for topic in topics)


def _read(request: MetadataRequest, moment: Moment, sources: "Sources") -> "ClusterMetadata":
    return metadata(
        sources,
        at_offset=moment.at_offset,
        at_time=moment.at_time,
        on_damage=request.on_damage,
        limits=request.limits,
        show_secrets=request.show_secrets,
    )


def _of_topics(
    cluster: "ClusterMetadata", wanted: "Sequence[str]", *, complain: bool = True
) -> "tuple[ClusterMetadata, int]":
    """The same with these topics alone, by name or id; UNREADABLE if one is nowhere.

    Raises:
        click.exceptions.Exit: none of them is there, and that is complained of.
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
        say(f"no topic {messages.listed(missing)}. There are: {messages.listed(list(cluster.topics)) or 'none'}.")
        if not found:
            raise click.exceptions.Exit(UNREADABLE)
    return replace(cluster, topics=dict(sorted(found.items()))), UNREADABLE if missing else CLEAN


def _tell(cluster: "ClusterMetadata") -> int:
    """Say on stderr where it comes from and what was not read; FINDINGS if something was not."""
    status = CLEAN
    for note in cluster.notes:
        say(f"note: {note}")
    for damage in cluster.damage:
        say(messages.damage_line(damage))
        if not damage.is_open_end:
            status = FINDINGS
    for each in cluster.passed_over[:_MOST_SAID]:
        status = FINDINGS
        what = "a record" if each.record_type is None else each.record_type
        say(f"{each.error}: {what} at offset {each.offset} is ignored")
    more = cluster.passed_over_count - min(len(cluster.passed_over), _MOST_SAID)
    if more > 0:
        say(f"{more} more records are ignored")
    return status
