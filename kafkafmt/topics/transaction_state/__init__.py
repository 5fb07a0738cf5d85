"""Transactions: what the coordinator keeps of transactional ids, and what data partitions tell of transactions.

>>> import kafkafmt.topics
>>> kafkafmt.topics.transactions("/var/lib/kafka/data").to_table()
>>> kafkafmt.topics.transactions("/var/lib/kafka/data", data="hanging").data_table()
"""

from kafkafmt.topics.transaction_state.answer import Transactions, transactions
from kafkafmt.topics.transaction_state.coordinator import TransactionalId
from kafkafmt.topics.transaction_state.rows import DATA_SCHEMA, SCHEMA, Transaction

__all__ = ["DATA_SCHEMA", "SCHEMA", "Transaction", "TransactionalId", "Transactions", "transactions"]
