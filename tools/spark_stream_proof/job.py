"""The query that the proof kills: streams a log directory into a Delta table until it is ended.

Arguments: the log directory, the checkpoint, the table, "forever" or "now", and the settings of the session as JSON.
"""

import json
import os
import sys

from pyspark.sql import SparkSession


def main(log_dir: str, checkpoint: str, table: str, mode: str, settings: str) -> int:
    """Run the query; prints `running` once it runs."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2,4]").appName("streaming-kills").config(map=json.loads(settings))
    spark = builder.getOrCreate()
    records = (
        spark.readStream.format("kafkafmt")
        .option("subscribe", "orders,paid")
        .option("startingOffsets", "earliest")
        .option("kafka.isolation.level", "read_committed")
        .option("maxRecordsPerPartition", "4000")
        .option("checkpointLocation", checkpoint)
        .load(log_dir)
    )
    writer = records.select("topic", "partition", "offset", "value").writeStream.format("delta")
    writer = writer.option("checkpointLocation", checkpoint)
    if mode == "now":
        writer = writer.trigger(availableNow=True)
    query = writer.start(table)
    print("running", flush=True)
    query.awaitTermination()
    spark.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
