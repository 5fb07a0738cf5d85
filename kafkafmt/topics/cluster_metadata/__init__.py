"""Cluster metadata: topics, brokers, configs, ... from the KRaft log and its snapshots (KIP-500, KIP-630).

`kafkafmt.topics.metadata` reads the metadata; `ClusterMetadata` and its parts are frozen values. Names are those of
Kafka's enums and images (`TopicImage`, `PartitionRegistration`, ...), UUIDs are in Kafka's text form, times in ms since
the epoch.

`topics`, `nodes` and `settings` define these parts, and how each record changes them in an `image`; `replay` applies
records, and `sections` makes tables of the resulting state. Each name is loaded when it is first used, as `kafkafmt ls`
searches everywhere for a metadata log, and usually finds none.
"""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kafkafmt.topics.cluster_metadata.cluster import ClusterMetadata, MetadataProvenance
    from kafkafmt.topics.cluster_metadata.nodes import (
        BrokerRegistration,
        ControllerRegistration,
        Endpoint,
        SupportedFeature,
        Voter,
    )
    from kafkafmt.topics.cluster_metadata.reading import metadata, metadata_of
    from kafkafmt.topics.cluster_metadata.replay import IgnoredRecord, OpenTransaction
    from kafkafmt.topics.cluster_metadata.settings import (
        AccessControlEntry,
        ClientQuota,
        Config,
        DelegationToken,
        Redacted,
        ScramCredential,
    )
    from kafkafmt.topics.cluster_metadata.topics import PartitionRegistration, Topic

__all__ = [
    "AccessControlEntry",
    "BrokerRegistration",
    "ClientQuota",
    "ClusterMetadata",
    "Config",
    "ControllerRegistration",
    "DelegationToken",
    "Endpoint",
    "IgnoredRecord",
    "MetadataProvenance",
    "OpenTransaction",
    "PartitionRegistration",
    "Redacted",
    "ScramCredential",
    "SupportedFeature",
    "Topic",
    "Voter",
    "metadata",
    "metadata_of",
]

_MODULES = {
    **dict.fromkeys(("ClusterMetadata", "MetadataProvenance"), "cluster"),
    **dict.fromkeys(("OpenTransaction", "IgnoredRecord"), "replay"),
    **dict.fromkeys(("metadata", "metadata_of"), "reading"),
    **dict.fromkeys(("PartitionRegistration", "Topic"), "topics"),
    **dict.fromkeys(("BrokerRegistration", "ControllerRegistration", "Endpoint", "SupportedFeature", "Voter"), "nodes"),
}
_OTHERS = "settings"


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_MODULES.get(name, _OTHERS)}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
