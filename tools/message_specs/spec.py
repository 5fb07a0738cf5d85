"""Writes the spec of one message from its JSON schema: the text of a .ksy file."""

import re
import textwrap
from collections.abc import Mapping
from typing import Any

from message_specs.schemas import MissingTextsError, Range, Schema, SchemaError, Source, common, versions

PRIMITIVES = {
    "int8": "s1",
    "int16": "s2",
    "uint16": "u2",
    "int32": "s4",
    "uint32": "u4",
    "int64": "s8",
    "float64": "f8",
    "bool": "kafka_boolean",
}
"""Types of the specs by types of the schemas, for types without parameters."""

VARIABLE = {"string": "kafka_string", "bytes": "kafka_bytes", "records": "kafka_record_set"}
"""Types that begin with a length, whose encoding depends on the version."""

PROTOCOL = {
    "request": "Version of the API, from the request's header",
    "response": "Version of the API, from the header of the request",
    "header": "Version of the header, which the version of the API determines",
}
"""Types of the schemas that brokers and clients exchange, with the description of the version in their specs."""

WIDTH = 80
_LENIENT = ("ConsumerProtocolAssignment", "ConsumerProtocolSubscription")  # Kafka reads later versions as the latest

Lines = list[str]


def snake_case(name: str) -> str:
    """Convert a name of a schema to an id: "KRaftVersionFeature" to "kraft_version_feature"."""
    text = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", name.replace("KRaft", "Kraft"))
    return re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", text).lower()


def spec_id(name: str) -> str:
    """Id of a message's spec, which is also the name of its file."""
    return f"kafka_{snake_case(name)}"


def paragraph(key: str, text: str, indent: int) -> Lines:
    """Write a doc or another text, on one line if it fits."""
    space = " " * indent
    plain = re.fullmatch(r"[\w(][^:#]*[^:#\s]", text)
    if "\n" not in text and plain and indent + len(key) + 2 + len(text) <= WIDTH:
        return [f"{space}{key}: {text}"]
    lines = [f"{space}{key}: |"]
    for number, part in enumerate(text.strip().split("\n\n")):
        lines += [""] if number else []
        lines += textwrap.wrap(
            " ".join(part.split()), WIDTH, initial_indent=space + "  ", subsequent_indent=space + "  "
        )
    return lines


def where(wanted: Range | None, of: Range, version: str) -> str:
    """Write the condition that a version is in a range, if it is known to be in another; possibly "true" or "false"."""
    both = common(wanted, of)
    if both is None:
        return "false"
    if both[0] == both[1] and of[0] < both[0] and both[1] < of[1]:
        return f"{version} == {both[0]}"
    parts = [f"{version} >= {both[0]}"] if both[0] > of[0] else []
    parts += [f"{version} <= {both[1]}"] if both[1] < of[1] else []
    return " and ".join(parts) or "true"


def head(
    identifier: str,
    title: str,
    imports: list[str],
    *,
    own: Lines | None = None,
    tags: tuple[str, ...] = ("log", "serialization"),
) -> Lines:
    """Write the meta section of a spec, with its own additional lines."""
    return [
        "meta:",
        f"  id: {identifier}",
        *(own or []),
        f"  title: {title}",
        "  application: Apache Kafka",
        "  xref:",
        "    wikidata: Q16235208 # Apache Kafka",
        "  tags:",
        *(f"    - {tag}" for tag in tags),
        "  license: Apache-2.0",
        "  ks-version: '0.9'",
        *(["  imports:", *(f"    - {name}" for name in sorted(imports))] if imports else []),
        "  endian: be",
    ]


class MessageSpec:
    """Writes the text of one message's spec.

    Args:
        source: the schema.
        texts: docs by the path of their subject: "" for the message, "Voter" and "Voter.VoterId", ...
        common: docs by the id of a field or structure that `texts` does not have. A subject in neither is an error,
            except in requests and responses, which have hundreds of fields: such a field has no doc.

    Attributes:
        used: keys of `texts` that the spec uses.
        common_used: keys of `common` that the spec uses.
    """

    def __init__(self, source: Source, texts: Mapping[str, Any], common: Mapping[str, str]) -> None:
        self._source = source
        self._schema = source.schema
        self._texts = texts
        self._defaults = common
        self.used: set[str] = set()
        self.common_used: set[str] = set()
        self._missing: list[str] = []
        name = self._schema["name"]
        valid = versions(self._schema["validVersions"])
        if valid is None:
            raise SchemaError(f"{name} has no valid version")
        self.first, self.last = valid
        self._valid: Range = valid
        self._flexible = versions(self._schema["flexibleVersions"])
        self._common = {struct["name"]: struct for struct in self._schema.get("commonStructs", [])}
        self._types: dict[str, Lines] = {}
        self._imports: set[str] = set()
        self._has_own_version = self._schema["fields"][:1] and self._schema["fields"][0]["name"] == "Version"
        self._version = "version" if self._has_own_version else "message_version"
        self._is_protocol = self._schema["type"] in PROTOCOL

    def text(self) -> str:
        """Write the spec.

        Raises:
            SchemaError: the schema is not understood.
            MissingTextsError: some fields or structures have no text.
        """
        schema = self._schema
        fields = schema["fields"]
        kind = schema["type"]
        params: Lines = []
        seq: Lines = []
        if kind == "metadata" or self._is_protocol:
            of_version = PROTOCOL.get(kind, "Version of the message, which the frame around it gives")
            params = ["params:", f"  - id: {self._version}", "    type: s2", f"    doc: {of_version}"]
        elif kind != "coordinator-key":
            seq += self._version_field()
            fields = fields[1:] if self._has_own_version else fields
        seq += self._body(fields, 2, self._version, snake_case(schema["name"]), "")
        words = snake_case(schema["name"]).replace("_", " ")
        own = [f"  -orig-id: {schema['name']}", f"  -versions: {self.first}-{self.last}"]
        title = self._about("title") or f"Apache Kafka {words}"
        tags = ("serialization",) if self._is_protocol else ("log", "serialization")
        lines = head(spec_id(schema["name"]), title, sorted(self._imports), own=own, tags=tags)
        lines += paragraph("doc", self._about("") or self._message_doc(), 0)
        references = [*(self._about("doc-ref") or ()), f"{self._source.url} {schema['name']}"]
        lines += ["doc-ref:", *(f"  - {each}" for each in references)]
        lines += self._representation("webide", 0)
        lines += [*params, "seq:", *seq]
        if self._types:
            lines += ["types:"]
            for name, content in self._types.items():
                lines += [f"  {name}:", *content]
        if self._missing:
            raise MissingTextsError((schema["name"], self._missing))
        return "\n".join(lines) + "\n"

    def _message_doc(self) -> str:
        """The description of a message that texts.yaml does not have."""
        schema = self._schema
        name, kind = schema["name"], schema["type"]
        if kind not in {"request", "response"}:
            return f"Message `{name}`."
        doc = f"`{name}`: a {kind} of the API with key {schema['apiKey']}, after its header (see `kafka_{kind}`)."
        if schema.get("latestVersionUnstable"):
            doc += f" Version {self.last} may still change: brokers offer it only if configured to."
        return doc

    def _about(self, path: str) -> Any:  # noqa: ANN401 (whatever a YAML file has)
        if path in self._texts:
            self.used.add(path)
            return self._texts[path]
        return None

    def _doc(self, path: str, indent: int) -> Lines:
        """Write the doc of a field or structure; a missing doc is an error except in the protocol."""
        text = self._about(path)
        if text is None:
            name = snake_case(path.rpartition(".")[2])
            if name not in self._defaults:
                if self._is_protocol:
                    return []
                self._missing.append(path)
                return []
            self.common_used.add(name)
            text = self._defaults[name]
        return paragraph("doc", text, indent)

    def _representation(self, path: str, indent: int) -> Lines:
        text = self._about(path)
        return [f"{' ' * indent}-webide-representation: '{text}'"] if text else []

    def _version_field(self) -> Lines:
        lines = [f"  - id: {self._version}", *(["    -orig-id: Version"] if self._has_own_version else [])]
        lines += ["    type: s2", "    valid:", f"      min: {self.first}"]
        if self._schema["name"] in _LENIENT:
            return [
                *lines,
                "    doc: |",
                "      Version of this message's layout. Kafka reads later ones as the last one that",
                "      it knows",
            ]
        return [*lines, f"      max: {self.last}", "    doc: Version of this message's layout"]

    def _body(self, fields: list[Schema], indent: int, version: str, owner: str, path: str) -> Lines:
        lines: Lines = []
        tagged: list[tuple[int, Schema]] = []
        for index, field in enumerate(fields):
            in_tag = versions(field.get("taggedVersions"))
            if in_tag is not None:
                tagged.append((index, field))
            present = versions(field.get("versions") or field.get("taggedVersions"))
            if in_tag is None:
                lines += self._field(field, indent, version, present, path)
            elif present is not None and present[0] < in_tag[0]:
                lines += self._field(field, indent, version, (present[0], in_tag[0] - 1), path)
        condition = where(self._flexible, self._valid, version)
        if condition != "false":
            name = "kafka_tagged_fields"
            if tagged:
                name = f"{owner}_tagged_fields" if path else "tagged_fields"
                self._tagged_fields(name, tagged, path)
            else:
                self._imports.add(name)
            lines += [f"{' ' * indent}- id: tagged_fields", f"{' ' * indent}  type: {name}"]
            lines += self._condition(condition, indent)
            what = "Fields that may be missing" if tagged else "None is known"
            lines += paragraph("doc", what, indent + 2)
        return lines

    @staticmethod
    def _condition(condition: str, indent: int) -> Lines:
        return [] if condition == "true" else [f"{' ' * indent}  if: {condition}"]

    def _field(
        self, field: Schema, indent: int, version: str, present: Range | None, path: str, index: int | None = None
    ) -> Lines:
        present = common(present, self._valid)
        if present is None:
            return []
        space = " " * indent
        name, kind = snake_case(field["name"]), field["type"]
        condition = "true" if index is not None else where(present, self._valid, version)
        flexible = versions(field["flexibleVersions"]) if "flexibleVersions" in field else self._flexible
        compact = where(flexible, present, version)
        nullable = where(versions(field.get("nullableVersions")), present, version)
        path = f"{path}.{field['name']}".lstrip(".")
        orig = [f"{space}  -orig-id: {field['name']}"] if field["name"] != name else []
        if index is not None:
            orig += [f"{space}  -index: {index}", f"{space}  -versions: {present[0]}-{present[1]}"]
        docs = self._doc(path, indent + 2)
        element = kind.removeprefix("[]")
        lines: Lines = []
        if kind.startswith("[]"):
            self._imports.add("kafka_array_length")
            lines += [f"{space}- id: num_{name}", f"{space}  type: kafka_array_length({compact}, {nullable})"]
            lines += [*self._condition(condition, indent), *paragraph("doc", f"Number of `{name}`", indent + 2)]
            orig = [*orig, *self._type(element, field, indent, compact, "false")]
            orig += [f"{space}  repeat: expr", f"{space}  repeat-expr: num_{name}.value"]
        elif kind[0].isupper() and nullable != "false":
            flag = f"is_{name}_present"
            # A nullable structure begins with a varint above 0 in a tagged field, with a non-negative byte elsewhere.
            kind_of_flag = "s1" if index is None else "kafka_unsigned_varint"
            lines += [f"{space}- id: {flag}", f"{space}  type: {kind_of_flag}"]
            both = [part for part in (condition, nullable) if part != "true"]
            lines += self._condition(" and ".join(both) or "true", indent)
            lines += paragraph("doc", f"{'Negative' if index is None else '0'} if `{name}` is null", indent + 2)
            orig += self._type(element, field, indent, compact, nullable)
            there = f"{flag} >= 0" if index is None else f"{flag}.value > 0"
            there = there if nullable == "true" else f"(not ({nullable}) or {there})"
            condition = there if condition == "true" else f"{condition} and {there}"
        else:
            orig += self._type(element, field, indent, compact, nullable)
        return [*lines, f"{space}- id: {name}", *orig, *self._condition(condition, indent), *docs]

    def _type(self, kind: str, field: Schema, indent: int, compact: str, nullable: str) -> Lines:
        space = " " * (indent + 2)
        if kind == "uuid":
            return [f"{space}size: 16"]
        if kind in PRIMITIVES:
            if PRIMITIVES[kind].startswith("kafka_"):
                self._imports.add(PRIMITIVES[kind])
            return [f"{space}type: {PRIMITIVES[kind]}"]
        if kind in VARIABLE:
            # Unaligned records may begin and end inside a batch.
            variable = VARIABLE["bytes" if field["name"].startswith("Unaligned") else kind]
            self._imports.add(variable)
            return [f"{space}type: {variable}({compact}, {nullable})"]
        if not kind[0].isupper():
            raise SchemaError(f"{self._schema['name']}: {field['name']} is of unknown type {kind}")
        fields = field.get("fields") or self._common[kind]["fields"]
        self._structure(kind, fields)
        return [f"{space}type: {snake_case(kind)}"]

    def _structure(self, kind: str, fields: list[Schema]) -> None:
        name = snake_case(kind)
        if name not in self._types:
            self._types[name] = []  # its place is before the structures inside it
            docs = self._doc(kind, 4)
            docs += self._representation(f"{kind}.webide", 4)
            self._types[name] = [*docs, "    seq:", *self._body(fields, 6, f"_root.{self._version}", name, kind)]

    def _tagged_fields(self, name: str, tagged: list[tuple[int, Schema]], path: str) -> None:
        item = name.removesuffix("s")
        self._imports.add("kafka_unsigned_varint")
        self._types[name] = [
            "    doc: Fields that may be missing (KIP-482)",
            "    seq:",
            "      - id: num_fields",
            "        type: kafka_unsigned_varint",
            "        doc: Number of fields. To Kafka a negative one is an error since 4.4",
            "      - id: fields",
            f"        type: {item}",
            "        repeat: expr",
            "        repeat-expr: num_fields.value",
            "        doc: The fields, in ascending order of their tags",
        ]
        cases = []
        rules = []
        self._types[item] = []
        for index, field in tagged:
            inner = f"{item.removesuffix('_field').removesuffix('tagged').rstrip('_')}_{snake_case(field['name'])}_tag"
            inner = inner.lstrip("_")
            cases += [f"            {field['tag']}: {inner}"]
            since = common(versions(field["taggedVersions"]), self._valid)
            if since is None:
                raise SchemaError(f"{self._schema['name']}: {field['name']} is never tagged")
            rule = where(since, common(self._flexible, self._valid) or self._valid, f"_root.{self._version}")
            rules += [] if rule == "true" else [f"(tag.value != {field['tag']} or {rule})"]
            self._types[inner] = [
                f"    doc: Field of tag {field['tag']}",
                "    seq:",
                *self._field(field, 6, f"_root.{self._version}", since, path, index),
                "      - id: rest",
                "        size: 0 - 1 # which no bytes have, to end with an error",
                "        if: not _io.eof",
                "        doc: Nothing, as the field is as large as it tells",
            ]
        size = ["        size: len_data.value"]
        if rules:
            # A size of -1, which no bytes have, is an error.
            terms = [f"          {rule} and" for rule in rules]
            terms[-1] = f"{terms[-1].removesuffix(' and')} ? len_data.value : -1"
            size = ["        size: |", *terms]
        self._types[item] = [
            "    doc: A field that may be missing",
            "    -webide-representation: 'tag {tag}'",
            "    seq:",
            "      - id: tag",
            "        type: kafka_unsigned_varint",
            "        doc: Number of the field",
            "      - id: len_data",
            "        type: kafka_unsigned_varint",
            "        doc: Size of `data` in bytes",
            "      - id: data",
            *size,
            "        type:",
            "          switch-on: tag.value",
            "          cases:",
            *cases,
            "        doc: The field itself, or bytes if its tag is not known",
        ]
