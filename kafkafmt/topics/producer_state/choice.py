"""The choice of data partitions for an answer on producers, and options for reading them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self, TypedDict, Unpack

from kafkafmt.errors import KafkafmtError, SourceError
from kafkafmt.findings import FINDING, STATE, Finding
from kafkafmt.limits import Limits
from kafkafmt.logdir import replicas, sources
from kafkafmt.scanning import arguments
from kafkafmt.scanning.selection import Selection
from kafkafmt.topics.answers import AsOf, Replica, check_choices

if TYPE_CHECKING:
    import re

    from pyarrow.fs import FileSystem

    from kafkafmt.errors import Missing, OnDamage
    from kafkafmt.files.damage import Note
    from kafkafmt.logdir.found import Found
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.logdir.sources import Searchable
    from kafkafmt.scanning.arguments import Time
    from kafkafmt.topics.answers import AtOffset


class ChoiceArguments(TypedDict, total=False):
    """Arguments of `kafkafmt.topics.producers` that choose what is read; documented there."""

    filesystem: "FileSystem | None"
    topics: "str | Iterable[str] | re.Pattern[str] | None"
    partitions: int | Iterable[int] | None
    producer_ids: int | Iterable[int] | None
    at_offset: "AtOffset | None"
    at_time: "Time | None"
    replica: Replica
    on_damage: "OnDamage"
    limits: Limits | None
    missing: "Missing"


@dataclass(frozen=True, slots=True)
class PartitionChoice:
    """The wanted partitions, and options for reading them.

    Attributes:
        searched: the sources.
        topics: names, or a compiled pattern for the whole name; None for all.
        partitions: numbers; None for all.
        producer_ids: only these producers; None for all.
        as_of: the moment up to which logs are read.
        replica: which copies of a partition to read.
        on_damage: "raise" at damage, or "skip" it.
        limits: bounds of memory.
        missing: "raise" at names that are not found, or "note" them.
        absent: notes on topics and partitions that are not found.
    """

    searched: "sources.Sources"
    topics: "str | Iterable[str] | re.Pattern[str] | None"
    partitions: int | Iterable[int] | None
    producer_ids: frozenset[int] | None
    as_of: AsOf
    replica: Replica
    on_damage: "OnDamage"
    limits: Limits
    missing: "Missing"
    absent: "tuple[Note, ...]"

    @classmethod
    def of(cls, source: "Searchable", **given: "Unpack[ChoiceArguments]") -> Self:
        """Make the choice from arguments.

        Raises:
            SourceError: a source is missing or unreadable, or has no files of Kafka's.
            NotFoundError: a topic or partition is not found.
            TypeError, ValueError: an invalid argument.
        """
        on_damage, replica = given.get("on_damage", "skip"), given.get("replica", "best")
        check_choices(replica=replica, on_damage=on_damage, missing=given.get("missing", "raise"))
        as_of = AsOf.of(given.get("at_offset"), given.get("at_time"))
        producer_ids = arguments.partitions(given.get("producer_ids"))
        searched = sources.search(source, given.get("filesystem"))
        wanted = wanted_partitions(given.get("topics"), given.get("partitions"))
        missing = given.get("missing", "raise")
        return cls(
            searched,
            given.get("topics"),
            given.get("partitions"),
            None if producer_ids is None else frozenset(producer_ids),
            as_of,
            replica,
            on_damage,
            given.get("limits") or Limits(),
            missing,
            searched.require_found(wanted.absent(searched.names), missing),
        )

    @property
    def is_of_all(self) -> bool:
        """Whether all partitions are read, up to the ends of their logs."""
        return self.topics is None and self.partitions is None and self.as_of == AsOf()

    def choose(self) -> "tuple[list[Found], list[Partition], list[Finding]]":
        """Return the result of the function `choose`."""
        return choose(self.searched, self.topics, self.partitions, self.replica)

    def size_in_bytes(self) -> int:
        """Size of the log files to read, as listed."""
        return sum(segment.size for found in self.choose()[0] for segment in found.segments)


def choose(
    searched: "sources.Sources",
    topics: "str | Iterable[str] | re.Pattern[str] | None",
    partitions: int | Iterable[int] | None,
    replica: Replica,
) -> "tuple[list[Found], list[Partition], list[Finding]]":
    """The data partitions to read, sorted; the copies skipped in favour of a better one; and findings of the choice.

    Raises:
        SourceError: a file that decides between replicas cannot be read.
        TypeError: an invalid argument.
    """
    wanted = wanted_partitions(topics, partitions)
    for unlisted in searched.unlisted(wanted.takes_named):
        searched.report(unlisted)
    taken = [each for each in searched.found if wanted.takes(each.partition)]
    skipped: list[Partition] = []
    findings: list[Finding] = []
    if replica == "best":

        def broken(error: KafkafmtError) -> None:
            if isinstance(error, SourceError):
                searched.report(error)
                return
            findings.append(Finding(FINDING, STATE, error.file or "", error.message))

        taken, skipped = replicas.best(taken, broken, lambda divergence: findings.append(divergence.finding))
    return sorted(taken, key=_order), skipped, findings


def wanted_partitions(
    topics: "str | Iterable[str] | re.Pattern[str] | None", partitions: int | Iterable[int] | None
) -> Selection:
    """The partitions that arguments select.

    Raises:
        TypeError: an invalid argument.
    """
    return Selection(topics=arguments.topics(topics), partitions=arguments.partitions(partitions))


def _order(found: "Found") -> tuple[bool, str, int, str]:
    partition = found.partition
    return (partition.topic is None, partition.topic or "", partition.partition or 0, found.path)
