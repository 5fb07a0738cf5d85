"""Results: readings of programs by round, single figures, and `compare`, which runs programs in turn."""

import json
import os
import platform
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from benchmark.worker import Cost, MeasuringError

_NUMBERS = re.compile(r"\[\s+([-0-9.e,\s]+?)\s+\]")
_JARS = ("kafka-clients", "lz4-java", "snappy-java", "zstd-jni")


@dataclass
class Reading:
    """The cost of one program reading one input.

    Attributes:
        records: number of records that were read.
        size: their size in bytes before compression.
        cpu: CPU seconds of each round.
        wall: elapsed seconds of each round.
        java: the part of `cpu` that Java used.
        broker: CPU seconds of the broker that was read from.
        error: why there is no result, or None.
    """

    records: int = 0
    size: int = 0
    cpu: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)
    java: list[float] = field(default_factory=list)
    broker: list[float] = field(default_factory=list)
    error: str | None = None

    def add(self, cost: Cost) -> None:
        """Add the cost of a round."""
        for name in ("cpu", "wall", "java", "broker"):
            getattr(self, name).append(round(getattr(cost, name), 6))


@dataclass(frozen=True)
class Figure:
    """A figure, and the project's goal for it.

    Attributes:
        text: what was measured.
        value: the median; None if it was not measured.
        unit: unit of the value; empty for ratios.
        low: value of the lowest round, or None if there was only one round.
        high: value of the highest round, or None if there was only one round.
        goal: the least that it should be or, if `at_most`, the most; None without a goal.
        at_most: whether the goal is an upper bound.
        error: why it was not measured, or None.
    """

    text: str
    value: float | None
    unit: str = ""
    low: float | None = None
    high: float | None = None
    goal: float | None = None
    at_most: bool = False
    error: str | None = None

    @property
    def is_met(self) -> bool | None:
        """Whether the goal is met; None without a goal or a value."""
        if self.value is None or self.goal is None:
            return None
        return self.value <= self.goal if self.at_most else self.value >= self.goal


@dataclass
class Results:
    """All results of a run.

    Attributes:
        machine: facts about the machine, such as its load, by name.
        versions: versions of all programs that were measured or used, by name.
        settings: how much was measured, by name.
        readings: readings by input, then by program.
        figures: all other figures.
    """

    machine: dict[str, str]
    versions: dict[str, str]
    settings: dict[str, Any]
    readings: dict[str, dict[str, Reading]] = field(default_factory=dict)
    figures: list[Figure] = field(default_factory=list)

    @property
    def failed(self) -> list[str]:
        """The failed readings, with the reasons."""
        found = [
            f"{subject}, {program}: {reading.error}"
            for subject, readings in self.readings.items()
            for program, reading in readings.items()
            if reading.error
        ]
        return found + [f"{figure.text}: {figure.error}" for figure in self.figures if figure.error]

    def write(self, path: Path) -> None:
        """Write the results as JSON, with each list of numbers on one line."""
        text = json.dumps(asdict(self), indent=1)
        path.write_text(_NUMBERS.sub(lambda found: f"[{' '.join(found[1].split())}]", text) + "\n", encoding="utf-8")


def compare(jobs: Mapping[str, Callable[[], Cost]], readings: Mapping[str, Reading], rounds: int, warming: int) -> None:
    """Let programs read the same input in turn, and add the costs of all rounds after `warming` ones to their readings.

    A program that fails has an error from then on, and is not measured again.
    """
    keys = list(jobs)
    for number in range(warming + rounds):
        turn = number % max(len(keys), 1)  # so that the order of the programs differs between rounds
        for key in [*keys[turn:], *keys[:turn]]:
            if readings[key].error is None:
                try:
                    cost = jobs[key]()
                except MeasuringError as error:
                    readings[key].error = str(error)
                    continue
                if number >= warming:
                    readings[key].add(cost)


def machine() -> dict[str, str]:
    """Processor, memory, system and load of this machine, without its name."""
    cpu = next(
        (
            line.partition(":")[2].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if "model name" in line
        ),
        platform.machine(),
    )
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "CPU": cpu,
        "cores": str(os.cpu_count()),
        "memory": f"{memory / 2**30:.0f} GB",
        "system": f"{platform.system()} {'.'.join(platform.release().split('.')[:2])}, {platform.machine()}",
        "load at the start": load(),
    }


def load() -> str:
    """Number of processes that ran or waited for a core, on average over the last 1, 5 and 15 minutes."""
    return ", ".join(f"{average:.2f}" for average in os.getloadavg())


def versions(packages: Iterable[str]) -> dict[str, str]:
    """Versions of Python and of packages."""
    found = {"Python": platform.python_version()}
    for package in packages:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found


def jar_versions(names: Sequence[str]) -> dict[str, str]:
    """Versions of the relevant jars, from the names of their files."""
    return {
        jar: name.removeprefix(f"{jar}-").removesuffix(".jar")
        for jar in _JARS
        for name in names
        if name.startswith(f"{jar}-") and name[len(jar) + 1].isdigit()
    }
