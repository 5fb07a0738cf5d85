"""Make the pictures of README.md from what commands print: `python -m tests.pictures`, from the project's directory."""

import os
import shutil
import subprocess
import sys
import tempfile
from html import escape
from pathlib import Path

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "pictures" / "repair.svg"

_COLUMNS = 100
_LINES = 8
_COMMANDS = (
    "verify data",
    "repair data --out repaired --show dropped --columns topic,partition,firstOffset,lastOffset,records,reason",
    "verify repaired",
)
_WIDTH, _LINE_HEIGHT, _MARGIN = 860, 18, 16


def session() -> list[str]:
    """What a terminal shows: the disk of a killed broker with one wrong byte is judged, repaired and judged again."""
    lines = []
    with tempfile.TemporaryDirectory() as scratch:
        data = Path(scratch, "data")
        shutil.copytree(ROOT / "docs" / "examples" / "shop" / "log-dir", data)
        (data / ".kafka_cleanshutdown").unlink()
        segment = data / "orders-1" / "00000000000000000000.log"
        content = bytearray(segment.read_bytes())
        content[500] ^= 0xFF
        segment.write_bytes(content)
        path = os.pathsep.join(str(ROOT / part) for part in (".", "generated"))
        for command in _COMMANDS:
            run = subprocess.run(
                [sys.executable, "-m", "kafkafmt", *command.split()],
                check=False,
                cwd=scratch,
                env={**os.environ, "PYTHONPATH": path, "COLUMNS": str(_COLUMNS)},
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
            printed = run.stdout.splitlines()
            more = ["..."] if len(printed) > _LINES else []
            lines += [f"$ kafkafmt {command}", *printed[: _LINES - len(more)], *more, ""]
    return lines[:-1]


def picture(lines: list[str]) -> str:
    """Draw lines as an SVG of a terminal; long ones are cut."""
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
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(picture(session()), encoding="utf-8")
