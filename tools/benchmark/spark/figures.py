"""Figures out of what was measured: rates, comparisons by row, their spread, the goals."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from benchmark.spark import programs
from benchmark.spark.results import Growth, Reading, Results

Cost = Callable[[Reading], list[float]]


def of_spark(reading: Reading) -> list[float]:
    """Seconds of CPU of Spark, round by round."""
    return reading.spark


def of_all(reading: Reading) -> list[float]:
    """Seconds of CPU of Spark and the broker, round by round."""
    return reading.everything


@dataclass(frozen=True)
class Range:
    """A figure, from the median round, and from those that give the lowest and the highest."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Goal:
    """A goal, and what was measured.

    Attributes:
        text: what is compared.
        wanted: what the figure should be at least.
        measured: None if what it needs was not measured, or failed.
    """

    text: str
    wanted: float
    measured: Range | None

    @property
    def is_met(self) -> bool | None:
        """Whether it is met; None if it was not measured."""
        return None if self.measured is None else self.measured.value >= self.wanted


WELL_AHEAD = 1.5
"""How many times less than another what is well ahead of it takes."""


def rate(amount: float, costs: Sequence[float]) -> Range | None:
    """Divide an amount by what it cost; None if nothing was measured."""
    if not costs or min(costs) <= 0:
        return None
    return Range(amount / median(costs), amount / max(costs), amount / min(costs))


def rows_a_second(reading: Reading, cost: Cost = of_spark) -> Range | None:
    """Rows read in a second of CPU."""
    return rate(reading.rows, cost(reading))


def megabytes_a_second(reading: Reading, cost: Cost = of_spark) -> Range | None:
    """MB (10^6 bytes) of keys and values read in a second of CPU."""
    return rate(reading.payload_bytes / 1e6, cost(reading))


def times_less(reading: Reading, other: Reading, cost: Cost = of_spark) -> Range | None:
    """Tell how many times the CPU of `reading` that of `other` is, a row; the range by rounds that ran together."""
    ours, theirs = rows_a_second(reading, cost), rows_a_second(other, cost)
    if ours is None or theirs is None:
        return None
    pairs = zip(cost(reading), cost(other), strict=False)
    ratios = [(above / other.rows) / (below / reading.rows) for below, above in pairs]
    return Range(ours.value / theirs.value, min(ratios), max(ratios))


def goals(results: Results) -> list[Goal]:
    """Compare what was measured with what the project wants."""
    found: list[Goal] = []
    for topic in results.readings:
        ours = (programs.SOURCE, programs.LOG_DIRS)
        found += [_ahead(results, topic, key, programs.KAFKA, 1, cost) for cost in (of_spark, of_all) for key in ours]
        found += [
            _ahead(results, topic, programs.SOURCE_KEY_VALUE, programs.KAFKA_KEY_VALUE, WELL_AHEAD),
            _ahead(results, topic, programs.LOG_DIRS_KEY_VALUE, programs.KAFKA_KEY_VALUE, WELL_AHEAD),
        ]
    return found


def _ahead(results: Results, topic: str, key: str, other: str, wanted: float, cost: Cost = of_spark) -> Goal:
    readings = results.readings[topic]
    broker = " and broker" if cost is of_all else ""
    text = f"{programs.program(other).label}{broker} / {programs.program(key).label}, {topic}"
    measured = times_less(readings[key], readings[other], cost) if {key, other} <= readings.keys() else None
    return Goal(text, wanted, measured)


def a_row(growth: Growth) -> float | None:
    """Microseconds of CPU of Spark for a row, median round."""
    costs = growth.reading.spark
    return median(costs) / growth.reading.rows * 1e6 if costs else None


def noise(results: Results) -> float:
    """Tell by how much the slowest round is above the fastest, as parts of 1, as the median over all readings."""
    spreads = [
        max(reading.spark) / min(reading.spark) - 1
        for readings in results.readings.values()
        for reading in readings.values()
        if reading.spark and min(reading.spark) > 0
    ]
    return median(spreads or [0.0])
