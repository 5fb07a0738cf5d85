"""Reports of tasks to the driver: damage, notes, and sentences about a cluster, each once even if a task is repeated.

In a classic session, an accumulator brings reports to the driver when a task is done. Spark Connect has no
accumulators: there each task logs warnings on its executor.
"""

import logging
from typing import TYPE_CHECKING, Final, Generic, Protocol, TypeVar

from pyspark.accumulators import AccumulatorParam

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable

    from pyspark.accumulators import Accumulator
    from pyspark.sql import SparkSession

    from kafkafmt.files.damage import Damage, Note
    from kafkafmt.record_columns import Origin
    from kafkafmt.scanning.planning import Plan

T = TypeVar("T")

# Without a handler of its own a warning goes to stderr.
_LOG: Final = logging.getLogger(__package__)

_DAMAGE_LOGGED_SINGLY: Final = 10
_MOST_NOTES: Final = 100
_SENTENCES_LOGGED_SINGLY: Final = 100


class ReportOnce(Generic[T]):
    """Reports each item once: a repeated job or task finds the same items again.

    Args:
        callback: called with an item; its exceptions are logged.
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
                # This runs in Spark's thread for accumulators, which must continue.
                _LOG.exception("kafkafmt: report= failed for %s", identity)


class Collected(AccumulatorParam[list[T]]):
    """Collects a task's items in a list; on the driver, reports the items that arrive.

    Args:
        reporter: only on the driver; None where items are collected, as in each copy sent to a worker.
    """

    def __init__(self, reporter: "ReportOnce[T] | None" = None) -> None:
        self._reporter = reporter

    def __reduce__(self) -> "tuple[type[Collected[T]], tuple[()]]":
        # Workers collect; the reporter stays on the driver.
        return Collected, ()

    def zero(self, value: list[T]) -> list[T]:  # noqa: ARG002 - Spark's interface
        """Start with an empty list."""
        return []

    def addInPlace(self, value1: list[T], value2: list[T]) -> list[T]:  # noqa: N802 - Spark's interface
        """Append a second list to the first, or report it."""
        if self._reporter is None:
            value1.extend(value2)
        else:
            self._reporter.report(value2)
        return value1


class Report(Protocol):
    """Takes sentences about sources from a task; pickled from the driver to the workers."""

    def __call__(self, source: str, sentence: str) -> None:
        """Take a sentence."""


class DamageReport:
    """Takes the damage and the notes of a task; pickled from the driver to the workers.

    Args:
        send: called with each report.
    """

    def __init__(self, send: "Callable[[Damage | Note], None]") -> None:
        self._send = send

    def __call__(self, damage: "Damage", origin: "Origin") -> None:  # noqa: ARG002 - the damage names its file
        """Take damage."""
        self._send(damage)

    def note(self, note: "Note") -> None:
        """Take a note."""
        self._send(note)


def damage_report(spark: "SparkSession", callback: "Callable[[Damage], None] | None", plan: "Plan") -> DamageReport:
    """Make the object to which tasks report damage and notes.

    Args:
        spark: the session.
        callback: called on the driver with each damaged range; None to log a warning for all except open ends. Notes
            are always logged.
        plan: the plan; damage and notes found by planning are reported first.

    Raises:
        UnsupportedError: `callback` is given, and the session is one of Spark Connect.
    """
    reporter = _damage_reporter(callback)
    send = _to_driver(spark, reporter, callback)
    reporter.report([*plan.notes, *plan.damage])
    return DamageReport(_DamageLoggedByTask() if send is None else send)


def sentence_report(spark: "SparkSession", callback: "Callable[[str, str], None] | None") -> Report:
    """Make the object to which tasks report sentences.

    Args:
        spark: the session.
        callback: called on the driver with a source and a sentence; None to log warnings.

    Raises:
        UnsupportedError: `callback` is given, and the session is one of Spark Connect.
    """
    report = _SentenceWarnings().report if callback is None else callback
    reporter: ReportOnce[tuple[str, str]] = ReportOnce(lambda item: report(*item), lambda item: item)
    send = _to_driver(spark, reporter, callback)
    return _log_sentence if send is None else _Sentences(send)


def identity_of(said: "Damage | Note") -> tuple[str | None, int, int, str] | str:
    """The identity of a report of damage, or of a note."""
    return said if isinstance(said, str) else (said.file, said.position, said.length, said.reason)


def _to_driver(
    spark: "SparkSession", reporter: "ReportOnce[T]", callback: "Callable[..., None] | None"
) -> "_SentToDriver[T] | None":
    """Make the accumulator that brings items of tasks to a reporter on the driver; None with Spark Connect."""
    context = getattr(spark, "sparkContext", None)
    if context is not None:
        return _SentToDriver(context.accumulator([], Collected(reporter)))
    if callback is None:
        return None
    from kafkafmt.errors import UnsupportedError

    raise UnsupportedError(
        "report: Spark Connect only brings rows to the driver; leave it out, and executors log it",
        expected="a classic session",
        found="one of Spark Connect",
    )


class _SentToDriver(Generic[T]):
    def __init__(self, accumulator: "Accumulator[list[T]]") -> None:
        self._accumulator = accumulator

    def __call__(self, item: T) -> None:
        self._accumulator.add([item])


class _Sentences:
    def __init__(self, send: "Callable[[tuple[str, str]], None]") -> None:
        self._send = send

    def __call__(self, source: str, sentence: str) -> None:
        self._send((source, sentence))


def _log_sentence(source: str, sentence: str) -> None:
    _LOG.warning("kafkafmt: %s: %s", source, sentence)


def _damage_reporter(callback: "Callable[[Damage], None] | None") -> "ReportOnce[Damage | Note]":
    return ReportOnce(_DamageOrNote(_DamageWarnings().report if callback is None else callback).report, identity_of)


class _DamageLoggedByTask:
    def __init__(self) -> None:
        self._reporter = _damage_reporter(None)

    def __call__(self, said: "Damage | Note") -> None:
        self._reporter.report([said])


class _DamageOrNote:
    """Passes damage to a callback, and logs the first notes."""

    def __init__(self, damage: "Callable[[Damage], None]") -> None:
        self._damage = damage
        self._notes = 0

    def report(self, said: "Damage | Note") -> None:
        if not isinstance(said, str):
            self._damage(said)
            return
        self._notes += 1
        if self._notes <= _MOST_NOTES:
            _LOG.warning("kafkafmt: %s", said)
        if self._notes == _MOST_NOTES:
            _LOG.warning("kafkafmt: further notes are not logged")


class _DamageWarnings:
    """Logs the first ranges, and after that only their number, from time to time."""

    def __init__(self) -> None:
        self._count = 0
        self._next_sum = _DAMAGE_LOGGED_SINGLY * 10

    def report(self, damage: "Damage") -> None:
        if damage.is_open_end:
            return
        from kafkafmt.files.damage import cost_text

        self._count += 1
        if self._count <= _DAMAGE_LOGGED_SINGLY:
            cost = cost_text(damage.first_offset, damage.last_offset, damage.records)
            _LOG.warning("kafkafmt: left out %d bytes%s: %s", damage.length, cost and f" ({cost})", damage.error)
        if self._count == _DAMAGE_LOGGED_SINGLY:
            _LOG.warning("kafkafmt: more damage was only counted; report= receives all of it")
        if self._count == self._next_sum:
            _LOG.warning("kafkafmt: left out %d damaged stretches so far", self._count)
            self._next_sum *= 10


class _SentenceWarnings:
    """Logs the first sentences, and then that there are more."""

    def __init__(self) -> None:
        self._count = 0

    def report(self, source: str, sentence: str) -> None:
        self._count += 1
        if self._count <= _SENTENCES_LOGGED_SINGLY:
            _log_sentence(source, sentence)
        if self._count == _SENTENCES_LOGGED_SINGLY:
            _LOG.warning("kafkafmt: more notes were left out; report= receives all of them")
