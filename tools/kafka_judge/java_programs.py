"""Runs the judges' Java programs, which answer questions in lines or in bytes."""

import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, cast

from class_path import ToolError, tool


def answers(classes: str, program: str, *arguments: str, questions: str = "") -> list[str]:
    """Run a program to its end; returns the lines that it prints.

    Args:
        classes: class path.
        program: name of the program's class, with its package.
        arguments: command-line arguments.
        questions: standard input.

    Raises:
        ToolError: the program fails.
    """
    command = [*_java(classes), "-XX:TieredStopAtLevel=1", program, *arguments]
    done = subprocess.run(command, input=questions, capture_output=True, encoding="utf-8", check=False)
    if done.returncode:
        raise ToolError(f"{program} failed:\n{done.stderr}")
    return done.stdout.split("\n")[:-1]


@contextmanager
def dialogue(classes: str, program: str, *arguments: str) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """Run a program during a `with` block; EOFError in the block means that the program has stopped answering.

    Args:
        classes: class path.
        program: name of the program's class, with its package.
        arguments: command-line arguments.

    Yields:
        standard input and output of the program.

    Raises:
        ToolError: the program ended too early.
    """
    command = [*_java(classes), program, *arguments]
    with tempfile.TemporaryFile("w+") as complaints:
        try:
            with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=complaints) as running:
                try:
                    yield cast("tuple[IO[bytes], IO[bytes]]", (running.stdin, running.stdout))  # both are pipes
                except BaseException:
                    running.kill()
                    raise
        except (BrokenPipeError, EOFError) as ended:
            complaints.seek(0)
            raise ToolError(f"{program} failed:\n{complaints.read()}") from ended


def _java(classes: str) -> list[str]:
    return [tool("java"), "-Xmx1g", "-XX:+UseSerialGC", "-cp", classes]
