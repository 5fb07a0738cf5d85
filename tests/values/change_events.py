"""Log directories with Debezium's change events (golden/debezium), in the forms of Kafka Connect's converters."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from kafkafmt.writing.write import write
from tests.varints import write_varlong

GOLDEN: Final = Path(__file__).parents[1] / "golden" / "debezium"
FORMS: Final = ("json", "connect", "json-schema", "avro")
TOPIC: Final = "PostgreSQL_server.inventory.customers"


@cache
def events() -> list[dict[str, Any]]:
    found = [json.loads(line) for line in (GOLDEN / "events.jsonl").read_text().splitlines()]
    assert len(found) == 12
    return found


@cache
def tables() -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = json.loads((GOLDEN / "tables.json").read_text())
    return found


def written(directory: Path, form: str) -> Path:
    """Write a log directory with the events in one form, and `_schemas` if the form has one."""
    rows: dict[str, list[Any]] = {name: [] for name in ("topic", "partition", "timestamp", "key", "value")}
    if form in ("json-schema", "avro"):
        file, kind = ("envelope.json", "JSON") if form == "json-schema" else ("envelope.avsc", "AVRO")
        subject = {"subject": f"{TOPIC}-value", "version": 1, "magic": 1}
        content = {**subject, "id": 7, "schema": (GOLDEN / file).read_text(), "deleted": False, "schemaType": kind}
        _add(rows, "_schemas", 0, {"keytype": "SCHEMA", **subject}, _json(content))
    for each in events():
        _add(rows, TOPIC, each["timestamp"], _in_envelope(form, each["key"]), _value(form, each["value"]))
    types = [pa.string(), pa.int32(), pa.int64(), pa.binary(), pa.binary()]
    columns = [pa.array(column, kind) for column, kind in zip(rows.values(), types, strict=True)]
    write(pa.table(columns, names=list(rows)), directory / form)
    return directory / form


def _add(rows: dict[str, list[Any]], topic: str, timestamp: int, key: object, value: bytes | None) -> None:
    row = (topic, 0, timestamp, None if key is None else _json(key), value)
    for column, cell in zip(rows.values(), row, strict=True):
        column.append(cell)


def _in_envelope(form: str, key: object) -> object:
    return {"schema": {"type": "struct"}, "payload": key} if form == "connect" and key is not None else key


def _value(form: str, value: Mapping[str, Any] | None) -> bytes | None:
    if value is None:
        return None
    if form == "json":
        return _json(value)
    if form == "connect":
        return _json({"schema": json.loads((GOLDEN / "schema.json").read_text()), "payload": value})
    framing = b"\0" + (7).to_bytes(4, "big")
    if form == "json-schema":
        return framing + _json(value)
    return framing + encoded(json.loads((GOLDEN / "envelope.avsc").read_text()), value, {})


def encoded(schema: Any, value: Any, names: dict[str, Any]) -> bytes:
    """A value in Avro's binary encoding, for the types of the envelope."""
    if isinstance(schema, list):
        branch = 0 if value is None else 1
        names.update({each["name"]: each for each in schema if isinstance(each, dict)})
        return write_varlong(branch) + (b"" if value is None else encoded(schema[branch], value, names))
    if isinstance(schema, dict):
        return b"".join(encoded(each["type"], value.get(each["name"]), names) for each in schema["fields"])
    if schema in names:
        return encoded(names[schema], value, names)
    if schema == "string":
        text: bytes = value.encode()
        return write_varlong(len(text)) + text
    assert schema in ("int", "long")
    number: bytes = write_varlong(value)
    return number


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()
