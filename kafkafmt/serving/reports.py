"""Reports: lines for the operator about clients, safe and limited in number whatever the clients send."""

import math
import time
from collections.abc import Callable

_MOST_LINES = 50
_SECONDS = 60.0
_LONGEST = 500


class Reports:
    """Lines about clients: one line each, and a limited number of those about closed connections.

    Args:
        say: function that takes a line.
    """

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._since, self._said, self._left_out = time.monotonic(), 0, 0
        self._last_refused = -math.inf

    def say(self, text: str) -> None:
        """Report a text that may contain clients' texts, without line breaks and terminal sequences."""
        shown = text if text.isprintable() else repr(text)[1:-1]
        self._say(shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}..")

    def refused(self, why: object) -> None:
        """Report why connections are not accepted, at most once a minute, as each attempt fails."""
        now = time.monotonic()
        if now - self._last_refused > _SECONDS:
            self._last_refused = now
            self.say(f"connections are not accepted: {why}")

    def closed(self, place: str, why: object) -> None:
        """Report a closed connection, or only count it if there are many."""
        now = time.monotonic()
        if now - self._since > _SECONDS:
            if self._left_out:
                self._say(f"{self._left_out:,} more connections were closed")
            self._since, self._said, self._left_out = now, 0, 0
        self._said += 1
        if self._said <= _MOST_LINES:
            self.say(f"{place}: closed, {why}")
        else:
            self._left_out += 1
