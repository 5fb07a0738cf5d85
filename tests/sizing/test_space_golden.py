"""`space` of golden log directories, compared with sums in plain Python over Kafka's own records and batches."""

import os
from collections.abc import Callable
from typing import Any

import pytest

import kafkafmt
from kafkafmt.sizing import SpaceUse
from tests.golden_cases import Case, cases
from tests.sizing.golden_space import GoldenRecord, grouped, knows_sizes, records_of

NAMES = (
    "01-codecs-4.3.1",
    "02-timestamps-4.3.1",
    "03-idempotent-4.3.1",
    "04-transactions-4.3.1",
    "05-compacted-4.3.1",
    "08-consumer-groups-4.3.1",
    "m0-codecs-0.9.0.1",
    "m1-codecs-0.10.2.2",
    "m1-compacted-0.10.2.2",
    "mixed-magic-2.8.2",
)
SOUND = [case for case in cases() if case.name in NAMES]

BY: dict[str, Callable[[GoldenRecord], tuple[Any, ...]]] = {
    "topic": lambda record: (record.topic,),
    "partition,format": lambda record: (record.topic, record.partition, record.batch["magic"]),
    "codec": lambda record: (record.batch["compression"],),
    "producer": lambda record: (record.batch.get("producerId", -1),),
    "hour,topic": lambda record: (record.hour, record.topic),
    "key": lambda record: (record.key,),
    "topic,key-prefix:3": lambda record: (record.topic, None if record.key is None else record.key[:3]),
    "header:dup,codec,producer": lambda record: (
        record.header("dup"),
        record.batch["compression"],
        record.batch.get("producerId", -1),
    ),
}


def rows(answer: SpaceUse) -> dict[tuple[Any, ...], dict[str, int]]:
    """Rows by their group; times as ms."""
    names = answer.grouping.columns
    table = answer.to_table()
    for number, field in enumerate(table.schema):
        if str(field.type).startswith("timestamp"):
            table = table.set_column(number, field.name, table.column(number).cast("int64"))
    return {
        tuple(row[name] for name in names): {name: row[name] for name in row if name not in names}
        for row in table.to_pylist()
    }


@pytest.mark.slow
@pytest.mark.parametrize("case", SOUND, ids=str)
def test_groups_are_those_of_the_golden_records(case: Case) -> None:
    files = sorted({row["file"] for row in case.jsonl("records.jsonl") if row["file"].endswith(".log")})
    golden = list(records_of(case, set(files)))
    assert golden
    disks = kafkafmt.open([case.log_dir / file for file in files])
    # What compaction leaves without records is nobody's.
    empty = sum(row["sizeInBytes"] for row in case.jsonl("batches.jsonl") if row["count"] == 0 and row["file"] in files)
    unknown = {"batches", "storedBytes"} if empty else set()
    if not all(knows_sizes(record.batch) for record in golden):
        unknown |= {"recordBytes", "storedBytes"}
    for by, key in BY.items():
        expected = grouped(golden, key)
        found = rows(disks.space(by=by, below_log_start=True, replica="all"))
        assert sum(row["storedBytes"] for row in found.values()) == empty + sum(record.share for record in golden)
        assert _without(found, unknown) == _without(expected, unknown), by


def _without(groups: dict[tuple[Any, ...], dict[str, int]], names: set[str]) -> dict[tuple[Any, ...], dict[str, int]]:
    return {
        group: {name: value for name, value in row.items() if name not in names}
        for group, row in groups.items()
        if row["records"]
    }


@pytest.mark.parametrize("case", [case for case in SOUND if case.name.startswith("0")], ids=str)
def test_stored_bytes_are_the_sizes_of_the_files(case: Case) -> None:
    """Whole log directories, by headers alone and by records."""
    disks = kafkafmt.open(case.log_dir)
    sizes: dict[str | None, int] = {}
    for partition in disks.partitions:
        for segment in partition.segments:
            sizes[partition.topic] = sizes.get(partition.topic, 0) + os.stat(segment.path).st_size
    cheap = disks.space(columns=["storedBytes", "records"], below_log_start=True).to_table()
    assert cheap.column_names == ["topic", "records", "storedBytes"]
    assert dict(zip(*cheap.select(["topic", "storedBytes"]).to_pydict().values(), strict=True)) == _some(sizes)
    by_key = disks.space(by=["topic", "key"], below_log_start=True).to_table().group_by("topic")
    stored = by_key.aggregate([("storedBytes", "sum")]).to_pydict()
    assert dict(zip(stored["topic"], stored["storedBytes_sum"], strict=True)) == _some(sizes)


def _some(sizes: dict[str | None, int]) -> dict[str | None, int]:
    return {topic: size for topic, size in sizes.items() if size}
