"""One module for each kind of file that Kafka keeps on disk: `read(path)` and `parse(data)` give an object each."""

from kafkafmt.files import (
    clean_shutdown,
    leader_epoch_checkpoint,
    meta_properties,
    offset_checkpoint,
    offset_index,
    partition_metadata,
    producer_snapshot,
    quorum_state,
    segment,
    time_index,
    transaction_index,
)

__all__ = [
    "clean_shutdown",
    "leader_epoch_checkpoint",
    "meta_properties",
    "offset_checkpoint",
    "offset_index",
    "partition_metadata",
    "producer_snapshot",
    "quorum_state",
    "segment",
    "time_index",
    "transaction_index",
]
