"""Broken log files and log directories: any bytes give records or a KafkafmtError, soon, and both engines agree."""

import random
import shutil
from functools import cache
from pathlib import Path

import kafkafmt
from kafkafmt.files.loss import SegmentBounds
from kafkafmt.files.wrapped import refuse_wrapped
from kafkafmt.io.base import MemoryFile
from tests.golden_cases import GOLDEN
from tests.hostile import law
from tests.hostile.changed_directory import Directory, Files, scratch
from tests.hostile.corpus import SMALL, Sample
from tests.hostile.mutations import mutate

# Small directories with many kinds of files in them.
LOG_DIRS = (
    "modern/04-transactions-4.3.1/log-dir",
    "modern/06-retention-4.3.1/log-dir",
    "modern/10-cluster-metadata-4.3.1/log-dir",
    "legacy/upgrade-0.8.2.2-to-2.8.2/log-dir",
    "modern/05c-swap-4.3.1/log-dir/stop-1",
)
_LARGEST_PARTITION = 20 * 1024
_MOST_PARTITIONS = 4


@cache
def log_dirs(most_partitions: int) -> tuple[Directory, ...]:
    """Log directories, each the files in the root of a golden one and some of its small partitions."""
    found = []
    for name in LOG_DIRS:
        source = GOLDEN / name
        partitions = [path for path in sorted(source.iterdir()) if path.is_dir() and _is_small(path)][:_MOST_PARTITIONS]
        for first in range(0, len(partitions), most_partitions):
            root = scratch("log-dir")
            for path in source.iterdir():
                if path.is_file():
                    shutil.copyfile(path, root / path.name)
            for partition in partitions[first : first + most_partitions]:
                (root / partition.name).mkdir()
                for path in partition.iterdir():
                    if path.is_file() and path.stat().st_size < 4 * _LARGEST_PARTITION:
                        shutil.copyfile(path, root / partition.name / path.name)
            found.append(Directory.of(root))
    return tuple(found)


def _is_small(partition: Path) -> bool:
    return 0 < sum(path.stat().st_size for path in partition.rglob("*.log*")) < _LARGEST_PARTITION


def broken(rnd: random.Random, files: Files) -> Files:
    """Files of a log directory, some of them broken."""
    changed = dict(files)
    for name in rnd.sample(sorted(files), min(len(files), rnd.choice((1, 2, 8)))):
        path = Path(name)
        is_log = ".log" in path.name or path.suffix == ".checkpoint"
        kind = "log" if is_log else next((kind for kind in SMALL if path.name.endswith(kind)), "")
        sample = Sample(f"log {path.suffix}" if is_log else kind, path, files[name])
        changed[name] = mutate(rnd, sample, right_crc=rnd.random() < 0.5)
    return changed


@cache
def _log_file() -> Path:
    return scratch("log") / "00000000000000000000.log"


def check_log(rnd: random.Random, data: bytes) -> None:
    """A log file: by scans or by a `Segment`."""
    verify = rnd.random() < 0.5
    # Scans take no entry below the base offset for the log's.
    damage = law.check_walk(data, verify=verify, bounds=SegmentBounds(base_offset=0), engines=("reference",))
    try:
        refuse_wrapped(MemoryFile("mutated.log", data))
    except kafkafmt.SourceError:
        return  # by chance it looks like a packed backup now, and those are refused as a whole
    path = _log_file()
    path.write_bytes(data)
    if rnd.random() < 0.75:
        law.check_scan(path, rnd, verify=verify, damage=damage)
    else:
        law.check_segment(kafkafmt.Segment(str(path)))


def check_directory(rnd: random.Random) -> None:
    """A log directory of one partition."""
    of = rnd.choice(log_dirs(1))
    with of.changed(broken(rnd, of.files)):
        law.check_log_dir(of.root, rnd)
