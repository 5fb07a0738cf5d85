"""Look-ups of times in one segment: the first record at or after a time, and the largest timestamp (LogSegment).

An entry of a time index states that no timestamp up to its offset is larger than its own. So a search begins at the
offset of the last entry below the time; records after the last entry are searched by headers, in rolled segments too.
An entry is trusted only if the batch at its offset has exactly that timestamp as its largest, as Kafka writes it, and
no batch read before it has a larger one.

Kafka trusts each entry unchecked, so an entry with too low a timestamp hides records from it. It hides them from this
search, too, if it fits the batch at its offset and the hidden records are far before that; only reading all headers
would reveal it.
"""

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import takewhile
from typing import TYPE_CHECKING, TypeVar

from kafkafmt.errors import CorruptError
from kafkafmt.files import entry_points
from kafkafmt.files.segment import headers_from
from kafkafmt.files.segment_reader import SegmentReader
from kafkafmt.limits import Limits
from kafkafmt.logdir.batch_order import refuted
from kafkafmt.logdir.trace import (
    BytesScanned,
    IndexNotBelieved,
    RecordFound,
    ScanBegun,
    header_read,
    scan_reason,
)
from kafkafmt.reference.header import INT64_MAX, INT64_MIN

if TYPE_CHECKING:
    from kafkafmt.files.damage import Damage
    from kafkafmt.io.base import File
    from kafkafmt.logdir.segment import Segment
    from kafkafmt.logdir.trace import Trace
    from kafkafmt.reference.entry import Entry
    from kafkafmt.reference.header import BatchHeader

T = TypeVar("T")

_NO_TIMESTAMP = -1
"""Timestamp of a record without one."""


@dataclass(frozen=True, slots=True)
class RecordTime:
    """A record found by its time.

    Attributes:
        offset: offset of the record.
        timestamp: timestamp of the record, in ms since the epoch.
        leader_epoch: partition leader epoch of the batch; -1 if the format has none.
    """

    offset: int
    timestamp: int
    leader_epoch: int


@dataclass(frozen=True, slots=True)
class _Claim:
    """An entry of a time index, which states that no timestamp up to `offset` is above `timestamp`."""

    index: str
    position: int
    number: int
    offset: int
    timestamp: int

    def is_confirmed_by(self, header: "BatchHeader") -> bool:
        """Whether this batch has the offset; earlier batches are compared, too.

        Raises:
            _RefutedError: the batch's largest timestamp contradicts the entry.
        """
        latest = _latest(header)
        if header.last_offset is None or header.last_offset < self.offset:
            if latest > self.timestamp:
                raise self.refuted("a batch before the offset of a time index entry has a larger timestamp", latest)
            return False
        if latest != self.timestamp or (header.base_offset is not None and header.base_offset > self.offset):
            raise self.refuted("the batch at the offset of a time index entry has another largest timestamp", latest)
        return True

    def refuted(self, message: str, found: int) -> "_RefutedError":
        """Make the error of this entry, whose timestamp or offset differs from the found one."""
        expected = f"timestamp {self.timestamp} at offset {self.offset}"
        return _RefutedError(
            CorruptError(message, file=self.index, position=self.position, expected=expected, found=found)
        )


class _RefutedError(Exception):
    """A wrong entry of a time index."""

    def __init__(self, finding: CorruptError) -> None:
        super().__init__(finding)
        self.finding = finding


def first_record_at(
    segment: "Segment",
    timestamp: int,
    start_offset: int,
    trace: "Trace | None" = None,
    *,
    only_times: bool = False,
    checks_order: bool = False,
) -> RecordTime | None:
    """Find the first record of a segment, in log order, at or after a time and at or above an offset.

    Args:
        segment: segment to search.
        timestamp: ms since the epoch.
        start_offset: lowest offset that counts.
        trace: called with each step.
        only_times: whether to skip keys, values and headers of records, even broken ones.
        checks_order: whether a record whose offset is refuted by neighbouring entries is damage.

    Raises:
        KafkafmtError: damage on the way.
    """

    def search(file: "File", begin: int, claim: _Claim | None) -> RecordTime | None:
        before: deque[BatchHeader] = deque(maxlen=2)
        for entry, header in _headers(segment, file, begin, claim, timestamp, trace):
            if _latest(header) < timestamp:
                before.append(header)
                continue
            entry.verify_checksum()
            wrong = refuted(segment, file, None, before, header) if checks_order else None
            if wrong is not None:
                raise wrong.error
            before.append(header)
            for offset, found_timestamp in entry.times(header) if only_times else _times_of(entry, header):
                if found_timestamp >= timestamp and offset >= start_offset:
                    found = RecordTime(offset, found_timestamp, header.partition_leader_epoch)
                    if trace is not None:
                        trace(BytesScanned(segment.file, begin, entry.position + header.size_in_bytes))
                        trace(_found_step(segment, entry, found))
                    return found
        return None

    return _search(segment, timestamp, start_offset, search, trace)


def first_sound_record_at(
    segment: "Segment",
    following: "Segment | None",
    timestamp: int,
    start_offset: int,
    report: Callable[["Damage"], None],
    trace: "Trace | None" = None,
) -> RecordTime | None:
    """Do the same as `first_record_at` by a walk over all headers that skips damage.

    Args:
        segment: segment to search.
        following: the next segment of the log; None for the last.
        timestamp: ms since the epoch.
        start_offset: lowest offset that counts.
        report: called with damage before the record; entries whose offsets are refuted by their neighbours are damage,
            too.
        trace: called with each step.

    Raises:
        SourceError: reading failed.
    """

    def search(entry: "Entry") -> tuple["Entry", "BatchHeader", RecordTime | None]:
        header = entry.header()
        late = _latest(header) >= timestamp
        if trace is not None:
            trace(header_read(segment.file, header, may_hold=late))
        if not late:
            return entry, header, None
        entry.verify_checksum()
        # All records: an unreadable one makes the whole batch damage.
        records = [(record.offset, record.timestamp) for record in entry.records(header=header)]
        found = next((each for each in records if each[1] >= timestamp and each[0] >= start_offset), None)
        return entry, header, None if found is None else RecordTime(*found, header.partition_leader_epoch)

    if trace is not None:
        trace(ScanBegun(segment.file, 0, "damage: all headers are read, and damage is skipped"))
    with segment.open() as file:
        reader = segment.reader(file, following, limits=Limits(), on_damage="skip", report=report, checks_lengths=True)
        before: deque[BatchHeader] = deque(maxlen=2)
        for entry, header, found in reader.walk(search):
            wrong = None if found is None else refuted(segment, file, following, before, header)
            if wrong is not None:
                report(wrong)
            elif found is not None:
                if trace is not None:
                    trace(BytesScanned(segment.file, 0, entry.position + header.size_in_bytes))
                    trace(_found_step(segment, entry, found))
                return found
            before.append(header)
        if trace is not None:
            trace(BytesScanned(segment.file, 0, reader.position))
    return None


def largest_timestamp(segment: "Segment", trace: "Trace | None" = None) -> int:
    """The largest timestamp of a segment's batches, by their headers, in ms; -1 if no batch has one.

    Args:
        segment: segment to search.
        trace: called with each step.

    Raises:
        KafkafmtError: damage on the way.
    """

    def search(file: "File", begin: int, claim: _Claim | None) -> int:
        known = _NO_TIMESTAMP if claim is None else claim.timestamp
        return max((_latest(header) for _, header in _headers(segment, file, begin, claim, None, trace)), default=known)

    return _search(segment, None, INT64_MIN, search, trace)


def largest_record(
    segment: "Segment",
    trace: "Trace | None" = None,
    report: "Callable[[Damage], None] | None" = None,
    end: int = INT64_MAX,
) -> RecordTime | None:
    """The record of a segment with the largest timestamp, the first of several; None if no record has a timestamp.

    Headers can have larger timestamps, since the cleaner keeps batches without records. So records are decoded,
    beginning with the batches of the largest timestamps; each batch is decoded at most once.

    Args:
        segment: segment to search.
        trace: called with the record and the header of its batch.
        report: called with damage, which is then skipped; None to raise it.
        end: offset from which on batches do not count.

    Raises:
        KafkafmtError: damage, without `report`; reading failed.
    """
    with segment.open() as file:
        reader = SegmentReader(
            file,
            name=segment.file,
            bounds=segment.bounds(),
            on_damage="raise" if report is None else "skip",
            report=report,
            checks_lengths=report is not None,
        )
        passed: deque[int] = deque([0, 0], maxlen=2)

        def place(entry: "Entry") -> tuple[int, int, int] | None:
            before = passed[0]
            passed.append(entry.position)
            if report is not None:
                entry.verify_checksum()  # the end of a wrong length may be past other batches
            header = entry.header()
            is_beyond = header.last_offset is not None and header.last_offset >= end
            return None if is_beyond else (-_latest(header), entry.position, before)

        batches = sorted(each for each in reader.walk(place) if each is not None)
        best: tuple[Entry, BatchHeader, RecordTime] | None = None
        for below, position, before in batches:
            if best is not None and -below < best[2].timestamp:
                break
            for entry, header, record in reader.walk(_largest_of, position, position + 1):
                if record is None:
                    continue
                if report is not None:
                    near = [*takewhile(lambda each: each.position < position, headers_from(file, before))]  # noqa: B023
                    wrong = refuted(segment, file, None, near, header)
                    if wrong is not None:
                        report(wrong)
                        continue
                # Negative positions, so that the first of several wins.
                if best is None or (record.timestamp, -position) > (best[2].timestamp, -best[0].position):
                    best = entry, header, record
    if best is None:
        return None
    entry, header, record = best
    if trace is not None:
        trace(header_read(segment.file, header, may_hold=True))
        trace(_found_step(segment, entry, record))
    return record


def _search(
    segment: "Segment",
    timestamp: int | None,
    start_offset: int,
    search: "Callable[[File, int, _Claim | None], T]",
    trace: "Trace | None",
) -> T:
    """Search from the position that the time index gives, checking the index; or else from the offset."""
    with segment.open() as file:
        claim = _claim_below(segment, timestamp, trace)
        if claim is not None and claim.offset > start_offset:
            begin = _begin(segment, file, claim.offset, trace)
            # At the start of the file the index does not save anything.
            if begin > 0:
                try:
                    return search(file, begin, claim)
                except _RefutedError as refuted:
                    if trace is not None:
                        trace(IndexNotBelieved(claim.index, "timeindex", claim.number, finding=refuted.finding))
        return search(file, _begin(segment, file, start_offset, trace), None)


def _claim_below(segment: "Segment", timestamp: int | None, trace: "Trace | None") -> _Claim | None:
    """The last entry of the time index below a time, or the last of all."""
    with segment.ranged_time_index(trace) as index:
        number = None if index is None else index.last_below(timestamp, trace)
        if index is None or number is None:
            return None
        if index.finding is not None:
            if trace is not None:
                trace(IndexNotBelieved(index.name, "timeindex", None, finding=index.finding))
            return None
        entry = index.entry(number)
        return _Claim(
            index.name, number * index.slot_size, number, index.base_offset + entry.relative_offset, entry.timestamp
        )


def _begin(segment: "Segment", file: "File", offset: int, trace: "Trace | None") -> int:
    open_index = partial(segment.ranged_offset_index, trace)
    return entry_points.begin(file, open_index, segment.base_offset, offset, Limits(), trace)


def _headers(
    segment: "Segment", file: "File", begin: int, claim: _Claim | None, timestamp: int | None, trace: "Trace | None"
) -> Iterator[tuple["Entry", "BatchHeader"]]:
    """Entries from a position on with their headers, which are compared with the entry of the time index.

    Raises:
        _RefutedError: the headers contradict the entry.
    """
    if trace is not None:
        trace(ScanBegun(segment.file, begin, scan_reason(begin)))
    reader = SegmentReader(file, name=segment.file, checks_lengths=True)
    unchecked = claim
    for entry, header in reader.walk(lambda entry: (entry, entry.header()), begin):
        if trace is not None:
            trace(header_read(segment.file, header, may_hold=timestamp is None or _latest(header) >= timestamp))
        if unchecked is not None and unchecked.is_confirmed_by(header):
            unchecked = None
        yield entry, header
    if unchecked is not None:
        raise unchecked.refuted("the log file ends before the offset of a time index entry", unchecked.offset)
    if trace is not None:
        trace(BytesScanned(segment.file, begin, reader.position))


def _latest(header: "BatchHeader") -> int:
    return _NO_TIMESTAMP if header.max_timestamp is None else header.max_timestamp


def _largest_of(entry: "Entry") -> tuple["Entry", "BatchHeader", RecordTime | None]:
    """The record of an entry with the largest timestamp, the first of several; None if no record has a timestamp."""
    entry.verify_checksum()
    header = entry.header()
    best: RecordTime | None = None
    for record in entry.records(header=header, verify_inner=False):
        found = RecordTime(record.offset, record.timestamp, header.partition_leader_epoch)
        if found.timestamp > (_NO_TIMESTAMP if best is None else best.timestamp):
            best = found
    return entry, header, best


def _times_of(entry: "Entry", header: "BatchHeader") -> Iterator[tuple[int, int]]:
    # Inner CRCs are not checked, as in a broker's search, which leaves that to consumers.
    return ((record.offset, record.timestamp) for record in entry.records(header=header, verify_inner=False))


def _found_step(segment: "Segment", entry: "Entry", found: RecordTime) -> RecordFound:
    return RecordFound(segment.file, entry.position, found.offset, found.timestamp, found.leader_epoch)
