"""Facts about one segment: a walk over its headers, compared with its indexes."""

import sys
import time
from contextlib import nullcontext, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from kafkafmt import columns
from kafkafmt.columnar.headers import Batches, first_wrong, joined
from kafkafmt.errors import DataError, KafkafmtError
from kafkafmt.files.batch_faults import (
    OffsetWatch,
    checksum_fault,
    checksum_faults,
    sequence_fault,
    time_unit,
    wrong_sequences,
)
from kafkafmt.files.damage import Damage
from kafkafmt.files.loss import SegmentBounds
from kafkafmt.files.offset_order import OffsetOrder
from kafkafmt.files.read_window import ReadWindow, ReusedBuffer
from kafkafmt.files.segment_reader import SegmentReader
from kafkafmt.findings import finding_of
from kafkafmt.limits import Limits
from kafkafmt.record_columns import Origin
from kafkafmt.reference.entry import Entry, without_traceback
from kafkafmt.reference.header import CREATE_TIME, to_int64
from kafkafmt.reference.layout import CURRENT_MAGIC
from kafkafmt.scanning.columnar_engine import first_undecoded
from kafkafmt.scanning.decoders import Decoders
from kafkafmt.survey import segment_findings
from kafkafmt.survey.facts import SegmentFacts, Share, unread_end
from kafkafmt.survey.indexes import IndexCheck
from kafkafmt.survey.segment_findings import Place, SegmentFindings
from kafkafmt.survey.sums import SegmentSums

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kafkafmt.logdir.segment import Segment
    from kafkafmt.reference.header import BatchHeader
    from kafkafmt.survey.facts import IndexFacts
    from kafkafmt.survey.refused import LoaderCheck
    from kafkafmt.survey.side_files import EpochFindings

Depth = Literal["quick", "headers", "checksums", "records"]
"""How much of a segment is read: its first and last header, all headers, everything to compute CRCs, every record."""

_DAY_MS = 86_400_000

# How much is read at once where all of it is, in bytes: it stays in a processor's cache.
_WINDOW_BYTES = 4 * 1024 * 1024
_MOST_PENDING = 1024
# So little is described entry by entry: there are logs with a segment for each batch.
_FEW_BYTES = 512


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
        depth: how much is read. "headers" decompresses only wrappers of formats 0 and 1: their headers do not count
            their records.
        limits: bounds of that decompression, and of CRCs.
        epochs: sees each header, unless only the ends are read.
        producers: sees each sound batch with its bytes, unless only the ends are read.
    """
    survey = _SegmentSurvey(segment, place, epochs)
    if depth == "quick":
        survey.read_ends()
    else:
        survey.read_all(depth, limits or Limits(), producers)
    return survey.facts()


class _SegmentSurvey:
    """The facts about a segment, from the part that was read.

    Args:
        segment: the log file.
        place: its topic, partition and neighbours.
        epochs: sees each header, unless only the ends are read.
    """

    def __init__(self, segment: "Segment", place: Place, epochs: "EpochFindings | None") -> None:
        self.segment = segment
        self.place = place
        self.findings = SegmentFindings(segment, place)
        self.bounds = SegmentBounds(place.topic, place.partition, segment.base_offset, place.next_base_offset)
        self._epochs = epochs
        self._size = _size(segment)
        self._sums = SegmentSums(segment.base_offset, latest_possible=int(time.time() * 1000) + _DAY_MS)
        self._indexes = IndexCheck(segment)
        self._order = OffsetOrder(self.bounds, self.findings.add_fault, most=sys.maxsize, with_overflow=True)
        self._is_whole = self._is_walked = False

    def read_ends(self) -> None:
        """Read the first header and the last."""
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
            _Walk(self, depth, limits, producers).run()
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
        """Take the next batches, all sound, side by side."""
        self._sums.see_batches(batches)
        self._order.see_batches(batches)
        self._indexes.see_batches(batches)
        if self._epochs is not None:
            self._epochs.see_batches(self.segment.path, batches)

    def see_place(self, header: "BatchHeader") -> None:
        """Take the position of an entry whose header is unreliable."""
        self._indexes.see(header)

    def facts(self) -> SegmentFacts:
        """The facts, when all is read."""
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
        )

    def _judge_times(self) -> None:
        sums = self._sums
        if sums.max_timestamp is not None and time_unit(sums.max_timestamp) != "seconds":
            sums.time_units.pop("seconds", None)  # the others decide when the segment is deleted
        if sums.time_units:
            self.findings.add(segment_findings.of_units(sums.time_units, self.segment.path))

    def _judge_end(self) -> None:
        """Correct the next offset by a fault in the last entry; else find out whether it was compacted."""
        sums, fault = self._sums, self.findings.last_fault
        if fault is not None and fault.last_offset is not None and fault.position + fault.length == sums.end_position:
            sums.next_offset = to_int64(fault.last_offset + 1)
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
    """Bytes when it was listed; 0 if it is not a file, which has its own finding."""
    try:
        return segment.size
    except KafkafmtError:
        return 0


class _Walk:
    """A walk over a segment that shows ordinary batches in bulk, and the header of any other entry alone.

    Damage becomes a finding, and an ordinary tail a note. Only the place of an entry with a wrong length is shown.

    Args:
        survey: sees the entries.
        depth: how much of each is read.
        limits: bounds of a decode.
        producers: sees each sound batch with its bytes.
    """

    def __init__(self, survey: _SegmentSurvey, depth: Depth, limits: Limits, producers: "LoaderCheck | None") -> None:
        self._survey = survey
        self._segment = survey.segment
        self._topic = survey.place.topic
        self._reads_records = depth == "records"
        self._verifies = depth in ("checksums", "records")
        self._limits = limits
        self._producers = producers
        self._origin = Origin(self._topic, survey.place.partition, self._segment.path)
        self._decoders = (
            Decoders(columns.SCHEMA, verify_checksums=False, limits=limits) if self._reads_records else None
        )
        self._described: BatchHeader | None = None
        self._pending: list[Batches] = []
        # Last offset before the next entry, and where that begins unless there is damage.
        base_offset = self._segment.base_offset
        self._before = None if base_offset is None else base_offset - 1
        self._expected_at = 0

    def run(self) -> None:
        """Walk to the end.

        Raises:
            KafkafmtError: the file cannot be read.
        """
        with self._segment.open() as file, self._decoders or nullcontext():
            self._reader = SegmentReader(
                file,
                bounds=self._survey.bounds,
                limits=self._limits,
                on_damage="skip",
                may_end_open=lambda: self._survey.place.may_end_open,
                report=self._report,
                ahead=_WINDOW_BYTES if self._verifies else None,
                buffer=ReusedBuffer(),
                checks_lengths=not self._verifies,
            )
            try:
                for found in self._reader.bulk_walk(self._describe, few=_FEW_BYTES):
                    if isinstance(found, ReadWindow):
                        self._take(found, file.size)
                    else:
                        self._show(found)
            finally:
                self._flush()
                # Its callbacks refer to this walk: without it the garbage collector has nothing to find.
                del self._reader

    def _take(self, window: ReadWindow, size: int) -> None:
        """Take the sound batches at the beginning of a window of a file of so many bytes."""
        batches = window.batches()
        if self._verifies:
            batches = batches[: first_wrong(batches)]
        if self._decoders is not None:
            ahead = size - window.position - len(window.data)
            batches = batches[: next(checksum_faults(batches, self._limits), (len(batches), None))[0]]
            wrong = wrong_sequences(batches.headers, self._topic)
            batches = batches[: int(wrong.argmax()) if wrong.any() else len(batches)]
            batches = batches[: first_undecoded(self._decoders, self._origin, batches, ahead)]
        if not len(batches):
            return
        window.take(batches)
        if self._producers is not None:
            self._producers.see_batches(self._segment.path, batches)
        # Of few batches at a time most time goes to numpy's calls.
        self._pending.append(batches.without_data())
        if sum(map(len, self._pending)) >= _MOST_PENDING:
            self._flush()
        self._before, self._expected_at = int(batches.last_offsets[-1]), window.position + window.taken

    def _show(self, header: "BatchHeader") -> None:
        """Show a single entry; one that cannot be decoded is a finding with the offsets that it may cost."""
        self._flush()
        end = header.position + header.size_in_bytes
        before = self._before if header.position == self._expected_at else None  # else damage, which was reported
        if header.error is None:
            self._before = header.last_offset
        else:
            loss = self._reader.damaged.loss(header.position, end, before, is_followed=False)
            finding = segment_findings.of_error(header.error, self._segment.path)
            self._survey.findings.add(
                replace(finding, position=header.position, length=header.size_in_bytes, **loss._asdict())
            )
            self._before = loss.last_offset
        self._expected_at = end
        self._survey.see(header)

    def _describe(self, entry: Entry) -> "BatchHeader":
        self._described = header = entry.describe(verify_checksum=self._verifies, deep=True, limits=self._limits)
        if header.error is not None and header.is_valid is not True and not self._reader.has_right_length(entry):
            raise header.error
        if header.error is None:
            try:
                entry.count(header, self._limits, verify_inner=self._verifies)
                if self._reads_records:
                    self._check_records(entry, header)
            except DataError as untrue:
                header.error = without_traceback(untrue)
        if self._producers is not None and header.error is None:
            self._producers.see(self._segment.path, entry, header)
        return header

    def _check_records(self, entry: Entry, header: "BatchHeader") -> None:
        """Compare the records of an entry with its header.

        Raises:
            DataError: they cannot be decoded.
        """
        latest: int | None = None
        watch = OffsetWatch(header)
        for record in entry.records(self._limits, header, views=True):
            watch.see(record.offset)
            latest = record.timestamp if latest is None else max(latest, record.timestamp)
        wrong = (watch.fault(), sequence_fault(header, self._topic), checksum_fault(entry, header, self._limits))
        for fault in filter(None, wrong):
            self._flush()
            self._survey.findings.add(segment_findings.of_batch(fault, header, self._segment.path))
        if _is_other_than_stated(header, latest):
            self._flush()
            self._survey.findings.add(segment_findings.of_timestamp(header, latest, self._segment.path))

    def _report(self, damage: Damage) -> None:
        self._flush()
        if self._described is not None and self._described.position == damage.position:
            self._survey.see_place(self._described)
        self._survey.findings.add(segment_findings.of_damage(damage, self._segment.path))

    def _flush(self) -> None:
        """Show the batches that were taken."""
        if self._pending:
            self._survey.see_batches(joined(self._pending))
            self._pending.clear()


def _ends(segment: "Segment", findings: SegmentFindings, *, is_kept: bool) -> "Iterator[BatchHeader]":
    """The first header of a segment, and the last that counts."""
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


def _is_other_than_stated(header: "BatchHeader", latest: int | None) -> bool:
    """Whether the maxTimestamp of a batch is not that of its latest record; LogAppendTime applies to all records."""
    if latest is None or header.magic < CURRENT_MAGIC or header.timestamp_type != CREATE_TIME:
        return False
    return header.max_timestamp != latest
