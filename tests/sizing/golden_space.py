"""SpaceUse of golden cases, grouped in plain Python from the records and batches that Kafka's own code reads."""

import base64
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from tests.golden_cases import Case

HOUR = 3_600_000


@dataclass(frozen=True)
class GoldenRecord:
    """A record with its batch; `size` is its size in the uncompressed batch, `share` its part of the bytes on disk."""

    batch: dict[str, Any]
    offset: int
    timestamp: int
    key: bytes | None
    headers: list[tuple[str, bytes | None]]
    size: int
    share: int

    @property
    def directory(self) -> str:
        name: str = self.batch["file"].split("/")[-2]
        return name

    @property
    def topic(self) -> str:
        return self.directory.rpartition("-")[0]

    @property
    def partition(self) -> int:
        return int(self.directory.rpartition("-")[2])

    @property
    def hour(self) -> int | None:
        return None if self.timestamp == -1 else self.timestamp // HOUR * HOUR

    def header(self, name: str) -> bytes | None:
        return next((value for key, value in reversed(self.headers) if key == name), None)


def records_of(case: Case, files: set[str]) -> Iterator[GoldenRecord]:
    """The records of some files, each batch's shares adding up to its size."""
    batches = {(row["file"], row["position"]): row for row in case.jsonl("batches.jsonl")}
    rows = [row for row in case.jsonl("records.jsonl") if row["file"] in files]
    for place, group in groupby(rows, lambda row: (row["file"], row["position"])):
        batch, members = batches[place], list(group)
        sizes = [size_of(batch, row) for row in members]
        before = 0
        for row, size in zip(members, sizes, strict=True):
            upto = before + size
            share = batch["sizeInBytes"] * upto // sum(sizes) - batch["sizeInBytes"] * before // sum(sizes)
            before = upto
            headers = [(name, bytes_of(value)) for name, value in pairs(row)]
            yield GoldenRecord(batch, row["offset"], row["timestamp"], bytes_of(row["key"]), headers, size, share)


def pairs(row: dict[str, Any]) -> list[tuple[str, str | None]]:
    return [(name, value) for name, value in row.get("headers") or []]


def bytes_of(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text)


def size_of(batch: dict[str, Any], row: dict[str, Any]) -> int:
    """Bytes of a record as Kafka's DefaultRecord and LegacyRecord have them."""
    key, value = bytes_of(row["key"]), bytes_of(row["value"])
    if batch["magic"] < 2:
        return 12 + (22 if batch["magic"] else 14) + len(key or b"") + len(value or b"")
    delta = row["timestamp"] - batch["baseTimestamp"] if knows_sizes(batch) else 0
    body = 1 + varint(delta) + varint(row["offset"] - batch["baseOffset"]) + field(key) + field(value)
    headers = pairs(row)
    body += varint(len(headers)) + sum(field(name.encode()) + field(bytes_of(value)) for name, value in headers)
    return varint(body) + body


def knows_sizes(batch: dict[str, Any]) -> bool:
    """Whether the golden files tell the sizes of a batch's records: not what timestamp deltas a broker overrode."""
    return batch["magic"] < 2 or ("baseTimestamp" in batch and batch["timestampType"] != "LogAppendTime")


def field(content: bytes | None) -> int:
    return varint(-1) if content is None else varint(len(content)) + len(content)


def varint(number: int) -> int:
    zigzag = 2 * number if number >= 0 else -2 * number - 1
    return max(1, -(-zigzag.bit_length() // 7))


def grouped(
    records: list[GoldenRecord], key: Callable[[GoldenRecord], tuple[Any, ...]]
) -> dict[tuple[Any, ...], dict[str, int]]:
    """The figures of each group."""
    members: dict[tuple[Any, ...], list[GoldenRecord]] = defaultdict(list)
    for record in records:
        members[key(record)].append(record)
    return {
        name: {
            "records": len(group),
            "batches": len({(record.batch["file"], record.batch["position"]) for record in group}),
            "recordBytes": sum(record.size for record in group),
            "storedBytes": sum(record.share for record in group),
            "minOffset": min(record.offset for record in group),
            "maxOffset": max(record.offset for record in group),
            "minTimestamp": min(record.timestamp for record in group),
            "maxTimestamp": max(record.timestamp for record in group),
            "recordsError": 0,
            "storedBytesError": 0,
        }
        for name, group in members.items()
    }
