"""The archive from which Apicurio Registry imports schemas with their ids and versions.

It has the form of an export of Apicurio Registry 3: a JSON file for each content, artifact, version, branch and rule,
recognized by its last two suffixes (`EntityReader`). The registry skips entries that it cannot store, and reports them
only in its log (`SqlDataImporter`), so no such entries are written.
"""

import hashlib
import json
import os
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from kafkafmt.values.stored_schema import DEFAULT_CONTEXT, StoredSchema

if TYPE_CHECKING:
    from kafkafmt.values.registry import Schemas

ARCHIVE: Final = "import.apicurio.zip"

_MIME_TYPES: Final[Mapping[str, str]] = {
    "AVRO": "application/json",
    "JSON": "application/json",
    "PROTOBUF": "application/x-protobuf",
}
_MANIFEST: Final = {"systemVersion": "3.0.0", "systemName": "kafkafmt", "exportVersion": "3.0"}
_LEVEL: Final = "compatibilityLevel"
_TIME: Final = (1980, 1, 1, 0, 0, 0)
_MOST_ENTRIES: Final = 10_000
"""The default of `apicurio.import.zip.max-entry-count`."""

Entry = tuple[str, bytes]
"""A file of the archive: its name and its bytes."""


class Archive:
    """An archive of schemas.

    The registry has a content for each id, an artifact for each subject, and no contexts: the name of a subject
    includes its context, and ids must be unique.

    Attributes:
        schemas: the schemas in the archive, in order.
        left_out: the other schemas, by the reason why they are left out.
    """

    def __init__(self, schemas: "Schemas", wanted: Sequence[StoredSchema]) -> None:
        """Choose the schemas.

        Args:
            schemas: all schemas, for references and configs.
            wanted: the schemas to write; each has its own subject and version, an id, and references that exist.
        """
        self._schemas = schemas
        self._entries = 0
        self.left_out: dict[str, list[StoredSchema]] = {}
        self.schemas = self._fitting(wanted)
        self._subjects: dict[str, list[StoredSchema]] = {}
        for each in self.schemas:
            self._subjects.setdefault(each.subject, []).append(each)

    def write(self, file: Path) -> None:
        """Write the archive; the same schemas give the same bytes.

        Raises:
            OSError: the file cannot be written.
        """
        with open(file, "wb") as stream:
            with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as packed:
                for name, data in self._all_entries():
                    packed.writestr(zipfile.ZipInfo(name, _TIME), data)
                self._entries = len(packed.namelist())
            stream.flush()
            os.fsync(stream.fileno())

    def notes(self) -> Iterator[str]:
        """Notes on settings that the registry does not support, and on the size of the archive."""
        configs = self._schemas.configs.items()
        lost = {
            "metadata and rules of schemas": sum(bool(each.metadata or each.rule_set) for each in self.schemas),
            "configs other than compatibility levels of subjects": sum(
                bool(config.keys() - {_LEVEL}) or (subject is not None and subject not in self._subjects)
                for subject, config in configs
            ),
            "modes": len(self._schemas.modes),
        }
        if named := [f"{name} ({count:,})" for name, count in lost.items() if count]:
            yield f"{ARCHIVE} leaves out what Apicurio Registry does not have: {', '.join(named)}"
        if self._entries > _MOST_ENTRIES:
            yield (
                f"{ARCHIVE} has {self._entries:,} entries: start Apicurio Registry with "
                f"APICURIO_IMPORT_ZIP_MAX_ENTRY_COUNT={self._entries}, as its default is {_MOST_ENTRIES:,}"
            )

    def _fitting(self, wanted: Sequence[StoredSchema]) -> list[StoredSchema]:
        contents: dict[int | None, tuple[str, str | None]] = {}
        types = {each.subject: each.type for each in sorted(wanted, key=lambda each: each.version)}
        fitting = {_place(each): each for each in wanted}

        def leave_out(schema: StoredSchema, why: str) -> None:
            self.left_out.setdefault(why, []).append(fitting.pop(_place(schema)))

        # Ids in values refer to the default context first.
        for each in sorted(wanted, key=lambda each: each.context != DEFAULT_CONTEXT):
            content = self._content(each)
            if each.type not in _MIME_TYPES:
                leave_out(each, f"of types other than {', '.join(_MIME_TYPES)}")
            elif each.type != types[each.subject]:
                leave_out(each, "of another type than the latest version of the subject")
            elif contents.setdefault(each.schema_id, content) != content:
                leave_out(each, "with ids that other schemas have in another context")
        for each in wanted:
            needed = map(_place, self._schemas.references(each))
            if _place(each) in fitting and not fitting.keys() >= set(needed):
                leave_out(each, "that refer to schemas left out")
        return list(fitting.values())

    def _content(self, schema: StoredSchema) -> tuple[str, str | None]:
        """The text of a schema, and its references as the registry writes them; None if it has none."""
        references = [
            {"groupId": None, "artifactId": found.subject, "version": str(found.version), "name": each.name}
            for each in schema.references
            if (found := self._schemas.referred(schema, each)) is not None
        ]
        return schema.schema, json.dumps(references, separators=(",", ":"), ensure_ascii=False) if references else None

    def _all_entries(self) -> Iterator[Entry]:
        yield _entry("Manifest", 1, _MANIFEST)
        yield from self._contents()
        global_ids = _global_ids(self.schemas)
        for number, (subject, versions) in enumerate(self._subjects.items(), 1):
            versions.sort(key=lambda each: each.version)
            # The registry lists subjects in the order of their times.
            artifact = {"groupId": None, "artifactId": subject, "createdOn": number, "modifiedOn": number}
            yield _entry("Artifact", number, {**artifact, "artifactType": versions[-1].type})
            for each in versions:
                global_id = global_ids[_place(each)]
                version = {
                    "globalId": global_id,
                    "contentId": each.schema_id,
                    "version": str(each.version),
                    "versionOrder": each.version,
                    "state": "ENABLED" if each.state == "active" else "DISABLED",
                }
                yield _entry("ArtifactVersion", global_id, {**artifact, **version})
            latest = {"branchId": "latest", "systemDefined": True, "versions": [str(each.version) for each in versions]}
            yield _entry("Branch", number, {**artifact, **latest})
            if level := self._schemas.configs.get(subject, {}).get(_LEVEL):
                rule = {"groupId": None, "artifactId": subject, "type": "COMPATIBILITY", "configuration": level}
                yield _entry("ArtifactRule", number, rule)
        if level := self._schemas.configs.get(None, {}).get(_LEVEL):
            yield _entry("GlobalRule", 1, {"ruleType": "COMPATIBILITY", "configuration": level})

    def _contents(self) -> Iterator[Entry]:
        hashes: set[str] = set()
        for schema_id, each in {each.schema_id: each for each in self.schemas}.items():
            text, references = self._content(each)
            data = text.encode("utf-8", "surrogatepass")
            digest = hashlib.sha256(data + (references or "").encode("utf-8", "surrogatepass"))
            if digest.hexdigest() in hashes:
                # Hashes must be unique, even if one text has two ids.
                digest.update(str(schema_id).encode())
            hashes.add(digest.hexdigest())
            content = {
                "contentId": schema_id,
                "contentHash": digest.hexdigest(),
                "artifactType": each.type,
                "contentType": _MIME_TYPES[each.type],
                "serializedReferences": references,
            }
            yield _entry("Content", schema_id, content)
            yield f"Content/{schema_id}.Content.data", data


def _global_ids(schemas: Sequence[StoredSchema]) -> dict[tuple[str, int], int]:
    """A unique id for each version: the schema's own, unless another version has it."""
    found: dict[tuple[str, int], int] = {}
    taken: set[int] = set()
    following = max((each.schema_id or 0 for each in schemas), default=0) + 1
    for each in schemas:
        global_id = each.schema_id or 0
        if global_id in taken:
            global_id, following = following, following + 1
        taken.add(global_id)
        found[_place(each)] = global_id
    return found


def _place(schema: StoredSchema) -> tuple[str, int]:
    return schema.subject, schema.version


def _entry(kind: str, name: int | None, entity: Mapping[str, Any]) -> Entry:
    return f"{kind}/{name}.{kind}.json", json.dumps(entity).encode()
