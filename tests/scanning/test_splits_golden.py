"""The splits of every golden log, read one by one, give the same rows as a scan."""

from typing import Any

import pytest

import kafkafmt
from tests.golden_cases import Case, cases
from tests.scanning import united

pytestmark = pytest.mark.volume

# Scan arguments, and sizes of splits: a batch, some batches, half or a third of a file, or everything.
ASKED: dict[str, tuple[dict[str, Any], tuple[int, ...]]] = {
    "skip": ({"on_damage": "skip"}, (1, 40_000)),
    "raise": ({}, (1000,)),
    "committed": ({"on_damage": "skip", "isolation_level": "read_committed"}, (300,)),
    "committed-raise": ({"isolation_level": "read_committed", "replica": "all"}, (5000,)),
    "bounded": ({"on_damage": "skip", "start_offset": 7, "end_offset": 60, "control_records": True}, (1,)),
    "reference": ({"on_damage": "skip", "below_log_start": True, "engine": "reference"}, (10**12,)),
}
LARGE = 1024 * 1024


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("case", cases(), ids=str)
def test_splits_give_what_a_scan_gives(case: Case, asked: str) -> None:
    wanted, sizes = ASKED[asked]
    scan = kafkafmt.scan(case.log_dir, columns=["offset", "value", "timestamp", "file", "position"], **wanted)
    expected = united.of_scan(scan, case.log_dir)
    many = 1 + sum(path.stat().st_size for path in case.files("*.log")) // LARGE
    for size in sizes:
        try:
            plan = scan.plan(max_split_bytes=size * many)
        except kafkafmt.KafkafmtError:
            assert expected.error is not None
            continue
        found = united.of_plan(plan)
        assert found.table.equals(expected.table), size
        assert found.error == expected.error, size
        if expected.error is None:
            assert found.damage == expected.damage, size
