"""A program with Kafka's own clients that executes commands on a broker, one on each line."""

import subprocess
from pathlib import Path
from types import TracebackType
from typing import Self

from class_path import kafka_class_path, tool
from kafka_broker.broker import Broker, BrokerError


class Feeder:
    """Feeder.java, running during a `with` block.

    Args:
        broker: the running broker to change.
        home: directory of the log.
    """

    def __init__(self, broker: Broker, home: Path) -> None:
        self._log = home / "feeder.log"
        command = [tool("java"), "-Xmx192m", "-XX:+UseSerialGC", "-Dorg.slf4j.simpleLogger.defaultLogLevel=error"]
        with self._log.open("wb") as errors:
            self._process = subprocess.Popen(
                [*command, "-cp", kafka_class_path(), "Feeder", broker.bootstrap_servers],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                encoding="ascii",
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait()

    def __call__(self, *commands: str) -> None:
        """Execute commands, and wait until each is done.

        Raises:
            BrokerError: a command fails.
        """
        stdin, stdout = self._process.stdin, self._process.stdout
        for command in commands:
            if stdin is None or stdout is None:
                raise BrokerError("the feeder has no pipes")
            stdin.write(f"{command}\n")
            stdin.flush()
            answer = stdout.readline().strip()
            if answer != "ok":
                said = self._log.read_text(encoding="utf-8", errors="replace")[-2000:]
                raise BrokerError(f"{command}: {answer or 'the feeder has ended'}\n{said}")
