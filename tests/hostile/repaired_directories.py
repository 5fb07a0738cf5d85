"""Broken log directories that are verified, repaired, and verified again: nothing is invented, what is lost is said."""

import random
import shutil
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow.compute as pc

import kafkafmt
from kafkafmt import KafkafmtError
from tests.engines import ENGINES
from tests.hostile.changed_directory import Directory, removed, scratch
from tests.hostile.law import obeys
from tests.startup.test_golden_starts import unpack
from tests.startup.test_side_files import mutated

_PARTITIONS = (("audit-0",), ("events-1",), ("orders-0",), ("payments-1",), ("audit-0", "events-1"))
_COLUMNS = ["topic", "partition", "offset", "timestamp", "key", "value", "producerId", "producerEpoch", "sequence"]
# What the first said is in the metadata log alone; without the second nothing refutes the offset of the last batch.
_SPARED = ("meta.properties", "recovery-point-offset-checkpoint")

Row = dict[str, Any]
Rows = dict[tuple[object, ...], Row]


@dataclass(frozen=True)
class _Sound(Directory):
    """A log directory after an orderly stop, and its records."""

    rows: Rows


@cache
def _sound() -> tuple[_Sound, ...]:
    whole = scratch("whole")
    unpack("01-clean", whole)
    found = []
    for partitions in _PARTITIONS:
        root = scratch("sound") / "d0"
        shutil.copytree(whole / "d0", root)
        for path in root.iterdir():
            if path.is_dir() and path.name not in partitions:
                shutil.rmtree(path)
        found.append(_Sound(root, Directory.of(root).files, _rows(root)))
        assert found[-1].rows
        assert _findings(root) == []
    shutil.rmtree(whole)
    return tuple(found)


def _rows(log_dir: Path) -> Rows:
    """The records, which are the same by both engines."""
    found, expected = (
        kafkafmt.scan(log_dir, columns=_COLUMNS, below_log_start=True, engine=engine).to_table() for engine in ENGINES
    )
    assert found == expected
    return {(row["topic"], row["partition"], row["offset"]): row for row in found.to_pylist()}


def _findings(log_dir: Path) -> list[Row]:
    table = kafkafmt.open(log_dir).verify(level="records").findings
    found: list[Row] = table.filter(pc.equal(table["level"], "finding")).to_pylist()
    # The metadata log was left out, on purpose.
    return [each for each in found if each["kind"] not in ("no_metadata_log", "stray")]


def check_repair(rnd: random.Random) -> int:
    """Break a log directory, and repair it."""
    of = rnd.choice(_sound())
    names = [name for name, content in of.files.items() if content and name not in _SPARED]
    logs = [name for name in names if name.endswith(".log")]
    files = dict(of.files)
    for number in range(rnd.randint(1, 4)):
        name = rnd.choice(logs if number % 2 == 0 else names)
        files[name] = mutated(files[name], rnd.getrandbits(32)) if files[name] else b""
    with of.changed(files), removed(of.root.parent / "out") as out:
        before = obeys(lambda: _findings(of.root)) if rnd.random() < 0.5 else None
        assert not isinstance(before, KafkafmtError)
        answer = kafkafmt.repair(of.root, out)
        said = answer.dropped.num_rows
        found = _rows(out)
        for place, row in found.items():
            assert row == of.rows[place]
        is_cut = any(len(files[name]) < len(of.files[name]) for name in logs)
        # Where a log ended before it was cut is written nowhere.
        assert len(found) == len(of.rows) or said or is_cut
        assert before != [] or not said
        # A wrong leader epoch stays where nothing shows the right one.
        assert any(" stays: " in str(note) for note in answer.notes) or _findings(out) == []
    return 1
