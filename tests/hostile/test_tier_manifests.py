"""Broken manifests of segments in remote storage: every prefix, every bit, every chunk size.

All bits with KAFKAFMT_EVERY_BIT=1, else one in so many, 17 if not said.
"""

import base64
import json
import os
from typing import Any

import pytest
import zstandard

from kafkafmt import DataError, KafkafmtError
from kafkafmt.files import rsm_manifest
from tests.golden_cases import tier_case
from tests.hostile.law import obeys

pytestmark = [pytest.mark.volume, pytest.mark.dosed]

STEP = int(os.environ.get("KAFKAFMT_EVERY_BIT", "17"))


def manifest(number: int) -> bytes:
    return min(tier_case(number).tier.rglob("*.rsm-manifest")).read_bytes()


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_every_prefix_of_a_manifest_is_refused(number: int) -> None:
    data = manifest(number)
    rsm_manifest.parse(data)
    for end in range(len(data)):
        assert isinstance(obeys(lambda e=end: rsm_manifest.parse(data[:e])), DataError)  # type: ignore[misc]


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_every_bit_of_a_manifest_flipped_gives_one_or_an_error(number: int) -> None:
    data = manifest(number)
    for bit in range(0, 8 * len(data), STEP):
        flipped = bytearray(data)
        flipped[bit // 8] ^= 1 << bit % 8
        found = obeys(lambda d=flipped: rsm_manifest.parse(bytes(d)))  # type: ignore[misc]
        if not isinstance(found, KafkafmtError):
            found.to_table().validate(full=True)


def with_chunks(fields: dict[str, Any], packed: bytes) -> bytes:
    index = {**fields["chunkIndex"], "transformedChunks": base64.b64encode(packed).decode()}
    return json.dumps({**fields, "chunkIndex": index}).encode()


def test_every_prefix_and_bit_of_chunk_sizes_gives_sizes_or_an_error() -> None:
    fields = json.loads(manifest(2))
    packed = base64.b64decode(fields["chunkIndex"]["transformedChunks"])
    sizes = zstandard.decompress(packed)
    true = list(rsm_manifest.parse(with_chunks(fields, zstandard.compress(sizes))).chunks.stored_sizes)
    assert len(true) > 2
    for whole, shown in ((packed, bytes), (sizes, zstandard.compress)):
        for end in range(len(whole)):
            data = with_chunks(fields, shown(whole[:end]))
            assert isinstance(obeys(lambda d=data: rsm_manifest.parse(d)), DataError)  # type: ignore[misc]
        for bit in range(8 * len(whole)):
            flipped = bytearray(whole)
            flipped[bit // 8] ^= 1 << bit % 8
            data = with_chunks(fields, shown(bytes(flipped)))
            found = obeys(lambda d=data: rsm_manifest.parse(d))  # type: ignore[misc]
            if not isinstance(found, KafkafmtError):
                assert len(found.chunks.stored_sizes) == len(true)
