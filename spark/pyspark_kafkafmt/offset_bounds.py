"""Where reading starts and ends: offsets and times, in the options and the JSON of Spark's kafka source."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, cast

from pyspark_kafkafmt import option_errors, option_values
from pyspark_kafkafmt.option_errors import TopicPartition

STRATEGY: Final = "startingOffsetsByTimestampStrategy"
OFFSETS_EXAMPLE: Final = '{"topicA":{"0":23,"1":-1},"topicB":{"0":-2}}'
TIMESTAMPS_EXAMPLE: Final = '{"topicA":{"0":1700000000000,"1":1700000000000}}'

_LATEST: Final = -1
_EARLIEST: Final = -2


@dataclass(frozen=True)
class Offsets:
    """Offsets of single partitions; None is the log's own start or end.

    Attributes:
        option: name of the option.
        by_partition: an offset for each partition that is read.
    """

    option: str
    by_partition: Mapping[TopicPartition, int | None]


@dataclass(frozen=True)
class Timestamps:
    """Times (ms since the epoch): the first offset whose record is not older.

    Attributes:
        option: name of the option.
        by_partition: a time for each partition that is read, or one for all of them.
    """

    option: str
    by_partition: Mapping[TopicPartition, int] | int


Bound = Offsets | Timestamps | None
"""None: where the log starts, or ends."""


@dataclass(frozen=True)
class _End:
    """Names and rules of one of the two ends."""

    timestamp: str
    by_timestamp: str
    offsets: str
    word: str
    own: int
    other: int


_STARTING: Final = _End(
    "startingTimestamp", "startingOffsetsByTimestamp", "startingOffsets", "earliest", _EARLIEST, _LATEST
)
_ENDING: Final = _End("endingTimestamp", "endingOffsetsByTimestamp", "endingOffsets", "latest", _LATEST, _EARLIEST)


@dataclass(frozen=True)
class OffsetBounds:
    """Both ends.

    Attributes:
        starting: first offset to read; None for the earliest.
        ending: first offset not to read; None for the latest.
        on_no_match: what a start with a time does when no record is that late: "error", or "latest" to read nothing.
    """

    starting: Bound = None
    ending: Bound = None
    on_no_match: Literal["error", "latest"] = "error"

    @classmethod
    def parse(cls, options: Mapping[str, str]) -> "OffsetBounds":
        """Read the options: a time for all partitions goes before times for each, and those before offsets.

        Args:
            options: values by name, in the spelling of the documents.

        Raises:
            OptionError: a wrong value, or ends that contradict each other.
        """
        strategy = option_values.choice(STRATEGY, options.get(STRATEGY, "error"), ("error", "latest"))
        starting, ending = _bound(_STARTING, options), _bound(_ENDING, options)
        _check_order(starting, ending)
        return cls(starting, ending, cast('Literal["error", "latest"]', strategy))


def _bound(end: _End, options: Mapping[str, str]) -> Bound:
    if end.timestamp in options:
        value = options[end.timestamp]
        number = option_values.whole_number(
            end.timestamp, value.strip(), option_values.LONG_MIN, option_values.LONG_MAX
        )
        if number < 0:
            raise option_errors.negative_timestamp(end.timestamp, value)
        return Timestamps(end.timestamp, number)
    if end.by_timestamp in options:
        return _timestamps(end.by_timestamp, options[end.by_timestamp].strip())
    return _offsets(end, options[end.offsets].strip()) if end.offsets in options else None


def _timestamps(option: str, value: str) -> Timestamps:
    try:
        by_partition = option_values.longs_by_partition(value)
    except ValueError as error:
        raise option_errors.no_json(option, value, str(error), TIMESTAMPS_EXAMPLE) from None
    if any(timestamp < 0 for timestamp in by_partition.values()):
        raise option_errors.negative_timestamp(option, value)
    return Timestamps(option, by_partition)


def _offsets(end: _End, value: str) -> Bound:
    wrong_word = option_errors.latest_start if end is _STARTING else option_errors.earliest_end
    if value.lower() == end.word:
        return None
    if value.lower() in (_STARTING.word, _ENDING.word):
        raise wrong_word(end.offsets, value)
    try:
        numbers = option_values.longs_by_partition(value)
    except ValueError as error:
        raise option_errors.no_offset_word(end.offsets, value, str(error), end.word, OFFSETS_EXAMPLE) from None
    for of, number in numbers.items():
        if number == end.other:
            raise wrong_word(end.offsets, value)
        if number < 0 and number != end.own:
            raise option_errors.no_offset(end.offsets, value, of, f"{end.own} ({end.word})")
    return Offsets(end.offsets, {of: None if number == end.own else number for of, number in numbers.items()})


def _check_order(starting: Bound, ending: Bound) -> None:
    if starting is None or ending is None or type(starting) is not type(ending):
        return
    first, last = starting.by_partition, ending.by_partition
    if isinstance(first, int) and isinstance(last, int):
        if first > last:
            raise option_errors.start_after_end(starting.option, ending.option, "all partitions", first, last)
    elif isinstance(first, Mapping) and isinstance(last, Mapping):
        if first.keys() != last.keys():
            raise option_errors.other_partitions(starting.option, ending.option, first.keys() ^ last.keys())
        for of, begin in first.items():
            end = last[of]
            if begin is not None and end is not None and begin > end:
                raise option_errors.start_after_end_of(starting.option, ending.option, of, begin, end)
