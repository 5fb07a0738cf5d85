"""What Kafka's cleaner would do with one log after the other: judged, and one pass made over each."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kafkafmt.operations.cleanable import Cleanable, CompactedLog, cleanable
from kafkafmt.operations.cleaner import CleanerPass, CleanerStats
from kafkafmt.operations.compacted_copy import write_cleaned
from kafkafmt.operations.configs import Configs, TopicConfigs
from kafkafmt.operations.record_filter import CleanerStoppedError
from kafkafmt.operations.stored_batches import BatchReader
from kafkafmt.topics.answers import StateFinding, finding_of

if TYPE_CHECKING:
    from pathlib import Path

    from kafkafmt.errors import OnDamage
    from kafkafmt.files.damage import Damage
    from kafkafmt.limits import Limits
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.logdir.sources import Found


@dataclass(frozen=True, slots=True)
class PartitionCompaction:
    """What the cleaner would do with one log.

    Attributes:
        partition: the partition.
        configs: those in force.
        cleanable: what of the log it would take.
        would_clean: whether Kafka would pick the log if no other were there.
        reason: why, or why not.
        stats: what a pass removes, picked or not; None without compact in the policy, without dirty bytes, where
            Kafka's cleaner fails, or at damage.
        cleaned_up_to: what cleaner-offset-checkpoint says after that pass; None likewise.
        segments_before: number of segments that the pass reads; None likewise.
        segments_after: number of those that it leaves of them; None likewise.
    """

    partition: "Partition"
    configs: TopicConfigs
    cleanable: Cleanable
    would_clean: bool
    reason: str
    stats: CleanerStats | None = None
    cleaned_up_to: int | None = None
    segments_before: int | None = None
    segments_after: int | None = None

    @property
    def is_compacted(self) -> bool:
        """Whether `cleanup.policy` has `compact`."""
        return "compact" in self.configs.policies

    @property
    def removable_records(self) -> int | None:
        """Records that a pass removes of the batches that it looks into."""
        return None if self.stats is None else self.stats.records_read - self.stats.records_written

    @property
    def removable_bytes(self) -> int | None:
        """Bytes that a pass removes; it may add some."""
        return None if self.stats is None else self.stats.bytes_read - self.stats.bytes_written


class Compactor:
    """Judges logs, and makes a pass over each that has something to clean.

    Args:
        configs: those in force.
        at: the moment, in ms.
        on_damage: "raise" at damage, or "skip" it.
        limits: bounds of every decode.
        progress: called with numbers of bytes as they are read.

    Attributes:
        damage: what was skipped.
        findings: logs at which Kafka's cleaner fails, and what is wrong with producer snapshots.
    """

    def __init__(
        self, configs: Configs, at: int, on_damage: "OnDamage", limits: "Limits", progress: Callable[[int], None]
    ) -> None:
        self.damage: list[Damage] = []
        self.findings: list[StateFinding] = []
        self._configs = configs
        self._at = at
        self._on_damage: OnDamage = on_damage
        self._limits = limits
        self._reader = BatchReader(limits, on_damage, self.damage.append, progress)

    def judge(self, found: "Found", directory: "Path | None") -> PartitionCompaction:
        """Judge one log.

        Args:
            found: the partition directory.
            directory: where to write what a pass leaves; it stays away if none can be made. None to write nothing.

        Raises:
            KafkafmtError: at damage, unless it is skipped; a file cannot be read.
        """
        log = CompactedLog(found, self._on_damage, self._limits)
        partition, configs = log.partition, self._configs.of_partition(log.partition)
        judged = cleanable(log, configs, self._at)
        would_clean, reason = judged.verdict(configs)
        before = len(self.damage)
        self.damage += log.damage
        self.findings += log.findings
        answer = PartitionCompaction(partition, configs, judged, would_clean, reason)
        if "compact" not in configs.policies or not judged.dirty_bytes:
            return answer
        if "delete" in configs.policies:
            reason += "; cleanup.policy has delete, too: `retention` tells what that takes"
            answer = replace(answer, reason=reason)
        made = CleanerPass(log, judged, configs, self._at, self._reader)
        try:
            if directory is None:
                made.run()
            else:
                write_cleaned(made, directory)
        except CleanerStoppedError as error:
            self.findings.append(finding_of(error, partition.topic, partition.partition, partition.path))
            return replace(answer, reason=f"{reason}; but Kafka's cleaner fails: {error.message}")
        if any(not each.is_open_end for each in self.damage[before:]):
            if directory is not None:
                shutil.rmtree(directory)
            return replace(answer, reason=f"{reason}; what a pass removes is not told, as the log is damaged")
        return replace(
            answer,
            stats=made.stats,
            cleaned_up_to=made.cleaned_up_to,
            segments_before=sum(map(len, made.groups)),
            segments_after=len(made.groups),
        )
