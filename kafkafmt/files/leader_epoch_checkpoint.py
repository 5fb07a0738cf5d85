"""The start of each leader epoch of a partition (`leader-epoch-checkpoint` in its directory).

Kafka's LeaderEpochCheckpointFile (KIP-101), version 0 since 0.11. Epochs without records are left out, and a file of 0
bytes is normal where the message format was below 2.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from kafkafmt.answer_columns import TableColumns, columns_of
from kafkafmt.errors import CorruptError
from kafkafmt.files import text
from kafkafmt.files.bounded import reader
from kafkafmt.libraries import pa

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class EpochEntry:
    """One leader epoch.

    Attributes:
        epoch: number of the epoch.
        start_offset: first offset written in it.
    """

    epoch: Annotated[int, "int32"]
    start_offset: Annotated[int, "int64"]

    @property
    def is_refused(self) -> bool:
        """Whether Kafka throws on the entry, as a number is negative."""
        return self.epoch < 0 or self.start_offset < 0


_TABLE = TableColumns(*columns_of(EpochEntry))


@dataclass(frozen=True, slots=True)
class LeaderEpochCheckpoint:
    """The leader epochs of a partition.

    Attributes:
        entries: the entries in file order, which is ascending in sound files.
        file: name of the file, or None.
        refused: position of the first entry with a negative number, with which Kafka does not start
            (`LeaderEpochFileCache.assign`); None if there is none.
    """

    entries: tuple[EpochEntry, ...]
    file: str | None
    refused: int | None = None

    @property
    def refusal(self) -> CorruptError | None:
        """Why Kafka does not start with the checkpoint, as an error of the refused entry; None if it does start."""
        if self.refused is None:
            return None
        entry = next(each for each in self.entries if each.is_refused)
        return CorruptError(
            "a leader epoch or its start offset is negative: no broker starts with this checkpoint",
            file=self.file,
            position=self.refused,
            expected="0 or more",
            found=f"{entry.epoch} {entry.start_offset}",
        )

    def to_table(self) -> "pa.Table":
        """Make a table of the entries: `epoch` int32, `startOffset` int64."""
        return _TABLE.to_table(self.entries)


def parse(data: bytes | memoryview, *, file: str | None = None) -> LeaderEpochCheckpoint:
    """Parse a leader epoch checkpoint.

    Args:
        data: the whole file; an empty file has no entries.
        file: its name, for error texts.

    Raises:
        UnsupportedError: the version is not 0.
        CorruptError: a line is malformed, or the number of entries differs from the declared one.
    """
    entries, refused = text.read_once(_read, bytes(data), file)
    return LeaderEpochCheckpoint(entries, file, refused)


def _read(data: bytes, file: str | None) -> tuple[tuple[EpochEntry, ...], int | None]:
    """Parse the entries, and find the position of the first that Kafka refuses."""
    entries, refused = [], None
    for line in text.checkpoint_lines(data, 2, file=file):
        entry = EpochEntry(line.integer(0, 32), line.integer(1, 64))
        entries.append(entry)
        if refused is None and entry.is_refused:
            refused = line.position
    return tuple(entries), refused


def encode(entries: "Iterable[EpochEntry]") -> bytes:
    """Make the file, as Kafka's `CheckpointFile` writes it."""
    return text.checkpoint(f"{entry.epoch} {entry.start_offset}" for entry in entries)


read = reader("leader_epochs", parse)
