"""Ways to run the command line: in this process (quick), in a separate process, and on a terminal."""

import contextlib
import fcntl
import os
import pty
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from kafkafmt.cli.main import run
from kafkafmt.scanning import following

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "kafkafmt"]


@dataclass(frozen=True)
class Answer:
    """The result of a run of the command."""

    status: int
    stdout: bytes
    stderr: str

    @property
    def text(self) -> str:
        return self.stdout.decode("utf-8")

    @property
    def lines(self) -> list[str]:
        """Lines of stdout, split only at line feeds."""
        return self.text.split("\n")[:-1]


Call = Callable[..., Answer]


@pytest.fixture
def kafkafmt(capsysbinary: pytest.CaptureFixture[bytes]) -> Call:
    """Call the command line in this process."""

    def call(*arguments: object) -> Answer:
        capsysbinary.readouterr()
        status = run([str(argument) for argument in arguments])
        captured = capsysbinary.readouterr()
        return Answer(status, captured.out, captured.err.decode("utf-8"))

    return call


def environment(**more: str) -> dict[str, str]:
    """Environment variables with which a Python process finds this checkout."""
    changes_output = ("COLUMNS", "LINES", "NO_COLOR", "PYTHONUNBUFFERED")
    plain = {name: value for name, value in os.environ.items() if name not in changes_output}
    return {**plain, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'generated'}", "TERM": "xterm", **more}


def start(*arguments: object, variables: Mapping[str, str] | None = None, **options: Any) -> subprocess.Popen[bytes]:
    """Start the command line in a separate process, with additional environment variables."""
    command = [*COMMAND, *map(str, arguments)]
    return subprocess.Popen(command, env=environment(**(variables or {})), **options)


def on_terminal(*arguments: object, columns: int = 80, out: Path | None = None, **variables: str) -> Answer:
    """Run the command line on a terminal.

    Args:
        arguments: arguments of the command.
        columns: width of the terminal in characters.
        out: destination of stdout; if given, only stderr is the terminal.
        variables: additional environment variables.
    """
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with contextlib.ExitStack() as stack:
        stdout = theirs if out is None else stack.enter_context(out.open("wb"))
        process = start(*arguments, variables=variables, stdin=theirs, stdout=stdout, stderr=theirs)
    os.close(theirs)
    seen = b""
    with contextlib.suppress(OSError):  # how Linux reports that the last writer closed the terminal
        while chunk := os.read(ours, 65536):
            seen += chunk
    os.close(ours)
    return Answer(process.wait(), seen.replace(b"\r\n", b"\n"), "")


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Runs the given steps while a follower in this process waits, then sends Ctrl-C."""

    def run(*happening: Callable[[], object]) -> None:
        waiting = iter(happening)

        def wait(_: following.Follower) -> None:
            step = next(waiting, None)
            if step is None:
                signal.raise_signal(signal.SIGINT)
            else:
                step()

        monkeypatch.setattr(following.Follower, "wait", wait)

    return run
