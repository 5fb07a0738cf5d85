"""Fills a broker's logs according to a plan, which Kafka's own clients carry out."""

import subprocess
from collections.abc import Iterable

from class_path import kafka_class_path, tool
from kafka_broker.broker import Broker, BrokerError


def step(*words: object) -> str:
    """A step of a plan, in the format of FillLogs.java."""
    return "\t".join(map(str, words)) + "\n"


def fill(broker: Broker, plan: Iterable[str]) -> None:
    """Carry out a plan with Kafka's clients.

    Raises:
        BrokerError: a client failed.
    """
    command = [tool("java"), "-Xmx128m", "-Dorg.slf4j.simpleLogger.defaultLogLevel=error"]
    command += ["-cp", kafka_class_path(), "FillLogs"]
    done = subprocess.run(
        [*command, broker.bootstrap_servers], input="".join(plan), capture_output=True, encoding="utf-8", check=False
    )
    if done.returncode:
        raise BrokerError(f"the logs were not filled: {done.stderr}")
