"""What a process and all that it has started cost: CPU time and memory, by whether it is Java or not (Linux only)."""

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_JAVA = "java"


@dataclass(frozen=True)
class CpuTime:
    """Seconds of CPU, user and system.

    Attributes:
        java: of Java.
        python: of everything else.
    """

    java: float
    python: float

    def __sub__(self, earlier: "CpuTime") -> "CpuTime":
        return CpuTime(self.java - earlier.java, self.python - earlier.python)


@dataclass(frozen=True)
class PeakMemory:
    """The most memory that processes have held at any time, each by itself, in bytes.

    Attributes:
        java: of the Java process that held most; 0 if there is none.
        python: of the others, largest first.
    """

    java: int
    python: tuple[int, ...]


@dataclass(frozen=True)
class _Process:
    pid: int
    parent: int
    began: int
    name: str


class ProcessTree:
    """A process and its descendants.

    What an ended one has taken counts as it was when it was last seen: Spark's Python daemon does not wait for its
    workers, so no other process tells. Ask before and after what is to be measured; what begins and ends between is
    missed, as nothing does while Spark uses its workers again.

    Args:
        root: id of the process.
    """

    def __init__(self, root: int) -> None:
        self._root = root
        self._seen: dict[tuple[int, int], CpuTime] = {}

    def cpu_time(self) -> CpuTime:
        """Tell how much CPU time all of them have taken so far, ended ones included."""
        alive = _tree(self._root)
        for process in alive:
            own = _own_cpu(process.pid)
            if own is not None:
                is_java = process.name == _JAVA
                self._seen[process.pid, process.began] = CpuTime(own if is_java else 0, 0 if is_java else own)
        java = sum(cost.java for cost in self._seen.values())
        return CpuTime(java, sum(cost.python for cost in self._seen.values()))

    def peak_memory(self) -> PeakMemory:
        """Tell how much memory those that are alive have held at most."""
        java, python = [0], list[int]()
        for process in _tree(self._root):
            if peak := _peak(process.pid):
                (java if process.name == _JAVA else python).append(peak)
        return PeakMemory(max(java), tuple(sorted(python, reverse=True)))


def _tree(root: int) -> list[_Process]:
    children: dict[int, list[_Process]] = {}
    found = []
    for process in _processes():
        children.setdefault(process.parent, []).append(process)
        if process.pid == root:
            found.append(process)
    for process in found:
        found += children.get(process.pid, [])
    return found


def _processes() -> Iterator[_Process]:
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                text = Path("/proc", entry, "stat").read_text(encoding="utf-8", errors="replace")
            except OSError:
                continue  # it has ended meanwhile
            name, _, rest = text.partition("(")[2].rpartition(")")
            fields = rest.split()
            yield _Process(int(entry), int(fields[1]), int(fields[19]), name)


def _own_cpu(pid: int) -> float | None:
    try:
        # clock_getcpuclockid(3), which Python lacks: to the nanosecond, where /proc has steps of 10 ms.
        return time.clock_gettime((~pid << 3) | 2)
    except OSError:
        return None


def _peak(pid: int) -> int:
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return 0
    _, _, rest = status.partition("VmHWM:")
    return int(rest.split()[0]) * 1024 if rest else 0
