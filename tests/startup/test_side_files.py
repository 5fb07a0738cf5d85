"""Mutations of the files beside a log are found or harmless: Kafka's look-ups give the same with and without them."""

import os
import random
import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

import kafkafmt
from kafkafmt.files import time_index, transaction_index
from kafkafmt.io.base import DirectoryEntry
from kafkafmt.io.source import locate
from kafkafmt.startup.segment import LoadedSegment
from tests.golden_cases import cluster_case
from tests.startup.test_golden_starts import unpack

MUTATIONS = int(os.environ.get("KAFKAFMT_MUTATIONS", "200"))
PARTITIONS = ("clicks-1", "orders-0", "payments-0", "payments-1")
ENDINGS = (".index", ".timeindex", ".txnindex", ".snapshot")


@pytest.fixture(scope="module")
def log_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log directory with indexes of every kind, after a clean shutdown."""
    made = tmp_path_factory.mktemp("side")
    unpack("01-clean", made)
    for path in (made / "d0").iterdir():
        if path.is_dir() and path.name not in PARTITIONS:
            shutil.rmtree(path)
    return made / "d0"


def findings(log_dir: Path) -> set[tuple[str, str]]:
    found = kafkafmt.open(log_dir).verify().findings.to_pylist()
    return {(row["path"], row["message"]) for row in found if row["level"] == "finding"}


def mutated(data: bytes, seed: int) -> bytes:
    choose = random.Random(seed)
    changed = bytearray(data)
    at = choose.randrange(len(data))
    match choose.randrange(4):
        case 0:
            changed[at] ^= 1 << choose.randrange(8)
        case 1:
            del changed[at:]
        case 2:
            changed[at] = choose.randrange(256)
        case _:
            changed[at : at + choose.randint(1, 8)] = choose.randbytes(choose.randint(1, 8))
    return bytes(changed)


def entry_of(path: Path) -> DirectoryEntry:
    return DirectoryEntry(path.name, locate(str(path)), is_directory=False, size=path.stat().st_size)


def is_harmless(path: Path, before: bytes) -> bool:
    """Whether a broker's look-ups give the same with the file as without it."""
    log = path.with_suffix(".log")
    if not log.exists():
        return False
    with_it = LoadedSegment(int(path.stem), entry_of(log), entry_of(path) if path.suffix == ".index" else None)
    without = LoadedSegment(int(path.stem), entry_of(log), None)
    with closing(with_it), closing(without):
        return is_as_without(path, before, with_it, without)


def is_as_without(path: Path, before: bytes, with_it: LoadedSegment, without: LoadedSegment) -> bool:
    batches = list(without.batches())
    if path.suffix == ".index":
        offsets = range(int(path.stem), without.next_offset())
        same = all(with_it.translate_offset(offset) == without.translate_offset(offset) for offset in offsets)
        return same and with_it.next_offset() == without.next_offset()
    if path.suffix == ".timeindex":
        return all(
            batch.max_timestamp <= entry.timestamp
            for entry in time_index.read(locate(str(path))).entries
            for batch in batches
            if entry.offset is not None and batch.last_offset <= entry.offset
        )
    if path.suffix == ".txnindex":
        kept = [
            (entry.producer_id, entry.first_offset, entry.last_offset)
            for entry in transaction_index.read(locate(str(path))).entries
        ]
        sound = transaction_index.parse(before, file=str(path))
        return kept == [(entry.producer_id, entry.first_offset, entry.last_offset) for entry in sound.entries]
    return False


def side_files(log_dir: Path) -> Iterator[Path]:
    for path in sorted(log_dir.rglob("*")):
        if path.suffix in ENDINGS and path.stat().st_size:
            yield path


@pytest.mark.slow
def test_a_mutated_side_file_is_found_or_harmless(log_dir: Path) -> None:
    sound = findings(log_dir)
    files = list(side_files(log_dir))
    assert {path.suffix for path in files} == set(ENDINGS)
    found = harmless = 0
    for seed in range(MUTATIONS):
        path = random.Random(-seed).choice(files)
        before = path.read_bytes()
        after = mutated(before, seed)
        if after == before:
            continue
        path.write_bytes(after)
        try:
            if findings(log_dir) - sound:
                found += 1
            else:
                assert is_harmless(path, before), (seed, path.name)
                harmless += 1
        finally:
            path.write_bytes(before)
    assert found > 2 * harmless > 0


def test_an_index_goes_with_the_segment_that_kafka_deletes(tmp_path: Path) -> None:
    """Node 1 of golden/cluster/26 truncated solo-0 at offset 3, and deleted its last segment, whose index is wrong."""
    paths = cluster_case(26).unpack(tmp_path)[1]
    found = kafkafmt.open(paths).verify(level="headers").findings.to_pylist()
    of_solo = {
        row["kind"]: row["firstOffset"] for row in found if "/solo-0" in row["path"] and row["level"] == "finding"
    }
    assert "index" not in of_solo
    assert of_solo["cut"] == 3
