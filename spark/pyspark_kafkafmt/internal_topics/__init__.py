"""Kafka's internal topics on Spark: their records decoded, and the state of whole fleets of clusters.

- `records`: `read_internal_topic`, the rows of `kafkafmt.topics.read`, one task a split of the logs.
- `states`: `groups`, `transactions`, `producers`, `metadata`: what `kafkafmt.topics` answers, one task a cluster.
"""

from pyspark_kafkafmt.internal_topics.records import read_internal_topic
from pyspark_kafkafmt.internal_topics.states import groups, metadata, producers, transactions

__all__ = ["groups", "metadata", "producers", "read_internal_topic", "transactions"]
