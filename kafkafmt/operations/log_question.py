"""The input that `retention` and `compaction` share (logs, time, configs), and the base class of their answers."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kafkafmt.files.damage import Note
from kafkafmt.findings import Finding
from kafkafmt.internal_topics import CLUSTER_METADATA
from kafkafmt.logdir.found import Found
from kafkafmt.logdir.log_dir import partition_order
from kafkafmt.logdir.sources import search
from kafkafmt.logdir.tier import TierPartition
from kafkafmt.moments import milliseconds
from kafkafmt.operations.configs import Configs, configs_of
from kafkafmt.scanning import arguments
from kafkafmt.scanning.selection import Selection
from kafkafmt.topics.answers import TableAnswer, check_choices

if TYPE_CHECKING:
    import re
    from typing import TypeVar

    from pyarrow.fs import FileSystem

    from kafkafmt.errors import Missing, OnDamage
    from kafkafmt.files.damage import Damage
    from kafkafmt.limits import Limits
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.logdir.sources import Searchable, Sources
    from kafkafmt.scanning.arguments import Time

    T = TypeVar("T")


class LogAnswer(TableAnswer):
    """The next actions of a broker on logs.

    Attributes:
        at: the time of the pass, in ms.
        damage: skipped damage of logs and of the metadata log.
        notes: notes for the user that are not damage.
        findings: faults of files beside the logs.
        skipped_replicas: always empty: each copy is a broker's own.
    """

    def __init__(self, at: int, damage: "Sequence[Damage]", notes: Sequence[str], findings: Sequence[Finding]) -> None:
        self.at = at
        self.damage = damage
        self.notes = notes
        self.findings = findings
        self.skipped_replicas: Sequence[Partition] = ()


@dataclass(frozen=True, slots=True)
class LogQuestion:
    """A question about the logs on some disks.

    Attributes:
        searched: the disks.
        wanted: selection of their partitions.
        at: the time of the pass, in ms.
        configs: the configs in force.
        absent: notes on named topics and partitions that do not exist.
    """

    searched: "Sources"
    wanted: Selection
    at: int
    configs: Configs
    absent: tuple[Note, ...]

    @classmethod
    def ask(
        cls,
        source: "Searchable",
        *,
        at: "Time | None",
        metadata: "Searchable | None",
        config: Mapping[str, object] | None,
        topics: "str | Iterable[str] | re.Pattern[str] | None",
        partitions: int | Iterable[int] | None,
        filesystem: "FileSystem | None",
        on_damage: "OnDamage",
        limits: "Limits | None",
        missing: "Missing",
    ) -> "LogQuestion":
        """Search the disks and read the configs; arguments and errors are those of `retention`."""
        check_choices(on_damage=on_damage, missing=missing)
        given = milliseconds(at, "at")
        wanted = Selection(topics=arguments.topics(topics), partitions=arguments.partitions(partitions))
        searched = search(source, filesystem)
        absent = searched.require_found(wanted.absent(searched.names), missing)
        configs = configs_of(
            searched, metadata=metadata, config=config, filesystem=filesystem, on_damage=on_damage, limits=limits
        )
        moment = time.time_ns() // 1_000_000 if given is None else given
        return cls(searched, wanted, moment, configs, absent)

    def logs(self) -> list[Found]:
        """Live partition directories of log directories, every copy; without the metadata log, which raft maintains.

        Raises:
            SourceError: a wanted directory cannot be listed.
        """
        for unlisted in self.searched.unlisted(self.wanted.takes_named):
            self.searched.report(unlisted)
        # A named file stands for its partition if the whole partition is not there.
        found = {
            each.partition.location.identity: each
            for each in sorted(self.searched.found, key=lambda each: each.file is None)
        }
        return sorted(
            (
                each
                for each in found.values()
                if self.wanted.takes(each.partition)
                and each.partition.state == "live"
                and each.partition.topic != CLUSTER_METADATA
                and not isinstance(each.partition.location, TierPartition)
            ),
            key=lambda each: partition_order(each.partition),
        )

    def judged(self, logs: Iterable[Found], judge: "Callable[[Found], T]") -> "list[T]":
        """The facts of each log; an unreadable log is reported, and left out.

        Raises:
            KafkafmtError: `judge` raises it, or a file cannot be read.
        """
        return list(self.searched.read_each(logs, judge))

    def notes(self, of_tiers: str) -> Sequence[str]:
        """Notes on the disks and the configs.

        Args:
            of_tiers: text of a note for the case that all selected logs are in remote storage.
        """
        partitions = [each.partition for each in self.searched.found if self.wanted.takes(each.partition)]
        is_remote = bool(partitions) and all(isinstance(each.location, TierPartition) for each in partitions)
        only_tiers = [Note(of_tiers, is_finding=False)] if is_remote else []
        return [*dict.fromkeys((*self.absent, *self.searched.notes, *self.configs.notes, *only_tiers))]
