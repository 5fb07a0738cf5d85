"""The healthy log directory in which each test makes one thing wrong, or odd."""

from pathlib import Path

import pytest

from tests.logdir.builders import segment


@pytest.fixture
def log_dir(tmp_path: Path) -> Path:
    """A log directory of a broker that was stopped cleanly, with one partition of two segments."""
    path = tmp_path / "data"
    segment(path / "orders-0", 0)
    segment(path / "orders-0", 10)
    for base_offset in (0, 10):
        for kind in ("index", "timeindex"):
            (path / "orders-0" / f"{base_offset:020d}.{kind}").write_bytes(b"")
    (path / "meta.properties").write_text("version=1\nnode.id=3\ncluster.id=c\n")
    (path / ".kafka_cleanshutdown").write_bytes(b"")
    return path
