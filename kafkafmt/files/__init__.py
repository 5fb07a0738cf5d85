"""One module for each kind of file that Kafka keeps on disk: `read(path)` and `parse(data)` give an object each.

Each module is loaded when it is first used: importing file names must not wait for Arrow.
"""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kafkafmt.files import (
        clean_shutdown,
        leader_epoch_checkpoint,
        meta_properties,
        offset_checkpoint,
        offset_index,
        partition_metadata,
        producer_snapshot,
        quorum_state,
        rsm_manifest,
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
    "rsm_manifest",
    "segment",
    "time_index",
    "transaction_index",
]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return importlib.import_module(f"kafkafmt.files.{name}")
