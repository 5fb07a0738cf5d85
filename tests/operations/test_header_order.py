"""Offsets and leader epochs that no CRC covers: `retention` and `compaction` report wrong order."""

import struct
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import kafkafmt
from tests import reads
from tests.logdir.builders import batch, file_name, segment
from tests.logdir.indexed_logs import write_offset_index

NEXT = 100
STOPS = "a follower that fetches it stops (no CRC covers leader epochs)"
GAP = "that is exactly the gap between its neighbours (no CRC covers offsets)"


def moved(entry: bytes, offset: int) -> bytes:
    return struct.pack(">q", offset) + entry[8:]


def write(tmp_path: Path, *wrong: bytes | None, clean: bool) -> tuple[Path, int]:
    """Two segments of seven batches each; some may take the place of the fourth one. The log, and its position."""
    for base, other in zip((0, NEXT), wrong, strict=True):
        entries = [batch(base + at, key=b"k", epoch=5) for at in range(7)]
        place = 3 * len(entries[0])
        if other is not None:
            entries[3] = other
        segment(tmp_path / "t-0", base, *entries)
    if clean:
        (tmp_path / ".kafka_cleanshutdown").touch()
    return tmp_path / "t-0", place


def told(answer: Any) -> list[tuple[str, str]]:
    return [(Path(each.path).name, f"position {each.position}: {each.message}") for each in answer.findings]


def notes_of_scan(partition: Path) -> list[str]:
    scan = kafkafmt.scan(partition)
    scan.to_table()
    return [str(note) for note in scan.notes if note.is_finding]


@pytest.mark.parametrize("base", [0, NEXT])
@pytest.mark.parametrize("clean", [False, True])
@pytest.mark.parametrize(
    ("offset", "epoch", "message"),
    [
        (3, -1, f"offset {{0}}: leader epoch -1 after leader epoch 5: {STOPS}"),
        (1, 5, f"base offset {{1}} should be {{0}}: {GAP}"),
        (50, 5, f"base offset {{1}} should be {{0}}: {GAP}"),
    ],
)
def test_what_is_out_of_order_is_told(
    offset: int, epoch: int, message: str, clean: bool, base: int, tmp_path: Path
) -> None:
    wrong = moved(batch(base + 3, key=b"k", epoch=epoch), base + offset)
    partition, place = write(tmp_path, *((wrong, None) if base == 0 else (None, wrong)), clean=clean)
    expected = [(file_name(base), f"position {place}: {message.format(base + 3, base + offset)}")]
    assert notes_of_scan(partition) == [f"{partition / name}: {text}" for name, text in expected]
    # After a clean shutdown a start reads nothing of the first segment if it has its index.
    write_offset_index(partition / file_name(0), [])
    disks = kafkafmt.open(tmp_path)
    assert told(disks.retention()) == (expected if base or not clean else [])
    assert told(disks.compaction(config={"cleanup.policy": "compact", "min.compaction.lag.ms": "0"})) == expected


def test_a_log_in_order_has_nothing_told(tmp_path: Path) -> None:
    write(tmp_path, None, None, clean=False)
    disks = kafkafmt.open(tmp_path)
    assert told(disks.retention()) == told(disks.compaction(config={"cleanup.policy": "compact"})) == []


def test_of_a_large_segment_retention_reads_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_module("kafkafmt.operations.retention_judge"), "AT_THE_END", 800)
    monkeypatch.setattr("kafkafmt.files.entry_points._LEAST_RANGE", 16)
    reads.jump_over(monkeypatch, 16)
    entries = [batch(at, value=bytes(100)) for at in range(20)]
    size = len(entries[0])
    for at in (3, 17):
        changed = [*entries[:at], moved(entries[at], at - 2), *entries[at + 1 :]]
        path = segment(tmp_path, 0, *changed)
        write_offset_index(path, [(number, number * size) for number in range(5, 20, 5)])
        answer = kafkafmt.open(tmp_path).retention()
        seen = told(answer)
        (note,) = [note for note in answer.notes if "larger than" in str(note)]
        assert note.startswith(
            "in segments larger than 0 MiB (1 here) the order of offsets and leader epochs was only checked"
        )
        assert [text.partition(":")[0] for _, text in seen] == ([] if at == 3 else [f"position {at * size}"])
