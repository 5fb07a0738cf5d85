"""Producers: the state that partitions keep of the idempotent and transactional producers that wrote to them.

>>> import kafkafmt.topics
>>> kafkafmt.topics.producers("/var/lib/kafka/data").to_table()
"""

from kafkafmt.topics.producer_state.answer import COLUMNS, PartitionProducers, Producers, producers
from kafkafmt.topics.producer_state.check import PRODUCER_CHECK, CheckFinding, ProducerCheck, producer_check
from kafkafmt.topics.producer_state.reading import StateFrom

__all__ = [
    "COLUMNS",
    "PRODUCER_CHECK",
    "CheckFinding",
    "PartitionProducers",
    "ProducerCheck",
    "Producers",
    "StateFrom",
    "producer_check",
    "producers",
]
