"""Queries of `spark.readStream.format("kafkafmt")`: triggers, checkpoints, restarts, sinks."""

import json
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from tests.logdir.builders import batch
from tests.scanning.growing import Broker

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark")]


@pytest.fixture
def broker(tmp_path: Path) -> Broker:
    made = Broker(tmp_path / "log-dir")
    made.write("t-0", 0, *[batch(at, 2) for at in range(0, 20, 2)])
    made.write("t-1", 0, *[batch(at) for at in range(10)])
    return made


def run(spark: SparkSession, broker: Broker, **options: Any) -> StreamingQuery:
    """Run a query with Trigger.AvailableNow into Parquet files to its end."""
    given = {"startingOffsets": "earliest", **options}
    records = spark.readStream.format("kafkafmt").options(**given).load(str(broker.log_dir))
    home = broker.log_dir.parent
    query = (
        records.select("topic", "partition", "offset")
        .writeStream.format("parquet")
        .option("checkpointLocation", str(home / "checkpoint"))
        .trigger(availableNow=True)
        .start(str(home / "sink"))
    )
    query.awaitTermination(120)
    return query


def written(spark: SparkSession, broker: Broker) -> list[tuple[str, int, int]]:
    sink = str(broker.log_dir.parent / "sink")
    return sorted((row.topic, row.partition, row.offset) for row in spark.read.parquet(sink).collect())


def log_of_offsets(broker: Broker) -> list[dict[str, dict[str, int]]]:
    """The offsets in the checkpoint, batch by batch."""
    files = sorted((broker.log_dir.parent / "checkpoint/offsets").glob("[0-9]*"), key=lambda file: int(file.name))
    return [json.loads(file.read_text().splitlines()[-1]) for file in files]


def test_a_restarted_query_goes_on_with_the_next_record(spark: SparkSession, broker: Broker) -> None:
    run(spark, broker, maxOffsetsPerTrigger=12)
    assert log_of_offsets(broker) == [
        {"t": {"0": 8, "1": 4}},
        {"t": {"0": 16, "1": 8}},
        {"t": {"0": 20, "1": 10}},
    ]
    broker.write("t-0", 20, batch(20))
    broker.write("t-2", 0, batch(0, 2))
    query = run(spark, broker)
    assert log_of_offsets(broker)[3:] == [{"t": {"0": 21, "1": 10, "2": 2}}]
    run(spark, broker)
    assert len(log_of_offsets(broker)) == 4
    expected = [("t", 0, at) for at in range(21)] + [("t", 1, at) for at in range(10)] + [("t", 2, 0), ("t", 2, 1)]
    assert written(spark, broker) == expected
    progress: Any = query.lastProgress
    assert json.loads(progress["sources"][0]["latestOffset"]) == {"t": {"0": 21, "1": 10, "2": 2}}


def test_a_query_that_runs_takes_what_is_written(spark: SparkSession, broker: Broker) -> None:
    found: list[int] = []

    def keep(frame: Any, _: int) -> None:
        found.extend(row.offset for row in frame.collect())

    records = spark.readStream.format("kafkafmt").option("assign", '{"t":[0]}').load(str(broker.log_dir))
    query = records.writeStream.foreachBatch(keep).trigger(processingTime="100 milliseconds").start()
    try:
        query.processAllAvailable()
        assert found == []  # like Spark's kafka source it starts at the end
        for at in range(20, 23):
            broker.write("t-0", 0, batch(at))
            query.processAllAvailable()
            assert found == [*range(20, at + 1)]
    finally:
        query.stop()


def test_errors_name_the_option_and_have_no_traceback(spark: SparkSession, broker: Broker) -> None:
    with pytest.raises(StreamingQueryException) as caught:
        run(spark, broker, endingOffsets="latest")
    assert "option endingOffsets = 'latest': not supported in a stream; a stream has no end" in str(caught.value)
    run(spark, broker)
    broker.delete("t-0", 0)
    broker.write("t-0", 30, batch(30))
    with pytest.raises(StreamingQueryException) as caught:
        run(spark, broker)
    assert "offsets 20 to 29 of t-0 were deleted before they were read; the log now starts at 30" in str(caught.value)
    run(spark, broker, failOnDataLoss="false")
    assert [offset for _, partition, offset in written(spark, broker) if partition == 0] == [*range(20), 30]
