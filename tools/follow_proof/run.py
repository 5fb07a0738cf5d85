"""The proof "follow": `kafkafmt cat --follow` prints what Kafka's consumers get from a busy broker.

Kafka's consumers get the same records from `kafkafmt serve --follow`.
"""

import argparse
import itertools
import os
import re
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import get_args

import proof_frame
from class_path import kafka_class_path, tool
from follow_proof.differences import differences, served_differences
from kafka_broker.broker import Broker, BrokerError
from kafkafmt.scanning.arguments import IsolationLevel
from proof_frame import DIFFERS, ProofError

_SETTINGS = {
    "log.retention.check.interval.ms": "1000",
    "log.cleaner.backoff.ms": "500",
    "log.initial.task.delay.ms": "500",
    "log.flush.start.offset.checkpoint.interval.ms": "1000",
}
_LOGGED = ("org.apache.kafka.storage.internals.log", "kafka.log")
_JAVA = [f"-Dorg.slf4j.simpleLogger.log.{name}=info" for name in _LOGGED]
_SETTLE_SECONDS = 3
_START_SECONDS = 60
_ROUND_SECONDS = 10
# In a long enough trial, one of the followers is halted in the last two of this many rounds. That is longer than
# segments take to be deleted and compacted, so that the follower has to report missed records, and longer than topics
# take to be created and deleted, whose records the follower has to print.
_ROUNDS = 10
_COLUMNS = "topic,partition,offset,key,value"


def main(arguments: list[str]) -> int:
    """Run the proof; returns the exit status."""
    return proof_frame.run(arguments, lambda options, home: _prove(home, options))


def _prove(home: Path, options: argparse.Namespace) -> int:
    with Broker(home / "broker", _SETTINGS, java_options=_JAVA) as broker:
        served = _Served(broker.log_dir, home)
        followers = {level: _Follower(level, broker.log_dir, home) for level in get_args(IsolationLevel)}
        try:
            command = [tool("java"), "-Xmx256m", "-cp", kafka_class_path(), "Traffic"]
            command += [broker.bootstrap_servers, str(options.seconds), str(home), served.address]
            with open(home / "traffic.log", "w", encoding="utf-8") as log:
                traffic = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, encoding="utf-8")
            try:
                for number in itertools.count():
                    if traffic.poll() is not None:
                        break
                    halted = (
                        list(followers.values())[number // _ROUNDS % 2] if number % _ROUNDS >= _ROUNDS - 2 else None
                    )
                    served.held.measure()
                    for follower in followers.values():
                        follower.held.measure()
                        follower.halt(is_halted=follower is halted)
                    time.sleep(min(_ROUND_SECONDS, options.seconds / 4))
            finally:
                traffic.kill()
                for follower in followers.values():
                    follower.halt(is_halted=False)
            if traffic.returncode:
                raise BrokerError(f"the traffic ended with {traffic.returncode}: {(home / 'traffic.log').read_text()}")
            print((traffic.stdout.read() if traffic.stdout else "").strip())
            time.sleep(_SETTLE_SECONDS)
        finally:
            ended = {level: follower.end() for level, follower in followers.items()}
            served.end()
        logged = (home / "broker" / "broker.log").read_text(encoding="utf-8")
        print(f"rolls {logged.count('Rolled new log segment')}")
        print(f"segmentsDeleted {len(re.findall('Deleted log .*[.]log[.]deleted', logged))}")
    wrong = False
    for level, status in ended.items():
        for text in differences(level, status, home):
            wrong = True
            print(text)
    for text in served_differences(home):
        wrong = True
        print(text)
    return DIFFERS if wrong else 0


class _Held:
    """Memory and descriptors of a process over time: a leak shows as growth in the second half of a long run."""

    def __init__(self, pid: int) -> None:
        self._process = Path(f"/proc/{pid}")
        self._memory: list[int] = []
        self._open: list[int] = []

    def measure(self) -> None:
        """Record the current values; does nothing if the process has ended."""
        with suppress(OSError):
            found = re.search(r"VmRSS:\s+(\d+) kB", (self._process / "status").read_text())
            self._memory += [int(found[1]) // 1024] if found else []
            self._open.append(len(list((self._process / "fd").iterdir())))

    def __str__(self) -> str:
        return f"memory {_at_times(self._memory)} MiB, {_at_times(self._open)} descriptors"


def _at_times(measured: Sequence[int]) -> str:
    """The values after a tenth of the time, at half of it, and at the end."""
    if not measured:
        return "unknown"
    return ", ".join(str(measured[round(share * (len(measured) - 1))]) for share in (0.1, 0.5, 1))


class _Served:
    """A running `kafkafmt serve --follow`.

    Attributes:
        held: memory and descriptors of the process.
    """

    def __init__(self, log_dir: Path, home: Path) -> None:
        program = Path(sys.executable).parent / "kafkafmt"
        command = [str(program), "serve", str(log_dir), "--follow", "--listen", "127.0.0.1:0"]
        self._said = home / "served.err"
        with open(self._said, "wb") as errors:
            self._process = subprocess.Popen(command, stderr=errors)
        self.held = _Held(self._process.pid)
        self.address = self._address()

    def _address(self) -> str:
        until = time.monotonic() + _START_SECONDS
        while time.monotonic() < until and self._process.poll() is None:
            found = re.search(r"read-only at (\S+)", self._said.read_text(encoding="utf-8"))
            if found:
                return found[1]
            time.sleep(0.1)
        self.end()
        raise ProofError(f"kafkafmt serve does not start: {self._said.read_text(encoding='utf-8')}")

    def end(self) -> None:
        """End the process, and print what it used."""
        self._process.terminate()
        _, _, used = os.wait4(self._process.pid, 0)
        peak = f"peak {used.ru_maxrss // 1024} MiB"
        print(f"served: {used.ru_utime + used.ru_stime:.1f} s of CPU, {self.held}, {peak}")


class _Follower:
    """A `kafkafmt cat --follow`, from its start to Ctrl-C.

    Attributes:
        held: memory and descriptors of the process.
    """

    def __init__(self, level: str, log_dir: Path, home: Path) -> None:
        self._level = level
        self._is_halted = False
        program = Path(sys.executable).parent / "kafkafmt"
        command = [program, "cat", log_dir, "--follow", "--topic-regex", "[a-z].*", "--isolation-level", level]
        command += ["--output", "jsonl", "--columns", _COLUMNS]
        with (
            open(home / f"{level}.jsonl", "wb") as out,
            open(home / f"{level}.err", "wb") as errors,
        ):
            self._process = subprocess.Popen(list(map(str, command)), stdout=out, stderr=errors)
        self.held = _Held(self._process.pid)

    def halt(self, *, is_halted: bool) -> None:
        """Suspend the process, or let it continue."""
        if is_halted == self._is_halted or self._process.poll() is not None:
            return
        self._process.send_signal(signal.SIGSTOP if is_halted else signal.SIGCONT)
        self._is_halted = is_halted

    def end(self) -> int:
        """Press Ctrl-C; returns the exit status."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.halt(is_halted=False)
        self._process.send_signal(signal.SIGINT)
        try:
            status = self._process.wait(60)
        except subprocess.TimeoutExpired:
            self._process.kill()
            status = self._process.wait()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        print(f"{self._level}: status {status}, {seconds:.1f} s of CPU, {self.held}")
        return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
