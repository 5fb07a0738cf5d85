"""FollowedLog: a log that is followed: the reader's position, and the entries written since the last read."""

from collections.abc import Generator, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from itertools import zip_longest
from operator import add
from typing import TYPE_CHECKING

from kafkafmt.errors import DataError, SourceError
from kafkafmt.files import entry_points
from kafkafmt.files.damage import Damage, Note
from kafkafmt.files.whole_entries import Reach, Removed, removed_offsets, whole_entries
from kafkafmt.libraries import pa
from kafkafmt.logdir import lookup
from kafkafmt.logdir.growth import GrowingLog, ReadingPlace, cut, inode_of, require_unchanged
from kafkafmt.logdir.leader_epochs import EpochHistory, history_beside
from kafkafmt.logdir.segment import Segment
from kafkafmt.reference.layout import RECORD_BATCH_OVERHEAD
from kafkafmt.scanning.arguments import HIGH_WATERMARK
from kafkafmt.scanning.batch_filter import note_of
from kafkafmt.scanning.batching import Part
from kafkafmt.scanning.execution import Pass
from kafkafmt.scanning.file_selection import OffsetRange, strictest
from kafkafmt.scanning.left_log import DeletedLogs, LeftLog, key_of
from kafkafmt.scanning.open_task import OpenTask
from kafkafmt.scanning.read_committed import CommittedTail
from kafkafmt.scanning.selection import Selection
from kafkafmt.scanning.tasks import ScanTask

if TYPE_CHECKING:
    from kafkafmt.io.base import File
    from kafkafmt.logdir.found import Found
    from kafkafmt.scanning.decoders import Decoders

# After this many changes of a file without a new entry, the bytes after the last entry are read, as they may be damage.
_CHANGES_IN_VAIN = 3


class FollowedLog:
    """A partition directory, or a log file given alone, that is read repeatedly as it grows.

    Args:
        found: the directory or file.
        before: the followed log of the same partition in a directory that is gone; it is continued if it is the same
            log, as after a move to another log directory.

    Attributes:
        found: as given.
        before: as given, until the directory is listed for the first time.
        next_offset: the next offset to read; None before the first read.
        history: leader epochs at the last read, or None.
        failures: number of consecutive failures to read it.
        log: directory and segments; if a look finds another log there, that log has not been read yet.
    """

    def __init__(self, found: "Found", before: LeftLog | None = None) -> None:
        self.found = found
        self.next_offset: int | None = None
        self.failures = 0
        self.log = GrowingLog(found)
        self._may_grow = found.partition.state not in ("delete", "stray")
        self._place: ReadingPlace | None = None
        self.history: EpochHistory | None = None
        self._committed: CommittedTail | None = None
        self._high_watermark: int | None = None
        self._in_vain = 0
        # Whether another log was created in its place; then offsets requested by partition do not apply.
        self._is_another = False
        # Offsets from here on were written while the log was followed; lower ones may have been missing before.
        self._since: int | None = None
        # The log end at the last look, or a later one.
        self._end: int | None = None
        self._removed: list[Removed] = []
        self.before = before
        if before is not None:
            self.next_offset, self.history, self._since = before.next_offset, before.history, before.since
            self.log.topic_id = before.topic_id

    @property
    def key(self) -> Hashable:
        """Its key as a replica, by `key_of`."""
        return key_of(self.found)

    def leave(self, selection: Selection) -> LeftLog:
        """The facts to keep in case the log appears again in another directory.

        Args:
            selection: the wanted records.
        """
        return self._left(self.log.topic_id, selection)

    def _left(self, topic_id: str | None, selection: Selection) -> LeftLog:
        place = self.found.location if self.found.file is None else None
        if selection.end_offset == HIGH_WATERMARK:
            selection = replace(selection, end_offset=None)
        asked = selection.offsets(self.log.partition, None)
        return LeftLog(self.name, place, topic_id, self.next_offset, self.history, self._since, self._end, asked)

    @property
    def name(self) -> str:
        """Name of the directory or file in notes."""
        return self.found.location.name

    def has_changed(self, reading: Pass) -> bool:
        """Whether there may be something to read, judged by the status of its files."""
        is_due = self.log.has_changed()
        if reading.selection.end_offset == HIGH_WATERMARK:
            is_due |= self.log.partition.high_watermark != self._high_watermark
        return is_due

    def fail(self) -> None:
        """Note a failure to read it; the next poll lists it again."""
        self.failures += 1
        self.log.look_again()

    def read(self, reading: Pass, decoders: "Decoders | None") -> Generator[Part, None, None]:
        """Yield the records written since the last read; none yet if another log was found in its place.

        Args:
            reading: the pass; damage is skipped, and errors raised by `reading.report` end the read.
            decoders: the decoders of the columnar engine, or None.

        Raises:
            SourceError: a file or the directory cannot be read; it may have been deleted since it was listed.
            DataError: raised by `reading.report`.
        """
        if not self.failures:  # after a failure a search may show where it went
            self.log.require_found()
        segments = self._segments(reading)
        if self.log.was_replaced:
            self.log.look_again()
            return
        offsets = self._wanted(segments, reading)
        committed = self._committed
        number = self._find_place(segments, offsets, reading)
        if self._committed is not committed:  # the log was truncated
            offsets = self._wanted(segments, reading)
        try:
            while 0 <= number < len(segments):
                if not (yield from self._read_segment(segments, number, offsets, reading, decoders)):
                    break
                number += 1
        finally:
            self._say_removed(reading)
        if self._since is None and segments:
            self._since = segments[-1].base_offset if self.next_offset is None else self.next_offset
        self.failures = 0

    def tail(self, reading: Pass, count: int, schema: "pa.Schema") -> list[Part]:
        """Return the last present records, and continue after them.

        Args:
            reading: the pass.
            count: maximal number of records.
            schema: wanted columns.

        Raises:
            SourceError, DataError: as for `read`.
        """
        self.log.begin()
        segments = self._segments(reading)
        if self.log.was_replaced:
            self.log.look_again()
        if self.log.was_replaced or not segments:
            return []
        last = segments[-1].last_entry()
        end = segments[-1].base_offset if last is None or last.last_offset is None else last.last_offset + 1
        position = 0 if last is None else last.position + last.size_in_bytes
        segments = [*segments[:-1], cut(segments[-1], position)]
        offsets = self._wanted(segments, reading)
        stop = strictest(min, end, offsets.end)
        start = 0 if offsets.start is None else max(lookup.floor(segments, offsets.start), 0)
        wanted = self._narrowed(replace(offsets, end=stop), reading)
        tasks = [
            ScanTask(*self._name, segment, wanted, following, following is None)
            for segment, following in zip_longest(
                segments[start:], [each.base_offset for each in segments[start + 1 :]]
            )
        ]
        self.next_offset = self._since = stop
        return reading.tail(tasks, count, schema) if count else []

    @property
    def _name(self) -> tuple[str | None, int | None]:
        return self.log.partition.topic, self.log.partition.partition

    def _segments(self, reading: Pass) -> Sequence[Segment]:
        """The log as it is now; if it is a different one, reading restarts."""
        topic_id = self.log.topic_id
        segments = self.log.segments()
        if self.log.was_replaced:
            left, self.before = self.before or self._left(topic_id, reading.selection), None
            read_to = left.read_to(DeletedLogs())
            self._is_another = True
            text = f"the deleted one was {read_to}; the new one is read from its start"
            self._note(reading, f"the topic was deleted and created again; {text}")
            self._start_anew(None)
            self._since = 0
        self.before = None
        self._end = segments[-1].base_offset if segments else None
        return segments

    def _asked(self, selection: Selection) -> Selection:
        """The selection to apply to the present log."""
        is_by_partition = isinstance(selection.start_offset, Mapping)
        return replace(selection, start_offset=None) if self._is_another and is_by_partition else selection

    def _start_anew(self, next_offset: int | None) -> None:
        self.next_offset = next_offset
        self._place = self.history = self._committed = None

    def _see_removed(
        self, file: "File", begin: int, end: int, asked: tuple[int | None, int | None], reading: Pass
    ) -> None:
        """Note offsets between wanted ones that compaction removed, by the entries read."""
        first, following = asked
        since = strictest(max, self.next_offset, self._since, first) or 0
        if self._since is None or following is None or following <= since:
            return
        removed = removed_offsets(
            file, begin, end, reading.limits, since=since, end_offset=following, buffer=reading.buffer
        )
        self._removed += [] if removed is None else [removed]

    def _say_removed(self, reading: Pass) -> None:
        """Report offsets that compaction removed before they were read, in one note for all gaps."""
        if not self._removed:
            return
        removed = reduce(add, self._removed)
        self._removed.clear()
        was, it_was = ("was", "it was") if removed.count == 1 else ("were", "they were")
        self._note(reading, f"{removed} {was} removed by compaction before {it_was} read")

    def _note(self, reading: Pass, text: str) -> None:
        of = self.log.partition
        text = f"{self.name}: {text}"
        reading.note(Note(text, is_finding=False, path=of.path, topic=of.topic, partition=of.partition))

    def _log_start_offset(self, reading: Pass) -> int | None:
        """Lowest offset to read, from the log-start-offset-checkpoint; None for all."""
        if reading.selection.below_log_start:
            return None
        try:
            return self.log.log_start_offset
        except DataError as error:
            reading.broken(error)
            return None

    def _wanted(self, segments: Sequence[Segment], reading: Pass) -> OffsetRange:
        """The wanted offsets, as in a scan: up to the high watermark, and committed ones."""
        # An end that comes from an expression may divide a batch; the end determined here withholds whole batches.
        selection = replace(self._asked(reading.selection), expression=None)
        offsets = selection.offsets(self.log.partition, self._log_start_offset(reading))
        if reading.selection.end_offset == HIGH_WATERMARK:
            self._high_watermark = offsets.end
        if reading.selection.isolation_level == "read_uncommitted":
            return offsets
        if self._committed is None:
            self._committed = CommittedTail(reading.limits, verify_checksums=reading.verify_checksums)
        for number in range(self._committed.first_of(segments), len(segments)):
            segment = segments[number]
            is_last = number == len(segments) - 1
            may_grow = is_last or (offsets.end is not None and (segments[number + 1].base_offset or 0) > offsets.end)
            log = list(segments)
            if may_grow:
                begin = self._committed.position_in(segment)
                with segment.open() as file:
                    log[number] = cut(segment, self._reach(file, begin, offsets.end, reading).position)
            self._committed.advance(log, number, may_grow=may_grow)
            if may_grow:
                break
        transactions = self._committed.transactions(self.next_offset or 0)
        return replace(offsets.within(None, transactions.last_stable_offset), transactions=transactions)

    def _narrowed(self, offsets: OffsetRange, reading: Pass) -> OffsetRange:
        """The selected part of a range of offsets; its end may be inside a batch."""
        wanted = self._asked(reading.selection).offsets(self.log.partition, None)
        return offsets.within(wanted.start, wanted.end)

    def _find_place(self, segments: Sequence[Segment], offsets: OffsetRange, reading: Pass) -> int:
        """Number of the segment to continue with; notes report missed and truncated offsets."""
        if not segments:
            return -1
        number = self._number_of_place(segments)
        if number < 0:
            self._place = None
            self._see_truncation(segments, reading)
        log_start = self._log_start_offset(reading)
        start = strictest(max, segments[0].base_offset, log_start)
        if self.next_offset is not None and start is not None and self.next_offset < start:
            asked = self._narrowed(OffsetRange(), reading).start
            missed = max(self.next_offset, asked or 0)
            if missed < start:
                text = f"offsets {missed} to {start - 1} were deleted before they were read"
                self._note(reading, f"{text}; the log now starts at {start}")
            self._place, self.next_offset = None, start
        if self._place is not None:
            return number
        first = strictest(max, self.next_offset, offsets.start) or 0
        return max(lookup.floor(segments, first), 0)

    def _number_of_place(self, segments: Sequence[Segment]) -> int:
        """Number of the segment with the reader's position; -1 if there is none, or if it is outdated."""
        place = self._place
        for number, segment in enumerate(segments if place is not None else ()):
            if place is not None and segment.base_offset == place.base_offset:
                return number if place.is_in(segment) else -1
        return -1

    def _see_truncation(self, segments: Sequence[Segment], reading: Pass) -> None:
        """Go back if the log ends before the next offset, or has other leader epochs below it."""
        next_offset = self.next_offset
        if next_offset is None:
            return
        last = segments[-1]
        log_end = strictest(max, last.next_offset(), self._log_start_offset(reading))
        now = history_beside(last)
        parting = None if now is None or self.history is None else now.parting(self.history, next_offset)
        to = strictest(min, log_end, parting)
        if to is not None and to < next_offset:
            self._start_anew(to)
            self._since = None if self._since is None else min(to, self._since)
            text = f"the log was truncated to offset {to}, and {next_offset} would have been next"
            self._note(reading, f"{text}: records already delivered from {to} on are no longer part of it")

    def _reach(self, file: "File", begin: int, end_offset: int | None, reading: Pass) -> Reach:
        """How far whole entries extend in a file that may grow."""
        is_growing = self._may_grow and self._in_vain < _CHANGES_IN_VAIN
        return whole_entries(
            file, begin, reading.limits, end_offset=end_offset, is_growing=is_growing, buffer=reading.buffer
        )

    def _read_segment(
        self, segments: Sequence[Segment], number: int, offsets: OffsetRange, reading: Pass, decoders: "Decoders | None"
    ) -> Generator[Part, None, bool]:
        """Continue in one segment; return whether it has been read completely, so that the next one follows."""
        segment, place = segments[number], self._place
        following = segments[number + 1].base_offset if number + 1 < len(segments) else None
        is_whole = number + 1 < len(segments) and (offsets.end is None or (following or 0) <= offsets.end)
        inode = inode_of(segment)
        narrowed = self._narrowed(offsets, reading)
        start = strictest(max, self.next_offset, narrowed.start)
        if place is not None and place.next_offset is not None and place.next_offset >= (start or 0):
            start = None  # everything after the position is wanted
        with segment.open() as file:
            if place is not None:
                begin = place.position
            else:
                index = segment.ranged_offset_index
                begin = entry_points.begin(file, index, segment.base_offset, start, reading.limits)
            reach = Reach(segment.size) if is_whole else self._reach(file, begin, offsets.end, reading)
        if reach.position == begin and not is_whole:
            self._in_vain += 1
            self._place = place or ReadingPlace(segment.base_offset, inode, begin)
            return False
        self._in_vain = 0
        file_cut = cut(segment, reach.position)
        wanted = replace(self._narrowed(replace(offsets, end=None), reading), start=start)
        task = ScanTask(*self._name, file_cut, wanted, following if is_whole else None, not is_whole, begin)
        waiting: list[Damage] = []
        order = reading.order_of(task, opening=lambda fault: reading.note(note_of(segment.path, fault)), is_last=False)
        if place is not None and place.marked and place.next_offset is not None:
            order.see_offsets(None, place.next_offset - 1, place.mark, place.position - place.mark)

        def report(damage: Damage) -> None:
            # At the end of a growing log damage waits: the last batch may still be incomplete.
            if self._may_grow and not is_whole and damage.position + damage.length >= file_cut.size:
                waiting.append(damage)
                return
            require_unchanged(segment, inode, is_whole=is_whole)
            reading.report(damage)

        came_to, next_offset = begin, None
        with file_cut.open() as file:
            require_unchanged(segment, inode, is_whole=is_whole)
            opened = OpenTask(reading, task, file, decoders, order=order, report=report, to_the_end=True)
            try:
                yield from opened.decode(begin)
                came_to, next_offset = file_cut.size, following if is_whole else reach.next_offset
                if waiting:
                    came_to, next_offset = waiting[0].position, order.next_offset
                self._see_removed(
                    file, begin, came_to, (narrowed.start, following if is_whole else next_offset), reading
                )
            except SourceError:
                came_to, next_offset = opened.reader.position, order.next_offset
                raise
            finally:
                if next_offset is not None:
                    self.next_offset = max(next_offset, self.next_offset or 0)
                mark = 0 if waiting or reach.last is None else min(reach.last, came_to)
                marked = file.read_at(mark, min(RECORD_BATCH_OVERHEAD, came_to - mark))
                self._place = ReadingPlace(segment.base_offset, inode, came_to, next_offset, mark, marked)
        self.history = history_beside(segment) or self.history
        if is_whole:
            self._place = None
        return is_whole
