"""The workers' code run in this process: with Arrow arrays for Spark 4.1 and later, with plain rows for 4.0."""

from dataclasses import dataclass
from datetime import UTC, datetime

import pyarrow as pa
import pytest

import kafkafmt
from kafkafmt.errors import OnDamage
from pyspark_kafkafmt import udfs
from pyspark_kafkafmt.columns import IndexKind, index_columns, record_columns
from pyspark_kafkafmt.udfs import (
    FileDecoder,
    IndexDecoder,
    SegmentDecoder,
    decode_arrays,
    decode_rows,
)
from tests.golden_cases import GOLDEN

LOG = GOLDEN / "modern/01-codecs-4.3.1/log-dir/shapes-0/00000000000000000000.log"
INDEX = GOLDEN / "modern/11-index-full-4.3.1/log-dir/idxfull-0/00000000000000000022.index"
TIME_INDEX = INDEX.with_suffix(".timeindex")

SEGMENTS = SegmentDecoder(tuple(record_columns()), kafkafmt.Limits())


def one(decoder: FileDecoder, path: str | None, content: bytes | None, on_damage: str = "raise") -> pa.Array:
    paths, contents = pa.array([path], pa.string()), pa.array([content], pa.binary())
    return decode_arrays(decoder, paths, contents, pa.array([on_damage]))


def test_both_ways_give_the_same_records() -> None:
    (from_arrays,) = one(SEGMENTS, str(LOG), LOG.read_bytes()).to_pylist()
    rows = decode_rows(SEGMENTS, str(LOG), LOG.read_bytes(), "raise")
    assert rows is not None
    assert [dict(zip(record_columns(), row, strict=True)) for row in rows] == from_arrays
    assert len(rows) == kafkafmt.scan(LOG).count()
    assert isinstance(from_arrays[0]["timestamp"], datetime)
    assert from_arrays[0]["timestamp"].tzinfo is not None
    assert any(record["headers"] for record in from_arrays)


def test_offsets_out_of_order_are_logged_and_all_records_come(caplog: pytest.LogCaptureFixture) -> None:
    log = GOLDEN / "modern/12-crash-4.3.1/log-dir/damaged/crash-flip-offset-0/00000000000000000051.log"
    rows = decode_rows(SEGMENTS, str(log), log.read_bytes(), "raise")
    assert rows is not None
    assert len(rows) == kafkafmt.scan(log).count()
    (warning,) = [each.getMessage() for each in caplog.records]
    assert warning.startswith(f"kafkafmt: {log}: position 681: base offset 125 should be 61: ")


@pytest.mark.parametrize(
    ("kind", "path"),
    [("offset", INDEX), ("time", TIME_INDEX)],
)
def test_indexes_give_their_entries_with_absolute_offsets(kind: IndexKind, path: object) -> None:
    columns = index_columns(kind)
    decoder = IndexDecoder(tuple(columns), kind)
    content = INDEX.read_bytes() if kind == "offset" else TIME_INDEX.read_bytes()
    rows = decode_rows(decoder, str(path), content, "raise")
    assert rows is not None
    offsets = [dict(zip(columns, row, strict=True))["offset"] for row in rows]
    assert offsets == [25, 26, 27, 28, 30, 31, 32, 33, 34, 36, 37]


def test_a_null_path_is_a_file_without_name_and_topic() -> None:
    (records,) = one(SEGMENTS, None, LOG.read_bytes()).to_pylist()
    assert {(record["topic"], record["partition"], record["file"]) for record in records} == {(None, None, "")}


@pytest.mark.parametrize("content", [None, b"\xff" * 600])
def test_what_cannot_be_read_raises_or_is_null(content: bytes | None) -> None:
    decoder = FailingDecoder()
    with pytest.raises(kafkafmt.KafkafmtError, match=r"a/b-0/x\.log"):
        one(decoder, "a/b-0/x.log", content)
    with pytest.raises(kafkafmt.KafkafmtError, match=r"a/b-0/x\.log"):
        decode_rows(decoder, "a/b-0/x.log", content, "raise")
    assert one(decoder, "a/b-0/x.log", content, "skip").to_pylist() == [None]
    assert decode_rows(decoder, "a/b-0/x.log", content, "skip") is None


def test_skipped_files_do_not_shift_the_others() -> None:
    paths = pa.array(["a-0/0.log", "b-1/0.log", "c-2/0.log", "d-3/0.log"])
    contents = pa.array([LOG.read_bytes(), None, b"", LOG.read_bytes()])
    decoded = decode_arrays(SEGMENTS, paths, contents, pa.array(["skip"] * 4)).to_pylist()
    count = kafkafmt.scan(LOG).count()
    assert [None if each is None else len(each) for each in decoded] == [count, None, 0, count]
    assert {record["topic"] for record in decoded[3]} == {"d"}


def test_an_unknown_way_to_treat_damage_is_refused() -> None:
    with pytest.raises(ValueError, match='on_damage must be "raise" or "skip"'):
        one(SEGMENTS, "a-0/0.log", b"", "ignore")


def test_a_segment_too_large_for_one_value_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(udfs, "MAX_VALUE_BYTES", 10_000)
    with pytest.raises(kafkafmt.LimitExceededError, match=r"kafkafmt\.scan") as caught:
        one(SEGMENTS, str(LOG), LOG.read_bytes())
    assert caught.value.file == str(LOG)
    assert one(SEGMENTS, str(LOG), LOG.read_bytes(), "skip").to_pylist() == [None]


def test_files_too_large_together_name_the_setting_that_helps(monkeypatch: pytest.MonkeyPatch) -> None:
    size = SEGMENTS(str(LOG), LOG.read_bytes(), "raise").nbytes
    monkeypatch.setattr(udfs, "MAX_ARRAY_BYTES", size * 3 // 2)
    paths, contents = pa.array([str(LOG)] * 2), pa.array([LOG.read_bytes()] * 2)
    with pytest.raises(kafkafmt.LimitExceededError, match="maxRecordsPerBatch"):
        decode_arrays(SEGMENTS, paths, contents, pa.array(["skip"] * 2))


@pytest.mark.parametrize(
    ("ms", "expected"),
    [
        (-1, datetime(1969, 12, 31, 23, 59, 59, 999_000, UTC)),
        (0, datetime(1970, 1, 1, tzinfo=UTC)),
        (-62_135_596_800_000, datetime(1, 1, 1, tzinfo=UTC)),
        (-62_135_596_800_001, None),
        (253_402_300_799_999, datetime(9999, 12, 31, 23, 59, 59, 999_000, UTC)),
        (253_402_300_800_000, None),
        (2**63 - 1, None),
        (-(2**63), None),
    ],
)
def test_timestamps_are_exact_or_null(ms: int, expected: datetime | None) -> None:
    decoder = IndexDecoder(("timestamp", "timestampMs"), "time")
    content = ms.to_bytes(8, "big", signed=True) + b"\0\0\0\1"
    assert decode_rows(decoder, "00000000000000000000.timeindex", content, "raise") == [(expected, ms)]


@dataclass(frozen=True)
class FailingDecoder:
    """Fails even if damage is to be skipped, as a too large segment does."""

    def __call__(self, path: str, content: bytes, on_damage: OnDamage) -> pa.StructArray:  # noqa: ARG002
        raise kafkafmt.LimitExceededError("too large", file=path)
