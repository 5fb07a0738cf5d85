"""LeftLog: the facts kept of a deleted log, and how much of it was never read.

A broker that deletes a partition renames its directory to `<topic>-<partition>.<32 hex digits>-delete`, and removes it
after the broker's log.segment.delete.delay.ms (a minute; the topic's file.delete.delay.ms applies only to segments).
Until then the log end can be found.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kafkafmt.errors import KafkafmtError
from kafkafmt.files.damage import Note
from kafkafmt.files.names import parse_partition_name
from kafkafmt.io.base import Location
from kafkafmt.logdir.leader_epochs import EpochHistory
from kafkafmt.logdir.partition import Partition
from kafkafmt.scanning.file_selection import OffsetRange

if TYPE_CHECKING:
    from kafkafmt.logdir.found import Found


def key_of(found: "Found") -> Hashable:
    """Topic and number of a partition; identity of the location of anything else."""
    topic, partition = found.partition.topic, found.partition.partition
    if found.file is not None or topic is None or partition is None:
        return found.location.identity
    return topic, partition


class DeletedLogs:
    """The directories that brokers have set aside for deletion; each log directory is listed once."""

    def __init__(self) -> None:
        self._by_log_dir: dict[str, dict[tuple[str | None, int | None], list[Partition]]] = {}

    def of(self, place: Location, topic_id: str | None) -> Partition | None:
        """The former directory of a partition; None if it is gone or cannot be identified.

        Args:
            place: where the directory was; or is, if it has already been set aside.
            topic_id: topic id in its partition.metadata, or None.
        """
        name = parse_partition_name(place.name)
        if name.state in ("delete", "stray"):
            return Partition(place)
        try:
            there = self._in(place.parent).get((name.topic, name.partition), ())
            found = [each for each in there if each.topic_id == topic_id]
        except KafkafmtError:
            return None
        return found[0] if len(found) == 1 else None

    def _in(self, log_dir: Location) -> dict[tuple[str | None, int | None], list[Partition]]:
        found = self._by_log_dir.get(log_dir.identity)
        if found is None:
            found = self._by_log_dir[log_dir.identity] = {}
            for entry in log_dir.list():
                name = parse_partition_name(entry.name)
                if name.state == "delete":
                    found.setdefault((name.topic, name.partition), []).append(Partition(entry.location))
        return found


@dataclass(frozen=True, slots=True)
class LeftLog:
    """The facts kept of a log whose directory is gone.

    Attributes:
        name: name of the directory or file in notes.
        place: where the directory was; None for a log file given alone.
        topic_id: topic id, or None.
        next_offset: the next offset to read; None if nothing was read.
        history: leader epochs at the last read, or None.
        since: first offset of the records written while it was followed, or None.
        end: its last known end offset or a later one; None if unknown.
        asked: wanted offsets.
    """

    name: str
    place: Location | None
    topic_id: str | None
    next_offset: int | None
    history: EpochHistory | None
    since: int | None
    end: int | None
    asked: OffsetRange

    def note(self, deleted: DeletedLogs) -> Note:
        """The note in case it does not appear again."""
        text = f"{self.name}: the partition was deleted; it was {self.read_to(deleted)}"
        return Note(text, is_finding=False, path=self._path)

    def unseen_note(self, deleted: DeletedLogs, why: str = "") -> Note | None:
        """The note on a log that was set aside before it was followed; None if it had no records.

        Args:
            deleted: directories in which the log may still be.
            why: why it was not read; empty if it was.
        """
        log = self._log(deleted)
        if log is not None and log[0] == log[1] and not self.next_offset:
            return None
        text = f"{self.name}: the partition was deleted before it was followed; it was {self._read_to(log)}"
        return Note(f"{text}; {why}" if why else text, is_finding=False, path=self._path)

    @property
    def _path(self) -> str | None:
        return None if self.place is None else str(self.place)

    def read_to(self, deleted: DeletedLogs) -> str:
        """In words, how far it was read, and which offsets were not, if known.

        Args:
            deleted: directories in which the log may still be.
        """
        return self._read_to(self._log(deleted))

    def _read_to(self, log: tuple[int, int] | None) -> str:
        start, end, least = self.next_offset, self.end, "at least "
        if log is not None:
            start, end, least = log[0] if start is None else start, log[1], ""
        if self.next_offset and log is not None and end == start:
            return f"read to its end, offset {self.next_offset - 1}"
        unread = self._unread(start, end)
        if not self.next_offset:
            return f"not read: {least}{_offsets(unread)}" if unread else "not read"
        read = f"read up to offset {self.next_offset - 1}"
        were = "was" if len(unread) == 1 else "were"
        return f"{read}, and {least}{_offsets(unread)} {were} not" if unread else read

    def _log(self, deleted: DeletedLogs) -> tuple[int, int] | None:
        """Start and end offset of the log, if it still exists unchanged."""
        partition = None if self.place is None else deleted.of(self.place, self.topic_id)
        try:
            segments = [] if partition is None else partition.segments
            start, end = (segments[0].base_offset, segments[-1].next_offset()) if segments else (None, None)
        except KafkafmtError:
            return None
        # The broker may have begun to delete the files.
        return None if start is None or end is None or end < (self.next_offset or 0) else (start, end)

    def _unread(self, start: int | None, end: int | None) -> range:
        """The wanted offsets that were not read; none if unknown."""
        if start is None or end is None:
            return range(0)
        return range(max(start, self.asked.start or 0), end if self.asked.end is None else min(end, self.asked.end))


def _offsets(offsets: range) -> str:
    return f"offset {offsets[0]}" if len(offsets) == 1 else f"offsets {offsets[0]} to {offsets[-1]}"
