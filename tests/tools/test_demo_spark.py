"""The reading part of tools/demo: the records of kafkafmt.scan."""

import pytest
from pyspark.sql import SparkSession

import demo_spark
import kafkafmt
from tests.golden_cases import Case, cases

pytestmark = pytest.mark.xdist_group("spark")

CASES = [
    each
    for each in cases()
    if each.name in ("05c-swap-4.3.1", "06-retention-4.3.1", "07-three-nodes-diverged-4.3.1", "12-crash-4.3.1")
]
COLUMNS = ["topic", "partition", "offset", "key", "value", "position", "file"]


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=str)
def test_records_are_those_of_scan(spark: SparkSession, case: Case) -> None:
    rows = demo_spark.read_records(spark, case.log_dir).select(*COLUMNS).toArrow().to_pylist()
    expected = kafkafmt.scan(case.log_dir, columns=COLUMNS, on_damage="skip").to_table().to_pylist()
    assert rows == [{**row, "file": str(case.log_dir / row["file"])} for row in expected]
    assert rows
