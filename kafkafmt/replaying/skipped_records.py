"""SkippedRecords: collects damage and findings of all passes of a replay over its source."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from kafkafmt.files.damage import Note, cost_text
from kafkafmt.phrases import sized

if TYPE_CHECKING:
    from kafkafmt.files.damage import Damage


class EndedPasses(Protocol):
    """A scan, or an answer made from one."""

    @property
    def damage(self) -> "Sequence[Damage]":
        """Ranges of log files that were skipped."""

    @property
    def notes(self) -> Sequence[str]:
        """Other reports."""


@dataclass(slots=True)
class SkippedRecords:
    """Damage and findings of all passes without duplicates, as records are read again after a fault of the target.

    Attributes:
        by_place: damage by file and position.
        findings: other reports of faults, in their order.
    """

    by_place: "dict[tuple[str | None, int], Damage]" = field(default_factory=dict)
    findings: dict[Note, None] = field(default_factory=dict)

    @property
    def damage(self) -> "tuple[Damage, ...]":
        """The damage."""
        return tuple(self.by_place.values())

    @property
    def notes(self) -> tuple[Note, ...]:
        """The findings."""
        return tuple(self.findings)

    def take(self, passes: EndedPasses) -> None:
        """Take the reports of passes that have ended."""
        self.by_place |= {(each.file, each.position): each for each in passes.damage}
        self.findings |= dict.fromkeys(each for each in passes.notes if isinstance(each, Note) and each.is_finding)

    def lines(self) -> Iterator[str]:
        """Lines about damage, without the open end that a running broker leaves, followed by the notes."""
        for each in self.damage:
            if not each.is_open_end:
                cost = cost_text(each.first_offset, each.last_offset, each.records)
                yield f"{each.error}: {sized(each.length)} skipped{cost and f' ({cost})'}"
        yield from self.notes
