"""The syntax that all checkpoint files share."""

import pytest

from kafkafmt.errors import CorruptError, TruncatedError, UnsupportedError
from kafkafmt.files import text


def fields(data: bytes, count: int = 2) -> list[list[str]]:
    return [line.values for line in text.checkpoint_lines(data, count, file="f")]


@pytest.mark.parametrize("data", [b"", b"0", b"0\n", b"0\n0", b"0\n0\n", b"0\r\n0\r\n", b"+0 \n00\t\n"])
def test_files_without_entries(data: bytes) -> None:
    assert fields(data) == []


def test_white_space_is_java_s() -> None:
    assert fields(b"0\n4\na b\na\t \x0b\x0cb\na b  \nc\xc2\xa0d\xe2\x80\xa8 b") == [
        ["a", "b"],
        ["a", "b"],
        ["a", "b"],
        ["c\N{NO-BREAK SPACE}d\N{LINE SEPARATOR}", "b"],
    ]


@pytest.mark.parametrize(
    ("data", "position"),
    [
        (b"x\n", 0),
        (b"\n0\n", 0),
        (b"0 0\n0\n", 0),
        (b"0\nx\n", 2),
        (b"0\n\n", 2),
        (b"0\n99999999999\n", 2),
        (b"0\n-1\n", 2),
        (b"0\n1\na\n", 4),
        (b"0\n1\na b c\n", 4),
        (b"0\n1\n a b\n", 4),
        (b"0\n1\n\n", 4),
        (b"0\n1\na b\n\n", 8),
        (b"0\n1\na b\nc d\n", 8),
        (b"0\n0\na b\n", 4),
        (b"0\n-1\na b\n", 2),
        (b"0\n1\na \xff\n", 6),
        (b"\xff\n", 0),
    ],
)
def test_malformed_lines_are_corrupt_with_their_place(data: bytes, position: int) -> None:
    with pytest.raises(CorruptError) as caught:
        fields(data)
    assert (caught.value.file, caught.value.position) == ("f", position)


@pytest.mark.parametrize(("data", "found"), [(b"0\n1\n", 0), (b"0\n2\na b\n", 1), (b"0\n2147483647\na b", 1)])
def test_fewer_entries_than_declared_are_a_truncated_file(data: bytes, found: int) -> None:
    with pytest.raises(TruncatedError) as caught:
        fields(data)
    assert (caught.value.position, caught.value.found) == (len(data), found)


@pytest.mark.parametrize("version", [1, -1, 2147483647])
def test_another_version_is_unsupported(version: int) -> None:
    with pytest.raises(UnsupportedError) as caught:
        fields(b"%d\n0\n" % version)
    assert (caught.value.file, caught.value.position, caught.value.found) == ("f", 0, version)


def test_a_long_malformed_line_is_cut_in_the_error() -> None:
    with pytest.raises(CorruptError) as caught:
        fields(b"0\n1\n" + b"x" * 100_000)
    assert len(str(caught.value)) < 300
