"""Runs our Java programs, which answer questions in lines or in bytes."""

import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, cast

from class_path import ToolError, tool


def answers(classes: str, program: str, *arguments: str, questions: str = "") -> list[str]:
    """Run a program to its end, and give the lines that it prints.

    Args:
        classes: its class path.
        program: the name of its class, with its package.
        arguments: of its command line.
        questions: its standard input.

    Raises:
        ToolError: it fails.
    """
    command = [*_java(classes), "-XX:TieredStopAtLevel=1", program, *arguments]
    done = subprocess.run(command, input=questions, capture_output=True, encoding="utf-8", check=False)
    if done.returncode:
        raise ToolError(f"{program} failed:\n{done.stderr}")
    return done.stdout.split("\n")[:-1]


@contextmanager
def dialogue(classes: str, program: str, *arguments: str) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """Run a program for the length of a `with` block, in which EOFError says that it answers no more.

    Args:
        classes: its class path.
        program: the name of its class, with its package.
        arguments: of its command line.

    Yields:
        its standard input and output.

    Raises:
        ToolError: it ended too early.
    """
    command = [*_java(classes), program, *arguments]
    with tempfile.TemporaryFile("w+") as complaints:
        try:
            with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=complaints) as running:
                try:
                    yield cast("tuple[IO[bytes], IO[bytes]]", (running.stdin, running.stdout))  # pipes, both
                except BaseException:
                    running.kill()
                    raise
        except (BrokenPipeError, EOFError) as ended:
            complaints.seek(0)
            raise ToolError(f"{program} failed:\n{complaints.read()}") from ended


def _java(classes: str) -> list[str]:
    return [tool("java"), "-Xmx1g", "-XX:+UseSerialGC", "-cp", classes]
