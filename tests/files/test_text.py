"""The syntax shared by the small text files."""

import json
import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkafmt.codec.java_text import format_uuid
from kafkafmt.errors import CorruptError
from kafkafmt.files import text


def test_lines_end_as_in_java_only() -> None:
    data = b"a\nb\r\nc\rd\x0b\x0c\x1c\xc2\x85e\n\nlast"
    assert list(text.lines(data)) == [
        (1, 0, b"a"),
        (2, 2, b"b"),
        (3, 5, b"c"),
        (4, 7, b"d\x0b\x0c\x1c\xc2\x85e"),
        (5, 15, b""),
        (6, 16, b"last"),
    ]


@pytest.mark.parametrize(
    ("data", "count"), [(b"", 0), (b"\n", 1), (b"a", 1), (b"a\n", 1), (b"a\r\n", 1), (b"a\n\r", 2)]
)
def test_there_is_no_line_after_the_last_end(data: bytes, count: int) -> None:
    assert len(list(text.lines(data))) == count


@given(st.lists(st.binary().filter(lambda line: not set(line) & {10, 13}), min_size=1))
def test_lines_and_their_positions_come_back(contents: list[bytes]) -> None:
    data = b"".join(content + b"\n" for content in contents)
    found = list(text.lines(data))
    assert [line.content for line in found] == contents
    assert all(data[line.position :].startswith(line.content) for line in found)
    assert [line.number for line in found] == list(range(1, len(contents) + 1))


def test_bad_utf_8_is_an_error_with_its_place_in_the_file() -> None:
    with pytest.raises(CorruptError) as caught:
        text.decode(b"ab\xffc", position=10, file="f")
    assert (caught.value.file, caught.value.position, caught.value.found) == ("f", 12, "b'\\xff'")


@pytest.mark.parametrize(
    ("written", "value"), [("0", 0), ("-0", 0), ("+7", 7), ("007", 7), ("-2147483648", -(1 << 31))]
)
def test_integers_are_read_as_in_java(written: str, value: int) -> None:
    assert text.integer(written, 32, "x", position=0) == value


@pytest.mark.parametrize(
    "written", ["", "-", "+-1", "1_0", " 1", "1 ", "0x1", "1.0", "2147483648", "-2147483649", "٣", "²", "9" * 5000]
)
def test_what_is_no_integer_is_corrupt(written: str) -> None:
    with pytest.raises(CorruptError) as caught:
        text.integer(written, 32, "x", position=3, file="f")
    assert caught.value.position == 3
    assert len(str(caught.value)) < 200


def test_64_bits_are_read_as_a_java_long() -> None:
    assert text.integer("9223372036854775807", 64, "x", position=0) == (1 << 63) - 1
    with pytest.raises(CorruptError):
        text.integer("9223372036854775808", 64, "x", position=0)


@given(st.uuids())
def test_a_uuid_comes_back(value: uuid.UUID) -> None:
    written = format_uuid(value.bytes)
    assert len(written) == 22
    assert text.kafka_uuid(written, "x", position=0) == value
    assert text.kafka_uuid(written + "==", "x", position=0) == value


@pytest.mark.parametrize(
    "written", ["", "A" * 21, "A" * 23, "A" * 22 + "=", "A" * 21 + "+", "A" * 21 + "/", "A" * 24, "é" * 22]
)
def test_what_is_no_uuid_is_corrupt(written: str) -> None:
    with pytest.raises(CorruptError):
        text.kafka_uuid(written, "x", position=0)


def test_surrogates_are_joined_or_replaced() -> None:
    assert text.well_formed("\ud83d\ude00 ok") == "😀 ok"
    assert text.well_formed("a\ud83db") == "a�b"
    assert text.well_formed("plain") == "plain"


@given(st.dictionaries(st.text(), st.integers() | st.text() | st.none() | st.lists(st.booleans())))
def test_a_json_object_comes_back(value: dict[str, object]) -> None:
    assert text.json_object(json.dumps(value).encode()) == value


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b" ",
        b"[]",
        b"1",
        b"null",
        b"{",
        b'{"a":}',
        b"{} x",
        b"\xef\xbb\xbf{}",
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"a":' + b"9" * 5000 + b"}",
        b'{"a":"\xff"}',
    ],
)
def test_what_is_no_json_object_is_corrupt(data: bytes) -> None:
    with pytest.raises(CorruptError) as caught:
        text.json_object(data, file="f")
    assert caught.value.file == "f"
    assert caught.value.position is not None


def test_the_position_of_a_json_error_counts_bytes() -> None:
    data = '{"é": !}'.encode()
    with pytest.raises(CorruptError) as caught:
        text.json_object(data)
    assert caught.value.position == data.index(b"!")


@pytest.mark.parametrize("value", [1.0, True, None, "1", 1 << 31, [1], {}])
def test_json_of_another_type_is_no_integer(value: object) -> None:
    with pytest.raises(CorruptError, match="x is not a 32-bit number"):
        text.json_integer(value, 32, "x")


def test_a_value_nested_as_deeply_as_json_allows_is_told_by_its_type() -> None:
    depth = 1
    value: object = []
    while True:
        try:
            value = json.loads("[" * depth + "]" * depth)
        except RecursionError:
            break
        depth += 10
    with pytest.raises(CorruptError, match="found list"):
        text.json_integer(value, 32, "x")


@pytest.mark.parametrize("value", [1, None, [], {}])
def test_json_of_another_type_is_no_string(value: object) -> None:
    with pytest.raises(CorruptError, match="x is not a string"):
        text.json_string(value, "x")
