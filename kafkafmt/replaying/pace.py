"""Pace: the order and the time in which records are sent: at once, at a rate, or by their timestamps."""

import heapq
import time
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from kafkafmt.replaying.lanes import Lane, LaneRecords, WantedRecords, pieces

if TYPE_CHECKING:
    from kafkafmt.disks import Disks

_SLICE_SECONDS: Final = 0.1
_LONGEST_WAIT: Final = 1.0


@dataclass(frozen=True, slots=True)
class Pace:
    """When records are sent.

    Attributes:
        per_second: most records per second; None for no limit.
        speed: multiple of the original speed, by timestamps; None to send partition after partition instead.
    """

    per_second: float | None = None
    speed: float | None = None

    @classmethod
    def of(cls, rate: float | str | None) -> "Pace":
        """Read a rate: records per second, or a multiple of the original speed such as "1x".

        Raises:
            ValueError: the rate has another form, or is not above 0.
        """
        if rate is None:
            return cls()
        text = str(rate).strip().lower()
        try:
            number = float(text.removesuffix("x"))
        except ValueError:
            number = 0.0
        if not 0 < number < float("inf"):
            raise ValueError(f"rate must be records a second, such as 5000, or a speed, such as 1x, not {rate!r}")
        return cls(speed=number) if text.endswith("x") else cls(per_second=number)

    def pieces(
        self, disks: "Disks", choice: WantedRecords, starts: Mapping[Lane, int]
    ) -> Generator[tuple[Lane, LaneRecords | None] | None, None, None]:
        """Give records when they are due; a lane and None at the lane's end; None each second while nothing is due.

        Args:
            disks: the source.
            choice: the wanted records.
            starts: the lanes, with their first offsets.

        Raises:
            KafkafmtError: the source is damaged, or a file cannot be read.
        """
        if self.speed is not None:
            yield from self._as_they_came(disks, choice, starts, self.speed)
            return
        begun, sent = time.monotonic(), 0
        for lane, start in starts.items():
            for piece in pieces(disks, choice, lane, start):
                if self.per_second is None:
                    yield lane, piece
                    continue
                step = max(1, int(self.per_second * _SLICE_SECONDS))
                for begin in range(0, len(piece), step):
                    part = piece.part(begin, min(begin + step, len(piece)))
                    # After a stall the rate continues from now on, so that no burst follows.
                    begun = max(begun, time.monotonic() - _LONGEST_WAIT - sent / self.per_second)
                    yield from _until(begun + sent / self.per_second)
                    yield lane, part
                    sent += len(part)
            yield lane, None

    @staticmethod
    def _as_they_came(
        disks: "Disks", choice: WantedRecords, starts: Mapping[Lane, int], speed: float
    ) -> Iterator[tuple[Lane, LaneRecords | None] | None]:
        """The records of all lanes in the order of their timestamps, while each lane keeps its own order."""
        streams = [(lane, pieces(disks, choice, lane, start)) for lane, start in starts.items()]
        heads: list[tuple[int, int, LaneRecords]] = []

        def advance(number: int) -> bool:
            piece = next(streams[number][1], None)
            if piece is not None:
                heapq.heappush(heads, (int(piece.rows.timestamps[0]), number, piece))
            return piece is not None

        for number, (lane, _) in enumerate(streams):
            if not advance(number):
                yield lane, None
        slice_ms = max(1, int(1000 * _SLICE_SECONDS * speed))
        begun, first = 0.0, -1
        while heads:
            now, number, piece = heapq.heappop(heads)
            later = np.flatnonzero(piece.rows.timestamps >= now + slice_ms)
            end = max(1, int(later[0]) if len(later) else len(piece))
            if first < 0:  # records of old formats have no timestamp: they are sent at once
                begun, first = time.monotonic(), now
            yield from _until(begun + (now - first) / 1000 / speed)
            yield streams[number][0], piece.part(0, end)
            if end < len(piece):
                rest = piece.part(end, len(piece))
                heapq.heappush(heads, (max(now, int(rest.rows.timestamps[0])), number, rest))
            elif not advance(number):
                yield streams[number][0], None


def _until(moment: float) -> Iterator[None]:
    """Wait; yields None each second, so that an open transaction can be committed in time."""
    while (left := moment - time.monotonic()) > 0:
        time.sleep(min(left, _LONGEST_WAIT))
        yield None
