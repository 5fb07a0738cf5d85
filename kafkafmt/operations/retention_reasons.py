"""Why retention deletes or keeps a segment, in words, with the figures that decide. docs/retention.md explains them."""

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated

from kafkafmt.files.batch_faults import time_unit
from kafkafmt.operations.deletion import Cause
from kafkafmt.phrases import counted

if TYPE_CHECKING:
    from kafkafmt.operations.configs import TopicConfigs
    from kafkafmt.operations.deletion import Fate, LogFacts, RetentionLimits
    from kafkafmt.operations.segment_times import LargestTimestamp

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_UNITS = (("day", 86_400_000), ("hour", 3_600_000), ("minute", 60_000), ("second", 1000))
_NOT_KNOWN = "no __remote_log_metadata among the paths says what is in remote storage"


@dataclass(frozen=True, slots=True)
class JudgedSegment:
    """A segment, and its fate in a pass.

    Attributes:
        file: path of the log file.
        largest: its largest timestamp as Kafka sees it.
        fate: fate of the segment.
    """

    file: Annotated[str, "string"]
    largest: "LargestTimestamp"
    fate: "Fate"


@dataclass(frozen=True, slots=True)
class JudgedLog:
    """A partition directory, and its fate in a pass of retention.

    Attributes:
        topic: name of the topic, or None.
        partition: number of the partition, or None.
        path: the partition directory.
        configs: configs in force.
        ms_name: the config that says for how long: `retention.ms` or `local.retention.ms`.
        bytes_name: the config that says how much: `retention.bytes` or `local.retention.bytes`.
        limits: values of these configs.
        facts: the facts that retention needs.
        watermark_is_known: whether replication-offset-checkpoint has an entry for it.
        remote_is_known: whether the content of remote storage is known, if segments must be there.
        segments: the segments in order.
        offset_of: reads a segment, by its number, for the offset of the first record that has the largest timestamp;
            None if none has.
    """

    topic: Annotated[str | None, "string"]
    partition: Annotated[int | None, "int32"]
    path: Annotated[str, "string"]
    configs: "TopicConfigs"
    ms_name: str
    bytes_name: str
    limits: "RetentionLimits"
    facts: "LogFacts"
    watermark_is_known: bool
    remote_is_known: bool
    segments: Sequence[JudgedSegment]
    offset_of: Callable[[int], int | None] = field(repr=False)

    @property
    def cleanup_policy(self) -> Annotated[str, "string"]:
        """`cleanup.policy` in force."""
        return self.configs.text("cleanup.policy")

    @property
    def config_source(self) -> Annotated[str, "string"]:
        """Sources of the deciding configs."""
        return self.configs.source(self.ms_name, self.bytes_name, "cleanup.policy")

    @property
    def log_start_offset_after(self) -> Annotated[int, "int64"]:
        """The log start offset after the pass."""
        deleted = sum(segment.fate.is_deleted for segment in self.segments)
        return max(self.facts.log_start_offset, self.facts.end_of(deleted - 1) if deleted else 0)

    def find_of(self, number: int) -> str | None:
        """The command that finds the record that holds a segment; None if none does."""
        fate = self.segments[number].fate
        if fate.is_deleted or fate.cause not in (Cause.TIME, Cause.EARLIER_SEGMENT):
            return None
        largest = self.segments[fate.holder].largest
        if largest.source == "file":
            return None
        return f"kafkafmt find {shlex.quote(self.path)} --timestamp {largest.timestamp}"

    def reason_of(self, number: int) -> str:
        """Why a segment goes or stays."""
        cause = self.segments[number].fate.cause
        return f"{cause}: {self._because(number, cause)}"

    def _because(self, number: int, cause: Cause) -> str:
        fate, facts = self.segments[number].fate, self.facts
        is_active = number + 1 == len(self.segments)
        end = facts.end_of(number)
        where = "the log end offset" if is_active else "where the next segment begins"
        match cause:
            case Cause.LOG_START:
                return f"the log starts at offset {facts.log_start_offset}, and the next segment begins at {end}"
            case Cause.SIZE:
                left = sum(facts.sizes[number + 1 :])
                if fate.is_deleted:
                    return f"{_bytes(left)} are left without it, and {self._size}"
                return f"only {_bytes(left)} would be left without it, and {self._size}; {self._time}"
            case Cause.TIME:
                return f"{self._when(number)}: {self._stamp(number)}, and {self._time}"
            case Cause.EARLIER_SEGMENT:
                before = f"segment {facts.base_offsets[fate.holder]}, which is deleted first"
                return f"{self._when(number)} with {before}: {self._stamp(fate.holder)}, and {self._time}"
            case Cause.HIGH_WATERMARK:
                unknown = "" if self.watermark_is_known else "; replication-offset-checkpoint has no entry for the log"
                return f"{facts.high_watermark} is below {end}, {where}{unknown}"
            case Cause.NOT_UPLOADED:
                return self._not_uploaded(end)
            case Cause.CLEANUP_POLICY:
                policy = self.configs.text("cleanup.policy") or "(empty)"
                start = facts.log_start_offset
                return f"with {policy} retention deletes only below the log start offset, {start}"
            case Cause.NO_LIMIT:
                return f"{self._time}, {self._size}"
            case Cause.EMPTY_SEGMENT:
                return "the active segment has no records"

    @property
    def _time(self) -> str:
        ms = self.limits.ms
        unit = next((unit for unit in _UNITS if ms > 0 and ms % unit[1] == 0), None)
        if unit is None:
            return f"{self.ms_name} is {ms}"
        return f"{self.ms_name} is {ms} ({counted(ms // unit[1], unit[0])})"

    @property
    def _size(self) -> str:
        return f"{self.bytes_name} is {self.limits.size}"

    def _when(self, number: int) -> str:
        """Since when a segment can be deleted, or until when it is kept."""
        fate = self.segments[number].fate
        if fate.deletable_at is None:
            return "due" if fate.is_deleted else "kept for ever"
        return f"{'due since' if fate.is_deleted else 'kept until'} {_moment(fate.deletable_at)}"

    def _stamp(self, number: int) -> str:
        """The time that decides for a segment."""
        segment = self.segments[number]
        moment = _moment(segment.largest.timestamp)
        if segment.largest.source == "file":
            return f"no record has a timestamp, and the file was written at {moment}"
        unit = time_unit(segment.largest.timestamp)
        unit_text = "" if unit is None else f", which looks like {unit}, not milliseconds"
        offset = self.offset_of(number)
        if offset is not None:
            return f"offset {offset} has timestamp {moment}{unit_text}"
        return f"the last entry of the time index is {moment}, which no record has{unit_text}"

    def _not_uploaded(self, end: int) -> str:
        if not self.remote_is_known:
            return _NOT_KNOWN
        uploaded = self.facts.uploaded_to
        has = "nothing" if uploaded is None or uploaded < 0 else f"offsets up to {uploaded}"
        return f"remote storage has {has}, and the segment ends at {end - 1}"


def _bytes(count: int) -> str:
    return "1 byte" if count == 1 else f"{count:,} bytes"


def _moment(ms: int) -> str:
    """A time as tables write it; the number of ms outside the years 1 to 9999."""
    try:
        moment = _EPOCH + timedelta(milliseconds=ms)
    except OverflowError:
        return f"{ms} ms"
    return f"{moment.isoformat(timespec='milliseconds').removesuffix('+00:00')}Z"
