"""Internal topics: records of Kafka's own topics as rows, and the state that a broker derives from them.

    >>> import kafkafmt.topics
    >>> kafkafmt.topics.groups("/var/lib/kafka/data").offsets.to_pandas()

`read` decodes the records of one kind, `decode` those of a scan. `groups`, `transactions`, `producers` and `metadata`
answer like a live cluster, at the end of the log or as of an offset or a time. `belonging` lists the partition
directories that belong to no topic (strays). Each name is loaded when it is first used.
"""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kafkafmt.topics.cluster_metadata import ClusterMetadata, metadata
    from kafkafmt.topics.cluster_metadata.strays import belonging
    from kafkafmt.topics.consumer_groups import Groups, groups
    from kafkafmt.topics.producer_state import Producers, producers
    from kafkafmt.topics.tables import decode, read
    from kafkafmt.topics.transaction_state import Transactions, transactions

__all__ = [
    "ClusterMetadata",
    "Groups",
    "Producers",
    "Transactions",
    "belonging",
    "decode",
    "groups",
    "metadata",
    "producers",
    "read",
    "transactions",
]

_MODULES = {
    "ClusterMetadata": "kafkafmt.topics.cluster_metadata",
    "Groups": "kafkafmt.topics.consumer_groups",
    "Producers": "kafkafmt.topics.producer_state",
    "Transactions": "kafkafmt.topics.transaction_state",
    "belonging": "kafkafmt.topics.cluster_metadata.strays",
    "decode": "kafkafmt.topics.tables",
    "groups": "kafkafmt.topics.consumer_groups",
    "metadata": "kafkafmt.topics.cluster_metadata",
    "producers": "kafkafmt.topics.producer_state",
    "read": "kafkafmt.topics.tables",
    "transactions": "kafkafmt.topics.transaction_state",
}


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(_MODULES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
