"""Offset ranges of a query: the bounds in its options, and the part of each partition between them."""

from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, cast

from pyspark_kafkafmt import option_errors, option_values
from pyspark_kafkafmt.option_errors import DataLossError, TopicPartition
from pyspark_kafkafmt.topics import TopicChoice

if TYPE_CHECKING:
    from kafkafmt import Damage, Partition
    from kafkafmt.logdir.lookup import RecordTime
    from pyspark_kafkafmt.options import SourceOptions

STRATEGY: Final = "startingOffsetsByTimestampStrategy"
OFFSETS_EXAMPLE: Final = '{"topicA":{"0":23,"1":-1},"topicB":{"0":-2}}'
TIMESTAMPS_EXAMPLE: Final = '{"topicA":{"0":1700000000000,"1":1700000000000}}'

_LATEST: Final = -1
_EARLIEST: Final = -2


@dataclass(frozen=True)
class GivenOffsets:
    """Offsets of single partitions; None is the start or end of the log.

    Attributes:
        option: name of the option.
        by_partition: an offset for each partition that is read.
    """

    option: str
    by_partition: Mapping[TopicPartition, int | None]


@dataclass(frozen=True)
class Timestamps:
    """Times (ms since the epoch): they stand for the first offset whose record is not older.

    Attributes:
        option: name of the option.
        by_partition: a time for each partition that is read, or one for all of them.
    """

    option: str
    by_partition: Mapping[TopicPartition, int] | int


Bound = GivenOffsets | Timestamps | None
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
    """Start and end of a query.

    Attributes:
        starting: first offset to read; None for the earliest.
        ending: first offset not to read; None for the latest.
        on_no_match: what to do if no record is as late as the start time: "error", or "latest" to read nothing.
    """

    starting: Bound = None
    ending: Bound = None
    on_no_match: Literal["error", "latest"] = "error"

    @classmethod
    def parse(cls, options: Mapping[str, str]) -> "OffsetBounds":
        """Read the options: a time for all partitions precedes times for each, and these precede offsets.

        Args:
            options: values by name, in the spelling of the docs.

        Raises:
            OptionError: a value is invalid, or the ends contradict each other.
        """
        strategy = option_values.choice(STRATEGY, options.get(STRATEGY, "error"), ("error", "latest"))
        starting, ending = _bound(_STARTING, options), _bound(_ENDING, options)
        _check_order(starting, ending)
        return cls(starting, ending, cast('Literal["error", "latest"]', strategy))


def _bound(end: _End, options: Mapping[str, str]) -> Bound:
    timed = time_bound(end.timestamp, end.by_timestamp, options)
    if timed is not None:
        return timed
    return _offsets(end, options[end.offsets].strip()) if end.offsets in options else None


def time_bound(option: str, by_partition: str, options: Mapping[str, str]) -> Timestamps | None:
    """The time that one option gives for all partitions, or that another one gives for each; None without both.

    Args:
        option: name of the first option.
        by_partition: name of the second option.
        options: values by name.

    Raises:
        OptionError: a value is invalid.
    """
    if option in options:
        return Timestamps(option, option_values.timestamp(option, options[option]))
    return _timestamps(by_partition, options[by_partition].strip()) if by_partition in options else None


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
    return GivenOffsets(end.offsets, {of: None if number == end.own else number for of, number in numbers.items()})


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


OffsetRange = tuple[int | None, int | None]
"""First offset to read, and first offset not to read; None for the start or end of the log."""

_THREADS: Final = 16


@dataclass(frozen=True)
class Resolution:
    """The ranges to read of the partitions that were found.

    Attributes:
        ranges: the range of each partition to read; a range whose ends are equal is empty.
        left_out: partitions that are not read, in the order given.
        warnings: texts for the user: about missing data if `failOnDataLoss` is false; about damage before the records
            that were looked up by time, in modes other than FAILFAST.
        is_everything: whether all topics are selected, so that files and directories without a topic in their name are
            read too.
    """

    ranges: dict[TopicPartition, OffsetRange]
    left_out: "list[Partition]"
    warnings: list[str]
    is_everything: bool


def resolve(options: "SourceOptions", partitions: "Sequence[Partition]") -> Resolution:
    """Choose partitions and look up their bounds, several at a time; other partitions are not read.

    Args:
        options: options of the user.
        partitions: the partitions that were found; of a partition given more than once, the first counts.

    Raises:
        OptionError: the bounds do not name the partitions that are read, or start after they end, or no record is as
            late as the start time.
        DataLossError: requested data is not on disk, and `failOnDataLoss` is true.
        KafkafmtError: in mode FAILFAST, damage where a time or the end of the log is looked up; in any mode, a file
            that cannot be read.
    """
    bounds = options.bounds
    is_everything = options.topics.option is None and bounds.starting is None and bounds.ending is None
    chosen: dict[TopicPartition, Partition] = {}
    left_out: list[Partition] = []
    for each in partitions:
        if each.topic is not None and each.partition is not None and options.topics.takes(each.topic, each.partition):
            chosen.setdefault((each.topic, each.partition), each)
        elif not is_everything:
            left_out.append(each)
    losses = Losses(fatal=options.fail_on_data_loss)
    check_choice(options.topics, {each.topic for each in partitions if each.topic is not None}, chosen, losses)
    for bound in (bounds.starting, bounds.ending):
        check_named(bound, options.topics, chosen, losses)
    unnamed = [each.path for each in left_out if each.topic is None or each.partition is None]
    if unnamed and options.topics.option is None:
        losses.warnings.append(option_errors.unnamed_partitions(unnamed))

    keys = sorted(chosen)
    if bounds.starting is None and bounds.ending is None:
        return Resolution(dict.fromkeys(keys, (None, None)), left_out, losses.warnings, is_everything)
    # Anchored, so that errors name the whole path, like the errors of tasks.
    looked_up = _look_up(keys, lambda key: _LookUp(options, key, chosen[key].anchored()).resolve())
    for found in looked_up:
        for loss in found.losses:
            losses.add(loss)
    damage = {(each.file, each.position): each for found in looked_up for each in found.damage if not each.is_open_end}
    losses.warnings += [option_errors.passed_over(each) for each in damage.values()]
    ranges = {key: found.range for key, found in zip(keys, looked_up, strict=True)}
    return Resolution(ranges, left_out, losses.warnings, is_everything)


class Losses:
    """Handles requested data that is missing: as an error, or as a warning.

    Args:
        fatal: whether it is an error.

    Attributes:
        warnings: texts for the user.
    """

    def __init__(self, *, fatal: bool) -> None:
        self.warnings: list[str] = []
        self._fatal = fatal

    def add(self, loss: DataLossError) -> None:
        """Handle missing data.

        Raises:
            DataLossError: missing data is an error.
        """
        if self._fatal:
            raise loss
        self.warnings.append(loss.warning)


@dataclass(frozen=True)
class _Found:
    """Result of a look-up."""

    range: OffsetRange
    losses: list[DataLossError]
    damage: "list[Damage]"


class _LookUp:
    """Looks up the bounds of one partition."""

    def __init__(self, options: "SourceOptions", key: TopicPartition, partition: "Partition") -> None:
        self._bounds = options.bounds
        self._skips = options.mode != "FAILFAST"
        self._damage: list[Damage] = []
        self._key = key
        self._partition = partition
        self._losses: list[DataLossError] = []

    def resolve(self) -> _Found:
        """Look up both ends.

        Raises:
            OptionError: the end is before the start, or no record is as late as the start time.
            KafkafmtError: damage was found, in mode FAILFAST.
        """
        starting, ending = self._bounds.starting, self._bounds.ending
        end = self._end()
        if isinstance(starting, Timestamps):
            timestamp = _of(starting.by_partition, self._key)
            found = self._find(timestamp)
            if found is None and self._bounds.on_no_match == "error":
                raise option_errors.no_offset_at(starting.option, self._key, timestamp)
            if found is None:
                log_end = self._partition.log_end_offset or 0
                return _Found((log_end, log_end), self._losses, self._damage)
            start: int | None = found.offset
        else:
            start = self._offset(starting)
        if starting and ending and start is not None and end is not None and start > end:
            raise option_errors.start_after_end_of(starting.option, ending.option, self._key, start, end)
        return _Found((start, end), self._losses, self._damage)

    def _end(self) -> int | None:
        bound = self._bounds.ending
        if isinstance(bound, Timestamps):
            timestamp = _of(bound.by_partition, self._key)
            found = self._find(timestamp)
            return None if found is None else found.offset
        return self._offset(bound)

    def _find(self, timestamp: int) -> "RecordTime | None":
        return self._partition.first_at(timestamp, report=self._damage.append if self._skips else None)

    def _offset(self, bound: GivenOffsets | None) -> int | None:
        """The requested offset, or the nearest one on disk."""
        offset = None if bound is None else bound.by_partition.get(self._key)
        if bound is None or offset is None:
            return None
        first, end = self._partition.log_start_offset or 0, self._partition.log_end_offset or 0
        there = min(max(offset, first), end)
        if there != offset:
            self._losses.append(option_errors.out_of_range(bound.option, self._key, offset, first, end))
        return there


def _of(by_partition: Mapping[TopicPartition, int] | int, key: TopicPartition) -> int:
    return by_partition if isinstance(by_partition, int) else by_partition[key]


def _look_up(keys: Sequence[TopicPartition], look_up: Callable[[TopicPartition], _Found]) -> list[_Found]:
    """Run the look-ups; each mostly waits for a disk or an object store, so several run at once."""
    if len(keys) < 2:
        return [look_up(key) for key in keys]
    with ThreadPoolExecutor(_THREADS, thread_name_prefix="kafkafmt-look-up") as pool:
        return list(pool.map(look_up, keys))


def check_choice(
    choice: TopicChoice, topics: Collection[str], chosen: Collection[TopicPartition], losses: Losses
) -> None:
    """Report topics and partitions that were named and are missing.

    Args:
        choice: names them.
        topics: the topics that exist.
        chosen: the partitions that exist and are read.
        losses: handles missing data.

    Raises:
        DataLossError: as for `losses`.
    """
    if choice.option is None:
        return
    missing_topics = choice.wanted_topics.difference(topics)
    if missing_topics:
        losses.add(option_errors.topics_not_there(choice.option, missing_topics))
    missing = {key for key in choice.wanted_partitions.difference(chosen) if key[0] not in missing_topics}
    if missing:
        losses.add(option_errors.partitions_not_there(choice.option, missing))
    if choice.pattern is not None and not chosen:
        losses.warnings.append(option_errors.nothing_found(choice.option, choice.pattern.pattern))


def check_named(bound: Bound, choice: TopicChoice, chosen: Collection[TopicPartition], losses: Losses) -> None:
    """Check that bounds of single partitions name those that are read, and no others.

    Args:
        bound: the bounds.
        choice: which partitions are read.
        chosen: the ones among them that exist.
        losses: handles named partitions that are missing.

    Raises:
        OptionError: the bounds name other partitions, or not all.
        DataLossError: as for `losses`.
    """
    if bound is None or isinstance(bound.by_partition, int):
        return
    named = bound.by_partition.keys()
    unwanted = {key for key in named if not choice.takes(*key)}
    if unwanted:
        raise option_errors.not_assigned(bound.option, unwanted)
    if set(chosen) - named:
        raise option_errors.not_specified(bound.option, set(chosen) - named)
    # Missing topics that were named by `subscribe` or `assign` were reported by `check_choice`.
    there = {topic for topic, _ in chosen}
    missing_topics = (choice.topics or frozenset()) - there
    missing = {key for key in named - set(chosen) - choice.wanted_partitions if key[0] not in missing_topics}
    if missing:
        losses.add(option_errors.partitions_not_there(bound.option, missing))
