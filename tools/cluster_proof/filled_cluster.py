"""The cluster of the proof: its settings, the clients that fill it and keep running, and Admin's answers."""

import json
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from class_path import kafka_class_path, tool
from kafka_broker.broker import Broker, BrokerError

FILL_SECONDS = 1200
ADMIN_SECONDS = 600

HERE = Path(__file__).resolve().parent

SETTINGS = {
    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "super.users": "User:ANONYMOUS",
    "group.coordinator.rebalance.protocols": "classic,consumer,share,streams",
    # Long enough that silent members still count when the broker is asked again after its crash.
    **{
        f"group.{kind}.{name}session.timeout.ms": "600000"
        for kind in ("consumer", "share", "streams")
        for name in ("", "max.")
    },
    "broker.session.timeout.ms": "6000",  # after a crash the next start waits for this timeout
    "group.coordinator.append.linger.ms": "5",
    "transaction.abort.timed.out.transaction.cleanup.interval.ms": "300",
    "transaction.partition.verification.enable": "false",  # as in brokers before 3.6, so that a transaction can hang
    "log.flush.start.offset.checkpoint.interval.ms": "300",
    "log.initial.task.delay.ms": "300",
}


@contextmanager
def filled(broker: Broker) -> Iterator[None]:
    """Fill a broker and keep its clients alive during a `with` block; afterwards they end without leaving their groups.

    Raises:
        BrokerError: the clients fail, or are not done in time.
        ToolError: Java or a jar is missing.
    """
    complaints = broker.directory / "clients.log"
    with complaints.open("wb") as stderr:
        clients = subprocess.Popen(
            [*_java(), "FillCluster", broker.bootstrap_servers],
            stdin=subprocess.PIPE,  # closing it ends the clients, so they cannot outlive this process
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
        )
    limit = threading.Timer(FILL_SECONDS, clients.kill)
    limit.start()
    try:
        said = clients.stdout.readline() if clients.stdout else ""
        limit.cancel()
        if said != "filled\n":
            text = complaints.read_text(encoding="utf-8", errors="replace")[-2000:]
            raise BrokerError(f"the clients did not finish:\n{text}\nThe broker:\n{broker.log_tail()}")
        yield
    finally:
        limit.cancel()
        clients.kill()
        clients.communicate()


def change(broker: Broker) -> None:
    """Change some of what the clients did; clients still running are not needed any more.

    Raises:
        BrokerError: a change fails.
        ToolError: Java or a jar is missing.
    """
    _run(broker, "ChangeCluster", broker.bootstrap_servers)


def ask(broker: Broker, file: Path) -> dict[str, Any]:
    """Ask a broker everything through Admin; the answers are also left in a JSON file.

    Raises:
        BrokerError: Admin fails.
        ToolError: Java or a jar is missing.
    """
    _run(broker, "AskCluster", broker.bootstrap_servers, str(file))
    answers: dict[str, Any] = json.loads(file.read_bytes())
    return answers


def _run(broker: Broker, *command: str) -> None:
    try:
        done = subprocess.run(
            [*_java(), *command],
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            timeout=ADMIN_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise BrokerError(f"{command[0]} is not done within {ADMIN_SECONDS} s:\n{broker.log_tail()}") from error
    if done.returncode:
        raise BrokerError(f"{command[0]} fails:\n{done.stderr[-2000:]}\nThe broker:\n{broker.log_tail()}")


def _java() -> list[str]:
    options = ["-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData"]
    return [tool("java"), *options, "-Dorg.slf4j.simpleLogger.defaultLogLevel=error", "-cp", kafka_class_path()]
