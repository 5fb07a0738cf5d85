"""SegmentWalk: a walk over the entries of a segment that checks them for a survey."""

from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from kafkafmt import columns
from kafkafmt.columnar.headers import Batches, first_wrong, joined
from kafkafmt.errors import DataError
from kafkafmt.files.batch_faults import OffsetWatch, checksum_fault, checksum_faults, sequence_fault, wrong_sequences
from kafkafmt.files.damage import Damage
from kafkafmt.files.read_window import ReadWindow, ReusedBuffer
from kafkafmt.files.segment_reader import SegmentReader
from kafkafmt.limits import Limits
from kafkafmt.record_columns import Origin
from kafkafmt.reference.entry import Entry, without_traceback
from kafkafmt.reference.header import CREATE_TIME
from kafkafmt.reference.layout import CURRENT_MAGIC
from kafkafmt.scanning.columnar_engine import first_undecoded
from kafkafmt.scanning.decoders import Decoders
from kafkafmt.survey import segment_findings

if TYPE_CHECKING:
    from kafkafmt.reference.header import BatchHeader
    from kafkafmt.survey.refused import LoaderCheck
    from kafkafmt.survey.segments import SegmentSurvey

Depth = Literal["quick", "headers", "checksums", "records"]
"""How much of a segment is read: first and last header, all headers, all bytes to compute CRCs, or all records."""

# Bytes per read when the whole file is read: few enough to stay in a processor's cache.
_WINDOW_BYTES = 4 * 1024 * 1024
_MOST_PENDING = 1024
# Segments up to this size are described entry by entry, as numpy costs more: in some logs each batch has a segment.
_FEW_BYTES = 512


class SegmentWalk:
    """A walk over a segment that shows ordinary batches in bulk, and the headers of other entries one by one.

    Damage becomes a finding, and an ordinary tail a note. If the length of an entry is wrong, only its position is
    shown.

    Args:
        survey: receives the entries.
        depth: how much of each entry is read.
        limits: bounds of a decode.
        producers: receives each sound batch with its bytes.
    """

    def __init__(self, survey: "SegmentSurvey", depth: Depth, limits: Limits, producers: "LoaderCheck | None") -> None:
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
        # Last offset before the next entry, and where that entry begins if there is no damage.
        base_offset = self._segment.base_offset
        self._before = None if base_offset is None else base_offset - 1
        self._expected_at = 0

    def run(self) -> None:
        """Walk to the end of the segment.

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
                # The reader's callbacks refer to this walk: deleting it here leaves no cycle for the garbage collector.
                del self._reader

    def _take(self, window: ReadWindow, size: int) -> None:
        """Take the sound batches at the beginning of a window."""
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
        # With few batches at a time numpy's calls would take most of the time.
        self._pending.append(batches.without_data())
        if sum(map(len, self._pending)) >= _MOST_PENDING:
            self._flush()
        self._before, self._expected_at = int(batches.last_offsets[-1]), window.position + window.taken

    def _show(self, header: "BatchHeader") -> None:
        """Show a single entry; one that cannot be decoded is a finding with the offsets that may be lost."""
        self._flush()
        end = header.position + header.size_in_bytes
        before = self._before if header.position == self._expected_at else None  # after damage, which was reported
        if header.error is None:
            self._before = header.last_offset
        else:
            loss = self._reader.damaged.loss(header.position, end, before, is_followed=False)
            finding = segment_findings.of_entry(header, header.error, self._segment.path)
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
            DataError: the records cannot be decoded.
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
        """Show the batches taken so far."""
        if self._pending:
            self._survey.see_batches(joined(self._pending))
            self._pending.clear()


def _is_other_than_stated(header: "BatchHeader", latest: int | None) -> bool:
    """Whether a batch's maxTimestamp is not that of its latest record; LogAppendTime applies to all records."""
    if latest is None or header.magic < CURRENT_MAGIC or header.timestamp_type != CREATE_TIME:
        return False
    return header.max_timestamp != latest
