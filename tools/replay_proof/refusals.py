"""Targets that cannot take the records unchanged: a replay refuses each one, and the broker's end offsets stay."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

import kafkafmt
from kafka_broker.broker import Broker
from kafkafmt.replaying.client_config import ClientConfig
from kafkafmt.replaying.cluster import TargetCluster
from kafkafmt.replaying.errors import RefusedError

_CASES: Mapping[str, tuple[Mapping[str, str], int, str]] = {
    # Configs of the target, number of partitions, and a part of the refusal.
    "append-time": ({"message.timestamp.type": "LogAppendTime"}, 2, "message.timestamp.type=LogAppendTime"),
    "too-old": ({"message.timestamp.before.max.ms": "3600000"}, 2, "message.timestamp.before.max.ms"),
    "too-new": ({"message.timestamp.after.max.ms": "60000"}, 2, "message.timestamp.after.max.ms"),
    "too-large": ({"max.message.bytes": "50000"}, 2, "max.message.bytes"),
    "too-few": ({}, 1, "has 1 partition in the target"),
    "unsafe": ({"min.insync.replicas": "2"}, 2, "min.insync.replicas is 2"),
    "compacted": ({"cleanup.policy": "compact"}, 2, "has no key"),
    "missing": ({}, 0, "does not exist in the target"),
}


def ask(home: Path) -> Iterator[str]:
    """Replay into each target, and expect a refusal.

    Args:
        home: a new directory.
    """
    home.mkdir(parents=True)
    later = 4_102_444_800_000
    rows = pa.table(
        {
            "topic": ["it"] * 4,
            "partition": pa.array([0, 0, 1, 1], pa.int32()),
            "value": pa.array([b"a", b"b", bytes(100_000), b"d"], pa.binary()),
            "timestamp": pa.array([1_600_000_000_000, 1_764_000_000_000, 1_764_000_000_001, later]),
        }
    )
    kafkafmt.write(rows, home / "source")
    with Broker(home / "live", {"log.retention.ms": "-1"}) as broker:
        to = broker.bootstrap_servers
        with TargetCluster(to, ClientConfig()) as cluster:
            cluster.patiently(lambda: cluster.metadata([]))
            for name, (configs, partitions, _) in _CASES.items():
                if partitions:
                    cluster.create(
                        name,
                        partitions,
                        {"message.timestamp.after.max.ms": str(2**63 - 1), **configs},
                        -1,
                        validates=False,
                    )
        for name, (_, _, part) in _CASES.items():
            arguments: dict[str, Any] = {"topics": {"it": name}, "run": name}
            dry = kafkafmt.replay(home / "source", to, dry_run=True, **arguments)
            if not any(part in each for each in dry.refusals):
                yield f"{name}: a dry run has the refusals {dry.refusals}"
            try:
                kafkafmt.replay(home / "source", to, **arguments)
            except RefusedError as error:
                if error.refusals != dry.refusals:
                    yield f"{name}: refused as {error}"
                continue
            yield f"{name}: not refused"
        fine: dict[str, Any] = {"topics": {"it": "fine"}}
        with TargetCluster(to, ClientConfig()) as cluster:
            cluster.metadata([])
            cluster.create("fine", 3, {"message.timestamp.after.max.ms": str(2**63 - 1)}, -1, validates=False)
        kafkafmt.replay(home / "source", to, run="one", **fine)
        try:
            kafkafmt.replay(home / "source", to, run="two", **fine)
            yield "fine: another run appends without being asked to"
        except RefusedError as error:
            if "fine is not empty" not in str(error):
                yield f"fine: refused as {error}"
        appended = kafkafmt.replay(home / "source", to, run="two", append=True, **fine)
        if appended.records != rows.num_rows:
            yield f"fine: {appended.records} records are appended"
        kafkafmt.write(rows.set_column(0, "topic", pa.array(["other"] * 4)), home / "other")
        try:
            kafkafmt.replay(home / "other", to, run="two", topics={"other": "fine"})
            yield "fine: another source continues from a run's positions"
        except RefusedError as error:
            if "is filled from another source" not in str(error):
                yield f"fine: refused as {error}"
        broker.stop()
        opened = kafkafmt.open(broker.log_dir)
        filled = sorted(
            {each.topic or "" for each in opened.partitions if each.topic in _CASES and each.log_end_offset}
        )
        if filled:
            yield f"records were sent to {', '.join(filled)}"
        if opened.scan(topics="fine").count() != 2 * rows.num_rows:
            yield "fine: not twice all records"
