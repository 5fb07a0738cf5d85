"""The Apicurio Registry archive: the one that `tools/proof registry` imports, compared with the registry's export."""

import hashlib
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from kafkafmt.values import apicurio_archive
from kafkafmt.values import schemas as schemas_of
from kafkafmt.values.apicurio_archive import ARCHIVE
from kafkafmt.values.registry import Schemas
from kafkafmt.values.schema_export import write_schemas
from kafkafmt.values.stored_schema import Reference, StoredSchema
from tests.values.golden_values import rows, unpack


def stored(subject: str, schema_id: int, version: int = 1, **changes: Any) -> StoredSchema:
    whole: dict[str, Any] = {
        "type": "AVRO",
        "state": "active",
        "is_superseded": False,
        "references": (),
        "metadata": None,
        "rule_set": None,
        "offsets": (),
        "schema": '"int"',
    }
    return StoredSchema(subject=subject, version=version, schema_id=schema_id, **{**whole, **changes})


def written(found: Schemas, folder: Path) -> tuple[dict[str, list[dict[str, Any]]], tuple[str, ...]]:
    """The entities of an archive by kind, and the notes."""
    notes = write_schemas(found, folder).notes
    entities: dict[str, list[dict[str, Any]]] = {}
    with zipfile.ZipFile(folder / ARCHIVE) as packed:
        for name in packed.namelist():
            _, kind, suffix = name.rsplit(".", 2)
            if suffix == "json":
                entities.setdefault(kind, []).append(json.loads(packed.read(name)))
            else:
                entities[kind][-1]["data"] = packed.read(name).decode()
    return entities, notes


def test_ids_versions_and_references_are_those_of_the_registry(tmp_path: Path) -> None:
    entities, _ = written(schemas_of(unpack("avro", tmp_path)), tmp_path / "out")
    contents = {each["contentId"]: each for each in entities["Content"]}
    versions = {(each["artifactId"], each["versionOrder"]): each for each in entities["ArtifactVersion"]}
    golden = rows("avro", "schemas")
    assert len(golden) == len(versions) == 86
    for row in golden:
        version = versions[row["subject"], row["version"]]
        content = contents[row["schemaId"]]
        assert version["contentId"] == row["schemaId"]
        assert (version["version"], version["state"]) == (str(row["version"]), "ENABLED")
        assert (content["data"], content["artifactType"]) == (row["schema"], row["type"])
        references = json.loads(content["serializedReferences"] or "[]")
        assert [(each["name"], each["artifactId"], int(each["version"])) for each in references] == [
            (each["name"], each["subject"], each["version"]) for each in row["references"]
        ]
    assert entities["GlobalRule"] == [{"ruleType": "COMPATIBILITY", "configuration": "NONE"}]


def test_hashes_are_those_of_the_registry(tmp_path: Path) -> None:
    """The hashes in an export of Apicurio Registry 3.3.3: of a schema and of one that references it."""
    entities, _ = written(schemas_of(unpack("registry", tmp_path)), tmp_path / "out")
    (inner,) = [each["contentId"] for each in entities["ArtifactVersion"] if each["artifactId"] == "crm.inner"]
    (outer,) = [each["contentId"] for each in entities["ArtifactVersion"] if each["artifactId"] == "crm.outer-value"]
    hashes = {each["contentId"]: each["contentHash"] for each in entities["Content"]}
    assert hashes[inner] == "d97ab7832f34d9f7d04a48d4fc577fc0a4364e6ae67fa9db667430fe790abb3d"
    assert hashes[outer] == "c519accc40cec2dc9389c0775cfe22f0a4228ae75779c7a75db17084d4b3e68c"


def test_deleted_versions_settings_and_contexts(tmp_path: Path) -> None:
    entities, notes = written(schemas_of(unpack("registry", tmp_path)), tmp_path / "out")
    versions = {(each["artifactId"], each["versionOrder"]): each for each in entities["ArtifactVersion"]}
    assert {place for place, each in versions.items() if each["state"] == "DISABLED"} == {
        (row["subject"], row["version"]) for row in rows("registry", "schemas") if row["state"] == "soft-deleted"
    }
    assert entities["GlobalRule"] == [{"ruleType": "COMPATIBILITY", "configuration": "FORWARD"}]
    assert entities["ArtifactRule"] == [
        {
            "groupId": None,
            "artifactId": "crm.people-value",
            "type": "COMPATIBILITY",
            "configuration": "FULL_TRANSITIVE",
        }
    ]
    # Four subjects share one content; each version has a distinct id.
    shared = [versions[f"crm.{name}-value", 1] for name in ("one", "two", "three", "four")]
    assert len({each["contentId"] for each in shared}) == 1
    assert len({each["globalId"] for each in versions.values()}) == len(versions) == 25
    of_contexts, of_settings = notes[-2:]
    assert of_contexts == (
        "import.apicurio.zip leaves out 3 schemas with ids that other schemas have in another context: "
        ":.east:crm.contexts-value version 2, :.west.far:crm.contexts-value version 1, "
        ":.east:crm/slash name-value version 1"
    )
    assert of_settings == (
        "import.apicurio.zip leaves out what Apicurio Registry does not have: metadata and rules of schemas (1), "
        "configs other than compatibility levels of subjects (3), modes (2)"
    )


def test_the_same_schemas_give_the_same_bytes(tmp_path: Path) -> None:
    found = schemas_of(unpack("json-schema", tmp_path))
    digests = set()
    for name in ("a", "b"):
        write_schemas(found, tmp_path / name)
        digests.add(hashlib.sha256((tmp_path / name / ARCHIVE).read_bytes()).hexdigest())
    assert len(digests) == 1


def test_schemas_that_do_not_fit_are_left_out_with_those_that_refer_to_them(tmp_path: Path) -> None:
    found = (
        stored(":.east:a", 1, schema='"long"'),
        stored(":.east:b", 2, references=(Reference("a", "a", 1),)),
        stored("a", 1),
        stored("mixed", 3, type="JSON"),
        stored("mixed", 4, version=2),
        stored("odd", 5, type="XML"),
        stored("again", 6),
    )
    entities, notes = written(Schemas(found, {}, {}), tmp_path / "out")
    assert [(each["artifactId"], each["contentId"]) for each in entities["ArtifactVersion"]] == [
        ("a", 1),
        ("mixed", 4),
        ("again", 6),
    ]
    # One text with three ids has three hashes.
    assert len({each["contentHash"] for each in entities["Content"]}) == 3
    assert [each.removeprefix("import.apicurio.zip leaves out 1 schema ") for each in notes] == [
        "of another type than the latest version of the subject: mixed version 1",
        "of types other than AVRO, JSON, PROTOBUF: odd version 1",
        "with ids that other schemas have in another context: :.east:a version 1",
        "that refer to schemas left out: :.east:b version 1",
    ]


def test_an_archive_larger_than_the_registry_takes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apicurio_archive, "_MOST_ENTRIES", 5)
    _, (note,) = written(Schemas((stored("a", 1),), {}, {}), tmp_path / "out")
    assert note == (
        "import.apicurio.zip has 6 entries: start Apicurio Registry with APICURIO_IMPORT_ZIP_MAX_ENTRY_COUNT=6, "
        "as its default is 5"
    )
