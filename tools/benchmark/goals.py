"""Figures computed from readings: ratios between programs, and the project's goals for them."""

import math
from collections.abc import Iterable, Mapping
from statistics import median
from typing import Literal

from benchmark import segments
from benchmark.readings import Figure, Reading
from benchmark.scans import AIOKAFKA, FLOOR, JAVA, KAFKAFMT, NATIVE, THREADS, of_rounds

Readings = Mapping[str, Mapping[str, Reading]]
Cost = Literal["cpu", "wall"]


def geometric_mean(values: Iterable[float]) -> float:
    """The geometric mean of one or more numbers above 0."""
    logarithms = [math.log(value) for value in values]
    return math.exp(sum(logarithms) / len(logarithms))


def ratio(
    readings: Readings,
    names: Iterable[str],
    above: str,
    below: str,
    *,
    text: str = "",
    at_least: float | None = None,
    at_most: float | None = None,
    cost: Cost = "cpu",
) -> Figure:
    """The ratio of CPU time per record of `above` to `below`: the geometric mean over those of `names` that both read.

    The value is that of the median rounds; low and high are those of single rounds, in which both took turns.
    """
    pairs = []
    for name in names:
        reading, other = readings.get(name, {}).get(above), readings.get(name, {}).get(below)
        if reading and other and reading.cpu and other.cpu and not reading.error and not other.error:
            pairs.append([[each / read.records for each in getattr(read, cost)] for read in (reading, other)])
    goal = at_least if at_most is None else at_most
    if not pairs:
        return Figure(text, None, goal=goal, at_most=at_most is not None)
    rounds = [geometric_mean(up[at] / down[at] for up, down in pairs) for at in range(min(len(up) for up, _ in pairs))]
    value = geometric_mean(median(up) / median(down) for up, down in pairs)
    return Figure(text, value, "", min(rounds), max(rounds), goal, at_most is not None)


def scan_goals(readings: Readings) -> list[Figure]:
    """Goals for scans by programs that are measured in turn."""
    usual = [name for name in readings if "@" not in name]
    typical, tiny = ([name for name in usual if segments.shape(name) == shape] for shape in ("typical", "tiny"))
    modern = [name for name in usual if "-v" not in name]
    small, large = ([name for name in readings if name.endswith(size)] for size in (f"@{segments.SMALL}", "@256"))
    plain = [name for name in modern if segments.codec(name) == "none" and not name.startswith("typical1k")]
    compressed = [name for name in modern if segments.codec(name) != "none"]

    def times(text: str, names: list[str], above: str, below: str = KAFKAFMT, **goal: float) -> Figure:
        return ratio(
            readings, names, above, below, text=text, at_least=goal.get("at_least"), at_most=goal.get("at_most")
        )

    return [
        times("kafka-clients warm / kafkafmt, typical", typical, JAVA, at_least=1.75),
        times("kafka-clients warm / kafkafmt, tiny", tiny, JAVA, at_least=1.9),
        times("kafka-clients warm / kafkafmt, typical, 256 MB", large, JAVA, at_least=2.0),
        times(f"kafka-clients warm / kafkafmt, typical, {segments.SMALL} MB", small, JAVA, at_least=1.2),
        times("kafka-clients warm / kafkafmt, all of format 2", modern, JAVA, at_least=1.7),
        times("aiokafka / kafkafmt, typical", typical, AIOKAFKA, at_least=3.5),
        times("kafkafmt / native program, typical", typical, KAFKAFMT, NATIVE, at_most=1.45),
        times("kafkafmt / native program, tiny", tiny, KAFKAFMT, NATIVE, at_most=1.3),
        times("kafkafmt / floor, typical", typical, KAFKAFMT, FLOOR, at_most=1.2),
        times("kafkafmt / floor, tiny", tiny, KAFKAFMT, FLOOR, at_most=1.8),
        times("threads=2: CPU of 2 threads / 1", modern, THREADS, at_most=1.1),
        _speed_up(readings, compressed, "compressed", 1.5),
        _speed_up(readings, plain, "not compressed", 1.3),
        _milliseconds(readings, "typical-none@1", "a warm scan of 1 MB", 1.5),
        _milliseconds(readings, "typical1k-none", "64 MB of 1 KB batches", 60),
    ]


def _speed_up(readings: Readings, names: list[str], what: str, goal: float) -> Figure:
    text = f"threads=2: how many times faster, {what}"
    return ratio(readings, names, KAFKAFMT, THREADS, text=text, at_least=goal, cost="wall")


def _milliseconds(readings: Readings, name: str, text: str, goal: float) -> Figure:
    reading = readings.get(name, {}).get(KAFKAFMT, Reading())
    return of_rounds(f"{text}, CPU", [seconds * 1000 for seconds in reading.cpu], "ms", goal, at_most=True)
