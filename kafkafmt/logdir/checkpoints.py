"""Checkpoint files of a log directory, which hold one offset per partition; read by file name."""

from typing import TYPE_CHECKING

from kafkafmt.errors import DataError, KafkafmtError
from kafkafmt.files import offset_checkpoint
from kafkafmt.reference.entry import without_traceback

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from kafkafmt.io.base import Location

LOG_START_OFFSET_CHECKPOINT = "log-start-offset-checkpoint"
RECOVERY_POINT_CHECKPOINT = "recovery-point-offset-checkpoint"
HIGH_WATERMARK_CHECKPOINT = "replication-offset-checkpoint"
CLEANER_CHECKPOINT = "cleaner-offset-checkpoint"
REPAIR_CHECKPOINT = "repair-offset-checkpoint"
"""Written by `kafkafmt.repair` and `kafkafmt.extract`, not by Kafka: offsets missing below its entries were omitted."""

CHECKPOINTS = (
    RECOVERY_POINT_CHECKPOINT,
    HIGH_WATERMARK_CHECKPOINT,
    LOG_START_OFFSET_CHECKPOINT,
    CLEANER_CHECKPOINT,
    REPAIR_CHECKPOINT,
)


class Checkpoints:
    """The checkpoint files of a directory, each read once, and again only when it has changed.

    Args:
        log_dir: the directory.
    """

    def __init__(self, log_dir: "Location") -> None:
        self._log_dir = log_dir
        self._read: dict[str, tuple[Hashable, Mapping[tuple[str, int], int] | KafkafmtError]] = {}

    def offset(self, name: str, topic: str, partition: int) -> int | None:
        """A partition's entry in the checkpoint of this file name; None if the entry or the file is missing.

        Raises:
            SourceError: the file cannot be read.
            CorruptError, UnsupportedError, LimitExceededError: it is broken.
        """
        file = self._log_dir.child(name)
        version = file.version()
        if version is None:
            return None
        known = self._read.get(name)
        if known is None or known[0] != version:
            known = self._read[name] = (version, _checkpointed_offsets(file))
        if isinstance(known[1], KafkafmtError):
            raise known[1].with_traceback(None)
        return known[1].get((topic, partition))


def _checkpointed_offsets(file: "Location") -> "Mapping[tuple[str, int], int] | KafkafmtError":
    try:
        return offset_checkpoint.read(file).offsets
    except DataError as error:
        # Errors are cached too: thousands of partitions may ask for a file, and some readers continue after an error.
        return without_traceback(error)
