"""Worker processes that read on request, and their cost: CPU seconds, wall-clock seconds, memory. Linux only.

A question is a line of text, and so is its answer; an answer that begins with "!" says why there is no result.
"""

import contextlib
import os
import select
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from class_path import ToolError

TIMEOUT_SECONDS = 1200
_CLOSING_SECONDS = 20
_SHOWN_OF_STDERR = 300
_MINOR_FAULTS, _STARTED = 7, 19
"""Fields of /proc/PID/stat, counted from the process's name."""


class MeasuringError(ToolError):
    """A program did not do what it was asked; the text says why, for a table's footnote."""


@dataclass(frozen=True)
class Cost:
    """The cost of answering a question.

    Attributes:
        cpu: seconds of user and system time, of the process and its descendants.
        wall: elapsed seconds.
        java: the part of `cpu` that Java used.
        broker: CPU seconds of a broker in the meantime.
    """

    cpu: float
    wall: float
    java: float = 0.0
    broker: float = 0.0


class Worker:
    """A worker process, which answers questions."""

    def __init__(self, command: Sequence[str], variables: Mapping[str, str], directory: Path | None = None) -> None:
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            env=dict(variables),
            cwd=directory,
        )
        self.tree = ProcessTree(self._process.pid)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def ask(self, question: str) -> str:
        """Ask a question; returns the answer.

        Raises:
            MeasuringError: there is no answer, or the process took too long or died; in the last two cases it is gone.
        """
        if self._process.stdin is None:
            raise MeasuringError("it has no pipes")
        try:
            self._process.stdin.write(f"{question}\n".encode())
            self._process.stdin.flush()
        except OSError:
            raise MeasuringError(self._death()) from None
        return self.answer()

    def answer(self) -> str:
        """Wait for the next line of output; raises the errors of `ask`."""
        if self._process.stdout is None:
            raise MeasuringError("it has no pipes")
        if not select.select([self._process.stdout], [], [], TIMEOUT_SECONDS)[0]:
            self._process.kill()
            raise MeasuringError(f"took more than {TIMEOUT_SECONDS} s")
        line = self._process.stdout.readline().decode(errors="replace").strip()
        if not line:
            raise MeasuringError(self._death())
        if line.startswith("!"):
            raise MeasuringError(line[1:].strip())
        return line

    def measure(self, question: str, passes: int = 1) -> tuple[Cost, str]:
        """Ask the same question several times; returns the cost of one pass, and the last answer.

        Several passes are needed because a process accounts for its CPU time late or in steps (Java's own clock: 10
        ms).
        """
        before, began = self.tree.cpu_time(), time.monotonic()
        for _ in range(passes):
            answer = self.ask(question)
        wall = time.monotonic() - began
        java, other = (now - then for now, then in zip(self.tree.cpu_time(), before, strict=True))
        return Cost((java + other) / passes, wall / passes, java / passes), answer

    def close(self) -> None:
        """End the process, and wait for its end."""
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):  # the process is gone before it got its question
                self._process.stdin.close()
        try:
            self._process.wait(_CLOSING_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._stderr.close()

    def _death(self) -> str:
        code = self._process.wait()
        self._stderr.seek(0)
        said = " ".join(self._stderr.read().decode(errors="replace").split())
        return f"exit status {code}: {said[-_SHOWN_OF_STDERR:] or 'it said nothing'}"


class ProcessTree:
    """A process, given by its id, and its descendants.

    An ended process counts with its time when it was last seen: Spark's Python daemon does not wait for its
    workers, so the system does not add their time to another process. Processes that live between two calls are missed.
    """

    def __init__(self, root: int) -> None:
        self._root = root
        self._seen: dict[tuple[int, str], tuple[bool, float]] = {}

    def cpu_time(self) -> tuple[float, float]:
        """CPU seconds of Java, and of all other processes so far, including ended ones."""
        for pid, is_java, fields in self._alive():
            try:
                # clock_getcpuclockid(3), which Python lacks: precise to the nanosecond, while /proc has steps of 10 ms.
                self._seen[pid, fields[_STARTED]] = is_java, time.clock_gettime((~pid << 3) | 2)
            except OSError:
                continue  # it has ended in the meantime
        java = sum(cpu for is_java, cpu in self._seen.values() if is_java)
        return java, sum(cpu for is_java, cpu in self._seen.values() if not is_java)

    def peak_bytes(self) -> tuple[int, int]:
        """The most memory that the largest Java process has held, and the largest other process; 0 without one."""
        return self._largest("VmHWM:")

    def anonymous_bytes(self) -> tuple[int, int]:
        """Memory without mapped files (libraries) of the largest Java process, and of the largest other process."""
        return self._largest("RssAnon:")

    def _largest(self, line: str) -> tuple[int, int]:
        largest = [0, 0]
        for pid, is_java, _ in self._alive():
            _, _, rest = _read(pid, "status").partition(line)
            if rest:
                largest[not is_java] = max(largest[not is_java], int(rest.split()[0]) * 1024)
        return largest[0], largest[1]

    def minor_faults(self) -> int:
        """Minor page faults of the processes that are still running."""
        return sum(int(fields[_MINOR_FAULTS]) for _, _, fields in self._alive())

    def _alive(self) -> list[tuple[int, bool, list[str]]]:
        children: dict[int, list[tuple[int, bool, list[str]]]] = {}
        found = []
        for process in _processes():
            children.setdefault(int(process[2][1]), []).append(process)
            if process[0] == self._root:
                found.append(process)
        for process in found:
            found += children.get(process[0], [])
        return found


def _processes() -> Iterator[tuple[int, bool, list[str]]]:
    for name in os.listdir("/proc"):
        if name.isdigit():
            called, _, rest = _read(int(name), "stat").partition("(")[2].rpartition(")")
            if rest:
                yield int(name), called == "java", rest.split()


def _read(pid: int, name: str) -> str:
    try:
        return Path(f"/proc/{pid}/{name}").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""  # it has ended in the meantime


@dataclass(frozen=True)
class Run:
    """A process from start to end: CPU seconds, wall-clock seconds, and its peak memory in bytes."""

    cpu: float
    wall: float
    peak_bytes: int


def run(command: Sequence[str], variables: Mapping[str, str], question: str = "") -> Run:
    """Run a process to its end, without output.

    Raises:
        MeasuringError: the process failed.
    """
    with tempfile.TemporaryFile() as stdin, tempfile.TemporaryFile() as stderr:
        stdin.write(question.encode())
        stdin.seek(0)
        began = time.monotonic()
        process = subprocess.Popen(command, stdin=stdin, stdout=subprocess.DEVNULL, stderr=stderr, env=dict(variables))
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            stderr.seek(0)
            said = " ".join(stderr.read().decode(errors="replace").split())
            raise MeasuringError(f"exit status {process.returncode}: {said[-_SHOWN_OF_STDERR:]}")
        return Run(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss * 1024)
