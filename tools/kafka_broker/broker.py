"""A real Kafka broker for tests and benchmarks: a KRaft node on loopback, its jars from Maven.

    with Broker(directory) as broker:
        ...  # clients connect to broker.bootstrap_servers
        broker.stop()  # an orderly stop, as by an operator; broker.kill() ends it like a crash
        ...  # broker.log_dir is as the broker left it

The directory stays, so another `Broker` may start from it. The broker is killed at the end of the block, and ends
automatically if the process that started it is killed. A single broker is its own controller; `kafka_broker.cluster`
starts several brokers of one cluster.
"""

import base64
import os
import signal
import socket
import subprocess
import time
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from class_path import ToolError, kafka_class_path, tool

HERE = Path(__file__).resolve().parent

START_SECONDS = 600
STOP_SECONDS = 600

_STARTED = "Kafka Server started"
_PORT_TAKEN = "java.net.BindException"
_STARTS = 3
_POLL_SECONDS = 0.05
_TAIL_LINES = 25

_LOGGING = {
    "defaultLogLevel": "warn",
    "log.kafka.server.KafkaRaftServer": "info",
    "log.kafka.tools": "info",
    "showDateTime": "true",
    "dateTimeFormat": "HH:mm:ss.SSS",
    "levelInBrackets": "true",
}


class BrokerError(ToolError):
    """The broker failed to start, run or stop; the text ends with the last lines of its log."""


def new_cluster_id() -> str:
    """Make a random cluster id; like Kafka's `Uuid.randomUuid`, never one that begins with a dash, as options do."""
    while True:
        made = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
        if not made.startswith("-"):
            return made


class Broker:
    """A broker that runs during a `with` block.

    Attributes:
        directory: directory of all its files: server.properties, broker.log and the log directories.
        log_dirs: its log directories, in the order of `log.dirs`; cluster metadata is in the first.
        log_dir: the first log directory.
        bootstrap_servers: address for clients, `127.0.0.1:port`, since the latest start.
    """

    def __init__(
        self,
        directory: str | Path,
        overrides: Mapping[str, str] | None = None,
        *,
        log_dirs: int | Sequence[str] = 1,
        cluster_id: str | None = None,
        heap: str = "384m",
        java_options: Sequence[str] = (),
    ) -> None:
        """Prepare the broker; nothing is started or written yet.

        Args:
            directory: directory for all its files; created if missing.
            overrides: broker properties that replace or add to the defaults here.
            log_dirs: number of log directories, or their names below `directory`.
            cluster_id: cluster id of new log directories; None for a random one.
            heap: heap of the Java virtual machine, as for -Xmx and -Xms.
            java_options: further options of the Java virtual machine.
        """
        self.directory = Path(directory).resolve()
        names = [f"log-dir-{number}" for number in range(log_dirs)] if isinstance(log_dirs, int) else log_dirs
        self.log_dirs = [self.directory / name for name in names]
        self.log_dir = self.log_dirs[0]
        self.bootstrap_servers = ""
        self._overrides = dict(overrides or {})
        self._cluster_id = cluster_id
        self._java_options = [f"-Xmx{heap}", f"-Xms{heap}", "-XX:-UsePerfData", *java_options]
        self._log = self.directory / "broker.log"
        self._log_begin = 0
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.kill()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()

    @property
    def pid(self) -> int:
        """Process id of the broker's Java virtual machine.

        Raises:
            BrokerError: the broker does not run.
        """
        return self._running().pid

    @property
    def is_running(self) -> bool:
        """Whether the broker was started, and has not ended since."""
        return self._process is not None and self._process.poll() is None

    @property
    def has_started(self) -> bool:
        """Whether the log reports, since the latest start, that the broker has started."""
        return _STARTED in self.log()

    def cpu_seconds(self) -> float:
        """Seconds of CPU that the broker has used since its start, user and system (Linux only).

        Raises:
            BrokerError: the broker does not run.
        """
        with open(f"/proc/{self.pid}/stat", encoding="utf-8") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def start(self) -> None:
        """Start the broker, and wait until it serves clients; new log directories are formatted.

        Raises:
            BrokerError: the broker runs already, or did not start.
            ToolError: Java, Maven or a jar is missing.
        """
        for attempt in range(_STARTS):
            self.launch()
            deadline = time.monotonic() + START_SECONDS
            while time.monotonic() < deadline:
                is_running = self.is_running
                if self.has_started:
                    return
                if not is_running:
                    break
                time.sleep(_POLL_SECONDS)
            else:
                self.kill()
                raise BrokerError(f"the broker has not started within {START_SECONDS} s:\n{self.log_tail()}")
            self.kill()
            if _PORT_TAKEN not in self.log_tail() or attempt == _STARTS - 1:
                raise BrokerError(f"the broker ended while it started:\n{self.log_tail()}")

    def launch(self) -> None:
        """Start the broker's process without waiting; new log directories are formatted.

        Raises:
            BrokerError: the broker runs already.
            ToolError: Java, Maven or a jar is missing.
        """
        if self._process is not None:
            raise BrokerError("the broker runs already")
        classes = kafka_class_path()
        self.directory.mkdir(parents=True, exist_ok=True)
        settings = {**self._settings(), **self._overrides}
        self.bootstrap_servers = settings["listeners"].partition(",")[0].partition("://")[2]
        properties = self.directory / "server.properties"
        properties.write_text("".join(f"{name}={value}\n" for name, value in settings.items()), encoding="utf-8")
        logging = [f"-Dorg.slf4j.simpleLogger.{name}={value}" for name, value in _LOGGING.items()]
        command = [tool("java"), *self._java_options, *logging, "-cp", classes, "RunBroker"]
        if not any(log_dir.is_dir() and any(log_dir.iterdir()) for log_dir in self.log_dirs):
            command += ["--format", self._cluster_id or new_cluster_id()]
        with open(self._log, "ab") as log:
            self._log_begin = log.seek(0, os.SEEK_END)
            self._process = subprocess.Popen(
                [*command, str(properties)],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=self.directory,
                start_new_session=True,  # Ctrl-C must reach only this process, which then stops the broker in order
            )

    def stop(self, seconds: float | None = None) -> None:
        """Shut the broker down in order, as an operator does, and wait for its end; does nothing if it does not run.

        Args:
            seconds: how long to wait before it is killed; None for as long as a busy machine may need.

        Raises:
            BrokerError: the broker had ended before, does not end in time, or ends with a failure.
        """
        process = self._process
        if process is None:
            return
        process.send_signal(signal.SIGTERM)
        seconds = STOP_SECONDS if seconds is None else seconds
        try:
            status = process.wait(seconds)
        except subprocess.TimeoutExpired as error:
            raise BrokerError(f"the broker does not stop within {seconds} s:\n{self.log_tail()}") from error
        finally:
            self.kill()
        # A Java virtual machine that a signal ended in order exits with 128 plus the signal's number.
        if status not in (0, 128 + signal.SIGTERM):
            raise BrokerError(f"the broker ended with status {status}:\n{self.log_tail()}")

    def kill(self) -> None:
        """End the broker at once, like a crash, and wait for its end; does nothing if it does not run."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            if process.stdin is not None:
                process.stdin.close()

    def log(self) -> str:
        """Return what the broker has logged since its latest start."""
        with open(self._log, "rb") as file:
            file.seek(self._log_begin)
            return file.read().decode(errors="replace")

    def log_tail(self) -> str:
        """Return the last lines that the broker has logged since its latest start."""
        return "\n".join(self.log().splitlines()[-_TAIL_LINES:]) or "(nothing was logged)"

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            raise BrokerError("the broker does not run")
        return self._process

    def _settings(self) -> dict[str, str]:
        port, controller_port = free_ports(2)
        return {
            "process.roles": "broker,controller",
            "node.id": "1",
            "controller.quorum.voters": f"1@127.0.0.1:{controller_port}",
            "listeners": f"PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller_port}",
            "controller.listener.names": "CONTROLLER",
            "log.dirs": ",".join(map(str, self.log_dirs)),
            "num.network.threads": "2",
            "num.io.threads": "4",
            "num.recovery.threads.per.data.dir": "2",
            "offsets.topic.num.partitions": "2",
            "offsets.topic.replication.factor": "1",
            "transaction.state.log.num.partitions": "2",
            "transaction.state.log.replication.factor": "1",
            "transaction.state.log.min.isr": "1",
            "share.coordinator.state.topic.num.partitions": "1",
            "share.coordinator.state.topic.replication.factor": "1",
            "share.coordinator.state.topic.min.isr": "1",
            "group.initial.rebalance.delay.ms": "0",
            "auto.create.topics.enable": "false",
        }


def free_ports(count: int) -> list[int]:
    """Find ports of loopback that no program listens on."""
    # All sockets stay open until all ports are known, so that the ports differ.
    sockets = [socket.socket() for _ in range(count)]
    try:
        for held in sockets:
            held.bind(("127.0.0.1", 0))
        return [held.getsockname()[1] for held in sockets]
    finally:
        for held in sockets:
            held.close()
