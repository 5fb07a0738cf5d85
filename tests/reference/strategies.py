"""Hypothesis strategies: complete batches and wrappers, with the expected records."""

from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from kafkafmt.codec.compression import Compression
from tests.reference import builder
from tests.reference.builder import R

INT64 = st.integers(-(2**63), 2**63 - 1)
INT32 = st.integers(-(2**31), 2**31 - 1)
OFFSETS = st.integers(0, 2**62)
TIMES = st.integers(0, 2**41) | st.sampled_from([-1, 0, 2**62])
OPTIONAL_BYTES = st.none() | st.binary(max_size=40)
HEADER_KEYS = st.text(max_size=6)
CODECS = st.sampled_from(list(Compression))


@dataclass(frozen=True)
class Expected:
    """A record as it must be read."""

    offset: int
    timestamp: int
    timestamp_type: str
    sequence: int
    key: bytes | None
    value: bytes | None
    headers: list[tuple[str, bytes | None]]


@dataclass(frozen=True)
class Built:
    """Bytes of one entry, the arguments of its builder, and its records."""

    data: bytes
    fields: dict[str, Any]
    records: list[Expected]


@st.composite
def batches(draw: st.DrawFn) -> Built:
    """A v2 batch that Kafka could have written: offsets ascend, gaps as after compaction."""
    base_offset = draw(OFFSETS)
    base_timestamp = draw(TIMES)
    append_time = draw(st.booleans())
    base_sequence = draw(st.just(-1) | st.integers(0, 2**31 - 1))
    fields: dict[str, Any] = {
        "base_offset": base_offset,
        "base_timestamp": base_timestamp,
        "max_timestamp": draw(TIMES),
        "leader_epoch": draw(st.integers(-1, 2**31 - 1)),
        "producer_id": draw(st.just(-1) | OFFSETS),
        "producer_epoch": draw(st.integers(-1, 2**15 - 1)),
        "base_sequence": base_sequence,
        "attributes": draw(CODECS)
        | (builder.LOG_APPEND_TIME if append_time else 0)
        | draw(st.sampled_from([0, builder.TRANSACTIONAL])),
    }
    deltas = sorted(draw(st.sets(st.integers(0, 1000), min_size=1, max_size=8)))
    packed, expected = [], []
    for delta in deltas:
        timestamp = draw(TIMES)
        headers = draw(st.lists(st.tuples(HEADER_KEYS, OPTIONAL_BYTES), max_size=3))
        key, value = draw(OPTIONAL_BYTES), draw(OPTIONAL_BYTES)
        packed.append(
            R(delta, timestamp - base_timestamp, key, value, [(name.encode(), content) for name, content in headers])
        )
        expected.append(
            Expected(
                base_offset + delta,
                fields["max_timestamp"] if append_time else timestamp,
                "LogAppendTime" if append_time else "CreateTime",
                # Sequence numbers are taken modulo 2^31.
                -1 if base_sequence == -1 else (base_sequence + delta) % 2**31,
                key,
                value,
                headers,
            )
        )
    fields["last_offset_delta"] = deltas[-1] + draw(st.integers(0, 5))
    return Built(builder.batch(packed, **fields), fields, expected)


@st.composite
def wrappers(draw: st.DrawFn) -> Built:
    """A compressed v0 or v1 message, offsets as a broker would have assigned them."""
    magic = draw(st.sampled_from([0, 1]))
    codec = draw(st.sampled_from([Compression.GZIP, Compression.SNAPPY, Compression.LZ4]))
    append_time = magic == 1 and draw(st.booleans())
    fields: dict[str, Any] = {
        "magic": magic,
        "timestamp": draw(TIMES),
        "attributes": builder.LOG_APPEND_TIME if append_time else 0,
    }
    relative = sorted(draw(st.sets(st.integers(0, 1000), min_size=1, max_size=8)))
    first = draw(st.integers(1, 2**62))
    timestamp_type = "NoTimestampType" if magic == 0 else "LogAppendTime" if append_time else "CreateTime"
    inner, expected = [], []
    for number in relative:
        offset = first + number
        key, value, timestamp = draw(OPTIONAL_BYTES), draw(OPTIONAL_BYTES), draw(TIMES)
        inner.append(builder.message(offset if magic == 0 else number, value, key, magic=magic, timestamp=timestamp))
        time = -1 if magic == 0 else fields["timestamp"] if append_time else timestamp
        expected.append(Expected(offset, time, timestamp_type, -1, key, value, []))
    data = builder.wrapper(first + relative[-1], b"".join(inner), codec=codec, **fields)
    return Built(data, fields, expected)


ENTRIES = batches() | wrappers()
