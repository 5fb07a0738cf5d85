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
    """Disks, served for the length of a `with` block.

    Attributes:
        bootstrap_servers: where clients find them.
        seconds_to_stop: from SIGTERM to its end; set when the block is left.
    """

    def __init__(self, paths: Sequence[Path], log: Path, *options: str) -> None:
        """Prepare; nothing is started yet.

        Args:
            paths: the disks.
            log: takes what the server says.
            options: of the command, further ones.
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
            ProofError: it does not start serving.
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
        """Give what it has said so far."""
        return self._log.read_text("utf-8")

    @property
    def is_running(self) -> bool:
        """Whether the process has not ended."""
        return self._process is not None and self._process.poll() is None

    def stop(self) -> None:
        """Stop it with SIGTERM, as an operator does; does nothing if it has ended."""
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
