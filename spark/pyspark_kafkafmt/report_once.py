"""Reports of tasks to the driver, by an accumulator: each item once, however often its task runs."""

import logging
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from pyspark.accumulators import AccumulatorParam

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable

T = TypeVar("T")

_LOG: Final = logging.getLogger(__package__)


class ReportOnce(Generic[T]):
    """Reports each item once: a repeated job or task meets the same items again.

    Args:
        callback: called with an item; what it raises is logged.
        identity: equal for two items that are the same.
    """

    def __init__(self, callback: "Callable[[T], None]", identity: "Callable[[T], Hashable]") -> None:
        self._callback = callback
        self._identity = identity
        self._seen: set[Hashable] = set()

    def report(self, items: "Iterable[T]") -> None:
        """Report the new items."""
        for item in items:
            identity = self._identity(item)
            if identity in self._seen:
                continue
            self._seen.add(identity)
            try:
                self._callback(item)
            except Exception:  # noqa: BLE001 - it is the caller's
                # This runs in Spark's thread for accumulators, which must go on.
                _LOG.exception("kafkafmt: report= failed for %s", identity)


class Collected(AccumulatorParam[list[T]]):
    """Collects a task's items in a list; on the driver reports what arrives.

    Args:
        reporter: on the driver; None where items are collected, as in each copy sent to a worker.
    """

    def __init__(self, reporter: "ReportOnce[T] | None" = None) -> None:
        self._reporter = reporter

    def __reduce__(self) -> "tuple[type[Collected[T]], tuple[()]]":
        # Workers collect; the reporter stays on the driver.
        return Collected, ()

    def zero(self, value: list[T]) -> list[T]:  # noqa: ARG002 - Spark's interface
        """Begin with nothing."""
        return []

    def addInPlace(self, value1: list[T], value2: list[T]) -> list[T]:  # noqa: N802 - Spark's interface
        """Append a second list to the first, or report it."""
        if self._reporter is None:
            value1.extend(value2)
        else:
            self._reporter.report(value2)
        return value1
