"""bootstrap.checkpoint as a node reads it at each start: Kafka's `BootstrapDirectory` and `BatchFileReader`."""

from typing import TYPE_CHECKING, Final

from kafkafmt.errors import DataError
from kafkafmt.internal_topics import CLUSTER_METADATA
from kafkafmt.reference.entry import Entry
from kafkafmt.reference.messages import framed_records
from kafkafmt.startup.outcome import BrokerError
from kafkafmt.startup.segment import LoadedSegment
from kafkafmt.survey.advice import BOOTSTRAP

if TYPE_CHECKING:
    from kafkafmt.io.base import DirectoryEntry

_VERSION: Final = "metadata.version"


def check_bootstrap(entry: "DirectoryEntry") -> None:
    """Read a bootstrap.checkpoint; Kafka does not check its CRCs.

    Raises:
        BrokerError: the node does not start with this file.
        SourceError: the file cannot be read.
    """
    segment = LoadedSegment(0, entry, None)
    try:
        has_version = _has_version(segment)
    except DataError as error:
        raise BrokerError(f"{entry.path} cannot be read: {error.message}", entry.path, advice=BOOTSTRAP) from None
    except BrokerError as error:
        error.advice = BOOTSTRAP
        raise
    finally:
        segment.close()
    if not has_version:
        raise BrokerError(
            f"java.lang.RuntimeException: No FeatureLevelRecord for {_VERSION} was found in the bootstrap metadata "
            f"from the binary bootstrap metadata file: {entry.path}",
            entry.path,
            advice=BOOTSTRAP,
        )


def _has_version(segment: LoadedSegment) -> bool:
    """Whether a record holds the feature level of the metadata version; all records are decoded."""
    found = False
    for batch in segment.batches():
        for record in Entry(bytes(segment.data(batch)), segment.name, batch.position).records():
            if not batch.is_control:
                data = framed_records.decode(CLUSTER_METADATA, bytes(record.value or b"")).message.data
                found |= data.get("name") == _VERSION and "featureLevel" in data
    return found
