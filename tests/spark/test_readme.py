"""The README's recipe for Spark, on a copy of golden data put where it looks for it."""

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import kafkafmt
from tests.golden_cases import GOLDEN

README = Path(__file__).parents[2] / "README.md"


def test_the_recipe_reads_what_scan_reads(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "var/lib/kafka/data"
    shutil.copytree(GOLDEN / "modern/13-names-4.3.1/log-dir/dir-0", data)
    (recipe,) = re.findall(r"```python\n(from pyspark.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    code = re.sub(r'"(/(?:var|tmp)[^"]*)"', lambda match: f'"{tmp_path}{match[1]}"', recipe)
    names: dict[str, Any] = {}
    exec(compile(code, str(README), "exec"), names)
    expected = kafkafmt.scan(data).to_table()
    written = spark.read.parquet(str(tmp_path / "tmp/records"))
    assert written.count() == expected.num_rows > 0
    assert {row.topic for row in written.select("topic").distinct().collect()} == set(
        expected.column("topic").to_pylist()
    )
    assert "topic-delete" in capsys.readouterr().out
