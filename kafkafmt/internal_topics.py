"""Names of the topics in which Kafka keeps its own state."""

from typing import Final

CONSUMER_OFFSETS: Final = "__consumer_offsets"
"""Committed offsets and groups (Kafka's `GroupCoordinator`)."""

TRANSACTION_STATE: Final = "__transaction_state"
"""Transactional ids (KIP-98)."""

SHARE_GROUP_STATE: Final = "__share_group_state"
"""Acquired and acknowledged records of share groups (KIP-932)."""

REMOTE_LOG_METADATA: Final = "__remote_log_metadata"
"""Segments in tiered storage (KIP-405)."""

CLUSTER_METADATA: Final = "__cluster_metadata"
"""The KRaft metadata log (KIP-500, KIP-630)."""

CLUSTER_METADATA_ID: Final = "AAAAAAAAAAAAAAAAAAAAAQ"
"""Topic id of the metadata log in every cluster (`Uuid.METADATA_TOPIC_ID`)."""

COORDINATORS_TOPICS: Final = frozenset({CONSUMER_OFFSETS, TRANSACTION_STATE, SHARE_GROUP_STATE})
"""The topics that are compacted by key."""

INTERNAL_TOPICS: Final = COORDINATORS_TOPICS | {REMOTE_LOG_METADATA, CLUSTER_METADATA}
