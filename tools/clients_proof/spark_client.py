"""Runs the tasks of `driver` with Spark's kafka source, as a batch or as a stream that ends with the existing records.

Takes the jars with commas between them, batch or stream, and the file of tasks.
"""

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import expr

from clients_proof import driver

_MANY = 2**14


def main(jars: str, way: str) -> None:
    """Run the tasks."""
    with tempfile.TemporaryDirectory(prefix="kafkafmt-spark-") as scratch:
        builder = SparkSession.builder.master("local[2]").config("spark.jars", jars)
        builder = builder.config("spark.ui.enabled", "false").config("spark.sql.shuffle.partitions", "1")
        builder = builder.config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1")
        spark = builder.config("spark.log.level", "ERROR").getOrCreate()

        def read(bootstrap: str, level: str, topics: str, _: str) -> Iterator[str]:
            options = {"kafka.bootstrap.servers": bootstrap, "subscribe": topics, "startingOffsets": "earliest"}
            options |= {"includeHeaders": "true", "kafka.isolation.level": level}
            if way == "batch":
                return _lines(spark.read.format("kafka").options(**options).load())
            home = Path(tempfile.mkdtemp(dir=scratch))
            stream = spark.readStream.format("kafka").options(**options, maxOffsetsPerTrigger=_MANY).load()
            writing = stream.writeStream.format("parquet").option("checkpointLocation", str(home / "checkpoint"))
            writing.trigger(availableNow=True).start(str(home / "rows")).awaitTermination()
            return _lines(spark.read.parquet(str(home / "rows")))

        def produce(bootstrap: str, topic: str) -> list[str]:
            rows = spark.createDataFrame([("written",)], "value string")
            rows.write.format("kafka").option("kafka.bootstrap.servers", bootstrap).option("topic", topic).save()
            return []

        driver.main({"read": read, "produce": produce}, (PySparkException, Py4JJavaError))
        spark.stop()


def _lines(rows: DataFrame) -> Iterator[str]:
    time = expr("unix_millis(timestamp) time")
    for row in rows.select("topic", "partition", "offset", time, "key", "value", "headers").collect():
        topic, partition, offset, timestamp, key, value, headers = row
        content = [None if each is None else bytes(each) for each in (key, value)]
        named = [(name, None if each is None else bytes(each)) for name, each in headers or ()]
        yield driver.record_line(topic, partition, offset, timestamp, content[0], content[1], named)


if __name__ == "__main__":
    main(*sys.argv[1:3])
