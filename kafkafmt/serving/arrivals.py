"""Arrivals: wakes the Fetches that wait at the end of followed partitions."""

import asyncio
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager

Place = tuple[str, int]
"""Topic and number of a partition."""


class Arrivals:
    """The waiting Fetches, by the partitions that they wait for."""

    def __init__(self) -> None:
        self._waiting: dict[Place, set[asyncio.Event]] = {}
        self._loop: asyncio.AbstractEventLoop | None = None

    @contextmanager
    def watched(self, places: Collection[Place]) -> Iterator[asyncio.Event]:
        """Give an event that is set when one of the partitions changes; call it in the server's thread."""
        self._loop = asyncio.get_running_loop()
        event = asyncio.Event()
        for place in places:
            self._waiting.setdefault(place, set()).add(event)
        try:
            yield event
        finally:
            for place in places:
                waiting = self._waiting.get(place, set())
                waiting.discard(event)
                if not waiting:
                    self._waiting.pop(place, None)

    def announce(self, places: Iterable[Place]) -> None:
        """Wake the Fetches that wait for one of the partitions, from any thread."""
        changed = list(places)
        if changed and self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._wake, changed)

    def _wake(self, places: "list[Place]") -> None:
        for place in places:
            for event in self._waiting.get(place, ()):
                event.set()
