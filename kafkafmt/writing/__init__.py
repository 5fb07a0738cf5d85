"""Writing: batches as Kafka's producer makes them, segments and directories as its broker keeps them."""

from kafkafmt.writing.batch_builder import BatchBuilder

__all__ = ["BatchBuilder"]
