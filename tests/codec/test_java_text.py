"""UTF-8 as Java 17 decodes it: its own answers in vectors/java_text.txt (see vectors/README.md), and laws around it."""

import sys
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkafmt.codec import java_text

VECTORS = [
    (bytes.fromhex(data), bytes.fromhex(text).decode("utf-16-be"))
    for data, text in (
        line.split(" ") for line in (Path(__file__).parent / "vectors" / "java_text.txt").read_text().splitlines()
    )
]
INTERESTING = st.sampled_from(b"A\x80\x8f\x90\x9f\xa0\xbf\xc0\xc1\xc2\xdf\xe0\xe1\xed\xef\xf0\xf1\xf4\xf5\xf8\xff")


def test_every_vector_reads_as_java_reads_it() -> None:
    assert len(VECTORS) == 900
    assert [(data, java_text.decode_utf8(data)) for data, _ in VECTORS] == VECTORS


def test_vectors_reach_what_python_alone_decodes_otherwise() -> None:
    assert sum(data.decode("utf-8", "replace") != text for data, text in VECTORS) >= 30


@given(st.text())
def test_well_formed_text_comes_back(text: str) -> None:
    assert java_text.decode_utf8(text.encode()) == text


@pytest.mark.parametrize("point", [0, 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFF, 0x10000, sys.maxunicode])
def test_first_and_last_of_each_length_come_back(point: int) -> None:
    assert java_text.decode_utf8(chr(point).encode()) == chr(point)


@given(st.lists(INTERESTING, max_size=12).map(bytes))
def test_any_bytes_give_text_between_one_character_each_and_none(data: bytes) -> None:
    text = java_text.decode_utf8(data)
    assert len(text) <= len(data)
    assert bool(text) == bool(data)


@given(st.lists(st.sampled_from(VECTORS), max_size=6))
def test_malformed_pieces_do_not_reach_beyond_an_ascii_character(vectors: list[tuple[bytes, str]]) -> None:
    data = b"/".join(data for data, _ in vectors)
    assert java_text.decode_utf8(data) == "/".join(text for _, text in vectors)


@given(st.lists(INTERESTING, max_size=12).map(bytes), st.integers(4, 6))
def test_pieces_of_a_large_text_read_as_the_whole_does(data: bytes, piece: int) -> None:
    with patch.object(java_text, "PIECE", piece):
        assert "".join(java_text.text_pieces(data)) == java_text.decode_utf8(data)


def test_java_hashes_texts_by_utf_16_units() -> None:
    assert java_text.string_hash("") == 0
    assert java_text.string_hash("hello") == 99162322
    assert java_text.string_hash("polygenelubricants") == 0x80000000
    assert java_text.string_hash("\U0001f600") == 0xD83D * 31 + 0xDE00
    assert java_text.string_hash("\ud800") == 0xD800
