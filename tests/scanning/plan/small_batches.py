"""Logs of small batches, and the rows of their plans."""

from pathlib import Path
from typing import Any

import pytest

from kafkafmt.io.local_file import LocalFile
from kafkafmt.scanning import Plan
from tests import reads
from tests.logdir.builders import batch

BATCHES = 20


def one(number: int, count: int = 10) -> bytes:
    return batch(10 * number, count, value=b"v" * 100)


SIZE = len(one(0))


def indexed(path: Path, *numbers: int) -> None:
    """An offset index of these batches as Kafka writes it."""
    reads.index(path, *((10 * number + 9, number * SIZE) for number in numbers))


def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    names: list[str] = []
    initial = LocalFile.__init__

    def noting(self: LocalFile, path: Any, **keywords: bool) -> None:
        names.append(Path(path).name)
        initial(self, path, **keywords)

    monkeypatch.setattr(LocalFile, "__init__", noting)
    return names


def stretches(plan: Plan) -> list[list[tuple[str, int, int]]]:
    return [[(Path(each.file).name, each.begin, each.stop) for each in split.tasks] for split in plan.splits]


def rows(plan: Plan) -> list[int]:
    """Offsets of each split."""
    return [offset for split in split_rows(plan) for offset in split]


def split_rows(plan: Plan) -> list[list[int]]:
    return [
        [offset for found in plan.reading.read(split) for offset in found.column("offset").to_pylist()]
        for split in plan.splits
    ]
