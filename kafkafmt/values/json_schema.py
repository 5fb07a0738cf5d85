"""The format of JSON values with a schema."""

from typing import TYPE_CHECKING, Final

import pyarrow as pa

from kafkafmt.values.primitives import json_of, text_of
from kafkafmt.values.registered import RegisteredFormat

if TYPE_CHECKING:
    from kafkafmt.values.stored_schema import StoredSchema

JSON_SCHEMA: Final = "JSON"
"""The registry's name of the type."""


class JsonSchema(RegisteredFormat):
    """JSON with the id of a schema before it; the text as it is, since JSON Schema has no rules of resolution."""

    TYPE = JSON_SCHEMA
    name = "json-schema"
    kind = pa.string()

    def _value(self, schema: "StoredSchema", payload: bytes, indexes: bytes | None = None) -> tuple[object, int]:  # noqa: ARG002
        json_of(payload)
        return text_of(payload), 0
