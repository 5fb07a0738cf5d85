"""The brokers shown in the tested reports."""

import shutil
from pathlib import Path

import pytest

from tests.cli.report.pages import case


@pytest.fixture(scope="session")
def brokers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tree of several brokers, sound and damaged, old and new."""
    root = tmp_path_factory.mktemp("brokers")
    nodes = case("07-three-nodes-diverged-4.3.1").log_dir
    for number in (1, 2, 3):
        shutil.copytree(nodes / f"node-{number}", root / f"broker-{number}")
    shutil.copytree(case("12-crash-4.3.1").log_dir / "damaged", root / "broker-4")
    shutil.copytree(case("15-large-4.3.1").log_dir, root / "broker-5")
    shutil.copytree(case("mixed-magic-2.8.2").log_dir, root / "broker-6")
    shutil.copytree(case("06-retention-4.3.1").log_dir, root / "broker-7")
    return root
