"""The reading part of tools/demo: the records of kafkafmt.scan, by binaryFile and by streaming alike."""

import pytest
from pyspark.sql import SparkSession

import demo_records
import kafkafmt
from tests.golden_cases import Case, cases

pytestmark = pytest.mark.xdist_group("spark")

CASES = [each for each in cases() if each.name in ("05c-swap-4.3.1", "06-retention-4.3.1", "12-crash-4.3.1")]
COLUMNS = ["topic", "partition", "offset", "key", "value", "position", "file"]


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("streamed_from", [2_000, 1 << 30])
def test_records_are_those_of_scan(
    spark: SparkSession, case: Case, streamed_from: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo_records, "STREAMED_FROM_BYTES", streamed_from)
    surveyed = demo_records.survey(case.log_dir)
    rows = demo_records.read_records(spark, surveyed.files).select(*COLUMNS).toArrow()
    expected = kafkafmt.scan(case.log_dir, columns=COLUMNS, on_damage="skip").to_table()
    order = [(name, "ascending") for name in ("file", "position", "offset")]
    assert rows.sort_by(order).to_pylist() == expected.sort_by(order).to_pylist()
    assert surveyed.records == expected.num_rows > 0
