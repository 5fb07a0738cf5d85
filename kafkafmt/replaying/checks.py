"""Checks, before a byte is sent, whether the target will accept and keep the records: refusals and warnings.

Records are refused if the brokers would refuse them, or if they would be mixed with others: topics that are missing,
contain records, or have fewer partitions; records that are too large, or without a key for a compacted topic;
timestamps that are outside the bounds, or that a broker would replace. Warnings concern records that the brokers would
delete afterwards, or that the source lacks.
"""

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from kafkafmt.logdir.partition_transactions import PartitionTransactions
from kafkafmt.phrases import counted, counted_have
from kafkafmt.reference.header import INT64_MAX
from kafkafmt.reference.layout import RECORD_BATCH_OVERHEAD
from kafkafmt.replaying.cluster import TargetTopic
from kafkafmt.replaying.lanes import BATCH_BYTES, Lane, Progress, WantedRecords, pieces
from kafkafmt.replaying.survey import Survey
from kafkafmt.times import iso_timestamp

if TYPE_CHECKING:
    from kafkafmt.disks import Disks

# Kafka's default of `max.message.bytes`.
_LARGEST_BATCH: Final = 1_048_588
_DAY_MS: Final = 86_400_000
_NO_LIMIT: Final = INT64_MAX


@dataclass(frozen=True, slots=True)
class TargetFacts:
    """Facts about source and target that the checks compare.

    Attributes:
        lanes: the lanes of the replay.
        surveys: survey of the records that each lane has to send.
        targets: topics of the target by name; those still to be created with their future configs.
        creates: whether missing topics are created; a topic that the target does not create is refused there.
        created: names of topics that will be created.
        positions: committed positions of lanes that this run has filled before.
        ends: log start offset and high watermark of partitions of the target.
    """

    lanes: Sequence[Lane]
    surveys: Mapping[Lane, Survey]
    targets: Mapping[str, TargetTopic]
    creates: bool
    created: Collection[str]
    positions: Mapping[Lane, Progress]
    ends: Mapping[tuple[str, int], tuple[int, int]]


def refusals(found: TargetFacts, *, appends: bool, disks: "Disks", choice: WantedRecords) -> Iterator[str]:
    """The reasons why nothing is sent.

    Args:
        found: the facts to compare.
        appends: whether records may be added to those of the target.
        disks: the source, for records that may be too large.
        choice: the wanted records.
    """
    for topic, lanes in _by_target(found.lanes).items():
        target = found.targets.get(topic)
        if target is None:
            if not found.creates:
                yield f"{topic} does not exist in the target: --create makes it, with the configs of the source"
            continue
        most = max(lane.target[1] for lane in lanes)
        if topic not in found.created:
            if most >= len(target.leaders):
                yield (
                    f"{topic} has {counted(len(target.leaders), 'partition')} in the target, the source has "
                    f"{most + 1}: add partitions (kafka-topics --alter --partitions {most + 1}), or choose another "
                    f"topic with --topic {lanes[0].topic}=NAME"
                )
                continue
            leaderless = sorted(number for number, leader in target.leaders.items() if leader < 0)
            if leaderless:
                yield f"{topic}-{leaderless[0]} has no leader in the target"
            if not appends:
                yield from _not_empty(topic, lanes, found)
            yield from _shortened(lanes, found)
        yield from _replicas(target, found)
        yield from _timestamps(target, lanes, found)
        yield from _too_large(target, lanes, disks, choice, found)
        yield from _without_key(target, lanes, disks, choice, found)


def _not_empty(topic: str, lanes: Sequence[Lane], found: TargetFacts) -> Iterator[str]:
    full = []
    for lane in lanes:
        start, end = found.ends.get(lane.target, (0, 0))  # none without a leader
        if lane not in found.positions and end > start:
            full.append((lane.target[1], start, end))
    if full:
        number, start, end = full[0]
        more = f", and {counted_have(len(full) - 1, 'more partition')} records" if len(full) > 1 else ""
        yield (
            f"{topic} is not empty: partition {number} has offsets {start} to {end - 1}{more}, which this run has not "
            "written: --append adds to them"
        )


def _shortened(lanes: Sequence[Lane], found: TargetFacts) -> Iterator[str]:
    """Refusals of partitions that have lost records sent by this run."""
    for lane in lanes:
        filled = found.positions[lane].target if lane in found.positions else 0
        _, end = found.ends.get(lane.target, (0, filled))
        if end < filled:
            topic, number = lane.target
            yield (
                f"{topic}-{number} ends at offset {end} in the target, and this run has filled it up to {filled}: the "
                "topic was made again, or has lost records. Another --run sends all of them"
            )


def _replicas(target: TargetTopic, found: TargetFacts) -> Iterator[str]:
    least, has = int(target.configs.get("min.insync.replicas", "1")), target.fewest_replicas
    if least > has:
        yield (
            f"{target.name} has {counted(has, 'replica')}, and its min.insync.replicas is {least}: brokers refuse "
            f"every batch. {_with(target, found, f'min.insync.replicas={has}')}"
        )


def _timestamps(target: TargetTopic, lanes: Sequence[Lane], found: TargetFacts) -> Iterator[str]:
    """Refusals because of `message.timestamp.type` and the bounds of timestamps (KIP-937)."""
    configs, name, now = target.configs, target.name, time.time_ns() // 1_000_000
    if configs.get("message.timestamp.type", "CreateTime") != "CreateTime":
        yield (
            f"{name} has message.timestamp.type={configs['message.timestamp.type']}: brokers would replace all "
            f"timestamps. {_with(target, found, 'message.timestamp.type=CreateTime')}"
        )
        return
    old = [(each.oldest, lane) for lane in lanes if (each := found.surveys[lane]).oldest is not None]
    new = [(each.newest, lane) for lane in lanes if (each := found.surveys[lane]).newest is not None]
    both = configs.get("message.timestamp.difference.max.ms")
    before = int(configs.get("message.timestamp.before.max.ms", both or _NO_LIMIT))
    after = int(configs.get("message.timestamp.after.max.ms", both or _NO_LIMIT))
    oldest = min(((time, lane) for time, lane in old if time is not None), default=None, key=lambda each: each[0])
    newest = max(((time, lane) for time, lane in new if time is not None), default=None, key=lambda each: each[0])
    if oldest is not None and now - oldest[0] > before:
        yield (
            f"{name} rejects timestamps older than message.timestamp.before.max.ms={before}, and {oldest[1]} has "
            f"{iso_timestamp(oldest[0], 'ms')}. {_with(target, found, f'message.timestamp.before.max.ms={_NO_LIMIT}')}"
        )
    if newest is not None and newest[0] - now > after:
        yield (
            f"{name} rejects timestamps later than message.timestamp.after.max.ms={after} from now, and {newest[1]} "
            f"has {iso_timestamp(newest[0], 'ms')}. "
            f"{_with(target, found, f'message.timestamp.after.max.ms={_NO_LIMIT}')}"
        )


def _too_large(
    target: TargetTopic, lanes: Sequence[Lane], disks: "Disks", choice: WantedRecords, found: TargetFacts
) -> Iterator[str]:
    """Refusals because of `max.message.bytes`: records that are larger than a batch may be."""
    limit = largest_batch(target.configs)
    for lane in lanes:
        if found.surveys[lane].largest_batch <= limit:
            continue
        start = found.positions[lane].offset if lane in found.positions else lane.start
        largest = _largest_record(disks, choice, lane, start, limit)
        if largest is not None:
            offset, size = largest
            yield (
                f"{target.name} has max.message.bytes={limit}, and the record at {lane} offset {offset} needs {size}. "
                f"{_with(target, found, f'max.message.bytes={size}')}"
            )


def _without_key(
    target: TargetTopic, lanes: Sequence[Lane], disks: "Disks", choice: WantedRecords, found: TargetFacts
) -> Iterator[str]:
    """Refusals because of `cleanup.policy`: brokers refuse records without a key for a compacted topic."""
    if "compact" not in target.configs.get("cleanup.policy", "delete").split(","):
        return
    for lane in lanes:
        start = found.positions[lane].offset if lane in found.positions else lane.start
        for piece in pieces(disks, choice, lane, start):
            if piece.rows.keys.null_count:
                first = int(np.argmax(piece.rows.keys.is_null().to_numpy(zero_copy_only=False)))
                yield (
                    f"{target.name} has cleanup.policy={target.configs['cleanup.policy']}, and the record at {lane} "
                    f"offset {piece.rows.offsets[first]} has no key: brokers refuse it. "
                    f"{_with(target, found, 'cleanup.policy=delete')}"
                )
                break


def _largest_record(
    disks: "Disks", choice: WantedRecords, lane: Lane, start: int, limit: int
) -> tuple[int, int] | None:
    """Offset of the record that makes the largest batch of its own, and the batch's size; None if all records fit.

    Only batches that are larger than the limit as stored are read.
    """
    largest: tuple[int, int] | None = None
    for header in choice.scan(disks, {lane: start}).without_warnings().batches(deep=True):
        if header.size_in_bytes <= limit or header.base_offset is None or header.last_offset is None:
            continue
        first, last = max(start, header.base_offset), header.last_offset
        for piece in pieces(disks, choice, lane, first, last + 1):
            for number in range(len(piece)):
                one = piece.part(number, number + 1)
                if one.rows.nbytes + RECORD_BATCH_OVERHEAD < limit // 2:
                    continue
                size = sum(len(batch) for batch, _ in one.batches((0, 0), 0, limit))
                if size > limit and (largest is None or size > largest[1]):
                    largest = int(one.rows.offsets[0]), size
    return largest


def largest_batch(configs: Mapping[str, str]) -> int:
    """The largest batch that a topic accepts, in bytes."""
    return int(configs.get("max.message.bytes", _LARGEST_BATCH))


def batch_limit(configs: Mapping[str, str]) -> int:
    """Size limit of sent batches in bytes, below the topic's: data that cannot be compressed grows a little."""
    return min(BATCH_BYTES, largest_batch(configs) * 9 // 10)


def warnings(found: TargetFacts) -> Iterator[str]:
    """Warnings for the user before records are sent.

    Args:
        found: the facts to compare.
    """
    now = time.time_ns() // 1_000_000
    for topic, lanes in _by_target(found.lanes).items():
        target = found.targets.get(topic)
        if target is None:
            continue
        yield from _retention(target, lanes, found, now)


def gaps(found: TargetFacts) -> Iterator[str]:
    """Warnings about offsets between the committed positions and the source's logs.

    Args:
        found: the facts to compare.
    """
    for lane, position in found.positions.items():
        end = lane.source.log_end_offset
        if lane.start > position.offset:
            yield (
                f"{lane} continues at offset {position.offset}, and the log begins at {lane.start} on these disks: "
                "what was between them is not sent"
            )
        elif end is not None and end < position.offset:
            yield (
                f"{lane} continues at offset {position.offset}, and the log ends at {end} on these disks: they are "
                "older than those that were sent before"
            )


def committed_since(found: TargetFacts) -> Iterator[str]:
    """Warnings of transactions that an earlier start has treated as aborted, and that were committed afterwards.

    Args:
        found: what is compared.

    Raises:
        SourceError: a file of the source cannot be read.
    """
    for lane, position in found.positions.items():
        start, until, end = lane.start, position.aborted_until, lane.source.log_end_offset or 0
        if not start < until < end:
            continue
        then = PartitionTransactions(lane.source, start, until).open_transactions()
        now = PartitionTransactions(lane.source, start, end, aborts_open=True).aborted(start, end) if then else []
        for each in then:
            is_aborted = any(
                one.producer_id == each.producer_id and one.first_offset <= each.first_offset <= one.last_offset
                for one in now
            )
            if each.first_offset < position.offset and not is_aborted:
                yield (
                    f"{lane}: an earlier start has treated the transaction that begins at offset {each.first_offset} "
                    f"as aborted, and it is committed on these disks: its records before offset {position.offset} stay "
                    "out. Another --run sends all records"
                )


def other_choice(found: TargetFacts, choice: WantedRecords) -> Iterator[str]:
    """Warnings about earlier starts that chose other records by their timestamps.

    Args:
        found: the facts to compare.
        choice: the records that are wanted now.
    """
    others = [(lane, each) for lane, each in found.positions.items() if each.chosen not in ("", choice.bounds)]
    if others:
        (lane, position), *rest = others
        more = f" and {counted(len(rest), 'more partition')}" if rest else ""
        yield (
            f"earlier starts of this run had other bounds of timestamps ({position.chosen}) in {lane}{more}: "
            "it continues after the records that they have sent, and records that they have left out stay out. "
            "Another --run begins again"
        )


def _retention(target: TargetTopic, lanes: Sequence[Lane], found: TargetFacts, now: int) -> Iterator[str]:
    policies, name = target.configs.get("cleanup.policy", "delete").split(","), target.name
    times = [each.oldest for lane in lanes if (each := found.surveys[lane]).oldest is not None]
    oldest = min((each for each in times if each is not None), default=None)
    keep = int(target.configs.get("retention.ms", "-1"))
    if "delete" in policies and keep >= 0 and oldest is not None and now - oldest > keep:
        yield (
            f"{name} has retention.ms={keep} ({keep / _DAY_MS:.3g} days), and its oldest record is from "
            f"{iso_timestamp(oldest, 'ms')}: brokers delete what is older within minutes. Keep it with "
            f"--hold-retention{_or_alter(target, found, 'retention.ms=-1')}"
        )
    size = int(target.configs.get("retention.bytes", "-1"))
    largest = max((found.surveys[lane].stored for lane in lanes), default=0)
    if "delete" in policies and 0 <= size < largest:
        yield (
            f"{name} has retention.bytes={size}, and a partition of the source has {largest}: brokers delete its first "
            f"segments. Keep them with --hold-retention{_or_alter(target, found, 'retention.bytes=-1')}"
        )


def holding(configs: Mapping[str, str]) -> dict[str, str]:
    """Configs that keep a topic's records: unlimited retention in place of a limit."""
    return {name: "-1" for name in ("retention.ms", "retention.bytes") if configs.get(name, "-1") != "-1"}


def alter_command(topic: str, configs: Mapping[str, str]) -> str:
    """The command that sets configs of a topic."""
    return _alter(topic, ",".join(f"{name}={value}" for name, value in configs.items()))


def _with(target: TargetTopic, found: TargetFacts, config: str) -> str:
    """The command that gives a topic a config, also if it is missing and --create would make it without."""
    if target.name not in found.created:
        return _alter(target.name, config)
    return (
        "First make it, with the other configs of the source: kafka-topics.sh --bootstrap-server .. --create --topic "
        f"{target.name} --partitions {len(target.leaders)} --config {config}"
    )


def _or_alter(target: TargetTopic, found: TargetFacts, config: str) -> str:
    return "" if target.name in found.created else f", or {_alter(target.name, config)}"


def _alter(topic: str, configs: str) -> str:
    return f"kafka-configs.sh --bootstrap-server .. --alter --topic {topic} --add-config {configs}"


def _by_target(lanes: Sequence[Lane]) -> dict[str, list[Lane]]:
    found: dict[str, list[Lane]] = {}
    for lane in lanes:
        found.setdefault(lane.target[0], []).append(lane)
    return found
