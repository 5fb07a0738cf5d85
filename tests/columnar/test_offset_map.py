"""kafkafmt.columnar.offset_map: hashes are SipHash's, and the map keeps the latest offset of each key."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkafmt.columnar.offset_map import HASHED, OffsetMap, hash_keys

# The first vector published by SipHash's authors for 128 bits, and the one of 15 bytes (Aumasson, Bernstein).
VECTORS = {
    b"": "a3817f04ba25a8e66df67214c7550293",
    b"\0": "da87c1d86b99af44347659119b22fc45",
    bytes(range(15)): "5493e99933b0a8117e08ec0f97cfc3d9",
}


def test_hashes_are_those_of_siphash() -> None:
    secret = np.frombuffer(bytes(range(16)), np.uint64)
    hashed = hash_keys(pa.array(list(VECTORS), pa.binary()), np.arange(len(VECTORS)), secret)
    found = [row["low"].tobytes().hex() + row["high"].tobytes().hex() for row in hashed]
    assert found == list(VECTORS.values())


@given(st.lists(st.one_of(st.none(), st.binary(max_size=40))), st.integers(0, 5))
def test_the_latest_offset_of_each_key(keys: list[bytes | None], cut: int) -> None:
    array = pa.array([b"before", *keys], pa.binary())[1 + cut :]  # including arrays that begin within their buffers
    keys = keys[cut:]
    hashed = hash_keys(array, np.arange(len(keys), dtype=np.int64))
    latest = {key: offset for offset, key in enumerate(keys) if key is not None}
    found = OffsetMap(1000)
    assert found.put(hashed) == hashed.size == sum(key is not None for key in keys)
    assert len(found) == len(latest)
    assert sorted(found.entries()["offset"]) == sorted(latest.values())
    assert found.find(hashed).tolist() == [latest[key] for key in keys if key is not None]


@pytest.mark.parametrize("capacity", [1, 7, 512, 513, 5000])
def test_a_map_that_is_full_takes_only_keys_that_it_has(capacity: int) -> None:
    keys = [b"%d" % (number // 2) for number in range(3 * capacity)]
    hashed = hash_keys(pa.array(keys, pa.binary()), np.arange(len(keys), dtype=np.int64))
    found = OffsetMap(capacity)
    assert found.put(hashed) == min(2 * capacity, len(keys))
    assert len(found) == capacity
    assert found.put(hashed[:1]) == 1
    assert found.put(hashed[-1:]) == 0
    assert found.find(hashed[:2]).tolist() == [1, 1], "the higher offset stays"
    assert found.find(hashed[-1:]).tolist() == [-1]
    found.clear()
    assert len(found) == 0
    assert found.put(hashed[-1:]) == 1


def test_no_keys() -> None:
    nothing = hash_keys(pa.array([], pa.binary()), np.empty(0, np.int64))
    assert nothing.dtype == HASHED
    assert OffsetMap(1).put(nothing) == 0
