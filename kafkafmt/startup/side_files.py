"""The small files beside the segments of a log, as the loader reads them at a start: what it refuses, and how."""

from typing import TYPE_CHECKING

from kafkafmt.errors import DataError, TruncatedError
from kafkafmt.files import partition_metadata, text
from kafkafmt.files.names import PARTITION_METADATA
from kafkafmt.startup.outcome import BrokerError, DirectoryOfflineError
from kafkafmt.startup.recovered import EpochCache
from kafkafmt.survey import advice

if TYPE_CHECKING:
    from kafkafmt.io.base import DirectoryEntry

_ABORTED = 34  # bytes of an entry of a transaction index


def read_epochs(entry: "DirectoryEntry | None") -> EpochCache:
    """Read the leader epochs of a log; empty if the file is missing.

    Raises:
        BrokerError: the broker does not start with the file, or the log directory goes offline.
        SourceError: the file cannot be read.
    """
    epochs = EpochCache()
    if entry is None:
        return epochs
    try:
        epochs.load(entry.location)
    except text.IllegalArgumentError as error:
        raise BrokerError(
            f"java.lang.IllegalArgumentException: {error.message} [{entry.path}]",
            entry.path,
            error.position,
            advice=advice.LEADER_EPOCHS,
        ) from None
    except DataError as error:
        raise DirectoryOfflineError(
            f"java.io.IOException: Malformed line in checkpoint file [{entry.path}]",
            entry.path,
            error.position,
            advice=advice.LEADER_EPOCHS,
        ) from None
    except BrokerError as error:
        error.advice = advice.LEADER_EPOCHS
        raise
    return epochs


def check_topic_id(entry: "DirectoryEntry | None") -> None:
    """Read the topic id of a log; raises the errors of `read_epochs`."""
    if entry is None:
        return
    try:
        partition_metadata.read(entry.location)
    except (TruncatedError, text.IllegalArgumentError) as error:
        thrown = "NullPointerException" if isinstance(error, TruncatedError) else "IllegalArgumentException"
        raise BrokerError(
            f"java.lang.{thrown}: {error.message} in partition metadata file [{entry.path}]",
            entry.path,
            error.position,
            advice=advice.of_small_file(PARTITION_METADATA),
        ) from None
    except DataError as error:
        raise DirectoryOfflineError(
            f"java.io.IOException: Malformed line in partition metadata file [{entry.path}]",
            entry.path,
            error.position,
            advice=advice.of_small_file(PARTITION_METADATA),
        ) from None


def is_wrong_index(entry: "DirectoryEntry | None", base_offset: int) -> bool:
    """Whether a transaction index makes Kafka recover its segment: `TransactionIndex.sanityCheck`.

    Args:
        entry: the file, if there is one.
        base_offset: base offset of the segment.

    Raises:
        BrokerError: an entry has a version that Kafka does not know.
        SourceError: the file cannot be read.
    """
    if entry is None or not entry.size:
        return False
    with entry.location.open() as file:
        data = file.read_at(0, file.size)
    for position in range(0, len(data) - _ABORTED + 1, _ABORTED):
        # Kafka reads only the first of the version's two bytes, as a signed number.
        version = int.from_bytes(data[position : position + 1], "big", signed=True)
        if version > 0:
            raise BrokerError(
                f"KafkaException: Unexpected aborted transaction version {version} in transaction index "
                f"{entry.path}, current version is 0",
                entry.path,
                position,
                advice=advice.INDEX,
            )
        last_offset = int.from_bytes(data[position + 18 : position + 26], "big", signed=True)
        if last_offset < base_offset:
            return True
    return False
