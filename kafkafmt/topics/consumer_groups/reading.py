"""Reading: groups from brokers' disks, as their coordinators would know them."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from re import Pattern
from typing import TYPE_CHECKING

from kafkafmt.errors import KafkafmtError
from kafkafmt.files.damage import Note, is_finding
from kafkafmt.internal_topics import CONSUMER_OFFSETS, SHARE_GROUP_STATE
from kafkafmt.logdir import sources
from kafkafmt.scanning import selection
from kafkafmt.topics.consumer_groups import remarks, share_offsets
from kafkafmt.topics.consumer_groups.building import Builder
from kafkafmt.topics.consumer_groups.decoding import SHARE, Decoded, GroupRecords
from kafkafmt.topics.consumer_groups.disks import Disks
from kafkafmt.topics.consumer_groups.home import home_partition
from kafkafmt.topics.consumer_groups.last_records import LastRecords, by_partition
from kafkafmt.topics.consumer_groups.locating import coordinator_partitions
from kafkafmt.topics.consumer_groups.result import Groups
from kafkafmt.topics.consumer_groups.topic_names import TopicNames
from kafkafmt.topics.internal_log import InternalLog

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

    from kafkafmt.files.segment_reader import OnDamage
    from kafkafmt.limits import Limits
    from kafkafmt.logdir.sources import Searchable
    from kafkafmt.scanning.selection import Time
    from kafkafmt.topics.internal_log import AtOffset

Wanted = str | Iterable[str] | Pattern[str] | None


def groups(
    source: "Searchable",
    *,
    filesystem: "FileSystem | None" = None,
    groups: Wanted = None,
    topics: Wanted = None,
    at_offset: "AtOffset | None" = None,
    at_time: "Time | None" = None,
    on_damage: "OnDamage" = "raise",
    limits: "Limits | None" = None,
) -> Groups:
    """List the groups, their committed offsets and their members.

    The records of `__consumer_offsets` are replayed as by a broker that becomes the coordinator: the last record of a
    key is used, a tombstone deletes, and offsets of a transaction take effect if `__consumer_offsets` itself has its
    COMMIT marker. States follow from the records; a running broker would also notice sessions that expired since.
    Start offsets of share groups come from `__share_group_state`.

        >>> found = kafkafmt.topics.groups("/var/lib/kafka/data")
        >>> found["payments"].state
        'Stable'
        >>> found.offsets.to_pandas()

    Args:
        source: as for `kafkafmt.scan`: usually the log directories of all brokers. If a partition is found several
            times, only the best copy is read.
        filesystem: likewise.
        groups: group ids, or a compiled pattern for the whole id; None for all.
        topics: topic names for the committed offsets, likewise.
        at_offset: the state as of this offset of `__consumer_offsets` (exclusive), of every partition or by partition.
            Log ends of that moment are unknown: there are no lags, and no start offsets of share groups.
        at_time: the state before the first record with a later timestamp: ms since the epoch, or a datetime (UTC if it
            has no zone). Logs end there too.
        on_damage: "raise" an error at the first damage of an internal topic, or "skip" and list it.
        limits: bounds of memory; `kafkafmt.Limits()` if None.

    Raises:
        SourceError: a source is missing or unreadable, or no partition of `__consumer_offsets` is there.
        LimitExceededError: the groups take more memory than `limits.max_state_bytes` allows.
        KafkafmtError: damage, with `on_damage="raise"`.
        TypeError, ValueError: an argument that makes no sense.
    """
    time = selection.milliseconds(at_time, "at_time")
    of_group, of_topic = _filter(groups, "groups"), _filter(topics, "topics")
    errors: dict[str, KafkafmtError] = {}

    def report(error: KafkafmtError) -> None:
        errors.setdefault(str(error), error)

    searched = sources.search(source, filesystem)
    log = InternalLog(
        searched,
        CONSUMER_OFFSETS,
        at_offset=at_offset,
        at_time=time,
        on_damage=on_damage,
        limits=limits,
    ).required()
    last: dict[int, LastRecords] = {}
    decoded: list[Decoded] = []
    built: list[Builder] = []
    memory = log.memory(
        lambda: (
            sum(each.memory() for each in last.values())
            + sum(each.memory() for each in decoded)
            + sum(each.held for each in built)
        )
    )
    by_partition(log, last, memory)
    for number in sorted(last):
        decoded.append(Decoded(number, memory))
        decoded[-1].take(last[number])
        del last[number]
    for each in decoded:
        for error in each.errors:
            report(error)
    notes = [*log.notes, *remarks.of_partitions(log.numbers)]
    damage, skipped = list(log.damage), list(log.skipped_replicas)
    disks = Disks(searched, None, time, report, limits)
    found = _at_home(decoded, disks, notes)
    started: dict[str, list[share_offsets.ShareOffset]] = defaultdict(list)
    wants_share = any(SHARE in records.families for group_id, (_, records) in found.items() if of_group(group_id))
    if at_offset is None and wants_share:
        share_log = InternalLog(searched, SHARE_GROUP_STATE, at_time=time, on_damage=on_damage, limits=limits)
        for offset in share_offsets.read(share_log, report):
            started[offset.group_id].append(offset)
        notes += [
            Note(f"start offsets of share groups: {note}", is_finding=is_finding(note))
            for note in share_log.notes
            if note not in log.notes
        ]
        damage += share_log.damage
        skipped += share_log.skipped_replicas
    builder = Builder(TopicNames(decoded, disks).name, disks if at_offset is None else None, of_topic, report, memory)
    built.append(builder)
    made = tuple(
        builder.group(group_id, home, records, started.get(group_id, ()))
        for group_id, (home, records) in sorted(found.items())
        if of_group(group_id)
    )
    notes += remarks.of_groups(made, {group_id: found[group_id][1] for group_id in (each.group_id for each in made)})
    notes += remarks.of_topics(builder.other_topics)
    if at_offset is not None:
        notes.append("as of an offset it is not known where logs ended: no lags, and no start offsets of share groups")
    known = {str(error) for error in searched.unreadable}
    others = tuple(error for text, error in errors.items() if text not in known)
    return Groups(made, tuple(notes), others, tuple(damage), tuple(skipped))


def _at_home(decoded: Sequence[Decoded], disks: Disks, notes: list[str]) -> dict[str, tuple[int, GroupRecords]]:
    """Each group once, with the partition that holds it.

    Where more than one partition knows it, as when partitions were added to `__consumer_offsets`, its home counts.
    """
    found: dict[str, tuple[int, GroupRecords]] = {}
    elsewhere: dict[str, list[int]] = defaultdict(list)
    for each in decoded:
        for group_id, records in each.groups.items():
            elsewhere[group_id].append(each.partition)
            found.setdefault(group_id, (each.partition, records))
    twice = {group_id: numbers for group_id, numbers in elsewhere.items() if len(numbers) > 1}
    if twice:
        count = coordinator_partitions(disks).count
        by_number = {each.partition: each.groups for each in decoded}
        for group_id, numbers in sorted(twice.items()):
            home = home_partition(group_id, count)
            chosen = home if home in numbers else numbers[-1]
            found[group_id] = chosen, by_number[chosen][group_id]
            notes.append(remarks.in_many_partitions(group_id, numbers, chosen))
    return found


def _filter(wanted: Wanted, name: str) -> Callable[[str], bool]:
    """Whether a name is wanted.

    Raises:
        TypeError: neither names nor a pattern of text.
    """
    if wanted is None:
        return lambda _: True
    if isinstance(wanted, Pattern):
        if not isinstance(wanted.pattern, str):
            raise TypeError(f"{name} must be a pattern of text, not of bytes")
        return lambda text: wanted.fullmatch(text) is not None
    names = {wanted} if isinstance(wanted, str) else set(wanted)
    if not all(isinstance(each, str) for each in names):
        raise TypeError(f"{name} must be text, not {wanted!r}")
    return names.__contains__
