"""A log directory that grows step by step, and a follower whose polls see each step."""

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import kafkafmt
from kafkafmt.scanning.following import Follower
from tests.logdir.builders import file_name


class Broker:
    """Changes a log directory as a broker does.

    The kernel's clock ticks every few milliseconds, longer than a step of a test, so each change gets a distinct time.
    """

    def __init__(self, log_dir: Path) -> None:
        self.log_dir = log_dir
        self._ticks = 0
        log_dir.mkdir(parents=True, exist_ok=True)

    def write(self, partition: str, base_offset: int, *batches: bytes, at: int | None = None) -> Path:
        """Append to a new or existing segment, or overwrite its bytes at a position."""
        path = self.log_dir / partition / file_name(base_offset)
        path.parent.mkdir(exist_ok=True)
        path.touch()
        with open(path, "r+b") as file:
            file.seek(path.stat().st_size if at is None else at)
            file.write(b"".join(batches))
        self.tick(path)
        return path

    def truncate(self, partition: str, base_offset: int, size: int) -> None:
        path = self.log_dir / partition / file_name(base_offset)
        os.truncate(path, size)
        self.tick(path)

    def replace(self, partition: str, base_offset: int, content: bytes) -> None:
        """Replace a segment by another file, as the cleaner does."""
        path = self.log_dir / partition / file_name(base_offset)
        new = path.with_suffix(".log.swap")
        new.write_bytes(content)
        new.rename(path)
        self.tick(path)

    def delete(self, partition: str, base_offset: int) -> None:
        path = self.log_dir / partition / file_name(base_offset)
        path.rename(path.with_suffix(".log.deleted"))
        self.tick(path.parent)

    def put(self, name: str, text: str) -> None:
        """Write a small file as checkpoints are written: under another name, then renamed."""
        path = self.log_dir / name
        path.parent.mkdir(exist_ok=True)
        new = path.with_name(f"{path.name}.tmp")
        new.write_text(text)
        new.rename(path)
        self.tick(path)

    def checkpoint(self, name: str, partition: str, offset: int) -> None:
        topic, _, number = partition.rpartition("-")
        self.put(name, f"0\n1\n{topic} {number} {offset}\n")

    def tick(self, path: Path) -> None:
        """Give a path and its parent directories times later than those of all earlier changes."""
        self._ticks += 1
        for each in (path, *path.parents):
            if each.exists():
                os.utime(each, ns=(self._ticks * 10**9, self._ticks * 10**9))
            if each == self.log_dir:
                return


def rows(follower: Follower) -> list[dict[str, Any]]:
    """The rows of one poll."""
    found: list[dict[str, Any]] = follower.poll().read_all().to_pylist()
    return found


def offsets(follower: Follower) -> list[int]:
    """The offsets of one poll."""
    return [row["offset"] for row in rows(follower)]


def entries(content: bytes) -> Iterator[bytes]:
    """Split a segment into its entries by their declared sizes."""
    position = 0
    while position < len(content):
        size = 12 + int.from_bytes(content[position + 8 : position + 12], "big")
        yield content[position : position + size]
        position += size


def follow(source: Any, *, last: int | None = None, **scan: Any) -> Follower:
    """Follow a scan with these arguments; names in them may not exist yet."""
    return kafkafmt.scan(source, **{"missing": "note", **scan}).follow(last=last)


@contextmanager
def all_freed_at_once(fewer_than: int) -> Iterator[None]:
    """Require that dropped objects are freed without the cycle collector, which rarely runs in long-lived processes.

    Args:
        fewer_than: upper bound, exclusive, of objects that the collector may still find.
    """
    gc.collect()
    gc.disable()
    try:
        yield
        assert gc.collect() < fewer_than
    finally:
        gc.enable()
