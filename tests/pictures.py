"""Draws the pictures of the documents from the output of commands: `python -m tests.pictures`, in the checkout."""

import os
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from html import escape
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs" / "pictures"

_COLUMNS = 100
_LINES = 8
_WIDTH, _LINE_HEIGHT, _MARGIN = 860, 18, 16
_SHOWN_PORT = "9092"
_STARTED_WITHIN = 60.0


class Session(NamedTuple):
    """Commands typed on a terminal.

    Attributes:
        prepare: puts files into the working directory.
        commands: as typed; one that ends in `&` runs until the session ends, and its output is shown.
    """

    prepare: Callable[[Path], object]
    commands: tuple[str, ...]


def _broken_shop(directory: Path) -> None:
    """Make the disk of a killed broker, with one wrong byte."""
    data = directory / "data"
    shutil.copytree(ROOT / "docs" / "examples" / "shop" / "log-dir", data)
    (data / ".kafka_cleanshutdown").unlink()
    segment = data / "orders-1" / "00000000000000000000.log"
    content = bytearray(segment.read_bytes())
    content[500] ^= 0xFF
    segment.write_bytes(content)


def _shop(directory: Path) -> None:
    shutil.copytree(ROOT / "docs" / "examples" / "shop" / "log-dir", directory / "shop")


def _typed(directory: Path) -> None:
    shutil.copytree(ROOT / "docs" / "examples" / "typed" / "log-dir", directory / "typed")
    (directory / "total.py").write_text(
        "import duckdb\n\n"
        'orders = duckdb.read_parquet("orders.parquet")\n'
        'print(orders.aggregate("value.channel, sum(value.total) as total").order("channel"))\n'
    )


_DROPPED = "topic,partition,firstOffset,lastOffset,records,reason"

SESSIONS = {
    "repair": Session(
        _broken_shop,
        (
            "kafkafmt verify data",
            f"kafkafmt repair data --out repaired --show dropped --columns {_DROPPED}",
            "kafkafmt verify repaired",
        ),
    ),
    "serve": Session(
        _shop,
        (
            "kafkafmt serve shop --listen 127.0.0.1:9092 --open-transactions abort &",
            "kcat -b 127.0.0.1:9092 -L -t orders",
            r"kcat -b 127.0.0.1:9092 -C -t orders -p 1 -o beginning -c 4 -q -f '%o %k %s\n'",
        ),
    ),
    "parquet": Session(
        _typed,
        (
            "kafkafmt cat typed --topic orders --value-format auto --out orders.parquet",
            "cat total.py",
            "python total.py",
            'kafkafmt sql "select value.channel, count(*) as orders from topic.orders group by 1 order by 1" typed',
        ),
    ),
}


def lines_of(session: Session) -> list[str]:
    """Return a session as a terminal shows it."""
    lines: list[str] = []
    with ExitStack() as stack:
        scratch = stack.enter_context(tempfile.TemporaryDirectory())
        session.prepare(Path(scratch))
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = str(free.getsockname()[1])
        path = os.pathsep.join(str(ROOT / part) for part in (".", "generated"))
        variables = {**os.environ, "PYTHONPATH": path, "COLUMNS": str(_COLUMNS)}
        for command in session.commands:
            typed = shlex.split(command.removesuffix("&").replace(_SHOWN_PORT, port))
            words = [*_program(typed[0]), *typed[1:]]
            if command.endswith("&"):
                printed = _started(words, scratch, variables, port, stack)
            else:
                run = subprocess.run(
                    words,
                    check=False,
                    cwd=scratch,
                    env=variables,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    text=True,
                )
                printed = run.stdout.splitlines()
            printed = [line.replace(port, _SHOWN_PORT) for line in printed]
            more = ["..."] if len(printed) > _LINES else []
            lines += [f"$ {command}", *printed[: _LINES - len(more)], *more, ""]
    return lines[:-1]


def _program(word: str) -> list[str]:
    return {"kafkafmt": [sys.executable, "-m", "kafkafmt"], "python": [sys.executable]}.get(word, [word])


def _started(words: list[str], scratch: str, variables: dict[str, str], port: str, stack: ExitStack) -> list[str]:
    """Start a server that ends with the session; return its output up to the moment it answers."""
    said = Path(scratch, ".said")
    process = stack.enter_context(
        subprocess.Popen(words, cwd=scratch, env=variables, stderr=stack.enter_context(said.open("w")))
    )
    stack.callback(process.terminate)
    until = time.monotonic() + _STARTED_WITHIN
    while time.monotonic() < until and process.poll() is None:
        with suppress(OSError), socket.create_connection(("127.0.0.1", int(port)), 1):
            if "\n" in (text := said.read_text(encoding="utf-8")):  # it listens before it prints so
                return text.splitlines()[:1]
        time.sleep(0.1)
    raise AssertionError(said.read_text(encoding="utf-8"))


def picture(lines: list[str]) -> str:
    """Draw lines as an SVG of a terminal; long ones are truncated."""
    height = 2 * _MARGIN + _LINE_HEIGHT * len(lines)
    texts = []
    for number, line in enumerate(lines):
        shown = line if len(line) <= _COLUMNS else f"{line[: _COLUMNS - 1]}…"
        colour = "#8be9fd" if line.startswith("$ ") else "#f8f8f2"
        y = _MARGIN + _LINE_HEIGHT * (number + 1) - 5
        texts.append(f'<text x="{_MARGIN}" y="{y}" fill="{colour}" xml:space="preserve">{escape(shown)}</text>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}" '
        'font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="13.5">\n'
        f'<rect width="{_WIDTH}" height="{height}" rx="8" fill="#21222c"/>\n' + "\n".join(texts) + "\n</svg>\n"
    )


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    for name, session in SESSIONS.items():
        (PICTURES / f"{name}.svg").write_text(picture(lines_of(session)), encoding="utf-8")
