"""The features in an answer to ApiVersions: those that Kafka 4.4 supports, and their levels in the metadata log.

`kafka-features.sh describe` and UIs read the release of the cluster from `metadata.version`. Before version 4 of the
API, supported features whose lowest level is 0 are left out: older clients fail on them (KAFKA-17011).
"""

from typing import Final

from kafkafmt.protocol.codec import Value
from kafkafmt.serving.api import ABSENT, Broker

_SUPPORTED: Final = {
    "eligible.leader.replicas.version": (0, 1),
    "group.version": (0, 1),
    "kraft.version": (0, 1),
    "metadata.version": (7, 33),
    "share.version": (0, 2),
    "streams.version": (0, 1),
    "transaction.version": (0, 2),
}
# Before version 4 of ApiVersions clients fail on a lowest level of 0 (KAFKA-17011).
_LEVEL_0_SINCE = 4


def features(broker: Broker, version: int) -> Value:
    """The feature fields of an answer in a version; without a metadata log no feature has a level."""
    cluster = broker.disks.known_cluster
    levels = {} if cluster is None else cluster.features
    return {
        "SupportedFeatures": [
            {"Name": name, "MinVersion": lowest, "MaxVersion": highest}
            for name, (lowest, highest) in _SUPPORTED.items()
            if lowest or version >= _LEVEL_0_SINCE
        ],
        "FinalizedFeaturesEpoch": ABSENT if cluster is None else cluster.offset - 1,
        "FinalizedFeatures": [
            {"Name": name, "MinVersionLevel": level, "MaxVersionLevel": level} for name, level in levels.items()
        ],
    }
