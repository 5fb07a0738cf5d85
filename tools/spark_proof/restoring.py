"""Runs the recipes of docs/spark_recipes.md that put records back into a cluster, with a second real broker."""

import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import SparkSession

import environment
from kafka_broker.broker import Broker, BrokerError
from spark_proof import readers

RECIPES = environment.ROOT / "docs" / "spark_recipes.md"

_KEPT = ("key", "value", "headers")
_BY_PRODUCER = {
    "kafka": ("orders", ("codecs", "transactions"), _KEPT),
    "kafka timestamps": ("payments", ("open-transaction", "append-time"), (*_KEPT, "timestamp")),
}
"""For each recipe its topic, the topics to use instead (headers, nulls, aborted records), and the kept columns."""

_BY_DISK = "kafka log directory"
_DISK = ("compacted",)  # a topic whose offsets have gaps

SETTINGS = {
    "auto.create.topics.enable": "true",
    "num.partitions": "3",  # for topics that are created automatically
    "log.message.timestamp.before.max.ms": str(2**63 - 1),
    "log.message.timestamp.after.max.ms": str(2**63 - 1),
    "log.retention.ms": "-1",  # the records are years old
}

Restored = tuple[str, int, list[str]]
"""A recipe, the number of restored records, and their differences from the disk."""


def restore(spark: SparkSession, log_dirs: Sequence[Path], home: Path) -> Iterator[Restored]:
    """Run each recipe on the disk of a stopped broker, and read the result from a new broker.

    Args:
        spark: a session with Spark's kafka source.
        log_dirs: log directories of the stopped broker.
        home: a new directory for the second broker.

    Returns:
        For each recipe its name, the number of records that it sent, and their differences from the disk.

    Raises:
        BrokerError: the second broker or a recipe fails.
    """
    recipes = dict(
        re.findall(r"^```python (kafka.*?)\n(.*?)^```", RECIPES.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    )
    if list(recipes) != [*_BY_PRODUCER, _BY_DISK]:
        raise BrokerError(f"{RECIPES.name} has other recipes for Kafka: {list(recipes)}")
    copies = {'"/copies"': repr([str(log_dir) for log_dir in log_dirs])}
    with Broker(home, SETTINGS) as broker:
        for name, (topic, topics, kept) in _BY_PRODUCER.items():
            servers = {"new-broker:9092": broker.bootstrap_servers, f'"{topic}"': f'"{",".join(topics)}"'}
            _run(spark, recipes[name], copies | servers)
            yield _compared(spark, name, log_dirs, broker, topics, kept)
        partitions = {number for topic, number in _records(readers.ours(spark, log_dirs, _read(_DISK)).toArrow(), ())}
        topic_id = _create(broker, max(partitions) + 1)
        broker.stop()
        made = home / "new"
        names = {'"orders"': f'"{_DISK[0]}"', "x8vK1pq5SWeBkqHXFyy4Kw": topic_id, '"/new"': repr(str(made))}
        _run(spark, recipes[_BY_DISK], copies | names)
        for directory in sorted(made.glob(f"{_DISK[0]}-*")):
            place = next(path for log_dir in broker.log_dirs for path in log_dir.glob(directory.name))
            shutil.rmtree(place)
            shutil.move(directory, place)
        broker.start()
        yield _compared(spark, _BY_DISK, log_dirs, broker, _DISK, (*_KEPT, "timestamp", "offset"))


def _run(spark: SparkSession, recipe: str, places: Mapping[str, str]) -> None:
    for theirs, ours in places.items():
        if theirs in recipe:
            recipe = recipe.replace(theirs, ours)
    exec(compile(recipe, RECIPES, "exec"), {"spark": spark})


def _create(broker: Broker, partitions: int) -> str:
    """Create the topic that is restored as a log directory; returns its id."""
    from confluent_kafka import TopicCollection  # noqa: PLC0415 - only this environment has it
    from confluent_kafka.admin import AdminClient, NewTopic  # noqa: PLC0415 - as above

    admin = AdminClient({"bootstrap.servers": broker.bootstrap_servers})
    admin.create_topics([NewTopic(_DISK[0], partitions, 1)])[_DISK[0]].result()
    [described] = admin.describe_topics(TopicCollection([_DISK[0]])).values()
    return str(described.result().topic_id).replace("+", "-").replace("/", "_")  # as Kafka prints it


def _read(topics: Sequence[str]) -> dict[str, str]:
    return {"subscribe": ",".join(topics), "includeHeaders": "true", "kafka.isolation.level": "read_committed"}


def _compared(
    spark: SparkSession, name: str, log_dirs: Sequence[Path], broker: Broker, topics: Sequence[str], kept: Sequence[str]
) -> Restored:
    before = _records(readers.ours(spark, log_dirs, _read(topics)).toArrow(), kept)
    after = _records(readers.official(spark, broker.bootstrap_servers, _read(topics)).toArrow(), kept)
    return name, sum(map(len, after.values())), list(_differences(before, after))


def _records(rows: pa.Table, kept: Sequence[str]) -> dict[tuple[str, int], list[tuple[Any, ...]]]:
    """Records by topic and partition, in offset order."""
    records: dict[tuple[str, int], list[tuple[Any, ...]]] = {}
    for row in rows.sort_by("offset").to_pylist():
        headers = [tuple(header.values()) for header in row["headers"] or ()]
        cells = tuple(headers if name == "headers" else row[name] for name in kept)
        records.setdefault((row["topic"], row["partition"]), []).append(cells)
    return records


def _differences(
    before: dict[tuple[str, int], list[tuple[Any, ...]]], after: dict[tuple[str, int], list[tuple[Any, ...]]]
) -> Iterator[str]:
    if not before:
        yield "there was nothing to restore"
    for topic, partition in sorted(before.keys() | after.keys()):
        sent, found = before.get((topic, partition), []), after.get((topic, partition), [])
        if sent != found:
            first = next((n for n, pair in enumerate(zip(sent, found, strict=False)) if pair[0] != pair[1]), None)
            yield f"{topic}-{partition}: {len(sent)} records on disk, {len(found)} restored, others from {first} on"
