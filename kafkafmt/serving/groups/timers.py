"""Timers: cancellable timers of a group, one per key."""

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio

    from kafkafmt.serving.groups.bounds import Clock


class Timers:
    """Timers by key. Setting a key again restarts its timer.

    Args:
        clock: measures the time.
    """

    def __init__(self, clock: "Clock") -> None:
        self._clock = clock
        self._timers: dict[Hashable, asyncio.TimerHandle] = {}

    def after(self, milliseconds: float, key: Hashable, callback: Callable[[], None]) -> None:
        """Call a function after a time in ms, unless the timer of the key is set again or cancelled."""
        self.cancel(key)

        def ring() -> None:
            self._timers.pop(key, None)
            callback()

        self._timers[key] = self._clock.call_later(milliseconds / 1000, ring)

    def cancel(self, key: Hashable) -> None:
        """Cancel the timer of a key, if there is one."""
        timer = self._timers.pop(key, None)
        if timer is not None:
            timer.cancel()

    def __contains__(self, key: Hashable) -> bool:
        return key in self._timers

    def close(self) -> None:
        """Cancel all timers."""
        for key in list(self._timers):
            self.cancel(key)
