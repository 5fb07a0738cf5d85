"""docs/spark_streaming.md: its options compared with the code, and its recipes run on the shop's log directory."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import kafkafmt
from pyspark_kafkafmt.option_values import duration
from pyspark_kafkafmt.stream_options import (
    CHECKPOINT,
    DEFAULT_MAX_DELAY_MS,
    MAX_BYTES,
    REFUSED_IN_STREAMS,
    STREAM_OPTIONS,
)

ROOT = Path(__file__).parents[2]
DOCUMENT = (ROOT / "docs/spark_streaming.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")] for line in DOCUMENT.splitlines() if line.startswith("| `")
]
OPTIONS = {row[0].strip("`"): row[1:] for row in ROWS if len(row) == 4}


def test_the_table_names_exactly_the_options_of_a_stream() -> None:
    assert set(OPTIONS) == set(STREAM_OPTIONS)
    assert {name for name, cells in OPTIONS.items() if cells[2] == "ours"} == {CHECKPOINT, MAX_BYTES}
    assert duration("maxTriggerDelay", OPTIONS["maxTriggerDelay"][0].strip("`")) == DEFAULT_MAX_DELAY_MS
    assert all(f"`{name}`" in DOCUMENT for name in REFUSED_IN_STREAMS)


@pytest.mark.slow
@pytest.mark.xdist_group("spark")
def test_the_recipes_read_what_scan_reads(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    recipes = re.findall(r"```python\n(.*?)```", DOCUMENT, re.DOTALL)
    assert len(recipes) == 3
    names: dict[str, Any] = {}
    for recipe in recipes:
        exec(compile(recipe.replace("/tmp/", f"{tmp_path}/"), "docs/spark_streaming.md", "exec"), names)
    ends, behind, counted = capsys.readouterr().out.splitlines()[-3:]
    scan = kafkafmt.scan("docs/examples/shop/log-dir", topics="orders", columns=["partition", "offset", "value"])
    written = spark.read.parquet(str(tmp_path / "orders")).collect()
    expected = [(row["partition"], row["offset"], row["value"].decode()) for row in scan.to_table().to_pylist()]
    assert sorted(map(tuple, written)) == expected
    assert f"`{ends}`" in DOCUMENT
    assert len(list((tmp_path / "checkpoint/commits").glob("[0-9]*"))) == 5
    assert behind == "0 0.0 {('orders', 0): 0, ('orders', 1): 0, ('orders', 2): 0}"
    assert counted == f"{len(expected)} {json.dumps(json.loads(ends))}"
