"""Producers: what each partition remembers of the idempotent and transactional producers that wrote to it.

>>> import kafkafmt.topics
>>> kafkafmt.topics.producers("/var/lib/kafka/data").to_table()
"""

from kafkafmt.topics.producer_state.answer import SCHEMA, PartitionProducers, Producers, producers
from kafkafmt.topics.producer_state.reading import Finding, StateFrom

__all__ = ["SCHEMA", "Finding", "PartitionProducers", "Producers", "StateFrom", "producers"]
