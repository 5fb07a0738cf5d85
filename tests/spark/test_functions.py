"""Arguments that the functions reject before any job runs, and the cost of importing them."""

import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyspark
import pytest

import kafkafmt
from pyspark_kafkafmt import parse_index, parse_segment, register, udfs
from tests.golden_cases import GOLDEN

LOG = GOLDEN / "modern/01-codecs-4.3.1/log-dir/codec-none-0/00000000000000000000.log"
ALL = [
    lambda **options: parse_segment("path", "content", **options),
    lambda **options: parse_index("offset", "path", "content", **options),
    lambda **options: parse_index("time", "path", "content", **options),
]


@pytest.mark.parametrize("call", ALL)
@pytest.mark.parametrize("columns", [["offset", "Offset"], ["offset", "offset"], []])
def test_columns_must_be_known_and_different(call: Callable[..., Any], columns: list[str]) -> None:
    with pytest.raises(ValueError, match="column"):
        call(columns=columns)


def test_columns_as_one_string_are_refused() -> None:
    with pytest.raises(TypeError, match="columns must be a list"):
        parse_segment("path", "content", columns="offset")


def test_kinds_of_indexes_must_be_known() -> None:
    with pytest.raises(ValueError, match='kind must be "offset" or "time"'):
        parse_index("transaction", "path", "content")  # type: ignore[arg-type]


@pytest.mark.parametrize("call", ALL)
def test_on_damage_must_be_known(call: Callable[..., Any]) -> None:
    with pytest.raises(ValueError, match="on_damage"):
        call(on_damage="ignore")


@pytest.mark.parametrize("version", ["3.5.9", "3.5.0.dev1", "2.4.8"])
@pytest.mark.parametrize("call", [*ALL, lambda: register(None)])  # type: ignore[arg-type]
def test_an_older_spark_is_refused(call: Callable[[], Any], version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pyspark, "__version__", version)
    with pytest.raises(kafkafmt.UnsupportedError, match=rf"expected pyspark 4\.0 or later, found {version}"):
        call()


def test_import_loads_no_decoder() -> None:
    code = """
import sys, pyspark.sql.functions
before = set(sys.modules)
import pyspark_kafkafmt
print(sorted({name.partition(".")[0] for name in set(sys.modules) - before}))
"""
    environ = {"PYTHONPATH": os.pathsep.join(sys.path)}
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, env=environ)
    assert loaded.stdout.strip() == "['pyspark_kafkafmt']"


@pytest.mark.parametrize("version", ["4.0.0", "4.1.0"])
def test_damage_is_raised_unless_told_otherwise(version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pyspark, "__version__", version)
    function = udfs._segment_function(["offset"], None).func
    sound = LOG.read_bytes()
    damaged = sound[:80] + b"?" + sound[81:]

    def call(*values: Any) -> Any:
        if version == "4.0.0":
            return function(*values)
        (answer,) = function(*(pa.array([value]) for value in values)).to_pylist()
        return answer

    assert len(call(str(LOG), sound)) == kafkafmt.scan(LOG).count()
    with pytest.raises(kafkafmt.ChecksumError):
        call(str(LOG), damaged)
    assert 0 < len(call(str(LOG), damaged, "skip")) < kafkafmt.scan(LOG).count()
