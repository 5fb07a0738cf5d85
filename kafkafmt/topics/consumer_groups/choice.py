"""The choice of groups for an answer, and how their coordinators' logs are read."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self, TypedDict, Unpack

from kafkafmt.logdir import sources
from kafkafmt.topics.answers import AsOf, Names, check_choices, name_filter
from kafkafmt.topics.internal_log import InternalLog

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

    from kafkafmt.errors import OnDamage
    from kafkafmt.limits import Limits
    from kafkafmt.logdir.sources import Searchable
    from kafkafmt.scanning.arguments import Time
    from kafkafmt.topics.answers import AtOffset


class GroupArguments(TypedDict, total=False):
    """Arguments of `kafkafmt.topics.groups` that choose what is read; documented there."""

    filesystem: "FileSystem | None"
    groups: Names
    topics: Names
    at_offset: "AtOffset | None"
    at_time: "Time | None"
    on_damage: "OnDamage"
    limits: "Limits | None"


@dataclass(frozen=True, slots=True)
class GroupChoice:
    """The wanted groups, and how logs are read.

    Attributes:
        searched: the sources.
        of_group: tests whether a group is wanted.
        of_topic: tests whether offsets of a topic are wanted; None for all.
        as_of: the moment up to which logs are read.
        on_damage: "raise" at damage, or "skip" it.
        limits: bounds of memory; None for `kafkafmt.Limits()`.
    """

    searched: "sources.Sources"
    of_group: Callable[[str], bool]
    of_topic: Callable[[str], bool] | None
    as_of: AsOf
    on_damage: "OnDamage"
    limits: "Limits | None"

    @classmethod
    def of(cls, source: "Searchable", **given: "Unpack[GroupArguments]") -> Self:
        """Make the choice from arguments.

        Raises:
            SourceError: a source is missing or unreadable.
            TypeError, ValueError: an invalid argument.
        """
        as_of = AsOf.of(given.get("at_offset"), given.get("at_time"))
        on_damage, topics = given.get("on_damage", "skip"), given.get("topics")
        check_choices(on_damage=on_damage)
        of_group = name_filter(given.get("groups"), "groups")
        of_topic = None if topics is None else name_filter(topics, "topics")
        searched = sources.search(source, given.get("filesystem"))
        return cls(searched, of_group, of_topic, as_of, on_damage, given.get("limits"))

    def log(self, topic: str) -> InternalLog:
        """The log of an internal topic up to that moment.

        Raises:
            KafkafmtError: as for `InternalLog`.
        """
        return InternalLog(
            self.searched,
            topic,
            at_offset=self.as_of.at_offset,
            at_time=self.as_of.time,
            on_damage=self.on_damage,
            limits=self.limits,
        )
