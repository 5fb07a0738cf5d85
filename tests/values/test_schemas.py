"""The schemas of a registry, compared with the registry's own answers (golden/values)."""

import json
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any

import pytest

import kafkafmt.values
from kafkafmt.errors import CorruptError, KafkafmtError, NotFoundError
from kafkafmt.values.registry import Schemas
from kafkafmt.values.registry_log import RegistryLog
from kafkafmt.values.stored_schema import Reference, StoredSchema
from tests.topics.consumer_groups.coordinator_log import Log
from tests.values.golden_values import rows, unpack

CASES = ("avro", "protobuf", "json-schema", "framings", "registry", "damaged")
GUIDS_OF_RULES = {("crm.ruled-value", 1)}
"""Its GUID includes the rules that were sent; this edition of the registry drops rules, so none are on the disk."""


@pytest.fixture(scope="module")
def log_dirs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return {case: unpack(case, tmp_path_factory.mktemp(case)) for case in (*CASES, "primitives")}


@pytest.mark.parametrize("case", CASES)
def test_schemas_as_the_registry_has_them(case: str, log_dirs: dict[str, Path]) -> None:
    found = kafkafmt.values.schemas(log_dirs[case])
    latest = {(each.subject, each.version): each for each in found.all if not each.is_superseded}
    replaced = {(each.subject, each.version) for each in found.all if each.is_superseded}
    for row in rows(case, "schemas"):
        key = (row["subject"], row["version"])
        if row["state"] == "gone":
            assert key not in latest
            continue
        each = latest.pop(key)
        assert (each.schema_id, each.type, each.state) == (row["schemaId"], row["type"], row["state"])
        assert each.schema == row.get("storedText", row["schema"])
        assert list(each.offsets) == row["offsets"]
        assert (key in replaced) == row["superseded"]
        assert [(one.name, one.subject, one.version) for one in each.references] == [
            (one["name"], one["subject"], one["version"]) for one in row["references"] or ()
        ]
        assert (each.metadata, each.rule_set) == (row["metadata"], row["ruleSet"])
        if row["guid"] is not None and key not in GUIDS_OF_RULES:
            assert each.guid == row["guid"]
    assert not latest
    assert not found.findings


@pytest.mark.parametrize("case", CASES)
def test_subjects_as_the_registry_lists_them(case: str, log_dirs: dict[str, Path]) -> None:
    subjects = {each.subject: each for each in kafkafmt.values.schemas(log_dirs[case]).subjects}
    for row in rows(case, "subjects"):
        each = subjects.pop(row["subject"])
        assert list(each.versions) == row["versions"]
        assert list(each.deleted_versions) == row["deletedVersions"]
        assert each.latest_version == row["latestVersion"]
        assert each.config == row["config"]
        assert each.mode == row["mode"]
    # The registry no longer has hard-deleted schemas.
    assert list(subjects) == (["crm.hardly-value"] if case == "registry" else [])


def test_an_id_is_looked_up_as_the_registry_does(log_dirs: dict[str, Path]) -> None:
    found = kafkafmt.values.schemas(log_dirs["registry"])

    def named(schema_id: int, subject: str) -> tuple[str, int] | None:
        each = found.by_id(schema_id, subject)
        return None if each is None else (each.subject, each.version)

    assert named(16, "crm.contexts-value") == ("crm.contexts-value", 1)
    # Written in the context .west.far, and read with the schema of .east, as by the registry.
    assert named(1, "crm.contexts-value") == (":.east:crm.contexts-value", 1)
    assert named(1, ":.west.far:crm.contexts-value") == (":.west.far:crm.contexts-value", 1)
    # An id alone is resolved in the default context, never in an arbitrary one.
    assert named(16, "other-value") == ("crm.contexts-value", 1)
    assert named(1, "crm.gone-value") is None
    assert named(8, "crm.again-value") == ("crm.again-value", 3)
    assert named(-2147483648, "crm.after-import-value") == ("crm.after-import-value", 1)
    guid = rows("registry", "schemas")[0]["guid"]
    assert found.by_guid(guid) is not None
    assert found.by_guid("eeeeeeee-eeee-eeee-eeee-eeeeeeeeeeee") is None


def test_an_alias_is_another_subject(log_dirs: dict[str, Path]) -> None:
    found = kafkafmt.values.schemas(log_dirs["registry"])
    latest = found.latest("crm.nickname-value")
    assert latest is not None
    assert (latest.subject, latest.version) == ("crm.people-value", 4)
    assert found.latest("crm.latest-off-value").version == 1  # type: ignore[union-attr]  # it has one
    assert found.latest("crm.softly-value") is None


def test_the_state_as_of_an_offset(log_dirs: dict[str, Path]) -> None:
    found = kafkafmt.values.schemas(log_dirs["registry"], at_offset=12)
    assert {each.version: each.state for each in found.all if each.subject == "crm.people-value"} == {
        1: "active",
        2: "soft-deleted",
        3: "soft-deleted",
        4: "active",
    }


def test_references_come_before_what_needs_them(log_dirs: dict[str, Path]) -> None:
    found = kafkafmt.values.schemas(log_dirs["avro"])
    schema = found.version("purchases-value", 2)
    assert schema is not None
    assert [each.subject for each in found.references(schema)] == ["purchases.address", "purchases.person"]


def test_without_a_registry(log_dirs: dict[str, Path]) -> None:
    with pytest.raises(NotFoundError, match="no partition of _schemas here; there are: "):
        kafkafmt.values.schemas(log_dirs["primitives"])
    assert kafkafmt.values.schemas(log_dirs["primitives"], missing="note").all == ()


SCHEMA = b'{"subject":"s","version":1,"id":1,"schema":"\\"int\\"","deleted":false}'
KEY = b'{"keytype":"SCHEMA","subject":"s","version":1,"magic":1}'


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        (b"{", SCHEMA, "the key is not JSON"),
        (b"[" * 100_000, SCHEMA, "the key is not JSON"),
        (b"17", SCHEMA, "not a JSON object"),
        (KEY, b"\xff", "the value is not JSON"),
        (KEY, SCHEMA.replace(b'"id":1', b'"id":2147483648'), "'id' is not an int32"),
        (KEY, SCHEMA.replace(b'"id":1', b'"id":true'), "'id' is not an int32"),
        (KEY, SCHEMA.replace(b'"schema"', b'"text"'), "'schema' is missing or not a string"),
        (KEY, SCHEMA[:-1] + b',"references":7}', "not a list of objects"),
        (b'{"keytype":"NEW"}', b"{}", 'unknown keytype "NEW"'),
        (KEY.replace(b'"version":1', b'"version":"1"'), SCHEMA, "'version' is not an int32"),
    ],
)
def test_records_that_no_registry_writes(tmp_path: Path, key: bytes, value: bytes, says: str) -> None:
    log = Log()
    log.put((KEY, SCHEMA), (key, value))
    source = log.write(tmp_path, topic="_schemas")
    found = kafkafmt.values.schemas(source)
    assert [each.schema for each in found.all] == ['"int"']
    (finding,) = found.findings
    assert says in finding.message
    with pytest.raises(KafkafmtError, match=says):
        kafkafmt.values.schemas(source, on_damage="raise")


def test_metadata_that_was_written_again_counts(tmp_path: Path) -> None:
    log = Log()
    again = SCHEMA[:-1] + b',"metadata":{"properties":{"owner":"b"}}}'
    log.put((KEY, SCHEMA), (KEY, again))
    (found,) = kafkafmt.values.schemas(log.write(tmp_path, topic="_schemas")).all
    assert found.metadata == {"properties": {"owner": "b"}}
    assert not found.is_superseded


def test_references_in_a_circle() -> None:
    def schema(subject: str, other: str) -> StoredSchema:
        return StoredSchema(
            subject,
            version=1,
            schema_id=1,
            type="AVRO",
            state="active",
            is_superseded=False,
            references=(Reference("x", other, 1),),
            metadata=None,
            rule_set=None,
            offsets=(0,),
            schema='"int"',
        )

    found = Schemas((schema("a", "b"), schema("b", "a")), {}, {})
    with pytest.raises(KafkafmtError, match="in a circle: a version 1 -> b version 1 -> a version 1"):
        found.references(found.all[0])
    with pytest.raises(KafkafmtError, match="no schema c version 1"):
        Schemas((schema("a", "c"),), {}, {}).references(schema("a", "c"))


def test_replaced_segments_and_what_is_below_the_log_start_are_read(tmp_path: Path) -> None:
    log = Log()
    log.put((KEY, SCHEMA))
    source = log.write(tmp_path, topic="_schemas")
    live = source / "_schemas-0" / "00000000000000000000.log"
    live.rename(live.with_name(f"{live.name}.deleted"))
    after = Log()
    after.offset = 1
    after.put((KEY, SCHEMA.replace(b'"id":1', b'"id":2').replace(b"int", b"long")))
    live.write_bytes(b"".join(after.batches))
    found = kafkafmt.values.schemas(source)
    assert [(each.schema_id, each.schema, each.is_superseded) for each in found.all] == [
        (1, '"int"', True),
        (2, '"long"', False),
    ]
    (source / "log-start-offset-checkpoint").write_text("0\n1\n_schemas 0 2\n")
    assert [each.schema_id for each in kafkafmt.values.schemas(source).all] == [1, 2]


def test_names_that_are_no_text_have_a_guid(tmp_path: Path) -> None:
    log = Log()
    log.put((KEY, SCHEMA[:-1] + b',"references":[{"name":"\\ud800","subject":"s","version":1}]}'))
    (found,) = kafkafmt.values.schemas(log.write(tmp_path, topic="_schemas")).all
    assert len(found.guid) == 36


@pytest.mark.parametrize("depth", [0, 1, 500, 960, 1_000, 100_000])
@pytest.mark.parametrize("place", ["keytype", "subject", "version", "schemaType", "id", "references"])
def test_records_of_other_types_and_depths_are_findings(place: str, depth: int) -> None:
    """Any JSON anywhere gives a state or an error of its record, even on a stack as deep as a test's."""
    content = {"keytype": "SCHEMA", "subject": "a", "version": 1, "id": 1, "schema": "{}", "schemaType": "AVRO"}
    known: list[Any] = []
    log = RegistryLog(known.append)
    for opening, closing in (("[", "]"), ('{"a":', "}")):
        nested = opening * depth + "7" + closing * depth
        text = json.dumps({**content, place: "HERE"}).replace('"HERE"', nested).encode()
        with suppress(CorruptError):
            log.see(0, text, text)
    assert log.memory() < 10_000
    assert len(log.schemas()) <= 2


def test_a_record_of_very_many_items_is_refused_before_it_is_parsed() -> None:
    known: list[Any] = []
    log = RegistryLog(known.append)
    key = json.dumps({"keytype": "SCHEMA", "subject": "a", "version": 1}).encode()
    for count, is_refused in ((1000, False), (1_000_001, True)):
        content = {"subject": "a", "version": 1, "id": 1, "schema": "," * count}
        with pytest.raises(CorruptError, match="the value has too many items") if is_refused else nullcontext():
            log.see(0, key, json.dumps(content).encode())
    assert not known
