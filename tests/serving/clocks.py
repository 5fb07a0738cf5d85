"""An event loop's clock that a test advances."""

import asyncio
import heapq
from collections.abc import Callable
from itertools import count
from typing import Any


class Timer:
    """A call scheduled for later that can be cancelled."""

    def __init__(self, callback: Callable[[], object]) -> None:
        self.callback: Callable[[], object] | None = callback

    def cancel(self) -> None:
        self.callback = None


class ManualClock:
    """A manually advanced clock for groups."""

    def __init__(self) -> None:
        self.now = 0.0
        self._timers: list[tuple[float, int, Timer]] = []
        self._numbers = count()

    def call_later(self, delay: float, callback: Callable[[], object]) -> Any:
        timer = Timer(callback)
        heapq.heappush(self._timers, (self.now + delay, next(self._numbers), timer))
        return timer

    def create_future(self) -> "asyncio.Future[Any]":
        return asyncio.get_running_loop().create_future()

    @property
    def waiting(self) -> int:
        """The number of pending timers."""
        return sum(timer.callback is not None for _, _, timer in self._timers)

    async def advance(self, seconds: float) -> None:
        """Advance the time and run all timers that are due."""
        end = self.now + seconds
        while self._timers and self._timers[0][0] <= end:
            self.now, _, timer = heapq.heappop(self._timers)
            if timer.callback is not None:
                timer.callback()
                await settle()
        self.now = end
        await settle()


async def settle() -> None:
    """Run tasks until all of them wait."""
    for _ in range(5):
        await asyncio.sleep(0)
