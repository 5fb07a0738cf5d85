"""Remarks: sentences for the user on what the answer leaves out or could mislead about."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kafkafmt.topics.consumer_groups.decoding import GroupRecords
    from kafkafmt.topics.consumer_groups.model import Group

_MOST_NAMES = 10


def of_groups(groups: "Sequence[Group]", records: "Mapping[str, GroupRecords]") -> Iterator[str]:
    """What is to be said of groups.

    Args:
        groups: as they are told.
        records: of each of them, by id.
    """
    pending = [group for group in groups if group.pending_offsets]
    if pending:
        number = sum(len(group.pending_offsets) for group in pending)
        producers = sorted({producer for group in pending for producer, _ in records[group.group_id].pending})
        open_ones = "a transaction" if len(producers) == 1 else "transactions"
        yield (
            f"ignored {_count(number, 'offset')} that {'group' if len(pending) == 1 else 'groups'} "
            f"{listed([group.group_id for group in pending])} committed in {open_ones} still open "
            f"({'producer' if len(producers) == 1 else 'producers'} {listed([*map(str, producers)])})"
        )
    for group in groups:
        if records[group.group_id].is_contradictory:
            yield (
                f"group {group.group_id} has records of several group types, which a broker refuses to load; shown as "
                f"the type written last, {group.type}"
            )
    nameless = sorted(
        {
            each.topic_id
            for group in groups
            for member in group.members
            for each in (*member.assignment, *member.target_assignment)
            if each.topic is None and each.topic_id is not None
        }
    )
    if nameless:
        yield f"no name on these disks for topic {'id' if len(nameless) == 1 else 'ids'} {listed(nameless)}"


def of_topics(other_topics: Mapping[tuple[str, int], tuple[str, str]]) -> Iterator[str]:
    """What is to be said of logs that are of another topic of the same name."""
    if other_topics:
        names = listed([f"{topic}-{partition}" for topic, partition in sorted(other_topics)])
        yield f"no lag for {names}: the log on these disks is of another topic with that name"


def of_partitions(partitions: Iterable[int]) -> Iterator[str]:
    """What is to be said of the partitions of `__consumer_offsets`: below the highest that is read some may be missing.

    Args:
        partitions: their numbers; -1 of a file whose partition nothing tells.
    """
    numbers = set(partitions)
    highest = max(numbers, default=-1)
    missing = highest + 1 - len(numbers)
    if missing > 0 and -1 not in numbers:
        # Never all of them at once: the name of a single directory can make them two billion.
        first = islice((each for each in range(highest) if each not in numbers), _MOST_NAMES)
        names = ", ".join(f"__consumer_offsets-{each}" for each in first) + _beyond(missing)
        yield f"missing {names}: groups in {'it' if missing == 1 else 'them'} are not shown"


def in_many_partitions(group_id: str, partitions: Sequence[int], chosen: int) -> str:
    """What is to be said of a group that is in more than one partition of `__consumer_offsets`."""
    return (
        f"{group_id} is in partitions {listed([*map(str, partitions)])} of __consumer_offsets, as after "
        f"partitions were added; shown from partition {chosen}"
    )


def listed(names: Sequence[str]) -> str:
    """Name the first few, and how many there are beyond."""
    return ", ".join(names[:_MOST_NAMES]) + _beyond(len(names))


def _beyond(number: int) -> str:
    return f" and {number - _MOST_NAMES:,} more" if number > _MOST_NAMES else ""


def _count(number: int, noun: str) -> str:
    return f"1 {noun}" if number == 1 else f"{number} {noun}s"
