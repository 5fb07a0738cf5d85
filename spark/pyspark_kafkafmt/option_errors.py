"""Messages about options: all texts about invalid options, options without effect, and missing data.

An error names the option, its value and what is allowed, in one line: Spark shows it below a traceback of its own.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

from kafkafmt.phrases import listed

if TYPE_CHECKING:
    from kafkafmt import Damage

TopicPartition = tuple[str, int]

_MOST_VALUE_CHARACTERS: Final = 200
_MOST_NAMED: Final = 5

BROKER_OPTIONS_IGNORED: Final = "options about a broker, which reading files does not need"
SOURCE_OPTIONS_IGNORED: Final = "options that have no meaning for such a read of files"


class OptionError(ValueError):
    """An option whose value is invalid, contradicts another, or is not supported.

    Attributes:
        option: name of the option, in the spelling of the docs.
        value: the given value, or None if it is missing.
        problem: what is wrong.
        allowed: the allowed values.
    """

    def __init__(self, option: str, value: str | None, problem: str, allowed: str) -> None:
        super().__init__(option, value, problem, allowed)
        self.option = option
        self.value = value
        self.problem = problem
        self.allowed = allowed

    def __str__(self) -> str:
        """Option, value, problem and remedy in one line."""
        given = "" if self.value is None else f" = {_quote(self.value)}"
        return _printable(f"option {self.option}{given}: {self.problem}; {self.allowed}")


class DataLossError(OptionError):
    """Requested data is not (or no longer) on disk; if `failOnDataLoss` is false, this becomes a warning."""

    @property
    def warning(self) -> str:
        """The text of the warning: without the remedy, which was already applied."""
        return _printable(
            f"option {self.option}: {self.problem}; only what is there is read, as failOnDataLoss = false allows"
        )

    def __str__(self) -> str:
        """Problem and remedy in one line."""
        return _printable(f"option {self.option}: {self.problem}; {self.allowed}")


_TIMESTAMPS: Final = "allowed: milliseconds since 1970-01-01 UTC, from 0 up"
_FAIL_ON_DATA_LOSS: Final = "set failOnDataLoss to false to read what is there"


def not_one_of(option: str, value: str, choices: Collection[str]) -> OptionError:
    """The error for a word that is not one of the allowed ones."""
    return OptionError(option, value, "not an allowed value", f"allowed: {', '.join(choices)}")


def no_whole_number(option: str, value: str, least: int, most: int) -> OptionError:
    """The error for a text that is not a number, or a number out of range."""
    return OptionError(option, value, "not a whole number in range", f"allowed: {least} to {most}, as digits")


def no_size(option: str, value: str) -> OptionError:
    """The error for a text that is not a number of bytes."""
    return OptionError(
        option,
        value,
        "not a size",
        "allowed: a whole number of bytes from 1 to 9223372036854775807, also with a unit of 1024 as in 512k, 128m, "
        "1g, 1t",
    )


def no_duration(option: str, value: str) -> OptionError:
    """The error for a text that is not a length of time."""
    return OptionError(
        option, value, "not a length of time", "allowed: a whole number of ms, or with a unit as in 500ms, 30s, 15m, 2h"
    )


def not_in_streams(option: str, value: str, instead: str) -> OptionError:
    """The error for an option of a batch read that a stream does not have."""
    return OptionError(option, value, "not supported in a stream", instead)


def not_in_this_spark(option: str, value: str) -> OptionError:
    """The error for a limit of triggers in a Spark that does not support limits for Python sources."""
    return OptionError(
        option,
        value,
        "this Spark does not support limits for Python sources",
        "use Spark 4.2 or later, or remove the option",
    )


def no_checkpoint(place: str, why: str) -> OptionError:
    """The error for a checkpoint in which topic ids cannot be kept."""
    return OptionError(
        "checkpointLocation", place, f"topic ids cannot be kept there: {why}", "give the directory of the checkpoint"
    )


def empty_checkpoint(option: str, value: str) -> OptionError:
    """The error for an empty path, which would be the working directory."""
    return OptionError(option, value, "an empty path", "give the directory of the query's checkpoint")


def foreign_offsets(offsets: str, why: str) -> OptionError:
    """The error for offsets in a checkpoint that are not those of Kafka's partitions."""
    return OptionError(
        "checkpointLocation",
        None,
        f"the checkpoint has the offsets {_quote(offsets)}, which are not those of partitions: {why}",
        "give each query a checkpoint of its own",
    )


def unreadable_topic_ids(place: str, file: str, why: str) -> OptionError:
    """A file of topic ids that a stream has not written so."""
    return OptionError(
        "checkpointLocation",
        place,
        f"the file {file} there is not one of topic ids: {why}",
        "delete it: then a topic that was created again since the last run is not noticed",
    )


def more_than(option: str, least: int, other: str, most: int) -> OptionError:
    """The error for a lower limit above the upper one."""
    return OptionError(option, str(least), f"more than {other}, which is {most}", f"allowed: up to {other}")


def no_json(option: str, value: str, problem: str, example: str) -> OptionError:
    """The error for a text that is not JSON, or JSON of the wrong form."""
    return OptionError(option, value, problem, f"expected JSON like {example}")


def no_offset_word(option: str, value: str, problem: str, word: str, example: str) -> OptionError:
    """The error for the value of an offset option that is neither its word nor valid JSON."""
    return OptionError(option, value, problem, f"expected {word}, or JSON like {example}")


def no_path() -> OptionError:
    """The error for a read without a path."""
    return OptionError(
        "path",
        None,
        "nothing to read is named",
        'name log directories, partition directories or segment files, as in .load("/var/lib/kafka/data")',
    )


def empty_path(option: str, value: str) -> OptionError:
    """The error for an empty string among the paths."""
    return OptionError(option, value, "an empty path", "name a file, a directory, a URI or a glob")


def more_than_one_choice(given: Sequence[str]) -> OptionError:
    """The error for several options that each choose the topics to read."""
    return OptionError(
        " and ".join(given),
        None,
        "they exclude each other",
        "set only one of subscribe, subscribePattern and assign, or none of them to read all topics",
    )


def no_topics(option: str, value: str, allowed: str) -> OptionError:
    """The error for an option that chooses topics but names none."""
    return OptionError(option, value, "it names no topic", allowed)


def bad_pattern(value: str, problem: str) -> OptionError:
    """The error for a regular expression that does not compile, or means something else here than in Java."""
    return OptionError(
        "subscribePattern",
        value,
        problem,
        "it must be a Java regular expression of the common kind: Python's re has to understand it in the same way",
    )


def latest_start(option: str, value: str) -> OptionError:
    """The error for a batch query that would start where the log ends."""
    return OptionError(
        option,
        value,
        "a batch query cannot start at the latest offset",
        "allowed: earliest, or for each partition an offset or -2 (earliest)",
    )


def earliest_end(option: str, value: str) -> OptionError:
    """The error for a batch query that would end where the log starts."""
    return OptionError(
        option,
        value,
        "a batch query cannot end at the earliest offset",
        "allowed: latest, or for each partition an offset or -1 (latest)",
    )


def no_offset(option: str, value: str, of: TopicPartition, special: str) -> OptionError:
    """The error for a negative number without a meaning."""
    return OptionError(option, value, f"no offset for {_name(of)}", f"allowed: offsets from 0 up, and {special}")


def negative_timestamp(option: str, value: str) -> OptionError:
    """The error for a time before 1970; Kafka's own protocol gives some of these another meaning."""
    return OptionError(option, value, "a negative timestamp", _TIMESTAMPS)


def no_timestamp(option: str, value: str) -> OptionError:
    """The error for a time that is not a number, such as a date."""
    return OptionError(option, value, "not a timestamp", _TIMESTAMPS)


def other_partitions(start: str, end: str, differing: Collection[TopicPartition]) -> OptionError:
    """The error for a start and an end that name different partitions."""
    return OptionError(
        end, None, f"it and {start} do not name the same partitions: {_names(differing)}", "name the same in both"
    )


def start_after_end(start: str, end: str, of: str, first: int, last: int) -> OptionError:
    """The error for a range whose start is after its end.

    Args:
        start: option with the start.
        end: option with the end.
        of: the partition of the range, or "all partitions".
        first: offset, or time in ms.
        last: offset, or time in ms.
    """
    return OptionError(
        start, None, f"it begins at {first}, after {end} which is {last}, for {of}", "the start must not exceed the end"
    )


def start_after_end_of(start: str, end: str, of: TopicPartition, first: int, last: int) -> OptionError:
    """The same for one partition."""
    return start_after_end(start, end, _name(of), first, last)


def not_specified(option: str, missing: Collection[TopicPartition]) -> OptionError:
    """The error for partitions that would be read but have no bound."""
    return OptionError(
        option,
        None,
        f"it has no value for {_names(missing)}",
        "name every partition that is read, or choose fewer with subscribe or assign (where offsets are given, -2 is "
        "the earliest and -1 the latest)",
    )


def not_assigned(option: str, surplus: Collection[TopicPartition]) -> OptionError:
    """The error for bounds of partitions that would not be read."""
    return OptionError(
        option,
        None,
        f"it names other partitions: {_names(surplus)}",
        "name the partitions that subscribe, subscribePattern or assign choose, and no others",
    )


def no_offset_at(option: str, of: TopicPartition, timestamp: int) -> OptionError:
    """The error for a partition in which no record is as late as the start time."""
    return OptionError(
        option,
        str(timestamp),
        f"{_name(of)} has no record with this timestamp or a later one",
        "set startingOffsetsByTimestampStrategy to latest to read nothing from such a partition",
    )


def topics_not_there(option: str, topics: Collection[str]) -> DataLossError:
    """The error for topics that none of the directories has."""
    return DataLossError(
        option, None, f"no such topic in the paths given: {listed(sorted(topics), _MOST_NAMED)}", _FAIL_ON_DATA_LOSS
    )


def partitions_not_there(option: str, partitions: Collection[TopicPartition]) -> DataLossError:
    """The error for partitions that none of the directories has."""
    return DataLossError(
        option, None, f"no such partition in the paths given: {_names(partitions)}", _FAIL_ON_DATA_LOSS
    )


def nothing_found(option: str, value: str) -> str:
    """The warning about a pattern that matches no topic: nothing is read, as with Spark's kafka source."""
    return _printable(f"option {option} = {_quote(value)}: it matches no topic in the paths given; nothing is read")


def out_of_range(option: str, of: TopicPartition, offset: int, first: int, end: int) -> DataLossError:
    """The error for an offset below the log start or beyond the log end."""
    return DataLossError(
        option,
        str(offset),
        f"offset {offset} of {_name(of)} is not on disk: the log has offsets {first} to {end} (the log end)",
        _FAIL_ON_DATA_LOSS,
    )


def _lost(problem: str) -> DataLossError:
    return DataLossError("failOnDataLoss", None, problem, _FAIL_ON_DATA_LOSS)


def partitions_gone(partitions: Collection[TopicPartition]) -> DataLossError:
    """The error for partitions of a stream that were deleted."""
    return _lost(f"partitions were deleted, perhaps before all their records were read: {_names(partitions)}")


def begins_late(of: TopicPartition, first: int) -> DataLossError:
    """The error for a partition that is new to a stream and has already lost its first records."""
    return _lost(f"the new partition {_name(of)} begins at offset {first}, and offsets 0 to {first - 1} were deleted")


def deleted_before_read(of: TopicPartition, offset: int, first: int) -> DataLossError:
    """The error for offsets of a stream that retention or DeleteRecords removed before they were read."""
    return _lost(
        f"offsets {offset} to {first - 1} of {_name(of)} were deleted before they were read; the log now starts at "
        f"{first}"
    )


def ends_early(of: TopicPartition, offset: int, end: int) -> DataLossError:
    """The error for a log that ends before the offset up to which a stream has read it, or should read it."""
    return _lost(
        f"the log of {_name(of)} ends at offset {end}, before the stream's offset {offset}: it was cut, or the topic "
        "was deleted and created again"
    )


def recreated(of: TopicPartition, offset: int, before: str, now: str) -> DataLossError:
    """The error for a topic that was deleted and created again while a stream reads it."""
    return _lost(
        f"the topic of {_name(of)} was deleted and created again (its id was {before}, and is {now}): records of the "
        f"deleted one from offset {offset} on may not have been read; the new one is read from its start"
    )


def refused_by_kafka_source(option: str, value: str, instead: str) -> OptionError:
    """The error for an option that Spark's kafka source does not let a user set either."""
    return OptionError(option, value, "not supported, as in Spark's kafka source", instead)


def no_such_option(given: str, value: str, meant: Iterable[str], known: Iterable[str]) -> OptionError:
    """The error for an unknown name of an option.

    Args:
        given: the name.
        value: value of the option.
        meant: names that are similar.
        known: all names of options.
    """
    near = " or ".join(meant)
    allowed = f"did you mean {near}?" if near else f"there are {', '.join(known)}"
    return OptionError(given, value, "no such option", allowed)


def not_on_offer(option: str, value: str, why: str) -> OptionError:
    """The error for an option of earlier releases that was removed because it gave wrong results."""
    return OptionError(option, value, "no longer supported", why)


def no_common_type(value: str, why: str) -> OptionError:
    """The error for topics whose keys or values have different types."""
    return OptionError("valueFormat", value, why, "choose one topic by subscribe")


def column_taken(option: str, value: str) -> OptionError:
    """The error for a name of the column of damage that another column has."""
    return OptionError(option, value, "the name of another column", "choose a name that no column has")


def empty_column(option: str, value: str) -> OptionError:
    """The error for an empty name of the column of damage."""
    return OptionError(option, value, "an empty name", "choose a name that no column has")


def ignored(kind: str, names: Collection[str]) -> str:
    """The warning about options that have no effect."""
    return _printable(f"ignored, {kind}: {', '.join(sorted(names))}")


def passed_over(damage: "Damage") -> str:
    """The warning about damage that a look-up by time skipped: the first record that is late enough may be in it."""
    return _printable(f"the look-up of a time skipped {damage.length} damaged bytes: {damage.error}")


def unnamed_partitions(paths: Collection[str]) -> str:
    """The warning about directories that cannot have bounds."""
    named = listed(sorted(paths), _MOST_NAMED)
    return _printable(f"left out, as their names give no topic and partition to look bounds up for: {named}")


def _quote(value: str) -> str:
    shown = value if len(value) <= _MOST_VALUE_CHARACTERS else value[:_MOST_VALUE_CHARACTERS] + "..."
    return f"'{shown}'"


def _name(of: TopicPartition) -> str:
    return f"{of[0]}-{of[1]}"


def _names(partitions: Collection[TopicPartition]) -> str:
    return listed([_name(partition) for partition in sorted(partitions)], _MOST_NAMED)


def _printable(text: str) -> str:
    # Lone surrogates can be neither printed nor passed on, and one line stays one line.
    escaped: dict[int, Any] = {code: f"\\x{code:02x}" for code in (*range(32), 127)}
    return text.translate(escaped).encode("utf-8", "backslashreplace").decode("utf-8")
