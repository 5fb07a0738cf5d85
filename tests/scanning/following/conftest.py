"""The broker whose log directory a test of following lets grow."""

from pathlib import Path

import pytest

from tests.scanning.growing import Broker


@pytest.fixture
def broker(tmp_path: Path) -> Broker:
    return Broker(tmp_path / "logs")
