"""Folders of schemas: output of `schemas --out` is read back, and so are users' own folders."""

import json
import os
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkafmt.errors import CorruptError, KafkafmtError, LimitExceededError, SourceError
from kafkafmt.values import schema_files
from kafkafmt.values import schemas as schemas_of
from kafkafmt.values.registry import Schemas
from kafkafmt.values.schema_export import IMPORT, write_schemas
from kafkafmt.values.schema_files import INDEX
from kafkafmt.values.schema_names import FileName, name_of, parse_name
from kafkafmt.values.schema_rows import Settings, schema_of
from kafkafmt.values.stored_schema import Reference, StoredSchema
from tests.cli.conftest import Call, kafkafmt  # noqa: F401 - a fixture
from tests.values.golden_values import rows, unpack

CASES = ("avro", "protobuf", "json-schema", "framings", "registry", "damaged")


def contents(schemas: Schemas) -> list[tuple[Any, ...]]:
    return [tuple(getattr(each, name) for name in StoredSchema.__slots__) for each in schemas.all]


def schema(subject: str, **changes: Any) -> StoredSchema:
    made = StoredSchema(
        subject,
        version=1,
        schema_id=1,
        type="AVRO",
        state="active",
        is_superseded=False,
        references=(),
        metadata=None,
        rule_set=None,
        offsets=(),
        schema='"int"',
    )
    return replace(made, **changes)


@pytest.mark.parametrize(("bits", "directory", "file"), [(0o755, 0o755, 0o644), (0o700, 0o700, 0o600)])
def test_a_folder_is_as_open_as_its_source(bits: int, directory: int, file: int) -> None:
    with TemporaryDirectory() as place:
        os.chmod(place, 0o755)
        source, out = Path(place, "source"), Path(place, "out")
        source.mkdir()
        (source / "a.avsc").write_text('"int"')
        os.chmod(source / "a.avsc", 0o644)
        os.chmod(source, bits)
        before = os.umask(0o022)
        try:
            write_schemas(schemas_of(source), out, [source])
        finally:
            os.umask(before)
        assert [out.stat().st_mode & 0o777, (out / INDEX).stat().st_mode & 0o777] == [directory, file]


@pytest.mark.parametrize("case", CASES)
def test_what_is_written_is_read_again(case: str, tmp_path: Path) -> None:
    found = schemas_of(unpack(case, tmp_path))
    written = write_schemas(found, tmp_path / "out")
    again = schemas_of(tmp_path / "out")
    assert written.files == len(found.all) > 3
    assert contents(again) == contents(found)
    assert (again.configs, again.modes, again.findings) == (found.configs, found.modes, ())
    # Without the index, file names provide subject, version and id.
    (tmp_path / "out" / INDEX).unlink()
    names = {(each.subject, each.version, each.schema_id, each.type) for each in found.all}
    plain = schemas_of(tmp_path / "out")
    assert {(each.subject, each.version, each.schema_id, each.type) for each in plain.all} == names


@given(
    st.text(max_size=300).filter(bool),
    st.integers(1, 10**9 - 1),
    st.none() | st.integers(-(2**31), 2**31 - 1),
    st.sampled_from(["AVRO", "PROTOBUF", "JSON", "THRIFT"]),
)
def test_every_subject_has_a_safe_name(subject: str, version: int, schema_id: int | None, kind: str) -> None:
    name = name_of(subject, version, schema_id, kind)
    assert len(name.encode()) < 255
    assert name.isascii()
    assert not set('/\\:*?"<>|\0\n ').intersection(name)
    assert not name.startswith(".")
    stem = name.rpartition(".")[0]
    if len(subject.encode("utf-8", "surrogatepass")) < 60:
        assert parse_name(stem) == FileName(subject, version, schema_id)


@pytest.mark.parametrize(
    ("stem", "expected"),
    [
        ("orders-value", FileName("orders-value")),
        ("orders-value.v3", FileName("orders-value", 3)),
        ("orders-value.v3.id17", FileName("orders-value", 3, 17)),
        ("orders-value.id-5", FileName("orders-value", 1, -5)),
        ("orders.v2.v1.id3", FileName("orders.v2", 1, 3)),
        ("a%2Fb%20c", FileName("a/b c")),
        (".v3", FileName(".v3")),
        ("x.id99999999999", FileName("x.id99999999999")),
        ("x.id9999999999", FileName("x.id9999999999")),
    ],
)
def test_what_the_name_of_a_file_says(stem: str, expected: FileName) -> None:
    assert parse_name(stem) == expected


def test_names_that_differ_in_case_alone_and_very_long_ones(tmp_path: Path) -> None:
    subjects = ("Orders", "orders", "x" * 400, "x" * 400 + "y", "é" * 200)
    found = Schemas(tuple(schema(each, schema='"int"') for each in subjects), {}, {})
    write_schemas(found, tmp_path / "out")
    names = [each.name for each in (tmp_path / "out").iterdir()]
    assert len({each.lower() for each in names}) == len(names) == 8
    assert contents(schemas_of(tmp_path / "out")) == contents(found)


def test_names_that_are_no_text_are_written_and_shown(tmp_path: Path) -> None:
    needs = (Reference("\ud802", "b\ud803", 1),)
    odd = schema("a\ud800", schema='"\ud801"', references=needs, metadata={"x": "\ud804"})
    found = Schemas((odd,), {"a\ud800": {"alias": "\ud805"}}, {})
    write_schemas(found, tmp_path / "out")
    again = schemas_of(tmp_path / "out")
    assert (contents(again), again.configs) == (contents(found), found.configs)
    (row,) = again.to_table().to_pylist()
    assert (row["subject"], row["schema"]) == ("a\\ud800", '"\\ud801"')
    assert row["references"][0]["name"] == "\\ud802"
    assert again.to_table("subjects").num_rows == 1


def test_a_folder_of_a_user(tmp_path: Path) -> None:
    (tmp_path / "avro" / "deep").mkdir(parents=True)
    (tmp_path / "proto" / "com").mkdir(parents=True)
    (tmp_path / "avro" / "orders-value.avsc").write_text(
        '\ufeff{"type":"record","name":"Order","namespace":"x","fields":['
        '{"name":"i","type":["null",{"type":"array","items":"Item"}]},{"name":"m","type":{"type":"map","values":"y.M"}}]}'
    )
    (tmp_path / "avro" / "deep" / "item.avsc").write_text('{"type":"record","name":"Item","namespace":"x","fields":[]}')
    (tmp_path / "avro" / "m.v1.avsc").write_text('{"type":"fixed","name":"y.M","size":1}')
    (tmp_path / "avro" / "m.v2.avsc").write_text('{"type":"fixed","name":"y.M","size":2}')
    (tmp_path / "proto" / "com" / "a.proto").write_text(
        'syntax = "proto3"; // import "c.proto";\nimport "com/b.proto"; import public "google/protobuf/any.proto";'
    )
    (tmp_path / "proto" / "com" / "b.proto").write_text('syntax = "proto3";')
    (tmp_path / "proto" / "com" / "c.proto").write_text('syntax = "proto3";')
    (tmp_path / "bill.json").write_text('{"properties":{"a":{"$ref":"part.json#/x"},"b":{"$ref":"#/c"}}}')
    (tmp_path / "part.json").write_text('{"$id":"https://x/part"}')
    (tmp_path / "README.md").write_text("no schema")
    found = schemas_of(tmp_path)
    by_subject = {(each.subject, each.version): each for each in found.all}
    assert set(by_subject) == {
        *((name, 1) for name in ("orders-value", "item", "m", "a", "b", "c", "bill", "part")),
        ("m", 2),
    }
    assert {each.schema_id for each in found.all} == {None}
    assert by_subject["orders-value", 1].references == (Reference("y.M", "m", 2), Reference("x.Item", "item", 1))
    assert by_subject["a", 1].references == (Reference("com/b.proto", "b", 1),)
    assert by_subject["bill", 1].references == (Reference("part.json", "part", 1),)
    assert [each.subject for each in found.references(by_subject["orders-value", 1])] == ["m", "item"]
    (one,) = schemas_of(tmp_path / "avro" / "m.v2.avsc").all
    assert (one.subject, one.version, one.type) == ("m", 2, "AVRO")


def test_files_of_one_name_in_two_folders(tmp_path: Path) -> None:
    for folder in ("v1", "v2"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "common.proto").write_text(f"// {folder}")
    (tmp_path / "v1" / "x.avsc").write_text('"int"')
    found = schemas_of(tmp_path)
    assert [each.subject for each in found.all] == ["v1/common", "x", "v2/common"]
    (tmp_path / "x.v1.avsc").write_text('"long"')
    (finding,) = schemas_of(tmp_path).findings
    assert finding.message.startswith("the same subject and version as ")
    with pytest.raises(KafkafmtError, match=r"rename it, as in x\.v2\.avsc"):
        schemas_of(tmp_path, on_damage="raise")


def test_circles_of_files(tmp_path: Path) -> None:
    (tmp_path / "a.avsc").write_text('{"type":"record","name":"a.A","fields":[{"name":"b","type":"b.B"}]}')
    (tmp_path / "b.avsc").write_text('{"type":"record","name":"b.B","fields":[{"name":"a","type":"a.A"}]}')
    found = schemas_of(tmp_path)
    with pytest.raises(KafkafmtError, match="in a circle: a version 1 -> b version 1 -> a version 1"):
        found.references(found.all[0])
    written = write_schemas(found, tmp_path / "out")
    assert written.notes


def test_files_that_hold_no_schema_are_findings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema_files, "_MOST_BYTES", 100)
    (tmp_path / "good.avsc").write_text('"int"')
    (tmp_path / "latin.avsc").write_bytes(b'"\xe9"')
    (tmp_path / "large.avsc").write_bytes(b" " * 101)
    os.mkfifo(tmp_path / "pipe.avsc")
    (tmp_path / "gone.avsc").symlink_to(tmp_path / "nowhere")
    found = schemas_of(tmp_path)
    assert [each.subject for each in found.all] == ["good"]
    assert sorted((Path(each.path).name, each.message.partition(":")[0]) for each in found.findings) == [
        ("gone.avsc", "cannot be read"),
        ("large.avsc", "the file is too large for a schema"),
        ("latin.avsc", "not valid UTF-8"),
        ("pipe.avsc", "not a regular file"),
    ]


def test_folders_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(4):
        (tmp_path / f"{number}.avsc").write_text(f'"{"x" * 40}"')
    monkeypatch.setattr(schema_files, "_MOST_BYTES_OF_ALL", 100)
    with pytest.raises(LimitExceededError, match="the schemas of the folder are too large"):
        schemas_of(tmp_path)
    monkeypatch.setattr(schema_files, "_MOST_FILES", 3)
    with pytest.raises(LimitExceededError, match="the folder is too large"):
        schema_files.read_folder(str(tmp_path), lambda _: None)
    (tmp_path / "0.avsc").unlink()
    (tmp_path / "again").symlink_to(tmp_path)
    monkeypatch.setattr(schema_files, "_MOST_FILES", 10)
    monkeypatch.setattr(schema_files, "_MOST_BYTES_OF_ALL", 1000)
    assert len(schemas_of(tmp_path).all) == 3


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("{", "line 2: not JSON"),
        pytest.param("[" * 100_000, "line 2: not JSON", id="deep"),
        ("7", "line 2: not a JSON object"),
        ('{"file":"../x.avsc","subject":"s","version":1}', "line 2: 'file' is not the name"),
        ('{"file":"/etc/passwd","subject":"s","version":1}', "line 2: 'file' is not the name"),
        ('{"subject":"s","version":1}', "line 2: 'file' is not the name"),
        ('{"file":"a.avsc","version":1}', "line 2: 'subject' is missing or not a string"),
        ('{"file":"a.avsc","subject":"s","version":"1"}', "line 2: 'version' is not an int32"),
        ('{"file":"a.avsc","subject":"s","version":1,"schemaId":4294967296}', "line 2: 'schemaId' is not an int32"),
        ('{"file":"a.avsc","subject":"s","version":1,"state":"odd"}', "line 2: 'state' is not a state of a schema"),
        ('{"file":"a.avsc","subject":"s","version":1,"references":[1]}', "line 2: 'references' is not a list"),
        ('{"file":"a.avsc","subject":"s","version":1,"offsets":[-1]}', "line 2: 'offsets' is not a list"),
        ('{"config":7,"subject":null}', "line 2: neither a config nor a mode"),
        ('{"mode":"IMPORT","subject":7}', "line 2: 'subject' is not a string"),
        ('{"file":"absent.avsc","subject":"s","version":1}', "cannot be read: No such file"),
    ],
)
def test_lines_that_no_index_has(line: str, says: str, tmp_path: Path) -> None:
    write_schemas(Schemas((schema("kept"),), {}, {}), tmp_path / "out")
    (tmp_path / "out" / "a.avsc").write_text('"long"')
    with open(tmp_path / "out" / INDEX, "a") as index:
        index.write(f"{line}\n")
    found = schemas_of(tmp_path / "out")
    assert found.all[0].subject == "kept"
    (finding,) = found.findings
    assert finding.message.startswith(says)
    with pytest.raises(KafkafmtError, match=says.partition(":")[0]):
        schemas_of(tmp_path / "out", on_damage="raise")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
NAMES = (
    "subject", "version", "schemaId", "type", "state",
    "isSuperseded", "references", "metadata", "ruleSet", "offsets",
)  # fmt: skip


@given(st.fixed_dictionaries({}, optional=dict.fromkeys((*NAMES, "config", "mode"), JSON)))
def test_any_row_is_a_schema_or_corrupt(row: dict[str, Any]) -> None:
    sound = {"subject": "s", "version": 1, **row}
    for each in (row, sound):
        try:
            if not Settings().take(each):
                made = schema_of(each, "")
                assert len(made.guid) == 36
                Schemas((made,), {}, {}).to_table()
        except CorruptError:
            pass


@given(st.binary(max_size=60), st.integers(0, 200))
def test_any_index_gives_schemas_or_findings(data: bytes, position: int) -> None:
    with TemporaryDirectory() as directory:
        folder = Path(directory, "out")
        write_schemas(Schemas((schema("kept"),), {}, {}), folder)
        index = bytearray((folder / INDEX).read_bytes())
        index[position : position + len(data) // 2] = data
        (folder / INDEX).write_bytes(index)
        found = schemas_of(folder)
        assert len(found.all) + len(found.findings) > 0


def test_a_folder_that_exists_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    with pytest.raises(SourceError, match="exists already"):
        write_schemas(Schemas((schema("s"),), {}, {}), tmp_path / "out")
    with pytest.raises(KeyboardInterrupt):
        write_schemas(Schemas((schema("s"), schema("t", schema=Interrupting())), {}, {}), tmp_path / "new")
    assert [each.name for each in tmp_path.iterdir()] == ["out"]


class Interrupting(str):
    """A text that is interrupted while being written."""

    __slots__ = ()

    def encode(self, *_: str) -> bytes:
        raise KeyboardInterrupt


def test_an_import_has_what_is_referred_to_first(tmp_path: Path) -> None:
    needed = schema("needed", state="soft-deleted", schema_id=7)
    needs = schema("needs", references=(Reference("n", "needed", 1),), schema_id=8, state="soft-deleted")
    lost = schema("lost", references=(Reference("n", "gone", 1),), schema_id=9)
    written = write_schemas(Schemas((needs, needed, lost), {}, {}), tmp_path / "out")
    requests = [json.loads(line) for line in (tmp_path / "out" / IMPORT).read_text().splitlines()]
    assert [(each["method"], each["path"]) for each in requests] == [
        ("PUT", "/mode"),
        ("POST", "/subjects/needed/versions"),
        ("POST", "/subjects/needs/versions"),
        ("DELETE", "/subjects/needs/versions/1"),
        ("DELETE", "/subjects/needed/versions/1"),
        ("PUT", "/mode"),
    ]
    assert requests[2]["body"] == {
        "version": 1,
        "id": 8,
        "schemaType": "AVRO",
        "references": [{"name": "n", "subject": "needed", "version": 1}],
        "schema": '"int"',
    }
    (note,) = written.notes
    assert note == "the imports leave out lost version 1: no schema gone version 1, to which lost version 1 refers"


def test_an_import_says_what_it_brings_back(tmp_path: Path) -> None:
    deleted = [schema(name, state="hard-deleted", schema_id=number) for number, name in enumerate(("needed", "other"))]
    needs = schema("needs", references=(Reference("n", "needed", 1),), schema_id=8)
    written = write_schemas(Schemas((*deleted, needs), {}, {}), tmp_path / "out")
    requests = [json.loads(line) for line in (tmp_path / "out" / IMPORT).read_text().splitlines()]
    assert [each["path"] for each in requests[1:3]] == ["/subjects/needed/versions", "/subjects/needs/versions"]
    assert written.notes == (
        "the imports bring back 1 schema deleted for good, as others refer to it: needed version 1",
        "the imports leave out 1 schema deleted for good: other version 1",
    )


def test_a_folder_without_schemas(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("none")
    with pytest.raises(SourceError, match=r"or a folder whose files end in \.avsc, \.proto, \.json"):
        schemas_of(tmp_path)


def test_moments_are_of_the_topic(tmp_path: Path) -> None:
    (tmp_path / "a.avsc").write_text('"int"')
    with pytest.raises(ValueError, match="moments of the topic _schemas"):
        schemas_of(tmp_path, at_offset=3)


def test_the_command_writes_and_reads_folders(tmp_path: Path, kafkafmt: Call) -> None:  # noqa: F811
    log_dir, folder = unpack("registry", tmp_path), tmp_path / "out"
    written = kafkafmt("schemas", log_dir, "--out", folder)
    assert (written.status, written.lines) == (0, [])
    assert "the imports leave out 4 schemas deleted for good: crm.people-value version 3" in written.stderr
    assert f"{folder} is written: 37 schemas, and imports for an empty registry: import.jsonl (45 requests)" in (
        written.stderr
    )
    shown = kafkafmt("schemas", folder, "-o", "jsonl")
    assert shown.status == 0
    assert len(shown.lines) == len(rows("registry", "schemas")) + 1 - 1
    assert kafkafmt("schemas", log_dir, "--out", folder).status == 3
    (folder / "bad.avsc").write_bytes(b"\xff")
    assert kafkafmt("schemas", folder, "--show", "subjects").status == 1
    for wrong in (["--show", "topics"], ["--at-offset", "3"], [log_dir]):
        assert kafkafmt("schemas", folder, *wrong).status == 2
    assert kafkafmt("schemas", log_dir, "--show", "deleted", "--out", tmp_path / "x").status == 2
    assert kafkafmt("schemas", log_dir, "--out", tmp_path / "x.csv").status == 2
    assert kafkafmt("schemas", log_dir, "--out", log_dir / "x").status == 3
