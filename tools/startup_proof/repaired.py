"""Repaired log directories under a broker: it loads every log as it is, and gives a consumer every record."""

import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

import kafkafmt
from class_path import kafka_class_path, tool
from kafka_broker.broker import Broker, BrokerError
from startup_proof.started import files_of, read

if TYPE_CHECKING:
    from collections import Counter

_METADATA_LOG = "__cluster_metadata-0"
_READ_SECONDS = 120
_COLUMNS = ("topic", "partition", "offset", "timestamp", "key", "value")
_SETTLE_SECONDS = 1.5

Record = tuple[str, int, int, int, int, int]


def prove(
    damaged: Sequence[Path], home: Path, start: Callable[[Path], Broker], compared: "Counter[str]"
) -> Iterator[str]:
    """Repair damaged log directories and start a broker on the copy; gives what is not as it must be.

    Args:
        damaged: the log directories.
        home: of the new broker; does not exist.
        start: makes a broker whose log directories are in a directory.
        compared: counts facts by name.
    """
    kafkafmt.open([str(path) for path in damaged]).repair(home)
    log_dirs = [home / path.name for path in damaged]
    answer = kafkafmt.open([str(path) for path in log_dirs]).verify(level="records", node_id=1)
    strays = {row["path"] for row in answer.partitions.to_pylist() if row["action"] == "stray"}
    for row in answer.findings.to_pylist():
        compared["findings"] += 1
        if row["level"] == "finding" and row["kind"] != "stray":
            yield f"verify finds {row['kind']}: {row['path']}: {row['message']}"
    wanted = _on_disk(log_dirs, strays)
    before = files_of(log_dirs)
    broker = start(home)
    try:
        broker.start()
        time.sleep(_SETTLE_SECONDS)
        found = _consumed(broker)
    except BrokerError as error:
        yield f"the broker does not start: {error}"
        return
    finally:
        broker.kill()
    log = (home / "broker.log").read_text(errors="replace")
    started = read(log, log_dirs, before, starts=True)
    for path, is_online in started.log_dirs.items():
        compared["online"] += 1
        if not is_online:
            yield f"{path} is offline"
    for path, row in started.partitions.items():
        compared["action"] += 1
        compared["truncateFrom"] += 1
        action = "stray" if path in strays else "keep"
        if row["action"] != action and not path.endswith(_METADATA_LOG):
            yield f"{path}: {row['action']}, not {action}"
        if row["truncateFrom"] is not None or row.get("deletedSegments"):
            yield f"{path}: cut at {row['truncateFrom']}, segments deleted: {row.get('deletedSegments')}"
    # Topics of partitions whose logs were lost are empty; the broker itself writes to internal ones.
    ends: dict[tuple[str, int], int] = {}
    for topic, partition, offset, *_ in wanted:
        ends[topic, partition] = max(offset, ends.get((topic, partition), -1))
    known = {record for record in found if record[2] <= ends.get(record[:2], -1)}
    compared["records"] += len(wanted)
    if known != wanted:
        lost, more = sorted(wanted - known)[:3], sorted(known - wanted)[:3]
        yield f"{len(wanted - known)} records are not consumed ({lost}), {len(known - wanted)} are others ({more})"


def _on_disk(log_dirs: Sequence[Path], strays: set[str]) -> set[Record]:
    records: set[Record] = set()
    for log_dir in log_dirs:
        for path in sorted(log_dir.iterdir()):
            if not path.is_dir() or path.name == _METADATA_LOG or str(path) in strays:
                continue
            for row in kafkafmt.scan(str(path), columns=_COLUMNS).to_table().to_pylist():
                time_ms = round(row["timestamp"].timestamp() * 1000)
                place = (row["topic"], row["partition"], row["offset"], time_ms)
                records.add((*place, _crc(row["key"]), _crc(row["value"])))
    return records


def _consumed(broker: Broker) -> set[Record]:
    java = [tool("java"), "-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
    command = [*java, "-Dorg.slf4j.simpleLogger.defaultLogLevel=error", "-cp", kafka_class_path(), "ReadDisks"]
    done = subprocess.run(
        [*command, broker.bootstrap_servers],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=_READ_SECONDS,
        check=False,
    )
    if done.returncode:
        raise BrokerError(f"ReadDisks fails:\n{done.stderr[-2000:]}\nThe broker:\n{broker.log_tail()}")
    rows = (line.split(" ") for line in done.stdout.splitlines())
    return {(topic, *map(int, rest)) for topic, *rest in rows}  # type: ignore[misc]


def _crc(data: bytes | None) -> int:
    return crc32((-1 if data is None else len(data)).to_bytes(4, "big", signed=True) + (data or b""))
