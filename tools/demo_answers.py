"""What tools/demo says of a cluster by its internal topics: groups with their lag, transactions, producers, topics."""

import shlex
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path

import demo_report as report
import kafkafmt
from kafkafmt import topics
from kafkafmt.internal_topics import CLUSTER_METADATA, CONSUMER_OFFSETS, TRANSACTION_STATE

_LISTED = 8
_INDENT = "  "


def answers(log_dir: Path, internal_topics: Collection[str | None], width: int) -> Iterator[str]:
    """Answer what one would ask the cluster, as far as its internal topics are there.

    Args:
        log_dir: what `kafkafmt.scan` takes.
        internal_topics: names of topics that are there, others too.
        width: of the widest line, in characters.

    Yields:
        Lines of text; none without an internal topic. What cannot be read is named in its place, damage passed over.
    """
    asked: list[tuple[str, Callable[[Path, int], Iterator[str]]]] = [
        (CLUSTER_METADATA, _topics),
        (CONSUMER_OFFSETS, _groups),
        (TRANSACTION_STATE, _transactions),
        (TRANSACTION_STATE, _producers),
    ]
    asked = [(topic, ask) for topic, ask in asked if topic in internal_topics]
    if asked:
        yield "What this cluster was doing:"
    for topic, ask in asked:
        try:
            lines = list(ask(log_dir, width))
        except kafkafmt.KafkafmtError as error:
            lines = [f"{topic} cannot be read: {report.printable(str(error))}"]
        yield from lines
        yield ""


def _topics(log_dir: Path, width: int) -> Iterator[str]:
    cluster = topics.metadata(log_dir, on_damage="skip")
    version = cluster.metadata_version or "unknown"
    yield (
        f"{_count(len(cluster.brokers), 'broker')}, {_count(len(cluster.topics), 'topic')},"
        f" {_count(cluster.partition_count, 'partition')}, metadata version {version}"
    )
    rows = [
        (
            report.printable(name),
            len(topic.partitions),
            max((len(partition.replicas) for partition in topic.partitions.values()), default=0),
            report.printable(", ".join(f"{key}={value}" for key, value in cluster.config("TOPIC", name).items())),
        )
        for name, topic in sorted(cluster.topics.items(), key=lambda item: (item[0].startswith("__"), item[0]))
    ]
    titles = ("topic", "partitions", "replicas", "configs")
    yield from _table(titles, rows, width, f"metadata {_quoted(log_dir)} --show topics")


def _groups(log_dir: Path, width: int) -> Iterator[str]:
    found = topics.groups(log_dir, on_damage="skip")
    lags = {group.group_id: [each.lag for each in group.offsets if each.lag is not None] for group in found}
    rows = [
        (
            report.printable(group.group_id),
            group.type,
            group.state,
            report.printable(group.protocol or ""),
            len(group.members),
            len(group.offsets),
            sum(lags[group.group_id]) if lags[group.group_id] else "",
        )
        for group in sorted(found, key=lambda group: (-sum(lags[group.group_id]), group.group_id))
    ]
    yield _count(len(rows), "group")
    titles = ("group", "type", "state", "assignor", "members", "offsets", "lag")
    yield from _table(titles, rows, width, f"groups {_quoted(log_dir)}")


def _transactions(log_dir: Path, width: int) -> Iterator[str]:
    found = topics.transactions(log_dir, data="open", on_damage="skip")
    states = Counter(each.state for each in found.ids)
    told = ", ".join(f"{count:,} {state}" for state, count in sorted(states.items()))
    hangs = f", {len(found.hanging)} hanging" if found.hanging else ""
    yield (
        f"{_count(len(found.ids), 'transactional id')}{f' ({told})' if told else ''};"
        f" {_count(len(found.open), 'transaction')} open{hangs}"
    )
    rows = [
        (
            each.state,
            f"{report.printable(each.topic or '?')}-{each.partition}",
            each.first_offset,
            each.records,
            report.time_cell(each.start_timestamp),
            report.printable(each.transactional_id or f"producer {each.producer_id}"),
        )
        for each in found.open
    ]
    titles = ("state", "partition", "from offset", "records", "since", "of")
    yield from _table(titles, rows, width, f"transactions {_quoted(log_dir)} --data")


def _producers(log_dir: Path, width: int) -> Iterator[str]:
    found = topics.producers(log_dir, on_damage="skip")
    last: dict[int, int] = {}
    partitions: Counter[int] = Counter()
    for partition in found.partitions:
        for entry in partition.entries:
            partitions[entry.producer_id] += 1
            last[entry.producer_id] = max(entry.timestamp, last.get(entry.producer_id, entry.timestamp))
    yield _count(len(last), "idempotent producer")
    latest = sorted(last, key=lambda producer: (-last[producer], producer))
    rows = [(producer, partitions[producer], report.time_cell(last[producer])) for producer in latest]
    titles = ("producer id", "partitions", "last wrote")
    yield from _table(titles, rows, width, f"producers {_quoted(log_dir)}")


def _table(titles: tuple[str, ...], rows: Sequence[tuple[object, ...]], width: int, command: str) -> Iterator[str]:
    if not rows:
        return
    for line in report.table(titles, rows[:_LISTED], width - len(_INDENT)):
        yield f"{_INDENT}{line}"
    rest = f"and {len(rows) - _LISTED:,} more: " if len(rows) > _LISTED else "more: "
    yield f"{_INDENT}{rest}{report.program('kafkafmt')} {command}"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _quoted(path: Path) -> str:
    return report.printable(shlex.quote(str(path)))
