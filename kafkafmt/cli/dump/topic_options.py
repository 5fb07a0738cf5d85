"""Which option decodes the records of which internal topic."""

from typing import Final

from kafkafmt.internal_topics import (
    CLUSTER_METADATA,
    CONSUMER_OFFSETS,
    REMOTE_LOG_METADATA,
    SHARE_GROUP_STATE,
    TRANSACTION_STATE,
)

DECODER_OPTIONS: Final = {
    CONSUMER_OFFSETS: "offsets-decoder",
    TRANSACTION_STATE: "transaction-log-decoder",
    CLUSTER_METADATA: "cluster-metadata-decoder",
    REMOTE_LOG_METADATA: "remote-log-metadata-decoder",
    SHARE_GROUP_STATE: "share-group-state-decoder",
}
"""Options by topic. Of several Kafka's tool takes the first, in this order, and so do we."""
