"""The proof "streaming": compares Spark's kafka source on a broker with kafkafmt on its disk, batch by batch.

Both get the same options. After each step that changes the broker, all queries continue from their checkpoints with
Trigger.AvailableNow. Then the sources exchange their checkpoints, and unread records are deleted.
"""

import argparse
import json
import shutil
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyspark
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

import proof_frame
from kafka_broker.broker import Broker
from proof_frame import DIFFERS, ProofError, say_after
from spark_proof import readers
from spark_stream_proof.cases import CASES, LOSS, STEPS, Case
from spark_stream_proof.feeder import Feeder

if TYPE_CHECKING:
    import pyarrow as pa

_SETTINGS = {
    "log.initial.task.delay.ms": "500",
    "log.flush.start.offset.checkpoint.interval.ms": "500",
}
_SETTLE_SECONDS = 1.5  # until the broker has written log starts
_QUERY_SECONDS = 300
_CONNECTOR = "benchmark"
_AT_ONCE = 2
# A bug of the kafka source: KafkaConsumer refuses a second thread, and a task of a failed query may still use it.
# A fault of Spark on a busy machine: a Python worker does not connect in time. The query is started again, and
# continues; the proof prints the number of restarts.
_OTHER_FAULTS = ("ConcurrentModificationException", "failed to connect back", "CANNOT_OPEN_SOCKET")
_ATTEMPTS = 3
_SHOWN = 3


def main(arguments: list[str]) -> int:
    """Run the proof; returns the exit status."""
    return proof_frame.run(arguments, _prove)


@dataclass
class Side:
    """One of the two sources in a case.

    Attributes:
        source: "kafka" or "kafkafmt".
        reader: options of the source in addition to those of the case.
        checkpoint: checkpoint directory of the query.
        batches: rows by batch.
        failure: error of the last run; "" if it succeeded.
        repeated: number of repeated runs, by source and fault.
    """

    source: str
    reader: dict[str, str]
    checkpoint: Path
    batches: dict[int, list[dict[str, Any]]] = field(default_factory=dict)
    failure: str = ""
    repeated: Counter[str] = field(default_factory=Counter)

    def start(self, spark: SparkSession, options: dict[str, str]) -> StreamingQuery:
        """Start a query that reads up to the current ends of the logs."""
        records = spark.readStream.format(self.source).options(**self.reader).options(**options).load()

        def keep(frame: DataFrame, number: int) -> None:
            rows: pa.Table = frame.toArrow()
            self.batches[number] = sorted(rows.to_pylist(), key=_place)

        writer = records.writeStream.foreachBatch(keep).option("checkpointLocation", str(self.checkpoint))
        return writer.trigger(availableNow=True).start()

    def end(self, query: StreamingQuery) -> None:
        """Wait until a query ends."""
        self.failure = ""
        try:
            if not query.awaitTermination(_QUERY_SECONDS):
                query.stop()
                raise ProofError(f"a query of {self.source} does not end")
        except PySparkException as error:
            self.failure = str(error)

    def repeat(self, spark: SparkSession, options: dict[str, str]) -> None:
        """Run the query again if it failed with one of the unrelated faults."""
        for _ in range(_ATTEMPTS - 1):
            for fault in _OTHER_FAULTS:
                if fault in self.failure:
                    self.repeated[f"{self.source}: {fault}"] += 1
                    self.end(self.start(spark, options))
                    break

    @property
    def offsets(self) -> list[Any]:
        """The offsets log of the checkpoint, batch by batch."""
        files = sorted((self.checkpoint / "offsets").glob("[0-9]*"), key=lambda file: int(file.name))
        return [json.loads(file.read_text().splitlines()[-1]) for file in files]


def _place(row: dict[str, Any]) -> tuple[str, int, int]:
    return row["topic"], row["partition"], row["offset"]


class Pair:
    """A case with both sources.

    Args:
        case: the case.
        home: directory for checkpoints.
        broker: the broker that both read.
    """

    def __init__(self, case: Case, home: Path, broker: Broker) -> None:
        self.case = case
        servers = {
            "kafka.bootstrap.servers": broker.bootstrap_servers,
            "fetchOffset.numRetries": "1",
            "kafkaConsumer.pollTimeoutMs": "30000",
        }
        place = home / case.name.replace(" ", "-")
        self.official = Side("kafka", servers, place / "kafka")
        self.ours = Side("kafkafmt", {"path": str(broker.log_dir)}, place / "kafkafmt")

    def differences(self, step: str) -> Iterator[str]:
        """Differences after a step."""
        official, ours = self.official, self.ours
        said = f"{self.case.name}, {step}"
        if bool(official.failure) != bool(ours.failure):
            yield f"{said}: kafka {_short(official.failure)}; kafkafmt {_short(ours.failure)}"
        if official.offsets != ours.offsets:
            yield f"{said}: offsets {official.offsets[-_SHOWN:]} of kafka, {ours.offsets[-_SHOWN:]} of kafkafmt"
        for number in sorted(official.batches.keys() | ours.batches.keys()):
            one, other = official.batches.get(number), ours.batches.get(number)
            if one != other:
                counts = (len(one or ()), len(other or ()))
                yield f"{said}: batch {number} has {counts[0]} rows of kafka, {counts[1]} of kafkafmt"
                pairs = [(a, b) for a, b in zip(one or (), other or (), strict=False) if a != b]
                yield from (f"  {a}\n  {b}" for a, b in pairs[:1])


def _prove(options: argparse.Namespace, home: Path) -> int:
    begun = time.monotonic()
    cases = [case for case in CASES if case.is_quick or not options.quick]
    with (
        Broker(home / "broker", _SETTINGS) as broker,
        Feeder(broker, home) as feed,
        readers.session(home / "spark", _CONNECTOR) as spark,
    ):
        pairs = [Pair(case, home / "checkpoints", broker) for case in cases]
        found: list[str] = []
        for number, step in enumerate(STEPS):
            feed(*step)
            time.sleep(_SETTLE_SECONDS)
            found += _run(spark, pairs, f"step {number}")
            batches = sum(len(pair.ours.batches) for pair in pairs)
            say_after(begun, f"step {number}: {batches} batches of {len(pairs)} cases")
        found += _exchange(spark, pairs, feed)
        say_after(begun, "checkpoints have changed sides")
        found += _lose(spark, pairs, feed)
        say_after(begun, "records were deleted before they were read")
    for text in found:
        print(text)
    for text, count in sum((side.repeated for pair in pairs for side in (pair.official, pair.ours)), Counter()).items():
        print(f"run again {count} times: {text}")
    batches = sum(len(pair.ours.batches) for pair in pairs)
    rows = sum(len(rows) for pair in pairs for rows in pair.ours.batches.values())
    print(
        f"{len(pairs)} cases, {batches} batches, {rows} rows of each source, {len(found)} differences; "
        f"{time.monotonic() - begun:.0f} s with Spark {pyspark.__version__}"
    )
    return DIFFERS if found else 0


def _run(spark: SparkSession, pairs: Sequence[Pair], step: str, **more: str) -> Iterator[str]:
    """Run both queries of all cases; yields the differences."""
    for begin in range(0, len(pairs), _AT_ONCE):
        some = pairs[begin : begin + _AT_ONCE]
        sides = [(side, pair.case.options) for pair in some for side in (pair.official, pair.ours)]
        queries = [side.start(spark, {**options, **more}) for side, options in sides]
        for (side, options), query in zip(sides, queries, strict=True):
            side.end(query)
            side.repeat(spark, {**options, **more})
    for pair in pairs:
        yield from pair.differences(step)
        if pair.ours.failure:
            yield f"{pair.case.name}, {step}: both fail: {_short(pair.official.failure)}; {_short(pair.ours.failure)}"


def _exchange(spark: SparkSession, pairs: Sequence[Pair], feed: Feeder) -> Iterator[str]:
    """Let each source continue from the other's checkpoint, twice: it must begin with the next record."""
    for number in range(2):
        feed("send orders 0 9", "send orders 3 2", "send paid 0 7", "send paid 1 1", "send quiet 0 1")
        for pair in pairs:
            one, other, spare = pair.official.checkpoint, pair.ours.checkpoint, pair.ours.checkpoint.with_name("spare")
            shutil.move(one, spare)
            shutil.move(other, one)
            shutil.move(spare, other)
        yield from _run(spark, pairs, f"exchange {number}")


def _lose(spark: SparkSession, pairs: Sequence[Pair], feed: Feeder) -> Iterator[str]:
    """Delete records before they are read: both sources fail; with failOnDataLoss = false both continue."""
    feed(*LOSS)
    time.sleep(_SETTLE_SECONDS)
    losing = [pair for pair in pairs if "orders" in json.dumps(pair.case.options)]
    for begin in range(0, len(losing), _AT_ONCE):
        some = losing[begin : begin + _AT_ONCE]
        sides = [(side, pair.case.options) for pair in some for side in (pair.official, pair.ours)]
        queries = [side.start(spark, options) for side, options in sides]
        for (side, _), query in zip(sides, queries, strict=True):
            side.end(query)
    for pair in losing:
        for side in (pair.official, pair.ours):
            if not side.failure:
                yield f"{pair.case.name}: {side.source} does not say that records were lost"
    yield from _run(spark, losing, "records lost", failOnDataLoss="false")


def _short(text: str) -> str:
    lines = [line for line in text.splitlines() if "kafkafmt" in line or "Exception" in line or "Error" in line]
    line = " ".join(" ".join(lines or [text]).split())
    return f"says: {line[:400]}" if line else "goes on"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
