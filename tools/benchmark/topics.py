"""Topics that Kafka's own producer fills, and the broker that holds them: made once, and kept in a cache."""

import hashlib
import json
import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from benchmark.segments import SegmentsError
from class_path import tool
from kafka_broker.broker import Broker

KEY_BYTES = 16
ABORTED_OF = 4
"""One of this many transactions is aborted: the first, and not the last."""

_DONE = "topics.json"
_BROKER_SETTINGS = {"log.segment.bytes": str(1 << 30), "log.retention.ms": "-1"}


@dataclass(frozen=True)
class Topic:
    """A topic that Kafka's producer fills.

    Attributes:
        name: name of the topic.
        codec: Kafka's name for the producer's compression.
        value_bytes: size of each value; keys have `KEY_BYTES`.
        partitions: number of partitions.
        records: number of records in each partition.
        transaction: records in each transaction, of which every fourth is aborted; 0 without transactions.
    """

    name: str
    codec: str
    value_bytes: int
    partitions: int
    records: int
    transaction: int = 0

    @classmethod
    def of_size(cls, codec: str, value_bytes: int, partitions: int, megabytes: float) -> "Topic":
        """A topic with some MB (10^6 bytes) of keys and values in each partition."""
        records = round(megabytes * 1e6 / (KEY_BYTES + value_bytes))
        return cls(f"{value_bytes}-{codec}-{records}", codec, value_bytes, partitions, records)

    def with_transactions(self, records: int) -> "Topic":
        """The same topic with `records` records in each transaction."""
        return replace(self, name=f"transactions-{self.name}", transaction=records)

    @property
    def label(self) -> str:
        """Its name in tables and charts."""
        if self.records == 1:
            return f"{self.partitions} records"
        return f"{self.value_bytes} B values, {self.codec}{', transactions' if self.transaction else ''}"

    @property
    def visible(self) -> int:
        """Number of records in all partitions that were not aborted; the last transaction is not."""
        total = self.partitions * self.records
        if not self.transaction:
            return total
        return total + self.transaction * (-((total - 1) // self.transaction) // ABORTED_OF)

    @property
    def payload_bytes(self) -> int:
        """Size of all keys and values, in bytes."""
        return self.partitions * self.records * (KEY_BYTES + self.value_bytes)


def broker_of(topics: Sequence[Topic], classes: str, cache: Path, say: Callable[[str], None]) -> Broker:
    """Make a broker with these topics, and a copy of its disk in `copy`; the broker is not running yet.

    A broker with the same topics in `cache` is used again.

    Raises:
        SegmentsError: the producer failed.
        BrokerError: the broker failed.
    """
    wanted = [asdict(topic) for topic in topics]
    home = cache / hashlib.sha256(json.dumps([wanted, _BROKER_SETTINGS]).encode()).hexdigest()[:16]
    broker = Broker(home, _BROKER_SETTINGS)
    if (home / _DONE).exists():
        return broker
    shutil.rmtree(home, ignore_errors=True)
    say(f"Kafka's producer sends {sum(topic.payload_bytes for topic in topics) / 1e6:.0f} MB to a broker in {home}")
    with broker:
        command = [tool("java"), "-Xmx512m", "-cp", classes, "RecordProducer", broker.bootstrap_servers]
        arguments = [",".join(map(str, asdict(topic).values())) for topic in topics]
        done = subprocess.run([*command, *arguments], capture_output=True, text=True, check=False)
        if done.returncode:
            raise SegmentsError(f"RecordProducer failed with exit status {done.returncode}: {done.stderr[-1000:]}")
        broker.stop()
    shutil.copytree(broker.log_dir, home / "copy", copy_function=_link_logs)
    (home / _DONE).write_text(json.dumps(wanted), encoding="utf-8")
    return broker


def _link_logs(source: str, copied: str) -> None:
    # Logs of a stopped broker no longer change, so links suffice.
    if source.endswith(".log"):
        os.link(source, copied)
    else:
        shutil.copy2(source, copied)
