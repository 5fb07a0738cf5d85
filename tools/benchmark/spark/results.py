"""What the measurements of Spark gave: spark.json, as it is written and read."""

import json
import re
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

GROWING = "growing"
"""Name of the topic at whose partitions growth is measured."""
LARGE = "large"
"""Name of the topic of a segment of 1 GiB."""

_NUMBERS = re.compile(r"\[\s+([-0-9.e,\s]+?)\s+\]")


@dataclass
class Reading:
    """What it cost a program to read a topic, round by round.

    Attributes:
        rows: how many it read.
        payload_bytes: of keys and values in them.
        java: CPU seconds of Spark's Java.
        python: CPU seconds of all Python that belongs to the session.
        broker: CPU seconds of the broker meanwhile; none for a program that needs no broker.
        wall: seconds that passed.
        error: why there is no figure.
    """

    rows: int = 0
    payload_bytes: int = 0
    java: list[float] = field(default_factory=list)
    python: list[float] = field(default_factory=list)
    broker: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)
    error: str | None = None

    @property
    def spark(self) -> list[float]:
        """CPU seconds of Spark, Java and Python, round by round."""
        return [java + python for java, python in zip(self.java, self.python, strict=True)]

    @property
    def everything(self) -> list[float]:
        """CPU seconds of Spark and broker, round by round."""
        return [cpu + broker for cpu, broker in zip(self.spark, self.broker or [0.0] * len(self.spark), strict=True)]


@dataclass
class Growth:
    """What it costs to read more segments, or on more cores.

    Attributes:
        program: key of the program.
        cores: of Spark.
        segments: how many were read.
        reading: what that cost.
    """

    program: str
    cores: int
    segments: int
    reading: Reading


@dataclass
class Memory:
    """The most memory that a session's processes have held, which has read one large segment.

    Attributes:
        program: key of the program.
        java_bytes: of Spark's Java.
        worker_bytes: of the largest of its Python processes.
        wall: seconds that the reading took.
        error: why it could not be read.
    """

    program: str
    java_bytes: int = 0
    worker_bytes: int = 0
    wall: float = 0.0
    error: str | None = None


@dataclass
class Query:
    """What a query of few records cost, among the first of a new session.

    Attributes:
        case: which, in words.
        java: CPU seconds of Spark's Java.
        python: CPU seconds of all Python.
        wall: seconds that passed.
        error: why there is no figure.
    """

    case: str
    java: float = 0.0
    python: float = 0.0
    wall: float = 0.0
    error: str | None = None


@dataclass
class Planning:
    """What planning took, without Spark, in a new process; see `benchmark.many_segments`.

    Attributes:
        segments: log files.
        size_in_bytes: of all of them.
        splits: how many came out.
        listing_seconds: for directories.
        planning_seconds: for the rest.
        cpu_seconds: of both.
        peak_bytes: memory that the process held at most.
    """

    segments: int
    size_in_bytes: int
    splits: int
    listing_seconds: float
    planning_seconds: float
    cpu_seconds: float
    peak_bytes: int


@dataclass
class Results:
    """All that was measured.

    Attributes:
        date: of the measurement, as 2026-11-30.
        machine: what it was made on, by name.
        versions: of everything that was measured or used, by name.
        rounds: how often each program read each topic, warming up aside.
        cores: of Spark, where nothing else is said.
        topics: codec, valueBytes, partitions, records, payloadBytes, fileBytes, segments of each.
        readings: by topic and program.
        growth: see `Growth`.
        memory: see `Memory`.
        first_queries: see `Query`.
        planning: see `Planning`.
    """

    date: str
    machine: dict[str, str]
    versions: dict[str, str]
    rounds: int
    cores: int
    topics: dict[str, dict[str, Any]]
    readings: dict[str, dict[str, Reading]] = field(default_factory=dict)
    growth: list[Growth] = field(default_factory=list)
    memory: list[Memory] = field(default_factory=list)
    first_queries: list[Query] = field(default_factory=list)
    planning: list[Planning] = field(default_factory=list)

    def write(self, path: Path) -> None:
        """Write them as JSON."""
        text = json.dumps(asdict(self), indent=1)
        path.write_text(_NUMBERS.sub(lambda found: f"[{' '.join(found[1].split())}]", text) + "\n", encoding="utf-8")

    @classmethod
    def read(cls, path: Path) -> "Results":
        """Read what `write` wrote."""
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        content["readings"] = {
            topic: {key: Reading(**each) for key, each in readings.items()}
            for topic, readings in content["readings"].items()
        }
        content["growth"] = [Growth(**{**each, "reading": Reading(**each["reading"])}) for each in content["growth"]]
        content["memory"] = [Memory(**each) for each in content["memory"]]
        content["first_queries"] = [Query(**each) for each in content["first_queries"]]
        content["planning"] = [Planning(**each) for each in content["planning"]]
        return cls(**content)

    def label(self, topic: str) -> str:
        """Tell what tables and charts call a topic."""
        facts = self.topics[topic]
        return f"{facts['value_bytes']} B values, {facts['codec']}"

    @property
    def failed(self) -> int:
        """How many measurements failed."""
        readings = [reading for each in self.readings.values() for reading in each.values()]
        readings += [growth.reading for growth in self.growth]
        found: list[Reading | Memory | Query] = [*readings, *self.memory, *self.first_queries]
        return sum(each.error is not None for each in found)
