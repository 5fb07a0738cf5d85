"""Odd compressed bytes, compared with Kafka's own answers in vectors/compression.json (vectors/README.md)."""

import base64
import hashlib
import json
import zlib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from kafkafmt import errors
from kafkafmt.codec.compression import Compression
from kafkafmt.limits import Limits
from tests.codec.compression.ways import Decompress

VECTORS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent.parent / "vectors" / "compression.json").read_text(encoding="utf-8")
)


def compressed(vector: dict[str, Any]) -> bytes:
    if "data" in vector:
        return base64.b64decode(vector["data"])
    return zlib.decompress(base64.b64decode(vector["zlib"]))


@pytest.mark.slow
@pytest.mark.parametrize("buffer", [bytes, memoryview])
@pytest.mark.parametrize("vector", VECTORS, ids=[vector["name"] for vector in VECTORS])
def test_answers_as_kafka(decompress: Decompress, vector: dict[str, Any], buffer: type) -> None:
    codec = Compression[vector["codec"].upper()]
    data = buffer(compressed(vector))
    if "error" in vector:
        with pytest.raises(errors.KafkafmtError) as caught:
            decompress(codec, data, magic=vector["magic"], limits=Limits())
        assert type(caught.value).__name__ == vector["error"], vector["why"]
        assert caught.value.file is None
        assert caught.value.position is None
    else:
        content = decompress(codec, data, magic=vector["magic"], limits=Limits())
        assert type(content) is bytes
        assert len(content) == vector["size"], vector["why"]
        assert hashlib.sha256(content).hexdigest()[:32] == vector["sha256"]


def test_each_codec_has_vectors_that_kafka_reads_and_that_it_refuses() -> None:
    counts = Counter((vector["codec"], "error" in vector) for vector in VECTORS)
    assert set(counts) == {(codec, error) for codec in ("gzip", "snappy", "lz4", "zstd") for error in (False, True)}
    assert min(counts.values()) >= 20
    assert len({vector["name"] for vector in VECTORS}) == len(VECTORS)
