"""Records of tiered storage as scans, consumers and Kafka's own code read them."""

import base64
from collections.abc import Callable
from typing import Any, NamedTuple

import kafkafmt
from tests.golden_cases import TierCase

COLUMNS = ["topic", "partition", "offset", "timestamp", "key", "value", "headers"]

Place = tuple[str | None, int, int]
"""Topic, partition and offset."""


class Content(NamedTuple):
    """Content of a record; the timestamp is in ms since the epoch."""

    timestamp: int
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes | None], ...]


Records = dict[Place, Content]


def read(scan: kafkafmt.Scan, takes: Callable[[str | None], bool] = lambda _: True) -> Records:
    """Records of a scan of `COLUMNS`, user topics only; requires that none comes twice."""
    found: Records = {}
    for batch in scan.to_reader():
        times = batch.column("timestamp").cast("int64").to_pylist()
        columns = (batch.column(name).to_pylist() for name in COLUMNS if name != "timestamp")
        for timestamp, topic, partition, offset, key, value, headers in zip(times, *columns, strict=True):
            if not takes(topic):
                continue
            place = (topic, partition, offset)
            assert place not in found
            pairs = tuple((each["key"], each["value"]) for each in headers or ())
            found[place] = Content(timestamp, key, value, pairs)
    return found


def is_users(topic: str | None) -> bool:
    return topic is None or not topic.startswith("__")


def consumed(case: TierCase) -> Records:
    """Records of user topics that a consumer got before the broker was stopped."""
    return {_place(row): _content(row) for row in case.jsonl("records.jsonl")}


def committed(case: TierCase) -> set[Place]:
    """Positions of the records that a consumer got with read_committed."""
    return {
        (row["topic"], row["partition"], offset)
        for row in case.jsonl("read_committed.jsonl")
        for first, last in row["offsetRanges"]
        for offset in range(first, last + 1)
    }


def viewed(case: TierCase) -> Records:
    """The log as the tier alone has it: for each segment, the records of its upload at the named offsets."""
    of_log = consumed(case)
    of_segment = {(_place(row), row["segmentId"]): _content(row) for row in case.jsonl("tier_only_records.jsonl")}
    found = {}
    for row in case.jsonl("tier_view.jsonl"):
        for first, last in row["offsets"]:
            for offset in range(first, last + 1):
                place = (row["topic"], row["partition"], offset)
                content = of_segment.get((place, row["segmentId"])) or of_log.get(place)
                if content is not None:  # otherwise the offset is that of a transaction marker
                    found[place] = content
    return found


def not_covered(case: TierCase) -> set[Place]:
    """Records that no longer exist anywhere, as objects were removed."""
    return {
        (row["topic"], row["partition"], offset)
        for row in case.jsonl("not_covered.jsonl")
        for offset in range(row["from"], row["to"] + 1)
    }


def _place(row: dict[str, Any]) -> Place:
    return row["topic"], row["partition"], row["offset"]


def _content(row: dict[str, Any]) -> Content:
    headers = tuple((key, _bytes(value)) for key, value in row["headers"])
    return Content(row["timestamp"], _bytes(row["key"]), _bytes(row["value"]), headers)


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text)
