"""Options of a stream: where a new one starts, how much a trigger reads, and the options of a batch read.

docs/spark_streaming.md has the table for users; a test compares it with the names here.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, cast

from pyspark_kafkafmt import option_errors, option_values
from pyspark_kafkafmt.offsets import OFFSETS_EXAMPLE, STRATEGY, GivenOffsets, Timestamps, time_bound
from pyspark_kafkafmt.options import SourceOptions

STARTING_OFFSETS: Final = "startingOffsets"
STARTING_TIMESTAMP: Final = "startingTimestamp"
STARTING_BY_TIMESTAMP: Final = "startingOffsetsByTimestamp"
MAX_OFFSETS: Final = "maxOffsetsPerTrigger"
MIN_OFFSETS: Final = "minOffsetsPerTrigger"
MAX_DELAY: Final = "maxTriggerDelay"
MAX_BYTES: Final = "maxBytesPerTrigger"
CHECKPOINT: Final = "checkpointLocation"

STREAM_OPTIONS: Final = (
    STARTING_OFFSETS,
    STARTING_TIMESTAMP,
    STARTING_BY_TIMESTAMP,
    STRATEGY,
    MAX_OFFSETS,
    MIN_OFFSETS,
    MAX_DELAY,
    MAX_BYTES,
    CHECKPOINT,
)
"""Options that a batch read does not have, or that mean something else there."""

LIMITS: Final = (MAX_OFFSETS, MIN_OFFSETS, MAX_DELAY, MAX_BYTES)
"""The options that need a Spark with admission control for Python sources."""

REFUSED_IN_STREAMS: Final = {
    "endingOffsets": "a stream has no end; trigger(availableNow=True) ends where the logs end now",
    "endingOffsetsByTimestamp": "a stream has no end; trigger(availableNow=True) ends where the logs end now",
    "endingTimestamp": "a stream has no end; trigger(availableNow=True) ends where the logs end now",
}
"""Options of a batch read that a stream does not have."""

LATEST: Final = -1
EARLIEST: Final = -2
DEFAULT_MAX_DELAY_MS: Final = 15 * 60 * 1000


Start = Literal["earliest", "latest"] | GivenOffsets | Timestamps
"""In offsets given by the user, -1 is the latest, -2 the earliest."""


@dataclass(frozen=True)
class StreamOptions:
    """All options of a stream, checked.

    Attributes:
        source: the options that a batch read has too; its bounds are empty.
        start: where a stream without a checkpoint starts.
        on_no_match: what to do if no record is as late as the start time: "error", or "latest" to start at the end.
        max_offsets: maximum number of offsets per trigger, for all partitions together; None for no bound.
        min_offsets: minimum number of offsets per trigger; None for no bound.
        max_delay_ms: milliseconds after which a trigger may read fewer.
        max_bytes: approximate number of bytes of log files per trigger; None for no bound.
        checkpoint: the query's checkpoint, to keep topic ids in; None to keep none.
    """

    source: SourceOptions
    start: Start = "latest"
    on_no_match: Literal["error", "latest"] = "error"
    max_offsets: int | None = None
    min_offsets: int | None = None
    max_delay_ms: int = DEFAULT_MAX_DELAY_MS
    max_bytes: int | None = None
    checkpoint: str | None = None

    @property
    def is_limited(self) -> bool:
        """Whether a trigger may read less than everything."""
        return not (self.max_offsets is None and self.min_offsets is None and self.max_bytes is None)

    @classmethod
    def parse(cls, options: Mapping[str, str], *, has_limits: bool = True) -> "StreamOptions":
        """Check the options of the user.

        Args:
            options: values by name, in any case.
            has_limits: whether this Spark has admission control for Python sources.

        Raises:
            OptionError: a value is invalid, options exclude each other, a name is unknown, or there is no path; an
                option is only allowed in a batch read; a limit is given without admission control.
        """
        own = {name.lower(): name for name in (*STREAM_OPTIONS, *REFUSED_IN_STREAMS)}
        given = {own[name.lower()]: value for name, value in options.items() if name.lower() in own}
        source = SourceOptions.parse({name: value for name, value in options.items() if name.lower() not in own})
        for name, instead in REFUSED_IN_STREAMS.items():
            if name in given:
                raise option_errors.not_in_streams(name, given[name], instead)
        if source.replica == "all":
            raise option_errors.not_in_streams("replica", "all", "a stream reads the best copy of each partition")
        for name in LIMITS:
            if name in given and not has_limits:
                raise option_errors.not_in_this_spark(name, given[name])
        numbers = {
            name: option_values.whole_number(name, given[name], 1, option_values.LONG_MAX)
            for name in (MAX_OFFSETS, MIN_OFFSETS)
            if name in given
        }
        most, least = numbers.get(MAX_OFFSETS), numbers.get(MIN_OFFSETS)
        if most is not None and least is not None and least > most:
            raise option_errors.more_than(MIN_OFFSETS, least, MAX_OFFSETS, most)
        checkpoint = given.get(CHECKPOINT)
        if checkpoint is not None and not checkpoint.strip():
            raise option_errors.empty_checkpoint(CHECKPOINT, checkpoint)
        strategy = option_values.choice(STRATEGY, given.get(STRATEGY, "error"), ("error", "latest"))
        timed = time_bound(STARTING_TIMESTAMP, STARTING_BY_TIMESTAMP, given)
        return cls(
            source=source,
            start=timed or _start(given),
            on_no_match=cast('Literal["error", "latest"]', strategy),
            max_offsets=most,
            min_offsets=least,
            max_delay_ms=(
                option_values.duration(MAX_DELAY, given[MAX_DELAY]) if MAX_DELAY in given else DEFAULT_MAX_DELAY_MS
            ),
            max_bytes=option_values.size(MAX_BYTES, given[MAX_BYTES]) if MAX_BYTES in given else None,
            checkpoint=checkpoint,
        )


def _start(given: Mapping[str, str]) -> Start:
    value = given.get(STARTING_OFFSETS, "latest").strip()
    if value.lower() == "earliest":
        return "earliest"
    if value.lower() == "latest":
        return "latest"
    try:
        numbers = option_values.longs_by_partition(value)
    except ValueError as error:
        words = "earliest, latest"
        raise option_errors.no_offset_word(STARTING_OFFSETS, value, str(error), words, OFFSETS_EXAMPLE) from None
    for of, number in numbers.items():
        if number < EARLIEST:
            special = f"{LATEST} (latest) or {EARLIEST} (earliest)"
            raise option_errors.no_offset(STARTING_OFFSETS, value, of, special)
    return GivenOffsets(STARTING_OFFSETS, numbers)


def options_of(options: Mapping[str, str]) -> SourceOptions:
    """The options of a batch read or of a stream, where it is not known which one follows: for the schema.

    Raises:
        OptionError: they are valid for neither.
    """
    try:
        return SourceOptions.parse(options)
    except option_errors.OptionError as error:
        try:
            return StreamOptions.parse(options).source
        except option_errors.OptionError as other:
            raise (error if other.option == error.option else other) from None
