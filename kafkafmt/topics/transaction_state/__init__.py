"""Transactions: transactional ids of the transaction coordinator, and the transactions in data partitions.

>>> import kafkafmt.topics
>>> kafkafmt.topics.transactions("/var/lib/kafka/data").to_table()
>>> kafkafmt.topics.transactions("/var/lib/kafka/data", data="hanging").to_table("data")
"""

from kafkafmt.topics.transaction_state.answer import SCHEMA, Transactions, transactions
from kafkafmt.topics.transaction_state.coordinator import TransactionalId
from kafkafmt.topics.transaction_state.data_rows import DATA_SCHEMA, Transaction

__all__ = ["DATA_SCHEMA", "SCHEMA", "Transaction", "TransactionalId", "Transactions", "transactions"]
