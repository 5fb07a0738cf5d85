"""Framings of keys and values as real serializers write them (golden/values, case framings)."""

import zlib
from typing import Any

import pytest

from kafkafmt.errors import KafkafmtError, LimitExceededError
from kafkafmt.limits import Limits
from kafkafmt.values.framing import Framing, framing_of
from tests.values.golden_values import raw, rows

ALIKE = {"apicurio-4": "confluent", "apicurio-4-json": "confluent", "glue-zlib": "glue"}


def in_bytes() -> list[dict[str, Any]]:
    """Rows whose framing is in the bytes rather than in headers."""
    return [
        row
        for row in rows("framings", "values")
        if "header" not in row["framing"] and "glue framing" not in str(row.get("error"))
    ]


def test_framings_before_the_value() -> None:
    assert len(in_bytes()) >= 30
    for row in in_bytes():
        framing = framing_of(raw(row))
        assert framing.name == ALIKE.get(row["framing"], row["framing"]), (row["topic"], row["offset"])
        if "schemaId" in row and row["framing"] != "confluent-guid":
            assert framing.schema_id == row["schemaId"]
        if row["framing"].startswith("glue") or row["framing"] == "confluent-guid":
            assert framing.guid == row["guid"]


def test_what_glue_does_not_read_is_no_framing_or_an_error() -> None:
    broken = [row for row in rows("framings", "values") if "glue framing" in str(row.get("error"))]
    assert len(broken) == 5
    cut = [row for row in broken if row["error"]["why"] in ("zlib data cut", "header alone")]
    assert len(cut) == 2
    for row in broken:
        if row in cut:
            with pytest.raises(KafkafmtError, match="Glue value is cut"):
                framing_of(raw(row))
        else:
            assert framing_of(raw(row)).name == "none"


GUID = bytes.fromhex("8ffa361345492145c26bde924ea015c0")


@pytest.mark.parametrize(
    ("headers", "data", "expected"),
    [
        (
            [("__value_schema_id", b"\1" + GUID)],
            b"x",
            Framing("confluent-header", b"x", guid="8ffa3613-4549-2145-c26b-de924ea015c0", indexes=b""),
        ),
        (
            [("__value_schema_id", b"\0\xff\xff\xff\xfe\2\4")],
            b"x",
            Framing("confluent-header", b"x", -2, indexes=b"\2\4"),
        ),
        ([("__key_schema_id", b"\0\0\0\0\7")], b"\0\0\0\0\1x", Framing("confluent", b"x", 1)),
        ([("__value_schema_id", None)], b"\0\0\0\0\1x", Framing("confluent", b"x", 1)),
        ([("apicurio.value.globalId", b"\0\0\0\0\0\0\0\t")], b"x", Framing("apicurio-header", b"x", 9)),
        (
            [("apicurio.value.contentId", b"\0\0\0\0\0\0\0\t"), ("apicurio.value.encoding", b"JSON")],
            b"{}",
            Framing("apicurio-header", b"{}", 9, is_json=True),
        ),
        ([], b"\xc3\1\1\0\0\0\0\0\0\0x", Framing("avro-object", b"x", fingerprint=1)),
        ([], b"\0\0\0\0\0", Framing("none", b"\0\0\0\0\0")),
        ([], bytes(8), Framing("none", bytes(8))),
        ([], b"\0\0\0\0", Framing("none", b"\0\0\0\0")),
        ([], b"", Framing("none", b"")),
    ],
)
def test_headers_and_bytes(headers: list[tuple[str, bytes | None]], data: bytes, expected: Framing) -> None:
    assert framing_of(data, headers) == expected


@pytest.mark.parametrize(
    ("headers", "says"),
    [
        ([("__value_schema_id", b"")], "is empty"),
        ([("__value_schema_id", b"\1" + GUID[:9])], "GUID is cut"),
        ([("__value_schema_id", b"\0\1")], "schema id is cut"),
        ([("__value_schema_id", b"\2" + GUID)], "another byte"),
        ([("apicurio.value.globalId", b"\1")], "another length"),
    ],
)
def test_headers_that_no_serializer_writes(headers: list[tuple[str, bytes | None]], says: str) -> None:
    with pytest.raises(KafkafmtError, match=says):
        framing_of(b"x", headers)


def test_a_compressed_value_is_bounded() -> None:
    bomb = b"\3\5" + GUID + zlib.compress(bytes(10_000_000))
    with pytest.raises(LimitExceededError):
        framing_of(bomb, limits=Limits(max_decompressed_bytes=1_000_000))
