"""Compares source and target of a replay: the records in order, and the next records of groups."""

import base64
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa

import kafkafmt
from kafkafmt.disks import Disks
from kafkafmt.internal_topics import CONSUMER_OFFSETS

COLUMNS = ("key", "value", "timestamp", "headers")

Rows = dict[int, pa.Table]


def rows_of(opened: Disks, topic: str) -> Rows:
    """Committed records by partition, with offsets; header names are bytes."""
    found = {}
    for each in opened.scan(topics=topic).best_partitions():
        number = each.partition or 0
        scan = opened.scan(topics={topic: [number]}, columns=["offset", *COLUMNS], isolation_level="read_committed")
        found[number] = scan.with_stored_names().to_table().combine_chunks()
    return found


def differences(name: str, source: Rows, target: Rows, offset_map: pa.Table | None = None) -> Iterator[str]:
    """Compare records without their offsets, and offsets by the map.

    Args:
        name: name of the topic.
        source: records of the source.
        target: records of the target.
        offset_map: offset map of the topic; None to skip offsets.
    """
    for number, there in source.items():
        here = target.get(number)
        if here is None:
            if there.num_rows:
                yield f"{name}-{number}: not there"
            continue
        if here.num_rows != there.num_rows:
            yield f"{name}-{number}: {here.num_rows} of {there.num_rows} records"
            continue
        for column in COLUMNS:
            one, other = (_plain(table[column]) for table in (there, here))
            if not one.equals(other):
                yield f"{name}-{number}: another {column}"
        if offset_map is not None:
            of_lane = offset_map.filter(pa.compute.equal(offset_map["partition"], number))
            pairs = [(of_lane["offset"], there["offset"]), (of_lane["targetOffset"], here["offset"])]
            if any(mapped.to_pylist() != found.to_pylist() for mapped, found in pairs):
                yield f"{name}-{number}: the offset map is another one"


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Make empty lists of headers null, as both mean the same."""
    return (
        pa.chunked_array([pa.array([each or None for each in column.to_pylist()], column.type)])
        if pa.types.is_list(column.type)
        else column
    )


def group_differences(
    source: Disks, target: Disks, names: Mapping[str, str], rows: Mapping[str, tuple[Rows, Rows]]
) -> Iterator[str]:
    """Compare committed offsets: the next record of each group must be the same.

    Args:
        source: the source.
        target: the target.
        names: target topics by source topics.
        rows: records of source and target by source topics.
    """
    if all(each.topic != CONSUMER_OFFSETS for each in source.partitions):
        return
    committed = {
        (each["group"], each["topic"], each["partition"]): each["offset"]
        for each in target.groups().offsets.to_pylist()
    }
    for each in source.groups().offsets.to_pylist():
        topic, number, offset = each["topic"], each["partition"], each["offset"]
        if topic not in names or each["type"] == "Share":
            continue
        there, here = (side[number]["offset"].to_numpy() for side in rows[topic])
        next_one = int(np.searchsorted(there, offset))
        expected = int(here[next_one]) if next_one < len(here) else int(here[-1]) + 1 if len(here) else 0
        found = committed.get((each["group"], names[topic], number))
        if found != expected:
            yield f"group {each['group']} on {names[topic]}-{number}: {found}, its next record is at {expected}"


def example(directory: Path, records: int) -> None:
    """Write a log directory with keys, nulls, headers, empty values and several codecs.

    Args:
        directory: directory to write.
        records: number of records.
    """
    numbers = np.arange(records)
    values = [None if number % 97 == 0 else f"{number:09}".encode() * 11 for number in range(1000)]
    headers = [None, [("a", b"1"), ("a", None), ("b", b"")], [("id", base64.b64encode(b"x" * 30))]]
    table = pa.table(
        {
            "topic": pa.array(["plain", "zipped"]).take(pa.array(numbers % 2)),
            "partition": pa.array(numbers // 2 % 3, pa.int32()),
            "key": pa.array([None if number % 5 == 0 else f"key-{number}".encode() for number in numbers], pa.binary()),
            "value": pa.array(values, pa.binary()).take(pa.array(numbers % 1000)),
            "timestamp": pa.array(1_764_000_000_000 + numbers),
            "headers": pa.array(headers, pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))).take(
                pa.array(numbers // 6 % 3)
            ),
        }
    )
    kafkafmt.write(table, directory, compression="lz4", partitions={"plain": 3, "zipped": 3})
