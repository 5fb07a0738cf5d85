"""RowEncoder against BatchBuilder: the same bytes, row by row and by kernels, in one part and in several."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kafkafmt.writing.batch_builder import BatchBuilder
from kafkafmt.writing.row_encoder import HEADERS, PartitionRows, RowEncoder

Row = tuple[int, int, bytes | None, bytes | None, list[tuple[str, bytes | None]]]

ROW = st.tuples(
    st.integers(1, 5) | st.sampled_from([2**20, 2**31 - 1, 2**31, 2**33]),
    st.integers(-1, 2**50) | st.sampled_from([2**63 - 1, 2**62]),
    st.none() | st.binary(max_size=70),
    st.none() | st.binary(max_size=600) | st.sampled_from([b"x" * 5000, b""]),
    st.lists(st.tuples(st.text(max_size=9), st.none() | st.binary(max_size=40)), max_size=3),
)


def rows_of(rows: Sequence[Row]) -> PartitionRows:
    offsets, timestamps, keys, values, headers = zip(*rows, strict=True)
    return PartitionRows(
        np.array(offsets, np.int64),
        np.array(timestamps, np.int64),
        pa.array(keys, pa.binary()),
        pa.array(values, pa.binary()),
        pa.array([[{"key": k, "value": v} for k, v in each] or None for each in headers], HEADERS),
        None,
    )


def by_builder(rows: Sequence[Row], magic: int, compression: str, limit: int) -> bytes:
    built: list[bytes] = []
    builder: BatchBuilder | None = None
    base = 0
    for offset, timestamp, key, value, headers in rows:
        if builder is not None and (
            offset - base > 2**31 - 1 or not builder.has_room_for(timestamp, key, value, headers)
        ):
            built.append(builder.build())
            builder = None
        if builder is None:
            base = offset
            builder = BatchBuilder(
                message_format=magic,
                compression=compression,
                base_offset=offset,
                size_limit=limit,
                partition_leader_epoch=3,
                timestamp_type="CreateTime" if magic else "NoTimestampType",
            )
        builder.append(timestamp, key, value, headers, offset=offset)
    assert builder is not None
    return b"".join([*built, builder.build()])


@settings(deadline=None)
@given(
    st.lists(ROW, min_size=1, max_size=30),
    st.sampled_from([(2, "none"), (2, "lz4"), (2, "zstd"), (2, "gzip"), (2, "snappy"), (1, "none"), (0, "gzip")]),
    st.sampled_from([1, 100, 1000, 16384]),
    st.lists(st.integers(0, 30), max_size=3),
)
def test_it_makes_the_batches_that_a_builder_makes(
    gaps: list[Row], kind: tuple[int, str], limit: int, cuts: list[int]
) -> None:
    magic, compression = kind
    rows: list[Row] = []
    offset = 0
    for gap, timestamp, key, value, headers in gaps:
        rows.append((offset, timestamp, key, value, headers if magic == 2 else []))
        offset += gap
    encoder = RowEncoder(
        message_format=magic,
        compression=compression,
        compression_level=None,
        batch_bytes=limit,
        timestamp_type="CreateTime",
        leader_epoch=3,
    )
    whole = rows_of(rows)
    ends = sorted({0, len(rows), *(min(each, len(rows)) for each in cuts)})
    built = [bytes(data) for begin, end in pairwise(ends) for data in encoder.add(whole.part(begin, end))]
    built += [bytes(data) for data in encoder.finish()]
    assert b"".join(built) == by_builder(rows, magic, compression, limit)


def test_append_time_gives_a_batch_for_each_timestamp() -> None:
    rows: list[Row] = [(number, number // 3, None, b"v", []) for number in range(9)]
    encoder = RowEncoder(
        message_format=2,
        compression="none",
        compression_level=None,
        batch_bytes=16384,
        timestamp_type="LogAppendTime",
        leader_epoch=0,
    )
    built = b"".join([bytes(each) for each in (*encoder.add(rows_of(rows)), *encoder.finish())])
    assert built.count(b"\x02") >= 3
    assert len(built) == 3 * (61 + 3 * 8)


@pytest.mark.parametrize("level", [0, 23])
def test_a_level_that_the_codec_does_not_have_is_refused(level: int) -> None:
    with pytest.raises(ValueError, match="compression level of gzip"):
        RowEncoder(
            message_format=2,
            compression="gzip",
            compression_level=level,
            batch_bytes=16384,
            timestamp_type="CreateTime",
            leader_epoch=0,
        )
