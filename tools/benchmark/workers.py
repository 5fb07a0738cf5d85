"""Processes that read a segment when told to, and what that costs: CPU seconds, wall-clock seconds, peak memory."""

import os
import resource
import select
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Self

_SHOWN_OF_STDERR = 300


class MeasuringError(Exception):
    """A program did not read a file; the text says why, for a table's footnote."""


@dataclass(frozen=True)
class Cost:
    """What one reading of a file took.

    Attributes:
        cpu: seconds of user and system time of the whole process, all threads.
        wall: seconds that passed.
        records: how many it read, or None of a program that does not say.
    """

    cpu: float
    wall: float
    records: int | None


class Worker:
    """A process that answers each line it is sent, a path, by a line that tells what it read."""

    def __init__(self, command: Sequence[str], variables: Mapping[str, str], seconds: float) -> None:
        """Start it.

        Args:
            command: of the process.
            variables: its environment.
            seconds: how long an answer may take.
        """
        self._seconds = seconds
        self._complaints = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        self._started = time.monotonic()
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._complaints, env=dict(variables)
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def is_alive(self) -> bool:
        """Whether it can be asked again."""
        return self.process.poll() is None

    def measure(self, path: Path) -> Cost:
        """Let it read a file.

        Raises:
            MeasuringError: it cannot read it, took too long, or died; after the last two it is gone.
        """
        cpu, wall = self.cpu(), time.monotonic()
        records, own_cpu = self.ask(path)
        elapsed = time.monotonic() - wall
        # Linux tells another process's CPU time to the nanosecond; Java, and only there, its own in steps of 10 ms.
        spent = own_cpu if cpu is None else (self.cpu() or cpu) - cpu
        return Cost(spent, elapsed, records)

    def ask(self, path: Path) -> tuple[int, float]:
        """Let it read a file; returns how many records it read and what it says about its CPU seconds.

        Raises:
            MeasuringError: as for `measure`.
        """
        return _read_answer(self._answer(f"{path}\n".encode()))

    def age(self) -> float:
        """Seconds that have passed since it was started."""
        return time.monotonic() - self._started

    def cpu(self) -> float | None:
        """Seconds of CPU that it has taken so far; None if it is gone, and where the system does not tell."""
        if sys.platform != "linux":
            return None
        try:
            # clock_getcpuclockid(3), which Python lacks: the process's number, inverted, above the kind of clock.
            return time.clock_gettime((~self.process.pid << 3) | 2)
        except OSError:
            return None

    def peak_bytes(self) -> int | None:
        """Bytes of memory that it has held at most; None where the system does not tell."""
        try:
            status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        except OSError:
            return None
        return int(status.split("VmHWM:")[1].split()[0]) * 1024

    def close(self) -> None:
        """End it."""
        self.process.kill()
        self.process.communicate()
        self._complaints.close()

    def _answer(self, question: bytes) -> bytes:
        if self.process.stdin is None or self.process.stdout is None:
            raise MeasuringError("it has no pipes")
        try:
            self.process.stdin.write(question)
            self.process.stdin.flush()
        except OSError:
            raise MeasuringError(self._death()) from None
        ready, _, _ = select.select([self.process.stdout], [], [], self._seconds)
        if not ready:
            self.process.kill()
            raise MeasuringError(f"took more than {self._seconds:.0f} s")
        line = self.process.stdout.readline()
        if not line:
            raise MeasuringError(self._death())
        return line

    def _death(self) -> str:
        code = self.process.wait()
        return f"exit status {code}: {_end_of(self._complaints)}"


def run(command: Sequence[str], variables: Mapping[str, str], seconds: float, question: str = "") -> Cost:
    """Run a process from start to end, and measure all of it.

    Args:
        command: of the process.
        variables: its environment.
        seconds: how long it may take.
        question: what it reads from standard input, and answers as a `Worker` does; without one its output is dropped.

    Raises:
        MeasuringError: it failed or took too long.
    """
    with tempfile.TemporaryFile() as questions, tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as stderr:
        questions.write(question.encode())
        questions.seek(0)
        stdout = output if question else subprocess.DEVNULL
        started = time.monotonic()
        process = subprocess.Popen(command, stdin=questions, stdout=stdout, stderr=stderr, env=dict(variables))
        usage = _wait(process, seconds)
        elapsed = time.monotonic() - started
        if process.returncode:
            late = elapsed >= seconds
            why = f"took more than {seconds:.0f} s" if late else f"exit status {process.returncode}: {_end_of(stderr)}"
            raise MeasuringError(why)
        output.seek(0)
        records = _read_answer(output.read())[0] if question else None
        return Cost(usage.ru_utime + usage.ru_stime, elapsed, records)


def _read_answer(line: bytes) -> tuple[int, float]:
    words = line.decode(errors="replace").split()
    if len(words) != 2 or words[0] == "!":
        raise MeasuringError(" ".join(words[1:]) or "no answer")
    return int(words[0]), float(words[1])


def _wait(process: "subprocess.Popen[bytes]", seconds: float) -> resource.struct_rusage:
    alarm = threading.Timer(seconds, process.kill)
    alarm.start()
    try:
        _, status, usage = os.wait4(process.pid, 0)
    finally:
        alarm.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage


def _end_of(complaints: IO[bytes]) -> str:
    complaints.seek(0)
    lines = complaints.read().decode(errors="replace").split("\n")
    return " ".join(" ".join(lines).split())[-_SHOWN_OF_STDERR:] or "it said nothing"
