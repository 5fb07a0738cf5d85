"""Writing: batches as Kafka's producer makes them, segments and directories as its broker keeps them."""

from kafkafmt.writing.batch_builder import BatchBuilder
from kafkafmt.writing.log_writer import LogWriter

__all__ = ["BatchBuilder", "LogWriter"]
