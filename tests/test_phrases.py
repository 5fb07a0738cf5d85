"""Counts with their nouns, and lists of names, as worded in findings, notes and errors."""

from kafkafmt.phrases import are, counted, counted_are, counted_have, joined, listed, named, sized


def test_a_count_has_its_noun() -> None:
    assert [counted(number, "entry", "entries") for number in (0, 1, 2)] == ["0 entries", "1 entry", "2 entries"]
    assert [counted(number, "record") for number in (1, 2_000)] == ["1 record", "2,000 records"]


def test_bytes_have_no_separators() -> None:
    assert [sized(number) for number in (0, 1, 2_000)] == ["0 bytes", "1 byte", "2000 bytes"]


def test_a_count_has_its_verb() -> None:
    assert [are(number) for number in (0, 1, 2)] == ["are", "is", "are"]
    assert [counted_are(1, "copy", "copies"), counted_are(2, "copy", "copies")] == ["1 copy is", "2 copies are"]
    assert [counted_have(1, "copy", "copies"), counted_have(2, "copy", "copies")] == ["1 copy has", "2 copies have"]


def test_names_are_listed_up_to_ten() -> None:
    names = [str(number) for number in range(1_012)]
    assert listed(names[:2]) == "0, 1"
    assert listed(names) == f"{', '.join(names[:10])} and 1,002 more"
    assert listed(["a", "b", "c"], 2, "; ") == "a; b; and 1 more"


def test_names_follow_their_noun() -> None:
    assert [named("node", [1]), named("node", [1, 2, 3], 2)] == ["node 1", "nodes 1, 2 and 1 more"]


def test_clauses_are_joined() -> None:
    assert [joined(["a"]), joined(["a", "b"]), joined(["a", "b", "c"])] == ["a", "a and b", "a, b and c"]
