"""ShortLogs: logs that end before an offset that a checkpoint or a group knows, so that lags by them are wrong."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kafkafmt.files.damage import Note, listed
from kafkafmt.logdir.lost_end import LOST, LOST_OR_NEWER

if TYPE_CHECKING:
    from kafkafmt.topics.consumer_groups.catalog import LogEnd


@dataclass(slots=True)
class ShortLogs:
    """Collects them while groups are built."""

    _ends: "dict[str, LogEnd]" = field(default_factory=dict)
    _beyond: list[str] = field(default_factory=list)

    def see(self, group_id: str, offset: int, name: str, end: "LogEnd") -> None:
        """Compare a committed offset with the log end.

        Args:
            group_id: the group.
            offset: what it committed.
            name: of the partition, with its topic.
            end: of its log.
        """
        if end.lost is not None:
            self._ends.setdefault(name, end)
        if offset > end.offset:
            self._beyond.append(f"{group_id} on {name} ({offset}, the log ends at {end.offset})")

    def notes(self) -> Iterator[Note]:
        """One note on all logs of a kind; a finding where the end of a log is missing for sure."""
        for is_certain, meaning in (
            (True, f"lags are too small: {LOST}"),
            (False, f"lags may be too small: {LOST_OR_NEWER}"),
        ):
            lost = [
                f"{name} ends at {end.lost.log_end}, its {end.lost.what} is {end.lost.offset}"
                for name, end in self._ends.items()
                if end.lost is not None and end.lost.is_certain is is_certain
            ]
            if lost:
                yield Note(f"{meaning} ({listed(lost, separator='; ')})", is_finding=is_certain)
        if self._beyond:
            text = "committed beyond the log end, so that auto.offset.reset decides where the group goes on"
            yield Note(f"{text}: {listed(self._beyond)}", is_finding=False)
