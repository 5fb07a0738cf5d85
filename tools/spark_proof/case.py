"""A case of the proof: a read by Spark's kafka source and by kafkafmt's; and topics, times and offsets for reads."""

import json
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc

TOPICS = (
    "all-deleted",
    "append-time",
    "big",
    "codecs",
    "compacted",
    "compacted-append-time",
    "compacted-transactions",
    "deleted-records",
    "emptied",
    "empty",
    "open-transaction",
    "retention",
    "timestamps.odd-1",
    "transactions",
)
BEGIN = 1_700_000_000_000
"""Time of the first record of most topics, ms; FillBroker.java counts from it."""

COMMITTED = {"kafka.isolation.level": "read_committed"}
IMPATIENT = {"kafkaConsumer.pollTimeoutMs": "1500"}


@dataclass(frozen=True)
class Case:
    """One read.

    Attributes:
        name: description of the read.
        options: options for both sources.
        refused: whether Spark's source refuses the read, so that kafkafmt's must refuse it, too.
        meant: reason of an intended difference; "" for none.
        again: whether it is read from the disk after each end of the broker, instead of only after the last.
    """

    name: str
    options: dict[str, str] = field(hash=False)
    refused: bool = False
    meant: str = ""
    again: bool = False


def offsets_of(topic: str, *offsets: int) -> str:
    """Offsets, or times, of the partitions of a topic, in the format of Spark's options."""
    return json.dumps({topic: {str(partition): offset for partition, offset in enumerate(offsets)}})


def of_topic(rows: pa.Table, topic: str, partition: int = 0) -> pa.Table:
    """The rows of a partition, by offset."""
    chosen = rows.filter((pc.field("topic") == topic) & (pc.field("partition") == partition))
    return chosen.sort_by("offset")


def times_of(rows: pa.Table, topic: str, partition: int) -> list[int]:
    """The timestamps of a partition, in ms."""
    times = of_topic(rows, topic, partition)["timestamp"].cast(pa.timestamp("ms", "UTC")).cast(pa.int64())
    return [int(time) for time in times.to_pylist()]


def middle_time(rows: pa.Table, topic: str, partition: int = 0) -> int:
    """The timestamp of the record in the middle of a partition, in ms."""
    times = times_of(rows, topic, partition)
    return times[len(times) // 2]
