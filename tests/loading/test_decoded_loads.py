"""`load --unwrap`, `--record` and `--schema` into a Delta table: another reader finds the values that a scan has."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import kafkafmt as library
from tests.cli.conftest import Call, kafkafmt  # noqa: F401 - a fixture
from tests.loading.conftest import Lake, make_lake
from tests.loading.test_evolution import record, written
from tests.values import change_events
from tests.values.golden_values import rows, unpack


@pytest.fixture
def delta(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lake:
    return make_lake("delta", tmp_path / "lake", monkeypatch)


def loaded(lake: Lake) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = lake.table().sort_by("offset").to_pylist()
    return found


@pytest.mark.parametrize("form", ["json-schema", "avro"])
def test_change_events_become_rows(form: str, tmp_path: Path, delta: Lake, kafkafmt: Call) -> None:  # noqa: F811
    log_dir = change_events.written(tmp_path, form)
    options = ("--topic", change_events.TOPIC, "--unwrap", "debezium")
    assert kafkafmt("load", log_dir, "--to", delta.to(), *options).status == 0
    found = loaded(delta)
    for row, event in zip(found, change_events.events(), strict=True):
        assert row["value"] == event["row"]
        assert row["op"] == (event["value"] or {}).get("op")
    # The second load appends nothing.
    assert kafkafmt("load", log_dir, "--to", delta.to(), *options).status == 0
    assert loaded(delta) == found


def test_records_of_one_type(tmp_path: Path, delta: Lake, kafkafmt: Call) -> None:  # noqa: F811
    log_dir = unpack("protobuf", tmp_path)
    counts = Counter(row["message"] for row in rows("protobuf", "values") if row["topic"] == "proto-nested")
    latest = library.values.schemas(log_dir).latest("proto-nested-value")
    assert latest is not None
    name = next(each for each in counts if each.rpartition(".")[2] in latest.schema)
    options = ("--topic", "proto-nested", "--value-format", "auto", "--record", name)
    assert kafkafmt("load", log_dir, "--to", delta.to(), *options).status == 0
    scan = library.scan(log_dir, topics="proto-nested").decode(record=name)
    found = loaded(delta)
    assert len(found) == counts[name]
    assert [row["value"] for row in found] == scan.to_table().sort_by("offset").column("value").to_pylist()


def test_values_by_a_given_schema(tmp_path: Path, delta: Lake, kafkafmt: Call) -> None:  # noqa: F811
    values = [{"id": 1, "name": "a"}, {"id": 2, "name": "b"}]
    written(tmp_path, 0, record(("id", "int"), ("name", "string")), *values)
    options = ("--value-format", "avro", "--schema", tmp_path / "schema.avsc")
    assert kafkafmt("load", tmp_path / "t-0", "--to", delta.to(), *options).status == 0
    assert [row["value"] for row in loaded(delta)] == values
    written(tmp_path, 2, record(("id", "string")), {"id": "x"})
    refused = kafkafmt("load", tmp_path / "t-0", "--to", delta.to(), *options)
    assert refused.status == 3
    assert "the type of column value.id does not fit that in the table" in refused.stderr
    assert [row["value"] for row in loaded(delta)] == values
