"""The check of Kaskade, a terminal UI on librdkafka, in a pseudo-terminal: its screens must show the shop's disk."""

import fcntl
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Collection, Iterator

import kafkafmt
from clients_proof.clients import MissingError
from clients_proof.commands import Answer
from clients_proof.disks import SHOP

_KASKADE = "kaskade"
_TOPIC = "orders"
_ROWS, _COLUMNS = 60, 200
_SECONDS = 60
_STEP = 0.2
# Cursor movements, titles, and other terminal commands.
_COMMANDS = re.compile(r"\x1b\[[0-9;?>]*[ -/]*[@-~]|\x1b\][^\x07]*\x07|\x1b[ -/]?[0-~]")


def ask(bootstrap: str) -> Iterator[Answer]:
    """Check the screen of topics, and that of one topic's records.

    Args:
        bootstrap: address of the server.

    Raises:
        MissingError: kaskade is not installed.
    """
    program = shutil.which(_KASKADE)
    if program is None:
        raise MissingError(f"{_KASKADE} is not on PATH (pipx install {_KASKADE})")
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    label = f"Kaskade {said.split()[-1]} (a terminal UI)"
    disks = kafkafmt.open(SHOP)
    topics = {each.topic for each in disks.partitions if each.topic not in (None, "__cluster_metadata")}
    yield _compared(label, "admin", "topics on the disk", [program, "admin", "-b", bootstrap], topics)
    records = disks.scan(topics=[_TOPIC], columns=["key"], isolation_level="read_committed").to_table()
    keys = {key.decode() for key in records["key"].to_pylist() if key is not None}
    asked = ["consumer", "-b", bootstrap, "-t", _TOPIC, "--earliest", "-k", "string", "-v", "string"]
    yield _compared(label, "consumer --earliest", "keys of a topic, read_committed", [program, *asked], keys)


def _compared(label: str, asked: str, facts: str, command: list[str], expected: "Collection[str | None]") -> Answer:
    answer = Answer(label, asked, facts)
    missing = set(expected) - _shown(command, expected)
    if missing:
        answer.differences.append(f"not on the screen: {', '.join(sorted(map(str, missing)))}")
    return answer


def _shown(command: list[str], wanted: "Collection[str | None]") -> set[str]:
    """The words that a program has shown on its screen, once all wanted words have appeared, or after a while."""
    process, terminal = pty.fork()
    if not process:
        os.execve(command[0], command, os.environ | {"TERM": "xterm-256color"})
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", _ROWS, _COLUMNS, 0, 0))
    data, words = b"", set[str]()
    deadline = time.monotonic() + _SECONDS
    try:
        while time.monotonic() < deadline and not words.issuperset(wanted):
            if select.select([terminal], [], [], _STEP)[0]:
                data += os.read(terminal, 2**16)
            words = set(_COMMANDS.sub(" ", data.decode(errors="replace")).split())
    except OSError:  # the program has ended
        return words
    finally:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        os.close(terminal)
    return words
