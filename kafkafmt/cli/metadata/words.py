"""Words: what a table shows of columns that hold structures; the other forms have these as they are."""

from collections.abc import Callable, Mapping
from typing import Any

import pyarrow as pa

from kafkafmt.topics.cluster_metadata import Endpoint

Struct = Mapping[str, Any]


def in_words(table: pa.Table) -> pa.Table:
    """Write endpoints, features, entities and configs as text, one after another."""
    for number, field in enumerate(table.schema):
        if field.name in _WORDS and pa.types.is_list(field.type):
            write = _WORDS[field.name]
            column = [
                None if items is None else ", ".join(write(item) for item in items)
                for items in table.column(number).to_pylist()
            ]
            table = table.set_column(number, field.name, pa.array(column, pa.string()))
    return table


def _endpoint(item: Struct) -> str:
    return str(Endpoint(item["name"], item["host"], item["port"], None))


def _feature(item: Struct) -> str:
    return f"{item['name']} {item['minSupportedVersion']}-{item['maxSupportedVersion']}"


def _entity(item: Struct) -> str:
    name = item["entityName"]
    return f"{item['entityType']} {'<default>' if name is None else name}"


def _config(item: Struct) -> str:
    value = item["value"]
    return f"{item['name']}={'[redacted]' if value is None else value}"


_WORDS: Mapping[str, Callable[[Struct], str]] = {
    "endpoints": _endpoint,
    "features": _feature,
    "entity": _entity,
    "configs": _config,
}
