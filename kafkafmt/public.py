"""Hides names meant for other packages of kafkafmt from `dir()` and completion."""

from collections.abc import Iterable

_LONGEST = 190


class PublicNames(type):
    """Metaclass of classes whose `_INNER` has the names meant for kafkafmt alone: they work, but are not listed."""

    _INNER: frozenset[str] = frozenset()

    def __dir__(cls) -> list[str]:
        return _shown(cls, super().__dir__())


class Public(metaclass=PublicNames):
    """Base class of classes whose instances hide inner names, too."""

    def __dir__(self) -> list[str]:
        return _shown(type(self), super().__dir__())


def _shown(cls: PublicNames, names: Iterable[str]) -> list[str]:
    """The names to list: without inner names, and without those that begin with a single underscore."""
    inner = frozenset[str]().union(*(vars(each).get("_INNER", ()) for each in cls.__mro__))
    return sorted(name for name in set(names) - inner if not name.startswith("_") or name.startswith("__"))


def short(text: str) -> str:
    """A text as one line for a console, cut to below 200 characters."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 2]}…>"
