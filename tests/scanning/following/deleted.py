"""Partitions deleted by a broker, and the notes on those that were never followed."""

import base64

from kafkafmt.scanning.following import Follower
from tests.scanning.growing import Broker, rows

DELETED = "the partition was deleted before it was followed; it was"
WITHOUT_ID = "without a topic id it may be a copy of a log that is followed"


def metadata(broker: Broker, directory: str, topic: int) -> None:
    topic_id = base64.urlsafe_b64encode(topic.to_bytes(16, "big")).decode().rstrip("=")
    broker.put(f"{directory}/partition.metadata", f"version: 0\ntopic_id: {topic_id}\n")


def made(broker: Broker, partition: str, *batches: bytes, topic: int | None) -> None:
    """Create a partition of a topic, with or without a topic id, and write to it."""
    (broker.log_dir / partition).mkdir()
    if topic is not None:
        metadata(broker, partition, topic)
    broker.write(partition, 0, *batches)


def set_aside(broker: Broker, partition: str, *, unique: int, state: str = "delete") -> str:
    """Rename a directory as the broker does and return its new name."""
    name = f"{partition}.{unique:032x}-{state}"
    (broker.log_dir / partition).rename(broker.log_dir / name)
    broker.tick(broker.log_dir)
    return name


def unseen(broker: Broker, partition: str, *batches: bytes, topic: int | None, unique: int | None = None) -> str:
    """Create a partition, delete it, and return the name of the directory that is left."""
    made(broker, partition, *batches, topic=topic)
    return set_aside(broker, partition, unique=topic or 0 if unique is None else unique)


def values(follower: Follower) -> list[tuple[str, int, int, bytes]]:
    found = rows(follower)
    return [(row["topic"], row["partition"], row["offset"], row["value"]) for row in found]
