"""Reading: the answer of `kafkafmt.topics.groups`, as coordinators would give it after loading the disks."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from kafkafmt.errors import KafkafmtError
from kafkafmt.files.damage import Note, is_finding
from kafkafmt.internal_topics import CONSUMER_OFFSETS, SHARE_GROUP_STATE
from kafkafmt.phrases import counted, listed, named
from kafkafmt.topics.answers import Names, absent_names, check_choices, name_filter
from kafkafmt.topics.consumer_groups.answer import Group, Groups, LoadFailure
from kafkafmt.topics.consumer_groups.catalog import TopicCatalog, TopicNames, coordinator_partitions, home_partition
from kafkafmt.topics.consumer_groups.choice import GroupChoice
from kafkafmt.topics.consumer_groups.group_builder import GroupBuilder
from kafkafmt.topics.consumer_groups.group_records import CoordinatorPartition, GroupRecords
from kafkafmt.topics.consumer_groups.history import GroupHistory
from kafkafmt.topics.consumer_groups.loading import SHARE
from kafkafmt.topics.consumer_groups.replay import LastRecords, ShareOffset, by_partition, share_offsets
from kafkafmt.topics.history import LazyHistory
from kafkafmt.topics.internal_log import InternalLog
from kafkafmt.topics.log_notes import UnknownRecords

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

    from kafkafmt.errors import Missing, OnDamage
    from kafkafmt.files.damage import Damage
    from kafkafmt.limits import Limits
    from kafkafmt.logdir.sources import Searchable
    from kafkafmt.scanning.arguments import Time
    from kafkafmt.topics.answers import AtOffset
    from kafkafmt.topics.decoding import StateMemory

_MOST_NAMES = 10


def groups(
    source: "Searchable",
    *,
    filesystem: "FileSystem | None" = None,
    groups: Names = None,
    topics: Names = None,
    at_offset: "AtOffset | None" = None,
    at_time: "Time | None" = None,
    on_damage: "OnDamage" = "skip",
    limits: "Limits | None" = None,
    missing: "Missing" = "raise",
) -> Groups:
    """List the groups, their committed offsets and their members.

    The records of `__consumer_offsets` are replayed as by a broker that becomes the coordinator: the last record of a
    key wins, a tombstone deletes, and offsets committed in a transaction take effect if `__consumer_offsets` itself has
    the COMMIT marker. States follow from the records; a running broker also notices sessions that have expired since.
    Start offsets of share groups come from `__share_group_state`.

        >>> found = kafkafmt.topics.groups("/var/lib/kafka/data")
        >>> found["payments"].state
        'Stable'
        >>> found.offsets.to_pandas()

    Args:
        source: as for `kafkafmt.scan`: usually the log directories of all brokers. If a partition is found several
            times, only the best copy is read.
        filesystem: as for `kafkafmt.scan`.
        groups: group ids, or a compiled pattern for the whole id; None for all.
        topics: topic names for the committed offsets, or a compiled pattern for the whole name; None for all.
        at_offset: return the state as of this offset of `__consumer_offsets` (exclusive), of every partition or by
            partition. Log ends of that moment are unknown, so there are no lags, and no start offsets of share groups.
        at_time: return the state before the first record with a later timestamp: ms since the epoch, or a datetime (UTC
            if it has no zone). Logs end there too.
        on_damage: "raise" an error at the first damage of an internal topic, or "skip" and list it.
        limits: bounds of memory; `kafkafmt.Limits()` if None.
        missing: "raise" an error if a named group does not exist, or a named topic is not found, or "note" it.

    Raises:
        NotFoundError: a named group does not exist, or a named topic is not found.
        SourceError: a source is missing or unreadable, or has no partition of `__consumer_offsets`.
        LimitExceededError: the groups take more memory than `limits.max_state_bytes` allows.
        KafkafmtError: damage, with `on_damage="raise"`.
        TypeError, ValueError: an invalid argument.
    """
    check_choices(on_damage=on_damage, missing=missing)
    choice = GroupChoice.of(
        source,
        filesystem=filesystem,
        groups=groups,
        topics=topics,
        at_offset=at_offset,
        at_time=at_time,
        on_damage=on_damage,
        limits=limits,
    )
    searched, of_group = choice.searched, choice.of_group
    errors: dict[str, KafkafmtError] = {}

    def report(error: KafkafmtError) -> None:
        errors.setdefault(str(error), error)

    log = choice.log(CONSUMER_OFFSETS).required()
    built: list[GroupBuilder] = []
    decoded, memory = _decoded(log, built)
    failures = [failure for each in decoded for failure in _load_failures(each, log.damage)]
    notes = [*log.notes, *_missing_partitions(log.numbers)]
    notes += [note for each in decoded for note in each.unknown.notes(f"{CONSUMER_OFFSETS}-{each.partition}", "keys")]
    damage, skipped = list(log.damage), list(log.skipped_replicas)
    catalog = TopicCatalog(searched, None, choice.as_of.time, report, limits)
    found = _at_home(decoded, catalog, notes)
    absent = searched.require_found(absent_names("group", groups, found), missing)
    started: Mapping[str, list[ShareOffset]] = {}
    if at_offset is None and _has_share_groups(found, of_group):
        share_log = choice.log(SHARE_GROUP_STATE)
        started = _start_offsets(share_log, report, notes)
        damage += share_log.damage
        skipped += share_log.skipped_replicas
    names = TopicNames(decoded, catalog)
    ends = catalog if at_offset is None else None
    builder = GroupBuilder(names.name, ends, name_filter(topics, "topics"), report, memory)
    built.append(builder)
    made = tuple(
        builder.group(group_id, home, records, started.get(group_id, ()))
        for group_id, (home, records) in sorted(found.items())
        if of_group(group_id)
    )
    known_topics = {*builder.topics, *(topic for topic, _ in searched.names if topic is not None)}
    notes += (*absent, *searched.require_found(absent_names("topic", topics, known_topics), missing))
    for failure in failures:
        report(failure.error)
    notes += _notes(made, {group.group_id: found[group.group_id][1] for group in made})
    notes += builder.notes()
    known = {str(error) for error in searched.unreadable}
    others = tuple(error for text, error in errors.items() if text not in known)
    history = LazyHistory(partial(GroupHistory, choice, log))
    return Groups(made, tuple(notes), others, tuple(damage), tuple(skipped), history, tuple(failures))


def _decoded(log: InternalLog, built: Sequence[GroupBuilder]) -> "tuple[list[CoordinatorPartition], StateMemory]":
    """Replay the log, and decode the last records of its keys.

    Args:
        log: the log of `__consumer_offsets`.
        built: builders of groups, whose memory counts too.

    Returns:
        The partitions in order of their numbers, and the bound of the memory of all of them.

    Raises:
        LimitExceededError: they take more memory than the limits allow.
    """
    last: dict[int, LastRecords] = {}
    decoded: list[CoordinatorPartition] = []
    memory = log.memory(
        lambda: (
            sum(each.memory() for each in last.values())
            + sum(each.memory() for each in decoded)
            + sum(each.held for each in built)
        )
    )
    by_partition(log, last, memory)
    for number in sorted(last):
        decoded.append(CoordinatorPartition(number, memory))
        decoded[-1].take(last.pop(number))
    return decoded, memory


def _has_share_groups(found: Mapping[str, tuple[int, GroupRecords]], of_group: Callable[[str], bool]) -> bool:
    """Whether a share group is among the wanted ones."""
    return any(SHARE in records.families for group_id, (_, records) in found.items() if of_group(group_id))


def _start_offsets(
    log: InternalLog, report: Callable[[KafkafmtError], None], notes: list[str]
) -> Mapping[str, list["ShareOffset"]]:
    """Start offsets of share groups, by group.

    Args:
        log: the log of `__share_group_state`.
        report: called with records that cannot be decoded.
        notes: notes of the answer so far, extended by those of the log.
    """
    started: dict[str, list[ShareOffset]] = defaultdict(list)
    unknown = UnknownRecords()
    for offset in share_offsets(log, report, unknown):
        started[offset.group_id].append(offset)
    said = frozenset(notes)
    notes += unknown.notes(SHARE_GROUP_STATE)
    notes += [
        Note(f"start offsets of share groups: {note}", is_finding=is_finding(note), topic=SHARE_GROUP_STATE)
        for note in log.notes
        if note not in said
    ]
    return started


def _at_home(
    decoded: Sequence[CoordinatorPartition], catalog: TopicCatalog, notes: list[str]
) -> dict[str, tuple[int, GroupRecords]]:
    """Each group once, with the partition that holds it.

    If several partitions have the group, as after partitions were added to `__consumer_offsets`, its home partition
    counts.
    """
    found: dict[str, tuple[int, GroupRecords]] = {}
    holders: dict[str, list[int]] = defaultdict(list)
    for each in decoded:
        for group_id, records in each.groups.items():
            holders[group_id].append(each.partition)
            found.setdefault(group_id, (each.partition, records))
    several = {group_id: numbers for group_id, numbers in holders.items() if len(numbers) > 1}
    if several:
        count = coordinator_partitions(catalog).count
        by_number = {each.partition: each.groups for each in decoded}
        for group_id, numbers in sorted(several.items()):
            home = home_partition(group_id, count)
            chosen = home if home in numbers else numbers[-1]
            found[group_id] = chosen, by_number[chosen][group_id]
            notes.append(
                f"{group_id} is in partitions {listed([*map(str, numbers)])} of __consumer_offsets, as after "
                f"partitions were added; shown from partition {chosen}"
            )
    return found


def _notes(groups: Sequence[Group], records: Mapping[str, GroupRecords]) -> Iterator[str]:
    """Yield notes on groups.

    Args:
        groups: the groups.
        records: records of each group, by id.
    """
    pending = [group for group in groups if group.pending_offsets]
    if pending:
        number = sum(len(group.pending_offsets) for group in pending)
        producers = sorted({producer for group in pending for producer, _ in records[group.group_id].pending})
        transactions = "a transaction" if len(producers) == 1 else "transactions"
        yield (
            f"ignored {counted(number, 'offset')} that {named('group', [group.group_id for group in pending])} "
            f"committed in {transactions} still open ({named('producer', producers)})"
        )
    for group in groups:
        if records[group.group_id].is_contradictory:
            yield f"group {group.group_id} is shown as the type written last, {group.type}"
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
        yield f"no name on these disks for {named('topic id', nameless)}"


def _load_failures(found: CoordinatorPartition, damage: "Iterable[Damage]") -> Iterator[LoadFailure]:
    """Why a coordinator gives up a partition; if the partition is damaged, only records that cannot be decoded."""
    yield from (LoadFailure(*failure) for failure in found.failures)
    if found.refused is not None and all(each.partition not in (found.partition, None) for each in damage):
        yield LoadFailure(*found.refused)


def _missing_partitions(partitions: Iterable[int]) -> Iterator[str]:
    """Yield a note on partitions of `__consumer_offsets` that are missing below the highest one.

    Args:
        partitions: numbers of the partitions that are read; -1 if unknown.
    """
    numbers = set(partitions)
    highest = max(numbers, default=-1)
    missing = highest + 1 - len(numbers)
    if missing > 0 and -1 not in numbers:
        # Only the first numbers: the name of a single directory can make them two billion.
        first = islice((each for each in range(highest) if each not in numbers), _MOST_NAMES)
        more = f" and {missing - _MOST_NAMES:,} more" if missing > _MOST_NAMES else ""
        names = ", ".join(f"__consumer_offsets-{each}" for each in first) + more
        yield f"missing {names}: groups in {'it' if missing == 1 else 'them'} are not shown"
