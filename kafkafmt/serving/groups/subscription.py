"""Topics that match the regular expression of a subscription (KIP-848).

Clients send the expressions, so they are matched by RE2, as in a broker: its time is linear in the text, whatever the
expression.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Collection
from typing import Final

from kafkafmt.libraries import pa, pc
from kafkafmt.protocol.error_codes import ErrorCode
from kafkafmt.serving.groups.bounds import GroupError

_MOST_KEPT = 100
LONGEST_EXPRESSION: Final = 10_000
"""Most characters of an expression: RE2 takes hundreds of MiB for one of some million."""


class MatchingTopics:
    """Topics by regular expression, kept until topics come or go."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, tuple[int, tuple[str, ...]]] = OrderedDict()

    async def of(self, regex: str, topics: Collection[str], listing: int) -> tuple[str, ...]:
        """The topics whose whole name matches, in order.

        Args:
            regex: the regular expression.
            topics: all topics.
            listing: number of the listing, which differs whenever the topics may have changed.

        Raises:
            GroupError: the text is not an expression of RE2.
        """
        known, found = self._kept.get(regex, (-1, ()))
        if known != listing:
            found = await asyncio.to_thread(_matching, regex, sorted(topics))
            self._kept[regex] = listing, found
            if len(self._kept) > _MOST_KEPT:
                self._kept.popitem(last=False)
        return found


def _matching(regex: str, topics: list[str]) -> tuple[str, ...]:
    names = pa.array(topics, pa.string())
    if len(regex) > LONGEST_EXPRESSION:
        raise _invalid(regex, f"it is longer than {LONGEST_EXPRESSION:,} characters")
    try:
        # Compiled without parentheses first: "a)|(b" is invalid, but would become valid inside them.
        pc.match_substring_regex(pa.array([""]), regex)
        matching = pc.match_substring_regex(names, rf"\A(?:{regex})\z")
    except pa.ArrowInvalid as error:
        reason = str(error).removeprefix("Invalid regular expression: ")
        raise _invalid(regex, reason[:200]) from error
    return tuple(names.filter(matching).to_pylist())


def _invalid(regex: str, reason: str) -> GroupError:
    return GroupError(
        ErrorCode.INVALID_REGULAR_EXPRESSION,
        f"SubscribedTopicRegex `{regex[:80]}` is not a valid regular expression: {reason}.",
    )
