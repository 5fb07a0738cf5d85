"""The disks that clients read, and the records expected from them.

For golden disks and tiers these come from Kafka's own classes and consumers (records.jsonl, read_*.jsonl), for the
shop's disk from kafkafmt.
"""

import base64
import gzip
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

import pyarrow as pa

import environment
import kafkafmt
from clients_proof.driver import record_line
from kafkafmt.disks import Disks
from kafkafmt.scanning.arguments import IsolationLevel

SHOP = environment.ROOT / "docs" / "examples" / "shop" / "log-dir"

_GOLDEN = environment.ROOT / "tests" / "golden"
_MODERN = (
    "01-codecs-4.3.1",
    "02-timestamps-3.9.1",
    "03-idempotent-4.3.1",
    "04-transactions-4.3.1",
    "05-compacted-4.3.1",
    "06-retention-3.9.1",
    "08-consumer-groups-4.3.1",
    "15-large-4.3.1",
)
_LEGACY = ("m0-codecs-0.9.0.1", "m1-codecs-0.10.2.2", "mixed-magic-2.8.2")
_NODES = ("07b-three-nodes-reconciled-4.3.1",)
_TIERED = ("02-zstd-3.9.1", "04-zstd-aes-rotated-3.9.1")
_FEW = ("01-codecs-4.3.1", "04-transactions-4.3.1")
_COLUMNS = ["topic", "partition", "offset", "timestamp", "key", "value", "headers"]

Place = tuple[str, int, int]


@dataclass(frozen=True, eq=False)
class Disk:
    """A disk to serve, and its expected records.

    Attributes:
        name: its name in the proof.
        paths: the paths that `kafkafmt serve` is given.
        lines: for each isolation level the records, as lines of `driver`, by topic, partition and offset.
        codecs: for each topic the codecs of its batches.
        options: options of `kafkafmt serve`: the keys of a tier.
        is_quick: whether it is one of the few disks of --quick.
    """

    name: str
    paths: tuple[Path, ...]
    lines: Mapping[IsolationLevel, Mapping[Place, str]]
    codecs: Mapping[str, frozenset[str]]
    options: tuple[str, ...] = ()
    is_quick: bool = False

    def topics(self, codecs: frozenset[str] | None) -> list[str]:
        """Names of the topics that a client can decompress; all topics for a client with every codec (None)."""
        return sorted(topic for topic, own in self.codecs.items() if codecs is None or own <= codecs)

    def expected(
        self, level: IsolationLevel, topics: Iterable[str], begins: Mapping[tuple[str, int], int]
    ) -> list[str]:
        """The lines of some topics, in some partitions only from an offset on."""
        wanted = set(topics)
        return [
            line
            for (topic, partition, offset), line in self.lines[level].items()
            if topic in wanted and offset >= begins.get((topic, partition), 0)
        ]


def shop() -> Disk:
    """The shop's disk, without its internal topics."""
    return replace(_read("shop", (SHOP,)), is_quick=True)


def disks(*, few: bool) -> list[Disk]:
    """The golden disks, or only a few of them."""
    modern = [_golden(_GOLDEN / "modern" / name) for name in (_FEW if few else _MODERN)]
    if few:
        return modern
    legacy = [_golden(_GOLDEN / "legacy" / name) for name in _LEGACY]
    nodes = [_golden(_GOLDEN / "modern" / name, several=True) for name in _NODES]
    return [*modern, *legacy, *nodes, *(_tiered(_GOLDEN / "tiered" / name) for name in _TIERED)]


def _golden(case: Path, *, several: bool = False) -> Disk:
    """A golden case: its log directory, or those of several nodes."""
    lines = dict(_records(case))
    levels = {level: _visible(case, level, lines) for level in get_args(IsolationLevel)}
    codecs: dict[str, set[str]] = {topic: set() for topic, _, _ in levels["read_uncommitted"]}
    for batch in _jsonl(case, "batches"):
        topic = Path(batch["file"]).parent.name.rpartition("-")[0]
        if topic in codecs:
            codecs[topic].add(batch["compression"])
    own = {topic: frozenset(found) for topic, found in codecs.items()}
    paths = tuple(sorted((case / "log-dir").iterdir())) if several else (case / "log-dir",)
    return Disk(case.name, paths, levels, own, is_quick=case.name in _FEW)


def _tiered(case: Path) -> Disk:
    """A log directory and its tier, as one log; with the keys if the tier is encrypted."""
    lines = {}
    for each in _jsonl(case, "records"):
        place = (each["topic"], each["partition"], each["offset"])
        lines[place] = _line(place, each)
    levels: dict[IsolationLevel, dict[Place, str]] = {
        "read_uncommitted": lines,
        "read_committed": _visible(case, "read_committed", lines),
    }
    keys = json.loads((case / "case.json").read_text("utf-8")).get("decryptionKeys", {})
    paths = (case / "log-dir", case / "tier")
    opened = kafkafmt.open(paths, decryption_keys={name: case / file for name, file in keys.items()})
    options = tuple(part for name, file in keys.items() for part in ("--key-file", f"{name}={case / file}"))
    return Disk(case.name, paths, levels, _codecs(opened, {topic for topic, _, _ in lines}), options)


def _records(case: Path) -> Iterator[tuple[Place, str]]:
    for each in _jsonl(case, "records"):
        file = Path(each["file"])
        topic, _, partition = file.parent.name.rpartition("-")
        if file.suffix == ".log" and partition.isdecimal():
            place = (topic, int(partition), each["offset"])
            yield place, _line(place, each)


def _line(place: Place, record: Mapping[str, Any]) -> str:
    headers = [(name, _bytes(value)) for name, value in record.get("headers", ())]
    return record_line(*place, record["timestamp"], _bytes(record["key"]), _bytes(record["value"]), headers)


def _visible(case: Path, level: str, lines: Mapping[Place, str]) -> dict[Place, str]:
    """The records that Kafka's consumer got; all records if the disk has no transactions."""
    consumed = list(_jsonl(case, level))
    if not consumed:
        return dict(lines)
    places = (
        (each["topic"], each["partition"], offset)
        for each in consumed
        for first, last in each["offsetRanges"]
        for offset in range(first, last + 1)
    )
    return {place: lines[place] for place in places}


def _read(name: str, paths: tuple[Path, ...]) -> Disk:
    opened = kafkafmt.open(paths)
    topics = re.compile("[a-z].*")
    levels = {level: lines_of(opened, level, topics) for level in get_args(IsolationLevel)}
    return Disk(name, paths, levels, _codecs(opened, topics))


def _codecs(opened: Disks, topics: Collection[str] | re.Pattern[str]) -> dict[str, frozenset[str]]:
    codecs: dict[str, set[str]] = {}
    for row in opened.scan(topics=topics, columns=["topic", "compression"]).to_table().to_pylist():
        codecs.setdefault(row["topic"], set()).add(row["compression"])
    return {topic: frozenset(own) for topic, own in codecs.items()}


def lines_of(opened: Disks, level: IsolationLevel, topics: Collection[str] | re.Pattern[str]) -> dict[Place, str]:
    """Records as lines of `driver`, by topic, partition and offset."""
    table = opened.scan(topics=topics, isolation_level=level, columns=_COLUMNS).to_table()
    times = table["timestamp"].cast(pa.int64()).to_pylist()
    lines = {}
    for row, time in zip(table.to_pylist(), times, strict=True):
        place = (row["topic"], row["partition"], row["offset"])
        headers = [(each["key"], each["value"]) for each in row["headers"] or ()]
        lines[place] = record_line(*place, time, row["key"], row["value"], headers)
    return lines


def _jsonl(case: Path, name: str) -> Iterator[Any]:
    path = case / "expected" / f"{name}.jsonl"
    zipped = path.with_name(f"{path.name}.gz")
    plain = path.read_bytes() if path.exists() else b""
    content = gzip.decompress(zipped.read_bytes()) if zipped.exists() else plain
    return (json.loads(line) for line in content.split(b"\n") if line)


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text)
