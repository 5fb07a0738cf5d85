"""The fixture `made`."""

from pathlib import Path
from typing import Any

import pytest

from kafkafmt.topics.cluster_metadata import ClusterMetadata, metadata
from tests.topics.cluster_metadata import written
from tests.topics.cluster_metadata.written import Make


@pytest.fixture
def made(tmp_path: Path) -> Make:
    """Build the metadata of a log with these records, each in a separate batch."""

    def make(*values: bytes | None, **arguments: Any) -> ClusterMetadata:
        written.node(tmp_path / "node", 1, *(written.batch(offset, value) for offset, value in enumerate(values)))
        return metadata(tmp_path / "node", **arguments)

    return make
