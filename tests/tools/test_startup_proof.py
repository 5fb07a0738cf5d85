"""tools/startup_proof: its parts that need neither Maven nor a broker; .ci/run starts one."""

from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

import kafkafmt
from startup_proof.damage import damage
from startup_proof.run import differences
from startup_proof.started import Started, files_of, read
from tests.startup.test_golden_starts import unpack

LOG = """\
12:00:00.000 [WARN] LogLoader - [LogLoader partition=orders-0, dir={dir}] Recovering unflushed segment 0. 0 recovered.
12:00:00.000 [WARN] LogLoader - [LogLoader partition=orders-0, dir={dir}] Corruption found in segment 0, truncating to \
offset 7
12:00:00.000 [INFO] LogManager - Completed load of Log(dir={dir}/orders-0, topicId=x, topic=orders, partition=0, \
highWatermark=0, lastStableOffset=0, logStartOffset=2, logEndOffset=7) with 1 segments in 3ms (1/2 completed in {dir})
"""


@pytest.fixture
def log_dirs(tmp_path: Path) -> list[Path]:
    unpack("01-clean", tmp_path)
    return [tmp_path / "d0", tmp_path / "d1"]


def content(log_dirs: list[Path]) -> dict[str, bytes]:
    root = log_dirs[0].parent
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def test_damage_comes_again_with_its_seed(tmp_path: Path) -> None:
    found = []
    for name in ("first", "second"):
        unpack("01-clean", tmp_path / name)
        dirs = [tmp_path / name / "d0", tmp_path / name / "d1"]
        sound = content(dirs)
        done = damage(Random(3), dirs)
        assert done
        assert content(dirs) != sound
        found.append((done, content(dirs)))
    assert found[0] == found[1]


@pytest.mark.parametrize("seed", range(30))
def test_verify_has_a_verdict_whatever_was_damaged(seed: int, log_dirs: list[Path]) -> None:
    damage(Random(seed), log_dirs)
    assert kafkafmt.open(log_dirs).verify(level="headers", node_id=1).verdict.num_rows == 2


def test_what_a_broker_did_is_read_from_its_log_and_the_files(tmp_path: Path) -> None:
    for name in ("orders-0", "orders-1", "old-2"):
        (tmp_path / "d" / name).mkdir(parents=True)
    log_dir = tmp_path / "d"
    before = files_of([log_dir])
    for name in ("0" * 20 + ".index", "0" * 20 + ".log", "9".zfill(20) + ".log.deleted"):
        (log_dir / "orders-0" / name).touch()
    (log_dir / "old-2").rename(log_dir / "old-2.0123-stray")
    started = read(LOG.format(dir=log_dir), [log_dir], before, starts=True)
    assert started.log_dirs == {str(log_dir): True}
    assert started.partitions == {
        f"{log_dir}/orders-0": {
            "action": "recover",
            "truncateFrom": 7,
            "logStartOffset": 2,
            "logEndOffset": 7,
            "deletedSegments": ["9".zfill(20) + ".log"],
            "rebuilt": ["0" * 20 + ".index"],
        },
        f"{log_dir}/orders-1": {"action": "keep", "truncateFrom": None, "deletedSegments": [], "rebuilt": []},
        f"{log_dir}/old-2": {"action": "stray", "truncateFrom": None},
    }
    offline = read(f"Stopping serving logs in dir {log_dir} (x)", [log_dir], before, starts=True)
    assert offline.log_dirs == {str(log_dir): False}
    assert {row["action"] for row in offline.partitions.values()} == {"offline"}


def test_differences_name_the_partition_and_the_field() -> None:
    found: dict[str, Any] = {"path": "/d/orders-0", "action": "keep", "logEndOffset": 5, "truncateFrom": None}
    started = Started(
        starts=True,
        log_dirs={"/d": True},
        partitions={"/d/orders-0": {"action": "keep", "logEndOffset": 4, "truncateFrom": None}},
    )
    compared: Counter[str] = Counter()
    verdict = {"logDir": "/d", "starts": True, "online": True}
    assert list(differences(([verdict], [found]), started, compared)) == [
        "d/orders-0: logEndOffset is 5, the broker: 4"
    ]
    assert compared.total() == 5
