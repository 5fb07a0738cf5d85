"""What tasks report about a cluster, on the driver: each sentence once, however often its task runs."""

import logging
from typing import TYPE_CHECKING, Final, Protocol

from pyspark_kafkafmt.report_once import Collected, ReportOnce

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.accumulators import Accumulator
    from pyspark.sql import SparkSession

    Told = Callable[[str, str], None]
    Sentences = list[tuple[str, str]]

# Without a handler of its own a warning goes to stderr.
_LOG: Final = logging.getLogger("pyspark_kafkafmt")

_LOGGED_SINGLY: Final = 100


class Report(Protocol):
    """Takes what a task has to say; pickled from the driver to the workers."""

    def __call__(self, source: str, sentence: str) -> None:
        """Note a sentence on a source."""


def report_of(spark: "SparkSession", callback: "Told | None") -> Report:
    """Make what tasks report to.

    In a classic session it comes to the driver when a task is done, by an accumulator. Spark Connect has none: there
    each task logs a warning on its executor.

    Args:
        spark: the session.
        callback: called on the driver with a source and a sentence; None to log warnings.

    Raises:
        UnsupportedError: `callback` is given, and the session is one of Spark Connect.
    """
    context = getattr(spark, "sparkContext", None)
    if context is not None:
        report = _Warnings().report if callback is None else callback
        reporter: ReportOnce[tuple[str, str]] = ReportOnce(lambda item: report(*item), lambda item: item)
        return _SentToDriver(context.accumulator([], Collected(reporter)))
    if callback is None:
        return _LoggedByTask()
    from kafkafmt.errors import UnsupportedError

    raise UnsupportedError(
        "report: Spark Connect brings nothing but rows to the driver; leave it out, and executors log it",
        expected="a classic session",
        found="one of Spark Connect",
    )


class _Warnings:
    """Logs the first sentences, and then that there are more."""

    def __init__(self) -> None:
        self._count = 0

    def report(self, source: str, sentence: str) -> None:
        self._count += 1
        if self._count <= _LOGGED_SINGLY:
            _LOG.warning("kafkafmt: %s: %s", source, sentence)
        if self._count == _LOGGED_SINGLY:
            _LOG.warning("kafkafmt: there is more to say; report= gets all of it")


class _SentToDriver:
    def __init__(self, accumulator: "Accumulator[Sentences]") -> None:
        self._accumulator = accumulator

    def __call__(self, source: str, sentence: str) -> None:
        self._accumulator.add([(source, sentence)])


class _LoggedByTask:
    def __call__(self, source: str, sentence: str) -> None:
        _LOG.warning("kafkafmt: %s: %s", source, sentence)
