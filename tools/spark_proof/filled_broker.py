"""The broker of the proof: filled by Kafka's own producers, really compacted, with no further changes due."""

import re
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from class_path import kafka_class_path, tool
from kafka_broker.broker import Broker, BrokerError

FILL_SECONDS = 900
SETTLE_SECONDS = 600

SETTINGS = {
    "log.retention.ms": "-1",  # the records are years old
    "log.initial.task.delay.ms": "500",
    "log.retention.check.interval.ms": "500",
    "log.flush.start.offset.checkpoint.interval.ms": "500",
    "log.cleaner.backoff.ms": "200",
    "log.cleaner.dedupe.buffer.size": "4000000",
    "broker.session.timeout.ms": "6000",  # after a crash the next start waits for this timeout
}

COMPACTED = ("compacted-0", "compacted-1", "compacted-append-time-0", "compacted-transactions-0", "emptied-0")
DELETED = ("all-deleted-0", "deleted-records-0")
RETAINED = "retention-0"

_POLL_SECONDS = 0.1


class TransactionRaceError(BrokerError):
    """The coordinator applied a transaction marker to the next transaction, as brokers under load sometimes do."""


def fill(broker: Broker) -> dict[str, int]:
    """Fill a broker and wait until its cleaner and its retention have nothing left to do.

    Returns:
        Number of records sent to each topic.

    Raises:
        TransactionRaceError: the broker refused a valid transaction.
        BrokerError: the producers fail, or the broker does not finish in time.
    """
    command = [tool("java"), "-Xmx384m", "-XX:+UseSerialGC", "-Dorg.slf4j.simpleLogger.defaultLogLevel=error"]
    complaints = broker.directory / "producers.log"
    with complaints.open("wb") as stderr:
        filling = subprocess.Popen(
            [*command, "-cp", kafka_class_path(), "FillBroker", broker.bootstrap_servers],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            encoding="ascii",
        )
    with filling, _time_limit(filling, FILL_SECONDS):
        for line in _lines(filling.stdout):
            word, *counts = line.split()
            if word == "pause":
                settle(broker)
                _answer(filling.stdin)
            elif word == "sent":
                settle(broker)
                return {name: int(count) for name, _, count in (text.partition("=") for text in counts)}
    said = complaints.read_text(encoding="utf-8", errors="replace")[-2000:]
    if "InvalidTxnStateException" in said:
        raise TransactionRaceError(said)
    raise BrokerError(f"the producers did not finish:\n{said}\nThe broker:\n{broker.log_tail()}")


def settle(broker: Broker) -> None:
    """Wait until everything due has been compacted or deleted, and the checkpoints record it.

    Raises:
        BrokerError: it takes too long.
    """
    deadline = time.monotonic() + SETTLE_SECONDS
    while unsettled := list(_unsettled(broker)):
        if time.monotonic() > deadline:
            raise BrokerError(
                f"after {SETTLE_SECONDS} s the broker is not done with {', '.join(unsettled)}:\n{broker.log_tail()}"
            )
        time.sleep(_POLL_SECONDS)


def _unsettled(broker: Broker) -> Iterator[str]:
    for log_dir in broker.log_dirs:
        cleaned = read_checkpoint(log_dir / "cleaner-offset-checkpoint")
        starts = read_checkpoint(log_dir / "log-start-offset-checkpoint")
        for name in COMPACTED:
            active = _base_offsets(log_dir / name)[-1:]
            if active and cleaned.get(name, 0) < active[0]:
                yield f"{name}: cleaned to {cleaned.get(name, 0)} of {active[0]}"
        for name in DELETED:
            if (log_dir / name).is_dir() and name not in starts:
                yield f"{name}: its log's start is not written down"
        if _base_offsets(log_dir / RETAINED)[:1] == [0]:
            yield f"{RETAINED}: no segment is dropped"


def read_checkpoint(path: Path) -> Mapping[str, int]:
    """Read one of Kafka's offset checkpoints as offsets by `topic-partition`; empty if it does not exist yet."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()[2:]
    except FileNotFoundError:
        return {}
    return {f"{topic}-{partition}": int(offset) for topic, partition, offset in (line.split() for line in lines)}


def _base_offsets(partition: Path) -> list[int]:
    if not partition.is_dir():
        return []
    return sorted(int(path.stem) for path in partition.iterdir() if re.fullmatch(r"\d{20}\.log", path.name))


def _lines(stdout: IO[str] | None) -> Iterator[str]:
    yield from stdout or ()


def _answer(stdin: IO[str] | None) -> None:
    if stdin is not None:
        stdin.write("\n")
        stdin.flush()


@contextmanager
def _time_limit(process: "subprocess.Popen[str]", seconds: float) -> Iterator[None]:
    """Kill a process after a time limit, and in any case at the end of the block."""
    limit = threading.Timer(seconds, process.kill)
    limit.start()
    try:
        yield
    finally:
        limit.cancel()
        process.kill()
