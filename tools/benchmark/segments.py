"""The segments that are read: which there are, and how Kafka's own code makes them, once, into a cache."""

import json
import os
import subprocess
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

SHAPES = ("typical", "tiny", "large", "typical1m")
CODECS = ("none", "gzip", "snappy", "lz4", "zstd")

_PREFIX_RECORDS = 60_000
_CHUNK = 1 << 20


class SegmentsError(Exception):
    """Segments cannot be made; the text says why."""


@dataclass(frozen=True)
class Segment:
    """A segment, by what its name says: `typical-zstd`, `typical1m-none`, `typical-lz4-v1`."""

    name: str

    @property
    def shape(self) -> str:
        """What its records are like; `1m` at the end means batches of 1 MB."""
        return self.name.split("-")[0]

    @property
    def codec(self) -> str:
        """Kafka's name for how it is compressed."""
        return self.name.split("-")[1]

    @property
    def magic(self) -> int:
        """Its message format."""
        _, _, version = self.name.partition("-v")
        return int(version or 2)


@dataclass(frozen=True)
class Made:
    """A segment that has been made.

    Attributes:
        path: of the file.
        prefix: of a file that holds its first entries, about 60,000 records.
        bytes: size of the file.
        raw_bytes: size of its records before compression.
        records: how many it holds.
        batches: how many batches, or sets of messages that were written at once.
    """

    path: Path
    prefix: Path
    bytes: int
    raw_bytes: int
    records: int
    batches: int


def choose(shapes: Sequence[str], codecs: Sequence[str]) -> list[Segment]:
    """List the segments of some shapes and codecs, formats 0 and 1 in the typical shape."""
    names = [f"{shape}-{codec}" for shape in shapes for codec in codecs]
    if "typical" in shapes:
        # Formats before 2 know no zstd.
        names += [f"typical-{codec}-v{magic}" for magic in (1, 0) for codec in codecs if codec != "zstd"]
    return [Segment(name) for name in names]


def make(
    segments: Iterable[Segment], size: int, directory: Path, java: Sequence[str], say: Callable[[str], None]
) -> dict[str, Made]:
    """Make the segments that the cache lacks; returns all of them by name.

    Args:
        segments: which.
        size: MB of records in each, before compression.
        directory: the cache; another one for other sources of SegmentMaker.
        java: the command that runs a class with Kafka's jars.
        say: called with a line of text about what takes a while.

    Raises:
        SegmentsError: Java failed.
    """
    home = directory / f"{size}-mb"
    home.mkdir(parents=True, exist_ok=True)
    names = [segment.name for segment in segments]
    missing = [name for name in names if not (home / f"{name}.json").exists()]
    if missing:
        say(f"making {len(missing)} segments of {size} MB in {home}")
        command = [*java, "SegmentMaker", str(home), str(size), *missing]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8") as maker:
            for line in maker.stdout or ():
                name = json.loads(line)["name"]
                say(f"  {name}")
                _cut_prefix(home / name, json.loads(line))
                (home / f"{name}.json").write_text(line, encoding="utf-8")
        if maker.returncode:
            raise SegmentsError(f"SegmentMaker failed with exit status {maker.returncode}")
    return {name: _made(home / name) for name in names}


def _made(stem: Path) -> Made:
    facts = json.loads(stem.with_suffix(".json").read_text(encoding="utf-8"))
    return Made(
        path=stem.with_suffix(".log"),
        prefix=stem.with_suffix(".prefix.log"),
        bytes=facts["bytes"],
        raw_bytes=facts["rawBytes"],
        records=facts["records"],
        batches=facts["batches"],
    )


def _cut_prefix(stem: Path, facts: dict[str, int]) -> None:
    wanted = min(1, _PREFIX_RECORDS / facts["records"]) * facts["bytes"]
    with stem.with_suffix(".log").open("rb") as whole, stem.with_suffix(".prefix.log").open("wb") as prefix:
        while prefix.tell() < wanted and (head := whole.read(12)):
            prefix.write(head + whole.read(int.from_bytes(head[8:], "big")))


def read_once(path: Path) -> None:
    """Bring a file into the page cache."""
    with path.open("rb", buffering=0) as file:
        buffer = bytearray(_CHUNK)
        while file.readinto(buffer):
            pass


def facts(made: Made) -> dict[str, int]:
    """Tell about a segment as results.json does."""
    return {"bytes": made.bytes, "rawBytes": made.raw_bytes, "records": made.records, "batches": made.batches}


def require_space(directory: Path, wanted: int) -> None:
    """Make a directory for segments, if the disk that it is on has room for those that it lacks.

    Raises:
        SegmentsError: it has not.
    """
    directory.mkdir(parents=True, exist_ok=True)
    held = sum(file.stat().st_size for file in directory.rglob("*.log"))
    status = os.statvfs(directory)
    if status.f_bavail * status.f_frsize + held < wanted:
        raise SegmentsError(
            f"{directory} is on a disk with less than {wanted / 1e9:.0f} GB free: take a smaller --size"
        )
