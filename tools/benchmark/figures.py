"""Figures out of what was measured: best and median, ratios of geometric means, their spread, the goals."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from benchmark.results import Cell, Results

_16_KB_SHAPES = ("typical", "tiny", "large")


@dataclass(frozen=True)
class Ratio:
    """A geometric mean of ratios over segments and runs.

    Attributes:
        value: over all runs.
        low: of the run where it was lowest.
        high: of the run where it was highest.
        segments: how many segments it is of.
    """

    value: float
    low: float
    high: float
    segments: int


@dataclass(frozen=True)
class Goal:
    """A goal, and what was measured.

    Attributes:
        text: what is compared, over what.
        wanted: what the figure should be at least or, if `at_most`, at most.
        at_most: which of the two.
        measured: None if what it needs was not measured.
        unit: of the figures; none of ratios.
    """

    text: str
    wanted: float
    at_most: bool
    measured: Ratio | None
    unit: str = ""

    @property
    def is_met(self) -> bool | None:
        """Whether it is met; None if it was not measured."""
        if self.measured is None:
            return None
        return self.measured.value <= self.wanted if self.at_most else self.measured.value >= self.wanted


def geometric_mean(values: Iterable[float]) -> float:
    """Compute it of numbers above 0, of which there must be one."""
    logarithms = [math.log(value) for value in values]
    return math.exp(sum(logarithms) / len(logarithms))


def best(cell: Cell) -> float | None:
    """Tell the CPU seconds of the best round of one run."""
    return min(cell.cpu) * cell.scale if cell.cpu else None


def middle(cell: Cell) -> float | None:
    """Tell the CPU seconds of the median round of one run."""
    return median(cell.cpu) * cell.scale if cell.cpu else None


def wall(cell: Cell) -> float | None:
    """Tell the wall-clock seconds of the best round of one run."""
    return min(cell.wall) * cell.scale if cell.wall else None


def over_runs(
    results: Results, segment: str, program: str, figure: Callable[[Cell], float | None] = best
) -> float | None:
    """Compute the geometric mean of a figure over the runs that have it; None if none has."""
    found = [value for cell in cells(results, segment, program) if (value := figure(cell)) is not None]
    return geometric_mean(found) if found else None


def cells(results: Results, segment: str, program: str) -> list[Cell]:
    """List what a program cost on a segment, by run."""
    return [run[segment][program] for run in results.runs if program in run.get(segment, {})]


def failure(results: Results, segment: str, program: str) -> str | None:
    """Tell why a program has no figure for a segment; None if it has, or was not measured."""
    return next((cell.error for cell in cells(results, segment, program) if cell.error), None)


def ratio(results: Results, segments: Sequence[str], above: str, below: str) -> Ratio | None:
    """Compare two programs: how many times the CPU seconds of `below` those of `above` are, best rounds.

    Segments that one of them was not measured on, or failed on, in any of the runs, do not count.
    """
    runs = [run for run in results.runs if any(above in cells and below in cells for cells in run.values())]
    shared = [
        segment
        for segment in segments
        if runs and all(_seconds(run, segment, above) and _seconds(run, segment, below) for run in runs)
    ]
    if not shared:
        return None
    each = [
        geometric_mean(_seconds(run, segment, above) / _seconds(run, segment, below) for segment in shared)
        for run in runs
    ]
    return Ratio(geometric_mean(each), min(each), max(each), len(shared))


def _seconds(run: dict[str, dict[str, Cell]], segment: str, program: str) -> float:
    return best(run.get(segment, {}).get(program, Cell())) or 0.0


def goals(results: Results) -> list[Goal]:
    """Compare what was measured with what the project wants."""
    names = list(results.segments)
    modern = [name for name in names if not name.endswith(("-v0", "-v1"))]
    typical, tiny, _ = ([name for name in modern if name.split("-")[0] == shape] for shape in _16_KB_SHAPES)

    def times(text: str, wanted: float, segments: Sequence[str], above: str, below: str, at_most: bool = False) -> Goal:
        return Goal(text, wanted, at_most, ratio(results, segments, above, below))

    one, java, floor = "kafkafmt-1", "java-warm", "floor-mapped"
    return [
        times("kafka-clients warm / kafkafmt, typical", 1.8, typical, java, one),
        times("kafka-clients warm / kafkafmt, tiny", 1.3, tiny, java, one),
        times("kafka-clients warm / kafkafmt, all of format 2", 1.7, modern, java, one),
        times("aiokafka / kafkafmt, typical", 3.5, typical, "aiokafka", one),
        times("aiokafka / kafkafmt, tiny-none", 8, ["tiny-none"], "aiokafka", one),
        times("kafkafmt / floor (mmap), typical", 1.2, typical, one, floor, at_most=True),
        times("kafkafmt / floor (mmap), tiny", 1.8, tiny, one, floor, at_most=True),
        times("all columns / key, value, offset, tiny", 1.3, tiny, one, "kafkafmt-key-value-offset"),
        *(
            Goal(
                f"format {magic} / format 2, a record, uncompressed",
                1.3,
                at_most=True,
                measured=_a_record(results, magic),
            )
            for magic in (1, 0)
        ),
        *(
            Goal(
                f"{what} of 16 KB batches",
                2,
                at_most=False,
                measured=_gigabytes_a_second(results, program),
                unit="GB/s",
            )
            for what, program in (("scan.count()", "kafkafmt-count"), ("segment.batches()", "kafkafmt-batches"))
        ),
        *(
            Goal(f"peak memory, {threads}", 300, at_most=True, measured=_peak_megabytes(results, program), unit="MB")
            for threads, program in (("1 thread", one), ("2 threads", "kafkafmt-2"))
        ),
    ]


def _a_record(results: Results, magic: int) -> Ratio | None:
    old, new = f"typical-none-v{magic}", "typical-none"
    if not {old, new} <= set(results.segments):
        return None
    records = results.segments[new]["records"] / results.segments[old]["records"]
    pairs = [(_seconds(run, old, "kafkafmt-1"), _seconds(run, new, "kafkafmt-1")) for run in results.runs]
    return _of_runs([records * above / below for above, below in pairs if above and below])


def _gigabytes_a_second(results: Results, program: str) -> Ratio | None:
    segment = "typical-none"
    seconds = [_seconds(run, segment, program) for run in results.runs]
    return _of_runs([results.segments[segment]["bytes"] / 1e9 / each for each in seconds if each])


def _peak_megabytes(results: Results, program: str) -> Ratio | None:
    peaks = [growth.peak_bytes / 1e6 for growth in results.growth if growth.program == program and growth.peak_bytes]
    return Ratio(max(peaks), max(peaks), max(peaks), len(peaks)) if peaks else None


def _of_runs(values: Sequence[float]) -> Ratio | None:
    return Ratio(geometric_mean(values), min(values), max(values), 1) if values else None


@dataclass(frozen=True)
class Noise:
    """How far measurements of the same thing lie apart.

    Attributes:
        rounds: by how much the median round is above the best one, as the median over all that was measured.
        rounds_worst: likewise at the 95th of 100.
        runs: by how much the best rounds of the runs differ (highest above lowest), as the median.
        runs_worst: likewise at the 95th of 100; both 0 of a single run.
    """

    rounds: float
    rounds_worst: float
    runs: float
    runs_worst: float


def noise(results: Results) -> Noise:
    """Tell how noisy the measurement was, as parts of 1."""
    rounds: list[float] = []
    runs: list[float] = []
    for segment in results.segments:
        for program in {key for run in results.runs for key in run.get(segment, {})}:
            found = [cell for cell in cells(results, segment, program) if cell.cpu]
            rounds += [median(cell.cpu) / min(cell.cpu) - 1 for cell in found]
            if len(found) > 1:
                bests = [min(cell.cpu) for cell in found]
                runs.append(max(bests) / min(bests) - 1)
    rounds, runs = rounds or [0.0], runs or [0.0]
    return Noise(median(rounds), _at_95(rounds), median(runs), _at_95(runs))


def _at_95(values: Sequence[float]) -> float:
    return sorted(values)[math.ceil(0.95 * len(values)) - 1]
