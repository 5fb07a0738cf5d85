"""A running `kafkafmt serve`."""

import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from proof_frame import ProofError

_START_SECONDS = 120
_STOP_SECONDS = 10
_POLL_SECONDS = 0.05
_READY = re.compile(r"read-only at (\S+)$", re.MULTILINE)


class Served:
    """Disks that are served for the duration of a `with` block.

    Attributes:
        bootstrap_servers: address for clients.
        seconds_to_stop: seconds from SIGTERM to the end of the process; set when the block ends.
    """

    def __init__(self, paths: Sequence[Path], log: Path, *options: str) -> None:
        """Prepare the server; nothing is started yet.

        Args:
            paths: the disks.
            log: file for the server's output.
            options: further options of the command.
        """
        self.bootstrap_servers = ""
        self.seconds_to_stop = 0.0
        program = [sys.executable, "-m", "kafkafmt", "serve"]
        self._command = [*program, *map(str, paths), "--listen", "127.0.0.1:0", *options]
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.launch()
        return self.wait()

    def __exit__(
        self, exc_type: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()

    def launch(self) -> None:
        """Start the server without waiting for it."""
        with open(self._log, "ab") as log:
            self._process = subprocess.Popen(self._command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def wait(self) -> Self:
        """Wait until it serves clients.

        Raises:
            ProofError: it does not start to serve.
        """
        deadline = time.monotonic() + _START_SECONDS
        while self._process is not None and self._process.poll() is None and time.monotonic() < deadline:
            if found := _READY.search(self.said()):
                self.bootstrap_servers = found[1]
                return self
            time.sleep(_POLL_SECONDS)
        self.stop()
        raise ProofError(f"{' '.join(self._command)} does not serve:\n{self.said()}")

    def said(self) -> str:
        """Its output so far."""
        return self._log.read_text("utf-8")

    @property
    def is_running(self) -> bool:
        """Whether the process is still running."""
        return self._process is not None and self._process.poll() is None

    def stop(self) -> None:
        """Stop the server with SIGTERM, as an operator does, unless it has ended."""
        if self._process is None or self._process.poll() is not None:
            return
        began = time.monotonic()
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self.seconds_to_stop = time.monotonic() - began
