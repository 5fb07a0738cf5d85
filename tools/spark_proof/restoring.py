"""The recipes that put records back into a cluster, from docs/spark_recipes.md, run against a second real broker."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import SparkSession

import environment
from kafka_broker.broker import Broker, BrokerError
from spark_proof import readers

RECIPES = environment.ROOT / "docs" / "spark_recipes.md"

TOPICS = {"orders": ("codecs", "transactions"), "payments": ("open-transaction", "append-time")}
"""What the recipes are run for instead of the topics that they name: topics with headers, nulls and aborted records."""

SETTINGS = {
    "auto.create.topics.enable": "true",
    "num.partitions": "3",  # of topics that are created by use
    "log.message.timestamp.before.max.ms": str(2**63 - 1),
    "log.message.timestamp.after.max.ms": str(2**63 - 1),
    "log.retention.ms": "-1",  # the records' times are years ago
}

_KEPT = ("key", "value", "headers")


Restored = tuple[str, int, list[str]]
"""A recipe, how many records it restored, and how these differ from those on disk."""


def restore(spark: SparkSession, log_dirs: Sequence[Path], home: Path) -> Iterator[Restored]:
    """Run each recipe on the disk of a stopped broker, and read what came of it from a new one.

    Args:
        spark: a session with Spark's kafka source.
        log_dirs: those of the stopped broker.
        home: a new directory for the second broker.

    Returns:
        For each recipe its name, how many records it sent, and how these differ from those of the disk.

    Raises:
        BrokerError: the second broker or a recipe fails.
    """
    recipes = dict(
        re.findall(r"^```python (kafka.*?)\n(.*?)^```", RECIPES.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    )
    if list(recipes) != ["kafka", "kafka timestamps"]:
        raise BrokerError(f"{RECIPES.name} has other recipes for Kafka: {list(recipes)}")
    with Broker(home, SETTINGS) as broker:
        for (name, recipe), (topic, topics) in zip(recipes.items(), TOPICS.items(), strict=True):
            place = {
                "new-broker:9092": broker.bootstrap_servers,
                f'"{topic}"': f'"{",".join(topics)}"',
                '"/copies"': repr([str(log_dir) for log_dir in log_dirs]),
            }
            for theirs, ours in place.items():
                recipe = recipe.replace(theirs, ours)  # noqa: PLW2901
            exec(compile(recipe, RECIPES, "exec"), {"spark": spark})
            kept = (*_KEPT, "timestamp") if "timestamps" in name else _KEPT
            options = {
                "subscribe": ",".join(topics),
                "includeHeaders": "true",
                "kafka.isolation.level": "read_committed",
            }
            before = _records(readers.ours(spark, log_dirs, options).toArrow(), kept)
            after = _records(readers.official(spark, broker.bootstrap_servers, options).toArrow(), kept)
            yield name, sum(map(len, after.values())), list(_differences(before, after))


def _records(rows: pa.Table, kept: Sequence[str]) -> dict[tuple[str, int], list[tuple[Any, ...]]]:
    """Records by topic and partition, in the order of their offsets."""
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
