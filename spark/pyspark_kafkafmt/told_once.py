"""What tasks have to say, told on the driver by an accumulator: each item once, however often its task runs."""

import logging
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from pyspark.accumulators import AccumulatorParam

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable

T = TypeVar("T")

_LOG: Final = logging.getLogger(__package__)


class ToldOnce(Generic[T]):
    """Tells each item once: a job that runs again, or a task, meets the same.

    Args:
        told: called with an item; what it raises is logged.
        identity: what two items have in common that are the same.
    """

    def __init__(self, told: "Callable[[T], None]", identity: "Callable[[T], Hashable]") -> None:
        self._told = told
        self._identity = identity
        self._seen: set[Hashable] = set()

    def tell(self, items: "Iterable[T]") -> None:
        """Tell those that are new."""
        for item in items:
            identity = self._identity(item)
            if identity in self._seen:
                continue
            self._seen.add(identity)
            try:
                self._told(item)
            except Exception:  # noqa: BLE001 - it is the caller's
                # This runs in Spark's thread for accumulators, which must go on.
                _LOG.exception("kafkafmt: report= failed for %s", identity)


class Collected(AccumulatorParam[list[T]]):
    """Collects a task's items in a list, and on the driver tells what comes there.

    Args:
        teller: of the driver; None where items are collected, as in each copy that is sent to a worker.
    """

    def __init__(self, teller: "ToldOnce[T] | None" = None) -> None:
        self._teller = teller

    def __reduce__(self) -> "tuple[type[Collected[T]], tuple[()]]":
        # Workers collect; what tells stays on the driver.
        return Collected, ()

    def zero(self, value: list[T]) -> list[T]:  # noqa: ARG002 - Spark's interface
        """Begin with nothing."""
        return []

    def addInPlace(self, value1: list[T], value2: list[T]) -> list[T]:  # noqa: N802 - Spark's interface
        """Collect a second list behind the first, or tell it."""
        if self._teller is None:
            value1.extend(value2)
        else:
            self._teller.tell(value2)
        return value1
