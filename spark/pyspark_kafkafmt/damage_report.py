"""Damage that tasks meet, told on the driver: each damaged stretch once, however often its split is read."""

import logging
from typing import TYPE_CHECKING, Final, Protocol

from pyspark_kafkafmt.told_once import Collected, ToldOnce

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.accumulators import Accumulator
    from pyspark.sql import SparkSession

    from kafkafmt.columns import Origin
    from kafkafmt.files.damage import Damage

# Without a handler of its own a warning goes to stderr.
_LOG: Final = logging.getLogger(__package__)

_TOLD_SINGLY: Final = 10


class DamageReport(Protocol):
    """Takes the damage that a task meets; pickled from the driver to the workers."""

    def __call__(self, damage: "Damage", origin: "Origin") -> None:
        """Note damage."""


def damage_report(
    spark: "SparkSession", told: "Callable[[Damage], None] | None", known: "list[Damage]"
) -> "DamageReport":
    """Make what tasks report damage to.

    In a classic session it comes to the driver when a task is done, by an accumulator. Spark Connect has none: there
    each task logs a warning on its executor.

    Args:
        spark: the session.
        told: called on the driver with each damaged stretch; None to log a warning for what is no open end.
        known: what planning met already.

    Raises:
        UnsupportedError: `told` is given, and the session is one of Spark Connect.
    """
    context = getattr(spark, "sparkContext", None)
    if context is None and told is not None:
        from kafkafmt.errors import UnsupportedError

        raise UnsupportedError(
            "report: Spark Connect brings no damage to the driver; leave it out, and executors log it",
            expected="a classic session",
            found="one of Spark Connect",
        )
    teller = ToldOnce(_Warnings().tell if told is None else told, stretch_of)
    teller.tell(known)
    if context is None:
        return _LoggedByTask()
    return _SentToDriver(context.accumulator([], Collected(teller)))


def stretch_of(damage: "Damage") -> tuple[str | None, int, int, str]:
    """What makes two reports of damage the same."""
    return damage.file, damage.position, damage.length, damage.reason


class _Warnings:
    """Logs the first stretches, and from then on only how many there are, now and then."""

    def __init__(self) -> None:
        self._count = 0
        self._next_sum = _TOLD_SINGLY * 10

    def tell(self, damage: "Damage") -> None:
        if damage.is_open_end:
            return
        self._count += 1
        if self._count <= _TOLD_SINGLY:
            _LOG.warning("kafkafmt: left out %d bytes: %s", damage.length, damage.error)
        if self._count == _TOLD_SINGLY:
            _LOG.warning("kafkafmt: further damage is counted only; report= gets all of it")
        if self._count == self._next_sum:
            _LOG.warning("kafkafmt: left out %d damaged stretches so far", self._count)
            self._next_sum *= 10


class _SentToDriver:
    def __init__(self, accumulator: "Accumulator[list[Damage]]") -> None:
        self._accumulator = accumulator

    def __call__(self, damage: "Damage", origin: "Origin") -> None:  # noqa: ARG002 - the file tells
        self._accumulator.add([damage])


class _LoggedByTask:
    def __init__(self) -> None:
        self._warnings = _Warnings()

    def __call__(self, damage: "Damage", origin: "Origin") -> None:  # noqa: ARG002 - the file tells
        self._warnings.tell(damage)
