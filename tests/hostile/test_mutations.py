"""Broken files of all kinds: any bytes give records or a KafkafmtError, soon, and the two modes and engines agree.

KAFKAFMT_MUTATIONS says how many (20,000 before a release), KAFKAFMT_SEED where they begin. A failure names its number:
`KAFKAFMT_SEED=<number> KAFKAFMT_MUTATIONS=1` runs it alone. KAFKAFMT_CHECK_ACCESS=1 lets kernels check every access.
"""

import os
import random
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import kafkafmt
from kafkafmt.files.loss import SegmentBounds
from kafkafmt.files.wrapped import refuse_wrapped
from kafkafmt.io.base import MemoryFile
from tests.engines import ENGINES
from tests.golden_cases import GOLDEN
from tests.hostile import law
from tests.hostile.corpus import SMALL, Sample, samples
from tests.hostile.liars import lying_log
from tests.hostile.mutations import mutate

pytestmark = [pytest.mark.volume, pytest.mark.dosed]

MUTATIONS = int(os.environ.get("KAFKAFMT_MUTATIONS", "300"))
SEED = int(os.environ.get("KAFKAFMT_SEED", "20260101"))
CHUNKS = 20
# Seconds of CPU. What checks every access is compiled on the way, for more than 20 s where no cache has it.
HANGS_AFTER = 300 if os.environ.get("KAFKAFMT_CHECK_ACCESS") else 20
REFERENCE = ("reference",)

# Small directories with many kinds of files in them.
LOG_DIRS = (
    "modern/04-transactions-4.3.1/log-dir",
    "modern/06-retention-4.3.1/log-dir",
    "modern/10-cluster-metadata-4.3.1/log-dir",
    "legacy/upgrade-0.8.2.2-to-2.8.2/log-dir",
    "modern/05c-swap-4.3.1/log-dir/stop-1",
)
LARGEST_PARTITION = 20 * 1024


@contextmanager
def no_hang() -> Iterator[None]:
    def ring(*_: object) -> None:
        raise AssertionError(f"still at work after {HANGS_AFTER} s")

    before = signal.signal(signal.SIGVTALRM, ring)
    signal.setitimer(signal.ITIMER_VIRTUAL, HANGS_AFTER)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def check_file(rnd: random.Random, sample: Sample, directory: Path) -> None:
    right_crc = rnd.random() < 0.5
    data = mutate(rnd, sample, right_crc=right_crc)
    if sample.is_log:
        check_log(rnd, data, directory)
    else:
        law.check_small(sample.kind, data)


def check_log(rnd: random.Random, data: bytes, directory: Path) -> None:
    verify = rnd.random() < 0.5
    law.check_walk(data, verify=verify, may_end_open=False, engines=rnd.choice((ENGINES, REFERENCE)))
    # Scans by both engines are compared below; they take no entry below the base offset for the log's.
    damage = law.check_walk(data, verify=verify, bounds=SegmentBounds(base_offset=0), engines=REFERENCE)
    try:
        refuse_wrapped(MemoryFile("mutated.log", data))
    except kafkafmt.SourceError:
        return  # by chance it looks like a packed backup now, and those are refused as a whole
    path = directory / "00000000000000000000.log"
    path.write_bytes(data)
    law.check_scan(path, rnd, verify=verify, damage=damage)
    law.check_segment(kafkafmt.Segment(str(path)))


def copy_of_log_dir(name: str, target: Path) -> None:
    """The files in the root, and some partitions that are small."""
    source = GOLDEN / name
    target.mkdir()
    chosen = 0
    for each in sorted(source.iterdir()):
        if each.is_file():
            shutil.copyfile(each, target / each.name)
        elif chosen < 4 and 0 < sum(file.stat().st_size for file in each.rglob("*.log*")) < LARGEST_PARTITION:
            (target / each.name).mkdir()
            for file in each.iterdir():
                if file.is_file() and file.stat().st_size < 4 * LARGEST_PARTITION:
                    shutil.copyfile(file, target / each.name / file.name)
            chosen += 1


def break_directory(rnd: random.Random, directory: Path) -> None:
    """Break some files of a log directory."""
    files = sorted(path for path in directory.rglob("*") if path.is_file())
    for path in rnd.sample(files, min(len(files), rnd.choice((1, 2, 8)))):
        is_log = ".log" in path.name or path.suffix == ".checkpoint"
        kind = "log" if is_log else next((kind for kind in SMALL if path.name.endswith(kind)), "")
        sample = Sample(f"log {path.suffix}" if is_log else kind, path, path.read_bytes())
        path.write_bytes(mutate(rnd, sample, right_crc=rnd.random() < 0.5))


def check_directory(rnd: random.Random, original: Path, directory: Path) -> None:
    shutil.copytree(original, directory)
    break_directory(rnd, directory)
    law.check_log_dir(directory, rnd)
    shutil.rmtree(directory)


@pytest.fixture(scope="module")
def log_dirs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    root = tmp_path_factory.mktemp("originals")
    for number, name in enumerate(LOG_DIRS):
        copy_of_log_dir(name, root / str(number))
    return sorted(root.iterdir())


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_any_bytes_give_records_or_a_kafkafmt_error(chunk: int, tmp_path: Path, log_dirs: list[Path]) -> None:
    print(f"seed {SEED}, {MUTATIONS} mutations")  # noqa: T201 (shown when it fails)
    logs = [sample for sample in samples() if sample.is_log]
    small = [sample for sample in samples() if not sample.is_log]
    assert len({sample.kind for sample in small}) == len(SMALL)
    for number in range(SEED + chunk, SEED + MUTATIONS, CHUNKS):
        rnd = random.Random(number)
        try:
            with no_hang():
                what = rnd.random()
                if what < 0.15:
                    check_log(rnd, lying_log(rnd), tmp_path)
                elif what < 0.70:
                    check_file(rnd, rnd.choice(logs), tmp_path)
                elif what < 0.95:
                    check_file(rnd, rnd.choice(small), tmp_path)
                else:
                    check_directory(rnd, rnd.choice(log_dirs), tmp_path / f"dir-{number}")
        except BaseException as error:
            error.add_note(f"mutation {number}: KAFKAFMT_SEED={number} KAFKAFMT_MUTATIONS=1")
            raise
