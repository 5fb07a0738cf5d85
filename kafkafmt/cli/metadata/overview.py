"""The view of `kafkafmt metadata`: the overview, the changes between two moments, and tables in words."""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

import click

from kafkafmt.cli import human
from kafkafmt.cli.output.aligned import NARROWEST, Aligned, Column, say_left_out, terminal_width, wrapped
from kafkafmt.cli.printable import escape
from kafkafmt.phrases import counted
from kafkafmt.topics.cluster_metadata.settings import METADATA_VERSION, REDACTED_TEXT, Redacted

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from kafkafmt.topics.cluster_metadata import ClusterMetadata, Config, MetadataProvenance, Topic
    from kafkafmt.topics.cluster_metadata.difference import Change

_MOST_TOPICS = 50
_MOST_CONFIGS = 50

_BROKERS = (
    Column("broker"),
    Column("state"),
    Column("rack", rank=2),
    Column("epoch", right=True, rank=4),
    Column("leaderOf", right=True, rank=1),
    Column("replicas", right=True, rank=1),
    Column("logDirs", right=True, rank=3),
    Column("endpoints", rank=2, least=20),
)
_TOPICS = (
    Column("topic", least=16, loses="middle"),
    Column("partitions", right=True),
    Column("replicas", right=True),
    Column("outOfSync", right=True, rank=1),
    Column("noLeader", right=True, rank=1),
    Column("topicId", rank=2),
    Column("configs", right=True, rank=3),
)
_CONFIGS = (Column("resource", least=12), Column("config", least=20), Column("value", least=NARROWEST))

_MARKS = {"added": "+", "removed": "-", "changed": "~"}


class Overview:
    """Writes the overview of a cluster to stdout.

    Args:
        cluster: the state to show.
        only_topics: whether to show only the topics and their configs.
    """

    def __init__(self, cluster: "ClusterMetadata", *, only_topics: bool) -> None:
        self._cluster = cluster
        self._only_topics = only_topics
        self._width = terminal_width()
        self._left_out: dict[str, None] = {}

    def write(self) -> None:
        """Write the whole view."""
        self._about()
        if not self._only_topics:
            self._brokers()
        self._topics()
        self._configs()
        if not self._only_topics:
            self._rest()
        say_left_out(self._left_out, other_forms=False)

    def _about(self) -> None:
        cluster, provenance = self._cluster, self._cluster.provenance
        when = "" if provenance.timestamp < 0 else f", {human.time(provenance.timestamp)}"
        epoch = "" if provenance.epoch < 0 else f" in leader epoch {provenance.epoch}"
        cluster_id = escape(cluster.cluster_id) if cluster.cluster_id else "of unknown id (no meta.properties)"
        self._line(f"Cluster {cluster_id}")
        self._paragraph(f"as of offset {provenance.end_offset} of its metadata log{epoch}{when}")
        self._paragraph(f"read from {escape(provenance.path)}{escape(_begun(provenance))}")
        if self._only_topics:
            return
        level = cluster.features.get(METADATA_VERSION)
        others = [f"{name} {level}" for name, level in cluster.features.items() if name != METADATA_VERSION]
        version = "no metadata.version" if level is None else f"metadata.version {cluster.metadata_version} ({level})"
        self._paragraph(escape(human.join([version, *others])))
        self._paragraph(human.join([self._quorum(), self._registered()]))
        state = cluster.zk_migration_state
        if state not in (None, "NONE"):
            self._paragraph(f"migration from ZooKeeper: {state}")

    def _quorum(self) -> str:
        cluster = self._cluster
        voters = ", ".join(str(voter.id) for voter in cluster.voters) or "unknown"
        leader = "unknown" if cluster.leader_id is None else str(cluster.leader_id)
        return f"voters {voters}; active controller {leader}"

    def _registered(self) -> str | None:
        ids = ", ".join(map(str, self._cluster.controllers))
        return f"registered controllers {ids}" if ids else None

    def _brokers(self) -> None:
        cluster = self._cluster
        leaders: Counter[int] = Counter()
        replicas: Counter[int] = Counter()
        for _, partition in cluster.partitions():
            leaders[partition.leader] += 1
            replicas.update(partition.replicas)
        self._title(counted(len(cluster.brokers), "broker") if cluster.brokers else "No broker is registered")
        table = self._table(_BROKERS)
        for broker in cluster.brokers.values():
            table.add(
                [
                    str(broker.id),
                    broker.state,
                    escape(broker.rack) if broker.rack is not None else None,
                    str(broker.epoch),
                    human.number(leaders[broker.id]),
                    human.number(replicas[broker.id]),
                    str(len(broker.log_dirs)) if broker.log_dirs else None,
                    escape(", ".join(map(str, broker.endpoints))),
                ]
            )
        table.flush()
        stopped = [broker.id for broker in cluster.brokers.values() if broker.fenced and broker.in_controlled_shutdown]
        if stopped:
            named = ", ".join(map(str, stopped))
            who, so = ("broker", "so it leads") if len(stopped) == 1 else ("brokers", "so they lead")
            self._paragraph(
                f"shut down cleanly: {who} {named} ({so} no partition; use --at-time to see the state before)"
            )
        gone = sorted((set(replicas) | set(leaders)) - set(cluster.brokers) - {-1})
        if gone:
            self._paragraph(f"named by partitions, but not registered: {', '.join(map(str, gone))}")

    def _topics(self) -> None:
        cluster = self._cluster
        topics = list(cluster.topics.values())
        if not topics:
            self._title("No topics")
            return
        self._title(human.join([counted(len(topics), "topic"), counted(cluster.partition_count, "partition")]))
        set_for = Counter(config.resource_name for config in cluster.configs if config.resource_type == "TOPIC")
        # Topics with a problem come first, so that many sound ones do not hide them.
        shown = topics if self._only_topics else sorted(topics, key=_is_sound)[:_MOST_TOPICS]
        table = self._table(_TOPICS)
        for topic in sorted(shown, key=lambda topic: topic.name):
            table.add(
                [
                    escape(topic.name),
                    human.number(len(topic.partitions)),
                    str(topic.replication_factor),
                    human.number(topic.under_replicated),
                    human.number(topic.without_leader),
                    topic.id,
                    str(set_for[topic.name]),
                ]
            )
        table.flush()
        self._more(len(topics) - len(shown), "topics")

    def _configs(self) -> None:
        configs = [
            config
            for config in self._cluster.configs
            if not self._only_topics
            or (config.resource_type == "TOPIC" and config.resource_name in self._cluster.topics)
        ]
        if not configs:
            self._title("No configs are set")
            return
        self._title(f"{counted(len(configs), 'config')} set")
        shown = configs if self._only_topics else configs[:_MOST_CONFIGS]
        table = self._table(_CONFIGS)
        for config in shown:
            table.add([escape(_resource(config)), escape(config.name), escape(_value(config))])
        table.flush()
        self._more(len(configs) - len(shown), "configs")

    def _rest(self) -> None:
        cluster = self._cluster
        parts = [
            (len(cluster.quotas), "client quota", "client quotas", "quotas"),
            (len(cluster.acls), "ACL", "ACLs", "acls"),
            (len(cluster.scram), "SCRAM credential", "SCRAM credentials", "scram"),
            (len(cluster.delegation_tokens), "delegation token", "delegation tokens", "tokens"),
        ]
        present = [f"{counted(count, one, many)} (--show {name})" for count, one, many, name in parts if count]
        none = [many for count, _, many, _ in parts if not count]
        self._title("Also")
        for text in present:
            self._paragraph(text)
        if none:
            self._paragraph(f"no {', no '.join(none)}")
        if cluster.next_producer_id is not None:
            self._paragraph(f"producer ids up to {cluster.next_producer_id - 1} are allocated to brokers")

    def _more(self, count: int, section: str) -> None:
        if count:
            self._paragraph(f"and {count:,} more: see --show {section}")

    def _table(self, columns: tuple[Column, ...]) -> Aligned:
        return Aligned(columns, self._width, self._line, indent=2, left_out=self._left_out)

    def _title(self, text: str) -> None:
        self._line("")
        self._line(text)

    def _paragraph(self, text: str) -> None:
        for line in wrapped(text, self._width, indent=2):
            self._line(line)

    def _line(self, text: str) -> None:
        click.echo(text)


def _begun(provenance: "MetadataProvenance") -> str:
    if provenance.snapshot is None or provenance.snapshot == provenance.path:
        return ""
    return f": snapshot {provenance.snapshot.rpartition('/')[2]}, then the log after it"


def _is_sound(topic: "Topic") -> bool:
    return not topic.under_replicated and not topic.without_leader


def _resource(config: "Config") -> str:
    kind = config.resource_type.lower().replace("_", " ")
    return f"{kind} {config.resource_name}" if config.resource_name else f"{kind} default"


def _value(config: "Config") -> str:
    return REDACTED_TEXT if isinstance(config.value, Redacted) else config.value


def write(
    before: "ClusterMetadata", after: "ClusterMetadata", changes: "Sequence[Change]", *, sections: "Sequence[str]"
) -> None:
    """Write the changes between two states to stdout.

    Args:
        before: the earlier state.
        after: the later state.
        changes: the differences.
        sections: sections to show; empty for all, without partitions of topics that were added or removed.
    """
    click.echo(f"From {_moment(before)}")
    click.echo(f"to   {_moment(after)}")
    if not sections:
        topics = {*before.topics} ^ {*after.topics}
        recreated = {
            name for name, topic in after.topics.items() if name in before.topics and before.topics[name].id != topic.id
        }
        without = topics | recreated
        changes = [
            change
            for change in changes
            if change.section != "partitions" or change.key.rpartition("-")[0] not in without
        ]
    for section, group in groupby(changes, key=lambda change: change.section):
        click.echo(f"\n{section}")
        for (kind, key), of_one in groupby(group, key=lambda change: (change.change, change.key)):
            details = ", ".join(filter(None, map(_detail, of_one)))
            click.echo(f"  {_MARKS[kind]} {escape(f'{key}: {details}' if details else key)}")
    counts = [
        f"{count:,} {kind}"
        for kind in _MARKS
        if (count := len({(change.section, change.key) for change in changes if change.change == kind}))
    ]
    click.echo(f"\n{human.join(counts) or 'no difference'}")


def _moment(cluster: "ClusterMetadata") -> str:
    provenance = cluster.provenance
    when = "" if provenance.timestamp < 0 else f", {human.time(provenance.timestamp)}"
    return f"offset {provenance.end_offset} of {escape(provenance.path)}{when}"


def _detail(change: "Change") -> str | None:
    """The change in words, or a short form of what was added."""
    if change.change != "changed":
        return change.after
    before = "null" if change.before is None else change.before
    after = "null" if change.after is None else change.after
    return f"{change.field} {before} -> {after}"


def in_words(table: "pa.Table") -> "pa.Table":
    """Write endpoints, features, entities and configs as text, separated by commas."""
    import pyarrow as pa

    for number, field in enumerate(table.schema):
        if field.name in _WORDS and pa.types.is_list(field.type):
            write = _WORDS[field.name]
            column = [
                None if items is None else ", ".join(write(item) for item in items)
                for items in table.column(number).to_pylist()
            ]
            table = table.set_column(number, field.name, pa.array(column, pa.string()))
    return table


def _endpoint(item: dict[str, Any]) -> str:
    from kafkafmt.topics.cluster_metadata import Endpoint

    return str(Endpoint(item["name"], item["host"], item["port"], None))


def _feature(item: dict[str, Any]) -> str:
    return f"{item['name']} {item['minSupportedVersion']}-{item['maxSupportedVersion']}"


def _entity(item: dict[str, Any]) -> str:
    name = item["entityName"]
    return f"{item['entityType']} {'<default>' if name is None else name}"


def _config(item: dict[str, Any]) -> str:
    value = item["value"]
    return f"{item['name']}={'[redacted]' if value is None else value}"


_WORDS: dict[str, Callable[[dict[str, Any]], str]] = {
    "endpoints": _endpoint,
    "features": _feature,
    "entity": _entity,
    "configs": _config,
}
