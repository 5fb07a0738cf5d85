"""BatchBuilder against Kafka's MemoryRecordsBuilder: estimates, free space, bytes and refusals for 300 call lists."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkafmt.codec.compression import Compression, decompress
from kafkafmt.limits import Limits
from kafkafmt.scanning import scan_bytes
from kafkafmt.writing import BatchBuilder
from tests.engines import ENGINES
from tests.writing.golden import content, headers, lines

CASES = lines("batches")

_ARGUMENTS = {
    "magic": "message_format",
    "compression": "compression",
    "compressionLevel": "compression_level",
    "timestampType": "timestamp_type",
    "logAppendTime": "log_append_time",
    "baseOffset": "base_offset",
    "producerId": "producer_id",
    "producerEpoch": "producer_epoch",
    "baseSequence": "base_sequence",
    "isTransactional": "is_transactional",
    "isControlBatch": "is_control",
    "partitionLeaderEpoch": "partition_leader_epoch",
    "deleteHorizonMs": "delete_horizon_ms",
    "sizeLimit": "size_limit",
    "estimatedCompressionRatio": "compression_ratio",
}
_CONTROL = {
    "coordinatorEpoch": "coordinator_epoch",
    "leaderId": "leader_id",
    "voters": "voters",
    "grantingVoters": "granting_voters",
    "lastContainedLogTimestamp": "last_contained_log_timestamp",
    "kraftVersion": "kraft_version",
}


def builder_of(case: dict[str, Any]) -> BatchBuilder:
    return BatchBuilder(**{name: case[key] for key, name in _ARGUMENTS.items() if key in case})


def append(builder: BatchBuilder, call: dict[str, Any]) -> None:
    if "control" in call:
        fields = {name: call[key] for key, name in _CONTROL.items() if key in call}
        builder.append_control(call["timestamp"], call["control"], **fields)
    else:
        offset = call.get("offset")
        builder.append(call["timestamp"], content(call["key"]), content(call["value"]), headers(call), offset=offset)


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_kafka_builds_the_same(case: dict[str, Any]) -> None:
    expected = case["expected"]
    if expected.get("errorAt") == "constructor":
        with pytest.raises(ValueError, match=r"."):
            builder_of(case)
        return
    builder = builder_of(case)
    assert builder.estimated_size == expected["estimatedSizeEmpty"]
    for call, step in zip(case["calls"], expected["steps"], strict=False):
        if "hasRoomFor" in step:
            key, value = content(call["key"]), content(call["value"])
            assert builder.has_room_for(call["timestamp"], key, value, headers(call)) is step["hasRoomFor"]
        if "error" in step:
            with pytest.raises(ValueError, match=r"."):
                append(builder, call)
            return
        if not step["appended"]:
            break
        append(builder, call)
        assert (builder.estimated_size, builder.is_full) == (step["estimatedSize"], step["isFull"])
    if expected.get("errorAt") == "build":
        with pytest.raises(ValueError, match=r"."):
            builder.build()
        return
    built = builder.build()
    stored = content(expected["bytes"])
    assert stored is not None
    assert builder.count == expected["numRecords"]
    assert builder.estimated_size == len(built)
    if "decompressed" not in expected:
        assert built == stored
        return
    codec = Compression[case["compression"].upper()]
    start = {0: 26, 1: 34, 2: 61}[case["magic"]]
    payload = decompress(codec, built[start:], magic=case["magic"], limits=Limits())
    assert payload == content(expected["decompressed"])
    # All but the fields that depend on the compressed bytes: size, CRC, and a wrapper's value length.
    assert built[:8] == stored[:8]
    known = slice(21, 61) if case["magic"] == 2 else slice(16, start - 4)
    assert built[known] == stored[known]


def test_no_case_was_left_out() -> None:
    assert len(CASES) == 300


record = st.tuples(
    st.integers(-1, 2**62),
    st.none() | st.binary(max_size=40),
    st.none() | st.binary(max_size=40),
    st.lists(st.tuples(st.text(max_size=4), st.none() | st.binary(max_size=4)), max_size=3),
    st.integers(1, 1000),
)


@given(
    st.lists(record, min_size=1, max_size=20),
    st.sampled_from(
        [(magic, codec) for magic in (0, 1, 2) for codec in ("none", "gzip", "snappy", "lz4")] + [(2, "zstd")]
    ),
    st.integers(0, 2**40),
)
def test_what_is_built_is_read_back(
    records: list[tuple[int, bytes | None, bytes | None, list[tuple[str, bytes | None]], int]],
    kind: tuple[int, str],
    base_offset: int,
) -> None:
    magic, codec = kind
    builder = BatchBuilder(
        message_format=magic,
        compression=codec,
        base_offset=base_offset,
        timestamp_type="CreateTime" if magic else "NoTimestampType",
    )
    offset = base_offset
    expected = []
    for timestamp, key, value, pairs, gap in records:
        kept = pairs if magic == 2 else []
        builder.append(timestamp, key, value, kept, offset=offset)
        expected.append((offset, timestamp if magic else -1, key, value, kept))
        offset += gap
    for engine in ENGINES:
        table = scan_bytes(builder.build(), file="orders-0/00000000000000000000.log", engine=engine)
        columns = [table["offset"], table["timestamp"].cast("int64"), table["key"], table["value"]]
        pairs_of = [[(each["key"], each["value"]) for each in row or ()] for row in table["headers"].to_pylist()]
        assert list(zip(*(column.to_pylist() for column in columns), pairs_of, strict=True)) == expected
