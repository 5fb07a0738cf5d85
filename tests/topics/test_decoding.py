"""Any bytes in an internal topic give a row: decoded, or the bytes with a reason."""

from functools import cache

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kafkafmt
from kafkafmt.columns import SCHEMA
from kafkafmt.internal_topics import INTERNAL_TOPICS
from kafkafmt.topics import tables
from kafkafmt.topics.decoding import KINDS, DecodedRecord, Kind, control_record, decode_record
from kafkafmt.topics.tables import schema_of
from tests.golden_cases import cases

Pair = tuple[bytes | None, bytes | None]


@cache
def golden(topic: str) -> list[Pair]:
    """Keys and values of golden records of a topic, each once."""
    pairs: dict[Pair, None] = {}
    for case in cases():
        if not any(path.name.startswith(f"{topic}-") for path in case.log_dir.rglob("*-[0-9]*")):
            continue
        table = kafkafmt.scan(case.log_dir, topics=topic, columns=["key", "value"], on_damage="skip").to_table()
        pairs.update(dict.fromkeys(zip(table["key"].to_pylist(), table["value"].to_pylist(), strict=True)))
    # No golden case has tiered storage, so only the first bytes of each kind are used.
    return list(pairs) or [(None, kind.prefix + bytes(40)) for kind in KINDS if kind.topic == topic]


@st.composite
def changed(draw: st.DrawFn, stored: bytes | None) -> bytes | None:
    """The bytes with some changed, truncated or added."""
    data = bytearray(stored or b"")
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, max(len(data) - 1, 0)))
        data[at : at + draw(st.integers(0, 2))] = draw(st.binary(max_size=3))
    return draw(st.sampled_from([bytes(data), bytes(data[: len(data) // 2]), None, stored]))


@st.composite
def records(draw: st.DrawFn, topic: str) -> Pair:
    key, value = draw(st.sampled_from(golden(topic)))
    return draw(changed(key)), draw(changed(value))


@pytest.mark.slow
@pytest.mark.parametrize("topic", sorted(INTERNAL_TOPICS))
@given(data=st.data())
def test_any_bytes_give_rows(topic: str, data: st.DataObject) -> None:
    pairs = data.draw(st.lists(records(topic), min_size=1, max_size=4))
    decoded = [decode_record(topic, key, value) for key, value in pairs]
    keys, values = (pa.array(column, pa.binary()) for column in zip(*pairs, strict=True))
    batch = pa.RecordBatch.from_arrays(
        [keys, values, pa.nulls(len(pairs), pa.string())], ["key", "value", "controlType"]
    )
    there = {kind for kind in KINDS if kind.topic == topic and any(kind_starts(kind, pair) for pair in pairs)}
    kinds: list[Kind | str] = [topic, *there]
    rows = unknown = 0
    for kind in kinds:
        account = tables.Account()
        decoder = tables.KindDecoder(kind, without_scan(kind))
        made = [row for part in decoder.decode(batch, account) for row in part.to_pylist()]
        failed = [row for row in made if row["error"] is not None]
        assert account.undecoded == len(failed)
        assert all(row["value"] is not None or row["key"] is not None or row["error"] for row in made if "key" in row)
        rows += len(made) if isinstance(kind, Kind) else 0
        unknown = account.unknown.total() if there else len(pairs)
    assert rows + unknown == len(pairs)
    assert all(isinstance(each, DecodedRecord) and (each.kind or each.error) is not None for each in decoded)


@given(key=st.none() | st.binary(max_size=6), value=st.none() | st.binary(max_size=60))
def test_any_bytes_of_a_control_record_give_a_row(key: bytes | None, value: bytes | None) -> None:
    for control_type in ("ABORT", "COMMIT", "LEADER_CHANGE", "SNAPSHOT_HEADER", "KRAFT_VOTERS", "UNKNOWN"):
        decoded = control_record(control_type, key, value)
        assert decoded.kind == control_type
        assert (decoded.value is None) == (decoded.error is not None)


def kind_starts(kind: Kind, pair: Pair) -> bool:
    stored = pair[0 if kind.in_key else 1]
    return stored is not None and stored.startswith(kind.prefix)


def without_scan(kind: Kind | str) -> pa.Schema:
    """Columns derived from key and value."""
    whole = schema_of(kind, None)
    return pa.schema([field for field in whole if field.name in ("key", "value") or field.name not in SCHEMA.names])
