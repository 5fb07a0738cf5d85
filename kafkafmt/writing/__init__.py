"""Writing: batches as Kafka's producer makes them, segments and directories as a broker stores them."""

from kafkafmt.writing.accumulator import Accumulator
from kafkafmt.writing.batch_builder import BatchBuilder
from kafkafmt.writing.log_writer import LogWriter
from kafkafmt.writing.partitioner import murmur2, partition_for_key
from kafkafmt.writing.sender import accumulate

__all__ = ["Accumulator", "BatchBuilder", "LogWriter", "accumulate", "murmur2", "partition_for_key"]
