"""`find_offset` and `find_timestamp` compared with Kafka's answers to Fetch and ListOffsets."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from kafkafmt import KafkafmtError, Partition, open_log_dirs
from kafkafmt.logdir.lookup import RecordTime
from kafkafmt.logdir.time_search import first_record_at
from tests import golden_exceptions
from tests.golden_cases import Case, cases

Row = dict[str, Any]
Answer = tuple[Any, ...] | str | None


class Partitions:
    """Partition directories of a case, by their path in the golden answers."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self._open: dict[str, Partition] = {}

    def __getitem__(self, path: str) -> Partition:
        if path not in self._open:
            self._open[path] = Partition(str(self._case.log_dir / path), prefix=f"{path}/")
        return self._open[path]


def list_offsets(case: Case) -> list[Row]:
    """Questions and answers of AdminClient.listOffsets while the brokers ran; empty in cases without brokers."""
    return [row for row in case.jsonl("lookup.jsonl") if row["kind"] == "listOffsets"]


def place(partition: Partition, offset: int) -> Answer:
    try:
        found = partition.find_offset(offset)
    except KafkafmtError as error:
        return type(error).__name__
    return None if found is None else (found.file, found.position, found.size_in_bytes)


def first_at(partition: Partition, timestamp: int) -> Answer:
    """The first match over all segments, each searched as by `find_timestamp`, and its file."""
    try:
        for segment in partition.segments:
            found = first_record_at(segment, timestamp, 0)
            if found is not None:
                return (segment.file, found.offset, found.timestamp)
    except KafkafmtError as error:
        return type(error).__name__
    return None


def of_record(look_up: Callable[[], RecordTime | None]) -> Answer:
    try:
        found = look_up()
    except KafkafmtError as error:
        return type(error).__name__
    return (found.offset, found.timestamp, found.leader_epoch) if found else (-1, -1, None)


def require_listed_differences(case: Case, kind: str, rows: list[tuple[Row, Answer, Answer]]) -> None:
    """Require that exactly the partitions listed in `golden_exceptions` differ."""
    different = [(row, expected, found) for row, expected, found in rows if expected != found and "error" not in row]
    unlisted = [
        each
        for each in different
        if not golden_exceptions.lookup_differs(case.name, kind, each[0]["partition"], each[2])
    ]
    assert unlisted == []
    exceptions = {*golden_exceptions.LOOKUPS, *golden_exceptions.RAISED_LOOKUPS}
    listed = {partition for name, of, partition in exceptions if (name, of) == (case.name, kind)}
    assert listed == {row["partition"] for row, _, _ in different}


@pytest.mark.parametrize("case", cases("modern"), ids=str)
def test_find_offset_is_what_a_fetch_begins_with(case: Case) -> None:
    partitions = Partitions(case)
    rows: list[tuple[Row, Answer, Answer]] = []
    for row in case.jsonl("lookup.jsonl"):
        if row["kind"] == "offset":
            expected = (row["file"], row["position"], row["batchSize"]) if row["file"] else None
            rows.append((row, expected, place(partitions[row["partition"]], row["offset"])))
    require_listed_differences(case, "offset", rows)


@pytest.mark.parametrize("case", cases("modern"), ids=str)
def test_find_timestamp_is_what_the_segments_say_one_by_one(case: Case) -> None:
    partitions = Partitions(case)
    rows: list[tuple[Row, Answer, Answer]] = []
    for row in case.jsonl("lookup.jsonl"):
        if row["kind"] == "segmentTimestamp":
            expected = (row["file"], row["foundOffset"], row["foundTimestamp"]) if row["file"] else None
            rows.append((row, expected, first_at(partitions[row["partition"]], row["timestamp"])))
    require_listed_differences(case, "segmentTimestamp", rows)


@pytest.mark.parametrize("case", [case for case in cases("modern") if list_offsets(case)], ids=str)
def test_find_timestamp_is_what_list_offsets_answered(case: Case) -> None:
    asked = list_offsets(case)
    recovered = case.log_dir / "recovered"
    source = recovered if recovered.is_dir() else case.log_dir
    # Of the three nodes the last leader answered.
    log_dirs = [each for each in open_log_dirs(source) if "three-nodes" not in case.name or "node-2" in each.path]
    partitions = {f"{each.topic}-{each.partition}": each for log_dir in log_dirs for each in log_dir.partitions}
    rows: list[tuple[Row, Answer, Answer]] = []
    for row in asked:
        partition = partitions[row["partition"]]
        expected = (row["offset"], row["offsetTimestamp"], row["leaderEpoch"])
        if row["spec"] == "timestamp":
            rows.append((row, expected, of_record(partial(partition.find_timestamp, row["timestamp"]))))
        elif row["spec"] == "maxTimestamp":
            rows.append((row, expected, of_record(partition.find_max_timestamp)))
        elif row["spec"] == "earliest":
            rows.append((row, (row["offset"],), (partition.log_start_offset,)))
        else:
            rows.append((row, (row["offset"],), (partition.log_end_offset,)))
    require_listed_differences(case, "listOffsets", rows)


@pytest.mark.parametrize("case", cases("legacy"), ids=str)
def test_look_ups_in_old_formats_are_what_kafka_answers(case: Case) -> None:
    partitions = Partitions(case)
    rows: list[tuple[Row, Answer, Answer]] = []
    for row in case.jsonl("lookup.jsonl"):
        expected = (row["file"], row["position"], row["sizeInBytes"]) if row.get("file") else None
        rows.append((row, expected, place(partitions[row["partition"]], row["offset"])))
    for row in case.jsonl("lookup_time.jsonl"):
        expected_time = (row["file"], row["foundOffset"], row["foundTimestamp"]) if row.get("file") else None
        rows.append((row, expected_time, first_at(partitions[row["partition"]], row["timestamp"])))
    require_listed_differences(case, "legacy", rows)
