"""Schemas of Kafka Connect, which its JsonConverter writes beside each payload, as types of JSON values.

Source: `JsonConverter.asConnectSchema` and `convertToJson` of org.apache.kafka.connect.json. Logical types remain the
numbers and texts in which they are written; bytes are base64.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from kafkafmt.errors import DataError
from kafkafmt.values.json.reading import text_of_json
from kafkafmt.values.json.types import ANY, JsonType, all_of, count, object_of

_SCALARS: Final[Mapping[str, JsonType]] = {
    **dict.fromkeys(("int8", "int16", "int32", "int64"), JsonType("integer")),
    **dict.fromkeys(("float", "double"), JsonType("number")),
    "boolean": JsonType("boolean"),
    "string": JsonType("string"),
    "bytes": JsonType("string"),
}
_MOST_NODES: Final = 10_000


def payload_type(values: Iterable[bytes]) -> JsonType | None:
    """The joint type of the payloads of some values, which may have several schemas; None if they have no schemas.

    Args:
        values: JSON with "schema" and "payload"; other values are ignored.
    """
    texts = {json.dumps(schema, sort_keys=True): schema for schema in _schemas(values)}
    if not texts:
        return None
    merged = all_of([_type(schema) for schema in texts.values()])
    return merged if count(merged) <= _MOST_NODES else ANY


def _schemas(values: Iterable[bytes]) -> Iterator[object]:
    for value in values:
        try:
            document = json.loads(text_of_json(value))
        except (DataError, ValueError, RecursionError):
            continue
        if isinstance(document, dict) and isinstance(document.get("schema"), dict) and "payload" in document:
            yield document["schema"]


def _type(schema: object) -> JsonType:
    if not isinstance(schema, dict):
        return ANY
    kind = schema.get("type")
    if kind == "array":
        return JsonType("array", inner=_type(schema.get("items")))
    if kind == "map":
        keys = schema.get("keys")
        has_names = isinstance(keys, dict) and keys.get("type") == "string"
        return JsonType("map", inner=_type(schema.get("values"))) if has_names else ANY
    if kind == "struct":
        listed = schema.get("fields")
        fields = [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
        named = {each["field"]: _type(each) for each in fields if isinstance(each.get("field"), str)}
        return object_of(named) if named and len(named) == len(fields) else ANY
    return _SCALARS.get(kind, ANY) if isinstance(kind, str) else ANY
