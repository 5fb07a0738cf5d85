"""The simulated broker whose log directory grows while a test follows it."""

from pathlib import Path

import pytest

from tests.scanning.growing import Broker


@pytest.fixture
def broker(tmp_path: Path) -> Broker:
    return Broker(tmp_path / "logs")
