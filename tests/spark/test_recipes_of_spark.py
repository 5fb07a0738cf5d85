"""The recipes of docs/spark.md, in order, on copies of golden data at the paths they use."""

import re
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import kafkafmt
from tests.golden_cases import GOLDEN

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark")]

DOCUMENT = Path(__file__).parents[2] / "docs" / "spark.md"


def test_the_recipes_read_what_scan_reads(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copies = tmp_path / "copies"
    nodes = GOLDEN / "modern/07-three-nodes-diverged-4.3.1/log-dir"
    for number in (1, 2, 3):
        node = shutil.copytree(nodes / f"node-{number}", copies / f"broker-{number}")
        for directory in node.glob("rep-*"):
            directory.rename(node / f"orders-{directory.name[-1]}")
    shutil.copytree(GOLDEN / "modern/13-names-4.3.1/log-dir/dir-0", tmp_path / "var/lib/kafka/data")
    recipes = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)
    assert len(recipes) == 3
    names: dict[str, Any] = {}
    for recipe in recipes:
        code = re.sub(r'"(/(?:var|tmp|copies)[^"]*)"', lambda match: f'"{tmp_path}{match[1]}"', recipe)
        code = code.replace("1793491200000", "1")  # the golden records are older
        exec(compile(code, str(DOCUMENT), "exec"), names)
    scan = kafkafmt.scan(copies, columns=["key", "value", "topic", "partition", "offset", "timestamp", "timestampType"])
    expected = scan.to_table()
    assert names["records"].count() == expected.num_rows > 0
    written = spark.read.parquet(str(tmp_path / "tmp/orders"))
    orders = expected.filter(pa.compute.equal(expected["topic"], "orders"))
    assert written.count() == orders.num_rows > 0
    values = sorted(value.decode() for value in orders["value"].to_pylist())
    assert sorted(row.value for row in written.select("value").collect()) == values
    printed = capsys.readouterr().out
    assert f"{orders.num_rows} {orders.num_rows}\n" in printed
    assert "max(timestamp)" in printed
    assert "topic-delete" in printed  # parse_segment's
