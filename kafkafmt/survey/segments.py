"""Facts about one segment: a walk over its headers, and a comparison with its indexes."""

import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from kafkafmt.columnar.headers import Batches
from kafkafmt.errors import DataError, KafkafmtError
from kafkafmt.files.batch_faults import time_unit
from kafkafmt.files.loss import SegmentBounds
from kafkafmt.files.offset_order import OffsetOrder
from kafkafmt.files.segment_reader import SegmentReader
from kafkafmt.findings import finding_of
from kafkafmt.limits import Limits
from kafkafmt.reference.entry import Entry
from kafkafmt.reference.header import to_int64
from kafkafmt.survey import segment_findings
from kafkafmt.survey.facts import SegmentFacts, Share, unread_end
from kafkafmt.survey.indexes import IndexCheck
from kafkafmt.survey.segment_findings import Place, SegmentFindings
from kafkafmt.survey.segment_walk import Depth, SegmentWalk
from kafkafmt.survey.sums import SegmentSums

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kafkafmt.logdir.segment import Segment
    from kafkafmt.reference.header import BatchHeader
    from kafkafmt.survey.facts import IndexFacts
    from kafkafmt.survey.refused import LoaderCheck
    from kafkafmt.survey.side_files import EpochFindings

_DAY_MS = 86_400_000


def survey_segment(
    segment: "Segment",
    place: Place,
    *,
    depth: Depth = "headers",
    limits: "Limits | None" = None,
    epochs: "EpochFindings | None" = None,
    producers: "LoaderCheck | None" = None,
) -> SegmentFacts:
    """Gather the facts about one log file and its indexes.

    Damage is recorded as a finding, and the walk continues after it.

    Args:
        segment: the log file.
        place: its topic, partition and neighbours.
        depth: how much is read. "headers" decompresses only wrappers of formats 0 and 1, whose headers do not count
            their records.
        limits: bounds of that decompression, and of CRC checks.
        epochs: receives each header, unless only the ends are read.
        producers: receives each sound batch with its bytes, unless only the ends are read.
    """
    survey = SegmentSurvey(segment, place, epochs, reads_all=depth != "quick")
    if depth == "quick":
        survey.read_ends()
    else:
        survey.read_all(depth, limits or Limits(), producers)
    return survey.facts()


class SegmentSurvey:
    """The facts about a segment, from the part that was read.

    Args:
        segment: the log file.
        place: its topic, partition and neighbours.
        epochs: receives each header, unless only the ends are read.
        reads_all: whether all headers will be read.
    """

    def __init__(
        self, segment: "Segment", place: Place, epochs: "EpochFindings | None", *, reads_all: bool = True
    ) -> None:
        self.segment = segment
        self.place = place
        self.findings = SegmentFindings(segment, place)
        self.bounds = SegmentBounds(
            place.topic,
            place.partition,
            segment.base_offset,
            place.next_base_offset,
            place.clean_end if reads_all else None,  # of no use without the batch before the last one
        )
        self._epochs = epochs
        self._size = _size(segment)
        self._sums = SegmentSums(segment.base_offset, latest_possible=int(time.time() * 1000) + _DAY_MS)
        self._indexes = IndexCheck(segment)
        self._order = OffsetOrder(self.bounds, self.findings.add_fault, most=sys.maxsize, with_overflow=True)
        self._end_by_order: int | None = None
        self._is_whole = self._is_walked = False

    def read_ends(self) -> None:
        """Read the first and the last header."""
        try:
            for header in _ends(self.segment, self.findings, is_kept=self.place.is_kept):
                self._sums.add(header)
                self._order.see(header)
            self._is_whole = True
        except KafkafmtError as error:
            self.findings.add(finding_of(error, self.segment.path))

    def read_all(self, depth: Depth, limits: Limits, producers: "LoaderCheck | None") -> None:
        """Read all headers, and records if `depth` asks for them."""
        try:
            self._indexes.begin()
            SegmentWalk(self, depth, limits, producers).run()
            self._indexes.end()
            self._is_whole = self._is_walked = True
        except KafkafmtError as error:
            self.findings.add(finding_of(error, self.segment.path))

    def see(self, header: "BatchHeader") -> None:
        """Take the next entry."""
        self._sums.see(header)
        if header.error is None:
            self._order.see(header)
        self._indexes.see(header)
        if self._epochs is not None:
            self._epochs.see(self.segment.path, header)

    def see_batches(self, batches: Batches) -> None:
        """Take the next batches, all sound and adjacent."""
        self._sums.see_batches(batches)
        self._order.see_batches(batches)
        self._indexes.see_batches(batches)
        if self._epochs is not None:
            self._epochs.see_batches(self.segment.path, batches)

    def see_place(self, header: "BatchHeader") -> None:
        """Take the position of an entry whose header is unreliable."""
        self._indexes.see(header)

    def facts(self) -> SegmentFacts:
        """The facts, once everything has been read."""
        segment, place, sums = self.segment, self.place, self._sums
        self._order.end(self._size if self._is_whole else None)
        self._judge_times()
        self._judge_end()
        indexes = self._judge_indexes()
        return SegmentFacts(
            path=segment.path,
            name=segment.name,
            topic=place.topic,
            partition=place.partition,
            state=place.state,
            base_offset=segment.base_offset,
            next_offset=segment.base_offset if sums.next_offset is None else sums.next_offset,
            size=self._size,
            batches=sums.batches if self._is_walked else None,
            records=sums.records if self._is_walked else None,
            decompressed=sums.decompressed,
            has_holes=sums.has_holes,
            min_timestamp=sums.min_timestamp,
            max_timestamp=sums.max_timestamp,
            shares={key: Share(batches, size) for key, (batches, size) in sorted(sums.shares.items())},
            timestamp_types=tuple(sorted(sums.timestamp_types)),
            min_leader_epoch=sums.min_leader_epoch,
            max_leader_epoch=sums.max_leader_epoch,
            indexes=indexes,
            has_producer_snapshot=place.has_producer_snapshot,
            findings=self.findings.all(),
            earliest=sums.earliest,
            latest=sums.latest,
            impossible_times=sums.impossible_times,
            last_position=sums.last_position,
            is_sparse=sums.is_sparse,
            gaps=tuple(sums.gaps),
            end_by_order=self._end_by_order,
        )

    def _judge_times(self) -> None:
        sums = self._sums
        if sums.max_timestamp is not None and time_unit(sums.max_timestamp) != "seconds":
            sums.time_units.pop("seconds", None)  # retention uses the largest timestamp, which is not in seconds
        if sums.time_units:
            self.findings.add(segment_findings.of_units(sums.time_units, self.segment.path))

    def _judge_end(self) -> None:
        """Correct the next offset by a fault in the last entry; otherwise find out whether the end was compacted.

        For the last segment of a log a start uses the offset as it is.
        """
        sums, fault = self._sums, self.findings.last_fault
        if fault is not None and fault.position + fault.length == sums.end_position:
            end = None if fault.range is None else to_int64(fault.range[1] + 1)
            if not self._is_walked and fault.last_offset is None:
                end = self.place.clean_end
            if self.place.next_base_offset is None:
                self._end_by_order = end
            elif fault.last_offset is not None:
                sums.next_offset = end
        elif sums.is_behind_a_hole and sums.is_in_order:
            sums.end_hole()

    def _judge_indexes(self) -> "tuple[IndexFacts, ...]":
        facts = self._indexes.facts()
        advice = self.findings.index_advice
        has_offset_index = any(each.kind == "index" and each.status != "missing" for each in facts)
        for each in facts:
            finding = segment_findings.of_index(
                each, self.segment, self.place, self._size, advice, has_offset_index=has_offset_index
            )
            if finding is not None:
                self.findings.add(finding)
        return facts


def _size(segment: "Segment") -> int:
    """Size in bytes when it was listed; 0 if it is not a file, which is a finding of its own."""
    try:
        return segment.size
    except KafkafmtError:
        return 0


def _ends(segment: "Segment", findings: SegmentFindings, *, is_kept: bool) -> "Iterator[BatchHeader]":
    """The first header of a segment, and the last one inside the log."""
    with segment.open() as file:
        is_alone = False

        def describe(entry: Entry) -> "BatchHeader":
            nonlocal is_alone
            header = entry.describe()
            if header.error is None and header.size_in_bytes == file.size:
                with suppress(DataError):
                    entry.verify_checksum()
                    is_alone = True
            return header

        first = next(SegmentReader(file, name=segment.file).walk(describe), None)
        if first is not None:
            yield first
            if is_alone:
                return
            sound = segment.last_entry(file)
            last = segment.kept_after(sound, file) if is_kept else sound
            if last is not None and last is not sound and last.last_offset is not None:
                end = segment.base_offset if sound is None or sound.last_offset is None else sound.last_offset + 1
                findings.add(unread_end(segment.path, end or 0, last.last_offset + 1, is_kept=True))
            if last is not None and last.position > first.position:
                yield last
