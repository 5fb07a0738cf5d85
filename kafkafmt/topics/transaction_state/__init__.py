"""Transactions: transactional ids of the transaction coordinator, and the transactions in data partitions.

>>> import kafkafmt.topics
>>> kafkafmt.topics.transactions("/var/lib/kafka/data").to_table()
>>> kafkafmt.topics.transactions("/var/lib/kafka/data", data="hanging").to_table("data")
"""

from kafkafmt.topics.transaction_state.answer import ID_COLUMNS, Transactions, transactions
from kafkafmt.topics.transaction_state.coordinator import TransactionalId
from kafkafmt.topics.transaction_state.data_rows import DATA_COLUMNS, Transaction

__all__ = ["DATA_COLUMNS", "ID_COLUMNS", "Transaction", "TransactionalId", "Transactions", "transactions"]
