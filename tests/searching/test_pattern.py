"""Patterns over bytes: the supported expressions, their matches, and the strings that every match contains."""

import re

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkafmt.searching import Pattern
from kafkafmt.searching.pattern import required_literals

VALUES = [b"abc\xff\xfeK\xc3\xa4x", None, b"", "ÄB".encode(), b"a\nb", b"\xe2\x84\xaa", b"a.c"]


def matching(pattern: Pattern) -> list[bytes]:
    found = pattern.matches(pa.array(VALUES, pa.binary())).to_pylist()
    assert [each is None for each in found] == [value is None for value in VALUES]
    return [value for value, is_found in zip(VALUES, found, strict=True) if is_found and value is not None]


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        (Pattern("ä"), [VALUES[0]]),
        (Pattern("[äö]x"), [VALUES[0]]),
        (Pattern("K.x"), [VALUES[0]]),
        (Pattern(rb"K.x"), []),
        (Pattern(rb"K..x"), [VALUES[0]]),
        (Pattern(r"\xff\xfe"), [VALUES[0]]),
        (Pattern(b"\xff\xfe", fixed=True), [VALUES[0]]),
        (Pattern(r"\xc3.x"), [VALUES[0]]),
        (Pattern("a.c"), [VALUES[0], b"a.c"]),
        (Pattern("a.c", fixed=True), [b"a.c"]),
        (Pattern("äb", ignore_case=True), ["ÄB".encode()]),
        (Pattern("äb", fixed=True, ignore_case=True), ["ÄB".encode()]),
        (Pattern("k", fixed=True, ignore_case=True), [VALUES[0], b"\xe2\x84\xaa"]),
        (Pattern("a.b"), []),
        (Pattern("(?s)a.b"), [b"a\nb"]),
        (Pattern("^$"), [b""]),
        (Pattern("\udcff", fixed=True), [VALUES[0]]),
    ],
    ids=repr,
)
def test_what_matches(pattern: Pattern, found: list[bytes]) -> None:
    assert matching(pattern) == found


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("(",), "'(' is not a regular expression: missing ): ("),
        ((r"\xff", False, True), "no upper and lower case"),
        ((b"\xff", True, True), "no upper and lower case"),
        ((r"\xffä",), "no letters beyond ASCII"),
    ],
)
def test_what_is_no_pattern(arguments: tuple[str], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        Pattern(*arguments)


@pytest.mark.parametrize(
    ("pattern", "data", "spans"),
    [
        (Pattern("ä."), b"xx\xc3\xa4bx\xff\xc3\xa4z", [(2, 5), (7, 10)]),
        (Pattern(b"\xff\xfe", fixed=True), b"\xff\xff\xfe", [(1, 3)]),
        (Pattern("a*"), b"baab", [(1, 3)]),
        (Pattern("^a"), b"aa", [(0, 1)]),
        (Pattern(r"\ba"), b"aa a", [(0, 1), (3, 4)]),
        (Pattern("a.b(c", fixed=True), b"a.b(c axb(c", [(0, 5)]),
        (Pattern("B", fixed=True, ignore_case=True), b"abB", [(1, 2), (2, 3)]),
    ],
    ids=repr,
)
def test_where_it_matches(pattern: Pattern, data: bytes, spans: list[tuple[int, int]]) -> None:
    assert pattern.spans(data) == spans


@pytest.mark.parametrize(
    ("expression", "literals"),
    [
        ("abc", {"abc"}),
        ("ab?c", {"a"}),
        ("ab+c", {"ab"}),
        ("ab+?c", {"ab"}),
        ("(foo|barbaz)x", {"foo", "barbaz"}),
        ("(?:foo|)xy", {"xy"}),
        ("(foo)?xy", {"xy"}),
        ("a|", set()),
        (r"customer-\d+", {"customer-"}),
        (r"[a-z]+@example\.com", {"@example.com"}),
        ("a{2}bc", {"bc"}),
        ("(?P<name>ab){0}cde", {"cde"}),
        ("x*", set()),
        ("[]a]bc", {"bc"}),
        (r"[\]x]bc", {"bc"}),
        ("[[:alpha:]]foo", {"foo"}),
        ("^abc$", {"abc"}),
        (r"a\nbc.d", {"a\nbc"}),
        ("(?i)abc", set()),
        ("ab(?i)cd", set()),
        (r"\Qa.b\E", set()),
        (r"\x41bc", set()),
        (r"\pLabc", set()),
        ("(a|b", set()),
        ("a**", set()),
    ],
)
def test_what_every_match_needs(expression: str, literals: set[str]) -> None:
    assert required_literals(expression) == literals


def test_without_case_only_what_no_other_letter_folds_to_is_needed() -> None:
    assert Pattern("Kunde-4711äx", ignore_case=True).literals == (b"unde-4711",)
    assert Pattern("Kunde-4711äx", fixed=True, ignore_case=True).literals == (b"unde-4711",)
    assert Pattern("ab|skS", ignore_case=True).literals == ()
    assert Pattern("ä", fixed=True).literals == ("ä".encode(),)


EXPRESSIONS = st.recursive(
    st.sampled_from(["a", "b", "ab", "ba1", r"\.", ".", "[ab]", "[^a]", "^", "$", r"\d", r"\b", "-"]),
    lambda parts: st.one_of(
        st.tuples(parts, parts).map("".join),
        st.tuples(parts, parts).map("|".join),
        st.tuples(parts, st.sampled_from(["*", "+", "?", "{2}", "{0,1}", "+?"])).map(
            lambda each: f"(?:{each[0]}){each[1]}"
        ),
        parts.map(lambda each: f"({each})"),
    ),
    max_leaves=8,
)


@given(
    expression=EXPRESSIONS, texts=st.lists(st.text("abAB1.-", max_size=12), min_size=1, max_size=30), fold=st.booleans()
)
def test_each_match_contains_one_of_its_literals(expression: str, texts: list[str], fold: bool) -> None:
    pattern = Pattern(expression, ignore_case=fold)
    values = [text.encode() for text in texts]
    for value, is_found in zip(values, pattern.matches(pa.array(values, pa.binary())).to_pylist(), strict=True):
        assert (
            not is_found
            or not pattern.literals
            or any(each.lower() in value.lower() if fold else each in value for each in pattern.literals)
        )
