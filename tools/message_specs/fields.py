"""The fields of messages, read from the specs (.ksy), so that they are defined in only one place."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

Spec = dict[str, Any]
Fields = list[dict[str, Any]]

TYPES = {
    "s1": "int8",
    "s2": "int16",
    "u2": "uint16",
    "s4": "int32",
    "u4": "uint32",
    "s8": "int64",
    "f8": "float64",
    "kafka_boolean": "bool",
    "kafka_string": "string",
    "kafka_bytes": "bytes",
    "kafka_record_set": "records",
}
"""Types of Kafka's schemas by types of the specs; 16 bytes without a type are a UUID."""

TAGGED_FIELDS = "tagged_fields"


def fields_of_messages(specs: Iterable[Spec]) -> dict[str, Any]:
    """Versions and fields of each message, that is, each spec with `-versions`; by Kafka's name."""
    messages = {}
    for spec in specs:
        meta = spec["meta"]
        if "-versions" in meta:
            first, last = map(int, meta["-versions"].split("-"))
            messages[meta["-orig-id"]] = _Message(spec, range(first, last + 1)).describe()
    return dict(sorted(messages.items()))


class _Message:
    def __init__(self, spec: Spec, versions: range) -> None:
        self._spec = spec
        self._versions = versions
        self._types = spec.get("types", {})

    def describe(self) -> dict[str, Any]:
        seq = self._spec["seq"]
        versioned = not self._spec.get("params") and seq[0]["id"] in {"version", "message_version"}
        fields = self._fields(seq[1:] if versioned else seq)
        if seq[0]["id"] == "version":  # Kafka also lists it as a field
            fields.insert(0, self._field(seq[0], self._versions, nullable=False))
        return {
            "spec": self._spec["meta"]["id"],
            "versions": (self._versions[0], self._versions[-1]),
            "begins_with_version": versioned,
            "fields": fields,
        }

    def _fields(self, seq: list[Spec]) -> Fields:
        by_id = {field["id"]: field for field in seq}
        found: Fields = []
        tagged: list[tuple[int, dict[str, Any]]] = []
        for field in seq:
            identifier = field["id"]
            if identifier == TAGGED_FIELDS:
                tagged += self._tagged(field["type"])
            elif not re.fullmatch(r"num_\w+|is_\w+_present", identifier) or "-orig-id" in field:
                versions = self._versions_of(field)
                nullable = any(self._is_nullable(field, by_id, v) for v in versions)
                found.append(self._field(field, versions, nullable=nullable))
        for index, described in sorted(tagged, key=lambda pair: pair[0]):
            found.insert(index, described)
        return found

    def _field(self, field: Spec, versions: Sequence[int], *, nullable: bool) -> dict[str, Any]:
        kind = re.sub(r"\(.*", "", field.get("type", "uuid"))
        name = str(field.get("-orig-id", field["id"]))
        described = {"name": name[0].lower() + name[1:], "type": TYPES.get(kind, kind), "id": field["id"]}
        # Values that most fields share are left out.
        if "repeat" in field:
            described["array"] = True
        if nullable:
            described["nullable"] = True
        if (versions[0], versions[-1]) != (self._versions[0], self._versions[-1]):
            described["versions"] = (versions[0], versions[-1])
        if kind in self._types:
            described |= {"type": "struct", "structure": kind, "fields": self._fields(self._types[kind]["seq"])}
        return described

    def _versions_of(self, field: Spec) -> list[int]:
        """List the versions that have a field, by its `-versions` or else by its condition."""
        if "-versions" in field:
            first, last = map(int, field["-versions"].split("-"))
            return list(range(first, last + 1))
        return [version for version in self._versions if _holds(field.get("if", "true"), version)]

    @staticmethod
    def _is_nullable(field: Spec, by_id: dict[str, Spec], version: int) -> bool:
        flag = by_id.get(f"is_{field['id']}_present")
        if flag is not None:
            return _holds(flag.get("if", "true"), version)
        sized = by_id[f"num_{field['id']}"] if "repeat" in field else field
        arguments = re.fullmatch(r"kafka_(?:string|bytes|record_set|array_length)\((.*), (.*)\)", sized.get("type", ""))
        return arguments is not None and _holds(arguments[2], version)

    def _tagged(self, kind: str) -> Iterator[tuple[int, dict[str, Any]]]:
        if kind not in self._types:
            return
        item = self._types[self._types[kind]["seq"][1]["type"]]["seq"]
        for tag, inner in item[2]["type"]["cases"].items():
            by_id = {each["id"]: each for each in self._types[inner]["seq"]}
            (field,) = (each for each in by_id.values() if "-index" in each)
            versions = self._versions_of(field)
            nullable = any(self._is_nullable(field, by_id, v) for v in versions)
            yield field["-index"], {**self._field(field, versions, nullable=nullable), "tag": int(tag)}


def _holds(expression: str | bool, version: int) -> bool:
    """Evaluate a condition of a spec for a version and its nullable fields."""
    text = re.sub(r"is_\w+_present", "0", str(expression).replace("_root.", ""))
    names = {"version": version, "message_version": version, "true": True, "false": False}
    return bool(eval(text, {"__builtins__": {"True": True, "False": False}}, names))  # this project's specs
