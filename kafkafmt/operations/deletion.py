"""The segments that one retention pass deletes, and when it would delete others: `UnifiedLog.deleteOldSegments`.

A pass takes segments from the beginning of the log, first those below the log start offset, then by size, then by time
from the rest, and each time ends at the first that stays. Kafka rolls the active segment if that goes, too.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

from kafkafmt.answer_columns import TIME, Named
from kafkafmt.reference.header import INT64_MAX


class Cause(StrEnum):
    """Why a segment is deleted or kept: the first words of a reason."""

    LOG_START = "log start"
    SIZE = "size"
    TIME = "time"
    EARLIER_SEGMENT = "earlier segment"
    HIGH_WATERMARK = "high watermark"
    NOT_UPLOADED = "not uploaded"
    CLEANUP_POLICY = "cleanup.policy"
    NO_LIMIT = "no limit"
    EMPTY_SEGMENT = "empty segment"


@dataclass(frozen=True, slots=True)
class LogFacts:
    """The facts of a log on which retention depends.

    Attributes:
        base_offsets: base offsets of the segments, in order.
        sizes: sizes of the log files, in bytes.
        largest_timestamps: `LogSegment.largestTimestamp` of the segments, in ms.
        log_start_offset: lowest offset of the log, before the pass.
        log_end_offset: offset of the next record.
        high_watermark: high watermark of a broker after a start, from log start to log end.
        uploaded_to: highest offset in remote storage, -1 for none; None where segments need not be uploaded.
    """

    base_offsets: Sequence[int]
    sizes: Sequence[int]
    largest_timestamps: Sequence[int]
    log_start_offset: Annotated[int, "int64"]
    log_end_offset: Annotated[int, "int64"]
    high_watermark: Annotated[int, "int64"]
    uploaded_to: int | None = None

    def end_of(self, number: int) -> int:
        """Base offset of the next segment; for the active segment the log end offset."""
        return self.base_offsets[number + 1] if number + 1 < len(self.base_offsets) else self.log_end_offset

    def barrier(self, number: int) -> Cause | None:
        """The reason to keep a segment regardless of its age and the size of the log; None if there is none."""
        end = self.end_of(number)
        if number + 1 == len(self.base_offsets) and self.sizes[number] == 0:
            return Cause.EMPTY_SEGMENT
        if self.high_watermark < end:
            return Cause.HIGH_WATERMARK
        is_below_start = number + 1 < len(self.base_offsets) and end <= self.log_start_offset
        if self.uploaded_to is not None and not (0 < end <= self.uploaded_to + 1) and not is_below_start:
            return Cause.NOT_UPLOADED
        return None


@dataclass(frozen=True, slots=True)
class RetentionLimits:
    """The limits of a log's age and size.

    Attributes:
        ms: `retention.ms` in force, or `local.retention.ms` of a tiered topic; below 0 for no limit.
        size: `retention.bytes` in force, or `local.retention.bytes` of a tiered topic; below 0 for no limit.
        is_deleted: whether `cleanup.policy` lets segments be deleted by time and size.
    """

    ms: Annotated[int, Named("retentionMs", "int64")]
    size: Annotated[int, Named("retentionBytes", "int64")]
    is_deleted: bool


@dataclass(frozen=True, slots=True)
class Fate:
    """The fate of one segment in a pass.

    Attributes:
        is_deleted: whether the pass deletes it.
        cause: why, or why not.
        deletable_at: first time, past or future, at which a pass deletes it if nothing is written, in ms since the
            epoch; None: at any time ("delete"), or never in this state ("keep").
        holder: number of the segment whose time decides: itself, or an earlier one that is kept longer.
    """

    is_deleted: bool
    cause: Cause
    deletable_at: Annotated[int | None, TIME]
    holder: int


def one_pass(log: LogFacts, limits: RetentionLimits, at: int) -> list[Fate]:
    """The fate of each segment in one pass, in order.

    Args:
        log: facts of the log.
        limits: limits of the log's age and size.
        at: time of the pass, in ms.
    """
    count = len(log.base_offsets)
    fates: list[Fate] = []
    while len(fates) + 1 < count and log.base_offsets[len(fates) + 1] <= log.log_start_offset:
        if log.barrier(len(fates)) is not None:
            break
        fates.append(Fate(is_deleted=True, cause=Cause.LOG_START, deletable_at=None, holder=len(fates)))
    if limits.is_deleted and limits.size >= 0:
        over = sum(log.sizes[len(fates) :]) - limits.size
        while len(fates) < count and over >= log.sizes[len(fates)] and log.barrier(len(fates)) is None:
            over -= log.sizes[len(fates)]
            fates.append(Fate(is_deleted=True, cause=Cause.SIZE, deletable_at=None, holder=len(fates)))
    fates += _by_time(log, limits, at, len(fates))
    return fates


def _by_time(log: LogFacts, limits: RetentionLimits, at: int, first: int) -> list[Fate]:
    """The segments deleted by time, and the reasons to keep the rest."""
    fates: list[Fate] = []
    latest, holder, is_forever = -INT64_MAX, first, False
    for number in range(first, len(log.base_offsets)):
        cause = log.barrier(number)
        if not limits.is_deleted and cause is not Cause.EMPTY_SEGMENT:
            cause = Cause.CLEANUP_POLICY
        elif cause is None and limits.ms < 0:
            cause = Cause.NO_LIMIT if limits.size < 0 else Cause.SIZE
        if cause is not None:
            # All later segments are kept for the same cause, as their ends ascend.
            fates.append(Fate(is_deleted=False, cause=cause, deletable_at=None, holder=number))
            continue
        when = log.largest_timestamps[number] + limits.ms + 1
        if when >= latest:
            latest, holder = when, number
        is_forever = latest > INT64_MAX
        fates.append(
            Fate(
                is_deleted=at >= latest,
                cause=Cause.TIME if holder == number else Cause.EARLIER_SEGMENT,
                deletable_at=None if is_forever else latest,
                holder=holder,
            )
        )
    return fates
