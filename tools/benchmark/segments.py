"""The segments that programs read: made once by Kafka's own code, and kept in a cache."""

import json
import os
import struct
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from class_path import ToolError

SHAPES = ("typical", "tiny", "large", "typical1m")
CODECS = ("none", "gzip", "snappy", "lz4", "zstd")
SIZE = 64
"""MB of records, before compression, in a segment whose name has no size."""

_NAMES = (
    *(f"{shape}-{codec}" for shape in SHAPES for codec in CODECS),
    # Formats before 2 do not support zstd.
    *(f"typical-{codec}-v{magic}" for magic in (1, 0) for codec in CODECS if codec != "zstd"),
)
SMALL = 4
"""MB in the segments that slow programs read, too."""
NAMES = (*_NAMES, *(f"typical-{codec}@{SMALL}" for codec in CODECS), "typical-none@1", "typical1k-none")
"""All segments: shape (1k and 1m: batches of this many bytes), codec, message format if not 2, and MB if not 64."""
LARGE = tuple(f"typical-{codec}@256" for codec in CODECS)
QUICK = ("typical-none@8", "typical-zstd@8", "tiny-lz4@8", "typical-none-v0@8", "typical-none@1", "typical1k-none@1")

_CHUNK = 1 << 20
_OVERHEAD = 12
"""Bytes of a batch that its size field does not count: base offset and size."""


class SegmentsError(ToolError):
    """Segments cannot be created; the text says why."""


@dataclass(frozen=True)
class Segment:
    """A segment.

    Attributes:
        name: such as `typical-zstd`, `typical1m-none`, `typical-lz4-v1`, `typical-none@4`.
        path: path of the file.
        records: number of its records.
        size: their size in bytes before compression.
    """

    name: str
    path: Path
    records: int
    size: int


def shape(name: str) -> str:
    """The kind of a segment's records, with the message format if it is not 2."""
    parts = name.partition("@")[0].split("-")
    return " ".join([parts[0], *parts[2:]])


def codec(name: str) -> str:
    """Kafka's name for the codec of a segment."""
    return name.partition("@")[0].split("-")[1]


def megabytes(name: str) -> int:
    """MB of records, before compression, in a segment."""
    return int(name.partition("@")[2] or SIZE)


def make(names: Sequence[str], directory: Path, java: Sequence[str], say: Callable[[str], None]) -> list[Segment]:
    """Make the segments that are missing in the cache (`directory`); returns all of them, loaded into the page cache.

    Raises:
        SegmentsError: Java failed, or the disk is too small.
    """
    directory.mkdir(parents=True, exist_ok=True)
    missing = [name for name in names if not (directory / f"{name}.json").exists()]
    require_space(directory, sum(megabytes(name) for name in missing) << 20)
    if missing:
        say(f"making {len(missing)} segments in {directory}")
        command = [*java, "SegmentMaker", str(directory), str(SIZE), *missing]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8") as maker:
            for line in maker.stdout or ():
                (directory / f"{json.loads(line)['name']}.json").write_text(line, encoding="utf-8")
        if maker.returncode:
            raise SegmentsError(f"SegmentMaker failed with exit status {maker.returncode}")
    return [_made(directory, name) for name in names]


def _made(directory: Path, name: str) -> Segment:
    facts = json.loads((directory / f"{name}.json").read_text(encoding="utf-8"))
    path = directory / f"{name}.log"
    with path.open("rb", buffering=0) as file:
        buffer = bytearray(_CHUNK)
        while file.readinto(buffer):
            pass
    return Segment(name, path, facts["records"], facts["rawBytes"])


def require_space(directory: Path, wanted: int) -> None:
    """Make a directory if its disk has enough space.

    Raises:
        SegmentsError: there is not enough space.
    """
    directory.mkdir(parents=True, exist_ok=True)
    status = os.statvfs(directory)
    if status.f_bavail * status.f_frsize < wanted:
        raise SegmentsError(f"{directory} is on a disk with less than {wanted / 1e9:.1f} GB free")


def batches(path: Path) -> Iterator[bytes]:
    """The batches of a segment, one by one."""
    with path.open("rb") as file:
        while len(head := file.read(_OVERHEAD)) == _OVERHEAD:
            yield head + file.read(int.from_bytes(head[8:], "big"))


def log_dir(root: Path, source: Path, partitions: int, segments: int, segment_bytes: int) -> int:
    """Make a log directory of many small segments from the batches of a large one; returns its number of records.

    Offsets, which the CRC of format 2 does not cover, are renumbered. All other partitions link to the first one's
    files.
    """
    first = root / "many-0"
    first.mkdir(parents=True)
    offset = 0
    found = batches(source)
    for _ in range(segments):
        with (first / f"{offset:020d}.log").open("wb") as log:
            while log.tell() < segment_bytes:
                batch = next(found, b"")
                if not batch:
                    found = batches(source)
                    continue
                log.write(struct.pack(">q", offset) + batch[8:])
                offset += int.from_bytes(batch[23:27], "big") + 1  # last offset delta
    for number in range(1, partitions):
        partition = root / f"many-{number}"
        partition.mkdir()
        for log_file in first.iterdir():
            os.link(log_file, partition / log_file.name)
    return offset * partitions
