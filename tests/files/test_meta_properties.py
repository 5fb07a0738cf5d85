"""meta.properties."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkafmt.errors import CorruptError, LimitExceededError, UnsupportedError
from kafkafmt.files import meta_properties
from tests.golden_cases import Case, cases


@pytest.mark.parametrize("case", cases("modern"), ids=str)
def test_properties_are_those_that_kafka_reads(case: Case) -> None:
    expected = {
        each["file"]: each["properties"]
        for each in case.jsonl("checkpoints.jsonl")
        if each["file"].endswith("meta.properties")
    }
    assert {path.relative_to(case.log_dir).as_posix() for path in case.files("meta.properties")} == set(expected)
    for name, properties in expected.items():
        read = meta_properties.read(case.log_dir / name)
        assert read.properties == properties, name
        assert read.entries == tuple(read.properties.items())
        assert read.to_table().to_pylist() == [
            {
                "version": 1,
                "brokerId": None,
                "nodeId": int(properties["node.id"]),
                "clusterId": properties["cluster.id"],
                "directoryId": properties["directory.id"],
            }
        ]


def test_legacy_files_are_of_version_0_with_and_without_cluster_id() -> None:
    read = [meta_properties.read(path) for case in cases("legacy") for path in case.files("meta.properties")]
    assert {(each.version, each.broker_id, each.node_id, each.directory_id) for each in read} == {(0, 0, None, None)}
    assert {each.cluster_id is None for each in read} == {True, False}


def pairs(data: bytes) -> dict[str, str]:
    return dict(meta_properties.parse(data).properties)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", {}),
        (b"\n \t\f\r\n\n", {}),
        (b"# a=1\n! b=2\n  #c=3\r !d", {}),
        (b"a=1\nb:2\nc 3\nd\t4\ne", {"a": "1", "b": "2", "c": "3", "d": "4", "e": ""}),
        (b"  a  =  1  \n", {"a": "1  "}),
        (b"a == 1\nb : = 2\nc  = : 3", {"a": "= 1", "b": "= 2", "c": ": 3"}),
        (b"a#b=c#d!", {"a#b": "c#d!"}),
        (b"=x\n:y", {"": "y"}),
        (b"a=1\\\n   2\\\r\n\t3\\\r4", {"a": "1234"}),
        (b"a=1\\\n\nb=2", {"a": "1", "b": "2"}),
        (b"a=1\\\n#b=2", {"a": "1#b=2"}),
        (b"\\\n\\\n  \\\na=1", {"a": "1"}),
        (b"\\\n\n#x\na=1\\", {"a": "1"}),
        (b"\\\n#x\na=1", {"a": "1"}),
        (b"\\", {"": ""}),
        (b"\\\n", {"": ""}),
        (b"\\\r", {"": ""}),
        (b"\\\r\n", {}),
        (b"\\\n ", {}),
        (b"a=1\\\\\nb=2", {"a": "1\\", "b": "2"}),
        (b"a=1\\\\\\\nb=2", {"a": "1\\b=2"}),
        (b"# x\\\na=1", {"a": "1"}),
        (rb"a\ b\=c\:d=\t\n\r\f\z\'\"\\", {"a b=c:d": "\t\n\r\fz'\"\\"}),
        (rb"\#a=\u00e9\u20AC\ud83d\ude00\ud83d", {"#a": "é€😀�"}),
        (b"a=\xe9\nb=\xc2\xa0", {"a": "é", "b": "Â\N{NO-BREAK SPACE}"}),
        (b"a=1\na=2", {"a": "2"}),
        (b"a=1\x0b2\x1c3\xc2\x85", {"a": "1\x0b2\x1c3Â\x85"}),
    ],
)
def test_the_syntax_is_that_of_java_properties(data: bytes, expected: dict[str, str]) -> None:
    assert pairs(data) == expected


def test_properties_keep_the_order_of_the_file() -> None:
    assert list(pairs(b"z=1\na=2\nm=3\nz=4")) == ["z", "a", "m"]


def escaped(text: str) -> str:
    """Escape as java.util.Properties.store does, and more."""
    units = text.encode("utf-16-be")
    return "".join(
        chr(unit) if chr(unit).isalnum() and unit < 128 else f"\\u{unit:04x}"
        for unit in (int.from_bytes(units[at : at + 2], "big") for at in range(0, len(units), 2))
    )


@given(st.dictionaries(st.text().map(lambda key: f"x{key}"), st.text(), max_size=5))
def test_escaped_properties_come_back(properties: dict[str, str]) -> None:
    data = "".join(f"{escaped(key)}={escaped(value)}\n" for key, value in properties.items())
    assert pairs(data.encode()) == properties


@pytest.mark.parametrize("data", [rb"a=\u12", rb"a=\uzzzz", rb"\u=1", rb"a=\u123"])
def test_a_malformed_escape_is_corrupt_with_its_place(data: bytes) -> None:
    with pytest.raises(CorruptError, match="escape") as caught:
        meta_properties.parse(b"# comment\n" + data, file="f")
    assert (caught.value.file, caught.value.position) == ("f", 10)


def test_version_0_has_a_broker_id_and_no_node_id() -> None:
    read = meta_properties.parse(b"broker.id=7\nnode.id=8\ncluster.id=c\nversion=0\n")
    assert (read.version, read.broker_id, read.node_id, read.cluster_id, read.directory_id) == (0, 7, None, "c", None)


def test_an_absent_version_is_0_and_promises_nothing() -> None:
    read = meta_properties.parse(b"x=y")
    assert (read.version, read.broker_id, read.node_id, read.cluster_id) == (0, None, None, None)


def test_version_1_has_a_node_id_and_no_broker_id() -> None:
    data = b"version= 1 \nnode.id=8\nbroker.id=9\ncluster.id=c\ndirectory.id=AAAAAAAAAAAAAAAAAAAABA\n"
    read = meta_properties.parse(data)
    assert (read.version, read.broker_id, read.node_id, read.cluster_id) == (1, None, 8, "c")
    assert read.directory_id == "AAAAAAAAAAAAAAAAAAAABA"


def test_version_2_needs_no_cluster_id_but_a_directory_id() -> None:
    read = meta_properties.parse(b"version=2\nnode.id=8\ndirectory.id=AAAAAAAAAAAAAAAAAAAABA\n")
    assert (read.version, read.node_id, read.cluster_id) == (2, 8, None)
    with pytest.raises(CorruptError, match=r"directory\.id is missing"):
        meta_properties.parse(b"version=2\nnode.id=8\n")


@pytest.mark.parametrize(
    ("data", "missing"), [(b"version=1\ncluster.id=c", "node.id"), (b"version=1\nnode.id=1", "cluster.id")]
)
def test_what_version_1_demands_must_be_there(data: bytes, missing: str) -> None:
    with pytest.raises(CorruptError, match=f"the property {missing} is missing"):
        meta_properties.parse(data)


@pytest.mark.parametrize("version", [3, -1])
def test_another_version_is_unsupported(version: int) -> None:
    with pytest.raises(UnsupportedError) as caught:
        meta_properties.parse(b"a=1\nversion=%d" % version, file="f")
    assert (caught.value.file, caught.value.position, caught.value.found) == ("f", 4, version)


@pytest.mark.parametrize(
    "line", [b"version=x", b"version=", b"broker.id=x", b"broker.id= ", b"broker.id=2147483648", b"directory.id=x"]
)
def test_a_malformed_value_is_corrupt_with_its_place(line: bytes) -> None:
    with pytest.raises(CorruptError) as caught:
        meta_properties.parse(b"\n\n" + line, file="f")
    assert (caught.value.file, caught.value.position) == ("f", 2)


def test_read_refuses_what_is_too_large(tmp_path: Path) -> None:
    path = tmp_path / "meta.properties"
    with path.open("wb") as file:
        file.truncate(1 << 30)
    with pytest.raises(LimitExceededError):
        meta_properties.read(path)
