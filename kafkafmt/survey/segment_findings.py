"""Findings on one segment: text and advice for damage, for faults of batches, and for faults of indexes."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kafkafmt.files.batch_faults import time_unit_text
from kafkafmt.files.damage import GARBAGE_TAIL, INCOMPLETE_TAIL, TAILS, ZERO_TAIL
from kafkafmt.files.kinds import LAYOUTS
from kafkafmt.findings import FINDING, NOTE, Finding, finding_of
from kafkafmt.reference.layout import CURRENT_MAGIC
from kafkafmt.survey.advice import (
    DIRECTORY,
    FILL,
    INDEX,
    INDEX_BEYOND_END,
    INDEX_MISSING,
    INDEX_OF_DAMAGE,
    INDEX_OF_WRONG_OFFSETS,
    INDEX_RECOVERED,
    PADDED_TIME_INDEX,
    TIME_INDEX_MISSING,
)
from kafkafmt.survey.facts import IndexFacts

if TYPE_CHECKING:
    from kafkafmt.errors import KafkafmtError
    from kafkafmt.files.batch_faults import BatchFault, TimeUnit
    from kafkafmt.files.damage import Damage
    from kafkafmt.files.offset_order import OffsetFault
    from kafkafmt.logdir.segment import Segment
    from kafkafmt.reference.header import BatchHeader

MAX_FINDINGS = 100
"""Most faults of one segment that are listed; a last finding counts the others."""

_AROUND = "kafkafmt cat --on-damage skip reads the records around it"
_ADVICE = f"{FILL}; {_AROUND}"
_ADVICE_INSIDE = (
    f"its CRC is right, so that brokers serve it and kafkafmt repair keeps it: which client wrote it? {_AROUND}"
)
_LOST_END = "a running broker never leaves a log like this: look for the rest in another copy or replica"
_ADVICE_OF_FAULT = {
    "offset": "consumers may skip records here: compare it with a replica",
    "overlap": "look for an offset that jumps, or for a segment of another replica",
    "overflow": "if no replica has this offset, it is wrong, and the log would continue from it: "
    "make a copy with kafkafmt repair first",
}
_LOST_ENDS = {GARBAGE_TAIL: "not left by a write under way: Kafka truncates them when it recovers the log"}
_TAILS = {
    ZERO_TAIL: "preallocated space, or writes lost when the machine went down",
    INCOMPLETE_TAIL: "normal after a kill or in a live copy",
}


@dataclass(frozen=True, slots=True)
class Place:
    """Place of a segment: its partition and neighbours.

    Attributes:
        topic: topic of the partition, or None.
        partition: number of the partition, or None.
        state: state of the segment: "live", or why it is outside the log.
        may_end_open: whether a broken end is normal after a kill or in a live copy: the segment is the last one of a
            log that the next start recovers, outside a log, or without a log directory that marks a clean shutdown.
        has_producer_snapshot: whether a `.snapshot` with its base offset exists.
        next_base_offset: base offset of the next segment of the log, or None.
        is_recovered: whether a starting broker recovers the segment, regardless of its side files.
        is_kept: whether it is the last one of a log that a broker loads as it is, regardless of CRCs.
        directories: names of the directories beside it.
        clean_end: for the last segment of a log the log end at a clean shutdown, by the recovery point; else None.
    """

    topic: str | None = None
    partition: int | None = None
    state: str = "live"
    may_end_open: bool = True
    has_producer_snapshot: bool = False
    next_base_offset: int | None = None
    is_recovered: bool = False
    is_kept: bool = False
    directories: frozenset[str] = frozenset()
    clean_end: int | None = None


IS_DIRECTORY = "this file is a directory, so Kafka takes the log directory offline"
"""The start of a sentence on such a file, which continues with a time."""


class SegmentFindings:
    """Findings on one segment, up to a maximum, and the number of further ones.

    Attributes:
        last_fault: the last fault given to `add_fault`, or None.
    """

    def __init__(self, segment: "Segment", place: Place) -> None:
        self.last_fault: OffsetFault | None = None
        self._path = segment.path
        self._place = place
        self._kept: list[Finding] = []
        self._more = 0

    def add(self, finding: Finding) -> None:
        """Keep a finding, or only count it past the maximum."""
        if len(self._kept) < MAX_FINDINGS:
            self._kept.append(replace(finding, topic=self._place.topic, partition=self._place.partition))
        else:
            self._more += 1

    def add_fault(self, fault: "OffsetFault") -> None:
        """Keep the finding on offsets that go back, jump or reach too far."""
        self.last_fault = fault
        self.add(of_fault(fault, self._path))

    @property
    def index_advice(self) -> str:
        """Advice on a wrong index of a segment with these findings: recovery rebuilds it, but may cut sound batches.

        Recovery cuts no sound batch if the file ends in a partial batch, zeros or garbage; it checks neither offsets
        nor the content of batches.
        """
        seen = (finding for finding in self._kept if finding.level == FINDING and not finding.is_inside)
        kinds = {finding.kind for finding in seen} - {*TAILS}
        if self._place.is_recovered:
            return INDEX_RECOVERED
        if not kinds:
            return INDEX
        return INDEX_OF_WRONG_OFFSETS if kinds <= _ADVICE_OF_FAULT.keys() else INDEX_OF_DAMAGE

    def all(self) -> tuple[Finding, ...]:
        """All kept findings; a last one has the number of those not kept."""
        if self._more:
            self._kept.append(Finding(FINDING, "more", self._path, f"{self._more} more findings", _ADVICE))
            self._more = 0
        return tuple(self._kept)


def of_error(error: "KafkafmtError", path: str) -> Finding:
    """The finding on an unreadable entry."""
    return finding_of(error, path, advice=_ADVICE)


def of_entry(header: "BatchHeader", error: "KafkafmtError", path: str) -> Finding:
    """The finding on an entry that cannot be read although its header, and even its CRC, may be right."""
    finding = of_error(error, path)
    if not header.is_valid or header.compression is None:
        return finding
    # A repair does not look inside batches of format v2.
    return replace(finding, is_inside=True, advice=_ADVICE if header.magic < CURRENT_MAGIC else _ADVICE_INSIDE)


def of_damage(damage: "Damage", path: str) -> Finding:
    """The finding on a damaged range, or a note on remains that a running broker leaves."""
    finding = of_error(damage.error, path)
    if damage.reason in TAILS:
        # Without numbers in the text, the same note on many files can be shown once.
        finding = replace(finding, message=damage.error.message, advice=_LOST_ENDS.get(damage.reason, _LOST_END))
        if damage.is_open_end:
            finding = replace(finding, level=NOTE, advice=_TAILS[damage.reason])
    return replace(
        finding,
        kind=damage.reason,
        position=damage.position,
        length=damage.length,
        first_offset=damage.first_offset,
        last_offset=damage.last_offset,
        records=damage.records,
    )


def of_timestamp(header: "BatchHeader", latest: int | None, path: str) -> Finding:
    """The finding on a batch whose maxTimestamp is not that of its latest record."""
    return Finding(
        FINDING,
        "timestamp",
        path,
        f"maxTimestamp is {header.max_timestamp}, and the latest record of the batch has {latest}",
        "time filters, the time index and retention use maxTimestamp: was it written by a broker?",
        header.position,
        header.size_in_bytes,
        first_offset=header.base_offset,
        last_offset=header.last_offset,
    )


def of_batch(fault: "BatchFault", header: "BatchHeader", path: str) -> Finding:
    """The finding on a fault of one batch."""
    return Finding(
        FINDING,
        fault.kind,
        path,
        fault.message,
        fault.advice,
        header.position,
        header.size_in_bytes,
        first_offset=header.base_offset,
        last_offset=header.last_offset,
        is_inside=True,
    )


def of_units(units: "dict[TimeUnit, int]", path: str) -> Finding:
    """The finding on timestamps in a unit other than milliseconds."""
    advice = "retention by time never deletes these segments: set the timestamps in milliseconds"
    if "seconds" in units:
        advice = "Kafka reads them as dates in 1970, and retention by time deletes such segments at its next check"
    return Finding(FINDING, "time_unit", path, time_unit_text(units), advice)


def of_fault(fault: "OffsetFault", path: str) -> Finding:
    """The finding on offsets that go back, jump or reach too far."""
    return replace(fault.finding(path, _ADVICE_OF_FAULT[fault.kind]), level=FINDING)


def of_index(
    index: IndexFacts, segment: "Segment", place: Place, size: int, advice: str, *, has_offset_index: bool
) -> Finding | None:
    """The report on an index: a fault with this advice, a note, or None."""
    path = index.path or segment.path
    name = f"{segment.name.partition('.')[0]}.{index.kind}"
    if name in place.directories:
        text = f"{IS_DIRECTORY} when it opens it: at the start, or later for a read or for retention"
        return Finding(FINDING, "index", str(segment.location.sibling(name)), text, f"{DIRECTORY}; {INDEX}")
    if index.beyond_end and place.may_end_open:
        return Finding(NOTE, "index", path, "the index points past the last complete batch", INDEX_BEYOND_END)
    if index.problem is not None:
        return finding_of(index.problem, index.problem.file or path, kind="index", advice=advice)
    if index.status == "padded":
        # Kafka 4.4 does not trim the indexes of the metadata log's last segment even in a clean shutdown.
        if place.may_end_open:
            return None
        text = "zeros to the end: space that a running broker preallocates"
        if advice == INDEX and index.kind == "timeindex":
            advice = PADDED_TIME_INDEX
        return Finding(FINDING, "index", path, text, advice, (index.zero_padded_from or 0) * LAYOUTS[index.kind].size)
    is_missed = size and segment.base_offset is not None and place.state == "live"
    if index.status == "missing" and is_missed and index.kind == "index":
        return Finding(NOTE, "index", path, "the .index file is missing", INDEX_MISSING)
    if index.status == "missing" and is_missed and index.kind == "timeindex" and has_offset_index:
        return Finding(NOTE, "index", path, "the .timeindex file is missing", TIME_INDEX_MISSING)
    return None
