"""The codec decodes its own encodings, in every version of every message, and raises only the documented errors."""

from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkafmt.errors import KafkafmtError
from kafkafmt.protocol.codec import element_encoder, message
from kafkafmt.protocol.frames import read_request
from kafkafmt.protocol.message_bytes import MOST_ELEMENTS, MessageReader, MessageWriter
from kafkafmt.protocol.schemas import Schema, api_key, apis, messages, valid_versions, versions

_INTEGERS = {"int8": 7, "int16": 15, "int32": 31, "int64": 63}


def values(schema: Schema, version: int) -> st.SearchStrategy[dict[str, Any]]:
    """Fields of a message in a version."""
    structs = {each["name"]: each["fields"] for each in schema.get("commonStructs", ())}

    def structure(fields: list[Schema]) -> st.SearchStrategy[dict[str, Any]]:
        present = [field for field in fields if version in versions(field.get("versions"))]
        return st.fixed_dictionaries({field["name"]: value(field) for field in present})

    def value(field: Schema) -> st.SearchStrategy[Any]:
        made = of_kind(field)
        return st.none() | made if version in versions(field.get("nullableVersions")) else made

    def of_kind(field: Schema) -> st.SearchStrategy[Any]:
        kind: str = field["type"]
        if kind.startswith("[]"):
            return st.lists(of_kind({**field, "type": kind[2:]}), max_size=2)
        if kind in _INTEGERS:
            bits = _INTEGERS[kind]
            return st.integers(-(1 << bits), (1 << bits) - 1)
        if kind in ("uint16", "uint32"):
            return st.integers(0, (1 << int(kind[4:])) - 1)
        if kind == "float64":
            return st.floats(allow_nan=False)
        if kind == "bool":
            return st.booleans()
        if kind == "uuid":
            return st.uuids()
        if kind == "string":
            return st.text(max_size=5)
        if kind in ("bytes", "records"):
            return st.binary(max_size=5)
        return structure(field.get("fields") or structs[kind])

    return structure(schema["fields"])


def every_version() -> list[tuple[str, int]]:
    return [(name, version) for name, schema in messages().items() for version in versions(schema["validVersions"])]


def encoded(name: str, version: int, value: dict[str, Any]) -> bytes:
    out = MessageWriter()
    message(name, version).encode(out, value)
    assert out.size == sum(map(len, out.parts))
    return out.joined()


@given(st.data())
def test_what_is_encoded_is_decoded(data: st.DataObject) -> None:
    name, version = data.draw(st.sampled_from(every_version()))
    value = data.draw(values(messages()[name], version))
    stored = encoded(name, version, value)
    source = MessageReader(memoryview(stored))
    assert message(name, version).decode(source) == value
    assert source.position == len(stored)


@given(st.data())
def test_any_bytes_are_a_message_or_an_error(data: st.DataObject) -> None:
    name, version = data.draw(st.sampled_from(every_version()))
    stored = bytearray(encoded(name, version, data.draw(values(messages()[name], version))))
    for _ in range(data.draw(st.integers(0, 3))):
        if stored:
            stored[data.draw(st.integers(0, len(stored) - 1))] = data.draw(st.integers(0, 255))
    cut = memoryview(bytes(stored))[: data.draw(st.integers(0, len(stored)))]
    try:
        message(name, version).decode(MessageReader(cut))
    except KafkafmtError as error:
        assert error.message  # noqa: PT017 - the law: an error, or a message


@given(st.binary(max_size=60))
def test_any_bytes_are_a_request_or_an_error(data: bytes) -> None:
    try:
        assert read_request(memoryview(data)).api in apis().values()
    except KafkafmtError as error:
        assert error.message  # noqa: PT017 - the law: an error, or a request


def test_fields_that_are_not_given_have_their_defaults() -> None:
    stored = encoded("FetchRequest", 17, {"MaxWaitMs": 5, "MinBytes": 1})
    found = message("FetchRequest", 17).decode(MessageReader(memoryview(stored)))
    assert found["MaxBytes"] == 0x7FFFFFFF
    assert found["ReplicaState"] == {"ReplicaId": -1, "ReplicaEpoch": -1}
    assert found["RackId"] == ""
    # Bytes that may be null are empty all the same, records null.
    stored = encoded("EnvelopeRequest", 0, {})
    assert message("EnvelopeRequest", 0).decode(MessageReader(memoryview(stored)))["RequestPrincipal"] == b""
    stored = encoded("FetchResponse", 4, {"Responses": [{"Partitions": [{}]}]})
    assert stored.endswith(b"\xff\xff\xff\xff")


def test_a_structure_is_null_only_behind_a_negative_byte() -> None:
    name = "DescribeTopicPartitionsRequest"
    with_cursor = encoded(name, 0, {"Cursor": {"TopicName": "t", "PartitionIndex": 1}})
    without = encoded(name, 0, {"Cursor": None})
    at = next(i for i, (one, other) in enumerate(zip(with_cursor, without, strict=False)) if one != other)
    for present in (0, 1, 0x7F):
        data = with_cursor[:at] + bytes([present]) + with_cursor[at + 1 :]
        assert message(name, 0).decode(MessageReader(memoryview(data)))["Cursor"]["TopicName"] == "t"
    for null in (0x80, 0xFF):
        data = without[:at] + bytes([null]) + without[at + 1 :]
        assert message(name, 0).decode(MessageReader(memoryview(data)))["Cursor"] is None


def test_a_tag_of_another_version_is_refused_and_an_unknown_one_skipped() -> None:
    stored = encoded("FetchRequest", 12, {})
    assert stored.endswith(b"\0")
    for tag, is_refused in ((1, True), (99, False)):  # ReplicaState came in version 15
        source = MessageReader(memoryview(stored[:-1] + bytes([1, tag, 1, 0])))
        if is_refused:
            with pytest.raises(KafkafmtError, match="no tagged field 1"):
                message("FetchRequest", 12).decode(source)
        else:
            assert message("FetchRequest", 12).decode(source)["ReplicaId"] == -1


def test_an_array_of_empty_strings_is_bounded() -> None:
    number = MOST_ELEMENTS + 1
    out = MessageWriter()
    out.varint(number + 1)
    data = bytes(out.buffer) + b"\x01" * (4 * number)
    with pytest.raises(KafkafmtError, match="too many elements"):
        message("DescribeGroupsRequest", 5).decode(MessageReader(memoryview(data)))


def test_unstable_versions_are_not_on_offer() -> None:
    unstable = [name for name, schema in messages().items() if schema.get("latestVersionUnstable")]
    assert unstable
    for name in unstable:
        api = name.removesuffix("Request")
        assert valid_versions(api)[-1] + 1 == versions(messages()[name]["validVersions"])[-1]


@pytest.mark.parametrize("version", valid_versions("Metadata"))
def test_an_element_may_be_encoded_before(version: int) -> None:
    topics = [{"Name": name, "Partitions": [{"PartitionIndex": 3, "IsrNodes": [1]}] * 200} for name in ("a", "b")]
    ready = element_encoder("MetadataResponse", version, "Topics")(topics[1])
    expected = encoded("MetadataResponse", version, {"Topics": topics})
    assert encoded("MetadataResponse", version, {"Topics": [topics[0], ready]}) == expected


def test_large_buffers_are_passed_on() -> None:
    records = bytes(10_000)
    out = MessageWriter()
    body = {"Responses": [{"TopicId": UUID(int=1), "Partitions": [{"PartitionIndex": 0, "Records": [records]}]}]}
    message("FetchResponse", 16).encode(out, body)
    assert any(part is records for part in out.parts)
    assert api_key("Fetch") == 1
