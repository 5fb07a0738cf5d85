"""The form of any text on a terminal."""

import json
import os
import shutil
import subprocess
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkafmt.cli.printable import escape, escape_in_json, quote

UNSEEN = {
    "Arabic letter mark": "\u061c",
    "left-to-right mark": "\u200e",
    "right-to-left override": "\u202e",
    "isolate": "\u2067",
    "soft hyphen": "\u00ad",
    "zero width space": "\u200b",
    "byte order mark": "\ufeff",
    "line separator": "\u2028",
    "next line": "\x85",
    "tag": "\U000e0041",
    "variation selector 17": "\U000e0100",
    "Hangul filler": "\u3164",
    "private use": "\ue000",
    "unassigned": "\u0378",
    "musical format": "\U0001d173",
}


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
    assert escape(text) == escaped  # from the cache


@given(st.text(st.characters()))
def test_nothing_acts(text: str) -> None:
    for character in escape(text):
        assert unicodedata.category(character) not in ("Cc", "Cs", "Zl", "Zp")


@pytest.mark.parametrize("name", UNSEEN)
def test_what_cannot_be_seen_is_escaped(name: str) -> None:
    character = UNSEEN[name]
    assert escape(f"a{character}ü") == f"a{character.encode('unicode_escape').decode('ascii')}ü"
    text = json.dumps(f"a{character}ü", ensure_ascii=False)
    assert escape_in_json(text) == json.dumps(f"a{character}")[:-1] + 'ü"'


@given(st.text())
def test_json_has_the_same_value(text: str) -> None:
    escaped = escape_in_json(json.dumps([text], ensure_ascii=False))
    assert json.loads(escaped) == [text]
    assert escaped == escape(escaped)


@pytest.mark.skipif(shutil.which("bash") is None, reason="install bash")
@pytest.mark.parametrize(
    "argument",
    ["plain", "two words", "it's", "", "a\nb", "\x1b[31mred\x07f", "it's\ta \\ \u202eb\ufeff0", "\udcff1", "$(x)`\n`"],
)
def test_a_quoted_argument_is_one_printable_line_that_a_shell_reads_back(argument: str) -> None:
    quoted = quote(argument)
    assert escape(quoted) == quoted
    script = f"printf %s {quoted}"
    read = subprocess.run(["bash", "-c", script], check=True, capture_output=True).stdout
    assert read == os.fsencode(argument)
