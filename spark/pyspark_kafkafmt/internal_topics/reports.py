"""What tasks have to say of a cluster, told on the driver: each sentence once, however often its task runs."""

import logging
from typing import TYPE_CHECKING, Final, Protocol

from pyspark.accumulators import AccumulatorParam

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.accumulators import Accumulator
    from pyspark.sql import SparkSession

    Told = Callable[[str, str], None]
    Sentences = list[tuple[str, str]]

# Without a handler of its own a warning goes to stderr.
_LOG: Final = logging.getLogger("pyspark_kafkafmt")

_TOLD_SINGLY: Final = 100


class Report(Protocol):
    """Takes what a task has to say; pickled from the driver to the workers."""

    def __call__(self, source: str, sentence: str) -> None:
        """Note a sentence on a source."""


def report_of(spark: "SparkSession", told: "Told | None") -> Report:
    """Make what tasks report to.

    In a classic session it comes to the driver when a task is done, by an accumulator. Spark Connect has none: there
    each task logs a warning on its executor.

    Args:
        spark: the session.
        told: called on the driver with a source and a sentence; None to log warnings.

    Raises:
        UnsupportedError: `told` is given, and the session is one of Spark Connect.
    """
    context = getattr(spark, "sparkContext", None)
    if context is not None:
        return _SentToDriver(context.accumulator([], _Sentences(_Teller(told))))
    if told is None:
        return _LoggedByTask()
    from kafkafmt.errors import UnsupportedError

    raise UnsupportedError(
        "report: Spark Connect brings nothing but rows to the driver; leave it out, and executors log it",
        expected="a classic session",
        found="one of Spark Connect",
    )


class _Teller:
    """Tells each sentence once; logs the first ones, and then that there are more."""

    def __init__(self, told: "Told | None") -> None:
        self._told = told
        self._seen: set[tuple[str, str]] = set()

    def tell(self, sentences: "Sentences") -> None:
        for each in sentences:
            if each in self._seen:
                continue
            self._seen.add(each)
            if self._told is None:
                self._log(*each)
                continue
            try:
                self._told(*each)
            except Exception:  # noqa: BLE001 - it is the caller's
                # This runs in Spark's thread for accumulators, which must go on.
                _LOG.exception("kafkafmt: report= failed for %s", each)

    def _log(self, source: str, sentence: str) -> None:
        if len(self._seen) <= _TOLD_SINGLY:
            _LOG.warning("kafkafmt: %s: %s", source, sentence)
        if len(self._seen) == _TOLD_SINGLY:
            _LOG.warning("kafkafmt: there is more to say; report= gets all of it")


class _Sentences(AccumulatorParam["Sentences"]):
    """Collects a task's sentences in a list, and tells the driver's teller what comes there."""

    def __init__(self, teller: _Teller | None = None) -> None:
        self._teller = teller

    def __reduce__(self) -> tuple[type["_Sentences"], tuple[()]]:
        # Workers collect; what tells stays on the driver.
        return _Sentences, ()

    def zero(self, value: "Sentences") -> "Sentences":  # noqa: ARG002 - Spark's interface
        return []

    def addInPlace(self, value1: "Sentences", value2: "Sentences") -> "Sentences":  # noqa: N802 - Spark's interface
        if self._teller is None:
            value1.extend(value2)
        else:
            self._teller.tell(value2)
        return value1


class _SentToDriver:
    def __init__(self, accumulator: "Accumulator[Sentences]") -> None:
        self._accumulator = accumulator

    def __call__(self, source: str, sentence: str) -> None:
        self._accumulator.add([(source, sentence)])


class _LoggedByTask:
    def __call__(self, source: str, sentence: str) -> None:
        _LOG.warning("kafkafmt: %s: %s", source, sentence)
