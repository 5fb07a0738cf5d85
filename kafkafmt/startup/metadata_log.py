"""The load of a node's metadata log by Kafka's `KafkaRaftLog`."""

import re
from contextlib import suppress
from typing import TYPE_CHECKING

from kafkafmt.errors import DataError, KafkafmtError
from kafkafmt.files import quorum_state
from kafkafmt.files.names import PARTITION_METADATA
from kafkafmt.internal_topics import CLUSTER_METADATA_ID
from kafkafmt.startup.log_load import load_log
from kafkafmt.startup.outcome import BrokerError, LoadedLog
from kafkafmt.startup.segment import LoadedSegment
from kafkafmt.survey.advice import METADATA_TOPIC_ID, of_small_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkafmt.files.quorum_state import QuorumState
    from kafkafmt.io.base import DirectoryEntry
    from kafkafmt.startup.outcome import PartitionStart

_SNAPSHOT = re.compile(r"[0-9]{20}-[0-9]{10}\.checkpoint")


def load_metadata_log(log: "PartitionStart") -> None:
    """Load a metadata log, and fill in the result.

    Raises:
        DirectoryOfflineError: a broken file takes the directory offline.
        BrokerError: the node does not start.
        SourceError: a file cannot be read.
    """
    log.listing = log.location.list()
    # The controller recovers its whole log at every start.
    log.log = load_log(log.listing, recovery_point=0, log_start_offset=0, clean_shutdown=False)
    log.action = "recover"
    _check_topic_id(log)
    _check_snapshots(log.listing, log.log, log.path)
    _check_elections(log)
    log.reason = log.log.reason


def elected_in(log: "PartitionStart") -> "QuorumState | None":
    """The elections in a metadata log's quorum-state; None if it is missing or unreadable."""
    entry = _elections(log)
    if entry is not None:
        with suppress(KafkafmtError):  # the survey reports the error
            return quorum_state.read(entry.location)
    return None


def _check_topic_id(log: "PartitionStart") -> None:
    """`UnifiedLog.create` with the topic id of the metadata log.

    Raises:
        BrokerError: partition.metadata has another topic id.
    """
    found = log.topic_id()
    if found not in (None, CLUSTER_METADATA_ID):
        path = f"{log.path}/{PARTITION_METADATA}"
        raise BrokerError(
            f"InconsistentTopicIdException: Tried to assign topic ID {CLUSTER_METADATA_ID} to log for topic partition "
            f"{log.name}, but log already contained topic ID {found}",
            path,
            advice=METADATA_TOPIC_ID,
        )


def _elections(log: "PartitionStart") -> "DirectoryEntry | None":
    return next((each for each in log.listing if each.name == quorum_state.FILE_NAME and each.is_file), None)


def _check_elections(log: "PartitionStart") -> None:
    """`FileQuorumStateStore.readElectionState`, the first step of `KafkaRaftClient`.

    Raises:
        BrokerError: the node does not start, as the file cannot be read; it starts if the file is missing.
        SourceError: this user may not read the file.
    """
    entry = _elections(log)
    if entry is None:
        return
    try:
        quorum_state.read(entry.location)
    except DataError as error:
        raise BrokerError(
            f"Error while reading the Quorum status from the file {entry.path}: {error.message}",
            entry.path,
            error.position,
            advice=of_small_file(quorum_state.FILE_NAME),
        ) from None


def _check_snapshots(listing: "Sequence[DirectoryEntry]", loaded: LoadedLog, path: str) -> None:
    """`KafkaRaftLog.recoverSnapshots`, and the first load of the newest snapshot.

    A log that ends before the newest snapshot is deleted, and restarts at its end: the snapshot has the records that
    the log lost.

    Args:
        listing: entries of the directory.
        loaded: the recovered log.
        path: path of the directory.

    Raises:
        BrokerError: there is no readable snapshot although one is needed.
    """
    snapshots = sorted(
        (match[0], entry) for entry in listing if entry.is_file and (match := _SNAPSHOT.fullmatch(entry.name))
    )
    if not snapshots:
        if loaded.log_start_offset > 0:
            raise BrokerError(
                "java.lang.IllegalStateException: Inconsistent snapshot state: there must be a snapshot at an "
                f"offset larger then the current log start offset {loaded.log_start_offset}",
                path,
                advice="copy the snapshots (.checkpoint) and the log of another controller",
            )
        return
    _, newest = snapshots[-1]
    segment = LoadedSegment(0, newest, None)  # batches of a snapshot begin at 0
    try:
        found = segment.recover()
    finally:
        segment.close()
    if found.reason:
        raise BrokerError(
            f"errors.CorruptRecordException: {found.reason}",
            newest.path,
            found.size,
            advice="move the snapshot away if an earlier one and the log after it are there, "
            "else copy the metadata log of another controller",
        )
    if loaded.log_end_offset < int(newest.name[:20]):
        names = {f"{base:020d}.log" for base in loaded.walked}
        loaded.deleted_segments = sorted({*loaded.deleted_segments, *names})
        loaded.rebuilt = []
