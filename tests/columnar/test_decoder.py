"""Decoder: the batches it takes at once, the selected rows, and the batches left to the reference engine."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkafmt.columnar import payloads
from kafkafmt.columnar.decoder import Decoder
from kafkafmt.columns import SCHEMA, select
from kafkafmt.limits import Limits
from tests.columnar.decoding import CHECKED, ORIGIN, assert_same, columnar, headers, mask
from tests.reference.builder import CONTROL, TRANSACTIONAL, R, batch

LONG = [R(number, number, b"key", b"v" * 5000) for number in range(100)]


@pytest.mark.parametrize("behind", [0, 1, 63, 64])
def test_bytes_behind_the_last_batch_do_not_count(behind: int) -> None:
    data = batch([R(0), R(1, headers=[(b"h", b"v")])]) + batch([R(0, value=b"w" * 40)])
    assert assert_same(headers(data, b"\x01" * behind)) == 2


def test_codecs_and_plain_batches_side_by_side() -> None:
    data = b"".join(batch([R(0, key=b"k%d" % number), R(1)], attributes=number % 5) for number in range(12))
    batches = headers(data)
    assert assert_same(batches) == 12
    found, following = Decoder(SCHEMA, CHECKED, Limits()).batches(
        ORIGIN, batches, 0, mask(batches, None), mask(batches, None)
    )
    assert found is not None
    assert (found.num_rows, following) == (24, 12)


@pytest.mark.parametrize("attributes", [0, 4], ids=["none", "zstd"])
def test_some_megabytes_at_once(attributes: int) -> None:
    batches = headers(batch(LONG, attributes=attributes) * 30)
    decoder = Decoder(SCHEMA, CHECKED, Limits())
    all_of_them = mask(batches, None)
    found, following = decoder.batches(ORIGIN, batches, 0, all_of_them, all_of_them)
    assert found is not None
    assert 3 << 20 <= found.nbytes <= 10 << 20
    assert found.num_rows == 100 * following
    assert assert_same(batches) == 30


@given(
    st.lists(
        st.tuples(st.booleans(), st.booleans(), st.sampled_from([0, 0, 1, 4]), st.sampled_from([None, None, None, 7]))
    ),
    st.sampled_from(["all", "value"]),
)
def test_wanted_and_checked_batches(built: list[tuple[bool, bool, int, int | None]], columns: str) -> None:
    data = b"".join(
        batch([R(0, value=b"%d" % number)], base_offset=number, attributes=codec, crc=crc)
        for number, (_, _, codec, crc) in enumerate(built)
    )
    wanted, checked = [each[0] for each in built], [each[1] for each in built]
    assert_same(headers(data), select(None if columns == "all" else [columns]), wanted=wanted, checked=checked)


@pytest.mark.parametrize("attributes", [0, 1], ids=["none", "gzip"])
def test_wrong_crc(attributes: int) -> None:
    data = batch(attributes=attributes) + batch(attributes=attributes, crc=1) + batch(attributes=attributes)
    assert assert_same(headers(data)) == 1
    assert assert_same(headers(data), checked=[True, False, True]) == 3
    assert assert_same(headers(data), wanted=[True, False, True]) == 1


def test_payload_that_does_not_decompress() -> None:
    assert assert_same(headers(batch() + batch(attributes=1, payload=b"no gzip") + batch())) == 1


def test_decompressed_beyond_the_limit() -> None:
    data = batch(attributes=4) + batch([R(0, value=b"v" * 5000)], attributes=4)
    assert assert_same(headers(data), limits=Limits(max_decompressed_bytes=1000)) == 1


@pytest.mark.parametrize("attributes", [0, 1], ids=["none", "gzip"])
def test_more_than_arrays_should_hold(attributes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    batches = headers(batch([R()] * 3, attributes=attributes) + batch([R()] * 4, attributes=attributes))
    monkeypatch.setattr(payloads, "_MOST_RECORDS", 3)
    assert columnar(batches)[1] == 1
    monkeypatch.setattr(payloads, "_MOST_RECORDS", 4)
    assert columnar(batches)[1] == 2
    monkeypatch.setattr(payloads, "_LARGEST", 30)
    assert columnar(batches)[1] == 1


def test_control_batches() -> None:
    def marker(version: bytes, *rest: R) -> bytes:
        records = [R(0, 0, version, b"\0\0\0\0\0\1"), *rest]
        return batch(records, attributes=CONTROL | TRANSACTIONAL, producer_id=5)

    data = (
        batch([R(), R(1)]) + marker(b"\0\0\0\0") + marker(b"\0\0\0\1") + batch() + marker(b"\0") + marker(b"\0\0\x7f\0")
    )
    data += batch([R(0, key=None)], attributes=CONTROL)
    assert assert_same(headers(data)) == 7
    found, _ = columnar(headers(data), select(["controlType", "offset"]))
    assert found["controlType"].to_pylist() == [None, None, "ABORT", "COMMIT", None, "UNKNOWN", "UNKNOWN", "UNKNOWN"]
    null_keys = headers(batch() + batch([R(0, key=None)], attributes=CONTROL))
    assert columnar(null_keys, select(["controlType"]))[0]["controlType"].to_pylist() == [None, "UNKNOWN"]


def test_what_batches_say_differs_from_one_to_the_next() -> None:
    data = b"".join(
        batch(
            [R(), R(1)],
            producer_id=number % 3,
            producer_epoch=number % 2,
            leader_epoch=number,
            base_sequence=number - 2,
            attributes=(number % 2) * 0x18,
            base_offset=number * 10,
        )
        for number in range(7)
    )
    assert assert_same(headers(data)) == 7


def test_tables_outlive_what_they_were_made_of() -> None:
    # Arrays held by Arrow must not be overwritten, neither those of the pool nor those of the file.
    decoder = Decoder(SCHEMA, CHECKED, Limits())
    first, second = headers(batch(LONG) * 9), headers(batch([R(0, 0, b"other", b"w" * 4000)] * 100, attributes=4) * 9)
    table, _ = columnar(first, decoder=decoder)
    before = table.to_pylist()
    for _ in range(3):
        columnar(second, decoder=decoder)
    assert table.to_pylist() == before


@pytest.mark.slow
def test_decoding_loads_no_numba_where_kernels_are_kept(tmp_path: Path) -> None:
    (log := tmp_path / "a.log").write_bytes(batch([R()] * 100) * 200)
    code = """
import sys
from pathlib import Path
import kafkafmt
rows = kafkafmt.scan(sys.argv[1]).to_table().num_rows
print(rows, *sorted({"numba", "kafkafmt.columnar.decoder", "llvmlite.binding"}.intersection(sys.modules)))
"""
    environment = {"PYTHONPATH": ":".join(sys.path), "NUMBA_CACHE_DIR": str(tmp_path)}
    loaded = [
        subprocess.run(
            [sys.executable, "-c", code, log], check=True, capture_output=True, text=True, env=environment
        ).stdout.split()
        for _ in range(2)
    ]
    assert loaded[0][0] == loaded[1][0] == "20000"
    assert loaded[1][1:] == ["kafkafmt.columnar.decoder", "llvmlite.binding"]


def test_nothing_wanted() -> None:
    batches = headers(batch() * 3)
    nothing = np.zeros(3, np.bool_)
    assert Decoder(SCHEMA, CHECKED, Limits()).batches(ORIGIN, batches, 1, nothing, nothing) == (None, 3)


@pytest.mark.slow
@pytest.mark.parametrize("attributes", [0, 4], ids=["none", "zstd"])
def test_little_is_read_in_vain_where_many_batches_are_broken(attributes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    good, broken = batch([R(0, value=b"v" * 1000)]), batch([R(0, value=b"v" * 1000), b"\0"], count=1)
    batches = headers((good + broken) * 500)
    decoder = Decoder(SCHEMA, CHECKED, Limits())
    sizes = []
    read = payloads.PayloadReader.read

    def measured(*arguments: Any) -> payloads.Payloads:
        found = read(*arguments)
        sizes.append(int((found.ends - found.starts).sum()))
        return found

    monkeypatch.setattr(payloads.PayloadReader, "read", measured)
    at = 0
    while at < len(batches):
        _, following = decoder.batches(ORIGIN, batches, at, mask(batches, None), mask(batches, None))
        # Like its caller: the batch is left to the reference engine.
        at = following + 1 if following == at else following
    assert len(sizes) == 1000
    assert sum(sizes) < 1000 * 80_000


def test_more_is_read_again_behind_a_broken_batch() -> None:
    broken = batch([R(), b"\0"], count=1)
    batches = headers(broken + batch(LONG) * 30)
    decoder = Decoder(SCHEMA, CHECKED, Limits())
    assert columnar(batches, decoder=decoder)[1] == 0
    taken = []
    at = 1
    while at < len(batches):
        _, following = decoder.batches(ORIGIN, batches, at, mask(batches, None), mask(batches, None))
        taken.append(following - at)
        at = following
    assert taken[:4] == [1, 1, 1, 2]
    assert max(taken) >= 8
