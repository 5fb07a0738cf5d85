"""tools/bench --values: the topics, the available programs, and the page."""

from pathlib import Path

import pyarrow as pa
import pytest

from benchmark import report, start, value_topics, values
from benchmark.readings import Reading, Results


@pytest.mark.parametrize("kind", ["avro", "json"])  # Protobuf needs packages of tools/bench, which CI runs
def test_programs_decode_all_values(kind: str, tmp_path: Path) -> None:
    value_topics.make(tmp_path, kind, 2000)
    (stored,) = value_topics.read(tmp_path, value_topics.VALUES)
    (payloads,) = value_topics.read(tmp_path, value_topics.PAYLOADS)
    assert stored[7].as_py() == value_topics.FRAMING + payloads[7].as_py()
    programs = {
        "avro": ["scan", "column", "fastavro"],
        "json": ["scan", "column", "duckdb", "pyarrow", "polars"],
    }
    for key in programs[kind]:
        assert values._READERS[key](tmp_path) == 2000


def test_kafkafmt_decodes_what_was_written(tmp_path: Path) -> None:
    value_topics.make(tmp_path, "avro", 100)
    decoded = values._decoded_scan(tmp_path).to_table()["value"].combine_chunks()
    numbers = pa.StructArray.from_arrays(
        [each.view(pa.int32()) if pa.types.is_date(each.type) else each for each in decoded.flatten()],
        names=[field.name for field in decoded.type],
    )
    made = numbers.to_pylist()
    assert [{**each, "created": int(each["created"].timestamp() * 1000)} for each in made] == [
        *value_topics.orders(100)
    ]


def test_the_container_holds_the_values(tmp_path: Path) -> None:
    fastavro = pytest.importorskip("fastavro")
    value_topics.make(tmp_path, "avro", 100)
    (payloads,) = value_topics.read(tmp_path, value_topics.PAYLOADS)
    found = list(fastavro.reader(values._container(payloads)))
    assert [each["sku"] for each in found] == [each["sku"] for each in value_topics.orders(100)]


def test_every_program_has_a_reader() -> None:
    assert [each.key for each in values.PROGRAMS] == list(values._READERS)


def test_a_format_without_columns_is_told(tmp_path: Path) -> None:
    value_topics.make(tmp_path, "json", 100)
    (tmp_path / "log-dir" / "_schemas-0").rename(tmp_path / "_schemas-0")
    with pytest.raises(ValueError, match="no columns of fields"):
        values._scan(tmp_path)


def test_the_page_compares_them() -> None:
    readings = {
        "avro": {"scan": Reading(10**6, 1, [0.4], [0.4]), "column": Reading(10**6, 1, [1.0], [1.0])},
        "json": {
            "column": Reading(10**6, 1, [4.5], [4.5]),
            "polars": Reading(10**6, error="none"),
            "duckdb": Reading(10**6, 1, [3.0], [3.0]),
        },
    }
    figures = values.value_goals(readings)
    assert [figure.is_met for figure in figures] == [False, True, None, False]
    assert (figures[-1].value, figures[-1].goal) == (1.5, 1.3)
    page = report.values_page(Results({}, {}, {"records": 10**6, "rounds": 1, "restarts": 1}, readings))
    assert "| duckdb from_json | 3.00 |" in page
    assert "| polars read_ndjson | fails: none |" in page
    assert "## JSON: seconds of CPU for a million values" in page


def test_it_goes_with_quick_only(capsys: pytest.CaptureFixture[str]) -> None:
    assert start.parse(["--values", "--quick"]).output == start.CACHE / "quick"
    with pytest.raises(SystemExit):
        start.parse(["--values", "--tiers"])
    assert "go with --quick only" in capsys.readouterr().err
