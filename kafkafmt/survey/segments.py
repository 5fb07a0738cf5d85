"""Facts about one segment: a walk over its headers, held against its indexes."""

import sys
import time
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from kafkafmt.columnar.headers import Batches, first_wrong, joined
from kafkafmt.columns import SCHEMA, Origin
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
from kafkafmt.files.offset_order import OffsetFault, OffsetOrder
from kafkafmt.files.read_window import ReadWindow, ReusedBuffer
from kafkafmt.files.segment_reader import SegmentReader
from kafkafmt.findings import finding_of
from kafkafmt.limits import Limits
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
    from collections.abc import Callable, Iterator

    from kafkafmt.logdir.segment import Segment
    from kafkafmt.reference.header import BatchHeader
    from kafkafmt.survey.refused import LoaderCheck
    from kafkafmt.survey.side_files import EpochFindings

Depth = Literal["quick", "headers", "checksums", "records"]
"""How much of a segment is read: its first and last header, all headers, everything to compute CRCs, every record."""

_DAY_MS = 86_400_000

# How much is read at once where all of it is, in bytes: it stays in a processor's cache.
_WINDOW_BYTES = 4 * 1024 * 1024
_MOST_PENDING = 1024


def survey_segment(
    segment: "Segment",
    place: Place,
    *,
    depth: Depth = "headers",
    limits: "Limits | None" = None,
    epochs: "EpochFindings | None" = None,
    producers: "LoaderCheck | None" = None,
) -> SegmentFacts:
    """Gather what one log file and its indexes tell.

    Damage never ends it: what cannot be read becomes a finding, and the walk goes on behind it.

    Args:
        segment: the log file.
        place: where it stands.
        depth: how much is read. "headers" decompresses nothing but wrappers of formats 0 and 1, whose records nothing
            else tells.
        limits: bounds of that decompression, and of CRCs.
        epochs: sees each header, unless only the ends are read.
        producers: sees each sound batch with its bytes, unless only the ends are read.
    """
    findings = SegmentFindings(segment, place)
    sums = SegmentSums(segment.base_offset, latest_possible=int(time.time() * 1000) + _DAY_MS)
    size = _size(segment)
    indexes = IndexCheck(segment)
    bounds = SegmentBounds(place.topic, place.partition, segment.base_offset, place.next_base_offset)
    fault: OffsetFault | None = None

    def take(found: OffsetFault) -> None:
        nonlocal fault
        fault = found
        findings.add(segment_findings.of_fault(found, segment.path))

    order = OffsetOrder(bounds, take, most=sys.maxsize, with_overflow=True)

    def see(header: "BatchHeader") -> None:
        sums.see(header)
        if header.error is None:
            order.see(header)
        indexes.see(header)
        if epochs is not None:
            epochs.see(segment.path, header)

    def see_batches(batches: Batches) -> None:
        sums.see_batches(batches)
        order.see_batches(batches)
        indexes.see_batches(batches)
        if epochs is not None:
            epochs.see_batches(segment.path, batches)

    is_whole = walked = True
    try:
        if depth == "quick":
            walked = False
            for header in _ends(segment, findings, is_kept=place.is_kept):
                sums.add(header)
                order.see(header)
        else:
            _walk(segment, bounds, place, depth, limits or Limits(), findings, see, see_batches, indexes.see, producers)
            indexes.end()
    except KafkafmtError as error:
        is_whole = walked = False
        findings.add(finding_of(error, segment.path))
    order.end(size if is_whole else None)
    if sums.max_timestamp is not None and time_unit(sums.max_timestamp) != "seconds":
        sums.time_units.pop("seconds", None)  # the others decide when the segment is deleted
    if sums.time_units:
        findings.add(segment_findings.of_units(sums.time_units, segment.path))
    if fault is not None and fault.last_offset is not None and fault.position + fault.length == sums.end_position:
        sums.next_offset = to_int64(fault.last_offset + 1)
    else:
        sums.has_holes |= sums.is_behind_a_hole and sums.is_in_order
    index_facts = indexes.facts()
    advice = findings.index_advice
    has_offset_index = any(each.kind == "index" and each.status != "missing" for each in index_facts)
    for each in index_facts:
        finding = segment_findings.of_index(each, segment, place, size, advice, has_offset_index=has_offset_index)
        if finding is not None:
            findings.add(finding)
    return SegmentFacts(
        path=segment.path,
        name=segment.name,
        topic=place.topic,
        partition=place.partition,
        state=place.state,
        base_offset=segment.base_offset,
        next_offset=segment.base_offset if sums.next_offset is None else sums.next_offset,
        size=size,
        batches=sums.batches if walked else None,
        records=sums.records if walked else None,
        decompressed=sums.decompressed,
        has_holes=sums.has_holes,
        min_timestamp=sums.min_timestamp,
        max_timestamp=sums.max_timestamp,
        shares={key: Share(batches, size) for key, (batches, size) in sorted(sums.shares.items())},
        timestamp_types=tuple(sorted(sums.timestamp_types)),
        min_leader_epoch=sums.min_leader_epoch,
        max_leader_epoch=sums.max_leader_epoch,
        indexes=index_facts,
        has_producer_snapshot=place.has_producer_snapshot,
        findings=findings.all(),
        earliest=sums.earliest,
        latest=sums.latest,
        impossible_times=sums.impossible_times,
        last_position=sums.last_position,
    )


def _size(segment: "Segment") -> int:
    """Bytes when it was listed; 0 for what turned out to be no file, which another finding tells."""
    try:
        return segment.size
    except KafkafmtError:
        return 0


def _walk(
    segment: "Segment",
    bounds: SegmentBounds,
    place: Place,
    depth: Depth,
    limits: Limits,
    findings: SegmentFindings,
    see: "Callable[[BatchHeader], None]",
    see_batches: "Callable[[Batches], None]",
    see_place: "Callable[[BatchHeader], None]",
    producers: "LoaderCheck | None",
) -> None:
    """Show all of a segment: ordinary batches in bulk, the header of any other entry by itself.

    What cannot be read becomes a finding, and a tail that is no fault a note. Of an entry whose length is wrong nothing
    is shown but to `see_place`.
    """
    verify = depth in ("checksums", "records")
    described: BatchHeader | None = None

    def describe(entry: Entry) -> "BatchHeader":
        nonlocal described
        described = header = entry.describe(verify_checksum=verify, deep=True, limits=limits)
        if header.error is not None and header.is_valid is not True and not reader.has_right_length(entry):
            raise header.error
        if header.error is None:
            try:
                entry.count(header, limits, verify_inner=verify)
                if depth == "records":
                    latest: int | None = None
                    watch = OffsetWatch(header)
                    for record in entry.records(limits, header, views=True):
                        watch.see(record.offset)
                        latest = record.timestamp if latest is None else max(latest, record.timestamp)
                    wrong = (
                        watch.fault(),
                        sequence_fault(header, place.topic),
                        checksum_fault(entry, header, limits),
                    )
                    for fault in filter(None, wrong):
                        flush()
                        findings.add(segment_findings.of_batch(fault, header, segment.path))
                    if _is_other_than_stated(header, latest):
                        flush()
                        findings.add(segment_findings.of_timestamp(header, latest, segment.path))
            except DataError as untrue:
                header.error = without_traceback(untrue)
        if producers is not None and header.error is None:
            producers.see(segment.path, entry, header)
        return header

    def report(damage: Damage) -> None:
        flush()
        if described is not None and described.position == damage.position:
            see_place(described)
        findings.add(segment_findings.of_damage(damage, segment.path))

    pending: list[Batches] = []

    def flush() -> None:
        if pending:
            see_batches(joined(pending))
            pending.clear()

    origin = Origin(place.topic, place.partition, segment.path)
    decoders = Decoders(SCHEMA, verify_checksums=False, limits=limits)
    with segment.open() as file, decoders:
        reader = SegmentReader(
            file,
            bounds=bounds,
            limits=limits,
            on_damage="skip",
            may_end_open=place.may_end_open,
            report=report,
            ahead=_WINDOW_BYTES if verify else None,
            buffer=ReusedBuffer(),
            checks_lengths=not verify,
        )
        before = None if segment.base_offset is None else segment.base_offset - 1
        expected_at = 0
        try:
            for found in reader.bulk_walk(describe):
                if isinstance(found, ReadWindow):
                    batches = found.batches()
                    if verify:
                        batches = batches[: first_wrong(batches)]
                    if depth == "records":
                        ahead = file.size - found.position - len(found.data)
                        batches = batches[: next(checksum_faults(batches, limits), (len(batches), None))[0]]
                        wrong = wrong_sequences(batches.headers, place.topic)
                        batches = batches[: int(wrong.argmax()) if wrong.any() else len(batches)]
                        batches = batches[: first_undecoded(decoders, origin, batches, ahead)]
                    if len(batches):
                        found.take(batches)
                        if producers is not None:
                            producers.see_batches(segment.path, batches)
                        # Of few batches at a time most time goes to numpy's calls.
                        pending.append(batches.without_data())
                        if sum(map(len, pending)) >= _MOST_PENDING:
                            flush()
                        before, expected_at = int(batches.last_offsets[-1]), found.position + found.taken
                    del batches  # or its memory could not be used again
                    continue
                flush()
                end = found.position + found.size_in_bytes
                if found.position != expected_at:
                    before = None  # damage, which was reported
                if found.error is None:
                    before = found.last_offset
                else:
                    loss = reader.loss(found.position, end, before, is_followed=False)
                    finding = segment_findings.of_error(found.error, segment.path)
                    findings.add(
                        replace(finding, position=found.position, length=found.size_in_bytes, **loss._asdict())
                    )
                    before = loss.last_offset
                expected_at = end
                see(found)
        finally:
            flush()


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
    """Whether a batch states another timestamp of its latest record than it has; LogAppendTime is that of all."""
    if latest is None or header.magic < CURRENT_MAGIC or header.timestamp_type != CREATE_TIME:
        return False
    return header.max_timestamp != latest
