"""Directories whose files are changed where they are, and put right again."""

import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

Files = dict[str, bytes]


@cache
def _scratch() -> "tempfile.TemporaryDirectory[str]":
    memory = Path("/dev/shm")
    return tempfile.TemporaryDirectory(prefix="kafkafmt-", dir=memory if memory.is_dir() else None)


def scratch(name: str) -> Path:
    """A new directory in memory, where the system has that; gone when the process ends."""
    return Path(tempfile.mkdtemp(prefix=f"{name}-", dir=_scratch().name))


@dataclass(frozen=True)
class Directory:
    """A directory and what it should have.

    Attributes:
        root: its path.
        files: content of each file by its name in there.
    """

    root: Path
    files: Files

    @classmethod
    def of(cls, root: Path) -> "Directory":
        """A directory as it is."""
        return cls(
            root, {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}
        )

    @contextmanager
    def changed(self, files: Mapping[str, bytes]) -> Iterator[None]:
        """Let it have other files for a while."""
        self._write(self.files, files)
        try:
            yield
        finally:
            self._write(files, self.files)

    def _write(self, before: Mapping[str, bytes], after: Mapping[str, bytes]) -> None:
        for name in before.keys() - after.keys():
            (self.root / name).unlink()
        for name, content in after.items():
            if before.get(name) != content:
                (self.root / name).write_bytes(content)


@contextmanager
def removed(place: Path) -> Iterator[Path]:
    """The path of a directory that is not there yet, and will not be afterwards."""
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)
