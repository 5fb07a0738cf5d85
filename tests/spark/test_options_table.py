"""docs/spark_options.md compared with the code."""

import re
from pathlib import Path

from pyspark_kafkafmt import options
from pyspark_kafkafmt.option_values import size
from pyspark_kafkafmt.options import SourceOptions

DOCUMENT = (Path(__file__).parents[2] / "docs/spark_options.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in DOCUMENT.splitlines()
    if line.startswith("| `") and line.count("|") != 4
]
OFFERED = {row[0].strip("`"): row[1:] for row in ROWS if len(row) == 4}
WITHOUT_EFFECT = {row[0].strip("`"): row[1] for row in ROWS if len(row) == 2}


def test_the_table_names_exactly_the_options_that_there_are() -> None:
    assert set(OFFERED) == {*options.KAFKA_SOURCE_OPTIONS, *options.OWN_OPTIONS}
    assert len(ROWS) == len(OFFERED) + len(WITHOUT_EFFECT)


def test_the_table_says_whose_options_they_are() -> None:
    ours = {name for name, cells in OFFERED.items() if cells[2] == "ours"}
    assert ours == set(options.OWN_OPTIONS)
    assert all(OFFERED[name][2].startswith("yes") for name in options.KAFKA_SOURCE_OPTIONS)


def test_the_defaults_are_those_that_a_query_has() -> None:
    given = {
        name: cells[0].strip("`")
        for name, cells in OFFERED.items()
        if re.fullmatch("`[^`]+`", cells[0]) and name != "maxDecompressedBytes"
    }
    assert len(given) > 10
    assert SourceOptions.parse({"path": "/", **given}) == SourceOptions.parse({"path": "/"})
    from kafkafmt import Limits

    limit = OFFERED["maxDecompressedBytes"][0].strip("`")
    assert size("maxDecompressedBytes", limit) == Limits().max_decompressed_bytes


def test_refused_and_ignored_options_are_told_apart() -> None:
    refused = {name for name, text in WITHOUT_EFFECT.items() if text.startswith("refused")}
    assert refused == set(options.REFUSED_OPTIONS)
    assert set(WITHOUT_EFFECT) - refused == set(options.IGNORED_OPTIONS)
