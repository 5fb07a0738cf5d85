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
        records: how many it read.
        size: bytes of them before compression.
        cpu: CPU seconds, round by round.
        wall: seconds that passed, one figure a round.
        java: the part of `cpu` that Java took.
        broker: CPU seconds of the broker that it read from.
        error: why there is no result.
    """

    records: int = 0
    size: int = 0
    cpu: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)
    java: list[float] = field(default_factory=list)
    broker: list[float] = field(default_factory=list)
    error: str | None = None

    def add(self, cost: Cost) -> None:
        """Add a round."""
        for name in ("cpu", "wall", "java", "broker"):
            getattr(self, name).append(round(getattr(cost, name), 6))


@dataclass(frozen=True)
class Figure:
    """A figure, and what the project wants it to be.

    Attributes:
        text: what was measured.
        value: the median; None if it was not measured.
        unit: of the value; empty for ratios.
        low: the lowest round's, or None if there was one round only.
        high: the highest round's.
        goal: what it should be at least or, if `at_most`, at most; None if nothing is wanted.
        at_most: whether the goal is an upper bound.
        error: why it was not measured.
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
        """Whether the goal is met; None without a goal or a figure."""
        if self.value is None or self.goal is None:
            return None
        return self.value <= self.goal if self.at_most else self.value >= self.goal


@dataclass
class Results:
    """All results of a run.

    Attributes:
        machine: what it was measured on, by name, and its load.
        versions: of everything that was measured or used, by name.
        settings: how much was measured, by name.
        readings: by what was read, and program.
        figures: what else was measured.
    """

    machine: dict[str, str]
    versions: dict[str, str]
    settings: dict[str, Any]
    readings: dict[str, dict[str, Reading]] = field(default_factory=dict)
    figures: list[Figure] = field(default_factory=list)

    @property
    def failed(self) -> list[str]:
        """What failed, and why."""
        found = [
            f"{subject}, {program}: {reading.error}"
            for subject, readings in self.readings.items()
            for program, reading in readings.items()
            if reading.error
        ]
        return found + [f"{figure.text}: {figure.error}" for figure in self.figures if figure.error]

    def write(self, path: Path) -> None:
        """Write them as JSON, each list of numbers on one line."""
        text = json.dumps(asdict(self), indent=1)
        path.write_text(_NUMBERS.sub(lambda found: f"[{' '.join(found[1].split())}]", text) + "\n", encoding="utf-8")


def compare(jobs: Mapping[str, Callable[[], Cost]], readings: Mapping[str, Reading], rounds: int, warming: int) -> None:
    """Let programs read the same input in turn, and add the costs of the rounds after `warming` ones to their readings.

    One that fails has an error from then on, and is not measured again.
    """
    keys = list(jobs)
    for number in range(warming + rounds):
        turn = number % max(len(keys), 1)  # so that none always follows the same other one
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
    """Processes that ran or waited for a core, on average over the last 1, 5 and 15 minutes."""
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
    """Read the versions of the jars that matter out of the names of files."""
    return {
        jar: name.removeprefix(f"{jar}-").removesuffix(".jar")
        for jar in _JARS
        for name in names
        if name.startswith(f"{jar}-") and name[len(jar) + 1].isdigit()
    }
