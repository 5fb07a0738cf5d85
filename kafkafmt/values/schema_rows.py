"""Schemas and settings of a registry as JSON objects: lines of an index, and answers of a registry's REST API."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, get_args

from kafkafmt.errors import CorruptError
from kafkafmt.reference.header import INT32_RANGE
from kafkafmt.values.stored_schema import Reference, State, StoredSchema


@dataclass
class Settings:
    """Configs and modes by subject or context; the global ones by None."""

    configs: dict[str | None, Mapping[str, Any]] = field(default_factory=dict)
    modes: dict[str | None, str] = field(default_factory=dict)

    def rows(self) -> list[dict[str, Any]]:
        """The settings as JSON objects."""
        configs = [{"config": config, "subject": subject} for subject, config in self.configs.items()]
        return [*configs, *({"mode": mode, "subject": subject} for subject, mode in self.modes.items())]

    def take(self, row: Mapping[str, Any]) -> bool:
        """Take a JSON object if it is a setting; returns whether it is one.

        Raises:
            CorruptError: the setting is malformed.
        """
        if "config" not in row and "mode" not in row:
            return False
        subject, config, mode = row.get("subject"), row.get("config"), row.get("mode")
        if not isinstance(subject, str | None):
            raise CorruptError("'subject' is not a string", found=json.dumps(subject)[:80])
        if isinstance(config, dict):
            self.configs[subject] = config
        elif isinstance(mode, str):
            self.modes[subject] = mode
        else:
            raise CorruptError("neither a config nor a mode", found=json.dumps(row)[:80])
        return True


def row_of(subject: str, version: int, schema_id: int | None, kind: str) -> dict[str, Any]:
    """The JSON object of a schema with only these fields."""
    return {"subject": subject, "version": version, "schemaId": schema_id, "type": kind}


def whole_row(schema: StoredSchema) -> dict[str, Any]:
    """The JSON object of a schema without its text and GUID, which follow from a file and from the other fields."""
    return {
        **row_of(schema.subject, schema.version, schema.schema_id, schema.type),
        "state": schema.state,
        "isSuperseded": schema.is_superseded,
        "references": [
            {"name": each.name, "subject": each.subject, "version": each.version} for each in schema.references
        ],
        "metadata": schema.metadata,
        "ruleSet": schema.rule_set,
        "offsets": list(schema.offsets),
    }


def schema_of(row: Mapping[str, Any], text: str) -> StoredSchema:
    """The schema of a JSON object.

    Args:
        row: an object as of `whole_row`; all fields but subject and version may be missing.
        text: the text of the schema.

    Raises:
        CorruptError: the object is malformed.
    """
    state = row.get("state", "active")
    if state not in get_args(State):
        raise CorruptError("'state' is not a state of a schema", found=json.dumps(state)[:80])
    references = row.get("references") or []
    if not isinstance(references, list) or not all(isinstance(each, dict) for each in references):
        raise CorruptError("'references' is not a list of objects", found=json.dumps(references)[:80])
    offsets = row.get("offsets") or []
    if not isinstance(offsets, list) or not all(type(each) is int and 0 <= each < 2**63 for each in offsets):
        raise CorruptError("'offsets' is not a list of offsets", found=json.dumps(offsets)[:80])
    schema_id = row.get("schemaId")
    metadata, rule_set = row.get("metadata"), row.get("ruleSet")
    return StoredSchema(
        text_of(row, "subject"),
        number_of(row, "version"),
        None if schema_id is None else number_of(row, "schemaId"),
        str(row.get("type") or "AVRO"),
        state,
        row.get("isSuperseded") is True,
        tuple(
            Reference(text_of(each, "name"), text_of(each, "subject"), number_of(each, "version"))
            for each in references
        ),
        metadata if isinstance(metadata, dict) else None,
        rule_set if isinstance(rule_set, dict) else None,
        tuple(offsets),
        text,
    )


def text_of(row: Mapping[str, Any], name: str) -> str:
    """A text field of a JSON object.

    Raises:
        CorruptError: there is no such text.
    """
    value = row.get(name)
    if not isinstance(value, str):
        raise CorruptError(f"{name!r} is missing or not a string", found=json.dumps(value)[:80])
    return value


def number_of(row: Mapping[str, Any], name: str) -> int:
    """An int32 field of a JSON object.

    Raises:
        CorruptError: there is no such int32.
    """
    value = row.get(name)
    if type(value) is not int or value not in INT32_RANGE:
        raise CorruptError(f"{name!r} is not an int32", found=json.dumps(value)[:80])
    return value
