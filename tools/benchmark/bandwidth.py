"""Upper bounds of the machine: the rate at which its cores copy bytes in memory, and compute their CRCs."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from typing import IO

from benchmark.readings import Figure

_BYTES, _PASSES = 256_000_000, 8
_PREPARED = f"""
import sys, time, crc32c, numpy
source, target = numpy.ones({_BYTES}, "u1"), numpy.zeros({_BYTES}, "u1")
print(flush=True)
sys.stdin.readline()
began = time.perf_counter()
for _ in range({_PASSES}):
    {{}}
print(time.perf_counter() - began)
"""
_COPY, _CHECK = "numpy.copyto(target, source)", "crc32c.crc32c(source)"


def bandwidth() -> Iterator[Figure]:
    """Measure the bandwidth of copies and CRCs, which limits every measured program."""
    for text, statement, processes in (
        ("one core copies in memory", _COPY, 1),
        ("two cores copy in memory", _COPY, 2),
        ("one core computes CRC-32C", _CHECK, 1),
    ):
        copied = processes * _PASSES * _BYTES / 1e9
        yield Figure(text, copied / max(_seconds(statement, processes)), "GB/s")


def _seconds(statement: str, processes: int) -> list[float]:
    """Seconds that each of several processes takes next to the others; they begin together."""
    command = [sys.executable, "-c", _PREPARED.format(statement)]
    pipe = subprocess.PIPE
    with ExitStack() as stack:
        started = [stack.enter_context(subprocess.Popen(command, stdin=pipe, stdout=pipe)) for _ in range(processes)]
        for process in started:
            _pipe(process.stdout).readline()
        for process in started:
            _pipe(process.stdin).write(b"\n")
            _pipe(process.stdin).flush()
        return [float(_pipe(process.stdout).read()) for process in started]


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise TypeError("a process has no pipe")
    return pipe
