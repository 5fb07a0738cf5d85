"""Fills a broker's logs by a plan, which is carried out by Kafka's own clients."""

import subprocess
from collections.abc import Iterable

from class_path import kafka_class_path, tool
from kafka_broker.broker import Broker, BrokerError


def step(*words: object) -> str:
    """A step of a plan, as FillLogs.java has them."""
    return "\t".join(map(str, words)) + "\n"


def fill(broker: Broker, plan: Iterable[str]) -> None:
    """Let Kafka's clients do what a plan says.

    Raises:
        BrokerError: one of them failed.
    """
    command = [tool("java"), "-Xmx128m", "-Dorg.slf4j.simpleLogger.defaultLogLevel=error"]
    command += ["-cp", kafka_class_path(), "FillLogs"]
    done = subprocess.run(
        [*command, broker.bootstrap_servers], input="".join(plan), capture_output=True, encoding="utf-8", check=False
    )
    if done.returncode:
        raise BrokerError(f"the logs were not filled: {done.stderr}")
