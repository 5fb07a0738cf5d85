"""docs/spark_recipes.md: its recipes, run in order on copies of golden data at the paths they use."""

import os
import re
import shutil
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import kafkafmt
from tests.golden_cases import GOLDEN

pytestmark = [pytest.mark.volume, pytest.mark.xdist_group("spark")]

RECIPES = Path(__file__).parents[2] / "docs" / "spark_recipes.md"
FIRST_MS, LAST_MS = -62_135_596_800_000, 253_402_300_799_999


def run_recipes(root: Path) -> dict[str, Any]:
    """Run the recipes that need only Spark, with `root` prefixed to their paths; return the names they bind."""
    blocks = re.findall(r"```python\n(.*?)```", RECIPES.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) == 7
    code = "\n".join(blocks).replace("date'2026-11-21'", "date'2026-11-20'")
    names: dict[str, Any] = {}
    exec(compile(re.sub(r'"(/(?:copies|lake)[^"]*)"', rf'"{root}\1"', code), str(RECIPES), "exec"), names)
    return names


def expected_date(ms: int) -> str:
    if ms == -1 or not FIRST_MS <= ms <= LAST_MS:
        return "__HIVE_DEFAULT_PARTITION__"
    return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=ms)).date().isoformat()


def test_the_recipes_write_what_scan_reads(spark: SparkSession, tmp_path: Path) -> None:
    copies = tmp_path / "copies"
    shutil.copytree(GOLDEN / "modern/02-timestamps-4.3.1/log-dir", copies / "broker-1")
    shutil.copytree(GOLDEN / "legacy/m0-codecs-0.9.0.1/log-dir", copies / "broker-2")
    names = run_recipes(tmp_path)

    table = kafkafmt.scan(copies).to_table()
    ms = table["timestamp"].cast(pa.int64()).to_pylist()
    wanted = Counter(zip(table["topic"].to_pylist(), map(expected_date, ms), strict=True))
    assert {"__HIVE_DEFAULT_PARTITION__"} < {date for _, date in wanted}
    lake = tmp_path / "lake" / "records"
    assert {(path.parent.name, path.name) for path in lake.glob("topic=*/date=*")} == {
        (f"topic={topic}", f"date={date}") for topic, date in wanted
    }
    written = spark.read.schema(names["dated"].schema).parquet(str(lake)).select("topic", "timestampMs", "value")
    assert Counter((row.topic, row.timestampMs, bytes(row.value or b"")) for row in written.collect()) == Counter(
        zip(table["topic"].to_pylist(), ms, (value or b"" for value in table["value"].to_pylist()), strict=True)
    )
    names["dated"].write.partitionBy("topic", "date").mode("overwrite").option(
        "partitionOverwriteMode", "dynamic"
    ).parquet(str(lake))
    assert spark.read.parquet(str(lake)).count() == table.num_rows


def test_the_recipes_put_damage_into_a_table(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copies = tmp_path / "copies"
    shutil.copytree(GOLDEN / "modern/02-timestamps-4.3.1/log-dir", copies / "broker-1")
    file = min((copies / "broker-1" / "create-time-0").glob("*.log"))
    content = bytearray(file.read_bytes())
    content[70] ^= 1
    file.write_bytes(content)
    with pytest.raises(Exception, match=re.escape(f"{file}: position 0: ")):
        run_recipes(tmp_path)
    # The first recipes stop at damage, as they should; the others handle it.
    blocks = re.findall(r"```python\n(.*?)```", RECIPES.read_text(encoding="utf-8"), re.DOTALL)
    code = "\n".join([blocks[0], *blocks[4:6]])
    exec(compile(re.sub(r'"(/(?:copies|lake)[^"]*)"', rf'"{tmp_path}\1"', code), str(RECIPES), "exec"), {})

    scan = kafkafmt.scan(copies, on_damage="skip")
    rows = scan.to_table()
    (damage,) = [each for each in scan.damage if not each.is_open_end]
    assert spark.read.parquet(str(tmp_path / "lake/sound")).count() == rows.num_rows > 0
    assert spark.read.parquet(str(tmp_path / "lake/values")).count() == rows.num_rows
    assert [tuple(row) for row in spark.read.parquet(str(tmp_path / "lake/damage")).collect()] == [
        ("create-time", 0, str(file), damage.position, damage.length, damage.reason, 0, 3, 4)
    ]
    assert f"{file} {damage.position} {damage.length} {damage.reason} 0 3{os.linesep}" in capsys.readouterr().out
