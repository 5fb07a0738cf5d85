"""Kafka's files in Spark 4.0 and later: functions for what `spark.read.format("binaryFile")` gives.

Importing this is cheap: the decoders are loaded where a file is decoded.
"""

from pyspark_kafkafmt.functions import parse_offset_index, parse_segment, parse_time_index, register

__all__ = ["parse_offset_index", "parse_segment", "parse_time_index", "register"]
