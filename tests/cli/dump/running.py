"""Runs `kafkafmt dump` in this process."""

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

from kafkafmt.cli.dump import command


@dataclass(frozen=True)
class Run:
    """The result of a run; output as bytes."""

    status: int
    out: bytes
    err: bytes

    @property
    def lines(self) -> list[str]:
        return self.out.decode().splitlines()

    @property
    def complaints(self) -> list[str]:
        return self.err.decode().splitlines()


class _Terminal(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


def dump(*arguments: str | Path, inside: Path | None = None, on_terminal: bool = False) -> Run:
    """Run the command, optionally in another working directory.

    Args:
        arguments: arguments of the command.
        inside: the working directory; None keeps the current one.
        on_terminal: whether stderr claims to be a terminal.
    """
    out, err = io.BytesIO(), io.BytesIO()
    stderr = (_Terminal if on_terminal else io.TextIOWrapper)(err, encoding="ascii")
    streams = io.TextIOWrapper(out, encoding="ascii"), stderr
    with _working_in(inside), redirect_stdout(streams[0]), redirect_stderr(streams[1]):
        status = command.main([str(argument) for argument in arguments], standalone_mode=False)
    return Run(status, out.getvalue(), err.getvalue())


@contextmanager
def _working_in(directory: Path | None) -> Iterator[None]:
    before = os.getcwd()
    os.chdir(directory or before)
    try:
        yield
    finally:
        os.chdir(before)
