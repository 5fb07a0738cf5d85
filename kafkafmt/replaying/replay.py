"""`kafkafmt.replay`: sends records of disks back into a live cluster, exactly once."""

import logging
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Literal, get_args

from kafkafmt.choices import check_choice
from kafkafmt.errors import OnDamage
from kafkafmt.files.damage import warn
from kafkafmt.internal_topics import CONSUMER_OFFSETS
from kafkafmt.replaying import checks
from kafkafmt.replaying.answer import Replayed, row_of
from kafkafmt.replaying.client_config import ClientConfig
from kafkafmt.replaying.cluster import Position, TargetCluster
from kafkafmt.replaying.earlier import EarlierRecords
from kafkafmt.replaying.errors import RefusedError
from kafkafmt.replaying.group_offsets import GroupOffsets
from kafkafmt.replaying.lanes import Lane, Progress, WantedRecords
from kafkafmt.replaying.moved_groups import MovedGroups
from kafkafmt.replaying.pace import Pace
from kafkafmt.replaying.preparation import Preparation
from kafkafmt.replaying.producer import Place
from kafkafmt.replaying.replay_run import ReplayRun
from kafkafmt.replaying.replayed_offsets import ReplayedOffsets
from kafkafmt.replaying.source import lanes_of, unnamed, with_open_ended

if TYPE_CHECKING:
    from kafkafmt.disks import Disks
    from kafkafmt.io.source import Source
    from kafkafmt.limits import Limits
    from kafkafmt.logdir.readable import Readable
    from kafkafmt.scanning.arguments import Time

OpenTransactions = Literal["keep", "abort"]


def replay(
    source: "Readable | Iterable[Readable] | Disks",
    to: str,
    *,
    decryption_keys: "Mapping[str, Source] | None" = None,
    topics: str | Iterable[str] | Mapping[str, str] | None = None,
    partitions: int | Iterable[int] | None = None,
    start_timestamp: "Time | None" = None,
    end_timestamp: "Time | None" = None,
    rate: float | str | None = None,
    open_transactions: OpenTransactions = "keep",
    groups: bool = False,
    create: bool = False,
    append: bool = False,
    hold_retention: bool = False,
    dry_run: bool = False,
    run: str | None = None,
    offset_map: str | os.PathLike[str] | None = None,
    client_config: Mapping[str, object] | str | os.PathLike[str] | None = None,
    on_damage: OnDamage = "raise",
    limits: "Limits | None" = None,
    threads: int | None = 1,
    tell: Callable[[int], None] = lambda _: None,
    say: Callable[[str], None] | None = None,
) -> Replayed:
    """Send the records of disks to a live cluster, exactly once, into the same partitions.

        >>> kafkafmt.replay("/copies/broker-1", "127.0.0.1:9092", topics="orders", create=True)

    Key, value, headers and timestamp of each record stay as they are. Only committed records are sent, in transactions
    of the run's own producer; each transaction also commits the source positions that it reaches, as offsets of the
    group `kafkafmt-replay-RUN`. A run that was ended at any moment continues from there when it is started again, on
    any machine. Offsets differ from those of the source where it has gaps, and after each transaction's marker:
    `Replayed.offset_map` has both.

    Args:
        source: as for `kafkafmt.scan`.
        to: "host:port" of one or more brokers, separated by commas.
        decryption_keys: as for `kafkafmt.open`, if the source is not opened yet.
        topics: names; or names in the target by names in the source. None for all except internal ones.
        partitions: numbers; None for all.
        start_timestamp: as for `kafkafmt.scan`.
        end_timestamp: as for `kafkafmt.scan`.
        rate: most records per second; or "1x" for the pace of their timestamps, "2x" for twice that.
        open_transactions: "keep" them open, so that a partition is sent up to the first one; or "abort" to treat them
            as aborted, and send records that were committed after they began.
        groups: also commit the offsets of the source's groups, as offsets of the target.
        create: create missing topics, with the partitions and configs of the source.
        append: add to partitions that already contain records.
        hold_retention: set retention.ms and retention.bytes of the target's topics to -1 before the first record.
        dry_run: check everything, but send nothing.
        run: name of the run; None for one that source and target determine.
        offset_map: Parquet file to write, with a row for each record that the run has sent in all its starts.
        client_config: properties of Kafka's clients, or a file of them: TLS, SASL, timeouts.
        on_damage: as for `kafkafmt.scan`.
        limits: as for `kafkafmt.scan`.
        threads: as for `kafkafmt.scan`.
        tell: called with the number of records of each commit.
        say: takes warnings before the first record, and reports of faults that are waited for, as lines; None for the
            logger of this module.

    Raises:
        RefusedError: the target cannot take the records as they are; nothing was sent.
        TargetError: the target cannot be reached, or refuses a request; what was committed stays.
        KafkafmtError: the source is damaged or cannot be read; a file of `client_config` cannot be used, or that of
            `offset_map` cannot be written.
        ValueError: an argument makes no sense.
    """
    # Not split further: later steps need the results of most earlier ones, and the work of a step has its own module.
    from kafkafmt import disks as of_disks  # noqa: PLC0415 - it names this method

    check_choice("open_transactions", open_transactions, get_args(OpenTransactions))
    check_choice("on_damage", on_damage, get_args(OnDamage))
    config = ClientConfig.of(client_config)
    pace = Pace.of(rate)
    choice = WantedRecords(start_timestamp, end_timestamp, on_damage, limits, threads)
    opened = of_disks.opened(source, decryption_keys)
    lanes, open_ended = with_open_ended(lanes_of(opened, topics, partitions), aborts=open_transactions == "abort")
    report = say or logging.getLogger(__name__).warning
    if offset_map is not None:
        ReplayedOffsets.check_place(offset_map)
    with TargetCluster(to, config, report) as cluster:
        preparation = Preparation(opened, cluster, lanes, choice, creates=create)
        name = run or preparation.name
        found = preparation.found(name)
        has_groups = groups and any(each.topic == CONSUMER_OFFSETS for each in opened.partitions)
        of_source = list(opened.groups(on_damage="skip")) if has_groups else []

        def current(of: Iterable[str], *, stable: bool = False) -> dict[str, dict[Place, Position]]:
            return {group: cluster.patiently(partial(cluster.committed, group, stable=stable)) for group in of}

        begun = GroupOffsets.of(of_source, lanes, {}).begun(found.positions)
        moved = MovedGroups.of(found, begun, current({group for each in begun.values() for group in each}))
        refusals = [
            *preparation.refusals,
            *checks.refusals(found, appends=append, disks=opened, choice=choice),
            *moved.unread,
        ]
        warnings = [
            *([f"ignored in the client config: {', '.join(config.ignored)}"] if config.ignored else []),
            *preparation.warnings,
            *([] if hold_retention else checks.warnings(found)),
            *checks.gaps(found),
            *checks.other_choice(found, choice),
            *checks.committed_since(found),
            *moved.replaced,
            *open_ended,
            *(preparation.absent() if partitions is None else []),
            *(unnamed(opened) if topics is None and partitions is None else []),
        ]
        if groups and not has_groups:
            warnings.append(f"the source has no {CONSUMER_OFFSETS}: no offsets of groups are committed")
        if dry_run:
            if offset_map is not None:
                warnings.append(f"{os.fspath(offset_map)} is not written: a dry run has no offsets of the target")
            rows = tuple(preparation.row(lane, found) for lane in lanes)
            return _ended(choice, say, Replayed(name, True, rows, tuple(refusals), tuple(warnings), ReplayedOffsets()))  # noqa: FBT003
        if refusals:
            raise RefusedError(refusals)
        share = [each.group_id for each in of_source if each.type == "Share"]
        warnings += [f"offsets of the share group {each} are not committed" for each in share]
        earlier = EarlierRecords(opened, cluster, choice)

        def find_earlier(positions: Mapping[Lane, Progress]) -> GroupOffsets | None:
            wanted = GroupOffsets.of(of_source, lanes, {})
            if groups or offset_map is not None:
                is_whole = offset_map is not None
                earlier.find({lane: at for lane, at in positions.items() if is_whole or wanted.needs_earlier(lane, at)})
            if not groups:
                return None
            return GroupOffsets.of(of_source, lanes, earlier.offsets, current(wanted.changed(positions), stable=True))

        find_earlier(found.positions)
        for line in warnings:
            report(line)
        preparation.make_topics(found.created)
        for line in preparation.hold_retention(found.targets) if hold_retention else ():
            report(line)  # at once: only this line records the earlier values
            warnings.append(line)
        ends = preparation.ends(lane.target for lane in lanes)
        work = ReplayRun(
            name,
            opened,
            cluster,
            lanes,
            choice,
            size_limits={topic: checks.batch_limit(each.configs) for topic, each in found.targets.items()},
            groups=find_earlier,  # again, as an earlier start may have continued until it was fenced
            pace=pace,
            timeout_ms=config.transaction_timeout_ms,
            tell=tell,
        )
        try:
            work.run({lane: preparation.start(lane, ends[lane.target][1]) for lane in lanes})
        except BaseException:
            for line in choice.skipped.lines():
                report(line)  # the next start begins after it
            raise
    if offset_map is not None:
        _write(offset_map, earlier, work)
    rows = tuple(row_of(lane, work.begun[lane], work.progress[lane]) for lane in lanes)
    return _ended(choice, say, Replayed(name, False, rows, (), tuple(warnings), work.offset_map))  # noqa: FBT003


def _write(path: str | os.PathLike[str], earlier: EarlierRecords, work: ReplayRun) -> None:
    """Write the offsets of all starts of a run: of the earlier ones, then of this one."""
    whole = ReplayedOffsets()
    for lane, (offsets, targets) in earlier.offsets.items():
        whole.add(lane, offsets, targets)
    whole.extend(work.offset_map)
    whole.write(path)


def _ended(choice: WantedRecords, say: Callable[[str], None] | None, done: Replayed) -> Replayed:
    """The answer with the skipped records, which are warned of unless the caller takes reports."""
    found = replace(done, damage=choice.skipped.damage, notes=choice.skipped.notes)
    if say is None:
        warn((*found.damage, *found.notes))
    return found
