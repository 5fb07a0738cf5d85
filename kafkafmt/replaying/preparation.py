"""Preparation: checks a replay's target, and creates its topics, before the first record."""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from kafkafmt.protocol.error_codes import ErrorCode
from kafkafmt.replaying import checks
from kafkafmt.replaying.answer import ReplayedPartition
from kafkafmt.replaying.cluster import TargetCluster, TargetTopic
from kafkafmt.replaying.errors import RefusedError, RetriableError, TargetError
from kafkafmt.replaying.lanes import Lane, Progress, WantedRecords
from kafkafmt.replaying.replay_run import group_of, positions_of
from kafkafmt.replaying.source import SourceTopics
from kafkafmt.replaying.survey import Survey, survey

if TYPE_CHECKING:
    from kafkafmt.disks import Disks
    from kafkafmt.replaying.producer import Place

_DIGITS: Final = 12
_DEFAULT: Final = -1
_INVALID: Final = re.compile(r"for configuration ([^\s:]+).*?(?=\)?$)")


class Preparation:
    """Checks of the target, and its topics, before the first record is sent.

    Args:
        disks: the source.
        cluster: the target.
        lanes: the lanes of the replay.
        choice: the wanted records.
        creates: whether missing topics are created.

    Attributes:
        refusals: the target's refusals to create topics.
        warnings: warnings about created topics.

    Raises:
        TargetError: the target cannot be reached, or refuses a request.
    """

    def __init__(
        self,
        disks: "Disks",
        cluster: TargetCluster,
        lanes: Sequence[Lane],
        choice: WantedRecords,
        *,
        creates: bool,
    ) -> None:
        self._disks, self._cluster, self._lanes, self._choice = disks, cluster, lanes, choice
        self._creates = creates
        self._surveys: Mapping[Lane, Survey] = {}
        self._names = sorted({lane.target[0] for lane in lanes})
        self._source = SourceTopics(disks)
        self.refusals: list[str] = []
        self.warnings: list[str] = []
        self._topics = cluster.patiently(lambda: cluster.topics(self._names))

    @property
    def name(self) -> str:
        """Default name of the run, determined by source and target, but not by the source's path."""
        identity = self._source.identity(self._lanes)
        text = f"{identity} {self._cluster.cluster_id}"
        return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]

    def found(self, name: str) -> checks.TargetFacts:
        """The facts for the checks."""
        created: dict[str, TargetTopic] = {}
        for topic in self._names if self._creates else ():
            made = None if topic in self._topics else self._made(topic, validates=True)
            if made is not None:
                created[topic] = made
        targets = {**self._topics, **created}
        stored = self._cluster.patiently(lambda: self._cluster.committed(group_of(name), stable=False))
        positions: Mapping[Lane, Progress] = {}
        try:
            positions = positions_of(self._lanes, stored)
        except RefusedError as error:
            self.refusals += error.refusals
        starts = {lane: positions[lane].offset if lane in positions else lane.start for lane in self._lanes}
        self._surveys = survey(self._disks, self._choice, starts)
        led = {
            (topic, number)
            for topic, each in self._topics.items()
            for number, leader in each.leaders.items()
            if leader >= 0
        }
        there = [lane.target for lane in self._lanes if lane.target in led]
        return checks.TargetFacts(
            self._lanes, self._surveys, targets, self._creates, created.keys(), positions, self.ends(there)
        )

    def absent(self) -> list[str]:
        """Warnings about partitions that the source's cluster has but these disks lack."""
        found: dict[str, set[int]] = {}
        for lane in self._lanes:
            found.setdefault(lane.topic, set()).add(lane.partition)
        return [
            f"{topic}-{number} is not on these disks: nothing is sent to it"
            for topic, numbers in found.items()
            for number in range(self._source.partitions(topic))
            if number not in numbers
        ]

    def ends(self, places: "Iterable[Place]") -> "dict[Place, tuple[int, int]]":
        """Log start offset and high watermark of partitions of the target."""
        cluster, wanted = self._cluster, set(places)

        def ask() -> "dict[Place, tuple[int, int]]":
            known = cluster.metadata(sorted({topic for topic, _ in wanted}))
            leaders = {
                (topic, each["PartitionIndex"]): each["LeaderId"]
                for topic, found in known.items()
                for each in found["Partitions"]
                if (topic, each["PartitionIndex"]) in wanted
            }
            if missing := sorted(wanted - {place for place, leader in leaders.items() if leader >= 0}):
                topic, number = missing[0]
                raise RetriableError(f"{topic}-{number} has no leader in the target")
            first, last = cluster.ends(leaders, earliest=True), cluster.ends(leaders)
            return {place: (first[place], last[place]) for place in leaders}

        return cluster.patiently(ask)

    def start(self, lane: Lane, target_end: int) -> Progress:
        """The position of a lane that has not begun."""
        offset = lane.start
        bounds, end = self._choice.bounds, target_end
        return Progress(offset, lane.topic, lane.partition, lane.topic_id, target=end, start=end, chosen=bounds)

    def row(self, lane: Lane, found: checks.TargetFacts) -> ReplayedPartition:
        """A partition's row of a dry run."""
        position = found.positions.get(lane)
        offset = position.offset if position is not None else lane.start
        records = self._surveys[lane].records
        end = found.ends.get(lane.target)
        before, start = (position.records, position.start) if position is not None else (0, end[1] if end else None)
        return ReplayedPartition(lane.topic, lane.partition, *lane.target, records, before, offset, start, None)

    def make_topics(self, names: Iterable[str]) -> None:
        """Create topics."""
        for topic in names:
            self._made(topic, validates=False)

    def hold_retention(self, targets: Mapping[str, TargetTopic]) -> Iterator[str]:
        """Set the retention of topics to unlimited; yields how to restore each topic before it is changed."""
        for topic, target in targets.items():
            held = checks.holding(target.configs)
            if held:
                before = {name: target.configs[name] for name in held}
                yield f"{topic} keeps all records until: {checks.alter_command(topic, before)}"
                self._cluster.patiently(partial(self._cluster.alter_topic, topic, held))

    def _made(self, topic: str, *, validates: bool) -> TargetTopic | None:
        """Create a topic, or let the target check it; None if the target refuses.

        Configs whose values the target does not accept are left out: Kafka 4 has other bounds than earlier releases.
        """
        lanes = [lane for lane in self._lanes if lane.target[0] == topic]
        count = max(self._source.partitions(lanes[0].topic), max(lane.target[1] for lane in lanes) + 1)
        configs, left_out = self._source.configs(lanes[0].topic)
        warned = [f"{topic} is created without {name}: it belongs to the source's cluster" for name in left_out]
        while True:
            try:
                made = self._cluster.patiently(partial(self._create, topic, count, dict(configs), validates=validates))
            except TargetError as error:
                named = _INVALID.search(error.message) if error.code == ErrorCode.INVALID_CONFIG else None
                if named is None or named[1] not in configs:
                    if not validates:
                        raise
                    self.refusals.append(str(error))
                    return None
                value = configs.pop(named[1])
                warned.append(f"{topic} is created without {named[1]}={value}: {named[0]}")
            else:
                self.warnings += warned if validates else []
                return made

    def _create(self, topic: str, count: int, configs: Mapping[str, str], *, validates: bool) -> TargetTopic:
        return self._cluster.create(topic, count, configs, _DEFAULT, validates=validates)
