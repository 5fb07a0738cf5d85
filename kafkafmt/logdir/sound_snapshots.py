"""The producer snapshots of a partition from which a broker would rebuild the state of its producers."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kafkafmt.errors import KafkafmtError
from kafkafmt.files import producer_snapshot

if TYPE_CHECKING:
    from kafkafmt.files.producer_snapshot import ProducerState
    from kafkafmt.io.base import Location


@dataclass(frozen=True, slots=True)
class LoadedSnapshot:
    """A snapshot from which the state is rebuilt.

    Attributes:
        offset: log offset at which it was taken (exclusive).
        file: path.
        entries: its producers.
    """

    offset: int
    file: str
    entries: "tuple[ProducerState, ...]"


def newest_first(
    files: "Sequence[tuple[int, Location]]", refused: "Callable[[Location, KafkafmtError], None]"
) -> Iterator[LoadedSnapshot]:
    """Read snapshots, the newest first; broken ones are skipped (`ProducerStateManager.loadFromSnapshot`).

    Args:
        files: offset and location of each file, in order of offsets, as from `Partition.producer_snapshot_files`.
        refused: called with a snapshot that cannot be read, and the error; the snapshot is skipped if it returns.
    """
    for offset, place in reversed(files):
        try:
            snapshot = producer_snapshot.read(place)
        except KafkafmtError as error:
            refused(place, error)
            continue
        yield LoadedSnapshot(offset, str(place), snapshot.entries)
