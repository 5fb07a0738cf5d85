"""Planning a large scan: log directories of many segments that take little room, and what it costs to divide them.

The log files are sparse: headers are those of real batches, with a right CRC, and behind each lie zeros; large files
are links to one. So a plan can be made of a terabyte that is not there. By itself:

    PYTHONPATH=.:generated:tools python -m benchmark.many_segments make small DIRECTORY
    PYTHONPATH=.:generated:tools python -m benchmark.many_segments plan DIRECTORY
"""

import json
import resource
import struct
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

MIB = 1024 * 1024

_OVERHEAD = 61
_HEADER = struct.Struct(">qiibIhiqqqhii")
_RECORDS = 1000


@dataclass(frozen=True)
class Shape:
    """What a made log directory is like.

    Attributes:
        partitions: how many partition directories of one topic there are.
        segments: how many segments each of them has; where that is one, all are links to the first.
        batches: how many batches a segment has.
        batch_bytes: how large each of them is.
    """

    partitions: int
    segments: int
    batches: int
    batch_bytes: int


SHAPES = {"small": Shape(500, 200, 1, MIB), "large": Shape(1000, 1, 65536, 16 * 1024)}
"""100,000 segments of 1 MiB, and 1000 segments of 1 GiB."""


@dataclass(frozen=True)
class Planned:
    """What a plan cost, in a new process.

    Attributes:
        segments: log files in it.
        size_in_bytes: of all of them.
        splits: how many there are.
        listing_seconds: time that `kafkafmt.scan` took, which lists the directories.
        planning_seconds: time that `Scan.plan` took.
        cpu_seconds: both, in CPU time.
        peak_bytes: most memory that the process held, with Python and its libraries.
    """

    segments: int
    size_in_bytes: int
    splits: int
    listing_seconds: float
    planning_seconds: float
    cpu_seconds: float
    peak_bytes: int


def make(root: Path, shape: Shape) -> Path:
    """Make a log directory, unless it is there; returns it.

    Raises:
        OSError: it cannot be written.
    """
    done = root / ".made"
    if done.exists() and json.loads(done.read_text()) == asdict(shape):
        return root
    header = _batch_header(shape.batch_bytes)
    for partition in range(shape.partitions):
        directory = root / f"many-{partition}"
        directory.mkdir(parents=True, exist_ok=True)
        for number in range(shape.segments):
            base_offset = number * shape.batches * _RECORDS
            if partition and shape.segments == 1:
                for path in (root / "many-0").iterdir():
                    (directory / path.name).hardlink_to(path)
            else:
                _make_segment(directory / f"{base_offset:020d}.log", base_offset, shape, header)
    done.write_text(json.dumps(asdict(shape)))
    return root


def measure(root: Path, variables: Mapping[str, str] | None = None) -> Planned:
    """Plan a scan of a log directory in a new process.

    Args:
        root: the log directory.
        variables: environment of the process; None for that of this one.

    Raises:
        RuntimeError: it failed; the text is what it said.
    """
    command = [sys.executable, "-m", "benchmark.many_segments", "plan", str(root)]
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.strip())
    return Planned(**json.loads(done.stdout))


def _plan(root: str) -> Planned:
    import kafkafmt

    began = time.perf_counter()
    cpu = time.process_time()
    scan = kafkafmt.scan(root)
    listed = time.perf_counter()
    plan = scan.plan()
    ended = time.perf_counter()
    return Planned(
        len({task.file for split in plan.splits for task in split.tasks}),
        plan.size_in_bytes,
        len(plan.splits),
        round(listed - began, 3),
        round(ended - listed, 3),
        round(time.process_time() - cpu, 3),
        resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    )


def _batch_header(size_in_bytes: int) -> bytes:
    """Header of a batch at offset 0, zeros behind it; the CRC does not cover the offset."""
    from kafkafmt.codec.checksum import crc32c

    def packed(crc: int) -> bytes:
        size, last, time_ms = size_in_bytes - 12, _RECORDS - 1, 1_700_000_000_000
        return _HEADER.pack(0, size, 0, 2, crc, 0, last, time_ms, time_ms, -1, -1, -1, _RECORDS)

    return packed(crc32c(packed(0)[21:] + bytes(size_in_bytes - _OVERHEAD)))


def _make_segment(path: Path, base_offset: int, shape: Shape, header: bytes) -> None:
    with path.open("wb") as log:
        for number in range(shape.batches):
            log.seek(number * shape.batch_bytes)
            log.write(struct.pack(">q", base_offset + number * _RECORDS) + header[8:])
        log.truncate(shape.batches * shape.batch_bytes)
    entries = [((number + 1) * _RECORDS - 1, number * shape.batch_bytes) for number in range(1, shape.batches)]
    path.with_suffix(".index").write_bytes(b"".join(struct.pack(">ii", *entry) for entry in entries))
    path.with_suffix(".timeindex").write_bytes(struct.pack(">qi", 1_700_000_000_000, shape.batches * _RECORDS - 1))


def main(arguments: list[str]) -> int:
    """Make a log directory, or plan one and print the figures as JSON."""
    match arguments:
        case ["make", shape, root] if shape in SHAPES:
            make(Path(root), SHAPES[shape])
        case ["plan", root]:
            print(json.dumps(asdict(_plan(root))))
        case _:
            print(__doc__, file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
