"""What the measurements gave: results.json, as it is written and read."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any


@dataclass
class Cell:
    """What a program cost on a segment, in one run.

    Attributes:
        cpu: CPU seconds in each round.
        wall: wall-clock seconds in each round.
        scale: what both are to be multiplied with, for a program that read only a part.
        error: why there is no figure.
    """

    cpu: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)
    scale: float = 1.0
    error: str | None = None


@dataclass
class Growth:
    """How a reading grows with its file, in a new process.

    Attributes:
        segment: what was read.
        program: key of the program.
        megabytes: of records before compression.
        cpu: CPU seconds, the better of two readings.
        peak_bytes: of memory that the process held at most.
        error: why there is no figure.
    """

    segment: str
    program: str
    megabytes: int
    cpu: float | None = None
    peak_bytes: int | None = None
    error: str | None = None


@dataclass
class FirstUse:
    """How long a new process takes until it has the first row.

    Attributes:
        case: what was measured, in words.
        wall: wall-clock seconds, the best of several.
        cpu: CPU seconds.
        error: why there is no figure.
    """

    case: str
    wall: float | None = None
    cpu: float | None = None
    error: str | None = None


@dataclass
class Results:
    """All that was measured.

    Attributes:
        date: of the measurement, as 2026-11-30.
        machine: what it was made on, by name.
        versions: of everything that was measured or used, by name.
        settings: megabytes, rounds, runs.
        segments: bytes, rawBytes, records and batches of each.
        runs: for each run, cells by segment and program.
        growth: see `Growth`.
        first_use: see `FirstUse`.
    """

    date: str
    machine: dict[str, str]
    versions: dict[str, str]
    settings: dict[str, int]
    segments: dict[str, dict[str, int]]
    runs: list[dict[str, dict[str, Cell]]] = field(default_factory=list)
    growth: list[Growth] = field(default_factory=list)
    first_use: list[FirstUse] = field(default_factory=list)

    def write(self, path: Path) -> None:
        """Write them as JSON."""
        path.write_text(_one_line_a_cell(asdict(self)) + "\n", encoding="utf-8")

    @classmethod
    def read(cls, path: Path) -> "Results":
        """Read what `write` wrote."""
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        content["runs"] = [
            {name: {key: Cell(**cell) for key, cell in cells.items()} for name, cells in run.items()}
            for run in content["runs"]
        ]
        content["growth"] = [Growth(**growth) for growth in content["growth"]]
        content["first_use"] = [FirstUse(**use) for use in content["first_use"]]
        return cls(**content)


def _one_line_a_cell(value: object, indent: int = 0) -> str:
    """Format JSON with what holds no further object on one line: a diff then shows which figure changed."""
    if isinstance(value, dict) and any(isinstance(each, dict | list) for each in value.values()):
        opening, closing, members = "{", "}", [f"{json.dumps(k)}: {_format(v, indent)}" for k, v in value.items()]
    elif isinstance(value, list) and any(isinstance(each, dict) for each in value):
        opening, closing, members = "[", "]", [_format(each, indent) for each in value]
    else:
        return json.dumps(value)
    space = " " * (indent + 1)
    return opening + "\n" + ",\n".join(space + member for member in members) + "\n" + " " * indent + closing


def _format(value: object, indent: int) -> str:
    is_cell = isinstance(value, dict) and "cpu" in value
    return json.dumps(value) if is_cell else _one_line_a_cell(value, indent + 1)
