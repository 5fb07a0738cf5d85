"""The proof "follow": `kafkafmt cat --follow` prints what Kafka's consumers get, while the broker is at work."""

import argparse
import json
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import proofs
from class_path import ToolError, kafka_class_path, tool
from kafka_broker.broker import Broker, BrokerError
from kafkafmt.scanning.arguments import IsolationLevel

EXIT_DIFFERS, EXIT_FAILED, EXIT_INTERRUPTED = 1, 2, 130

_SETTINGS = {
    "log.retention.check.interval.ms": "1000",
    "log.segment.delete.delay.ms": "1000",
    "log.cleaner.backoff.ms": "500",
    "log.initial.task.delay.ms": "500",
    "log.flush.start.offset.checkpoint.interval.ms": "1000",
}
_LOGGED = ("org.apache.kafka.storage.internals.log", "kafka.log")
_JAVA = [f"-Dorg.slf4j.simpleLogger.log.{name}=info" for name in _LOGGED]
_SETTLE_SECONDS = 3
_COLUMNS = "topic,partition,offset,key,value"

_MISSED = re.compile(r"^kafkafmt: note: (.*): offsets (\d+) to (\d+) were deleted before they were read", re.MULTILINE)

Rows = Counter[tuple[str, int, int, str, str]]


def main(arguments: list[str]) -> int:
    """Do it all, as the command line says; returns the exit status."""
    options = proofs.parse(arguments)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # in the background it is ignored, and would be below
    home = options.keep or Path(tempfile.mkdtemp(prefix="kafkafmt-follow-"))
    try:
        return _prove(home, options)
    except (BrokerError, ToolError) as error:
        print(f"tools/proof {options.name}: {error}", file=sys.stderr)
        return EXIT_FAILED
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    finally:
        if options.keep is None:
            shutil.rmtree(home, ignore_errors=True)


def _prove(home: Path, options: argparse.Namespace) -> int:
    home.mkdir(parents=True, exist_ok=True)
    with Broker(home / "broker", _SETTINGS, java_options=_JAVA) as broker:
        followers = {level: _Follower(level, broker.log_dir, home) for level in get_args(IsolationLevel)}
        try:
            command = [tool("java"), "-Xmx256m", "-cp", kafka_class_path(), "Traffic"]
            command += [broker.bootstrap_servers, str(options.seconds), str(home)]
            with open(home / "traffic.log", "w", encoding="utf-8") as log:
                traffic = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, encoding="utf-8")
            try:
                while traffic.poll() is None:
                    time.sleep(min(10, options.seconds / 4))
                    for follower in followers.values():
                        follower.measure()
            finally:
                traffic.kill()
            if traffic.returncode:
                raise BrokerError(f"the traffic ended with {traffic.returncode}: {(home / 'traffic.log').read_text()}")
            print((traffic.stdout.read() if traffic.stdout else "").strip())
            time.sleep(_SETTLE_SECONDS)
        finally:
            ended = {level: follower.end() for level, follower in followers.items()}
        logged = (home / "broker" / "broker.log").read_text(encoding="utf-8")
        print(f"rolls {logged.count('Rolled new log segment')}")
        print(f"segmentsDeleted {len(re.findall('Deleted log .*[.]log[.]deleted', logged))}")
    wrong = False
    for level, status in ended.items():
        for text in _differences(level, status, home):
            wrong = True
            print(text)
    return EXIT_DIFFERS if wrong else 0


class _Follower:
    """A `kafkafmt cat --follow`, from its start to Ctrl-C."""

    def __init__(self, level: str, log_dir: Path, home: Path) -> None:
        self._level = level
        self._memory: list[int] = []
        program = Path(sys.executable).parent / "kafkafmt"
        command = [program, "cat", log_dir, "--follow", "--topic-regex", "[a-z].*", "--isolation-level", level]
        command += ["--output", "jsonl", "--columns", _COLUMNS]
        with (
            open(home / f"{level}.jsonl", "wb") as out,
            open(home / f"{level}.err", "wb") as errors,
        ):
            self._process = subprocess.Popen(list(map(str, command)), stdout=out, stderr=errors)

    def measure(self) -> None:
        """Take note of the memory that it holds now."""
        status = Path(f"/proc/{self._process.pid}/status")
        if status.exists():
            found = re.search(r"VmRSS:\s+(\d+) kB", status.read_text())
            self._memory += [int(found[1])] if found else []

    def end(self) -> int:
        """Press Ctrl-C; returns the exit status."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        self._process.send_signal(signal.SIGINT)
        try:
            status = self._process.wait(60)
        except subprocess.TimeoutExpired:
            self._process.kill()
            status = self._process.wait()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        memory = f", memory {self._memory[0] // 1024} to {self._memory[-1] // 1024} MiB" if self._memory else ""
        print(f"{self._level}: status {status}, {seconds:.1f} s of CPU{memory}")
        return status


def _differences(level: str, status: int, home: Path) -> Iterator[str]:
    ours, theirs = _ours(home / f"{level}.jsonl"), _theirs(home / f"{level}.tsv")
    said = (home / f"{level}.err").read_text(encoding="utf-8")
    if status:
        yield f"{level}: exit status {status}"
    if not theirs:
        yield f"{level}: nothing was consumed"
    # On a busy machine what lives for seconds may be deleted before it is read; that is said, and only that is missing.
    missed = [(name, range(int(first), int(last) + 1)) for name, first, last in _MISSED.findall(said)]
    excused = 0
    missing: Rows = Counter()
    for row, count in (theirs - ours).items():
        topic, partition, offset, *_ = row
        if any(name == f"{topic}-{partition}" and offset in offsets for name, offsets in missed):
            excused += count
        else:
            missing[row] = count
    print(
        f"{level}: {sum(ours.values()):,} records printed, {sum(theirs.values()):,} consumed,"
        f" {excused:,} said to be deleted before they were read"
    )
    for what, rows in (("printed, not consumed", ours - theirs), ("consumed, not printed", missing)):
        if rows:
            by_topic = Counter(topic for topic, *_ in rows.elements())
            yield f"{level}: {sum(rows.values()):,} {what}, such as {min(rows)[:3]}; {dict(by_topic)}"
    for line in said.splitlines():
        if not line.startswith("kafkafmt: note: "):
            yield f"{level}: {line}"


def _ours(path: Path) -> Rows:
    with open(path, encoding="utf-8") as lines:
        rows = map(json.loads, lines)
        return Counter((row["topic"], row["partition"], row["offset"], row["key"], row["value"]) for row in rows)


def _theirs(path: Path) -> Rows:
    found: Rows = Counter()
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            topic, partition, offset, key, value = line.rstrip("\n").split("\t")
            found[topic, int(partition), int(offset), key, value] += 1
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
