"""The records that are read: made by Kafka's producer, once, in a broker, whose disk is then read as well."""

import hashlib
import json
import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmark.segments import SegmentsError
from class_path import tool
from kafka_broker.broker import Broker

KEY_BYTES = 16

_DONE = "topics.json"
_BROKER_SETTINGS = {"log.segment.bytes": str(1 << 30), "log.retention.ms": "-1"}


@dataclass(frozen=True)
class Topic:
    """A topic to be made.

    Attributes:
        name: of it.
        codec: Kafka's name for how its producer compresses.
        value_bytes: size of each value; keys have KEY_BYTES.
        partitions: how many.
        records: in each of them.
    """

    name: str
    codec: str
    value_bytes: int
    partitions: int
    records: int

    @property
    def payload_bytes(self) -> int:
        """Bytes of keys and values in one partition."""
        return self.records * (KEY_BYTES + self.value_bytes)

    @classmethod
    def of_size(cls, name: str, codec: str, value_bytes: int, partitions: int, megabytes: float) -> "Topic":
        """Make one with so many MB (10^6 bytes) of keys and values in each partition."""
        return cls(name, codec, value_bytes, partitions, round(megabytes * 1e6 / (KEY_BYTES + value_bytes)))


@dataclass(frozen=True)
class TopicCopy:
    """A topic where it can be read from.

    Attributes:
        topic: what it holds.
        log_dir: a log directory that has it, of a broker that is no more.
        servers: a broker that has it.
    """

    topic: Topic
    log_dir: Path
    servers: str

    @property
    def files(self) -> list[Path]:
        """Its log files."""
        partitions = range(self.topic.partitions)
        return [path for each in partitions for path in self.log_dir.glob(f"{self.topic.name}-{each}/*.log")]

    @property
    def file_bytes(self) -> int:
        """Size of its log files."""
        return sum(path.stat().st_size for path in self.files)


def broker_of(topics: Sequence[Topic], classes: str, cache: Path, say: Callable[[str], None]) -> Broker:
    """Make a broker that has topics; it is not running yet.

    Args:
        topics: what it is to hold.
        classes: class path of RecordProducer.
        cache: a directory for such brokers: one with the same topics is used again.
        say: called with a line of text about what takes a while.

    Raises:
        SegmentsError: the producer failed.
        BrokerError: the broker did.
    """
    wanted = [asdict(topic) for topic in topics]
    home = cache / hashlib.sha256(json.dumps([wanted, _BROKER_SETTINGS]).encode()).hexdigest()[:16]
    broker = Broker(home, _BROKER_SETTINGS)
    if (home / _DONE).exists():
        return broker
    shutil.rmtree(home, ignore_errors=True)
    megabytes = sum(topic.payload_bytes * topic.partitions for topic in topics) / 1e6
    say(f"Kafka's producer sends {megabytes:.0f} MB to a broker in {home}")
    with broker:
        command = [tool("java"), "-Xmx512m", "-cp", classes, "RecordProducer", broker.bootstrap_servers]
        done = subprocess.run([*command, *map(_argument, topics)], capture_output=True, text=True, check=False)
        if done.returncode:
            raise SegmentsError(f"RecordProducer failed with exit status {done.returncode}: {done.stderr[-1000:]}")
        broker.stop()
    _copy(broker.log_dir, home / "copy")
    (home / _DONE).write_text(json.dumps(wanted), encoding="utf-8")
    return broker


def copies(broker: Broker, topics: Sequence[Topic]) -> dict[str, TopicCopy]:
    """Tell where to read topics of a broker that runs; by their names."""
    log_dir = broker.directory / "copy"
    return {topic.name: TopicCopy(topic, log_dir, broker.bootstrap_servers) for topic in topics}


def _argument(topic: Topic) -> str:
    return f"{topic.name},{topic.codec},{topic.value_bytes},{topic.partitions},{topic.records}"


def _copy(log_dir: Path, target: Path) -> None:
    """Copy a log directory of a broker that is stopped; its logs, which do not change any more, are the same files."""

    def link_logs(source: str, copied: str) -> None:
        if source.endswith(".log"):
            os.link(source, copied)
        else:
            shutil.copy2(source, copied)

    shutil.copytree(log_dir, target, copy_function=link_logs)
