"""Damage that tasks meet, and notes, logged on the driver: each once, however often its split is read."""

import logging
from typing import TYPE_CHECKING, Final, Protocol

from pyspark_kafkafmt.report_once import Collected, ReportOnce

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.accumulators import Accumulator
    from pyspark.sql import SparkSession

    from kafkafmt.columns import Origin
    from kafkafmt.files.damage import Damage, Note
    from kafkafmt.scanning.planning import Plan

# Without a handler of its own a warning goes to stderr.
_LOG: Final = logging.getLogger(__package__)

_LOGGED_SINGLY: Final = 10
_MOST_NOTES: Final = 100


class DamageReport(Protocol):
    """Takes the damage and the notes of a task; pickled from the driver to the workers."""

    def __call__(self, damage: "Damage", origin: "Origin") -> None:
        """Take damage."""

    def note(self, note: "Note") -> None:
        """Take a note."""


def damage_report(spark: "SparkSession", callback: "Callable[[Damage], None] | None", plan: "Plan") -> "DamageReport":
    """Make what tasks report damage and notes to.

    In a classic session it comes to the driver when a task is done, by an accumulator. Spark Connect has none: there
    each task logs a warning on its executor.

    Args:
        spark: the session.
        callback: called on the driver with each damaged stretch; None to log a warning for what is no open end. Notes
            are logged always.
        plan: what planning met already, and noted.

    Raises:
        UnsupportedError: `callback` is given, and the session is one of Spark Connect.
    """
    context = getattr(spark, "sparkContext", None)
    if context is None and callback is not None:
        from kafkafmt.errors import UnsupportedError

        raise UnsupportedError(
            "report: Spark Connect brings no damage to the driver; leave it out, and executors log it",
            expected="a classic session",
            found="one of Spark Connect",
        )
    reporter = ReportOnce(_DamageOrNote(_Warnings().report if callback is None else callback).report, identity_of)
    reporter.report([*plan.notes, *plan.damage])
    if context is None:
        return _LoggedByTask()
    return _SentToDriver(context.accumulator([], Collected(reporter)))


def identity_of(said: "Damage | Note") -> tuple[str | None, int, int, str] | str:
    """What makes two reports of damage the same, or two notes."""
    return said if isinstance(said, str) else (said.file, said.position, said.length, said.reason)


class _DamageOrNote:
    """Hands damage to a callback, and logs notes: the first of them."""

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


class _Warnings:
    """Logs the first stretches, and from then on only how many there are, now and then."""

    def __init__(self) -> None:
        self._count = 0
        self._next_sum = _LOGGED_SINGLY * 10

    def report(self, damage: "Damage") -> None:
        if damage.is_open_end:
            return
        from kafkafmt.files.damage import cost_text

        self._count += 1
        if self._count <= _LOGGED_SINGLY:
            cost = cost_text(damage.first_offset, damage.last_offset, damage.records)
            _LOG.warning("kafkafmt: left out %d bytes%s: %s", damage.length, cost and f" ({cost})", damage.error)
        if self._count == _LOGGED_SINGLY:
            _LOG.warning("kafkafmt: further damage is counted only; report= gets all of it")
        if self._count == self._next_sum:
            _LOG.warning("kafkafmt: left out %d damaged stretches so far", self._count)
            self._next_sum *= 10


class _SentToDriver:
    def __init__(self, accumulator: "Accumulator[list[Damage | Note]]") -> None:
        self._accumulator = accumulator

    def __call__(self, damage: "Damage", origin: "Origin") -> None:  # noqa: ARG002 - the file tells
        self._accumulator.add([damage])

    def note(self, note: "Note") -> None:
        self._accumulator.add([note])


class _LoggedByTask:
    def __init__(self) -> None:
        self._reporter = ReportOnce(_DamageOrNote(_Warnings().report).report, identity_of)

    def __call__(self, damage: "Damage", origin: "Origin") -> None:  # noqa: ARG002 - the file tells
        self._reporter.report([damage])

    def note(self, note: "Note") -> None:
        self._reporter.report([note])
