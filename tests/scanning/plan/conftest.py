"""The log that the tests plan."""

from pathlib import Path

import pytest

from tests.logdir.builders import segment
from tests.scanning.plan.small_batches import BATCHES, one


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A log directory with one segment of 20 batches, each of 10 records."""
    segment(tmp_path / "t-0", 0, *map(one, range(BATCHES)))
    return tmp_path
