"""Restricts what `dir()` and completion show to public names, hiding those for other packages of kafkafmt."""

from collections.abc import Iterable

_LONGEST = 190


class PublicNames(type):
    """Metaclass of a class whose `_INNER` has the names that are for kafkafmt alone: they work, and are not listed."""

    _INNER: frozenset[str] = frozenset()

    def __dir__(cls) -> list[str]:
        return _shown(cls, super().__dir__())


class Public(metaclass=PublicNames):
    """Base class of those whose instances list no inner names either."""

    def __dir__(self) -> list[str]:
        return _shown(type(self), super().__dir__())


def _shown(cls: PublicNames, names: Iterable[str]) -> list[str]:
    """The names that are listed: no inner ones, and none that begin with one underscore."""
    inner = frozenset[str]().union(*(vars(each).get("_INNER", ()) for each in cls.__mro__))
    return sorted(name for name in set(names) - inner if not name.startswith("_") or name.startswith("__"))


def short(text: str) -> str:
    """A line for a console, cut to below 200 characters."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 2]}…>"
