"""The golden cases of operations: log directories, the questions put to Kafka's own classes, and their answers."""

import json
import os
import shutil
import tarfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.golden_cases import GOLDEN, read_jsonl


@dataclass(frozen=True)
class Question:
    """One question of a case; `str(question)` can be used as a test id."""

    path: Path
    asked: dict[str, Any]

    @property
    def case(self) -> str:
        return self.path.name

    @property
    def id(self) -> str:
        return str(self.asked["id"])

    @property
    def at(self) -> int:
        """The time of the question, in ms since the epoch."""
        return int(self.asked["at"])

    @property
    def config(self) -> dict[str, str]:
        return {name: str(value) for name, value in self.asked.get("config", {}).items()}

    def expected(self) -> list[dict[str, Any]]:
        """Kafka's answer, one row per segment, partition or finding."""
        return read_jsonl(self.path / "expected" / f"{self.id}.jsonl")

    def expected_out(self) -> list[dict[str, Any]]:
        """The batches of the log directory after one pass of Kafka's cleaner."""
        return read_jsonl(self.path / "expected" / f"{self.id}-out.jsonl")

    def unpack(self, into: Path) -> Path:
        """Unpack the log directory of the case, with the file times that Kafka saw."""
        described = json.loads((self.path / "case.json").read_text())
        if "source" in described:
            log_dir = into / "log-dir"
            shutil.copytree(GOLDEN / "modern" / described["source"], log_dir, symlinks=True)
            for name in described["without"]:
                (log_dir / name).unlink()
        else:
            with tarfile.open(self.path / "log-dir.tar.gz") as tar:
                tar.extractall(into, filter="data")
            log_dir = into / "log-dir"
        for name, at in described["mtimes"].items():
            os.utime(log_dir / name, ns=(at * 10**6, at * 10**6))
        return log_dir

    def __str__(self) -> str:
        return f"{self.case}-{self.id}"


def questions(command: str) -> list[Question]:
    """All questions for a command, sorted by case and id."""
    return [
        Question(path.parent, asked)
        for path in sorted((GOLDEN / "operations").glob("*/case.json"))
        for asked in json.loads(path.read_text())["questions"]
        if asked["command"] == command
    ]
