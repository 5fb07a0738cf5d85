"""Small files are written as Kafka writes them: every golden file round-trips byte for byte."""

import gzip
import json
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path

import pytest

from kafkafmt.errors import DataError
from kafkafmt.files import leader_epoch_checkpoint, offset_checkpoint, partition_metadata, producer_snapshot

GOLDEN = Path(__file__).parent.parent / "golden"


def golden_files(ending: str) -> Iterator[tuple[str, bytes]]:
    for path in sorted(GOLDEN.rglob(f"*{ending}")):
        yield str(path.relative_to(GOLDEN)), path.read_bytes()
    for path in sorted((GOLDEN / "writing" / "segments").iterdir()):
        for name, files in json.loads(gzip.decompress(path.read_bytes()))["states"].items():
            for file, content in files.items():
                if file.endswith(ending) and isinstance(content, str):
                    yield f"{path.name}:{name}:{file}", b64decode(content)


def encoded(ending: str, data: bytes) -> bytes:
    if ending == ".snapshot":
        return producer_snapshot.encode(producer_snapshot.parse(data).entries)
    if ending == "leader-epoch-checkpoint":
        return leader_epoch_checkpoint.encode(leader_epoch_checkpoint.parse(data).entries)
    if ending == "-offset-checkpoint":
        return offset_checkpoint.encode(offset_checkpoint.parse(data).entries)
    return partition_metadata.encode(partition_metadata.parse(data).topic_id)


@pytest.mark.parametrize("ending", [".snapshot", "leader-epoch-checkpoint", "-offset-checkpoint", "partition.metadata"])
def test_a_golden_file_comes_back(ending: str) -> None:
    compared = 0
    for name, data in golden_files(ending):
        try:
            again = encoded(ending, data)
        except DataError:
            continue  # damaged on purpose
        if not data and again == b"0\n0\n":
            continue  # a file without entries may have 0 bytes
        assert again == data, name
        compared += 1
    assert compared > 20
