"""Raft snapshots (`<end offset>-<epoch>.checkpoint`, KIP-630) of a metadata log: which there are, by their names."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kafkafmt.io.base import DirectoryEntry, Location

BOOTSTRAP = "bootstrap.checkpoint"
"""What `kafka-storage format` leaves in a log directory: the records that an empty metadata log begins with."""

_NAME = re.compile(r"([0-9]{20})-([0-9]{10})\.checkpoint(\.part)?")


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A snapshot file, by its name.

    Attributes:
        end_offset: it holds what the records below this offset add up to.
        epoch: leader epoch of the last of them.
        location: where it is.
        size: bytes when it was listed.
        is_partial: whether the broker had not written it to its end (`.part`).
    """

    end_offset: int
    epoch: int
    location: "Location"
    size: int | None
    is_partial: bool = False

    @property
    def name(self) -> str:
        """Base name."""
        return self.location.name


def snapshot_of(location: "Location", size: int | None = None) -> Snapshot | None:
    """Tell by its name which snapshot a file is; None if it is none."""
    match = _NAME.fullmatch(location.name)
    if match is None or int(match[1]) > 2**63 - 1 or int(match[2]) > 2**31 - 1:
        return None
    return Snapshot(int(match[1]), int(match[2]), location, size, is_partial=match[3] is not None)


def snapshots_in(listing: "Iterable[DirectoryEntry]") -> list[Snapshot]:
    """The snapshots in a directory, the newest first."""
    found = [snapshot_of(entry.location, entry.size) for entry in listing if entry.is_file]
    known = [snapshot for snapshot in found if snapshot is not None]
    return sorted(known, key=lambda snapshot: (snapshot.end_offset, snapshot.epoch), reverse=True)
