"""What a terminal gets of any text."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkafmt.cli.printable import escape


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("plain", "plain"),
        ("Größe 東京 🙂", "Größe 東京 🙂"),
        ("no\u00a0break\u3000wide", "no\u00a0break\u3000wide"),
        ("a\nb\r\tc", "a\\nb\\r\\tc"),
        ("\x1b[31mred\x7f\x9b", "\\x1b[31mred\\x7f\\x9b"),
        ("\u202eback", "\\u202eback"),
        ("\udcff.log", "\\udcff.log"),
        ("\U000e0041", "\\U000e0041"),
        ("👨\u200d👩", "👨\u200d👩"),
        ("line\u2028end", "line\\u2028end"),
        ("a\\nb", "a\\nb"),
    ],
)
def test_escape(text: str, escaped: str) -> None:
    assert escape(text) == escaped
    assert escape(text) == escaped  # out of the cache


@given(st.text(st.characters()))
def test_nothing_acts(text: str) -> None:
    for character in escape(text):
        assert unicodedata.category(character) not in ("Cc", "Cs", "Zl", "Zp")
