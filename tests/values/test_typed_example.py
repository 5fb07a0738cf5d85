"""docs/examples/typed: its `_schemas` has the form of a real registry's, and its topics agree with each other."""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import kafkafmt
from tests.cli.conftest import Call
from tests.cli.conftest import kafkafmt as command
from tests.values.golden_values import unpack

__all__ = ["command"]

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "typed" / "log-dir"


def rows(topic: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = kafkafmt.scan(EXAMPLE, topics=topic).decode().to_table().to_pylist()
    return found


def forms(path: Path) -> set[tuple[tuple[str, ...], tuple[str, ...] | None]]:
    """Field names in keys and values of `_schemas`, in order."""
    table = kafkafmt.scan(path, topics="_schemas", columns=["key", "value"]).to_table()
    return {
        (tuple(json.loads(row["key"])), None if row["value"] is None else tuple(json.loads(row["value"])))
        for row in table.to_pylist()
    }


def test_its_schemas_are_stored_as_a_registry_stores_them(tmp_path: Path) -> None:
    assert len(forms(EXAMPLE)) == 3
    assert forms(EXAMPLE) <= forms(unpack("registry", tmp_path))


def test_each_payment_is_that_of_its_order() -> None:
    orders = {row["value"]["id"]: row["value"] for row in rows("orders")}
    payments = [row["value"] for row in rows("payments")]
    assert len(orders) == 12
    assert len(payments) == 11
    for payment in payments:
        order = orders[payment["order_id"]]
        assert Decimal(payment["amount"]["cents"]) / 100 == order["total"]
        assert (payment["paid"] - order["placed"]).total_seconds() == 60
        assert payment["method"] == ("CASH" if payment["order_id"] % 4 == 0 else "CARD")


def test_orders_are_read_by_a_schema_that_was_deleted_for_good() -> None:
    schemas = kafkafmt.values.schemas(EXAMPLE)
    deleted = schemas.version("orders-value", 1)
    assert deleted is not None
    assert deleted.state == "hard-deleted"
    by_it = [row for row in rows("orders") if row["valueSchemaId"] == deleted.schema_id]
    assert sorted(row["value"]["id"] for row in by_it) == [1001, 1002, 1003, 1004]
    assert {row["value"]["channel"] for row in by_it} == {"TILL"}


def test_json_has_types_with_a_schema_and_is_text_without() -> None:
    assert sum(row["value"]["millis"] for row in rows("page-views")) == sum(
        20 + number * 37 % 90 for number in range(20)
    )
    assert {json.loads(row["value"])["city"] for row in rows("customers")} == {"Wien", "Pécs", "Graz", "Brno"}


def test_hints_for_values_that_are_shown_as_stored(command: Call) -> None:
    def last(*arguments: object) -> str:
        lines = command(*arguments).stderr.splitlines()
        return lines[-1] if lines else ""

    hint = "kafkafmt: note: the values name schemas of a registry: decode them with --value-format auto"
    for topic, note in (("orders", hint), ("page-views", hint), ("customers", ""), ("__cluster_metadata", "")):
        assert last("cat", EXAMPLE, "--topic", topic) == note
    assert last("cat", EXAMPLE) == hint
    assert last("cat", EXAMPLE, "--topic", "orders", "-o", "jsonl") == ""
    path = ("grep", "--json-path", "$.page=/", EXAMPLE, "--topic", "page-views")
    assert last(*path).endswith("add --value-format auto to search Avro and Protobuf")
    assert last(*path, "--value-format", "auto") == ""
    assert last("grep", "--json-path", "$.city=Wien", EXAMPLE) == ""
