"""Scans of batches that contain a byte string: no match is missed, and batches without it are not decoded."""

import random
import struct
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from crc32c import crc32c
from hypothesis import given
from hypothesis import strategies as st

import kafkafmt
from kafkafmt import ChecksumError, CorruptError
from kafkafmt.codec.compression.buffer import SLACK
from kafkafmt.columnar.kernels import holding
from kafkafmt.columnar.row_filter import Needles
from tests.engines import load_kernels
from tests.golden_cases import Case, cases
from tests.logdir.builders import batch, segment
from tests.scanning.test_scan import broken

CASES = [case for case in cases() if case.name in ("01-codecs-4.3.1", "m1-codecs-0.10.2.2", "m0-codecs-0.8.2.2")]


@given(
    content=st.binary(max_size=300).map(lambda data: bytes(byte & 0x43 for byte in data)),
    needles=st.lists(
        st.binary(min_size=1, max_size=40).map(lambda data: bytes(byte & 0x43 for byte in data)), max_size=3
    ),
    edges=st.lists(st.integers(0, 300), max_size=6).map(sorted),
    data=st.data(),
    ignore_case=st.booleans(),
)
def test_ranges_that_hold_a_needle(
    content: bytes, needles: list[bytes], edges: list[int], data: st.DataObject, ignore_case: bool
) -> None:
    if content:
        begin = data.draw(st.integers(0, len(content) - 1))
        needles.append(content[begin : begin + data.draw(st.integers(1, 40))])
    bounds = [min(edge, len(content)) for edge in edges]
    ranges = list(pairwise(bounds))
    # Bytes after a range do not count, even if the needle continues there.
    source = np.frombuffer(content + (needles[0] * SLACK)[:SLACK] if needles else content + bytes(SLACK), np.uint8)
    starts, ends = (np.array([pair[side] for pair in ranges], np.int64) for side in (0, 1))
    held = np.zeros(len(ranges), np.bool_)
    holding(source, starts, ends, Needles(tuple(needles), ignore_case).sought(), held)

    def folded(text: bytes) -> bytes:
        return bytes(byte | 0x20 for byte in text) if ignore_case else text

    expected = [any(folded(each) in folded(content[begin:end]) for each in needles) for begin, end in ranges]
    assert held.tolist() == expected


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("ignore_case", [False, True])
def test_no_record_is_missed(case: Case, ignore_case: bool, engine: Any) -> None:
    scan = kafkafmt.scan(case.log_dir, columns=["topic", "offset", "key", "value"])
    table = scan.to_table()
    values = [value for value in table.column("value").to_pylist() if value]
    chosen = random.Random(1)
    for _ in range(8):
        value = chosen.choice(values)
        begin = chosen.randrange(len(value))
        string = value[begin : begin + chosen.randrange(1, 12)]
        if ignore_case and not string.isascii():
            continue
        has_it = pc.match_substring(pc.field("value"), string)
        sought = scan.containing(
            [string.swapcase() if ignore_case else string, b"found nowhere"], ignore_case=ignore_case
        )
        assert sought.filter(has_it).to_table().equals(table.filter(has_it))
        assert sought.to_table().num_rows <= table.num_rows
        assert sought.filter(has_it).count() == table.filter(has_it).num_rows


def unsound(data: bytes) -> bytes:
    """A batch with a correct CRC whose last record declares a header that is missing."""
    covered = data[21:-1] + b"\x02"
    return data[:17] + struct.pack(">I", crc32c(covered)) + covered


def test_what_holds_nothing_is_not_decoded_but_its_checksum_is_compared(tmp_path: Path) -> None:
    load_kernels()
    segment(tmp_path / "t-0", 0, unsound(batch(0, 2000, value=b"some")), batch(2000, 2000, value=b"other"))
    scan = kafkafmt.scan(tmp_path, columns=["offset"])
    assert scan.containing([b"other"]).to_table().num_rows == 2000
    assert scan.containing([b"nowhere"]).to_table().num_rows == 0
    with pytest.raises(CorruptError):
        scan.containing([b"some"]).to_table()
    segment(tmp_path / "t-0", 0, broken(batch(0, 2000, value=b"some")), batch(2000, 2000, value=b"other"))
    with pytest.raises(ChecksumError):
        kafkafmt.scan(tmp_path).containing([b"other"]).to_table()


def test_it_goes_with_filters_splits_and_threads(tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 0, *(batch(100 * number, 100, value=b"value %d" % number) for number in range(100)))
    scan = kafkafmt.scan(tmp_path, start_offset=50, threads=2).containing([b"value 7"])
    rows = scan.filter(pc.field("value") == b"value 7").to_table()
    assert rows.column("offset").to_pylist() == [*range(700, 800)]
    plan = scan.plan(max_split_bytes=5000)
    assert len(plan.splits) > 1
    found = [batch for split in plan.splits for batch in plan.reading.read(split)]
    assert (
        pa.Table.from_batches(found)
        .filter(pc.field("value") == b"value 7")
        .column("offset")
        .equals(rows.column("offset"))
    )


@pytest.mark.parametrize("strings", [[], [b""], [b"a", b""]])
def test_strings_that_find_everything_or_nothing_are_refused(tmp_path: Path, strings: list[bytes]) -> None:
    segment(tmp_path / "t-0", 0)
    with pytest.raises(ValueError, match="strings"):
        kafkafmt.scan(tmp_path).containing(strings)
