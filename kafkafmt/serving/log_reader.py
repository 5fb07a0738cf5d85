"""LogReader: gives the batches of one partition to Fetches, from the listed segments.

Batches are judged before they are sent, a few MiB ahead of a reader that continues. If a file does not change, and the
system can send from it, only the places of judged batches are kept: any reader's answers are cut from them, and sent
from the file. Otherwise the bytes are kept until the readers have them.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from kafkafmt.errors import DataError, SourceError
from kafkafmt.serving.kept_batches import JudgedBatches, KeptBatches, ReaderPlace, ReaderPlaces
from kafkafmt.serving.segment_judge import SegmentJudge
from kafkafmt.serving.sent_files import LEAST, FileRange, NotAtHandError, SentFile, is_cached
from kafkafmt.serving.sound_batches import Cut, SoundBatches, StoredBytes, Wanted

if TYPE_CHECKING:
    from kafkafmt.io.base import File
    from kafkafmt.serving.listed_segments import ListedSegments

_AHEAD = 4 * 2**20
"""Bytes that are read at once for a reader that continues, as each Fetch has a fixed cost in addition to its bytes."""
_LITTLE_AHEAD = 64 * 2**10
"""Bytes that are read beyond the first Fetch of a reader, for the batch that does not fit into its answer."""
_MOST_CHANGES = 4


class Stretch(NamedTuple):
    """Consecutive batches of a log in one answer.

    Attributes:
        parts: the batches' bytes; empty if the first batch does not fit into the answer.
        size: number of bytes.
        end: offset after the last batch.
        taken: bytes that count towards the limit: a broker fills a limit with a part of the next batch.
        place: number of the segment from which the batches were read, and position in it in bytes.
        last: number of the segment where reading ended; negative if the batch is not from the log.
    """

    parts: Sequence[memoryview | FileRange]
    size: int
    end: int
    taken: int
    place: tuple[int, int]
    last: int

    @property
    def has_batches(self) -> bool:
        """Whether there are batches from the log."""
        return bool(self.parts) and self.last >= 0


class _ChangedError(Exception):
    """Raised when a file is not the one whose batches were judged."""


class LogReader:
    """Reads one partition. Threads share it.

    Args:
        listed: the partition's segments.
        log_end: offset at which the log ends.
        kept: keeps judged batches of all partitions.
        places: where readers continue.
        may_change: whether the files may be written to.
    """

    def __init__(
        self,
        listed: "ListedSegments",
        log_end: int,
        kept: KeptBatches,
        places: ReaderPlaces,
        *,
        may_change: bool,
    ) -> None:
        self._listed, self._log_end = listed, log_end
        self._kept, self._places = kept, places
        self._judged = JudgedBatches() if kept.files is not None and not may_change else None

    def place(self, offset: int) -> ReaderPlace | None:
        """The place where the batch with an offset begins; None if there is no such batch."""
        return self._known_place(offset) or self._found_place(offset)

    def _known_place(self, offset: int) -> ReaderPlace | None:
        place, judged = self._places.find(offset), self._judged
        if judged is None or (place is not None and place.ahead is not None and not place.ahead.is_forgotten):
            return place
        return judged.find(offset) or place

    def _found_place(self, offset: int) -> ReaderPlace | None:
        found = self._listed.place(offset)
        return None if found is None else ReaderPlace(*found)

    def read(self, offset: int, most: int, end: int, *, is_first: bool, waits: bool = True) -> Stretch | None:
        """Batches from the one with an offset on; None if none is left before the end.

        Args:
            offset: offset between the start and the end of the log.
            most: upper bound in bytes.
            end: offset before which batches must begin: the last stable offset, or the end.
            is_first: whether the first batch is given even if it is larger than `most`.
            waits: whether files may be waited for.

        Raises:
            NotAtHandError: a file has to be waited for, but `waits` is False.
            DataError: the log is damaged, and damage is not skipped.
            SourceError: a file cannot be read.
        """
        for _ in range(_MOST_CHANGES):
            try:
                return self._read(offset, most, end, is_first=is_first, waits=waits)
            except _ChangedError:
                # Files that may be written to are read and judged in memory, as with --follow.
                self._judged = None
                self._places.clear()
                if not waits:
                    raise NotAtHandError from None
        raise SourceError("the files change while they are read", file=self._listed.segments[-1].path)

    def _read(self, offset: int, most: int, end: int, *, is_first: bool, waits: bool) -> Stretch | None:
        place = self._known_place(offset) if offset < end else None
        if place is None and offset < end:
            if not waits:
                raise NotAtHandError
            place = self._found_place(offset)
        if place is None:
            return None
        place_read = None
        finished: list[SoundBatches] = []
        cuts: list[tuple[int, SoundBatches, Cut]] = []
        left, is_cut, goes_on = most, False, place.ahead is not None
        while True:
            wanted = Wanted(offset, end, left, is_first and not cuts)
            batches, piece = place.ahead, place.piece
            try:
                while batches is None or (cut := batches.cut(wanted, piece)) is None:
                    if not waits:
                        raise NotAtHandError
                    size = max(left, _AHEAD) if goes_on or cuts else left + _LITTLE_AHEAD
                    batches, piece = self._read_ahead(place, offset, size), 0
            except DataError:
                if not cuts:  # otherwise the next answer begins at the damage
                    raise
                break
            if cut.parts:
                place_read = place_read or (place.number, cut.begin)
                cuts.append((place.number, batches, cut))
                left -= cut.size
                offset = cut.next_offset
            is_cut = cut.is_cut
            if cut.is_full:
                self._kept.keep(batches)
                place = ReaderPlace(place.number, cut.position, batches, cut.piece)
                break
            finished.append(batches)
            if cuts and (batches.is_last or left <= 0):
                place = ReaderPlace(place.number, cut.position)
                break
            number, position = (place.number + 1, 0) if batches.is_last else (place.number, batches.position)
            if number == len(self._listed.segments):
                break
            place = ReaderPlace(number, position)
            judged = self._judged
            if judged is not None:
                place = judged.find(offset, number) or place
        parts = self._opened(cuts, waits=waits)
        # Dropped only now: if a file has to be waited for, NotAtHandError is raised and the answer is made again from
        # the same batches.
        for each in finished:
            self._kept.drop(each)
        if place_read is None:
            return Stretch((), 0, offset, 0, (place.number, place.position), place.number) if is_cut else None
        self._places.remember(offset, place)
        taken = most - left
        return Stretch(parts, taken, offset, max(taken, most) if is_cut else taken, place_read, place.number)

    def _read_ahead(self, place: ReaderPlace, offset: int, size: int) -> SoundBatches:
        """Read batches of a segment, starting at a place."""
        segment, number = self._listed.segments[place.number], place.number + 1
        following = self._listed.segments[number] if number < len(self._listed.segments) else None
        with segment.open() as file:
            judge = SegmentJudge(segment, file, following, self._log_end, offset, self._listed.skip)
            judged = self._judged
            if judged is None or file.descriptor is None or file.version is None:
                return judge.read(place.position, size, self._kept.buffer)
            batches = judge.read(place.position, min(size, _AHEAD), self._kept.buffer).stored(file.version)
        if batches.is_whole:
            judged.add(place.number, batches)
        return batches

    def _opened(
        self, cuts: "Sequence[tuple[int, SoundBatches, Cut]]", *, waits: bool
    ) -> "list[memoryview | FileRange]":
        """The bytes of batches: stored ones are sent from their file, or read if they are few."""
        parts: list[memoryview | FileRange] = []
        begin = 0
        for end in range(1, len(cuts) + 1):
            number = cuts[begin][0]
            if end < len(cuts) and cuts[end][0] == number:
                continue
            run, begin = cuts[begin:end], end
            found = [part for _, _, cut in run for part in cut.parts]
            stored = [part for part in found if isinstance(part, StoredBytes)]
            if stored:
                parts += self._sent_from(number, [batches for _, batches, _ in run], _adjacent(stored), waits=waits)
            parts += [part for part in found if isinstance(part, memoryview)]
        return parts

    def _sent_from(
        self, number: int, judged: "Sequence[SoundBatches]", stored: "Sequence[StoredBytes]", *, waits: bool
    ) -> "list[memoryview | FileRange]":
        location, files = self._listed.segments[number].location, self._kept.files
        path = self._listed.segments[number].path
        sent = None if files is None else files.find(path)
        if sent is not None and sent.file.version_now() == sent.file.version:
            return self._ranges(sent, sent.file, judged, stored, waits=waits)
        if not waits:
            raise NotAtHandError  # opening a file may block on its directory, too
        file = location.open()
        sent = None if files is None else files.keep(path, file)
        try:
            return self._ranges(sent, file, judged, stored, waits=True)
        finally:
            if sent is None:
                file.close()

    def _ranges(
        self,
        sent: SentFile | None,
        file: "File",
        judged: "Sequence[SoundBatches]",
        stored: "Sequence[StoredBytes]",
        *,
        waits: bool,
    ) -> "list[memoryview | FileRange]":
        wrong = [each for each in judged if each.version != file.version]
        for each in wrong:
            self._kept.forget(each)
        if wrong:
            raise _ChangedError
        parts: list[memoryview | FileRange] = []
        for part in stored:
            if sent is not None and part.size >= LEAST:
                parts.append(FileRange(sent, part))
            elif waits or _is_cached(file, part):
                parts.append(_read(file, part))
            else:
                raise NotAtHandError
        return parts


def _adjacent(ranges: "Sequence[StoredBytes]") -> "Sequence[StoredBytes]":
    """Ranges of a file, with adjacent ranges joined."""
    if len(ranges) == 1:
        return ranges
    found: list[StoredBytes] = []
    for each in ranges:
        if found and found[-1].position + found[-1].size == each.position:
            found[-1] = StoredBytes(found[-1].position, found[-1].size + each.size)
        else:
            found.append(each)
    return found


def _is_cached(file: "File", part: StoredBytes) -> bool:
    return is_cached(file, part.position) and is_cached(file, part.position + part.size - 1)


def _read(file: "File", part: StoredBytes) -> memoryview:
    return memoryview(file.read_at(part.position, part.size))
