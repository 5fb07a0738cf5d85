"""The topics of golden/values/primitives through `Scan.decode`: Kafka's serializers, without a registry."""

import json
from pathlib import Path
from typing import Any

import pytest

import kafkafmt as library
from tests.values.golden_values import raw, rows, unpack

PRIMITIVES = ("int", "long", "short", "float", "double", "boolean", "uuid", "string", "json")


@pytest.fixture(scope="module")
def log_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpack("primitives", tmp_path_factory.mktemp("primitives"))


def decoded(log_dir: Path, topic: str, **arguments: Any) -> dict[tuple[str, int, int], dict[str, Any]]:
    """Keys and values with their errors, by part, partition and offset."""
    scan = library.scan(log_dir, topics=topic).without_warnings()
    table = scan.decode(**arguments, on_damage="skip").to_table().to_pylist()
    return {
        (part, row["partition"], row["offset"]): {"value": row[part], "error": row[f"{part}Error"]}
        for row in table
        for part in ("key", "value")
    }


@pytest.mark.parametrize(
    "topic", ["int", "long", "short", "float", "double", "boolean", "uuid", "string", "json", "connect", "connect-bare"]
)
def test_keys_and_values_of_kafkas_serializers(topic: str, log_dir: Path) -> None:
    golden = [row for row in rows("primitives", "values") if row["topic"] == f"fx.{topic}"]
    for part in ("key", "value"):
        of_part = [row for row in golden if row["part"] == part]
        for name in {row.get("format") for row in of_part} & set(PRIMITIVES):
            found = decoded(log_dir, f"fx.{topic}", **{part: name})
            for row in of_part:
                made = found[part, row["partition"], row["offset"]]
                if row.get("null"):
                    assert made == {"value": None, "error": None}
                elif row["format"] == name:
                    assert made["error"] is None
                    assert is_same(made["value"], row["written"], name), row


def is_same(made: Any, written: Any, name: str) -> bool:
    if name == "json":
        return bool(json.loads(made) == written)
    if isinstance(written, dict):
        return str(made).replace("inf", "Infinity").replace("nan", "NaN") == str(written["$float"])
    return type(made) is type(written) and bool(made == written)


@pytest.mark.parametrize("topic", ["fx.list", "fx.other"])
def test_what_is_no_format_stays_bytes(topic: str, log_dir: Path) -> None:
    """Kafka's `ListSerializer` does not record the element type, and other bytes reveal nothing."""
    found = decoded(log_dir, topic, value="auto", key="bytes")
    compared = 0
    for row in rows("primitives", "values"):
        if (row["topic"], row["part"]) == (topic, "value") and not row.get("null"):
            assert found["value", row["partition"], row["offset"]] == {"value": raw(row), "error": None}
            compared += 1
    assert compared >= 2
