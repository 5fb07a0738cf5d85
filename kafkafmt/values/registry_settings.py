"""The configs and modes of a running registry, which does not list them: each is requested when it is needed."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class AskedSettings(Mapping[str | None, T], Generic[T]):
    """Settings by subject, or by context (":.east:"); the global one by None.

    Looking up a name requests its setting once; iterating requests the settings of the known names. A pickled object
    has the settings requested so far.

    Args:
        ask: gives the setting of a name; None if it has none of its own.
        names: the known names; a subject without schemas may have a setting too.
    """

    def __init__(self, ask: Callable[[str | None], T | None], names: Iterable[str | None]) -> None:
        self._ask = ask
        self._names = tuple(names)
        self._found: dict[str | None, T | None] = {}

    def __getitem__(self, name: str | None) -> T:
        if name not in self._found:
            self._found[name] = self._ask(name)
        found = self._found[name]
        if found is None:
            raise KeyError(name)
        return found

    def __iter__(self) -> Iterator[str | None]:
        return (name for name in dict.fromkeys((*self._names, *self._found)) if name in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, ({name: found for name, found in self._found.items() if found is not None},)
